//! Lines and findings.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::IntoPyObjectExt;

use verger_core::internal::{AnyLine, Finder, FindingTable, LineTable};
use verger_core::{File, Finding as CoreFinding, FindingCode as CoreCode, LineInfo, RawLine, Span};

use crate::lazy::{lazy_sequence, Lazy};
use crate::source::Source;
use crate::text::{quoted, Items, Text};
use crate::value_class::value_class;

/// The kinds of findings, each with its severity, its sentence, and its page.
pub fn finding_codes(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let row = |code: &CoreCode| (code.name(), code.severity().name(), code.sentence(), code.page());
    PyTuple::new(py, CoreCode::ALL.iter().map(row))
}

value_class! {
    /// Something in the file that was tolerated, cut or skipped.
    ///
    /// line:      the number of its line, from 1.
    /// code:      its kind, a value of `FindingCode`.
    /// message:   what was found, in a sentence.
    /// severity:  "error" if something written has no effect, or not the effect it seems to have;
    ///            "warning" if it is read, but perhaps not as intended; otherwise "note".
    /// page:      the section of the documentation that explains it; None for a code of your own.
    Finding { line: u32, code: String, message: String }
    methods {
        /// How much it matters.
        #[getter]
        fn severity(&self) -> &'static str {
            CoreCode::named(&self.code).map_or("note", |code| code.severity().name())
        }

        /// The section of the documentation that explains it.
        #[getter]
        fn page(&self) -> Option<&'static str> {
            CoreCode::named(&self.code).map(CoreCode::page)
        }

        fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
            crate::text::in_notebook("of_finding", slf)
        }
    }
}

impl Finding {
    pub fn of(finding: &CoreFinding) -> Self {
        let code = finding.code.name().into();
        Finding { line: finding.line, code, message: finding.message.clone() }
    }
}

value_class! {
    /// One line of the file. Its span includes the line end; the spans tile the file.
    Line {
        /// Its number, from 1.
        number: u32,
        /// Its bytes in the file: the first, and the one after the last.
        span: (u32, u32),
        /// What the dialect reads in it; `dropped`: a limit for lines skips it; `beyond-limit`: the file
        /// is not read so far.
        kind: String,
        /// The key as written.
        key: Option<Text>,
        /// The field that the dialect reads, in lower case.
        field: Option<String>,
        /// The value as written, without blanks around it; None if there is none.
        value: Option<Text>,
        /// The bytes of the value in the file.
        value_span: Option<(u32, u32)>,
        /// The comment from its `#` on, as written; None if there is none.
        comment: Option<Text>,
        /// What was tolerated, cut or skipped in it.
        findings: Items<Finding>,
    }
    repr Line::shown;
}

impl Line {
    fn read(file: &File, info: &LineInfo, finder: &Finder) -> Line {
        let bytes = file.bytes();
        let own = |span: Span| Text(span.of(bytes).to_vec());
        let (key, value) = info.key_and_value().unzip();
        Line {
            number: info.raw.number,
            span: (info.raw.content.start, info.raw.next),
            kind: info.kind_name().into(),
            key: key.map(own),
            field: info.field().map(|field| field.name().to_string()),
            value: value.map(own),
            value_span: value.map(|value| (value.start, value.end)),
            comment: info.comment(bytes).map(own),
            findings: Items(finder.of_line(info).iter().map(Finding::of).collect()),
        }
    }

    /// What a limit of the dialect excludes is reported for the first such line.
    fn unread(file: &File, raw: &RawLine, finder: &Finder) -> Line {
        let is_first = raw.number - 1 == file.extent().lines;
        let limit = is_first.then(|| finder.of_limit()).flatten();
        Line {
            number: raw.number,
            span: (raw.content.start, raw.next),
            kind: "beyond-limit".into(),
            key: None,
            field: None,
            value: None,
            value_span: None,
            comment: None,
            findings: Items(limit.iter().map(Finding::of).collect()),
        }
    }

    fn shown(&self, py: Python<'_>) -> PyResult<String> {
        let (number, kind) = (self.number, &self.kind);
        Ok(match (&self.key, &self.value) {
            (Some(Text(key)), Some(Text(value))) => {
                format!("Line({number}, {kind}, {}, {})", quoted(py, key)?, quoted(py, value)?)
            }
            _ => format!("Line({number}, {kind})"),
        })
    }
}

/// The lines of a file, computed lazily from five bytes per line.
///
/// Equal to other `Lines`, and to tuples, of the same lines; hashed as that tuple.
#[pyclass(frozen, sequence, module = "verger")]
pub struct Lines {
    table: Arc<LineTable>,
    source: Arc<Source>,
}

impl Lines {
    /// The lines of a file, whose table this is.
    pub fn new(table: Arc<LineTable>, source: &Arc<Source>) -> Lines {
        Lines { table, source: Arc::clone(source) }
    }
}

impl Lazy for Lines {
    fn count(&self) -> usize {
        self.table.len()
    }

    fn item<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let finder = Finder::new(self.table.file(), self.source.origin());
        let line = self.table.get(at).map(|line| match line {
            AnyLine::Read(info) => Line::read(self.table.file(), &info, &finder),
            AnyLine::Unread(raw) => Line::unread(self.table.file(), &raw, &finder),
        });
        line.map(|line| line.into_bound_py_any(py)).transpose()
    }
}

lazy_sequence!(Lines of "line", in "lines");

/// The findings of a file, computed lazily from four bytes per finding.
///
/// Equal to other `Findings`, and to tuples, of the same findings; hashed as that tuple.
#[pyclass(frozen, sequence, module = "verger")]
pub struct Findings {
    table: FindingTable,
    source: Arc<Source>,
}

impl Findings {
    /// The findings of a file, whose lines these are.
    pub fn new(lines: Arc<LineTable>, source: &Arc<Source>) -> Findings {
        let table = FindingTable::of(lines, source.origin());
        Findings { table, source: Arc::clone(source) }
    }
}

impl Lazy for Findings {
    fn count(&self) -> usize {
        self.table.len()
    }

    fn item<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let finding = self.table.get(at, self.source.origin());
        finding.map(|finding| Finding::of(&finding).into_bound_py_any(py)).transpose()
    }
}

lazy_sequence!(Findings of "finding", in "findings");
