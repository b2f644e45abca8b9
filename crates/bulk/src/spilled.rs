//! Spilled files: what does not fit in memory is in a temporary file, and is read by its place.
//!
//! In: bytes. Out: their place, and from a place the bytes. The file has no name, so that it is gone
//! when its last user is. A system that fails is remembered, and nothing is answered from then on.

use std::fs::{remove_file, File, OpenOptions};
use std::io::{Error, Read, Result, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Where bytes are in the file.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    start: u64,
    size: usize,
}

/// A file that is made when it is first needed.
#[derive(Debug, Default)]
pub struct Spilled {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    file: Option<File>,
    end: u64,
    failure: Option<Error>,
}

impl Spilled {
    /// Put bytes behind all others.
    pub fn put(&self, bytes: &[u8]) -> Span {
        self.with(|state| {
            let span = Span { start: state.end, size: bytes.len() };
            state.file()?.seek(SeekFrom::Start(span.start))?;
            state.file()?.write_all(bytes)?;
            state.end += bytes.len() as u64;
            Ok(span)
        })
        .unwrap_or(Span { start: 0, size: 0 })
    }

    /// The bytes of a place.
    pub fn get(&self, span: Span) -> Vec<u8> {
        let mut bytes = vec![0; span.size];
        let read = self.with(|state| {
            state.file()?.seek(SeekFrom::Start(span.start))?;
            state.file()?.read_exact(&mut bytes)
        });
        read.map_or_else(Vec::new, |()| bytes)
    }

    /// Append bytes that stand at a place, all of which were put.
    pub fn read(&self, start: u64, size: usize, into: &mut Vec<u8>) -> Result<()> {
        let bytes = self.get(Span { start, size });
        into.extend_from_slice(&bytes);
        self.take_failure().map_or(Ok(()), Err)
    }

    /// Why the file could not be written or read, if that ever happened: what was put or read since
    /// is empty.
    pub fn take_failure(&self) -> Option<Error> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).failure.take()
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> Result<T>) -> Option<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut state).map_err(|failure| state.failure = Some(failure)).ok()
    }
}

impl State {
    fn file(&mut self) -> Result<&mut File> {
        match &mut self.file {
            Some(file) => Ok(file),
            made => Ok(made.insert(nameless_file()?)),
        }
    }
}

/// A file for this user alone, whose name is removed at once.
fn nameless_file() -> Result<File> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    loop {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("verger-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        match options.open(&path) {
            Ok(file) => return remove_file(&path).map(|()| file),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_read_by_its_place() {
        let spilled = Spilled::default();
        let places: Vec<Span> = [&b"one"[..], b"", b"three"].map(|each| spilled.put(each)).into();

        assert_eq!(spilled.get(places[2]), b"three");
        assert_eq!(spilled.get(places[0]), b"one");
        assert_eq!(spilled.get(places[1]), b"");
        assert!(spilled.take_failure().is_none());
    }

    #[test]
    fn a_place_behind_the_end_is_a_failure() {
        let spilled = Spilled::default();
        spilled.put(b"one");

        assert_eq!(spilled.get(Span { start: 1, size: 3 }), b"");
        assert!(spilled.take_failure().is_some());
    }
}
