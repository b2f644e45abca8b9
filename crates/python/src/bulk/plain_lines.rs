//! Lines of JSON that ask about URLs, and the lines that answer them.

use std::io::Write;
use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySequence, PyString};

use verger_bulk::plain_lines::PlainLines as Core;

use crate::text::text;

/// Lines whose strings are copied as they stand.
#[pyclass(frozen, module = "verger.bulk", name = "_PlainLines")]
pub struct PlainLines {
    core: Arc<Core>,
}

/// The URLs of the lines with one `agent`.
#[pyclass(frozen, sequence, module = "verger.bulk", name = "_PlainUrls")]
pub struct PlainUrls {
    core: Arc<Core>,
    lines: Vec<usize>,
}

/// What answers the lines with one `agent`: texts of origins and the number of each line, endings
/// with a `text` and the number of each line, and what stands before the end.
type Answers<'py> = (
    Bound<'py, PySequence>,
    Bound<'py, PyBytes>,
    Bound<'py, PySequence>,
    Bound<'py, PyBytes>,
    Bound<'py, PyString>,
);

#[pymethods]
impl PlainLines {
    #[staticmethod]
    fn read(py: Python<'_>, lines: &[u8]) -> Option<PlainLines> {
        py.detach(|| Core::read(lines.to_vec())).map(|core| PlainLines { core: Arc::new(core) })
    }

    /// The values of `agent`, in the order in which they come; None if a line has none.
    #[getter]
    fn agents(&self, py: Python<'_>) -> PyResult<Vec<Option<Py<PyString>>>> {
        let name = |name: &Option<Vec<u8>>| name.as_ref().map(|name| text(py, name)).transpose();
        self.core.names.iter().map(|each| Ok(name(each)?.map(Bound::unbind))).collect()
    }

    /// The URLs of the lines with an `agent`, by its place.
    fn of_agent(&self, place: usize) -> PlainUrls {
        let lines = self.core.of_agent(place).collect();
        PlainUrls { core: Arc::clone(&self.core), lines }
    }

    /// The lines that answer, each numbered, by what answers those of each `agent`.
    fn answered<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        around: (&str, &str),
        answers: Vec<Answers<'py>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut of_agents: Vec<_> = answers.iter().map(Of::new).collect();
        let mut written = Vec::with_capacity(self.core.len() * 320);
        for line in 0..self.core.len() {
            write!(written, "{}{}{}\"", around.0, first + line, around.1)?;
            written.extend_from_slice(self.core.url(line));
            written.push(b'"');
            let no_answer = || PyValueError::new_err("an `agent` has no answers");
            of_agents.get_mut(self.core.agent(line)).ok_or_else(no_answer)?.write(&mut written)?;
        }
        Ok(PyBytes::new(py, &written))
    }
}

/// The answers of one `agent`, from the next line on.
struct Of<'a, 'py> {
    answers: &'a Answers<'py>,
    next: usize,
}

const END: &str = "}\n";

impl<'a, 'py> Of<'a, 'py> {
    fn new(answers: &'a Answers<'py>) -> Self {
        Of { answers, next: 0 }
    }

    fn write(&mut self, written: &mut Vec<u8>) -> PyResult<()> {
        let (sites, of_site, endings, of_ending, other) = self.answers;
        let site = sites.get_item(number(of_site, self.next)?)?;
        let ending = endings.get_item(number(of_ending, self.next)?)?;
        let ending = ending.getattr(pyo3::intern!(sites.py(), "text"))?;
        let ending = ending.cast::<PyString>()?.to_str()?;
        self.next += 1;
        written.extend_from_slice(site.cast::<PyString>()?.to_str()?.as_bytes());
        written.extend_from_slice(ending.strip_suffix(END).unwrap_or(ending).as_bytes());
        written.extend_from_slice(other.to_str()?.as_bytes());
        written.extend_from_slice(END.as_bytes());
        Ok(())
    }
}

/// The number of a line among native integers of four bytes.
fn number(numbers: &Bound<'_, PyBytes>, line: usize) -> PyResult<usize> {
    let found = numbers.as_bytes().chunks_exact(4).nth(line);
    let found = found.ok_or_else(|| PyIndexError::new_err("a line has no number"))?;
    Ok(u32::from_ne_bytes([found[0], found[1], found[2], found[3]]) as usize)
}

#[pymethods]
impl PlainUrls {
    fn __len__(&self) -> usize {
        self.lines.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyString>> {
        let line = self.lines.get(at).ok_or_else(|| PyIndexError::new_err("no such line"))?;
        text(py, self.core.url(*line))
    }
}

impl PlainUrls {
    /// The URLs.
    pub fn urls(&self) -> impl Iterator<Item = &[u8]> {
        self.lines.iter().map(|line| self.core.url(*line))
    }
}
