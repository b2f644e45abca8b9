//! Tests of `snapshot.rs`.

use std::sync::Arc;
use verger_bulk::access::fixture;
use verger_bulk::snapshot::*;
use verger_core::InvalidTarget;
use verger_core::RFC9309;

const FOUND: u8 = 0;
const GONE: u8 = 1;
const FAILED: u8 = 2;

/// Noon of 1 March 2026, in seconds.
const NOW: f64 = 1_772_366_400.0;

fn snapshot(entries: &[(&str, f64, u8, &str)]) -> Snapshot {
    let mut builder = Builder::new(&RFC9309, Arc::new(fixture::table()), NOW);
    for (url, time, kind, body) in entries {
        builder.add(url.as_bytes(), fixture::seen(*kind, *time, body.as_bytes())).unwrap();
    }
    builder.finish()
}

fn body(snapshot: &Snapshot, key: &str) -> Option<String> {
    let entry = snapshot.find(key.as_bytes())?;
    String::from_utf8(snapshot.body(entry).into_owned()).ok()
}

fn body_after(entries: &[(f64, u8, &str)]) -> String {
    let url = "https://a.example";
    let entries = entries.iter().map(|(time, kind, body)| (url, *time, *kind, *body));
    body(&snapshot(&entries.collect::<Vec<_>>()), url).unwrap().to_string()
}

#[test]
fn an_origin_is_found_however_it_was_spelt() {
    let snapshot = snapshot(&[("HTTPS://A.example:443/robots.txt", 0.0, FOUND, "a")]);

    assert_eq!(body(&snapshot, "https://a.example").as_deref(), Some("a"));
    assert_eq!(body(&snapshot, "http://a.example"), None);
}

#[test]
fn the_latest_entry_counts_and_among_equals_the_last() {
    assert_eq!(body_after(&[(2.0, FOUND, "new"), (1.0, FOUND, "old")]), "new");
    assert_eq!(body_after(&[(1.0, FOUND, "one"), (1.0, FOUND, "two")]), "two");
    assert_eq!(body_after(&[(-1.0, FOUND, "new"), (NO_TIME, FOUND, "old")]), "new");
}

#[test]
fn a_copy_stands_in_for_a_file_that_is_out_of_reach() {
    assert_eq!(body_after(&[(0.0, FOUND, "copy"), (5.0, FAILED, "down")]), "copy");
    assert_eq!(body_after(&[(5.0, FAILED, "down"), (NO_TIME, FOUND, "copy")]), "copy");
    assert_eq!(body_after(&[(0.0, FOUND, "copy"), (1.0, GONE, ""), (2.0, FAILED, "")]), "");
    let failed = |seconds: f64| (NOW + seconds, FAILED, "");
    assert_eq!(body_after(&[(0.0, FOUND, "a"), failed(1.0), failed(101.0)]), "a");
    assert_eq!(body_after(&[(0.0, FOUND, "a"), failed(1.0), failed(102.0)]), "");
}

#[test]
fn thousands_of_origins_keep_their_bodies() {
    let mut builder = Builder::new(&RFC9309, Arc::new(fixture::table()), NOW);
    for n in 0..5_000 {
        let (url, body) = (format!("https://h{n}.example/x"), format!("body {n}"));
        builder.add(url.as_bytes(), fixture::seen(FOUND, 0.0, body.as_bytes())).unwrap();
    }
    let snapshot = builder.finish();

    for n in 0..5_000 {
        let wanted = format!("body {n}");
        assert_eq!(body(&snapshot, &format!("https://h{n}.example")), Some(wanted));
    }
}

#[test]
fn what_has_no_origin_is_refused() {
    let mut builder = Builder::new(&RFC9309, Arc::new(fixture::table()), NOW);
    let refused = builder.add(b"/robots.txt", fixture::seen(FOUND, 0.0, b""));

    assert_eq!(refused, Err(NoEntry::Origin(InvalidTarget::NoOrigin)));
    assert!(builder.finish().is_empty());
}

#[test]
fn a_bare_host_is_its_https_origin() {
    let mut builder = Builder::new(&RFC9309, Arc::new(fixture::table()), NOW);
    builder.add(b"Example.com", fixture::seen(FOUND, 0.0, b"")).unwrap();

    assert!(builder.finish().find(b"https://example.com").is_some());
}
