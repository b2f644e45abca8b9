//! The errors of callers. A file is never an error.

use std::fmt;

/// Why a text is not a URL or path that can be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidTarget {
    /// It begins neither with `/` nor with a scheme and `://`.
    NoScheme,
    /// It does not begin with a scheme and `://`, so it has no origin; a path has none.
    NoOrigin,
    /// The authority is empty.
    NoAuthority,
    /// The host is neither a domain name nor an address.
    BadHost,
    /// The port is not a number below 65,536.
    BadPort,
    /// robots.txt files are not fetched over its scheme.
    NoRobots,
}

impl InvalidTarget {
    /// The same error for a question that also accepts paths.
    pub(crate) fn or_path(self) -> InvalidTarget {
        match self {
            InvalidTarget::NoOrigin => InvalidTarget::NoScheme,
            other => other,
        }
    }
}

impl fmt::Display for InvalidTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvalidTarget::NoScheme => "it begins neither with `/` nor with a scheme and `://`",
            InvalidTarget::NoOrigin => "it does not begin with a scheme and `://`",
            InvalidTarget::NoAuthority => "there is no host after `://`",
            InvalidTarget::BadHost => "its host is neither a domain name nor an address",
            InvalidTarget::BadPort => "its port is not a number from 0 to 65535",
            InvalidTarget::NoRobots => "its scheme has no robots.txt; http, https and ftp have",
        })
    }
}

impl std::error::Error for InvalidTarget {}

/// Why a text cannot be a product token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidProductToken {
    /// It is empty, or empty up to its version.
    Empty,
    /// It contains a character that no product token has.
    BadCharacter {
        /// The first such character.
        character: char,
        /// Its offset in bytes.
        offset: usize,
    },
    /// It is not UTF-8.
    BadByte {
        /// The first byte that cannot be decoded.
        byte: u8,
        /// Its offset in bytes.
        offset: usize,
    },
}

impl fmt::Display for InvalidProductToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidProductToken::Empty => f.write_str("it is empty"),
            InvalidProductToken::BadCharacter { character, offset } => {
                write!(f, "`{}` at offset {offset}", character.escape_debug())
            }
            InvalidProductToken::BadByte { byte, offset } => {
                write!(f, "`\\x{byte:02x}` at offset {offset}")
            }
        }
    }
}

impl std::error::Error for InvalidProductToken {}
