//! Targets: the part of a URL that patterns are compared with.
//!
//! In: a URL or a path. Out: its path and query in the dialect's normal form. RFC 9309 section
//! 2.2.2; RFC 3986 section 3. Dot segments and double slashes stay: the octets asked about are
//! the octets fetched. Nothing here knows a rule.

use std::borrow::Cow;

use memchr::{memchr, memchr3, memmem};

use crate::dialect::{Dialect, UrlSplit};
use crate::error::InvalidTarget;
use crate::percent::{Form, Side};

/// A URL as patterns see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target<'u> {
    octets: Cow<'u, [u8]>,
}

impl Target<'_> {
    /// Path and query, in normal form.
    #[inline]
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }
}

/// Finds targets in URLs, as one dialect does.
#[derive(Clone, Copy, Debug)]
pub struct TargetReader {
    split: UrlSplit,
    query: bool,
    form: Form,
}

impl TargetReader {
    /// Take the knobs from a dialect.
    pub fn new(dialect: &Dialect) -> Self {
        TargetReader { split: dialect.url_split, query: dialect.query, form: Form::of(dialect) }
    }

    /// The target of a URL.
    #[inline]
    pub fn read<'u>(&self, url: &'u [u8]) -> Result<Target<'u>, InvalidTarget> {
        let rooted = rooted(self.subject(url)?);
        Ok(Target {
            octets: match rooted {
                Cow::Borrowed(octets) => self.form.apply(Side::Target, octets),
                Cow::Owned(octets) => {
                    Cow::Owned(self.form.apply(Side::Target, &octets).into_owned())
                }
            },
        })
    }

    /// Whether some URL may have this target: one with a query has none where queries are cut.
    pub fn is_possible(&self, target: &[u8]) -> bool {
        target.first() == Some(&b'/') && (self.query || memchr(b'?', target).is_none())
    }

    /// The target before it is brought to normal form.
    pub fn raw<'u>(&self, url: &'u [u8]) -> Result<Cow<'u, [u8]>, InvalidTarget> {
        Ok(rooted(self.subject(url)?))
    }

    #[inline]
    fn subject<'u>(&self, url: &'u [u8]) -> Result<&'u [u8], InvalidTarget> {
        let subject = match self.split {
            UrlSplit::Strict => strict_subject(url)?,
            UrlSplit::Google => google_subject(url),
        };
        Ok(match self.query {
            true => subject,
            false => before(b'?', subject),
        })
    }
}

/// An empty path, or a query without path, begins at the root.
#[inline]
fn rooted(subject: &[u8]) -> Cow<'_, [u8]> {
    match subject.first() {
        Some(b'/') => Cow::Borrowed(subject),
        None => Cow::Borrowed(b"/"),
        Some(_) => Cow::Owned([b"/", subject].concat()),
    }
}

#[inline]
fn before(octet: u8, text: &[u8]) -> &[u8] {
    &text[..memchr(octet, text).unwrap_or(text.len())]
}

/// A path as it is, or what follows scheme and authority; without the fragment.
#[inline]
fn strict_subject(url: &[u8]) -> Result<&[u8], InvalidTarget> {
    if url.first() == Some(&b'/') {
        return Ok(before(b'#', url));
    }
    let parts = split_authority(url)?;
    if parts.authority.is_empty() {
        return Err(InvalidTarget::NoAuthority);
    }
    Ok(before(b'#', parts.rest))
}

/// The parts of an absolute URL (RFC 3986 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts<'u> {
    /// Before `://`.
    pub scheme: &'u [u8],
    /// Up to the first `/`, `?` or `#`; perhaps empty.
    pub authority: &'u [u8],
    /// What follows.
    pub rest: &'u [u8],
}

/// Split a URL at its authority.
#[inline]
pub fn split_authority(url: &[u8]) -> Result<Parts<'_>, InvalidTarget> {
    let scheme_len = scheme_len(url);
    let Some(rest) = url[scheme_len..].strip_prefix(b"://").filter(|_| scheme_len > 0) else {
        return Err(InvalidTarget::NoScheme);
    };
    let end = memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len());
    Ok(Parts { scheme: &url[..scheme_len], authority: &rest[..end], rest: &rest[end..] })
}

/// The octets of the scheme (RFC 3986 section 3.1), seen at once in most URLs.
#[inline]
fn scheme_len(url: &[u8]) -> usize {
    if url.starts_with(b"https://") {
        return 5;
    }
    match url.first().is_some_and(u8::is_ascii_alphabetic) {
        true => url.iter().take_while(|o| is_scheme_octet(**o)).count(),
        false => 0,
    }
}

fn is_scheme_octet(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'+' | b'-' | b'.')
}

/// The split of google/robotstxt, which takes any text: a path begins at the first of `/`, `?`
/// and `;` behind an optional `//` and an optional scheme.
fn google_subject(url: &[u8]) -> &[u8] {
    let text = url.strip_prefix(b"//").unwrap_or(url);
    let first_path = memchr3(b'/', b'?', b';', text).unwrap_or(text.len());
    let authority = match memmem::find(text, b"://") {
        Some(n) if n < first_path => n + 3,
        _ => 0,
    };
    let rest = before(b'#', &text[authority..]);
    // A fragment that begins before the authority leaves nothing.
    if memchr(b'#', &text[..authority]).is_some() {
        return b"";
    }
    // Its matcher holds the path as a C string, which ends at the first NUL.
    memchr3(b'/', b'?', b';', rest).map_or(b"", |start| before(0, &rest[start..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{GOOGLEBOT_CPP, KOSTER_1996, RFC9309};

    fn read(dialect: &Dialect, url: &str) -> Result<String, InvalidTarget> {
        let target = TargetReader::new(dialect).read(url.as_bytes())?;
        Ok(String::from_utf8_lossy(target.octets()).into_owned())
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
            ("/a/../b//c?", "/a/../b//c?"),
            ("https://e.com/a?u=http://f.com/b", "/a?u=http://f.com/b"),
        ] {
            assert_eq!(read(&RFC9309, url).as_deref(), Ok(target), "{url}");
        }
        assert_eq!(read(&KOSTER_1996, "http://e.com/a?b").as_deref(), Ok("/a"));
    }

    #[test]
    fn what_has_no_authority_is_no_target() {
        for url in
            ["", "example.com/a", "mailto:a@b", "://e.com/", "1http://e.com/", " http://e.com"]
        {
            assert_eq!(read(&RFC9309, url), Err(InvalidTarget::NoScheme), "{url}");
        }
        assert_eq!(read(&RFC9309, "file:///etc"), Err(InvalidTarget::NoAuthority));
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
}
