//! Content: what a body is if it is not a robots.txt file.
//!
//! In: bytes as they are read. Out: the [`FindingCode`] of what they look like, or nothing. Servers
//! send pages, documents and archives under `/robots.txt`; they are parsed like any file (RFC 9309
//! section 2.3.1.5), and a finding explains the surprising answer.

use crate::code::FindingCode;
use crate::field::starts_with_ignore_case;

/// How much of the body is examined.
const LOOKED_AT: usize = 4096;

/// What a body looks like, if it does not look like lines of text in UTF-8 or an encoding of one
/// byte per character.
pub fn foreign(body: &[u8]) -> Option<FindingCode> {
    let head = &body[..body.len().min(LOOKED_AT)];
    if is_utf16(head) {
        return Some(FindingCode::Utf16);
    }
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    match text {
        [b'<', b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z', ..] => Some(FindingCode::Html),
        [b'{', rest @ ..] if begins_json(rest.trim_ascii_start()) => Some(FindingCode::Json),
        [b'[', rest @ ..] if begins_array(rest.trim_ascii_start()) => Some(FindingCode::Json),
        _ => is_binary(head).then_some(FindingCode::NotText),
    }
}

/// A byte order mark, or a NUL at every second byte.
fn is_utf16(head: &[u8]) -> bool {
    if head.starts_with(b"\xFF\xFE\0\0") {
        return false; // UTF-32
    }
    if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") {
        return true;
    }
    let pairs = head.len().min(64) / 2;
    let nuls = |offset: usize| (0..pairs).filter(|pair| head[2 * pair + offset] == 0).count();
    let (first, second) = (nuls(0), nuls(1));
    pairs >= 4 && first.min(second) == 0 && first.max(second) * 8 >= pairs * 7
}

fn begins_json(rest: &[u8]) -> bool {
    matches!(rest.first(), Some(b'"' | b'}'))
}

fn begins_array(rest: &[u8]) -> bool {
    matches!(rest.first(), Some(b'"' | b'{' | b'[' | b']' | b'-' | b'0'..=b'9'))
}

/// Neither UTF-8 nor an older encoding of text: those have next to no control bytes.
fn is_binary(head: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 0x0E..=0x1F | 0x7F);
    let controls = head.iter().filter(is_control).count();
    controls >= 4 && controls * 20 > head.len()
}

/// What a text names that may have been passed by mistake in place of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A file.
    File,
    /// A URL.
    Url,
}

/// Whether a text looks like a file name or a URL, rather than a robots.txt file.
pub fn named_by(text: &[u8]) -> Option<Named> {
    let text = text.trim_ascii();
    let is_one_line = text.len() <= LOOKED_AT && !text.iter().any(|byte| b"\r\n#".contains(byte));
    if !is_one_line {
        return None;
    }
    let begins = |prefix: &&str| starts_with_ignore_case(text, prefix.as_bytes());
    if ["http://", "https://", "ftp://", "file://"].iter().any(begins) {
        return Some(Named::Url);
    }
    let ends_as_file = text.len() >= 4 && text[text.len() - 4..].eq_ignore_ascii_case(b".txt");
    let has_field = text.get(2..).is_some_and(|rest| rest.contains(&b':')); // not of a drive
    (ends_as_file && !has_field).then_some(Named::File)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_robots_file_is_recognised() {
        let utf16 =
            |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        let noise: Vec<u8> =
            (0u32..512).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for (body, code) in [
            (utf16("User-agent: *\nDisallow: /"), FindingCode::Utf16),
            ([b"\xFE\xFF".to_vec(), vec![0, b'U']].concat(), FindingCode::Utf16),
            (b"\n <!doctype html><p>Not found".to_vec(), FindingCode::Html),
            (b"<html lang=en>".to_vec(), FindingCode::Html),
            (b"<?xml version='1.0'?>".to_vec(), FindingCode::Html),
            (b"\xEF\xBB\xBF{\"error\": 404}".to_vec(), FindingCode::Json),
            (b"[\n  {}\n]".to_vec(), FindingCode::Json),
            (b"[1, 2]".to_vec(), FindingCode::Json),
            (b"\xFF\xFE\0\0U\0\0\0s\0\0\0".to_vec(), FindingCode::NotText),
            (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03".to_vec(), FindingCode::NotText),
            (noise, FindingCode::NotText),
        ] {
            assert_eq!(foreign(&body), Some(code), "{body:?}");
        }
    }

    #[test]
    fn files_and_near_misses_are_left_alone() {
        for body in [
            &b""[..],
            b"User-agent: *\nDisallow: /\n",
            b"\xEF\xBB\xBFUser-agent: *",
            b"# caf\xE9 in Latin-1\nUser-agent: a\nDisallow: /caf\xE9",
            b"User-agent: a\0b\nDisallow: /",
            b"<- mind the comment\nUser-agent: *",
            b"[section]\nUser-agent: *",
            b"\x0c",
        ] {
            assert_eq!(foreign(body), None, "{body:?}");
        }
    }

    #[test]
    fn names_of_files_and_urls_are_told_from_files() {
        for (text, named) in [
            (&b"robots.txt"[..], Some(Named::File)),
            (b"/srv/www/robots.TXT\n", Some(Named::File)),
            (b"C:\\sites\\robots.txt", Some(Named::File)),
            (b"https://example.com/robots.txt", Some(Named::Url)),
            (b"HTTP://example.com", Some(Named::Url)),
            (b"", None),
            (b"Disallow: /a.txt", None),
            (b"Sitemap: https://example.com/s.txt", None),
            (b"User-agent: *\nDisallow: /robots.txt", None),
            (b"# robots.txt", None),
        ] {
            assert_eq!(named_by(text), named, "{text:?}");
        }
    }
}
