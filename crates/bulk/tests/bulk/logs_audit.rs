//! Tests of `logs/audit.rs`.

use std::convert::Infallible;
use verger_bulk::logs::audit::*;
use verger_bulk::logs::judge::Version;
use verger_bulk::logs::judge::{Judge, NOBODY};
use verger_bulk::logs::tally::MOST_CRAWLERS;
use verger_core::{product_token, RFC9309};

const ROBOTS: &[u8] = b"User-agent: A\nDisallow: /a\n\nUser-agent: *\nDisallow: /every\n";

fn audit(settings: Settings, log: &str) -> Audit {
    audit_in_chunks(settings, log, 1 << 20)
}

fn audit_in_chunks(settings: Settings, log: &str, size: usize) -> Audit {
    let version = Version { since: i64::MIN, bytes: ROBOTS.to_vec() };
    let mut audit = Audit::new(settings, Judge::new(vec![version], &RFC9309, 0));
    for chunk in log.as_bytes().chunks(size) {
        audit.feed(chunk, who).unwrap();
    }
    audit.finish_input(who).unwrap();
    audit
}

fn who(agent: &[u8]) -> Result<Option<Vec<u8>>, Infallible> {
    let text = String::from_utf8_lossy(agent);
    Ok(product_token(&text).map(|token| token.as_bytes().to_vec()))
}

fn line(request: &str, status: &str, agent: &str) -> String {
    format!("h - - [10/Oct/2000:13:55:36 -0700] \"{request}\" {status} 5 \"-\" \"{agent}\"\n")
}

#[test]
fn what_was_closed_is_counted() {
    let log = [
        line("GET /a/1 HTTP/1.1", "200", "A/1"),
        line("GET /a/1 HTTP/1.1", "403", "a/2"),
        line("HEAD /a/2 HTTP/1.1", "-", "A/1"),
        line("GET /every HTTP/1.1", "200", "A/1"),
        line("GET /robots.txt HTTP/1.1", "200", "A/1"),
        line("GET http://h/every?x HTTP/1.1", "200", "B"),
        line("POST /a HTTP/1.1", "200", "A/1"),
        line("BREW /a HTTP/1.1", "418", "A/1"),
        line("GET * HTTP/1.1", "200", "A/1"),
        line("-", "408", "-"),
        line("GET /every HTTP/1.1", "200", "-"),
        line("GET /every HTTP/1.1", "200", "Mozilla/5.0 (X11) Firefox/1"),
        "\n \nrubbish\n".into(),
    ]
    .concat();
    let audit = audit(Settings::default(), &log);
    let [_, a, b] = audit.crawlers() else { panic!("{:?}", audit.crawlers()) };
    let log = audit.log();

    assert_eq!((a.requests.count, a.requests.answered, a.requests.refused), (5, 3, 1));
    assert_eq!((a.closed.count, a.closed.answered, a.closed.refused), (3, 1, 1));
    assert_eq!((a.robots_txt.count, b.closed.count), (1, 1));
    assert_eq!(a.examples, [b"/a/1".to_vec(), b"/a/2".to_vec()]);
    assert_eq!(b.examples, [b"http://h/every?x".to_vec()]);
    assert_eq!((log.lines, log.unreadable, log.people, log.nameless), (13, 1, 1, 1));
    assert_eq!(log.no_url, 2);
    assert_eq!(log.methods, [(b"POST".to_vec(), 1), (b"other".to_vec(), 1)]);
    assert_eq!(log.unreadable_lines[0].number, 15);
    let pairs: Vec<_> = audit.pairs().sorted().iter().map(|(p, t)| (*p, t.closed.count)).collect();
    assert_eq!(pairs, [((0, 0, 1), 3), ((0, 1, 2), 1)]);
}

#[test]
fn only_what_was_asked_for_counts() {
    let log = [
        line("GET /a HTTP/1.1", "200", "A").replacen('h', "example.com:80 h", 1),
        line("GET /a HTTP/1.1", "200", "A").replacen('h', "other.example:80 h", 1),
        line("GET http://EXAMPLE.com/a HTTP/1.1", "200", "A"),
        line("GET //a HTTP/1.1", "200", "A").replacen('h', "example.com:80 h", 1),
        line("GET /a HTTP/1.1", "200", "B").replace("2000", "2001"),
        line("GET /a HTTP/1.1", "200", "B"),
    ]
    .concat();
    let settings = Settings {
        until: Some(978_307_200_000_000),
        hosts: vec![b"example.com".to_vec()],
        crawlers: vec![b"a".to_vec()],
        ..Settings::default()
    };
    let audit = audit(settings, &log);

    assert_eq!(audit.crawlers()[1].requests.count, 3);
    assert_eq!(audit.log().hosts, [(b"example.com".to_vec(), 3)]);
    let log = audit.log();
    assert_eq!((log.other_hosts, log.other_times, log.other_crawlers), (1, 1, 1));
}

#[test]
fn times_have_borders() {
    let log = [
        line("GET /a HTTP/1.1", "200", "A").replace("36 -", "35 -"),
        line("GET /a HTTP/1.1", "200", "A"),
        line("GET /a HTTP/1.1", "200", "A").replace("36 -", "37 -"),
        "{\"path\":\"/a\",\"ua\":\"A\"}".into(),
    ]
    .concat();
    let settings = |since, until| Settings { since, until, ..Settings::default() };
    let time = 971_211_336_000_000;
    for (settings, counted, undated) in [
        (settings(None, None), 4, 0),
        (settings(Some(time), None), 2, 1),
        (settings(None, Some(time)), 1, 1),
        (settings(Some(time), Some(time + 1)), 1, 1),
    ] {
        let audit = audit(settings, &log);

        assert_eq!(audit.crawlers()[1].requests.count, counted);
        assert_eq!(audit.log().undated, undated);
    }
}

#[test]
fn made_up_names_are_judged_and_not_kept() {
    let log: String = (0..MOST_CRAWLERS + 10)
        .map(|n| line("GET /every HTTP/1.1", "200", &format!("bot{n}")))
        .chain([line("GET /a HTTP/1.1", "200", "A"), line("GET /every HTTP/1.1", "200", "A")])
        .collect();
    let audit = audit(Settings::default(), &log);
    let strays = &audit.crawlers()[NOBODY as usize];

    assert_eq!(audit.crawlers().len(), MOST_CRAWLERS + 1);
    assert_eq!((strays.requests.count, strays.closed.count), (12, 11));
    let by_rule: u64 = audit.pairs().sorted().iter().map(|(_, t)| t.closed.count).sum();
    assert_eq!(by_rule, MOST_CRAWLERS as u64 + 11);
}

#[test]
fn tallies_do_not_depend_on_chunks() {
    let log = [line("GET /a HTTP/1.1", "200", "A"), line("GET /every", "-", "B"), "x".into()];
    let log = log.concat();
    let whole = audit(Settings::default(), &log);
    for size in 1..log.len() {
        let parts = audit_in_chunks(Settings::default(), &log, size);

        assert_eq!(parts.crawlers(), whole.crawlers());
        assert_eq!(parts.log(), whole.log());
    }
}
