//! Rule lists: the rules of one crawler, as patterns that are compared with those of another.
//!
//! In: an [`Agent`]. Out: its patterns with their shapes and ranks, which of them decide anything,
//! and the answer to a target. Every answer comes from the agent itself.

use std::cell::{Cell, OnceCell};

use crate::agent::Agent;
use crate::analysis::shape::{Shapes, Space};
use crate::analysis::word::Words;
use crate::budget::Budget;
use crate::file::File;
use crate::group::Cut;
use crate::matcher::{Rank, Subject};
use crate::pattern::{Pattern, Verdict};

/// A pattern of a rule.
pub struct Candidate<'f> {
    /// Index into [`crate::Groups::rules`].
    pub rule: u32,
    /// Which of several rules decides: the smaller.
    pub rank: Rank,
    /// Whether it allows.
    pub allows: bool,
    /// The pattern.
    pub pattern: Pattern<'f>,
    shapes: OnceCell<Shapes>,
    decides: Cell<Option<bool>>,
}

impl<'f> Candidate<'f> {
    fn new(rule: u32, rank: Rank, pattern: Pattern<'f>) -> Self {
        let (shapes, decides) = (OnceCell::new(), Cell::new(None));
        Candidate {
            rule,
            rank,
            allows: pattern.verdict == Verdict::Allow,
            pattern,
            shapes,
            decides,
        }
    }
}

/// An agent, with its patterns.
pub struct RuleList<'f> {
    /// The agent that answers.
    pub agent: &'f Agent,
    /// Those that say something, in file order.
    pub candidates: Vec<Candidate<'f>>,
    /// How many of them, at the beginning, outrank the rules of the agent.
    over: usize,
    space: Space,
    /// What the shapes of all patterns so far take, in tokens.
    listed: Cell<usize>,
}

/// The most that the shapes of a side take, in tokens: 16 MiB; then each pattern has only one.
const MOST_TOKENS: usize = 1 << 23;

/// What decides a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether it may be fetched.
    pub allowed: bool,
    /// The rank and the rule that decide, if one does.
    pub by: Option<(Rank, u32)>,
}

/// A rule that is in no file: whether it allows, and its pattern.
pub type OwnRule = (bool, Vec<u8>);

/// The index of a rule that is in no file.
pub const NO_RULE: u32 = u32::MAX;

/// The cost of comparing a rule that is in no file with a target, besides its bytes.
const STEPS_OF_OWN_RULE: u64 = 64;

impl<'f> RuleList<'f> {
    /// Read the patterns of an agent; their shapes are still to be made.
    pub fn new(agent: &'f Agent) -> Self {
        RuleList::with(agent, &[])
    }

    /// The same, with rules that outrank those of the agent, the first before the second. They
    /// match only what they say: an index page is no directory.
    pub fn with(agent: &'f Agent, over: &'f [OwnRule]) -> Self {
        let mut candidates = Vec::new();
        for (at, (is_allow, value)) in over.iter().enumerate() {
            agent.patterns().each(value, *is_allow, |pattern| {
                if !pattern.is_directory {
                    candidates.push(Candidate::new(NO_RULE, at as Rank, pattern));
                }
            });
        }
        let over = candidates.len();
        let file: &'f File = agent.file();
        for (index, rule) in agent.rules() {
            let (value, is_allow) = (rule.value().of(file.bytes()), rule.is_allow());
            agent.patterns().each(value, is_allow, |pattern| {
                if pattern.verdict != Verdict::Silent {
                    let rank = agent.ranking().rank(&pattern, is_allow, index);
                    candidates.push(Candidate::new(index, rank, pattern));
                }
            });
        }
        RuleList { agent, candidates, over, space: Space::Plain, listed: Cell::new(0) }
    }

    /// Some path patterns by themselves, as the agent's dialect reads them; `rule` is their place.
    pub fn of_patterns(agent: &'f Agent, values: &[&'f [u8]]) -> Self {
        let mut candidates = Vec::new();
        for (at, value) in values.iter().enumerate() {
            let take = |pattern| candidates.push(Candidate::new(at as u32, at as Rank, pattern));
            agent.patterns().each(value, false, take);
        }
        RuleList { agent, candidates, over: 0, space: Space::Plain, listed: Cell::new(0) }
    }

    /// Set the space in which its patterns are compared; must be called first.
    pub fn shape(&mut self, space: Space) {
        self.space = space;
    }

    /// What a pattern matches in the space of the analysis: computed on first use, because in most
    /// versions of a file most rules are the same, and meet nothing that changed. What is listed
    /// costs steps; if too few are left to list all, all of them are taken.
    pub fn shapes(&self, candidate: usize, budget: &Budget) -> &Shapes {
        let Candidate { shapes, pattern, .. } = &self.candidates[candidate];
        shapes.get_or_init(|| {
            let (room, left) = (MOST_TOKENS.saturating_sub(self.listed.get()), budget.left());
            let affordable = usize::try_from(left).map_or(room, |left| left.min(room));
            let targets = self.agent.file().targets();
            let found = Shapes::of(pattern, self.space, targets, affordable);
            self.listed.set(self.listed.get() + found.size());
            let is_too_costly = found.lacks_room() && affordable < room;
            budget.take(if is_too_costly { left } else { found.steps() });
            found
        })
    }

    /// What decides a target; none if the budget is spent.
    pub fn answer(&self, target: &[u8], budget: &Budget) -> Option<Answer> {
        if self.agent.is_exempt(target) {
            return Some(Answer { allowed: true, by: None });
        }
        if let Some(first) = self.first_over(target, budget) {
            return Some(Answer { allowed: first.allows, by: Some((first.rank, first.rule)) });
        }
        if self.agent.file().extent().cut == Cut::Everything {
            return Some(Answer { allowed: true, by: None });
        }
        let best = self.agent.best_within(target, budget);
        if budget.is_spent() {
            return None;
        }
        Some(match best {
            None => Answer { allowed: true, by: None },
            Some((rank, hit)) => {
                let allowed = hit.verdict != Verdict::Disallow;
                let by = (hit.verdict != Verdict::Silent).then_some((rank, hit.rule));
                Answer { allowed, by }
            }
        })
    }

    /// The first rule that outranks those of the agent and matches a target.
    fn first_over(&self, target: &[u8], budget: &Budget) -> Option<&Candidate<'f>> {
        let subject = Subject::new(target);
        self.candidates[..self.over].iter().find(|candidate| {
            let compared = if candidate.pattern.wild { target.len() } else { 0 };
            budget.take(STEPS_OF_OWN_RULE + compared as u64);
            subject.matches(&candidate.pattern)
        })
    }

    /// Whether a pattern decides any target, as far as its own words show; none if the budget is
    /// spent.
    pub fn decides(&self, candidate: usize, words: &Words, budget: &Budget) -> Option<bool> {
        let shapes = self.shapes(candidate, budget);
        let candidate = &self.candidates[candidate];
        if let Some(known) = candidate.decides.get() {
            return Some(known);
        }
        let mut decides = shapes.is_cut;
        for shape in &shapes.shapes {
            let answer = self.answer(&words.word(shape), budget)?;
            decides |= answer.by.is_some_and(|(rank, _)| rank == candidate.rank);
        }
        candidate.decides.set(Some(decides));
        Some(decides)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::shape::MOST_SPELLINGS;
    use crate::dialect::RFC9309;

    /// The rules of a file whose patterns are compared in all of their spellings.
    fn spelt(rules: &str) -> Agent {
        let text = format!("User-agent: *\n{rules}\nDisallow: /zz?b:c\n");
        File::parse(text.as_bytes(), &RFC9309).wildcard_agent()
    }

    fn side(agent: &Agent) -> RuleList<'_> {
        let mut side = RuleList::new(agent);
        side.shape(Space::of(side.candidates.iter().map(|candidate| &candidate.pattern)));
        side
    }

    #[test]
    fn shapes_take_limited_memory_and_are_charged() {
        let rule = |n| format!("Disallow: /{n}{}:@[]!'(,\n", "y".repeat(1_250));
        let agent = spelt(&(0..60).map(rule).collect::<String>());
        let (side, budget) = (side(&agent), Budget::new(1 << 26));
        let sizes = (0..side.candidates.len()).map(|at| side.shapes(at, &budget).size());
        let all: usize = sizes.sum();

        assert!(side.shapes(0, &budget).shapes.len() == 2 * MOST_SPELLINGS);
        assert!(side.shapes(59, &budget).is_cut);
        let len = agent.file().bytes().len();
        assert!(all <= MOST_TOKENS + len, "{all}");
        let taken = (1 << 26) - budget.left() as usize;
        assert!((all..=all + len).contains(&taken), "{taken}");
    }

    /// The steps that the shapes of the first pattern of some rules cost.
    fn steps(rules: &str, limit: u64) -> u64 {
        let (agent, budget) = (spelt(rules), Budget::new(limit));
        side(&agent).shapes(0, &budget);
        limit - budget.left()
    }

    #[test]
    fn spellings_that_are_not_kept_are_charged() {
        let begin = format!("Disallow: /{}:@[]!'(,", "y".repeat(100));
        let (kept, too_many) = (steps(&begin, 1 << 20), steps(&(begin.clone() + ";"), 1 << 20));
        let without_target = steps(&(begin + "\x7f"), 1 << 20);

        assert!(too_many >= (MOST_SPELLINGS * 100) as u64, "{too_many}");
        assert!(without_target >= kept, "{without_target}");
    }

    #[test]
    fn short_shapes_take_more_than_their_tokens() {
        assert!(steps("Disallow: /:@[]!'(,", 1 << 20) >= (64 * MOST_SPELLINGS) as u64);
    }

    #[test]
    fn spellings_for_which_too_few_steps_are_left_are_not_written() {
        let rule = format!("Disallow: /{}:@[]!'(,", "y".repeat(100));
        let (agent, budget) = (spelt(&rule), Budget::new(1_000));
        let side = side(&agent);

        assert!(side.shapes(0, &budget).size() <= 1_000);
        assert!(budget.is_spent());
    }

    #[test]
    fn every_pair_of_beginnings_is_charged() {
        let agent = spelt("Allow: /a:@[]!'(,\nDisallow: /b:@[]!'(,\n");
        let (side, listed) = (side(&agent), Budget::new(1 << 26));
        let [one, other] = [0, 1].map(|at| side.shapes(at, &listed));
        let pairs = (MOST_SPELLINGS * MOST_SPELLINGS) as u64;

        assert_eq!(one.may_meet(other, &Budget::new(pairs)), None);
        assert_eq!(one.may_meet(other, &Budget::new(8 * pairs)), Some(false));
    }
}
