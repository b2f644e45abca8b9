//! Fingerprints: a short text for what a file says.
//!
//! In: a [`File`]. Out: the first half of SHA-256 of its [canonical text](File::canonical), in
//! hexadecimal digits: nobody finds another file with the same.

use sha2::{Digest, Sha256};
use verger_core::analysis::About;
use verger_core::{File, InvalidProductToken};

/// The fingerprint of a file. The error says which of the crawlers has no product token.
pub fn fingerprint(file: &File, about: About) -> Result<String, (usize, InvalidProductToken)> {
    let digest = Sha256::digest(file.canonical(about)?);
    Ok(digest[..16].iter().map(|byte| format!("{byte:02x}")).collect())
}
