//! Words: the target that stands for all that a shape matches, and the shortest that proves it.
//!
//! In: a shape, and a test of targets. Out: a target. A star is filled with a byte that no pattern
//! holds: another pattern then matches the word only where it matches everything that the shape
//! matches ([`crate::witness`], lemma 1).

use crate::agent::ROBOTS_TXT;
use crate::analysis::shape::{Shape, Space};
use crate::analysis::spelling::{spellings, Respelt};
use crate::analysis::text::{Token, STAR};
use crate::budget::Budget;
use crate::pattern::Pattern;
use crate::percent::escape_at;
use crate::target::TargetReader;
use crate::witness::{Fresh, Used};

/// Up to this many ways to write a text, each is tried.
const MOST_WAYS: usize = 64;

/// Up to this many stars, every choice is tried for the shortest word.
const MOST_STARS_CHOSEN: usize = 8;

/// Makes words.
pub struct Words {
    fresh: Fresh,
    /// What stars are filled with if targets do not contain the fresh byte.
    fills: Vec<Vec<u8>>,
    is_proof: bool,
    space: Space,
}

impl Words {
    /// Find a byte that no pattern contains. `targets`: how each side reads URLs.
    pub fn new<'p>(
        patterns: impl Iterator<Item = &'p Pattern<'p>>,
        targets: &[&TargetReader],
        space: Space,
    ) -> Words {
        let mut used = Used::new(ROBOTS_TXT, space != Space::Plain);
        patterns.for_each(|pattern| used.add(pattern));
        let all_hold = |byte: u8| targets.iter().all(|targets| targets.holds(byte));
        let fresh = used.fresh_of(all_hold);
        let is_held = fresh.is_some_and(|fresh| fresh.is_held);
        let fills = if is_held { Vec::new() } else { fills(all_hold) };
        let worn = Fresh { byte: used.worn(targets[0]), is_held: true };
        Words { fresh: fresh.unwrap_or(worn), fills, is_proof: fresh.is_some(), space }
    }

    /// Whether a word stands for all that its shape matches. If not, every byte is in some pattern,
    /// and words are only examples.
    pub fn are_proofs(&self) -> bool {
        self.is_proof
    }

    /// Whether words are targets themselves.
    pub fn are_targets(&self) -> bool {
        self.fresh.is_held
    }

    /// The word of a shape.
    pub fn word(&self, shape: &Shape) -> Vec<u8> {
        let fresh = [self.fresh.byte];
        fill(&shape.tokens(), |_| &fresh)
    }

    /// The shortest target of a shape that passes a test which its word passes; none if only words
    /// that are not targets do, or if the test ends early.
    pub fn shortest(
        &self,
        shape: &Shape,
        targets: &TargetReader,
        budget: &Budget,
        mut is_wanted: impl FnMut(&[u8]) -> Option<bool>,
    ) -> Option<Option<Vec<u8>>> {
        let fresh = [self.fresh.byte];
        let fresh = self.fresh.is_held.then_some(&fresh[..]);
        let mut texts = self.texts(shape);
        // Whatever stars are filled with, a byte that no target holds stays.
        texts.retain(|text| text.iter().all(|token| is_held_by(targets, *token)));
        for filling in fresh.into_iter().chain(self.fills.iter().map(Vec::as_slice)) {
            for (text, mask) in fillings(&texts) {
                budget.take(text.len() as u64);
                if budget.is_spent() {
                    return None;
                }
                let word = fill(text, |star| if is_filled(mask, star) { filling } else { b"" });
                if targets.is_possible(&word) && is_wanted(&word)? {
                    return self.emptied(text, filling, word, &mut is_wanted).map(Some);
                }
            }
        }
        Some(None)
    }

    /// The texts of a shape: if reserved bytes equal their escapes, every way to write them, or the
    /// shortest.
    fn texts(&self, shape: &Shape) -> Vec<Vec<Token>> {
        let tokens = shape.tokens();
        if self.space != Space::Folded {
            return vec![tokens];
        }
        let ways = spellings(&tokens, Respelt::Path, MOST_WAYS);
        ways.unwrap_or_else(|| vec![unfolded(&tokens)])
    }

    /// Leave out, one by one, the fillings that are not needed, if there are too many stars to
    /// try every choice.
    fn emptied(
        &self,
        text: &[Token],
        filling: &[u8],
        mut word: Vec<u8>,
        is_wanted: &mut impl FnMut(&[u8]) -> Option<bool>,
    ) -> Option<Vec<u8>> {
        let stars = stars(text);
        if stars <= MOST_STARS_CHOSEN {
            return Some(word);
        }
        let mut is_filled = vec![true; stars];
        for star in (0..stars).rev() {
            is_filled[star] = false;
            let shorter = fill(text, |star| if is_filled[star] { filling } else { b"" });
            match is_wanted(&shorter)? {
                true => word = shorter,
                false => is_filled[star] = true,
            }
        }
        Some(word)
    }
}

fn is_held_by(targets: &TargetReader, token: Token) -> bool {
    u8::try_from(token).map_or(true, |byte| targets.holds(byte))
}

/// Every choice of stars to fill in some texts, shorter words first; of many stars only all.
fn fillings(texts: &[Vec<Token>]) -> Vec<(&[Token], u64)> {
    let mut all: Vec<(&[Token], u64)> = Vec::new();
    for text in texts {
        match stars(text) {
            stars @ 0..=MOST_STARS_CHOSEN => all.extend((0..1 << stars).map(|m| (&text[..], m))),
            _ => all.push((text, u64::MAX)),
        }
    }
    all.sort_by_key(|(text, mask)| {
        (text.len() - stars(text)) as u64 + u64::from(mask.count_ones())
    });
    all
}

fn stars(text: &[Token]) -> usize {
    text.iter().filter(|token| **token == STAR).count()
}

fn is_filled(mask: u64, star: usize) -> bool {
    star >= 64 || mask >> star & 1 == 1
}

/// Reserved bytes as themselves in place of their escapes.
fn unfolded(tokens: &[Token]) -> Vec<Token> {
    let mut text: Vec<Token> = Vec::with_capacity(tokens.len());
    for piece in tokens.split_inclusive(|token| *token == STAR) {
        let bytes: Vec<u8> = piece.iter().map(|token| *token as u8).collect();
        let literals = piece.len() - (piece.last() == Some(&STAR)) as usize;
        let mut at = 0;
        while at < literals {
            let escape = escape_at(&bytes[..literals], at).map(|(value, _)| value);
            let value = escape.filter(|value| Respelt::Path.folded().contains(value));
            text.push(Token::from(value.unwrap_or(bytes[at])));
            at += if value.is_some() { 3 } else { 1 };
        }
        text.extend(&piece[literals..]);
    }
    text
}

/// The text with its stars filled, by their numbers.
fn fill<'t>(tokens: &[Token], filling: impl Fn(usize) -> &'t [u8]) -> Vec<u8> {
    let mut word = Vec::with_capacity(tokens.len() + 8);
    let mut stars = 0;
    for token in tokens {
        match u8::try_from(*token) {
            Ok(byte) => word.push(byte),
            Err(_) => {
                word.extend_from_slice(filling(stars));
                stars += 1;
            }
        }
    }
    word
}

/// The bytes that targets contain, single and in pairs: if each byte is in some pattern, a pair
/// that is in none is soon found.
fn fills(is_held: impl Fn(u8) -> bool) -> Vec<Vec<u8>> {
    let plain =
        |byte: &u8| is_held(*byte) && (byte.is_ascii_alphanumeric() || b"-._~".contains(byte));
    let bytes: Vec<u8> = (b'a'..=b'z')
        .rev()
        .chain((0..=u8::MAX).filter(|b| !b.is_ascii_lowercase()))
        .filter(plain)
        .collect();
    let alone = bytes.iter().map(|byte| vec![*byte]);
    let pairs = bytes.iter().flat_map(|a| bytes.iter().map(move |b| vec![*a, *b]));
    alone.chain(pairs).collect()
}
