//! A captured response: the bytes that a server sent, as its status, fields and body.
//!
//! In: the block of a WARC response record. Out: its parts. Archives keep the errors of servers:
//! lines may end with only LF, the reason phrase may be missing (RFC 9112 sections 2.2 and 4). A block
//! without a status line (HTTP/0.9 has none), or without the end of its header, is not a response, and
//! has no status. A body that is there as it is and as long as it says is known here to be the file;
//! others are judged elsewhere, as those of live responses are.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use crate::archive::record::{is_space, trimmed};

/// The most bytes of a body that are kept; dialects with a limit read half of it at most.
pub const MOST_BYTES: usize = 1 << 20;

/// A field that is read.
pub type Field<'b> = (&'static str, &'b [u8]);

const LENGTH: &str = "content-length";
const CODING: &str = "content-encoding";
const TRANSFER: &str = "transfer-encoding";
const LOCATION: &str = "location";
const NAMES: [&str; 4] = [LENGTH, CODING, TRANSFER, LOCATION];

/// Whether everything is there of what a server sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All of it, as far as is known.
    Complete,
    /// The rest was not kept.
    Limit,
    /// It broke off.
    Broken,
}

impl Ended {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Ended::Complete => "complete",
            Ended::Limit => "limit",
            Ended::Broken => "broken",
        }
    }
}

/// A response.
#[derive(Debug)]
pub struct Response<'b> {
    /// The status.
    pub status: u16,
    /// The fields about the body, and those about redirects.
    pub fields: Vec<Field<'b>>,
    /// What stands behind the header.
    pub body: &'b [u8],
}

impl<'b> Response<'b> {
    /// The response in a block.
    pub fn of(block: &'b [u8]) -> Option<Response<'b>> {
        let (status, end) = (status_of(block)?, end_of_head(block)?);
        let (head, body) = block.split_at(end);
        Some(Response { status, fields: fields_of(head), body })
    }

    /// Where a redirect leads, as written.
    pub fn location(&self) -> Option<&'b [u8]> {
        self.fields.iter().find(|(name, _)| *name == LOCATION).map(|(_, value)| *value)
    }

    /// The body without its chunks, and whether their end is there.
    pub fn unchunked(&self, ended: Ended) -> (Cow<'b, [u8]>, Ended) {
        let is_chunked = |(name, value): &Field| {
            *name == TRANSFER && String::from_utf8_lossy(value).to_lowercase().contains("chunked")
        };
        if !self.fields.iter().any(is_chunked) {
            return (Cow::Borrowed(self.body), ended);
        }
        match unchunked(self.body, ended) {
            // then only a length can tell whether all of it is there
            (Cow::Borrowed(body), Ended::Complete) if self.is_short(body) => {
                (Cow::Borrowed(body), Ended::Broken)
            }
            found => found,
        }
    }

    /// Whether a length says that there was more of a body than there is.
    fn is_short(&self, body: &[u8]) -> bool {
        let of = |name: &'static str| self.fields.iter().filter(move |field| field.0 == name);
        let mut lengths = of(LENGTH);
        of(CODING).next().is_none() && !lengths.all(|(_, length)| is_within(length, body.len()))
    }

    /// Whether a body without chunks is the file, and as long as it says.
    pub fn is_file(&self, body: &[u8], ended: Ended) -> bool {
        let of = |name: &'static str| self.fields.iter().filter(move |field| field.0 == name);
        let framed = match (of(TRANSFER).next(), of(LENGTH).next()) {
            (Some((_, transfer)), _) => {
                of(TRANSFER).count() == 1 && transfer.eq_ignore_ascii_case(b"chunked")
            }
            (None, Some((_, length))) => of(LENGTH).count() == 1 && is_within(length, body.len()),
            (None, None) => true,
        };
        framed
            && ended == Ended::Complete
            && of(CODING).next().is_none()
            && body.len() <= MOST_BYTES
            && !body.starts_with(b"\x1f\x8b")
    }
}

/// Where the first empty line ends.
fn end_of_head(block: &[u8]) -> Option<usize> {
    memchr_iter(b'\n', block).find_map(|at| match &block[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

/// Whether a length is a number, and there is as much as it says.
fn is_within(length: &[u8], there: usize) -> bool {
    let is_number = !length.is_empty() && length.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(length).ok().filter(|_| is_number && length.len() <= 18);
    number.and_then(|number| number.parse::<usize>().ok()).is_some_and(|number| number <= there)
}

/// The status in a line such as `HTTP/1.1 200 OK`.
fn status_of(block: &[u8]) -> Option<u16> {
    let spaces = block.iter().take(8).take_while(|byte| is_space(byte)).count();
    let (name, rest) = block[spaces..].split_at_checked(5)?;
    let [b'0'..=b'9', rest @ ..] = rest else { return None };
    let rest = match rest {
        [b'.', b'0'..=b'9', rest @ ..] => rest,
        rest => rest,
    };
    let blanks = rest.iter().take_while(|byte| is_blank(byte)).count();
    let digits = rest[blanks..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !name.eq_ignore_ascii_case(b"HTTP/") || blanks == 0 || digits != 3 {
        return None;
    }
    let number = rest[blanks..].iter().take(3);
    Some(number.fold(0, |sum, digit| 10 * sum + u16::from(digit - b'0')))
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The fields of a header that are read; their lines may be folded (RFC 9112 section 5.2).
fn fields_of(head: &[u8]) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr(b'\n', &head[at..]) {
        at += found + 1;
        if let Some((name, value)) = field_at(&head[at..]) {
            let end = end_of_value(&head[at + value..]);
            fields.push((name, trimmed(&head[at + value..at + value + end])));
            at += value + end;
        }
    }
    fields
}

/// The name at the beginning of a line, if it is one that is read, and where its value begins.
fn field_at(line: &[u8]) -> Option<(&'static str, usize)> {
    let is_it = |name: &&&str| {
        line.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
    };
    let name = NAMES.iter().find(is_it)?;
    let blanks = line[name.len()..].iter().take_while(|byte| is_blank(byte)).count();
    let colon = name.len() + blanks;
    (line.get(colon) == Some(&b':')).then_some((name, colon + 1))
}

/// The length of a value with the lines in which it goes on.
fn end_of_value(rest: &[u8]) -> usize {
    let line = |at: usize| {
        let len = rest[at..].iter().take_while(|byte| !matches!(byte, b'\r' | b'\n')).count();
        at + len
    };
    let mut end = line(0);
    loop {
        let next = match &rest[end..] {
            [b'\n', ..] => end + 1,
            [b'\r', b'\n', ..] => end + 2,
            _ => return end,
        };
        match &rest[next..line(next)] {
            [first, _, ..] if is_blank(first) => end = line(next),
            _ => return end,
        }
    }
}

/// The joined chunks, and whether their end is there (RFC 9112 section 7.1).
///
/// A body that does not begin with a chunk was joined by the program that archived it.
fn unchunked(body: &[u8], ended: Ended) -> (Cow<'_, [u8]>, Ended) {
    let mut joined: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some((size, start)) = chunk_at(body, at) {
        if size == 0 {
            return (Cow::Owned(joined.unwrap_or_default()), Ended::Complete);
        }
        let end = body.len().min(start.saturating_add(size));
        joined.get_or_insert_with(Vec::new).extend_from_slice(&body[start..end]);
        at = match &body[end..] {
            [b'\r', b'\n', ..] => end + 2,
            [b'\n', ..] => end + 1,
            _ => end,
        };
    }
    match joined {
        None if !(body.is_empty() || is_torn_chunk(body)) => (Cow::Borrowed(body), ended),
        joined => {
            let ended = if ended == Ended::Limit { ended } else { Ended::Broken };
            (Cow::Owned(joined.unwrap_or_default()), ended)
        }
    }
}

/// The most bytes of the extensions of a chunk.
const LONGEST_EXTENSION: usize = 4_096;
/// The most digits of the size of a chunk behind its zeros.
const MOST_DIGITS: usize = 8;

/// The size of a chunk, and where its bytes begin.
fn chunk_at(body: &[u8], at: usize) -> Option<(usize, usize)> {
    let (size, mut at) = size_at(body, at)?;
    if body.get(at) == Some(&b';') {
        let extension = &body[at + 1..body.len().min(at + LONGEST_EXTENSION + 3)];
        let len = memchr(b'\n', extension)?;
        let is_ended = extension[..len].ends_with(b"\r");
        if len > LONGEST_EXTENSION + usize::from(is_ended) {
            return None;
        }
        at += 1 + len;
    } else if body.get(at) == Some(&b'\r') {
        at += 1;
    }
    (body.get(at) == Some(&b'\n')).then_some((size, at + 1))
}

/// The number at the beginning of a line of a chunk, and where it ends, with the blanks around it.
fn size_at(body: &[u8], at: usize) -> Option<(usize, usize)> {
    let blanks = |at: usize| at + body[at..].iter().take_while(|byte| is_blank(byte)).count();
    let begin = blanks(at);
    let zeros = body[begin..].iter().take_while(|byte| **byte == b'0').count();
    let start = begin + zeros;
    let digits = body[start..].iter().take_while(|byte| byte.is_ascii_hexdigit());
    let end = start + digits.take(MOST_DIGITS).count();
    let size = match std::str::from_utf8(&body[start..end]).ok()? {
        "" if zeros == 0 => return None,
        "" => 0,
        number => usize::from_str_radix(number, 16).ok()?,
    };
    Some((size, blanks(end)))
}

/// Whether there is nothing but the beginning of a line of a chunk.
fn is_torn_chunk(body: &[u8]) -> bool {
    let Some((_, end)) = size_at(body, 0) else { return false };
    match &body[end..] {
        [] | [b'\r'] => true,
        [b';', extension @ ..] => memchr(b'\n', extension).is_none(),
        _ => false,
    }
}
