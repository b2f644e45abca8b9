//! Rules and groups as Python values.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use pyo3::IntoPyObjectExt;

use verger_core::{File, Rule as CoreRule};

use crate::text::{count, quoted, text, Items, Text};
use crate::value_class::value_class;

value_class! {
    /// An `allow` or `disallow` record.
    Rule {
        /// The number of its line, from 1.
        line: u32,
        /// Whether it is an `Allow`.
        allow: bool,
        /// The value as written.
        pattern: Text,
        /// The span of the value in the file.
        span: (u32, u32),
    }
    repr Rule::shown;
    methods {
        /// The bytes of the value as written.
        #[getter]
        fn pattern_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
            PyBytes::new(py, &self.pattern.0)
        }

        fn __str__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
            text(py, &self.record())
        }
    }
}

impl Rule {
    pub fn of(file: &File, rule: CoreRule) -> Rule {
        let span = rule.value();
        let pattern = Text(span.of(file.bytes()).to_vec());
        Rule { line: rule.line, allow: rule.is_allow(), pattern, span: (span.start, span.end) }
    }

    /// The record as it is usually written.
    pub fn record(&self) -> Vec<u8> {
        let field: &[u8] = if self.allow { b"Allow: " } else { b"Disallow: " };
        [field, &self.pattern.0].concat()
    }

    fn shown(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Rule({}, line={})", quoted(py, &self.record())?, self.line))
    }
}

/// Start-group lines and the rules they head.
#[pyclass(frozen, get_all, new = "from_fields", module = "verger", skip_from_py_object)]
pub struct Group {
    /// The values of its `User-agent` lines as written, in file order.
    product_tokens: Items<Text>,
    /// The numbers of these lines, from 1.
    start_lines: Items<u32>,
    /// Its rules, in file order.
    rules: Py<PyTuple>,
}

impl Group {
    pub fn of(py: Python<'_>, file: &File, index: usize) -> PyResult<Group> {
        let (groups, bytes) = (file.groups(), file.bytes());
        let lines = groups.start_lines(index);
        let names = lines.iter().map(|line| Text(line.value.of(bytes).to_vec()));
        let rules = groups.rule_range(index).map(|rule| Rule::of(file, groups.rules()[rule]));
        Ok(Group {
            product_tokens: Items(names.filter(|name| !name.0.is_empty()).collect()),
            start_lines: Items(lines.iter().map(|line| line.line).collect()),
            rules: PyTuple::new(py, rules.collect::<Vec<_>>())?.unbind(),
        })
    }

    /// Whether another group has the same start-group lines, which identify a group in its file.
    pub fn is_at(&self, other: &Group) -> bool {
        self.start_lines == other.start_lines && self.product_tokens == other.product_tokens
    }
}

#[pymethods]
impl Group {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names: Vec<String> = self
            .product_tokens
            .0
            .iter()
            .map(|name| quoted(py, &name.0))
            .collect::<PyResult<_>>()?;
        let rules = count(self.rules.bind(py).len(), "rule");
        Ok(format!("Group({}, {rules})", names.join(", ")))
    }

    fn __eq__(&self, other: PyRef<'_, Self>, py: Python<'_>) -> PyResult<bool> {
        Ok(self.is_at(&other) && self.rules.bind(py).as_any().eq(&other.rules)?)
    }

    /// By its start-group lines, which identify a group in its file.
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.product_tokens, &self.start_lines).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, GroupState) {
        let (names, lines) = (self.product_tokens.clone(), self.start_lines.clone());
        (py.get_type::<Group>().into_any(), (names, lines, self.rules.clone_ref(py)))
    }
}

type GroupState = (Items<Text>, Items<u32>, Py<PyTuple>);

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
