//! The gram index: which patterns with wildcards can match a target, by bytes within.
//!
//! In: for each pattern, the pieces after its first `*`. Out: for a target, the patterns with a
//! gram, `N` bytes in a row, that it contains after the same bytes as they do. Each pattern is
//! filed under the one of its grams that the fewest other patterns have, so that a target is read
//! once, whatever the number of patterns, and is compared with few of them. If every pattern has
//! two grams in a row, it is filed under both, and every second place of a target is skipped. Most
//! places are rejected by one bit of a small table, and most patterns found there by one comparison
//! of eight bytes.

use memchr::{memchr, memchr_iter};

/// The grams of one length, and the patterns filed under each.
#[derive(Clone, Debug)]
pub struct Grams<const N: usize> {
    /// One bit for each value of a gram's hash.
    seen: Vec<u64>,
    /// For each shorter hash, where its patterns begin; they end where the next ones begin.
    starts: Vec<u32>,
    patterns: Vec<Filed>,
    log_starts: u8,
    /// The distance between examined places: each pattern is filed under this many grams.
    stride: Stride,
    /// The first of its patterns.
    first: u32,
}

/// The distance between the places at which a target is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stride {
    One = 1,
    Two = 2,
}

/// A pattern under a gram. Fourteen bytes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, packed(2))]
struct Filed {
    /// The last eight bytes of its piece up to the end of the gram, padded with zeros.
    piece: u64,
    number: u32,
    /// Bytes that a target has at least up to the end of the gram, 255 for more.
    least: u8,
    /// The bits of the padding.
    lacking: u8,
}

impl Filed {
    /// File a pattern under the gram that ends here.
    fn new(number: u32, until: &[u8]) -> Self {
        let of_piece = until.iter().rev().take(8).take_while(|byte| **byte != b'*').count();
        let piece = eight_before(&until[until.len() - of_piece..]);
        let least = until.len() - memchr_iter(b'*', until).count();
        let least = least.min(u8::MAX as usize) as u8;
        Filed { piece, number, least, lacking: 64 - 8 * of_piece as u8 }
    }

    /// Whether the bytes up to the end of a gram are those of the piece, and enough.
    #[inline]
    fn fits(&self, before: u64, end: usize) -> bool {
        // The last byte is the highest.
        ((before ^ self.piece) >> self.lacking == 0) & (end >= self.least as usize)
    }
}

/// The last eight bytes, the very last one highest, with zeros before them if there are fewer.
#[inline]
fn eight_before(until: &[u8]) -> u64 {
    match until.last_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => until.iter().fold(0, |word, byte| word >> 8 | (*byte as u64) << 56),
    }
}

/// Bits of the table for each pattern, as a power of two: one of 64 places of a target is looked up
/// in vain. The largest file that is compiled has some 2^26 patterns, for which the 32 bits
/// of a hash are enough.
const LOG_SPREAD: u32 = 6;
/// More patterns are filed under one gram each, to take less memory.
const MOST_FILED_TWICE: usize = 1 << 12;
/// Bytes that are examined in one round.
const ROUND: usize = 8;
/// The most grams of a pattern that are counted: more give no better choice.
const MOST_COUNTED: usize = 48;

impl<const N: usize> Grams<N> {
    /// Bytes of a piece that has two grams.
    pub const TWO: usize = N + 1;

    /// File patterns, each with its text, in which some piece after the first `*` is long enough.
    pub fn new<'t>(mut patterns: Vec<u32>, text: impl Fn(u32) -> &'t [u8]) -> Self {
        patterns.sort_unstable();
        let log_starts = (patterns.len().max(4) as u32).next_power_of_two().ilog2();
        let log_counts = log_starts + 2;
        let mut counts = vec![0_u16; 1 << log_counts];
        for (gram, _) in patterns.iter().flat_map(|number| grams_of::<N>(text(*number))) {
            let count = &mut counts[slot(gram, log_counts)];
            *count = count.saturating_add(1);
        }
        let has_two = |number: &u32| longest_piece(text(*number)) >= Self::TWO;
        let is_wide = patterns.len() <= MOST_FILED_TWICE && patterns.iter().all(has_two);
        let stride = if is_wide { Stride::Two } else { Stride::One };
        let mut filed = Vec::with_capacity(patterns.len() * stride as usize);
        for number in patterns.iter().copied() {
            let text = text(number);
            let last = rarest::<N>(text, stride, |gram| counts[slot(gram, log_counts)]);
            for end in last.map_or(0..0, |end| end + 1 - stride as usize..end + 1) {
                filed.push((gram::<N>(&text[end - N..]), Filed::new(number, &text[..end])));
            }
        }
        let first = patterns.first().copied().unwrap_or(u32::MAX);
        let (seen, starts, patterns) = lay_down(&filed, log_starts);
        Grams { seen, starts, patterns, log_starts: log_starts as u8, stride, first }
    }

    /// The first pattern in order that is before `best` and matches, else `best`.
    #[inline]
    pub fn best(&self, target: &[u8], mut best: u32, matches: impl Fn(u32) -> bool) -> u32 {
        if self.first >= best {
            return best;
        }
        let next = |at| match self.stride {
            Stride::One => self.next_seen::<1>(target, at),
            Stride::Two => self.next_seen::<2>(target, at),
        };
        let (mut asked, mut at) = (Asked::default(), 0);
        while let Some((start, hash)) = next(at) {
            best = self.best_at(hash, &target[..start + N], best, &mut asked, &matches);
            at = start + self.stride as usize;
        }
        best
    }

    /// Where the next gram begins under which some pattern may be filed, and its hash.
    ///
    /// Not inlined, so that the loop has all registers: inlined, each place took half as many
    /// instructions again.
    #[inline(never)]
    fn next_seen<const STRIDE: usize>(&self, target: &[u8], mut at: usize) -> Option<(usize, u32)> {
        let (seen, shift) = (&self.seen[..], 32 - self.log_starts as u32 - LOG_SPREAD);
        let is_seen = |hash: u32| {
            let bit = (hash >> shift) as usize;
            seen[bit / 64] >> (bit % 64) & 1 != 0
        };
        while let Some(round) = target.get(at..)?.first_chunk::<{ ROUND + 3 }>() {
            for n in 0..ROUND / STRIDE {
                let hash = mixed(gram::<N>(&round[n * STRIDE..]));
                if is_seen(hash) {
                    return Some((at + n * STRIDE, hash));
                }
            }
            at += ROUND;
        }
        let hashes = target[at..].windows(N).map(|window| mixed(gram::<N>(window)));
        let mut places = hashes.zip(at..).step_by(STRIDE);
        places.find(|(hash, _)| is_seen(*hash)).map(|(hash, start)| (start, hash))
    }

    /// The same of the patterns of a gram, with which a part of the target ends.
    #[inline]
    fn best_at(
        &self,
        hash: u32,
        until: &[u8],
        best: u32,
        asked: &mut Asked,
        matches: impl Fn(u32) -> bool,
    ) -> u32 {
        let before = eight_before(until);
        let filed = self.filed((hash >> (32 - self.log_starts as u32)) as usize);
        let mut better = filed.iter().take_while(|filed| filed.number < best);
        let found = better.find(|filed| {
            filed.fits(before, until.len()) && asked.is_new(filed.number) && matches(filed.number)
        });
        found.map_or(best, |filed| filed.number)
    }

    #[inline]
    fn filed(&self, slot: usize) -> &[Filed] {
        &self.patterns[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }
}

/// Sort patterns by the slots of their grams, those of one slot as they come; return the bits that are
/// seen, where the patterns of each slot begin, and the patterns.
fn lay_down(filed: &[(u32, Filed)], log_starts: u32) -> (Vec<u64>, Vec<u32>, Vec<Filed>) {
    let log_seen = log_starts + LOG_SPREAD;
    let mut seen = vec![0_u64; (1 << log_seen) / 64];
    let mut starts = vec![0_u32; (1 << log_starts) + 1];
    for (gram, _) in filed {
        let bit = slot(*gram, log_seen);
        seen[bit / 64] |= 1 << (bit % 64);
        starts[slot(*gram, log_starts) + 1] += 1;
    }
    (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
    let (mut patterns, mut next) = (vec![Filed::default(); filed.len()], starts.clone());
    for (gram, pattern) in filed {
        let place = &mut next[slot(*gram, log_starts)];
        patterns[*place as usize] = *pattern;
        *place += 1;
    }
    (seen, starts, patterns)
}

/// The patterns that were compared: a target that repeats itself must not repeat the work.
#[derive(Default)]
struct Asked {
    few: [u32; 8],
    len: usize,
    many: Vec<u64>,
}

impl Asked {
    fn is_new(&mut self, number: u32) -> bool {
        if self.few[..self.len].contains(&number) {
            return false;
        }
        if self.len < self.few.len() {
            self.few[self.len] = number;
            self.len += 1;
            return true;
        }
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        if self.many.len() <= word {
            self.many.resize(word + 1, 0);
        }
        let is_new = self.many[word] & bit == 0;
        self.many[word] |= bit;
        is_new
    }
}

/// Bytes of the longest piece of a pattern after its first `*`.
pub fn longest_piece(text: &[u8]) -> usize {
    let star = memchr(b'*', text).unwrap_or(text.len());
    text[star..].split(|byte| *byte == b'*').map(<[u8]>::len).max().unwrap_or(0)
}

/// The grams of a pattern, and where each ends. From the end: patterns of one file differ there.
fn grams_of<const N: usize>(text: &[u8]) -> impl Iterator<Item = (u32, usize)> + '_ {
    let star = memchr(b'*', text).unwrap_or(text.len());
    let within_pieces = |(_, window): &(usize, &[u8])| !window.contains(&b'*');
    let windows = text[star..].windows(N).enumerate().rev().filter(within_pieces);
    windows.map(move |(at, window)| (gram::<N>(window), star + at + N)).take(MOST_COUNTED)
}

/// Where the gram ends that the fewest patterns have; of two in a row, where the second one does.
fn rarest<const N: usize>(
    text: &[u8],
    stride: Stride,
    count: impl Fn(u32) -> u16,
) -> Option<usize> {
    let mut behind = None;
    let weighed = grams_of::<N>(text).filter_map(|(gram, end)| {
        let here = count(gram) as u32;
        let next = behind.replace((end, here)).filter(|(next, _)| *next == end + 1);
        match stride {
            Stride::One => Some((here, end)),
            Stride::Two => next.map(|(end, there)| (here + there, end)),
        }
    });
    weighed.min_by_key(|(weight, _)| *weight).map(|(_, end)| end)
}

#[inline]
fn gram<const N: usize>(window: &[u8]) -> u32 {
    let mut bytes = [0; 4];
    bytes[..N].copy_from_slice(&window[..N]);
    u32::from_le_bytes(bytes)
}

/// Spread over 32 bits; the upper ones count.
#[inline]
fn mixed(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

#[inline]
fn slot(gram: u32, log: u32) -> usize {
    (mixed(gram) >> (32 - log)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(texts: &[&str], target: &str) -> Vec<u32> {
        let numbers: Vec<u32> = (0..texts.len() as u32).collect();
        let texts: Vec<String> = texts.iter().map(|text| format!("/*{text}")).collect();
        let grams = Grams::<4>::new(numbers, |number| texts[number as usize].as_bytes());
        let met = std::cell::RefCell::new(Vec::new());
        let best = grams.best(target.as_bytes(), u32::MAX, |number| {
            met.borrow_mut().push(number);
            false
        });
        assert_eq!(best, u32::MAX);
        met.into_inner()
    }

    #[test]
    fn a_pattern_is_met_once_where_the_target_has_its_gram() {
        assert_eq!(met(&["abcd"], "/abcdabcdabcd"), [0]);
        assert_eq!(met(&["wxyz*x"], "/abc/wxy"), []);
        assert_eq!(met(&["abcd", "abcd"], "/abcd"), [0, 1]);
    }

    #[test]
    fn a_pattern_that_is_filed_twice_is_met_wherever_it_stands() {
        for place in 0..40 {
            let target = "/".repeat(1 + place) + "abcde" + &"/".repeat(place % 9);

            assert_eq!(met(&["abcde"], &target), [0], "{target}");
        }
    }

    #[test]
    fn a_pattern_is_not_met_where_there_is_no_room_for_what_precedes_its_gram() {
        assert_eq!(met(&["/shop"], "/shop"), []);
        assert_eq!(met(&["/shop"], "//shop"), [0]);
        assert_eq!(met(&["ab*wxyz"], "/abwxyz"), [0]);
        assert_eq!(met(&["ab*wxyz"], "/awxyz"), []);
    }

    #[test]
    fn a_pattern_is_filed_where_few_others_are() {
        let texts: Vec<String> =
            (b'a'..=b'z').map(|o| format!("/shop/{}1.html", o as char)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();

        assert_eq!(met(&texts, "/shop/"), []);
        assert!(met(&texts, "/x/shop/c1.html").contains(&2));
        assert!(met(&texts, "/x/shop/c1.html").len() < 5);
    }

    #[test]
    fn every_gram_of_many_is_asked_once() {
        let texts: Vec<String> = (0..3_000).map(|n| format!("w{n:05}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut found = met(&texts, &format!("/{}", texts.concat().repeat(2)));
        found.sort_unstable();

        assert_eq!(found, (0..3_000).collect::<Vec<u32>>());
    }
}
