//! The rule for a missing site: rows of an origin that a snapshot does not have get no answer.
//!
//! In: a URL. Out: the entry of its origin; or why nobody knows what may be fetched there, which is
//! null in tables and *unanswered* in text, and never *allowed*.

use crate::origin_key::origin_key;
use crate::row::Unanswered;
use crate::snapshot::Snapshot;

/// What the snapshot has for the origin of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing, and why.
    Unanswered(Unanswered),
    /// This entry of the snapshot.
    Entry(u32),
}

impl Default for Place {
    fn default() -> Self {
        Place::Unanswered(Unanswered::InvalidTarget)
    }
}

/// Find what the snapshot has for the origin of a URL.
pub fn place_of(url: &[u8], snapshot: &Snapshot) -> Place {
    let Ok(key) = origin_key(url) else {
        return Place::Unanswered(Unanswered::InvalidTarget);
    };
    match snapshot.find(&key) {
        None => Place::Unanswered(Unanswered::NotInSnapshot),
        Some(entry) => Place::Entry(entry),
    }
}
