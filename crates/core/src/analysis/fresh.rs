//! Fresh bytes: a byte that no pattern holds stands for all that a `*` may take.
//!
//! In: patterns. Out: a byte that is [`Fresh`] for them. RFC 9309 sections 2.2.2 and 2.2.3.
//!
//! *Targets.* A target is `/` followed by any bytes that [`TargetReader::holds`], in any order:
//! see [`TargetReader::is_possible`]. A pattern that contains another byte matches none.
//!
//! *Fresh.* A byte is fresh if no pattern that may decide holds it, as written or folded, nor
//! `/robots.txt`. Where patterns are folded it is also not reserved and not `%`, so that the fold
//! leaves it as it is.
//!
//! *Lemma.* Let `w(P)` be a pattern `P` with a fresh byte for each `*`. If `Q` matches `w(P)`, then
//! `Q` matches whatever `P` matches. For no byte of `Q` stands for a fresh one, so that a `*` of `Q`
//! takes each of them; that `*` takes anything else in its place too.
//!
//! So `P` decides some target if and only if it decides `w(P)`: if another rule decides there, it
//! matches all that `P` matches and outranks `P` everywhere. That `P` decides follows only if `w(P)`
//! is a target, hence if targets hold the fresh byte. That it does not decide follows in any case.
//! How folded patterns become such that are compared as written is in DESIGN.md.

use crate::pattern::Pattern;
use crate::target::TargetReader;

/// A byte that is in no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// The byte.
    pub byte: u8,
    /// Whether targets hold it.
    pub is_held: bool,
}

/// The bytes of some patterns, as written and folded.
#[derive(Clone, Debug)]
pub struct Used {
    bytes: [bool; 256],
    folds: bool,
}

impl Used {
    /// None but those of a target that no rule decides. `folds` tells whether patterns are folded.
    pub fn new(exempt: &[u8], folds: bool) -> Self {
        let mut used = Used { bytes: [false; 256], folds };
        used.add_all(exempt);
        used
    }

    /// Add those of a pattern.
    pub fn add(&mut self, pattern: &Pattern) {
        self.add_all(&pattern.text);
        if let Some(folded) = pattern.folded() {
            self.add_all(&folded);
        }
    }

    /// Add all that a pattern may hold that is written with bytes which stand for themselves in every
    /// URL, stars and dollars aside; false if it is written with others, of which some may be added.
    pub fn add_plain(&mut self, value: &[u8]) -> bool {
        for byte in value {
            if !byte.is_ascii_alphanumeric() && !b"/-._*$".contains(byte) {
                return false;
            }
            self.bytes[byte.to_ascii_lowercase() as usize] = true;
            self.bytes[byte.to_ascii_uppercase() as usize] = true;
        }
        self.add_all(if self.folds { b"%0123456789abcdefABCDEF" } else { b"" });
        true
    }

    fn add_all(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.bytes[*byte as usize] = true);
    }

    /// A fresh byte, rather one that targets hold; none where all 256 are used.
    pub fn fresh(&self, holds: impl Fn(u8) -> bool) -> Option<Fresh> {
        let is_fresh = |byte: &u8| {
            !(self.bytes[*byte as usize] || self.folds && is_reserved_or_percent(*byte))
        };
        let unreserved = (b'a'..=b'z').rev().chain(b'A'..=b'Z').chain(b'0'..=b'9');
        let all = unreserved.chain(*b"-._~").chain((0..=u8::MAX).rev()).filter(is_fresh);
        let held = all.clone().find(|byte| holds(*byte));
        let byte = held.or(all.clone().next())?;
        Some(Fresh { byte, is_held: held.is_some() })
    }

    /// A byte that targets hold, and that is used like many: it stands in for a fresh one where
    /// a target is all that is wanted, and not what follows from it.
    pub fn substitute(&self, targets: &TargetReader) -> u8 {
        (b'a'..=b'z').rev().chain(0..=u8::MAX).find(|o| targets.holds(*o)).unwrap_or(b'/')
    }
}

/// RFC 3986 section 2.2.
fn is_reserved_or_percent(byte: u8) -> bool {
    b"%:/?#[]@!$&'()*+,;=".contains(&byte)
}
