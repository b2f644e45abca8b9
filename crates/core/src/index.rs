//! The prefix index: which patterns can match a target, by the octets they begin with.
//!
//! In: the literal prefix of each pattern, in the order in which patterns decide. Out: for a
//! target, the best pattern that needs no further look, and the few that do. Prefixes are sorted,
//! and each knows the longest other one that it begins with. Of all prefixes that a target begins
//! with, the longest is found by one binary search, and the others follow from it, so that the
//! cost hardly depends on the number of patterns. Nothing here knows `*` or `$`.

/// Stands for no node and for no entry.
const NONE: u32 = u32::MAX;

/// What the index has to know of one pattern.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    /// Where its literal prefix begins among the octets.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Whether every target with the prefix matches.
    pub is_all: bool,
}

impl Prefix {
    fn of(self, octets: &[u8]) -> &[u8] {
        &octets[self.start as usize..self.end as usize]
    }
}

/// One prefix, of one pattern or more.
#[derive(Clone, Copy, Debug)]
struct Node {
    prefix: Prefix,
    /// The longest other prefix that this one begins with.
    parent: u32,
    /// The best pattern that matches whatever begins with this prefix.
    settled: u32,
    /// This node or the nearest above that has candidates.
    open: u32,
    /// Where its candidates end; they begin where those of the node before end.
    candidates_end: u32,
}

/// Patterns by their literal prefixes.
#[derive(Clone, Debug)]
pub struct PrefixIndex {
    nodes: Vec<Node>,
    candidates: Vec<u32>,
}

impl PrefixIndex {
    /// Index patterns, which are numbered in the order given.
    pub fn new(octets: &[u8], prefixes: &[Prefix]) -> Self {
        let mut order: Vec<u32> = (0..prefixes.len() as u32).collect();
        order.sort_unstable_by_key(|number| (prefixes[*number as usize].of(octets), *number));
        let mut index = PrefixIndex { nodes: Vec::new(), candidates: Vec::new() };
        for number in order {
            index.add(octets, number, prefixes[number as usize]);
        }
        index.nodes.shrink_to_fit();
        index.candidates.shrink_to_fit();
        index
    }

    /// Add the next pattern in the order of prefixes.
    fn add(&mut self, octets: &[u8], number: u32, prefix: Prefix) {
        let is_known = self.nodes.last().is_some_and(|n| n.prefix.of(octets) == prefix.of(octets));
        if !is_known {
            let node = self.node_for(octets, prefix);
            self.nodes.push(node);
        }
        let at = self.nodes.len() as u32 - 1;
        let node = &mut self.nodes[at as usize];
        if prefix.is_all {
            node.settled = node.settled.min(number);
        } else {
            self.candidates.push(number);
            node.candidates_end += 1;
            node.open = at;
        }
    }

    fn node_for(&self, octets: &[u8], prefix: Prefix) -> Node {
        let parent = self.parent_of(octets, prefix);
        let above = self.nodes.get(parent as usize);
        Node {
            prefix,
            parent,
            settled: above.map_or(NONE, |node| node.settled),
            open: above.map_or(NONE, |node| node.open),
            candidates_end: self.candidates.len() as u32,
        }
    }

    /// Among sorted prefixes, the node before or one above it.
    fn parent_of(&self, octets: &[u8], prefix: Prefix) -> u32 {
        let mut at = self.nodes.len().checked_sub(1).map_or(NONE, |last| last as u32);
        while let Some(node) = self.nodes.get(at as usize) {
            if prefix.of(octets).starts_with(node.prefix.of(octets)) {
                break;
            }
            at = node.parent;
        }
        at
    }

    /// The first pattern in order that matches a target, where `matches` looks at the patterns
    /// that need more than their prefix.
    #[inline]
    pub fn best(&self, octets: &[u8], target: &[u8], matches: impl Fn(u32) -> bool) -> Option<u32> {
        let longest = self.longest(octets, target)?;
        let mut best = longest.settled;
        let mut at = longest.open;
        while let Some(node) = self.nodes.get(at as usize) {
            let better = self.candidates_of(at).iter().take_while(|number| **number < best);
            if let Some(number) = better.copied().find(|number| matches(*number)) {
                best = number;
            }
            at = self.nodes.get(node.parent as usize).map_or(NONE, |above| above.open);
        }
        (best != NONE).then_some(best)
    }

    /// The longest prefix that a target begins with.
    #[inline]
    fn longest(&self, octets: &[u8], target: &[u8]) -> Option<&Node> {
        let behind = self.nodes.partition_point(|node| node.prefix.of(octets) <= target);
        let mut node = self.nodes.get(behind.checked_sub(1)?)?;
        // Whatever stands between a prefix of the target and the target itself begins with that
        // prefix, so that the search can only end at it or below.
        let text = node.prefix.of(octets);
        let same = text.iter().zip(target).take_while(|(a, b)| a == b).count();
        while (node.prefix.end - node.prefix.start) as usize > same {
            node = self.nodes.get(node.parent as usize)?;
        }
        Some(node)
    }

    fn candidates_of(&self, at: u32) -> &[u32] {
        let at = at as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.nodes[before].candidates_end);
        &self.candidates[start as usize..self.nodes[at].candidates_end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Patterns are literals; one with `!` matches only targets that hold a `!` behind it.
    fn check(patterns: &[&str], target: &str) {
        let octets: Vec<u8> = patterns.concat().replace('!', "").into_bytes();
        let mut at = 0;
        let prefixes: Vec<Prefix> = patterns
            .iter()
            .map(|pattern| {
                let start = at;
                at += pattern.trim_end_matches('!').len() as u32;
                Prefix { start, end: at, is_all: !pattern.ends_with('!') }
            })
            .collect();
        let matches = |number: u32| {
            let prefix = patterns[number as usize].trim_end_matches('!');
            target.strip_prefix(prefix).is_some_and(|rest| rest.contains('!'))
        };
        let plain = |number: &u32| {
            let prefix = &prefixes[*number as usize];
            match prefix.is_all {
                true => target.as_bytes().starts_with(prefix.of(&octets)),
                false => matches(*number),
            }
        };
        let expected = (0..patterns.len() as u32).find(plain);
        let index = PrefixIndex::new(&octets, &prefixes);

        assert_eq!(
            index.best(&octets, target.as_bytes(), matches),
            expected,
            "{patterns:?} {target}"
        );
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
    fn nothing_is_found_where_nothing_is() {
        check(&[], "/a");
    }
}
