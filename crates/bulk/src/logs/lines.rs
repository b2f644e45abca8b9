//! Lines: bytes that arrive in chunks, cut at LF, at CR, or at both.
//!
//! In: chunks, wherever they are cut. Out: each line once, with its number from 1, without its end;
//! the result does not depend on where the chunks were cut. A line beyond [`LONGEST`] is reported
//! but not kept, so memory stays bounded.

use memchr::{memchr, memchr2_iter, memchr_iter};

/// The bytes of the longest line that is read; servers cut requests at 8 KiB to 64 KiB.
pub const LONGEST: usize = 64 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The line that is being read, and how many came before it.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    begun: Vec<u8>,
    is_too_long: bool,
    number: u64,
    /// Whether the last chunk ended in CR.
    has_cr: bool,
}

impl Lines {
    /// Take the next chunk; `take` gets each line that it completes, none for one that is too long.
    #[inline]
    pub fn feed<E>(
        &mut self,
        chunk: &[u8],
        take: impl FnMut(u64, Option<&[u8]>) -> Result<(), E>,
    ) -> Result<(), E> {
        // Most logs have no CR, and to look for one byte is faster than to look for two.
        match memchr(b'\r', chunk) {
            None => self.cut(chunk, memchr_iter(b'\n', chunk), take),
            Some(_) => self.cut(chunk, memchr2_iter(b'\n', b'\r', chunk), take),
        }
    }

    #[inline]
    fn cut<E>(
        &mut self,
        chunk: &[u8],
        ends: impl Iterator<Item = usize>,
        mut take: impl FnMut(u64, Option<&[u8]>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut start = 0;
        for end in ends {
            let line = &chunk[start..end];
            let is_second = chunk[end] == b'\n' && line.is_empty() && self.is_behind_cr(chunk, end);
            start = end + 1;
            if is_second {
                continue;
            }
            if self.has_begun() {
                self.begin(line);
                self.finish(&mut take)?;
                continue;
            }
            self.number += 1;
            take(self.number, (line.len() <= LONGEST).then(|| trimmed(self.number, line)))?;
        }
        self.begin(&chunk[start..]);
        self.has_cr = chunk.last().map_or(self.has_cr, |last| *last == b'\r');
        Ok(())
    }

    /// Whether a place is the one behind a CR, which may be the last byte of the chunk before.
    fn is_behind_cr(&self, chunk: &[u8], at: usize) -> bool {
        at.checked_sub(1).map_or(self.has_cr, |before| chunk[before] == b'\r')
    }

    /// The input ends here; an incomplete line is its last.
    pub fn finish<E>(
        &mut self,
        mut take: impl FnMut(u64, Option<&[u8]>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.has_begun() {
            return Ok(());
        }
        self.number += 1;
        let line = (!self.is_too_long).then(|| trimmed(self.number, &self.begun));
        let taken = take(self.number, line);
        self.begun.clear();
        self.is_too_long = false;
        taken
    }

    fn has_begun(&self) -> bool {
        self.is_too_long || !self.begun.is_empty()
    }

    fn begin(&mut self, part: &[u8]) {
        if self.is_too_long || self.begun.len() + part.len() > LONGEST {
            self.is_too_long = true;
            self.begun.clear();
        } else {
            self.begun.extend_from_slice(part);
        }
    }
}

/// A line without the byte order mark of its file and without trailing white space.
#[inline]
fn trimmed(number: u64, line: &[u8]) -> &[u8] {
    let line = match number {
        1 => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
        _ => line,
    };
    line.trim_ascii_end()
}
