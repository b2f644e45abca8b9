//! URLs: the questions for two sides at once, and how they are written.
//!
//! In: a target of an analysis. Out: the path of a URL that has it. Two dialects that normalise
//! URLs alike are compared by targets; others by URLs in the normal form of RFC 9309 section 2.2.2,
//! in which crawlers send them, and which each dialect reads in its own way.

use crate::dialect::{Dialect, DotSegments, RFC9309};
use crate::target::TargetReader;

/// How the targets of two dialects are written as URLs.
pub struct Urls {
    is_alike: bool,
    is_exact: bool,
    sides: [TargetReader; 2],
    normal: TargetReader,
}

impl Urls {
    /// Compare how two dialects read URLs.
    pub fn new(old: &TargetReader, new: &TargetReader) -> Self {
        let is_alike = old.agrees_with(new);
        let is_exact = is_alike || old.differs_in_spelling_alone(new);
        let as_written = Dialect { dot_segments: DotSegments::Keep, ..RFC9309 };
        Urls { is_alike, is_exact, sides: [*old, *new], normal: TargetReader::new(&as_written) }
    }

    /// Whether both have the same target of each URL.
    pub fn are_alike(&self) -> bool {
        self.is_alike
    }

    /// Whether the words of an analysis stand for all URLs, or for all in normal form.
    pub fn are_exact(&self) -> bool {
        self.is_exact
    }

    /// A URL that has a target: a path, with an authority before it if a path would be misread.
    pub fn spell(&self, target: &[u8]) -> Vec<u8> {
        if self.is_alike {
            return self.sides[0].spell(target);
        }
        let normal = self.normal.read(target).map(|read| read.bytes().to_vec());
        let path = normal.unwrap_or_else(|_| target.to_vec());
        self.sides.iter().fold(path, |path, side| side.url_of(path))
    }
}
