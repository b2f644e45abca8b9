//! Names within texts: which of many names a text contains, and which contain it, in any case.
//!
//! In: names. Out: for a text, the names that are a part of it, or of which it is a part. Those within
//! a text are found at each of its places, by length: short names, as nearly all are, by their bytes,
//! and long ones by a hash that takes as long for any length. Those around it are found among the
//! sorted endings of all names, of which only the beginnings are sorted: of long ones, that could take
//! the square of their length.

use std::collections::HashMap;

use crate::sort::{sort_unique, sort_unstable_by};

use memchr::memmem;

/// Bytes of the longest name that is found by its bytes.
const SHORT: usize = 64;

/// Bytes of the part of an ending that is sorted.
const SORTED: usize = 512;

/// Places of a text, each looked at for one length, that take as long as to search it for a name,
/// if most names are nearly the same.
const LOOKS: usize = 32;

/// Names found in a text, many of them again and again, beyond which each is kept once.
const MOST_FOUND: usize = 1 << 14;

/// Names, by their bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameSearch {
    /// All of them, in lower case.
    names: Vec<Box<[u8]>>,
    /// The indices of the short ones; several names may be the same.
    short: HashMap<Box<[u8]>, Vec<u32>>,
    /// Those of the long ones, by length and hash.
    long: HashMap<(usize, u64), Vec<u32>>,
    /// The lengths of each kind, without duplicates.
    lengths: [Vec<usize>; 2],
    /// The endings of all, sorted by their beginnings, each as the index of its name and where it
    /// begins; none if nobody asks which names contain a text.
    endings: Vec<(u32, u32)>,
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
            let length = name.len();
            if or_around {
                search.endings.extend((0..length as u32).map(|at| (index, at)));
            }
            match length {
                0 => {}
                1..=SHORT => search.short.entry(name.clone()).or_default().push(index),
                _ => {
                    let key = (length, Hashes::new(&name).of(0, length));
                    search.long.entry(key).or_default().push(index);
                }
            }
            search.lengths[usize::from(length > SHORT)].extend((length > 0).then_some(length));
            search.names.push(name);
        }
        search.lengths.iter_mut().for_each(sort_unique);
        let mut endings = std::mem::take(&mut search.endings);
        let beginning = |place: &(u32, u32)| beginning(search.ending(*place));
        sort_unstable_by(&mut endings, |one, other| beginning(one).cmp(beginning(other)));
        search.endings = endings;
        search
    }

    /// The indices of the names that a text contains, or that contain it, in order.
    pub(crate) fn found(&self, text: &[u8]) -> Vec<usize> {
        let text = &text.to_ascii_lowercase()[..];
        if text.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let looks = text.len() * self.lengths.iter().map(Vec::len).sum::<usize>();
        if self.names.len() * LOOKS < looks {
            found.extend((0..self.names.len()).filter(|at| self.is_found(*at, text)));
        } else {
            self.find_short(text, &mut found);
            self.find_long(text, &mut found);
            self.find_around(text, &mut found);
        }
        sort_unique(&mut found);
        found
    }

    /// The short names at each place of a text.
    fn find_short(&self, text: &[u8], found: &mut Vec<usize>) {
        for at in 0..text.len() {
            let rest = &text[at..];
            let lengths = self.lengths[0].iter().take_while(|length| **length <= rest.len());
            let names = lengths.filter_map(|length| self.short.get(&rest[..*length]));
            found.extend(names.flatten().map(|index| *index as usize));
            self.keep_once(found);
        }
    }

    /// The long names at each place of a text.
    fn find_long(&self, text: &[u8], found: &mut Vec<usize>) {
        if text.len() <= SHORT || self.long.is_empty() {
            return;
        }
        let hashes = Hashes::new(text);
        for length in self.lengths[1].iter().take_while(|length| **length <= text.len()) {
            for (at, part) in text.windows(*length).enumerate() {
                let named = self.long.get(&(*length, hashes.of(at, *length)));
                let named = named.into_iter().flatten().map(|index| *index as usize);
                found.extend(named.filter(|index| *self.names[*index] == *part));
            }
            self.keep_once(found);
        }
    }

    /// The names that contain a text.
    fn find_around(&self, text: &[u8], found: &mut Vec<usize>) {
        let cut = beginning(text);
        let ending = |place: &(u32, u32)| self.ending(*place);
        let start = self.endings.partition_point(|place| beginning(ending(place)) < cut);
        let may_be =
            self.endings[start..].iter().take_while(|place| ending(place).starts_with(cut));
        if may_be.clone().nth(LOOKS * self.names.len()).is_none() {
            let around = may_be.filter(|place| ending(place).starts_with(text));
            found.extend(around.map(|(index, _)| *index as usize));
        } else {
            let finder = memmem::Finder::new(text);
            let is_around = |name: &[u8]| name.len() >= text.len() && finder.find(name).is_some();
            let names = self.names.iter().enumerate();
            found.extend(names.filter(|(_, name)| is_around(name)).map(|(index, _)| index));
        }
    }

    fn ending(&self, (name, at): (u32, u32)) -> &[u8] {
        &self.names[name as usize][at as usize..]
    }

    /// A text may repeat names hundreds of thousands of times.
    fn keep_once(&self, found: &mut Vec<usize>) {
        if found.len() > 2 * self.names.len() + MOST_FOUND {
            sort_unique(found);
        }
    }

    /// Whether a text contains a name, or is a part of it.
    fn is_found(&self, index: usize, text: &[u8]) -> bool {
        let name = &self.names[index][..];
        let (short, long) = if name.len() <= text.len() { (name, text) } else { (text, name) };
        let may_be = short.len() == name.len() || self.or_around;
        may_be && !short.is_empty() && memmem::find(long, short).is_some()
    }
}

/// The part of an ending that is sorted.
fn beginning(ending: &[u8]) -> &[u8] {
    &ending[..ending.len().min(SORTED)]
}

/// Hashes of all parts of a text, each in the time of one multiplication (Karp and Rabin, 1987).
struct Hashes {
    /// Those of its beginnings.
    sums: Vec<u64>,
    /// By length, what the hash of what stands before is multiplied with.
    powers: Vec<u64>,
}

impl Hashes {
    /// A prime; and any number below it.
    const PRIME: u128 = (1 << 61) - 1;
    const BASE: u64 = 0x0b1d_5eed_c0de_2026;

    fn new(text: &[u8]) -> Hashes {
        let mut hashes = Hashes { sums: vec![0], powers: vec![1] };
        let (mut sum, mut power) = (0, 1);
        for byte in text {
            sum = Self::product(sum, Self::BASE, u64::from(*byte) + 1);
            power = Self::product(power, Self::BASE, 0);
            hashes.sums.push(sum);
            hashes.powers.push(power);
        }
        hashes
    }

    fn of(&self, at: usize, length: usize) -> u64 {
        let before = Self::product(self.sums[at], self.powers[length], 0);
        let sum = u128::from(self.sums[at + length]) + Self::PRIME - u128::from(before);
        (sum % Self::PRIME) as u64
    }

    fn product(one: u64, other: u64, more: u64) -> u64 {
        ((u128::from(one) * u128::from(other) + u128::from(more)) % Self::PRIME) as u64
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
            let most = if round % 50 == 0 { 3 * SORTED } else { [2 * SHORT, 6][round % 2] };
            let mut names: Vec<Vec<u8>> = (0..20).map(|_| any_text(&mut numbers, most)).collect();
            names.push(names[0].clone());
            names.push([&b"a".repeat(most)[..], b"b"].concat());
            let [alone, with_around] = [false, true]
                .map(|or_around| NameSearch::new(names.iter().map(|name| &name[..]), or_around));
            for turn in 0..20 {
                let mut text = any_text(&mut numbers, 3 * most);
                if turn % 2 == 0 {
                    // A part of a name, or a name with more; of one letter, it is there many times.
                    let name = &names[numbers.below(names.len())];
                    text.truncate(numbers.below(3));
                    text.extend(&name[numbers.below(name.len() / 2 + 1)..]);
                }
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
