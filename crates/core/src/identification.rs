//! Identification strings: which crawler a `User-Agent` header names.
//!
//! In: a header. Out: the names in it, with what they are there for; the first of the sender's is
//! its product token. RFC 9309 section 2.2.1: the token should be part of the header. RFC 9110
//! section 10.1.5: products stand in the order of their significance, and comments are about them.
//!
//! 1. The first product before any comment that no browser sends.
//! 2. Otherwise, in the first comment that holds `compatible;`, the first item behind it that is
//!    neither a browser's nor a system's. Behind a browser's there, people's own additions follow,
//!    so that a name needs a version or a contact. `compatible;` may stand outside of comments, too.
//! 3. Otherwise a product or a bare word behind the browser's own, or an item of a comment that is
//!    a product with a version or a contact. Applications that show pages write several behind the
//!    browser's, and no contact: none of them is a name unless one is as crawlers are called.
//!
//! A header that has none of these is that of a person. Comments nest, `\` in them takes the next
//! byte, and one that is not closed ends with the header. What applications write in brackets about
//! themselves is passed over, except `[compatible; ...]`.

use std::cell::OnceCell;

use memchr::memchr2;

use crate::browsers::{is_as_crawlers, said, Said};
use crate::name::is_name_character;

/// What a name is in a header for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is the sender's.
    Sender,
    /// It stands outside of comments, and is the sender's only if a crawler is known by it.
    Beside,
    /// The same in a comment of a header that has no product of its own before it.
    Mentioned,
}

impl Role {
    /// The name, as bindings write it.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Sender => "sender",
            Role::Beside => "beside",
            Role::Mentioned => "mentioned",
        }
    }
}

/// The product token in an identification string (RFC 9309 section 2.2.1), if it names one. It
/// passes [`check_product_token`](crate::check_product_token) in every dialect.
///
/// A crawler's own product comes first, whatever its comment says: `ExampleBot/1.0 (compatible;
/// Nutch/1.19)` is ExampleBot. One that poses as a browser names itself in a comment, or behind it.
pub fn product_token(header: &str) -> Option<&str> {
    let header = Header::of(header);
    let own = header.own().next();
    own.or_else(|| header.compatible()).or_else(|| header.otherwise().next())
}

/// The names in an identification string: those of the sender, the first of which is its product
/// token, then those that are its own only if a crawler is known by them.
pub fn names_in(header: &str) -> Vec<(&str, Role)> {
    let header = Header::of(header);
    let mut names: Vec<(&str, Role)> = header.own().map(|name| (name, Role::Sender)).collect();
    let has_own = !names.is_empty();
    if !has_own {
        let posed = header.compatible().into_iter().chain(header.otherwise());
        names.extend(posed.map(|name| (name, Role::Sender)));
    }
    names.extend(header.beside().map(|name| (name, Role::Beside)));
    if !has_own {
        names.extend(header.mentioned().map(|name| (name, Role::Mentioned)));
    }
    names
}

/// A header, split.
struct Header<'h> {
    /// The words outside of comments.
    words: Vec<Word<'h>>,
    /// How many of them stand before any comment.
    before: usize,
    comments: Vec<Comment<'h>>,
    /// The place of the first word that is an application's or a device's.
    application: OnceCell<Option<usize>>,
    /// The items of each comment that are not blank.
    items: OnceCell<Vec<Vec<&'h str>>>,
}

#[derive(Clone, Copy)]
struct Comment<'h> {
    text: &'h str,
    /// How many words stand before it.
    place: usize,
}

/// A word outside of comments.
struct Word<'h> {
    text: &'h str,
    /// Whether the header begins with it.
    is_first: bool,
    /// Whether it says whom the sender resembles: `like Gecko`.
    is_likeness: bool,
}

/// A product: its name, and whether it has a version.
#[derive(Clone, Copy)]
struct Product<'h> {
    name: &'h str,
    has_version: bool,
}

impl<'h> Header<'h> {
    fn of(text: &'h str) -> Header<'h> {
        let mut rest = text.trim_matches(|c: char| is_blank(c) || matches!(c, '"' | '\''));
        let mut header = Header {
            words: Vec::new(),
            before: 0,
            comments: Vec::new(),
            application: OnceCell::new(),
            items: OnceCell::new(),
        };
        loop {
            let end = rest.find(['(', '[']).unwrap_or(rest.len());
            let Some(inner) = rest.get(end + 1..) else {
                header.add_words(rest);
                return header;
            };
            // Some write `+` for every blank: `ExampleBot+(+https://example.com/bot)`.
            header.add_words(rest[..end].trim_end_matches('+'));
            let end = match rest.as_bytes()[end] {
                b'[' => header.add_brackets(inner),
                _ => header.add_comment(inner),
            };
            rest = inner.get(end + 1..).unwrap_or_default();
        }
    }

    fn add_words(&mut self, text: &'h str) {
        let is_border = |c: char| is_blank(c) || matches!(c, ';' | ',' | ')' | '<' | '>');
        let is_before = self.comments.is_empty();
        let mut before = "";
        let words = text.split(is_border).filter(|word| !word.is_empty());
        for text in words.flat_map(products_of) {
            let is_first = is_before && self.words.is_empty();
            self.words.push(Word { text, is_first, is_likeness: is_like(before) });
            before = text;
        }
        if is_before {
            self.before = self.words.len();
        }
    }

    /// Take what a text has in brackets, if it is written as a comment is; return where it ends.
    fn add_brackets(&mut self, text: &'h str) -> usize {
        let end = text.find(']').unwrap_or(text.len());
        if items(&text[..end]).iter().any(is_compatible) {
            self.comments.push(Comment { text: &text[..end], place: self.words.len() });
        }
        end
    }

    /// Take the comment that a text begins with; return where it ends.
    fn add_comment(&mut self, text: &'h str) -> usize {
        let end = end_of_comment(text);
        self.comments.push(Comment { text: &text[..end], place: self.words.len() });
        end
    }

    /// Whether a telephone's browser sent it: its model stands before any comment.
    fn is_of_phone(&self) -> bool {
        let first = self.words[..self.before].iter().find_map(Word::product);
        first.is_some_and(|product| said(product.name) == Some(Said::Phone))
    }

    /// The products before any comment that no browser sends.
    fn own(&self) -> impl Iterator<Item = &'h str> + '_ {
        let before = &self.words[..self.before];
        let words = if self.is_of_phone() { &[] } else { before };
        let is_own = |product: &Product| match said(product.name) {
            Some(Said::Browser | Said::Phone | Said::System) => false,
            Some(Said::Feature) => product.has_version,
            None | Some(Said::Beside) => true,
        };
        words.iter().filter_map(Word::product).filter(is_own).map(|product| product.name)
    }

    /// The name in the first comment that holds `compatible;`, or behind it outside of comments.
    fn compatible(&self) -> Option<&'h str> {
        let behind = self.items().iter().find_map(|items| {
            let at = items.iter().position(is_compatible)?;
            Some(&items[at + 1..])
        });
        let Some(behind) = behind else { return self.compatible_outside() };
        let mut is_behind_browser = false;
        for (at, item) in behind.iter().enumerate() {
            let Some(product) = Product::of(first_word(item), false) else { continue };
            match said(product.name) {
                Some(Said::Browser | Said::Phone) => is_behind_browser = true,
                Some(Said::System | Said::Feature) => {}
                _ if is_language(item) => {}
                _ if is_behind_browser && !product.has_version && !has_contact(&behind[at..]) => {}
                _ => return Some(product.name),
            }
        }
        None
    }

    fn compatible_outside(&self) -> Option<&'h str> {
        let at = self.words.iter().position(|word| is_compatible(&word.text))?;
        let names = self.words[at..].iter().filter_map(Word::product).map(|product| product.name);
        names.into_iter().find(|name| matches!(said(name), None | Some(Said::Beside)))
    }

    /// The names behind the browser's own products, then those in comments.
    fn otherwise(&self) -> impl Iterator<Item = &'h str> + '_ {
        let is_programs = |word: &Word| {
            let said = word.product().and_then(|product| said(product.name));
            matches!(said, Some(Said::Browser | Said::Phone | Said::Beside))
        };
        let last = self.words.iter().rposition(is_programs).map_or(0, |at| at + 1);
        let start = if self.is_of_phone() { last.max(self.before) } else { last };
        let behind = self.words[start..].iter().filter_map(Word::product).map(|p| p.name);
        let comments = self.comments.iter().zip(self.items());
        let items = comments.flat_map(|(comment, items)| self.names_of_items(*comment, items));
        let is_told = !self.is_of_application();
        behind.filter(|name| said(name).is_none()).chain(items).filter(move |_| is_told)
    }

    /// Whether an application's names stand behind the browser's: several, one with a version,
    /// none as crawlers are called, and no contact anywhere.
    fn is_of_application(&self) -> bool {
        let is_browsers = |word: &Word| {
            word.product().is_some_and(|product| said(product.name) == Some(Said::Browser))
        };
        let Some(last) = self.words.iter().rposition(is_browsers) else { return false };
        let is_other = |product: &Product| {
            matches!(said(product.name), None | Some(Said::Beside | Said::Phone))
        };
        let products = self.words[last..].iter().filter_map(Word::product);
        let (mut number, mut has_version, mut is_crawlers) = (0, false, false);
        for product in products.filter(is_other) {
            number += 1;
            has_version |= product.has_version;
            is_crawlers |= is_as_crawlers(product.name);
        }
        let has_contact = || {
            let mut items = self.items().iter().flatten();
            let outside = self.words.iter().any(|word| is_contact(word.text));
            outside || items.any(|item| words_of(item).any(is_contact))
        };
        number > 1 && has_version && !is_crawlers && !has_contact()
    }

    /// The names of the items of a comment that are products with a version or a contact.
    fn names_of_items<'s>(
        &'s self,
        comment: Comment<'h>,
        items: &'s [&'h str],
    ) -> impl Iterator<Item = &'h str> + 's {
        (0..items.len()).filter_map(move |at| {
            let product = Product::of(first_word(items[at]), false)?;
            let is_name = product.name.contains(char::is_alphabetic);
            let is_alone = first_word(items[at]).len() == items[at].len();
            let is_told = match said(product.name) {
                None if product.has_version && is_alone && !self.has_application(comment) => true,
                None | Some(Said::Beside) => has_contact(&items[at..]),
                Some(_) => false,
            };
            (is_name && is_told && !is_language(items[at])).then_some(product.name)
        })
    }

    /// The items of each comment that are not blank.
    fn items(&self) -> &[Vec<&'h str>] {
        self.items.get_or_init(|| self.comments.iter().map(|comment| items(comment.text)).collect())
    }

    /// Whether an application's or a device's name stands before a comment, whose data it then holds.
    fn has_application(&self, comment: Comment) -> bool {
        let first = || self.words.iter().position(Word::is_application);
        self.application.get_or_init(first).is_some_and(|at| at < comment.place)
    }

    fn beside(&self) -> impl Iterator<Item = &'h str> + '_ {
        let words = self.words.iter().filter(|word| !word.is_likeness && !is_contact(word.text));
        words.map(|word| name_of(word.text)).filter(|name| may_be_known(name))
    }

    fn mentioned(&self) -> impl Iterator<Item = &'h str> + '_ {
        let items = self.items().iter().flatten();
        items.filter(|item| !is_device(item)).flat_map(|item| {
            let mut before = "";
            words_of(item).flat_map(move |word| {
                let is_likeness = is_like(std::mem::replace(&mut before, word));
                let parts = (!is_likeness && !is_contact(word)).then(|| word.split('/'));
                parts.into_iter().flatten().map(name_of).filter(|name| may_be_known(name))
            })
        })
    }
}

impl<'h> Word<'h> {
    fn is_application(&self) -> bool {
        let said = self.product().and_then(|product| said(product.name));
        matches!(said, Some(Said::Beside | Said::Phone))
    }

    fn product(&self) -> Option<Product<'h>> {
        let product = Product::of(self.text, self.is_first);
        product.filter(|_| !self.is_likeness)
    }
}

impl<'h> Product<'h> {
    /// The product that a word is. A number is the version of what stands before it, unless the
    /// header begins with it.
    fn of(word: &'h str, is_first: bool) -> Option<Product<'h>> {
        if is_contact(word) {
            return None;
        }
        let name = name_of(word);
        let behind = &word.trim_start_matches('+')[name.len()..];
        let has_version = match behind.chars().next() {
            None => false,
            Some('/') => true,
            Some(_) => return None,
        };
        let is_good = match has_version || is_first {
            true => name.contains(char::is_alphanumeric),
            false => name.contains(char::is_alphabetic) && !is_version(name),
        };
        is_good.then_some(Product { name, has_version })
    }
}

/// The items of a comment that are not blank; `compatible:` is one.
fn items(comment: &str) -> Vec<&str> {
    let items = comment.split([';', ',', '(', ')']).flat_map(|item| {
        let parts = item
            .split_once(':')
            .filter(|(before, _)| is_compatible(&before.trim_matches(is_blank)));
        let (item, more) = parts.map_or((item, None), |(before, behind)| (before, Some(behind)));
        [Some(item), more].into_iter().flatten()
    });
    items.map(|item| item.trim_matches(is_blank)).filter(|item| !item.is_empty()).collect()
}

fn is_compatible(item: &&str) -> bool {
    item.eq_ignore_ascii_case("compatible")
}

/// The parts of a word that joins a product to a browser's: `Safari/537.36/ExampleBot/1.0`.
fn products_of(word: &str) -> impl Iterator<Item = &str> {
    let (word, joined) = match end_of_browsers(word) {
        Some(at) => (&word[..at], Some(&word[at + 1..])),
        None => (word, None),
    };
    std::iter::once(word).chain(joined)
}

/// The place of the slash between a browser's product that a word begins with and another product.
fn end_of_browsers(word: &str) -> Option<usize> {
    let name = name_of(word);
    let version = word.strip_prefix(name)?.strip_prefix('/')?;
    let at = name.len() + 1 + version.find('/')?;
    let next = &word[at + 1..];
    let is_product = next.starts_with(char::is_alphabetic) && next.matches('/').count() == 1;
    (is_product && said(name) == Some(Said::Browser)).then_some(at)
}

/// Whether the first item has a contact: in itself, or, if it is one word, as the next item.
fn has_contact(items: &[&str]) -> bool {
    let mut words = words_of(items[0]).skip(1).peekable();
    match words.peek() {
        Some(_) => words.any(is_contact),
        None => items.get(1).is_some_and(|next| is_contact(first_word(next))),
    }
}

/// Whether a word is a URL or a mail address.
fn is_contact(word: &str) -> bool {
    let is_host =
        || word.trim_start_matches('+').get(..4).is_some_and(|w| w.eq_ignore_ascii_case("www."));
    match memchr2(b':', b'@', word.as_bytes()) {
        None => is_host(),
        Some(_) => is_host() || word.contains("://") || is_mail(word),
    }
}

fn is_mail(word: &str) -> bool {
    let mut parts = word.split('@');
    let has_user = parts.next().is_some_and(|user| !user.is_empty());
    has_user
        && parts.any(|host| {
            let mut labels = host.split('.').skip(1);
            labels.any(|label| label.starts_with(|c: char| c.is_ascii_alphabetic()))
        })
}

/// Where a comment ends, at its parenthesis or with the text.
fn end_of_comment(text: &str) -> usize {
    let mut depth = 1;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'(' => depth += 1,
            b')' if depth == 1 => return at,
            b')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether Android names its device with an item: `Pixel 2 Build/OPD3`.
fn is_device(item: &str) -> bool {
    words_of(item).any(|word| word.starts_with("Build/"))
}

/// `2.0`, `v3.1`, `7.54u1`.
fn is_version(name: &str) -> bool {
    let digits = name.strip_prefix(['v', 'V']).unwrap_or(name);
    let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < digits.len() && behind.starts_with('.')
}

/// `en`, `en-US`, `zh_cn`.
fn is_language(item: &str) -> bool {
    match item.as_bytes() {
        [language @ .., b'-' | b'_', c, d]
            if c.is_ascii_alphabetic() && d.is_ascii_alphabetic() =>
        {
            matches!(language, [b'a'..=b'z', b'a'..=b'z'])
        }
        language => matches!(language, [b'a'..=b'z', b'a'..=b'z']),
    }
}

/// Whether it names a crawler that poses as a browser, if one is known by it.
fn may_be_known(name: &str) -> bool {
    !name.is_empty() && said(name).is_none()
}

/// Whether a name is a browser's or a system's, and no crawler's.
pub fn is_browsers(name: &str) -> bool {
    matches!(said(name), Some(Said::Browser | Said::Phone | Said::System))
}

fn is_like(word: &str) -> bool {
    word.eq_ignore_ascii_case("like")
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_blank).filter(|word| !word.is_empty())
}

fn first_word(text: &str) -> &str {
    words_of(text).next().unwrap_or_default()
}

/// The name that a word begins with, perhaps behind `+`.
fn name_of(word: &str) -> &str {
    let word = word.trim_start_matches('+');
    &word[..word.find(|c| !is_name_character(c)).unwrap_or(word.len())]
}

/// No-break spaces and byte order marks come from texts that headers were copied from.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{B}' | '\u{C}' | '\u{A0}' | '\u{FEFF}')
}
