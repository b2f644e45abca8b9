//! Rules and groups as Python values.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use verger_core::{File, Rule as CoreRule};

use crate::text::{count, quoted, text, Items, Text};

/// An `allow` or `disallow` record.
///
/// line:  the number of its line, from 1.
#[pyclass(frozen, eq, hash, module = "verger", skip_from_py_object)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rule {
    line: u32,
    /// Whether it is an `Allow`.
    allow: bool,
    bytes: Vec<u8>,
    /// The span of the value in the file.
    span: (u32, u32),
}

impl Rule {
    pub fn of(file: &File, rule: CoreRule) -> Rule {
        let span = rule.value();
        let bytes = span.of(file.bytes()).to_vec();
        Rule { line: rule.line, allow: rule.is_allow(), bytes, span: (span.start, span.end) }
    }

    pub fn line(&self) -> u32 {
        self.line
    }

    /// The record as it is usually written.
    pub fn record(&self) -> Vec<u8> {
        let field: &[u8] = if self.allow { b"Allow: " } else { b"Disallow: " };
        [field, &self.bytes].concat()
    }
}

#[pymethods]
impl Rule {
    #[new]
    fn new(line: u32, allow: bool, pattern_bytes: &[u8], span: (u32, u32)) -> Rule {
        Rule { line, allow, bytes: pattern_bytes.to_vec(), span }
    }

    #[getter(line)]
    fn get_line(&self) -> u32 {
        self.line
    }

    /// Whether it is an `Allow`.
    #[getter]
    fn allow(&self) -> bool {
        self.allow
    }

    /// The value as written.
    #[getter]
    fn pattern<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, &self.bytes)
    }

    /// The bytes of the value as written.
    #[getter]
    fn pattern_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// The span of the value in the file.
    #[getter]
    fn span(&self) -> (u32, u32) {
        self.span
    }

    fn __str__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, &self.record())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Rule({}, line={})", quoted(py, &self.record())?, self.line))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, RuleState<'py>) {
        let class = py.get_type::<Rule>().into_any();
        (class, (self.line, self.allow, PyBytes::new(py, &self.bytes), self.span))
    }
}

type RuleState<'py> = (u32, bool, Bound<'py, PyBytes>, (u32, u32));

/// Start-group lines and the rules they head.
#[pyclass(frozen, module = "verger", skip_from_py_object)]
pub struct Group {
    names: Vec<Vec<u8>>,
    /// The numbers of these lines, from 1.
    start_lines: Vec<u32>,
    /// Its rules, in file order.
    rules: Py<PyTuple>,
}

impl Group {
    pub fn of(py: Python<'_>, file: &File, index: usize) -> PyResult<Group> {
        let (groups, bytes) = (file.groups(), file.bytes());
        let lines = groups.start_lines(index);
        let names = lines.iter().map(|line| line.value.of(bytes).to_vec());
        let rules = groups.rule_range(index).map(|rule| Rule::of(file, groups.rules()[rule]));
        Ok(Group {
            names: names.filter(|name| !name.is_empty()).collect(),
            start_lines: lines.iter().map(|line| line.line).collect(),
            rules: PyTuple::new(py, rules.collect::<Vec<_>>())?.unbind(),
        })
    }

    /// Whether another group has the same start-group lines, which identify a group in its file.
    pub fn is_at(&self, other: &Group) -> bool {
        self.start_lines == other.start_lines && self.names == other.names
    }
}

#[pymethods]
impl Group {
    #[new]
    fn new(product_tokens: Items<Text>, start_lines: Items<u32>, rules: Py<PyTuple>) -> Group {
        let names = product_tokens.0.into_iter().map(|name| name.0).collect();
        Group { names, start_lines: start_lines.0, rules }
    }

    /// The values of its `User-agent` lines as written, in file order.
    #[getter]
    fn product_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names: Vec<_> =
            self.names.iter().map(|name| text(py, name)).collect::<PyResult<_>>()?;
        PyTuple::new(py, names)
    }

    /// The numbers of these lines, from 1.
    #[getter]
    fn start_lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.start_lines)
    }

    /// Its rules, in file order.
    #[getter]
    fn rules(&self, py: Python<'_>) -> Py<PyTuple> {
        self.rules.clone_ref(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names: Vec<String> =
            self.names.iter().map(|name| quoted(py, name)).collect::<PyResult<_>>()?;
        let rules = count(self.rules.bind(py).len(), "rule");
        Ok(format!("Group({}, {rules})", names.join(", ")))
    }

    fn __eq__(&self, other: PyRef<'_, Self>, py: Python<'_>) -> PyResult<bool> {
        Ok(self.is_at(&other) && self.rules.bind(py).as_any().eq(&other.rules)?)
    }

    /// By its start-group lines, which identify a group in its file.
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.names, &self.start_lines).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, GroupState)> {
        let names = self.names.iter().cloned().map(Text).collect();
        let class = py.get_type::<Group>().into_any();
        Ok((class, (names, self.start_lines.clone(), self.rules(py))))
    }
}

type GroupState = (Vec<Text>, Vec<u32>, Py<PyTuple>);

/// Rules of a file, by index.
pub fn rules_of<'py>(
    py: Python<'py>,
    file: &File,
    indices: impl Iterator<Item = u32>,
) -> PyResult<Bound<'py, PyTuple>> {
    let rule = |index: u32| Rule::of(file, file.groups().rules()[index as usize]);
    PyTuple::new(py, indices.map(rule).collect::<Vec<_>>())
}

/// Groups of a file, by index.
pub fn groups_of<'py>(
    py: Python<'py>,
    file: &File,
    indices: impl Iterator<Item = usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    let groups: Vec<Group> =
        indices.map(|index| Group::of(py, file, index)).collect::<PyResult<_>>()?;
    PyTuple::new(py, groups)
}
