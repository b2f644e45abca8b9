//! Tests of `request.rs`.

use verger_core::*;

fn check(url: &str, expected: &str) {
    let found = requested_url(url.as_bytes()).unwrap();

    assert_eq!(String::from_utf8_lossy(&found), expected, "{url}");
    assert_eq!(requested_url(expected.as_bytes()).unwrap(), expected.as_bytes(), "{expected}");
}

#[test]
fn dot_segments_go() {
    for (path, expected) in [
        ("/b/c/.", "/b/c/"),
        ("/b/c/..", "/b/"),
        ("/b/c/../../../g", "/g"),
        ("/b/./c/../g", "/b/g"),
        ("/b/..c/.d/e./...", "/b/..c/.d/e./..."),
        ("/x/%2e%2E/.%2e/basket", "/basket"),
        ("/x/%2e", "/x/"),
        ("/x/%252e", "/x/%252e"),
        ("/a//../b", "/a/b"),
        ("//../b", "/b"),
        ("/a/../b?c/../d", "/b?c/../d"),
        ("/a/../b#c/../d?e", "/b"),
        ("/pri\tvate", "/private"),
        ("/x/.\t./private", "/private"),
        ("/a\r\n/..\n/b?c\td", "/b?cd"),
    ] {
        check(path, expected);
        check(&format!("http://e.com{path}"), &format!("http://e.com{expected}"));
    }
}

#[test]
fn the_origin_is_the_canonical_one() {
    check("HTTP://u:p@E.com:80?q#f", "http://e.com/?q");
    check("https://e.com", "https://e.com/");
    check("https://e.com:8443/a/..", "https://e.com:8443/");
    assert_eq!(requested_url(b"e.com/a"), Err(InvalidTarget::NoScheme));
    assert_eq!(requested_url(b"http://e\t.com/a"), Err(InvalidTarget::BadHost));
    assert_eq!(requested_url(b"ws://e.com/a"), Err(InvalidTarget::NoRobots));
    assert_eq!(requested_url("http://a\u{ff0f}b/".as_bytes()), Err(InvalidTarget::BadHost));
}
