//! Entries: what a line of an access log says about one request.
//!
//! Every log format gives an [`Entry`], or the reason why a line has none: [`Unreadable`]. Nothing
//! here depends on rules.

use std::borrow::Cow;
use std::net::IpAddr;

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The requested host; none if the log does not say.
    pub host: Option<Cow<'a, [u8]>>,
    /// The time in microseconds since the epoch; none if the log does not say.
    pub time: Option<i64>,
    /// Method and target; none if it was not an HTTP request.
    pub request: Option<Request<'a>>,
    /// The status of the response.
    pub status: Option<u16>,
    /// The identification string; none if the client sent none, or the log does not say.
    pub agent: Option<Cow<'a, [u8]>>,
}

/// A request line (RFC 9112 section 3), without its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The method.
    pub method: Cow<'a, [u8]>,
    /// The target, as it was sent.
    pub target: Cow<'a, [u8]>,
}

/// Why a line is not an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unreadable {
    /// It is longer than any line that is read.
    TooLong,
    /// Its time is missing or cannot be read.
    NoTime,
    /// It has no request.
    NoRequest,
    /// It has no status.
    NoStatus,
    /// A quotation mark is opened and not closed.
    Cut,
    /// It is not a JSON object.
    NotJson,
    /// It is not written as its layout or its columns say.
    NotLayout,
    /// No directive has named its columns.
    NoColumns,
}

impl Entry<'_> {
    /// The same, with its bytes.
    pub fn into_owned(self) -> Entry<'static> {
        let owned = |text: Cow<[u8]>| Cow::Owned(text.into_owned());
        Entry {
            host: self.host.map(owned),
            time: self.time,
            request: self.request.map(|request| Request {
                method: owned(request.method),
                target: owned(request.target),
            }),
            status: self.status,
            agent: self.agent.map(owned),
        }
    }
}

impl Unreadable {
    /// The name, as outputs write it.
    pub const fn name(self) -> &'static str {
        match self {
            Unreadable::TooLong => "too-long",
            Unreadable::NoTime => "no-time",
            Unreadable::NoRequest => "no-request",
            Unreadable::NoStatus => "no-status",
            Unreadable::Cut => "cut",
            Unreadable::NotJson => "not-json",
            Unreadable::NotLayout => "not-as-format",
            Unreadable::NoColumns => "no-columns",
        }
    }
}

/// Split `GET /path HTTP/1.1`; requests of HTTP/0.9 have no version. Where more follows a version,
/// as in a field that holds the status, too, the text is no request.
#[inline]
pub fn split_request(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = memchr::memchr(b' ', line)?;
    let (method, rest) = (&line[..space], &line[space + 1..]);
    let target = match memchr::memrchr(b' ', rest) {
        Some(space) if rest[space + 1..].starts_with(b"HTTP/") => &rest[..space],
        Some(_) if memchr::memmem::find(rest, b" HTTP/").is_some() => return None,
        _ => rest,
    };
    // Load balancers write `-` for each part of a request that they could not read.
    let is_token = !matches!(method, b"" | b"-") && method.iter().all(|o| is_token_byte(*o));
    (is_token && !target.is_empty()).then_some((method, target))
}

/// `tchar` of RFC 9110 section 5.6.2.
pub fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A request's target as a URL that rules can decide: a path, or the absolute form of RFC 9112
/// section 3.2.2; none for `*` and for the authorities of CONNECT.
#[inline]
pub fn url_of(target: &[u8]) -> Option<Cow<'_, [u8]>> {
    let begins_with = |scheme: &[u8]| {
        target.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    };
    match target {
        // Some dialects read a text that begins in this way as a host.
        [b'/', b'/', ..] => Some(Cow::Owned([b"http://host", target].concat())),
        [b'/', ..] => Some(Cow::Borrowed(target)),
        _ if begins_with(b"http://") || begins_with(b"https://") => Some(Cow::Borrowed(target)),
        _ => None,
    }
}

/// The host in a URL of absolute form.
pub fn host_of(url: &[u8]) -> Option<&[u8]> {
    let parts = verger_core::internal::split_authority(url).ok()?;
    let userinfo = parts.authority.iter().rposition(|o| *o == b'@').map_or(0, |n| n + 1);
    Some(&parts.authority[userinfo..])
}

/// A host without its port and the dot after it.
pub fn bare_host(host: &[u8]) -> &[u8] {
    let behind = host.iter().position(|o| *o == b']').map_or(0, |n| n + 1);
    let end = host[behind..].iter().position(|o| *o == b':').map_or(host.len(), |n| behind + n);
    let host = &host[..end];
    host.strip_suffix(b".").unwrap_or(host)
}

/// Whether a word is an address, perhaps in brackets.
pub fn is_address(word: &[u8]) -> bool {
    let inner = word.strip_prefix(b"[").and_then(|word| word.strip_suffix(b"]")).unwrap_or(word);
    // Most words are none by their first byte.
    let may_be = inner.first().is_some_and(|byte| byte.is_ascii_hexdigit() || *byte == b':');
    may_be && std::str::from_utf8(inner).is_ok_and(|text| text.parse::<IpAddr>().is_ok())
}
