//! Decisions about a column of URLs.
//!
//! In: a column and a [`Judge`]. Out: one [`Row`] for each of its rows, in order. Workers take
//! blocks of rows as they get free, so that a slow block holds nobody up, and every row has its
//! place before the first is decided: how many workers there are changes nothing but the time.

use std::sync::{Mutex, PoisonError};

use crate::column::Octets;
use crate::judge::Judge;
use crate::row::{Row, Unanswered};

/// Rows that a worker takes at once: some half a millisecond of work.
const BLOCK: usize = 4_096;

/// Answer about every row. `is_text`: whether octets that are no UTF-8 make a broken row.
pub fn decide<J: Judge>(judge: &J, urls: &Octets, is_text: bool, threads: usize) -> Vec<Row> {
    let mut rows = vec![Row::default(); urls.len()];
    let workers = threads.min(urls.len().div_ceil(BLOCK)).max(1);
    let blocks = Mutex::new(rows.chunks_mut(BLOCK).enumerate());
    let work = || {
        let mut memo = J::Memo::default();
        loop {
            let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((number, block)) = next else { return };
            for (offset, row) in block.iter_mut().enumerate() {
                *row = answer(judge, urls.get(number * BLOCK + offset), is_text, &mut memo);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(work);
        }
        work();
    });
    rows
}

#[inline]
fn answer<J: Judge>(judge: &J, url: Option<&[u8]>, is_text: bool, memo: &mut J::Memo) -> Row {
    match url {
        None => Row::unanswered(Unanswered::NullUrl),
        Some(url) if is_text && std::str::from_utf8(url).is_err() => {
            Row::unanswered(Unanswered::InvalidUtf8)
        }
        Some(url) => judge.judge(url, memo),
    }
}
