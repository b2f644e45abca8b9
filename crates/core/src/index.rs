//! The prefix index: which patterns can match a target, by the bytes they begin with.
//!
//! In: the literal prefix of each pattern, in the order in which patterns decide. Out: for a
//! target, the best pattern that certainly matches, and the few that must be compared. Prefixes are
//! sorted, and each stores the longest other one that it begins with and the best pattern on the
//! way to it. A tree over the bytes in which neighbours differ leads to one prefix; a single
//! comparison shows how much of it the target has, and the prefixes above follow from it. A step of
//! the tree reads one byte of the target, so the cost hardly depends on the number of patterns, and
//! never exceeds the length of the target. Nothing here depends on `*` or `$`.

use std::collections::VecDeque;
use std::ops::Range;

/// No key or no pattern.
pub const NONE: u32 = u32::MAX;

/// What the index needs to know about one pattern.
#[derive(Clone, Copy, Debug)]
pub struct Prefix<'t> {
    /// The bytes that every target of it begins with.
    pub bytes: &'t [u8],
    /// What to do with it if a target has them.
    pub use_as: UseAs,
}

/// What a prefix says about its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseAs {
    /// Every target with the prefix matches.
    Settles,
    /// The pattern is compared if a target has the prefix.
    Candidate,
}

/// One prefix, of one pattern or more.
#[derive(Clone, Copy, Debug)]
struct Key {
    /// A pattern that has it, and so its bytes.
    pattern: u32,
    len: u32,
    /// The longest other prefix that this one begins with.
    parent: u32,
    /// The best pattern that matches whatever begins with this prefix.
    settled: u32,
    /// This key or the nearest above that has candidates.
    open: u32,
    /// Where its candidates end; they begin where those of the key before end.
    candidates_end: u32,
}

/// Words of a branch, a place at which the keys below differ, before its links: which byte differs,
/// with [`WIDE`] where more than eight may stand there; then those bytes, eight of them, the first
/// again in unused places, or where their places stand: the first such byte, how many follow it up to
/// the last, and where among the wide ones. One link leads to the first key below, then one for each
/// byte. All of it is contiguous, because what a step reads is seldom in a cache.
const BEFORE_LINKS: usize = 3;

const WIDE: u32 = 1 << 31;
/// Marks a link to a key; others lead to branches, by where they begin.
const TO_KEY: u32 = 1 << 31;

/// Patterns by their literal prefixes.
#[derive(Clone, Debug, Default)]
pub struct PrefixIndex {
    keys: Vec<Key>,
    candidates: Vec<u32>,
    /// The link to the first branch, and all branches; nothing if no two keys differ.
    tree: Vec<u32>,
    wide: Vec<u8>,
}

/// No place: a rule, which is on one line, has fewer bytes than this.
const NO_PLACE: u8 = u8::MAX;

impl PrefixIndex {
    /// Index patterns. Each stands at the place of its number; `sorted` holds the numbers in the
    /// order of prefixes, those of equal prefixes in any order.
    pub fn new<'t>(sorted: &[u32], prefix: impl Fn(u32) -> Prefix<'t>) -> Self {
        let mut index =
            PrefixIndex { keys: Vec::with_capacity(sorted.len()), ..PrefixIndex::default() };
        let mut shared = Vec::with_capacity(sorted.len());
        let mut before: &[u8] = b"";
        for number in sorted {
            let here = prefix(*number);
            let same = common(before, here.bytes);
            if index.keys.is_empty() || same < here.bytes.len() || same < before.len() {
                index.push(*number, here.bytes.len(), same);
                shared.push(same as u32);
            }
            index.use_last(*number, here.use_as);
            before = here.bytes;
        }
        index.sort_candidates();
        index.grow(&shared, |key| prefix(key.pattern).bytes);
        index.keys.shrink_to_fit();
        index.candidates.shrink_to_fit();
        index.tree.shrink_to_fit();
        index.wide.shrink_to_fit();
        index
    }

    /// Add the next key, which has `same` bytes of the key before.
    fn push(&mut self, pattern: u32, len: usize, same: usize) {
        // Among sorted prefixes the longest that this one begins with is the one before or above.
        let mut parent = self.keys.len().checked_sub(1).map_or(NONE, |last| last as u32);
        while self.keys.get(parent as usize).is_some_and(|key| key.len as usize > same) {
            parent = self.keys[parent as usize].parent;
        }
        let above = self.keys.get(parent as usize);
        self.keys.push(Key {
            pattern,
            len: len as u32,
            parent,
            settled: above.map_or(NONE, |key| key.settled),
            open: above.map_or(NONE, |key| key.open),
            candidates_end: self.candidates.len() as u32,
        });
    }

    fn use_last(&mut self, number: u32, use_as: UseAs) {
        let at = self.keys.len() - 1;
        let key = &mut self.keys[at];
        match use_as {
            UseAs::Settles => key.settled = key.settled.min(number),
            UseAs::Candidate => {
                self.candidates.push(number);
                key.candidates_end += 1;
                key.open = at as u32;
            }
        }
    }

    /// The best candidate of a key comes first.
    fn sort_candidates(&mut self) {
        let mut start = 0;
        for key in &self.keys {
            let end = key.candidates_end as usize;
            self.candidates[start..end].sort_unstable();
            start = end;
        }
    }

    /// Grow the tree over all keys; each shares its number of `shared` bytes with the one before.
    fn grow<'t>(&mut self, shared: &[u32], bytes: impl Fn(&Key) -> &'t [u8]) {
        if self.keys.len() < 2 {
            return;
        }
        self.tree.push(TO_KEY);
        let mut waiting = VecDeque::from([(0..self.keys.len(), 0)]);
        let (mut starts, mut choices) = (Vec::new(), Vec::new());
        while let Some((keys, link)) = waiting.pop_front() {
            if keys.len() < 2 {
                self.tree[link] = TO_KEY | keys.start as u32;
                continue;
            }
            let at = shared[keys.start + 1..keys.end].iter().copied().min().unwrap_or(0);
            starts.clear();
            if self.keys[keys.start].len > at {
                starts.push(keys.start);
            }
            starts.extend((keys.start + 1..keys.end).filter(|key| shared[*key] == at));
            choices.clear();
            choices.extend(starts.iter().map(|key| bytes(&self.keys[*key])[at as usize]));
            self.tree[link] = self.tree.len() as u32;
            let links = self.branch(at, keys.start, &choices);
            starts.push(keys.end);
            let below = starts.windows(2).map(|pair| pair[0]..pair[1]);
            waiting.extend(below.enumerate().map(|(n, keys): (_, Range<usize>)| (keys, links + n)));
        }
    }

    /// Add a branch; return where the links of its bytes begin.
    fn branch(&mut self, at: u32, first_key: usize, choices: &[u8]) -> usize {
        let mut bytes = [choices[0]; 8];
        let is_wide = choices.len() > bytes.len();
        let [low, high] = if is_wide {
            self.widen(choices)
        } else {
            bytes[..choices.len()].copy_from_slice(choices);
            let word = u64::from_le_bytes(bytes);
            [word as u32, (word >> 32) as u32]
        };
        let at = if is_wide { at | WIDE } else { at };
        self.tree.extend([at, low, high, TO_KEY | first_key as u32]);
        let links = self.tree.len();
        self.tree.resize(links + choices.len(), NONE);
        links
    }

    /// Write down the place of each byte among those of a branch, for the bytes from the first to the
    /// last of them; return what finds it.
    fn widen(&mut self, choices: &[u8]) -> [u32; 2] {
        let (start, first) = (self.wide.len(), choices[0]);
        for (choice, place) in choices.iter().zip(0..NO_PLACE) {
            self.wide.resize(start + (choice - first) as usize, NO_PLACE);
            self.wide.push(place);
        }
        let behind_first = (self.wide.len() - start - 1) as u32;
        [start as u32, behind_first << 8 | first as u32]
    }

    /// The first pattern in order that matches a target, where `bytes` gives the bytes that a
    /// pattern begins with, and `matches` looks at a pattern that needs more than its prefix.
    #[inline]
    pub fn best<'t>(
        &self,
        target: &[u8],
        bytes: impl Fn(u32) -> &'t [u8],
        matches: impl Fn(u32) -> bool,
    ) -> u32 {
        let Some(longest) = self.longest(target, bytes) else { return NONE };
        let mut best = longest.settled;
        let mut at = longest.open;
        while let Some(key) = self.keys.get(at as usize) {
            let better = self.candidates_of(at).iter().take_while(|number| **number < best);
            if let Some(number) = better.copied().find(|number| matches(*number)) {
                best = number;
            }
            at = self.keys.get(key.parent as usize).map_or(NONE, |above| above.open);
        }
        best
    }

    /// The longest key that a target begins with.
    #[inline]
    fn longest<'t>(&self, target: &[u8], bytes: impl Fn(u32) -> &'t [u8]) -> Option<&Key> {
        let mut key = self.keys.get(self.descend(target) as usize)?;
        // The tree compares only some bytes: all keys below its last branch share the others.
        let same = common(bytes(key.pattern), target) as u32;
        while key.len > same {
            key = self.keys.get(key.parent as usize)?;
        }
        Some(key)
    }

    /// A key with which the target shares as many bytes as with any.
    #[inline]
    fn descend(&self, target: &[u8]) -> u32 {
        let mut link = self.tree.first().copied().unwrap_or(TO_KEY);
        while link & TO_KEY == 0 {
            let branch = &self.tree[link as usize..];
            // Never otherwise: a branch has at least these words.
            let &[at, low, high, first, ..] = branch else { break };
            let byte = target.get((at & !WIDE) as usize);
            let choice = byte.and_then(|byte| self.choice(at, low, high, *byte));
            link = choice.map_or(first, |n| branch[BEFORE_LINKS + 1 + n]);
        }
        link & !TO_KEY
    }

    /// Which of a branch's bytes it is.
    #[inline]
    fn choice(&self, at: u32, low: u32, high: u32, byte: u8) -> Option<usize> {
        const ONES: u64 = u64::from_le_bytes([1; 8]);
        if at & WIDE != 0 {
            let behind_first = byte.wrapping_sub(high as u8) as u32;
            let is_within = behind_first <= high >> 8;
            let place = is_within.then(|| self.wide[(low + behind_first) as usize])?;
            return (place != NO_PLACE).then_some(place as usize);
        }
        // The lowest byte that is zero here is the first that is the same.
        let differing = (low as u64 | (high as u64) << 32) ^ (ONES * byte as u64);
        let zeros = differing.wrapping_sub(ONES) & !differing & (ONES << 7);
        (zeros != 0).then_some(zeros.trailing_zeros() as usize / 8)
    }

    fn candidates_of(&self, at: u32) -> &[u32] {
        let at = at as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.keys[before].candidates_end);
        &self.candidates[start as usize..self.keys[at].candidates_end as usize]
    }
}

/// How many bytes two texts have in common at their start.
#[inline]
pub fn common(a: &[u8], b: &[u8]) -> usize {
    let words = |text: &[u8], at: usize| -> Option<u64> {
        Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?))
    };
    let mut at = 0;
    while let (Some(one), Some(other)) = (words(a, at), words(b, at)) {
        if one != other {
            return at + (one ^ other).trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + a[at..].iter().zip(&b[at..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Patterns are literals; one with `!` matches only targets that contain a `!` after it.
    fn check(patterns: &[&str], target: &str) {
        let text = |number: u32| patterns[number as usize].trim_end_matches('!').as_bytes();
        let is_candidate = |number: u32| patterns[number as usize].ends_with('!');
        let prefix = |number| Prefix {
            bytes: text(number),
            use_as: if is_candidate(number) { UseAs::Candidate } else { UseAs::Settles },
        };
        let matches = |number: u32| {
            let rest = target.as_bytes().strip_prefix(text(number));
            rest.is_some_and(|rest| rest.contains(&b'!'))
        };
        let plain = |number: &u32| match is_candidate(*number) {
            false => target.as_bytes().starts_with(text(*number)),
            true => matches(*number),
        };
        let numbers = 0..patterns.len() as u32;
        let expected = numbers.clone().find(plain).unwrap_or(NONE);
        let mut sorted: Vec<u32> = numbers.collect();
        sorted.sort_by_key(|number| text(*number));
        let index = PrefixIndex::new(&sorted, prefix);

        assert_eq!(index.best(target.as_bytes(), text, matches), expected, "{patterns:?} {target}");
    }

    #[test]
    fn the_first_pattern_in_order_is_found() {
        let words = ["", "/", "/a", "/a!", "/ab", "/ab!", "/b", "/b!", "!", "/abc", "/aa"];
        for first in words {
            for second in words {
                for third in words {
                    for target in ["", "/", "/a", "/ab", "/abd", "/ab!", "/a!b", "/c", "/b!", "x"] {
                        check(&[first, second, third], target);
                    }
                }
            }
        }
    }

    #[test]
    fn a_place_where_many_bytes_may_stand_is_no_other() {
        let letters = (b'a'..=b'z').filter(|letter| !b"chx".contains(letter));
        let words: Vec<String> = letters.map(|o| format!("/{0}{0}", o as char)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["/", "/k"]).collect();
        for target in ["/kk", "/kl", "/k", "/zzz", "/az", "/", "", "/KK", "/cc", "/~~"] {
            check(&words, target);
        }
    }

    #[test]
    fn common_bytes_are_counted_across_words() {
        let text = b"0123456789abcdefghij";
        for len in 0..text.len() {
            let mut other = text.to_vec();
            other[len] ^= 1;
            assert_eq!(common(text, &other), len);
            assert_eq!(common(text, &text[..len]), len);
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        check(&[], "/a");
    }
}
