//! The places of the lines of a file: enough to read any one of them again.
//!
//! In: a [`File`]. Out: a [`LineTable`], five bytes per line, while a line that was read takes a
//! hundred. A line is read again by the same reader that the walk uses; its place among the groups
//! depends on the lines before it, and is kept.

use std::sync::Arc;

use crate::file::{File, LineInfo};
use crate::finding::{Finder, Finding};
use crate::group::{walk, LineReader, Place, Sink};
use crate::line::{Lines, RawLine};
use crate::origin::Origin;
use crate::reader::Reading;

/// The lines of one file.
#[derive(Debug)]
pub struct LineTable {
    file: File,
    reader: LineReader,
    /// Where each line begins, read or not.
    starts: Box<[u32]>,
    /// The place of each line that is read.
    places: Box<[Place]>,
}

/// A line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyLine {
    /// One that the dialect reads, without its group.
    Read(LineInfo),
    /// One after those.
    Unread(RawLine),
}

impl LineTable {
    /// Walk a file.
    pub fn of(file: File) -> LineTable {
        let mut places = Places(Vec::with_capacity(file.extent().lines as usize));
        walk(file.bytes(), file.dialect(), &mut places);
        let starts = Lines::new(file.readable_bytes()).map(|line| line.content.start);
        let starts = starts.collect();
        let reader = LineReader::of(file.bytes(), file.dialect());
        LineTable { file, reader, starts, places: places.0.into() }
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// One line, counted from 0.
    pub fn get(&self, at: usize) -> Option<AnyLine> {
        let start = *self.starts.get(at)?;
        let number = u32::try_from(at).ok()?;
        let bytes = self.file.readable_bytes();
        let Some(place) = self.places.get(at) else {
            return Lines::from(bytes, start, number).next().map(AnyLine::Unread);
        };
        let read = &bytes[..self.file.extent().end as usize];
        let raw = Lines::from(read, start, number).next()?;
        let reading = self.reader.read(read, &raw);
        // The line keeps its end, even if a limit is before it.
        let next = self.starts.get(at + 1).copied().unwrap_or(bytes.len() as u32);
        let raw = RawLine { next, ..raw };
        Some(AnyLine::Read(LineInfo { raw, reading, place: *place, group: None }))
    }
}

struct Places(Vec<Place>);

impl Sink for Places {
    const EVERY_LINE: bool = true;

    fn line(&mut self, _: &RawLine, _: &Reading, place: Place) {
        self.0.push(place);
    }

    fn void_group(&mut self) {}
}

/// The findings of a file, each stored only as its line: four bytes per finding.
#[derive(Debug)]
pub struct FindingTable {
    lines: Arc<LineTable>,
    /// The line of each finding, counted from 0.
    at: Box<[u32]>,
}

impl FindingTable {
    /// Read every line.
    pub fn of(lines: Arc<LineTable>, origin: Option<&Origin>) -> FindingTable {
        let finder = Finder::new(&lines.file, origin);
        let mut at = Vec::new();
        for number in 0..lines.len() {
            match lines.get(number) {
                Some(AnyLine::Read(line)) => {
                    finder.codes_of_line(&line, |_| at.push(number as u32));
                }
                _ => {
                    // What a limit excludes is reported once, for its first line.
                    at.push(number as u32);
                    break;
                }
            }
        }
        FindingTable { lines, at: at.into() }
    }

    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// One finding, counted from 0.
    pub fn get(&self, number: usize, origin: Option<&Origin>) -> Option<Finding> {
        let line = *self.at.get(number)?;
        let first = self.at.partition_point(|other| *other < line);
        let finder = Finder::new(&self.lines.file, origin);
        match self.lines.get(line as usize)? {
            AnyLine::Read(line) => finder.of_line(&line).into_iter().nth(number - first),
            AnyLine::Unread(_) => finder.of_limit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Dialect, DIALECTS, RFC9309};

    const TEXT: &[u8] =
        b"\xEF\xBB\xBFUser-agent: a\r\nDisallow: /x\n\rAllow: /y # z\r\n\r\nSitemap: s\n\
        nonsense\nUseragent b\n\nDisallow: z%\"\nCrawl-delay: 1e3\nUser-agent: c\0d\nAllow: /\xff";

    fn table(dialect: &Dialect) -> LineTable {
        LineTable::of(File::parse(TEXT, dialect))
    }

    /// Dialects that cut the text somewhere, by bytes and by lines.
    fn dialects() -> impl Iterator<Item = Dialect> {
        let cut = |n| DIALECTS.into_iter().map(move |d| Dialect { parse_limit: Some(n), ..d });
        let lines = |n| DIALECTS.into_iter().map(move |d| Dialect { max_lines: Some(n), ..d });
        (0..=TEXT.len() as u64).flat_map(cut).chain((0..15).flat_map(lines)).chain(DIALECTS)
    }

    #[test]
    fn each_line_is_the_one_that_the_walk_finds() {
        for dialect in dialects() {
            let table = table(&dialect);
            let found: Vec<AnyLine> = (0..table.len()).filter_map(|at| table.get(at)).collect();
            let without_group = |line| AnyLine::Read(LineInfo { group: None, ..line });
            let walked = table.file.lines().into_iter().map(without_group);
            let unread = table.file.unread_lines().map(AnyLine::Unread);

            assert_eq!(found, walked.chain(unread).collect::<Vec<_>>(), "{}", dialect.name);
            assert_eq!(table.get(table.len()), None);
        }
    }

    #[test]
    fn each_finding_is_the_one_that_the_finder_finds() {
        for dialect in dialects() {
            let table = Arc::new(table(&dialect));
            let findings = FindingTable::of(Arc::clone(&table), None);
            let found = (0..findings.len()).filter_map(|at| findings.get(at, None));

            assert_eq!(found.collect::<Vec<_>>(), table.file.findings(None));
        }
    }

    #[test]
    fn a_line_takes_five_bytes() {
        let file = File::parse(&b"\n".repeat(1_000), &RFC9309);
        let table = LineTable::of(file);

        assert_eq!(size_of_val(&*table.starts) + size_of_val(&*table.places), 5_000);
    }
}
