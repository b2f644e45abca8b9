//! The key of an origin: its canonical text, borrowed from a URL that spells it canonically.
//!
//! In: a URL. Out: `scheme://host`, and `:port` if it is not the scheme's default. RFC 9309 section
//! 2.3.

use std::borrow::Cow;

use arrow_array::builder::{ArrayBuilder, StringBuilder};
use arrow_array::StringArray;

use verger_core::internal::canonical_end;
use verger_core::{InvalidTarget, Origin};

use crate::column::Bytes;

/// Rows of one column of origins, at most, and bytes: Arrow counts them in 32 bits.
const MOST_ROWS: usize = 1 << 20;
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
/// assumed.
pub fn origin_of_site(site: &[u8]) -> Option<String> {
    let origin = site_origin(site).ok()?.to_string();
    Some(origin).filter(|origin| origin.len() < MOST_BYTES)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Array, ArrayRef};

    use super::*;

    #[test]
    fn a_column_of_urls_has_a_column_of_origins() {
        let urls = vec![Some("HTTPS://A.example/x"), None, Some("/path"), Some("http://b.example")];
        let urls: ArrayRef = Arc::new(StringArray::from(urls));
        let columns = origins(&Bytes::of(&urls).unwrap());
        let [origins] = &columns[..] else { panic!("{columns:?}") };

        assert_eq!(
            origins.iter().collect::<Vec<_>>(),
            [Some("https://a.example"), None, None, Some("http://b.example")]
        );
        assert_eq!(origins.null_count(), 2);
    }

    #[test]
    fn a_bare_host_answers_by_https() {
        let sites = vec![Some(" A.example:8080"), Some("http://b.example/x"), Some("/path"), None];
        let sites: ArrayRef = Arc::new(StringArray::from(sites));
        let columns = origins_of_sites(&Bytes::of(&sites).unwrap());

        assert_eq!(
            columns[0].iter().collect::<Vec<_>>(),
            [Some("https://a.example:8080"), Some("http://b.example"), None, None]
        );
    }

    #[test]
    fn a_long_column_has_several_columns_of_origins() {
        let urls = (0..=MOST_ROWS).map(|_| Some("http://b.example")).collect::<StringArray>();
        let columns = origins(&Bytes::of(&(Arc::new(urls) as ArrayRef)).unwrap());

        assert_eq!(columns.iter().map(Array::len).collect::<Vec<_>>(), [MOST_ROWS, 1]);
    }

    #[test]
    fn the_short_way_gives_what_the_long_way_gives() {
        for (url, is_short) in
            [("https://example.com/x", true), ("https://EXAMPLE.com/x", false), ("/path", false)]
        {
            let long = Origin::governed(url.as_bytes()).map(|origin| origin.to_string());
            let short = origin_key(url.as_bytes());

            assert_eq!(matches!(short, Ok(Cow::Borrowed(_))), is_short, "{url}");
            let short = short.map(|key| String::from_utf8(key.into_owned()).unwrap());
            assert_eq!(short, long, "{url}");
        }
    }
}
