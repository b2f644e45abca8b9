//! Posture: how much of a site a crawler may fetch, decided for all URLs at once.
//!
//! In: a [`File`] and [`Agent`]s. Out: all, some, or none of the site, for each agent, proved and
//! not sampled; or *unknown*, if proving it costs too much. RFC 9309 section 2.2.2.
//! `/robots.txt` itself is excluded.
//!
//! A list of rules differs from *allow all* where something is disallowed, and from *disallow all*
//! where something is allowed. What a pattern decides is decided at the words of its shapes, so a
//! verdict that is found neither there nor at the word of all targets is found nowhere.
//!
//! *The bound.* To ask about each word costs little in nearly all files. In some each of many
//! patterns with `*` has to be compared with the word of each other, and no way is known to do that
//! in linear time. So all stances of a file together take at most [`STEPS_PER_BYTE`] steps for each
//! byte of the file and for [`BYTES_AT_LEAST`] more; a stance beyond that is *unknown*.

use std::collections::HashMap;

use crate::agent::Agent;
use crate::analysis::fresh::Used;
use crate::analysis::rule_list::RuleList;
use crate::analysis::shape::{Shape, Space};
use crate::analysis::text::{Token, STAR};
use crate::analysis::word::Words;
use crate::budget::Budget;
use crate::decision::Outcome;
use crate::field::Field;
use crate::file::File;
use crate::matcher::{rules_of, walk_to_best, Hit, Rank, Subject};
use crate::reader::Reader;
use crate::sort::{sort_unique, sort_unstable_by};
use crate::target::{Target, ROBOTS_TXT};

/// How much of a site a crawler may fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Posture {
    /// Everything.
    All,
    /// One thing and not another.
    Some,
    /// Nothing.
    None,
    /// One of these, but proving which takes more steps than the file allows, or a byte that no rule
    /// holds.
    Unknown,
}

impl Posture {
    /// Every posture.
    pub const ALL: [Posture; 4] = [Posture::All, Posture::Some, Posture::None, Posture::Unknown];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Posture::All => "all",
            Posture::Some => "some",
            Posture::None => "none",
            Posture::Unknown => "unknown",
        }
    }
}

/// The posture towards a crawler, and its default answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stance {
    /// How much it may fetch.
    pub posture: Posture,
    /// The answer for pages that no specific rule covers.
    pub elsewhere: Outcome,
}

/// Steps that all stances of a file may take together, for each byte of the file.
const STEPS_PER_BYTE: u64 = 64;

/// A file may take the steps of this many more bytes: a few rules may also pose hard questions.
const BYTES_AT_LEAST: u64 = 8_192;

impl Agent {
    /// How much of the site the crawler may fetch, proved for all URLs at once.
    pub fn stance(&self) -> Stance {
        Site::new(self.file(), &[self]).stance(self)
    }
}

impl File {
    /// How much of the site each of some crawlers may fetch, in their order. An agent of another
    /// file is decided by its own.
    pub fn stances(&self, agents: &[&Agent]) -> Vec<Stance> {
        let mut site = Site::new(self, agents);
        let mut known: HashMap<&[u32], Stance> = HashMap::new();
        let mut stance = |agent: &&Agent| match agent.file().is(self) {
            true => Some(site.stance(agent)),
            false => None,
        };
        let found = agents.iter().map(|agent| {
            let groups = &agent.selection().groups[..];
            if let Some(stance) = known.get(groups).filter(|_| agent.file().is(self)) {
                return *stance;
            }
            match stance(agent) {
                Some(stance) => *known.entry(groups).or_insert(stance),
                None => agent.stance(),
            }
        });
        found.collect()
    }
}

impl File {
    /// A page that no pattern for some crawlers of the file matches specifically, neither a rule nor
    /// a usage preference.
    pub fn page_elsewhere(&self, agents: &[&Agent]) -> Target<'static> {
        let mut exempt = ROBOTS_TXT.to_vec();
        if Reader::new(self.dialect()).reads(Field::ContentUsage) {
            let records = agents.iter().flat_map(|agent| agent.usage_records());
            records.for_each(|record| exempt.extend(record.raw.of(self.bytes())));
        }
        Target::of_bytes(vec![b'/', byte_elsewhere(self, agents, &exempt)])
    }
}

/// A file, with what is known about it so far.
struct Site<'f> {
    file: &'f File,
    /// A target that only patterns for everything match.
    elsewhere: [u8; 2],
    /// What decides it among the rules of a group.
    deciding: HashMap<u32, Option<(Rank, Hit)>>,
    budget: Budget,
}

impl<'f> Site<'f> {
    fn new(file: &'f File, agents: &[&Agent]) -> Self {
        let bytes = file.bytes().len() as u64 + BYTES_AT_LEAST;
        let budget = Budget::new(bytes.saturating_mul(STEPS_PER_BYTE));
        let byte = byte_elsewhere(file, agents, ROBOTS_TXT);
        Site { file, elsewhere: [b'/', byte], deciding: HashMap::new(), budget }
    }

    fn stance(&mut self, agent: &Agent) -> Stance {
        let groups = agent.selection().groups.iter();
        let best = groups.filter_map(|group| self.deciding(agent, *group)).min_by_key(|b| b.0);
        let elsewhere = agent.outcome(best.map(|(_, hit)| hit));
        self.budget.take(agent.rules().map(|(_, rule)| 1 + rule.value().len() as u64).sum());
        let posture = match self.budget.is_spent() {
            true => None,
            false if self.shows_both(agent, elsewhere) => Some(Posture::Some),
            false => Search::new(agent, &self.budget).posture(),
        };
        Stance { posture: posture.unwrap_or(Posture::Unknown), elsewhere }
    }

    /// Whether two pages show that one may be fetched and another may not: that elsewhere, and what
    /// the longest rule of the other verdict spells out. That is so in most files, and saves the
    /// search, for which all rules are compiled.
    fn shows_both(&self, agent: &Agent, elsewhere: Outcome) -> bool {
        let (bytes, targets) = (self.file.bytes(), self.file.targets());
        let is_page = |target: &[u8]| {
            let is_target = targets.is_possible(target) && targets.is_requested(target);
            is_target && !agent.is_exempt(target)
        };
        let others = agent.rules().filter(|(_, rule)| rule.is_allow() != elsewhere.allowed);
        let values = others.map(|(_, rule)| rule.value().of(bytes));
        let Some(longest) = values.max_by_key(|value| value.len()) else { return false };
        let spelt: Vec<u8> = longest.iter().copied().filter(|byte| !b"*$".contains(byte)).collect();
        if spelt.contains(&b'%') || !is_page(&spelt) || !is_page(&self.elsewhere) {
            return false;
        }
        let (patterns, ranking) = (agent.patterns(), agent.ranking());
        let best = walk_to_best(bytes, agent.rules(), patterns, ranking, &Subject::new(&spelt));
        agent.outcome(best.map(|(_, hit)| hit)).allowed != elsewhere.allowed
    }

    /// What decides elsewhere among the rules of one group: many crawlers may share it.
    fn deciding(&mut self, agent: &Agent, group: u32) -> Option<(Rank, Hit)> {
        let (file, target) = (self.file, &self.elsewhere);
        *self.deciding.entry(group).or_insert_with(|| {
            let of_group = [group];
            let rules = rules_of(file.groups(), &of_group);
            let (patterns, ranking) = (agent.patterns(), agent.ranking());
            walk_to_best(file.bytes(), rules, patterns, ranking, &Subject::new(target))
        })
    }
}

/// A byte that no pattern for some crawlers of a file holds, nor another text; else one that is used
/// like many.
fn byte_elsewhere(file: &File, agents: &[&Agent], exempt: &[u8]) -> u8 {
    let own = || agents.iter().filter(|agent| agent.file().is(file));
    let Some(agent) = own().next() else { return b'/' };
    let mut groups: Vec<u32> = own().flat_map(|agent| &agent.selection().groups).copied().collect();
    sort_unique(&mut groups);
    let mut used = Used::new(exempt, agent.patterns().folds());
    for (_, rule) in rules_of(file.groups(), &groups) {
        let value = rule.value().of(file.bytes());
        if !used.add_plain(value) {
            agent.patterns().each(value, rule.is_allow(), |pattern| used.add(&pattern));
        }
    }
    let fresh = used.fresh(|byte| file.targets().holds(byte));
    fresh.map_or_else(|| used.substitute(file.targets()), |fresh| fresh.byte)
}

/// The search for verdicts among the rules of one crawler. Where it returns none the budget is
/// spent.
struct Search<'f, 'b> {
    list: RuleList<'f>,
    words: Words,
    budget: &'b Budget,
}

/// Whether some target has a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Yes,
    No,
    Unproved,
}

/// The shape of all targets.
const EVERYTHING: [Token; 2] = [b'/' as Token, STAR];

impl<'f, 'b> Search<'f, 'b> {
    fn new(agent: &'f Agent, budget: &'b Budget) -> Self {
        let mut list = RuleList::new(agent);
        let patterns = || list.candidates.iter().map(|candidate| &candidate.pattern);
        let space = Space::of(patterns());
        let words = Words::new(patterns(), &[agent.file().targets()], space);
        list.shape(space);
        Search { list, words, budget }
    }

    fn posture(&self) -> Option<Posture> {
        Some(match [self.has(true)?, self.has(false)?] {
            [Found::Yes, Found::Yes] => Posture::Some,
            [_, Found::No] => Posture::All,
            [Found::No, _] => Posture::None,
            _ => Posture::Unknown,
        })
    }

    /// Whether some target has this verdict. The best patterns come first: nearly always one of
    /// them decides.
    fn has(&self, allows: bool) -> Option<Found> {
        let everything = Shape { path: EVERYTHING.to_vec(), query: None };
        let mut found = self.at(&everything, allows)?;
        let candidates = &self.list.candidates;
        let mut own: Vec<usize> =
            (0..candidates.len()).filter(|at| candidates[*at].allows == allows).collect();
        sort_unstable_by(&mut own, |one, other| {
            candidates[*one].rank.cmp(&candidates[*other].rank)
        });
        for candidate in own {
            if found == Found::Yes {
                break;
            }
            let shapes = self.list.shapes(candidate, self.budget);
            for shape in &shapes.shapes {
                found = found.or(self.at(shape, allows)?);
            }
            found = if shapes.is_cut { found.or(Found::Unproved) } else { found };
        }
        let is_proved = found != Found::No || self.words.are_proofs();
        Some(if is_proved { found } else { Found::Unproved })
    }

    /// Whether some target of a shape has a verdict, if it is that of its word.
    fn at(&self, shape: &Shape, allows: bool) -> Option<Found> {
        let word = self.words.word(shape);
        let is_shown = self.verdict(&word)? == Some(allows);
        if !is_shown && self.words.are_proofs() {
            return Some(Found::No);
        }
        let targets = self.list.agent.file().targets();
        let is_target = self.words.are_targets() && targets.is_possible(&word);
        if is_shown && is_target && targets.is_requested(&word) {
            return Some(Found::Yes);
        }
        let has_verdict = |target: &[u8]| Some(self.verdict(target)? == Some(allows));
        let shortest = self.words.shortest(shape, targets, self.budget, has_verdict)?;
        let is_found = shortest.is_some_and(|target| targets.is_requested(&target));
        Some(if is_found { Found::Yes } else { Found::Unproved })
    }

    /// Whether a target is allowed; the inner none if rules do not decide it.
    fn verdict(&self, target: &[u8]) -> Option<Option<bool>> {
        if self.list.agent.is_exempt(target) {
            return Some(None);
        }
        self.list.answer(target, self.budget).map(|answer| Some(answer.allowed))
    }
}

impl Found {
    fn or(self, other: Found) -> Found {
        match (self, other) {
            (Found::Yes, _) | (_, Found::Yes) => Found::Yes,
            (Found::No, Found::No) => Found::No,
            _ => Found::Unproved,
        }
    }
}
