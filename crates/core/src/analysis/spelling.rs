//! Spellings: every way to write what the fold makes equal.
//!
//! In: a text with its stars. Out: the texts that together match, as written, what it matches when
//! it and the target are folded ([`crate::fold`]). A folded byte is written as itself or escaped; a
//! piece that begins or ends within an escape also meets the byte itself.

use crate::analysis::text::{Token, STAR};
use crate::percent::escape_at;
use crate::sort::sort_unique;

/// Which part of a text is spelt, which decides which bytes are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Respelt {
    /// A pattern without `?`, or the part before the first.
    Path,
    /// The part after the first `?` of a pattern.
    Query,
}

impl Respelt {
    /// The bytes that are folded there.
    pub fn folded(self) -> &'static [u8] {
        match self {
            Respelt::Path => b":@[]!'(),;",
            Respelt::Query => b":@[]!'(),;/?",
        }
    }
}

/// Every spelling. If there are more than `most`, or a star may match part of an escape, the error
/// says how many tokens were written until that was known.
pub fn spellings(tokens: &[Token], part: Respelt, most: usize) -> Result<Vec<Vec<Token>>, usize> {
    let mut all: Vec<Vec<Token>> = vec![Vec::with_capacity(tokens.len())];
    let pieces: Vec<&[Token]> = tokens.split(|token| *token == STAR).collect();
    if pieces.windows(2).any(|pair| is_escape_with_star(pair[0], pair[1])) {
        return Err(0);
    }
    for (at, piece) in pieces.iter().enumerate() {
        let edges = Edges { is_behind_star: at > 0, is_before_star: at + 1 < pieces.len() };
        let ways = piece_spellings(piece, edges, part, most).map_err(|more| size(&all) + more)?;
        if all.len() * ways.len() > most {
            return Err(size(&all) + size(&ways));
        }
        let star = edges.is_behind_star.then_some(STAR);
        if let [way] = &ways[..] {
            all.iter_mut().for_each(|text| text.extend(star.iter().chain(way)));
            continue;
        }
        let extended = |text: &Vec<Token>, way: &Vec<Token>| {
            text.iter().copied().chain(star).chain(way.iter().copied()).collect()
        };
        all = all.iter().flat_map(|text| ways.iter().map(move |w| extended(text, w))).collect();
    }
    Ok(all)
}

/// How much some texts are together.
fn size<T>(texts: &[Vec<T>]) -> usize {
    texts.iter().map(Vec::len).sum()
}

/// Whether two pieces may be parts of one escape, whose rest the star between them takes: no
/// author writes that, so it is not worth listing.
fn is_escape_with_star(before: &[Token], behind: &[Token]) -> bool {
    const PERCENT: Token = b'%' as Token;
    let begins = matches!(before, [.., PERCENT] | [.., PERCENT, _]);
    let is_digit = |token: &Token| u8::try_from(*token).is_ok_and(|b| b.is_ascii_hexdigit());
    begins && behind.first().is_some_and(is_digit)
}

#[derive(Clone, Copy)]
struct Edges {
    is_behind_star: bool,
    is_before_star: bool,
}

/// The spellings of a piece between two stars.
fn piece_spellings(
    piece: &[Token],
    edges: Edges,
    part: Respelt,
    most: usize,
) -> Result<Vec<Vec<Token>>, usize> {
    let bytes: Vec<u8> = piece.iter().map(|token| *token as u8).collect();
    let mut begins: Vec<(Vec<u8>, usize)> = vec![(Vec::new(), 0)];
    if edges.is_behind_star {
        let heads = heads(&bytes, edges.is_before_star, part);
        begins.extend(heads.into_iter().map(|(byte, len)| (vec![byte], len)));
    }
    let mut all: Vec<Vec<u8>> = Vec::new();
    for (begin, len) in begins {
        let rest = spell_from(&bytes[len..], edges.is_before_star, part, most)
            .map_err(|more| size(&all) + more)?;
        all.extend(rest.into_iter().map(|rest| [begin.as_slice(), &rest].concat()));
        if all.len() > most {
            return Err(size(&all));
        }
    }
    sort_unique(&mut all);
    Ok(all.into_iter().map(|way| way.into_iter().map(Token::from).collect()).collect())
}

/// The bytes in whose escape a piece may begin, and how much of the piece is in it.
fn heads(piece: &[u8], is_before_star: bool, part: Respelt) -> Vec<(u8, usize)> {
    let mut heads = Vec::new();
    for byte in part.folded() {
        let [first, last] = digits(*byte);
        if piece.starts_with(&[first, last]) {
            heads.push((*byte, 2));
        }
        if piece.starts_with(&[last]) || is_before_star && piece == [first] {
            heads.push((*byte, 1));
        }
    }
    heads
}

/// The spellings of what follows in a piece.
fn spell_from(
    bytes: &[u8],
    is_before_star: bool,
    part: Respelt,
    most: usize,
) -> Result<Vec<Vec<u8>>, usize> {
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    let mut at = 0;
    while at < bytes.len() {
        let (ways, len) = ways_at(bytes, at, is_before_star, part);
        if all.len() * ways.len() > most {
            return Err(size(&all));
        }
        match &ways[..] {
            [way] => all.iter_mut().for_each(|text| text.extend_from_slice(way)),
            _ => {
                let longer = |text: &Vec<u8>| {
                    ways.iter().map(|way| [text.as_slice(), way].concat()).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(longer).collect();
            }
        }
        at += len;
    }
    Ok(all)
}

/// The ways to spell the byte at one place, and its length there.
fn ways_at(bytes: &[u8], at: usize, is_before_star: bool, part: Respelt) -> (Vec<Vec<u8>>, usize) {
    let folded = part.folded();
    let byte = bytes[at];
    if folded.contains(&byte) {
        return (vec![vec![byte], escape(byte)], 1);
    }
    if let Some((value, _)) = escape_at(bytes, at).filter(|(value, _)| folded.contains(value)) {
        return (vec![bytes[at..at + 3].to_vec(), vec![value]], 3);
    }
    let rest = &bytes[at..];
    let mut ways = vec![vec![byte]];
    let mut len = 1;
    if is_before_star && byte == b'%' && rest.len() <= 2 {
        // Part of an escape; the star takes the rest.
        let begins = |value: &&u8| rest.len() == 1 || digits(**value)[0] == rest[1];
        ways = vec![rest.to_vec()];
        ways.extend(folded.iter().filter(begins).map(|value| vec![*value]));
        len = rest.len();
    }
    (ways, len)
}

fn digits(byte: u8) -> [u8; 2] {
    let digit = |value: u8| b"0123456789ABCDEF"[value as usize];
    [digit(byte >> 4), digit(byte & 15)]
}

fn escape(byte: u8) -> Vec<u8> {
    let [first, last] = digits(byte);
    vec![b'%', first, last]
}
