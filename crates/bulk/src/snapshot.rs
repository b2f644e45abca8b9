//! Snapshots: the robots.txt file, or the access policy, of many origins at one time.
//!
//! In: origins with a [`Ruling`] and octets, one by one or as columns. Out: a [`Snapshot`], which
//! finds the entry of an origin. Octets that came as a column stay where they are.

use std::hash::{BuildHasher, RandomState};

use hashbrown::hash_table::Entry;
use hashbrown::HashTable;

use verger_core::dialect::Dialect;
use verger_core::InvalidTarget;

use crate::column::Octets;
use crate::origin_key::origin_key;

/// What holds at an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The rules of its file.
    Rules,
    /// An access policy, with the number of its reason.
    Policy {
        /// Whether everything may be fetched, or nothing.
        allowed: bool,
        /// The number of the reason.
        reason: u8,
    },
}

#[derive(Clone, Copy, Debug)]
struct Site {
    /// Where its key ends among all keys.
    key_end: u64,
    /// When it was fetched; the latest counts.
    time: i64,
    piece: u32,
    row: u32,
    ruling: Ruling,
}

#[derive(Debug)]
enum Bodies {
    Column(Octets),
    Single(Box<[u8]>),
}

/// Many origins with what holds there.
#[derive(Debug)]
pub struct Snapshot {
    dialect: Dialect,
    hasher: RandomState,
    index: HashTable<u32>,
    keys: Vec<u8>,
    sites: Vec<Site>,
    bodies: Vec<Bodies>,
}

/// Why an entry cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEntry {
    /// Its origin is none.
    Origin(InvalidTarget),
    /// There are as many as can be numbered.
    Full,
}

impl Snapshot {
    /// An empty snapshot of files to be read in this dialect.
    pub fn new(dialect: &Dialect) -> Snapshot {
        Snapshot {
            dialect: *dialect,
            hasher: RandomState::new(),
            index: HashTable::new(),
            keys: Vec::new(),
            sites: Vec::new(),
            bodies: Vec::new(),
        }
    }

    /// The dialect that its files are read in.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// How many origins there are.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// Take one origin, given as any URL of it. Of two entries for one origin the one with the
    /// later time counts, at the same time the second.
    pub fn add(
        &mut self,
        url: &[u8],
        time: i64,
        ruling: Ruling,
        body: &[u8],
    ) -> Result<(), NoEntry> {
        let piece = self.bodies.len() as u32;
        if ruling == Ruling::Rules {
            self.bodies.push(Bodies::Single(body.into()));
        }
        self.enter(url, time, ruling, piece, 0)
    }

    /// Take a column of bodies, which [`Snapshot::add_row`] then refers to.
    pub fn add_bodies(&mut self, bodies: Octets) -> u32 {
        self.bodies.push(Bodies::Column(bodies));
        self.bodies.len() as u32 - 1
    }

    /// Take one origin whose body stands in a column.
    pub fn add_row(
        &mut self,
        url: &[u8],
        time: i64,
        ruling: Ruling,
        bodies: u32,
        row: usize,
    ) -> Result<(), NoEntry> {
        let row = u32::try_from(row).map_err(|_| NoEntry::Full)?;
        self.enter(url, time, ruling, bodies, row)
    }

    fn enter(
        &mut self,
        url: &[u8],
        time: i64,
        ruling: Ruling,
        piece: u32,
        row: u32,
    ) -> Result<(), NoEntry> {
        let key = origin_key(url).map_err(NoEntry::Origin)?;
        let number = u32::try_from(self.sites.len()).map_err(|_| NoEntry::Full)?;
        let Snapshot { hasher, index, keys, sites, .. } = self;
        let is_it = |entry: &u32| key_of(keys, sites, *entry) == &*key;
        let rehash = |entry: &u32| hasher.hash_one(key_of(keys, sites, *entry));
        match index.entry(hasher.hash_one(&*key), is_it, rehash) {
            Entry::Occupied(known) => {
                let site = &mut sites[*known.get() as usize];
                if time >= site.time {
                    *site = Site { key_end: site.key_end, time, piece, row, ruling };
                }
            }
            Entry::Vacant(place) => {
                place.insert(number);
                keys.extend_from_slice(&key);
                sites.push(Site { key_end: keys.len() as u64, time, piece, row, ruling });
            }
        }
        Ok(())
    }

    /// The entry of an origin in canonical form.
    #[inline]
    pub fn find(&self, key: &[u8]) -> Option<u32> {
        let is_it = |entry: &u32| key_of(&self.keys, &self.sites, *entry) == key;
        self.index.find(self.hasher.hash_one(key), is_it).copied()
    }

    /// What holds at an entry's origin.
    #[inline]
    pub fn ruling(&self, entry: u32) -> Ruling {
        self.sites[entry as usize].ruling
    }

    /// The octets of an entry's file; empty where it has none.
    pub fn body(&self, entry: u32) -> &[u8] {
        let site = self.sites[entry as usize];
        match self.bodies.get(site.piece as usize) {
            Some(Bodies::Column(octets)) => octets.get(site.row as usize).unwrap_or_default(),
            Some(Bodies::Single(octets)) if site.ruling == Ruling::Rules => octets,
            _ => b"",
        }
    }

    /// The origins, in the order in which they first came.
    pub fn origins(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.sites.len()).map(|entry| key_of(&self.keys, &self.sites, entry as u32))
    }
}

fn key_of<'k>(keys: &'k [u8], sites: &[Site], entry: u32) -> &'k [u8] {
    let entry = entry as usize;
    let start = entry.checked_sub(1).map_or(0, |before| sites[before].key_end);
    &keys[start as usize..sites[entry].key_end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger_core::RFC9309;

    fn snapshot(entries: &[(&str, i64, &str)]) -> Snapshot {
        let mut snapshot = Snapshot::new(&RFC9309);
        for (url, time, body) in entries {
            snapshot.add(url.as_bytes(), *time, Ruling::Rules, body.as_bytes()).unwrap();
        }
        snapshot
    }

    fn body<'s>(snapshot: &'s Snapshot, key: &str) -> Option<&'s str> {
        let entry = snapshot.find(key.as_bytes())?;
        std::str::from_utf8(snapshot.body(entry)).ok()
    }

    #[test]
    fn an_origin_is_found_however_it_was_spelt() {
        let snapshot = snapshot(&[("HTTPS://A.example:443/robots.txt", 0, "a")]);

        assert_eq!(body(&snapshot, "https://a.example"), Some("a"));
        assert_eq!(body(&snapshot, "http://a.example"), None);
    }

    #[test]
    fn the_latest_entry_counts_and_among_equals_the_last() {
        let url = "https://a.example";

        assert_eq!(body(&snapshot(&[(url, 2, "new"), (url, 1, "old")]), url), Some("new"));
        assert_eq!(body(&snapshot(&[(url, 1, "one"), (url, 1, "two")]), url), Some("two"));
    }

    #[test]
    fn thousands_of_origins_keep_their_bodies() {
        let mut snapshot = Snapshot::new(&RFC9309);
        for n in 0..5_000 {
            let (url, body) = (format!("https://h{n}.example/x"), format!("body {n}"));
            snapshot.add(url.as_bytes(), 0, Ruling::Rules, body.as_bytes()).unwrap();
        }

        for n in 0..5_000 {
            let wanted = format!("body {n}");
            assert_eq!(body(&snapshot, &format!("https://h{n}.example")), Some(wanted.as_str()));
        }
    }

    #[test]
    fn what_has_no_origin_is_refused() {
        let mut snapshot = Snapshot::new(&RFC9309);
        let refused = snapshot.add(b"example.com", 0, Ruling::Rules, b"");

        assert_eq!(refused, Err(NoEntry::Origin(InvalidTarget::NoScheme)));
        assert!(snapshot.is_empty());
    }
}
