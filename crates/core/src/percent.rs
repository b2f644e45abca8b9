//! Percent-encoding normal forms: the same for two spellings of one path.
//!
//! In: bytes of a pattern or a target, and a [`Form`]. Out: their normal form, borrowed if
//! nothing changes. RFC 9309 section 2.2.2, Figure 4; RFC 3986 sections 2.1 to 2.3 and 6.2.2;
//! Koster, A Method for Robots Exclusion, draft 1, section 3.2.2. One pass: what is written is
//! never read again.

use std::borrow::Cow;

use memchr::memchr;

use crate::dialect::{Dialect, Normalisation};

/// The form in which a dialect compares patterns and targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    normalisation: Normalisation,
    fold: bool,
    wildcards: bool,
}

/// Which of the two sides is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A rule's value: `*` and `$` stay as written, `%2A` and `%24` stay escaped.
    Pattern,
    /// A URL's path and query, without the fragment: `*` and `$` are ordinary bytes.
    Target,
}

impl Form {
    /// Take the knobs from a dialect.
    pub fn of(dialect: &Dialect) -> Self {
        Form {
            normalisation: dialect.normalisation,
            fold: dialect.equate_reserved_escapes,
            wildcards: dialect.wildcards,
        }
    }

    /// Whether `*` and a final `$` of a pattern are special.
    pub fn has_wildcards(self) -> bool {
        self.wildcards
    }

    /// Whether reserved bytes equal their escapes, as [`crate::fold`] describes.
    pub fn folds(self) -> bool {
        self.fold
    }

    /// Whether a literal `*` or `$` of a pattern has to be escaped to be compared.
    pub fn escapes_specials(self) -> bool {
        match self.normalisation {
            Normalisation::Base => true,
            Normalisation::Koster96 => self.wildcards,
            Normalisation::Raw | Normalisation::Cpp => false,
        }
    }

    /// The normal form of one side.
    #[inline]
    pub fn apply(self, side: Side, bytes: &[u8]) -> Cow<'_, [u8]> {
        match (self.normalisation, side) {
            (Normalisation::Raw | Normalisation::Cpp, Side::Target) => {
                Cow::Borrowed(without_fragment(bytes))
            }
            (Normalisation::Raw, Side::Pattern) => Cow::Borrowed(bytes),
            (Normalisation::Base, Side::Pattern) => rewrite(bytes, &BASE_PATTERN, base_escape),
            (Normalisation::Base, Side::Target) => rewrite(bytes, &BASE_TARGET, base_escape),
            (Normalisation::Cpp, Side::Pattern) => rewrite(bytes, &CPP, upper_escape),
            (Normalisation::Koster96, Side::Target) if self.wildcards => {
                rewrite(bytes, &KOSTER96_WILD_TARGET, koster96_wild_escape)
            }
            (Normalisation::Koster96, Side::Target) => {
                rewrite(bytes, &KOSTER96_TARGET, koster96_escape)
            }
            (Normalisation::Koster96, Side::Pattern) if self.wildcards => {
                rewrite(bytes, &KOSTER96, koster96_wild_escape)
            }
            (Normalisation::Koster96, Side::Pattern) => rewrite(bytes, &KOSTER96, koster96_escape),
        }
    }

    /// Whether [`stays_as_written`] tells what this form leaves.
    pub fn is_base(self) -> bool {
        self.normalisation == Normalisation::Base
    }

    /// Whether the normal form of a target can contain a byte; the byte itself may be cut off
    /// before.
    pub fn holds(self, byte: u8, is_cut: bool) -> bool {
        match self.normalisation {
            Normalisation::Raw | Normalisation::Cpp => !is_cut,
            Normalisation::Base => !is_cut && BASE_TARGET[byte as usize] != Action::Escape,
            Normalisation::Koster96 if self.wildcards => {
                KOSTER96_WILD_TARGET[byte as usize] != Action::Escape
            }
            Normalisation::Koster96 => true,
        }
    }

    /// Whether both forms distinguish the same targets.
    pub fn agrees_on_targets(self, other: Form) -> bool {
        (self.normalisation, self.wildcards) == (other.normalisation, other.wildcards)
    }

    /// Whether escapes of reserved bytes are decoded.
    pub fn decodes(self) -> bool {
        self.normalisation == Normalisation::Koster96
    }

    /// A path whose normal form is this target, which targets can have.
    pub fn spell(self, target: &[u8]) -> Vec<u8> {
        match self.normalisation {
            Normalisation::Raw | Normalisation::Cpp => target.to_vec(),
            Normalisation::Base => kept(target),
            Normalisation::Koster96 => escaped(target),
        }
    }

    /// Bytes of a pattern as specificity counts them: in *base* form, for google/robotstxt in
    /// its own.
    pub fn length(self, raw: &[u8], normal: &[u8]) -> usize {
        match self.normalisation {
            Normalisation::Base | Normalisation::Cpp => normal.len(),
            _ => rewrite(raw, &BASE_PATTERN, base_escape).len(),
        }
    }
}

/// Each `%` written so that it stays, even before two digits of another escape.
fn kept(target: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(target.len());
    for (at, byte) in target.iter().enumerate() {
        let percent = at.checked_sub(1).filter(|at| target[*at] == b'%');
        let escape = percent.and_then(|at| escape_at(target, at));
        let is_read_anew = escape.is_some_and(|(value, digits)| {
            is_unreserved(value) || digits.iter().any(u8::is_ascii_lowercase)
        });
        match is_read_anew {
            true => push_escape(*byte, &mut path),
            false => path.push(*byte),
        }
    }
    path
}

/// Each byte written so that it is decoded to itself.
fn escaped(target: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(target.len());
    for byte in target {
        match is_unreserved(*byte) || b"/!&'()+,;=:@".contains(byte) {
            true => path.push(*byte),
            false => push_escape(*byte, &mut path),
        }
    }
    path
}

/// RFC 3986 section 2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// For every byte, whether it is copied, escaped, begins an escape, or ends the text.
type Table = [Action; 256];

const COPY: u8 = 0;

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Action {
    /// Zero, so that the actions of some bytes can be tested together.
    Copy = COPY,
    Escape,
    Percent,
    /// Nothing from here on is read.
    End,
}

/// For a pattern: these bytes are escaped, those above ASCII where `high`, and control characters
/// where `controls`.
const fn pattern_table(escaped: &[u8], high: bool, controls: bool) -> Table {
    let mut table = [Action::Copy; 256];
    let mut byte = 0;
    while byte < 256 {
        if high && byte >= 0x80 || controls && (byte < 0x20 || byte == 0x7f) {
            table[byte] = Action::Escape;
        }
        byte += 1;
    }
    let mut i = 0;
    while i < escaped.len() {
        table[escaped[i] as usize] = Action::Escape;
        i += 1;
    }
    table[b'%' as usize] = Action::Percent;
    table
}

/// For a target: as for a pattern, up to the fragment.
const fn target_table(escaped: &[u8], high: bool, controls: bool) -> Table {
    let mut table = pattern_table(escaped, high, controls);
    table[b'#' as usize] = Action::End;
    table
}

static BASE_PATTERN: Table = pattern_table(b" \"<>\\^`{|}", true, true);
static BASE_TARGET: Table = target_table(b" \"<>\\^`{|}*$", true, true);
static CPP: Table = pattern_table(b"", true, false);
static KOSTER96: Table = pattern_table(b"", false, false);
static KOSTER96_TARGET: Table = target_table(b"", false, false);
static KOSTER96_WILD_TARGET: Table = target_table(b"*$", false, false);

/// Copy `bytes` through a table; borrow them if the table would change nothing.
#[inline]
fn rewrite<'a>(
    bytes: &'a [u8],
    table: &Table,
    escape: fn(u8, [u8; 2], &mut Vec<u8>),
) -> Cow<'a, [u8]> {
    let clean = clean_len(bytes, table);
    match bytes.get(clean).map(|byte| table[*byte as usize]) {
        None | Some(Action::End) => Cow::Borrowed(&bytes[..clean]),
        Some(_) => Cow::Owned(rewrite_from(bytes, clean, table, escape)),
    }
}

/// How many bytes are copied before the first that is not, tested eight at a time.
#[inline]
fn clean_len(bytes: &[u8], table: &Table) -> usize {
    let action = |byte: &u8| table[*byte as usize] as u8;
    let all_copied = |eight: &&[u8]| eight.iter().fold(0, |all, o| all | action(o)) == COPY;
    let clean = bytes.chunks_exact(8).take_while(all_copied).count() * 8;
    clean + bytes[clean..].iter().take_while(|byte| action(byte) == COPY).count()
}

fn rewrite_from(
    bytes: &[u8],
    clean: usize,
    table: &Table,
    escape: fn(u8, [u8; 2], &mut Vec<u8>),
) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 16);
    out.extend_from_slice(&bytes[..clean]);
    let mut at = clean;
    while at < bytes.len() {
        let byte = bytes[at];
        match (table[byte as usize], escape_at(bytes, at)) {
            (Action::End, _) => break,
            (Action::Escape, _) => push_escape(byte, &mut out),
            (Action::Percent, Some((value, digits))) => {
                escape(value, digits, &mut out);
                at += 2;
            }
            _ => out.push(byte),
        }
        at += 1;
    }
    out
}

/// Bytes that are tested together, as wide as a register of every machine that has vectors.
const WIDE: usize = 16;

/// Whether the rest of a URL, from the `/` at `at` on, is a target in *base* form as it is, without
/// a fragment and without a segment that begins with a dot. Only a quick look at most URLs, which
/// may begin a little earlier: false says nothing.
#[inline]
pub fn stays_as_written(url: &[u8], at: usize) -> bool {
    let (before, bytes) = (&url[..url.len() - 1], &url[1..]);
    let (Some(last_before), Some(last)) = (before.last_chunk::<WIDE>(), bytes.last_chunk::<WIDE>())
    else {
        return before.iter().zip(bytes).all(|(before, byte)| !is_changed(*before, *byte));
    };
    let chunks = before[at..].chunks_exact(WIDE).zip(bytes[at..].chunks_exact(WIDE));
    !changes_any(last_before, last)
        && chunks.into_iter().all(|(before, bytes)| !changes_any(before, bytes))
}

/// For [`WIDE`] bytes, without a branch for each, so that they are compared at once.
#[inline]
fn changes_any(before: &[u8], bytes: &[u8]) -> bool {
    let pairs = before.iter().zip(bytes);
    pairs.fold(false, |any, (before, byte)| any | is_changed(*before, *byte))
}

/// As [`BASE_TARGET`] says, and for dots behind slashes.
#[inline]
fn is_changed(before: u8, byte: u8) -> bool {
    ((byte as i8) <= b' ' as i8)
        | (byte == 0x7f)
        | (byte.wrapping_sub(b'"') <= b'%' - b'"')
        | (byte == b'*')
        | (byte | 2 == b'>')
        | (byte | 2 == b'^')
        | (byte == b'`')
        | (byte.wrapping_sub(b'{') <= b'}' - b'{')
        | ((byte == b'.') & (before == b'/'))
}

/// The part before the fragment (RFC 3986 section 3.5).
#[inline]
pub fn without_fragment(url: &[u8]) -> &[u8] {
    &url[..memchr(b'#', url).unwrap_or(url.len())]
}

/// The byte that `%XX` at `at` stands for, and its digits as written.
#[inline]
pub fn escape_at(bytes: &[u8], at: usize) -> Option<(u8, [u8; 2])> {
    match bytes.get(at..at + 3)? {
        [b'%', high, low] => {
            let value = (*high as char).to_digit(16)? << 4 | (*low as char).to_digit(16)?;
            Some((value as u8, [*high, *low]))
        }
        _ => None,
    }
}

/// Append the escape of a byte.
#[inline]
pub fn push_escape(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.extend([b'%', HEX[(byte >> 4) as usize], HEX[(byte & 15) as usize]]);
}

fn base_escape(value: u8, _: [u8; 2], out: &mut Vec<u8>) {
    if is_unreserved(value) {
        out.push(value);
    } else {
        push_escape(value, out);
    }
}

fn upper_escape(_: u8, digits: [u8; 2], out: &mut Vec<u8>) {
    out.extend([b'%', digits[0].to_ascii_uppercase(), digits[1].to_ascii_uppercase()]);
}

fn koster96_escape(value: u8, _: [u8; 2], out: &mut Vec<u8>) {
    match value {
        b'/' => out.extend(b"%2F"),
        _ => out.push(value),
    }
}

/// Where `*` and `$` are special, the literal ones stay escaped, as in *base*.
fn koster96_wild_escape(value: u8, digits: [u8; 2], out: &mut Vec<u8>) {
    match value {
        b'*' | b'$' => push_escape(value, out),
        _ => koster96_escape(value, digits, out),
    }
}

/// Escape `*` and `$`, as the target side of *base* does.
pub fn escape_specials(bytes: &[u8], specials: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 8);
    for byte in bytes {
        match specials.contains(byte) {
            true => push_escape(*byte, &mut out),
            false => out.push(*byte),
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
    fn what_is_compared_at_once_is_what_the_table_copies() {
        for byte in 0..=255 {
            let is_copied = BASE_TARGET[byte as usize] == Action::Copy;
            assert_eq!(is_changed(b'a', byte), !is_copied, "{byte:#x}");
            assert_eq!(is_changed(b'/', byte), !is_copied || byte == b'.', "{byte:#x}");
        }
    }

    #[test]
    fn no_place_of_a_target_is_left_out() {
        for length in 1..120 {
            let origin = ["", "https://a.example"][length % 2];
            let url = format!("{origin}/{}", "a".repeat(length / 2));
            let at = origin.len();
            assert!(stays_as_written(url.as_bytes(), at), "{url}");
            for place in at + 1..url.len() {
                for odd in [&b"%"[..], b"#", b" ", b"\xff", b"/."] {
                    let mut url = url.clone().into_bytes();
                    url.splice(place..place + 1, odd.iter().copied());
                    assert!(!stays_as_written(&url, at), "{}", String::from_utf8_lossy(&url));
                }
            }
        }
    }

    #[test]
    fn the_other_forms_do_what_their_documents_say() {
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());

        assert_eq!(both(&KOSTER_1996, "/a%2fb%3c%252F"), pair("/a%2Fb<%2F", "/a%2Fb<%2F"));
        assert_eq!(both(&GOOGLEBOT_CPP, "/%e3 ツ"), pair("/%E3 %E3%83%84", "/%e3 ツ"));
        assert_eq!(both(&ORIGINAL_1994, "/%7ejoe"), pair("/%7ejoe", "/%7ejoe"));
    }
}
