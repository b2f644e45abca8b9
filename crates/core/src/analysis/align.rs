//! Alignments: the ways in which one text matches two patterns.
//!
//! In: two texts of bytes and stars, anchored at both ends. Out: texts that match together exactly
//! what both match. Each is one way to lay the two over each other: a byte of one meets the same
//! byte of the other, or one of its stars.
//!
//! Pieces are laid as far left as possible, because whatever matches both texts also matches them
//! in this way: a star never runs over the piece that follows it. The number of alignments can
//! still double with each star; a budget limits it.

use crate::analysis::shape::Shape;
use crate::analysis::text::{Token, STAR};
use crate::budget::Budget;
use crate::sort::sort_unique;

/// Every alignment of two shapes; none if the budget is spent before.
pub fn align_shapes(a: &Shape, b: &Shape, budget: &Budget) -> Option<Vec<Shape>> {
    if a.query.is_some() != b.query.is_some() {
        return Some(Vec::new());
    }
    let paths = align(&a.path, &b.path, budget)?;
    let (Some(of_a), Some(of_b)) = (&a.query, &b.query) else {
        return Some(paths.into_iter().map(|path| Shape { path, query: None }).collect());
    };
    if paths.is_empty() {
        return Some(Vec::new());
    }
    let queries = align(of_a, of_b, budget)?;
    budget.take((paths.len() * queries.len()) as u64);
    if budget.is_spent() {
        return None;
    }
    let with = |path: &Vec<Token>, query: &Vec<Token>| Shape {
        path: path.clone(),
        query: Some(query.clone()),
    };
    Some(paths.iter().flat_map(|path| queries.iter().map(move |q| with(path, q))).collect())
}

/// Every alignment of two texts; none if the budget is spent before.
pub fn align(a: &[Token], b: &[Token], budget: &Budget) -> Option<Vec<Vec<Token>>> {
    let mut found: Vec<Vec<Token>> = Vec::new();
    let mut text: Vec<Token> = Vec::with_capacity(a.len() + b.len());
    let mut choices = vec![Choice { a: Reader::new(a), b: Reader::new(b), len: 0, next: None }];
    while let Some(choice) = choices.pop() {
        budget.take(STEPS_OF_CHOICE);
        if budget.is_spent() {
            return None;
        }
        text.truncate(choice.len);
        text.extend(choice.next);
        let Choice { a: mut of_a, b: mut of_b, .. } = choice;
        match (of_a.next(), of_b.next()) {
            (None, None) => {
                budget.take(text.len() as u64);
                found.push(text.clone());
            }
            (Some(STAR), Some(STAR)) => {
                if text.last() != Some(&STAR) {
                    text.push(STAR);
                }
                let (a_ended, b_ended) = (of_a.behind(text.len()), of_b.behind(text.len()));
                let len = text.len();
                of_a.begin_anew(len);
                of_b.begin_anew(len);
                choices.push(Choice { a: a_ended, b: b_ended, len, next: None });
                push_take(&mut choices, Side::B, a_ended, of_b, &text);
                push_take(&mut choices, Side::A, of_a, b_ended, &text);
            }
            (Some(STAR), next) => {
                if !(of_a.is_last() && next.is_some()) {
                    let behind = of_a.behind(text.len());
                    choices.push(Choice { a: behind, b: of_b, len: text.len(), next: None });
                }
                push_take(&mut choices, Side::A, of_a, of_b, &text);
            }
            (next, Some(STAR)) => {
                if !(of_b.is_last() && next.is_some()) {
                    let behind = of_b.behind(text.len());
                    choices.push(Choice { a: of_a, b: behind, len: text.len(), next: None });
                }
                push_take(&mut choices, Side::B, of_a, of_b, &text);
            }
            (Some(byte), Some(other)) if byte == other => {
                text.push(byte);
                let (a, b) = (of_a.behind(text.len()), of_b.behind(text.len()));
                choices.push(Choice { a, b, len: text.len(), next: None });
            }
            _ => {}
        }
    }
    sort_unique(&mut found);
    Some(found)
}

/// The cost of examining one choice.
const STEPS_OF_CHOICE: u64 = 4;

/// A way that is still to be followed.
struct Choice<'t> {
    a: Reader<'t>,
    b: Reader<'t>,
    /// How much of the text is kept, and what comes after it.
    len: usize,
    next: Option<Token>,
}

/// Whose star takes a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    A,
    B,
}

/// Let the star of one side take the next byte of the other, unless it runs over its next piece.
fn push_take<'t>(
    choices: &mut Vec<Choice<'t>>,
    taker: Side,
    of_a: Reader<'t>,
    of_b: Reader<'t>,
    text: &[Token],
) {
    let (star, other) = if taker == Side::A { (of_a, of_b) } else { (of_b, of_a) };
    let Some(byte) = other.next() else { return };
    if star.runs_over(text, byte) {
        return;
    }
    let behind = other.behind(text.len() + 1);
    let (a, b) = if taker == Side::A { (star, behind) } else { (behind, star) };
    choices.push(Choice { a, b, len: text.len(), next: Some(byte) });
}

/// A text, and how much of it has been read.
#[derive(Clone, Copy)]
struct Reader<'t> {
    text: &'t [Token],
    at: usize,
    /// Where in the alignment the star began that is being read.
    since: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t [Token]) -> Self {
        Reader { text, at: 0, since: 0 }
    }

    fn next(&self) -> Option<Token> {
        self.text.get(self.at).copied()
    }

    fn is_last(&self) -> bool {
        self.at + 1 == self.text.len()
    }

    /// After its next token, with this much of the alignment written.
    fn behind(&self, len: usize) -> Self {
        Reader { at: self.at + 1, since: len, ..*self }
    }

    fn begin_anew(&mut self, len: usize) {
        self.since = len;
    }

    /// Whether its star, taking one more byte, has taken all of the piece that follows it. The
    /// last piece, which is at the end, may be run over.
    fn runs_over(&self, text: &[Token], byte: Token) -> bool {
        let rest = &self.text[self.at + 1..];
        let Some(end) = rest.iter().position(|token| *token == STAR) else { return false };
        let Some((last, before)) = rest[..end].split_last() else { return false };
        *last == byte && text[self.since.min(text.len())..].ends_with(before)
    }
}
