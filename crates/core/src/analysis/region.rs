//! Regions: where two answers differ, as path patterns, none inside another.
//!
//! In: regions as they are found. Out: those that are in no other of the same direction, each with
//! the shortest witness of all that are in it.

use std::collections::HashSet;

use crate::analysis::change::Change;
use crate::analysis::prefixes::{prefix, Prefixes};
use crate::analysis::text::{Token, STAR};
use crate::sort::{sort_by, sort_by_cached_key};

/// A region, while the search continues.
pub struct Region {
    /// Its bytes and stars.
    pub tokens: Vec<Token>,
    /// The word that stands for all of it.
    pub word: Vec<u8>,
    /// What is reported about it.
    pub change: Change,
}

/// How many regions with the same beginning each region is compared with, the largest first:
/// thousands of patterns may begin with `*`, and comparing each with each would not help a reader.
const MOST_AROUND: usize = 64;

/// Tokens as a path pattern: its end is open if they end in a star. Only where there are wildcards, a
/// `$` at the end would be one.
pub fn pattern_text(tokens: &[Token], has_wildcards: bool) -> Vec<u8> {
    let (body, is_open) = match tokens.split_last() {
        Some((&STAR, body)) => (body, true),
        _ => (tokens, false),
    };
    let byte = |token: &Token| u8::try_from(*token).unwrap_or(b'*');
    let slash = Token::from(b'/');
    // as every target begins with a slash
    let is_bare = matches!(tokens, [STAR, next, ..] if ![STAR, slash].contains(next));
    let is_dollar = body.last().is_some_and(|last| *last == Token::from(b'$'));
    let end = match is_open {
        false => "$",
        true if is_dollar && has_wildcards => "*",
        true => "",
    };
    is_bare.then_some(b'/').into_iter().chain(body.iter().map(byte)).chain(end.bytes()).collect()
}

/// All regions that were found.
#[derive(Default)]
pub struct Regions {
    regions: Vec<Region>,
}

impl Regions {
    /// Keep one more.
    pub fn add(&mut self, region: Region) {
        self.regions.push(region);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.regions.len()
    }

    /// Those that are in no other, as far as that is checked, by direction and witness.
    pub fn into_changes(self) -> Vec<Change> {
        let mut regions = self.regions;
        sort_by_cached_key(&mut regions, |region| {
            (literals(&region.tokens), region.tokens.len(), region.tokens.clone())
        });
        let numbered = regions.iter().enumerate().map(|(at, r)| (prefix(&r.tokens), at as u32));
        let prefixes = Prefixes::new(numbered);
        let mut kept: Vec<Option<Change>> = Vec::with_capacity(regions.len());
        for region in regions.iter() {
            let around = container(region, &regions, &kept, &prefixes);
            match around.and_then(|around| kept[around].as_mut()) {
                Some(outer) => outer.take_shorter(&region.change),
                None => {
                    kept.push(Some(region.change.clone()));
                    continue;
                }
            }
            kept.push(None);
        }
        let mut changes: Vec<Change> = kept.into_iter().flatten().collect();
        sort_by(&mut changes, |a, b| key(a).cmp(&key(b)));
        // A region that is written with and without escapes is reported once, by its shorter
        // witness.
        let mut told: HashSet<(bool, Vec<u8>)> = HashSet::new();
        changes.retain(|change| told.insert((change.opened, change.region.clone())));
        changes
    }
}

fn key(change: &Change) -> (bool, usize, &[u8], &[u8]) {
    (change.opened, change.witness.len(), &change.witness, &change.region)
}

/// A kept region of the same direction that contains all of another.
fn container(
    region: &Region,
    regions: &[Region],
    kept: &[Option<Change>],
    prefixes: &Prefixes<Token>,
) -> Option<usize> {
    let word: Vec<Token> = region.word.iter().map(|byte| Token::from(*byte)).collect();
    let mut around = prefixes.matching_first(&word, MOST_AROUND).map(|number| number as usize);
    around.find(|at| {
        let is_kept = kept.get(*at).is_some_and(Option::is_some);
        is_kept
            && regions[*at].change.opened == region.change.opened
            && matches(&regions[*at].tokens, &word)
    })
}

fn literals(tokens: &[Token]) -> usize {
    tokens.iter().filter(|token| **token != STAR).count()
}

/// Whether a text matches a word: each piece as far left as it goes.
fn matches(tokens: &[Token], word: &[Token]) -> bool {
    let mut pieces = tokens.split(|token| *token == STAR);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = word.strip_prefix(first) else { return false };
    let pieces: Vec<&[Token]> = pieces.collect();
    let Some((last, inner)) = pieces.split_last() else { return rest.is_empty() };
    for piece in inner.iter().filter(|piece| !piece.is_empty()) {
        let Some(at) = rest.windows(piece.len()).position(|here| here == *piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}
