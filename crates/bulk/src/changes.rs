//! Changes: what new versions of many files change, on several threads at once.
//!
//! In: pairs of files, old and new. Out: for each pair, a [`ChangedRow`] for each set of crawlers
//! for which something changes. A row has the first region that changed, and how many there are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use verger_core::analysis::{Audience, Change, Changed};
use verger_core::{Dialect, File, Posture};

use crate::workers::at_once;

/// What changes for a set of crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedRow {
    /// Their product tokens.
    pub tokens: Vec<String>,
    /// Whether a group names them, before and after.
    pub named: (bool, bool),
    /// How much they may fetch afterwards.
    pub posture: Posture,
    /// Regions that were closed.
    pub closed: u32,
    /// Regions that were opened.
    pub opened: u32,
    /// The first: closed before opened, then the shortest witness.
    pub first: Option<FirstChange>,
    /// Whether these are all.
    pub is_exact: bool,
}

/// One region, and the lines that decide its witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstChange {
    /// Whether it was opened.
    pub opened: bool,
    /// The region as a path pattern.
    pub region: Vec<u8>,
    /// The path of a URL in it whose answer differs.
    pub witness: Vec<u8>,
    /// The line of the rule that decides the witness before.
    pub line_before: Option<u32>,
    /// The line of the rule that decides it afterwards.
    pub line_after: Option<u32>,
}

/// How files are compared, and for whom.
#[derive(Debug)]
pub struct Comparer {
    /// How both files are read.
    pub dialect: Dialect,
    /// For whom.
    pub audience: Audience,
    /// The most steps for one pair.
    pub steps: u64,
}

impl Comparer {
    /// Compare pairs on up to `threads` threads; the rows of each, in their order.
    pub fn compare(&self, pairs: &[(&[u8], &[u8])], threads: usize) -> Vec<Vec<ChangedRow>> {
        let done: Vec<Mutex<Vec<ChangedRow>>> = pairs.iter().map(|_| Mutex::default()).collect();
        let next = AtomicUsize::new(0);
        at_once(threads.min(pairs.len()), || loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((old, new)) = pairs.get(at) else { return };
            *done[at].lock().unwrap_or_else(PoisonError::into_inner) = self.rows(old, new);
        });
        done.into_iter()
            .map(|rows| rows.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }

    fn rows(&self, old: &[u8], new: &[u8]) -> Vec<ChangedRow> {
        let (old, new) = (File::parse(old, &self.dialect), File::parse(new, &self.dialect));
        let changed = old.changes(&new, &self.audience, self.steps);
        changed.into_iter().map(|changed| row(changed, &old, &new)).collect()
    }
}

fn row(changed: Changed, old: &File, new: &File) -> ChangedRow {
    let Changed { tokens, named, difference, posture } = changed;
    let opened = difference.changes.iter().filter(|change| change.opened).count() as u32;
    let closed = difference.changes.len() as u32 - opened;
    let first = difference.changes.into_iter().next().map(|change| told(change, old, new));
    ChangedRow { tokens, named, posture, closed, opened, first, is_exact: difference.is_exact }
}

fn told(change: Change, old: &File, new: &File) -> FirstChange {
    let Change { opened, region, witness, .. } = change;
    let line =
        |file: &File, rule: Option<u32>| rule.map(|rule| file.groups().rules()[rule as usize].line);
    let (line_before, line_after) = (line(old, change.old), line(new, change.new));
    FirstChange { opened, region, witness, line_before, line_after }
}
