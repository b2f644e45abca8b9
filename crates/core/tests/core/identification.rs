//! Tests of `identification.rs`.

use verger_core::internal::*;
use verger_core::*;

#[test]
fn what_an_identification_string_names_is_a_token() {
    for header in [
        "Foo+Bar/1.0",
        "²bot/1.0",
        "a\u{301}/1",
        "*/1.0",
        "#x/1",
        "a|b/1",
        "x (compatible; a²/1)",
        "x (compatible; a:b/1)",
        "a,b/1",
    ] {
        let token = product_token(header);
        let is_token = |token: &str| check_product_token(token.as_bytes(), &RFC9309).is_ok();

        assert!(token.is_none_or(is_token), "{header}: {token:?}");
    }
}

#[test]
fn identification_strings_name_their_crawler() {
    for (header, token) in [
        ("Mozilla/5.0 (compatible; ExampleBot/0.1; +https://e.com/bot)", Some("ExampleBot")),
        ("FigTree/0.1 Robot/1.0 libwww-perl/5.04", Some("FigTree")),
        ("CCBot/2.0 (https://commoncrawl.org/faq/)", Some("CCBot")),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; \
             +https://openai.com/gptbot)",
            Some("GPTBot"),
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605.1.15 (KHTML, like \
             Gecko) Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
            Some("Applebot"),
        ),
        ("Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)", None),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", None),
        ("", None),
        ("ExampleBot/1.0 (compatible; Nutch/1.19)", Some("ExampleBot")),
        ("Mozilla/5.0 ExampleBot/1.0 (compatible; Nutch/1.19)", Some("ExampleBot")),
        ("Mozilla/5.0 (X11) Chrome/1 Safari/537.36; ExampleBot", Some("ExampleBot")),
        ("Mozilla/5.0 (X11) Chrome/1 ExampleBot/1 Safari/537.36", None),
        ("Mozilla/5.0 (Linux; ExampleBot; +https://e.com)", Some("ExampleBot")),
        ("Mozilla/5.0 (Linux; ExampleBot)", None),
        ("Mozilla/4.0 (compatible; MSIE 6.0; ExampleBot)", None),
        ("Mozilla/4.0 (compatible; MSIE 6.0; ExampleBot; bot@e.com)", Some("ExampleBot")),
        ("Mozilla/4.0 (compatible; en; ExampleBot)", Some("ExampleBot")),
        ("Mozilla/5.0 (((compatible; ExampleBot/1", Some("ExampleBot")),
        (r"Mozilla/5.0 (a\) Firefox/1", None),
        (r"Mozilla/5.0 (a\) ExampleBot/1", Some("ExampleBot")),
        ("Media/1.0", Some("Media")),
        ("Media", None),
        ("008", Some("008")),
        ("ExampleBot 1.0", Some("ExampleBot")),
    ] {
        assert_eq!(product_token(header), token, "{header}");
    }
}

#[test]
fn names_have_roles() {
    let names = |header| -> Vec<(&str, &str)> {
        names_in(header).into_iter().map(|(name, role)| (name, role.name())).collect()
    };

    assert_eq!(
        names("A/1 B (C; D/2) like E"),
        [("A", "sender"), ("B", "sender"), ("A", "beside"), ("B", "beside"),]
    );
    assert_eq!(
        names("Mozilla/5.0 (C D; like E) Safari/1 F"),
        [("F", "sender"), ("F", "beside"), ("C", "mentioned"), ("D", "mentioned"),]
    );
    assert_eq!(names(""), []);
}
