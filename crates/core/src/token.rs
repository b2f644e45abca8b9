//! Product tokens: which texts are valid, and how a dialect finds a crawler's groups by them.
//!
//! In: [`Groups`], tokens, and a [`Dialect`]. Out: a [`Selection`] of groups. RFC 9309 section
//! 2.2.1. Comparison ignores the case of ASCII letters. Nothing here knows a URL.

use memchr::memmem;

use crate::dialect::{
    Dialect, NamedGroups, TokenCheck, UserAgentMatch, UserAgentStarSuffix, Which,
};
use crate::error::InvalidProductToken;
use crate::group::Groups;
use crate::identification::{is_browsers, product_token};
use crate::line::is_white;
use crate::name::{is_name, is_name_character, leading_name};

/// Check that bytes can be the product token of a crawler in this dialect.
///
/// A name consists of the characters of a token (RFC 9110 section 5.6.2) except `#`, `*` and `|`,
/// and letters outside ASCII: those of Unicode's property Alphabetic except combining diacritical
/// marks. A lone `*` means the crawlers that no group names. RFC 9309 section 2.2.1 allows letters,
/// `-` and `_` in a crawler's name; robots with other characters in their names exist, and files
/// name them.
///
/// `#` begins a comment in every file; `,`, `;` and `|` join names, `/` begins a version, and white
/// space and parentheses a comment: a text with these is a list or an identification string. No
/// file can name it, so it would be allowed everything that is disallowed for its crawler.
pub fn check_product_token(token: &[u8], dialect: &Dialect) -> Result<(), InvalidProductToken> {
    let cuts = match dialect.token_check {
        TokenCheck::Any => return Ok(()),
        TokenCheck::Strict => false,
        TokenCheck::Cut => true,
    };
    if token == b"*" {
        return Ok(());
    }
    let is_good = |c: char| is_name_character(c) || c == '/' && cuts;
    let mut start = 0;
    for chunk in token.utf8_chunks() {
        let (valid, invalid) = (chunk.valid(), chunk.invalid());
        if let Some((at, character)) = valid.char_indices().find(|(_, c)| !is_good(*c)) {
            return Err(InvalidProductToken::BadCharacter { character, offset: start + at });
        }
        start += valid.len();
        if let Some(byte) = invalid.first() {
            return Err(InvalidProductToken::BadByte { byte: *byte, offset: start });
        }
    }
    match token.first() {
        None | Some(b'/') => Err(InvalidProductToken::Empty),
        _ => Ok(()),
    }
}

/// What was most likely meant by a text that is not a product token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant<'t> {
    /// One crawler, whose product token this is.
    One(&'t str),
    /// A list of product tokens.
    Several(Vec<&'t str>),
    /// Unknown.
    Unknown,
}

/// What a text that is not a product token most likely means; every name returned is one.
pub fn meant(text: &str) -> Meant<'_> {
    let bare = bare_name(text);
    if is_name(bare) {
        return if is_browsers(bare) { Meant::Unknown } else { Meant::One(bare) };
    }
    if !bare.contains(['/', '(']) {
        let names: Vec<&str> = bare.split(JOINS).map(bare_name).filter(|n| !n.is_empty()).collect();
        let is_list = bare.contains(JOINS) && names.iter().all(|name| is_name(name));
        return match (is_list, names.as_slice()) {
            (true, [name]) => Meant::One(name),
            (true, [_, _, ..]) => Meant::Several(names),
            _ => Meant::Unknown,
        };
    }
    match product_token(text).filter(|_| !joins_products(text)) {
        Some(name) => Meant::One(name),
        None => Meant::Unknown,
    }
}

/// What people put between names.
const JOINS: [char; 5] = [',', ';', '|', '\n', '\r'];

/// A text without what people write around names: `User-agent:`, quotes, brackets, separators.
fn bare_name(text: &str) -> &str {
    let text = text.trim();
    let field = "user-agent:";
    let value = match text.get(..field.len()) {
        Some(key) if key.eq_ignore_ascii_case(field) => &text[field.len()..],
        _ => text,
    };
    value.trim_matches(|c: char| c.is_whitespace() || "\"'`,;:|()[]<>{}".contains(c))
}

/// Whether an identification string is a list of several, as in `GPTBot/1.0, CCBot/2.0`.
fn joins_products(text: &str) -> bool {
    let outside = text.split('(').enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once(')').map_or("", |(_, behind)| behind),
    });
    outside.into_iter().any(|part| part.contains(JOINS))
}

/// The most names of one line that are checked.
const MOST_MEANT: usize = 100;

/// The groups that a crawler follows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selection {
    /// Indices into [`Groups`], in file order.
    pub groups: Vec<u32>,
    /// Whether they name the crawler; otherwise they are wildcard groups.
    pub named: bool,
}

/// Select the groups that a crawler with these product tokens follows, in order of preference.
pub fn select(bytes: &[u8], groups: &Groups, tokens: &[&[u8]], dialect: &Dialect) -> Selection {
    let test = NameTest::new(dialect);
    let named = match dialect.tokens {
        Which::First => tokens
            .iter()
            .map(|token| named(bytes, groups, &[token], &test))
            .find(|found| !found.is_empty())
            .unwrap_or_default(),
        Which::Merge => named(bytes, groups, tokens, &test),
    };
    if !named.is_empty() {
        return Selection { groups: named, named: true };
    }
    Selection { groups: wildcard(bytes, groups, &test, dialect), named: false }
}

/// The groups that name one product token; none if no group does.
pub fn select_named(
    bytes: &[u8],
    groups: &Groups,
    token: &[u8],
    dialect: &Dialect,
) -> Option<Selection> {
    let groups = named(bytes, groups, &[token], &NameTest::new(dialect));
    (!groups.is_empty()).then_some(Selection { groups, named: true })
}

/// The wildcard groups that crawlers without a group of their own follow.
pub fn select_wildcard(bytes: &[u8], groups: &Groups, dialect: &Dialect) -> Selection {
    select(bytes, groups, &[], dialect)
}

fn named(bytes: &[u8], groups: &Groups, tokens: &[&[u8]], test: &NameTest) -> Vec<u32> {
    let mut found = Vec::new();
    let mut best = 0;
    for group in 0..groups.len() {
        let values = groups.start_lines(group).iter().map(|line| line.value.of(bytes));
        let Some(score) = values.filter_map(|value| test.score(value, tokens)).max() else {
            continue;
        };
        match test.which {
            NamedGroups::First => return vec![group as u32],
            NamedGroups::BestMerge if score < best => continue,
            NamedGroups::BestMerge if score > best => found.clear(),
            _ => {}
        }
        best = score;
        found.push(group as u32);
    }
    found
}

fn wildcard(bytes: &[u8], groups: &Groups, test: &NameTest, dialect: &Dialect) -> Vec<u32> {
    if dialect.ignore_star {
        return Vec::new();
    }
    let is_star = |group: &usize| {
        groups.start_lines(*group).iter().any(|line| test.is_star(line.value.of(bytes)))
    };
    let stars = (0..groups.len()).filter(is_star).map(|group| group as u32);
    match dialect.star_groups {
        Which::First => stars.take(1).collect(),
        Which::Merge => stars.collect(),
    }
}

/// How a dialect compares the value of a start-group line with product tokens, and which of the
/// groups that name a crawler apply to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameTest {
    pub(crate) which: NamedGroups,
    test: UserAgentMatch,
    whole_family: bool,
    user_agent_star_suffix: UserAgentStarSuffix,
}

impl NameTest {
    pub(crate) fn new(dialect: &Dialect) -> Self {
        NameTest {
            which: dialect.named_groups,
            test: dialect.user_agent_match,
            whole_family: dialect.ignore_family,
            user_agent_star_suffix: dialect.user_agent_star_suffix,
        }
    }

    /// Whether the value is `*`, with or without text after it.
    pub(crate) fn is_star(&self, value: &[u8]) -> bool {
        match (value, self.user_agent_star_suffix) {
            ([b'*'], _) => true,
            ([b'*', next, ..], UserAgentStarSuffix::Blank) => matches!(next, b' ' | b'\t'),
            ([b'*', next, ..], UserAgentStarSuffix::WhiteSpace) => is_white(*next),
            _ => false,
        }
    }

    /// Whether a value can name a token only if both begin with the same letter, in any case.
    pub(crate) fn compares_beginnings(&self) -> bool {
        match self.test {
            UserAgentMatch::Substring | UserAgentMatch::ValueContainsName => false,
            UserAgentMatch::Equal | UserAgentMatch::Rfc => true,
            UserAgentMatch::Prefix | UserAgentMatch::FamilyPrefix => true,
        }
    }

    /// Whether a value names the tokens that it contains, up to a slash in either, and if so
    /// whether also those that contain it.
    pub(crate) fn compares_anywhere(&self) -> Option<bool> {
        match self.test {
            UserAgentMatch::Substring => Some(true),
            UserAgentMatch::ValueContainsName => Some(false),
            _ => None,
        }
    }

    /// Whether one value may name many tokens, not only those that it begins with.
    pub(crate) fn may_name_many(&self) -> bool {
        match self.test {
            UserAgentMatch::Substring | UserAgentMatch::ValueContainsName => true,
            UserAgentMatch::Equal | UserAgentMatch::Rfc | UserAgentMatch::Prefix => false,
            UserAgentMatch::FamilyPrefix => true,
        }
    }

    /// What a value must begin with to name a token, if beginnings are compared.
    pub(crate) fn key<'t>(&self, token: &'t [u8]) -> &'t [u8] {
        match self.test {
            UserAgentMatch::Equal => until_slash(token),
            _ => token,
        }
    }

    /// The name in a value that stands for all tokens which begin with it, in a dialect with
    /// families.
    pub(crate) fn family<'v>(&self, value: &'v [u8]) -> Option<&'v [u8]> {
        (self.test == UserAgentMatch::FamilyPrefix).then(|| family_name(value))
    }

    /// The part of a value that says whom it names, except for letter case: two values with the same
    /// part name the same crawlers.
    pub(crate) fn naming<'v>(&self, value: &'v [u8]) -> &'v [u8] {
        match (value.starts_with(b"*"), self.compares_anywhere()) {
            (true, _) => value,
            (false, Some(_)) => until_slash(value),
            (false, None) => run(value, |byte| *byte == b'*' || !ends_a_name(*byte)),
        }
    }

    /// Names that a value may name; all of them, unless a name that is longer or shorter than the
    /// value is named as well.
    pub(crate) fn names_in<'v>(&self, value: &'v [u8]) -> impl Iterator<Item = &'v [u8]> {
        let runs = [
            value,
            run(value, |byte| !ends_a_name(*byte)),
            run(value, |byte| is_legal(*byte)),
            run(value, |byte| is_not_special(*byte)),
            family_name(value),
        ];
        let words = value.split(|byte| !is_not_special(*byte));
        runs.into_iter().chain(words).filter(|name| !name.is_empty())
    }

    /// How well the value matches one of the tokens; none if it matches none.
    pub(crate) fn score(&self, value: &[u8], tokens: &[&[u8]]) -> Option<usize> {
        let named = tokens.iter().filter(|token| **token != b"*");
        if self.is_star(value) {
            return None;
        }
        named.filter_map(|token| self.hit(value, token)).max()
    }

    /// The names that the author of the value meant but that it does not match; none if it matches
    /// all of them, an empty list if it matches no name at all.
    pub(crate) fn missed<'v>(&self, value: &'v str) -> Option<Vec<&'v str>> {
        if is_name(value) || self.is_star(value.as_bytes()) {
            return None;
        }
        let is_missed = |name: &&str| self.hit(value.as_bytes(), name.as_bytes()).is_none();
        // `*bot*`: names have no wildcards, and every crawler is named by `*` alone.
        let name = value.trim_start_matches('*').trim_end_matches('*');
        let names: Vec<&str> = match meant(if value.starts_with('*') { name } else { value }) {
            Meant::One(name) => vec![name],
            Meant::Several(names) => names,
            Meant::Unknown => {
                let is_nobody = value.starts_with('*') || leading_name(value).is_empty();
                return is_nobody.then(Vec::new);
            }
        };
        // A hostile line may list thousands of names, and each is compared with the whole line.
        let missed: Vec<&str> = names.into_iter().take(MOST_MEANT).filter(is_missed).collect();
        (!missed.is_empty()).then_some(missed)
    }

    fn hit(&self, value: &[u8], token: &[u8]) -> Option<usize> {
        let is_hit = match self.test {
            UserAgentMatch::Substring => {
                let (value, token) = (until_slash(value), until_slash(token));
                contains(value, token) || contains(token, value)
            }
            UserAgentMatch::ValueContainsName => contains(until_slash(value), until_slash(token)),
            UserAgentMatch::Equal => {
                let token = until_slash(token);
                !token.is_empty()
                    && ends_a_run(value, token.len(), is_not_special)
                    && begins_with(value, token)
            }
            UserAgentMatch::Rfc => rfc_hit(value, token),
            // Only a dialect that takes any text asks with an empty token, and google/robotstxt
            // lets it hit values that begin outside the alphabet.
            UserAgentMatch::Prefix => {
                ends_a_run(value, token.len(), is_legal) && begins_with(value, token)
            }
            UserAgentMatch::FamilyPrefix => return self.family_hit(value, token),
        };
        is_hit.then_some(0)
    }

    /// Yandex: the value is the robot's name or its family's; the longer one fits better.
    fn family_hit(&self, value: &[u8], token: &[u8]) -> Option<usize> {
        let name = family_name(&value[..value.len().min(token.len() + 1)]);
        let head = token.get(..name.len())?;
        let is_whole = name.len() == token.len();
        let is_hit = !name.is_empty() && head.eq_ignore_ascii_case(name);
        (is_hit && (is_whole || !self.whole_family)).then_some(name.len())
    }
}

fn family_name(value: &[u8]) -> &[u8] {
    run(value, |o| o.is_ascii_alphanumeric() || matches!(o, b'_' | b'.' | b'-'))
}

/// Equality of the whole value, of the value up to a version or list, or, if the value contains
/// more than letters, `-` and `_`, of its leading run of those (RFC 9309 section 2.3.1.5: what
/// can be parsed is used; robots whose names contain digits exist).
fn rfc_hit(value: &[u8], token: &[u8]) -> bool {
    // The byte behind the name is looked at first: a value may hold thousands of names.
    let Some(head) = value.get(..token.len()) else { return false };
    let ends = value.get(token.len()).is_none_or(|next| {
        (ends_a_name(*next) && !head.iter().copied().any(ends_a_name))
            || (!is_legal(*next) && head.iter().copied().all(is_legal))
    });
    ends && !token.is_empty() && head.eq_ignore_ascii_case(token)
}

fn ends_a_name(byte: u8) -> bool {
    matches!(byte, b'/' | b'*' | b' ' | b'\t' | b',' | b';')
}

/// Whether the longest run of such bytes that a value begins with has this length. The byte after it
/// is looked at first, and the rest is not read: a value may contain thousands of names, or be within
/// as many others.
fn ends_a_run(value: &[u8], len: usize, belongs: impl Fn(u8) -> bool) -> bool {
    value.get(len).is_none_or(|o| !belongs(*o))
        && value.get(..len).is_some_and(|run| run.iter().all(|o| belongs(*o)))
}

fn is_legal(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')
}

/// Whether a text begins with another, in any case.
fn begins_with(text: &[u8], beginning: &[u8]) -> bool {
    text.get(..beginning.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(beginning))
}

fn run(text: &[u8], belongs: impl Fn(&u8) -> bool) -> &[u8] {
    &text[..text.iter().position(|o| !belongs(o)).unwrap_or(text.len())]
}

pub(crate) fn until_slash(text: &[u8]) -> &[u8] {
    run(text, |o| *o != b'/')
}

/// Whether a byte is not a `tspecial` of RFC 1945 section 2.2, space or tab.
fn is_not_special(byte: u8) -> bool {
    !b"()<>@,;:\\\"/[]?={} \t".contains(&byte)
}

/// Up to this many bytes of a text, trying every place is faster than preparing a search.
const SHORT: usize = 64;

/// Whether `text` contains `part`, in any case; no text contains an empty part.
fn contains(text: &[u8], part: &[u8]) -> bool {
    if part.is_empty() || part.len() > text.len() {
        return false;
    }
    if text.len() <= SHORT {
        return text.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
    }
    memmem::find(&text.to_ascii_lowercase(), &part.to_ascii_lowercase()).is_some()
}
