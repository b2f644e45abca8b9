//! Texts: patterns as bytes and stars.

/// A byte, or [`STAR`].
pub type Token = u16;

/// Any bytes, or none.
pub const STAR: Token = 256;
