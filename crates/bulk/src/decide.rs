//! Decisions about a column of URLs.
//!
//! In: a column, and one file or many. Out: one [`Row`] for each of its rows, in order. Idle
//! workers take the next block of rows, so a slow block delays no other, and every row has its
//! place before the first is decided: the number of workers changes only the time.
//!
//! Rows of many files are decided file by file within a block, wherever they are in it: a file that
//! decides several rows of a block is read into the processor's caches once, and parsed once if not
//! all files can be kept.

use std::sync::{Mutex, PoisonError};

use crate::column::Bytes;
use crate::judge::{LastEntry, LastOrigin, ManyFiles, OneFile};
use crate::missing_site::Place;
use crate::row::{Row, Unanswered};
use crate::workers::{at_most, at_once};

/// Rows that a worker takes at once: some half a millisecond of work.
pub(crate) const BLOCK: usize = 4_096;
/// How many rows of a file should be in one block: with fewer, files leave the caches; with many
/// more, the URLs do, which are then read out of order.
const ROWS_OF_A_FILE: usize = 16;
/// The most rows that are sorted by file at once.
const MOST_ORDERED: usize = 1 << 20;

/// Decide every row by one file. `is_text`: whether bytes that are not UTF-8 make a broken row.
pub fn decide_by_file(judge: &OneFile, urls: &Bytes, is_text: bool, threads: usize) -> Vec<Row> {
    in_blocks(urls.len(), BLOCK, threads, |start, rows| {
        for (at, row) in rows.iter_mut().enumerate() {
            *row = match readable(urls.get(start + at), is_text) {
                Ok(url) => judge.judge(url),
                Err(why) => Row::unanswered(why),
            };
        }
    })
}

/// Decide every row by the file of its origin.
pub fn decide_by_snapshot(
    judge: &ManyFiles,
    urls: &Bytes,
    is_text: bool,
    threads: usize,
) -> Vec<Row> {
    let wanted = (ROWS_OF_A_FILE * judge.origins()).clamp(2 * BLOCK, MOST_ORDERED);
    let fair = urls.len().div_ceil(4 * at_most(threads)).max(BLOCK);
    in_blocks(urls.len(), wanted.min(fair), threads, |start, rows| {
        decide_block(judge, rows, |at| readable(urls.get(start + at), is_text));
    })
}

/// Decide rows by the files of their origins.
fn decide_block<'a>(
    judge: &ManyFiles,
    rows: &mut [Row],
    url: impl Fn(usize) -> Result<&'a [u8], Unanswered>,
) {
    let mut last = LastOrigin::default();
    let places: Vec<Place> = (0..rows.len())
        .map(|at| url(at).map_or_else(Place::Unanswered, |url| judge.place(url, &mut last)))
        .collect();
    let mut last = LastEntry::default();
    let mut answer = |at: usize| match (places[at], url(at)) {
        (Place::Entry(entry), Ok(url)) => judge.ask(entry, url, &mut last),
        (Place::Unanswered(why), _) | (Place::Entry(_), Err(why)) => Row::unanswered(why),
    };
    match by_file(&places) {
        None => rows.iter_mut().enumerate().for_each(|(at, row)| *row = answer(at)),
        Some(order) => order.into_iter().for_each(|at| rows[at as usize] = answer(at as usize)),
    }
}

/// Whether rows of one file mostly follow each other.
fn stand_together(places: &[Place]) -> bool {
    let changes = places.windows(2).filter(|pair| pair[0] != pair[1]).count();
    changes < places.len() / 8
}

/// The rows in the order of their files, and in their own order within one; none if that is mostly
/// the order in which they are.
pub(crate) fn by_file(places: &[Place]) -> Option<Vec<u32>> {
    if stand_together(places) {
        return None;
    }
    let file = |place: &Place| match place {
        Place::Entry(entry) => u64::from(*entry) << 32,
        Place::Unanswered(_) => u64::MAX << 32,
    };
    let numbered = places.iter().enumerate();
    let mut keys: Vec<u64> = numbered.map(|(at, place)| file(place) | at as u64).collect();
    keys.sort_unstable();
    Some(keys.into_iter().map(|key| key as u32).collect())
}

/// Fill rows block by block, on as many threads as there are blocks for; `fill` gets the number of
/// a block's first row.
pub(crate) fn in_blocks<T: Clone + Default + Send>(
    rows: usize,
    block: usize,
    threads: usize,
    fill: impl Fn(usize, &mut [T]) + Sync,
) -> Vec<T> {
    let mut filled = vec![T::default(); rows];
    let blocks = Mutex::new(filled.chunks_mut(block).enumerate());
    let work = || loop {
        let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some((number, rows)) = next else { return };
        fill(number * block, rows);
    };
    at_once(threads.min(rows.div_ceil(block)), work);
    filled
}

#[inline]
fn readable(url: Option<&[u8]>, is_text: bool) -> Result<&[u8], Unanswered> {
    match url {
        None => Err(Unanswered::NullUrl),
        Some(url) if is_text && std::str::from_utf8(url).is_err() => Err(Unanswered::InvalidUtf8),
        Some(url) => Ok(url),
    }
}
