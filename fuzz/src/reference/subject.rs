//! The part of a URL that patterns are compared with (RFC 3986 section 3; RFC 9309 section 2.2.2).

use super::switches::{Split, Switches};

/// The subject before it is normalised; none for a text that is not a URL.
pub fn of(url: &[u8], switches: &Switches) -> Option<Vec<u8>> {
    let mut subject = match switches.split {
        Split::Url => rest_of_url(url)?,
        Split::Any => rest_of_text(url),
    };
    if !switches.query {
        subject = up_to(&subject, b'?').to_vec();
    }
    if subject.first() != Some(&b'/') {
        subject.insert(0, b'/');
    }
    Some(subject)
}

fn rest_of_url(url: &[u8]) -> Option<Vec<u8>> {
    if url.first() == Some(&b'/') {
        return Some(up_to(url, b'#').to_vec());
    }
    let colon = url.windows(3).position(|here| here == b"://")?;
    let (scheme, rest) = (&url[..colon], &url[colon + 3..]);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|o| o.is_ascii_alphanumeric() || b"+-.".contains(o));
    let end = rest.iter().position(|o| b"/?#".contains(o)).unwrap_or(rest.len());
    (is_scheme && end > 0).then(|| up_to(&rest[end..], b'#').to_vec())
}

/// As google/robotstxt splits (commit 22b355f, `GetPathParamsQuery`), whose matcher ends the path
/// at a NUL.
fn rest_of_text(url: &[u8]) -> Vec<u8> {
    let text = url.strip_prefix(b"//").unwrap_or(url);
    let path_in =
        |from: usize| text[from..].iter().position(|o| b"/?;".contains(o)).map(|at| from + at);
    let scheme_end = text.windows(3).position(|here| here == b"://");
    let behind = match scheme_end {
        Some(at) if path_in(0).is_none_or(|path| path > at) => at + 3,
        _ => 0,
    };
    let hash = text.iter().position(|o| *o == b'#').unwrap_or(text.len());
    match path_in(behind) {
        Some(path) if path < hash => up_to(&text[path..hash], 0).to_vec(),
        _ => Vec::new(),
    }
}

fn up_to(text: &[u8], byte: u8) -> &[u8] {
    text.split(|o| *o == byte).next().expect("a first part")
}
