//! Endings: an ending is what rows share that rules or policies decide alike, whatever their origin.
//!
//! In: URLs, and the judge with the files of their origins. Out: for each row the number of its
//! origin and that of its ending, and the endings that had no number before: a writer of rows
//! formats each ending only once. How many are remembered is bounded; beyond that, numbers start
//! again.
//!
//! Rows are decided file by file, wherever they are: each file is parsed at most once in a call.

use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::decide::{by_file, in_blocks, BLOCK};
use crate::judge::{LastEntry, LastOrigin, ManyFiles, OneFile, WrittenRule};
use crate::missing_site::{place_of, Place};
use crate::origin_key::origin_key;
use crate::row::{Row, Unanswered};
use crate::workers::at_once;

/// One ending.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ending {
    /// The number of what is known about the origin; none if the row has no answer.
    pub facts: Option<u32>,
    /// The answer.
    pub row: Row,
    /// The rule that decided.
    pub rule: Option<WrittenRule>,
}

/// Rows by the numbers of their endings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// For each row the entry of its origin, counted from 1; 0 if it has no answer.
    pub origins: Vec<u32>,
    /// One number for each row.
    pub numbers: Vec<u32>,
    /// The number of the first of `fresh`: older endings with numbers from there on are replaced.
    pub first: u32,
    /// The endings that are new, in the order of their numbers.
    pub fresh: Vec<Ending>,
}

/// Decides rows, and remembers which endings have numbers.
#[derive(Debug)]
pub struct Endings {
    known: Known,
    by_rule: bool,
    /// What is known about the origin of each entry, as a number of the caller's.
    facts: Vec<u32>,
    calls: usize,
}

impl Endings {
    /// None yet; `most` bounds how many are remembered from call to call. `by_rule`: whether there is
    /// an ending for each rule; otherwise one for rows that are allowed, and one for others.
    pub fn new(most: usize, by_rule: bool) -> Endings {
        let known = Known { numbers: HashMap::new(), most };
        Endings { known, by_rule, facts: Vec::new(), calls: 0 }
    }

    /// Note what is known about the origin of the next entry.
    pub fn know(&mut self, facts: u32) {
        self.facts.push(facts);
    }

    /// Decide URLs by the files of their origins.
    pub fn of(
        &mut self,
        judge: &ManyFiles,
        urls: &[&[u8]],
        places: &[Place],
        threads: usize,
    ) -> Ended {
        let order = self.order(places);
        let Endings { known, by_rule, facts, .. } = self;
        let decide = |rows: &[usize]| {
            let (mut part, mut last) = (Part::default(), LastEntry::default());
            for row in rows {
                let (entry, answer) = match places[*row] {
                    Place::Entry(entry) => (entry, judge.ask(entry, urls[*row], &mut last)),
                    Place::Unanswered(why) => (0, Row::unanswered(why)),
                };
                let facts = facts.get(entry as usize).copied();
                part.take(entry, facts, answer, *by_rule, || judge.rule(urls[*row], &last));
            }
            part
        };
        let blocks = Mutex::new((0..urls.len()).step_by(BLOCK));
        let ended = Mutex::new(known.begin(urls.len()));
        at_once(threads.min(urls.len().div_ceil(BLOCK)), || loop {
            let next = locked(&blocks).next();
            let Some(start) = next else { return };
            let rows = start..urls.len().min(start + BLOCK);
            let rows: Vec<usize> = match &order {
                None => rows.collect(),
                Some(order) => order[rows].iter().map(|row| *row as usize).collect(),
            };
            let part = decide(&rows);
            locked(&ended).take(&rows, &part);
        });
        ended.into_inner().unwrap_or_else(PoisonError::into_inner).ended
    }

    /// The order in which rows are decided. In every other call files come the other way around: of
    /// those that do not all fit, the last ones are there.
    fn order(&mut self, places: &[Place]) -> Option<Vec<u32>> {
        self.calls += 1;
        let mut order = by_file(places)?;
        if self.calls % 2 == 0 {
            order.reverse();
        }
        Some(order)
    }

    /// Decide URLs by one file, which is entry 0.
    pub fn of_one(&mut self, judge: &OneFile, urls: &[&[u8]]) -> Ended {
        let mut part = Part::default();
        for url in urls {
            part.take(0, Some(0), judge.judge(url), self.by_rule, || judge.rule(url));
        }
        let mut numbering = self.known.begin(urls.len());
        numbering.take(&(0..urls.len()).collect::<Vec<usize>>(), &part);
        numbering.ended
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The endings that have numbers.
#[derive(Debug)]
struct Known {
    numbers: HashMap<Ending, u32>,
    most: usize,
}

impl Known {
    /// Begin to number the endings of so many rows.
    fn begin(&mut self, rows: usize) -> Numbering<'_> {
        if self.numbers.len() > self.most {
            self.numbers.clear();
        }
        let first = self.numbers.len() as u32;
        let (origins, numbers) = (vec![0; rows], vec![0; rows]);
        Numbering { known: self, ended: Ended { origins, numbers, first, fresh: Vec::new() } }
    }
}

/// Rows that are being numbered.
struct Numbering<'k> {
    known: &'k mut Known,
    ended: Ended,
}

impl Numbering<'_> {
    /// Number the endings of some rows.
    fn take(&mut self, rows: &[usize], part: &Part) {
        let numbers: Vec<u32> = part.fresh.iter().map(|ending| self.number(ending)).collect();
        for (row, (origin, ending)) in rows.iter().zip(&part.rows) {
            self.ended.origins[*row] = *origin;
            self.ended.numbers[*row] = numbers[*ending as usize];
        }
    }

    fn number(&mut self, ending: &Ending) -> u32 {
        let next = self.known.numbers.len() as u32;
        match self.known.numbers.get(ending) {
            Some(number) => *number,
            None => {
                self.known.numbers.insert(ending.clone(), next);
                self.ended.fresh.push(ending.clone());
                next
            }
        }
    }
}

/// Some rows, and their endings.
#[derive(Debug, Default)]
struct Part {
    /// The origin and the ending of each.
    rows: Vec<(u32, u32)>,
    numbers: HashMap<(u32, Row), u32>,
    fresh: Vec<Ending>,
}

impl Part {
    /// Take the next row.
    fn take(
        &mut self,
        entry: u32,
        facts: Option<u32>,
        answer: Row,
        by_rule: bool,
        rule: impl FnOnce() -> Option<WrittenRule>,
    ) {
        let row = if by_rule { answer } else { answer.verdict() };
        let is_answered = row.allowed().is_some();
        let number = match self.numbers.entry((entry, row)) {
            Slot::Occupied(known) => *known.get(),
            Slot::Vacant(new) => {
                let number = *new.insert(self.fresh.len() as u32);
                let facts = facts.filter(|_| is_answered);
                let rule = row.line().and_then(|_| rule());
                self.fresh.push(Ending { facts, row, rule });
                number
            }
        };
        self.rows.push((if is_answered { entry + 1 } else { 0 }, number));
    }
}

/// What the snapshot has for the origin of each URL.
pub fn places(judge: &ManyFiles, urls: &[&[u8]], threads: usize) -> Vec<Place> {
    in_blocks(urls.len(), BLOCK, threads, |start, places: &mut [Place]| {
        let mut last = LastOrigin::default();
        for (place, url) in places.iter_mut().zip(&urls[start..]) {
            *place = judge.place(url, &mut last);
        }
    })
}

/// The origins of URLs without an entry in the snapshot, without duplicates, in canonical form.
pub fn missing(urls: &[&[u8]], places: &[Place]) -> Vec<Vec<u8>> {
    let mut known = HashSet::new();
    for (url, place) in urls.iter().zip(places) {
        if *place == Place::Unanswered(Unanswered::NotInSnapshot) {
            if let Ok(key) = origin_key(url) {
                if !known.contains(&*key) {
                    known.insert(key.into_owned());
                }
            }
        }
    }
    let mut found: Vec<Vec<u8>> = known.into_iter().collect();
    found.sort_unstable();
    found
}

/// Find what the snapshot has by now for the origins that were missing.
pub fn found(judge: &ManyFiles, urls: &[&[u8]], places: &mut [Place]) {
    for (url, place) in urls.iter().zip(places) {
        if *place == Place::Unanswered(Unanswered::NotInSnapshot) {
            *place = place_of(url, judge.snapshot());
        }
    }
}
