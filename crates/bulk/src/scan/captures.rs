//! The columns of captures, and one capture of them.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{DataType, TimeUnit};

use crate::column::Bytes;
use crate::scan::ScanError;

/// The names of the columns that captures have; all but the first may be absent.
pub const COLUMNS: [&str; 5] = ["url", "time", "status", "location", "body"];

/// What became of one request for a robots.txt file: a response, or a failure.
#[derive(Clone, Copy, Debug)]
pub struct Capture<'c> {
    /// Where the file was asked for.
    pub url: Option<&'c [u8]>,
    /// When it was fetched, in microseconds since the epoch.
    pub time: Option<i64>,
    /// The status of the response.
    pub status: Option<i32>,
    /// Where a redirect leads.
    pub location: Option<&'c [u8]>,
    /// The bytes of the file.
    pub body: Option<&'c [u8]>,
}

/// A batch of captures.
#[derive(Debug)]
pub struct Captures {
    url: Bytes,
    time: Option<TimestampMicrosecondArray>,
    status: Option<Int32Array>,
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
            time: batch.column_by_name("time").map(times).transpose()?.flatten(),
            status: batch.column_by_name("status").map(statuses).transpose()?.flatten(),
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
            time: self.time.as_ref().filter(|c| c.is_valid(row)).map(|c| c.value(row)),
            status: self.status.as_ref().filter(|c| c.is_valid(row)).map(|c| c.value(row)),
            location: self.location.as_ref().and_then(|column| column.get(row)),
            body: self.body.as_ref().and_then(|column| column.get(row)),
        }
    }
}

/// What a column of captures holds, in words.
pub fn wanted(name: &str) -> &'static str {
    match name {
        "time" => "microseconds (timestamp[us])",
        "status" => "numbers (int32)",
        "body" => "bytes (binary or text)",
        _ => "text",
    }
}

fn times(column: &ArrayRef) -> Result<Option<TimestampMicrosecondArray>, ScanError> {
    match column.data_type() {
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            Ok(Some(column.as_primitive::<TimestampMicrosecondType>().clone()))
        }
        DataType::Null => Ok(None),
        other => Err(ScanError::WrongType("time", other.clone())),
    }
}

fn statuses(column: &ArrayRef) -> Result<Option<Int32Array>, ScanError> {
    match column.data_type() {
        DataType::Int32 => Ok(Some(column.as_primitive::<Int32Type>().clone())),
        DataType::Null => Ok(None),
        other => Err(ScanError::WrongType("status", other.clone())),
    }
}
