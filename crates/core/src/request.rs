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
