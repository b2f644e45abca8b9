//! Differences: how the rules of two crawlers differ, for all URLs at once.
//!
//! In: two [`Agent`]s: from two versions of a file, from one file, or from one file in two
//! dialects. Out: a [`Difference`]: every region of URLs in which some answer differs, with a URL
//! that shows it. That there are none is proved, or the budget ended the search and the result says
//! so. The proof, with its conditions, is in DESIGN.md.

use std::collections::{HashMap, HashSet};

use crate::agent::Agent;
use crate::analysis::align::align_shapes;
use crate::analysis::change::{Change, Difference};
use crate::analysis::prefixes::Prefixes;
use crate::analysis::region::{pattern_text, Region, Regions};
use crate::analysis::rule_list::{Answer, Candidate, OwnRule, RuleList, NO_RULE};
use crate::analysis::shape::{certain_beginning, Shape, Space};
use crate::analysis::urls::Urls;
use crate::analysis::word::Words;
use crate::budget::Budget;
use crate::file::File;
use crate::group::{Cut, Rule};
use crate::matcher::Rank;
use crate::sort::sort;
use crate::target::ROBOTS_TXT;
use crate::uses::{said_by_rule, Mechanism};

/// The default limit of steps of a comparison: about a second.
pub const STEPS: u64 = 1 << 26;

/// The cost of reading a pattern, besides its bytes.
const STEPS_OF_RULE: u64 = 64;

/// How many differences a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// All of them.
    All,
    /// Any one, after which the search ends as if its budget were spent.
    One,
}

/// The most regions that are listed.
const MOST_REGIONS: usize = 10_000;

impl Agent {
    /// How the rules of another crawler, of this file or another, differ.
    ///
    /// steps: the most that the comparison may take, see [`STEPS`].
    pub fn difference(&self, other: &Agent, steps: u64) -> Difference {
        self.difference_in(other, Mechanism::CrawlRules, steps)
    }

    /// How what their rules say as a mechanism differs: rules of policy tokens disallow, allow, or
    /// are silent, and what is said less is closed.
    pub fn difference_in(&self, other: &Agent, mechanism: Mechanism, steps: u64) -> Difference {
        self.difference_within(other, &[], mechanism, Sought::All, &Budget::new(steps))
    }

    /// The same, with the steps that are left of a budget.
    ///
    /// over: rules that outrank those of the other crawler, the first before the second.
    pub(crate) fn difference_within(
        &self,
        other: &Agent,
        over: &[OwnRule],
        mechanism: Mechanism,
        sought: Sought,
        budget: &Budget,
    ) -> Difference {
        if !budget.is_spent() {
            for agent in [self, other] {
                budget.take(agent.rules().map(|(_, rule)| steps_to_read(rule)).sum());
            }
        }
        if budget.is_spent() {
            return Difference { changes: Vec::new(), is_exact: false };
        }
        let mut sides = [RuleList::new(self), RuleList::with(other, over)];
        let urls = Urls::new(self.file().targets(), other.file().targets());
        let shared = match urls.are_alike() {
            true => shared(&sides[0], &sides[1]),
            false => [0, 1].map(|side| vec![false; sides[side].candidates.len()]),
        };
        if urls.are_alike()
            && shared.iter().flatten().all(|shared| *shared)
            && is_read_alike(&sides)
        {
            return Difference { changes: Vec::new(), is_exact: true };
        }
        let space = Space::of(sides.iter().flat_map(|s| &s.candidates).map(|c| &c.pattern));
        sides.iter_mut().for_each(|side| side.shape(space));
        let comparison = Comparison::new(&sides, mechanism, urls, space, budget);
        Comparison { sought, ..comparison }.run(&shared)
    }
}

/// The cost of reading the pattern of a rule.
pub(crate) fn steps_to_read(rule: Rule) -> u64 {
    STEPS_OF_RULE + rule.value().len() as u64
}

/// Two sides, while they are compared.
struct Comparison<'s, 'f, 'b> {
    sides: &'s [RuleList<'f>; 2],
    mechanism: Mechanism,
    sought: Sought,
    words: Words,
    urls: Urls,
    budget: &'b Budget,
    regions: Regions,
    /// Shapes that were examined.
    seen: HashSet<Shape>,
    /// Patterns whose own region differs at its very beginning, by side: nothing inside them is
    /// shorter.
    settled: [Vec<bool>; 2],
    is_exact: bool,
}

/// The budget is spent.
struct Spent;

impl<'s, 'f, 'b> Comparison<'s, 'f, 'b> {
    fn new(
        sides: &'s [RuleList<'f>; 2],
        mechanism: Mechanism,
        urls: Urls,
        space: Space,
        budget: &'b Budget,
    ) -> Self {
        let targets = [0, 1].map(|side| sides[side].agent.file().targets());
        let patterns = sides.iter().flat_map(|side| &side.candidates).map(|c| &c.pattern);
        let words = Words::new(patterns, &targets, space);
        let is_silent = sides.iter().all(|side| side.candidates.is_empty());
        let is_exact = words.are_proofs() && (urls.are_exact() || is_silent);
        let settled = [0, 1].map(|side| vec![false; sides[side].candidates.len()]);
        let regions = Regions::default();
        let seen = HashSet::new();
        let sought = Sought::All;
        Comparison {
            sides,
            mechanism,
            sought,
            words,
            urls,
            budget,
            regions,
            seen,
            settled,
            is_exact,
        }
    }

    fn run(mut self, shared: &[Vec<bool>; 2]) -> Difference {
        let is_whole = self.search(shared).is_ok();
        let is_exact = self.is_exact && is_whole;
        let mut changes = self.regions.into_changes();
        changes.iter_mut().for_each(|change| change.witness = self.urls.spell(&change.witness));
        Difference { changes, is_exact }
    }

    fn search(&mut self, shared: &[Vec<bool>; 2]) -> Result<(), Spent> {
        self.look_at_robots_txt()?;
        for side in [0, 1] {
            for (candidate, is_shared) in shared[side].iter().enumerate() {
                if !is_shared && self.decides(side, candidate)? {
                    self.look_at_candidate(side, candidate)?;
                }
            }
        }
        self.look_at_pairs(shared)
    }

    /// The one target that rules do not decide in all dialects.
    fn look_at_robots_txt(&mut self) -> Result<(), Spent> {
        if self.sides[0].agent.is_exempt(ROBOTS_TXT) == self.sides[1].agent.is_exempt(ROBOTS_TXT) {
            return Ok(());
        }
        let path = ROBOTS_TXT.iter().map(|byte| u16::from(*byte)).collect();
        self.look_at(&Shape { path, query: None }, None).map(|_| ())
    }

    fn decides(&self, side: usize, candidate: usize) -> Result<bool, Spent> {
        self.sides[side].decides(candidate, &self.words, self.budget).ok_or(Spent)
    }

    /// A pattern's own region, which is all that differs if the other side has no rule there.
    fn look_at_candidate(&mut self, side: usize, candidate: usize) -> Result<(), Spent> {
        let opened = self.sides[side].candidates[candidate].allows == (side == 1);
        let shapes = self.sides[side].shapes(candidate, self.budget);
        let is_uniform =
            shapes.is_cut && !shapes.shapes.is_empty() && self.is_uniform(side, candidate)?;
        self.is_exact &= !shapes.is_cut || is_uniform;
        let mut is_settled = !shapes.is_cut;
        let written = self.written(side, candidate);
        for shape in &shapes.shapes {
            let found = self.look_at(shape, written)?;
            is_settled &= found.is_some_and(|found| found.opened == opened && found.is_literal);
        }
        self.settled[side][candidate] = is_settled || is_uniform;
        Ok(())
    }

    /// Whether each side gives the same answer to everything that a pattern matches, so that one of
    /// its shapes represents all: on its own side no pattern of the other verdict meets it, and on
    /// the other side none that says anything.
    fn is_uniform(&self, side: usize, candidate: usize) -> Result<bool, Spent> {
        let shapes = self.sides[side].shapes(candidate, self.budget);
        let own = self.sides[side].candidates[candidate].allows;
        let says = |allows| said_by_rule(self.mechanism, allows).is_some();
        for at in [side, 1 - side] {
            let RuleList { candidates, .. } = &self.sides[at];
            self.budget.take(8 * (1 + candidates.len()) as u64);
            let is_contrary = |allows| if at == side { allows != own } else { says(allows) };
            for other in (0..candidates.len()).filter(|n| is_contrary(candidates[*n].allows)) {
                let theirs = self.sides[at].shapes(other, self.budget);
                if shapes.may_meet(theirs, self.budget).ok_or(Spent)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The value of a rule as written in the file, if that is its only pattern on both sides:
    /// people know it, not its normal form.
    fn written(&self, side: usize, candidate: usize) -> Option<&'f [u8]> {
        let RuleList { agent, ref candidates, .. } = self.sides[side];
        let rule = candidates[candidate].rule;
        if rule == NO_RULE {
            return None;
        }
        let around = candidate.saturating_sub(1)..(candidate + 2).min(candidates.len());
        let is_one = candidates[around].iter().filter(|other| other.rule == rule).count() == 1;
        let file: &'f File = agent.file();
        let value = file.groups().rules()[rule as usize].value().of(file.bytes());
        (is_one && self.urls.are_alike()).then_some(value)
    }

    /// The regions in which a pattern of one side and one of the other decide differently; one of
    /// the two changed.
    fn look_at_pairs(&mut self, shared: &[Vec<bool>; 2]) -> Result<(), Spent> {
        let sides = self.sides;
        let changed = Rivals::new(&sides[1], |candidate| !shared[1][candidate]);
        let mut all: Option<Rivals> = None;
        for (one, is_shared) in shared[0].iter().enumerate() {
            if self.settled[0][one] {
                continue;
            }
            let rivals = match is_shared {
                true => &changed,
                false => all.get_or_insert_with(|| Rivals::new(&sides[1], |_| true)),
            };
            let met = rivals.of(&sides[0].candidates[one]);
            self.look_at_pairs_of(one, met)?;
        }
        Ok(())
    }

    fn look_at_pairs_of(&mut self, one: usize, met: Vec<usize>) -> Result<(), Spent> {
        self.budget.take(8 * (1 + met.len()) as u64);
        let [old, new] = self.sides;
        for other in met {
            if self.settled[1][other] {
                continue;
            }
            let ours = old.shapes(one, self.budget);
            let theirs = new.shapes(other, self.budget);
            let may_meet = ours.may_meet(theirs, self.budget).ok_or(Spent)?;
            if may_meet && self.decides(0, one)? && self.decides(1, other)? {
                self.look_at_alignments(one, other)?;
            }
        }
        Ok(())
    }

    fn look_at_alignments(&mut self, one: usize, other: usize) -> Result<(), Spent> {
        let one = self.sides[0].shapes(one, self.budget);
        let other = self.sides[1].shapes(other, self.budget);
        let mut found = Vec::new();
        for shape in &one.shapes {
            for of_other in &other.shapes {
                found.extend(align_shapes(shape, of_other, self.budget).ok_or(Spent)?);
            }
        }
        self.is_exact &= !one.is_cut && !other.is_cut;
        found.into_iter().try_for_each(|alignment| self.look_at(&alignment, None).map(|_| ()))
    }

    /// Whether the answers to a shape's word differ; if so its region is kept.
    fn look_at(
        &mut self,
        shape: &Shape,
        written: Option<&'f [u8]>,
    ) -> Result<Option<Found>, Spent> {
        if !self.seen.insert(shape.clone()) {
            return Ok(None);
        }
        let word = self.words.word(shape);
        let [old, new] = self.answers(&word)?;
        let Some(opened) = self.opens(old, new) else { return Ok(None) };
        let shortest = {
            let differs = |target: &[u8]| {
                let [old, new] = self.answers(target).ok()?;
                Some(self.opens(old, new) == Some(opened))
            };
            let targets = self.sides[0].agent.file().targets();
            self.words.shortest(shape, targets, self.budget, differs)
        };
        let Some(witness) = shortest.ok_or(Spent)? else {
            // Only the word differs, and it is not a target.
            self.is_exact = false;
            return Ok(None);
        };
        self.keep(shape, written, opened, &witness)
    }

    /// Whether more is said to be allowed than before; none if the same is said.
    fn opens(&self, old: Answer, new: Answer) -> Option<bool> {
        let [old, new] = [old, new].map(|answer| {
            match answer.by.and_then(|_| said_by_rule(self.mechanism, answer.allowed)) {
                Some(false) => 0,
                None => 1,
                Some(true) => 2,
            }
        });
        (old != new).then_some(new > old)
    }

    fn keep(
        &mut self,
        shape: &Shape,
        written: Option<&[u8]>,
        opened: bool,
        witness: &[u8],
    ) -> Result<Option<Found>, Spent> {
        let [old, new] = self.answers(witness)?;
        if self.regions.len() == MOST_REGIONS {
            return Err(Spent);
        }
        let rule = |answer: Answer| answer.by.map(|(_, rule)| rule).filter(|rule| *rule != NO_RULE);
        let tokens = shape.tokens();
        let literals = tokens.iter().filter(|token| **token < 256).count();
        let is_literal = witness.len() == literals;
        let has_wildcards = self.sides[0].agent.patterns().has_wildcards();
        let mut region = pattern_text(&tokens, has_wildcards);
        if let Some(written) = written.filter(|_| region.contains(&b'%')) {
            let is_bare = region.starts_with(b"/*") && !written.starts_with(b"/");
            region = [if is_bare { &b"/"[..] } else { b"" }, written].concat();
        }
        let change =
            Change { opened, region, witness: witness.to_vec(), old: rule(old), new: rule(new) };
        self.budget.take(tokens.len() as u64 * 8);
        self.regions.add(Region { tokens, word: self.words.word(shape), change });
        if self.sought == Sought::One {
            return Err(Spent);
        }
        Ok(Some(Found { opened, is_literal }))
    }

    /// The answers of both sides to a target, or to a word that stands for targets.
    fn answers(&self, target: &[u8]) -> Result<[Answer; 2], Spent> {
        if self.urls.are_alike() {
            return self.answers_to(target, target);
        }
        let url = self.urls.spell(target);
        let read = |side: usize| self.sides[side].agent.file().target(&url).ok();
        match (read(0), read(1)) {
            (Some(old), Some(new)) => self.answers_to(old.bytes(), new.bytes()),
            _ => Ok([Answer { allowed: true, by: None }; 2]),
        }
    }

    fn answers_to(&self, old: &[u8], new: &[u8]) -> Result<[Answer; 2], Spent> {
        let old = self.sides[0].answer(old, self.budget).ok_or(Spent)?;
        let new = self.sides[1].answer(new, self.budget).ok_or(Spent)?;
        Ok([old, new])
    }
}

/// Whether both sides agree on what the rules do not decide: whether a file is read at all.
fn is_read_alike(sides: &[RuleList; 2]) -> bool {
    let [old, new] = [0, 1].map(|side| sides[side].agent);
    let is_read = |agent: &Agent| agent.file().extent().cut != Cut::Everything;
    let is_exempt = |agent: &Agent| agent.is_exempt(ROBOTS_TXT);
    is_read(old) == is_read(new) && is_exempt(old) == is_exempt(new)
}

/// Patterns of one side by verdict, and by what their targets certainly begin with.
struct Rivals<'p>([Prefixes<'p, u8>; 2]);

impl<'p> Rivals<'p> {
    fn new(side: &'p RuleList, is_wanted: impl Fn(usize) -> bool) -> Self {
        Rivals([false, true].map(|allows| {
            let numbered = side.candidates.iter().enumerate();
            let wanted = numbered.filter(|(at, c)| c.allows == allows && is_wanted(*at));
            Prefixes::new(wanted.map(|(at, c)| (certain_beginning(&c.pattern), at as u32)))
        }))
    }

    /// Those of the other verdict that may match a target that a pattern matches, in file order.
    fn of(&self, candidate: &Candidate) -> Vec<usize> {
        let rivals = &self.0[!candidate.allows as usize];
        if rivals.is_empty() {
            return Vec::new();
        }
        let met = rivals.meeting(certain_beginning(&candidate.pattern));
        let mut met: Vec<usize> = met.map(|rival| rival as usize).collect();
        sort(&mut met);
        met
    }
}

/// What was found about a shape that differs.
struct Found {
    opened: bool,
    /// Whether the witness fills none of its stars.
    is_literal: bool,
}

/// What makes a pattern the same on both sides: everything except its place in the file.
pub type Identity<'p> = (&'p [u8], bool, bool, bool, bool, Rank);

/// What makes a candidate the same as another.
pub fn identity<'p>(candidate: &'p Candidate) -> Identity<'p> {
    let pattern = &candidate.pattern;
    let rank = candidate.rank >> 32;
    (&pattern.text, pattern.wild, pattern.anchored, pattern.folds, candidate.allows, rank)
}

/// Which patterns are on both sides, in the same order of rank.
///
/// If the longest match decides, ranks are the same on both sides. If the first does, the order of
/// the file counts: a longest run of patterns in the same order is shared. Most of a file is before
/// and after what changed, and is not looked up.
fn shared(old: &RuleList, new: &RuleList) -> [Vec<bool>; 2] {
    let (one, other) = (&old.candidates[..], &new.candidates[..]);
    let is_same = |(a, b): &(&Candidate, &Candidate)| identity(a) == identity(b);
    let head = one.iter().zip(other).take_while(is_same).count();
    let (one, other) = (&one[head..], &other[head..]);
    let tail = one.iter().rev().zip(other.iter().rev()).take_while(is_same).count();
    let (one, other) = (&one[..one.len() - tail], &other[..other.len() - tail]);
    let within = shared_within(one, other, old.agent.ranking().is_first());
    within.map(|within| {
        let (before, behind) = (std::iter::repeat_n(true, head), std::iter::repeat_n(true, tail));
        before.chain(within).chain(behind).collect()
    })
}

fn shared_within(old: &[Candidate], new: &[Candidate], is_first: bool) -> [Vec<bool>; 2] {
    let mut places: HashMap<Identity, usize> = HashMap::new();
    for (at, candidate) in new.iter().enumerate() {
        places.entry(identity(candidate)).or_insert(at);
    }
    let mut shared = [vec![false; old.len()], vec![false; new.len()]];
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut met: HashSet<Identity> = HashSet::new();
    for (at, candidate) in old.iter().enumerate() {
        let key = identity(candidate);
        if let Some(place) = places.get(&key).filter(|_| met.insert(key)) {
            pairs.push((at, *place));
        }
    }
    if is_first {
        pairs = longest_increasing(&pairs);
    }
    for (one, other) in pairs {
        (shared[0][one], shared[1][other]) = (true, true);
    }
    share_twins(&mut shared[0], old);
    share_twins(&mut shared[1], new);
    shared
}

/// A repetition after a shared pattern decides nothing, and is shared as well.
fn share_twins(shared: &mut [bool], candidates: &[Candidate]) {
    let mut first: HashSet<Identity> = HashSet::new();
    for (at, candidate) in candidates.iter().enumerate() {
        match shared[at] {
            true => drop(first.insert(identity(candidate))),
            false => shared[at] = first.contains(&identity(candidate)),
        }
    }
}

/// A longest choice of pairs, whose first places rise, so that the second do too.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, place)) in pairs.iter().enumerate() {
        let length = tails.partition_point(|tail| pairs[*tail].1 < *place);
        before.push(length.checked_sub(1).map(|length| tails[length]));
        match tails.get_mut(length) {
            Some(tail) => *tail = at,
            None => tails.push(at),
        }
    }
    let mut chosen = Vec::new();
    let mut at = tails.last().copied();
    while let Some(here) = at {
        chosen.push(pairs[here]);
        at = before[here];
    }
    chosen
}
