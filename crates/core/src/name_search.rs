//! Names within texts: which of many names a text contains, and which contain it, in any case.
//!
//! In: names. Out: for a text, the names that are a part of it, or of which it is a part. Short
//! names, as nearly all are, are found by their bytes: those within a text at each of its places, by
//! length; those around it among the sorted endings of all names. Long ones are compared one by one,
//! because to sort their endings could take the square of their length.

use std::collections::HashMap;

use crate::sort::{sort_unique, sort_unstable_by};

use memchr::memmem;

/// Bytes of the longest name that is found by its bytes.
const SHORT: usize = 64;

/// Places of a text, each looked at for one length, that take as long as to search it for a name.
const LOOKS: usize = 8;

/// Names found in a text, many of them again and again, beyond which each is kept once.
const MOST_FOUND: usize = 1 << 14;

/// Names, by their bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameSearch {
    /// All of them, in lower case.
    names: Vec<Box<[u8]>>,
    /// The indices of the short ones; several names may be the same.
    short: HashMap<Box<[u8]>, Vec<u32>>,
    /// Their lengths, without duplicates.
    lengths: Vec<usize>,
    /// The endings of the short ones, sorted, each as the index of its name and where it begins;
    /// none if nobody asks which names contain a text.
    endings: Vec<(u32, u8)>,
    /// The indices of the long ones.
    long: Vec<u32>,
    or_around: bool,
}

impl NameSearch {
    /// Take names; no text contains an empty one.
    ///
    /// or_around: whether to find the names that contain a text, too.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n [u8]>, or_around: bool) -> NameSearch {
        let mut search = NameSearch { or_around, ..NameSearch::default() };
        for (name, index) in names.zip(0_u32..) {
            let name = name.to_ascii_lowercase().into_boxed_slice();
            match name.len() {
                0 => {}
                1..=SHORT => {
                    if or_around {
                        search.endings.extend((0..name.len()).map(|at| (index, at as u8)));
                    }
                    search.lengths.push(name.len());
                    search.short.entry(name.clone()).or_default().push(index);
                }
                _ => search.long.push(index),
            }
            search.names.push(name);
        }
        sort_unique(&mut search.lengths);
        let names = &search.names;
        let ending = |(name, at): &(u32, u8)| &names[*name as usize][*at as usize..];
        sort_unstable_by(&mut search.endings, |one, other| ending(one).cmp(ending(other)));
        search
    }

    /// The indices of the names that a text contains, or that contain it, in order.
    pub(crate) fn found(&self, text: &[u8]) -> Vec<usize> {
        let text = &text.to_ascii_lowercase()[..];
        if text.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        if self.names.len() * LOOKS < text.len() * self.lengths.len() {
            self.find_each(text, 0..self.names.len() as u32, &mut found);
        } else {
            self.find_within(text, &mut found);
            self.find_around(text, &mut found);
            self.find_each(text, self.long.iter().copied(), &mut found);
        }
        sort_unique(&mut found);
        found
    }

    /// The short names at each place of a text.
    fn find_within(&self, text: &[u8], found: &mut Vec<usize>) {
        for at in 0..text.len() {
            let rest = &text[at..];
            let lengths = self.lengths.iter().take_while(|length| **length <= rest.len());
            let names = lengths.filter_map(|length| self.short.get(&rest[..*length]));
            found.extend(names.flatten().map(|index| *index as usize));
            // A text may repeat names hundreds of thousands of times.
            if found.len() > 2 * self.names.len() + MOST_FOUND {
                sort_unique(found);
            }
        }
    }

    /// The short names that contain a text.
    fn find_around(&self, text: &[u8], found: &mut Vec<usize>) {
        let ending = |(name, at): &(u32, u8)| &self.names[*name as usize][*at as usize..];
        let start = self.endings.partition_point(|place| ending(place) < text);
        let around =
            self.endings[start..].iter().take_while(|place| ending(place).starts_with(text));
        found.extend(around.map(|(index, _)| *index as usize));
    }

    /// Those of some names that a text contains, or that contain it.
    fn find_each(&self, text: &[u8], some: impl Iterator<Item = u32>, found: &mut Vec<usize>) {
        for index in some {
            let name = &self.names[index as usize][..];
            let (short, long) = if name.len() <= text.len() { (name, text) } else { (text, name) };
            let may_be = short.len() == name.len() || self.or_around;
            let is_part = || !short.is_empty() && memmem::find(long, short).is_some();
            if may_be && is_part() {
                found.push(index as usize);
            }
        }
    }
}

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
            let [alone, with_around] = [false, true]
                .map(|or_around| NameSearch::new(names.iter().map(|name| &name[..]), or_around));
            for _ in 0..20 {
                let text = any_text(&mut numbers, 3 * most);
                for (within, or_around) in [(&alone, false), (&with_around, true)] {
                    let expected: Vec<usize> = (0..names.len())
                        .filter(|at| {
                            contains(&text, &names[*at])
                                || or_around && contains(&names[*at], &text)
                        })
                        .collect();

                    assert_eq!(within.found(&text), expected, "{text:?} {names:?}");
                    *(if or_around { &mut around_text } else { &mut within_text }) +=
                        expected.len();
                }
            }
        }
        assert!(within_text > 1_000 && around_text > within_text);
    }
}
