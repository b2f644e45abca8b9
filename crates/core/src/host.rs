//! Hosts: the canonical form in which a host is compared, connected to and written into requests.
//!
//! In: a host as in a URL. Out: a domain name in A-label form, an IPv4 address, or an IPv6 address
//! in brackets. URL Standard, section 3.5, host parsing: percent-decoded (RFC 3986 section 3.2.2),
//! mapped by UTS 46, non-transitional, then checked again, whatever it looked like before; a name
//! whose last label is a number is an IPv4 address or invalid. The canonical form of the result is
//! the result.

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::error::InvalidTarget;

/// The canonical form of a host: lower case, A-labels (UTS 46), an address as it is usually
/// written, an IPv6 address in brackets.
///
/// Fails for an empty text and for one that is neither a domain name nor an address (RFC 3986
/// section 3.2.2).
pub fn canonical_host(host: &[u8]) -> Result<String, InvalidTarget> {
    if host.is_empty() {
        return Err(InvalidTarget::NoAuthority);
    }
    if host.len() > LONGEST {
        return Err(InvalidTarget::BadHost);
    }
    if let Some(literal) = host.strip_prefix(b"[") {
        return canonical_ipv6(literal);
    }
    let name = mapped(&percent_decoded(host)).ok_or(InvalidTarget::BadHost)?;
    if has_empty_label(name.as_bytes()) || name.bytes().any(is_forbidden) {
        return Err(InvalidTarget::BadHost);
    }
    match ends_in_number(name.as_bytes()) {
        true => ipv4(&name).map(|a| a.to_string()).ok_or(InvalidTarget::BadHost),
        false => Ok(name),
    }
}

/// The most bytes of a host: DNS names have at most 253, and an escaped character takes at most
/// twelve. Mapping costs more than any other part of a URL.
pub(crate) const LONGEST: usize = 4_096;

/// Whether a name has an empty label, except after the last dot: no such name is in DNS, and
/// proxies and libraries may treat it in any way (`127.0.0.1..`). The URL Standard accepts it.
#[inline]
pub(crate) fn has_empty_label(name: &[u8]) -> bool {
    let name = name.strip_suffix(b".").unwrap_or(name);
    matches!(name.first(), None | Some(b'.')) || name.ends_with(b".") || has_two_dots(name)
}

#[inline]
fn has_two_dots(name: &[u8]) -> bool {
    name.windows(2).any(|pair| pair == b"..")
}

/// Whether no domain name contains a byte: the forbidden domain code points of the URL Standard,
/// and what RFC 3986 allows in no URL.
fn is_forbidden(byte: u8) -> bool {
    byte <= b' ' || byte >= 0x7f || b"\"#%/:<>?@[\\]^`{|}".contains(&byte)
}

/// Decode escapes; a `%` that is not an escape stays, and is forbidden.
fn percent_decoded(host: &[u8]) -> Cow<'_, [u8]> {
    if !host.contains(&b'%') {
        return Cow::Borrowed(host);
    }
    let mut decoded = Vec::with_capacity(host.len());
    let mut rest = host;
    while let Some((first, behind)) = rest.split_first() {
        let (byte, length) = match escaped(rest) {
            Some(byte) => (byte, 2),
            None => (*first, 0),
        };
        decoded.push(byte);
        rest = &behind[length..];
    }
    Cow::Owned(decoded)
}

/// The byte that an escape at the beginning of a text stands for.
fn escaped(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()
}

/// A name in lower case and A-label form; none if UTS 46 refuses it.
fn mapped(name: &[u8]) -> Option<String> {
    let has_a_label = name.windows(4).any(|w| w.eq_ignore_ascii_case(b"xn--"));
    match std::str::from_utf8(name) {
        Ok(text) if text.is_ascii() && !has_a_label => Some(text.to_ascii_lowercase()),
        _ => {
            let mapped = idna::domain_to_ascii_cow(name, idna::AsciiDenyList::EMPTY);
            mapped.ok().map(Cow::into_owned)
        }
    }
}

/// Whether a name ends in a number, with or without a final dot: then it is an IPv4 address or
/// invalid.
pub(crate) fn ends_in_number(name: &[u8]) -> bool {
    let name = name.strip_suffix(b".").unwrap_or(name);
    let last = name.rsplit(|o| *o == b'.').next().unwrap_or(name);
    match last {
        [b'0', b'x' | b'X', digits @ ..] => digits.iter().all(u8::is_ascii_hexdigit),
        _ => !last.is_empty() && last.iter().all(u8::is_ascii_digit),
    }
}

/// An IPv4 address of up to four numbers, decimal, octal or hexadecimal, of which the last fills
/// what the others leave (URL Standard, section 3.5, IPv4 parser).
fn ipv4(name: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = name.strip_suffix('.').unwrap_or(name).split('.').collect();
    let (last, before) = parts.split_last()?;
    let room = 4 - u32::try_from(before.len()).ok().filter(|n| *n < 4)?;
    let last = number(last).filter(|n| *n < 1 << (8 * room))?;
    let before = before.iter().map(|part| number(part).filter(|n| *n < 256));
    let high = before.zip([24, 16, 8]).try_fold(0, |sum, (n, shift)| Some(sum | n? << shift))?;
    u32::try_from(high | last).ok().map(Ipv4Addr::from_bits)
}

fn number(digits: &str) -> Option<u64> {
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    let is_number = digits.bytes().all(|o| char::from(o).is_digit(radix));
    match digits {
        "" if radix == 16 => Some(0),
        _ => u64::from_str_radix(digits, radix).ok().filter(|_| is_number),
    }
}

fn canonical_ipv6(literal: &[u8]) -> Result<String, InvalidTarget> {
    let text = literal.strip_suffix(b"]").and_then(|l| std::str::from_utf8(l).ok());
    let address = text.and_then(|t| t.parse::<Ipv6Addr>().ok());
    address.map(|a| format!("[{a}]")).ok_or(InvalidTarget::BadHost)
}
