//! Judges: decide the rows of a table.
//!
//! In: a URL as bytes. Out: a [`Row`]. One file may govern all rows, or a [`Snapshot`] has a file,
//! or an access policy, for each origin. Files of a snapshot are parsed when a row first needs
//! them, and kept up to a limit, so that memory does not grow with the rows.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use verger_core::internal::{begins_with, Binding};
use verger_core::{Agent, File, InvalidProductToken, Reason, Refusal, Scope, Target, TargetReader};

use crate::missing_site::{place_of, Place};
use crate::row::{Row, Unanswered};
use crate::snapshot::{NoEntry, Ruling, Snapshot};
use crate::uses::{AskedUse, Uses};

/// One file that governs every row.
pub struct OneFile {
    /// The rules of the crawler, with their file.
    pub agent: Arc<Agent>,
    /// What the file governs.
    pub scope: Scope,
    /// What it says about the use that is asked about.
    pub uses: Option<Uses>,
}

impl OneFile {
    /// Decide one URL.
    #[inline]
    pub fn judge(&self, url: &[u8]) -> Row {
        match self.agent.file().target_within(&self.scope, url) {
            Ok(target) => check(&self.agent, self.uses.as_ref(), &target),
            Err(Refusal::OutOfScope) => Row::unanswered(Unanswered::OutOfScope),
            Err(Refusal::NoTarget(_)) => Row::unanswered(Unanswered::InvalidTarget),
        }
    }

    /// The rule that decides one URL.
    pub fn rule(&self, url: &[u8]) -> Option<WrittenRule> {
        written_rule(&self.agent, url)
    }
}

#[inline]
fn check(agent: &Agent, uses: Option<&Uses>, target: &Target) -> Row {
    let outcome = agent.check(target);
    let line = agent.rule(&outcome).map_or(0, |rule| rule.line);
    let row = Row::decided(outcome.allowed, outcome.reason, line);
    match uses {
        Some(uses) => row.with_use(uses.allowed(agent, target, &outcome)),
        None => row,
    }
}

/// Whether a rule allows, and its value as written.
pub type WrittenRule = (bool, Vec<u8>);

fn written_rule(agent: &Agent, url: &[u8]) -> Option<WrittenRule> {
    let file = agent.file();
    let outcome = agent.decide(url).ok()?;
    let rule = agent.rule(&outcome)?;
    Some((rule.is_allow(), rule.value().of(file.bytes()).to_vec()))
}

/// The files of a snapshot, for one crawler.
pub struct ManyFiles {
    snapshot: Arc<Snapshot>,
    tokens: Vec<Vec<u8>>,
    binding: Binding,
    used: Option<AskedUse>,
    targets: TargetReader,
    kept: Kept,
}

/// A parsed file. Bytes are an estimate of its memory.
pub struct Prepared {
    agent: Agent,
    uses: Option<Uses>,
    bytes: usize,
    is_used: AtomicBool,
}

impl ManyFiles {
    /// Prepare for a crawler; `most_bytes` is the approximate limit for the memory of parsed files.
    /// The error says which token is invalid.
    pub fn new(
        snapshot: Arc<Snapshot>,
        tokens: Vec<Vec<u8>>,
        most_bytes: usize,
    ) -> Result<ManyFiles, (usize, InvalidProductToken)> {
        let dialect = snapshot.dialect();
        for (at, token) in tokens.iter().enumerate() {
            verger_core::check_product_token(token, dialect).map_err(|why| (at, why))?;
        }
        let targets = TargetReader::new(dialect);
        let kept = Kept::new(snapshot.len(), most_bytes);
        let binding = Binding::default();
        Ok(ManyFiles { snapshot, tokens, binding, used: None, targets, kept })
    }

    /// The same for a crawler that may follow the groups of others.
    pub fn bound_by(self, binding: Binding) -> ManyFiles {
        ManyFiles { binding, ..self }
    }

    /// The same for a use as well.
    pub fn asked_for(self, used: Option<AskedUse>) -> ManyFiles {
        ManyFiles { used, ..self }
    }

    /// Add an origin; the snapshot is copied if others hold it as well.
    pub fn add(&mut self, url: &[u8], ruling: Ruling, body: &[u8]) -> Result<u32, NoEntry> {
        let entry = Arc::make_mut(&mut self.snapshot).set(url, ruling, body)?;
        self.kept.forget(entry);
        Ok(entry)
    }

    /// The current snapshot.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// How many origins it knows.
    pub fn origins(&self) -> usize {
        self.snapshot.len()
    }

    /// The tokens that it answers for, whom that crawler follows, and the use.
    pub fn asked(&self) -> (&[Vec<u8>], &Binding, &Option<AskedUse>) {
        (&self.tokens, &self.binding, &self.used)
    }

    fn prepared(&self, entry: u32) -> Arc<Prepared> {
        self.kept.get_or_make(entry, || {
            let bytes = self.snapshot.body(entry);
            let file = File::parse(&bytes, self.snapshot.dialect());
            let agent = file.agent_following(&self.tokens, &self.binding);
            let uses = self.used.as_ref().map(|used| used.of(&agent, &self.tokens));
            let bytes = 2 * bytes.len() + 1_024;
            Prepared { agent, uses, bytes, is_used: AtomicBool::new(false) }
        })
    }

    /// What the snapshot has for the origin of a URL.
    #[inline]
    pub fn place(&self, url: &[u8], last: &mut LastOrigin) -> Place {
        if !begins_with(url, &last.prefix) {
            last.prefix.clear();
            last.prefix.extend_from_slice(prefix(url));
            last.place = place_of(url, &self.snapshot);
        }
        last.place
    }

    /// Decide a URL by an entry: its file, or the policy in place of one.
    #[inline]
    pub fn ask(&self, entry: u32, url: &[u8], last: &mut LastEntry) -> Row {
        let known = match &last.0 {
            Some((number, known)) if *number == entry => known,
            _ => &last.0.insert((entry, self.known(entry))).1,
        };
        match known {
            Known::Policy(row) => self.exempt(url, *row),
            Known::File(prepared) => match prepared.agent.file().target(url) {
                Ok(target) => check(&prepared.agent, prepared.uses.as_ref(), &target),
                Err(_) => Row::unanswered(Unanswered::InvalidTarget),
            },
        }
    }

    /// The answer of a policy, which closes everything except `/robots.txt`.
    fn exempt(&self, url: &[u8], row: Row) -> Row {
        let is_closed = row.allowed() == Some(false);
        match is_closed && self.targets.read(url).is_ok_and(|target| target.is_robots_txt()) {
            true => Row::decided(true, Reason::RobotsTxtItself, 0),
            false => row,
        }
    }

    fn known(&self, entry: u32) -> Known {
        match self.snapshot.ruling(entry) {
            Ruling::Policy { allowed, reason } => {
                // A closed site closes every use; an open one without a file says nothing.
                let used = self.used.as_ref().and((!allowed).then_some(false));
                Known::Policy(Row::by_policy(allowed, reason).with_use(used))
            }
            Ruling::Rules => Known::File(self.prepared(entry)),
        }
    }

    /// The rule that decides a URL in the file that was asked last.
    pub fn rule(&self, url: &[u8], last: &LastEntry) -> Option<WrittenRule> {
        match &last.0 {
            Some((_, Known::File(prepared))) => written_rule(&prepared.agent, url),
            _ => None,
        }
    }
}

/// What an entry has.
enum Known {
    Policy(Row),
    File(Arc<Prepared>),
}

/// The origin of the previous row: rows of one site are often together.
#[derive(Default)]
pub struct LastOrigin {
    prefix: Vec<u8>,
    place: Place,
}

/// The entry of the previous row.
#[derive(Default)]
pub struct LastEntry(Option<(u32, Known)>);

/// Parsed files by the entry of the snapshot, bounded by their bytes.
///
/// A file that was used since the hand last passed gets a second chance; then it is removed. A
/// worker that still holds one continues with it.
struct Kept {
    slots: Vec<Mutex<Option<Arc<Prepared>>>>,
    bytes: AtomicUsize,
    most_bytes: usize,
    hand: AtomicUsize,
}

impl Kept {
    fn new(slots: usize, most_bytes: usize) -> Kept {
        Kept {
            slots: (0..slots).map(|_| Mutex::new(None)).collect(),
            bytes: AtomicUsize::new(0),
            most_bytes,
            hand: AtomicUsize::new(0),
        }
    }

    fn slot(&self, entry: usize) -> std::sync::MutexGuard<'_, Option<Arc<Prepared>>> {
        self.slots[entry].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Make room for a new entry, or drop the file that one had before.
    fn forget(&mut self, entry: u32) {
        match self.slots.get(entry as usize) {
            None => self.slots.resize_with(entry as usize + 1, Mutex::default),
            Some(_) => {
                if let Some(gone) = self.slot(entry as usize).take() {
                    self.bytes.fetch_sub(gone.bytes, Ordering::Relaxed);
                }
            }
        }
    }

    fn get_or_make(&self, entry: u32, make: impl FnOnce() -> Prepared) -> Arc<Prepared> {
        let mut slot = self.slot(entry as usize);
        if let Some(prepared) = &*slot {
            prepared.is_used.store(true, Ordering::Relaxed);
            return Arc::clone(prepared);
        }
        let prepared = Arc::new(make());
        *slot = Some(Arc::clone(&prepared));
        drop(slot);
        self.bytes.fetch_add(prepared.bytes, Ordering::Relaxed);
        self.make_room();
        prepared
    }

    /// Remove files until the rest fits; at most one round of second chances.
    fn make_room(&self) {
        for _ in 0..2 * self.slots.len() {
            if self.bytes.load(Ordering::Relaxed) <= self.most_bytes {
                return;
            }
            let at = self.hand.fetch_add(1, Ordering::Relaxed) % self.slots.len();
            let mut slot = self.slot(at);
            if slot.as_ref().is_some_and(|kept| !kept.is_used.swap(false, Ordering::Relaxed)) {
                if let Some(gone) = slot.take() {
                    self.bytes.fetch_sub(gone.bytes, Ordering::Relaxed);
                }
            }
        }
    }
}

/// Scheme and authority as written; empty if there are none.
fn prefix(url: &[u8]) -> &[u8] {
    verger_core::internal::split_authority(url)
        .map_or(b"", |parts| &url[..parts.scheme.len() + 3 + parts.authority.len()])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, StringArray};
    use verger_core::{Dialect, RFC9309};

    use super::*;
    use crate::access::fixture;
    use crate::column::Bytes;
    use crate::decide::decide_by_snapshot;
    use crate::snapshot::Builder;

    /// Origins whose files forbid `/n`, where n is their number.
    fn snapshot(dialect: &Dialect, origins: usize) -> Arc<Snapshot> {
        let mut snapshot = Builder::new(dialect, Arc::new(fixture::table()), 0.0);
        for n in 0..origins {
            let body = format!("User-agent: *\nDisallow: /{n}$\n");
            let url = format!("https://h{n}.example");
            snapshot.add(url.as_bytes(), fixture::seen(0, 0.0, body.as_bytes())).unwrap();
        }
        Arc::new(snapshot.finish())
    }

    /// For each origin in turn a URL that it forbids and one that it does not, over and over.
    fn urls(origins: usize, rows: usize) -> Bytes {
        let url = |row: usize| {
            let host = row / 2 * 7 % origins;
            format!("https://h{host}.example/{}", host + row % 2)
        };
        let array: ArrayRef =
            Arc::new((0..rows).map(|row| Some(url(row))).collect::<StringArray>());
        Bytes::of(&array).unwrap()
    }

    fn answers(most_bytes: usize, threads: usize) -> (Vec<Option<bool>>, usize) {
        let tokens = vec![b"ExampleBot".to_vec()];
        let judge = ManyFiles::new(snapshot(&RFC9309, 500), tokens, most_bytes).unwrap();
        let rows = decide_by_snapshot(&judge, &urls(500, 40_000), true, threads);
        let kept = judge.kept.slots.iter().filter(|slot| slot.lock().unwrap().is_some()).count();
        (rows.into_iter().map(Row::allowed).collect(), kept)
    }

    #[test]
    fn room_for_a_few_files_gives_the_answers_that_room_for_all_gives() {
        let expected: Vec<_> = (0..40_000).map(|row| Some(row % 2 == 1)).collect();
        let (all, kept_of_all) = answers(1 << 30, 1);
        let (few, kept_of_few) = answers(20_000, 1);
        let (by_four, _) = answers(20_000, 4);

        assert_eq!(all, expected);
        assert_eq!(few, expected);
        assert_eq!(by_four, expected);
        assert_eq!(kept_of_all, 500);
        assert!(kept_of_few <= 20, "{kept_of_few} files were kept");
    }

    #[test]
    fn a_bad_token_is_an_error_and_no_answer() {
        let tokens = vec![b"a".to_vec(), b"a b".to_vec()];
        let made = ManyFiles::new(snapshot(&RFC9309, 1), tokens, 1 << 20);

        assert_eq!(made.err().map(|(at, _)| at), Some(1));
    }
}
