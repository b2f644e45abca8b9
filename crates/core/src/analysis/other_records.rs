//! Other records: what a new version of a file changes besides rules.
//!
//! In: two [`File`]s of one dialect, and crawlers. Out: what records say to these, where it changed;
//! and the records of the whole file that only one version has.

use std::collections::HashMap;

use crate::agent::Agent;
use crate::field::Field;
use crate::file::{File, LineInfo};
use crate::followed::Bound;
use crate::line::Span;
use crate::record::{seconds, seconds_text, Record, Signals};

/// The fields that speak to single crawlers, as they are usually written.
const FIELDS: [&str; 4] = ["Crawl-delay", "Request-rate", "Visit-time", "Content-Signal"];

/// What these say to a crawler; of several records, what counts.
type Said = [Option<String>; FIELDS.len()];

/// What a field says to some crawlers, where it changed.
#[derive(Debug, PartialEq, Eq)]
pub struct SaidOtherwise {
    /// The field, as it is usually written.
    pub field: &'static str,
    /// The value as a file could write it; none if it said nothing.
    pub before: Option<String>,
    /// The value that it has now.
    pub after: Option<String>,
    /// The crawlers, by their places.
    pub crawlers: Vec<usize>,
}

/// What records say otherwise to crawlers in a new version of a file.
pub fn said_otherwise(bound: &Bound, old: &File, new: &File) -> Vec<SaidOtherwise> {
    let mut changed: Vec<SaidOtherwise> = Vec::new();
    let mut places: HashMap<(&str, Option<String>, Option<String>), usize> = HashMap::new();
    let [before, after] = [old, new].map(|file| Everyone::of(bound, file));
    for crawler in 0..bound.len() {
        let pairs = before.to(crawler).iter().zip(after.to(crawler));
        for (field, (before, after)) in FIELDS.into_iter().zip(pairs) {
            if before == after {
                continue;
            }
            let key = (field, before.clone(), after.clone());
            let place = *places.entry(key).or_insert_with_key(|(field, before, after)| {
                let (before, after) = (before.clone(), after.clone());
                changed.push(SaidOtherwise { field, before, after, crawlers: Vec::new() });
                changed.len() - 1
            });
            changed[place].crawlers.push(crawler);
        }
    }
    changed
}

/// What a file says to many crawlers.
struct Everyone {
    said: Vec<Said>,
    /// By crawler, the place of what is said to it.
    places: Vec<usize>,
}

impl Everyone {
    fn of(bound: &Bound, file: &File) -> Everyone {
        let mut everyone = Everyone { said: Vec::new(), places: vec![0; bound.len()] };
        for (place, standing) in bound.standings(file).into_iter().enumerate() {
            let first = standing.crawlers.first().map(|(first, _)| bound.token(*first));
            let (agent, _) = file.agent_by_operator(first.as_slice());
            everyone.said.push(said_to(&agent));
            standing.crawlers.iter().for_each(|(crawler, _)| everyone.places[*crawler] = place);
        }
        everyone
    }

    fn to(&self, crawler: usize) -> &Said {
        &self.said[self.places[crawler]]
    }
}

fn said_to(agent: &Agent) -> Said {
    let signals = Some(agent.content_signals()).filter(|said| *said != Signals::default());
    [
        agent.crawl_delay().map(|written| seconds_text(seconds(&written))),
        agent.request_rate().map(|rate| rate.to_string()),
        agent.visit_time().map(|window| window.to_string()),
        signals.map(|signals| signals.to_string()),
    ]
}

/// A record of the whole file that only one of two versions has, or has more often.
#[derive(Debug, PartialEq, Eq)]
pub struct RecordChange {
    /// Whether the new version has it.
    pub added: bool,
    /// Its line, in the version that has it.
    pub line: u32,
    /// Its field.
    pub field: Field,
    /// Its field as it is written there.
    pub key: Span,
    /// Its value.
    pub raw: Span,
}

/// The records of the whole file that only one version has: those that were removed, then those that
/// were added.
pub fn record_changes(old: &File, new: &File) -> Vec<RecordChange> {
    let removed = only_in(old, new).map(|change| RecordChange { added: false, ..change });
    removed.chain(only_in(new, old)).collect()
}

/// Those that a file has more often than another.
fn only_in<'f>(file: &'f File, other: &'f File) -> impl Iterator<Item = RecordChange> + 'f {
    let mut left: HashMap<(Field, &[u8]), usize> = HashMap::new();
    for (_, record) in of_whole_file(other) {
        *left.entry((record.field, record.raw.of(other.bytes()))).or_default() += 1;
    }
    of_whole_file(file).filter_map(move |(info, Record { line, field, raw, .. })| {
        match left.get_mut(&(field, raw.of(file.bytes()))) {
            Some(left) if *left > 0 => {
                *left -= 1;
                None
            }
            _ => Some(RecordChange { added: true, line, field, key: info.reading.key, raw }),
        }
    })
}

fn of_whole_file(file: &File) -> impl Iterator<Item = (&LineInfo, Record)> {
    let records = file.record_lines().iter();
    let records = records.filter_map(|info| file.record_on(info, None).map(|found| (info, found)));
    records.filter(|(_, record)| !record.is_of_group())
}
