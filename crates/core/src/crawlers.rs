//! Crawlers: which of many crawlers the groups of a file name, found in one walk of its start lines.
//!
//! In: product tokens and a [`Dialect`], then a [`File`]. Out: for each crawler that is named, the
//! [`Agent`] that [`File::agent`] would return for its token, and the lines that name it. RFC 9309
//! section 2.2.1. Looking up each token separately would walk the start lines once per token.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::agent::Agent;
use crate::dialect::{Dialect, NamedGroups};
use crate::error::InvalidProductToken;
use crate::file::File;
use crate::name_search::NameSearch;
use crate::sort::{sort, sort_by};
use crate::token::{check_product_token, select_wildcard, until_slash, NameTest, Selection};

/// Crawlers to look up in many files.
#[derive(Clone, Debug)]
pub struct Crawlers {
    tokens: Vec<Box<[u8]>>,
    test: NameTest,
    by_first: Vec<Bucket>,
    wherever: Vec<usize>,
    /// Those that a value may name wherever it contains them, made for the first large file.
    search: OnceLock<NameSearch>,
    /// Whom values of large files named: their versions and readings have mostly the same values.
    named_by: Arc<Mutex<NamedBy>>,
}

/// The crawlers that values name, each value looked up once.
#[derive(Debug, Default)]
struct NamedBy {
    /// By value in lower case.
    values: HashMap<Box<[u8]>, Box<[u32]>>,
    /// How many crawlers and values these are in all.
    size: usize,
}

/// Crawlers whose names begin with one letter.
#[derive(Clone, Debug, Default)]
struct Bucket {
    /// By their keys.
    crawlers: Vec<(Box<[u8]>, usize)>,
    /// For each, the place of the last one before it whose key begins its own; its own if none does.
    beginnings: Vec<usize>,
    /// Bytes of the longest key.
    longest: usize,
}

/// Above this many crawlers, a bucket is searched by key.
const LARGE: usize = 64;

/// Above this many crawlers, and start lines or bytes of their values, a file's values are looked up
/// once each, where one value may name thousands of crawlers and be repeated on thousands of lines.
const MANY_CRAWLERS: usize = 16;
const MANY_LINES: usize = 64;
const MANY_BYTES: usize = 1 << 12;

/// The most crawlers and values that are remembered.
const MOST_REMEMBERED: usize = 1 << 22;

/// Bytes of values that are left, above which the crawlers that are named are no longer searched,
/// where the first group that names one counts and no more values are remembered: names within names
/// would each be found again and again.
const MANY_LEFT: usize = 1 << 15;

/// A crawler that a file names.
#[derive(Debug)]
pub struct NamedCrawler {
    /// Its index in the list.
    pub crawler: usize,
    /// The rules that apply to it.
    pub agent: Agent,
    /// The start-group lines of its groups that name it, if they were asked for.
    pub lines: Vec<u32>,
}

/// The groups found for one crawler so far.
#[derive(Clone, Debug, Default)]
struct Found {
    best: usize,
    groups: Vec<u32>,
    lines: Vec<u32>,
}

/// A crawler that the current group names.
struct Hit {
    crawler: usize,
    score: usize,
    lines: Vec<u32>,
}

impl Crawlers {
    /// Take the crawlers, each with one product token; the error says which token is invalid.
    pub fn new<T: AsRef<[u8]>>(
        tokens: &[T],
        dialect: &Dialect,
    ) -> Result<Crawlers, (usize, InvalidProductToken)> {
        let test = NameTest::new(dialect);
        let mut crawlers = Crawlers {
            tokens: Vec::with_capacity(tokens.len()),
            test,
            by_first: vec![Bucket::default(); 256],
            wherever: Vec::new(),
            search: OnceLock::new(),
            named_by: Arc::default(),
        };
        for (crawler, token) in tokens.iter().enumerate() {
            let token = token.as_ref();
            check_product_token(token, dialect).map_err(|why| (crawler, why))?;
            match token.first().filter(|_| test.compares_beginnings()) {
                Some(first) => {
                    let key = test.key(token).to_ascii_lowercase().into_boxed_slice();
                    crawlers.by_first[first.to_ascii_lowercase() as usize]
                        .crawlers
                        .push((key, crawler))
                }
                None => crawlers.wherever.push(crawler),
            }
            crawlers.tokens.push(token.into());
        }
        crawlers.by_first.iter_mut().for_each(Bucket::arrange);
        Ok(crawlers)
    }

    /// The token of a crawler.
    pub(crate) fn token(&self, crawler: usize) -> &[u8] {
        &self.tokens[crawler]
    }

    /// How many crawlers there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The crawlers that a file in their dialect names, in the order in which they were given.
    pub fn named(&self, file: &File) -> Vec<NamedCrawler> {
        self.agents(file, false)
    }

    /// The same, with the lines that name each crawler; a group may repeat a name on many lines.
    pub fn named_with_lines(&self, file: &File) -> Vec<NamedCrawler> {
        self.agents(file, true)
    }

    /// The groups of `*`, and the lines in them that say so: those of crawlers that no group names.
    pub fn star_with_lines(&self, file: &File) -> (Vec<u32>, Vec<u32>) {
        let stars = select_wildcard(file.bytes(), file.groups(), file.dialect()).groups;
        let starts = stars.iter().flat_map(|group| file.groups().start_lines(*group as usize));
        let of_star = starts.filter(|start| self.test.is_star(start.value.of(file.bytes())));
        let lines = of_star.map(|start| start.line).collect();
        (stars, lines)
    }

    fn agents(&self, file: &File, with_lines: bool) -> Vec<NamedCrawler> {
        let named = self.find(file, with_lines).into_iter().enumerate();
        let named = named.filter_map(|(crawler, found)| found.map(|found| (crawler, found)));
        named
            .map(|(crawler, Found { groups, mut lines, .. })| {
                sort(&mut lines);
                let agent = Agent::new(file, Selection { groups, named: true });
                NamedCrawler { crawler, agent, lines }
            })
            .collect()
    }

    /// The groups of a file that name each crawler, by index; none of those that no group names.
    pub(crate) fn groups_naming(&self, file: &File) -> Vec<Option<Vec<u32>>> {
        let mut found = self.find(file, false);
        found.resize(self.len(), None);
        found.into_iter().map(|found| found.map(|found| found.groups)).collect()
    }

    /// What is found for each crawler; empty if the file names none.
    fn find(&self, file: &File, with_lines: bool) -> Vec<Option<Found>> {
        let starts = file.groups().all_start_lines();
        let left: usize = starts.iter().map(|start| start.value.len()).sum();
        let is_large = starts.len() > MANY_LINES || left > MANY_BYTES;
        if is_large && self.len() > MANY_CRAWLERS && self.test.may_name_many() {
            let (mut own, mut shared) = (NamedBy::default(), self.named_by.try_lock());
            let named_by = shared.as_deref_mut().unwrap_or(&mut own);
            if named_by.is_full() {
                *named_by = NamedBy::default(); // most are those of other files
            }
            let is_first = self.test.which == NamedGroups::First && !with_lines;
            let seen = vec![false; if is_first { self.len() } else { 0 }];
            let mut walk = Walk { crawlers: self, named_by, left, seen, rest: None };
            return walk.find(file, with_lines);
        }
        let mut found = Vec::new();
        let mut unnamed = self.len();
        for group in 0..file.groups().len() {
            if unnamed == 0 && self.test.which == NamedGroups::First {
                break;
            }
            unnamed -= self.take(&mut found, group, self.hits(file, group, with_lines));
        }
        found
    }

    /// Take the crawlers that a group names; return how many of them were not named before.
    fn take(&self, found: &mut Vec<Option<Found>>, group: usize, mut hits: Vec<Hit>) -> usize {
        merge(&mut hits);
        if !hits.is_empty() && found.is_empty() {
            found.resize(self.len(), None);
        }
        let mut new = 0;
        for hit in hits {
            let of_crawler = &mut found[hit.crawler];
            new += usize::from(of_crawler.is_none());
            self.add(of_crawler.get_or_insert_default(), group as u32, hit);
        }
        new
    }

    /// The crawlers that one group names.
    fn hits(&self, file: &File, group: usize, with_lines: bool) -> Vec<Hit> {
        let mut hits = Vec::new();
        for start in file.groups().start_lines(group) {
            let lines = with_lines.then_some(start.line);
            self.each_named(start.value.of(file.bytes()), |crawler, score| {
                hits.push(Hit { crawler, score, lines: lines.into_iter().collect() });
            });
            self.merge_many(&mut hits);
        }
        hits
    }

    /// Merge hits that are several times as many as crawlers: many lines of a group may name one.
    fn merge_many(&self, hits: &mut Vec<Hit>) {
        if hits.len() > 4 * self.len() + MANY_LINES {
            merge(hits);
        }
    }

    /// Visit each crawler that a value names, with how well it does.
    #[inline]
    fn each_named(&self, value: &[u8], mut visit: impl FnMut(usize, usize)) {
        let mut look = |crawler: usize| {
            if let Some(score) = self.test.score(value, &[&self.tokens[crawler]]) {
                visit(crawler, score);
            }
        };
        if let Some(first) = value.first() {
            let bucket = &self.by_first[first.to_ascii_lowercase() as usize];
            bucket.look_up(value, &self.test, &mut look);
        }
        self.wherever.iter().copied().for_each(look);
    }

    /// Finds those that a value names, in a dialect that compares names anywhere in it.
    fn search(&self, or_around: bool) -> &NameSearch {
        let names = || (0..self.len()).map(|crawler| self.name(crawler));
        self.search.get_or_init(|| NameSearch::new(names(), or_around))
    }

    /// The name that values contain.
    fn name(&self, crawler: usize) -> &[u8] {
        match self.token(crawler) {
            b"*" => b"", // which a value does not name
            token => until_slash(token),
        }
    }

    fn add(&self, found: &mut Found, group: u32, hit: Hit) {
        let is_first = found.groups.is_empty();
        match self.test.which {
            NamedGroups::First if !is_first => return,
            NamedGroups::BestMerge if hit.score < found.best => return,
            NamedGroups::BestMerge if hit.score > found.best => *found = Found::default(),
            _ => {}
        }
        found.best = hit.score;
        found.groups.push(group);
        found.lines.extend(hit.lines);
    }
}

/// A walk through the groups of a large file, in which each value is looked up once.
struct Walk<'c> {
    crawlers: &'c Crawlers,
    named_by: &'c mut NamedBy,
    /// Bytes of values that are not looked up yet.
    left: usize,
    /// The crawlers that were named, if the first group that names one is all that is asked for.
    seen: Vec<bool>,
    rest: Option<Rest>,
}

/// The crawlers that no group has named yet, if only these are still searched.
struct Rest {
    crawlers: Vec<usize>,
    search: NameSearch,
}

impl Walk<'_> {
    fn find(&mut self, file: &File, with_lines: bool) -> Vec<Option<Found>> {
        let mut found = Vec::new();
        let mut unnamed = self.crawlers.len();
        for group in 0..file.groups().len() {
            let is_over = unnamed == 0 && self.crawlers.test.which == NamedGroups::First;
            let hits = if is_over { break } else { self.hits(file, group, with_lines) };
            unnamed -= self.crawlers.take(&mut found, group, hits);
            self.narrow(&found, unnamed);
        }
        found
    }

    /// Search only the crawlers that no group has named yet, if these are at most half of those that
    /// are searched, and names are compared anywhere.
    fn narrow(&mut self, found: &[Option<Found>], unnamed: usize) {
        let test = &self.crawlers.test;
        let Some(or_around) = test.compares_anywhere() else { return };
        let searched = self.rest.as_ref().map_or(found.len(), |rest| rest.crawlers.len());
        let may_be = test.which == NamedGroups::First && self.named_by.is_full();
        if may_be && self.left > MANY_LEFT && 2 * unnamed <= searched {
            let crawlers: Vec<usize> =
                (0..found.len()).filter(|crawler| found[*crawler].is_none()).collect();
            let names = crawlers.iter().map(|crawler| self.crawlers.name(*crawler));
            let search = NameSearch::new(names, or_around);
            self.rest = Some(Rest { crawlers, search });
        }
    }

    /// The crawlers that one group names; a few may be repeated.
    fn hits(&mut self, file: &File, group: usize, with_lines: bool) -> Vec<Hit> {
        let mut values: HashMap<Vec<u8>, Vec<u32>> = HashMap::new();
        for start in file.groups().start_lines(group) {
            let value = start.value.of(file.bytes()).to_ascii_lowercase();
            self.left -= value.len();
            values.entry(value).or_default().push(start.line);
        }
        let mut hits = Vec::new();
        for (value, lines) in values {
            let lines = if with_lines { &lines[..] } else { &[] };
            self.each_named(value, |crawler, score| {
                hits.push(Hit { crawler, score, lines: lines.to_vec() });
            });
            self.crawlers.merge_many(&mut hits);
        }
        hits
    }

    fn each_named(&mut self, value: Vec<u8>, mut visit: impl FnMut(usize, usize)) {
        let (crawlers, seen) = (self.crawlers, &mut self.seen);
        let is_anywhere = crawlers.test.compares_anywhere().is_some();
        let mut visit = |crawler: u32| {
            let place = crawler as usize;
            if seen.get_mut(place).is_some_and(|seen| std::mem::replace(seen, true)) {
                return;
            }
            let score = || crawlers.test.score(&value, &[&crawlers.tokens[place]]).unwrap_or(0);
            visit(place, if is_anywhere { 0 } else { score() });
        };
        if let Some(named) = self.named_by.values.get(&value[..]) {
            return named.iter().copied().for_each(visit);
        }
        let named = crawlers.named_among(self.rest.as_ref(), &value);
        named.iter().copied().for_each(&mut visit);
        if self.rest.is_none() {
            self.named_by.remember(value, named);
        }
    }
}

impl Crawlers {
    /// The crawlers that a value names, or those among the rest.
    fn named_among(&self, rest: Option<&Rest>, value: &[u8]) -> Vec<u32> {
        let test = &self.test;
        let in_32_bits = |crawler: usize| crawler as u32;
        match (test.compares_anywhere(), rest) {
            (None, _) => {
                let mut named = Vec::new();
                self.each_named(value, |crawler, _| named.push(crawler as u32));
                named
            }
            _ if test.is_star(value) => Vec::new(),
            (Some(or_around), None) => {
                let found = self.search(or_around).found(until_slash(value)).into_iter();
                found.map(in_32_bits).collect()
            }
            (_, Some(Rest { crawlers, search })) => {
                let found = search.found(until_slash(value)).into_iter();
                found.map(|place| in_32_bits(crawlers[place])).collect()
            }
        }
    }
}

impl NamedBy {
    fn is_full(&self) -> bool {
        self.size >= MOST_REMEMBERED
    }

    fn remember(&mut self, value: Vec<u8>, named: Vec<u32>) {
        let size = named.len() + value.len() / 4 + 16;
        self.size += size;
        if !self.is_full() {
            self.values.insert(value.into(), named.into());
        }
    }
}

impl Bucket {
    fn arrange(&mut self) {
        sort(&mut self.crawlers);
        self.longest = self.crawlers.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        let mut open: Vec<usize> = Vec::new();
        for (place, (key, _)) in self.crawlers.iter().enumerate() {
            while open.last().is_some_and(|last| !key.starts_with(&self.crawlers[*last].0)) {
                open.pop();
            }
            self.beginnings.push(open.last().copied().unwrap_or(place));
            open.push(place);
        }
    }

    /// Visit each crawler that a value may name once: its key begins the value, or, in a dialect
    /// with families, the value's name begins the key.
    fn look_up(&self, value: &[u8], test: &NameTest, look: &mut impl FnMut(usize)) {
        if self.crawlers.len() <= LARGE {
            return self.crawlers.iter().for_each(|(_, crawler)| look(*crawler));
        }
        let value = value[..value.len().min(self.longest)].to_ascii_lowercase();
        if let Some(name) = test.family(&value) {
            let start = self.crawlers.partition_point(|(other, _)| **other < *name);
            let is_kin = |key: &[u8]| !name.is_empty() && key.starts_with(name);
            let kin = self.crawlers[start..].iter().take_while(|(key, _)| is_kin(key));
            return kin.for_each(|(_, crawler)| look(*crawler));
        }
        // All keys from the longest that begins the value up to the value begin with that key.
        let behind = self.crawlers.partition_point(|(key, _)| **key <= *value);
        let Some(mut place) = behind.checked_sub(1) else { return };
        loop {
            let (key, crawler) = &self.crawlers[place];
            if value.starts_with(key) {
                look(*crawler);
            }
            match self.beginnings[place] {
                shorter if shorter == place => return,
                shorter => place = shorter,
            }
        }
    }
}

/// Let each crawler have one hit, with all lines of the group that name it.
fn merge(hits: &mut Vec<Hit>) {
    if hits.len() < 2 {
        return;
    }
    sort_by(hits, |one, other| one.crawler.cmp(&other.crawler));
    hits.dedup_by(|hit, kept| {
        let is_same = hit.crawler == kept.crawler;
        if is_same {
            kept.score = kept.score.max(hit.score);
            kept.lines.append(&mut hit.lines);
        }
        is_same
    });
}
