//! Names within texts: which of many names a text contains, and which contain it, in any case.
//!
//! In: names. Out: for a text, the names that are a part of it, or of which it is a part. Short names,
//! as nearly all are, are found by their bytes: those within a text at each of its places, by length;
//! those around it among the sorted endings of all names. Long ones are compared one by one: there
//! cannot be many in a file, and to sort their endings could take the square of their length.

use std::collections::HashMap;

/// Bytes of the longest name that is found by its bytes.
const SHORT: usize = 64;

/// Names, by their bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Within {
    /// The short ones in lower case, with the numbers of those that are the same.
    short: HashMap<Box<[u8]>, Vec<usize>>,
    /// Their lengths, without duplicates.
    lengths: Vec<usize>,
    /// The endings of the short ones, sorted, each with the number of its name.
    endings: Vec<(Box<[u8]>, usize)>,
    long: Vec<(Box<[u8]>, usize)>,
}

impl Within {
    /// Take names, each with its number. No text contains an empty one.
    pub(crate) fn new<'n>(names: impl Iterator<Item = (&'n [u8], usize)>) -> Within {
        let mut within = Within::default();
        for (name, number) in names.filter(|(name, _)| !name.is_empty()) {
            let name = name.to_ascii_lowercase().into_boxed_slice();
            if name.len() > SHORT {
                within.long.push((name, number));
                continue;
            }
            within.endings.extend((0..name.len()).map(|at| (name[at..].into(), number)));
            within.lengths.push(name.len());
            within.short.entry(name).or_default().push(number);
        }
        within.lengths.sort_unstable();
        within.lengths.dedup();
        within.endings.sort_unstable();
        within
    }

    /// The numbers of the names that a text contains, and if `or_around` is set, of those that
    /// contain it, in order.
    pub(crate) fn found(&self, text: &[u8], or_around: bool) -> Vec<usize> {
        let text = text.to_ascii_lowercase();
        let mut found = Vec::new();
        for at in 0..text.len() {
            let rest = &text[at..];
            let lengths = self.lengths.iter().take_while(|length| **length <= rest.len());
            let names = lengths.filter_map(|length| self.short.get(&rest[..*length]));
            found.extend(names.flatten());
            if found.len() > MOST_REPEATED {
                found.sort_unstable();
                found.dedup();
            }
        }
        if or_around && !text.is_empty() {
            let start = self.endings.partition_point(|(ending, _)| **ending < *text);
            let around = self.endings[start..].iter().take_while(|(e, _)| e.starts_with(&text));
            found.extend(around.map(|(_, number)| *number));
        }
        let has = |long: &[u8], part: &[u8]| memchr::memmem::find(long, part).is_some();
        let is_met =
            |name: &[u8]| has(&text, name) || or_around && !text.is_empty() && has(name, &text);
        found.extend(self.long.iter().filter(|(name, _)| is_met(name)).map(|(_, number)| *number));
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A text may contain the same names again and again: this many are collected before duplicates
/// are removed.
const MOST_REPEATED: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Numbers;

    fn any_text(numbers: &mut Numbers, most: usize) -> Vec<u8> {
        (0..numbers.below(most + 1)).map(|_| b"abAB"[numbers.below(4)]).collect()
    }

    fn contains(text: &[u8], part: &[u8]) -> bool {
        let (text, part) = (text.to_ascii_lowercase(), part.to_ascii_lowercase());
        !part.is_empty() && text.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn it_finds_what_comparing_each_name_finds() {
        let mut numbers = Numbers(1994);
        let (mut within_text, mut around_text) = (0, 0);
        for round in 0..300 {
            let most = if round % 3 == 0 { 2 * SHORT } else { 6 };
            let mut names: Vec<Vec<u8>> = (0..20).map(|_| any_text(&mut numbers, most)).collect();
            names.push(names[0].clone());
            let within = Within::new(names.iter().enumerate().map(|(at, name)| (&name[..], at)));
            for _ in 0..20 {
                let text = any_text(&mut numbers, most);
                for or_around in [false, true] {
                    let expected: Vec<usize> = (0..names.len())
                        .filter(|at| {
                            contains(&text, &names[*at])
                                || or_around && contains(&names[*at], &text)
                        })
                        .collect();

                    assert_eq!(within.found(&text, or_around), expected, "{text:?} {names:?}");
                    *(if or_around { &mut around_text } else { &mut within_text }) +=
                        expected.len();
                }
            }
        }
        assert!(within_text > 1_000 && around_text > within_text);
    }

    #[test]
    fn names_that_a_text_repeats_are_found_once() {
        let within = Within::new([(&b"a"[..], 7), (b"aa", 8), (b"b", 9)].into_iter());

        assert_eq!(within.found(&b"a".repeat(3 * MOST_REPEATED), false), [7, 8]);
    }
}
