//! Tests of `logs/agent.rs`.

use std::borrow::Cow;
use verger_bulk::logs::agent::*;

#[test]
fn fields_are_told_apart() {
    for text in [
        "",
        "-",
        " ",
        "https://shop.example/a?b=1/2",
        "sid=1",
        "sid=1; _ga=GA1.2/3;",
        "a=b&c=d",
        "*/*",
        "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
        "en-US,en;q=0.5",
        "192.0.2.1",
        "192.0.2.1, 2001:db8::1",
    ] {
        assert!(is_none(text.as_bytes()) && !is_one(text.as_bytes()), "{text}");
    }
    for text in
        ["HIT", "HTTP/2.0", "TLSv1.3", "shop.example", "ExampleBot", "gzip, br", "/a/1", "a b"]
    {
        assert!(!is_none(text.as_bytes()) && !is_one(text.as_bytes()), "{text}");
    }
    for text in [
        "Mozilla/5.0",
        "ExampleBot/1.0 (+https://example.com/bot)",
        "Example Bot (+https://example.com/bot)",
        "ExampleBot+(+https://example.com/bot)",
        "curl/8.0",
        "Mozilla/5.0%20(compatible;%20ExampleBot/1.0)",
    ] {
        assert!(!is_none(text.as_bytes()) && is_one(text.as_bytes()), "{text}");
    }
}

#[test]
fn blanks_are_read_as_they_are_written() {
    for (written, expected) in [
        ("ExampleBot/1.0%20(+https://a.example)", "ExampleBot/1.0 (+https://a.example)"),
        ("ExampleBot/1.0%2520(a%20b)", "ExampleBot/1.0%20(a b)"),
        ("Mozilla/5.0+(compatible;+ExampleBot/1.0)", "Mozilla/5.0 (compatible; ExampleBot/1.0)"),
        ("ExampleBot/1.0 (a;+b%20c)", "ExampleBot/1.0 (a;+b%20c)"),
        ("Example+Bot/1.0+beta", "Example+Bot/1.0+beta"),
        ("Notepad++/8.6", "Notepad++/8.6"),
        ("", ""),
    ] {
        let found = with_blanks(Cow::Borrowed(written.as_bytes()));

        assert_eq!(std::str::from_utf8(&found), Ok(expected));
    }
}
