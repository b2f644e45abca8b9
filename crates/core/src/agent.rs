//! The rules of one crawler in one file, ready to be asked.
//!
//! In: a [`File`] and product tokens. Out: an [`Agent`], which answers with an [`Outcome`]. The
//! first question walks the rules as they stand, so that a file asked once never pays for an
//! index; many rules are compiled for the second question, few for the ninth. Nothing here knows
//! HTTP or time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::OnceLock;

use crate::decision::{Outcome, Reason};
use crate::dialect::Dialect;
use crate::file::File;
use crate::group::{Cut, Rule};
use crate::matcher::{rules_of, walk, walk_to_best, Hit, Matcher, Ranking, Subject};
use crate::pattern::{PatternReader, Verdict};
use crate::token::Selection;

/// Octets of a file above which rules are never compiled: their normal forms, up to six times as
/// long, are counted in 32 bits.
const MOST_COMPILED: usize = 1 << 29;

/// Compiling costs as much as so many walks over rules that are few.
const WALKS: u32 = 8;
/// More rules than these are compiled for the second question.
const FEW_RULES: usize = 64;

/// The rules that bind one crawler. It belongs to the file that made it and is asked with it.
#[derive(Debug)]
pub struct Agent {
    selection: Selection,
    patterns: PatternReader,
    ranking: Ranking,
    robots_txt_allowed: bool,
    asked: AtomicU32,
    matcher: OnceLock<Matcher>,
}

impl Agent {
    /// Prepare the rules of the selected groups.
    pub fn new(selection: Selection, dialect: &Dialect) -> Self {
        Agent {
            selection,
            patterns: PatternReader::new(dialect),
            ranking: Ranking::new(dialect),
            robots_txt_allowed: dialect.robots_txt_allowed,
            asked: AtomicU32::new(0),
            matcher: OnceLock::new(),
        }
    }

    /// The groups that bind the crawler.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Decide one target.
    #[inline]
    pub fn check(&self, file: &File, target: &[u8]) -> Outcome {
        self.check_by(file, target, |subject| {
            if let Some(matcher) = self.matcher.get() {
                matcher.best(file.octets(), subject)
            } else if file.octets().len() > MOST_COMPILED {
                self.walk_to_best(file, subject)
            } else if self.is_worth_compiling(file) {
                self.compiled(file).best(file.octets(), subject)
            } else {
                self.walk_to_best(file, subject)
            }
        })
    }

    /// Decide one target without compiling anything.
    pub fn check_by_walk(&self, file: &File, target: &[u8]) -> Outcome {
        self.check_by(file, target, |subject| self.walk_to_best(file, subject))
    }

    /// Decide one target with the compiled rules.
    pub fn check_compiled(&self, file: &File, target: &[u8]) -> Outcome {
        self.check_by(file, target, |subject| self.compiled(file).best(file.octets(), subject))
    }

    #[inline]
    fn check_by(
        &self,
        file: &File,
        target: &[u8],
        best: impl FnOnce(&Subject) -> Option<Hit>,
    ) -> Outcome {
        if file.extent().cut == Cut::Everything {
            return Outcome::open(Reason::FileOverLimit);
        }
        if self.robots_txt_allowed && target == b"/robots.txt" {
            return Outcome::open(Reason::RobotsTxtItself);
        }
        match best(&Subject::new(target)) {
            Some(hit) => self.outcome_of(hit),
            None => Outcome::open(self.reason_without_rule(file)),
        }
    }

    #[inline]
    fn outcome_of(&self, hit: Hit) -> Outcome {
        let reason = match hit.verdict {
            Verdict::Silent => Reason::EmptyRule,
            _ if self.ranking.is_first() => Reason::FirstMatchingRule,
            _ => Reason::MostSpecificRule,
        };
        let allowed = hit.verdict != Verdict::Disallow;
        Outcome { allowed, reason, rule: Some(hit.rule) }
    }

    fn reason_without_rule(&self, file: &File) -> Reason {
        if self.selection.groups.is_empty() {
            Reason::NoGroup
        } else if self.rules(file).next().is_none() {
            Reason::GroupWithoutRules
        } else {
            Reason::NoMatchingRule
        }
    }

    /// The rules that bind the crawler, in file order, with their indices.
    pub fn rules<'a>(&'a self, file: &'a File) -> impl Iterator<Item = (u32, Rule)> + 'a {
        rules_of(file.groups(), &self.selection.groups)
    }

    /// Every rule that matches a target, in file order.
    pub fn matching(&self, file: &File, target: &[u8]) -> Vec<u32> {
        let subject = Subject::new(target);
        let mut found: Vec<u32> = Vec::new();
        walk(file.octets(), self.rules(file), &self.patterns, &subject, |index, _, pattern| {
            if pattern.verdict != Verdict::Silent && found.last() != Some(&index) {
                found.push(index);
            }
        });
        found
    }

    /// How this crawler's patterns are read.
    pub fn patterns(&self) -> &PatternReader {
        &self.patterns
    }

    #[inline]
    fn walk_to_best(&self, file: &File, subject: &Subject) -> Option<Hit> {
        walk_to_best(file.octets(), self.rules(file), &self.patterns, self.ranking, subject)
    }

    /// Count a question; tell whether those that may follow pay for an index.
    fn is_worth_compiling(&self, file: &File) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let rules = || {
            let groups = self.selection.groups.iter();
            groups.map(|group| file.groups().rule_range(*group as usize).len()).sum::<usize>()
        };
        asked >= WALKS || asked > 0 && rules() > FEW_RULES
    }

    fn compiled(&self, file: &File) -> &Matcher {
        self.matcher.get_or_init(|| {
            Matcher::new(file.octets(), self.rules(file), &self.patterns, self.ranking)
        })
    }
}
