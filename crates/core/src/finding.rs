//! Findings: what in a file was tolerated, cut or skipped, line by line.
//!
//! In: a [`File`]. Out: [`Finding`]s with a code and a sentence. A file is never invalid, but its
//! author may want to know.

use crate::advice::Pace;
use crate::code::FindingCode;
use crate::content::foreign;
use crate::field::Field;
use crate::file::{File, LineInfo};
use crate::group::{Cut, Place};
use crate::origin::Origin;
use crate::pattern::PatternReader;
use crate::percent::escape_at;
use crate::reader::LineKind;
use crate::record::{Record, Value};
use crate::token::NameTest;

/// Something worth knowing about a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// The number of the line.
    pub line: u32,
    /// Its code, named after the mistake.
    pub code: FindingCode,
    /// A sentence, in lower case, without a final period.
    pub message: String,
}

/// Makes the sentence of a finding, on demand.
type Message<'a> = &'a dyn Fn() -> String;

/// Whether a byte cannot be in a URL unescaped.
const fn is_unsafe(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | 0x7f | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{'..=b'}')
}

/// The bytes that cause no finding.
const IS_PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 0x80 {
        plain[byte as usize] = !is_unsafe(byte) && byte != b'%';
        byte += 1;
    }
    plain
};

/// Finds what was tolerated, cut or skipped in the lines of one file.
pub struct Finder<'f> {
    file: &'f File,
    patterns: PatternReader,
    pace: Pace,
    names: NameTest,
    origin: Option<&'f Origin>,
}

impl<'f> Finder<'f> {
    /// Prepare for a file.
    pub fn new(file: &'f File, origin: Option<&'f Origin>) -> Self {
        let dialect = file.dialect();
        let (patterns, names) = (PatternReader::new(dialect), NameTest::new(dialect));
        Finder { file, patterns, pace: Pace::of(dialect), names, origin }
    }

    /// The findings of one line.
    pub fn of_line(&self, line: &LineInfo) -> Vec<Finding> {
        let mut found = Vec::new();
        self.look(line, &mut |code, message: Message| {
            found.push(Finding { line: line.raw.number, code, message: message() });
        });
        found
    }

    /// The codes of the findings of one line, without their sentences.
    pub fn codes_of_line(&self, line: &LineInfo, mut take: impl FnMut(FindingCode)) {
        self.look(line, &mut |code, _: Message| take(code));
    }

    #[inline]
    fn look(&self, line: &LineInfo, say: &mut impl FnMut(FindingCode, Message)) {
        if line.raw.number == 1 {
            self.of_content(say);
        }
        self.tolerated(line, say);
        match line.reading.kind {
            LineKind::Unknown => self.of_unknown(line, say),
            LineKind::Dropped(_) => {
                say(FindingCode::LongLine, &|| "the line is too long and is not read".into())
            }
            LineKind::Field(Field::Allow | Field::Disallow) => self.of_rule(line, say),
            LineKind::Field(Field::UserAgent) => self.of_agent(line, say),
            LineKind::Field(_) => {
                if let Some(record) = self.file.record_on(line, self.origin) {
                    self.of_record(&record, say);
                }
            }
            _ => {}
        }
    }

    /// What the whole file is, reported for its first line. A file with a group is a robots.txt
    /// file, whatever it begins with: crawlers follow its rules.
    fn of_content(&self, say: &mut impl FnMut(FindingCode, Message)) {
        if !self.file.groups().all_start_lines().is_empty() {
            return;
        }
        let Some(code) = foreign(self.file.bytes()) else { return };
        if self.file.has_start_group() {
            return;
        }
        say(code, &|| match code {
            FindingCode::Utf16 => "the file is UTF-16, but is read as UTF-8".into(),
            FindingCode::Html => {
                "the file is HTML or XML, as servers send it for a missing file".into()
            }
            FindingCode::Json => "the file is JSON".into(),
            _ => "the file is not text".into(),
        });
    }

    fn of_agent(&self, line: &LineInfo, say: &mut impl FnMut(FindingCode, Message)) {
        let value = line.reading.value.of(self.file.bytes());
        if value.is_empty() {
            return say(FindingCode::EmptyAgent, &|| {
                "the start-group line names no crawler".into()
            });
        }
        let Ok(value) = std::str::from_utf8(value) else { return };
        if let Some(missed) = self.names.missed(value) {
            say(FindingCode::UnmatchedAgent, &|| match missed.as_slice() {
                [] => "no crawler has such a product token".into(),
                names => {
                    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                    format!("the line does not apply to {}", names.join(", "))
                }
            });
        }
    }

    fn of_unknown(&self, line: &LineInfo, say: &mut impl FnMut(FindingCode, Message)) {
        match Field::named(line.reading.key.of(self.file.bytes())) {
            Some(field) => {
                say(FindingCode::FieldNotRead, &|| {
                    format!("`{}` is not read in this dialect", field.name())
                });
            }
            None => say(FindingCode::UnknownLine, &|| "the line has no known field".into()),
        }
    }

    fn tolerated(&self, line: &LineInfo, say: &mut impl FnMut(FindingCode, Message)) {
        let reading = &line.reading;
        if reading.tolerated.length {
            say(FindingCode::LongLine, &|| {
                "the line is too long, and only its beginning is read".into()
            });
        }
        if reading.tolerated.nul {
            say(FindingCode::NulInLine, &|| {
                "a NUL byte ends the line; the rest is not read".into()
            });
        }
        let LineKind::Field(field) = reading.kind else { return };
        // Some dialects read any text after the name of a field; it must not end its quotation.
        let key =
            || String::from_utf8_lossy(reading.key.of(self.file.bytes())).replace('`', "\\x60");
        if reading.tolerated.key {
            say(FindingCode::MisspeltKey, &|| format!("`{}` is read as `{}`", key(), field.name()));
        }
        if reading.tolerated.colon {
            say(FindingCode::MissingColon, &|| {
                format!("there is no colon between `{}` and its value", key())
            });
        }
    }

    fn of_rule(&self, line: &LineInfo, say: &mut impl FnMut(FindingCode, Message)) {
        match line.place {
            Place::Outside => say(FindingCode::RuleWithoutGroup, &|| {
                "the rule is outside any group and applies to no crawler".into()
            }),
            Place::OverLimit => say(FindingCode::RuleOverLimit, &|| {
                "the rule exceeds a limit of the dialect and is not read".into()
            }),
            _ => {}
        }
        let value = line.reading.value.of(self.file.bytes());
        if value.is_empty() {
            return;
        }
        if self.patterns.skips(value) {
            say(FindingCode::PatternWithoutSlash, &|| {
                "the pattern begins with neither `/` nor `*` and is skipped".into()
            });
        }
        self.of_bytes(value, say);
    }

    fn of_bytes(&self, value: &[u8], say: &mut impl FnMut(FindingCode, Message)) {
        if value.iter().all(|byte| IS_PLAIN[*byte as usize]) {
            return;
        }
        if std::str::from_utf8(value).is_err() {
            say(FindingCode::InvalidUtf8, &|| {
                "the value is not UTF-8; it is read byte by byte".into()
            });
        }
        let is_broken = |at: usize| value[at] == b'%' && escape_at(value, at).is_none();
        if let Some(at) = (0..value.len()).find(|at| is_broken(*at)) {
            say(FindingCode::InvalidEscape, &|| {
                format!("the `%` at offset {at} is not followed by two hexadecimal digits")
            });
        }
        if let Some(at) = value.iter().position(|byte| is_unsafe(*byte)) {
            say(FindingCode::UnsafeByte, &|| {
                format!("the byte {:#04x} at offset {at} must be escaped in a URL", value[at])
            });
        }
    }

    fn of_record(&self, record: &Record, say: &mut impl FnMut(FindingCode, Message)) {
        match &record.value {
            Err(why) => say(FindingCode::MalformedValue, &|| why.0.into()),
            Ok(Value::Sitemap { absolute: false, .. }) => {
                say(FindingCode::RelativeSitemap, &|| {
                    "the URL of a sitemap must be absolute".into()
                });
            }
            Ok(Value::Signals { is_whole: false, .. }) => {
                say(FindingCode::UnknownSignal, &|| match self.lacks_commas(record) {
                    true => "the content signals must be separated with commas".into(),
                    false => "some of the content signals are unknown and ignored".into(),
                });
            }
            Ok(Value::Usage { is_dictionary: false, .. }) => {
                say(FindingCode::UnknownUsage, &|| match self.lacks_commas(record) {
                    true => "the preferences must be separated with commas: all are unknown".into(),
                    false => "the preferences are not written as in `train-ai=n, search=y`: all \
                              are unknown"
                        .into(),
                });
            }
            Ok(Value::Usage { usage, is_dictionary: true }) => {
                if let Some(unread) = usage.unread.first() {
                    say(FindingCode::UnknownUsageValue, &|| {
                        let label = String::from_utf8_lossy(&unread.label);
                        format!("`{label}` is followed by neither `=y` nor `=n`, and has no effect")
                    });
                }
                if let Some(other) = usage.other.first() {
                    say(FindingCode::UnknownUsageLabel, &|| {
                        let label = String::from_utf8_lossy(&other.label);
                        format!("`{label}` is an unknown label and has no effect")
                    });
                }
            }
            Ok(Value::Delay(written)) if record.field == Field::CrawlDelay => {
                let kept = self.pace.keep(written);
                if kept != *written {
                    say(FindingCode::ChangedDelay, &|| {
                        format!("the delay of {written} seconds counts as {kept}")
                    });
                }
            }
            _ => {}
        }
    }

    /// Whether blanks or semicolons are between the members of a list, as in `search=y train-ai=n`.
    fn lacks_commas(&self, record: &Record) -> bool {
        let is_pair = |word: &[u8]| {
            let mut sides = word.splitn(2, |byte| *byte == b'=');
            sides.all(|side| !side.is_empty()) && word.contains(&b'=')
        };
        record.raw.of(self.file.bytes()).split(|byte| *byte == b',').any(|member| {
            let words = member.split(|byte| matches!(byte, b' ' | b'\t' | b';'));
            words.filter(|word| is_pair(word)).count() > 1
        })
    }

    /// The finding about lines that a limit of the dialect excludes, if there are any.
    pub fn of_limit(&self) -> Option<Finding> {
        if self.file.extent().cut == Cut::Nothing {
            return None;
        }
        let line = self.file.unread_lines().next()?.number;
        let read = self.file.extent().end;
        let message = match self.file.extent().cut {
            Cut::Everything => "the file exceeds the parsing limit and counts as absent".into(),
            Cut::Lines => format!("the file has more lines than are read: {read} bytes are read"),
            _ => format!("the file exceeds the parsing limit: {read} bytes are read"),
        };
        Some(Finding { line, code: FindingCode::OverParsingLimit, message })
    }

    fn all(&self) -> Vec<Finding> {
        let lines = self.file.lines();
        lines.iter().flat_map(|line| self.of_line(line)).chain(self.of_limit()).collect()
    }
}

impl File {
    /// What was tolerated, cut or skipped in the file, in the order of its lines.
    ///
    /// origin: that of the file, against which relative sitemaps are resolved.
    pub fn findings(&self, origin: Option<&Origin>) -> Vec<Finding> {
        Finder::new(self, origin).all()
    }
}
