//! A file: octets, read as one dialect reads them.
//!
//! In: octets and a [`Dialect`]. Out: a [`File`], which makes [`Agent`]s, and walks its lines and
//! records again when asked. Parsing is a total function: any octets, of any length.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::agent::Agent;
use crate::dialect::{Bridge, Dialect};
use crate::error::{InvalidProductToken, InvalidTarget};
use crate::group::{walk, Extent, Groups, Place, Sink};
use crate::line::{Lines, RawLine};
use crate::reader::{Kind, Reading};
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
    records: OnceLock<Box<[LineInfo]>>,
}

impl File {
    /// Parse a file.
    pub fn parse(octets: &[u8], dialect: &Dialect) -> File {
        let octets: Box<[u8]> = match dialect.bridge {
            Bridge::None => octets.into(),
            Bridge::Utf16Bom => bridged(octets).into(),
        };
        let (groups, extent) = Groups::read(&octets, dialect);
        File {
            octets,
            dialect: *dialect,
            groups,
            extent,
            targets: TargetReader::new(dialect),
            records: OnceLock::new(),
        }
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

    /// Whether some URL may have this target.
    pub fn is_possible_target(&self, target: &[u8]) -> bool {
        self.targets.is_possible(target)
    }

    /// The rules of the crawler with these product tokens, in order of preference.
    pub fn agent<T: AsRef<[u8]>>(&self, tokens: &[T]) -> Result<Agent, InvalidProductToken> {
        tokens.iter().try_for_each(|token| check(token.as_ref(), &self.dialect))?;
        Ok(self.agent_of_checked(tokens))
    }

    /// The rules of the crawler with product tokens that were [checked](check) before: whoever
    /// asks many files for one crawler checks its tokens once.
    pub fn agent_of_checked<T: AsRef<[u8]>>(&self, tokens: &[T]) -> Agent {
        let tokens: Vec<&[u8]> = tokens.iter().map(AsRef::as_ref).collect();
        let selection = select(&self.octets, &self.groups, &tokens, &self.dialect);
        Agent::new(selection, &self.dialect)
    }

    /// The rules of crawlers that no group names.
    pub fn wildcard_agent(&self) -> Agent {
        let selection = select_wildcard(&self.octets, &self.groups, &self.dialect);
        Agent::new(selection, &self.dialect)
    }

    /// Every line that the dialect reads, with its group, as an index into [`Groups`].
    pub fn lines(&self) -> Vec<LineInfo> {
        let mut lines = self.lines_where(|_| true);
        if let Some(last) = lines.last_mut() {
            // A limit that stands before the line's end still leaves the end to the line.
            let unread = self.unread_lines().next();
            last.raw.next = unread.map_or(self.readable(), |line| line.content.start);
        }
        lines
    }

    /// The lines that hold extension records, found when first asked for.
    pub fn record_lines(&self) -> &[LineInfo] {
        let is_record = |kind| matches!(kind, Kind::Field(field) if !field.is_core());
        self.records.get_or_init(|| self.lines_where(is_record).into())
    }

    fn lines_where(&self, wanted: fn(Kind) -> bool) -> Vec<LineInfo> {
        let mut lines = LinesOfKind { wanted, lines: Vec::new(), groups: 0, opened_at: 0 };
        walk(&self.octets, &self.dialect, &mut lines);
        lines.lines
    }

    fn readable(&self) -> u32 {
        u32::try_from(self.octets.len()).unwrap_or(u32::MAX)
    }

    /// The lines behind those that the dialect reads.
    pub fn unread_lines(&self) -> impl Iterator<Item = RawLine> + '_ {
        Lines::new(&self.octets[..self.readable() as usize]).skip(self.extent.lines as usize)
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

struct LinesOfKind {
    wanted: fn(Kind) -> bool,
    lines: Vec<LineInfo>,
    groups: u32,
    opened_at: usize,
}

impl Sink for LinesOfKind {
    const EVERY_LINE: bool = true;

    fn line(&mut self, line: &RawLine, reading: &Reading, place: Place) {
        if place == Place::Opens {
            self.groups += 1;
            self.opened_at = self.lines.len();
        }
        if !(self.wanted)(reading.kind) {
            return;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{DIALECTS, GOOGLE};

    /// The spans of all lines, read and unread.
    fn spans(file: &File) -> Vec<(u32, u32)> {
        let read = file.lines().into_iter().map(|line| line.raw);
        read.chain(file.unread_lines()).map(|line| (line.content.start, line.next)).collect()
    }

    #[test]
    fn spans_tile_the_file_wherever_a_limit_cuts_it() {
        let text = b"\xEF\xBB\xBFUser-agent: a\r\nDisallow: /x\n\rAllow: /y # z\r\n\r\n";
        for limit in 0..=text.len() as u64 {
            for dialect in DIALECTS {
                let file = File::parse(text, &Dialect { parse_limit: Some(limit), ..dialect });
                let mut at = 0;
                for (start, next) in spans(&file) {
                    assert_eq!(start, at, "{} {limit}", dialect.name);
                    at = next;
                }
                assert_eq!(at as usize, text.len());
            }
        }
    }

    #[test]
    fn lines_know_their_group() {
        let text = b"Sitemap: s\nUser-agent: a\nCrawl-delay: 1\nDisallow: /\nUser-agent: b\n";
        let file = File::parse(text, &GOOGLE);
        let groups: Vec<_> = file.lines().iter().map(|line| line.group).collect();

        assert_eq!(groups, [None, Some(0), Some(0), Some(0), Some(1)]);
    }

    #[test]
    fn utf16_is_read_where_the_dialect_bridges_it() {
        let text = "User-agent: *\nDisallow: /ツ\n".encode_utf16().flat_map(u16::to_le_bytes);
        let octets = [vec![0xFF, 0xFE], text.collect()].concat();
        let bridging = Dialect { bridge: Bridge::Utf16Bom, ..GOOGLE };

        assert_eq!(File::parse(&octets, &GOOGLE).groups().len(), 0);
        assert_eq!(File::parse(&octets, &bridging).groups().rules().len(), 1);
    }
}
