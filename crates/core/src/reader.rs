//! Line to field: what a dialect reads in one line.
//!
//! In: a line and a [`Dialect`]. Out: a [`Reading`]: key, value, field, and what was tolerated.
//! RFC 9309 sections 2.2 and 2.2.4; draft-koster-rep-00 section 2.2 for lenient reading.
//! Nothing here knows a group.

use memchr::memchr;

use crate::dialect::{Dialect, OverLine};
use crate::field::{
    starts_with_ignore_case, Field, Fields, DISALLOW_TYPOS, SITEMAP_TYPOS, USER_AGENT_TYPOS,
};
use crate::line::{is_white, Span};

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Only white space.
    Blank,
    /// Only a comment.
    Comment,
    /// A field that the dialect reads.
    Field(Field),
    /// Text that is not such a field.
    Unknown,
    /// A line too long to be read, with the field that its key names.
    Dropped(Option<Field>),
}

/// What was tolerated in a line, or cut off it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tolerated {
    /// The key was misspelt, or longer than the field's name.
    pub key: bool,
    /// White space replaced the colon.
    pub colon: bool,
    /// Bytes after the line limit were cut off.
    pub length: bool,
    /// A NUL byte cut the line.
    pub nul: bool,
}

/// One line, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it is.
    pub kind: LineKind,
    /// The key; empty if there is none.
    pub key: Span,
    /// The value; empty if there is none.
    pub value: Span,
    /// Where the comment begins, at its `#`; the line's end if there is none.
    pub comment: u32,
    /// What was tolerated.
    pub tolerated: Tolerated,
}

/// The knobs of a dialect that concern single lines.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    max_len: usize,
    over: OverLine,
    nul_ends: bool,
    allow: bool,
    lenient: bool,
    prefix: bool,
    extensions: Fields,
}

impl Reader {
    /// Take the knobs from a dialect.
    pub fn new(dialect: &Dialect) -> Self {
        Reader {
            max_len: dialect.max_line_len.map_or(usize::MAX, |n| n as usize),
            over: dialect.over_line,
            nul_ends: dialect.nul_ends_line,
            allow: dialect.allow_is_rule,
            lenient: dialect.lenient_keys,
            prefix: dialect.prefix_keys,
            extensions: dialect.extensions,
        }
    }

    /// Whether the values of an extension field are read.
    pub fn reads(&self, extension: Field) -> bool {
        self.extensions.contains(extension)
    }

    /// The same reader for a whole file, which is searched for NULs once instead of line by line.
    pub fn for_file(self, bytes: &[u8]) -> Self {
        Reader { nul_ends: self.nul_ends && memchr(0, bytes).is_some(), ..self }
    }

    /// Read one line, whose first `#` is at `hash`, or which ends there.
    ///
    /// Inlined, because it is all that most lines need: a [`Reading`] is large, and a walk that
    /// uses only three of its fields saves a tenth of its instructions.
    #[inline(always)]
    pub fn read(&self, bytes: &[u8], line: Span, hash: u32) -> Reading {
        if line.len() > self.max_len {
            return self.read_long(bytes, line, hash);
        }
        if self.nul_ends {
            return self.read_up_to_nul(bytes, line, hash);
        }
        self.read_content(bytes, line, hash)
    }

    /// Whether the first byte of the line shows that it does not concern groups: it is a comment,
    /// or no key that forms groups begins like its key, nor, if `records` is set, a record of a
    /// group.
    #[inline]
    pub fn is_silent(&self, text: &[u8], records: bool) -> bool {
        let first = text.iter().find(|byte| !is_white(**byte)).copied();
        // A NUL, which is a space here, may end the line before it begins.
        first.is_some_and(|byte| match byte | 0x20 {
            b'u' | b'd' | b'a' | b'c' | b' ' => false,
            b'r' | b'v' | b'n' => !records,
            _ => true,
        })
    }

    #[cold]
    #[inline(never)]
    fn read_long(&self, bytes: &[u8], line: Span, hash: u32) -> Reading {
        match self.over {
            OverLine::Drop => {
                let mut reading = self.read_content(bytes, line, hash);
                reading.kind = LineKind::Dropped(match reading.kind {
                    LineKind::Field(field) => Some(field),
                    _ => None,
                });
                reading
            }
            OverLine::Cut => {
                let kept = Span { end: line.start + self.max_len as u32, ..line };
                let mut reading = self.read_up_to_nul(bytes, kept, hash.min(kept.end));
                reading.tolerated.length = true;
                reading
            }
        }
    }

    #[inline(never)]
    fn read_up_to_nul(&self, bytes: &[u8], line: Span, hash: u32) -> Reading {
        match memchr(0, line.of(bytes)) {
            Some(n) if self.nul_ends => {
                let kept = Span { end: line.start + n as u32, ..line };
                let mut reading = self.read_content(bytes, kept, hash.min(kept.end));
                reading.tolerated.nul = true;
                reading
            }
            _ => self.read_content(bytes, line, hash),
        }
    }

    /// Most lines are empty, a comment, or a key of the standard with a colon right after it: these
    /// are read without searching for each part. Any other line is taken apart.
    #[inline(always)]
    fn read_content(&self, bytes: &[u8], line: Span, hash: u32) -> Reading {
        let text = line.of(bytes);
        match text.first() {
            None => reading_without_key(LineKind::Blank, line.start, line.end),
            Some(b'#') => reading_without_key(LineKind::Comment, line.start, line.start),
            _ => match self.usual_key(text) {
                Some((field, len)) => read_value(bytes, line, hash, field, len),
                None => self.take_apart(bytes, line, hash),
            },
        }
    }

    /// The field of a line that begins with its key and a colon, and the length of the key.
    #[inline]
    fn usual_key(&self, text: &[u8]) -> Option<(Field, u32)> {
        let word = u64::from_le_bytes(*text.first_chunk()?) | LOWER;
        if word == u64::from_le_bytes(*b"disallow") {
            (text.get(8) == Some(&b':')).then_some((Field::Disallow, 8))
        } else if word & 0xff_ffff_ffff == u64::from_le_bytes(*b"allow\0\0\0") {
            (self.allow && text[5] == b':').then_some((Field::Allow, 5))
        } else if word == u64::from_le_bytes(*b"user-age") {
            let rest = text.get(8..11)?;
            let is_key = rest[..2].eq_ignore_ascii_case(b"nt") && rest[2] == b':';
            is_key.then_some((Field::UserAgent, 10))
        } else {
            None
        }
    }

    #[inline(never)]
    fn take_apart(&self, bytes: &[u8], line: Span, comment: u32) -> Reading {
        let text = Span { end: comment, ..line }.trimmed(bytes);
        let mut reading = reading_without_key(LineKind::Unknown, text.start, comment);
        if text.is_empty() {
            reading.kind = if comment < line.end { LineKind::Comment } else { LineKind::Blank };
        } else if let Some(n) = memchr(b':', text.of(bytes)) {
            let colon = text.start + n as u32;
            reading.key = Span { end: colon, ..text }.trimmed(bytes);
            reading.value = Span { start: colon + 1, ..text }.trimmed(bytes);
            self.find_field(bytes, &mut reading);
        } else {
            self.read_two_words(bytes, text, &mut reading);
        }
        reading
    }

    #[inline]
    fn find_field(&self, bytes: &[u8], reading: &mut Reading) {
        let key = reading.key.of(bytes);
        let usual = self.exact(key).or_else(|| match self.tolerant_rule_key(key) {
            // other records must not interfere with rules (RFC 9309 section 2.2.4)
            Some(_) => None,
            None => self.extension(key),
        });
        if let Some(field) = usual {
            reading.kind = LineKind::Field(field);
        } else if let Some(field) = self.tolerant(key) {
            reading.kind = LineKind::Field(field);
            reading.tolerated.key = true;
        }
    }

    /// The group fields by their own names: most lines end here.
    #[inline]
    fn exact(&self, key: &[u8]) -> Option<Field> {
        match key.len() {
            8 if key.eq_ignore_ascii_case(b"disallow") => Some(Field::Disallow),
            5 if self.allow && key.eq_ignore_ascii_case(b"allow") => Some(Field::Allow),
            10 if key.eq_ignore_ascii_case(b"user-agent") => Some(Field::UserAgent),
            _ => None,
        }
    }

    fn extension(&self, key: &[u8]) -> Option<Field> {
        Field::named(key).filter(|field| self.reads(*field))
    }

    /// The group fields and `sitemap` in the spellings that the dialect tolerates.
    fn tolerant(&self, key: &[u8]) -> Option<Field> {
        let is_sitemap =
            || self.reads(Field::Sitemap) && self.is_spelling(key, b"sitemap", &SITEMAP_TYPOS);
        self.tolerant_rule_key(key).or_else(|| is_sitemap().then_some(Field::Sitemap))
    }

    fn tolerant_rule_key(&self, key: &[u8]) -> Option<Field> {
        if self.is_spelling(key, b"user-agent", &USER_AGENT_TYPOS) {
            Some(Field::UserAgent)
        } else if self.allow && self.is_spelling(key, b"allow", &[]) {
            Some(Field::Allow)
        } else if self.is_spelling(key, b"disallow", &DISALLOW_TYPOS) {
            Some(Field::Disallow)
        } else {
            None
        }
    }

    fn is_spelling(&self, key: &[u8], name: &[u8], typos: &[&[u8]]) -> bool {
        let hit = |name: &[u8]| match self.prefix {
            true => starts_with_ignore_case(key, name),
            false => key.eq_ignore_ascii_case(name),
        };
        hit(name) || self.lenient && typos.iter().any(|typo| hit(typo))
    }

    /// `Disallow /path`: two words, the first of them a key.
    fn read_two_words(&self, bytes: &[u8], text: Span, reading: &mut Reading) {
        if !self.lenient {
            return;
        }
        let is_gap = |byte: &u8| matches!(byte, b' ' | b'\t');
        let words = text.of(bytes);
        let Some(gap) = words.iter().position(is_gap) else { return };
        let rest = words[gap..].iter().position(|o| !is_gap(o)).unwrap_or(0) + gap;
        if words[rest..].iter().any(is_gap) {
            return;
        }
        let key = Span { end: text.start + gap as u32, ..text }.trimmed(bytes);
        let name = key.of(bytes);
        if let Some(field) = self.exact(name).or_else(|| self.tolerant(name)) {
            reading.kind = LineKind::Field(field);
            reading.key = key;
            reading.value = Span { start: text.start + rest as u32, ..text }.trimmed(bytes);
            reading.tolerated.colon = true;
            reading.tolerated.key = Field::named(name) != Some(field);
        }
    }
}

/// Makes ASCII letters lower case, eight at a time. Of the bytes that a line can hold it turns
/// none but a letter into a letter, and none but `-` into `-`: CR would be, and ends lines.
const LOWER: u64 = 0x2020_2020_2020_2020;

#[inline]
fn reading_without_key(kind: LineKind, at: u32, comment: u32) -> Reading {
    let nothing = Span { start: at, end: at };
    Reading { kind, key: nothing, value: nothing, comment, tolerated: Tolerated::default() }
}

/// A line whose key of `len` bytes and colon are known.
#[inline]
fn read_value(bytes: &[u8], line: Span, hash: u32, field: Field, len: u32) -> Reading {
    let colon = line.start + len;
    Reading {
        kind: LineKind::Field(field),
        key: Span { start: line.start, end: colon },
        value: Span { start: colon + 1, end: hash }.trimmed(bytes),
        comment: hash,
        tolerated: Tolerated::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{GOOGLEBOT_CPP, KOSTER_1996, ORIGINAL_1994, RFC9309};

    fn read<'a>(dialect: &Dialect, line: &'a [u8]) -> (LineKind, &'a [u8], &'a [u8]) {
        let span = Span { start: 0, end: line.len() as u32 };
        let reading = Reader::new(dialect).read(line, span, hash_of(line));
        (reading.kind, reading.key.of(line), reading.value.of(line))
    }

    fn hash_of(line: &[u8]) -> u32 {
        memchr(b'#', line).unwrap_or(line.len()) as u32
    }

    const DISALLOW: LineKind = LineKind::Field(Field::Disallow);
    const AGENT: LineKind = LineKind::Field(Field::UserAgent);

    #[test]
    fn a_field_is_a_key_a_colon_and_a_value() {
        assert_eq!(
            read(&RFC9309, b" \x0bDisAllow\t: /a:b # c"),
            (DISALLOW, &b"DisAllow"[..], &b"/a:b"[..])
        );
        assert_eq!(read(&RFC9309, b": /x").0, LineKind::Unknown);
        assert_eq!(read(&RFC9309, b" \t ").0, LineKind::Blank);
        assert_eq!(read(&RFC9309, b" #").0, LineKind::Comment);
        assert_eq!(read(&ORIGINAL_1994, b"Allow: /").0, LineKind::Unknown);
    }

    #[test]
    fn misspelt_keys_are_read_where_the_dialect_is_lenient() {
        assert_eq!(read(&RFC9309, b"Dissallow: /"), (DISALLOW, &b"Dissallow"[..], &b"/"[..]));
        assert_eq!(read(&RFC9309, b"user agent: x").0, AGENT);
        assert_eq!(read(&RFC9309, b"Disallowed: /").0, LineKind::Unknown);
        assert_eq!(read(&GOOGLEBOT_CPP, b"Disallowed: /").0, DISALLOW);
        assert_eq!(read(&KOSTER_1996, b"Dissallow: /").0, LineKind::Unknown);
    }

    #[test]
    fn the_usual_line_reads_as_if_it_were_taken_apart() {
        let keys =
            ["Disallow", "allow", "USER-AGENT", "user\ragent", "Disallo", "allowed", "sitemap"];
        let tails = [":", " :", ":/x", ": /x # c", ":#", ":a:b \t", "", " /x", ": \x0b/x\x0c"];
        for dialect in &crate::dialect::DIALECTS {
            let reader = Reader::new(dialect);
            for (key, tail) in keys.iter().flat_map(|k| tails.iter().map(move |t| (k, t))) {
                let line = format!("{key}{tail}");
                let span = Span { start: 0, end: line.len() as u32 };
                let hash = hash_of(line.as_bytes());
                let apart = reader.take_apart(line.as_bytes(), span, hash);
                if !line.contains('\r') {
                    assert_eq!(reader.read_content(line.as_bytes(), span, hash), apart, "{line:?}");
                }
            }
        }
    }

    #[test]
    fn two_words_are_key_and_value() {
        assert_eq!(read(&RFC9309, b"Disallow \t /x"), (DISALLOW, &b"Disallow"[..], &b"/x"[..]));
        assert_eq!(read(&RFC9309, b"Disallow /x y").0, LineKind::Unknown);
        assert_eq!(read(&RFC9309, b"Crawl-delay 5").0, LineKind::Unknown);
        assert_eq!(read(&RFC9309, b"Disallow").0, LineKind::Unknown);
    }
}
