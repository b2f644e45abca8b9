//! The columns of captures, and one capture of them.

use arrow_array::{ArrayRef, RecordBatch};

use crate::column::Bytes;
use crate::numbers::{failures, is_status, is_time, microseconds, statuses};
use crate::scan::ScanError;

/// The names of the columns that captures have; all but the first may be absent.
pub const COLUMNS: [&str; 6] = ["url", "time", "status", "failure", "location", "body"];

/// The result of one request for a robots.txt file: a response, or a failure.
#[derive(Clone, Copy, Debug)]
pub struct Capture<'c> {
    /// The URL that was requested.
    pub url: Option<&'c [u8]>,
    /// When it was fetched, in microseconds since the epoch.
    pub time: Option<i64>,
    /// The status of the response.
    pub status: Option<i32>,
    /// Why its status does not count.
    pub failure: Option<&'c [u8]>,
    /// Where a redirect leads.
    pub location: Option<&'c [u8]>,
    /// The bytes of the file.
    pub body: Option<&'c [u8]>,
}

/// A batch of captures.
#[derive(Debug)]
pub struct Captures {
    url: Bytes,
    time: Option<Vec<Option<i64>>>,
    status: Option<Vec<Option<i32>>>,
    failure: Option<Bytes>,
    location: Option<Bytes>,
    body: Option<Bytes>,
}

impl Captures {
    /// Find the columns; all but `url` may be absent.
    pub fn of(batch: &RecordBatch) -> Result<Captures, ScanError> {
        let text = |name| match batch.column_by_name(name) {
            Some(column) => match Bytes::of(column) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(found) => Err(ScanError::WrongType(name, found.0)),
            },
            None => Ok(None),
        };
        Ok(Captures {
            url: text("url")?.ok_or(ScanError::Missing("url"))?,
            time: batch.column_by_name("time").map(times).transpose()?,
            status: batch.column_by_name("status").map(statuses_of).transpose()?,
            failure: batch
                .column_by_name("failure")
                .map(failures)
                .transpose()
                .map_err(|found| ScanError::WrongType("failure", found.0))?,
            location: text("location")?,
            body: text("body")?,
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.url.len()
    }

    /// One of them.
    pub fn get(&self, row: usize) -> Capture<'_> {
        Capture {
            url: self.url.get(row),
            time: self.time.as_ref().and_then(|column| column[row]),
            status: self.status.as_ref().and_then(|column| column[row]),
            failure: self.failure.as_ref().and_then(|column| column.get(row)),
            location: self.location.as_ref().and_then(|column| column.get(row)),
            body: self.body.as_ref().and_then(|column| column.get(row)),
        }
    }
}

/// The type of a column of captures, in words.
pub fn wanted(name: &str) -> &'static str {
    match name {
        "time" => "times (timestamps, or seconds as numbers)",
        "status" => "numbers",
        "body" => "bytes (binary or text)",
        _ => "text",
    }
}

fn times(column: &ArrayRef) -> Result<Vec<Option<i64>>, ScanError> {
    match is_time(column.data_type()) {
        true => Ok(microseconds(column)),
        false => Err(ScanError::WrongType("time", column.data_type().clone())),
    }
}

fn statuses_of(column: &ArrayRef) -> Result<Vec<Option<i32>>, ScanError> {
    let status = |status: i64| i32::try_from(status).unwrap_or(-1);
    match is_status(column.data_type()) {
        true => Ok(statuses(column).into_iter().map(|number| number.map(status)).collect()),
        false => Err(ScanError::WrongType("status", column.data_type().clone())),
    }
}
