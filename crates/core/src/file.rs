//! A file: octets, read as one dialect reads them.
//!
//! In: octets and a [`Dialect`]. Out: a [`File`], which makes [`Agent`]s, and walks its lines and
//! records again when asked. Parsing is a total function: any octets, of any length.

use std::borrow::Cow;

use crate::agent::Agent;
use crate::dialect::{Bridge, Dialect};
use crate::error::{InvalidProductToken, InvalidTarget};
use crate::group::{walk, Extent, Groups, Place, Sink};
use crate::line::{Lines, RawLine};
use crate::reader::Reading;
use crate::target::{Target, TargetReader};
use crate::token::{check, select, select_wildcard};

/// One parsed robots.txt file.
#[derive(Debug)]
pub struct File {
    octets: Box<[u8]>,
    dialect: Dialect,
    groups: Groups,
    extent: Extent,
    targets: TargetReader,
}

impl File {
    /// Parse a file.
    pub fn parse(octets: &[u8], dialect: &Dialect) -> File {
        let octets: Box<[u8]> = match dialect.bridge {
            Bridge::None => octets.into(),
            Bridge::Utf16Bom => bridged(octets).into(),
        };
        let (groups, extent) = Groups::read(&octets, dialect);
        File { octets, dialect: *dialect, groups, extent, targets: TargetReader::new(dialect) }
    }

    /// The octets as read: those given, or their UTF-8 form where the dialect bridges encodings.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// The dialect it was read in.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Its groups.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// How much of it was read.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// The target of a URL, as this dialect finds it.
    #[inline]
    pub fn target<'u>(&self, url: &'u [u8]) -> Result<Target<'u>, InvalidTarget> {
        self.targets.read(url)
    }

    /// The rules of the crawler with these product tokens, in order of preference.
    pub fn agent(&self, tokens: &[&str]) -> Result<Agent, InvalidProductToken> {
        tokens.iter().try_for_each(|token| check(token, &self.dialect))?;
        let tokens: Vec<&[u8]> = tokens.iter().map(|token| token.as_bytes()).collect();
        let selection = select(&self.octets, &self.groups, &tokens, &self.dialect);
        Ok(Agent::new(selection, &self.dialect))
    }

    /// The rules of crawlers that no group names.
    pub fn wildcard_agent(&self) -> Agent {
        let selection = select_wildcard(&self.octets, &self.groups, &self.dialect);
        Agent::new(selection, &self.dialect)
    }

    /// Every line that the dialect reads, with its group, as an index into [`Groups`].
    pub fn lines(&self) -> Vec<LineInfo> {
        let mut lines = EveryLine { lines: Vec::new(), groups: 0, opened_at: 0 };
        walk(&self.octets, &self.dialect, &mut lines);
        lines.lines
    }

    /// The lines behind those that the dialect reads.
    pub fn unread_lines(&self) -> impl Iterator<Item = RawLine> + '_ {
        let limit = self.dialect.max_lines.map_or(u32::MAX, |n| n.min(u32::MAX as u64) as u32);
        let end = self.extent.end;
        let is_unread = move |l: &RawLine| l.number > limit || l.content.start >= end;
        Lines::new(&self.octets[..self.octets.len().min(u32::MAX as usize)]).filter(is_unread)
    }

    /// Heap octets held.
    pub fn heap_size(&self) -> usize {
        self.octets.len() + self.groups.heap_size()
    }
}

/// A line, read, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineInfo {
    /// Number and spans.
    pub raw: RawLine,
    /// Key, value and field.
    pub reading: Reading,
    /// Where it stands.
    pub place: Place,
    /// The group it stands in.
    pub group: Option<u32>,
}

struct EveryLine {
    lines: Vec<LineInfo>,
    groups: u32,
    opened_at: usize,
}

impl Sink for EveryLine {
    fn line(&mut self, line: &RawLine, reading: &Reading, place: Place) {
        if place == Place::Opens {
            self.groups += 1;
            self.opened_at = self.lines.len();
        }
        let group = (place != Place::Outside).then(|| self.groups - 1);
        self.lines.push(LineInfo { raw: *line, reading: *reading, place, group });
    }

    fn void_group(&mut self) {
        self.groups -= 1;
        self.lines[self.opened_at..].iter_mut().for_each(|line| line.group = None);
    }
}

/// UTF-16 with a byte order mark as UTF-8; anything else as it is.
fn bridged(octets: &[u8]) -> Cow<'_, [u8]> {
    let unit: fn([u8; 2]) -> u16 = match octets {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return Cow::Borrowed(octets),
    };
    let units = octets[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect();
    Cow::Owned(text.into_bytes())
}
