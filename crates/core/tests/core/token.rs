//! Tests of `token.rs`.

use verger_core::dialect::{Dialect, TokenCheck};
use verger_core::dialect::{
    DIALECTS, GOOGLE, GOOGLEBOT_CPP, KOSTER_1996, ORIGINAL_1994, RFC9309, YANDEX,
};
use verger_core::internal::*;
use verger_core::*;

fn hits(dialect: &Dialect, value: &str, token: &str) -> bool {
    let file = File::parse(format!("User-agent: {value}\nDisallow: /\n").as_bytes(), dialect);
    file.agent_of_checked(&[token]).selection().named
}

#[test]
fn names_are_compared_as_the_dialect_says() {
    assert!(hits(&RFC9309, "MJ12bot/v1.4", "mj12BOT"));
    assert!(hits(&RFC9309, "MJ12bot", "MJ"));
    assert!(hits(&RFC9309, "foo bar", "foo"));
    assert!(!hits(&RFC9309, "Foo", "FooBot"));
    assert!(!hits(&GOOGLE, "MJ12bot", "MJ12bot"));
    assert!(hits(&ORIGINAL_1994, "google", "Googlebot/2.1"));
    assert!(hits(&ORIGINAL_1994, "googlebot-news", "googlebot"));
    assert!(hits(&KOSTER_1996, "figtree", "FigTree/0.1"));
    assert!(!hits(&KOSTER_1996, "googlebot*", "googlebot"));
    assert!(hits(&YANDEX, "Yandex", "YandexImages"));
    assert!(!hits(&YANDEX, "YandexImages", "Yandex"));
    assert!(hits(&GOOGLEBOT_CPP, "", ""));
    assert!(hits(&GOOGLEBOT_CPP, "12", ""));
    assert!(!hits(&GOOGLEBOT_CPP, "* x", ""));
}

#[test]
fn names_that_files_can_hold_are_tokens() {
    for token in ["MJ12bot", "*", "кот", "クローラー", "बॉट", "a", "Foo.Bot!", "!$%&'+-.^_`~"]
    {
        for dialect in DIALECTS {
            assert_eq!(
                check_product_token(token.as_bytes(), &dialect),
                Ok(()),
                "{token} {}",
                dialect.name
            );
        }
    }
}

#[test]
fn lists_comments_and_tricks_are_no_tokens() {
    let dialects = DIALECTS.iter().filter(|dialect| dialect.token_check != TokenCheck::Any);
    for dialect in dialects {
        for joint in "#|*,;:()<>@[]{}=?\\\" \t\r\n\0\x7f".chars() {
            let why = InvalidProductToken::BadCharacter { character: joint, offset: 3 };
            for token in [format!("Bot{joint}"), format!("Bot{joint}Fox")] {
                assert_eq!(check_product_token(token.as_bytes(), dialect), Err(why), "{token:?}");
            }
        }
        // no-break space, direction marks, joiners, a combining acute, a keycap, a digit
        for trick in
            "\u{A0}\u{202E}\u{2066}\u{200B}\u{200D}\u{FEFF}\u{301}\u{363}\u{20E3}２".chars()
        {
            let why = InvalidProductToken::BadCharacter { character: trick, offset: 1 };
            assert_eq!(
                check_product_token(format!("a{trick}").as_bytes(), dialect),
                Err(why),
                "{trick:?}"
            );
        }
        let broken = InvalidProductToken::BadByte { byte: 0xFC, offset: 1 };
        assert_eq!(check_product_token(b"a\xFCb", dialect), Err(broken));
        let surrogate = InvalidProductToken::BadByte { byte: 0xED, offset: 0 };
        assert_eq!(check_product_token(b"\xED\xA0\x80", dialect), Err(surrogate));
    }
}

#[test]
fn a_header_is_no_token_and_says_so() {
    let bad = |token: &str| check_product_token(token.as_bytes(), &RFC9309);

    assert_eq!(bad(""), Err(InvalidProductToken::Empty));
    let slash = InvalidProductToken::BadCharacter { character: '/', offset: 9 };
    assert_eq!(bad("Googlebot/2.1"), Err(slash));
    assert_eq!(check_product_token(b"Googlebot/2.1", &KOSTER_1996), Ok(()));
    assert_eq!(check_product_token(b"/2.1", &KOSTER_1996), Err(InvalidProductToken::Empty));
    let space = InvalidProductToken::BadCharacter { character: ' ', offset: 11 };
    assert_eq!(check_product_token(b"Mozilla/5.0 (x)", &KOSTER_1996), Err(space));
    let star = InvalidProductToken::BadCharacter { character: '*', offset: 0 };
    assert_eq!(check_product_token(b"*/2.1", &KOSTER_1996), Err(star));
    assert_eq!(check_product_token(b"(; /", &GOOGLEBOT_CPP), Ok(()));
}

#[test]
fn values_begin_with_a_name() {
    for (value, name) in [
        ("GPTBot", "GPTBot"),
        ("GPTBot,CCBot", "GPTBot"),
        (" MJ12bot/1.4 (x)", "MJ12bot"),
        ("* all", "*"),
        ("=1", ""),
        ("", ""),
    ] {
        assert_eq!(leading_name(value), name, "{value}");
    }
}

#[test]
fn names_are_told_once_as_crawlers_tell_them_apart() {
    let values = ["GPTBot/1", "*", "gptbot", "\u{c9}Bot", "\u{e9}bot", "\u{e9}BOT", "(x)", "a, b"];

    assert_eq!(names_of(values), ["GPTBot", "\u{c9}Bot", "\u{e9}bot", "a"]);
}

#[test]
fn what_was_meant_is_advised_if_it_is_a_token() {
    for (text, meant) in [
        ("Googlebot/2.1", &["Googlebot"][..]),
        ("Mozilla/5.0 (compatible; GPTBot/1.2)", &["GPTBot"]),
        ("GPTBot:", &["GPTBot"]),
        ("GPTBot,", &["GPTBot"]),
        (" GPTBot\n", &["GPTBot"]),
        ("\"GPTBot\"", &["GPTBot"]),
        ("(Googlebot)", &["Googlebot"]),
        ("User-agent: GPTBot", &["GPTBot"]),
        ("GPTBot,CCBot", &["GPTBot", "CCBot"]),
        ("GPTBot | CCBot", &["GPTBot", "CCBot"]),
        ("a,,b", &["a", "b"]),
        ("GPTBot/1.0, CCBot/2.0", &[]),
        ("Example Bot", &[]),
        ("Bot*", &[]),
        ("Mozilla/5.0", &[]),
        ("Mozilla:", &[]),
        ("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0", &[]),
        ("/2.1", &[]),
        (",", &[]),
        ("", &[]),
    ] {
        let show = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let refused = check_product_token(text.as_bytes(), &RFC9309).unwrap_err();
        let advice = match meant {
            [] => "pass the crawler's own name, such as `ExampleBot`".into(),
            [name] => format!("pass `{name}`"),
            names => format!("pass several tokens as a sequence: `{names:?}`"),
        };

        assert_eq!(Complaint::of_token(text.as_bytes(), refused, &show).hint, advice, "{text}");
        assert!(
            meant.iter().all(|name| check_product_token(name.as_bytes(), &RFC9309).is_ok()),
            "{text}"
        );
    }
}
