//! Responses as nearly all servers send them, read without copying.
//!
//! In: the block of a WARC response record. Out: its status, where it redirects to, and its body,
//! or [`None`] for anything unusual or encoded, which needs a slower and more complete reader. RFC
//! 9112 sections 2.1 and 4.

use std::ops::Range;

use memchr::memmem;

/// A response without anything unusual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    /// The status.
    pub status: i32,
    /// An absolute URL that it redirects to.
    pub location: Option<Range<usize>>,
    /// The bytes of the file; none unless the status is 2xx.
    pub body: Option<Range<usize>>,
}

const GZIP: &[u8] = b"\x1f\x8b";

impl Plain {
    /// Read a block whose body has at most this many bytes.
    pub fn read(block: &[u8], most: usize) -> Option<Plain> {
        let status = status(block)?;
        let head_len = memmem::find(block, b"\r\n\r\n")?;
        let (head, start) = (&block[..head_len], head_len + 4);
        if memmem::find(head, b"\n\n").is_some() {
            return None;
        }
        let plain = Plain { status, location: None, body: None };
        match status / 100 {
            2 => {
                let body = &block[start..];
                let is_odd = is_coded(head) || body.starts_with(GZIP) || body.len() > most;
                (!is_odd).then_some(Plain { body: Some(start..block.len()), ..plain })
            }
            3 => match field(head, b"location") {
                None => Some(plain),
                Some(place) => {
                    let value = &block[place.clone()];
                    let is_absolute =
                        value.starts_with(b"https://") || value.starts_with(b"http://");
                    let is_plain = is_absolute && value.iter().all(u8::is_ascii_graphic);
                    is_plain.then_some(Plain { location: Some(place), ..plain })
                }
            },
            _ => Some(plain),
        }
    }
}

/// The status of a line that begins as in HTTP/1.1.
fn status(block: &[u8]) -> Option<i32> {
    match block {
        [b'H', b'T', b'T', b'P', b'/', b'1', b'.', b'0' | b'1', b' ', a, b, c, end, ..]
            if matches!(end, b' ' | b'\r') && [a, b, c].iter().all(|o| o.is_ascii_digit()) =>
        {
            let digit = |byte: &u8| i32::from(byte - b'0');
            Some(100 * digit(a) + 10 * digit(b) + digit(c))
        }
        _ => None,
    }
}

fn is_coded(head: &[u8]) -> bool {
    field(head, b"transfer-encoding").is_some() || field(head, b"content-encoding").is_some()
}

/// The span of the value of the first field of this name, without blanks around it. Its lines must
/// end with CR LF.
fn field(head: &[u8], name: &[u8]) -> Option<Range<usize>> {
    memchr::memchr_iter(b'\n', head).find_map(|end| {
        let line = &head[end + 1..];
        let (key, rest) = line.split_at_checked(name.len())?;
        if !key.eq_ignore_ascii_case(name) {
            return None;
        }
        let colon = rest.iter().position(|o| !matches!(o, b' ' | b'\t'))?;
        let value = rest[colon..].strip_prefix(b":")?;
        let value = &value[..memchr::memchr2(b'\r', b'\n', value).unwrap_or(value.len())];
        let start = head.len() - line.len() + name.len() + colon + 1;
        let trimmed = value.trim_ascii_start();
        let start = start + value.len() - trimmed.len();
        Some(start..start + trimmed.trim_ascii_end().len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &str) -> Option<(i32, Option<&str>, Option<&str>)> {
        let plain = Plain::read(block.as_bytes(), 100)?;
        Some((plain.status, plain.location.map(|at| &block[at]), plain.body.map(|at| &block[at])))
    }

    #[test]
    fn what_is_plain_is_read() {
        assert_eq!(
            read("HTTP/1.1 200 OK\r\nA: b\r\n\r\nUser-agent: *\n"),
            Some((200, None, Some("User-agent: *\n")))
        );
        assert_eq!(read("HTTP/1.0 204\r\nA: b\r\n\r\n"), Some((204, None, Some(""))));
        assert_eq!(read("HTTP/1.1 404 Not Found\r\nA: b\r\n\r\n<p>"), Some((404, None, None)));
        assert_eq!(
            read("HTTP/1.1 301 M\r\nA: b\r\nLOCATION : \t https://e.com/ \r\nB: c\r\n\r\n<p>"),
            Some((301, Some("https://e.com/"), None))
        );
        assert_eq!(read("HTTP/1.1 304 N\r\nA: b\r\n\r\n"), Some((304, None, None)));
    }

    #[test]
    fn what_is_odd_is_left_to_others() {
        for block in [
            "",
            "HTTP/1.1 20",
            "HTTP/1.1 200",
            "HTTP/1.1 2x0 OK\r\n\r\n",
            "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/2 200\r\n\r\n",
            "http/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\nA: b\n\nbody",
            "HTTP/1.1 200 OK\nA: b\n\nbody\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nx",
            "HTTP/1.1 200 OK\r\ntransfer-encoding : chunked\r\n\r\n0\r\n",
            "HTTP/1.1 301 M\r\nLocation: /robots.txt\r\n\r\n",
            "HTTP/1.1 301 M\r\nLocation: https://e.com/\u{e9}\r\n\r\n",
        ] {
            assert_eq!(read(block), None, "{block:?}");
        }
        let long = format!("HTTP/1.1 200 OK\r\n\r\n{}", "a".repeat(101));
        assert_eq!(read(&long), None);
    }
}
