//! The HTTP log format of HAProxy (`option httplog`).
//!
//! In: `… CLIENT [TIME] FRONTEND BACKEND/SERVER TIMERS STATUS BYTES COOKIE COOKIE STATE CONNECTIONS
//! QUEUES {HEADERS} {HEADERS} "REQUEST"`, behind whatever syslog writes. Out: an [`Entry`]. The
//! first braces hold the captured request headers, separated by `|`, in the order of the configuration:
//! the host is the first with a dot that may be one, otherwise the first of several; the last that
//! is neither the host nor a URL is the identification string. `option httpslog` goes on after the request. Source: HAProxy
//! Configuration Manual, "HTTP log format", "HTTPS log format" and "Custom log format": bytes that
//! are not printable, and quotation marks, are `#XX`.

use std::borrow::Cow;

use memchr::memchr;

use crate::logs::common::{is_name, split_at_time};
use crate::logs::entry::{is_address, split_request, Entry, Request, Unreadable};
use crate::logs::escapes::hex;

/// The words between the time and the braces, or the request.
const WORDS: usize = 10;

/// The place of the status among them.
const STATUS: usize = 3;

/// Read a line.
pub fn read(line: &[u8]) -> Result<Entry<'_>, Unreadable> {
    let (_, time, mut rest) = split_at_time(line).ok_or(Unreadable::NoTime)?;
    let mut status = None;
    for place in 0..WORDS {
        let (word, behind) = first_word(rest).ok_or(Unreadable::NoRequest)?;
        if place == STATUS {
            status = Some(number(word).ok_or(Unreadable::NoStatus)?);
        }
        rest = behind;
    }
    let headers = braces(&mut rest);
    braces(&mut rest);
    let request = rest.trim_ascii_start().strip_prefix(b"\"").ok_or(Unreadable::NoRequest)?;
    let (host, agent) = captured(headers.unwrap_or_default());
    let request = &request[..memchr(b'"', request).unwrap_or(request.len())];
    Ok(Entry {
        host,
        time: Some(time),
        request: split_request(request).map(|(method, target)| Request {
            method: Cow::Borrowed(method),
            target: unescaped(target),
        }),
        status: status.flatten(),
        agent,
    })
}

fn first_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = memchr(b' ', text)?;
    (end > 0).then(|| text.split_at(end))
}

/// A status; none for one that was never sent (`-1`).
fn number(word: &[u8]) -> Option<Option<u16>> {
    match word {
        b"-1" | b"0" => Some(None),
        [b'1'..=b'9', _, _] => Some(Some(std::str::from_utf8(word).ok()?.parse().ok()?)),
        _ => None,
    }
}

/// Take the text in braces that the rest begins with.
fn braces<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let text = rest.trim_ascii_start().strip_prefix(b"{")?;
    // A header may hold a brace; what ends it is followed by a space.
    let end = memchr::memmem::find(text, b"} ")?;
    *rest = &text[end + 1..];
    Some(&text[..end])
}

type Text<'a> = Option<Cow<'a, [u8]>>;

/// The host and the identification string of captured headers.
fn captured(headers: &[u8]) -> (Text<'_>, Text<'_>) {
    let told = || headers.split(|byte| *byte == b'|').filter(|text| !matches!(*text, b"" | b"-"));
    let first = headers.split(|byte| *byte == b'|').next().filter(|first| *first != headers);
    let host = told().find(|text| is_name(text) && text.contains(&b'.'));
    let host = host.or(first.filter(|first| is_name(first)));
    let is_url = |text: &[u8]| text.starts_with(b"http://") || text.starts_with(b"https://");
    let agent = told().rfind(|text| Some(*text) != host && !is_url(text) && !is_address(text));
    (host.map(unescaped), agent.map(unescaped))
}

/// A text without `#XX`; `#` itself is written so, too.
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'#', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        let pair = match (byte, behind) {
            (b'#', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        bytes.push(pair.map_or(byte, |(high, low)| high << 4 | low));
        rest = if pair.is_some() { &behind[2..] } else { behind };
    }
    Cow::Owned(bytes)
}
