//! Tests of `target.rs`.

use verger_core::dialect::{Dialect, UrlSplit};
use verger_core::dialect::{Normalisation, GOOGLEBOT_CPP, KOSTER_1996, RFC9309};
use verger_core::*;

fn read(dialect: &Dialect, url: &str) -> Result<String, InvalidTarget> {
    let target = TargetReader::new(dialect).read(url.as_bytes())?;
    Ok(String::from_utf8_lossy(target.bytes()).into_owned())
}

#[test]
fn path_and_query_remain_of_a_url() {
    for (url, target) in [
        ("http://e.com", "/"),
        ("http://e.com?q", "/?q"),
        ("http://e.com#f", "/"),
        ("HTTP://u:p@e.com:80/a;p?b#f", "/a;p?b"),
        ("http://[::1]:80/x", "/x"),
        ("//e.com/x", "//e.com/x"),
        ("/a/../b//c?", "/b//c?"),
        ("http://e.com/x/%2e%2E/b?c/../d#/../e", "/b?c/../d"),
        ("http://e.com#/../x", "/"),
        ("/pri\tvate/.\n/x", "/private/x"),
        ("https://e.com/a?u=http://f.com/b", "/a?u=http://f.com/b"),
    ] {
        assert_eq!(read(&RFC9309, url).as_deref(), Ok(target), "{url}");
    }
    assert_eq!(read(&KOSTER_1996, "http://e.com/a?b").as_deref(), Ok("/a"));
}

#[test]
fn what_has_no_authority_is_no_target() {
    for url in ["", "example.com/a", "mailto:a@b", "://e.com/", "1http://e.com/", " http://e.com"] {
        assert_eq!(read(&RFC9309, url), Err(InvalidTarget::NoScheme), "{url}");
    }
    assert_eq!(read(&RFC9309, "file:///etc"), Err(InvalidTarget::NoAuthority));
}

#[test]
fn every_byte_of_a_target_and_no_other_is_held() {
    for dialect in dialects() {
        let reader = TargetReader::new(&dialect);
        for byte in 0..=255_u8 {
            let target = [b'/', b'a', byte];
            let urls = [vec![byte], format!("%{byte:02X}").into_bytes()];
            let is_read = urls.iter().any(|path| {
                let url = [&b"http://e.com/a"[..], path].concat();
                reader.read(&url).unwrap().bytes() == target
            });

            assert_eq!(reader.holds(byte), is_read, "{dialect:?} {byte:#x}");
        }
    }
}

#[test]
fn bytes_that_targets_hold_stand_in_any_order() {
    for dialect in dialects() {
        let reader = TargetReader::new(&dialect);
        let held: Vec<u8> = (0..=255).filter(|byte| reader.holds(*byte)).collect();
        for first in &held {
            for second in *b"4fA%/" {
                for target in [[b'/', *first, second, b'4'], [b'/', b'%', second, *first]] {
                    if !reader.is_requested(&target) {
                        continue;
                    }
                    let url = [&b"http://e.com"[..], &spelt(&dialect, &target)].concat();

                    assert!(reader.is_possible(&target));
                    assert_eq!(reader.read(&url).unwrap().bytes(), target, "{dialect:?}");
                }
            }
        }
    }
}

/// A path that is read as this target.
fn spelt(dialect: &Dialect, target: &[u8]) -> Vec<u8> {
    let is_escaped = |byte: u8| match dialect.normalisation {
        Normalisation::Base => byte.is_ascii_alphanumeric() || b"-._~".contains(&byte),
        Normalisation::Koster96 => byte != b'/',
        Normalisation::Raw | Normalisation::Cpp => false,
    };
    let spell = |byte: &u8| match is_escaped(*byte) {
        true => format!("%{byte:02X}").into_bytes(),
        false => vec![*byte],
    };
    target.iter().flat_map(spell).collect()
}

fn dialects() -> Vec<Dialect> {
    let forms =
        [Normalisation::Raw, Normalisation::Koster96, Normalisation::Base, Normalisation::Cpp];
    let splits = [UrlSplit::Strict, UrlSplit::Google];
    let mut all = Vec::new();
    for (normalisation, url_split) in forms.iter().flat_map(|f| splits.map(|s| (*f, s))) {
        for (query, wildcards) in [(true, true), (true, false), (false, true), (false, false)] {
            all.push(Dialect { normalisation, url_split, query, wildcards, ..RFC9309 });
        }
    }
    all
}

#[test]
fn google_splits_any_text() {
    for (url, target) in [
        ("a/b", "/b"),
        ("//a/b/c", "/b/c"),
        ("http://a;p", "/;p"),
        ("a", "/"),
        ("", "/"),
        ("http://a#f/x", "/"),
        ("a#b://c/d", "/"),
        ("/x?u=http://y", "/x?u=http://y"),
        ("ht\0tp://a/b\0c", "/b"),
    ] {
        assert_eq!(read(&GOOGLEBOT_CPP, url).as_deref(), Ok(target), "{url}");
    }
}
