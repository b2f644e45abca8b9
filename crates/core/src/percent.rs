//! Percent-encoding normal forms: what two spellings of one path have in common.
//!
//! In: octets of a pattern or a target, and a [`Form`]. Out: their normal form, borrowed where
//! nothing changes. RFC 9309 section 2.2.2, Figure 4; RFC 3986 sections 2.1 to 2.3 and 6.2.2;
//! Koster, A Method for Robots Exclusion, draft 1, section 3.2.2. One pass: what is written is
//! never read again.

use std::borrow::Cow;

use crate::dialect::{Dialect, Normalisation};

/// The form in which a dialect compares patterns and targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    normalisation: Normalisation,
    fold: bool,
    wildcards: bool,
}

/// Which of the two sides is brought to its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A rule's value: `*` and `$` stay as written, `%2A` and `%24` stay escaped.
    Pattern,
    /// A URL's path and query: `*` and `$` are ordinary octets.
    Target,
}

impl Form {
    /// Take the knobs from a dialect.
    pub fn of(dialect: &Dialect) -> Self {
        Form {
            normalisation: dialect.normalisation,
            fold: dialect.fold,
            wildcards: dialect.wildcards,
        }
    }

    /// Whether `*` and a final `$` of a pattern are special.
    pub fn has_wildcards(self) -> bool {
        self.wildcards
    }

    /// Whether reserved octets equal their escapes, as [`crate::fold`] tells.
    pub fn folds(self) -> bool {
        self.fold
    }

    /// Whether a literal `*` or `$` of a pattern has to be escaped to be compared.
    pub fn escapes_specials(self) -> bool {
        match self.normalisation {
            Normalisation::Base => true,
            Normalisation::Dec96 => self.wildcards,
            Normalisation::Raw | Normalisation::Cpp => false,
        }
    }

    /// The normal form of one side.
    #[inline]
    pub fn apply(self, side: Side, octets: &[u8]) -> Cow<'_, [u8]> {
        match (self.normalisation, side) {
            (Normalisation::Raw, _) | (Normalisation::Cpp, Side::Target) => Cow::Borrowed(octets),
            (Normalisation::Base, Side::Pattern) => rewrite(octets, &BASE_PATTERN, base_escape),
            (Normalisation::Base, Side::Target) => rewrite(octets, &BASE_TARGET, base_escape),
            (Normalisation::Cpp, Side::Pattern) => rewrite(octets, &CPP, upper_escape),
            (Normalisation::Dec96, Side::Target) if self.wildcards => {
                rewrite(octets, &DEC96_TARGET, dec96_wild_escape)
            }
            (Normalisation::Dec96, _) if self.wildcards => {
                rewrite(octets, &DEC96, dec96_wild_escape)
            }
            (Normalisation::Dec96, _) => rewrite(octets, &DEC96, dec96_escape),
        }
    }

    /// Whether an octet can stand in the normal form of a target, where the octet itself may be
    /// cut off before.
    pub fn holds(self, octet: u8, is_cut: bool) -> bool {
        match self.normalisation {
            Normalisation::Raw | Normalisation::Cpp => !is_cut,
            Normalisation::Base => !is_cut && BASE_TARGET[octet as usize] != Action::Escape,
            Normalisation::Dec96 if self.wildcards => {
                DEC96_TARGET[octet as usize] != Action::Escape
            }
            Normalisation::Dec96 => true,
        }
    }

    /// Octets of a pattern as specificity counts them: in *base* form, for google/robotstxt in
    /// its own.
    pub fn length(self, raw: &[u8], normal: &[u8]) -> usize {
        match self.normalisation {
            Normalisation::Base | Normalisation::Cpp => normal.len(),
            _ => rewrite(raw, &BASE_PATTERN, base_escape).len(),
        }
    }
}

/// For every octet, whether it is copied, escaped, or begins an escape.
type Table = [Action; 256];

const COPY: u8 = 0;

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Action {
    /// Zero, so that the actions of some octets can be looked at together.
    Copy = COPY,
    Escape,
    Percent,
}

const fn table(escaped: &[u8], high: bool, controls: bool) -> Table {
    let mut table = [Action::Copy; 256];
    let mut octet = 0;
    while octet < 256 {
        if high && octet >= 0x80 || controls && (octet < 0x20 || octet == 0x7f) {
            table[octet] = Action::Escape;
        }
        octet += 1;
    }
    let mut i = 0;
    while i < escaped.len() {
        table[escaped[i] as usize] = Action::Escape;
        i += 1;
    }
    table[b'%' as usize] = Action::Percent;
    table
}

static BASE_PATTERN: Table = table(b" \"<>\\^`{|}", true, true);
static BASE_TARGET: Table = table(b" \"<>\\^`{|}*$", true, true);
static CPP: Table = table(b"", true, false);
static DEC96: Table = table(b"", false, false);
static DEC96_TARGET: Table = table(b"*$", false, false);

/// Copy `octets` through a table; borrow them where the table would change nothing.
#[inline]
fn rewrite<'a>(
    octets: &'a [u8],
    table: &Table,
    escape: fn(u8, [u8; 2], &mut Vec<u8>),
) -> Cow<'a, [u8]> {
    let clean = clean_len(octets, table);
    match clean == octets.len() {
        true => Cow::Borrowed(octets),
        false => Cow::Owned(rewrite_from(octets, clean, table, escape)),
    }
}

/// How many octets are copied before the first that is not, looked at eight at a time.
#[inline]
fn clean_len(octets: &[u8], table: &Table) -> usize {
    let action = |octet: &u8| table[*octet as usize] as u8;
    let all_copied = |eight: &&[u8]| eight.iter().fold(0, |all, o| all | action(o)) == COPY;
    let clean = octets.chunks_exact(8).take_while(all_copied).count() * 8;
    clean + octets[clean..].iter().take_while(|octet| action(octet) == COPY).count()
}

fn rewrite_from(
    octets: &[u8],
    clean: usize,
    table: &Table,
    escape: fn(u8, [u8; 2], &mut Vec<u8>),
) -> Vec<u8> {
    let mut out = Vec::with_capacity(octets.len() + 16);
    out.extend_from_slice(&octets[..clean]);
    let mut at = clean;
    while at < octets.len() {
        let octet = octets[at];
        match (table[octet as usize], escape_at(octets, at)) {
            (Action::Escape, _) => push_escape(octet, &mut out),
            (Action::Percent, Some((value, digits))) => {
                escape(value, digits, &mut out);
                at += 2;
            }
            _ => out.push(octet),
        }
        at += 1;
    }
    out
}

/// The octet that `%XX` at `at` stands for, and its digits as written.
#[inline]
pub fn escape_at(octets: &[u8], at: usize) -> Option<(u8, [u8; 2])> {
    match octets.get(at..at + 3)? {
        [b'%', high, low] => {
            let value = (*high as char).to_digit(16)? << 4 | (*low as char).to_digit(16)?;
            Some((value as u8, [*high, *low]))
        }
        _ => None,
    }
}

/// Append the escape of an octet.
#[inline]
pub fn push_escape(octet: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.extend([b'%', HEX[(octet >> 4) as usize], HEX[(octet & 15) as usize]]);
}

fn base_escape(value: u8, _: [u8; 2], out: &mut Vec<u8>) {
    if value.is_ascii_alphanumeric() || b"-._~".contains(&value) {
        out.push(value);
    } else {
        push_escape(value, out);
    }
}

fn upper_escape(_: u8, digits: [u8; 2], out: &mut Vec<u8>) {
    out.extend([b'%', digits[0].to_ascii_uppercase(), digits[1].to_ascii_uppercase()]);
}

fn dec96_escape(value: u8, _: [u8; 2], out: &mut Vec<u8>) {
    match value {
        b'/' => out.extend(b"%2F"),
        _ => out.push(value),
    }
}

/// Where `*` and `$` are special, the literal ones stay escaped, as in *base*.
fn dec96_wild_escape(value: u8, digits: [u8; 2], out: &mut Vec<u8>) {
    match value {
        b'*' | b'$' => push_escape(value, out),
        _ => dec96_escape(value, digits, out),
    }
}

/// Escape `*` and `$`, as the target side of *base* does.
pub fn escape_specials(octets: &[u8], specials: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(octets.len() + 8);
    for octet in octets {
        match specials.contains(octet) {
            true => push_escape(*octet, &mut out),
            false => out.push(*octet),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{GOOGLEBOT_CPP, KOSTER_1996, ORIGINAL_1994, RFC9309};

    fn both(dialect: &Dialect, text: &str) -> (String, String) {
        let form = Form::of(dialect);
        let show = |side| String::from_utf8_lossy(&form.apply(side, text.as_bytes())).into_owned();
        (show(Side::Pattern), show(Side::Target))
    }

    #[test]
    fn base_decodes_unreserved_and_escapes_the_rest() {
        let same = |text: &str| (text.to_string(), text.to_string());

        assert_eq!(both(&RFC9309, "/%7ejoe"), same("/~joe"));
        assert_eq!(both(&RFC9309, "/a%2fb"), same("/a%2Fb"));
        assert_eq!(both(&RFC9309, "/ツ<"), same("/%E3%83%84%3C"));
        assert_eq!(both(&RFC9309, "/100%zz%"), same("/100%zz%"));
        assert_eq!(both(&RFC9309, "/a*b$c"), ("/a*b$c".into(), "/a%2Ab%24c".into()));
        assert_eq!(both(&RFC9309, "/%2541"), same("/%2541"));
    }

    #[test]
    fn the_other_forms_do_what_their_documents_say() {
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());

        assert_eq!(both(&KOSTER_1996, "/a%2fb%3c%252F"), pair("/a%2Fb<%2F", "/a%2Fb<%2F"));
        assert_eq!(both(&GOOGLEBOT_CPP, "/%e3 ツ"), pair("/%E3 %E3%83%84", "/%e3 ツ"));
        assert_eq!(both(&ORIGINAL_1994, "/%7ejoe"), pair("/%7ejoe", "/%7ejoe"));
    }
}
