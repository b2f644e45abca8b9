//! The gram index: which patterns with wildcards can match a target, by bytes within.
//!
//! In: for each pattern the pieces behind its first `*`. Out: for a target, the patterns of which
//! it has one gram, `N` bytes in a row. Each pattern is filed under that gram of its own which
//! the fewest other patterns have, so that a target is read once, whatever the number of
//! patterns, and meets few of them. Most places end at one bit of a small table.

/// The grams of one length, and the patterns filed under each.
#[derive(Clone, Debug)]
pub struct Grams<const N: usize> {
    /// One bit for each value of a gram's hash.
    seen: Vec<u64>,
    /// By a shorter hash, where its patterns begin; they end where the next ones begin.
    starts: Vec<u32>,
    patterns: Vec<u32>,
    log_starts: u32,
    /// The first of its patterns.
    first: u32,
}

/// Bits of the table for each pattern, as a power of two: one place in sixteen is looked up in vain.
const LOG_SPREAD: u32 = 4;
/// Grams of a pattern that are counted: a longer one gives no better choice.
const MOST_COUNTED: usize = 48;

impl<const N: usize> Grams<N> {
    /// Whether a piece has a gram.
    pub fn fits(piece: &[u8]) -> bool {
        piece.len() >= N
    }

    /// File patterns, each with the text behind its first `*`, in which some piece fits.
    pub fn new<'t>(patterns: &[u32], behind_star: impl Fn(u32) -> &'t [u8]) -> Self {
        let log_starts = (patterns.len().max(4) as u32).next_power_of_two().ilog2();
        let log_seen = log_starts + LOG_SPREAD;
        let log_counts = log_starts + 2;
        let mut counts = vec![0_u16; 1 << log_counts];
        for gram in patterns.iter().flat_map(|pattern| grams_of::<N>(behind_star(*pattern))) {
            let count = &mut counts[slot(gram, log_counts)];
            *count = count.saturating_add(1);
        }
        let rarest = |pattern: &u32| {
            let grams = grams_of::<N>(behind_star(*pattern));
            grams.map(|gram| (counts[slot(gram, log_counts)], gram)).min_by_key(|found| found.0)
        };
        let mut filed: Vec<(u32, u32)> =
            patterns.iter().filter_map(|pattern| Some((rarest(pattern)?.1, *pattern))).collect();
        filed.sort_unstable_by_key(|(gram, pattern)| (slot(*gram, log_starts), *pattern));
        let mut seen = vec![0_u64; (1 << log_seen) / 64];
        let mut starts = vec![0_u32; (1 << log_starts) + 1];
        for (gram, _) in &filed {
            let bit = slot(*gram, log_seen);
            seen[bit / 64] |= 1 << (bit % 64);
            starts[slot(*gram, log_starts) + 1] += 1;
        }
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let patterns: Vec<u32> = filed.into_iter().map(|(_, pattern)| pattern).collect();
        let first = patterns.iter().copied().min().unwrap_or(u32::MAX);
        Grams { seen, starts, patterns, log_starts, first }
    }

    /// The first pattern in order that is before `best` and matches, else `best`.
    #[inline]
    pub fn best(&self, target: &[u8], mut best: u32, matches: impl Fn(u32) -> bool) -> u32 {
        if self.first >= best {
            return best;
        }
        let mut asked = Asked::default();
        let shift = 32 - self.log_starts - LOG_SPREAD;
        for window in target.windows(N) {
            let hash = mixed(gram::<N>(window));
            let bit = (hash >> shift) as usize;
            if self.seen[bit / 64] >> (bit % 64) & 1 == 0 {
                continue;
            }
            let slot = hash >> (32 - self.log_starts);
            let filed = self.filed(slot as usize);
            if filed.first().is_some_and(|number| *number < best) && asked.is_new(slot) {
                let mut better = filed.iter().copied().take_while(|number| *number < best);
                best = better.find(|number| matches(*number)).unwrap_or(best);
            }
        }
        best
    }

    #[inline]
    fn filed(&self, slot: usize) -> &[u32] {
        &self.patterns[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }
}

/// The slots whose patterns were looked at: a target that repeats itself must not repeat the work.
#[derive(Default)]
struct Asked {
    few: [u32; 8],
    len: usize,
    many: Vec<u64>,
}

impl Asked {
    fn is_new(&mut self, slot: u32) -> bool {
        if self.few[..self.len].contains(&slot) {
            return false;
        }
        if self.len < self.few.len() {
            self.few[self.len] = slot;
            self.len += 1;
            return true;
        }
        let (word, bit) = (slot as usize / 64, 1 << (slot % 64));
        if self.many.len() <= word {
            self.many.resize(word + 1, 0);
        }
        let is_new = self.many[word] & bit == 0;
        self.many[word] |= bit;
        is_new
    }
}

/// From the end: patterns of one file differ there.
fn grams_of<const N: usize>(behind_star: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let pieces = behind_star.rsplit(|byte| *byte == b'*');
    pieces.flat_map(|piece| piece.windows(N).rev()).map(gram::<N>).take(MOST_COUNTED)
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
        assert_eq!(met(&["abcd", "abcd"], "abcd"), [0, 1]);
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
        let mut found = met(&texts, &texts.concat().repeat(2));
        found.sort_unstable();

        assert_eq!(found, (0..3_000).collect::<Vec<u32>>());
    }
}
