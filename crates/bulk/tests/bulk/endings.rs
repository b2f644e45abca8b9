//! Tests of `endings.rs`.

use std::borrow::Cow;
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

fn urls<'a>(texts: &[&'a str]) -> Vec<Cow<'a, [u8]>> {
    texts.iter().map(|text| Cow::Borrowed(text.as_bytes())).collect()
}

#[test]
fn rows_that_one_rule_decides_share_an_ending() {
    let texts = ["https://a.example/a", "https://b.example/", "https://a.example/ab", "no URL"];
    let ended = Endings::new(9, true).of(&judge(), &urls(&texts));

    assert_eq!(ended.numbers, [0, 1, 0, 2]);
    assert_eq!(ended.fresh[0].rule, Some((false, b"/a".to_vec())));
    assert_eq!(ended.fresh[1].entry, Some(1));
    assert_eq!((ended.fresh[2].entry, ended.fresh[2].row.allowed()), (None, None));
}

#[test]
fn without_rules_an_origin_has_two_endings() {
    let texts = ["https://a.example/a", "https://a.example/b", "https://a.example/c", "/x"];
    let ended = Endings::new(9, false).of(&judge(), &urls(&texts));

    assert_eq!(ended.numbers, [0, 1, 1, 2]);
    assert_eq!(ended.fresh.iter().filter(|ending| ending.rule.is_some()).count(), 0);
}

#[test]
fn an_ending_is_told_once_and_again_where_too_many_were() {
    let (judge, texts) = (judge(), ["https://a.example/a", "https://a.example/b"]);
    let mut endings = Endings::new(1, true);
    let first = endings.of(&judge, &urls(&texts[..1]));
    let second = endings.of(&judge, &urls(&texts));
    let third = endings.of(&judge, &urls(&texts));

    assert_eq!((first.first, first.fresh.len()), (0, 1));
    assert_eq!((second.first, second.fresh.len(), &second.numbers[..]), (1, 1, &[0, 1][..]));
    assert_eq!((third.first, third.fresh.len(), &third.numbers[..]), (0, 2, &[0, 1][..]));
}

#[test]
fn origins_without_an_entry_are_missing_until_they_have_one() {
    let mut judge = judge();
    let texts = ["http://C.example/1", "http://c.example/2", "/x", "https://a.example/"];

    assert_eq!(missing(&judge, &urls(&texts)), [b"http://c.example".to_vec()]);

    let open = Ruling::Policy { allowed: true, reason: 0 };
    judge.add(b"http://c.example", open, b"").unwrap();

    assert!(missing(&judge, &urls(&texts)).is_empty());
    assert_eq!(Endings::new(9, true).of(&judge, &urls(&texts[..1])).fresh[0].entry, Some(2));
}
