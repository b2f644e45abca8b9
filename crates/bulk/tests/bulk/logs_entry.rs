//! Tests of `logs/entry.rs`.

use verger_bulk::logs::entry::*;

#[test]
fn request_lines_are_split() {
    fn split(line: &str) -> Option<(&str, &str)> {
        let (method, target) = split_request(line.as_bytes())?;
        Some((std::str::from_utf8(method).unwrap(), std::str::from_utf8(target).unwrap()))
    }

    assert_eq!(split("GET / HTTP/1.1"), Some(("GET", "/")));
    assert_eq!(split("GET /a b HTTP/1.1"), Some(("GET", "/a b")));
    assert_eq!(split("GET /a"), Some(("GET", "/a")));
    assert_eq!(split("OPTIONS * HTTP/1.1"), Some(("OPTIONS", "*")));
    assert_eq!(split("-"), None);
    assert_eq!(split(""), None);
    assert_eq!(split("GET"), None);
    assert_eq!(split("GET "), None);
    assert_eq!(split("\\x16\\x03\\x01 \\x02"), None);
}

#[test]
fn targets_that_are_urls() {
    let url = |target: &'static str| url_of(target.as_bytes());

    assert_eq!(url("/a").as_deref(), Some(&b"/a"[..]));
    assert_eq!(url("//a/b").as_deref(), Some(&b"http://host//a/b"[..]));
    assert_eq!(url("HTTPS://h/a").as_deref(), Some(&b"HTTPS://h/a"[..]));
    assert_eq!((url("*"), url("h:443"), url("ftp://h/"), url("")), (None, None, None, None));
}

#[test]
fn hosts_lose_their_port() {
    for (host, bare) in [
        ("example.com", "example.com"),
        ("example.com:443", "example.com"),
        ("example.com.:80", "example.com"),
        ("[::1]:80", "[::1]"),
        ("", ""),
    ] {
        assert_eq!(bare_host(host.as_bytes()), bare.as_bytes());
    }
}
