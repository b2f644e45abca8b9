//! Words: the target that stands for all that a shape matches, and the shortest that proves it.
//!
//! In: a shape, and a test of targets. Out: a target. A star is filled with a byte that no pattern
//! holds: another pattern then matches the word only where it matches everything that the shape
//! matches (the lemma of the module `fresh`).

use crate::analysis::fresh::{Fresh, Used};
use crate::analysis::shape::{Shape, Space};
use crate::analysis::spelling::{spellings, Respelt};
use crate::analysis::text::{Token, STAR};
use crate::budget::Budget;
use crate::pattern::Pattern;
use crate::percent::escape_at;
use crate::target::{TargetReader, ROBOTS_TXT};

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
        let fresh = used.fresh(all_hold);
        let is_held = fresh.is_some_and(|fresh| fresh.is_held);
        let fills = if is_held { Vec::new() } else { fills(all_hold) };
        let substitute = Fresh { byte: used.substitute(targets[0]), is_held: true };
        Words { fresh: fresh.unwrap_or(substitute), fills, is_proof: fresh.is_some(), space }
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

    /// The shortest target of a shape that passes a test which its word passes, without dot segments
    /// if there is one; none if only words that are not targets do, or if the test ends early.
    pub fn shortest(
        &self,
        shape: &Shape,
        targets: &TargetReader,
        budget: &Budget,
        mut is_wanted: impl FnMut(&[u8]) -> Option<bool>,
    ) -> Option<Option<Vec<u8>>> {
        let fresh = [self.fresh.byte];
        let fresh = self.fresh.is_held.then_some(&fresh[..]);
        let mut texts = self.texts(shape, budget)?;
        // Whatever stars are filled with, a byte that no target holds stays.
        texts.retain(|text| text.iter().all(|token| is_held_by(targets, *token)));
        let mut unrequested = None;
        // Behind a `?`, dot segments stay.
        let query = targets.holds(b'?').then_some(&b"?"[..]);
        let fillings_of_stars = fresh.into_iter().chain(self.fills.iter().map(Vec::as_slice));
        for filling in fillings_of_stars.chain(query) {
            if filling == b"?" && unrequested.is_none() {
                break;
            }
            for (text, mask) in fillings(&texts) {
                budget.take(text.len() as u64);
                if budget.is_spent() {
                    return None;
                }
                let word = fill(text, |star| if is_filled(mask, star) { filling } else { b"" });
                if !targets.is_possible(&word) || !is_wanted(&word)? {
                    continue;
                }
                if targets.is_requested(&word) {
                    let mut is_wanted =
                        |word: &[u8]| Some(targets.is_requested(word) && is_wanted(word)?);
                    return self.emptied(text, filling, word, &mut is_wanted).map(Some);
                }
                unrequested.get_or_insert(word);
            }
        }
        Some(unrequested)
    }

    /// The texts of a shape: if reserved bytes equal their escapes, every way to write them, or the
    /// shortest; none if the budget is spent. All have the stars of the shape.
    fn texts(&self, shape: &Shape, budget: &Budget) -> Option<Vec<Vec<Token>>> {
        let tokens = shape.tokens();
        if self.space != Space::Folded {
            budget.take(tokens.len() as u64);
            return Some(vec![tokens]);
        }
        let affordable = budget.left() / (1 + tokens.len() as u64);
        let most = affordable.clamp(1, MOST_WAYS as u64) as usize;
        match spellings(&tokens, Respelt::Path, most) {
            Ok(texts) => {
                budget.take(texts.iter().map(|text| text.len() as u64).sum());
                Some(texts)
            }
            Err(_) if most < MOST_WAYS => {
                budget.take(budget.left());
                None
            }
            Err(written) => {
                budget.take((written + tokens.len()) as u64);
                Some(vec![unfolded(&tokens)])
            }
        }
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

/// Every choice of stars to fill in some texts, which have equally many, shorter words first. They
/// are made one by one: there may be thousands, and often the first is the one that is wanted.
fn fillings(texts: &[Vec<Token>]) -> impl Iterator<Item = (&[Token], u64)> {
    let stars = texts.first().map_or(0, |text| stars(text));
    let shortest = texts.iter().map(Vec::len).min().unwrap_or(0);
    let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
    (shortest..=longest + stars.min(MOST_STARS_CHOSEN)).flat_map(move |len| {
        let so_long = move |text: &Vec<Token>| choices(stars, len.checked_sub(text.len()));
        texts.iter().flat_map(move |text| so_long(text).map(move |mask| (&text[..], mask)))
    })
}

/// The choices of so many stars to fill; of many stars only all, as if none were chosen.
fn choices(stars: usize, filled: Option<usize>) -> impl Iterator<Item = u64> {
    let (few, all) = match (stars, filled) {
        (0..=MOST_STARS_CHOSEN, Some(filled)) if filled <= stars => (0..1 << stars, None),
        (0..=MOST_STARS_CHOSEN, _) => (0..0, None),
        (_, filled) => (0..0, (filled == Some(0)).then_some(u64::MAX)),
    };
    few.filter(move |mask: &u64| Some(mask.count_ones() as usize) == filled).chain(all)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::effect::Effect;
    use crate::analysis::rule_list::RuleList;
    use crate::analysis::shape::Shapes;
    use crate::dialect::RFC9309;
    use crate::file::File;

    fn text(pattern: &str) -> Vec<Token> {
        pattern.bytes().map(|byte| if byte == b'*' { STAR } else { Token::from(byte) }).collect()
    }

    #[test]
    fn fillings_come_by_the_length_of_their_words() {
        for texts in [
            &["/a"][..],
            &["/%3A*b*", "/:*b*", "/::*b*"],
            &["/long*a*b*c*d*e*f*g*h", "/*a*b*c*d*e*f*g*h"],
            &["/long*a*b*c*d*e*f*g*h*i", "/*a*b*c*d*e*f*g*h*i"],
            &[],
        ] {
            let texts: Vec<Vec<Token>> = texts.iter().map(|each| text(each)).collect();
            let mut expected: Vec<(&[Token], u64)> = Vec::new();
            for text in &texts {
                let all = match stars(text) {
                    stars @ 0..=MOST_STARS_CHOSEN => (0..1 << stars).collect(),
                    _ => vec![u64::MAX],
                };
                expected.extend(all.into_iter().map(|mask| (&text[..], mask)));
            }
            expected.sort_by_key(|(text, mask)| text.len() + mask.count_ones() as usize);

            assert_eq!(fillings(&texts).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn dot_segments_stay_in_the_query() {
        let witness = |rules: &str| {
            let file = File::parse(format!("User-agent: *\n{rules}").as_bytes(), &RFC9309);
            let effects = file.wildcard_agent().effects(1 << 20);
            match effects.into_iter().next().map(|found| found.effect) {
                Some(Effect::Decides { witness }) => String::from_utf8(witness).ok(),
                _ => None,
            }
        };

        assert_eq!(witness("Disallow: /x/*/../y\n").as_deref(), Some("/x/?/../y"));
        assert_eq!(witness("Disallow: /x/*./../y\n").as_deref(), Some("/x/?./../y"));
        assert_eq!(witness("Disallow: /x/*./y\n").as_deref(), Some("/x/z./y"));
        let beside = "Disallow: /x/*/../y\nDisallow: /x/*?*/../*\n";
        assert_eq!(witness(beside).as_deref(), Some("/x//../y"));
    }

    #[test]
    fn every_way_to_write_a_text_is_charged() {
        let rules = b"User-agent: *\nDisallow: /:a:b:c:d:e:f\n";
        let agent = File::parse(rules, &RFC9309).wildcard_agent();
        let side = RuleList::new(&agent);
        let pattern = &side.candidates[0].pattern;
        let targets = agent.file().targets();
        let shapes = Shapes::of(pattern, Space::Folded, targets, 1 << 20);
        let words = Words::new([pattern].into_iter(), &[targets], Space::Folded);
        let budget = Budget::new(1 << 20);
        let shortest =
            |budget: &Budget| words.shortest(&shapes.shapes[0], targets, budget, |_| Some(true));
        let found = shortest(&budget);

        assert_eq!(found, Some(Some(b"/:a:b:c:d:e:f".to_vec())));
        let all = MOST_WAYS * "/:a:b:c:d:e:f*".len();
        assert!((1 << 20) - budget.left() >= all as u64);
        assert_eq!(shortest(&Budget::new(all as u64 / 2)), None);
    }
}
