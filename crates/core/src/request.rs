//! Requests: the URL that an HTTP client requests when it is given a URL.
//!
//! In: a URL. Out: its origin, path and query as a client sends them, without fragment and dot
//! segments. RFC 3986 section 5.2.4; URL Standard, section 4.4, where escaped dots are dots, and
//! where tabs and line ends are removed; in a host they are refused. [Targets](crate::target) are
//! cleaned in the same way.

use std::borrow::Cow;

use memchr::memchr;

use crate::error::InvalidTarget;
use crate::origin::{canonical_end, Origin};
use crate::target::{cleaned, is_clean, split_authority};

/// The URL that a client requests: without user information, fragment and dot segments, and with the
/// host in canonical form; a path stays a path.
///
/// Fails if the URL has no origin that a robots.txt file governs. RFC 3986 section 5.2.4.
#[inline]
pub fn requested_url(url: &[u8]) -> Result<Cow<'_, [u8]>, InvalidTarget> {
    let url = &url[..memchr(b'#', url).unwrap_or(url.len())];
    if url.first() == Some(&b'/') {
        return Ok(cleaned(Cow::Borrowed(url)));
    }
    if let Some(end) = canonical_end(url) {
        if url.get(end) == Some(&b'/') && is_clean(&url[end..]) {
            return Ok(Cow::Borrowed(url));
        }
    }
    let rest = split_authority(url)?.rest;
    let origin = Origin::governed(url).map_err(InvalidTarget::or_path)?.to_string();
    let root = if rest.first() == Some(&b'/') { "" } else { "/" };
    let target = [root.as_bytes(), rest].concat();
    Ok(Cow::Owned([origin.as_bytes(), &cleaned(Cow::Owned(target))].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
