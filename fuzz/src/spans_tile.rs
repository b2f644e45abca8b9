//! Property: lines tile the file without a gap, and every walk over it tells the same.
//!
//! Oracle: lines counted one byte at a time; the groups of the first walk, found once more in the
//! lines of the second.

use verger_core::internal::{is_white, Finder};
use verger_core::record::Value;
use verger_core::{Cut, Dialect, Field, File, LineInfo, LineKind, Origin, Place};

use crate::input::{dialect, expanded, parts, turned};

/// Check one input: `DIALECT[KNOBS]`, file.
pub fn check(data: &[u8]) {
    let data = expanded(data);
    let [how, robots] = parts(&data);
    let dialect = turned(dialect(how.first()), how.get(1..).unwrap_or_default());
    let file = File::parse(robots, &dialect);
    let lines = file.lines();
    tile(&file, &lines);
    lines.iter().for_each(|line| assert_parts(file.bytes(), line));
    assert_same_groups(&file, &dialect, &lines);
    assert_records(&file, &lines);
    assert_findings(&file, &lines);
}

fn tile(file: &File, lines: &[LineInfo]) {
    let bytes = file.bytes();
    let all: Vec<_> = lines.iter().map(|line| line.raw).chain(file.unread_lines()).collect();
    let (mut at, mut number) = (0, 0);
    for line in &all {
        assert_eq!((line.content.start, line.number), (at, number + 1));
        assert!(line.content.end <= line.next);
        (at, number) = (line.next, line.number);
    }
    let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => *at == 0 || bytes[at - 1] != b'\r',
        byte => **byte == b'\r',
    });
    let has_last = bytes.last().is_some_and(|byte| !matches!(byte, b'\r' | b'\n'));
    assert_eq!(at as usize, bytes.len());
    assert_eq!(number as usize, ends.count() + usize::from(has_last));
    assert_eq!(lines.len(), file.extent().lines as usize);
    if file.extent().cut == Cut::Nothing {
        assert_eq!(lines.len(), all.len());
    }
}

/// Key, value and comment stand in this order within the line; between them is nothing but white
/// space and the colon, unless the line is cut.
fn assert_parts(bytes: &[u8], line: &LineInfo) {
    let (content, reading) = (line.raw.content, &line.reading);
    assert!(content.start <= reading.key.start && reading.key.start <= reading.key.end);
    assert!(reading.key.end <= reading.value.start || reading.value.is_empty());
    assert!(reading.value.start <= reading.value.end);
    assert!(reading.value.end <= reading.comment && reading.comment <= content.end);
    assert_eq!(reading.key.trimmed(bytes), reading.key);
    assert_eq!(reading.value.trimmed(bytes), reading.value);
    let is_comment = (reading.comment as usize) < bytes.len()
        && reading.comment < content.end
        && bytes[reading.comment as usize] == b'#';
    let tolerated = reading.tolerated;
    assert!(is_comment || reading.comment == content.end || tolerated.nul || tolerated.length);
    if reading.key.is_empty() || reading.value.is_empty() {
        return;
    }
    let between = &bytes[reading.key.end as usize..reading.value.start as usize];
    let colons = between.iter().filter(|byte| **byte == b':').count();
    assert_eq!(colons, usize::from(!tolerated.colon));
    assert!(between.iter().all(|byte| *byte == b':' || is_white(*byte)));
}

fn assert_same_groups(file: &File, dialect: &Dialect, lines: &[LineInfo]) {
    let groups = file.groups();
    let (mut rules, mut starts) = (Vec::new(), vec![Vec::new(); groups.len()]);
    for line in lines {
        let Some(group) = line.group else { continue };
        match line.reading.kind {
            LineKind::Field(Field::UserAgent) => {
                starts[group as usize].push((line.reading.value, line.raw.number));
            }
            LineKind::Field(field @ (Field::Allow | Field::Disallow))
                if line.place == Place::Inside =>
            {
                rules.push((line.reading.value, field == Field::Allow, line.raw.number, group));
            }
            _ => {}
        }
    }
    let read: Vec<_> = (groups.rules().iter().enumerate())
        .map(|(at, rule)| {
            (rule.value(), rule.is_allow(), rule.line, groups.group_of_rule(at) as u32)
        })
        .collect();
    assert_eq!(read, rules, "{}", dialect.name);
    for (group, expected) in starts.iter().enumerate() {
        let read: Vec<_> =
            groups.start_lines(group).iter().map(|start| (start.value, start.line)).collect();
        assert_eq!(&read, expected, "{}", dialect.name);
    }
}

fn assert_records(file: &File, lines: &[LineInfo]) {
    let origin = Origin::of(b"https://example.com/robots.txt").ok();
    let is_record =
        |line: &&LineInfo| matches!(line.reading.kind, LineKind::Field(f) if !f.is_core());
    let mut expected: Vec<LineInfo> = lines.iter().filter(is_record).copied().collect();
    let mut found = file.record_lines().to_vec();
    // The end of the last line that is read belongs to it where a limit stands before it.
    if let (Some(last), Some(other)) = (expected.last_mut(), found.last_mut()) {
        last.raw.next = other.raw.next;
    }
    assert_eq!(found, expected);
    let records = file.records(origin.as_ref());
    assert_eq!(records.len(), expected.len());
    for (told, line) in records.iter().zip(&expected) {
        assert_eq!(Some(told), file.record_on(line, origin.as_ref()).as_ref());
        if let Ok(Value::Sitemap { absolute, resolved }) = &told.value {
            assert!(!(*absolute && resolved.is_some()));
        }
    }
    let named = records.iter().filter(|r| r.field == Field::Sitemap && !r.raw.is_empty());
    assert_eq!(file.sitemaps(), named.map(|r| r.raw).collect::<Vec<_>>());
}

fn assert_findings(file: &File, lines: &[LineInfo]) {
    let finder = Finder::new(file, None);
    let mut all = Vec::new();
    for line in lines {
        let mut codes = Vec::new();
        finder.codes_of_line(line, |code| codes.push(code));
        let findings = finder.of_line(line);
        assert_eq!(findings.iter().map(|f| f.code).collect::<Vec<_>>(), codes);
        assert!(findings.iter().all(|f| f.line == line.raw.number && !f.message.is_empty()));
        all.extend(findings);
    }
    all.extend(finder.of_limit());
    assert_eq!(file.findings(None), all);
    let is_cut = file.unread_lines().next().is_some();
    assert_eq!(finder.of_limit().is_some(), is_cut);
}
