//! Path patterns: from a rule's value to something that can be compared with a target.
//!
//! In: the value of a rule and a [`Dialect`]. Out: [`Pattern`]s: literal bytes, `*`, and whether
//! the end is anchored. RFC 9309 sections 2.2.2 and 2.2.3. Matching is linear in pattern and
//! target, whatever they contain: each piece between two `*` is searched once, leftmost first.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::budget::Budget;
use crate::dialect::{Dialect, EmptyDisallow};
use crate::fold::Reserved;
use crate::percent::{escape_specials, Form, Side};

/// What a pattern says of the targets it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They may be fetched.
    Allow,
    /// They may not.
    Disallow,
    /// Nothing: an empty rule whose line is reported if no other rule matched.
    Silent,
}

/// One compiled pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern<'a> {
    /// Literal bytes, and single `*` where `wild`; a trailing `*` is left out.
    pub text: Cow<'a, [u8]>,
    /// Whether targets that it does not match are folded and compared once more.
    pub folds: bool,
    /// Whether `*` in the text is the wildcard.
    pub wild: bool,
    /// Whether the match must end at the end of the target.
    pub anchored: bool,
    /// Bytes, as specificity counts them.
    pub length: u32,
    /// What it says.
    pub verdict: Verdict,
    /// Whether it is the directory of an index page, and not the value as written.
    pub is_directory: bool,
}

impl Pattern<'_> {
    /// The bytes for which the text is folded; none if that cannot match more targets.
    #[inline]
    pub fn reserved(&self) -> Reserved {
        match self.folds {
            true => Reserved::of_pattern(&self.text),
            false => Reserved::default(),
        }
    }

    /// The text folded, if that can match more targets. It is compared with targets that are folded
    /// as [`Reserved::fold`] says.
    pub fn folded(&self) -> Option<Vec<u8>> {
        let reserved = self.reserved();
        (!reserved.is_empty()).then(|| reserved.fold().apply(&self.text))
    }
}

/// Reads patterns, as one dialect does.
#[derive(Clone, Copy, Debug)]
pub struct PatternReader {
    form: Form,
    require_slash: bool,
    empty_disallow: EmptyDisallow,
    report_empty: bool,
    index_is_directory: bool,
    trailing_star_counts: bool,
}

impl PatternReader {
    /// Take the knobs from a dialect.
    pub fn new(dialect: &Dialect) -> Self {
        PatternReader {
            form: Form::of(dialect),
            require_slash: dialect.require_slash,
            empty_disallow: dialect.empty_disallow,
            report_empty: dialect.report_empty,
            index_is_directory: dialect.index_is_directory,
            trailing_star_counts: dialect.trailing_star_counts,
        }
    }

    /// Whether `*` and a final `$` are special.
    pub fn has_wildcards(&self) -> bool {
        self.form.has_wildcards()
    }

    /// Whether reserved bytes may equal their escapes.
    pub fn folds(&self) -> bool {
        self.form.folds()
    }

    /// Hand out the patterns of one rule: one, none for a rule that says nothing, or two if an
    /// index page also stands for its directory.
    #[inline]
    pub fn each<'a>(&self, value: &'a [u8], allow: bool, mut take: impl FnMut(Pattern<'a>)) {
        let verdict = if allow { Verdict::Allow } else { Verdict::Disallow };
        if value.is_empty() {
            return self.empty(allow, take);
        }
        if self.skips(value) {
            return;
        }
        take(self.compile(value, verdict));
        if allow && self.index_is_directory {
            if let Some(directory) = directory_of_index(value) {
                let pattern = self.compile_owned([directory, b"$"].concat(), verdict);
                take(Pattern { is_directory: true, ..pattern });
            }
        }
    }

    /// Whether a rule of this value, which is not empty, has no pattern.
    #[inline]
    pub fn skips(&self, value: &[u8]) -> bool {
        self.require_slash && !matches!(value, [b'/' | b'*', ..])
    }

    /// Whether the rule certainly does not match, seen without compiling it: its value and the
    /// target differ at a byte that every form and the fold leave unchanged, after only such bytes.
    #[inline]
    pub fn rules_out(&self, value: &[u8], allow: bool, target: &[u8]) -> bool {
        if allow && self.index_is_directory {
            return false;
        }
        let is_same = |(v, t): &(&u8, &u8)| v == t && plainness(**v) != Plainness::Changed;
        let same = value.iter().zip(target).take_while(is_same).count();
        value.get(same).is_some_and(|byte| plainness(*byte) == Plainness::Plain)
    }

    fn empty<'a>(&self, allow: bool, mut take: impl FnMut(Pattern<'a>)) {
        if !allow && self.empty_disallow == EmptyDisallow::AllowRoot {
            take(self.compile(b"/", Verdict::Allow));
        } else if self.report_empty {
            take(Pattern { verdict: Verdict::Silent, ..self.compile(b"", Verdict::Allow) });
        }
    }

    fn compile<'a>(&self, value: &'a [u8], verdict: Verdict) -> Pattern<'a> {
        let normal = self.form.apply(Side::Pattern, value);
        let length = self.length(value, &normal);
        let mut pattern = Pattern {
            text: normal,
            folds: self.form.folds(),
            wild: false,
            anchored: false,
            length,
            verdict,
            is_directory: false,
        };
        if self.form.has_wildcards() {
            self.read_specials(&mut pattern);
        } else if self.form.escapes_specials() {
            replace(&mut pattern.text, b"*$", |text| escape_specials(text, b"*$"));
        }
        pattern
    }

    fn compile_owned(&self, value: Vec<u8>, verdict: Verdict) -> Pattern<'static> {
        let pattern = self.compile(&value, verdict);
        Pattern { text: Cow::Owned(pattern.text.to_vec()), ..pattern }
    }

    fn length(&self, raw: &[u8], normal: &[u8]) -> u32 {
        let mut length = self.form.length(raw, normal);
        if !self.trailing_star_counts {
            let text = raw.strip_suffix(b"*$").map_or(raw, |text| {
                length -= 2;
                text
            });
            length -= text.iter().rev().take_while(|o| **o == b'*').count();
        }
        // Three bytes of normal form for one as written may not fit where four GiB do.
        u32::try_from(length).unwrap_or(u32::MAX)
    }

    /// Take the anchor and the wildcards out of the text.
    fn read_specials(&self, pattern: &mut Pattern) {
        if pattern.text.last() == Some(&b'$') {
            pattern.anchored = true;
            shorten(&mut pattern.text, 1);
        }
        if self.form.escapes_specials() {
            replace(&mut pattern.text, b"$", |text| escape_specials(text, b"$"));
        }
        if memchr(b'*', &pattern.text).is_some() {
            self.read_stars(pattern);
        }
    }

    fn read_stars(&self, pattern: &mut Pattern) {
        if pattern.text.windows(2).any(|pair| pair == b"**") {
            pattern.text = Cow::Owned(single_stars(&pattern.text));
        }
        if pattern.text.last() == Some(&b'*') {
            pattern.anchored = false;
            shorten(&mut pattern.text, 1);
        }
        pattern.wild = memchr(b'*', &pattern.text).is_some();
    }
}

/// Bytes that no form changes, and those of them that the fold does not change either. `?` is
/// neither, because what follows it is folded differently.
#[inline]
fn plainness(byte: u8) -> Plainness {
    static TABLE: [Plainness; 256] = {
        let mut table = [Plainness::Changed; 256];
        let mut byte = 0x21;
        while byte < 0x7f {
            table[byte] = match byte as u8 {
                b'?' | b'*' | b'$' | b'%' | b'#' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`'
                | b'{' | b'|' | b'}' => Plainness::Changed,
                b':' | b'@' | b'[' | b']' | b'!' | b'\'' | b'(' | b')' | b',' | b';' => {
                    Plainness::Folded
                }
                _ => Plainness::Plain,
            };
            byte += 1;
        }
        table
    };
    TABLE[byte as usize]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plainness {
    Plain,
    Folded,
    Changed,
}

/// The directory, with its slash, of a path whose last segment begins with `index.htm`
/// (google/robotstxt @ 22b355f, robots.cc:655).
fn directory_of_index(value: &[u8]) -> Option<&[u8]> {
    let slash = value.iter().rposition(|o| *o == b'/')?;
    value[slash + 1..].starts_with(b"index.htm").then(|| &value[..=slash])
}

#[inline]
fn replace(text: &mut Cow<[u8]>, specials: &[u8], escape: impl Fn(&[u8]) -> Vec<u8>) {
    if specials.iter().any(|special| memchr(*special, text).is_some()) {
        *text = Cow::Owned(escape(text));
    }
}

fn shorten(text: &mut Cow<[u8]>, by: usize) {
    match text {
        Cow::Borrowed(bytes) => *bytes = &bytes[..bytes.len() - by],
        Cow::Owned(bytes) => bytes.truncate(bytes.len() - by),
    }
}

/// Runs of `*` match what one `*` matches.
fn single_stars(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if *byte != b'*' || out.last() != Some(&b'*') {
            out.push(*byte);
        }
    }
    out
}

/// Whether a pattern's text matches a target.
#[inline]
pub fn matches(text: &[u8], wild: bool, anchored: bool, target: &[u8]) -> bool {
    match (wild, anchored) {
        (false, false) => target.starts_with(text),
        (false, true) => target == text,
        (true, _) => matches_pieces(text, anchored, target, |_| {}),
    }
}

/// As [`matches`], and charges its steps: one for each byte of the target that is read, and some
/// for each piece that is searched.
#[inline]
pub fn matches_within(
    text: &[u8],
    wild: bool,
    anchored: bool,
    target: &[u8],
    budget: &Budget,
) -> bool {
    const STEPS_TO_BEGIN: u64 = 8;
    const STEPS_OF_PIECE: u64 = 32;
    if !wild {
        budget.take(STEPS_TO_BEGIN);
        return matches(text, wild, anchored, target);
    }
    let mut pieces = 0;
    let is_match = matches_pieces(text, anchored, target, |_| pieces += 1);
    let searched = if pieces > 0 { target.len() as u64 } else { 0 };
    budget.take(STEPS_TO_BEGIN + pieces * STEPS_OF_PIECE + searched);
    is_match
}

/// Where a piece first occurs in a text.
///
/// Most texts are some tens of bytes long: comparing the piece's first bytes at every place takes
/// less than preparing a search. Longer texts are left to one that is linear.
#[inline]
fn find(piece: &[u8], text: &[u8]) -> Option<usize> {
    const LONGEST_COMPARED: usize = 128;
    if let [byte] = piece {
        return memchr(*byte, text);
    }
    if text.len() > LONGEST_COMPARED {
        return memmem::find(text, piece);
    }
    match (piece.first_chunk::<4>(), piece.first_chunk::<2>()) {
        (Some(first), _) => {
            text.windows(piece.len()).position(|here| here.starts_with(first) && here == piece)
        }
        (None, Some(first)) => {
            text.windows(piece.len()).position(|here| here.starts_with(first) && here == piece)
        }
        (None, None) => Some(0),
    }
}

/// Look for the pieces between `*` from left to right; hand each one's start in the target out.
///
/// The leftmost place for a piece leaves the most room for the pieces after it, so no choice ever
/// has to be undone.
#[inline]
pub fn matches_pieces(
    text: &[u8],
    anchored: bool,
    target: &[u8],
    mut found: impl FnMut(usize),
) -> bool {
    let Some(star) = text.iter().position(|byte| *byte == b'*') else {
        found(0);
        return if anchored { target == text } else { target.starts_with(text) };
    };
    if !target.starts_with(&text[..star]) {
        return false;
    }
    found(0);
    let (mut at, mut rest) = (star, &text[star + 1..]);
    if anchored {
        let last = rest.iter().rposition(|o| *o == b'*').map_or(rest, |n| &rest[n + 1..]);
        if target.len() < at + last.len() || !target.ends_with(last) {
            return false;
        }
    }
    loop {
        let end = memchr(b'*', rest);
        let piece = &rest[..end.unwrap_or(rest.len())];
        if anchored && end.is_none() {
            found(target.len() - piece.len());
            return target.len() >= at + piece.len();
        }
        let Some(n) = find(piece, &target[at..]) else { return false };
        found(at + n);
        at += n + piece.len();
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{GOOGLEBOT_CPP, ORIGINAL_1994, RFC9309, YANDEX};

    fn patterns<'a>(dialect: &Dialect, value: &'a str, allow: bool) -> Vec<Pattern<'a>> {
        let mut all = Vec::new();
        PatternReader::new(dialect).each(value.as_bytes(), allow, |pattern| all.push(pattern));
        all
    }

    fn hit(dialect: &Dialect, value: &str, target: &str) -> bool {
        patterns(dialect, value, true)
            .iter()
            .any(|p| matches(&p.text, p.wild, p.anchored, target.as_bytes()))
    }

    /// The slowest and plainest matcher: recursion over both sides.
    fn naive(pattern: &[u8], target: &[u8]) -> bool {
        match (pattern.split_first(), target.split_first()) {
            (None, _) => true,
            (Some((b'$', [])), _) => target.is_empty(),
            (Some((b'*', rest)), None) => naive(rest, target),
            (Some((b'*', rest)), Some((_, tail))) => naive(rest, target) || naive(pattern, tail),
            (Some((a, rest)), Some((b, tail))) => a == b && naive(rest, tail),
            (Some(_), None) => false,
        }
    }

    #[test]
    fn every_short_pattern_agrees_with_the_naive_matcher() {
        let words = |alphabet: &str, max: usize| {
            let mut all = vec![String::new()];
            let mut from = 0;
            for _ in 0..max {
                let until = all.len();
                for index in from..until {
                    all.extend(
                        alphabet.chars().map(|c| format!("{}{c}", all[index])).collect::<Vec<_>>(),
                    );
                }
                from = until;
            }
            all
        };
        for pattern in words("ab*", 4) {
            for anchor in ["", "$"] {
                let value = format!("/{pattern}{anchor}");
                for target in words("ab", 5) {
                    let target = format!("/{target}");
                    let expected = naive(value.as_bytes(), target.as_bytes());
                    assert_eq!(hit(&RFC9309, &value, &target), expected, "{value} {target}");
                }
            }
        }
    }

    #[test]
    fn lengths_count_bytes_of_the_normal_form() {
        let length = |dialect, value| patterns(dialect, value, true)[0].length;

        assert_eq!(length(&RFC9309, "/%61%61"), 3);
        assert_eq!(length(&RFC9309, "/a$b"), 4);
        assert_eq!(length(&RFC9309, "/ツ*"), 11);
        assert_eq!(length(&GOOGLEBOT_CPP, "/%61%61"), 7);
        assert_eq!(length(&YANDEX, "/example*$"), 8);
        assert_eq!(length(&YANDEX, "***"), 0);
    }

    #[test]
    fn an_index_page_is_its_directory_too() {
        let texts = |dialect, allow| {
            patterns(dialect, "/d/index.html", allow)
                .iter()
                .map(|p| p.text.to_vec())
                .collect::<Vec<_>>()
        };

        assert_eq!(texts(&GOOGLEBOT_CPP, true), [&b"/d/index.html"[..], b"/d/"]);
        assert_eq!(texts(&GOOGLEBOT_CPP, false), [&b"/d/index.html"[..]]);
        assert_eq!(texts(&RFC9309, true), [&b"/d/index.html"[..]]);
    }

    #[test]
    fn what_is_special_in_one_dialect_is_literal_in_another() {
        assert!(hit(&ORIGINAL_1994, "/a*$", "/a*$x"));
        assert!(!hit(&ORIGINAL_1994, "/a*$", "/ab"));
        assert!(hit(&RFC9309, "/a$b", "/a%24b"));
        assert!(hit(&GOOGLEBOT_CPP, "/a$b", "/a$b"));
        assert!(!hit(&RFC9309, "a", "/a"));
    }
}
