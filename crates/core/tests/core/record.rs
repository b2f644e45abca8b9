//! Tests of `record.rs`.

use verger_core::dialect::Dialect;
use verger_core::record::*;
use verger_core::*;

fn value(field: Field, raw: &str) -> Option<Value> {
    let reads = Dialect { extensions: Fields::EVERY, ..RFC9309 };
    let text = format!("User-agent: *\n{}: {raw}\n", field.name());
    let file = File::parse(text.as_bytes(), &reads);
    file.records(None).into_iter().next().and_then(|record| record.value.ok())
}

#[test]
fn delays_are_exact_decimals() {
    for good in ["0", "10", "0.5", "999999999.25"] {
        assert_eq!(value(Field::CrawlDelay, good), Some(Value::Delay(good.into())));
    }
    for bad in ["", "-1", ".5", "5.", "1,5", "10s", "1e3", "inf", "1000000000", "1.5.2"] {
        assert_eq!(value(Field::CrawlDelay, bad), None, "{bad}");
    }
}

#[test]
fn rates_and_windows_are_read_as_written() {
    let rate = |documents, seconds, window| Some(Value::Rate(Rate { documents, seconds, window }));
    let window = |start, end| Window { start, end };

    assert_eq!(value(Field::RequestRate, "1/10"), rate(1, 10, None));
    assert_eq!(
        value(Field::RequestRate, "20/1m\t2300 - 0159"),
        rate(20, 60, Some(window(1380, 119)))
    );
    assert_eq!(value(Field::RequestRate, "1/1h0600-0700"), None);
    assert_eq!(value(Field::VisitTime, "0000-2400"), Some(Value::Window(window(0, 1440))));
    assert_eq!(value(Field::VisitTime, "2400-0000"), None);
    assert!(window(1380, 119).holds(0) && !window(1380, 119).holds(120));
}

#[test]
fn signals_ignore_what_is_unknown_and_take_the_stricter() {
    let read = |raw| match value(Field::ContentSignal, raw) {
        Some(Value::Signals { signals, is_whole }) => {
            Some((signals.search, signals.usage, is_whole))
        }
        _ => None,
    };

    assert_eq!(read("search=yes, SEARCH = no"), Some((Some(false), None, true)));
    assert_eq!(read("use=full,use=immediate,x=y"), Some((None, Some(UseExtent::Immediate), false)));
    assert_eq!(read("/x search=no"), None);
}

fn usage_of(raw: &str) -> Usage {
    match value(Field::ContentUsage, raw) {
        Some(Value::Usage { usage, is_dictionary: true }) => usage,
        other => panic!("{raw}: {other:?}"),
    }
}

#[test]
fn known_labels_are_allowed_or_not_or_unknown() {
    let said = |raw| {
        let Preferences { train_ai, search, ai_use } = usage_of(raw).preferences;
        [train_ai, search, ai_use]
    };

    assert_eq!(said("train-ai=n, search=y,ai-use=n"), [Some(false), Some(true), Some(false)]);
    assert_eq!(said("train-ai=y;p=\"a,search=n\", ai-use=n;q"), [Some(true), None, Some(false)]);
    assert_eq!(said("train-ai=y, train-ai"), [None; 3]);
    assert_eq!(said(r#"x=%"\", train-ai=n"#), [Some(false), None, None]);
    assert_eq!(said(r#"x=%"a, \";y="%\", search=y", train-ai=n"#), [Some(false), None, None]);
    assert_eq!(said("train-ai=?0, search=\"n\", ai-use=(n)"), [None; 3]);
    assert_eq!(said(""), [None; 3]);
    assert_eq!(
        value(Field::ContentUsage, "Train-AI=y"),
        Some(Value::Usage { usage: Usage::default(), is_dictionary: false })
    );
}

#[test]
fn other_labels_are_kept_as_written() {
    let other = |raw| -> Vec<(String, String)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let pair = |other: &OtherUsage| (text(&other.label), text(&other.written));
        usage_of(raw).other.iter().map(pair).collect()
    };
    let pair = |label: &str, written: &str| (label.to_string(), written.to_string());

    assert_eq!(
        other("/a bots=y,\tx=\"a, \\\", b=c\";p=1 , train-ai=n, y;q , z=(a \"b,\"), bots=n"),
        [
            pair("x", "\"a, \\\", b=c\";p=1"),
            pair("y", ";q"),
            pair("z", "(a \"b,\")"),
            pair("bots", "n"),
        ]
    );
}

#[test]
fn hosts_are_names_in_a_label_form() {
    let host = |raw| match value(Field::Host, raw) {
        Some(Value::Host(mirror)) => Some((mirror.scheme, mirror.host, mirror.port)),
        _ => None,
    };

    assert_eq!(
        host("HTTPS://BÜCHER.example:8080"),
        Some((Some("https"), "xn--bcher-kva.example".into(), Some(8080)))
    );
    for bad in ["", "e.com/", "ftp://e.com", "[::1]", "127.0.0.1", "e.com:x", "u@e.com"] {
        assert_eq!(host(bad), None, "{bad}");
    }
    for bad in ["a\u{ff0f}b", "\u{200b}", "0x7f.1", "\u{ff11}\u{ff12}\u{ff17}.1", "%61.com"] {
        assert_eq!(host(bad), None, "{bad}");
    }
}
