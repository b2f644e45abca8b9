//! Facts of bodies seen before: on the web, a few files are used on very many sites.
//!
//! In: the digest of a body. Out: the facts of an equal one, or those read now. Two generations
//! bound the memory: when the young one is full, it becomes the old one, and facts that were used
//! since are kept. Known facts never change an answer, because equal bytes have equal facts.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use crate::scan::facts::Facts;

/// SHA-256 of a body.
pub type Digest = [u8; 32];

/// The digest of a body.
pub fn digest(body: &[u8]) -> Digest {
    Sha256::digest(body).into()
}

const SHARDS: usize = 16;

/// About how many bytes one generation of a shard may take: 16 MiB in all.
const MOST: usize = 512 << 10;

/// Facts by the digest of their file.
#[derive(Debug)]
pub struct Kept {
    shards: Vec<Mutex<Shard>>,
    recalled: AtomicU64,
}

#[derive(Debug, Default)]
struct Shard {
    young: Generation,
    old: Generation,
    weight: usize,
}

type Generation = HashMap<Digest, Arc<Facts>, BuildHasherDefault<FirstBytes>>;

/// A digest is as good as random: eight bytes of it are its hash.
#[derive(Debug, Default)]
struct FirstBytes(u64);

impl Hasher for FirstBytes {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(first) = bytes.first_chunk() {
            self.0 = u64::from_le_bytes(*first);
        }
    }

    fn write_usize(&mut self, _: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Kept {
    /// Start without facts.
    pub fn new() -> Kept {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Kept { shards, recalled: AtomicU64::new(0) }
    }

    /// How often facts were known.
    pub fn recalled(&self) -> u64 {
        self.recalled.load(Ordering::Relaxed)
    }

    /// The facts of the body with this digest.
    pub fn get_or_read(&self, digest: Digest, read: impl FnOnce() -> Facts) -> Arc<Facts> {
        let shard = &self.shards[digest[31] as usize % SHARDS];
        if let Some(facts) = shard.lock().unwrap_or_else(PoisonError::into_inner).get(&digest) {
            self.recalled.fetch_add(1, Ordering::Relaxed);
            return facts;
        }
        let facts = Arc::new(read());
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        shard.put(digest, Arc::clone(&facts));
        facts
    }
}

impl Shard {
    fn get(&mut self, digest: &Digest) -> Option<Arc<Facts>> {
        if let Some(facts) = self.young.get(digest) {
            return Some(Arc::clone(facts));
        }
        let facts = self.old.remove(digest)?;
        self.put(*digest, Arc::clone(&facts));
        Some(facts)
    }

    fn put(&mut self, digest: Digest, facts: Arc<Facts>) {
        let weight = facts.weight() + size_of::<Digest>() * 2;
        if weight > MOST / 8 {
            return;
        }
        if self.weight + weight > MOST {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
        if self.young.insert(digest, facts).is_none() {
            self.weight += weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::facts::Asked;
    use verger_core::internal::Crawlers;
    use verger_core::{File, RFC9309};

    fn facts(body: &[u8]) -> Facts {
        let crawlers = Crawlers::new::<&str>(&[], &RFC9309).unwrap();
        let asked = Asked {
            crawlers,
            bound: Arc::new([]),
            policies: 0,
            uses: Vec::new(),
            fingerprints: false,
        };
        Facts::of(&File::parse(body, &RFC9309), &asked)
    }

    #[test]
    fn what_is_asked_for_often_is_kept_and_memory_is_bounded() {
        const ROUNDS: usize = 5_000;
        let kept = Kept::new();
        let often = digest(b"often");
        let large = format!("Sitemap: https://e.com/{}\n", "a".repeat(8_000));
        for number in 0..ROUNDS as u32 {
            kept.get_or_read(digest(&number.to_le_bytes()), || facts(large.as_bytes()));
            kept.get_or_read(often, || facts(b"User-agent: *\n"));
        }
        let weight = |generation: &Generation| -> usize {
            generation.values().map(|facts| facts.weight()).sum()
        };
        let weights = kept.shards.iter().map(|shard| {
            let shard = shard.lock().unwrap();
            weight(&shard.young) + weight(&shard.old)
        });

        assert_eq!(kept.recalled(), ROUNDS as u64 - 1);
        assert!(weights.sum::<usize>() <= 2 * SHARDS * MOST);
    }

    #[test]
    fn one_huge_file_does_not_drive_out_the_others() {
        let kept = Kept::new();
        let small = digest(b"small");
        kept.get_or_read(small, || facts(b""));
        kept.get_or_read(digest(b"huge"), || facts(&b"Sitemap: https://e.com/s\n".repeat(9_000)));
        kept.get_or_read(small, || unreachable!("it is known"));

        assert_eq!(kept.recalled(), 1);
    }
}
