//! Tests of `logs/common.rs`.

use std::borrow::Cow;
use verger_bulk::logs::common::*;
use verger_bulk::logs::entry::Unreadable;

const LINE: &str = r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 23 "-" "A""#;

fn told(line: &str) -> Result<String, &'static str> {
    let text = |bytes: Option<Cow<[u8]>>| {
        bytes.map_or("-".into(), |o| String::from_utf8_lossy(&o).into_owned())
    };
    let entry = read(line.as_bytes(), false).map_err(Unreadable::name)?;
    let status = entry.status.map_or("-".into(), |s| s.to_string());
    let target = text(entry.request.map(|request| request.target));
    Ok(format!("{}|{target}|{status}|{}", text(entry.host), text(entry.agent)))
}

#[test]
fn what_servers_write_is_read() {
    let time = "[10/Oct/2000:13:55:36 -0700]";
    for (line, expected) in [
        (LINE.to_string(), Ok("-|/a|200|A")),
        (format!(r#"::1 - frank {time} "GET /a HTTP/1.0" 304 -"#), Ok("-|/a|304|-")),
        (format!(r#"2001:db8::1 - a b [x] {time} "GET /a HTTP/1.0" - -"#), Ok("-|/a|-|-")),
        (
            format!(r#"example.com:80 192.0.2.1 - - {time} "GET / HTTP/1.1" 200 5 "r" "A B""#),
            Ok("example.com:80|/|200|A B"),
        ),
        (
            format!(r#"[::1]:443 192.0.2.1 - - {time} "GET / HTTP/1.1" 200 5"#),
            Ok("[::1]:443|/|200|-"),
        ),
        (
            format!(r#"h - - {time} "GET /\"\\\xe3\x83\x84\q HTTP/1.1" 200 5 "\"" "A \"q\"""#),
            Ok("-|/\"\\ツ\\q|200|A \"q\""),
        ),
        (format!(r#"h - - {time} "GET /"a"b HTTP/1.1" 200 5 "-" "-""#), Ok("-|/\"a\"b|200|-")),
        (format!(r#"h - - {time} "\x16\x03\x01" 400 0 "-" "-""#), Ok("-|-|400|-")),
        (format!(r#"h - - {time} "-" 408 - "-" "-""#), Ok("-|-|408|-")),
        (format!(r#"h - - {time} "" 400 - "-" "-""#), Ok("-|-|400|-")),
        (format!(r#"h - - {time} "GET /a" 200 5 0.003 "-" "A" "192.0.2.9" 7"#), Ok("-|/a|200|A")),
        (
            r#"h - - [2000-10-10T13:55:36-07:00] "GET /a HTTP/2.0" 200 5 "-" "A""#.into(),
            Ok("-|/a|200|A"),
        ),
        (format!(r#"h - - {time} "GET /a HTTP/1.1" 200 5 "-" "A"#), Err("cut")),
        (format!(r#"h - - {time} "GET /a"#), Err("cut")),
        (format!(r#"h - - {time} "GET /a\""#), Err("cut")),
        (format!(r#"h - - {time} "GET /a HTTP/1.1" x 5"#), Err("no-status")),
        (format!(r#"h - - {time} "GET /a HTTP/1.1" 20 5"#), Err("no-status")),
        (format!(r#"h - - {time} "GET /a HTTP/1.1""#), Err("no-status")),
        (format!(r#":80 - - {time} "GET /a HTTP/1.0" 200 5"#), Ok("-|/a|200|-")),
        (format!("h - - {time} GET /a"), Err("no-request")),
        (format!("h - - {time}"), Err("no-request")),
        (r#"h - - [-] "GET /a HTTP/1.1" 200 5"#.into(), Err("no-time")),
        ("#Fields: date time".into(), Err("no-time")),
        ("\u{16}\u{3}\0".into(), Err("no-time")),
    ] {
        assert_eq!(told(&line), expected.map(|text: &str| text.to_string()), "{line}");
    }
}

#[test]
fn a_host_without_port_needs_the_vhost_form() {
    let entry = read(LINE.as_bytes(), true).unwrap();

    assert_eq!(entry.host.as_deref(), Some(&b"192.0.2.1"[..]));
    assert_eq!(entry.time, Some(971_211_336_000_000));
}

#[test]
fn every_beginning_of_a_line_gives_an_answer() {
    for end in 0..LINE.len() {
        let _ = read(&LINE.as_bytes()[..end], end % 2 == 0);
    }
}

#[test]
fn a_torn_line_and_the_next_are_no_entry() {
    let line = |path: &str| {
        format!(
            "192.0.2.4 - - [06/Jan/2026:11:30:00 +0000] \"GET {path} HTTP/1.1\" 200 5 \"-\" \"A/1.0\""
        )
    };
    let (torn, next) = (line("/a"), line("/private"));
    let time = torn.find(']').unwrap();

    for cut in time + 1..torn.len() {
        let joined = [&torn[..cut], &next[..]].concat();
        assert!(read(joined.as_bytes(), false).is_err(), "{joined}");
    }
    assert!(read(next.as_bytes(), false).is_ok());
    let other = next.replace("A/1.0", "A/1.0 [06/Jan/2026:11:30:00 +0000] \\\"");
    assert!(read(other.as_bytes(), false).is_ok(), "what a crawler sends is escaped");
}
