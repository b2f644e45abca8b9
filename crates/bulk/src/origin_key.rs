//! The key of an origin: its canonical text, taken from a URL without copying where that is how
//! it stands there.
//!
//! In: a URL. Out: `scheme://host`, and `:port` where it is not the scheme's own. RFC 9309 section
//! 2.3.

use std::borrow::Cow;

use arrow_array::builder::StringBuilder;
use arrow_array::StringArray;

use verger_core::error::InvalidTarget;
use verger_core::origin::Origin;

use crate::column::Octets;

/// The origin of each row; null where there is none.
pub fn origins(urls: &Octets) -> StringArray {
    let mut origins = StringBuilder::with_capacity(urls.len(), 24 * urls.len());
    for row in 0..urls.len() {
        let key = urls.get(row).and_then(|url| origin_key(url).ok());
        let text = key.as_deref().and_then(|key| std::str::from_utf8(key).ok());
        origins.append_option(text);
    }
    origins.finish()
}

/// The canonical origin of a URL.
#[inline]
pub fn origin_key(url: &[u8]) -> Result<Cow<'_, [u8]>, InvalidTarget> {
    match canonical_end(url) {
        Some(end) => Ok(Cow::Borrowed(&url[..end])),
        None => Ok(Cow::Owned(Origin::governed(url)?.to_string().into_bytes())),
    }
}

/// Where the origin ends in a URL that spells it canonically: a host of lower-case letters,
/// digits, dots, hyphens and underscores, without user, port or A-labels.
#[inline]
fn canonical_end(url: &[u8]) -> Option<usize> {
    let scheme = match url {
        [b'h', b't', b't', b'p', b's', b':', b'/', b'/', ..] => 8,
        [b'h', b't', b't', b'p', b':', b'/', b'/', ..] => 7,
        _ => return None,
    };
    let rest = &url[scheme..];
    let end = rest.iter().position(|o| !is_plain(*o)).unwrap_or(rest.len());
    let ends_there = matches!(rest.get(end), None | Some(b'/' | b'?' | b'#'));
    let host = &rest[..end];
    (ends_there && end > 0 && !host.windows(4).any(|w| w == b"xn--")).then_some(scheme + end)
}

#[inline]
fn is_plain(octet: u8) -> bool {
    matches!(octet, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_')
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
        let origins = origins(&Octets::of(&urls).unwrap());

        assert_eq!(
            origins.iter().collect::<Vec<_>>(),
            [Some("https://a.example"), None, None, Some("http://b.example")]
        );
        assert_eq!(origins.null_count(), 2);
    }

    #[test]
    fn the_short_way_gives_what_the_long_way_gives() {
        let urls = [
            "https://example.com/x",
            "https://example.com",
            "http://a_b.example.?q",
            "https://EXAMPLE.com/x",
            "https://example.com:443/",
            "https://example.com:8443/",
            "https://u@example.com/",
            "https://xn--bcher-kva.example/",
            "https://b\u{fc}cher.example/#x",
            "ftp://example.com/",
            "http://[::1]/",
            "http://1.2.3.4/x",
            "https:///x",
            "/path",
            "https://exa mple.com/",
            "",
        ];
        for url in urls {
            let long = Origin::governed(url.as_bytes()).map(|origin| origin.to_string());
            let short = origin_key(url.as_bytes());
            let short = short.map(|key| String::from_utf8(key.into_owned()).unwrap());

            assert_eq!(short, long, "{url}");
        }
    }
}
