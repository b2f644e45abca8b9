//! Escapes: how logs write bytes that would end a value, or that are not printable.
//!
//! In: a value as it is written. Out: the value itself, borrowed where nothing is escaped.

use std::borrow::Cow;

use memchr::{memchr, memmem};

/// A field without the escapes of Apache and nginx.
#[inline]
pub fn unescaped(field: &[u8]) -> Cow<'_, [u8]> {
    match memchr(b'\\', field) {
        None => Cow::Borrowed(field),
        Some(at) => Cow::Owned(without_escapes(field, at)),
    }
}

#[cold]
fn without_escapes(field: &[u8], first: usize) -> Vec<u8> {
    let mut bytes = field[..first].to_vec();
    let mut rest = &field[first..];
    while let Some((&byte, behind)) = rest.split_first() {
        let (byte, behind) = match (byte, behind) {
            (b'\\', [b'x', high, low, behind @ ..]) => match hex(*high).zip(hex(*low)) {
                Some((high, low)) => (high << 4 | low, behind),
                None => (byte, &rest[1..]),
            },
            (b'\\', [escaped, behind @ ..]) => match plain(*escaped) {
                Some(plain) => (plain, behind),
                None => (byte, &rest[1..]),
            },
            _ => (byte, behind),
        };
        bytes.push(byte);
        rest = behind;
    }
    bytes
}

fn plain(escaped: u8) -> Option<u8> {
    Some(match escaped {
        b'"' | b'\\' => escaped,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0B,
        b'b' => 0x08,
        b'f' => 0x0C,
        _ => return None,
    })
}

/// The value of a hexadecimal digit.
pub fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// A JSON string without its escapes; `\xHH` is read, too.
#[cold]
pub fn json_unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = match (byte, behind) {
            (b'\\', [b'u', behind @ ..]) => push_unit(&mut bytes, behind),
            (b'\\', [b'x', high, low, behind @ ..]) if hex(*high).and(hex(*low)).is_some() => {
                bytes.push(hex(*high).unwrap_or(0) << 4 | hex(*low).unwrap_or(0));
                behind
            }
            (b'\\', [escaped, behind @ ..]) => {
                bytes.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'f' => 0x0C,
                    other => *other,
                });
                behind
            }
            _ => {
                bytes.push(byte);
                behind
            }
        };
    }
    bytes
}

/// Take the digits after `\u`. What cannot be one character is U+FFFD; a lone surrogate that stands
/// for a byte, as Python writes bytes that are not UTF-8, is that byte.
fn push_unit<'a>(bytes: &mut Vec<u8>, rest: &'a [u8]) -> &'a [u8] {
    let Some(first) = unit(rest) else {
        bytes.extend_from_slice("\u{FFFD}".as_bytes());
        return rest;
    };
    let mut rest = &rest[4..];
    let second = rest.strip_prefix(b"\\u").and_then(unit);
    let code = match (first, second) {
        (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
            rest = &rest[6..];
            0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00)
        }
        (0xDC80..=0xDCFF, _) => {
            bytes.push((first - 0xDC00) as u8);
            return rest;
        }
        _ => first,
    };
    let character = char::from_u32(code).unwrap_or('\u{FFFD}');
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    rest
}

/// Four hexadecimal digits.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.get(..4)?;
    digits.iter().try_fold(0, |sum, digit| Some(sum << 4 | u32::from(hex(*digit)?)))
}

/// A text whose spaces were written as `+`.
pub fn with_spaces(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if !text.contains(&b'+') {
        return text;
    }
    let mut text = text.into_owned();
    text.iter_mut().filter(|byte| **byte == b'+').for_each(|byte| *byte = b' ');
    Cow::Owned(text)
}

/// A text whose quotation marks were written twice.
pub fn without_doubles(text: &[u8]) -> Vec<u8> {
    let mut is_second = false;
    let kept = text.iter().filter(|byte| {
        is_second = **byte == b'"' && !is_second;
        **byte != b'"' || is_second
    });
    kept.copied().collect()
}

/// A text whose spaces were written as `%20`, or as `%2520`, as in older logs of CloudFront.
pub fn with_percent_spaces(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let once = percent_decoded(text);
    let is_twice = !once.contains(&b' ') && memmem::find(&once, b"%20").is_some();
    if is_twice {
        percent_decoded(once)
    } else {
        once
    }
}

/// A text without the escapes of URLs.
pub fn percent_decoded(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if !text.contains(&b'%') {
        return text;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = &text[..];
    while let Some((&byte, behind)) = rest.split_first() {
        let decoded = match (byte, behind) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(h, l)| h << 4 | l),
            _ => None,
        };
        bytes.push(decoded.unwrap_or(byte));
        rest = if decoded.is_some() { &behind[2..] } else { behind };
    }
    Cow::Owned(bytes)
}
