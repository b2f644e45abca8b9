//! Octets that are read by their places: of a file in blocks, of a member in memory, and of one that
//! is too long for it from a temporary file.

use std::convert::Infallible;
use std::io;

use crate::spilled::Spilled;

/// A file that is read by its places.
pub trait Octets {
    /// Why it cannot be read.
    type Error;

    /// Append up to `most` bytes that stand at a place; fewer only at the end.
    fn read(&mut self, at: u64, most: usize, into: &mut Vec<u8>) -> Result<(), Self::Error>;
}

/// What is there of a file, or of a member, at any place.
pub trait View {
    /// Why it cannot be read.
    type Error;

    /// Up to `most` bytes at a place; fewer only at the end. What stands before the place may be
    /// forgotten.
    fn at(&mut self, at: u64, most: usize) -> Result<&[u8], Self::Error>;

    /// See to it that these bytes are in memory.
    fn hold(&mut self, at: u64, most: usize) -> Result<(), Self::Error> {
        self.at(at, most).map(drop)
    }

    /// A few bytes at a place; nothing is forgotten.
    fn peek(&mut self, at: u64, most: usize) -> Result<&[u8], Self::Error>;
}

/// The content of a member in memory.
pub struct Memory<'m>(pub &'m [u8]);

impl View for Memory<'_> {
    type Error = Infallible;

    fn at(&mut self, at: u64, most: usize) -> Result<&[u8], Infallible> {
        Ok(in_memory(self.0, at, most))
    }

    fn peek(&mut self, at: u64, most: usize) -> Result<&[u8], Infallible> {
        self.at(at, most)
    }
}

/// Up to `most` of these bytes at a place.
pub fn in_memory(bytes: &[u8], at: u64, most: usize) -> &[u8] {
    let begin = usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    &bytes[begin..bytes.len().min(begin.saturating_add(most))]
}

/// Bytes that are read at once: hundreds of records.
const BLOCK: usize = 1 << 18;

/// A part of a file, which moves on with what is asked for.
pub struct Window<O> {
    octets: O,
    size: u64,
    place: u64,
    data: Vec<u8>,
    elsewhere: Vec<u8>,
}

impl<O: Octets> Window<O> {
    /// A window of a file that has so many bytes.
    pub fn new(octets: O, size: u64) -> Window<O> {
        Window { octets, size, place: 0, data: Vec::new(), elsewhere: Vec::new() }
    }

    /// The number of bytes in the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    fn holds(&self, at: u64) -> bool {
        (self.place..=self.end()).contains(&at)
    }

    fn end(&self) -> u64 {
        self.place + self.data.len() as u64
    }

    /// The bytes at a place that is within the window.
    fn held(&self, at: u64, most: usize) -> &[u8] {
        in_memory(&self.data, at - self.place, most)
    }
}

impl<O: Octets> View for Window<O> {
    type Error = O::Error;

    fn at(&mut self, at: u64, most: usize) -> Result<&[u8], O::Error> {
        if !self.holds(at) {
            self.data.clear();
            self.place = at;
        }
        let lacking = most.saturating_sub((self.end() - at) as usize);
        let behind = usize::try_from(self.size.saturating_sub(self.end())).unwrap_or(usize::MAX);
        if lacking > 0 && behind > 0 {
            self.data.drain(..(at - self.place) as usize);
            self.place = at;
            self.octets.read(self.end(), lacking.max(BLOCK).min(behind), &mut self.data)?;
        }
        Ok(self.held(at, most))
    }

    fn peek(&mut self, at: u64, most: usize) -> Result<&[u8], O::Error> {
        let end = at.saturating_add(most as u64).min(self.size);
        if self.holds(at) && end <= self.end() {
            return Ok(self.held(at, most));
        }
        self.elsewhere.clear();
        self.octets.read(at, most, &mut self.elsewhere)?;
        Ok(&self.elsewhere)
    }
}

/// The content of a member that is too long for memory.
pub struct SpilledContent {
    /// The bytes, from the place 0 on.
    pub spilled: Spilled,
    /// How many there are.
    pub length: u64,
}

impl Octets for SpilledContent {
    type Error = io::Error;

    fn read(&mut self, at: u64, most: usize, into: &mut Vec<u8>) -> io::Result<()> {
        let size = usize::try_from(self.length.saturating_sub(at)).unwrap_or(usize::MAX).min(most);
        self.spilled.read(at, size, into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that counts what is read of it.
    struct Counted {
        data: Vec<u8>,
        read: usize,
    }

    impl Octets for Counted {
        type Error = Infallible;

        fn read(&mut self, at: u64, most: usize, into: &mut Vec<u8>) -> Result<(), Infallible> {
            let begin = self.data.len().min(at as usize);
            let end = self.data.len().min(begin + most);
            self.read += end - begin;
            into.extend_from_slice(&self.data[begin..end]);
            Ok(())
        }
    }

    #[test]
    fn a_window_has_what_the_file_has_at_each_place_and_reads_it_once() {
        let data: Vec<u8> = (0..1_000_000_u32).map(|n| (n * 7 % 251) as u8).collect();
        let size = data.len() as u64;
        let mut window = Window::new(Counted { data: data.clone(), read: 0 }, size);
        for at in (0..data.len()).step_by(4_001) {
            let end = data.len().min(at + 9_000);

            assert_eq!(window.at(at as u64, 9_000).unwrap(), &data[at..end]);
            let far = (at * 13) % data.len();
            let most = data.len().min(far + 16);
            assert_eq!(window.peek(far as u64, 16).unwrap(), &data[far..most]);
        }

        assert!(window.octets.read < data.len() + 250 * 16);
        assert_eq!(window.at(3, 5).unwrap(), &data[3..8]);
        assert_eq!(window.at(size, 5).unwrap(), b"");
        assert_eq!(window.at(size + 9, 5).unwrap(), b"");
    }
}
