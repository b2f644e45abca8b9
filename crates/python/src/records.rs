//! Lines, findings and the typed values of extension records.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use pyo3::IntoPyObjectExt;

use verger_core::field::Scope;
use verger_core::file::{File, LineInfo};
use verger_core::finding::{Finder, Finding as CoreFinding};
use verger_core::group::Place;
use verger_core::line::{RawLine, Span};
use verger_core::origin::Origin;
use verger_core::reader::Kind;
use verger_core::record::{
    record, CleanParam as CoreCleanParam, Mirror, Rate, Record as CoreRecord, Signals, Usage, Use,
    Value, Window,
};

use crate::text::{quoted, text, Text};
use crate::values::Group;

/// Add the classes of this module.
pub fn add_classes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Finding>()?;
    module.add_class::<Line>()?;
    module.add_class::<Record>()?;
    module.add_class::<RequestRate>()?;
    module.add_class::<VisitTime>()?;
    module.add_class::<Sitemap>()?;
    module.add_class::<Host>()?;
    module.add_class::<CleanParam>()?;
    module.add_class::<ContentSignal>()?;
    module.add_class::<ContentUsage>()?;
    module.add_class::<License>()?;
    Ok(())
}

/// A frozen value whose constructor takes its attributes in order: that gives `repr` and pickling.
macro_rules! value_class {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $kind:ty),* $(,)? } $(defaults $signature:tt)? $(methods { $($methods:tt)* })?) => {
        $(#[$doc])*
        #[pyclass(frozen, eq, hash, get_all, module = "verger", skip_from_py_object)]
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name { $(pub $field: $kind),* }

        #[pymethods]
        impl $name {
            #[new]
            $(#[pyo3(signature = $signature)])?
            fn new($($field: $kind),*) -> Self {
                $name { $($field),* }
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let parts: Vec<String> = vec![$(
                    format!("{}={}", stringify!($field).trim_start_matches("r#"), repr(py, self.$field.clone())?)
                ),*];
                Ok(format!("{}({})", stringify!($name), parts.join(", ")))
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
                let state: Vec<Bound<'py, PyAny>> = vec![$(self.$field.clone().into_bound_py_any(py)?),*];
                Ok((py.get_type::<$name>().into_any(), PyTuple::new(py, state)?))
            }

            $($($methods)*)?
        }
    };
}

/// A minute of the day.
pub fn minute_of_day(minute: i64) -> PyResult<u16> {
    let is_of_day = (0..1_440).contains(&minute);
    let wrong = || PyValueError::new_err(format!("minute must be 0 to 1439, not {minute}"));
    is_of_day.then_some(minute as u16).ok_or_else(wrong)
}

fn repr<'py>(py: Python<'py>, value: impl IntoPyObjectExt<'py>) -> PyResult<String> {
    Ok(value.into_bound_py_any(py)?.repr()?.to_string())
}

value_class! {
    /// Something in the file that was tolerated, cut or skipped.
    Finding { line: u32, code: String, message: String }
}

value_class! {
    /// A window of the day in minutes, UTC.
    VisitTime { start: u16, end: u16 }
    methods {
        fn holds(&self, minute: i64) -> PyResult<bool> {
            let window = Window { start: self.start, end: self.end };
            Ok(window.holds(minute_of_day(minute)?))
        }
    }
}

value_class! {
    /// The URL of a sitemap.
    Sitemap { url: Text, absolute: bool, resolved: Option<Text> }
    defaults (url, absolute, resolved=None)
}

value_class! {
    /// The main mirror of a site.
    Host { scheme: Option<String>, host: String, port: Option<u16> }
}

value_class! {
    /// What may be done with the content.
    ContentSignal {
        search: Option<bool>,
        ai_input: Option<bool>,
        ai_train: Option<bool>,
        r#use: Option<String>,
    }
    defaults (search=None, ai_input=None, ai_train=None, r#use=None)
}

value_class! {
    /// Usage preferences for a path.
    ContentUsage { path: Text, train_ai: Option<bool>, search: Option<bool> }
    defaults (path, train_ai=None, search=None)
}

value_class! {
    /// The URL of a licence.
    License { url: Text }
}

/// Documents in a span of time.
#[pyclass(frozen, eq, hash, module = "verger", skip_from_py_object)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RequestRate {
    rate: Rate,
}

#[pymethods]
impl RequestRate {
    #[new]
    #[pyo3(signature = (documents, seconds, window=None))]
    fn new(documents: u32, seconds: u64, window: Option<Bound<'_, VisitTime>>) -> Self {
        let window = window.map(|w| Window { start: w.get().start, end: w.get().end });
        RequestRate { rate: Rate { documents, seconds, window } }
    }

    #[getter]
    fn documents(&self) -> u32 {
        self.rate.documents
    }

    #[getter]
    fn seconds(&self) -> u64 {
        self.rate.seconds
    }

    #[getter]
    fn window(&self) -> Option<VisitTime> {
        self.rate.window.map(VisitTime::of)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Rate { documents, seconds, .. } = self.rate;
        let window = repr(py, self.window())?;
        Ok(format!("RequestRate(documents={documents}, seconds={seconds}, window={window})"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, RateState) {
        let class = py.get_type::<RequestRate>().into_any();
        (class, (self.rate.documents, self.rate.seconds, self.window()))
    }
}

type RateState = (u32, u64, Option<VisitTime>);

impl RequestRate {
    pub fn of(rate: Rate) -> Self {
        RequestRate { rate }
    }
}

impl VisitTime {
    pub fn of(window: Window) -> Self {
        VisitTime { start: window.start, end: window.end }
    }
}

impl ContentSignal {
    pub fn of(signals: Signals) -> Self {
        let Signals { search, ai_input, ai_train, usage } = signals;
        let r#use = usage.map(|usage: Use| usage.name().to_string());
        ContentSignal { search, ai_input, ai_train, r#use }
    }
}

impl CleanParam {
    fn of(cleaner: CoreCleanParam) -> Self {
        let params = cleaner.params.into_iter().map(Text).collect();
        CleanParam { params, path: Text(cleaner.path) }
    }
}

impl Finding {
    pub fn of(finding: &CoreFinding) -> Self {
        Finding { line: finding.line, code: finding.code.into(), message: finding.message.clone() }
    }
}

/// Query parameters without meaning, below a path.
#[pyclass(frozen, eq, hash, module = "verger", skip_from_py_object)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CleanParam {
    params: Vec<Text>,
    path: Text,
}

#[pymethods]
impl CleanParam {
    #[new]
    fn new(params: Vec<Text>, path: Text) -> Self {
        CleanParam { params, path }
    }

    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.params.clone())
    }

    #[getter]
    fn path(&self) -> Text {
        self.path.clone()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let params = self.params(py)?.repr()?;
        Ok(format!("CleanParam(params={params}, path={})", repr(py, self.path())?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (Vec<Text>, Text)) {
        (py.get_type::<CleanParam>().into_any(), (self.params.clone(), self.path.clone()))
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

/// An extension record: typed where the value is well-formed, the raw text always.
#[pyclass(frozen, module = "verger")]
pub struct Record {
    line: u32,
    field: String,
    raw: Py<PyString>,
    value: Option<Py<PyAny>>,
    scope: String,
    group: Option<Py<Group>>,
    findings: Py<PyTuple>,
}

/// Every extension record of a file.
pub fn records<'py>(
    py: Python<'py>,
    file: &File,
    origin: Option<&Origin>,
) -> PyResult<Bound<'py, PyTuple>> {
    let finder = Finder::new(file, origin);
    let mut groups: Vec<Option<Py<Group>>> = (0..file.groups().len()).map(|_| None).collect();
    let mut records = Vec::new();
    for info in file.record_lines() {
        let Some(core) = record(file, info, origin) else { continue };
        let found: Vec<Finding> = finder.of_line(info).iter().map(Finding::of).collect();
        let scope = scope_of(&core);
        let group = match core.group.filter(|_| scope == "group") {
            Some(index) => Some(shared_group(py, file, index as usize, &mut groups)?),
            None => None,
        };
        records.push(Record {
            line: core.line,
            field: core.field.name().into(),
            raw: text(py, core.raw.of(file.octets()))?.unbind(),
            value: value_of(py, file, &core)?,
            scope: scope.into(),
            group,
            findings: PyTuple::new(py, found)?.unbind(),
        });
    }
    PyTuple::new(py, records)
}

/// One Python value for each group, however many records stand in it.
fn shared_group(
    py: Python<'_>,
    file: &File,
    index: usize,
    groups: &mut [Option<Py<Group>>],
) -> PyResult<Py<Group>> {
    if groups[index].is_none() {
        groups[index] = Some(Py::new(py, Group::of(py, file, index)?)?);
    }
    Ok(groups[index].as_ref().map(|group| group.clone_ref(py)).expect("filled above"))
}

fn scope_of(record: &CoreRecord) -> &'static str {
    match record.field.scope() {
        Scope::File => "file",
        Scope::Group => "group",
        Scope::Position if record.group.is_some() => "group",
        Scope::Position => "file",
    }
}

/// The typed value; none for a malformed one.
fn value_of(py: Python<'_>, file: &File, record: &CoreRecord) -> PyResult<Option<Py<PyAny>>> {
    let raw = || Text(record.raw.of(file.octets()).to_vec());
    let Ok(value) = &record.value else { return Ok(None) };
    let value = match value.clone() {
        Value::Delay(written) => decimal(py, &written)?,
        Value::Rate(rate) => RequestRate::of(rate).into_bound_py_any(py)?,
        Value::Window(window) => VisitTime::of(window).into_bound_py_any(py)?,
        Value::Sitemap { absolute, resolved } => {
            Sitemap { url: raw(), absolute, resolved: resolved.map(Text) }.into_bound_py_any(py)?
        }
        Value::Host(Mirror { scheme, host, port }) => {
            Host { scheme: scheme.map(str::to_string), host, port }.into_bound_py_any(py)?
        }
        Value::CleanParam(cleaner) => CleanParam::of(cleaner).into_bound_py_any(py)?,
        Value::Signals(signals, _) => ContentSignal::of(signals).into_bound_py_any(py)?,
        Value::Usage(Usage { path, train_ai, search }, _) => {
            ContentUsage { path: Text(path), train_ai, search }.into_bound_py_any(py)?
        }
        Value::License => License { url: raw() }.into_bound_py_any(py)?,
        _ => raw().into_bound_py_any(py)?,
    };
    Ok(Some(value.unbind()))
}

/// A decimal; the module is imported when the first one is asked for.
pub fn decimal<'py>(py: Python<'py>, written: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("decimal")?.getattr("Decimal")?.call1((written,))
}

/// The parts of a record, as its constructor takes them.
type RecordState =
    (u32, String, Py<PyString>, Option<Py<PyAny>>, String, Option<Py<Group>>, Py<PyTuple>);

#[pymethods]
impl Record {
    #[new]
    fn new(
        line: u32,
        field: String,
        raw: Py<PyString>,
        value: Option<Py<PyAny>>,
        scope: String,
        group: Option<Py<Group>>,
        findings: Py<PyTuple>,
    ) -> Self {
        Record { line, field, raw, value, scope, group, findings }
    }

    #[getter]
    fn line(&self) -> u32 {
        self.line
    }

    #[getter]
    fn field(&self) -> &str {
        &self.field
    }

    #[getter]
    fn raw(&self, py: Python<'_>) -> Py<PyString> {
        self.raw.clone_ref(py)
    }

    #[getter]
    fn value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.value.as_ref().map(|value| value.clone_ref(py))
    }

    #[getter]
    fn scope(&self) -> &str {
        &self.scope
    }

    #[getter]
    fn group(&self, py: Python<'_>) -> Option<Py<Group>> {
        self.group.as_ref().map(|group| group.clone_ref(py))
    }

    #[getter]
    fn findings(&self, py: Python<'_>) -> Py<PyTuple> {
        self.findings.clone_ref(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let value = match &self.value {
            Some(value) => value.bind(py).repr()?.to_string(),
            None => format!("malformed {}", self.raw.bind(py).repr()?),
        };
        Ok(format!("Record({}, {}, {value})", self.line, self.field))
    }

    fn __eq__(&self, other: PyRef<'_, Self>, py: Python<'_>) -> PyResult<bool> {
        PyTuple::new(py, self.parts(py)?)?.eq(PyTuple::new(py, other.parts(py)?)?)
    }

    /// By line, field and raw text: many records share one group, which may be large.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyTuple::new(py, &self.parts(py)?[..3])?.hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, RecordState) {
        let state = (
            self.line,
            self.field.clone(),
            self.raw(py),
            self.value(py),
            self.scope.clone(),
            self.group(py),
            self.findings(py),
        );
        (py.get_type::<Record>().into_any(), state)
    }
}

impl Record {
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        Ok(vec![
            self.line.into_bound_py_any(py)?,
            self.field.as_str().into_bound_py_any(py)?,
            self.raw.bind(py).clone().into_any(),
            self.value(py).into_bound_py_any(py)?,
            self.scope.as_str().into_bound_py_any(py)?,
            self.group(py).into_bound_py_any(py)?,
            self.findings.bind(py).clone().into_any(),
        ])
    }
}
