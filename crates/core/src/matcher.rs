//! The matcher: which rule decides a target.
//!
//! In: the rules of the groups that a crawler follows. Out: the one that decides, if any. RFC 9309
//! section 2.2.2. Two ways lead to the same rule: [`walk`] compares the rules in file order, which
//! is quickest for a single question; a [`Matcher`] compiles them once, sorted so that the first
//! match decides, and indexes them by their literal prefixes if there are many. Both rank rules by
//! [`Rank`], and neither reads a knob while it matches. Folded patterns have an index of their own,
//! which is used only for targets that may match them.

use std::cell::OnceCell;

use memchr::memchr;

use crate::budget::Budget;
use crate::dialect::{Dialect, Precedence, Tie};
use crate::fold::Reserved;
use crate::grams::{longest_piece, Grams};
use crate::group::{Groups, Rule};
use crate::index::{Prefix, PrefixIndex, UseAs};
use crate::line::Span;
use crate::pattern::{matches, matches_within, Pattern, PatternReader, Verdict};
use crate::sort::sort_by_text;

/// The deciding rule and what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Index into [`Groups::rules`].
    pub rule: u32,
    /// The verdict of its pattern.
    pub verdict: Verdict,
}

/// Which of several matching rules decides: the smaller rank.
#[derive(Clone, Copy, Debug)]
pub struct Ranking {
    precedence: Precedence,
    tie: Tie,
}

/// Longer patterns first, then the verdict that wins a tie, then the order of the file; rules that
/// say nothing last. One number, so that ranks are compared in one step.
pub type Rank = u128;

impl Ranking {
    /// Take the knobs from a dialect.
    pub fn new(dialect: &Dialect) -> Self {
        Ranking { precedence: dialect.precedence, tie: dialect.tie }
    }

    /// The rank of a pattern of the rule with this index and verdict.
    #[inline]
    pub fn rank(self, pattern: &Pattern, is_allow: bool, rule: u32) -> Rank {
        let &Pattern { length, verdict, .. } = pattern;
        let allows = match verdict {
            Verdict::Allow => true,
            Verdict::Disallow => false,
            Verdict::Silent => is_allow,
        };
        let is_silent = verdict == Verdict::Silent;
        let (length, loses_tie) = match self.precedence {
            Precedence::First => (0, is_silent && !allows),
            Precedence::Longest => (length, allows == (self.tie == Tie::Disallow)),
        };
        let specificity = (is_silent as u128) << 64 | (!length as u128) << 32;
        (specificity | loses_tie as u128) << 32 | rule as u128
    }

    /// Whether the first match in file order decides.
    pub fn is_first(self) -> bool {
        self.precedence == Precedence::First
    }
}

/// A target, and its folded forms once a rule asks for them.
pub struct Subject<'t> {
    bytes: &'t [u8],
    reserved: OnceCell<Reserved>,
    folded: [OnceCell<Vec<u8>>; 2],
}

impl<'t> Subject<'t> {
    /// Prepare a target for comparison.
    #[inline]
    pub fn new(bytes: &'t [u8]) -> Self {
        let folded = [const { OnceCell::new() }; 2];
        Subject { bytes, reserved: OnceCell::new(), folded }
    }

    /// The target, not folded.
    pub fn bytes(&self) -> &'t [u8] {
        self.bytes
    }

    /// Which folded bytes it contains.
    fn reserved(&self) -> Reserved {
        *self.reserved.get_or_init(|| Reserved::of_target(self.bytes))
    }

    /// The folded target, if a pattern with these bytes may match only that.
    pub fn folded(&self, of_pattern: Reserved) -> Option<&[u8]> {
        if !of_pattern.may_meet_any(self.bytes) || !of_pattern.may_meet(self.reserved()) {
            return None;
        }
        let fold = of_pattern.fold();
        Some(self.folded[fold as usize].get_or_init(|| fold.apply(self.bytes)))
    }

    /// Whether a pattern matches.
    #[inline]
    pub fn matches(&self, pattern: &Pattern) -> bool {
        matches(&pattern.text, pattern.wild, pattern.anchored, self.bytes)
            || pattern.folds && !self.reserved().is_empty() && self.matches_folded(pattern)
    }

    fn matches_folded(&self, pattern: &Pattern) -> bool {
        self.folded(pattern.reserved())
            .zip(pattern.folded())
            .is_some_and(|(target, text)| matches(&text, pattern.wild, pattern.anchored, target))
    }
}

/// Hand out every pattern that matches, in file order, with its rule.
#[inline]
pub fn walk<'o>(
    bytes: &'o [u8],
    rules: impl Iterator<Item = (u32, Rule)>,
    reader: &PatternReader,
    subject: &Subject,
    mut take: impl FnMut(u32, Rule, Pattern<'o>),
) {
    for (index, rule) in rules {
        let value = rule.value().of(bytes);
        if reader.rules_out(value, rule.is_allow(), subject.bytes) {
            continue;
        }
        reader.each(value, rule.is_allow(), |pattern| {
            if subject.matches(&pattern) {
                take(index, rule, pattern);
            }
        });
    }
}

/// The rule that decides and its rank, found by a [`walk`].
#[inline]
pub fn walk_to_best(
    bytes: &[u8],
    rules: impl Iterator<Item = (u32, Rule)>,
    reader: &PatternReader,
    ranking: Ranking,
    subject: &Subject,
) -> Option<(Rank, Hit)> {
    let mut best: Option<(Rank, Hit)> = None;
    walk(bytes, rules, reader, subject, |index, rule, pattern| {
        let rank = ranking.rank(&pattern, rule.is_allow(), index);
        if best.is_none_or(|(other, _)| rank < other) {
            best = Some((rank, Hit { rule: index, verdict: pattern.verdict }));
        }
    });
    best
}

/// The rules of one crawler, compiled. Every call passes the bytes of its file: patterns that are
/// in normal form there are not copied.
#[derive(Clone, Debug)]
pub struct Matcher {
    /// Texts that are not in the file.
    changed: Vec<u8>,
    plain: Compiled,
    /// By the fold.
    folded: [Option<Box<Folded>>; 2],
}

/// The patterns of one fold that may match a folded target without matching the target itself.
#[derive(Clone, Debug)]
struct Folded {
    /// What any of them is folded for.
    reserved: Reserved,
    patterns: Compiled,
    /// The place of each among the plain ones.
    orders: Vec<u32>,
}

/// One pattern. Sixteen bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    text: Text,
    rule: u32,
    verdict: Verdict,
    wild: bool,
    anchored: bool,
}

/// Where the text of a pattern is: in the file, or among the changed texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Text {
    start: u32,
    len_and_place: u32,
}

const CHANGED: u32 = 1 << 31;

/// Where texts are.
#[derive(Clone, Copy)]
struct Texts<'t> {
    file: &'t [u8],
    changed: &'t [u8],
}

impl<'t> Texts<'t> {
    #[inline]
    fn of(self, entry: &Entry) -> &'t [u8] {
        let Text { start, len_and_place } = entry.text;
        let bytes = if len_and_place & CHANGED == 0 { self.file } else { self.changed };
        &bytes[start as usize..(start + (len_and_place & !CHANGED)) as usize]
    }
}

impl Matcher {
    /// Compile rules.
    pub fn new(
        bytes: &[u8],
        rules: impl Iterator<Item = (u32, Rule)>,
        reader: &PatternReader,
        ranking: Ranking,
    ) -> Self {
        let mut making =
            Making { plain: Vec::with_capacity(rules.size_hint().0), ..Making::default() };
        for (index, rule) in rules {
            let value = rule.value();
            reader.each(value.of(bytes), rule.is_allow(), |pattern| {
                let rank = ranking.rank(&pattern, rule.is_allow(), index);
                making.push(bytes, value, index, rank, &pattern);
            });
        }
        making.finish(bytes)
    }

    /// The rule that decides; `bytes` are those of the file.
    #[inline]
    pub fn best(&self, bytes: &[u8], subject: &Subject) -> Option<Hit> {
        self.best_by(bytes, subject, matches)
    }

    /// As [`Matcher::best`], and charges its steps; once the budget is spent, the result is not the
    /// answer.
    pub fn best_within(&self, bytes: &[u8], subject: &Subject, budget: &Budget) -> Option<Hit> {
        budget.take(2 * subject.bytes().len() as u64);
        self.best_by(bytes, subject, |text, wild, anchored, target| {
            budget.is_spent() || matches_within(text, wild, anchored, target, budget)
        })
    }

    #[inline]
    fn best_by(
        &self,
        bytes: &[u8],
        subject: &Subject,
        matches: impl Fn(&[u8], bool, bool, &[u8]) -> bool,
    ) -> Option<Hit> {
        let texts = Texts { file: bytes, changed: &self.changed };
        let mut best = self.plain.best(texts, subject.bytes(), &matches);
        if self.folded.iter().any(Option::is_some) {
            best = self.best_folded(texts, subject, best, &matches);
        }
        let entry = self.plain.entries.get(best as usize)?;
        Some(Hit { rule: entry.rule, verdict: entry.verdict })
    }

    /// The best of the folded patterns, if it is before the best of the others.
    #[inline(never)]
    fn best_folded(
        &self,
        texts: Texts,
        subject: &Subject,
        mut best: u32,
        matches: impl Fn(&[u8], bool, bool, &[u8]) -> bool,
    ) -> u32 {
        for folded in self.folded.iter().flatten() {
            let may_be_better = folded.orders.first().is_some_and(|first| *first < best);
            if !may_be_better {
                continue;
            }
            if let Some(target) = subject.folded(folded.reserved) {
                let found = folded.patterns.best(texts, target, &matches);
                best = folded.orders.get(found as usize).map_or(best, |order| best.min(*order));
            }
        }
        best
    }
}

/// A matcher before its patterns are sorted.
#[derive(Default)]
struct Making {
    changed: Vec<u8>,
    plain: Vec<(Rank, Entry)>,
    folded: [FoldedMaking; 2],
}

#[derive(Default)]
struct FoldedMaking {
    reserved: Option<Reserved>,
    patterns: Vec<(Rank, Entry)>,
}

impl Making {
    #[inline]
    fn push(&mut self, bytes: &[u8], value: Span, rule: u32, rank: Rank, pattern: &Pattern) {
        let &Pattern { verdict, wild, anchored, .. } = pattern;
        let text = match value.of(bytes).starts_with(&pattern.text) {
            true => Text { start: value.start, len_and_place: pattern.text.len() as u32 },
            false => self.keep(&pattern.text),
        };
        let entry = Entry { text, rule, verdict, wild, anchored };
        self.plain.push((rank, entry));
        let reserved = pattern.reserved();
        if !reserved.is_empty() {
            self.push_folded(rank, entry, reserved, &pattern.text);
        }
    }

    fn push_folded(&mut self, rank: Rank, plain: Entry, reserved: Reserved, text: &[u8]) {
        let text = match reserved.is_changed() {
            true => self.keep(&reserved.fold().apply(text)),
            false => plain.text,
        };
        let folded = &mut self.folded[reserved.fold() as usize];
        folded.reserved = Some(folded.reserved.map_or(reserved, |others| others.and(reserved)));
        folded.patterns.push((rank, Entry { text, ..plain }));
    }

    fn keep(&mut self, text: &[u8]) -> Text {
        let start = self.changed.len() as u32;
        self.changed.extend_from_slice(text);
        Text { start, len_and_place: text.len() as u32 | CHANGED }
    }

    fn finish(mut self, file: &[u8]) -> Matcher {
        self.changed.shrink_to_fit();
        self.plain.sort_unstable_by_key(|(rank, _)| *rank);
        let texts = Texts { file, changed: &self.changed };
        let folded = self.folded.map(|folded| folded.finish(&self.plain, texts));
        let plain = Compiled::new(self.plain.iter().map(|(_, entry)| *entry).collect(), texts);
        Matcher { plain, folded, changed: self.changed }
    }
}

impl FoldedMaking {
    fn finish(mut self, plain: &[(Rank, Entry)], texts: Texts) -> Option<Box<Folded>> {
        let reserved = self.reserved?;
        self.patterns.sort_unstable_by_key(|(rank, _)| *rank);
        let order_of = |rank| plain.partition_point(|(other, _)| other < rank) as u32;
        let orders = self.patterns.iter().map(|(rank, _)| order_of(rank)).collect();
        let entries = self.patterns.iter().map(|(_, entry)| *entry).collect();
        Some(Box::new(Folded { reserved, patterns: Compiled::new(entries, texts), orders }))
    }
}

/// Patterns that are compared with one form of the target; the first that matches decides.
#[derive(Clone, Debug)]
struct Compiled {
    entries: Vec<Entry>,
    prefixes: PrefixIndex,
    /// Patterns with wildcards that begin like many others, by bytes within; those that have no
    /// four in a row, by two.
    by_four: Option<Box<Grams<4>>>,
    by_two: Option<Box<Grams<2>>>,
}

/// This many patterns with wildcards and the same prefix are tried one by one: reading the target
/// for their grams costs as much.
const MOST_CANDIDATES: usize = 1;

/// Up to this many patterns with pieces of four bytes are filed under two bytes, which distinguish
/// so few; otherwise the target would be read at every place for the longer ones.
const MOST_SHORT: usize = 64;

impl Compiled {
    fn new(entries: Vec<Entry>, texts: Texts) -> Self {
        let view = View::new(&entries, texts);
        let (mut indexed, mut by_four, mut by_two) = (view.sorted(), Vec::new(), Vec::new());
        view.take_wild_ones(&mut indexed, &mut by_four, &mut by_two);
        let prefixes = PrefixIndex::new(&indexed, |number| view.prefix(number));
        let text = |number| view.texts.of(view.entry(number));
        let by_four = (!by_four.is_empty()).then(|| Box::new(Grams::new(by_four, text)));
        let by_two = (!by_two.is_empty()).then(|| Box::new(Grams::new(by_two, text)));
        Compiled { prefixes, by_four, by_two, entries }
    }

    /// The number of the first entry that matches, or [`NONE`].
    #[inline]
    fn best(
        &self,
        texts: Texts,
        target: &[u8],
        matches: impl Fn(&[u8], bool, bool, &[u8]) -> bool,
    ) -> u32 {
        let bytes = |number: u32| texts.of(&self.entries[number as usize]);
        let matches = |number: u32| {
            let entry = &self.entries[number as usize];
            matches(texts.of(entry), entry.wild, entry.anchored, target)
        };
        let mut best = self.prefixes.best(target, bytes, matches);
        if let Some(grams) = &self.by_four {
            best = grams.best(target, best, matches);
        }
        if let Some(grams) = &self.by_two {
            best = grams.best(target, best, matches);
        }
        best
    }
}

/// Entries, while they are compiled.
struct View<'t> {
    entries: &'t [Entry],
    texts: Texts<'t>,
    /// How many bytes every target of an entry begins with.
    prefix_lens: Vec<u32>,
}

impl<'t> View<'t> {
    fn new(entries: &'t [Entry], texts: Texts<'t>) -> Self {
        let prefix_len = |entry: &Entry| {
            let text = texts.of(entry);
            let star = if entry.wild { memchr(b'*', text) } else { None };
            star.unwrap_or(text.len()) as u32
        };
        View { entries, texts, prefix_lens: entries.iter().map(prefix_len).collect() }
    }

    fn entry(&self, number: u32) -> &'t Entry {
        &self.entries[number as usize]
    }

    fn parts(&self, number: u32) -> (&'t [u8], &'t [u8]) {
        self.texts.of(self.entry(number)).split_at(self.prefix_lens[number as usize] as usize)
    }

    fn prefix(&self, number: u32) -> Prefix<'t> {
        let entry = self.entry(number);
        let settles = !entry.wild && !entry.anchored;
        let use_as = if settles { UseAs::Settles } else { UseAs::Candidate };
        Prefix { bytes: self.parts(number).0, use_as }
    }

    /// The numbers by prefix, except those that an equal pattern precedes.
    fn sorted(&self) -> Vec<u32> {
        let mut sorted: Vec<u32> = (0..self.entries.len() as u32).collect();
        sort_by_text(&mut sorted, |number| self.parts(number).0);
        for same in sorted.chunk_by_mut(|a, b| self.parts(*a).0 == self.parts(*b).0) {
            if same.len() > 1 {
                sort_by_text(same, |number| self.parts(number).1);
            }
        }
        sorted.dedup_by(|number, before| {
            self.entry(*number).anchored == self.entry(*before).anchored
                && self.parts(*number) == self.parts(*before)
        });
        sorted
    }

    /// Remove those that can be found by their grams, if several have the same prefix.
    fn take_wild_ones(&self, sorted: &mut Vec<u32>, by_four: &mut Vec<u32>, by_two: &mut Vec<u32>) {
        if !self.entries.iter().any(|entry| entry.wild) {
            return;
        }
        let mut kept = Vec::with_capacity(sorted.len());
        let mut taken = Vec::new();
        for same in sorted.chunk_by(|a, b| self.parts(*a).0 == self.parts(*b).0) {
            let is_wild = |number: &&u32| self.entry(**number).wild;
            if same.iter().filter(is_wild).count() <= MOST_CANDIDATES {
                kept.extend_from_slice(same);
                continue;
            }
            for number in same.iter().copied() {
                match longest_piece(self.texts.of(self.entry(number))) {
                    0 | 1 => kept.push(number),
                    longest => taken.push((number, longest)),
                }
            }
        }
        *sorted = kept;
        let is_short = |longest: usize| longest < Grams::<4>::TWO;
        let short = taken.iter().filter(|(_, longest)| is_short(*longest)).count();
        for (number, longest) in taken {
            match longest < 4 || is_short(longest) && short <= MOST_SHORT {
                true => by_two.push(number),
                false => by_four.push(number),
            }
        }
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
    use crate::numbers::Numbers;
    use crate::target::TargetReader;

    fn text(next: &mut impl FnMut(usize) -> usize, parts: &[&str]) -> String {
        (0..next(7)).fold("/".to_string(), |text, _| text + parts[next(parts.len())])
    }

    #[test]
    fn the_matcher_and_the_walk_find_the_same_rule() {
        let mut numbers = Numbers(9309);
        let mut next = |below| numbers.below(below);
        let rule_parts = "a b / * ? $ %3A : index.htm ab ( %28 %2F 3A shop";
        let rule_parts: Vec<&str> = rule_parts.split(' ').collect();
        let target_parts = "a b / ? : %3a ab $ * ( %28 %2f shop";
        let target_parts: Vec<&str> = target_parts.split(' ').collect();
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
            let matcher = Matcher::new(file.as_bytes(), rules(), &reader, ranking);
            for _ in 0..30 {
                let url = text(&mut next, &target_parts);
                let target = TargetReader::new(dialect).read(url.as_bytes()).unwrap();
                let subject = Subject::new(target.bytes());
                let walked = walk_to_best(file.as_bytes(), rules(), &reader, ranking, &subject);
                let walked = walked.map(|(_, hit)| hit);
                found += walked.is_some() as usize;

                let found = matcher.best(file.as_bytes(), &subject);
                assert_eq!(found, walked, "{} {url} {file}", dialect.name);
            }
        }
        assert!(found > 4_000, "{found} of 12,000 questions were decided by a rule");
    }
}
