//! The fold: reserved bytes that equal their escapes.
//!
//! In: patterns and targets in normal form. Out: their folded form, and which of the bytes that
//! the fold touches a text contains. RFC 9309 section 2.2.2 says to escape octets of the reserved
//! range before they are compared. Taken literally, that escapes every `/`. Here, the bytes that
//! delimit no part of a URI equal their escapes anywhere, and `/` and `?` do so after the first
//! `?`, where they delimit nothing (RFC 3986 section 3.4; row 2 of RFC 9309 Figure 4). `=`, `&`,
//! `+`, `$` and `*` keep their roles.
//!
//! Two texts can differ before they are folded, but not afterwards, only if one contains such a
//! byte and the other its escape. [`Reserved`] records which do, so that few patterns are ever
//! compared with a folded target, and few targets are folded.

use memchr::{memchr, memchr_iter};

use crate::percent::{escape_at, push_escape};

/// What is folded, which depends on the pattern: both sides of a comparison are folded alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Of a pattern without `?`: the same bytes throughout.
    Everywhere,
    /// Of a pattern with one: after the first `?` of either side also `/` and `?`.
    WithQuery,
}

impl Fold {
    /// The folded form of a pattern's text or a target.
    pub fn apply(self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 16);
        self.each(bytes, |byte, is_folded| match is_folded {
            true => push_escape(byte, &mut out),
            false => out.push(byte),
        });
        out
    }

    /// For each offset in the folded form, and for its end, the byte of the text that it comes
    /// from.
    pub fn offsets(self, bytes: &[u8]) -> Vec<usize> {
        let mut offsets = Vec::with_capacity(bytes.len() + 1);
        let mut index = 0;
        self.each(bytes, |_, is_folded| {
            offsets.extend(std::iter::repeat_n(index, if is_folded { 3 } else { 1 }));
            index += 1;
        });
        offsets.push(bytes.len());
        offsets
    }

    /// Hand out every byte, and whether it is folded.
    #[inline]
    fn each(self, bytes: &[u8], mut take: impl FnMut(u8, bool)) {
        let (path, query) = split_query(bytes);
        let in_query = match self {
            Fold::Everywhere => ANYWHERE,
            Fold::WithQuery => IN_QUERY,
        };
        path.iter().for_each(|byte| take(*byte, bit(*byte) & ANYWHERE != 0));
        query.iter().for_each(|byte| take(*byte, bit(*byte) & in_query != 0));
    }
}

/// Cut after the first `?`; without one there is no query.
#[inline]
fn split_query(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at(memchr(b'?', bytes).map_or(bytes.len(), |mark| mark + 1))
}

/// A set of the bytes that are folded, one bit each; and marks for what else must be checked.
type Set = u16;

/// The bytes that are folded, in the order of their bits, and the digits of their escapes.
const FOLDED: [u8; 12] = *b":@[]!'(),;/?";
const DIGITS: [&[u8; 2]; FOLDED.len()] =
    [b"3A", b"40", b"5B", b"5D", b"21", b"27", b"28", b"29", b"2C", b"3B", b"2F", b"3F"];

/// `:`, `@`, `[`, `]`, `!`, `'`, `(`, `)`, `,` and `;`.
const ANYWHERE: Set = (1 << 10) - 1;
const SLASH: Set = 1 << 10;
const QUESTION_MARK: Set = 1 << 11;
/// Those, and `/` and `?`.
const IN_QUERY: Set = ANYWHERE | SLASH | QUESTION_MARK;
const PERCENT: Set = 1 << 12;
const STAR: Set = 1 << 13;

#[inline]
fn bit(byte: u8) -> Set {
    static BITS: [Set; 256] = {
        let mut bits = [0; 256];
        let mut at = 0;
        while at < FOLDED.len() {
            bits[FOLDED[at] as usize] = 1 << at;
            at += 1;
        }
        bits[b'%' as usize] = PERCENT;
        bits[b'*' as usize] = STAR;
        bits
    };
    BITS[byte as usize]
}

#[inline]
fn bits(bytes: &[u8]) -> Set {
    bytes.iter().fold(0, |all, byte| all | bit(*byte))
}

/// The folded bytes that a text contains: which as themselves, and which escaped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    raw: Set,
    escaped: Set,
    has_query: bool,
}

impl Reserved {
    /// Those of a target.
    pub fn of_target(bytes: &[u8]) -> Self {
        if bits(bytes) & (ANYWHERE | QUESTION_MARK | PERCENT) == 0 {
            return Reserved::default();
        }
        let (path, query) = split_query(bytes);
        let (in_path, in_query) = (bits(path), bits(query));
        let mut found = Reserved {
            raw: in_path & ANYWHERE | in_query & IN_QUERY,
            escaped: 0,
            has_query: in_path & QUESTION_MARK != 0,
        };
        if (in_path | in_query) & PERCENT != 0 {
            found.escaped = escapes(path) & ANYWHERE | escapes(query) & IN_QUERY;
        }
        found
    }

    /// Those of a pattern's text, in which `*` may be the wildcard; none if folding it cannot
    /// let it match more.
    #[inline]
    pub fn of_pattern(text: &[u8]) -> Self {
        let all = bits(text);
        let mut found = match all & (ANYWHERE | PERCENT | QUESTION_MARK) {
            0 => Reserved::default(),
            _ => Reserved::of_target(text),
        };
        if all & (PERCENT | STAR) != 0 {
            found.escaped |=
                parts_of_escapes(text) & if found.has_query { IN_QUERY } else { ANYWHERE };
        }
        found
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.raw | self.escaped == 0
    }

    /// Whether folding changes the text.
    pub fn is_changed(self) -> bool {
        self.raw != 0
    }

    /// Those of two patterns that are folded alike.
    pub fn and(self, other: Self) -> Self {
        Reserved {
            raw: self.raw | other.raw,
            escaped: self.escaped | other.escaped,
            has_query: self.has_query,
        }
    }

    /// How a pattern that contains them is folded.
    pub fn fold(self) -> Fold {
        match self.has_query {
            true => Fold::WithQuery,
            false => Fold::Everywhere,
        }
    }

    /// A cheaper and less precise [`Reserved::may_meet`]: the target must contain some escape, or
    /// one of the bytes.
    #[inline]
    pub fn may_meet_any(self, target: &[u8]) -> bool {
        self.raw != 0 && memchr(b'%', target).is_some()
            || self.escaped != 0 && self.escaped & bits(target) != 0
    }

    /// Whether a pattern that contains them may match the folded target, but not the target: only
    /// if one contains a byte and the other its escape.
    #[inline]
    pub fn may_meet(self, target: Self) -> bool {
        let meets = self.raw & target.escaped | self.escaped & target.raw != 0;
        meets && (target.has_query || !self.has_query)
    }
}

/// Which bytes are in a text as escapes.
fn escapes(bytes: &[u8]) -> Set {
    let values = memchr_iter(b'%', bytes).filter_map(|at| escape_at(bytes, at));
    values.fold(0, |all, (value, _)| all | bit(value))
}

/// The bytes whose escapes, which the fold may write, can contain the beginning or end of a piece
/// of a pattern, which can then match part of one: `/a%3` and `/*3A` match `/a%3A`.
fn parts_of_escapes(text: &[u8]) -> Set {
    let of_star = |at: usize| begun_within(&text[at + 1..]) | ended_within(&text[..at]);
    // Few bytes long: a search costs more than it saves.
    let stars = text.iter().enumerate().filter(|(_, byte)| **byte == b'*');
    stars.fold(ended_within(text), |all, (star, _)| all | of_star(star))
}

fn begun_within(rest: &[u8]) -> Set {
    match rest {
        [] => 0,
        [first] | [first, b'*', ..] => with_digits(|digits| digits.contains(first)),
        [first, second, ..] => {
            with_digits(|digits| digits[1] == *first || *digits == [*first, *second])
        }
    }
}

fn ended_within(before: &[u8]) -> Set {
    match before {
        [.., b'%'] => IN_QUERY,
        [.., b'%', digit] => with_digits(|digits| digits[0] == *digit),
        _ => 0,
    }
}

/// The bytes whose escapes have these digits.
#[inline]
fn with_digits(are_such: impl Fn(&[u8; 2]) -> bool) -> Set {
    let such = DIGITS.iter().enumerate().filter(|(_, digits)| are_such(digits));
    such.fold(0, |all, (at, _)| all | 1 << at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_bytes_are_escaped_anywhere() {
        let text = b"/:@[]!'(),;=&+$*?/:?";

        assert_eq!(Fold::Everywhere.apply(text), b"/%3A%40%5B%5D%21%27%28%29%2C%3B=&+$*?/%3A?");
    }

    #[test]
    fn slash_and_question_mark_are_escaped_behind_the_first_question_mark() {
        assert_eq!(Fold::WithQuery.apply(b"/a:b?c:/?@d"), b"/a%3Ab?c%3A%2F%3F%40d");
        assert_eq!(Fold::WithQuery.apply(b"/a/:"), b"/a/%3A");
    }

    #[test]
    fn offsets_lead_back_to_the_text() {
        assert_eq!(Fold::Everywhere.offsets(b"/:a"), [0, 1, 1, 1, 2, 3]);
        assert_eq!(Fold::WithQuery.offsets(b"?/"), [0, 1, 1, 1, 2]);
    }

    #[test]
    fn a_pattern_that_the_fold_lets_match_no_more_holds_nothing() {
        for text in
            ["/", "/a/b", "/a%2Fb", "/a%20", "/*.php", "/*2020", "/*?a=", "/a?b=c&d*e", "/a*%3D"]
        {
            assert!(Reserved::of_pattern(text.as_bytes()).is_empty(), "{text}");
        }
        for text in [
            "/a:", "/a%3A", "/*A", "/*3", "/*3*", "/*3Ab", "/%", "/a%2*b", "/?a/", "/??", "/?%2F",
            "/*?*%3F",
        ] {
            assert!(!Reserved::of_pattern(text.as_bytes()).is_empty(), "{text}");
        }
    }

    /// Every pattern and target of a few pieces: where the fold lets one match more, it is seen.
    #[test]
    fn no_match_is_missed_that_the_fold_brings() {
        let pieces = ["/", "?", ":", "%3A", "%2F", "%", "3", "A", "*", "[", "B"];
        let mut texts = vec!["/".to_string()];
        let mut from = 0;
        for _ in 0..3 {
            let until = texts.len();
            for at in from..until {
                texts.extend(pieces.map(|piece| format!("{}{piece}", texts[at])));
            }
            from = until;
        }
        let matches = |text: &[u8], target: &[u8], anchored| {
            crate::pattern::matches(text, text.contains(&b'*'), anchored, target)
        };
        let forms = [Fold::Everywhere, Fold::WithQuery];
        let targets = texts.iter().map(String::as_bytes).filter(|text| !text.contains(&b'*'));
        let targets: Vec<_> = targets
            .map(|text| (text, Reserved::of_target(text), forms.map(|form| form.apply(text))))
            .collect();
        let mut brought = 0;
        for pattern in texts.iter().map(String::as_bytes) {
            let reserved = Reserved::of_pattern(pattern);
            let form = forms[pattern.contains(&b'?') as usize];
            let folded = form.apply(pattern);
            for (target, of_target, targets_folded) in &targets {
                let seen = reserved.may_meet(*of_target);
                for anchored in [false, true] {
                    if matches(&folded, &targets_folded[form as usize], anchored)
                        && !matches(pattern, target, anchored)
                    {
                        brought += 1;
                        assert!(
                            seen && reserved.fold() == form,
                            "{} {}",
                            pattern.escape_ascii(),
                            target.escape_ascii()
                        );
                    }
                }
            }
        }
        assert!(brought > 1_000, "{brought}");
    }
}
