//! Scan: what each captured robots.txt file says, as columns.
//!
//! In: a batch of captures, one response each. Out: one row per capture in the same order
//! (`verger.scan/1`), and on request one row per record (`verger.records/1`). The batches that come
//! out are cut by rows alone, so that neither threads nor what was read before changes them.
//! What a status means is decided elsewhere and comes in as a table. Nothing here knows a file.

mod access;
mod captures;
mod facts;
mod kept;
mod members;
mod records;
mod response;
mod rows;

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use verger_core::origin::Origin;
use verger_core::roll::Roll;
use verger_core::{Dialect, File, InvalidProductToken};

pub use access::{Access, Effect, Meaning, Statuses};
pub use members::{Members, Next, Record};
pub use response::Plain;

use captures::{Capture, Captures};
use facts::Facts;
use kept::Kept;
use records::Records;
use rows::{Row, Rows};

/// Captures that make one batch of rows: few enough that two threads share a batch evenly.
const STEP: usize = 1024;

/// Why a batch cannot be scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanError {
    /// A column is not there.
    Missing(&'static str),
    /// A column holds something else.
    WrongType(&'static str, DataType),
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScanError::Missing(name) => write!(f, "there is no column `{name}`"),
            ScanError::WrongType(name, found) => {
                let wanted = captures::wanted(name);
                write!(f, "the column `{name}` holds {found}, not {wanted}")
            }
        }
    }
}

impl std::error::Error for ScanError {}

/// What came of one batch of captures.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    /// The rows, in the order of the captures.
    pub rows: Vec<RecordBatch>,
    /// The records, if they were asked for, in the same order.
    pub records: Vec<RecordBatch>,
}

/// Reads captures in one dialect, with one list of crawlers in mind.
#[derive(Debug)]
pub struct Scanner {
    dialect: Dialect,
    roll: Roll,
    statuses: Statuses,
    kept: Kept,
    schema: SchemaRef,
    records_schema: SchemaRef,
}

impl Scanner {
    /// Prepare for crawlers with these product tokens; the error says which is none.
    pub fn new(
        dialect: &Dialect,
        crawlers: &[String],
        statuses: Statuses,
    ) -> Result<Scanner, (usize, InvalidProductToken)> {
        Ok(Scanner {
            dialect: *dialect,
            roll: Roll::new(crawlers, dialect)?,
            statuses,
            kept: Kept::new(),
            schema: rows::schema(crawlers),
            records_schema: records::schema(),
        })
    }

    /// The columns of the rows.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The columns of the records.
    pub fn records_schema(&self) -> SchemaRef {
        Arc::clone(&self.records_schema)
    }

    /// How many bodies were told from what was known of an equal one.
    pub fn recalled(&self) -> u64 {
        self.kept.recalled()
    }

    /// Scan captures on up to `threads` threads.
    pub fn scan(
        &self,
        batch: &RecordBatch,
        threads: usize,
        with_records: bool,
    ) -> Result<Scanned, ScanError> {
        let captures = Captures::of(batch)?;
        let steps = captures.len().div_ceil(STEP);
        let done: Vec<Mutex<Scanned>> = (0..steps).map(|_| Mutex::default()).collect();
        let next = AtomicUsize::new(0);
        let work = || loop {
            let step = next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = done.get(step) else { return };
            let scanned = self.scan_step(&captures, step, with_records);
            *place.lock().unwrap_or_else(PoisonError::into_inner) = scanned;
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(steps) {
                scope.spawn(work);
            }
            work();
        });
        let mut all = Scanned::default();
        for step in done {
            let step = step.into_inner().unwrap_or_else(PoisonError::into_inner);
            all.rows.extend(step.rows);
            all.records.extend(step.records);
        }
        Ok(all)
    }

    fn scan_step(&self, captures: &Captures, step: usize, with_records: bool) -> Scanned {
        let end = captures.len().min((step + 1) * STEP);
        let mut rows = Rows::new(&self.schema, self.roll.len());
        let mut records = with_records.then(|| Records::new(&self.records_schema));
        for capture in (step * STEP..end).map(|row| captures.get(row)) {
            let row = self.row(&capture);
            if let Some(records) = records.as_mut() {
                self.add_records(records, &capture, &row);
            }
            rows.add(&capture, &row);
        }
        let records = records.map(Records::finish).unwrap_or_default();
        Scanned { rows: vec![rows.finish()], records }
    }

    fn row(&self, capture: &Capture) -> Row {
        let Some(origin) = origin_of(capture.url) else { return Row::without_origin() };
        let meaning = self.statuses.meaning(capture.status);
        let digest = capture.body.map(kept::digest);
        let is_file = meaning.access == Access::Successful;
        let facts = is_file.then(|| self.facts(capture.body.unwrap_or_default(), digest));
        Row { origin: Some(origin), meaning: Some(meaning), digest, facts }
    }

    fn facts(&self, body: &[u8], digest: Option<kept::Digest>) -> Arc<Facts> {
        let read = || Facts::of(&File::parse(body, &self.dialect), &self.roll);
        match digest {
            Some(digest) => self.kept.get_or_read(digest, read),
            None => Arc::new(read()),
        }
    }

    fn add_records(&self, records: &mut Records, capture: &Capture, row: &Row) {
        if let (Some(body), Some(origin), Some(_)) = (capture.body, &row.origin, &row.facts) {
            let file = File::parse(body, &self.dialect);
            records.add(&file, origin, capture.time, row.digest.as_ref());
        }
    }
}

/// The origin that a capture speaks of: that of its URL, or the host that stands there alone, which
/// is taken for one that answers by https.
fn origin_of(url: Option<&[u8]>) -> Option<String> {
    let url = url?.trim_ascii();
    let is_host = !url.iter().any(|octet| b"/@?#\\".contains(octet));
    let origin = match is_host {
        true => Origin::governed(&[b"https://", url].concat()),
        false => Origin::governed(url),
    };
    origin.ok().map(|origin| origin.to_string())
}

#[cfg(test)]
mod tests;
