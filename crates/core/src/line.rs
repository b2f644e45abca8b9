//! Lines: the lossless lexer.
//!
//! In: bytes. Out: [`RawLine`]s whose spans tile them. A line ends at CR, LF or CRLF and at
//! nothing else (RFC 9309 section 2.2, `NL`). Nothing here depends on a dialect or a field.

use memchr::{memchr2, memchr3};

/// A half-open range of bytes in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes of the span.
    #[inline]
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }

    /// How many bytes it spans.
    #[inline]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it spans none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span without white space on both ends.
    #[inline]
    pub fn trimmed(self, bytes: &[u8]) -> Span {
        let Span { mut start, mut end } = self;
        while start < end && is_white(bytes[start as usize]) {
            start += 1;
        }
        while start < end && is_white(bytes[end as usize - 1]) {
            end -= 1;
        }
        Span { start, end }
    }
}

/// Space, HTAB, VT and FF: what is trimmed around keys and values.
#[inline]
pub fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

/// One line, not yet read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawLine {
    /// Counted from 1.
    pub number: u32,
    /// The line without its end.
    pub content: Span,
    /// The offset of its first `#`; its end if there is none.
    pub hash: u32,
    /// Where the next line begins.
    pub next: u32,
}

/// The lines of a file, in order.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    bytes: &'a [u8],
    at: u32,
    number: u32,
}

impl<'a> Lines<'a> {
    /// The lines of `bytes`: fewer than 2^32.
    pub fn new(bytes: &'a [u8]) -> Self {
        Lines::from(bytes, 0, 0)
    }

    /// The lines from the one at `at` on, after `number` others.
    pub fn from(bytes: &'a [u8], at: u32, number: u32) -> Self {
        Lines { bytes, at, number }
    }
}

impl Iterator for Lines<'_> {
    type Item = RawLine;

    #[inline]
    fn next(&mut self) -> Option<RawLine> {
        let start = self.at as usize;
        if start >= self.bytes.len() {
            return None;
        }
        // One search finds the end of a line without `#`, which most are.
        let (hash, end) = match memchr3(b'\n', b'\r', b'#', &self.bytes[start..]) {
            None => (self.bytes.len(), self.bytes.len()),
            Some(n) if self.bytes[start + n] == b'#' => (start + n, self.end_behind(start + n)),
            Some(n) => (start + n, start + n),
        };
        let next = end + end_len(&self.bytes[end..]);
        self.at = next as u32;
        self.number += 1;
        let content = Span { start: start as u32, end: end as u32 };
        Some(RawLine { number: self.number, content, hash: hash as u32, next: next as u32 })
    }
}

impl Lines<'_> {
    fn end_behind(&self, at: usize) -> usize {
        memchr2(b'\n', b'\r', &self.bytes[at..]).map_or(self.bytes.len(), |n| at + n)
    }
}

/// The length of the line end that `rest` begins with: CRLF counts once, the end of the file not.
#[inline]
fn end_len(rest: &[u8]) -> usize {
    match rest {
        [] => 0,
        [b'\r', b'\n', ..] => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(text: &str) -> Vec<&str> {
        let bytes = text.as_bytes();
        Lines::new(bytes).map(|l| std::str::from_utf8(l.content.of(bytes)).unwrap()).collect()
    }

    #[test]
    fn cr_lf_and_crlf_end_lines_and_nothing_else_does() {
        assert_eq!(contents("a\nb\rc\r\nd"), ["a", "b", "c", "d"]);
        assert_eq!(contents("a\r\r\nb\n\rc"), ["a", "", "b", "", "c"]);
        assert_eq!(contents("a\u{2028}b\u{85}c\x0bd\x0c"), ["a\u{2028}b\u{85}c\x0bd\x0c"]);
        assert_eq!(contents(""), [""; 0]);
    }

    #[test]
    fn the_first_hash_of_a_line_is_found() {
        let bytes = b"a#b#c\n#\r\nd\r#";
        let hashes = Lines::new(bytes).map(|line| line.hash - line.content.start);

        assert_eq!(hashes.collect::<Vec<_>>(), [1, 0, 1, 0]);
    }

    #[test]
    fn spans_tile_the_source() {
        for text in ["", "\n", "a", "a\r\n\r\nb\n", "\r\r\n\n\r"] {
            let mut at = 0;
            for (index, line) in Lines::new(text.as_bytes()).enumerate() {
                assert_eq!((line.content.start, line.number), (at, index as u32 + 1));
                assert!(line.content.end <= line.next);
                at = line.next;
            }
            assert_eq!(at as usize, text.len());
        }
    }
}
