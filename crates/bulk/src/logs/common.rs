//! Common Log Format, plain or combined with referrer and identification string.
//!
//! In: `[HOST] CLIENT IDENTITY USER [TIME] "REQUEST" STATUS SIZE ["REFERRER" "AGENT" ...]`, as
//! Apache and nginx write it by default; one more field may stand before the request, and the
//! identification string in another place than the second, where that can be none. Out: an
//! [`Entry`]. The text before the time is not split
//! into words, because user names may contain spaces. Apache writes `\"`, `\\`, `\n` and `\xHH`
//! within quotation marks, nginx only `\xHH`.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr_iter};

use crate::logs::agent::{is_none, is_one};
use crate::logs::entry::{is_address, split_request, Entry, Request, Unreadable};
use crate::logs::escapes::unescaped;
use crate::logs::time;

/// Read a line; `has_host` says that it begins with the name of the virtual host. Otherwise, its
/// beginning counts as one if a port or the address of the client follows it.
#[inline]
pub fn read(line: &[u8], has_host: bool) -> Result<Entry<'_>, Unreadable> {
    let (before, time, rest) = split_at_time(line).ok_or(Unreadable::NoTime)?;
    if holds_another(rest) {
        return Err(Unreadable::Cut);
    }
    let usual = rest.strip_prefix(b" \"").ok_or(Unreadable::NoRequest).and_then(answered);
    let (more, (request, status, rest)) = match usual {
        Ok(found) => (None, found),
        Err(why) => behind_a_field(rest).ok_or(why)?,
    };
    Ok(Entry {
        host: host(before, has_host).or(more).map(Cow::Borrowed),
        time: Some(time),
        request: split_request(request).map(|(method, target)| Request {
            method: Cow::Borrowed(method),
            target: unescaped(target),
        }),
        status,
        agent: agent(rest)?.map(unescaped),
    })
}

/// Whether another entry begins within one, whose line was torn: a server that escapes quotation
/// marks writes none behind a time.
#[inline]
fn holds_another(rest: &[u8]) -> bool {
    memchr(b'[', rest).is_some()
        && split_at_time(rest).is_some_and(|(_, _, behind)| behind.starts_with(b" \""))
}

/// The request, the status, and the text after them.
type Answered<'a> = (&'a [u8], Option<u16>, &'a [u8]);

/// A request, after its first quotation mark, and its status.
#[inline]
fn answered(text: &[u8]) -> Result<Answered<'_>, Unreadable> {
    let (request, rest) = quoted(text).ok_or(Unreadable::Cut)?;
    let (status, rest) = status(rest).ok_or(Unreadable::NoStatus)?;
    Ok((request, status, rest))
}

/// A request and its status behind one more field, or more than one space; and the host, if the
/// field is one.
#[cold]
fn behind_a_field(text: &[u8]) -> Option<(Option<&[u8]>, Answered<'_>)> {
    let text = text.trim_ascii_start();
    if let Some(found) = requested(text) {
        return Some((None, found));
    }
    let (field, rest) = match text.strip_prefix(b"\"") {
        Some(text) => quoted(text)?,
        None => text.split_at(memchr(b' ', text)?),
    };
    let is_host = is_name(field) && field.contains(&b'.') && !field.iter().all(is_of_number);
    Some((is_host.then_some(field), requested(rest.trim_ascii_start())?))
}

/// A request in quotation marks, and its status.
fn requested(text: &[u8]) -> Option<Answered<'_>> {
    let found = answered(text.strip_prefix(b"\"")?).ok()?;
    split_request(found.0).map(|_| found)
}

fn is_of_number(byte: &u8) -> bool {
    byte.is_ascii_digit() || b".,:-".contains(byte)
}

/// The text before the time, the time, and the text after its bracket.
#[inline]
pub fn split_at_time(line: &[u8]) -> Option<(&[u8], i64, &[u8])> {
    memchr_iter(b'[', line).find_map(|at| {
        let text = &line[at + 1..];
        let (time, len) = time::common(text).or_else(|| time::iso(text))?;
        let rest = text[len..].strip_prefix(b"]")?;
        Some((&line[..at], time, rest))
    })
}

/// The text up to the quotation mark that ends it, and the text after that. A quotation mark that
/// is followed by neither a space nor the end of the line is from a server that does not escape it.
#[inline]
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', &text[at..])?;
        match text[at] {
            b'\\' => at = (at + 2).min(text.len()),
            _ if matches!(text.get(at + 1), None | Some(b' ')) => {
                return Some((&text[..at], &text[at + 1..]));
            }
            _ => at += 1,
        }
    }
}

/// ` 200` or ` -`, and the text after it.
#[inline]
fn status(text: &[u8]) -> Option<(Option<u16>, &[u8])> {
    let text = text.strip_prefix(b" ")?;
    let (word, rest) = text.split_at(memchr(b' ', text).unwrap_or(text.len()));
    match word {
        b"-" => Some((None, rest)),
        [a, b, c] if word.iter().all(u8::is_ascii_digit) => {
            let digit = |byte: &u8| u16::from(byte - b'0');
            Some((Some(digit(a) * 100 + digit(b) * 10 + digit(c)), rest))
        }
        _ => None,
    }
}

/// The identification string: the second of the fields in quotation marks, unless it can be none.
#[inline]
fn agent(rest: &[u8]) -> Result<Option<&[u8]>, Unreadable> {
    let Some((first, rest)) = next_field(rest)? else { return Ok(None) };
    match next_field(rest)? {
        Some((second, _)) if !is_none(second) => Ok(Some(second)),
        Some((_, rest)) => Ok(agent_elsewhere(first, rest)),
        None => Ok(agent_elsewhere(first, b"")),
    }
}

/// The first field that is an identification string: the layout is not the usual one.
#[cold]
fn agent_elsewhere<'a>(first: &'a [u8], mut rest: &'a [u8]) -> Option<&'a [u8]> {
    let mut field = first;
    while !is_one(field) {
        (field, rest) = next_field(rest).ok()??;
    }
    Some(field)
}

/// A field in quotation marks, and the text after it.
type Quoted<'a> = (&'a [u8], &'a [u8]);

/// The next field in quotation marks, and the text after it; those without, such as the size, are
/// skipped.
#[inline]
fn next_field(mut rest: &[u8]) -> Result<Option<Quoted<'_>>, Unreadable> {
    while let Some(space) = memchr(b' ', rest) {
        rest = &rest[space + 1..];
        if let Some(text) = rest.strip_prefix(b"\"") {
            return quoted(text).map(Some).ok_or(Unreadable::Cut);
        }
    }
    Ok(None)
}

/// The virtual host at the beginning of a line. Clients have no port there, and IPv6 addresses have
/// more than one colon.
#[inline]
fn host(before: &[u8], has_host: bool) -> Option<&[u8]> {
    let (word, rest) = before.split_at(memchr(b' ', before).unwrap_or(before.len()));
    if has_host {
        return Some(unquoted(word)).filter(|word| !matches!(*word, b"" | b"-"));
    }
    let is_client = rest.starts_with(b" - ");
    if !is_client {
        if let Some(host) = beside_client(unquoted(word), rest) {
            return Some(host);
        }
    }
    let behind = match word.first() {
        Some(b'[') => memchr(b']', word)?,
        _ => 0,
    };
    let colon = behind + memchr(b':', &word[behind..])?;
    let port = &word[colon + 1..];
    let is_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    // Some servers write the port of the client.
    (is_port && colon > 0 && !(is_client && is_address(&word[..colon]))).then_some(word)
}

/// The host among the words before the time: the first, because the client, its identity and its
/// user come after it (the second is an address, or the third is the identity that nobody sends);
/// or the second, in place of the identity, as lighttpd writes it (mod_accesslog, `%h %V %u`).
#[cold]
fn beside_client<'a>(first: &'a [u8], rest: &'a [u8]) -> Option<&'a [u8]> {
    let mut words = rest.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let (second, third, fourth) = (words.next()?, words.next()?, words.next());
    // Lists of forwarded addresses, and addresses before them, are no hosts.
    if is_address(first) {
        let has_dot = memchr(b'.', second).is_some();
        return Some(second).filter(|word| has_dot && is_name(word));
    }
    let is_first = fourth.is_some() && (is_address(second) || third == b"-");
    (is_first && is_name(first)).then_some(first)
}

/// Whether a word may be the name of a host, and is not one that syslog writes before a line.
pub fn is_name(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:".contains(byte);
    let is_whole = word.iter().all(is_part) || word.starts_with(b"[");
    is_whole && !matches!(word, b"" | b"-") && !word.ends_with(b":") && !is_address(word)
}

fn unquoted(word: &[u8]) -> &[u8] {
    word.strip_prefix(b"\"").and_then(|word| word.strip_suffix(b"\"")).unwrap_or(word)
}
