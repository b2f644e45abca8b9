//! The matcher: which rule decides a target.
//!
//! In: the rules of the groups that bind a crawler. Out: the one that decides, if any. RFC 9309
//! section 2.2.2. Two ways lead to the same rule: [`walk`] compares the rules as they stand in
//! the file, which is quickest for a single question; a [`Matcher`] compiles them once, sorted so
//! that the first match decides. Both rank rules by [`Rank`], and neither reads a knob while it
//! matches.

use std::cell::OnceCell;
use std::cmp::Reverse;

use crate::dialect::{Dialect, Precedence, Tie};
use crate::filter::{Filter, Head, PairSet};
use crate::group::{Groups, Rule};
use crate::pattern::{matches, Pattern, PatternReader, Verdict};
use crate::percent::fold;

/// The deciding rule and what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Index into [`Groups::rules`].
    pub rule: u32,
    /// What its pattern says.
    pub verdict: Verdict,
}

/// Which of several matching rules decides: the smaller rank.
#[derive(Clone, Copy, Debug)]
pub struct Ranking {
    precedence: Precedence,
    tie: Tie,
}

/// What says nothing last; longer patterns first, then the verdict that wins a tie, then the order
/// of the file.
type Rank = (bool, Reverse<u32>, bool, u32);

impl Ranking {
    /// Take the knobs from a dialect.
    pub fn new(dialect: &Dialect) -> Self {
        Ranking { precedence: dialect.precedence, tie: dialect.tie }
    }

    fn rank(self, length: u32, verdict: Verdict, silent_allow: bool, rule: u32) -> Rank {
        let allows = match verdict {
            Verdict::Allow => true,
            Verdict::Disallow => false,
            Verdict::Silent => silent_allow,
        };
        let is_silent = verdict == Verdict::Silent;
        match self.precedence {
            Precedence::First => (is_silent, Reverse(0), is_silent && !allows, rule),
            Precedence::Longest => {
                (is_silent, Reverse(length), allows == (self.tie == Tie::Disallow), rule)
            }
        }
    }

    /// Whether the first match in file order decides.
    pub fn is_first(self) -> bool {
        self.precedence == Precedence::First
    }
}

/// A target, and its folded form once a rule with a query asks for it.
pub struct Subject<'t> {
    octets: &'t [u8],
    head: Head,
    pairs: PairSet,
    folded: OnceCell<Option<Vec<u8>>>,
}

impl<'t> Subject<'t> {
    /// Prepare a target for comparison.
    pub fn new(octets: &'t [u8]) -> Self {
        Subject { octets, head: Head::new(octets), pairs: PairSet::new(), folded: OnceCell::new() }
    }

    /// The target as it is.
    pub fn octets(&self) -> &'t [u8] {
        self.octets
    }

    /// The folded target; none for one without a query, which no folded pattern matches.
    pub fn folded(&self) -> Option<&[u8]> {
        let folded = || self.octets.contains(&b'?').then(|| fold(self.octets));
        self.folded.get_or_init(folded).as_deref()
    }

    #[inline]
    fn pairs(&self) -> &PairSet {
        self.pairs.of(self.octets)
    }

    #[inline]
    fn is_hit(&self, text: &[u8], folded: Option<&[u8]>, wild: bool, anchored: bool) -> bool {
        matches(text, wild, anchored, self.octets)
            || folded.is_some_and(|text| {
                self.folded().is_some_and(|target| matches(text, wild, anchored, target))
            })
    }

    /// Whether a pattern matches.
    #[inline]
    pub fn matches(&self, pattern: &Pattern) -> bool {
        self.is_hit(&pattern.text, pattern.folded.as_deref(), pattern.wild, pattern.anchored)
    }
}

/// Hand out every pattern that matches, in file order, with its rule.
#[inline]
pub fn walk<'o>(
    octets: &'o [u8],
    rules: impl Iterator<Item = (u32, Rule)>,
    reader: &PatternReader,
    subject: &Subject,
    mut take: impl FnMut(u32, Rule, Pattern<'o>),
) {
    for (index, rule) in rules {
        let value = rule.value().of(octets);
        if reader.rules_out(value, rule.is_allow(), subject.octets) {
            continue;
        }
        reader.each(value, rule.is_allow(), |pattern| {
            if subject.matches(&pattern) {
                take(index, rule, pattern);
            }
        });
    }
}

/// The rule that decides, found by a [`walk`].
#[inline]
pub fn walk_to_best(
    octets: &[u8],
    rules: impl Iterator<Item = (u32, Rule)>,
    reader: &PatternReader,
    ranking: Ranking,
    subject: &Subject,
) -> Option<Hit> {
    let mut best: Option<(Rank, Hit)> = None;
    walk(octets, rules, reader, subject, |index, rule, pattern| {
        let rank = ranking.rank(pattern.length, pattern.verdict, rule.is_allow(), index);
        if best.is_none_or(|(other, _)| rank < other) {
            best = Some((rank, Hit { rule: index, verdict: pattern.verdict }));
        }
    });
    best.map(|(_, hit)| hit)
}

/// A range of the matcher's octets.
#[derive(Clone, Copy, Debug)]
struct Text {
    start: u32,
    len: u32,
}

#[derive(Clone, Debug)]
struct Entry {
    filter: Filter,
    text: Text,
    hit: Hit,
    /// One more than its place among the folded texts; 0 for none.
    folded: u32,
    wild: bool,
    anchored: bool,
}

/// The rules of one crawler, compiled: the first entry that matches decides.
#[derive(Clone, Debug)]
pub struct Matcher {
    octets: Vec<u8>,
    folded: Vec<Text>,
    entries: Vec<Entry>,
}

impl Matcher {
    /// Compile rules.
    pub fn new(
        octets: &[u8],
        rules: impl Iterator<Item = (u32, Rule)>,
        reader: &PatternReader,
        ranking: Ranking,
    ) -> Self {
        let mut matcher = Matcher { octets: Vec::new(), folded: Vec::new(), entries: Vec::new() };
        let mut ranks = Vec::new();
        for (index, rule) in rules {
            reader.each(rule.value().of(octets), rule.is_allow(), |pattern| {
                let rank = ranking.rank(pattern.length, pattern.verdict, rule.is_allow(), index);
                ranks.push((rank, matcher.entries.len()));
                matcher.push(index, &pattern);
            });
        }
        ranks.sort_unstable();
        matcher.entries = ranks.iter().map(|(_, at)| matcher.entries[*at].clone()).collect();
        matcher.octets.shrink_to_fit();
        matcher
    }

    fn push(&mut self, rule: u32, pattern: &Pattern) {
        let text = self.keep(&pattern.text);
        let folded = match &pattern.folded {
            Some(text) => {
                let text = self.keep(text);
                self.folded.push(text);
                self.folded.len() as u32
            }
            None => 0,
        };
        let hit = Hit { rule, verdict: pattern.verdict };
        let (filter, wild, anchored) = (Filter::new(pattern), pattern.wild, pattern.anchored);
        self.entries.push(Entry { filter, text, hit, folded, wild, anchored });
    }

    fn keep(&mut self, text: &[u8]) -> Text {
        let start = self.octets.len() as u32;
        self.octets.extend_from_slice(text);
        Text { start, len: text.len() as u32 }
    }

    fn text(&self, text: Text) -> &[u8] {
        &self.octets[text.start as usize..(text.start + text.len) as usize]
    }

    /// The rule that decides.
    #[inline]
    pub fn best(&self, subject: &Subject) -> Option<Hit> {
        let may_hit = |entry: &&Entry| {
            entry.filter.begins(subject.head)
                && (!entry.wild || entry.filter.is_within(subject.pairs()))
        };
        let mut candidates = self.entries.iter().filter(may_hit);
        candidates.find(|entry| self.is_hit(entry, subject)).map(|entry| entry.hit)
    }

    fn is_hit(&self, entry: &Entry, subject: &Subject) -> bool {
        let folded = entry.folded.checked_sub(1).map(|at| self.text(self.folded[at as usize]));
        subject.is_hit(self.text(entry.text), folded, entry.wild, entry.anchored)
    }
}

/// The rules of selected groups, with their indices.
pub fn rules_of<'g>(
    groups: &'g Groups,
    selected: &'g [u32],
) -> impl Iterator<Item = (u32, Rule)> + 'g {
    let ranges = selected.iter().map(|group| groups.rule_range(*group as usize));
    ranges.flatten().map(|index| (index as u32, groups.rules()[index]))
}
