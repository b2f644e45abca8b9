//! Dialects and knobs as Python values.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyMappingProxy, PyString, PyTuple};
use pyo3::IntoPyObjectExt;

use verger_core::dialect::{Knob as CoreKnob, KnobValue, KNOBS};
use verger_core::{Dialect as CoreDialect, Field, Fields, Misspelt, DIALECTS, RFC9309};

use crate::errors::{
    bad_dialect_name, bad_value, quote_all, small_limit, unknown_close_name, unknown_name,
};
use crate::text::{shorten, single_quoted, string, unless_raised, wrong_type, Items};

/// One choice of a dialect: its name, its values, and their sources.
#[pyclass(frozen, module = "verger", get_all)]
pub struct Knob {
    /// Its name: an attribute of `Dialect`, and an argument of `Dialect.replace`.
    name: &'static str,
    /// What it decides, with the unit of its values.
    doc: &'static str,
    /// Where its values come from.
    source: &'static str,
    /// Every value, for a knob with a fixed list; otherwise `()`.
    choices: Py<PyTuple>,
    /// The meaning of each choice; `()` for yes or no, and if there is no fixed list.
    meanings: Py<PyTuple>,
}

#[pymethods]
impl Knob {
    fn __repr__(&self) -> String {
        format!("Knob({})", single_quoted(self.name))
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.name == other.name
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.name.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&'static str,))> {
        Ok((py.import("verger._core")?.getattr("_restore_knob")?, (self.name,)))
    }
}

/// Every knob, as a tuple.
pub fn knobs(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let all = KNOBS.iter().map(|knob| Py::new(py, knob_value(py, knob)?));
    PyTuple::new(py, all.collect::<PyResult<Vec<_>>>()?)
}

fn knob_value(py: Python<'_>, knob: &CoreKnob) -> PyResult<Knob> {
    let choices = match knob.is_bool {
        true => PyTuple::new(py, [true, false])?,
        false => PyTuple::new(py, knob.choices)?,
    };
    let meanings = PyTuple::new(py, knob.meanings.iter().map(|meaning| meaning.trim()))?;
    let (name, doc, source) = (knob.name, knob.doc.trim(), knob.source);
    Ok(Knob { name, doc, source, choices: choices.unbind(), meanings: meanings.unbind() })
}

#[cold]
fn unknown_knob(py: Python<'_>, name: &str) -> PyErr {
    let known: Vec<&str> = KNOBS.iter().map(|knob| knob.name).collect();
    unknown_name(py, "knob", name, &known)
}

/// One complete interpretation of robots.txt, as data.
///
/// The named dialects are in `verger.DIALECTS`; derive others with `replace`. Each knob is an
/// attribute, and `verger.KNOBS` describes what it decides, its values, and their sources. Dialects
/// are frozen, equal if their knobs are, and can be pickled.
///
/// >>> from verger import DIALECTS, parse
/// >>> DIALECTS["google"].tie
/// 'allow'
/// >>> strict = DIALECTS["rfc9309"].replace(tie="disallow")
/// >>> robots = parse("User-agent: *\nAllow: /a\nDisallow: /a\n", dialect=strict)
/// >>> robots.allowed("/a", "ExampleBot")
/// False
#[pyclass(frozen, module = "verger")]
pub struct Dialect {
    pub core: CoreDialect,
    /// Its name: a key of `DIALECTS`, or your own.
    name: String,
}

static NAMED: PyOnceLock<Vec<Py<Dialect>>> = PyOnceLock::new();

fn named(py: Python<'_>) -> PyResult<&Vec<Py<Dialect>>> {
    NAMED.get_or_try_init(py, || {
        let make =
            |core: &CoreDialect| Py::new(py, Dialect { core: *core, name: core.name.into() });
        DIALECTS.iter().map(make).collect()
    })
}

/// The named dialects, as a read-only mapping.
pub fn named_dialects(py: Python<'_>) -> PyResult<Bound<'_, PyMappingProxy>> {
    let by_name = PyDict::new(py);
    for dialect in named(py)? {
        by_name.set_item(&dialect.get().name, dialect)?;
    }
    Ok(PyMappingProxy::new(py, by_name.as_mapping()))
}

/// A dialect by name, or unchanged.
#[pyfunction]
pub fn _dialect_of(py: Python<'_>, dialect: DialectArgument) -> PyResult<Py<Dialect>> {
    Dialect::from_argument(&dialect, py)
}

/// A dialect argument: a value or a name, or not given. `None` does not count as not given.
pub enum DialectArgument<'py> {
    /// RFC 9309.
    Default,
    /// What was given.
    Given(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for DialectArgument<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(DialectArgument::Given(object.to_owned()))
    }
}

impl Dialect {
    /// The dialect of an argument, which is a name or a `Dialect`.
    pub fn from_argument(argument: &DialectArgument, py: Python<'_>) -> PyResult<Py<Dialect>> {
        let DialectArgument::Given(argument) = argument else {
            return Self::by_name(py, "rfc9309");
        };
        if let Ok(dialect) = argument.cast::<Dialect>() {
            return Ok(dialect.clone().unbind());
        }
        match argument.cast::<PyString>() {
            Ok(name) => Self::by_name(py, &name.to_string_lossy()),
            Err(_) => Err(wrong_type("dialect", "a name or a Dialect", argument)),
        }
    }

    fn by_name(py: Python<'_>, name: &str) -> PyResult<Py<Dialect>> {
        let found = named(py)?.iter().find(|dialect| dialect.get().name == name);
        found.map_or_else(|| Self::derived(py, name), |dialect| Ok(dialect.clone_ref(py)))
    }

    /// The dialect of a name such as `rfc9309+tie=disallow`.
    #[cold]
    fn derived(py: Python<'_>, name: &str) -> PyResult<Py<Dialect>> {
        let core = CoreDialect::of_name(name).map_err(|why| misspelt(py, why))?;
        expect_limit(py, &core, CoreDialect::named(core.name).unwrap_or(&core))?;
        Self::of(py, core)
    }

    /// A dialect of the core, by the name that it derives from what differs.
    pub fn of(py: Python<'_>, core: CoreDialect) -> PyResult<Py<Dialect>> {
        let found = named(py)?.iter().find(|dialect| dialect.get().core == core);
        let make = || Py::new(py, Dialect { core, name: core.derived_name() });
        found.map_or_else(make, |dialect| Ok(dialect.clone_ref(py)))
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = value.py();
        let Some(knob) = KNOBS.iter().find(|knob| knob.name == name) else {
            return Err(unknown_knob(py, name));
        };
        let shown =
            || value.str().map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
        let now = self.core.get(name);
        let changed =
            read_value(value, now.as_ref(), knob.choices)?.and_then(|v| self.core.with(name, &v));
        self.core = changed.ok_or_else(|| {
            let expected = expected(now.as_ref(), knob.choices);
            bad_value(py, name, &shown(), &expected, knob.choices)
        })?;
        Ok(())
    }
}

/// The exception for a name that means no dialect.
fn misspelt(py: Python<'_>, why: Misspelt<'_>) -> PyErr {
    match why {
        Misspelt::Dialect(name) => {
            let known: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
            unknown_name(py, "dialect", name, &known)
        }
        Misspelt::Knob(name) => {
            let knobs = KNOBS.iter().map(|knob| knob.name);
            let known: Vec<&str> = knobs.chain(Fields::EVERY.iter().map(Field::name)).collect();
            unknown_close_name(py, "knob", name, &known)
        }
        Misspelt::Value(name, value) => {
            let knob = KNOBS.iter().find(|knob| knob.name == name);
            let choices = knob.map_or(&[][..], |knob| knob.choices);
            let expected = expected(RFC9309.get(name).as_ref(), choices);
            bad_value(py, name, value, &expected, choices)
        }
    }
}

/// The bytes that every crawler must read (RFC 9309 section 2.5).
const LEAST_READ: u64 = 512_000;

/// Refuse a parsing limit that is too small, unless the dialect that it derives from has it.
fn expect_limit(py: Python<'_>, changed: &CoreDialect, from: &CoreDialect) -> PyResult<()> {
    let is_small = |limit: &u64| *limit < LEAST_READ && from.parse_limit != Some(*limit);
    let small = changed.parse_limit.filter(is_small);
    small.map_or(Ok(()), |limit| Err(small_limit(py, limit, LEAST_READ)))
}

fn expected(now: Option<&KnobValue>, choices: &[&str]) -> String {
    match now {
        Some(KnobValue::Bool(_)) => "True or False".into(),
        Some(KnobValue::Fields(_)) => "a tuple of extension field names".into(),
        Some(KnobValue::Choice(_)) => format!("one of {}", quote_all(choices)),
        Some(KnobValue::Number(_)) => "a number that is not negative".into(),
        _ => "a number that is not negative, or None for no limit".into(),
    }
}

/// A Python value as the knob's kind of value; none if it is of another kind.
fn read_value(
    value: &Bound<'_, PyAny>,
    now: Option<&KnobValue>,
    choices: &[&'static str],
) -> PyResult<Option<KnobValue>> {
    Ok(match now {
        Some(KnobValue::Bool(_)) => {
            value.cast::<PyBool>().ok().map(|b| KnobValue::Bool(b.is_true()))
        }
        Some(KnobValue::Limit(_) | KnobValue::Number(_)) if value.is_instance_of::<PyBool>() => {
            None
        }
        Some(KnobValue::Number(_)) => read(value)?.map(KnobValue::Number),
        Some(KnobValue::Limit(_)) => read(value)?.map(KnobValue::Limit),
        Some(KnobValue::Choice(_)) => {
            let text: Option<String> = read(value)?;
            choices
                .iter()
                .find(|choice| Some(**choice) == text.as_deref())
                .map(|c| KnobValue::Choice(c))
        }
        Some(KnobValue::Fields(_)) => read_fields(value)?.map(KnobValue::Fields),
        None => None,
    })
}

/// A value of one kind; none if it is of another.
fn read<'a, 'py, T: FromPyObject<'a, 'py>>(value: &'a Bound<'py, PyAny>) -> PyResult<Option<T>> {
    match value.extract::<T>().map_err(Into::into) {
        Ok(read) => Ok(Some(read)),
        Err(error) => unless_raised(error, value.py()).map_or(Ok(None), Err),
    }
}

fn read_fields(value: &Bound<'_, PyAny>) -> PyResult<Option<Fields>> {
    if value.is_instance_of::<PyString>() {
        return Ok(None);
    }
    let Some(Items(names)) = read::<Items<String>>(value)? else { return Ok(None) };
    let mut fields = Fields::NONE;
    for name in names {
        match Fields::EVERY.iter().find(|field| field.name() == name) {
            Some(field) => fields = fields.with(field),
            None => {
                let known: Vec<&str> = Fields::EVERY.iter().map(Field::name).collect();
                return Err(unknown_name(value.py(), "extension field", &name, &known));
            }
        }
    }
    Ok(Some(fields))
}

fn to_python<'py>(py: Python<'py>, value: &KnobValue) -> PyResult<Bound<'py, PyAny>> {
    match value {
        KnobValue::Bool(yes) => yes.into_bound_py_any(py),
        KnobValue::Limit(limit) => limit.into_bound_py_any(py),
        KnobValue::Number(number) => number.into_bound_py_any(py),
        KnobValue::Choice(choice) => choice.into_bound_py_any(py),
        KnobValue::Fields(fields) => {
            PyTuple::new(py, fields.iter().map(Field::name).collect::<Vec<_>>())?
                .into_bound_py_any(py)
        }
    }
}

/// Refuse a name that is empty or unprintable, or that another dialect has.
fn check_name(py: Python<'_>, name: &str, core: &CoreDialect) -> PyResult<()> {
    let why = if name.is_empty() {
        "is empty"
    } else if name.chars().any(char::is_control) {
        "contains a control character"
    } else if CoreDialect::named(name).is_some_and(|other| other != core) {
        "is taken"
    } else {
        return Ok(());
    };
    Err(bad_dialect_name(py, name, why))
}

#[pymethods]
impl Dialect {
    /// Its name: a key of `DIALECTS`, or your own.
    #[getter]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The document that the dialect follows.
    #[getter]
    fn title(&self) -> &'static str {
        self.core.law.title()
    }

    /// Every knob with its value, in the order of `KNOBS`.
    #[getter]
    fn knobs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMappingProxy>> {
        Ok(PyMappingProxy::new(py, self.knob_dict(py)?.as_mapping()))
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.core.get(name) {
            Some(value) => to_python(py, &value),
            None => Err(pyo3::exceptions::PyAttributeError::new_err(format!(
                "a dialect has no knob `{}`",
                shorten(py, name)
            ))),
        }
    }

    fn __dir__(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        let object = slf.py().import("builtins")?.getattr("object")?;
        let mut names: Vec<String> = object.call_method1("__dir__", (slf,))?.extract()?;
        names.extend(KNOBS.iter().map(|knob| knob.name.to_string()));
        Ok(names)
    }

    /// Return a dialect that differs in the knobs given.
    ///
    /// name:     str, its name; None to derive one from this dialect and the knobs.
    /// knobs:    named as in `verger.KNOBS`, each with one of its values.
    /// small_limits:  whether `parse_limit` may be less than 500 KiB, for tests.
    /// Returns:  Dialect.
    /// Raises:   UnknownName for an unknown knob or value, with the close match as hint;
    ///           InvalidOption for a parsing limit that is too small (RFC 9309 section 2.5).
    ///
    /// >>> from verger import RFC9309
    /// >>> RFC9309.replace(parse_limit=None, name="unlimited").name
    /// 'unlimited'
    #[pyo3(signature = (*, name=None, small_limits=false, **knobs))]
    fn replace(
        &self,
        py: Python<'_>,
        name: Option<&Bound<'_, PyAny>>,
        small_limits: bool,
        knobs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Dialect> {
        // A copy: reading a value may run a caller's code, which must not change the map during the
        // walk.
        let knobs = knobs.map_or_else(|| Ok(PyDict::new(py)), |knobs| knobs.copy())?;
        let mut changed = Dialect { core: self.core, name: String::new() };
        for (knob, value) in knobs {
            changed.set(&string("knob", &knob)?.to_string_lossy(), &value)?;
        }
        if !small_limits {
            expect_limit(py, &changed.core, &self.core)?;
        }
        changed.name = match name {
            Some(name) => {
                let name = string("name", name)?.to_string_lossy().into_owned();
                check_name(py, &name, &changed.core)?;
                name
            }
            None => changed.core.derived_name(),
        };
        Ok(changed)
    }

    fn __repr__(&self) -> String {
        format!("Dialect({})", single_quoted(&self.name))
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.core == other.core && self.name == other.name
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.core, &self.name).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, DialectState<'py>)> {
        let restore = py.import("verger._core")?.getattr("_restore_dialect")?;
        Ok((restore, (self.core.name, self.name.clone(), self.knob_dict(py)?)))
    }
}

/// A named dialect, this one's name, and its knobs.
type DialectState<'py> = (&'static str, String, Bound<'py, PyDict>);

impl Dialect {
    fn knob_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let knobs = PyDict::new(py);
        for knob in KNOBS {
            if let Some(value) = self.core.get(knob.name) {
                knobs.set_item(knob.name, to_python(py, &value)?)?;
            }
        }
        Ok(knobs)
    }
}

/// Unpickle a knob.
#[pyfunction]
pub fn _restore_knob<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    match KNOBS.iter().position(|knob| knob.name == name) {
        Some(at) => py.import("verger._core")?.getattr("KNOBS")?.get_item(at),
        None => Err(unknown_knob(py, name)),
    }
}

/// Unpickle a dialect.
#[pyfunction]
pub fn _restore_dialect(
    py: Python<'_>,
    base: &str,
    name: &Bound<'_, PyAny>,
    knobs: &Bound<'_, PyDict>,
) -> PyResult<Py<Dialect>> {
    let base = Dialect::by_name(py, base)?;
    let restored = base.get().replace(py, Some(name), true, Some(knobs))?;
    if restored.core == base.get().core && restored.name == base.get().name {
        return Ok(base);
    }
    Py::new(py, restored)
}
