//! Records in a gzip member each, as in web archives, read if nothing is unusual.
//!
//! In: bytes of an archive, from the beginning of a member on. Out: one [`Record`] after the other,
//! or that more bytes are needed, or that this member needs a more careful reader: it is damaged,
//! long, or not exactly one record. RFC 1952; WARC 1.1 (ISO 28500:2017) section 4. A record counts
//! only if checksum and lengths are right.

use flate2::{Crc, Decompress, FlushDecompress, Status};
use memchr::memmem;

/// The most bytes of a member's content; longer ones are for the other reader.
const MOST: usize = (1 << 20) + (1 << 17);

/// What is at the beginning of the bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<'m> {
    /// A record, and how many bytes its member has.
    Record(Record<'m>, usize),
    /// The beginning of a member that continues after the bytes, or nothing at all.
    More,
    /// What is not read here.
    Odd,
}

/// A valid record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'m> {
    /// What it is, as written.
    pub kind: &'m [u8],
    /// The URL of the record; empty for none.
    pub url: &'m str,
    /// When it was captured.
    pub time: Option<&'m str>,
    /// Whether the archive says that the block was cut.
    pub is_cut: bool,
    /// The content.
    pub block: &'m [u8],
}

/// Reads members, one at a time.
#[derive(Debug)]
pub struct Members {
    inflate: Decompress,
    content: Vec<u8>,
}

impl Default for Members {
    fn default() -> Self {
        Members { inflate: Decompress::new(false), content: Vec::with_capacity(MOST) }
    }
}

impl Members {
    /// Read what is at the beginning.
    pub fn next(&mut self, bytes: &[u8]) -> Next<'_> {
        match self.unpack(bytes) {
            Ok(len) => match record(&self.content) {
                Some(record) => Next::Record(record, len),
                None => Next::Odd,
            },
            Err(Stop::Ended) => Next::More,
            Err(Stop::Broken) => Next::Odd,
        }
    }

    /// Unpack one member; return how many bytes it has.
    fn unpack(&mut self, bytes: &[u8]) -> Result<usize, Stop> {
        let start = header_len(bytes)?;
        self.inflate.reset(false);
        self.content.clear();
        let packed = bytes.get(start..).ok_or(Stop::Ended)?;
        let done = self
            .inflate
            .decompress_vec(packed, &mut self.content, FlushDecompress::Finish)
            .map_err(|_| Stop::Broken)?;
        if done != Status::StreamEnd {
            let is_long = self.content.len() == self.content.capacity();
            return Err(if is_long { Stop::Broken } else { Stop::Ended });
        }
        let end = start + self.inflate.total_in() as usize;
        let trailer = bytes.get(end..end + 8).ok_or(Stop::Ended)?;
        let mut crc = Crc::new();
        crc.update(&self.content);
        let sums = [crc.sum().to_le_bytes(), (self.content.len() as u32).to_le_bytes()].concat();
        if trailer == sums {
            Ok(end + 8)
        } else {
            Err(Stop::Broken)
        }
    }
}

/// Why a member is not unpacked.
enum Stop {
    /// The bytes end before it does.
    Ended,
    /// It is not a member, or damaged, or too long.
    Broken,
}

/// The length of a member's header (RFC 1952 section 2.3).
fn header_len(bytes: &[u8]) -> Result<usize, Stop> {
    const FIXED: usize = 10;
    const EXTRA: u8 = 4;
    let Some(fixed) = bytes.get(..FIXED) else { return Err(Stop::Ended) };
    match fixed {
        [0x1f, 0x8b, 8, 0, ..] => Ok(FIXED),
        [0x1f, 0x8b, 8, EXTRA, ..] => {
            let len = bytes.get(FIXED..FIXED + 2).ok_or(Stop::Ended)?;
            Ok(FIXED + 2 + usize::from(u16::from_le_bytes([len[0], len[1]])))
        }
        _ => Err(Stop::Broken),
    }
}

/// The record that is the whole of a content.
fn record(content: &[u8]) -> Option<Record<'_>> {
    const END: &[u8] = b"\r\n\r\n";
    let head_len = memmem::find(content, END)?;
    let (head, rest) = (&content[..head_len], &content[head_len + END.len()..]);
    let block = rest.strip_suffix(END)?;
    let mut lines = head.split(|byte| *byte == b'\n');
    let version = lines.next()?;
    if !matches!(version, [b'W', b'A', b'R', b'C', b'/', b'0' | b'1', b'.', _, b'\r']) {
        return None;
    }
    let fields = Fields::read(lines)?;
    let length: usize = text(fields.length?)?.parse().ok()?;
    (length == block.len()).then_some(Record {
        kind: fields.kind?,
        url: text(fields.url.unwrap_or_default())?,
        time: fields.time.map(text).map_or(Some(None), |time| time.map(Some))?,
        is_cut: fields.cut.is_some(),
        block,
    })
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The fields of a header that are needed.
#[derive(Default)]
struct Fields<'h> {
    kind: Option<&'h [u8]>,
    url: Option<&'h [u8]>,
    time: Option<&'h [u8]>,
    cut: Option<&'h [u8]>,
    length: Option<&'h [u8]>,
}

impl<'h> Fields<'h> {
    /// Read lines; none if one is unusual: folded, without colon, or repeated.
    fn read(lines: impl Iterator<Item = &'h [u8]>) -> Option<Fields<'h>> {
        let mut fields = Fields::default();
        for line in lines {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let colon = memchr::memchr(b':', line)?;
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            if name.first().is_none_or(|first| !first.is_ascii_alphabetic()) {
                return None;
            }
            if let Some(field) = fields.named(name) {
                if field.replace(value).is_some() {
                    return None;
                }
            }
        }
        Some(fields)
    }

    fn named(&mut self, name: &[u8]) -> Option<&mut Option<&'h [u8]>> {
        Some(match name.len() {
            9 if name.eq_ignore_ascii_case(b"WARC-Type") => &mut self.kind,
            9 if name.eq_ignore_ascii_case(b"WARC-Date") => &mut self.time,
            15 if name.eq_ignore_ascii_case(b"WARC-Target-URI") => &mut self.url,
            14 if name.eq_ignore_ascii_case(b"WARC-Truncated") => &mut self.cut,
            14 if name.eq_ignore_ascii_case(b"Content-Length") => &mut self.length,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;
    use flate2::Compression;

    use super::*;

    const HEAD: &str =
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://e.com/robots.txt\r\n\
        WARC-Date: 2026-06-01T00:00:00Z\r\nContent-Length: 5\r\n";

    fn packed(content: &str) -> Vec<u8> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(content.as_bytes()).unwrap();
        packer.finish().unwrap()
    }

    fn whole(head: &str, block: &str) -> Vec<u8> {
        packed(&format!("{head}\r\n{block}\r\n\r\n"))
    }

    #[test]
    fn records_are_read_one_after_the_other() {
        let one = whole(HEAD, "12345");
        let two = [one.clone(), one.clone()].concat();
        let mut members = Members::default();
        for bytes in [&two[..], &two[one.len()..]] {
            let Next::Record(record, len) = members.next(bytes) else { panic!("{bytes:?}") };

            assert_eq!(len, one.len());
            assert_eq!(record.kind, b"response");
            assert_eq!(record.url, "https://e.com/robots.txt");
            assert_eq!(record.time, Some("2026-06-01T00:00:00Z"));
            assert_eq!((record.block, record.is_cut), (&b"12345"[..], false));
        }
    }

    #[test]
    fn a_member_that_goes_on_is_waited_for() {
        let one = whole(HEAD, "12345");
        let mut members = Members::default();
        for end in 0..one.len() {
            assert_eq!(members.next(&one[..end]), Next::More, "{end}");
        }
    }

    #[test]
    fn a_member_with_any_byte_changed_is_odd_or_says_the_same() {
        let one = whole(HEAD, "12345");
        let mut members = Members::default();
        for at in 0..one.len() {
            let mut damaged = one.clone();
            damaged[at] ^= 0x10;
            match members.next(&damaged) {
                // the time in the header, or a code that nothing is written in
                Next::Record(record, _) => assert_eq!(record.block, b"12345", "{at}"),
                Next::More | Next::Odd => {}
            }
        }
    }

    #[test]
    fn what_is_not_one_whole_record_is_odd() {
        let folded = HEAD.replace("WARC-Date", " WARC-Date");
        let twice = format!("{HEAD}Content-Length: 5\r\n");
        for content in [
            whole(HEAD, "1234"),
            whole(HEAD, "123456"),
            whole(&folded, "12345"),
            whole(&twice, "12345"),
            whole(&HEAD.replace("WARC/1.0", "WARX/1.0"), "12345"),
            whole(&HEAD.replace("WARC-Type", "Type"), "12345"),
            packed(""),
            packed(&"a".repeat(MOST + 1)),
        ] {
            assert_eq!(Members::default().next(&content), Next::Odd);
        }
        assert_eq!(Members::default().next(b"WARC/1.0\r\nx"), Next::Odd);
    }
}
