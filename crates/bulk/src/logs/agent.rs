//! Identification strings in logs: which field of a line is one, and how its blanks are written.
//!
//! In: the fields in quotation marks behind a request, whose order no line tells, and
//! identification strings as they are logged. Out: the field, and the string itself. Nothing here
//! knows crawlers.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::logs::entry::{is_address, is_token_byte};
use crate::logs::escapes::{with_percent_spaces, with_spaces};

/// The registered types of media (RFC 6838), as in `Accept:` and `Content-Type:`.
const MEDIA: [&[u8]; 9] = [
    b"*",
    b"application",
    b"audio",
    b"font",
    b"image",
    b"message",
    b"multipart",
    b"text",
    b"video",
];

/// What is written as a product, and is none.
const PROTOCOLS: [&[u8]; 3] = [b"HTTP", b"TLS", b"SSL"];

/// Whether a field is no identification string: it is missing, or a URL, cookies, media types,
/// preferences or addresses, and nothing else.
#[inline]
pub fn is_none(field: &[u8]) -> bool {
    match field {
        b"" | b"-" => true,
        // Most strings begin with a product, and most of these with this one.
        [b'M', b'o', b'z', b'i', b'l', b'l', b'a', b'/', ..] => false,
        _ => !is_product(first_word(field)) && is_other(field.trim_ascii()),
    }
}

fn first_word(text: &[u8]) -> &[u8] {
    &text[..memchr(b' ', text).unwrap_or(text.len())]
}

#[cold]
fn is_other(text: &[u8]) -> bool {
    let parts_are = |comma: u8, is_it: fn(&[u8]) -> bool| {
        text.split(|byte| *byte == comma).map(<[u8]>::trim_ascii).all(is_it)
    };
    matches!(text, b"" | b"-")
        || is_url(text)
        || parts_are(b';', |part| part.is_empty() || is_pair(part))
        || parts_are(b',', |part| is_media_type(part) || is_address(part))
        || memmem::find(text, b";q=").is_some()
}

/// Whether a field is an identification string, whatever stands around it: it holds a product with
/// a version, or a contact.
pub fn is_one(field: &[u8]) -> bool {
    let mut words = field.split(|byte| b" \t;,()".contains(byte));
    !is_none(field) && (words.any(is_product) || memmem::find(field, b"+http").is_some())
}

/// `https://shop.example/a`.
fn is_url(text: &[u8]) -> bool {
    let is_scheme = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_alphabetic);
    let colon = memmem::find(text, b"://");
    colon.is_some_and(|colon| is_scheme(&text[..colon])) && memchr(b' ', text).is_none()
}

/// `sid=1`.
fn is_pair(part: &[u8]) -> bool {
    let name = memchr(b'=', part).map_or(&part[..0], |equals| &part[..equals]);
    !name.is_empty() && name.iter().all(|byte| is_token_byte(*byte))
}

/// `text/html;charset=utf-8`.
fn is_media_type(part: &[u8]) -> bool {
    let kind = memchr(b'/', part).map(|slash| &part[..slash]);
    kind.is_some_and(|kind| MEDIA.contains(&kind)) && memchr(b' ', part).is_none()
}

/// `ExampleBot/1.0`.
#[inline]
fn is_product(word: &[u8]) -> bool {
    let Some(slash) = memchr(b'/', word) else { return false };
    let (name, version) = (&word[..slash], &word[slash + 1..]);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let is_name = name.iter().all(is_part) && name.iter().any(u8::is_ascii_alphabetic);
    is_name
        && version.first().is_some_and(u8::is_ascii_digit)
        && !PROTOCOLS.contains(&name)
        && !MEDIA.contains(&name)
}

/// An identification string with its blanks, which some servers write as in URLs, and others as IIS
/// does, whatever the format is.
#[inline]
pub fn with_blanks(agent: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match memchr(b' ', &agent) {
        Some(_) => agent,
        None => with_decoded_blanks(agent),
    }
}

#[cold]
fn with_decoded_blanks(agent: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let holds = |text: &[u8]| memmem::find(&agent, text).is_some();
    if holds(b"%20") {
        with_percent_spaces(agent)
    } else if holds(b"+(") || holds(b";+") {
        with_spaces(agent)
    } else {
        agent
    }
}
