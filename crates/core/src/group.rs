//! Groups: which rules belong to which start-group lines.
//!
//! In: bytes and a [`Dialect`]. Out: [`Groups`], which hold offsets into the bytes.
//! RFC 9309 sections 2.1, 2.2 and 2.2.1. Nothing here knows a URL.
//!
//! There is one [`walk`] over a file. [`Groups::read`] keeps what decisions need, about 12 bytes
//! per rule; [`crate::file::File::lines`], which needs every line, walks again with a sink of its
//! own, so the two can never differ.

use crate::dialect::{Dialect, OverLimit};
use crate::field::{Field, FieldScope};
use crate::line::{Lines, RawLine, Span};
use crate::reader::{LineKind, Reader, Reading};

/// The place of a line among the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It opens a group.
    Opens,
    /// It belongs to the current group.
    Inside,
    /// There is no current group.
    Outside,
    /// It is a rule of the current group that a limit of the dialect excludes.
    OverLimit,
}

/// Takes the lines of a walk.
pub trait Sink {
    /// Whether it also needs the lines that do not concern groups.
    const EVERY_LINE: bool;

    /// One line, in file order.
    fn line(&mut self, line: &RawLine, reading: &Reading, place: Place);

    /// The group opened last has no rule, and the dialect discards groups without rules.
    fn void_group(&mut self);
}

/// How much of a file a dialect reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The bytes up to here are read.
    pub end: u32,
    /// How many lines these are, as far as the dialect reads lines.
    pub lines: u32,
    /// What is excluded.
    pub cut: Cut,
}

/// What a limit of the dialect excludes from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Nothing.
    Nothing,
    /// Everything after the parsing limit.
    Bytes,
    /// Everything after the last line that is read.
    Lines,
    /// Everything: the file exceeds the parsing limit and counts as absent.
    Everything,
}

impl Extent {
    /// Apply the parsing limit (RFC 9309 section 2.5); no line is read yet. Spans are 32 bits wide,
    /// so no dialect reads more than 4 GiB.
    fn of(bytes: &[u8], dialect: &Dialect) -> Extent {
        let limit = dialect.parse_limit.unwrap_or(u64::MAX).min(u32::MAX as u64) as usize;
        if bytes.len() <= limit {
            return Extent { end: bytes.len() as u32, lines: 0, cut: Cut::Nothing };
        }
        match dialect.over_limit {
            OverLimit::Absent => Extent { end: 0, lines: 0, cut: Cut::Everything },
            OverLimit::Cut => {
                let end = last_whole_line(bytes, limit) as u32;
                Extent { end, lines: 0, cut: Cut::Bytes }
            }
        }
    }
}

/// The end of the last line that is complete within `limit` bytes: a shortened `Disallow` would
/// match more, and a shortened `Allow` would allow more.
fn last_whole_line(bytes: &[u8], limit: usize) -> usize {
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    if is_end(&bytes[limit]) {
        return limit;
    }
    bytes[..limit].iter().rposition(is_end).map_or(0, |n| n + 1)
}

/// How many bytes of byte order mark the file begins with.
fn bom_len(bytes: &[u8], dialect: &Dialect) -> u32 {
    const BOM: &[u8] = b"\xEF\xBB\xBF";
    let common = BOM.iter().zip(bytes).take_while(|(a, b)| a == b).count();
    if common == BOM.len() || dialect.skip_partial_bom {
        common as u32
    } else {
        0
    }
}

/// Reads the lines of one file one by one, in any order, as [`walk`] reads them.
#[derive(Clone, Debug)]
pub struct LineReader {
    reader: Reader,
    bom: u32,
}

impl LineReader {
    /// Prepare for a file.
    pub fn of(bytes: &[u8], dialect: &Dialect) -> LineReader {
        LineReader::of_read(&bytes[..Extent::of(bytes, dialect).end as usize], dialect)
    }

    /// Prepare for the bytes of a file that the dialect reads.
    #[inline]
    fn of_read(bytes: &[u8], dialect: &Dialect) -> LineReader {
        let reader = Reader::new(dialect).for_file(bytes);
        LineReader { reader, bom: bom_len(bytes, dialect) }
    }

    /// The line without the byte order mark, which only the first has.
    #[inline]
    fn content(&self, line: &RawLine) -> Span {
        let bom = if line.number == 1 { self.bom } else { 0 };
        Span { start: line.content.start + bom, end: line.content.end }
    }

    /// Read one line of the bytes that the dialect reads.
    pub fn read(&self, bytes: &[u8], line: &RawLine) -> Reading {
        self.reader.read(bytes, self.content(line), line.hash)
    }
}

/// Read the file line by line and pass each line with its place to the sink.
#[inline]
pub fn walk<S: Sink>(bytes: &[u8], dialect: &Dialect, sink: &mut S) -> Extent {
    let mut extent = Extent::of(bytes, dialect);
    let bytes = &bytes[..extent.end as usize];
    let lines = LineReader::of_read(bytes, dialect);
    let reader = &lines.reader;
    let mut state = State::new(dialect);
    let max_lines = dialect.max_lines.map_or(usize::MAX, |n| n as usize);
    for line in Lines::new(bytes) {
        if line.number as usize > max_lines {
            extent = Extent { end: line.content.start, cut: Cut::Lines, ..extent };
            break;
        }
        let content = lines.content(&line);
        extent.lines = line.number;
        if !S::EVERY_LINE && reader.is_silent(content.of(bytes), state.record_ends_starts) {
            continue;
        }
        let reading = reader.read(bytes, content, line.hash);
        let place = state.place(&reading, sink);
        sink.line(&line, &reading, place);
    }
    state.end_group(sink);
    extent
}

/// The current group, and what ends it or is excluded from it in a dialect.
struct State {
    open: bool,
    has_rule: bool,
    rules_left: u64,
    max_rule_len: usize,
    blank_ends: bool,
    record_ends_starts: bool,
    usage_ends_starts: bool,
    drop_empty_groups: bool,
}

impl State {
    fn new(dialect: &Dialect) -> Self {
        State {
            open: false,
            has_rule: false,
            rules_left: dialect.max_rules.unwrap_or(u64::MAX),
            max_rule_len: dialect.max_rule_len.map_or(usize::MAX, |n| n as usize),
            blank_ends: dialect.blank_ends,
            record_ends_starts: dialect.record_ends_starts,
            usage_ends_starts: dialect.usage_ends_starts,
            drop_empty_groups: dialect.drop_empty_groups,
        }
    }

    #[inline]
    fn place<S: Sink>(&mut self, reading: &Reading, sink: &mut S) -> Place {
        match reading.kind {
            LineKind::Field(Field::Allow | Field::Disallow) => self.rule(reading.value.len()),
            LineKind::Field(Field::UserAgent) if self.open && !self.has_rule => Place::Inside,
            LineKind::Field(Field::UserAgent) | LineKind::Dropped(Some(Field::UserAgent)) => {
                self.end_group(sink);
                self.open = true;
                Place::Opens
            }
            LineKind::Field(field) if self.ends_starts(field) => {
                self.has_rule |= self.open;
                self.here()
            }
            LineKind::Blank if self.blank_ends => {
                self.end_group(sink);
                Place::Outside
            }
            _ => self.here(),
        }
    }

    /// Whether a record ends the run of start-group lines, as a rule does.
    fn ends_starts(&self, field: Field) -> bool {
        match field {
            Field::ContentUsage => self.usage_ends_starts,
            _ => self.record_ends_starts && field.scope() == FieldScope::Group,
        }
    }

    #[inline]
    fn rule(&mut self, len: usize) -> Place {
        let over = len > self.max_rule_len || self.rules_left == 0;
        self.rules_left = self.rules_left.saturating_sub(1);
        if !self.open {
            return Place::Outside;
        }
        self.has_rule = true;
        if over {
            Place::OverLimit
        } else {
            Place::Inside
        }
    }

    fn here(&self) -> Place {
        if self.open {
            Place::Inside
        } else {
            Place::Outside
        }
    }

    #[inline]
    fn end_group<S: Sink>(&mut self, sink: &mut S) {
        if self.open && !self.has_rule && self.drop_empty_groups {
            sink.void_group();
        }
        self.open = false;
        self.has_rule = false;
    }
}

/// A start-group line: the span of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartLine {
    /// The value, which may be empty.
    pub value: Span,
    /// The number of the line.
    pub line: u32,
}

/// A rule: the span of its pattern, and whether it allows. Twelve bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    start: u32,
    len_and_verdict: u32,
    /// The number of the line.
    pub line: u32,
}

const ALLOW_BIT: u32 = 1 << 31;

impl Rule {
    fn new(value: Span, allow: bool, line: u32) -> Self {
        // A value of 2 GiB or more is read as its first 2 GiB: the length shares its word with
        // the verdict.
        let len = (value.len() as u32).min(ALLOW_BIT - 1);
        let verdict = if allow { ALLOW_BIT } else { 0 };
        Rule { start: value.start, len_and_verdict: len | verdict, line }
    }

    /// Whether it is an `Allow`.
    #[inline]
    pub fn is_allow(self) -> bool {
        self.len_and_verdict & ALLOW_BIT != 0
    }

    /// The span of its value.
    #[inline]
    pub fn value(self) -> Span {
        Span { start: self.start, end: self.start + (self.len_and_verdict & !ALLOW_BIT) }
    }
}

/// Where the start-group lines and the rules of a group begin; both end where the next group's
/// begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Group {
    first_start_line: u32,
    first_rule: u32,
}

/// Room is reserved for one rule per this many bytes of the file: most files have fewer.
const BYTES_OF_A_RULE: usize = 32;

/// Release unused room, unless it is too little to be worth the call.
fn give_back<T>(list: &mut Vec<T>) {
    const WORTH_IT: usize = 256;
    if (list.capacity() - list.len()) * size_of::<T>() > WORTH_IT {
        list.shrink_to_fit();
    }
}

/// All groups of a file: three flat lists of offsets.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    groups: Vec<Group>,
    start_lines: Vec<StartLine>,
    rules: Vec<Rule>,
}

impl Groups {
    /// Read the groups of a file.
    #[inline]
    pub(crate) fn read(bytes: &[u8], dialect: &Dialect) -> (Groups, Extent) {
        let read = Extent::of(bytes, dialect).end as usize;
        let rules = Vec::with_capacity(read / BYTES_OF_A_RULE);
        let mut groups = Groups { rules, ..Groups::default() };
        let extent = walk(bytes, dialect, &mut groups);
        give_back(&mut groups.groups);
        give_back(&mut groups.start_lines);
        give_back(&mut groups.rules);
        (groups, extent)
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Every rule of a group, in file order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The start-group lines of all groups, in file order.
    pub(crate) fn all_start_lines(&self) -> &[StartLine] {
        &self.start_lines
    }

    /// The start-group lines of one group, which is counted from 0.
    pub fn start_lines(&self, group: usize) -> &[StartLine] {
        let end = self
            .groups
            .get(group + 1)
            .map_or(self.start_lines.len() as u32, |g| g.first_start_line);
        &self.start_lines[self.groups[group].first_start_line as usize..end as usize]
    }

    /// The rules of one group, as indices into [`Groups::rules`].
    pub fn rule_range(&self, group: usize) -> std::ops::Range<usize> {
        let end = self.groups.get(group + 1).map_or(self.rules.len() as u32, |g| g.first_rule);
        self.groups[group].first_rule as usize..end as usize
    }

    /// The group of a rule.
    pub fn group_of_rule(&self, rule: usize) -> usize {
        self.groups.partition_point(|g| g.first_rule as usize <= rule) - 1
    }
}

impl Sink for Groups {
    const EVERY_LINE: bool = false;

    #[inline]
    fn line(&mut self, line: &RawLine, reading: &Reading, place: Place) {
        if place == Place::Opens {
            self.groups.push(Group {
                first_start_line: self.start_lines.len() as u32,
                first_rule: self.rules.len() as u32,
            });
        }
        match (reading.kind, place) {
            (LineKind::Field(Field::UserAgent), _) => {
                self.start_lines.push(StartLine { value: reading.value, line: line.number });
            }
            (LineKind::Field(field @ (Field::Allow | Field::Disallow)), Place::Inside) => {
                self.rules.push(Rule::new(reading.value, field == Field::Allow, line.number));
            }
            _ => {}
        }
    }

    fn void_group(&mut self) {
        if let Some(group) = self.groups.pop() {
            self.start_lines.truncate(group.first_start_line as usize);
            self.rules.truncate(group.first_rule as usize);
        }
    }
}
