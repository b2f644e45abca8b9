//! Shapes: patterns as self-contained texts of bytes and stars.
//!
//! In: a [`Pattern`] and the [`Space`] that patterns are compared in. Out: shapes that match
//! together what the pattern matches there. A shape is anchored at both ends: a pattern whose end
//! is open ends in a star. RFC 9309 sections 2.2.2 and 2.2.3; what each space is for, and why its
//! shapes suffice, is in DESIGN.md.

use crate::analysis::prefixes::prefix;
use crate::analysis::spelling::{spellings, Respelt};
use crate::analysis::text::{Token, STAR};
use crate::fold::Fold;
use crate::pattern::Pattern;
use crate::target::TargetReader;

/// The most stars of a pattern that are distinguished by which takes the first `?`.
const MOST_STARS: usize = 64;

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
    /// What each begins with, up to its first star, if there would be too many.
    common: Vec<Token>,
    /// How many spellings are listed.
    most: usize,
}

impl Shapes {
    /// The shapes of a pattern, except those that match no target; spellings are listed if there
    /// are no more than `most`.
    pub fn of(pattern: &Pattern, space: Space, targets: &TargetReader, most: usize) -> Shapes {
        let mut found = Shapes { most, ..Shapes::default() };
        match space {
            Space::Plain => found.add_whole(&pattern.text, pattern),
            Space::Folded => found.add_whole(&Fold::Everywhere.apply(&pattern.text), pattern),
            Space::Split => found.add_split(pattern),
        }
        found.shapes.retain(|shape| holds_all(shape, targets));
        found
    }

    /// What targets that the pattern matches begin with, each way up to its first star.
    pub fn beginnings(&self) -> impl Iterator<Item = &[Token]> {
        let common = self.is_cut.then_some(&self.common[..]);
        let paths = self.shapes.iter().map(|shape| &shape.path[..]);
        common.into_iter().chain(paths.filter(|_| !self.is_cut))
    }

    /// Whether, by their beginnings, some target may match a shape of both.
    pub fn may_meet(&self, other: &Shapes) -> bool {
        let meet = |a: &[Token], b: &[Token]| a.starts_with(b) || b.starts_with(a);
        self.beginnings().any(|a| other.beginnings().any(|b| meet(prefix(a), prefix(b))))
    }

    fn add_whole(&mut self, text: &[u8], of: &Pattern) {
        let rooted = rooted(&tokens(text, of));
        self.shapes.extend(rooted.into_iter().map(|path| Shape { path, query: None }));
    }

    fn add_split(&mut self, pattern: &Pattern) {
        let whole = tokens(&pattern.text, pattern);
        match whole.iter().position(|token| *token == QUESTION_MARK) {
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
            if stars > MOST_STARS {
                // Each star makes a shape as long as the whole: listed, they would be squared.
                self.is_cut = true;
                self.common = unfolded_beginning(&tokens);
            }
            for (at, _) in
                tokens[..path_end].iter().enumerate().filter(|(_, t)| **t == STAR).take(MOST_STARS)
            {
                let (path, query) = (tokens[..=at].to_vec(), Some(tokens[at..].to_vec()));
                self.shapes.push(Shape { path, query });
            }
            let query = mark.map(|mark| tokens[mark + 1..].to_vec());
            self.shapes.push(Shape { path: tokens[..path_end].to_vec(), query });
        }
    }

    /// A pattern that is folded, and has its first `?` where the target has it.
    fn add_with_query(&mut self, path: &[Token], query: &[Token]) {
        let queries = self.respelt(query, Respelt::Query);
        let mut paths = self.respelt(path, Respelt::Path);
        if paths.len() * queries.len() > self.most {
            self.is_cut = true;
            paths = vec![path.to_vec()];
        }
        if self.is_cut {
            self.common = unfolded_beginning(path);
        }
        let as_written = self.shapes.len();
        for path in paths.iter().flat_map(|path| rooted(path)) {
            for query in &queries {
                let shape = Shape { path: path.clone(), query: Some(query.clone()) };
                if !self.shapes[..as_written].contains(&shape) {
                    self.shapes.push(shape);
                }
            }
        }
    }

    fn respelt(&mut self, tokens: &[Token], part: Respelt) -> Vec<Vec<Token>> {
        spellings(tokens, part, self.most).unwrap_or_else(|| {
            self.is_cut = true;
            self.common = unfolded_beginning(tokens);
            vec![tokens.to_vec()]
        })
    }
}

/// What a text begins with in all of its spellings.
fn unfolded_beginning(tokens: &[Token]) -> Vec<Token> {
    let is_same = |token: &&Token| {
        u8::try_from(**token).is_ok_and(|b| b != b'%' && !Respelt::Path.folded().contains(&b))
    };
    let same = tokens.iter().take_while(is_same).copied();
    same.chain([STAR]).collect()
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
    holds_mark && shape.path.iter().chain(query).all(is_held)
}
