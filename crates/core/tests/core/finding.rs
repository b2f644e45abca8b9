//! Tests of `finding.rs`.

use verger_core::dialect::Dialect;
use verger_core::dialect::{BING, GOOGLEBOT_CPP, RFC9309, YANDEX};
use verger_core::*;

fn codes(dialect: &Dialect, text: &[u8]) -> Vec<(u32, &'static str)> {
    let file = File::parse(text, dialect);
    file.findings(None).iter().map(|f| (f.line, f.code.name())).collect()
}

#[test]
fn what_is_tolerated_is_said() {
    let text = b"Disallow: /x\nUseragent: a\nDisallow /y\nDisallow: z\nDisallow: /%zz \"\nCrawl-delay: 1e3\n";

    assert_eq!(
        codes(&RFC9309, text),
        [
            (1, "rule-without-group"),
            (2, "misspelt-key"),
            (3, "missing-colon"),
            (4, "pattern-without-slash"),
            (5, "invalid-escape"),
            (5, "unsafe-byte"),
            (6, "malformed-value"),
        ]
    );
}

#[test]
fn usage_that_is_not_understood_is_said() {
    let reads = Dialect { extensions: Fields::EVERY, ..RFC9309 };
    let text = b"User-agent: a\nContent-Usage: train-ai=n\nContent-Usage: bots=y, search=n\n\
        Content-Usage: A\nContent-Usage: search=no, train-ai=no, train-ai=n\n";

    assert_eq!(
        codes(&reads, text),
        [(3, "unknown-usage-label"), (4, "unknown-usage"), (5, "unknown-usage-value")]
    );
}

#[test]
fn a_list_without_commas_is_said() {
    let reads = Dialect { extensions: Fields::EVERY, ..RFC9309 };
    let says = |line: &str| {
        let file = File::parse(format!("User-agent: a\n{line}\n").as_bytes(), &reads);
        let found = file.findings(None);
        found.iter().any(|finding| finding.message.contains("separated with commas"))
    };

    for line in [
        "Content-Signal: search=yes ai-train=no",
        "Content-Signal: search=yes, ai-input=no;ai-train=no",
        "Content-Usage: ai=n train-ai=n",
        "Content-Usage: /a ai=n train-ai=n",
    ] {
        assert!(says(line), "{line}");
    }
    for line in [
        "Content-Signal: search = yes, ai-train = no, fun = no",
        "Content-Signal: ai-train",
        "Content-Usage: train-ai n",
        "Content-Usage: Train-AI=n, search=y",
    ] {
        assert!(!says(line), "{line}");
    }
}

#[test]
fn limits_and_cuts_are_said() {
    assert_eq!(codes(&GOOGLEBOT_CPP, b"User-agent: a\0b"), [(1, "nul-in-line")]);
    assert_eq!(codes(&BING, b"User-agent: a\nCrawl-delay: 99"), [(2, "changed-delay")]);
    let long = [b"User-agent: a\n".to_vec(), vec![b'x'; 20_000]].concat();
    assert_eq!(codes(&YANDEX, &long), [(2, "long-line")]);
    let large = b"User-agent: a\n".repeat(40_000);
    assert_eq!(codes(&YANDEX, &large), [(1, "over-parsing-limit")]);
    assert_eq!(codes(&RFC9309, &large), [(36_572, "over-parsing-limit")]);
}

#[test]
fn a_crawler_that_its_line_does_not_name_is_said() {
    let text = b"User-agent: Mozilla/5.0 (compatible; GPTBot/1.0)\nUser-agent: GPTBot, CCBot\n\
        User-agent: \"bingbot\"\nUser-agent: (all)\nUser-agent: Googlebot/2.1\nUser-agent: *\n\
        User-agent: Googlebot Image\n";
    let file = File::parse(text, &RFC9309);

    let found = file.findings(None);

    assert_eq!(
        found.iter().map(|f| (f.line, f.message.as_str())).collect::<Vec<_>>(),
        [
            (1, "the line does not apply to `GPTBot`"),
            (2, "the line does not apply to `CCBot`"),
            (3, "the line does not apply to `bingbot`"),
            (4, "the line does not apply to `all`"),
        ]
    );
}

#[test]
fn a_file_with_a_group_is_a_robots_file() {
    for text in [
        &b"<!-- shop -->\nUser-agent: *\nDisallow: /x\n"[..],
        b"{\"a\": 1}\nUser-agent: *\n",
        b"\xFF\xFEUser-agent: a\nUser-agent: *\nDisallow: /\n",
        b"\x01\x02\x03\x04\x05\nUser-agent: *\n",
    ] {
        assert_eq!(codes(&RFC9309, text), [(1, "unknown-line")], "{text:?}");
    }
    // what closes groups there makes no other file of it
    let void = codes(&verger_core::dialect::ORIGINAL_1994, b"<b>\nUser-agent: *\n\nDisallow: /\n");
    assert!(void.iter().all(|(_, code)| *code != "html"), "{void:?}");
}

#[test]
fn a_body_that_is_no_robots_file_is_said_once() {
    let found = codes(&RFC9309, b"<!doctype html>\n<html>\n");

    assert_eq!(found[0], (1, "html"));
    assert_eq!(found.iter().filter(|(_, code)| *code == "html").count(), 1);
}
