//! Shapes: patterns as self-contained texts of bytes and stars.
//!
//! In: a [`Pattern`] and the [`Space`] that patterns are compared in. Out: shapes that match
//! together what the pattern matches there. A shape is anchored at both ends: a pattern whose end
//! is open ends in a star. RFC 9309 sections 2.2.2 and 2.2.3; what each space is for, and why its
//! shapes suffice, is in DESIGN.md.

use memchr::memrchr;

use crate::analysis::prefixes::prefix;
use crate::analysis::spelling::{spellings, Respelt};
use crate::analysis::text::{Token, STAR};
use crate::budget::Budget;
use crate::fold::Fold;
use crate::pattern::Pattern;
use crate::target::TargetReader;

/// The most stars of a pattern for which it is tried whether they match the first `?`.
const MOST_STARS: usize = 64;

/// The most spellings of a pattern that are listed: each of eight bytes in two ways.
pub const MOST_SPELLINGS: usize = 256;

/// What a shape takes besides its tokens, counted in tokens of two bytes: itself 48 bytes, and
/// where it begins 16.
const TOKENS_OF_SHAPE: usize = 32;

const QUESTION_MARK: Token = b'?' as Token;

/// What distinguishes targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// Their bytes: nothing is folded.
    Plain,
    /// Their bytes, reserved ones escaped: only patterns without `?` are folded.
    Folded,
    /// Their bytes, separately before and after the first `?`: a pattern with `?` is folded, or
    /// some are folded and others never.
    Split,
}

impl Space {
    /// The space in which all of some patterns can be expressed.
    pub fn of<'p>(patterns: impl Iterator<Item = &'p Pattern<'p>>) -> Space {
        let (mut space, mut all_fold) = (Space::Plain, true);
        for pattern in patterns {
            all_fold &= pattern.folds;
            if !pattern.reserved().is_empty() {
                let has_query = pattern.text.contains(&b'?');
                space = if has_query { Space::Split } else { space.max(Space::Folded) };
            }
        }
        if space == Space::Folded && !all_fold {
            Space::Split
        } else {
            space
        }
    }
}

/// A text of bytes and stars, or two: before the first `?` of a target, where no star takes a `?`,
/// and after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The whole, or the part before the first `?`.
    pub path: Vec<Token>,
    /// The part after the first `?`, if it is separate.
    pub query: Option<Vec<Token>>,
}

impl Shape {
    /// How much memory it takes, in tokens.
    fn size(&self) -> usize {
        TOKENS_OF_SHAPE + self.path.len() + self.query.as_ref().map_or(0, Vec::len)
    }

    /// Both parts in one.
    pub fn tokens(&self) -> Vec<Token> {
        let mut tokens = self.path.clone();
        if let Some(query) = &self.query {
            tokens.push(QUESTION_MARK);
            tokens.extend(query);
        }
        tokens
    }
}

/// What every target that a pattern matches begins with, however it is spelt: less precise than its
/// shapes, and found without them.
pub fn certain_beginning<'p>(pattern: &'p Pattern) -> &'p [u8] {
    let is_certain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte);
    let end = pattern.text.iter().position(|byte| !is_certain(byte));
    &pattern.text[..end.unwrap_or(pattern.text.len())]
}

/// The shapes of a pattern; and whether they are all of them.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    /// Together they match what the pattern matches.
    pub shapes: Vec<Shape>,
    /// Whether there would be too many: then these are some.
    pub is_cut: bool,
    /// What every spelling of the pattern begins with, if there may be too many.
    common: Vec<Token>,
    /// The different beginnings: a shape, and the length of its path up to the first star.
    begins: Vec<(usize, usize)>,
    /// How much memory the shapes take, in tokens, also those that match no target.
    size: usize,
    /// How much they may take.
    room: usize,
    /// How many tokens were written for nothing.
    wasted: usize,
    /// Whether there might be more with more room.
    lacks_room: bool,
    /// The most spellings that are listed.
    most: usize,
}

impl Shapes {
    /// The shapes of a pattern, except those that match no target; those that differ only in
    /// spelling, or in what matches the first `?`, are cut where they take more than `room`.
    pub fn of(pattern: &Pattern, space: Space, targets: &TargetReader, room: usize) -> Shapes {
        let most = (room / (TOKENS_OF_SHAPE + pattern.text.len())).clamp(1, MOST_SPELLINGS);
        let mut found = Shapes { room, most, ..Shapes::default() };
        match space {
            Space::Plain => found.add_whole(&pattern.text, pattern),
            Space::Folded => found.add_whole(&Fold::Everywhere.apply(&pattern.text), pattern),
            Space::Split => found.add_split(pattern),
        }
        found.shapes.retain(|shape| holds_all(shape, targets));
        found.begins = match found.is_cut {
            true => Vec::new(),
            false => begins(&found.shapes),
        };
        found
    }

    /// How much memory they take, in tokens.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The cost of listing them.
    pub fn steps(&self) -> u64 {
        (self.size + self.wasted) as u64
    }

    /// Whether there might be more with more room.
    pub fn lacks_room(&self) -> bool {
        self.lacks_room
    }

    /// What targets that the pattern matches begin with: every such target begins with one of
    /// these.
    pub fn beginnings(&self) -> impl ExactSizeIterator<Item = &[Token]> {
        let all = usize::from(self.is_cut) + self.begins.len();
        (0..all).map(|at| match self.is_cut {
            true => &self.common[..],
            false => &self.shapes[self.begins[at].0].path[..self.begins[at].1],
        })
    }

    /// Whether, by their beginnings, some target may match a shape of both; none if the budget is
    /// spent.
    pub fn may_meet(&self, other: &Shapes, budget: &Budget) -> Option<bool> {
        // Every beginning of one pattern is compared with every beginning of the other: up to
        // 65,536 pairs.
        let pairs = self.beginnings().len() * other.beginnings().len();
        let longest = |shapes: &Shapes| shapes.beginnings().map(<[Token]>::len).max();
        let compared = longest(self).min(longest(other)).unwrap_or(0);
        budget.take((pairs * (4 + compared / 64)) as u64);
        if budget.is_spent() {
            return None;
        }
        let meet = |a: &[Token], b: &[Token]| a.starts_with(b) || b.starts_with(a);
        Some(self.beginnings().any(|a| other.beginnings().any(|b| meet(a, b))))
    }

    fn add_whole(&mut self, text: &[u8], of: &Pattern) {
        for path in rooted(&tokens(text, of)) {
            self.push(Shape { path, query: None });
        }
    }

    /// Add a shape, if there is room for it or there is none yet.
    fn add(&mut self, path: &[Token], query: Option<&[Token]>) {
        let size = TOKENS_OF_SHAPE + path.len() + query.map_or(0, <[Token]>::len);
        if self.size + size > self.room && !self.shapes.is_empty() {
            self.is_cut = true;
            self.lacks_room = true;
            return;
        }
        self.push(Shape { path: path.to_vec(), query: query.map(<[Token]>::to_vec) });
    }

    fn push(&mut self, shape: Shape) {
        self.size += shape.size();
        self.shapes.push(shape);
    }

    /// Give up some texts, of which there would be too many.
    fn give_up(&mut self, written: usize) {
        self.is_cut = true;
        self.lacks_room |= self.most < MOST_SPELLINGS;
        self.wasted += written;
    }

    fn add_split(&mut self, pattern: &Pattern) {
        let whole = tokens(&pattern.text, pattern);
        let mark = whole.iter().position(|token| *token == QUESTION_MARK);
        self.common = unfolded_beginning(&whole[..mark.unwrap_or(whole.len())]);
        match mark {
            None if pattern.reserved().is_empty() => self.add_around(&whole),
            None => {
                let respelt = self.respelt(&whole, Respelt::Path);
                respelt.iter().for_each(|tokens| self.add_around(tokens));
            }
            Some(mark) => {
                self.add_around(&whole);
                if !pattern.reserved().is_empty() {
                    self.add_with_query(&whole[..mark], &whole[mark + 1..]);
                }
            }
        }
    }

    /// A pattern that is compared as written: its first `?`, or any star before that, takes the
    /// first `?` of the target.
    fn add_around(&mut self, tokens: &[Token]) {
        for tokens in rooted(tokens) {
            let mark = tokens.iter().position(|token| *token == QUESTION_MARK);
            let path_end = mark.unwrap_or(tokens.len());
            let stars = tokens[..path_end].iter().filter(|token| **token == STAR).count();
            // Each star gives a shape as long as the pattern: together they would take memory
            // quadratic in its length.
            self.is_cut |= stars > MOST_STARS;
            for (at, _) in
                tokens[..path_end].iter().enumerate().filter(|(_, t)| **t == STAR).take(MOST_STARS)
            {
                self.add(&tokens[..=at], Some(&tokens[at..]));
            }
            self.add(&tokens[..path_end], mark.map(|mark| &tokens[mark + 1..]));
        }
    }

    /// A pattern that is folded, and has its first `?` where the target has it.
    fn add_with_query(&mut self, path: &[Token], query: &[Token]) {
        let queries = self.respelt(query, Respelt::Query);
        let mut paths = self.respelt(path, Respelt::Path);
        if paths.len() * queries.len() > self.most {
            self.give_up(paths.iter().map(Vec::len).sum());
            paths = vec![path.to_vec()];
        }
        let as_written = self.shapes.len();
        for path in paths.iter().flat_map(|path| rooted(path)) {
            for query in &queries {
                let is_same =
                    |shape: &Shape| shape.path == path && shape.query.as_ref() == Some(query);
                if !self.shapes[..as_written].iter().any(is_same) {
                    self.add(&path, Some(query));
                }
            }
        }
    }

    fn respelt(&mut self, tokens: &[Token], part: Respelt) -> Vec<Vec<Token>> {
        spellings(tokens, part, self.most).unwrap_or_else(|written| {
            self.give_up(written);
            vec![tokens.to_vec()]
        })
    }
}

/// What a text begins with in all of its spellings.
fn unfolded_beginning(tokens: &[Token]) -> Vec<Token> {
    let is_same = |token: &&Token| {
        u8::try_from(**token).is_ok_and(|b| b != b'%' && !Respelt::Path.folded().contains(&b))
    };
    tokens.iter().take_while(is_same).copied().collect()
}

/// The different beginnings of shapes. Shapes that differ only behind their first star follow each
/// other.
fn begins(shapes: &[Shape]) -> Vec<(usize, usize)> {
    let mut begins: Vec<(usize, usize)> =
        shapes.iter().enumerate().map(|(at, shape)| (at, prefix(&shape.path).len())).collect();
    let text = |(at, len): (usize, usize)| &shapes[at].path[..len];
    begins.dedup_by(|one, other| text(*one) == text(*other));
    begins
}

/// The text with its stars, anchored at its end.
fn tokens(text: &[u8], of: &Pattern) -> Vec<Token> {
    let is_star = |byte: u8| of.wild && byte == b'*';
    let token = |byte: &u8| if is_star(*byte) { STAR } else { Token::from(*byte) };
    text.iter().map(token).chain((!of.anchored).then_some(STAR)).collect()
}

/// The texts that begin with `/` and match together what a text matches of targets.
fn rooted(tokens: &[Token]) -> Vec<Vec<Token>> {
    const SLASH: Token = b'/' as Token;
    match tokens {
        [STAR, SLASH, ..] => vec![[&[SLASH], tokens].concat(), tokens[1..].to_vec()],
        [STAR, ..] => vec![[&[SLASH], tokens].concat()],
        [SLASH, ..] => vec![tokens.to_vec()],
        _ => Vec::new(),
    }
}

fn holds_all(shape: &Shape, targets: &TargetReader) -> bool {
    let is_held = |token: &Token| u8::try_from(*token).map_or(true, |byte| targets.holds(byte));
    let query = shape.query.iter().flatten();
    let holds_mark = shape.query.is_none() || targets.holds(b'?');
    holds_mark && shape.path.iter().chain(query).all(is_held) && is_requested(shape, targets)
}

/// Whether no target is kept from the shape by a dot segment that each would have: one before the
/// first star. Behind a star it may lie in the query.
fn is_requested(shape: &Shape, targets: &TargetReader) -> bool {
    let star = shape.path.iter().position(|token| *token == STAR);
    let literal: Vec<u8> =
        shape.path[..star.unwrap_or(shape.path.len())].iter().map(|token| *token as u8).collect();
    let has_end = star.is_none() || literal.contains(&b'?');
    let whole_segments = match has_end {
        true => literal.len(),
        false => memrchr(b'/', &literal).unwrap_or(0),
    };
    targets.is_requested(&literal[..whole_segments])
}
