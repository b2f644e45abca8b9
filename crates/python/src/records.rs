//! Extension records and their typed values.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyString, PyTuple};
use pyo3::IntoPyObjectExt;

use verger_core::internal::Finder;
use verger_core::record::{
    seconds, seconds_text, CleanParam as CoreCleanParam, Mirror, Preferences, Rate, Signals, Usage,
    UseExtent, Value, Window,
};
use verger_core::{File, Origin, Record as CoreRecord};

use crate::lines::Finding;
use crate::text::{text, Items, Text};
use crate::value_class::value_class;
use crate::values::Group;

/// A minute of the day.
pub fn minute_of_day(minute: i64) -> PyResult<u16> {
    let is_of_day = (0..1_440).contains(&minute);
    let wrong = || PyValueError::new_err(format!("minute must be 0 to 1439, not {minute}"));
    is_of_day.then_some(minute as u16).ok_or_else(wrong)
}

value_class! {
    /// A window of the day in minutes, UTC; `start > end` spans midnight.
    ///
    /// start:  the first minute of the day, from 0 to 1439.
    /// end:    the last minute of the day, from 0 to 1439.
    VisitTime { start: u16, end: u16 }
    methods {
        /// Whether a minute of the day, 0 to 1439, is in the window.
        fn holds(&self, minute: i64) -> PyResult<bool> {
            Ok(self.core().holds(minute_of_day(minute)?))
        }
    }
}

value_class! {
    /// The URL of a sitemap, as written (sitemaps.org protocol).
    Sitemap {
        /// The value as written.
        url: Text,
        /// Whether it is an absolute URL.
        absolute: bool,
        /// A relative URL resolved against the file's own.
        resolved: Option<Text>,
    }
    defaults (url, absolute, resolved=None)
}

value_class! {
    /// The main mirror of a site (Yandex Webmaster help, Host; retired in March 2018).
    Host {
        /// `http` or `https`; None if the record names none.
        scheme: Option<String>,
        /// In A-label form, lower-case.
        host: String,
        /// The port; None if the record names none.
        port: Option<u16>,
    }
}

value_class! {
    /// Permitted uses of the content; None if unset.
    ///
    /// Cloudflare documentation, Content Signals.
    ContentSignal {
        /// Whether a search index may be built from it.
        search: Option<bool>,
        /// Whether AI models may be given it to answer from.
        ai_input: Option<bool>,
        /// Whether AI models may be trained on it.
        ai_train: Option<bool>,
        /// How much of it may be shown.
        r#use: Option<String>,
    }
    defaults (search=None, ai_input=None, ai_train=None, r#use=None)
}

value_class! {
    /// Usage preferences for a path; None if unknown (draft-ietf-aipref-attach-05).
    ///
    /// `other` holds unknown labels, each with what follows it as written, such as `("bots", "y")`:
    /// they have no effect.
    ContentUsage {
        /// The path that the preferences are for, as written; empty if the record names none.
        path: Text,
        /// Whether AI models may be trained on it.
        train_ai: Option<bool>,
        /// Whether it may be used for search.
        search: Option<bool>,
        /// Whether AI models may use it.
        ai_use: Option<bool>,
        /// The unknown labels.
        other: Items<(Text, Text)>,
    }
    defaults (path, train_ai=None, search=None, ai_use=None, other=Items(Vec::new()))
}

value_class! {
    /// Query parameters without meaning, below a path (Yandex Webmaster help, Clean-param).
    ///
    /// params:  the names of the parameters.
    /// path:    the path, as written; empty if the record names none.
    CleanParam { params: Items<Text>, path: Text }
}

value_class! {
    /// The URL of a licence (RSL, guide "Adding RSL to robots.txt").
    ///
    /// url:  as written.
    License { url: Text }
}

value_class! {
    /// `documents` in `seconds`, within an optional window (Conner 1996; Seznam).
    RequestRate {
        /// How many documents may be fetched.
        documents: u32,
        /// In how many seconds.
        seconds: u64,
        /// When; None for always.
        window: Option<VisitTime>,
    }
    defaults (documents, seconds, window=None)
}

impl RequestRate {
    pub fn of(rate: Rate) -> Self {
        let Rate { documents, seconds, window } = rate;
        RequestRate { documents, seconds, window: window.map(VisitTime::of) }
    }

    fn core(&self) -> Rate {
        let window = self.window.as_ref().map(VisitTime::core);
        Rate { documents: self.documents, seconds: self.seconds, window }
    }
}

impl VisitTime {
    pub fn of(window: Window) -> Self {
        VisitTime { start: window.start, end: window.end }
    }

    fn core(&self) -> Window {
        Window { start: self.start, end: self.end }
    }
}

impl ContentSignal {
    pub fn of(signals: Signals) -> Self {
        let Signals { search, ai_input, ai_train, usage } = signals;
        let r#use = usage.map(|usage: UseExtent| usage.name().to_string());
        ContentSignal { search, ai_input, ai_train, r#use }
    }

    fn core(&self) -> Signals {
        let ContentSignal { search, ai_input, ai_train, ref r#use } = *self;
        let usage = r#use.as_ref().and_then(|word| UseExtent::named(word.as_bytes()));
        Signals { search, ai_input, ai_train, usage }
    }
}

/// The value of a record for crawlers, as a file could write it; none for no value.
#[pyfunction]
pub fn _record_text(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    Ok(if value.is_none() {
        None
    } else if let Ok(seconds) = value.cast::<PyFloat>() {
        Some(seconds_text(seconds.value()))
    } else if let Ok(rate) = value.extract::<RequestRate>() {
        Some(rate.core().to_string())
    } else if let Ok(window) = value.extract::<VisitTime>() {
        Some(window.core().to_string())
    } else {
        let signals = value.extract::<ContentSignal>()?.core().to_string();
        Some(signals).filter(|words| !words.is_empty())
    })
}

/// What content signals say: each key with its word.
#[pyfunction]
pub fn _signal_words(signals: ContentSignal) -> Vec<(&'static str, &'static str)> {
    signals.core().words().collect()
}

impl ContentUsage {
    fn of(usage: Usage) -> Self {
        let Preferences { train_ai, search, ai_use } = usage.preferences;
        let pairs = usage.other.into_iter().map(|other| (Text(other.label), Text(other.written)));
        let other = Items(pairs.collect());
        ContentUsage { path: Text(usage.path), train_ai, search, ai_use, other }
    }
}

impl CleanParam {
    fn of(cleaner: CoreCleanParam) -> Self {
        let params = Items(cleaner.params.into_iter().map(Text).collect());
        CleanParam { params, path: Text(cleaner.path) }
    }
}

/// An extension record: its raw text, and a typed value if it is well-formed.
///
/// Equal records have equal groups up to the rules, which are not compared.
#[pyclass(frozen, get_all, new = "from_fields", module = "verger")]
pub struct Record {
    /// The number of its line, from 1.
    line: u32,
    /// Its field, in lower case, such as `crawl-delay`.
    field: String,
    /// The value as written.
    raw: Py<PyString>,
    /// The value with its type; None if it is not well-formed.
    value: Option<Py<PyAny>>,
    /// Whether it is for the crawlers of a group, or for everyone.
    scope: String,
    /// The group that it is in; None if it is in none.
    group: Option<Py<Group>>,
    /// What was tolerated in it.
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
        let Some(core) = file.record_on(info, origin) else { continue };
        let found: Vec<Finding> = finder.of_line(info).iter().map(Finding::of).collect();
        let scope = scope_of(&core);
        let group = match core.group.filter(|_| scope == "group") {
            Some(index) => Some(shared_group(py, file, index as usize, &mut groups)?),
            None => None,
        };
        records.push(Record {
            line: core.line,
            field: core.field.name().into(),
            raw: text(py, core.raw.of(file.bytes()))?.unbind(),
            value: value_of(py, file, &core)?,
            scope: scope.into(),
            group,
            findings: PyTuple::new(py, found)?.unbind(),
        });
    }
    PyTuple::new(py, records)
}

/// One Python value for each group, however many records it has.
fn shared_group(
    py: Python<'_>,
    file: &File,
    index: usize,
    groups: &mut [Option<Py<Group>>],
) -> PyResult<Py<Group>> {
    let made = match groups.get(index) {
        Some(Some(group)) => return Ok(group.clone_ref(py)),
        _ => Py::new(py, Group::of(py, file, index)?)?,
    };
    if let Some(place) = groups.get_mut(index) {
        *place = Some(made.clone_ref(py));
    }
    Ok(made)
}

fn scope_of(record: &CoreRecord) -> &'static str {
    match record.is_of_group() {
        true => "group",
        false => "file",
    }
}

/// The typed value; none for a malformed one.
fn value_of(py: Python<'_>, file: &File, record: &CoreRecord) -> PyResult<Option<Py<PyAny>>> {
    let raw = || Text(record.raw.of(file.bytes()).to_vec());
    let Ok(value) = &record.value else { return Ok(None) };
    let value = match value.clone() {
        Value::Delay(written) => seconds(&written).into_bound_py_any(py)?,
        Value::Rate(rate) => RequestRate::of(rate).into_bound_py_any(py)?,
        Value::Window(window) => VisitTime::of(window).into_bound_py_any(py)?,
        Value::Sitemap { absolute, resolved } => {
            Sitemap { url: raw(), absolute, resolved: resolved.map(Text) }.into_bound_py_any(py)?
        }
        Value::Host(Mirror { scheme, host, port }) => {
            Host { scheme: scheme.map(str::to_string), host, port }.into_bound_py_any(py)?
        }
        Value::CleanParam(cleaner) => CleanParam::of(cleaner).into_bound_py_any(py)?,
        Value::Signals { signals, .. } => ContentSignal::of(signals).into_bound_py_any(py)?,
        Value::Usage { usage, .. } => ContentUsage::of(usage).into_bound_py_any(py)?,
        Value::License => License { url: raw() }.into_bound_py_any(py)?,
        _ => raw().into_bound_py_any(py)?,
    };
    Ok(Some(value.unbind()))
}

#[pymethods]
impl Record {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let value = match &self.value {
            Some(value) => value.bind(py).repr()?.to_string_lossy().into_owned(),
            None => format!("malformed {}", self.raw.bind(py).repr()?),
        };
        Ok(format!("Record({}, {}, {value})", self.line, self.field))
    }

    /// Whether all values are equal; of groups, only product tokens and start-group lines: their
    /// rules would be compared for each of their records.
    fn __eq__(&self, other: PyRef<'_, Self>, py: Python<'_>) -> PyResult<bool> {
        let is_same_group = match (&self.group, &other.group) {
            (Some(one), Some(other)) => one.is(other) || one.get().is_at(other.get()),
            (one, other) => one.is_none() && other.is_none(),
        };
        let [ours, theirs] = [self.parts(py)?, other.parts(py)?];
        const GROUP: usize = 5;
        for (at, (one, other)) in ours.iter().zip(&theirs).enumerate() {
            if at != GROUP && !one.eq(other)? {
                return Ok(false);
            }
        }
        Ok(is_same_group)
    }

    /// By line, field and raw text: many records share one group, which may be large.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyTuple::new(py, &self.parts(py)?[..3])?.hash()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Record>().into_any(), PyTuple::new(py, self.parts(py)?)?))
    }
}

impl Record {
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyAny>; 7]> {
        Ok([
            self.line.into_bound_py_any(py)?,
            self.field.as_str().into_bound_py_any(py)?,
            self.raw.bind(py).clone().into_any(),
            (&self.value).into_bound_py_any(py)?,
            self.scope.as_str().into_bound_py_any(py)?,
            (&self.group).into_bound_py_any(py)?,
            self.findings.bind(py).clone().into_any(),
        ])
    }
}
