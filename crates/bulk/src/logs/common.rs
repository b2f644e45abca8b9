//! Common Log Format, plain or combined with referrer and identification string.
//!
//! In: `[HOST:PORT] CLIENT IDENTITY USER [TIME] "REQUEST" STATUS SIZE ["REFERRER" "AGENT" ...]`, as
//! Apache and nginx write it by default. Out: an [`Entry`]. The text before the time is not split
//! into words, because user names may contain spaces. Apache writes `\"`, `\\`, `\n` and `\xHH`
//! within quotation marks, nginx only `\xHH`.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr_iter};

use crate::logs::entry::{split_request, Entry, Request, Unreadable};
use crate::logs::time;

/// Read a line; `has_host` says that it begins with the name of the virtual host. Otherwise, its
/// beginning counts as one only if a port follows it.
#[inline]
pub fn read(line: &[u8], has_host: bool) -> Result<Entry<'_>, Unreadable> {
    let (before, time, rest) = split_at_time(line).ok_or(Unreadable::NoTime)?;
    let rest = rest.strip_prefix(b" \"").ok_or(Unreadable::NoRequest)?;
    let (request, rest) = quoted(rest).ok_or(Unreadable::Cut)?;
    let (status, rest) = status(rest).ok_or(Unreadable::NoStatus)?;
    Ok(Entry {
        host: host(before, has_host).map(Cow::Borrowed),
        time: Some(time),
        request: split_request(request).map(|(method, target)| Request {
            method: Cow::Borrowed(method),
            target: unescaped(target),
        }),
        status,
        agent: agent(rest)?.map(unescaped),
    })
}

/// The text before the time, the time, and the text after its bracket.
#[inline]
fn split_at_time(line: &[u8]) -> Option<(&[u8], i64, &[u8])> {
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

/// The second of the fields in quotation marks; those without, such as the size, are skipped.
#[inline]
fn agent(mut rest: &[u8]) -> Result<Option<&[u8]>, Unreadable> {
    let mut is_second = false;
    while let Some(space) = memchr(b' ', rest) {
        rest = &rest[space + 1..];
        let Some(text) = rest.strip_prefix(b"\"") else { continue };
        let (field, behind) = quoted(text).ok_or(Unreadable::Cut)?;
        if is_second {
            return Ok(Some(field).filter(|field| !matches!(*field, b"" | b"-")));
        }
        (is_second, rest) = (true, behind);
    }
    Ok(None)
}

/// The virtual host at the beginning of a line. Clients have no port there, and IPv6 addresses have
/// more than one colon.
#[inline]
fn host(before: &[u8], has_host: bool) -> Option<&[u8]> {
    let word = &before[..memchr(b' ', before).unwrap_or(before.len())];
    if has_host {
        return Some(word).filter(|word| !matches!(*word, b"" | b"-"));
    }
    let behind = match word.first() {
        Some(b'[') => memchr(b']', word)?,
        _ => 0,
    };
    let colon = behind + memchr(b':', &word[behind..])?;
    let port = &word[colon + 1..];
    let is_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    (is_port && colon > 0).then_some(word)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 23 "-" "A""#;

    fn told(line: &str) -> Result<String, &'static str> {
        let text = |bytes: Option<Cow<[u8]>>| {
            bytes.map_or("-".into(), |o| String::from_utf8_lossy(&o).into_owned())
        };
        let entry = read(line.as_bytes(), false).map_err(Unreadable::name)?;
        let status = entry.status.map_or("-".into(), |s| s.to_string());
        let target = text(entry.request.map(|request| request.target));
        Ok(format!("{}|{target}|{status}|{}", text(entry.host), text(entry.agent)))
    }

    #[test]
    fn what_servers_write_is_read() {
        let time = "[10/Oct/2000:13:55:36 -0700]";
        for (line, expected) in [
            (LINE.to_string(), Ok("-|/a|200|A")),
            (format!(r#"::1 - frank {time} "GET /a HTTP/1.0" 304 -"#), Ok("-|/a|304|-")),
            (format!(r#"2001:db8::1 - a b [x] {time} "GET /a HTTP/1.0" - -"#), Ok("-|/a|-|-")),
            (
                format!(r#"example.com:80 192.0.2.1 - - {time} "GET / HTTP/1.1" 200 5 "r" "A B""#),
                Ok("example.com:80|/|200|A B"),
            ),
            (
                format!(r#"[::1]:443 192.0.2.1 - - {time} "GET / HTTP/1.1" 200 5"#),
                Ok("[::1]:443|/|200|-"),
            ),
            (
                format!(r#"h - - {time} "GET /\"\\\xe3\x83\x84\q HTTP/1.1" 200 5 "\"" "A \"q\"""#),
                Ok("-|/\"\\ツ\\q|200|A \"q\""),
            ),
            (format!(r#"h - - {time} "GET /"a"b HTTP/1.1" 200 5 "-" "-""#), Ok("-|/\"a\"b|200|-")),
            (format!(r#"h - - {time} "\x16\x03\x01" 400 0 "-" "-""#), Ok("-|-|400|-")),
            (format!(r#"h - - {time} "-" 408 - "-" "-""#), Ok("-|-|408|-")),
            (format!(r#"h - - {time} "" 400 - "-" "-""#), Ok("-|-|400|-")),
            (
                format!(r#"h - - {time} "GET /a" 200 5 0.003 "-" "A" "192.0.2.9" 7"#),
                Ok("-|/a|200|A"),
            ),
            (
                r#"h - - [2000-10-10T13:55:36-07:00] "GET /a HTTP/2.0" 200 5 "-" "A""#.into(),
                Ok("-|/a|200|A"),
            ),
            (format!(r#"h - - {time} "GET /a HTTP/1.1" 200 5 "-" "A"#), Err("cut")),
            (format!(r#"h - - {time} "GET /a"#), Err("cut")),
            (format!(r#"h - - {time} "GET /a\""#), Err("cut")),
            (format!(r#"h - - {time} "GET /a HTTP/1.1" x 5"#), Err("no-status")),
            (format!(r#"h - - {time} "GET /a HTTP/1.1" 20 5"#), Err("no-status")),
            (format!(r#"h - - {time} "GET /a HTTP/1.1""#), Err("no-status")),
            (format!(r#":80 - - {time} "GET /a HTTP/1.0" 200 5"#), Ok("-|/a|200|-")),
            (format!("h - - {time} GET /a"), Err("no-request")),
            (format!("h - - {time}"), Err("no-request")),
            (r#"h - - [-] "GET /a HTTP/1.1" 200 5"#.into(), Err("no-time")),
            ("#Fields: date time".into(), Err("no-time")),
            ("\u{16}\u{3}\0".into(), Err("no-time")),
        ] {
            assert_eq!(told(&line), expected.map(|text: &str| text.to_string()), "{line}");
        }
    }

    #[test]
    fn a_host_without_port_needs_the_vhost_form() {
        let entry = read(LINE.as_bytes(), true).unwrap();

        assert_eq!(entry.host.as_deref(), Some(&b"192.0.2.1"[..]));
        assert_eq!(entry.time, Some(971_211_336_000_000));
    }

    #[test]
    fn every_beginning_of_a_line_gives_an_answer() {
        for end in 0..LINE.len() {
            let _ = read(&LINE.as_bytes()[..end], end % 2 == 0);
        }
    }
}
