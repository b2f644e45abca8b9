//! Scan: what each captured robots.txt file says, as columns.
//!
//! In: a batch of captures, one response each. Out: one row per capture in the same order
//! (`verger.scan/1`), and on request one row per record (`verger.records/1`). Output batches are
//! cut only by their content, so neither threads nor earlier input change them. What a capture
//! means is decided elsewhere and passed as a table. Nothing here opens a file.

mod captures;
pub(crate) mod columns;
mod facts;
mod kept;
mod records;
mod rows;
mod use_columns;
mod uses;

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use verger_core::internal::{Binding, Crawlers};
use verger_core::{Dialect, File, InvalidProductToken};

pub use captures::COLUMNS;
pub use records::{MOST_TOKENS, MOST_TOKEN_BYTES};
pub use uses::{AskingCrawler, ScannedUse};

use crate::access::{Access, AccessTable, NotAFailure};
use crate::origin_key::origin_of_site;
use crate::workers::at_once;
use captures::{Capture, Captures};
use facts::{Asked, Facts};
use kept::Kept;
use records::Records;
use rows::{Meaning, Row, Rows};

/// Captures in one batch of rows: few enough that two threads share a batch evenly.
const STEP: usize = 1024;

/// Why a batch cannot be scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanError {
    /// A column is missing.
    Missing(&'static str),
    /// A column holds something else.
    WrongType(&'static str, DataType),
    /// The failure of a row is not one of the known names.
    NotAFailure(usize, Vec<u8>),
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScanError::Missing(name) => write!(f, "there is no column `{name}`"),
            ScanError::WrongType(name, found) => {
                let wanted = captures::wanted(name);
                write!(f, "the column `{name}` holds {found}, not {wanted}")
            }
            ScanError::NotAFailure(row, word) => {
                let word = String::from_utf8_lossy(word);
                write!(
                    f,
                    "the column `failure` holds `{word}` in row {row}, which is not a failure"
                )
            }
        }
    }
}

impl std::error::Error for ScanError {}

/// The result of one batch of captures.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    /// The rows, in the order of the captures.
    pub rows: Vec<RecordBatch>,
    /// The records, if requested, in the same order.
    pub records: Vec<RecordBatch>,
}

/// One crawler of a scanner, and those that it follows, by their places in the list.
#[derive(Debug)]
struct BoundCrawler {
    place: usize,
    binding: Binding<usize>,
}

/// Scans captures in one dialect, for one list of crawlers.
#[derive(Debug)]
pub struct Scanner {
    dialect: Dialect,
    asked: Asked,
    access: Arc<AccessTable>,
    kept: Kept,
    schema: SchemaRef,
    records_schema: SchemaRef,
}

impl Scanner {
    /// Prepare for crawlers with these product tokens, with bindings for the first of them; the
    /// others have the default. The error names the token that is invalid.
    ///
    /// fingerprints: whether rows have those of files, which take longer than all else.
    pub fn new(
        dialect: &Dialect,
        crawlers: &[String],
        bindings: &[Binding],
        uses: Vec<ScannedUse>,
        access: Arc<AccessTable>,
        fingerprints: bool,
    ) -> Result<Scanner, (String, InvalidProductToken)> {
        let mut tokens = crawlers.to_vec();
        let bound = |(place, binding): (usize, Binding)| {
            let first = tokens.len();
            tokens.extend(binding.follows);
            let follows = (first..tokens.len()).collect();
            BoundCrawler { place, binding: Binding { follows, by_star: binding.by_star } }
        };
        let bindings = bindings.iter().cloned().chain(std::iter::repeat_with(Binding::default));
        let bound = (0..crawlers.len()).zip(bindings).map(bound).collect();
        let policies = tokens.len();
        for token in uses.iter().flat_map(ScannedUse::all_policy_tokens) {
            if !tokens[policies..].contains(token) {
                tokens.push(token.clone());
            }
        }
        let roll = Crawlers::new(&tokens, dialect);
        Ok(Scanner {
            dialect: *dialect,
            schema: rows::schema(crawlers, &uses, fingerprints),
            asked: Asked {
                crawlers: roll.map_err(|(index, why)| (tokens.swap_remove(index), why))?,
                bound,
                policies,
                uses,
                fingerprints,
            },
            access,
            kept: Kept::new(),
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

    /// The number of bodies whose facts were known from an equal one.
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
        let done: Vec<Mutex<Result<Scanned, ScanError>>> =
            (0..steps).map(|_| Mutex::new(Ok(Scanned::default()))).collect();
        let next = AtomicUsize::new(0);
        let work = || loop {
            let step = next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = done.get(step) else { return };
            let scanned = self.scan_step(&captures, step, with_records);
            *place.lock().unwrap_or_else(PoisonError::into_inner) = scanned;
        };
        at_once(threads.min(steps), work);
        let mut all = Scanned::default();
        for step in done {
            let step = step.into_inner().unwrap_or_else(PoisonError::into_inner)?;
            all.rows.extend(step.rows);
            all.records.extend(step.records);
        }
        Ok(all)
    }

    fn scan_step(
        &self,
        captures: &Captures,
        step: usize,
        with_records: bool,
    ) -> Result<Scanned, ScanError> {
        let end = captures.len().min((step + 1) * STEP);
        let begin = || Rows::new(&self.schema, &self.asked);
        let (mut rows, mut done) = (begin(), Vec::new());
        let mut records = with_records.then(|| Records::new(&self.records_schema));
        for number in step * STEP..end {
            let capture = captures.get(number);
            let row = self.row(&capture).map_err(|NotAFailure| {
                ScanError::NotAFailure(number, capture.failure.unwrap_or_default().to_vec())
            })?;
            if let Some(records) = records.as_mut() {
                self.add_records(records, &capture, &row);
            }
            rows.add(&capture, &row);
            if rows.is_full() {
                done.push(std::mem::replace(&mut rows, begin()).finish());
            }
        }
        if !rows.is_empty() {
            done.push(rows.finish());
        }
        let records = records.map(Records::finish).unwrap_or_default();
        Ok(Scanned { rows: done, records })
    }

    fn row(&self, capture: &Capture) -> Result<Row, NotAFailure> {
        let status = capture.status.map(i64::from);
        let kind = self.access.kind_of(status, capture.failure, capture.body.is_some())?;
        let Some(origin) = capture.url.and_then(origin_of_site) else {
            return Ok(Row::without_origin());
        };
        let kind = self.access.kind(kind);
        let digest = capture.body.map(kept::digest);
        let is_file = kind.access == Access::Successful;
        let facts = is_file.then(|| self.facts(capture.body.unwrap_or_default(), digest));
        Ok(Row { origin: Some(origin), meaning: Some(Meaning::of(kind)), digest, facts })
    }

    fn facts(&self, body: &[u8], digest: Option<kept::Digest>) -> Arc<Facts> {
        let read = || Facts::of(&File::parse(body, &self.dialect), &self.asked);
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
