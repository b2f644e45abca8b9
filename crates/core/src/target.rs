//! Targets: the part of a URL that patterns are compared with.
//!
//! In: a URL or a path. Out: its path and query in the dialect's normal form. RFC 9309 section
//! 2.2.2; RFC 3986 section 3. Dot segments go and double slashes stay: what is decided is what an
//! HTTP client requests. Nothing here depends on rules.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr2_iter, memchr3, memmem, memrchr};

use crate::dialect::{Dialect, DotSegments, UrlSplit};
use crate::error::InvalidTarget;
use crate::percent::{stays_as_written, without_fragment, Form, Side};

/// The target of the file itself.
pub const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// What may stand as itself in a path (RFC 3986 section 3.3), besides letters and digits.
const PLAIN: &[u8] = b"$*!'(),;:@&=+";

/// Longer URLs are spelt as they are: each escape is tried with the whole URL.
const LONGEST_PLAIN: usize = 256;

/// A URL as patterns see it: what [`File::target`](crate::File::target) makes of one, and
/// [`Agent::check`](crate::Agent::check) takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target<'u> {
    bytes: Cow<'u, [u8]>,
}

impl Target<'_> {
    /// One that consists of these bytes, in normal form.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Target<'static> {
        Target { bytes: Cow::Owned(bytes) }
    }

    /// Path and query, in normal form.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it is `/robots.txt`, which crawlers may request whatever closes its site: only that
    /// request can end the closure (RFC 9309 sections 2.2.2 and 2.3.1.4).
    pub fn is_robots_txt(&self) -> bool {
        *self.bytes == *ROBOTS_TXT
    }
}

/// Finds targets in URLs, as one dialect does; without a file.
#[derive(Clone, Copy, Debug)]
pub struct TargetReader {
    split: UrlSplit,
    query: bool,
    dot_segments: DotSegments,
    form: Form,
    /// Whether a URL ends with its target, if that stays as written.
    ends_url: bool,
}

impl TargetReader {
    /// Take the knobs from a dialect.
    pub fn new(dialect: &Dialect) -> Self {
        let form = Form::of(dialect);
        TargetReader {
            split: dialect.url_split,
            query: dialect.query,
            dot_segments: dialect.dot_segments,
            form,
            ends_url: form.is_base() && dialect.query && dialect.url_split == UrlSplit::Strict,
        }
    }

    /// The target of a URL, or of a path that begins with `/`.
    ///
    /// Fails if the text is neither, unless the dialect accepts any text.
    #[inline]
    pub fn read<'u>(&self, url: &'u [u8]) -> Result<Target<'u>, InvalidTarget> {
        let subject = self.subject(url)?;
        if self.ends_url
            && subject.first() == Some(&b'/')
            && stays_as_written(url, url.len() - subject.len())
        {
            return Ok(Target { bytes: Cow::Borrowed(subject) });
        }
        let subject = match self.dot_segments {
            DotSegments::Remove => cleaned(rooted(subject)),
            DotSegments::Keep => rooted(subject),
        };
        Ok(Target {
            bytes: match subject {
                Cow::Borrowed(bytes) => self.form.apply(Side::Target, bytes),
                Cow::Owned(bytes) => Cow::Owned(self.form.apply(Side::Target, &bytes).into_owned()),
            },
        })
    }

    /// Whether a target consists of bytes that targets have: `/` followed by any that
    /// [`TargetReader::holds`], in any order.
    ///
    /// Some URL has such a target, if it [`is_requested`](TargetReader::is_requested): bytes that are unreserved, or any if escapes
    /// are decoded, can be written as escapes, which are decoded and not read again; the others as
    /// themselves. A `%` is then before no digit, so it stays.
    pub fn is_possible(&self, target: &[u8]) -> bool {
        target.first() == Some(&b'/') && target.iter().all(|byte| self.holds(*byte))
    }

    /// Whether a client requests this target as it is: it has no dot segments, or they stay.
    pub fn is_requested(&self, target: &[u8]) -> bool {
        match self.dot_segments {
            DotSegments::Remove => !has_dot_segments(target),
            DotSegments::Keep => true,
        }
    }

    /// Whether a client sends a path, or a URL, as it is: without dot segments, or they stay, and
    /// without octets that every client escapes (URL Standard section 1.3, the query percent-encode
    /// set). Dialects that compare octets as they are given have such targets.
    pub fn is_sent(&self, url: &[u8]) -> bool {
        let is_escaped = |byte: &u8| !matches!(byte, b'!' | b'#'..=b';' | b'=' | b'?'..=b'~');
        self.is_requested(url) && !url.iter().any(is_escaped)
    }

    /// Whether some target contains this byte: written as itself, if it is not cut off with what
    /// follows, or as an escape.
    #[inline]
    pub fn holds(&self, byte: u8) -> bool {
        let is_cut = match byte {
            b'#' => true,
            b'?' => !self.query,
            0 => self.split == UrlSplit::Google,
            b'\t' | b'\n' | b'\r' => self.dot_segments == DotSegments::Remove,
            _ => false,
        };
        self.form.holds(byte, is_cut)
    }

    /// Whether it has the same target of each URL as another.
    pub fn agrees_with(&self, other: &TargetReader) -> bool {
        let knobs = |reader: &TargetReader| (reader.split, reader.query, reader.dot_segments);
        self.form.agrees_on_targets(other.form) && knobs(self) == knobs(other)
    }

    /// Whether it has the same target as another of each URL in normal form, up to how `*` and `$`
    /// are written: neither decodes what the other distinguishes.
    pub fn differs_in_spelling_alone(&self, other: &TargetReader) -> bool {
        !self.form.decodes() && !other.form.decodes() && self.query == other.query
    }

    /// A URL that has this target, which [is possible](TargetReader::is_possible).
    pub fn spell(&self, target: &[u8]) -> Vec<u8> {
        self.plain(self.url_of(self.form.spell(target)))
    }

    /// A URL with the same target, in which what people type stands as itself: `/a$` for `/a%24`.
    fn plain(&self, mut url: Vec<u8>) -> Vec<u8> {
        if url.len() > LONGEST_PLAIN || memchr(b'%', &url).is_none() {
            return url;
        }
        let Ok(target) = self.read(&url).map(|target| target.bytes().to_vec()) else { return url };
        let mut from = 0;
        while let Some(at) = memchr(b'%', &url[from..]).map(|at| from + at) {
            from = at + 1;
            let digits = url.get(from..from + 2).and_then(|hex| std::str::from_utf8(hex).ok());
            let byte = digits.and_then(|hex| u8::from_str_radix(hex, 16).ok());
            if let Some(byte) = byte.filter(|byte| PLAIN.contains(byte)) {
                let shorter = [&url[..at], &[byte], &url[at + 3..]].concat();
                if self.read(&shorter).is_ok_and(|read| read.bytes() == target) {
                    url = shorter;
                }
            }
        }
        url
    }

    /// A path as a URL: with an authority before it if its beginning would be read as one.
    pub fn url_of(&self, path: Vec<u8>) -> Vec<u8> {
        match self.split == UrlSplit::Google && path.starts_with(b"//") {
            true => [b"http://example.com", &path[..]].concat(),
            false => path,
        }
    }

    #[inline]
    fn subject<'u>(&self, url: &'u [u8]) -> Result<&'u [u8], InvalidTarget> {
        let subject = match self.split {
            UrlSplit::Strict => strict_subject(url)?,
            UrlSplit::Google => google_subject(url),
        };
        // A `?` in the fragment does no harm: the fragment is cut off later.
        Ok(match self.query {
            true => subject,
            false => before(b'?', subject),
        })
    }
}

/// An empty path, or a query without path, begins at the root.
#[inline]
fn rooted(subject: &[u8]) -> Cow<'_, [u8]> {
    match subject.first() {
        Some(b'/') => Cow::Borrowed(subject),
        None | Some(b'#') => Cow::Borrowed(b"/"),
        Some(_) => Cow::Owned([b"/", subject].concat()),
    }
}

#[inline]
fn before(byte: u8, text: &[u8]) -> &[u8] {
    &text[..memchr(byte, text).unwrap_or(text.len())]
}

/// A path as written, or what follows scheme and authority, with the fragment.
#[inline]
fn strict_subject(url: &[u8]) -> Result<&[u8], InvalidTarget> {
    if url.first() == Some(&b'/') {
        return Ok(url);
    }
    let parts = split_authority(url)?;
    if parts.authority.is_empty() {
        return Err(InvalidTarget::NoAuthority);
    }
    Ok(parts.rest)
}

/// The parts of an absolute URL (RFC 3986 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts<'u> {
    /// Before `://`.
    pub scheme: &'u [u8],
    /// Up to the first `/`, `?` or `#`; may be empty.
    pub authority: &'u [u8],
    /// What follows.
    pub rest: &'u [u8],
}

/// Split a URL at its authority.
#[inline]
pub fn split_authority(url: &[u8]) -> Result<Parts<'_>, InvalidTarget> {
    let scheme_len = scheme_len(url);
    let Some(rest) = url[scheme_len..].strip_prefix(b"://").filter(|_| scheme_len > 0) else {
        return Err(InvalidTarget::NoScheme);
    };
    let end = memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len());
    Ok(Parts { scheme: &url[..scheme_len], authority: &rest[..end], rest: &rest[end..] })
}

/// The bytes of the scheme (RFC 3986 section 3.1), seen at once in most URLs.
#[inline]
fn scheme_len(url: &[u8]) -> usize {
    if url.starts_with(b"https://") {
        return 5;
    }
    match url.first().is_some_and(u8::is_ascii_alphabetic) {
        true => url.iter().take_while(|o| is_scheme_byte(**o)).count(),
        false => 0,
    }
}

fn is_scheme_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// The split of google/robotstxt, which accepts any text: a path begins at the first of `/`, `?`
/// and `;` after an optional `//` and an optional scheme.
fn google_subject(url: &[u8]) -> &[u8] {
    let text = url.strip_prefix(b"//").unwrap_or(url);
    let first_path = memchr3(b'/', b'?', b';', text).unwrap_or(text.len());
    let authority = match memmem::find(text, b"://") {
        Some(n) if n < first_path => n + 3,
        _ => 0,
    };
    let rest = without_fragment(&text[authority..]);
    // A fragment that begins before the authority leaves nothing.
    if memchr(b'#', &text[..authority]).is_some() {
        return b"";
    }
    // Its matcher holds the path as a C string, which ends at the first NUL.
    memchr3(b'/', b'?', b';', rest).map_or(b"", |start| before(0, &rest[start..]))
}

// What clients remove

/// A path, with an optional query and fragment, without tabs and line ends, and without dot segments
/// in the path.
#[inline]
pub fn cleaned(target: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match is_clean(&target) {
        true => target,
        false => Cow::Owned(without_dot_segments(&without_breaks(&target))),
    }
}

/// Whether nothing of it is removed.
#[inline]
pub fn is_clean(target: &[u8]) -> bool {
    memchr3(b'\t', b'\n', b'\r', target).is_none() && !has_dot_segments(target)
}

fn without_breaks(target: &[u8]) -> Vec<u8> {
    target.iter().copied().filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\r')).collect()
}

fn without_dot_segments(target: &[u8]) -> Vec<u8> {
    let (path, query) = target.split_at(path_len(target));
    let mut kept: Vec<u8> = Vec::with_capacity(target.len());
    let mut segments = path[1..].split(|o| *o == b'/').peekable();
    while let Some(segment) = segments.next() {
        let dots = dots(segment);
        if dots == 0 {
            kept.push(b'/');
            kept.extend_from_slice(segment);
            continue;
        }
        if dots == 2 {
            kept.truncate(memrchr(b'/', &kept).unwrap_or(0));
        }
        if segments.peek().is_none() {
            kept.push(b'/');
        }
    }
    kept.extend_from_slice(query);
    kept
}

/// Whether the path of a target has dot segments.
#[inline]
fn has_dot_segments(target: &[u8]) -> bool {
    let path = &target[..path_len(target)];
    memchr2_iter(b'.', b'%', path).any(|at| {
        let segment = &path[at..];
        at > 0
            && path[at - 1] == b'/'
            && dots(&segment[..memchr(b'/', segment).unwrap_or(segment.len())]) > 0
    })
}

#[inline]
fn path_len(target: &[u8]) -> usize {
    memchr2(b'?', b'#', target).unwrap_or(target.len())
}

/// How many dots a dot segment consists of, as written or escaped: one or two; 0 for other
/// segments.
fn dots(segment: &[u8]) -> usize {
    let mut rest = segment;
    for count in 0..3 {
        rest = match rest {
            [] => return count,
            [b'.', behind @ ..] | [b'%', b'2', b'e' | b'E', behind @ ..] => behind,
            _ => return 0,
        };
    }
    0
}
