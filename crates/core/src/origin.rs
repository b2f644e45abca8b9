//! Origins: what one robots.txt file speaks for.
//!
//! In: URLs. Out: scheme, host in A-label form, and port. RFC 9309 section 2.3; RFC 3986 section
//! 6.2.3 for default ports; UTS 46, non-transitional, for host names that are not ASCII. User
//! information is no part of an origin, a trailing dot of the host is.

use std::fmt;
use std::net::Ipv6Addr;

use crate::error::InvalidTarget;
use crate::target::{split_authority, Parts};

/// Scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Origin {
    /// The origin of an absolute URL.
    pub fn of(url: &[u8]) -> Result<Origin, InvalidTarget> {
        let Parts { scheme, authority, .. } = split_authority(url)?;
        let scheme = ascii_lower(scheme);
        let userinfo = authority.iter().rposition(|o| *o == b'@').map_or(0, |n| n + 1);
        let (host, port) = split_port(&authority[userinfo..])?;
        let port = port.or(default_port(&scheme));
        Ok(Origin { host: canonical_host(host)?, scheme, port })
    }

    /// The origin whose robots.txt file speaks for a URL; an error for a scheme that has none.
    pub fn governed(url: &[u8]) -> Result<Origin, InvalidTarget> {
        let origin = Origin::of(url)?;
        match origin.has_robots() {
            true => Ok(origin),
            false => Err(InvalidTarget::NoRobots),
        }
    }

    /// The scheme, in lower case.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The host, in lower case and A-label form.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port; none for an unknown scheme without one.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether the scheme is one that robots.txt files are fetched by.
    pub fn has_robots(&self) -> bool {
        default_port(&self.scheme).is_some()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        match self.port {
            Some(port) if self.port != default_port(&self.scheme) => write!(f, ":{port}"),
            _ => Ok(()),
        }
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

fn ascii_lower(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).to_ascii_lowercase()
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

/// A host in lower case: IPv6 by value, names in A-label form.
pub fn canonical_host(host: &[u8]) -> Result<String, InvalidTarget> {
    if host.is_empty() {
        return Err(InvalidTarget::NoAuthority);
    }
    if let Some(literal) = host.strip_prefix(b"[") {
        return canonical_ipv6(literal);
    }
    if host.iter().any(|o| b" \t<>[]\\^`{|}\"".contains(o) || o.is_ascii_control()) {
        return Err(InvalidTarget::BadHost);
    }
    let lower = host.to_ascii_lowercase();
    match lower.is_ascii() && !lower.windows(4).any(|w| w == b"xn--") {
        true => Ok(ascii_lower(&lower)),
        false => idna::domain_to_ascii_cow(&lower, idna::AsciiDenyList::EMPTY)
            .map(|name| name.into_owned())
            .map_err(|_| InvalidTarget::BadHost),
    }
}

fn canonical_ipv6(literal: &[u8]) -> Result<String, InvalidTarget> {
    let text = literal.strip_suffix(b"]").and_then(|l| std::str::from_utf8(l).ok());
    let address = text.and_then(|t| t.parse::<Ipv6Addr>().ok());
    address.map(|a| format!("[{a}]")).ok_or(InvalidTarget::BadHost)
}

/// Whether a URL begins with an origin as written, and the authority ends there: seen without
/// taking the URL apart, and so perhaps false where spellings differ.
#[inline]
pub fn begins_with(url: &[u8], origin: &[u8]) -> bool {
    let rest = url.strip_prefix(origin).filter(|_| !origin.is_empty());
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'/' | b'?' | b'#')))
}

/// What the URL of a robots.txt file says about its reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The file speaks for one origin.
    Origin(Origin),
    /// The URL is not `/robots.txt` at the root, or of a scheme that has none: it governs nothing.
    Nothing,
}

impl Scope {
    /// The scope of the file at this URL.
    pub fn of_file(url: &[u8]) -> Result<Scope, InvalidTarget> {
        let origin = Origin::of(url)?;
        let rest = split_authority(url)?.rest;
        let path = rest.split(|o| *o == b'#').next().unwrap_or(rest);
        Ok(match path == b"/robots.txt" && origin.has_robots() {
            true => Scope::Origin(origin),
            false => Scope::Nothing,
        })
    }

    /// Whether the file speaks for this URL; a path without authority belongs to the file.
    pub fn governs(&self, url: &[u8]) -> Result<bool, InvalidTarget> {
        match self {
            Scope::Nothing => Ok(false),
            Scope::Origin(_) if url.first() == Some(&b'/') => Ok(true),
            Scope::Origin(origin) => Ok(Origin::of(url)? == *origin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn governs(file: &str, url: &str) -> bool {
        Scope::of_file(file.as_bytes()).unwrap().governs(url.as_bytes()).unwrap()
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        assert!(governs("https://EXAMPLE.com/robots.txt", "HTTPS://u:p@example.com:443/x"));
        assert!(governs("http://[2001:db8::1]/robots.txt", "http://[2001:DB8:0:0:0:0:0:1]:80/"));
        assert!(governs("https://BÜCHER.example/robots.txt", "https://xn--bcher-kva.example/x"));
        assert!(!governs("https://faß.example/robots.txt", "https://fass.example/x"));
        assert!(!governs("https://example.com/robots.txt", "https://example.com./x"));
        assert!(!governs("https://example.com:443/robots.txt", "http://example.com:443/x"));
        assert!(!governs("https://example.com/robots.txt", "wss://example.com/x"));
    }

    #[test]
    fn only_robots_txt_at_the_root_governs() {
        assert!(!governs("https://example.com/folder/robots.txt", "https://example.com/"));
        assert!(!governs("https://example.com/Robots.txt", "https://example.com/"));
        assert!(!governs("https://example.com/robots.txt?x", "https://example.com/"));
    }

    #[test]
    fn a_scheme_without_robots_governs_no_url() {
        assert_eq!(Origin::governed(b"wss://example.com/x"), Err(InvalidTarget::NoRobots));
        assert_eq!(Origin::governed(b"FTP://e.com:21/x").unwrap().to_string(), "ftp://e.com");
    }

    #[test]
    fn impossible_authorities_are_errors() {
        assert_eq!(Origin::of(b"http://e.com:99999/"), Err(InvalidTarget::BadPort));
        assert_eq!(Origin::of(b"http://e.com:8x/"), Err(InvalidTarget::BadPort));
        assert_eq!(Origin::of(b"http://[::g]/"), Err(InvalidTarget::BadHost));
        assert_eq!(Origin::of(b"http://[::1/"), Err(InvalidTarget::BadHost));
        assert_eq!(Origin::of(b"http://:80/"), Err(InvalidTarget::NoAuthority));
        assert_eq!(Origin::of(b"http://u@e.com:/").unwrap().to_string(), "http://e.com");
    }
}
