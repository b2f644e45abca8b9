//! The rules of one crawler in one file, ready to decide URLs.
//!
//! In: a [`File`] and product tokens. Out: an [`Agent`], which answers with an [`Outcome`]. The
//! first question walks the rules in file order, so that a file used once never pays for an index;
//! many rules are compiled for the second question, few for the ninth. Nothing here depends on HTTP
//! or time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::OnceLock;

use crate::binding::{Binding, Followed};
use crate::budget::Budget;
use crate::decision::{match_of, Match, Outcome, Reason};
use crate::error::{InvalidProductToken, InvalidTarget};
use crate::file::File;
use crate::group::{Cut, Rule};
use crate::matcher::{rules_of, walk, walk_to_best, Hit, Matcher, Rank, Ranking, Subject};
use crate::pattern::{PatternReader, Verdict};
use crate::target::{Target, ROBOTS_TXT};
use crate::token::{check_product_token, select, select_named, select_wildcard, Selection};

/// Bytes of a file above which rules are never compiled: their normal forms, up to six times as
/// long, are counted in 32 bits.
const MOST_COMPILED: usize = 1 << 29;

/// Compiling a few rules costs as much as this many walks over them.
const WALKS: u32 = 8;
/// More rules than these are compiled for the second question.
const FEW_RULES: usize = 64;
/// The steps to walk past a rule.
const STEPS_TO_WALK_BY: u64 = 8;

/// The rules that apply to one crawler, with their file (RFC 9309 section 2.2.1).
///
/// Other methods return what records say to the crawler: pace, hours, and the use of content.
#[derive(Debug)]
pub struct Agent {
    file: File,
    selection: Selection,
    patterns: PatternReader,
    ranking: Ranking,
    robots_txt_allowed: bool,
    asked: AtomicU32,
    matcher: OnceLock<Matcher>,
}

impl File {
    /// The rules of the crawler with these product tokens, which the dialect combines or prefers in
    /// their order; without a token, those of crawlers that no group names (RFC 9309 section 2.2.1).
    ///
    /// Fails if a text cannot be a product token in the file's dialect.
    pub fn agent<T: AsRef<[u8]>>(&self, tokens: &[T]) -> Result<Agent, InvalidProductToken> {
        tokens.iter().try_for_each(|token| check_product_token(token.as_ref(), self.dialect()))?;
        Ok(self.agent_of_checked(tokens))
    }

    /// The rules of the crawler with product tokens that were [checked](check_product_token)
    /// before: for one crawler in many files, its tokens are checked once.
    pub fn agent_of_checked<T: AsRef<[u8]>>(&self, tokens: &[T]) -> Agent {
        Agent::new(self, self.selection_of(tokens))
    }

    fn selection_of<T: AsRef<[u8]>>(&self, tokens: &[T]) -> Selection {
        let tokens: Vec<&[u8]> = tokens.iter().map(AsRef::as_ref).collect();
        select(self.bytes(), self.groups(), &tokens, self.dialect())
    }

    /// The rules of a crawler that may follow the groups of others; all tokens were
    /// [checked](check_product_token) before.
    #[doc(hidden)]
    pub fn agent_following<T, F>(&self, tokens: &[T], binding: &Binding<F>) -> Agent
    where
        T: AsRef<[u8]>,
        F: AsRef<[u8]>,
    {
        self.agent_and_followed(tokens, binding).0
    }

    /// The same, with the other crawler whose groups these are, if no group names this one.
    pub(crate) fn agent_and_followed<'b, T, F>(
        &self,
        tokens: &[T],
        binding: &'b Binding<F>,
    ) -> (Agent, Option<&'b F>)
    where
        T: AsRef<[u8]>,
        F: AsRef<[u8]>,
    {
        let own = self.selection_of(tokens);
        let (own, star) = if own.named { (Some((own, None)), None) } else { (None, Some(own)) };
        let of = |token: &'b F| {
            let found = self.selection_of(&[token]);
            found.named.then_some((found, Some(token)))
        };
        let (selection, whom) = match binding.followed(own, of) {
            Followed::Named(named) => named,
            Followed::Star => (star.unwrap_or_default(), None),
            Followed::Nobody => (Selection::default(), None),
        };
        (Agent::new(self, selection), whom)
    }

    /// No rules: those of a crawler that follows no groups.
    pub fn agent_without_groups(&self) -> Agent {
        Agent::new(self, Selection::default())
    }

    /// The rules of crawlers that no group names.
    pub fn wildcard_agent(&self) -> Agent {
        Agent::new(self, select_wildcard(self.bytes(), self.groups(), self.dialect()))
    }
}

impl Agent {
    /// Prepare the rules of the selected groups.
    pub(crate) fn new(file: &File, selection: Selection) -> Self {
        let dialect = file.dialect();
        Agent {
            file: file.clone(),
            selection,
            patterns: PatternReader::new(dialect),
            ranking: Ranking::new(dialect),
            robots_txt_allowed: dialect.robots_txt_allowed,
            asked: AtomicU32::new(0),
            matcher: OnceLock::new(),
        }
    }

    /// The file.
    #[inline]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Which of several product tokens of a crawler a group names; none for a group of `*`.
    pub fn token_of_group<T: AsRef<[u8]>>(&self, group: usize, tokens: &[T]) -> Option<usize> {
        let (bytes, groups) = (self.file.bytes(), self.file.groups());
        tokens.iter().position(|token| {
            let named = select_named(bytes, groups, token.as_ref(), self.file.dialect());
            named.is_some_and(|named| named.groups.contains(&(group as u32)))
        })
    }

    /// The groups that the crawler follows.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Decide one URL, or a path that begins with `/` (RFC 9309 section 2.2.2).
    ///
    /// Fails if the text is neither, unless the dialect accepts any text. The authority is not
    /// compared with anything: a [`Scope`](crate::Scope) does that.
    pub fn decide(&self, url: &[u8]) -> Result<Outcome, InvalidTarget> {
        Ok(self.check(&self.file.target(url)?))
    }

    /// Decide one target, which [`File::target`] makes of a URL.
    ///
    /// The rules are compiled when they have been used often enough for that to pay.
    #[inline]
    pub fn check(&self, target: &Target) -> Outcome {
        self.check_by(target.bytes(), |subject| {
            if let Some(matcher) = self.matcher.get() {
                matcher.best(self.file.bytes(), subject)
            } else if self.file.bytes().len() > MOST_COMPILED {
                self.walk_to_best(subject)
            } else if self.is_worth_compiling() {
                self.compiled().best(self.file.bytes(), subject)
            } else {
                self.walk_to_best(subject)
            }
        })
    }

    /// The rule that decided, if one did. Panics for an outcome of another file whose rule this
    /// file does not have.
    pub fn rule(&self, outcome: &Outcome) -> Option<Rule> {
        outcome.rule.map(|rule| self.file.groups().rules()[rule as usize])
    }

    /// Decide one target without compiling anything: for tests and measurements, which hold it equal
    /// to [`Agent::check`].
    #[doc(hidden)]
    pub fn check_by_walk(&self, target: &[u8]) -> Outcome {
        self.check_by(target, |subject| self.walk_to_best(subject))
    }

    /// Decide one target with the compiled rules: also for tests and measurements.
    #[doc(hidden)]
    pub fn check_compiled(&self, target: &[u8]) -> Outcome {
        self.check_by(target, |subject| self.compiled().best(self.file.bytes(), subject))
    }

    #[inline]
    fn check_by(&self, target: &[u8], best: impl FnOnce(&Subject) -> Option<Hit>) -> Outcome {
        if self.file.extent().cut == Cut::Everything {
            return Outcome::open(Reason::FileOverLimit);
        }
        if self.is_exempt(target) {
            return Outcome::open(Reason::RobotsTxtItself);
        }
        self.outcome(best(&Subject::new(target)))
    }

    /// The answer of a rule, or of no matching rule.
    #[inline]
    pub(crate) fn outcome(&self, best: Option<Hit>) -> Outcome {
        if self.file.extent().cut == Cut::Everything {
            return Outcome::open(Reason::FileOverLimit);
        }
        match best {
            Some(hit) => self.outcome_of(hit),
            None => Outcome::open(self.reason_without_rule()),
        }
    }

    /// Whether a target may be fetched whatever the rules say.
    #[inline]
    pub(crate) fn is_exempt(&self, target: &[u8]) -> bool {
        self.robots_txt_allowed && target == ROBOTS_TXT
    }

    /// The rule that decides a target by its rank, which charges its steps; once the budget is
    /// spent, the result is not the answer.
    pub(crate) fn best_within(&self, target: &[u8], budget: &Budget) -> Option<(Rank, Hit)> {
        if self.file.bytes().len() > MOST_COMPILED {
            budget.take(u64::MAX);
            return None;
        }
        let subject = Subject::new(target);
        // The rules of thousands of groups are counted for the first questions alone.
        if self.matcher.get().is_none() {
            let steps = self.number_of_rules() as u64 * (STEPS_TO_WALK_BY + target.len() as u64);
            if steps <= budget.left() / 16 && !self.is_worth_compiling() {
                budget.take(steps);
                return self.ranked_by_walk(&subject);
            }
        }
        let hit = self.compiled().best_within(self.file.bytes(), &subject, budget)?;
        Some((self.rank(hit.rule, &subject)?, hit))
    }

    /// The best rank of the patterns of one rule that match.
    fn rank(&self, rule: u32, subject: &Subject) -> Option<Rank> {
        let rules = std::iter::once((rule, self.file.groups().rules()[rule as usize]));
        let best = walk_to_best(self.file.bytes(), rules, &self.patterns, self.ranking, subject);
        best.map(|(rank, _)| rank)
    }

    /// How this crawler's patterns are ranked.
    pub(crate) fn ranking(&self) -> Ranking {
        self.ranking
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

    fn reason_without_rule(&self) -> Reason {
        if self.selection.groups.is_empty() {
            Reason::NoGroup
        } else if self.rules().next().is_none() {
            Reason::GroupWithoutRules
        } else {
            Reason::NoMatchingRule
        }
    }

    /// The rules that apply to the crawler, in file order, with their indices.
    pub fn rules(&self) -> impl Iterator<Item = (u32, Rule)> + '_ {
        rules_of(self.file.groups(), &self.selection.groups)
    }

    /// Every rule that matches a target, in file order, as indices into
    /// [`Groups::rules`](crate::Groups::rules).
    pub fn matching(&self, target: &Target) -> Vec<u32> {
        let subject = Subject::new(target.bytes());
        let mut found: Vec<u32> = Vec::new();
        walk(self.file.bytes(), self.rules(), &self.patterns, &subject, |index, _, pattern| {
            if pattern.verdict != Verdict::Silent && found.last() != Some(&index) {
                found.push(index);
            }
        });
        found
    }

    /// How one rule of the crawler matches a target; none if it does not.
    ///
    /// rule: an index into [`Groups::rules`](crate::Groups::rules), as [`Outcome::rule`] has it.
    pub fn match_of(&self, rule: u32, target: &Target) -> Option<Match> {
        let rule = self.file.groups().rules()[rule as usize];
        match_of(self.file.bytes(), rule, &self.patterns, &Subject::new(target.bytes()))
    }

    /// How this crawler's patterns are read.
    pub(crate) fn patterns(&self) -> &PatternReader {
        &self.patterns
    }

    #[inline]
    fn walk_to_best(&self, subject: &Subject) -> Option<Hit> {
        self.ranked_by_walk(subject).map(|(_, hit)| hit)
    }

    #[inline]
    fn ranked_by_walk(&self, subject: &Subject) -> Option<(Rank, Hit)> {
        walk_to_best(self.file.bytes(), self.rules(), &self.patterns, self.ranking, subject)
    }

    /// Count a question; return whether further ones would pay for an index.
    fn is_worth_compiling(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        asked >= WALKS || asked > 0 && self.number_of_rules() > FEW_RULES
    }

    fn number_of_rules(&self) -> usize {
        let groups = self.selection.groups.iter();
        groups.map(|group| self.file.groups().rule_range(*group as usize).len()).sum()
    }

    fn compiled(&self) -> &Matcher {
        self.matcher.get_or_init(|| {
            Matcher::new(self.file.bytes(), self.rules(), &self.patterns, self.ranking)
        })
    }
}
