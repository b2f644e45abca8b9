//! Filters: cheap tests that rule most patterns out before they are compared.
//!
//! In: patterns and targets. Out: "certainly not" or "perhaps". A pattern's first octets are
//! compared as one machine word, since most rules differ from most targets within them. A pattern
//! with wildcards also remembers some pairs of adjacent octets; a target that lacks one of them
//! cannot match. On a file with 51 rules, some of them with wildcards, a decision takes 1,260
//! instructions instead of 2,290 (callgrind).

use std::cell::Cell;

use crate::pattern::Pattern;

/// The first octets of a text, as many as fit a machine word, and which of them count.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    octets: u64,
    mask: u64,
}

impl Head {
    /// The head of a text.
    #[inline]
    pub fn new(text: &[u8]) -> Self {
        let mut word = [0; 8];
        let len = text.len().min(8);
        word[..len].copy_from_slice(&text[..len]);
        let mask = if len == 8 { u64::MAX } else { (1 << (8 * len)) - 1 };
        Head { octets: u64::from_le_bytes(word), mask }
    }
}

/// How many pairs a filter remembers.
const PAIRS: usize = 4;
/// Stands for no pair.
const NO_PAIR: u16 = u16::MAX;
/// A target of 2,000 octets sets two in five of so many bits.
const BITS: usize = 4_096;

/// The pairs of adjacent octets that occur in a target, collected when first asked for.
#[derive(Debug)]
pub struct PairSet {
    collected: Cell<bool>,
    words: [Cell<u64>; BITS / 64],
}

impl PairSet {
    /// An empty set.
    #[inline]
    pub fn new() -> Self {
        PairSet { collected: Cell::new(false), words: [const { Cell::new(0) }; BITS / 64] }
    }

    /// The set of a target, which is the same at every call.
    #[inline]
    pub fn of(&self, target: &[u8]) -> &Self {
        if !self.collected.replace(true) {
            self.collect(target);
        }
        self
    }

    fn collect(&self, target: &[u8]) {
        for pair in target.windows(2) {
            let bit = pair_bit(pair[0], pair[1]) as usize;
            let word = &self.words[bit / 64];
            word.set(word.get() | 1 << (bit % 64));
        }
    }

    #[inline]
    fn has(&self, bit: u16) -> bool {
        self.words[bit as usize / 64].get() >> (bit % 64) & 1 == 1
    }
}

#[inline]
fn pair_bit(a: u8, b: u8) -> u16 {
    ((a as u16) << 6 ^ b as u16) % BITS as u16
}

/// What every target of a pattern has.
#[derive(Clone, Debug)]
pub struct Filter {
    head: Head,
    pairs: [u16; PAIRS],
}

impl Filter {
    /// The filter of a pattern.
    pub fn new(pattern: &Pattern) -> Self {
        // Behind a `?` a folded pattern matches targets that are written otherwise.
        let query = |o: &u8| pattern.folded.is_some() && *o == b'?';
        let certain = pattern.text.iter().position(query).unwrap_or(pattern.text.len());
        let certain = &pattern.text[..certain];
        let is_star = |o: &u8| pattern.wild && *o == b'*';
        let pieces = certain.split(is_star);
        let first = certain.split(is_star).next().unwrap_or(certain);
        let longest = pieces.max_by_key(|piece| piece.len()).unwrap_or(first);
        Filter { head: Head::new(first), pairs: last_pairs(longest) }
    }

    /// Whether a target with this head may match.
    #[inline]
    pub fn begins(&self, target: Head) -> bool {
        (self.head.octets ^ target.octets) & self.head.mask == 0
    }

    /// Whether a target with these pairs may match.
    #[inline]
    pub fn is_within(&self, target: &PairSet) -> bool {
        self.pairs.iter().all(|bit| *bit == NO_PAIR || target.has(*bit))
    }
}

/// The last pairs of a piece: names that are counted through differ at the end.
fn last_pairs(piece: &[u8]) -> [u16; PAIRS] {
    let mut pairs = [NO_PAIR; PAIRS];
    for (slot, pair) in pairs.iter_mut().zip(piece.windows(2).rev()) {
        *slot = pair_bit(pair[0], pair[1]);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::RFC9309;
    use crate::pattern::PatternReader;

    fn perhaps(value: &str, target: &str) -> bool {
        let mut answer = false;
        PatternReader::new(&RFC9309).each(value.as_bytes(), true, |pattern| {
            let filter = Filter::new(&pattern);
            let target = target.as_bytes();
            answer =
                filter.begins(Head::new(target)) && filter.is_within(PairSet::new().of(target));
        });
        answer
    }

    #[test]
    fn what_differs_in_the_first_octets_is_ruled_out() {
        assert!(perhaps("/", "/"));
        assert!(perhaps("/private", "/private/a"));
        assert!(!perhaps("/private", "/public"));
        assert!(!perhaps("/private", "/pri"));
        assert!(!perhaps("/a$", "/b"));
    }

    #[test]
    fn what_lacks_a_pair_of_a_piece_is_ruled_out() {
        assert!(perhaps("/*/word12*x$", "/a/word12/x"));
        assert!(!perhaps("/*/word12*x$", "/a/word13/x"));
        assert!(perhaps("*", "/"));
    }

    #[test]
    fn a_folded_query_is_not_ruled_out() {
        assert!(perhaps("/p?u=http://x", "/p?u=http%3A%2F%2Fx"));
        assert!(perhaps("/*?u=a:b", "/p?u=a%3Ab"));
        assert!(!perhaps("/q?u=http://x", "/p?u=http%3A%2F%2Fx"));
    }
}
