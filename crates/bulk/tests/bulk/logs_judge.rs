//! Tests of `logs/judge.rs`.

use verger_bulk::logs::judge::*;
use verger_core::RFC9309;

const CLOSED: &[u8] = b"User-agent: *\nDisallow: /a\n";

fn judge(versions: &[(i64, &[u8])], grace: i64) -> Judge {
    let version = |(since, bytes): &(i64, &[u8])| Version { since: *since, bytes: bytes.to_vec() };
    Judge::new(versions.iter().map(version).collect(), &RFC9309, grace)
}

fn verdicts<const N: usize>(judge: &mut Judge, times: [i64; N]) -> [Verdict; N] {
    times.map(|time| judge.verdict(1, &[b"bot"], b"/a", Some(time)))
}

fn closed(version: u32) -> Verdict {
    Verdict::Closed { version, rule: 0 }
}

#[test]
fn the_version_in_force_judges() {
    let mut judge = judge(&[(30, CLOSED), (10, CLOSED), (20, b"")], 0);
    let found = verdicts(&mut judge, [9, 10, 19, 20, 29, 30, i64::MAX, 15, i64::MIN]);

    use Verdict::{Open, Unknown};
    assert_eq!(
        found,
        [Unknown, closed(0), closed(0), Open, Open, closed(2), closed(2), closed(0), Unknown]
    );
}

#[test]
fn what_was_open_within_the_grace_is_excused() {
    let mut judge = judge(&[(i64::MIN, b""), (10, CLOSED), (12, CLOSED)], 5);
    let found = verdicts(&mut judge, [9, 10, 12, 14, 15, 16]);

    use Verdict::{Excused, Open};
    assert_eq!(found, [Open, Excused, Excused, Excused, closed(2), closed(2)]);
}

#[test]
fn a_copy_of_a_version_that_nobody_knows_excuses_nothing_and_accuses_no_one() {
    let mut judge = judge(&[(10, CLOSED)], 5);

    assert_eq!(verdicts(&mut judge, [14, 15]), [Verdict::Unknown, closed(0)]);
}

#[test]
fn of_several_tokens_the_first_that_a_group_names_counts() {
    let file = b"User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n";
    let mut judge = judge(&[(i64::MIN, file)], 0);
    let mut verdict = |crawler, tokens: &[&[u8]], url| judge.verdict(crawler, tokens, url, None);

    assert_eq!(verdict(1, &[b"a", b"b"], b"/b"), Verdict::Open);
    assert_eq!(verdict(2, &[b"c", b"b"], b"/b"), Verdict::Closed { version: 0, rule: 1 });
    assert_eq!(verdict(3, &[b"c", b"d"], b"/b"), Verdict::Open);
    assert_eq!(verdict(NOBODY, &[b"a", b"b"], b"/b"), Verdict::Open);
    assert_eq!(verdict(NOBODY, &[b"c", b"b"], b"/b"), Verdict::Closed { version: 0, rule: 1 });
}

#[test]
fn one_file_needs_no_time() {
    let mut one = judge(&[(i64::MIN, CLOSED)], 5);

    assert!(!one.needs_time());
    assert_eq!(one.verdict(1, &[b"bot"], b"/a", None), closed(0));
    assert_eq!(one.verdict(NOBODY, &[b"bot"], b"/a", None), closed(0));
    assert_eq!(one.verdict(1, &[b"bot"], b"//a", None), Verdict::Open);
    assert!(judge(&[(0, CLOSED)], 5).needs_time());
    assert!(judge(&[], 5).needs_time());
}
