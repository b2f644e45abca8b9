//! Tallies: what an audit counts, in bounded memory.
//!
//! In: one entry after another, judged. Out: counts for the log, for each crawler, and for each rule
//! with each crawler. How much is kept is bounded: crawlers beyond [`MOST_CRAWLERS`] and pairs
//! beyond [`MOST_PAIRS`] are counted together, under [`NOBODY`].

use std::collections::HashMap;

use crate::logs::entry::Unreadable;
use crate::logs::judge::NOBODY;

/// The most crawlers that are counted separately; a log with a new name in each request must not
/// fill the memory.
pub const MOST_CRAWLERS: usize = 4_096;

/// The most pairs of a rule and a crawler that are counted separately.
pub const MOST_PAIRS: usize = 1 << 16;

/// The most examples of disallowed URLs for each crawler.
const EXAMPLES: usize = 5;

/// Bytes of an example that are kept.
const LONGEST_EXAMPLE: usize = 256;

/// The most unreadable lines that are listed one by one, if more than the first of each input.
const TOLD: usize = 10;

/// The most hosts that are counted separately.
const MOST_HOSTS: usize = 64;

/// The first and the last of some times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Period {
    /// The first.
    pub first: Option<i64>,
    /// The last.
    pub last: Option<i64>,
}

impl Period {
    /// Take one more time.
    #[inline]
    pub fn add(&mut self, time: Option<i64>) {
        if let Some(time) = time {
            self.first = Some(self.first.map_or(time, |first| first.min(time)));
            self.last = Some(self.last.map_or(time, |last| last.max(time)));
        }
    }
}

/// Requests, and how they were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// How many.
    pub count: u64,
    /// Those with a status from 200 to 399.
    pub answered: u64,
    /// Those with a status from 400 on.
    pub refused: u64,
    /// When.
    pub period: Period,
}

impl Requests {
    /// Count one more.
    #[inline]
    pub fn add(&mut self, status: Option<u16>, time: Option<i64>) {
        self.count += 1;
        match status {
            Some(200..=399) => self.answered += 1,
            Some(400..) => self.refused += 1,
            _ => {}
        }
        self.period.add(time);
    }
}

/// The counts for one crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrawlerTally {
    /// Its product tokens, as `a,b`; empty for the crawlers beyond the limit.
    pub tokens: Vec<u8>,
    /// One of its identification strings, shortened.
    pub agent: Vec<u8>,
    /// Requests for URLs.
    pub requests: Requests,
    /// Those that were disallowed for it.
    pub closed: Requests,
    /// Those that were disallowed, but allowed shortly before.
    pub excused: u64,
    /// Those at a time for which no version of the file is known.
    pub unknown: u64,
    /// Those for `/robots.txt`.
    pub robots_txt: Requests,
    /// The first different URLs among those that were disallowed.
    pub examples: Vec<Vec<u8>>,
}

impl CrawlerTally {
    pub(crate) fn new(tokens: &[u8], agent: &[u8]) -> Self {
        CrawlerTally { tokens: tokens.to_vec(), agent: shortened(agent), ..Self::default() }
    }

    pub(crate) fn add_example(&mut self, url: &[u8]) {
        if self.examples.len() < EXAMPLES {
            let example = shortened(url);
            if !self.examples.contains(&example) {
                self.examples.push(example);
            }
        }
    }
}

/// Requests of one crawler that one rule disallows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairTally {
    /// The requests.
    pub closed: Requests,
    /// The first URL, shortened.
    pub example: Vec<u8>,
}

/// Version, rule and crawler, as indices.
pub type Pair = (u32, u32, u32);

/// A line of an input.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The input, counted from 0.
    pub input: u32,
    /// Its number in the input, from 1.
    pub number: u64,
    /// Its text.
    pub text: &'a [u8],
}

/// A line that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadableLine {
    /// The input, counted from 0.
    pub input: u32,
    /// Its number in the input, from 1.
    pub number: u64,
    /// Why.
    pub why: Unreadable,
}

/// A line that was read, and that requests no URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineWithoutUrl {
    /// The input, counted from 0.
    pub input: u32,
    /// Its number in the input, from 1.
    pub number: u64,
    /// Its text, shortened.
    pub text: Vec<u8>,
}

/// The counts for the whole log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogTally {
    /// Lines that are not blank.
    pub lines: u64,
    /// Lines that could not be read.
    pub unreadable: u64,
    /// The first of them, and the first of each input.
    pub unreadable_lines: Vec<UnreadableLine>,
    /// Lines outside the requested time.
    pub other_times: u64,
    /// Lines without a time where one is needed.
    pub undated: u64,
    /// Lines of other hosts than requested.
    pub other_hosts: u64,
    /// Lines of malformed requests, or of requests for no URL.
    pub no_url: u64,
    /// The first of them in each input.
    pub lines_without_url: Vec<LineWithoutUrl>,
    /// Lines of requests with other methods than GET and HEAD, by method.
    pub methods: Vec<(Vec<u8>, u64)>,
    /// Requests of people: of clients that name no crawler.
    pub people: u64,
    /// Requests without an identification string.
    pub nameless: u64,
    /// Requests of other crawlers than requested.
    pub other_crawlers: u64,
    /// The times of the counted requests.
    pub period: Period,
    /// The hosts of those, and their requests; some are left out if there are many.
    pub hosts: Vec<(Vec<u8>, u64)>,
    last_host: usize,
}

/// The methods that are counted separately; the others are `other`.
const METHODS: [&[u8]; 7] =
    [b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS", b"CONNECT", b"PROPFIND"];

impl LogTally {
    pub(crate) fn add_unreadable(&mut self, input: u32, number: u64, why: Unreadable) {
        self.unreadable += 1;
        let is_first = self.unreadable_lines.last().is_none_or(|last| last.input != input);
        if is_first || self.unreadable_lines.len() < TOLD {
            self.unreadable_lines.push(UnreadableLine { input, number, why });
        }
    }

    #[cold]
    pub(crate) fn add_without_url(&mut self, line: Line<'_>) {
        let Line { input, number, text } = line;
        self.no_url += 1;
        if self.lines_without_url.last().is_none_or(|last| last.input != input) {
            let text = shortened(text);
            self.lines_without_url.push(LineWithoutUrl { input, number, text });
        }
    }

    pub(crate) fn add_method(&mut self, method: &[u8]) {
        let name = if METHODS.contains(&method) { method } else { b"other" };
        match self.methods.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => self.methods.push((name.to_vec(), 1)),
        }
    }

    #[inline]
    pub(crate) fn add_host(&mut self, host: &[u8]) {
        let is_it = |(known, _): &(Vec<u8>, u64)| known.eq_ignore_ascii_case(host);
        if !self.hosts.get(self.last_host).is_some_and(is_it) {
            self.last_host = match self.hosts.iter().position(is_it) {
                Some(place) => place,
                None if self.hosts.len() == MOST_HOSTS => return,
                None => {
                    self.hosts.push((host.to_ascii_lowercase(), 0));
                    self.hosts.len() - 1
                }
            };
        }
        self.hosts[self.last_host].1 += 1;
    }
}

/// The pairs of rules and crawlers.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    pairs: HashMap<Pair, PairTally>,
}

impl Pairs {
    pub(crate) fn add(&mut self, pair: Pair, url: &[u8], status: Option<u16>, time: Option<i64>) {
        let is_full = self.pairs.len() >= MOST_PAIRS && !self.pairs.contains_key(&pair);
        let pair = if is_full { (pair.0, pair.1, NOBODY) } else { pair };
        let tally = self.pairs.entry(pair).or_default();
        if tally.closed.count == 0 {
            tally.example = shortened(url);
        }
        tally.closed.add(status, time);
    }

    /// All of them, in order.
    pub fn sorted(&self) -> Vec<(Pair, &PairTally)> {
        let mut pairs: Vec<_> = self.pairs.iter().map(|(pair, tally)| (*pair, tally)).collect();
        pairs.sort_unstable_by_key(|(pair, _)| *pair);
        pairs
    }
}

/// At most [`LONGEST_EXAMPLE`] bytes, at a border between characters.
fn shortened(bytes: &[u8]) -> Vec<u8> {
    if bytes.len() <= LONGEST_EXAMPLE {
        return bytes.to_vec();
    }
    let is_inside = |at: &usize| bytes[*at] & 0xC0 == 0x80;
    let end = (LONGEST_EXAMPLE - 3..=LONGEST_EXAMPLE).rev().find(|at| !is_inside(at));
    bytes[..end.unwrap_or(LONGEST_EXAMPLE)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_borders() {
        let mut requests = Requests::default();
        for status in [100, 199, 200, 399, 400, 599, 999] {
            requests.add(Some(status), Some(i64::from(status)));
        }
        requests.add(None, None);

        assert_eq!((requests.count, requests.answered, requests.refused), (8, 2, 3));
        assert_eq!(requests.period, Period { first: Some(100), last: Some(999) });
    }

    #[test]
    fn pairs_beyond_the_bound_are_counted_with_their_rule() {
        let mut pairs = Pairs::default();
        for crawler in 1..=MOST_PAIRS as u32 + 5 {
            pairs.add((0, crawler % 2, crawler), b"/", None, None);
        }
        pairs.add((0, 1, 1), b"/", None, None);
        let sorted = pairs.sorted();
        let count = |pair| sorted.iter().find(|(p, _)| *p == pair).map(|(_, t)| t.closed.count);

        assert_eq!(sorted.len(), MOST_PAIRS + 2);
        assert_eq!((count((0, 0, NOBODY)), count((0, 1, NOBODY))), (Some(2), Some(3)));
        assert_eq!(count((0, 1, 1)), Some(2));
    }

    #[test]
    fn hosts_and_methods_are_bounded() {
        let mut log = LogTally::default();
        for number in 0..MOST_HOSTS + 5 {
            log.add_host(format!("host{number}").as_bytes());
            log.add_method(format!("METHOD{number}").as_bytes());
        }
        log.add_host(b"HOST0");
        log.add_method(b"PUT");

        assert_eq!(log.hosts.len(), MOST_HOSTS);
        assert_eq!(log.hosts[0], (b"host0".to_vec(), 2));
        assert_eq!(log.methods, [(b"other".to_vec(), MOST_HOSTS as u64 + 5), (b"PUT".to_vec(), 1)]);
    }

    #[test]
    fn examples_are_shortened_between_characters() {
        for pad in 0..4 {
            let long = [&b"/aaa"[..1 + pad], "ツ".repeat(100).as_bytes()].concat();
            let short = shortened(&long);

            assert!(std::str::from_utf8(&short).is_ok());
            assert!(short.len() > LONGEST_EXAMPLE - 4 && short.len() <= LONGEST_EXAMPLE);
        }
        assert_eq!(shortened(&[0x80; 300]).len(), LONGEST_EXAMPLE);
        assert_eq!(shortened(b"/a"), b"/a");
    }
}
