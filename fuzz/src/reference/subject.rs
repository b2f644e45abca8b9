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
    Some(match switches.split {
        Split::Url => as_requested(&subject),
        Split::Any => subject,
    })
}

/// What a client sends for it: no tabs and line ends (URL Standard section 4.4), and no dot segments
/// in the path.
fn as_requested(subject: &[u8]) -> Vec<u8> {
    let sent: Vec<u8> = subject.iter().copied().filter(|o| !b"\t\n\r".contains(o)).collect();
    let path = up_to(&sent, b'?');
    [&without_dot_segments(path), &sent[path.len()..]].concat()
}

/// RFC 3986 section 5.2.4, in its own words: segments move from an input to an output.
fn without_dot_segments(path: &[u8]) -> Vec<u8> {
    let mut input = path.to_vec();
    let mut output: Vec<u8> = Vec::new();
    while !input.is_empty() {
        let end = input[1..].iter().position(|o| *o == b'/').map_or(input.len(), |at| at + 1);
        let segment: Vec<u8> = input.drain(..end).collect();
        let dots = number_of_dots(&segment[1..]);
        match dots {
            1 | 2 if input.is_empty() => input.push(b'/'),
            1 | 2 => {}
            _ => output.extend_from_slice(&segment),
        }
        if dots == 2 {
            let last = output.iter().rposition(|o| *o == b'/').unwrap_or(0);
            output.truncate(last);
        }
    }
    output
}

/// The dots that a segment consists of, `%2e` counted as one; 0 where it has anything else.
fn number_of_dots(segment: &[u8]) -> usize {
    let text = String::from_utf8_lossy(segment).to_ascii_lowercase().replace("%2e", ".");
    match text.bytes().all(|o| o == b'.') {
        true => text.len(),
        false => 0,
    }
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
