//! Endings: an ending is what all rows decided by one rule or policy share.
//!
//! In: URLs, and the judge with the files of their origins. Out: the number of its ending for each
//! row, and the endings that had no number before: a writer of rows formats each ending only once.
//! How many are remembered is bounded; beyond that, numbers start again.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::decide::decide_block;
use crate::judge::{LastOrigin, ManyFiles, OneFile, WrittenRule};
use crate::missing_site::Place;
use crate::origin_key::origin_key;
use crate::row::{Row, Unanswered};

/// URLs in the form in which the caller has them.
pub type Urls<'a> = [Cow<'a, [u8]>];

/// One ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The entry of the snapshot; none if the row has no answer.
    pub entry: Option<u32>,
    /// The answer.
    pub row: Row,
    /// The rule that decided.
    pub rule: Option<WrittenRule>,
}

/// Rows by the numbers of their endings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// One number for each row.
    pub numbers: Vec<u32>,
    /// The number of the first of `fresh`: older endings with numbers from there on are replaced.
    pub first: u32,
    /// The endings that are new, in the order of their numbers.
    pub fresh: Vec<Ending>,
}

/// The endings that have numbers.
#[derive(Debug)]
pub struct Endings {
    numbers: HashMap<(Option<u32>, Row), u32>,
    most: usize,
    by_rule: bool,
}

impl Endings {
    /// None yet; `most` bounds how many are remembered from call to call. `by_rule`: whether rows
    /// of one origin have one ending for each rule; otherwise one where they are allowed, and one
    /// where they are not.
    pub fn new(most: usize, by_rule: bool) -> Endings {
        Endings { numbers: HashMap::new(), most, by_rule }
    }

    /// Decide URLs by the files of their origins.
    pub fn of(&mut self, judge: &ManyFiles, urls: &Urls) -> Ended {
        let mut rows = vec![Row::default(); urls.len()];
        let places = decide_block(judge, &mut rows, |at| Ok(&urls[at]));
        let entry = |at: usize| match places[at] {
            Place::Entry(entry) => Some(entry),
            Place::Unanswered(_) => None,
        };
        self.number(&rows, entry, |entry, at| judge.rule(entry, &urls[at]))
    }

    /// Decide URLs by one file, which is entry 0.
    pub fn of_one(&mut self, judge: &OneFile, urls: &Urls) -> Ended {
        let rows: Vec<Row> = urls.iter().map(|url| judge.judge(url)).collect();
        self.number(&rows, |_| Some(0), |_, at| judge.rule(&urls[at]))
    }

    fn number(
        &mut self,
        rows: &[Row],
        entry: impl Fn(usize) -> Option<u32>,
        rule: impl Fn(u32, usize) -> Option<WrittenRule>,
    ) -> Ended {
        if self.numbers.len() > self.most {
            self.numbers.clear();
        }
        let first = self.next();
        let mut fresh = Vec::new();
        let number = |(at, row): (usize, &Row)| {
            let row = if self.by_rule { *row } else { row.verdict() };
            let entry = row.allowed().and_then(|_| entry(at));
            let next = self.next();
            *self.numbers.entry((entry, row)).or_insert_with(|| {
                let rule = entry.filter(|_| row.line().is_some()).and_then(|entry| rule(entry, at));
                fresh.push(Ending { entry, row, rule });
                next
            })
        };
        let numbers = rows.iter().enumerate().map(number).collect();
        Ended { numbers, first, fresh }
    }

    fn next(&self) -> u32 {
        u32::try_from(self.numbers.len()).unwrap_or(u32::MAX)
    }
}

/// The origins of URLs without an entry in the snapshot, without duplicates, in canonical form.
pub fn missing(judge: &ManyFiles, urls: &Urls) -> Vec<Vec<u8>> {
    let mut last = LastOrigin::default();
    let mut found = Vec::new();
    let mut known = HashSet::new();
    for url in urls {
        if judge.place(url, &mut last) != Place::Unanswered(Unanswered::NotInSnapshot) {
            continue;
        }
        if let Ok(key) = origin_key(url) {
            if !known.contains(&*key) {
                known.insert(key.to_vec());
                found.push(key.into_owned());
            }
        }
    }
    found
}
