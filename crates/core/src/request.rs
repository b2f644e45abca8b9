//! Requests: the URL that an HTTP client requests when it is given a URL.
//!
//! In: a URL. Out: its origin, path and query as a client sends them, without fragment and dot
//! segments. RFC 3986 section 5.2.4; URL Standard, section 4.4, where escaped dots are dots. Rules
//! are compared with URLs as written; before a request is sent, decide this URL. Tabs and line ends
//! are removed from it, as clients do (URL Standard, section 4.4); in a host they are refused.

use std::borrow::Cow;

use memchr::{memchr, memchr3, memchr_iter, memrchr};

use crate::error::InvalidTarget;
use crate::origin::{canonical_end, Origin};
use crate::target::split_authority;

/// The URL that a client requests: without user information, fragment and dot segments, and with the
/// host in canonical form; a path stays a path.
///
/// Fails if the URL has no origin that a robots.txt file governs. RFC 3986 section 5.2.4.
#[inline]
pub fn requested_url(url: &[u8]) -> Result<Cow<'_, [u8]>, InvalidTarget> {
    let url = &url[..memchr(b'#', url).unwrap_or(url.len())];
    if memchr3(b'\t', b'\n', b'\r', url).is_some() {
        let authority_end = url.len() - rest_of(url)?.len();
        let kept = url
            .iter()
            .enumerate()
            .filter(|(at, byte)| *at < authority_end || !matches!(byte, b'\t' | b'\n' | b'\r'));
        let url: Vec<u8> = kept.map(|(_, byte)| *byte).collect();
        return Ok(Cow::Owned(requested_cleanly(&url)?.into_owned()));
    }
    requested_cleanly(url)
}

/// What follows the authority.
fn rest_of(url: &[u8]) -> Result<&[u8], InvalidTarget> {
    match url.first() {
        Some(b'/') => Ok(url),
        _ => Ok(split_authority(url)?.rest),
    }
}

#[inline]
fn requested_cleanly(url: &[u8]) -> Result<Cow<'_, [u8]>, InvalidTarget> {
    if url.first() == Some(&b'/') {
        return Ok(without_dot_segments(url));
    }
    if let Some(end) = canonical_end(url) {
        if url.get(end) == Some(&b'/') && !has_dot_segments(&url[end..]) {
            return Ok(Cow::Borrowed(url));
        }
    }
    let origin = Origin::governed(url).map_err(InvalidTarget::or_path)?.to_string();
    let rest = split_authority(url)?.rest;
    let root = if rest.first() == Some(&b'/') { "" } else { "/" };
    let target = [root.as_bytes(), rest].concat();
    Ok(Cow::Owned([origin.as_bytes(), &without_dot_segments(&target)].concat()))
}

/// A path, and an optional query, without the dot segments of the path.
fn without_dot_segments(target: &[u8]) -> Cow<'_, [u8]> {
    if !has_dot_segments(target) {
        return Cow::Borrowed(target);
    }
    let (path, query) = target.split_at(path_len(target));
    let mut kept: Vec<u8> = Vec::with_capacity(target.len());
    let mut segments = path[1..].split(|o| *o == b'/').peekable();
    while let Some(segment) = segments.next() {
        let dots = dots(segment);
        if dots == 0 {
            kept.push(b'/');
            kept.extend_from_slice(segment);
            continue;
        }
        if dots == 2 {
            kept.truncate(memrchr(b'/', &kept).unwrap_or(0));
        }
        if segments.peek().is_none() {
            kept.push(b'/');
        }
    }
    kept.extend_from_slice(query);
    Cow::Owned(kept)
}

#[inline]
fn has_dot_segments(target: &[u8]) -> bool {
    let path = &target[..path_len(target)];
    memchr_iter(b'/', path).any(|slash| {
        let behind = &path[slash + 1..];
        matches!(behind.first(), Some(b'.' | b'%'))
            && dots(&behind[..memchr(b'/', behind).unwrap_or(behind.len())]) > 0
    })
}

#[inline]
fn path_len(target: &[u8]) -> usize {
    memchr(b'?', target).unwrap_or(target.len())
}

/// How many dots a dot segment consists of, as written or escaped: one or two; 0 for other
/// segments.
fn dots(segment: &[u8]) -> usize {
    let mut rest = segment;
    for count in 0..3 {
        rest = match rest {
            [] => return count,
            [b'.', behind @ ..] | [b'%', b'2', b'e' | b'E', behind @ ..] => behind,
            _ => return 0,
        };
    }
    0
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
