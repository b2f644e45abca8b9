//! Tests of `endings.rs`.

use std::sync::Arc;

use verger_bulk::judge::ManyFiles;

use verger_core::RFC9309;

use verger_bulk::endings::*;
use verger_bulk::snapshot::{Ruling, Snapshot};

fn judge() -> ManyFiles {
    let mut snapshot = Snapshot::empty(&RFC9309);
    let body = b"User-agent: *\nDisallow: /a\nAllow: /b\n";
    let closed = Ruling::Policy { allowed: false, reason: 0 };
    snapshot.set(b"https://a.example", Ruling::Rules, body).unwrap();
    snapshot.set(b"https://b.example", closed, b"").unwrap();
    ManyFiles::new(Arc::new(snapshot), vec![b"ExampleBot".to_vec()], 1 << 20).unwrap()
}

/// What is known about both origins.
const FACTS: [u32; 2] = [7, 8];

fn endings(most: usize, by_rule: bool) -> Endings {
    let mut endings = Endings::new(most, by_rule);
    FACTS.iter().for_each(|facts| endings.know(*facts));
    endings
}

fn urls<'a>(texts: &[&'a str]) -> Vec<&'a [u8]> {
    texts.iter().map(|text| text.as_bytes()).collect()
}

fn decided(endings: &mut Endings, judge: &ManyFiles, texts: &[&str]) -> Ended {
    let urls = urls(texts);
    endings.of(judge, &urls, &places(judge, &urls, 1), 1)
}

#[test]
fn rows_that_one_rule_decides_share_an_ending() {
    let texts = ["https://a.example/a", "https://b.example/", "https://a.example/ab", "no URL"];
    let ended = decided(&mut endings(9, true), &judge(), &texts);

    assert_eq!(ended.origins, [1, 2, 1, 0]);
    assert_eq!(ended.numbers, [0, 1, 0, 2]);
    assert_eq!(ended.fresh[0].rule, Some((false, b"/a".to_vec())));
    assert_eq!(ended.fresh[1].facts, Some(8));
    assert_eq!((ended.fresh[2].facts, ended.fresh[2].row.allowed()), (None, None));
}

#[test]
fn rows_of_several_origins_share_an_ending_if_as_much_is_known_of_them() {
    let mut judge = judge();
    let body = b"User-agent: *\nDisallow: /a\n";
    judge.add(b"https://c.example", Ruling::Rules, body).unwrap();
    let mut endings = endings(9, true);
    endings.know(FACTS[0]);
    let texts = ["https://a.example/a", "https://c.example/a", "https://a.example/b"];
    let ended = decided(&mut endings, &judge, &texts);

    assert_eq!((&ended.origins[..], &ended.numbers[..]), (&[1, 3, 1][..], &[0, 0, 1][..]));
}

#[test]
fn without_rules_an_origin_has_two_endings() {
    let texts = ["https://a.example/a", "https://a.example/b", "https://a.example/c", "/x"];
    let ended = decided(&mut endings(9, false), &judge(), &texts);

    assert_eq!(ended.numbers, [0, 1, 1, 2]);
    assert_eq!(ended.fresh.iter().filter(|ending| ending.rule.is_some()).count(), 0);
}

#[test]
fn an_ending_is_told_once_and_again_where_too_many_were() {
    let (judge, texts) = (judge(), ["https://a.example/a", "https://a.example/b"]);
    let mut endings = endings(1, true);
    let first = decided(&mut endings, &judge, &texts[..1]);
    let second = decided(&mut endings, &judge, &texts);
    let third = decided(&mut endings, &judge, &texts);

    assert_eq!((first.first, first.fresh.len()), (0, 1));
    assert_eq!((second.first, second.fresh.len(), &second.numbers[..]), (1, 1, &[0, 1][..]));
    assert_eq!((third.first, third.fresh.len(), &third.numbers[..]), (0, 2, &[0, 1][..]));
}

#[test]
fn origins_without_an_entry_are_missing_until_they_have_one() {
    let mut judge = judge();
    let texts = ["http://C.example/1", "http://c.example/2", "/x", "https://a.example/"];
    let urls = urls(&texts);
    let mut placed = places(&judge, &urls, 1);

    assert_eq!(missing(&urls, &placed), [b"http://c.example".to_vec()]);

    let open = Ruling::Policy { allowed: true, reason: 0 };
    judge.add(b"http://c.example", open, b"").unwrap();
    found(&judge, &urls, &mut placed);

    assert!(missing(&urls, &placed).is_empty());
    assert_eq!(placed, places(&judge, &urls, 1));
}

/// The numbers of rows in any order, on any number of threads, and with files that do not fit in
/// memory, stand for the same endings.
#[test]
fn neither_order_nor_room_nor_threads_change_an_answer() {
    let body = |site: usize| format!("User-agent: *\nDisallow: /{site}/\n");
    let texts: Vec<String> = (0..20_000)
        .map(|row| format!("https://s{}.example/{}/", row * 7 % 97, row % 3 * (row * 7 % 97)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let run = |room: usize, most_bytes: usize, threads: usize| {
        let snapshot = Arc::new(Snapshot::empty(&RFC9309).within(room));
        let mut judge = ManyFiles::new(snapshot, vec![b"ExampleBot".to_vec()], most_bytes).unwrap();
        let mut endings = Endings::new(1 << 20, true);
        for site in 0..97 {
            let url = format!("https://s{site}.example");
            judge.add(url.as_bytes(), Ruling::Rules, body(site).as_bytes()).unwrap();
            endings.know(0);
        }
        let urls = urls(&texts);
        let placed = places(&judge, &urls, threads);
        let mut fresh = Vec::new();
        let mut rows = Vec::new();
        for _ in 0..2 {
            let ended = endings.of(&judge, &urls, &placed, threads);
            fresh.extend(ended.fresh);
            let of = |number: &u32| fresh[*number as usize].clone();
            rows.push((ended.origins, ended.numbers.iter().map(of).collect::<Vec<_>>()));
        }
        assert!(judge.snapshot().take_failure().is_none());
        assert!(rows[0] == rows[1]);
        rows.remove(0)
    };
    let expected = run(usize::MAX, usize::MAX, 1);
    let matched = (0..20_000).filter(|row| row % 3 == 1 || row * 7 % 97 == 0).count();

    assert_eq!(expected.1.iter().filter(|ending| ending.rule.is_some()).count(), matched);
    assert!(expected == run(0, 1, 1));
    assert!(expected == run(1_000, 20_000, 4));
}
