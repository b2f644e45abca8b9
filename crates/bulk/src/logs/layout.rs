//! Layouts: formats of lines, as the configurations of nginx and Apache write them.
//!
//! In: `$remote_addr - $remote_user [$time_local] "$request" $status` (nginx, `log_format`), or
//! `%h %l %u %t \"%r\" %>s` (Apache, `LogFormat`), with or without the directive around it. Out: a
//! [`Layout`], which reads lines, or a [`Refusal`] that names what it cannot read. A line may go on
//! after its layout ends, because newer servers append fields.

use memchr::{memchr, memchr2, memmem};

use crate::logs::entry::{Entry, Unreadable};
use crate::logs::fields::{Escapes, Field, Found, Spaces, Value};
use crate::logs::time;
use crate::logs::variables::{pieces, Kind, Piece, Refusal};

/// The entries of an Application Load Balancer of AWS.
pub const ALB: &str =
    r#"$_ $time_iso8601 $_ $_ $_ $_ $_ $_ $status $_ $_ $_ "$request" "$http_user_agent""#;

/// The entries of a Classic Load Balancer of AWS.
pub const ELB: &str =
    r#"$time_iso8601 $_ $_ $_ $_ $_ $_ $status $_ $_ $_ "$request" "$http_user_agent""#;

/// The server access logs of Amazon S3.
pub const S3: &str = concat!(
    r#"$_ $_ [$time_local] $_ $_ $_ $_ $_ "$request" $status $_ $_ $_ $_ $_ "$_" "#,
    r#""$http_user_agent" $_ $_ $_ $_ $_ $host"#
);

/// The same before they had a host.
pub const OLD_S3: &str = concat!(
    r#"$_ $_ [$time_local] $_ $_ $_ $_ $_ "$request" $status $_ $_ $_ $_ $_ "$_" "#,
    r#""$http_user_agent""#
);

/// The entries of hosts in nginx-proxy-manager (`log_format proxy`).
const PROXY_MANAGER: &str = concat!(
    r#"[$time_local] $_ $_ $status - $request_method $_ $host "$request_uri" "#,
    r#"[Client $_] [Length $_] [Gzip $_] [Sent-to $_] "$http_user_agent""#
);

/// The same where nginx has asked a second server, after one that failed.
const TWICE_OF_PROXY_MANAGER: &str = concat!(
    r#"[$time_local] $_ $_ $_ $status - $request_method $_ $host "$request_uri" "#,
    r#"[Client $_] [Length $_] [Gzip $_] [Sent-to $_] "$http_user_agent""#
);

/// The same of hosts that it answers itself (`log_format standard`).
const STANDARD_OF_PROXY_MANAGER: &str = concat!(
    r#"[$time_local] $status - $request_method $_ $host "$request_uri" "#,
    r#"[Client $_] [Length $_] [Gzip $_] "$http_user_agent""#
);

/// All of nginx-proxy-manager.
pub const OF_PROXY_MANAGER: [&str; 3] =
    [PROXY_MANAGER, TWICE_OF_PROXY_MANAGER, STANDARD_OF_PROXY_MANAGER];

/// How lines are written: text, then parts, each of which ends where the text after it begins.
#[derive(Clone, Debug)]
pub struct Layout {
    start: Vec<u8>,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    kind: Kind,
    end: memmem::Finder<'static>,
    is_last: bool,
}

impl Layout {
    /// The layout of a format.
    pub fn new(format: &str) -> Result<Layout, Refusal> {
        Layout::of(&pieces(format)?)
    }

    fn of(pieces: &[Piece]) -> Result<Layout, Refusal> {
        let mut layout = Layout { start: Vec::new(), parts: Vec::new() };
        let mut open: Option<(Kind, &str)> = None;
        let mut text: Vec<u8> = Vec::new();
        for piece in pieces {
            let (kind, name) = match piece {
                Piece::Text(more) => {
                    text.extend_from_slice(more);
                    continue;
                }
                Piece::Part(kind, name) => (*kind, name),
            };
            match open {
                None => layout.start = std::mem::take(&mut text),
                Some((Kind::Field(Field::Target, _), _)) if text.is_empty() && is_query(kind) => {
                    continue; // a target with its query
                }
                Some((before, written)) if text.is_empty() && !is_host_of(before, kind) => {
                    return Err(Refusal::Adjacent(written.into(), name.clone()));
                }
                Some((Kind::Field(Field::Agent, _), written)) if text == b" " => {
                    return Err(Refusal::Unquoted(written.into()));
                }
                Some((before, _)) => layout.push(before, &std::mem::take(&mut text), false),
            }
            open = Some((kind, name));
        }
        let (last, _) = open.ok_or(Refusal::NoFields)?;
        layout.push(last, text.trim_ascii_end(), true);
        let is_request =
            |part: &Part| matches!(part.kind, Kind::Field(Field::Request | Field::Target, _));
        match layout.parts.iter().any(is_request) {
            true => Ok(layout),
            false => Err(Refusal::NoRequest),
        }
    }

    fn push(&mut self, kind: Kind, end: &[u8], is_last: bool) {
        self.parts.push(Part { kind, end: memmem::Finder::new(end).into_owned(), is_last });
    }

    /// Read a line.
    pub fn read<'a>(&self, line: &'a [u8]) -> Result<Entry<'a>, Unreadable> {
        let mut found = Found::default();
        let mut rest = line.strip_prefix(&self.start[..]).ok_or(Unreadable::NotLayout)?;
        let mut is_quoted = self.start.ends_with(b"\"");
        for part in &self.parts {
            let end = part.end.needle();
            let (text, behind) = match end.strip_prefix(b"\"") {
                Some(_) if is_quoted => quoted(rest, end).ok_or(Unreadable::Cut)?,
                Some(end) => missing(rest, end).ok_or(Unreadable::NotLayout)?,
                None => part.plain(rest).ok_or(Unreadable::NotLayout)?,
            };
            if let Kind::Field(field, priority) = part.kind {
                let value = Value { text, escapes: Escapes::Backslash, spaces: Spaces::Plain };
                found.take(field, priority, value);
            }
            (rest, is_quoted) = behind;
        }
        found.entry()
    }
}

fn is_query(kind: Kind) -> bool {
    matches!(kind, Kind::Field(Field::Query, _))
}

/// Whether a part is the host in front of a target, which begins with a slash.
fn is_host_of(part: Kind, next: Kind) -> bool {
    let is_host = matches!(part, Kind::Field(Field::Host, _));
    is_host && matches!(next, Kind::Field(Field::Target, _))
}

/// The text of a part; what follows it, and whether that is within quotation marks.
type Split<'a> = (&'a [u8], (&'a [u8], bool));

impl Part {
    /// A part that is not within quotation marks.
    fn plain<'a>(&self, text: &'a [u8]) -> Option<Split<'a>> {
        let end = self.end.needle();
        let at = match end {
            [] if !self.is_last => memchr(b'/', text)?,
            [] if self.is_word() => self.end_of_words(text, b' ').unwrap_or(text.len()),
            [] => text.len(),
            [b' ' | b'\t', ..] if self.is_word() => self.end_of_words(text, end[0])?,
            _ => self.end.find(text)?,
        };
        Some((&text[..at], after(&text[at..], end)?))
    }

    /// Whether it has no spaces, except those of times and requests.
    fn is_word(&self) -> bool {
        !matches!(self.kind, Kind::User | Kind::Field(Field::Agent, _))
    }

    /// The end of a part before a space: times and requests have spaces themselves.
    fn end_of_words(&self, text: &[u8], space: u8) -> Option<usize> {
        let start = match self.kind {
            Kind::Field(Field::Time, _) => {
                time::common(text).or_else(|| time::iso(text)).map_or(0, |(_, len)| len)
            }
            Kind::Field(Field::Request, _) => {
                let method = memchr(space, text)? + 1;
                let target = method + memchr(space, &text[method..])? + 1;
                if text[target..].starts_with(b"HTTP/") {
                    target
                } else {
                    method
                }
            }
            _ => 0,
        };
        Some(memchr(space, &text[start..]).map_or(text.len(), |at| start + at))
    }
}

/// What follows the text `end`. Servers that write a missing value without its quotation marks
/// write `-`.
fn after<'a>(text: &'a [u8], end: &[u8]) -> Option<(&'a [u8], bool)> {
    if let Some(rest) = text.strip_prefix(end) {
        return Some((rest, end.ends_with(b"\"")));
    }
    let rest = text.strip_prefix(end.strip_suffix(b"\"")?)?;
    matches!(rest, [b'-'] | [b'-', b' ' | b'\t', ..]).then_some((rest, false))
}

/// A value that a server has not put within quotation marks, because it is missing.
fn missing<'a>(text: &'a [u8], end: &[u8]) -> Option<Split<'a>> {
    let behind = text.strip_prefix(b"-")?;
    Some((&text[..1], after(behind, end)?))
}

/// A part up to a quotation mark that is not escaped, and that the text `end` begins with.
fn quoted<'a>(text: &'a [u8], end: &[u8]) -> Option<Split<'a>> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', &text[at..])?;
        let is_escape = text[at] == b'\\';
        match after(&text[at..], end).filter(|_| !is_escape) {
            Some(behind) => return Some((&text[..at], behind)),
            None => at = (at + 1 + usize::from(is_escape)).min(text.len()),
        }
    }
}
