//! Extension records as typed values.
//!
//! In: the field and the value of a record. Out: a [`Value`], or [`Malformed`] with the reason; the
//! raw text stays in the file. RFC 9309 section 2.2.4 lets crawlers interpret such records; each
//! grammar's source is named at its function. A malformed value never affects groups or rules.

use std::collections::HashMap;
use std::fmt;

use crate::field::{Field, FieldScope, ValueKind};
use crate::file::{File, LineInfo};
use crate::host::canonical_host;
use crate::line::Span;
use crate::origin::Origin;
use crate::reader::LineKind;
use crate::target::{split_authority, Parts};
use crate::vocabulary::Use;

/// Why a value is malformed: a sentence that says what the field accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Malformed {}

/// The number of seconds that the digits of a delay say.
#[doc(hidden)]
pub fn seconds(written: &str) -> f64 {
    written.parse().unwrap_or(f64::INFINITY)
}

/// A number of seconds as a file could write it.
#[doc(hidden)]
#[inline(never)] // what writes numbers is large
pub fn seconds_text(seconds: f64) -> String {
    seconds.to_string()
}

/// A window of the day in minutes, UTC; one that ends before it starts wraps over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The first minute, 0 to 1,439.
    pub start: u16,
    /// The last minute, 0 to 1,440.
    pub end: u16,
}

impl Window {
    /// Whether a minute of the day is in the window.
    pub fn holds(self, minute: u16) -> bool {
        match self.start <= self.end {
            true => (self.start..=self.end).contains(&minute),
            false => minute >= self.start || minute <= self.end,
        }
    }
}

/// As a file could write it.
impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [start, end] = [self.start, self.end].map(|minute| (minute / 60, minute % 60));
        write!(f, "{:02}{:02}-{:02}{:02}", start.0, start.1, end.0, end.1)
    }
}

/// A number of documents in a number of seconds, always or within a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// Documents, at least 1.
    pub documents: u32,
    /// Seconds, at least 1.
    pub seconds: u64,
    /// When the rate holds.
    pub window: Option<Window>,
}

/// As a file could write it.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.documents, self.seconds)?;
        self.window.map_or(Ok(()), |window| write!(f, " {window}"))
    }
}

/// How freely the content may be used, from restrictive to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UseExtent {
    /// The most restrictive of the three.
    Immediate,
    /// Between the two.
    Reference,
    /// The most open.
    Full,
}

impl UseExtent {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            UseExtent::Immediate => "immediate",
            UseExtent::Reference => "reference",
            UseExtent::Full => "full",
        }
    }

    /// The use of this name, in any case.
    pub fn named(word: &[u8]) -> Option<UseExtent> {
        [UseExtent::Immediate, UseExtent::Reference, UseExtent::Full]
            .into_iter()
            .find(|known| word.eq_ignore_ascii_case(known.name().as_bytes()))
    }
}

/// Content signals: none if unset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signals {
    /// Building a search index.
    pub search: Option<bool>,
    /// Input to AI models.
    pub ai_input: Option<bool>,
    /// Training of AI models.
    pub ai_train: Option<bool>,
    /// How much of the content may be shown.
    pub usage: Option<UseExtent>,
}

impl Signals {
    /// What is said about a use.
    pub const fn of(self, asked: Use) -> Option<bool> {
        match asked {
            Use::Search => self.search,
            Use::AiInput => self.ai_input,
            Use::AiTrain => self.ai_train,
        }
    }

    /// What is said, as a file writes it: each key with its word.
    pub fn words(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let uses = Use::ALL.into_iter().filter_map(move |known| {
            self.of(known).map(|said| (known.name(), if said { "yes" } else { "no" }))
        });
        uses.chain(self.usage.map(|usage| ("use", usage.name())))
    }

    fn of_mut(&mut self, asked: Use) -> &mut Option<bool> {
        match asked {
            Use::Search => &mut self.search,
            Use::AiInput => &mut self.ai_input,
            Use::AiTrain => &mut self.ai_train,
        }
    }

    /// Both at once: the more restrictive of two answers wins.
    pub fn and(self, other: Signals) -> Signals {
        self.merged(other, stricter, stricter)
    }

    /// These, and the other's for signals that are unset here.
    pub fn or(self, other: Signals) -> Signals {
        self.merged(other, Option::or, Option::or)
    }

    fn merged(
        self,
        other: Signals,
        flag: fn(Option<bool>, Option<bool>) -> Option<bool>,
        usage: fn(Option<UseExtent>, Option<UseExtent>) -> Option<UseExtent>,
    ) -> Signals {
        Signals {
            search: flag(self.search, other.search),
            ai_input: flag(self.ai_input, other.ai_input),
            ai_train: flag(self.ai_train, other.ai_train),
            usage: usage(self.usage, other.usage),
        }
    }

    /// Read one member, `key=word`; false if it is not one, or unknown.
    fn take_member(&mut self, member: &[u8]) -> bool {
        let mut sides = member.splitn(2, |o| *o == b'=').map(<[u8]>::trim_ascii);
        match (sides.next(), sides.next()) {
            (Some(key), Some(word)) => self.take(key, word),
            _ => false,
        }
    }

    /// Read one `key=word`; false if it is unknown.
    fn take(&mut self, key: &[u8], word: &[u8]) -> bool {
        let flag = match word.to_ascii_lowercase().as_slice() {
            b"yes" => Some(true),
            b"no" => Some(false),
            _ => None,
        };
        let mut one = Signals::default();
        let key = key.to_ascii_lowercase();
        match Use::ALL.into_iter().find(|known| known.name().as_bytes() == key) {
            Some(known) => *one.of_mut(known) = flag,
            None if key == b"use" => one.usage = UseExtent::named(word),
            None => {}
        }
        *self = self.and(one);
        one != Signals::default()
    }
}

/// As a file could write them.
impl fmt::Display for Signals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = "";
        for (key, word) in self.words() {
            write!(f, "{before}{key}={word}")?;
            before = ", ";
        }
        Ok(())
    }
}

fn stricter<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Usage preferences: none if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Preferences {
    /// Training of AI models.
    pub train_ai: Option<bool>,
    /// Building a search index.
    pub search: Option<bool>,
    /// Any use by AI models.
    pub ai_use: Option<bool>,
}

impl Preferences {
    /// Both at once: of two answers a `disallow` wins.
    pub fn and(self, other: Preferences) -> Preferences {
        Preferences {
            train_ai: stricter(self.train_ai, other.train_ai),
            search: stricter(self.search, other.search),
            ai_use: stricter(self.ai_use, other.ai_use),
        }
    }

    /// Each label, and its preference.
    pub fn labels(self) -> [(&'static str, Option<bool>); 3] {
        [Use::AiTrain, Use::Search, Use::AiInput].map(|known| (known.label(), self.of(known)))
    }

    /// What is preferred about a use.
    pub const fn of(self, asked: Use) -> Option<bool> {
        match asked {
            Use::Search => self.search,
            Use::AiInput => self.ai_use,
            Use::AiTrain => self.train_ai,
        }
    }

    /// The preference of a label; none if the label is unknown.
    fn named(&mut self, label: &[u8]) -> Option<&mut Option<bool>> {
        Some(match Use::labelled(label)? {
            Use::Search => &mut self.search,
            Use::AiInput => &mut self.ai_use,
            Use::AiTrain => &mut self.train_ai,
        })
    }
}

/// A usage preference with an unknown label or value: it is kept but has no effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OtherUsage {
    /// The label.
    pub label: Vec<u8>,
    /// What follows it and its `=`, as written.
    pub written: Vec<u8>,
}

/// Usage preferences for a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Usage {
    /// The path pattern; empty for every path.
    pub path: Vec<u8>,
    /// The preferences of known labels.
    pub preferences: Preferences,
    /// Known labels whose value is neither `y` nor `n`, which has no effect.
    pub unread: Vec<OtherUsage>,
    /// The others, in the order of the line.
    pub other: Vec<OtherUsage>,
}

/// The main mirror of a site.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mirror {
    /// `http`, `https`, or none given.
    pub scheme: Option<&'static str>,
    /// The host, in A-label form.
    pub host: String,
    /// The port, if one is given.
    pub port: Option<u16>,
}

/// Query parameters without meaning, below a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CleanParam {
    /// Their names.
    pub params: Vec<Vec<u8>>,
    /// A path pattern; empty for every path.
    pub path: Vec<u8>,
}

/// The value of an extension record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// Seconds, as the exact decimal that was written.
    Delay(String),
    /// A rate of requests.
    Rate(Rate),
    /// A window of the day.
    Window(Window),
    /// A sitemap, and whether its URL is absolute.
    Sitemap {
        /// Whether it has scheme and authority.
        absolute: bool,
        /// A relative one against the URL of the file.
        resolved: Option<Vec<u8>>,
    },
    /// The main mirror.
    Host(Mirror),
    /// Parameters without meaning.
    CleanParam(CleanParam),
    /// Content signals.
    Signals {
        /// What was understood.
        signals: Signals,
        /// Whether all of the line was understood.
        is_whole: bool,
    },
    /// Usage preferences.
    Usage {
        /// What was understood.
        usage: Usage,
        /// Whether the value is a dictionary: otherwise nothing was understood.
        is_dictionary: bool,
    },
    /// A licence, whose URL is the raw text.
    License,
    /// Free text: the raw text.
    Text,
}

/// One extension record of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number of its line.
    pub line: u32,
    /// Its field.
    pub field: Field,
    /// The span of its value.
    pub raw: Span,
    /// Its group.
    pub group: Option<u32>,
    /// Its value.
    pub value: Result<Value, Malformed>,
}

impl Record {
    /// Whether the record applies to the crawlers of its group, and not to the whole file.
    pub fn is_of_group(&self) -> bool {
        match self.field.scope() {
            FieldScope::File => false,
            FieldScope::Group => true,
            FieldScope::Position => self.group.is_some(),
        }
    }
}

impl File {
    /// The extension records that the file's dialect reads, in file order (RFC 9309 section 2.2.4).
    ///
    /// origin: that of the file, against which relative sitemaps are resolved; they stay unresolved
    /// without one.
    pub fn records(&self, origin: Option<&Origin>) -> Vec<Record> {
        self.record_lines().iter().filter_map(|line| self.record_on(line, origin)).collect()
    }

    /// The record on a line of the file; none if the line is a rule, starts a group, or has nothing
    /// that the dialect reads.
    pub fn record_on(&self, line: &LineInfo, origin: Option<&Origin>) -> Option<Record> {
        let LineKind::Field(field) = line.reading.kind else { return None };
        if field.is_core() {
            return None;
        }
        let raw = line.reading.value;
        let value = read(field, raw.of(self.bytes()), line.raw.content.len(), origin);
        Some(Record { line: line.raw.number, field, raw, group: line.group, value })
    }

    /// The spans of the values of the file's `Sitemap` records, except empty ones.
    pub fn sitemaps(&self) -> Vec<Span> {
        let is_sitemap = |line: &LineInfo| line.reading.kind == LineKind::Field(Field::Sitemap);
        let lines = self.record_lines().iter().filter(|line| is_sitemap(line));
        lines.map(|line| line.reading.value).filter(|value| !value.is_empty()).collect()
    }
}

/// Read a value.
fn read(
    field: Field,
    raw: &[u8],
    line_len: usize,
    origin: Option<&Origin>,
) -> Result<Value, Malformed> {
    match field.value_kind() {
        ValueKind::Delay => delay(raw),
        ValueKind::Rate => rate(raw),
        ValueKind::Window => window(raw).map(Value::Window),
        ValueKind::Version => version(raw),
        ValueKind::Sitemap => sitemap(raw, origin),
        ValueKind::Host => host(raw),
        ValueKind::CleanParam => clean_param(raw, line_len),
        ValueKind::Signal => signals(raw),
        ValueKind::Usage => Ok(usage(raw)),
        ValueKind::License => license(raw),
        ValueKind::Core | ValueKind::Text => Ok(Value::Text),
    }
}

/// `1*DIGIT [ "." 1*DIGIT ]` seconds, at most nine digits before the point (Bing Webmaster blog,
/// August 2009; Yandex Webmaster help, Crawl-delay, for fractions).
fn delay(raw: &[u8]) -> Result<Value, Malformed> {
    const WHY: Malformed =
        Malformed("a delay is a decimal number of seconds, such as `10` or `0.5`");
    let mut parts = raw.splitn(2, |o| *o == b'.');
    let whole = parts.next().filter(|digits| is_digits(digits) && digits.len() <= 9);
    let fraction = parts.next().is_none_or(is_digits);
    match (whole, fraction) {
        (Some(_), true) => Ok(Value::Delay(ascii(raw))),
        _ => Err(WHY),
    }
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn ascii(text: &[u8]) -> String {
    text.iter().map(|o| *o as char).collect()
}

/// A number of at most nine digits.
fn number(digits: &[u8]) -> Option<u32> {
    (is_digits(digits) && digits.len() <= 9).then(|| ascii(digits).parse().ok()).flatten()
}

/// `docs "/" span [ 1*WSP window ]` (Conner, An Extended Standard for Robot Exclusion, 1996;
/// Seznam help, Crawling control).
fn rate(raw: &[u8]) -> Result<Value, Malformed> {
    const WHY: Malformed = Malformed(
        "a rate is documents per time, such as `1/10s` or `30/1m 0600-0845`, neither of them zero",
    );
    let gap = raw.iter().position(|o| is_blank(*o)).unwrap_or(raw.len());
    let (ratio, rest) = raw.split_at(gap);
    let slash = ratio.iter().position(|o| *o == b'/').ok_or(WHY)?;
    let documents = number(&ratio[..slash]).filter(|n| *n > 0).ok_or(WHY)?;
    let seconds = span_seconds(&ratio[slash + 1..]).filter(|n| *n > 0).ok_or(WHY)?;
    let window = match rest.trim_ascii().is_empty() {
        true => None,
        false => Some(window(rest.trim_ascii())?),
    };
    Ok(Value::Rate(Rate { documents, seconds, window }))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn span_seconds(span: &[u8]) -> Option<u64> {
    let (unit, digits) = match span.split_last()? {
        (b's' | b'S', digits) => (1, digits),
        (b'm' | b'M', digits) => (60, digits),
        (b'h' | b'H', digits) => (3_600, digits),
        _ => (1, span),
    };
    Some(number(digits)? as u64 * unit)
}

/// `hhmm OWS "-" OWS hhmm`, UTC (Conner, An Extended Standard for Robot Exclusion, 1996).
fn window(raw: &[u8]) -> Result<Window, Malformed> {
    const WHY: Malformed =
        Malformed("a window of the day is written `hhmm-hhmm`, such as `0600-0845`");
    let dash = raw.iter().position(|o| *o == b'-').ok_or(WHY)?;
    let start = minute(raw[..dash].trim_ascii()).filter(|m| *m < 1_440).ok_or(WHY)?;
    let end = minute(raw[dash + 1..].trim_ascii()).ok_or(WHY)?;
    Ok(Window { start, end })
}

/// A time of the day as minutes; `2400` is the end of the day.
fn minute(hhmm: &[u8]) -> Option<u16> {
    let time = number(hhmm).filter(|_| hhmm.len() == 4)? as u16;
    let (hours, minutes) = (time / 100, time % 100);
    (hours < 24 && minutes < 60 || time == 2_400).then_some(hours * 60 + minutes)
}

/// `1*DIGIT *2( "." 1*DIGIT )` (Conner, An Extended Standard for Robot Exclusion, 1996).
fn version(raw: &[u8]) -> Result<Value, Malformed> {
    let parts: Vec<&[u8]> = raw.split(|o| *o == b'.').collect();
    match parts.len() <= 3 && parts.iter().all(|part| is_digits(part)) {
        true => Ok(Value::Text),
        false => Err(Malformed("a version is up to three numbers, such as `1.0` or `2.0.0`")),
    }
}

/// An absolute URL (sitemaps.org protocol); a relative one is kept and resolved, as
/// crawler-commons does.
fn sitemap(raw: &[u8], origin: Option<&Origin>) -> Result<Value, Malformed> {
    if raw.is_empty() {
        return Err(Malformed("a sitemap is an absolute URL"));
    }
    let absolute = is_absolute(raw, &["http", "https", "ftp"]);
    let is_relative = split_authority(raw).is_err() && !has_scheme(raw);
    let resolved = origin.filter(|_| is_relative).map(|origin| resolve(raw, origin));
    Ok(Value::Sitemap { absolute, resolved })
}

/// Whether a colon is before any slash, as in `mailto:a@example.com`.
fn has_scheme(raw: &[u8]) -> bool {
    raw.iter().find(|o| matches!(o, b':' | b'/' | b'?')) == Some(&b':')
}

fn is_absolute(raw: &[u8], schemes: &[&str]) -> bool {
    split_authority(raw).is_ok_and(|Parts { scheme, authority, .. }| {
        !authority.is_empty() && schemes.iter().any(|s| scheme.eq_ignore_ascii_case(s.as_bytes()))
    })
}

/// A reference against `/robots.txt` of the origin (RFC 3986 section 5.2, without dot segments).
fn resolve(raw: &[u8], origin: &Origin) -> Vec<u8> {
    let base = match raw {
        [b'/', b'/', ..] => format!("{}:", origin.scheme()),
        [b'/', ..] => origin.to_string(),
        _ => format!("{origin}/"),
    };
    [base.as_bytes(), raw].concat()
}

/// `[ ( "http" / "https" ) "://" ] reg-name [ ":" port ]` (Yandex Webmaster help, Host).
fn host(raw: &[u8]) -> Result<Value, Malformed> {
    const WHY: Malformed =
        Malformed("a host is a name, such as `example.com` or `https://example.com:8080`");
    let (scheme, authority) = match split_authority(raw) {
        Ok(Parts { scheme, authority, rest: b"" }) => {
            (Some(mirror_scheme(scheme).ok_or(WHY)?), authority)
        }
        Ok(_) => return Err(WHY),
        Err(_) => (None, raw),
    };
    let colon = authority.iter().position(|o| *o == b':').unwrap_or(authority.len());
    let (name, port) = authority.split_at(colon);
    let port = match port {
        [] => None,
        [_, digits @ ..] => Some(number(digits).and_then(|n| u16::try_from(n).ok()).ok_or(WHY)?),
    };
    let host = canonical_host(name).ok().filter(|_| is_host_name(name));
    let host = host.filter(|host| is_host_name(host.as_bytes())).ok_or(WHY)?;
    Ok(Value::Host(Mirror { scheme, host, port }))
}

/// Labels that are not empty, and not an address.
fn is_host_name(name: &[u8]) -> bool {
    let name = name.strip_suffix(b".").unwrap_or(name);
    let legal = |o: &u8| o.is_ascii_alphanumeric() || matches!(o, b'-' | b'_') || *o >= 0x80;
    let is_label =
        |label: &[u8]| label.first().is_some_and(|o| *o != b'-') && label.iter().all(legal);
    let is_address = ascii(name).parse::<std::net::Ipv4Addr>().is_ok();
    name.split(|o| *o == b'.').all(is_label) && !is_address
}

fn mirror_scheme(scheme: &[u8]) -> Option<&'static str> {
    ["http", "https"].into_iter().find(|known| scheme.eq_ignore_ascii_case(known.as_bytes()))
}

/// `param *( "&" param ) [ 1*WSP path ]`, on a line of at most 500 bytes (Yandex Webmaster help,
/// Clean-param).
fn clean_param(raw: &[u8], line_len: usize) -> Result<Value, Malformed> {
    const WHY: Malformed = Malformed(
        "a Clean-param is names joined by `&` and a path, such as `ref&sid /forum/`, in 500 bytes",
    );
    let mut words = raw.split(|o| is_blank(*o)).filter(|word| !word.is_empty());
    let names = words.next().ok_or(WHY)?;
    let path = words.next().unwrap_or_default();
    let params: Vec<Vec<u8>> = names.split(|o| *o == b'&').map(<[u8]>::to_vec).collect();
    let is_param = |name: &Vec<u8>| !name.is_empty() && name.iter().all(|o| is_param_byte(*o));
    match words.next().is_none() && params.iter().all(is_param) && line_len <= 500 {
        true => Ok(Value::CleanParam(CleanParam { params, path: path.to_vec() })),
        false => Err(WHY),
    }
}

fn is_param_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.[]%".contains(&byte)
}

/// `signal *( OWS "," OWS signal )`, a signal being `key OWS "=" OWS word` (Cloudflare
/// documentation, Content Signals). What is unknown is ignored.
fn signals(raw: &[u8]) -> Result<Value, Malformed> {
    if raw.is_empty() || raw[0] == b'/' {
        return Err(Malformed("content signals are words, such as `search=yes, ai-train=no`"));
    }
    let mut signals = Signals::default();
    let mut is_whole = true;
    for member in raw.split(|o| *o == b',') {
        is_whole &= signals.take_member(member);
    }
    Ok(Value::Signals { signals, is_whole })
}

impl Record {
    /// The first member of content signals that says something; the whole value if none does alone.
    pub(crate) fn signal(&self, bytes: &[u8], says: impl Fn(Signals) -> bool) -> Span {
        let mut start = self.raw.start;
        for member in self.raw.of(bytes).split(|o| *o == b',') {
            let span = Span { start, end: start + member.len() as u32 };
            start = span.end + 1;
            let mut one = Signals::default();
            if one.take_member(member) && says(one) {
                return span.trimmed(bytes);
            }
        }
        self.raw
    }

    /// The path of usage preferences, which their value begins with.
    pub(crate) fn usage_path(&self, usage: &Usage) -> Span {
        Span { start: self.raw.start, end: self.raw.start + usage.path.len() as u32 }
    }

    /// The last usage preference with a label, which counts; the whole value if there is none.
    pub(crate) fn usage(&self, bytes: &[u8], usage: &Usage, wanted: &str) -> Span {
        let start = self.usage_path(usage).end;
        let preferences = Span { start, end: self.raw.end }.trimmed(bytes);
        let offset = |part: &[u8]| (part.as_ptr() as usize - bytes.as_ptr() as usize) as u32;
        let members =
            members(preferences.of(bytes)).filter(|(label, _)| *label == wanted.as_bytes());
        members.last().map_or(self.raw, |(label, written)| {
            let end = offset(written) + written.len() as u32;
            Span { start: offset(label), end }.trimmed(bytes)
        })
    }
}

/// `[ path-pattern 1*WSP ] usage-pref` (draft-ietf-aipref-attach-05), the preferences being a
/// Structured Fields dictionary (RFC 9651 section 3.2) whose labels are those of
/// draft-ietf-aipref-vocab. Of equal labels the last counts.
fn usage(raw: &[u8]) -> Value {
    let (path, preferences) = match raw.first() {
        Some(b'/') => raw.split_at(raw.iter().position(|o| is_blank(*o)).unwrap_or(raw.len())),
        _ => raw.split_at(0),
    };
    let mut usage = Usage { path: path.to_vec(), ..Usage::default() };
    let preferences = preferences.trim_ascii();
    let is_dictionary = sfv::Parser::new(preferences).parse::<sfv::Dictionary>().is_ok();
    if is_dictionary {
        members(preferences).for_each(|(label, written)| usage.take(label, written));
        keep_last(&mut usage.other);
    }
    Value::Usage { usage, is_dictionary }
}

impl Usage {
    /// Take one member of the dictionary.
    fn take(&mut self, label: &[u8], written: &[u8]) {
        let member = || OtherUsage { label: label.to_vec(), written: written.to_vec() };
        match self.preferences.named(label) {
            Some(said) => {
                *said = preference(written);
                let is_read = said.is_some();
                self.unread.retain(|earlier| earlier.label != label);
                self.unread.extend((!is_read).then(member));
            }
            None => self.other.push(member()),
        }
    }
}

/// Of equal labels, the last counts.
fn keep_last(others: &mut Vec<OtherUsage>) {
    let last: HashMap<Vec<u8>, usize> =
        others.iter().enumerate().map(|(index, other)| (other.label.clone(), index)).collect();
    let mut index = 0..;
    others.retain(|other| index.next() == last.get(&other.label).copied());
}

/// A preference as written: the token `y` or `n`. Parameters say nothing.
fn preference(written: &[u8]) -> Option<bool> {
    match written.split(|o| *o == b';').next()?.trim_ascii() {
        b"y" => Some(true),
        b"n" => Some(false),
        _ => None,
    }
}

/// The keys of a well-formed dictionary, and what follows each and its `=`. Commas are only between
/// members and within strings.
fn members(dictionary: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    // In a display string, `%"…"`, a backslash escapes nothing (RFC 9651 section 3.3.8).
    let (mut is_display, mut last) = (false, 0);
    let members = dictionary.split(move |byte| {
        let is_comma = *byte == b',' && !is_quoted;
        let is_quote = *byte == b'"' && !is_escaped;
        is_display = if is_quote { !is_quoted && last == b'%' } else { is_display };
        is_quoted ^= is_quote;
        is_escaped = *byte == b'\\' && is_quoted && !is_display && !is_escaped;
        last = *byte;
        is_comma
    });
    members.map(<[u8]>::trim_ascii).filter(|member| !member.is_empty()).map(|member| {
        let end = member.iter().position(|o| matches!(o, b'=' | b';')).unwrap_or(member.len());
        let (label, rest) = member.split_at(end);
        (label, rest.strip_prefix(b"=").unwrap_or(rest))
    })
}

/// An absolute http(s) URL (RSL, guide "Adding RSL to robots.txt").
fn license(raw: &[u8]) -> Result<Value, Malformed> {
    match is_absolute(raw, &["http", "https"]) {
        true => Ok(Value::License),
        false => Err(Malformed("a licence is an absolute http or https URL")),
    }
}
