//! Captures from an archive to a batch: usual ones never become Python values.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, BinaryBuilder, Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use verger_bulk::scan::{Members, Next, Plain, Record};
use verger_core::Scope;

use crate::bulk::capsule::not_understood;
use crate::bulk::table::Table;
use crate::errors::invalid_table;
use crate::text::bytes_of;

/// The most bytes of one batch: the columns count theirs in 32 bits.
const MOST_COUNTED: usize = i32::MAX as usize;

/// A batch of captures that is filled.
#[pyclass(module = "verger.bulk", name = "_CaptureBatch")]
pub struct CaptureBatch {
    most_rows: usize,
    most_bytes: usize,
    most_body: usize,
    columns: Columns,
    members: Members,
    odd: Option<Odd>,
    /// The number of records that report no change since an earlier capture.
    #[pyo3(get)]
    revisits: u64,
    /// How many records were read.
    #[pyo3(get)]
    records: u64,
}

/// Why reading stopped.
#[derive(Clone, Copy)]
enum Why {
    /// The bytes end.
    More,
    /// The batch is full.
    Full,
    /// A member is damaged, or not for this reader.
    Odd,
    /// A response is not for this reader; its member has this many bytes.
    Response { len: usize },
}

impl Why {
    fn name(self) -> &'static str {
        match self {
            Why::More => "more",
            Why::Full => "full",
            Why::Odd => "odd",
            Why::Response { .. } => "response",
        }
    }
}

/// A response that must be read elsewhere.
struct Odd {
    url: String,
    time: Option<String>,
    is_cut: bool,
    block: Vec<u8>,
}

/// Bytes of its member, URL, time, whether it was cut, block.
type OddResponse<'py> = (usize, String, Option<String>, bool, Bound<'py, PyBytes>);

/// The response of a record about a robots.txt file, if nothing is unusual.
fn plain(record: &Record, most_body: usize) -> Option<Plain> {
    let is_file = Scope::is_of_file(record.url.as_bytes());
    is_file.then(|| Plain::read(record.block, most_body)).flatten()
}

impl Odd {
    fn of(record: &Record) -> Odd {
        Odd {
            url: record.url.to_string(),
            time: record.time.map(str::to_string),
            is_cut: record.is_cut,
            block: record.block.to_vec(),
        }
    }

    fn into_python(self, py: Python<'_>, len: usize) -> OddResponse<'_> {
        (len, self.url, self.time, self.is_cut, PyBytes::new(py, &self.block))
    }
}

/// A batch has no room for a capture.
struct TooLong;

#[derive(Default)]
struct Columns {
    rows: usize,
    /// Bytes of bodies.
    bytes: usize,
    /// Bytes of all columns.
    counted: usize,
    urls: StringBuilder,
    times: StringBuilder,
    statuses: Int32Builder,
    locations: StringBuilder,
    bodies: BinaryBuilder,
}

impl Columns {
    fn add(
        &mut self,
        [url, time, location]: [Option<&[u8]>; 3],
        status: Option<i32>,
        body: Option<&[u8]>,
    ) -> Result<(), TooLong> {
        let text = |bytes: Option<&[u8]>| bytes.map(|o| String::from_utf8_lossy(o).into_owned());
        let texts = [url, time, location].map(text);
        let len = texts.iter().flatten().map(String::len).sum::<usize>();
        if !self.count(len, body) {
            return Err(TooLong);
        }
        let [url, time, location] = texts;
        self.urls.append_option(url);
        self.times.append_option(time);
        self.statuses.append_option(status);
        self.locations.append_option(location);
        self.bodies.append_option(body);
        Ok(())
    }

    /// Count a capture with this many bytes of text, if there is room for it.
    fn count(&mut self, texts: usize, body: Option<&[u8]>) -> bool {
        let bytes = body.map_or(0, <[u8]>::len);
        let counted = self.counted.saturating_add(texts).saturating_add(bytes);
        if counted > MOST_COUNTED {
            return false;
        }
        self.counted = counted;
        self.bytes += bytes;
        self.rows += 1;
        true
    }

    fn add_plain(&mut self, record: &Record, plain: Plain) -> Result<(), TooLong> {
        let part = |range: Option<Range<usize>>| range.and_then(|range| record.block.get(range));
        let (location, body) = (part(plain.location), part(plain.body));
        let texts =
            [record.url.len(), record.time.map_or(0, str::len), location.map_or(0, <[u8]>::len)];
        if !self.count(texts.iter().sum(), body) {
            return Err(TooLong);
        }
        self.urls.append_value(record.url);
        self.times.append_option(record.time);
        self.statuses.append_value(plain.status);
        self.locations.append_option(location.and_then(|bytes| std::str::from_utf8(bytes).ok()));
        self.bodies.append_option(body);
        Ok(())
    }

    fn finish(&mut self) -> (Arc<Schema>, Vec<ArrayRef>) {
        let names = ["url", "time", "status", "location", "body"];
        let Columns { urls, times, statuses, locations, bodies, .. } = self;
        let builders: [&mut dyn ArrayBuilder; 5] = [urls, times, statuses, locations, bodies];
        let columns: Vec<ArrayRef> = builders.map(|column| column.finish()).into();
        let field = |(name, column): (&str, &ArrayRef)| {
            let kind: DataType = column.data_type().clone();
            Field::new(name, kind, true)
        };
        let fields: Vec<Field> = names.into_iter().zip(&columns).map(field).collect();
        *self = Columns::default();
        (Arc::new(Schema::new(fields)), columns)
    }
}

impl CaptureBatch {
    fn read_on(&mut self, bytes: &[u8], at: &mut usize) -> Why {
        while !self.is_full() {
            let (record, len) = match self.members.next(&bytes[(*at).min(bytes.len())..]) {
                Next::Record(record, len) => (record, len),
                Next::More => return Why::More,
                Next::Odd => return Why::Odd,
            };
            if record.kind.eq_ignore_ascii_case(b"response") {
                let plain = plain(&record, self.most_body);
                let added = plain.map(|plain| self.columns.add_plain(&record, plain));
                match added {
                    Some(Ok(())) => {}
                    Some(Err(TooLong)) if self.columns.rows > 0 => return Why::Full,
                    _ => {
                        self.records += 1;
                        self.odd = Some(Odd::of(&record));
                        return Why::Response { len };
                    }
                }
            }
            self.records += 1;
            self.revisits += record.kind.eq_ignore_ascii_case(b"revisit") as u64;
            *at += len;
        }
        Why::Full
    }

    fn is_full(&self) -> bool {
        self.columns.rows >= self.most_rows || self.columns.bytes >= self.most_bytes
    }
}

#[pymethods]
impl CaptureBatch {
    /// A batch is full with `most_rows` rows or `most_bytes` bytes of bodies; a body of more than
    /// `most_body` bytes is not for this reader.
    #[new]
    fn new(most_rows: usize, most_bytes: usize, most_body: usize) -> CaptureBatch {
        CaptureBatch {
            most_rows,
            most_bytes,
            most_body,
            columns: Columns::default(),
            members: Members::default(),
            odd: None,
            revisits: 0,
            records: 0,
        }
    }

    /// Add the responses of an archive in which each member is one record, from the beginning of a
    /// member on. Return where reading stopped, why, and, if a response before that place must be
    /// read elsewhere, the bytes of its member, its URL, time, whether it was cut, and its block.
    fn read<'py>(
        &mut self,
        py: Python<'py>,
        bytes: &Bound<'py, PyBytes>,
        start: usize,
    ) -> PyResult<(usize, &'static str, Option<OddResponse<'py>>)> {
        let bytes = bytes.as_bytes();
        let mut at = start;
        let why = py.detach(|| self.read_on(bytes, &mut at));
        let odd = match why {
            Why::Response { len } => {
                at += len;
                self.odd.take().map(|odd| odd.into_python(py, len))
            }
            _ => None,
        };
        Ok((at, why.name(), odd))
    }

    /// Add a capture that was read elsewhere; return whether the batch is full.
    fn add(
        &mut self,
        py: Python<'_>,
        url: Option<&Bound<'_, PyString>>,
        time: Option<&Bound<'_, PyString>>,
        status: Option<i32>,
        location: Option<&Bound<'_, PyString>>,
        body: Option<&Bound<'_, PyBytes>>,
    ) -> PyResult<bool> {
        let texts = [url, time, location].map(|text| text.map(bytes_of).transpose());
        let [url, time, location] = texts;
        let (url, time, location) = (url?, time?, location?);
        let texts = [url.as_deref(), time.as_deref(), location.as_deref()];
        let added = self.columns.add(texts, status, body.map(|body| body.as_bytes()));
        added.map_err(|TooLong| {
            let message = format!("captures of more than {MOST_COUNTED} bytes in one batch");
            invalid_table(py, message, Some("cut the bodies to what the dialect reads".into()))
        })?;
        Ok(self.is_full())
    }

    fn __len__(&self) -> usize {
        self.columns.rows
    }

    /// Return the captures so far, with times as text, and start an empty batch.
    fn take(&mut self) -> PyResult<Table> {
        let (schema, columns) = self.columns.finish();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(not_understood)?;
        Ok(Table::new(schema, vec![batch]))
    }
}
