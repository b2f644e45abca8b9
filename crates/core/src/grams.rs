//! The gram index: which patterns with wildcards can match a target, by bytes within.
//!
//! In: for each pattern the pieces behind its first `*`. Out: for a target, the patterns of which
//! it has one gram, `N` bytes in a row, and the bytes before it. Each pattern is filed under that
//! gram of its own which the fewest other patterns have, so that a target is read once, whatever
//! the number of patterns, and meets few of them. Most places end at one bit of a small table, and
//! most patterns that are met there at one comparison of eight bytes.

use memchr::{memchr, memchr_iter};

/// The grams of one length, and the patterns filed under each.
#[derive(Clone, Debug)]
pub struct Grams<const N: usize> {
    /// One bit for each value of a gram's hash.
    seen: Vec<u64>,
    /// By a shorter hash, where its patterns begin; they end where the next ones begin.
    starts: Vec<u32>,
    patterns: Vec<Filed>,
    log_starts: u32,
    /// The first of its patterns.
    first: u32,
}

/// A pattern under a gram.
#[derive(Clone, Copy, Debug)]
struct Filed {
    /// The last eight bytes of its piece up to the end of the gram; zeros stand for what it lacks.
    piece: u64,
    number: u32,
    /// Bytes that a target has at least up to the end of the gram.
    least: u16,
    /// Bits of the eight that there are not.
    lacking: u8,
}

impl Filed {
    /// File a pattern under the gram that ends here.
    fn new(number: u32, until: &[u8]) -> Self {
        let of_piece = until.iter().rev().take(8).take_while(|byte| **byte != b'*').count();
        let piece = eight_before(&until[until.len() - of_piece..]);
        let least = until.len() - memchr_iter(b'*', until).count();
        let least = least.min(u16::MAX as usize) as u16;
        Filed { piece, number, least, lacking: 64 - 8 * of_piece as u8 }
    }

    /// Whether the bytes up to the end of a gram are those of the piece, and enough.
    #[inline]
    fn fits(&self, before: u64, end: usize) -> bool {
        // The last byte is the highest.
        ((before ^ self.piece) >> self.lacking == 0) & (end >= self.least as usize)
    }
}

/// The last eight bytes, the very last one highest; where there are fewer, zeros before them.
#[inline]
fn eight_before(until: &[u8]) -> u64 {
    match until.last_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => until.iter().fold(0, |word, byte| word >> 8 | (*byte as u64) << 56),
    }
}

/// Bits of the table for each pattern, as a power of two: one place in 64 is looked up in vain. The
/// largest file that is compiled has some 2^26 patterns, for which the 32 bits of a hash are enough.
const LOG_SPREAD: u32 = 6;
/// Places that are looked at in one round.
const ROUND: usize = 8;
/// Grams of a pattern that are counted: a longer one gives no better choice.
const MOST_COUNTED: usize = 48;

impl<const N: usize> Grams<N> {
    /// Whether a piece has a gram.
    pub fn fits(piece: &[u8]) -> bool {
        piece.len() >= N
    }

    /// File patterns, each with its text, in which some piece fits behind the first `*`.
    pub fn new<'t>(patterns: &[u32], text: impl Fn(u32) -> &'t [u8]) -> Self {
        let log_starts = (patterns.len().max(4) as u32).next_power_of_two().ilog2();
        let log_seen = log_starts + LOG_SPREAD;
        let log_counts = log_starts + 2;
        let mut counts = vec![0_u16; 1 << log_counts];
        for (gram, _) in patterns.iter().flat_map(|number| grams_of::<N>(text(*number))) {
            let count = &mut counts[slot(gram, log_counts)];
            *count = count.saturating_add(1);
        }
        let rarest = |number: &u32| {
            let grams = grams_of::<N>(text(*number));
            let (gram, end) = grams.min_by_key(|(gram, _)| counts[slot(*gram, log_counts)])?;
            Some((gram, *number, end))
        };
        let mut filed: Vec<(u32, u32, u32)> = patterns.iter().filter_map(rarest).collect();
        filed.sort_unstable_by_key(|(gram, number, _)| (slot(*gram, log_starts), *number));
        let mut seen = vec![0_u64; (1 << log_seen) / 64];
        let mut starts = vec![0_u32; (1 << log_starts) + 1];
        for (gram, _, _) in &filed {
            let bit = slot(*gram, log_seen);
            seen[bit / 64] |= 1 << (bit % 64);
            starts[slot(*gram, log_starts) + 1] += 1;
        }
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let file = |(_, number, end)| Filed::new(number, &text(number)[..end as usize]);
        let patterns: Vec<Filed> = filed.into_iter().map(file).collect();
        let first = patterns.iter().map(|filed| filed.number).min().unwrap_or(u32::MAX);
        Grams { seen, starts, patterns, log_starts, first }
    }

    /// The first pattern in order that is before `best` and matches, else `best`.
    #[inline]
    pub fn best(&self, target: &[u8], mut best: u32, matches: impl Fn(u32) -> bool) -> u32 {
        if self.first >= best {
            return best;
        }
        let (mut asked, mut at) = (Asked::default(), 0);
        while let Some((start, hash)) = self.next_seen(target, at) {
            best = self.best_at(hash, &target[..start + N], best, &mut asked, &matches);
            at = start + 1;
        }
        best
    }

    /// Where the next gram begins under which some pattern may be filed, and its hash.
    ///
    /// Apart, so that the loop has the registers for itself: among the rest, each place took half as
    /// many instructions again.
    #[inline(never)]
    fn next_seen(&self, target: &[u8], mut at: usize) -> Option<(usize, u32)> {
        let (seen, shift) = (&self.seen[..], 32 - self.log_starts - LOG_SPREAD);
        let is_seen = |hash: u32| {
            let bit = (hash >> shift) as usize;
            seen[bit / 64] >> (bit % 64) & 1 != 0
        };
        while let Some(round) = target.get(at..)?.first_chunk::<{ ROUND + 3 }>() {
            for n in 0..ROUND {
                let hash = mixed(gram::<N>(&round[n..]));
                if is_seen(hash) {
                    return Some((at + n, hash));
                }
            }
            at += ROUND;
        }
        let hashes = target[at..].windows(N).map(|window| mixed(gram::<N>(window)));
        hashes.zip(at..).find(|(hash, _)| is_seen(*hash)).map(|(hash, start)| (start, hash))
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
        let filed = self.filed((hash >> (32 - self.log_starts)) as usize);
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

/// The patterns that were looked at: a target that repeats itself must not repeat the work.
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

/// The grams of a pattern, and where each ends. From the end: patterns of one file differ there.
fn grams_of<const N: usize>(text: &[u8]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let star = memchr(b'*', text).unwrap_or(text.len());
    let within_pieces = |(_, window): &(usize, &[u8])| !window.contains(&b'*');
    let windows = text[star..].windows(N).enumerate().rev().filter(within_pieces);
    windows.map(move |(at, window)| (gram::<N>(window), (star + at + N) as u32)).take(MOST_COUNTED)
}

#[inline]
fn gram<const N: usize>(window: &[u8]) -> u32 {
    let mut bytes = [0; 4];
    bytes[..N].copy_from_slice(&window[..N]);
    u32::from_le_bytes(bytes)
}

/// Spread over 32 bits, of which the upper ones count.
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
        let grams = Grams::<4>::new(&numbers, |number| texts[number as usize].as_bytes());
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
