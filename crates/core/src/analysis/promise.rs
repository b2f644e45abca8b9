//! Promises: whether every URL that a pattern matches gets one answer.
//!
//! In: an [`Agent`], a [`Promise`] and a [`Question`]. Out: the shortest URL that breaks the promise.
//! That there is none is proved, or the result says that it is not.
//!
//! What is said about a use has several voices: the rules of the crawler, those of each policy
//! token, and so on; what is said about fetching has one. A target breaks a promise in one of two
//! ways: one voice says what is excluded, or all together say only what is not enough. In the first
//! case take what decides in that voice, in the second what decides in each of them, if anything
//! does. Some alignment of the promised pattern with all of these matches the target. Nothing else
//! decides its word: that would match the whole alignment, and so decide the target as well. So
//! only the words of these alignments are asked about, and where a voice gives another answer at
//! the word than the one that was aligned, the alignment is followed no further.

use std::collections::HashSet;

use crate::agent::Agent;
use crate::analysis::align::align_shapes;
use crate::analysis::difference::steps_to_read;
use crate::analysis::rule_list::{Candidate, RuleList};
use crate::analysis::shape::{certain_beginning, Shape, Space};
use crate::analysis::text::{Token, STAR};
use crate::analysis::word::Words;
use crate::budget::Budget;
use crate::matcher::Subject;
use crate::percent::escape_at;
use crate::target::TargetReader;
use crate::uses::{both, said_by_rule, Mechanism, Usages, UseRules};

const PERCENT: Token = b'%' as Token;

/// What is asked about.
#[derive(Clone, Copy, Debug)]
pub enum Question<'u> {
    /// Whether the crawler may fetch it.
    Fetch,
    /// Whether it may be used; the rules are those of the same crawler.
    Use(&'u UseRules),
}

/// Which answer some URLs should get.
#[derive(Clone, Copy, Debug)]
pub struct Promise<'p> {
    /// A path pattern: the URLs that it matches.
    pub pattern: &'p [u8],
    /// Path patterns: the URLs that one of these matches are left out.
    pub except: &'p [&'p [u8]],
    /// Whether it is allowed; none if no line mentions it.
    pub answer: Option<bool>,
}

/// What is known about a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// A URL that gets another answer; no shorter one does.
    pub witness: Option<Vec<u8>>,
    /// Whether it is proved that there is none, or no shorter one.
    pub is_exact: bool,
    /// Whether the pattern matches any URL that is not left out, and that rules decide.
    pub has_urls: bool,
    /// How many steps that took.
    pub steps: u64,
}

impl Agent {
    /// Whether each URL of a promise gets the promised answer. `/robots.txt` is left out where rules
    /// do not decide it.
    ///
    /// steps: the most that the proof may take, see [`STEPS`](crate::analysis::STEPS).
    pub fn keeps(&self, promise: Promise, question: Question, steps: u64) -> Kept {
        let budget = Budget::new(steps);
        let mut voices = Voice::all(self, question);
        let mut meant = RuleList::of_patterns(self, &[promise.pattern]);
        let mut left_out = RuleList::of_patterns(self, promise.except);
        let patterns = || {
            let lists = voices.iter().map(|voice| &voice.list).chain([&meant, &left_out]);
            lists.flat_map(|list| &list.candidates).map(|candidate| &candidate.pattern)
        };
        let space = Space::of(patterns());
        let words = Words::new(patterns(), &[self.file().targets()], space);
        let lists = voices.iter_mut().map(|voice| &mut voice.list);
        lists.chain([&mut meant, &mut left_out]).for_each(|list| list.shape(space));
        let is_exact = words.are_proofs();
        let mut search = Search {
            agent: self,
            voices: &voices,
            meant: &meant,
            left_out: &left_out,
            answer: promise.answer,
            words,
            budget: &budget,
            witness: None,
            is_exact,
        };
        let is_whole = search.run().is_ok();
        Kept {
            has_urls: search.has_urls(),
            witness: search.witness,
            is_exact: search.is_exact && is_whole,
            steps: steps - budget.left(),
        }
    }
}

/// One mechanism, and what it says.
struct Voice<'f> {
    /// Its patterns.
    list: RuleList<'f>,
    speaker: Speaker<'f>,
}

/// Who speaks.
enum Speaker<'f> {
    /// Rules: what one says that disallows, one that allows, and what is said if none decides.
    Rules([Option<bool>; 2], Option<bool>),
    /// Usage preferences, and what each says.
    Usages(Usages<'f>, Vec<Option<bool>>),
    /// What says the same of every target.
    Always(Option<bool>),
}

impl<'f> Voice<'f> {
    /// Whoever says something about a question.
    fn all(agent: &'f Agent, question: Question<'f>) -> Vec<Voice<'f>> {
        let Question::Use(rules) = question else {
            let speaker = Speaker::Rules([Some(false), Some(true)], Some(true));
            return vec![Voice { list: RuleList::new(agent), speaker }];
        };
        let of_rules = |agent, mechanism| {
            let said = [false, true].map(|allows| said_by_rule(mechanism, allows));
            Voice { list: RuleList::new(agent), speaker: Speaker::Rules(said, None) }
        };
        let of_usages = |usages: Usages<'f>| {
            let (paths, said): (Vec<&[u8]>, Vec<Option<bool>>) = usages.each().unzip();
            let list = RuleList::of_patterns(agent, &paths);
            Voice { list, speaker: Speaker::Usages(usages, said) }
        };
        let always = Speaker::Always(rules.signalled());
        let mut voices = vec![
            // First what settles all targets at once.
            Voice { list: RuleList::of_patterns(agent, &[]), speaker: always },
            of_rules(agent, Mechanism::CrawlRules),
        ];
        voices.extend(rules.policies().map(|policy| of_rules(policy, Mechanism::PolicyToken)));
        voices.extend(rules.usages().map(of_usages));
        voices
    }

    /// What a pattern says where it decides.
    fn said_by(&self, candidate: &Candidate) -> Option<bool> {
        match &self.speaker {
            Speaker::Rules(said, _) => said[candidate.allows as usize],
            Speaker::Usages(_, said) => said[candidate.rule as usize],
            Speaker::Always(said) => *said,
        }
    }

    /// What is said of a target.
    fn says(&self, target: &[u8], budget: &Budget) -> Result<Option<bool>, Spent> {
        Ok(match &self.speaker {
            Speaker::Rules(said, otherwise) => {
                let answer = self.list.answer(target, budget).ok_or(Spent)?;
                answer.by.map_or(*otherwise, |_| said[answer.allowed as usize])
            }
            Speaker::Usages(usages, said) => {
                budget.take((said.len() * (64 + target.len())) as u64);
                usages.say(self.list.agent.patterns(), target)
            }
            Speaker::Always(said) => *said,
        })
    }
}

/// The budget is spent.
struct Spent;

/// A way to break a promise: what each of some voices says.
struct Way {
    voices: Vec<usize>,
    is_wanted: fn(Option<bool>) -> bool,
}

impl Way {
    /// Every way.
    fn all(answer: Option<bool>, voices: usize) -> Vec<Way> {
        let each = |is_wanted: fn(Option<bool>) -> bool| {
            (0..voices).map(move |voice| Way { voices: vec![voice], is_wanted })
        };
        let all =
            |is_wanted: fn(Option<bool>) -> bool| Way { voices: (0..voices).collect(), is_wanted };
        match answer {
            Some(false) => vec![all(|said| said != Some(false))],
            Some(true) => {
                each(|said| said == Some(false)).chain([all(|said| said.is_none())]).collect()
            }
            None => each(|said| said.is_some()).collect(),
        }
    }
}

/// The search for the shortest witness.
struct Search<'s, 'f> {
    agent: &'f Agent,
    voices: &'s [Voice<'f>],
    meant: &'s RuleList<'f>,
    left_out: &'s RuleList<'f>,
    answer: Option<bool>,
    words: Words,
    budget: &'s Budget,
    witness: Option<Vec<u8>>,
    is_exact: bool,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<(), Spent> {
        let lists = self.voices.iter().map(|voice| voice.list.agent);
        self.budget.take(lists.flat_map(Agent::rules).map(|(_, rule)| steps_to_read(rule)).sum());
        if self.budget.is_spent() {
            return Err(Spent);
        }
        for way in Way::all(self.answer, self.voices.len()) {
            for candidate in 0..self.meant.candidates.len() {
                let shapes = self.meant.shapes(candidate, self.budget);
                self.is_exact &= !shapes.is_cut;
                for shape in &shapes.shapes {
                    self.follow(&way, candidate, shape)?;
                }
            }
        }
        Ok(())
    }

    /// Whether something is meant: a pattern that leaves out the word of a shape leaves out all of it.
    fn has_urls(&self) -> bool {
        (0..self.meant.candidates.len()).any(|candidate| {
            let shapes = self.meant.shapes(candidate, self.budget);
            let is_meant = |shape: &Shape| {
                let word = self.words.word(shape);
                !self.is_left_out(&word) && !self.agent.is_exempt(&word)
            };
            shapes.is_cut || shapes.shapes.iter().any(is_meant)
        })
    }

    /// Align a shape of the promised pattern with what may decide in each voice of a way.
    fn follow(&mut self, way: &Way, meant: usize, shape: &Shape) -> Result<(), Spent> {
        let mut seen: HashSet<(usize, Shape)> = HashSet::new();
        let mut open = vec![(0, shape.clone())];
        while let Some((depth, shape)) = open.pop() {
            let Some(voice) = way.voices.get(depth) else {
                self.keep(&shape)?;
                continue;
            };
            let mut further = self.aligned(&self.voices[*voice], way, meant, &shape)?;
            further.push(shape);
            for shape in further {
                self.budget.take(shape.path.len() as u64 + 16);
                let is_new = !self.is_hopeless(&shape) && seen.insert((depth, shape.clone()));
                if is_new && self.is_so(way, depth, &shape)? {
                    open.push((depth + 1, shape));
                }
            }
        }
        Ok(())
    }

    /// The alignments of a shape with the patterns of a voice that say what is wanted.
    fn aligned(
        &mut self,
        voice: &Voice,
        way: &Way,
        meant: usize,
        shape: &Shape,
    ) -> Result<Vec<Shape>, Spent> {
        let mut found = Vec::new();
        let begin = certain_beginning(&self.meant.candidates[meant].pattern);
        self.budget.take(8 * (1 + voice.list.candidates.len()) as u64);
        for (at, candidate) in voice.list.candidates.iter().enumerate() {
            let other = certain_beginning(&candidate.pattern);
            let meets = begin.starts_with(other) || other.starts_with(begin);
            if !meets || !(way.is_wanted)(voice.said_by(candidate)) {
                continue;
            }
            let shapes = voice.list.shapes(at, self.budget);
            self.is_exact &= !shapes.is_cut;
            for theirs in &shapes.shapes {
                found.extend(align_shapes(shape, theirs, self.budget).ok_or(Spent)?);
            }
        }
        Ok(found)
    }

    /// Whether the voices that were aligned so far say what is wanted of the word of a shape.
    fn is_so(&self, way: &Way, depth: usize, shape: &Shape) -> Result<bool, Spent> {
        let word = self.words.word(shape);
        for voice in &way.voices[..=depth] {
            if !(way.is_wanted)(self.voices[*voice].says(&word, self.budget)?) {
                return Ok(false);
            }
        }
        Ok(!self.is_left_out(&word) && !self.agent.is_exempt(&word))
    }

    /// Whether no URL of a shape is shorter than the witness. An escape may stand for one byte.
    fn is_hopeless(&self, shape: &Shape) -> bool {
        let (stars, percent) = (|token: &Token| *token == STAR, |token: &Token| *token == PERCENT);
        let is_as_long = |witness: &Vec<u8>| {
            let tokens = shape.tokens();
            let count = |is_it: fn(&Token) -> bool| tokens.iter().filter(|t| is_it(t)).count();
            tokens.len() - count(stars) >= witness.len() + 2 * count(percent)
        };
        self.witness.as_ref().is_some_and(is_as_long)
    }

    /// Keep the shortest URL of a shape that breaks the promise, if it is shorter than the others.
    fn keep(&mut self, shape: &Shape) -> Result<(), Spent> {
        let targets = self.agent.file().targets();
        let breaks = |target: &[u8]| self.breaks(target).ok();
        let found = self.words.shortest(shape, targets, self.budget, breaks).ok_or(Spent)?;
        let Some(found) = found.filter(|target| targets.is_requested(target)) else {
            self.is_exact = false;
            return Ok(());
        };
        // Some read a path that begins with `//` only behind its host: a longer path is shorter then.
        let plain = |target: &[u8]| Some(!target.starts_with(b"//") && breaks(target)?);
        let is_plain = !found.starts_with(b"//");
        let other = if is_plain {
            None
        } else {
            self.words.shortest(shape, targets, self.budget, plain).ok_or(Spent)?
        };
        let other = other.filter(|target| targets.is_requested(target));
        let urls = [Some(found), other].into_iter().flatten();
        let urls: Vec<Vec<u8>> = urls.map(|target| shortest_url(targets, &target)).collect();
        self.witness = self.witness.take().into_iter().chain(urls).min_by_key(Vec::len);
        Ok(())
    }

    /// Whether a target is meant, and gets another answer than the promised one.
    fn breaks(&self, target: &[u8]) -> Result<bool, Spent> {
        let is_meant = matches_any(self.meant, target, self.budget);
        if !is_meant || self.is_left_out(target) || self.agent.is_exempt(target) {
            return Ok(false);
        }
        let mut answer = None;
        for voice in self.voices {
            answer = both(answer, voice.says(target, self.budget)?);
        }
        Ok(answer != self.answer)
    }

    fn is_left_out(&self, target: &[u8]) -> bool {
        matches_any(self.left_out, target, self.budget)
    }
}

/// A URL that has a target, without escapes that change nothing: a pattern needs `%24` to mean a
/// dollar sign, a URL does not.
fn shortest_url(targets: &TargetReader, target: &[u8]) -> Vec<u8> {
    let mut url = targets.spell(target);
    for at in (0..url.len()).rev() {
        let escape = escape_at(&url, at).filter(|(value, _)| value.is_ascii_graphic());
        if let Some((value, _)) = escape {
            let shorter = [&url[..at], &[value], &url[at + 3..]].concat();
            if targets.read(&shorter).is_ok_and(|read| read.bytes() == target) {
                url = shorter;
            }
        }
    }
    url
}

fn matches_any(list: &RuleList, target: &[u8], budget: &Budget) -> bool {
    let subject = Subject::new(target);
    budget.take((list.candidates.len() * (64 + target.len())) as u64);
    list.candidates.iter().any(|candidate: &Candidate| subject.matches(&candidate.pattern))
}
