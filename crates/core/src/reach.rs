//! Reach: follow every target, byte by byte, for patterns without a target that represents all.
//!
//! In: patterns, best first. Out: which verdicts occur among targets. All targets are followed at
//! once: targets that no pattern distinguishes so far are one state, with one step for each byte
//! that some pattern waits for, and one for all others. A folded pattern is followed twice: as
//! written, and folded, in which case it reads each byte of the target as the fold writes it. With
//! literal patterns, the states are the nodes of a tree of their texts. With many `*`, there can be
//! too many; a budget limits them.

use std::collections::{BTreeMap, HashSet};

use crate::budget::Budget;
use crate::fold::Fold;
use crate::target::TargetReader;

/// A pattern, and what it says.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Bytes, and `*` where `wild`, not at its end.
    pub text: Vec<u8>,
    /// Whether `*` is the wildcard.
    pub wild: bool,
    /// Whether the match must end at the end of the target.
    pub anchored: bool,
    /// How it is folded, with the target; none for one that is compared as written.
    pub fold: Option<Fold>,
    /// Whether it allows; none if targets that it decides do not count.
    pub allows: Option<bool>,
}

/// The verdicts that some target has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Some target is allowed.
    pub allowed: bool,
    /// Some target is not.
    pub disallowed: bool,
}

impl Seen {
    /// Add what is said of a target, unless it does not count.
    pub fn add(&mut self, allows: Option<bool>) {
        self.allowed |= allows == Some(true);
        self.disallowed |= allows == Some(false);
    }

    /// Whether there is nothing more to see.
    pub fn is_both(self) -> bool {
        self.allowed && self.disallowed
    }
}

/// What targets have in common that no pattern distinguishes so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    /// The patterns that may still match, each with a place in its text.
    open: Vec<Place>,
    /// The best pattern that matches whatever follows.
    settled: u32,
    /// Whether they contain a `?`, if something is folded.
    in_query: bool,
}

/// A pattern, and how many bytes of its text are read.
type Place = (u32, u32);

const NONE: u32 = u32::MAX;

/// The steps to examine a place in a pattern's text. States are kept, with eight bytes per place,
/// so these steps also bound memory.
const STEPS_OF_PLACE: u64 = 64;

/// Follow all targets; none if the budget is spent before the end.
pub fn reach(branches: &[Branch], targets: &TargetReader, budget: &Budget) -> Option<Seen> {
    let folds = branches.iter().any(|branch| branch.fold.is_some());
    let follower = Follower { branches, targets, budget, folds };
    let open = (0..branches.len() as u32).map(|branch| (branch, 0)).collect();
    let start = follower.state(open, NONE, false);
    let mut steps = follower.steps(&start);
    let mut waiting: Vec<State> = match steps.remove(&Some(b'/')) {
        Some(rooted) => vec![rooted],
        None => steps.remove(&None).into_iter().collect(),
    };
    let (mut seen, mut known) = (Seen::default(), HashSet::new());
    while let Some(state) = waiting.pop() {
        if budget.is_spent() {
            return None;
        }
        seen.add(follower.verdict_at_end(&state));
        if seen.is_both() {
            return Some(seen);
        }
        if follower.is_decided(&state) {
            seen.add(follower.allows(state.settled));
            continue;
        }
        if known.contains(&state) {
            continue;
        }
        waiting.extend(follower.steps(&state).into_values().rev());
        known.insert(state);
    }
    Some(seen)
}

struct Follower<'b> {
    branches: &'b [Branch],
    targets: &'b TargetReader,
    budget: &'b Budget,
    folds: bool,
}

impl Follower<'_> {
    /// What is left of a state after one more byte: for each that a pattern waits for, and, first,
    /// for all others.
    fn steps(&self, state: &State) -> BTreeMap<Option<u8>, State> {
        let (mut stars, mut folded) = (Vec::new(), Vec::new());
        let mut awaited: BTreeMap<u8, Vec<Place>> = BTreeMap::new();
        for place @ (branch, at) in state.open.iter().copied() {
            let branch = &self.branches[branch as usize];
            match branch.text.get(at as usize) {
                None => {}
                Some(_) if branch.fold.is_some() => folded.push(place),
                Some(_) if branch.is_star_at(at) => stars.push(place),
                Some(byte) => awaited.entry(*byte).or_default().push((place.0, at + 1)),
            }
        }
        for byte in self.awaited_folded(&folded) {
            awaited.entry(byte).or_default();
        }
        awaited.retain(|byte, _| self.targets.holds(*byte));
        let is_other = |byte: &u8| self.targets.holds(*byte) && !awaited.contains_key(byte);
        let other = (0..=u8::MAX).find(is_other);
        let other = other.map(|byte| (None, byte, Vec::new()));
        let awaited = awaited.into_iter().map(|(byte, open)| (Some(byte), byte, open));
        let step = |(name, byte, mut open): (Option<u8>, u8, Vec<Place>)| {
            open.extend(&stars);
            open.extend(self.after_folded(&folded, byte, state.in_query));
            open.sort_unstable();
            self.budget.take(STEPS_OF_PLACE * (1 + open.len() + folded.len()) as u64);
            let in_query = state.in_query || self.folds && byte == b'?';
            (name, self.state(open, state.settled, in_query))
        };
        other.into_iter().chain(awaited).map(step).collect()
    }

    /// The bytes that patterns wait for that are folded, and all that the fold writes otherwise.
    fn awaited_folded(&self, folded: &[Place]) -> Vec<u8> {
        if folded.is_empty() {
            return Vec::new();
        }
        let waits = |(branch, at): &Place| self.branches[*branch as usize].text[*at as usize];
        let is_folded = |byte: &u8| Fold::WithQuery.apply(&[b'?', *byte]).len() > 2;
        folded.iter().map(waits).chain((0..=u8::MAX).filter(is_folded)).collect()
    }

    /// The places after a byte of patterns that are folded.
    fn after_folded(&self, folded: &[Place], byte: u8, in_query: bool) -> Vec<Place> {
        let written = |fold: Fold| match in_query {
            true => fold.apply(&[b'?', byte])[1..].to_vec(),
            false => fold.apply(&[byte]),
        };
        let written = [written(Fold::Everywhere), written(Fold::WithQuery)];
        let mut after = Vec::new();
        for places in folded.chunk_by(|a, b| a.0 == b.0) {
            let branch = &self.branches[places[0].0 as usize];
            let Some(fold) = branch.fold else { continue };
            let read = |places: Vec<Place>, byte: &u8| {
                let next = places.into_iter().filter_map(|place| branch.after(place, *byte));
                self.with_stars(next.collect())
            };
            after.extend(written[fold as usize].iter().fold(places.to_vec(), read));
        }
        after
    }

    /// The state of targets for which these places are reached.
    fn state(&self, open: Vec<Place>, mut settled: u32, in_query: bool) -> State {
        let mut open = self.with_stars(open);
        let settles = |(branch, at): &&Place| {
            let branch = &self.branches[*branch as usize];
            !branch.anchored && *at as usize == branch.text.len()
        };
        if let Some((branch, _)) = open.iter().find(settles) {
            settled = settled.min(*branch);
        }
        open.retain(|(branch, _)| *branch < settled);
        State { open, settled, in_query }
    }

    /// The same places, with those after a `*`, for which nothing has to be read, and without
    /// those before a `*` that is reached, which no longer matter.
    fn with_stars(&self, open: Vec<Place>) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::with_capacity(open.len());
        for (branch, at) in open {
            let is_star = self.branches[branch as usize].is_star_at(at);
            while is_star && places.last().is_some_and(|(last, _)| *last == branch) {
                places.pop();
            }
            places.push((branch, at));
            if is_star {
                places.push((branch, at + 1));
            }
        }
        places.dedup();
        places
    }

    /// What is said of the target that ends here.
    fn verdict_at_end(&self, state: &State) -> Option<bool> {
        let ends =
            |(branch, at): &&(u32, u32)| *at as usize == self.branches[*branch as usize].text.len();
        let best = state.open.iter().find(ends).map_or(state.settled, |(branch, _)| *branch);
        self.allows(best)
    }

    fn allows(&self, branch: u32) -> Option<bool> {
        self.branches.get(branch as usize).map_or(Some(true), |branch| branch.allows)
    }

    /// Whether the same is said of all targets that follow.
    fn is_decided(&self, state: &State) -> bool {
        let settled = self.allows(state.settled);
        let says_other = |allows: Option<bool>| allows.is_some() && allows != settled;
        !state.open.iter().any(|(branch, _)| says_other(self.allows(*branch)))
    }
}

impl Branch {
    fn is_star(&self, byte: u8) -> bool {
        self.wild && byte == b'*'
    }

    fn is_star_at(&self, at: u32) -> bool {
        self.text.get(at as usize).is_some_and(|byte| self.is_star(*byte))
    }

    /// The place after one more byte. A `*` takes any and stays.
    fn after(&self, (branch, at): Place, byte: u8) -> Option<Place> {
        let Some(here) = self.text.get(at as usize).copied() else {
            // Within what the fold writes for one byte.
            return (!self.anchored).then_some((branch, at));
        };
        if self.is_star(here) {
            return Some((branch, at));
        }
        (here == byte).then_some((branch, at + 1))
    }
}
