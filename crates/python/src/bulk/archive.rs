//! The captures of an archive: a file of Python in, tables out.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use verger_bulk::archive::{
    ArchiveReader as Reader, Clerk, Ended, Field, FoundFile, Octets, ReadError,
};

use crate::bulk::table::Table;

/// Reads the captures of an archive, with the GIL released but for what Python is asked.
#[pyclass(frozen, module = "verger.bulk", name = "_ArchiveReader")]
pub struct ArchiveReader {
    reader: Mutex<Reader<PythonFile>>,
    asked: Asked,
}

/// Functions that answer what is decided in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Asked {
    moment: Py<PyAny>,
    target: Py<PyAny>,
    file: Py<PyAny>,
    skip: Py<PyAny>,
    no_room: Py<PyAny>,
}

#[pymethods]
impl ArchiveReader {
    #[new]
    #[pyo3(signature = (file, size, asked, *, packed, with_broken))]
    fn new(file: Py<PyAny>, size: u64, asked: Asked, packed: bool, with_broken: bool) -> Self {
        let reader = Reader::new(PythonFile(file), size, packed, with_broken);
        ArchiveReader { reader: Mutex::new(reader), asked }
    }

    /// Whether there was any record so far.
    #[getter]
    fn has_record(&self) -> bool {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner).has_record()
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// The next captures, how many records were revisits, how many responses were those of other
    /// URLs, and how many bodies were cut.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<(Table, u64, u64, u64)>> {
        let found = py.detach(|| {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            let found = reader.next(&mut &self.asked);
            found.map(|found| found.map(|found| (reader.schema(), found)))
        });
        let found = found.map_err(|error| match error {
            ReadError::Asked(error) => error,
            ReadError::Spilled(error) => self.no_room(py, error),
        })?;
        Ok(found.map(|(schema, found)| {
            let batches = if found.batch.num_rows() > 0 { vec![found.batch] } else { Vec::new() };
            (Table::new(schema, batches), found.revisits, found.others, found.cut)
        }))
    }
}

impl ArchiveReader {
    #[cold]
    fn no_room(&self, py: Python<'_>, error: std::io::Error) -> PyErr {
        match self.asked.no_room.bind(py).call1((PyErr::from(error),)) {
            Ok(told) => PyErr::from_value(told),
            Err(error) => error,
        }
    }
}

/// A binary file of Python that can be read at any place.
struct PythonFile(Py<PyAny>);

impl Octets for PythonFile {
    type Error = PyErr;

    fn read(&mut self, at: u64, most: usize, into: &mut Vec<u8>) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            let (file, end) = (self.0.bind(py), into.len() + most);
            file.call_method1("seek", (at,))?;
            while into.len() < end {
                let part = file.call_method1("read", (end - into.len(),))?;
                match part.cast::<PyBytes>()?.as_bytes() {
                    [] => break,
                    part => into.extend_from_slice(part),
                }
            }
            Ok(())
        })
    }
}

impl Clerk for &Asked {
    type Error = PyErr;

    fn moment(&mut self, written: &[u8]) -> PyResult<Option<i64>> {
        Python::attach(|py| self.moment.bind(py).call1((PyBytes::new(py, written),))?.extract())
    }

    fn target(&mut self, url: &str, written: &[u8]) -> PyResult<String> {
        Python::attach(|py| self.target.bind(py).call1((url, PyBytes::new(py, written)))?.extract())
    }

    fn file(
        &mut self,
        status: u16,
        fields: &[Field],
        body: &[u8],
        ended: Ended,
    ) -> PyResult<FoundFile> {
        Python::attach(|py| {
            let field = |(name, value): &Field| (*name, PyBytes::new(py, value));
            let fields: Vec<_> = fields.iter().map(field).collect();
            let given = (status, fields, PyBytes::new(py, body), ended.name());
            let found = self.file.bind(py).call1(given)?;
            Ok(FoundFile {
                data: found.getattr("data")?.cast::<PyBytes>()?.as_bytes().to_vec(),
                is_cut: found.getattr("is_cut")?.extract()?,
                problem: found.getattr("problem")?.extract()?,
            })
        })
    }

    fn skip(&mut self, offset: u64, why: &str) -> PyResult<()> {
        Python::attach(|py| self.skip.bind(py).call1((offset, why)).map(drop))
    }
}
