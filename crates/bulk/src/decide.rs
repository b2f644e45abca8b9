//! Decisions about a column of URLs.
//!
//! In: a column, and one file or many. Out: one [`Row`] for each of its rows, in order. Workers
//! take blocks of rows as they get free, so that a slow block holds nobody up, and every row has
//! its place before the first is decided: how many workers there are changes nothing but the time.
//!
//! Rows of many files are decided file by file, wherever they stand: a file that is asked about
//! ten rows in a row is read into the processor's caches once, and parsed once where not all files
//! can be kept.

use std::sync::{Mutex, PoisonError};

use crate::column::Octets;
use crate::judge::{LastFile, LastOrigin, ManyFiles, OneFile, Place};
use crate::row::{Row, Unanswered};

/// Rows that a worker takes at once: some half a millisecond of work.
const BLOCK: usize = 4_096;
/// Workers at most: more than there are cores do nothing but wait.
const MOST_WORKERS: usize = 256;
/// Rows that are brought into the order of their files at once; it bounds what that takes.
const WINDOW: usize = 1 << 20;

/// Answer about every row by one file. `is_text`: whether octets that are no UTF-8 make a broken
/// row.
pub fn decide_by_file(judge: &OneFile, urls: &Octets, is_text: bool, threads: usize) -> Vec<Row> {
    let mut rows = vec![Row::default(); urls.len()];
    in_blocks(&mut rows, threads, |row, ()| match readable(urls.get(row), is_text) {
        Ok(url) => judge.judge(url),
        Err(why) => Row::unanswered(why),
    });
    rows
}

/// Answer about every row by the file of its origin.
pub fn decide_by_snapshot(
    judge: &ManyFiles,
    urls: &Octets,
    is_text: bool,
    threads: usize,
) -> Vec<Row> {
    let mut rows = vec![Row::default(); urls.len()];
    for (number, window) in rows.chunks_mut(WINDOW).enumerate() {
        decide_window(judge, urls, number * WINDOW, is_text, threads, window);
    }
    rows
}

fn decide_window(
    judge: &ManyFiles,
    urls: &Octets,
    start: usize,
    is_text: bool,
    threads: usize,
    rows: &mut [Row],
) {
    let mut places = vec![Place::default(); rows.len()];
    in_blocks(&mut places, threads, |at, last: &mut LastOrigin| {
        match readable(urls.get(start + at), is_text) {
            Ok(url) => judge.place(url, last),
            Err(why) => Place::Answer(Row::unanswered(why)),
        }
    });
    let answer = |at: usize, last: &mut LastFile| match (places[at], urls.get(start + at)) {
        (Place::File(entry), Some(url)) => judge.ask(entry, url, last),
        (Place::Answer(row), _) => row,
        (Place::File(_), None) => Row::unanswered(Unanswered::NullUrl),
    };
    if stand_together(&places) {
        return in_blocks(rows, threads, answer);
    }
    let order = by_file(&places);
    let mut ordered = vec![Row::default(); rows.len()];
    in_blocks(&mut ordered, threads, |at, last| answer(order[at] as usize, last));
    order.iter().zip(ordered).for_each(|(at, row)| rows[*at as usize] = row);
}

/// Whether rows of one file mostly follow each other.
fn stand_together(places: &[Place]) -> bool {
    let changes = places.windows(2).filter(|pair| pair[0] != pair[1]).count();
    changes < places.len() / 8
}

/// The rows in the order of their files, and as they stood within one.
fn by_file(places: &[Place]) -> Vec<u32> {
    let file = |place: &Place| match place {
        Place::File(entry) => u64::from(*entry) << 32,
        Place::Answer(_) => u64::MAX << 32,
    };
    let numbered = places.iter().enumerate();
    let mut keys: Vec<u64> = numbered.map(|(at, place)| file(place) | at as u64).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

/// Compute every item, block by block, on as many threads as there are blocks for.
fn in_blocks<T: Send, M: Default>(
    items: &mut [T],
    threads: usize,
    compute: impl Fn(usize, &mut M) -> T + Sync,
) {
    let workers = threads.min(items.len().div_ceil(BLOCK)).clamp(1, MOST_WORKERS);
    let blocks = Mutex::new(items.chunks_mut(BLOCK).enumerate());
    let work = || {
        let mut memo = M::default();
        loop {
            let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((number, block)) = next else { return };
            for (offset, item) in block.iter_mut().enumerate() {
                *item = compute(number * BLOCK + offset, &mut memo);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            // Where the system gives no further thread, those that there are do the work.
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}

#[inline]
fn readable(url: Option<&[u8]>, is_text: bool) -> Result<&[u8], Unanswered> {
    match url {
        None => Err(Unanswered::NullUrl),
        Some(url) if is_text && std::str::from_utf8(url).is_err() => Err(Unanswered::InvalidUtf8),
        Some(url) => Ok(url),
    }
}
