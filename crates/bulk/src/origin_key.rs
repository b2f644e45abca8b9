//! The key of an origin: its canonical text, borrowed from a URL that spells it canonically.
//!
//! In: a URL. Out: `scheme://host`, and `:port` if it is not the scheme's default. RFC 9309 section
//! 2.3.

use std::borrow::Cow;

use arrow_array::builder::{ArrayBuilder, StringBuilder};
use arrow_array::StringArray;

use verger_core::internal::canonical_end;
use verger_core::{InvalidTarget, Origin, Scope};

use crate::column::Bytes;
use crate::logs::escapes::percent_decoded;

/// Rows of one column of origins, at most, and bytes: Arrow counts them in 32 bits.
pub const MOST_ROWS: usize = 1 << 20;
const MOST_BYTES: usize = 1 << 30;

/// The origin of each URL, in columns that follow each other; null if there is none.
pub fn origins(urls: &Bytes) -> Vec<StringArray> {
    origins_by(urls, origin_text)
}

/// The origin of each URL or host, see [`origin_of_site`], in columns that follow each other.
pub fn origins_of_sites(sites: &Bytes) -> Vec<StringArray> {
    origins_by(sites, |site| origin_of_site(site).map(Cow::Owned))
}

fn origins_by<'a>(
    urls: &'a Bytes,
    origin_of: impl Fn(&'a [u8]) -> Option<Cow<'a, str>>,
) -> Vec<StringArray> {
    let mut columns = Vec::new();
    let mut row = 0;
    while row < urls.len() {
        let rows = MOST_ROWS.min(urls.len() - row);
        let mut origins = StringBuilder::with_capacity(rows, 24 * rows);
        while origins.len() < rows && origins.values_slice().len() < MOST_BYTES {
            origins.append_option(urls.get(row).and_then(&origin_of).as_deref());
            row += 1;
        }
        columns.push(origins.finish());
    }
    columns
}

/// The origin of a URL as text; none for one so long that it is not a host.
fn origin_text(url: &[u8]) -> Option<Cow<'_, str>> {
    let key = origin_key(url).ok().filter(|key| key.len() < MOST_BYTES)?;
    Some(match key {
        Cow::Borrowed(key) => Cow::Borrowed(std::str::from_utf8(key).ok()?),
        Cow::Owned(key) => Cow::Owned(String::from_utf8(key).ok()?),
    })
}

/// The origin of a row of fetched files: that of its URL, or of a bare host, for which https is
/// assumed; none for the URL of a file like `/sub/robots.txt`, which governs nothing.
pub fn origin_of_site(site: &[u8]) -> Option<String> {
    if is_of_other_file(site.trim_ascii()) {
        return None;
    }
    let origin = site_origin(site).ok()?.to_string();
    Some(origin).filter(|origin| origin.len() < MOST_BYTES)
}

/// Whether a URL names a robots.txt file elsewhere than at `/robots.txt`: in a folder, in another
/// case, or with a query.
fn is_of_other_file(url: &[u8]) -> bool {
    let path = url.split(|octet| b"?#".contains(octet)).next().unwrap_or(url);
    let begin = path.iter().rposition(|octet| *octet == b'/').map_or(0, |slash| slash + 1);
    let is_host = begin == 0 || path[..begin].ends_with(b"://");
    let name = percent_decoded(Cow::Borrowed(&path[begin..]));
    !is_host && name.eq_ignore_ascii_case(b"robots.txt") && !Scope::is_of_file(url)
}

fn site_origin(site: &[u8]) -> Result<Origin, InvalidTarget> {
    let site = site.trim_ascii();
    let is_host = !site.iter().any(|byte| b"/@?#\\".contains(byte));
    match is_host {
        true => Origin::governed(&[b"https://", site].concat()),
        false => Origin::governed(site),
    }
}

/// The canonical origin of a URL or of a bare host, see [`origin_of_site`].
#[inline]
pub fn site_key(site: &[u8]) -> Result<Cow<'_, [u8]>, InvalidTarget> {
    match canonical_end(site) {
        Some(end) => Ok(Cow::Borrowed(&site[..end])),
        None => Ok(Cow::Owned(site_origin(site)?.to_string().into_bytes())),
    }
}

/// The canonical origin of a URL.
#[inline]
pub fn origin_key(url: &[u8]) -> Result<Cow<'_, [u8]>, InvalidTarget> {
    match canonical_end(url) {
        Some(end) => Ok(Cow::Borrowed(&url[..end])),
        None => Ok(Cow::Owned(Origin::governed(url)?.to_string().into_bytes())),
    }
}
