//! Advice: what records other than rules say to one crawler: pace, hours, and use of the content.
//!
//! In: a [`File`] and an [`Agent`]. Out: values of its groups, combined. None of it ever changes
//! whether a URL may be fetched. Nothing here reads a clock.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::agent::Agent;
use crate::dialect::Dialect;
use crate::field::Field;
use crate::file::{File, LineInfo};
use crate::group::Place;
use crate::matcher::Subject;
use crate::pattern::{Pattern, PatternReader};
use crate::percent::{escape_specials, Form, Side};
use crate::reader::{LineKind, Reader};
use crate::record::{CleanParam, Preferences, Rate, Record, Signals, Usage, Value, Window};
use crate::target::{split_authority, Target};

/// How a dialect reads crawl delays.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    inherits: bool,
    ceiling: Option<u64>,
    whole: bool,
}

impl Pace {
    /// Take the knobs from a dialect.
    pub fn of(dialect: &Dialect) -> Self {
        Pace {
            inherits: dialect.crawl_delay_inherits,
            ceiling: dialect.crawl_delay_ceiling,
            whole: dialect.crawl_delay_whole,
        }
    }

    /// The delay to keep for one as written: rounded up and clamped as the dialect says.
    pub fn keep(self, written: &str) -> String {
        let (whole, fraction) = split_decimal(written);
        let has_rest = !fraction.is_empty();
        if let Some(most) = self.ceiling.filter(|most| (whole, has_rest) > (*most, false)) {
            return most.to_string();
        }
        match self.whole && written.contains('.') {
            true => (whole + has_rest as u64).to_string(),
            false => written.to_string(),
        }
    }
}

/// The whole seconds, and the fraction without its trailing zeros.
fn split_decimal(written: &str) -> (u64, &str) {
    let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
    (whole.parse().unwrap_or(u64::MAX), fraction.trim_end_matches('0'))
}

impl Agent {
    /// The delay between two requests in seconds, as an exact decimal: the largest of the crawler's
    /// groups, because the larger is the more polite one.
    pub fn crawl_delay(&self) -> Option<String> {
        let file = self.file();
        let pace = Pace::of(file.dialect());
        let own = largest_delay(file, &self.selection().groups);
        let found = own.or_else(|| {
            let inherits = pace.inherits && self.selection().named;
            inherits
                .then(|| largest_delay(file, &file.wildcard_agent().selection().groups))
                .flatten()
        });
        found.map(|written| pace.keep(&written))
    }

    /// The request rates of the crawler's groups, in file order.
    pub fn request_rates(&self) -> Vec<Rate> {
        let file = self.file();
        let values = values(file, &self.selection().groups, Field::RequestRate);
        let rate = |value| match value {
            Value::Rate(rate) => Some(rate),
            _ => None,
        };
        values.filter_map(rate).collect()
    }

    /// The request rate that applies at all times: the first of the crawler's groups without a
    /// window, otherwise the first.
    pub fn request_rate(&self) -> Option<Rate> {
        let rates = self.request_rates();
        rates.iter().find(|rate| rate.window.is_none()).or(rates.first()).copied()
    }

    /// The request rate that applies at a minute of the day, 0 to 1,439 in UTC: the first whose
    /// window contains it, otherwise the first without a window.
    pub fn request_rate_at(&self, minute: u16) -> Option<Rate> {
        let rates = self.request_rates();
        let holds = |rate: &&Rate| rate.window.is_some_and(|window| window.holds(minute));
        let always = || rates.iter().find(|rate| rate.window.is_none());
        rates.iter().find(holds).or_else(always).copied()
    }

    /// The hours of visit: the first valid window of the crawler's groups.
    pub fn visit_time(&self) -> Option<Window> {
        let file = self.file();
        let mut values = values(file, &self.selection().groups, Field::VisitTime);
        values.find_map(|value| match value {
            Value::Window(window) => Some(window),
            _ => None,
        })
    }

    /// The content signals of the crawler's groups; if they have none, those before any group.
    pub fn content_signals(&self) -> Signals {
        let (own, of_file) = self.signal_records();
        all_signals(&own).or(all_signals(&of_file))
    }

    /// The records of content signals in the crawler's groups, and those before any group.
    pub(crate) fn signal_records(&self) -> (Vec<Record>, Vec<Record>) {
        let (file, groups) = (self.file(), self.selection().groups.iter());
        let own = groups.flat_map(|group| records_of(file, Some(*group), Field::ContentSignal));
        let first = file.groups().all_start_lines().first().map_or(u32::MAX, |start| start.line);
        let outside = records_of(file, None, Field::ContentSignal);
        (own.collect(), outside.take_while(|record| record.line < first).collect())
    }

    /// The usage preferences for a target: those of the longest matching path; of equal ones a
    /// `disallow` wins (draft-ietf-aipref-attach-05). A target that may not be fetched has none:
    /// preferences concern what a crawler receives.
    ///
    /// None if the dialect does not read the field.
    pub fn content_usage(&self, target: &Target) -> Option<Preferences> {
        if !Reader::new(self.file().dialect()).reads(Field::ContentUsage) {
            return None;
        }
        if !self.check(target).allowed {
            return Some(Preferences::default());
        }
        let records = self.usage_records();
        let applying = applying_usages(&records, self.patterns(), target.bytes());
        let said = |all: Preferences, (_, usage): (_, &Usage)| all.and(usage.preferences);
        Some(applying.into_iter().fold(Preferences::default(), said))
    }

    /// The records of usage preferences in the crawler's groups, in file order.
    pub(crate) fn usage_records(&self) -> Vec<Record> {
        let (file, groups) = (self.file(), self.selection().groups.iter());
        groups.flat_map(|group| records_of(file, Some(*group), Field::ContentUsage)).collect()
    }
}

/// Signals of several records at once.
pub(crate) fn all_signals(records: &[Record]) -> Signals {
    records.iter().filter_map(signals_in).fold(Signals::default(), Signals::and)
}

/// The signals of a well-formed record.
pub(crate) fn signals_in(record: &Record) -> Option<Signals> {
    match &record.value {
        Ok(Value::Signals { signals, .. }) => Some(*signals),
        _ => None,
    }
}

/// Of records of usage preferences those that apply to a target: those of the longest matching path.
pub(crate) fn applying_usages<'r>(
    records: &'r [Record],
    patterns: &PatternReader,
    target: &[u8],
) -> Vec<(&'r Record, &'r Usage)> {
    let subject = Subject::new(target);
    let (mut longest, mut applying) = (0, Vec::new());
    for record in records {
        let Ok(Value::Usage { usage, .. }) = &record.value else { continue };
        let Some(length) = path_length(&usage.path, patterns, &subject) else { continue };
        match length.cmp(&longest) {
            Ordering::Less => continue,
            Ordering::Equal => {}
            Ordering::Greater => applying.clear(),
        }
        longest = length;
        applying.push((record, usage));
    }
    applying
}

impl File {
    /// A URL without the query parameters that the file calls insignificant (Yandex Webmaster help,
    /// Clean-param). A URL without authority is a path.
    pub fn clean_url(&self, url: &[u8]) -> Vec<u8> {
        let hash = url.iter().position(|o| *o == b'#').unwrap_or(url.len());
        let Some(mark) = url[..hash].iter().position(|o| *o == b'?') else { return url.to_vec() };
        let cleaners = cleaners(self, path_of(&url[..mark]));
        let names: HashSet<&[u8]> =
            cleaners.iter().flat_map(|cleaner| &cleaner.params).map(Vec::as_slice).collect();
        let keep = |param: &&[u8]| {
            let name = param.split(|o| *o == b'=').next().unwrap_or(param);
            !names.contains(name)
        };
        let kept: Vec<&[u8]> = url[mark + 1..hash].split(|o| *o == b'&').filter(keep).collect();
        let mut clean = url[..mark].to_vec();
        if !kept.is_empty() {
            clean.push(b'?');
            clean.extend(kept.join(&b'&'));
        }
        clean.extend_from_slice(&url[hash..]);
        clean
    }
}

/// The values of one field in the crawler's groups, in file order.
fn values<'f>(file: &'f File, groups: &'f [u32], field: Field) -> impl Iterator<Item = Value> + 'f {
    let records = groups.iter().flat_map(move |group| records_of(file, Some(*group), field));
    records.filter_map(|record| record.value.ok())
}

/// The records of one field in one group, or outside of groups: not in one that the dialect drops.
fn records_of(file: &File, group: Option<u32>, field: Field) -> impl Iterator<Item = Record> + '_ {
    let is_there = move |line: &&LineInfo| group.is_some() || line.place == Place::Outside;
    let lines = file.record_lines_of(group).filter(is_there);
    let wanted = lines.filter(move |line| line.reading.kind == LineKind::Field(field));
    wanted.filter_map(|line| file.record_on(line, None))
}

fn largest_delay(file: &File, groups: &[u32]) -> Option<String> {
    let delays = values(file, groups, Field::CrawlDelay).filter_map(|value| match value {
        Value::Delay(written) => Some(written),
        _ => None,
    });
    // Fractions without trailing zeros sort as text.
    delays.max_by(|a, b| split_decimal(a).cmp(&split_decimal(b)))
}

/// The length of a usage path that matches; the empty one matches everything.
fn path_length(path: &[u8], patterns: &PatternReader, subject: &Subject) -> Option<u32> {
    if path.is_empty() {
        return Some(0);
    }
    let mut length = None;
    patterns.each(path, false, |pattern: Pattern| {
        if subject.matches(&pattern) {
            length = Some(pattern.length);
        }
    });
    length
}

fn path_of(url: &[u8]) -> &[u8] {
    let path = split_authority(url).map_or(url, |parts| parts.rest);
    if path.is_empty() {
        b"/"
    } else {
        path
    }
}

/// The Clean-param records that apply to a path.
fn cleaners(file: &File, path: &[u8]) -> Vec<CleanParam> {
    let form = Form::of(file.dialect());
    let path = form.apply(Side::Target, path);
    let matches = |pattern: &[u8]| {
        let pattern = form.apply(Side::Pattern, pattern);
        let text = match form.escapes_specials() {
            true => escape_specials(&pattern, b"$"),
            false => pattern.into_owned(),
        };
        crate::pattern::matches(&text, text.contains(&b'*'), false, &path)
    };
    let speaks = |record: Record| match record.value {
        Ok(Value::CleanParam(cleaner)) => Some(cleaner).filter(|cleaner| matches(&cleaner.path)),
        _ => None,
    };
    file.records(None).into_iter().filter_map(speaks).collect()
}
