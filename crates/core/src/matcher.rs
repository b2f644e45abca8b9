//! The matcher: which rule decides a target.
//!
//! In: the rules of the groups that bind a crawler. Out: the one that decides, if any. RFC 9309
//! section 2.2.2. Two ways lead to the same rule: [`walk`] compares the rules as they stand in
//! the file, which is quickest for a single question; a [`Matcher`] compiles them once, sorted so
//! that the first match decides, and indexes them by their literal prefixes where there are many. Both rank rules by [`Rank`], and neither reads a knob while it
//! matches.

use std::cell::OnceCell;
use std::cmp::Reverse;

use crate::dialect::{Dialect, Precedence, Tie};
use crate::filter::{Filter, Head, PairSet};
use crate::group::{Groups, Rule};
use crate::index::{Prefix, PrefixIndex};
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

/// Entries above which the index pays: with fewer, looking at each one's first octets is quicker.
const MOST_SCANNED: usize = 64;

/// The rules of one crawler, compiled: the first entry that matches decides.
#[derive(Clone, Debug)]
pub struct Matcher {
    octets: Vec<u8>,
    folded: Vec<Text>,
    entries: Vec<Entry>,
    index: Option<PrefixIndex>,
}

impl Matcher {
    /// Compile rules.
    pub fn new(
        octets: &[u8],
        rules: impl Iterator<Item = (u32, Rule)>,
        reader: &PatternReader,
        ranking: Ranking,
    ) -> Self {
        let mut matcher =
            Matcher { octets: Vec::new(), folded: Vec::new(), entries: Vec::new(), index: None };
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
        if matcher.entries.len() > MOST_SCANNED {
            matcher.index = Some(matcher.indexed());
        }
        matcher
    }

    fn indexed(&self) -> PrefixIndex {
        let prefixes: Vec<Prefix> = self.entries.iter().map(|entry| self.prefix(entry)).collect();
        PrefixIndex::new(&self.octets, &prefixes)
    }

    /// The octets that every target of an entry begins with.
    fn prefix(&self, entry: &Entry) -> Prefix {
        // Behind a `?` a folded pattern matches targets that are written otherwise.
        let ends = |o: &u8| entry.wild && *o == b'*' || entry.folded != 0 && *o == b'?';
        let text = self.text(entry.text);
        let len = text.iter().position(ends);
        Prefix {
            start: entry.text.start,
            end: entry.text.start + len.unwrap_or(text.len()) as u32,
            is_all: len.is_none() && !entry.anchored,
        }
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
        let found = match &self.index {
            Some(index) => {
                let matches =
                    |number: u32| self.is_open_hit(&self.entries[number as usize], subject);
                let number = index.best(&self.octets, subject.octets, matches)?;
                self.entries.get(number as usize)
            }
            None => {
                let begins = |entry: &&Entry| entry.filter.begins(subject.head);
                self.entries.iter().filter(begins).find(|entry| self.is_open_hit(entry, subject))
            }
        };
        found.map(|entry| entry.hit)
    }

    /// Whether an entry matches a target whose first octets do not rule it out.
    #[inline]
    fn is_open_hit(&self, entry: &Entry, subject: &Subject) -> bool {
        let may_hit = !entry.wild || entry.filter.is_within(subject.pairs());
        may_hit && self.is_hit(entry, subject)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DIALECTS;
    use crate::target::TargetReader;

    /// Numbers that look random and are the same in every run.
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut state = 9_309_u64;
        move |below| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        }
    }

    fn text(next: &mut impl FnMut(usize) -> usize, parts: &[&str]) -> String {
        (0..next(7)).fold("/".to_string(), |text, _| text + parts[next(parts.len())])
    }

    #[test]
    fn scan_and_index_and_walk_find_the_same_rule() {
        let mut next = numbers();
        let rule_parts = ["a", "b", "/", "*", "?", "$", "%3A", ":", "index.htm", "ab"];
        let target_parts = ["a", "b", "/", "?", ":", "%3a", "ab", "$", "*"];
        let mut found = 0;
        for round in 0..400 {
            let dialect = &DIALECTS[round % DIALECTS.len()];
            let mut file = "User-agent: *\n".to_string();
            for _ in 0..next(90) {
                let key = ["Allow", "Disallow"][next(2)];
                file += &format!("{key}: {}\n", text(&mut next, &rule_parts));
            }
            let (groups, _) = Groups::read(file.as_bytes(), dialect);
            let all: Vec<u32> = (0..groups.len() as u32).collect();
            let (reader, ranking) = (PatternReader::new(dialect), Ranking::new(dialect));
            let rules = || rules_of(&groups, &all);
            let mut scan = Matcher::new(file.as_bytes(), rules(), &reader, ranking);
            scan.index = None;
            let index = Matcher { index: Some(scan.indexed()), ..scan.clone() };
            for _ in 0..30 {
                let url = text(&mut next, &target_parts);
                let target = TargetReader::new(dialect).read(url.as_bytes()).unwrap();
                let subject = Subject::new(target.octets());
                let walked = walk_to_best(file.as_bytes(), rules(), &reader, ranking, &subject);
                found += walked.is_some() as usize;

                assert_eq!(scan.best(&subject), walked, "{} {url} {file}", dialect.name);
                assert_eq!(index.best(&subject), walked, "{} {url} {file}", dialect.name);
            }
        }
        assert!(found > 4_000, "{found} of 12,000 questions were decided by a rule");
    }
}
