//! Effects: what each rule of a crawler does among the others.
//!
//! In: an [`Agent`]. Out: for each of its rules, whether it decides some URL; if not, which rules
//! shadow it; and whether any verdict would change without it. Proved for all URLs, or marked as
//! unknown.

use std::collections::HashSet;

use crate::agent::Agent;
use crate::analysis::align::align_shapes;
use crate::analysis::difference::{identity, Identity};
use crate::analysis::prefixes::{prefix, Prefixes};
use crate::analysis::rule_list::RuleList;
use crate::analysis::shape::{Shape, Space};
use crate::analysis::text::Token;
use crate::analysis::word::Words;
use crate::budget::Budget;
use crate::matcher::{Rank, Subject};
use crate::sort::{sort, sort_unique};
use crate::uses::{said_by_rule, Mechanism};

/// The cost of comparing a rule, and one with stars.
const STEPS_OF_RULE: u64 = 16;
const STEPS_OF_STARS: usize = 128;

/// What a rule does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It decides some URL.
    Decides {
        /// A URL that it decides: a path, with an authority before it if a path would be
        /// misread. No other has a shorter target, unless a star may match part of an escape.
        witness: Vec<u8>,
    },
    /// It decides none: others that outrank it match whatever it matches.
    Shadowed {
        /// Those that do, as indices into [`crate::Groups::rules`]; nearly always one.
        by: Vec<u32>,
    },
    /// It matches no URL, or has no path.
    MatchesNothing,
    /// The proof takes more steps than allowed, or no byte is left for it.
    Unknown,
}

/// What one rule does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleEffect {
    /// Index into [`crate::Groups::rules`].
    pub rule: u32,
    /// What it does.
    pub effect: Effect,
}

impl Agent {
    /// What each of the crawler's rules does among the others, in file order.
    pub fn effects(&self, steps: u64) -> Vec<RuleEffect> {
        let budget = Budget::new(steps);
        let rules = Rules::new(self, &budget);
        let mut effects: Vec<RuleEffect> = Vec::new();
        let mut at = 0;
        for (rule, _) in self.rules() {
            let from = at;
            while rules.list.candidates.get(at).is_some_and(|c| c.rule == rule) {
                at += 1;
            }
            effects.push(RuleEffect { rule, effect: rules.effect(from..at) });
        }
        effects
    }

    /// The rules that decide no URL, which is proved for each, with those that outrank it: what
    /// [`Agent::effects`] calls shadowed, or matching nothing, without witnesses for the others.
    pub fn idle(&self, steps: u64) -> Vec<(u32, Vec<u32>)> {
        let budget = Budget::new(steps);
        let rules = Rules::new(self, &budget);
        let (mut idle, mut at) = (Vec::new(), 0);
        for (rule, _) in self.rules() {
            let (mut by, mut is_idle) = (Vec::new(), true);
            while rules.list.candidates.get(at).is_some_and(|c| c.rule == rule) {
                is_idle = is_idle && rules.is_idle(at, &mut by) == Some(true);
                at += 1;
            }
            sort_unique(&mut by);
            idle.extend(is_idle.then_some((rule, by)));
        }
        idle
    }

    /// The rules without which nothing changes of what they say as a mechanism, removed one after
    /// the other, the last of the file first, so that nothing changes without all of them either;
    /// and whether each remaining rule is proved to be needed.
    pub fn redundant(&self, mechanism: Mechanism, steps: u64) -> (Vec<u32>, bool) {
        let budget = Budget::new(steps);
        let rules = Rules::new(self, &budget);
        rules.redundant(mechanism)
    }

    /// The same rules, and how many steps it took to find them.
    pub(crate) fn redundant_within(&self, mechanism: Mechanism, steps: u64) -> (Vec<u32>, u64) {
        let budget = Budget::new(steps);
        let (found, _) = Rules::new(self, &budget).redundant(mechanism);
        (found, steps - budget.left())
    }

    /// Of the redundant rules, those of which each can also be removed alone: without its line, and
    /// with all others, no verdict changes, nor what they say if they are those of a policy token,
    /// and no other line is read otherwise. To look at each rule alone may take as many steps again.
    pub fn redundant_alone(&self, steps: u64) -> Vec<u32> {
        let (budget, more) = (Budget::new(steps), Budget::new(steps));
        let rules = Rules::new(self, &budget);
        let mechanism = Mechanism::PolicyToken; // what changes no word of it changes no verdict
        let (mut found, _) = rules.redundant(mechanism);
        let is_anchor = |rule: &u32| self.file().anchors().binary_search(rule).is_ok();
        found.retain(|rule| !is_anchor(rule) && !self.is_joined_without(*rule));
        let repeats = rules.repeats();
        let whole = Rest { budget: &more, ..Rest::new(&rules, mechanism, &repeats) };
        let is_idle = |rule: &u32| whole.is_redundant(*rule) == Some(true);
        found.retain(|rule| repeats.contains(rule) || is_idle(rule));
        found
    }

    /// Whether the crawler follows the next group only if a rule does not end its own.
    fn is_joined_without(&self, rule: u32) -> bool {
        let (groups, followed) = (self.file().groups(), &self.selection().groups);
        let own = groups.group_of_rule(rule as usize);
        let is_lone = groups.rule_range(own).len() == 1 && own + 1 < groups.len();
        is_lone && followed.binary_search(&(own as u32 + 1)).is_err()
    }
}

/// The rules of a crawler under analysis.
struct Rules<'f, 'b> {
    list: RuleList<'f>,
    words: Words,
    budget: &'b Budget,
}

impl<'f, 'b> Rules<'f, 'b> {
    fn new(agent: &'f Agent, budget: &'b Budget) -> Self {
        let mut list = RuleList::new(agent);
        let space = Space::of(list.candidates.iter().map(|candidate| &candidate.pattern));
        list.shape(space);
        let patterns = list.candidates.iter().map(|candidate| &candidate.pattern);
        let words = Words::new(patterns, &[agent.file().targets()], space);
        Rules { list, words, budget }
    }

    /// What the patterns of one rule do.
    fn effect(&self, candidates: std::ops::Range<usize>) -> Effect {
        let (mut by, mut is_unknown) = (Vec::new(), false);
        let mut decided: Vec<Vec<u8>> = Vec::new();
        for candidate in candidates {
            match self.effect_of(candidate, &mut by) {
                Some(Effect::Decides { witness }) => decided.push(witness),
                Some(Effect::Unknown) | None => is_unknown = true,
                Some(_) => {}
            }
        }
        if let Some(target) = decided.into_iter().min_by_key(Vec::len) {
            return Effect::Decides { witness: self.list.agent.file().targets().spell(&target) };
        }
        sort_unique(&mut by);
        match (is_unknown, by.is_empty()) {
            (true, _) => Effect::Unknown,
            (false, true) => Effect::MatchesNothing,
            (false, false) => Effect::Shadowed { by },
        }
    }

    /// What one pattern does; none if the budget is spent.
    fn effect_of(&self, number: usize, by: &mut Vec<u32>) -> Option<Effect> {
        let candidate = &self.list.candidates[number];
        let targets = self.list.agent.file().targets();
        let mut shortest: Option<Vec<u8>> = None;
        let shapes = self.list.shapes(number, self.budget);
        let mut is_unknown = shapes.is_cut || !self.words.are_proofs();
        let is_own = |target: &[u8]| {
            let answer = self.list.answer(target, self.budget)?;
            Some(answer.by.is_some_and(|(rank, _)| rank == candidate.rank))
        };
        for shape in &shapes.shapes {
            let word = self.words.word(shape);
            let answer = self.list.answer(&word, self.budget)?;
            if answer.by.is_none_or(|(rank, _)| rank != candidate.rank) {
                by.extend(answer.by.map(|(_, rule)| rule));
                continue;
            }
            match self.words.shortest(shape, targets, self.budget, is_own)? {
                Some(word) if shortest.as_ref().is_none_or(|s| word.len() < s.len()) => {
                    shortest = Some(word);
                }
                Some(_) => {}
                None => is_unknown = true,
            }
        }
        Some(match (shortest, is_unknown) {
            (Some(witness), _) => Effect::Decides { witness },
            (None, true) => Effect::Unknown,
            (None, false) => Effect::MatchesNothing,
        })
    }

    /// Whether it is proved that one pattern decides nothing; none if the budget is spent.
    fn is_idle(&self, number: usize, by: &mut Vec<u32>) -> Option<bool> {
        let rank = self.list.candidates[number].rank;
        let shapes = self.list.shapes(number, self.budget);
        if shapes.is_cut || !self.words.are_proofs() {
            return Some(false);
        }
        for shape in &shapes.shapes {
            match self.list.answer(&self.words.word(shape), self.budget)?.by {
                Some((other, _)) if other == rank => return Some(false),
                found => by.extend(found.map(|(_, rule)| rule)),
            }
        }
        Some(true)
    }

    /// Rules all of whose patterns an earlier rule has, with the same rank but for the order: they
    /// change nothing, and in a file of thousands each would be compared with all others.
    fn repeats(&self) -> HashSet<u32> {
        let candidates = &self.list.candidates;
        let mut known = HashSet::new();
        let of_rules = candidates.chunk_by(|one, other| one.rule == other.rule);
        let patterns = of_rules.map(|of_rule| {
            let patterns: Vec<Identity> = of_rule.iter().map(identity).collect();
            (of_rule[0].rule, patterns)
        });
        patterns.filter_map(|(rule, of_rule)| (!known.insert(of_rule)).then_some(rule)).collect()
    }

    /// See [`Agent::redundant`].
    fn redundant(&self, mechanism: Mechanism) -> (Vec<u32>, bool) {
        let repeats = self.repeats();
        let mut rest = Rest::new(self, mechanism, &repeats);
        let mut removed: Vec<u32> = repeats.iter().copied().collect();
        let mut is_whole = self.words.are_proofs() && self.words.are_targets();
        let mut left: Vec<u32> = self.list.agent.rules().map(|(rule, _)| rule).collect();
        left.retain(|rule| !repeats.contains(rule));
        left.reverse();
        loop {
            // Removing one rule may make another redundant.
            let before = removed.len();
            left.retain(|rule| match rest.is_redundant(*rule) {
                Some(true) => {
                    rest.remove(*rule);
                    removed.push(*rule);
                    false
                }
                found => {
                    is_whole &= found.is_some();
                    true
                }
            });
            if removed.len() == before {
                break;
            }
        }
        sort(&mut removed);
        (removed, is_whole)
    }
}

/// The rules that were not removed.
struct Rest<'r, 'f, 'b> {
    rules: &'r Rules<'f, 'b>,
    mechanism: Mechanism,
    budget: &'r Budget,
    prefixes: Prefixes<'r, Token>,
    is_removed: Vec<bool>,
}

/// What decides among some rules: rank and verdict.
type Best = Option<(Rank, bool)>;

impl<'r, 'f, 'b> Rest<'r, 'f, 'b> {
    fn new(rules: &'r Rules<'f, 'b>, mechanism: Mechanism, removed: &HashSet<u32>) -> Self {
        let candidates = &rules.list.candidates;
        let is_removed: Vec<bool> =
            candidates.iter().map(|candidate| removed.contains(&candidate.rule)).collect();
        let shapes = (0..candidates.len()).filter(|at| !is_removed[*at]).flat_map(|at| {
            let shapes = rules.list.shapes(at, rules.budget);
            shapes.beginnings().map(move |text| (text, at as u32))
        });
        let budget = rules.budget;
        Rest { rules, mechanism, budget, prefixes: Prefixes::new(shapes), is_removed }
    }

    fn remove(&mut self, rule: u32) {
        let own = self.patterns_of(rule);
        self.is_removed[own].fill(true);
    }

    /// The patterns of a rule; all patterns are in the order of their rules.
    fn patterns_of(&self, rule: u32) -> std::ops::Range<usize> {
        let candidates = &self.rules.list.candidates;
        let begin = |rule: u32| candidates.partition_point(|candidate| candidate.rule < rule);
        begin(rule)..begin(rule + 1)
    }

    /// Whether no verdict changes without a rule; none if that is not proved.
    fn is_redundant(&self, rule: u32) -> Option<bool> {
        for number in self.patterns_of(rule) {
            let shapes = self.rules.list.shapes(number, self.budget);
            if shapes.is_cut || !self.rules.words.are_proofs() {
                return None;
            }
            for shape in &shapes.shapes {
                if self.matters(number, shape)? {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// Whether some verdict within one shape of a pattern changes without its rule.
    fn matters(&self, number: usize, shape: &Shape) -> Option<bool> {
        let candidate = &self.rules.list.candidates[number];
        if self.differs_at(shape, candidate.rule)? {
            return Some(true);
        }
        let mut met: Vec<u32> = self.prefixes.meeting(prefix(&shape.path)).collect();
        sort_unique(&mut met);
        self.budget.take(8 * met.len() as u64);
        for other in met.into_iter().map(|other| other as usize) {
            let rival = &self.rules.list.candidates[other];
            let is_below = rival.allows != candidate.allows && rival.rank > candidate.rank;
            if !is_below || self.is_removed[other] {
                continue;
            }
            let of_rivals = self.rules.list.shapes(other, self.budget);
            if of_rivals.is_cut {
                return None;
            }
            for of_rival in &of_rivals.shapes {
                for both in align_shapes(shape, of_rival, self.budget)? {
                    if self.differs_at(&both, candidate.rule)? {
                        return Some(true);
                    }
                }
            }
        }
        Some(false)
    }

    /// Whether the word of a shape has another verdict without a rule. If targets do not contain
    /// the fresh byte, the word may be no target: then the rule is kept.
    fn differs_at(&self, shape: &Shape, rule: u32) -> Option<bool> {
        let word = self.rules.words.word(shape);
        if self.rules.list.agent.is_exempt(&word) {
            return Some(false);
        }
        let (with, without) = self.best(&word, rule)?;
        let said = |best: Best| best.and_then(|(_, allows)| said_by_rule(self.mechanism, allows));
        Some(said(with) != said(without))
    }

    /// What decides a target with a rule and without it.
    fn best(&self, word: &[u8], rule: u32) -> Option<(Best, Best)> {
        let subject = Subject::new(word);
        let tokens: Vec<Token> = word.iter().map(|byte| Token::from(*byte)).collect();
        let (mut with, mut without): (Best, Best) = (None, None);
        for number in self.prefixes.matching(&tokens) {
            let candidate = &self.rules.list.candidates[number as usize];
            let compared = if candidate.pattern.wild { STEPS_OF_STARS + word.len() } else { 0 };
            self.budget.take(STEPS_OF_RULE + compared as u64);
            if self.budget.is_spent() {
                return None;
            }
            let is_better = |best: Best| best.is_none_or(|(rank, _)| candidate.rank < rank);
            let is_asked = !self.is_removed[number as usize] && is_better(without);
            if is_asked && subject.matches(&candidate.pattern) {
                let found = Some((candidate.rank, candidate.allows));
                with = if is_better(with) { found } else { with };
                without = if candidate.rule == rule { without } else { found };
            }
        }
        Some((with, without))
    }
}
