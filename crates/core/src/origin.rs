//! Origins: what one robots.txt file governs.
//!
//! In: URLs. Out: scheme, host in canonical form, and port. RFC 9309 section 2.3; RFC 3986 section
//! 6.2.3 for default ports. User information is not part of an origin, a trailing dot of the host
//! is. An origin as text is a URL with this origin.

use std::fmt::{self, Write};

use crate::error::InvalidTarget;
use crate::host::{canonical_host, ends_in_number, has_empty_label, LONGEST};
use crate::target::{split_authority, Parts};

/// Scheme, host and port: what one robots.txt file governs (RFC 9309 section 2.3).
///
/// As text, it is a URL without path, and without the default port of its scheme.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    text: Box<str>,
    scheme_len: usize,
    host_end: usize,
    port: Option<u16>,
}

impl Origin {
    /// The origin of an absolute URL, of any scheme. User information is not part of it.
    ///
    /// Fails if there is no scheme and authority, or if the host or port is invalid.
    pub fn of(url: &[u8]) -> Result<Origin, InvalidTarget> {
        let parts = split_authority(url);
        let Parts { scheme, authority, .. } = parts.map_err(|_| InvalidTarget::NoOrigin)?;
        // Some clients end the authority at a backslash (URL Standard, section 4.4), others do not.
        if authority.contains(&b'\\') {
            return Err(InvalidTarget::BadHost);
        }
        let mut text = String::from_utf8_lossy(scheme).to_ascii_lowercase();
        let userinfo = authority.iter().rposition(|o| *o == b'@').map_or(0, |n| n + 1);
        let (host, port) = split_port(&authority[userinfo..])?;
        let (scheme_len, usual) = (text.len(), default_port(&text));
        text.push_str("://");
        text.push_str(&canonical_host(host)?);
        let host_end = text.len();
        if let Some(port) = port.filter(|port| Some(*port) != usual) {
            let _ = write!(text, ":{port}");
        }
        Ok(Origin { text: text.into(), scheme_len, host_end, port: port.or(usual) })
    }

    /// The one that a URL [spells canonically](canonical_end).
    #[inline]
    fn of_canonical(text: &[u8]) -> Origin {
        let text = String::from_utf8_lossy(text);
        let scheme_len = text.bytes().take_while(|byte| *byte != b':').count();
        let port = default_port(&text[..scheme_len]);
        Origin { host_end: text.len(), text: text.into(), scheme_len, port }
    }

    /// The origin whose robots.txt file governs a URL; an error for a scheme that has none.
    pub fn governed(url: &[u8]) -> Result<Origin, InvalidTarget> {
        let origin = Origin::of(url)?;
        match origin.has_robots() {
            true => Ok(origin),
            false => Err(InvalidTarget::NoRobots),
        }
    }

    /// The scheme, in lower case.
    pub fn scheme(&self) -> &str {
        &self.text[..self.scheme_len]
    }

    /// The host, in lower case and A-label form; an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        &self.text[self.scheme_len + "://".len()..self.host_end]
    }

    /// The port; none for an unknown scheme without one.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether robots.txt files are fetched over this scheme.
    pub fn has_robots(&self) -> bool {
        default_port(self.scheme()).is_some()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

/// Split `host:port`; the colons within brackets belong to the host.
fn split_port(authority: &[u8]) -> Result<(&[u8], Option<u16>), InvalidTarget> {
    let host_end = match (authority.first(), authority.iter().position(|o| *o == b']')) {
        (Some(b'['), None) => return Err(InvalidTarget::BadHost),
        (_, bracket) => bracket.map_or(0, |n| n + 1),
    };
    let Some(colon) = authority[host_end..].iter().position(|o| *o == b':') else {
        return Ok((authority, None));
    };
    let (host, port) = (&authority[..host_end + colon], &authority[host_end + colon + 1..]);
    Ok((host, read_port(port)?))
}

/// A port; an empty one is the default (RFC 3986 section 3.2.3).
fn read_port(digits: &[u8]) -> Result<Option<u16>, InvalidTarget> {
    if digits.is_empty() {
        return Ok(None);
    }
    let is_number = digits.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_number);
    text.and_then(|t| t.parse().ok()).map(Some).ok_or(InvalidTarget::BadPort)
}

/// Where the origin ends in a URL that spells it canonically: http or https, and a host of lower-case
/// letters, digits, dots, hyphens and underscores, without user, port, A-labels or address. None if
/// such a quick check is not enough.
#[inline]
pub fn canonical_end(url: &[u8]) -> Option<usize> {
    let scheme = match url {
        [b'h', b't', b't', b'p', b's', b':', b'/', b'/', ..] => 8,
        [b'h', b't', b't', b'p', b':', b'/', b'/', ..] => 7,
        _ => return None,
    };
    let rest = &url[scheme..];
    let end = rest.iter().position(|o| !is_plain(*o)).unwrap_or(rest.len());
    let ends_there = matches!(rest.get(end), None | Some(b'/' | b'?' | b'#'));
    let host = &rest[..end];
    let is_name = !host.windows(4).any(|w| w == b"xn--")
        && !ends_in_number(host)
        && !has_empty_label(host)
        && host.len() <= LONGEST;
    (ends_there && is_name).then_some(scheme + end)
}

#[inline]
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_')
}

/// Whether a URL begins with an origin as written, and the authority ends there. The URL is not
/// parsed, so the result may be false if spellings differ.
#[inline]
pub fn begins_with(url: &[u8], origin: &[u8]) -> bool {
    let rest = url.strip_prefix(origin).filter(|_| !origin.is_empty());
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'/' | b'?' | b'#')))
}

/// Whether `/robots.txt` is all that follows the authority of a URL, except a fragment.
fn has_path_of_file(url: &[u8]) -> bool {
    split_authority(url).is_ok_and(|Parts { rest, .. }| {
        rest.split(|o| *o == b'#').next().unwrap_or(rest) == b"/robots.txt"
    })
}

/// Why a question is refused (RFC 9309 section 2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The text has no target.
    NoTarget(InvalidTarget),
    /// It is about another origin than the file's.
    OutOfScope,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoTarget(why) => why.fmt(f),
            Refusal::OutOfScope => f.write_str("it does not belong to the origin of the file"),
        }
    }
}

impl std::error::Error for Refusal {}

/// What a robots.txt file governs, by its URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The URL of the file is unknown: it is used for every URL.
    Anything,
    /// The file governs one origin.
    Origin(Origin),
    /// The URL is not `/robots.txt` at the root, or of a scheme that has none: it governs nothing.
    Nothing,
}

impl Scope {
    /// The scope of the file at this URL. A file elsewhere than at `/robots.txt` governs nothing.
    ///
    /// Fails if the URL has no origin, as [`Origin::of`] does.
    #[inline]
    pub fn of_file(url: &[u8]) -> Result<Scope, InvalidTarget> {
        let origin = match canonical_end(url) {
            Some(end) => Origin::of_canonical(&url[..end]),
            None => Origin::of(url)?,
        };
        Ok(match has_path_of_file(url) && origin.has_robots() {
            true => Scope::Origin(origin),
            false => Scope::Nothing,
        })
    }

    /// Whether a URL is that of a robots.txt file, which governs an origin.
    pub fn is_of_file(url: &[u8]) -> bool {
        has_path_of_file(url) && matches!(Scope::of_file(url), Ok(Scope::Origin(..)))
    }

    /// The origin that the file governs, if it is one.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Scope::Origin(origin) => Some(origin),
            Scope::Anything | Scope::Nothing => None,
        }
    }

    /// Whether the file governs this URL; a path without authority belongs to the file.
    pub fn governs(&self, url: &[u8]) -> Result<bool, InvalidTarget> {
        match self {
            Scope::Anything => Ok(true),
            Scope::Nothing => Ok(false),
            Scope::Origin(..) if url.first() == Some(&b'/') => Ok(true),
            Scope::Origin(origin) => {
                Ok(Origin::of(url).map_err(InvalidTarget::or_path)? == *origin)
            }
        }
    }

    /// Whether the file governs this text, which has a target. Text without scheme, which some
    /// dialects accept, names no other origin.
    #[inline]
    pub fn admits(&self, url: &[u8]) -> Result<(), Refusal> {
        match self {
            Scope::Anything => Ok(()),
            Scope::Origin(origin) if begins_with(url, origin.text.as_bytes()) => Ok(()),
            _ => self.admits_by_origin(url),
        }
    }

    #[cold]
    fn admits_by_origin(&self, url: &[u8]) -> Result<(), Refusal> {
        match self.governs(url) {
            Ok(true) | Err(InvalidTarget::NoScheme) => Ok(()),
            Ok(false) => Err(Refusal::OutOfScope),
            Err(why) => Err(Refusal::NoTarget(why)),
        }
    }
}
