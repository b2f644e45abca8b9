//! Captures on their way from an archive into a batch: what is plain never becomes Python values.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use verger_bulk::scan::Plain;

use crate::bulk::capsule::not_understood;
use crate::bulk::table::Table;
use crate::text::octets_of;

const ROBOTS_TXT: &str = "/robots.txt";

/// Captures that wait until there are enough.
#[pyclass(module = "verger.bulk", name = "_CaptureBatch")]
pub struct CaptureBatch {
    most_rows: usize,
    most_octets: usize,
    most_body: usize,
    columns: Columns,
    held: Option<Held>,
}

/// A plain capture that may yet turn out to be damaged.
struct Held {
    url: Py<PyString>,
    time: Option<Py<PyString>>,
    block: Py<PyBytes>,
    plain: Plain,
}

#[derive(Default)]
struct Columns {
    rows: usize,
    octets: usize,
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
    ) {
        let text = |octets: Option<&[u8]>| octets.map(|o| String::from_utf8_lossy(o).into_owned());
        self.rows += 1;
        self.octets += body.map_or(0, <[u8]>::len);
        self.urls.append_option(text(url));
        self.times.append_option(text(time));
        self.statuses.append_option(status);
        self.locations.append_option(text(location));
        self.bodies.append_option(body);
    }

    fn finish(&mut self) -> (Arc<Schema>, Vec<ArrayRef>) {
        let names = ["url", "time", "status", "location", "body"];
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.urls.finish()),
            Arc::new(self.times.finish()),
            Arc::new(self.statuses.finish()),
            Arc::new(self.locations.finish()),
            Arc::new(self.bodies.finish()),
        ];
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
    fn is_full(&self) -> bool {
        self.columns.rows >= self.most_rows || self.columns.octets >= self.most_octets
    }
}

#[pymethods]
impl CaptureBatch {
    /// A batch is full with so many rows, or so many octets of bodies; a body of more than
    /// `most_body` octets is not plain.
    #[new]
    fn new(most_rows: usize, most_octets: usize, most_body: usize) -> CaptureBatch {
        CaptureBatch { most_rows, most_octets, most_body, columns: Columns::default(), held: None }
    }

    /// Hold a response for a moment, if there is nothing odd about it or its URL.
    fn hold(
        &mut self,
        url: &Bound<'_, PyString>,
        time: Option<&Bound<'_, PyString>>,
        block: &Bound<'_, PyBytes>,
    ) -> PyResult<bool> {
        let is_file = |url: &str| url.ends_with(ROBOTS_TXT) && url.matches('/').count() == 3;
        if !url.to_str().is_ok_and(is_file) {
            return Ok(false);
        }
        let Some(plain) = Plain::read(block.as_bytes(), self.most_body) else {
            return Ok(false);
        };
        self.held = Some(Held {
            url: url.clone().unbind(),
            time: time.map(|time| time.clone().unbind()),
            block: block.clone().unbind(),
            plain,
        });
        Ok(true)
    }

    /// Take what is held; return whether the batch is full.
    fn keep(&mut self, py: Python<'_>) -> PyResult<bool> {
        if let Some(Held { url, time, block, plain }) = self.held.take() {
            let (url, time) = (url.bind(py), time.as_ref().map(|time| time.bind(py)));
            let (url, time) = (octets_of(url)?, time.map(octets_of).transpose()?);
            let block = block.as_bytes(py);
            let part = |range: Option<Range<usize>>| range.map(|range| &block[range]);
            let location = part(plain.location);
            let texts = [Some(&*url), time.as_deref(), location];
            self.columns.add(texts, Some(plain.status), part(plain.body));
        }
        Ok(self.is_full())
    }

    /// Take a capture that was read elsewhere; return whether the batch is full.
    fn add(
        &mut self,
        url: Option<&Bound<'_, PyString>>,
        time: Option<&Bound<'_, PyString>>,
        status: Option<i32>,
        location: Option<&Bound<'_, PyString>>,
        body: Option<&Bound<'_, PyBytes>>,
    ) -> PyResult<bool> {
        let texts = [url, time, location].map(|text| text.map(octets_of).transpose());
        let [url, time, location] = texts;
        let (url, time, location) = (url?, time?, location?);
        let texts = [url.as_deref(), time.as_deref(), location.as_deref()];
        self.columns.add(texts, status, body.map(|body| body.as_bytes()));
        Ok(self.is_full())
    }

    fn __len__(&self) -> usize {
        self.columns.rows
    }

    /// Return what there is, and begin anew; what is held stays so.
    fn take(&mut self) -> PyResult<Table> {
        let (schema, columns) = self.columns.finish();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(not_understood)?;
        Ok(Table::new(schema, vec![batch]))
    }
}
