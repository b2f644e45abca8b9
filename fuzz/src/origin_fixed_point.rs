//! Property: the origin of an origin is the origin itself, a file governs the URL that it is at, and
//! the URL that a client requests is the one that it requests when it is given that.
//!
//! Oracle: the crate `url`, an implementation of the URL Standard. Where it parses a URL that we
//! take, hosts, ports and paths are equal but for what [`differs_by_design`] lists.

use url::Url;
use verger_bulk::origin_key::origin_key;
use verger_core::internal::begins_with;
use verger_core::{requested_url, Origin, Scope, TargetReader, RFC9309};

use crate::input::expanded;

/// Check one input: a URL.
pub fn check(data: &[u8]) {
    let url = expanded(data);
    let key = origin_key(&url).map(|key| String::from_utf8(key.into_owned()).expect("UTF-8"));
    let governed = Origin::governed(&url).map(|origin| origin.to_string());
    assert_eq!(key, governed, "{:?}", String::from_utf8_lossy(&url));
    assert_requested(&url);
    let Ok(origin) = Origin::of(&url) else { return };
    let text = origin.to_string();

    assert_eq!(Origin::of(text.as_bytes()).as_ref(), Ok(&origin), "{text}");
    assert_is_host(origin.host());
    assert!(begins_with(text.as_bytes(), text.as_bytes()));
    if origin.has_robots() {
        let file = format!("{text}/robots.txt");
        let scope = Scope::of_file(file.as_bytes()).expect("an origin");
        assert_eq!(scope.origin(), Some(&origin));
        assert_eq!(scope.governs(file.as_bytes()), Ok(true));
        assert_eq!(scope.governs(&url), Ok(true));
        compare_with_the_url_standard(&url, &origin);
    }
    let target = TargetReader::new(&RFC9309).read(&url);
    assert!(target.is_ok_and(|target| target.bytes().first() == Some(&b'/')));
}

/// What is requested has no dot segments, and is requested as it is.
fn assert_requested(url: &[u8]) {
    let Ok(asked) = requested_url(url) else { return };
    let again = requested_url(&asked).map(|again| again.into_owned());
    assert_eq!(again.as_deref(), Ok(&*asked), "{:?}", String::from_utf8_lossy(url));
    assert_eq!(Origin::of(&asked), Origin::of(url));
    let path = asked.split(|byte| *byte == b'?').next().unwrap_or_default();
    let is_dots = |segment: &[u8]| {
        let text = String::from_utf8_lossy(segment).to_ascii_lowercase().replace("%2e", ".");
        matches!(&*text, "." | "..")
    };
    let authority = Origin::of(&asked).map_or(0, |origin| origin.to_string().len());
    let mut segments = path[authority..].split(|byte| *byte == b'/');
    assert!(!segments.any(is_dots), "{:?}", String::from_utf8_lossy(&asked));
}

/// A host holds no forbidden domain code point (URL Standard, section 3.1), or is an IPv6 address.
fn assert_is_host(host: &str) {
    assert!(!host.is_empty());
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        assert!(address.parse::<std::net::Ipv6Addr>().is_ok(), "{host}");
        return;
    }
    let is_forbidden = |byte: u8| byte <= b' ' || byte >= 0x7f || b"#%/:<>?@[\\]^|".contains(&byte);
    assert!(!host.bytes().any(is_forbidden), "{host}");
}

fn compare_with_the_url_standard(url: &[u8], origin: &Origin) {
    let Ok(text) = std::str::from_utf8(url) else { return };
    let Ok(parsed) = Url::parse(text) else {
        assert!(is_refused_by_design(text), "{text}: refused by the URL Standard");
        return;
    };
    if differs_by_design(text) {
        return;
    }
    assert_eq!(parsed.host_str(), Some(origin.host()), "{text}");
    assert_eq!(parsed.port_or_known_default(), origin.port(), "{text}");
    // The URL Standard escapes some bytes; the others show where dots lead.
    if parsed.path().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/.".contains(&byte)) {
        let asked = requested_url(url).expect("it has an origin");
        let asked = asked.split(|byte| *byte == b'?').next().unwrap_or_default();
        let path = &asked[origin.to_string().len()..];
        assert_eq!(path, parsed.path().as_bytes(), "{text}");
    }
}

/// What the URL Standard refuses and we take.
fn is_refused_by_design(_text: &str) -> bool {
    false
}

/// Where the two read a text in different ways, and both are right.
fn differs_by_design(text: &str) -> bool {
    // The URL Standard removes these, and takes the backslash for a slash (section 4.4): browsers
    // repair what people type. RFC 3986 has none of them in a URL.
    text.bytes().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b'\\'))
        || text.starts_with(|c: char| c <= ' ')
        || text.ends_with(|c: char| c <= ' ')
        // It also takes any number of slashes behind the scheme for two.
        || text.split_once("://").is_some_and(|(_, rest)| rest.starts_with('/'))
}
