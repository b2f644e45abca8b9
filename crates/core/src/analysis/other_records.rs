//! Other records: what a new version of a file changes besides rules.
//!
//! In: two [`File`]s of one dialect, and crawlers. Out: what records say to these, where it changed;
//! and the records of the whole file that only one version has.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::agent::Agent;
use crate::field::{Field, FieldScope};
use crate::file::{File, LineInfo};
use crate::followed::Bound;
use crate::line::Span;
use crate::record::{seconds, seconds_text, Record, Signals};
use crate::uses::{Otherwise, Speech};

/// The fields that speak to single crawlers, as they are usually written.
const FIELDS: [&str; 4] = ["Crawl-delay", "Request-rate", "Visit-time", "Content-Signal"];

/// What these say to a crawler; of several records, what counts.
type Words = [Option<String>; FIELDS.len()];

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
    said: Vec<Words>,
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

    fn to(&self, crawler: usize) -> &Words {
        &self.said[self.places[crawler]]
    }
}

fn said_to(agent: &Agent) -> Words {
    let signals = Some(agent.content_signals()).filter(|said| *said != Signals::default());
    [
        agent.crawl_delay().map(|written| seconds_text(seconds(&written))),
        agent.request_rate().map(|rate| rate.to_string()),
        agent.visit_time().map(|window| window.to_string()),
        signals.map(|signals| signals.to_string()),
    ]
}

/// What records say otherwise to one crawler: about uses, in its own groups and with what stands above
/// all groups; and whether other records than before stand in the groups that it follows.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HeardOtherwise {
    /// The uses, each with whether more may be allowed than before.
    pub own: Otherwise,
    /// Those with what stands above all groups.
    pub heard: Otherwise,
    /// Whether other records stand there; to repeat one says nothing.
    pub has_others: bool,
}

/// What records say otherwise to some crawlers in a new version of a file, by their places; those to
/// whom they say the same are left out. All that come first are of one file, and so are all that come
/// second.
pub fn heard_otherwise(pairs: &[[&Agent; 2]]) -> Vec<(usize, HeardOtherwise)> {
    let mut sets = Sets::default();
    // thousands of crawlers may follow the same groups, with thousands of records
    let mut speeches: [HashMap<&[u32], Rc<Speech>>; 2] = Default::default();
    let mut said: HashMap<[&[u32]; 2], (Otherwise, Otherwise)> = HashMap::new();
    let told = pairs.iter().enumerate().map(|(at, pair)| {
        let followed = pair.map(|agent| agent.selection().groups.as_slice());
        let otherwise = || {
            let [before, after] = [0, 1].map(|version| {
                let spoken = speeches[version].entry(followed[version]);
                Rc::clone(spoken.or_insert_with(|| Rc::new(pair[version].speech())))
            });
            before.otherwise(&after)
        };
        let (own, heard) = said.entry(followed).or_insert_with(otherwise).clone();
        (at, HeardOtherwise { own, heard, has_others: sets.is_other(pair) })
    });
    told.filter(|(_, told)| *told != HeardOtherwise::default()).collect()
}

/// The records of groups, each set of them once.
#[derive(Default)]
struct Sets<'f> {
    sets: Vec<BTreeSet<(&'static str, &'f [u8])>>,
    places: HashMap<BTreeSet<(&'static str, &'f [u8])>, usize>,
    /// By the groups of each version.
    read: [HashMap<u32, usize>; 2],
    /// Of pairs of choices of sets, whether they are other ones.
    compared: HashMap<[BTreeSet<usize>; 2], bool>,
}

impl<'f> Sets<'f> {
    /// Whether a crawler follows groups with other records than before.
    fn is_other(&mut self, pair: &[&'f Agent; 2]) -> bool {
        let choices = [0, 1].map(|version| self.choice(version, pair[version]));
        if choices[0] == choices[1] {
            return false;
        }
        if choices.iter().all(|choice| choice.len() < 2) {
            return true; // each set is there once
        }
        let sets = &self.sets;
        *self.compared.entry(choices).or_insert_with_key(|[old, new]| {
            let [old, new] = [old, new].map(|choice| choice.iter().flat_map(|at| &sets[*at]));
            old.collect::<BTreeSet<_>>() != new.collect()
        })
    }

    /// The sets of the groups that a crawler follows, but for empty ones.
    fn choice(&mut self, version: usize, agent: &'f Agent) -> BTreeSet<usize> {
        let file = agent.file();
        if file.record_lines().is_empty() {
            return BTreeSet::new();
        }
        let groups = agent.selection().groups.iter();
        let places: Vec<usize> = groups.map(|group| self.of_group(version, file, *group)).collect();
        places.into_iter().filter(|at| !self.sets[*at].is_empty()).collect()
    }

    fn of_group(&mut self, version: usize, file: &'f File, group: u32) -> usize {
        *self.read[version].entry(group).or_insert_with(|| {
            let set: BTreeSet<_> =
                file.record_lines_of(Some(group)).filter_map(|line| of_group(file, line)).collect();
            *self.places.entry(set).or_insert_with_key(|set| {
                self.sets.push(set.clone());
                self.sets.len() - 1
            })
        })
    }
}

/// A record for the crawlers of the group in which it stands: its field, and its value.
fn of_group<'f>(file: &'f File, line: &LineInfo) -> Option<(&'static str, &'f [u8])> {
    let field = line.field().filter(|field| field.scope() != FieldScope::File)?;
    Some((field.name(), line.reading.value.of(file.bytes())))
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
