//! Tests of `advice.rs`.

use verger_core::dialect::Dialect;
use verger_core::dialect::{BING, RFC9309, YANDEX};
use verger_core::record::*;
use verger_core::*;

fn delay(dialect: &Dialect, text: &str, token: &str) -> Option<String> {
    let file = File::parse(text.as_bytes(), dialect);
    file.agent(&[token]).unwrap().crawl_delay()
}

#[test]
fn the_largest_delay_counts_however_large() {
    let text = "User-agent: a\nCrawl-delay: 2.5\nCrawl-delay: 10\nDisallow:\n\
                User-agent: a\nCrawl-delay: 9.99\nDisallow:\nUser-agent: *\nCrawl-delay: 4000\n";

    assert_eq!(delay(&RFC9309, text, "a").as_deref(), Some("10"));
    assert_eq!(delay(&RFC9309, text, "b").as_deref(), Some("4000"));
    assert_eq!(delay(&YANDEX, text, "a"), None);
}

#[test]
fn bing_inherits_rounds_and_clamps() {
    let text = "User-agent: bingbot\nDisallow: /x\nUser-agent: *\nCrawl-delay: 1.50\n";

    assert_eq!(delay(&BING, text, "bingbot").as_deref(), Some("2"));
    assert_eq!(delay(&RFC9309, text, "bingbot"), None);
    assert_eq!(delay(&BING, "User-agent: *\nCrawl-delay: 30.1", "x").as_deref(), Some("30"));
    assert_eq!(delay(&BING, "User-agent: *\nCrawl-delay: 7.00", "x").as_deref(), Some("7"));
}

fn usage(extensions: Fields, text: &str, target: &str) -> Option<Preferences> {
    let dialect = Dialect { extensions, ..RFC9309 };
    let file = File::parse(text.as_bytes(), &dialect);
    let target = file.target(target.as_bytes()).unwrap();
    file.agent(&["a"]).unwrap().content_usage(&target)
}

#[test]
fn the_longest_path_that_matches_says_how_content_may_be_used() {
    let text = "User-agent: a\nDisallow: /x\nContent-Usage: train-ai=y, ai-use=n\n\
                Content-Usage: search=n, train-ai=n, bots=y\nContent-Usage: /b ai-use=y\n";
    let said = |target| {
        let said = usage(Fields::EVERY, text, target).unwrap();
        said.labels().map(|(_, answer)| answer)
    };

    assert_eq!(said("/a"), [Some(false), Some(false), Some(false)]);
    assert_eq!(said("/b"), [None, None, Some(true)]);
    assert_eq!(said("/x"), [None; 3]);
}

#[test]
fn a_field_that_is_not_read_is_not_one_that_says_nothing() {
    let without = Fields::EVERY.without(Field::ContentUsage);

    assert_eq!(usage(without, "User-agent: a\nContent-Usage: train-ai=n\n", "/"), None);
    assert_eq!(usage(Fields::EVERY, "User-agent: a\n", "/"), Some(Preferences::default()));
}

#[test]
fn insignificant_parameters_are_taken_out() {
    let text = "Clean-param: sid&sort /forum/*.php\nClean-param: utm\n";
    let file = File::parse(text.as_bytes(), &YANDEX);
    let clean = |url: &str| String::from_utf8(file.clean_url(url.as_bytes())).unwrap();

    assert_eq!(
        clean("http://e.com/forum/a.php?sid=1&id=2&sort#f"),
        "http://e.com/forum/a.php?id=2#f"
    );
    assert_eq!(clean("http://e.com/forum/a.html?sid=1&utm=2"), "http://e.com/forum/a.html?sid=1");
    assert_eq!(clean("http://e.com?utm=1"), "http://e.com");
    assert_eq!(clean("/a?utm"), "/a");
}
