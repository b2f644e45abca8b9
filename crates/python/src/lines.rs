//! Lines and findings.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use pyo3::IntoPyObjectExt;

use verger_core::file::{File, LineInfo};
use verger_core::finding::{Finder, Finding as CoreFinding};
use verger_core::group::Place;
use verger_core::line::{RawLine, Span};
use verger_core::origin::Origin;
use verger_core::reader::Kind;

use crate::text::{quoted, text};
use crate::value_class::value_class;

/// Add the classes of this module.
pub fn add_classes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Finding>()?;
    module.add_class::<Line>()?;
    Ok(())
}

value_class! {
    /// Something in the file that was tolerated, cut or skipped.
    Finding { line: u32, code: String, message: String }
}

impl Finding {
    pub fn of(finding: &CoreFinding) -> Self {
        Finding { line: finding.line, code: finding.code.into(), message: finding.message.clone() }
    }
}

/// One line of the file.
#[pyclass(frozen, eq, hash, module = "verger", skip_from_py_object)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Line {
    number: u32,
    span: (u32, u32),
    kind: String,
    key: Option<Vec<u8>>,
    field: Option<String>,
    value: Option<Vec<u8>>,
    value_span: Option<(u32, u32)>,
    comment: Option<Vec<u8>>,
    findings: Vec<Finding>,
}

type LineState = (
    u32,
    (u32, u32),
    String,
    Option<Vec<u8>>,
    Option<String>,
    Option<Vec<u8>>,
    Option<(u32, u32)>,
    Option<Vec<u8>>,
    Vec<Finding>,
);

impl Line {
    fn read(file: &File, info: &LineInfo, finder: &Finder) -> Line {
        let (reading, octets) = (&info.reading, file.octets());
        let has_key = !reading.key.is_empty() || matches!(reading.kind, Kind::Field(_));
        let own = |span: Span| span.of(octets).to_vec();
        let comment = Span { start: reading.comment, end: info.raw.content.end };
        let has_comment =
            octets[reading.comment as usize..].first() == Some(&b'#') && !comment.is_empty();
        let field = match reading.kind {
            Kind::Field(field) | Kind::Dropped(Some(field)) => Some(field.name().to_string()),
            _ => None,
        };
        Line {
            number: info.raw.number,
            span: (info.raw.content.start, info.raw.next),
            kind: kind_name(info).into(),
            key: has_key.then(|| own(reading.key)),
            field,
            value: has_key.then(|| own(reading.value)),
            value_span: has_key.then_some((reading.value.start, reading.value.end)),
            comment: has_comment.then(|| own(comment)),
            findings: finder.of_line(info).iter().map(Finding::of).collect(),
        }
    }

    fn unread(raw: &RawLine) -> Line {
        Line {
            number: raw.number,
            span: (raw.content.start, raw.next),
            kind: "beyond-limit".into(),
            key: None,
            field: None,
            value: None,
            value_span: None,
            comment: None,
            findings: Vec::new(),
        }
    }
}

fn kind_name(info: &LineInfo) -> &'static str {
    match info.reading.kind {
        Kind::Blank => "blank",
        Kind::Comment => "comment",
        Kind::Unknown => "unknown",
        Kind::Dropped(_) => "dropped",
        Kind::Field(field) if !field.is_core() => "record",
        Kind::Field(verger_core::field::Field::UserAgent) => "start-group",
        Kind::Field(_) if info.place == Place::OverLimit => "dropped",
        Kind::Field(_) => "rule",
    }
}

fn optional_text<'py>(
    py: Python<'py>,
    octets: &Option<Vec<u8>>,
) -> PyResult<Option<Bound<'py, PyString>>> {
    octets.as_deref().map(|octets| text(py, octets)).transpose()
}

#[pymethods]
impl Line {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        number: u32,
        span: (u32, u32),
        kind: String,
        key: Option<Vec<u8>>,
        field: Option<String>,
        value: Option<Vec<u8>>,
        value_span: Option<(u32, u32)>,
        comment: Option<Vec<u8>>,
        findings: Vec<Bound<'_, Finding>>,
    ) -> Self {
        let findings = findings.iter().map(|finding| finding.get().clone()).collect();
        Line { number, span, kind, key, field, value, value_span, comment, findings }
    }

    #[getter]
    fn number(&self) -> u32 {
        self.number
    }

    #[getter]
    fn span(&self) -> (u32, u32) {
        self.span
    }

    #[getter]
    fn kind(&self) -> &str {
        &self.kind
    }

    /// The key as written.
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        optional_text(py, &self.key)
    }

    /// The field that the dialect read the key as, in lower case.
    #[getter]
    fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        optional_text(py, &self.value)
    }

    #[getter]
    fn value_span(&self) -> Option<(u32, u32)> {
        self.value_span
    }

    #[getter]
    fn comment<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        optional_text(py, &self.comment)
    }

    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.findings.clone())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (number, kind) = (self.number, &self.kind);
        Ok(match (&self.key, &self.value) {
            (Some(key), Some(value)) => {
                format!("Line({number}, {kind}, {}, {})", quoted(py, key)?, quoted(py, value)?)
            }
            _ => format!("Line({number}, {kind})"),
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, LineState) {
        let line = self.clone();
        let state = (
            line.number,
            line.span,
            line.kind,
            line.key,
            line.field,
            line.value,
            line.value_span,
            line.comment,
            line.findings,
        );
        (py.get_type::<Line>().into_any(), state)
    }
}

/// Every line of a file.
pub fn lines<'py>(
    py: Python<'py>,
    file: &File,
    origin: Option<&Origin>,
) -> PyResult<Bound<'py, PyTuple>> {
    let finder = Finder::new(file, origin);
    let mut lines: Vec<Line> =
        file.lines().iter().map(|info| Line::read(file, info, &finder)).collect();
    let limit = finder.of_limit().map(|finding| Finding::of(&finding));
    for (index, raw) in file.unread_lines().enumerate() {
        let mut line = Line::unread(&raw);
        line.findings.extend(limit.clone().filter(|_| index == 0));
        lines.push(line);
    }
    PyTuple::new(py, lines)
}

/// Every finding of a file.
pub fn findings<'py>(
    py: Python<'py>,
    file: &File,
    origin: Option<&Origin>,
) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, Finder::new(file, origin).all().iter().map(Finding::of).collect::<Vec<_>>())
}
