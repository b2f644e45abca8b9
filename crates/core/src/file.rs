//! A file: bytes, read as one dialect reads them.
//!
//! In: bytes and a [`Dialect`]. Out: a [`File`], which walks its lines again on demand. Parsing is
//! a total function: any bytes, of any length.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use crate::dialect::Dialect;
use crate::error::InvalidTarget;
use crate::field::{starts_with_ignore_case, Field};
use crate::group::{walk, Cut, Extent, Groups, Place, Sink};
use crate::line::{Lines, RawLine, Span};
use crate::name::{leading_name, names_of};
use crate::origin::{Refusal, Scope};
use crate::reader::{LineKind, Reading};
use crate::sort::sort_unique;
use crate::target::{Target, TargetReader};
use crate::token::NameTest;

/// One parsed robots.txt file, in one dialect. A clone shares its data.
#[derive(Clone, Debug)]
pub struct File {
    read: Arc<Read>,
}

#[derive(Debug)]
struct Read {
    bytes: Box<[u8]>,
    dialect: Dialect,
    groups: Groups,
    extent: Extent,
    targets: TargetReader,
    records: OnceLock<Box<[LineInfo]>>,
    by_group: OnceLock<ByGroup>,
    anchors: OnceLock<Box<[u32]>>,
    of_use: OnceLock<bool>,
}

/// The lines with extension records by their group, those of no group behind those of all others.
#[derive(Debug)]
struct ByGroup {
    /// Where those of each group begin; they end where those of the next one begin.
    starts: Box<[u32]>,
    /// Indices into the lines.
    lines: Box<[u32]>,
}

impl ByGroup {
    fn new(groups: usize, lines: &[LineInfo]) -> ByGroup {
        let bucket = |line: &LineInfo| line.group.map_or(groups, |group| group as usize);
        let mut starts = vec![0; groups + 2];
        lines.iter().for_each(|line| starts[bucket(line) + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let (mut next, mut sorted) = (starts.clone(), vec![0; lines.len()]);
        for (number, line) in lines.iter().enumerate() {
            let place = &mut next[bucket(line)];
            sorted[*place as usize] = number as u32;
            *place += 1;
        }
        ByGroup { starts: starts.into(), lines: sorted.into() }
    }
}

impl File {
    /// Parse a file: any bytes, of any length (RFC 9309 sections 2.2 and 2.3.1.5). They are copied.
    #[inline]
    pub fn parse(bytes: &[u8], dialect: &Dialect) -> File {
        let bytes: Box<[u8]> = match dialect.decode_utf16 {
            true => decoded(bytes).into(),
            false => bytes.into(),
        };
        let (groups, extent) = Groups::read(&bytes, dialect);
        let read = Read {
            bytes,
            dialect: *dialect,
            groups,
            extent,
            targets: TargetReader::new(dialect),
            records: OnceLock::new(),
            by_group: OnceLock::new(),
            anchors: OnceLock::new(),
            of_use: OnceLock::new(),
        };
        File { read: Arc::new(read) }
    }

    /// Whether both are the same object, not only equal.
    pub fn is(&self, other: &File) -> bool {
        Arc::ptr_eq(&self.read, &other.read)
    }

    /// The bytes as read: those given, or their UTF-8 form if the dialect decodes UTF-16.
    pub fn bytes(&self) -> &[u8] {
        &self.read.bytes
    }

    /// The dialect it was read in.
    pub fn dialect(&self) -> &Dialect {
        &self.read.dialect
    }

    /// Its groups.
    pub fn groups(&self) -> &Groups {
        &self.read.groups
    }

    /// How much of it was read.
    pub fn extent(&self) -> Extent {
        self.read.extent
    }

    /// The target of a URL, or of a path that begins with `/`, as this dialect finds it.
    ///
    /// The origin of the file is not checked; see [`File::target_within`].
    #[inline]
    pub fn target<'u>(&self, url: &'u [u8]) -> Result<Target<'u>, InvalidTarget> {
        self.read.targets.read(url)
    }

    /// The target of a URL, if the file governs it.
    #[inline]
    pub fn target_within<'u>(&self, scope: &Scope, url: &'u [u8]) -> Result<Target<'u>, Refusal> {
        let target = self.target(url).map_err(Refusal::NoTarget)?;
        scope.admits(url).map(|()| target)
    }

    /// How this dialect finds targets.
    pub fn targets(&self) -> &TargetReader {
        &self.read.targets
    }

    /// Every line that the dialect reads, with its group, as an index into [`Groups`].
    pub fn lines(&self) -> Vec<LineInfo> {
        let mut lines = self.lines_where(|_| true);
        if let Some(last) = lines.last_mut() {
            // The line keeps its end, even if a limit is before it.
            let unread = self.unread_lines().next();
            last.raw.next = unread.map_or(self.readable(), |line| line.content.start);
        }
        lines
    }

    /// The lines with extension records, found on first use.
    pub fn record_lines(&self) -> &[LineInfo] {
        let is_record = |kind| matches!(kind, LineKind::Field(field) if !field.is_core());
        self.read.records.get_or_init(|| self.lines_where(is_record).into())
    }

    /// Whether a line may hold a record about use, by how lines begin: far less work than to find
    /// them, and few files have one.
    pub(crate) fn may_speak_of_use(&self) -> bool {
        self.read.records.get().is_some() || *self.read.of_use.get_or_init(|| self.begins_of_use())
    }

    fn begins_of_use(&self) -> bool {
        let text = self.readable_bytes();
        let bom = text.iter().take_while(|byte| matches!(byte, 0xEF | 0xBB | 0xBF)).count();
        let text = &text[bom..];
        let begins = |line: RawLine| {
            let line = line.content.trimmed(text).of(text);
            let is_of =
                |field: &Field| starts_with_ignore_case(line, &field.name().as_bytes()[..3]);
            [Field::ContentSignal, Field::ContentUsage, Field::License].iter().any(is_of)
        };
        Lines::new(text).any(begins)
    }

    /// Those of one group, or of none: a file of thousands of groups, each with a record, is not
    /// searched for every one of them.
    pub(crate) fn record_lines_of(&self, group: Option<u32>) -> impl Iterator<Item = &LineInfo> {
        let (lines, groups) = (self.record_lines(), self.groups().len());
        let by_group = self.read.by_group.get_or_init(|| ByGroup::new(groups, lines));
        let at = group.map_or(groups, |group| group as usize);
        let own = by_group.starts[at] as usize..by_group.starts[at + 1] as usize;
        by_group.lines[own].iter().map(|line| &lines[*line as usize])
    }

    /// Whether a line starts a group, even one that the dialect drops.
    pub(crate) fn has_start_group(&self) -> bool {
        !self.lines_where(|kind| kind == LineKind::Field(Field::UserAgent)).is_empty()
    }

    /// The rules without whose lines others would be read otherwise: the only rule of a group,
    /// which the next one would join, unless it names the same crawlers; and every rule where a
    /// limit excludes some line. Found on first use.
    pub fn anchors(&self) -> &[u32] {
        self.read.anchors.get_or_init(|| self.find_anchors().into())
    }

    fn find_anchors(&self) -> Vec<u32> {
        let groups = self.groups();
        if self.extent().cut != Cut::Nothing || self.excludes_a_rule() {
            return (0..groups.rules().len() as u32).collect();
        }
        let is_apart = |next: usize| self.names(next - 1) != self.names(next);
        let lone = (1..groups.len()).map(|next| (next, groups.rule_range(next - 1)));
        let lone = lone.filter(|(next, own)| own.len() == 1 && is_apart(*next));
        lone.map(|(_, own)| own.start as u32).collect()
    }

    /// The names that its start-group lines begin with, but for `*`: each once, as it is written
    /// first.
    #[doc(hidden)]
    pub fn all_names(&self) -> Vec<String> {
        let lines = self.groups().all_start_lines().iter();
        names_of(lines.map(|line| String::from_utf8_lossy(line.value.of(self.bytes()))))
    }

    /// The numbers of its start-group lines, each with the name that the line begins with: `*` for
    /// those that no group names, and none where it names nobody.
    #[doc(hidden)]
    pub fn start_names(&self) -> Vec<(u32, String)> {
        let test = NameTest::new(self.dialect());
        let name = |value: &[u8]| match leading_name(&String::from_utf8_lossy(value)) {
            "*" if !test.is_star(value) => String::new(),
            name => name.to_string(),
        };
        let lines = self.groups().all_start_lines().iter();
        lines.map(|line| (line.line, name(line.value.of(self.bytes())))).collect()
    }

    /// The crawlers that a group names, in lower case and sorted.
    pub(crate) fn names(&self, group: usize) -> Vec<Vec<u8>> {
        let test = NameTest::new(self.dialect());
        let values =
            self.groups().start_lines(group).iter().map(|line| line.value.of(self.bytes()));
        let mut names = values.map(|value| test.naming(value).to_ascii_lowercase()).collect();
        sort_unique(&mut names);
        names
    }

    fn excludes_a_rule(&self) -> bool {
        let is_rule = |kind| matches!(kind, LineKind::Field(Field::Allow | Field::Disallow));
        self.lines_where(is_rule).iter().any(|line| line.place == Place::OverLimit)
    }

    fn lines_where(&self, wanted: fn(LineKind) -> bool) -> Vec<LineInfo> {
        let mut lines = LinesOfKind { wanted, lines: Vec::new(), groups: 0, opened_at: 0 };
        walk(&self.read.bytes, &self.read.dialect, &mut lines);
        lines.lines
    }

    fn readable(&self) -> u32 {
        u32::try_from(self.read.bytes.len()).unwrap_or(u32::MAX)
    }

    /// The bytes that lines are counted in: all except those beyond 32 bits.
    pub(crate) fn readable_bytes(&self) -> &[u8] {
        &self.read.bytes[..self.readable() as usize]
    }

    /// The lines after those that the dialect reads.
    pub fn unread_lines(&self) -> impl Iterator<Item = RawLine> + '_ {
        Lines::new(self.readable_bytes()).skip(self.read.extent.lines as usize)
    }
}

/// A line, read, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineInfo {
    /// Number and spans.
    pub raw: RawLine,
    /// Key, value and field.
    pub reading: Reading,
    /// Its place among the groups.
    pub place: Place,
    /// Its group.
    pub group: Option<u32>,
}

impl LineInfo {
    /// What the dialect reads in it, as a word; `dropped`: a limit for lines skips it.
    #[doc(hidden)]
    pub fn kind_name(&self) -> &'static str {
        match self.reading.kind {
            LineKind::Blank => "blank",
            LineKind::Comment => "comment",
            LineKind::Unknown => "unknown",
            LineKind::Dropped(_) => "dropped",
            LineKind::Field(field) if !field.is_core() => "record",
            LineKind::Field(Field::UserAgent) => "start-group",
            LineKind::Field(_) if self.place == Place::OverLimit => "dropped",
            LineKind::Field(_) => "rule",
        }
    }

    /// The field that the dialect reads in it, even if a limit drops the line.
    #[doc(hidden)]
    pub fn field(&self) -> Option<Field> {
        match self.reading.kind {
            LineKind::Field(field) => Some(field),
            LineKind::Dropped(field) => field,
            _ => None,
        }
    }

    /// Its key and its value, if it has a key.
    #[doc(hidden)]
    pub fn key_and_value(&self) -> Option<(Span, Span)> {
        let reading = &self.reading;
        let has_key = !reading.key.is_empty() || matches!(reading.kind, LineKind::Field(_));
        has_key.then_some((reading.key, reading.value))
    }

    /// Its comment, from the `#` on.
    #[doc(hidden)]
    pub fn comment(&self, bytes: &[u8]) -> Option<Span> {
        let comment = Span { start: self.reading.comment, end: self.raw.content.end };
        let begins = bytes[comment.start as usize..].first() == Some(&b'#');
        (begins && !comment.is_empty()).then_some(comment)
    }
}

struct LinesOfKind {
    wanted: fn(LineKind) -> bool,
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

/// UTF-16 with a byte order mark as UTF-8; anything else unchanged.
fn decoded(bytes: &[u8]) -> Cow<'_, [u8]> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return Cow::Borrowed(bytes),
    };
    let units = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect();
    Cow::Owned(text.into_bytes())
}
