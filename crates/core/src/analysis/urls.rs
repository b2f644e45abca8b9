//! URLs: what is asked of two sides at once, and how it is written.
//!
//! In: a target of an analysis. Out: the path of a URL that has it. Two dialects that bring URLs to
//! the same form are asked about targets; others about URLs in the normal form of RFC 9309 section
//! 2.2.2, in which crawlers send them, and which each reads in its own way.

use crate::dialect::{Dialect, Normalisation, UrlSplit};
use crate::percent::{escape_at, push_escape, Form, Side};

/// How the targets of two dialects are written as URLs.
pub struct Urls {
    is_alike: bool,
    is_exact: bool,
    decodes: bool,
    is_base: bool,
    splits_any: bool,
    normal: Form,
}

impl Urls {
    /// Compare two dialects.
    pub fn new(old: &Dialect, new: &Dialect) -> Self {
        let is_alike = view(old) == view(new);
        let decodes = |dialect: &Dialect| dialect.normalisation == Normalisation::Koster96;
        let is_exact = is_alike || !decodes(old) && !decodes(new) && old.query == new.query;
        let splits_any = [old, new].iter().any(|dialect| dialect.url_split == UrlSplit::Google);
        let normal = Form::of(&crate::dialect::RFC9309);
        let is_base = old.normalisation == Normalisation::Base;
        Urls { is_alike, is_exact, decodes: decodes(old), is_base, splits_any, normal }
    }

    /// Whether both have the same target of each URL.
    pub fn are_alike(&self) -> bool {
        self.is_alike
    }

    /// Whether the words of an analysis stand for all URLs, or for all in normal form.
    pub fn are_exact(&self) -> bool {
        self.is_exact
    }

    /// A URL that has a target: its path, and an authority before it where a path would be misread.
    pub fn spell(&self, target: &[u8]) -> Vec<u8> {
        let path = match self.is_alike {
            true if self.decodes => escaped(target),
            true if self.is_base => kept(target),
            true => target.to_vec(),
            false => self.normal.apply(Side::Target, target).into_owned(),
        };
        match self.splits_any && path.starts_with(b"//") {
            true => [b"http://example.com", &path[..]].concat(),
            false => path,
        }
    }
}

/// What decides which target a URL has.
fn view(dialect: &Dialect) -> impl PartialEq {
    (dialect.normalisation, dialect.query, dialect.url_split, dialect.wildcards)
}

/// Each `%` so that it stays, though it stands before two digits of another escape's value.
fn kept(target: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(target.len());
    for (at, byte) in target.iter().enumerate() {
        let before = at.checked_sub(1).filter(|at| target[*at] == b'%');
        let escape = before.and_then(|at| escape_at(target, at));
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

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Each byte so that it is decoded to itself.
fn escaped(target: &[u8]) -> Vec<u8> {
    let is_plain = |byte: u8| is_unreserved(byte) || b"/!&'()+,;=:@".contains(&byte);
    let mut path = Vec::with_capacity(target.len());
    for byte in target {
        match is_plain(*byte) {
            true => path.push(*byte),
            false => push_escape(*byte, &mut path),
        }
    }
    path
}
