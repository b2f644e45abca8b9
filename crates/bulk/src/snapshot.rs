//! Snapshots: the robots.txt file, or the access policy, of many origins at one time.
//!
//! In: observations of origins, one by one or as columns, each with the number of its kind in an
//! [`AccessTable`]. Out: a [`Snapshot`], which has what follows from all observations of an origin.
//! Bytes that came as a column are not copied.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use hashbrown::hash_table::Entry;
use hashbrown::HashTable;

use verger_core::{Dialect, InvalidTarget};

use crate::access::{AccessTable, Fold};
use crate::column::Bytes;
use crate::origin_key::site_key;
use crate::spilled::{Span, Spilled};

pub use crate::access::{Ruling, Seen, NOT_COUNTED, NO_TIME};

/// Where a body is.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    piece: u32,
    row: u32,
}

#[derive(Clone, Copy, Debug)]
struct Site {
    /// Where its key ends among all keys.
    key_end: u64,
    place: Place,
    ruling: Ruling,
}

#[derive(Clone, Debug)]
enum Bodies {
    Column(Bytes),
    Single(Box<[u8]>),
    Spilled(Span),
}

/// Many origins with what applies there.
#[derive(Clone, Debug)]
pub struct Snapshot {
    dialect: Dialect,
    hasher: RandomState,
    index: HashTable<u32>,
    keys: Vec<u8>,
    sites: Vec<Site>,
    bodies: Vec<Bodies>,
    /// How many bytes of the files that [`Snapshot::set`] takes may yet stay in memory.
    room: usize,
    spilled: Arc<Spilled>,
}

/// Takes observations, in any order.
#[derive(Debug)]
pub struct Builder {
    table: Arc<AccessTable>,
    now: f64,
    snapshot: Snapshot,
    /// The first observation of each site, and all further ones.
    first: Vec<Seen<Place>>,
    more: Vec<(u32, Seen<Place>)>,
}

/// Why an observation cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEntry {
    /// Its origin is invalid.
    Origin(InvalidTarget),
    /// No more can be numbered.
    Full,
}

impl Builder {
    /// Begin a snapshot of files to be read in this dialect, whose rules of access are in the table.
    /// `now` is the time in seconds: what lies far ahead of it prolongs no failure.
    pub fn new(dialect: &Dialect, table: Arc<AccessTable>, now: f64) -> Builder {
        let snapshot = Snapshot::empty(dialect);
        Builder { table, now, snapshot, first: Vec::new(), more: Vec::new() }
    }

    /// The rules of access.
    pub fn table(&self) -> &AccessTable {
        &self.table
    }

    /// Take an observation of one origin, given as any URL of it or as a host, with its body as its
    /// place.
    pub fn add(&mut self, url: &[u8], seen: Seen<&[u8]>) -> Result<(), NoEntry> {
        let (body, piece) = (seen.place, self.snapshot.next_piece()?);
        if !body.is_empty() {
            self.snapshot.bodies.push(Bodies::Single(body.into()));
        }
        let piece = if body.is_empty() { NOWHERE } else { piece };
        self.enter(url, seen.at(Place { piece, row: 0 }))
    }

    /// Take a column of bodies, which [`Builder::add_row`] then refers to.
    pub fn add_bodies(&mut self, bodies: Bytes) -> Result<u32, NoEntry> {
        let piece = self.snapshot.next_piece()?;
        self.snapshot.bodies.push(Bodies::Column(bodies));
        Ok(piece)
    }

    /// Take an observation whose body is in a column, in the row that is its place.
    pub fn add_row(&mut self, url: &[u8], bodies: u32, seen: Seen<usize>) -> Result<(), NoEntry> {
        let row = u32::try_from(seen.place).map_err(|_| NoEntry::Full)?;
        self.enter(url, seen.at(Place { piece: bodies, row }))
    }

    fn enter(&mut self, url: &[u8], seen: Seen<Place>) -> Result<(), NoEntry> {
        let (number, is_new) = self.snapshot.entry_of(url)?;
        if !is_new {
            self.more.push((number, seen));
            return Ok(());
        }
        let site = &mut self.snapshot.sites[number as usize];
        (site.ruling, _) = Fold::begin(&self.table, self.now, seen).end();
        site.place = seen.place;
        self.first.push(seen);
        Ok(())
    }

    /// The snapshot. If an origin was seen several times, the observations count in the order of
    /// their times, and those of one time in the order in which they were added.
    pub fn finish(mut self) -> Snapshot {
        let mut several: Vec<u32> = self.more.iter().map(|(site, _)| *site).collect();
        several.sort_unstable();
        several.dedup();
        // The first of a site was added before the others: a stable sort keeps that order.
        let firsts = several.iter().map(|site| (*site, self.first[*site as usize]));
        let mut seen: Vec<(u32, Seen<Place>)> = firsts.chain(self.more.drain(..)).collect();
        seen.sort_by(|(a, one), (b, other)| a.cmp(b).then(one.time.total_cmp(&other.time)));
        for seen in seen.chunk_by(|(one, _), (other, _)| one == other) {
            let site = &mut self.snapshot.sites[seen[0].0 as usize];
            (site.ruling, site.place) = left_by(&self.table, self.now, seen);
        }
        self.snapshot
    }
}

/// What follows from the observations of one site.
fn left_by(table: &AccessTable, now: f64, seen: &[(u32, Seen<Place>)]) -> (Ruling, Place) {
    let mut fold = Fold::begin(table, now, seen[0].1);
    for (_, next) in &seen[1..] {
        fold.take(*next);
    }
    let (ruling, place) = fold.end();
    (ruling, place.unwrap_or(Place { piece: NOWHERE, row: 0 }))
}

/// The piece of a missing body.
const NOWHERE: u32 = u32::MAX;

impl Snapshot {
    /// A snapshot without any origin, of files to be read in this dialect.
    pub fn empty(dialect: &Dialect) -> Snapshot {
        Snapshot {
            dialect: *dialect,
            hasher: RandomState::new(),
            index: HashTable::new(),
            keys: Vec::new(),
            sites: Vec::new(),
            bodies: Vec::new(),
            room: usize::MAX,
            spilled: Arc::default(),
        }
    }

    /// The same with a limit for the files in memory: what [`Snapshot::set`] takes beyond these bytes
    /// is in a temporary file.
    pub fn within(self, room: usize) -> Snapshot {
        Snapshot { room, ..self }
    }

    /// Set what applies at one origin, given as any URL of it, in place of what was set before;
    /// return its entry.
    pub fn set(&mut self, url: &[u8], ruling: Ruling, body: &[u8]) -> Result<u32, NoEntry> {
        let piece = self.next_piece()?;
        let (entry, _) = self.entry_of(url)?;
        if ruling == Ruling::Rules {
            self.bodies.push(match self.room.checked_sub(body.len()) {
                Some(room) => {
                    self.room = room;
                    Bodies::Single(body.into())
                }
                None => Bodies::Spilled(self.spilled.put(body)),
            });
        }
        let site = &mut self.sites[entry as usize];
        (site.ruling, site.place) = (ruling, Place { piece, row: 0 });
        Ok(entry)
    }

    /// The entry of an origin, and whether it is new: then nothing is set for it.
    fn entry_of(&mut self, url: &[u8]) -> Result<(u32, bool), NoEntry> {
        let key = site_key(url).map_err(NoEntry::Origin)?;
        let Snapshot { hasher, index, keys, sites, .. } = self;
        let number = u32::try_from(sites.len()).map_err(|_| NoEntry::Full)?;
        let is_it = |entry: &u32| key_of(keys, sites, *entry) == &*key;
        let rehash = |entry: &u32| hasher.hash_one(key_of(keys, sites, *entry));
        match index.entry(hasher.hash_one(&*key), is_it, rehash) {
            Entry::Occupied(known) => Ok((*known.get(), false)),
            Entry::Vacant(vacant) => {
                vacant.insert(number);
                keys.extend_from_slice(&key);
                let place = Place { piece: NOWHERE, row: 0 };
                let ruling = Ruling::Policy { allowed: false, reason: 0 };
                sites.push(Site { key_end: keys.len() as u64, place, ruling });
                Ok((number, true))
            }
        }
    }

    fn next_piece(&self) -> Result<u32, NoEntry> {
        let piece = u32::try_from(self.bodies.len()).map_err(|_| NoEntry::Full)?;
        (piece != NOWHERE).then_some(piece).ok_or(NoEntry::Full)
    }

    /// The dialect that its files are read in.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// How many origins there are.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// The entry of an origin in canonical form.
    #[inline]
    pub fn find(&self, key: &[u8]) -> Option<u32> {
        let is_it = |entry: &u32| key_of(&self.keys, &self.sites, *entry) == key;
        self.index.find(self.hasher.hash_one(key), is_it).copied()
    }

    /// What applies at an entry's origin.
    #[inline]
    pub fn ruling(&self, entry: u32) -> Ruling {
        self.sites[entry as usize].ruling
    }

    /// The bytes of an entry's file; empty if it has none.
    pub fn body(&self, entry: u32) -> Cow<'_, [u8]> {
        let Site { place, ruling, .. } = self.sites[entry as usize];
        match self.bodies.get(place.piece as usize) {
            Some(_) if ruling != Ruling::Rules => Cow::default(),
            Some(Bodies::Column(bytes)) => bytes.get(place.row as usize).unwrap_or_default().into(),
            Some(Bodies::Single(bytes)) => (&**bytes).into(),
            Some(Bodies::Spilled(span)) => self.spilled.get(*span).into(),
            None => Cow::default(),
        }
    }

    /// Why files could not be put into the temporary file, or read from it, if that happened.
    pub fn take_failure(&self) -> Option<std::io::Error> {
        self.spilled.take_failure()
    }

    /// The origins, in the order of their first observations.
    pub fn origins(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.sites.len()).map(|entry| key_of(&self.keys, &self.sites, entry as u32))
    }
}

fn key_of<'k>(keys: &'k [u8], sites: &[Site], entry: u32) -> &'k [u8] {
    let entry = entry as usize;
    let start = entry.checked_sub(1).map_or(0, |before| sites[before].key_end);
    &keys[start as usize..sites[entry].key_end as usize]
}
