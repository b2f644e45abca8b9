//! `Decision`: one answer, with its explanation computed lazily.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use verger_core::internal::{verdict, Question, SILENT};
use verger_core::{Agent as CoreAgent, Match, Outcome, Span, Target};

use crate::dialect::Dialect;
use crate::explanation::{parts, Parts};
use crate::lines::Finding;
use crate::source::Source;
use crate::text::{bytes_of, in_notebook, quoted, text, Items, Text};
use crate::values::{rules_of, Group, Rule};

/// The answer to one question, with its reason. Use `.allowed`; `bool(decision)` is an error.
///
/// From `RobotsTxt.decide` and `Agent.decide`. Frozen, comparable, and can be pickled.
///
/// >>> from verger import parse
/// >>> decision = parse("User-agent: *\nDisallow: /private\n").decide("/private/a", "ExampleBot")
/// >>> decision
/// Decision(disallowed, line=2, rule='Disallow: /private', reason=MOST_SPECIFIC_RULE)
/// >>> decision.section
/// 'RFC 9309 section 2.2.2'
/// >>> bool(decision)
/// Traceback (most recent call last):
///     ...
/// TypeError: a Decision is neither true nor false: ask `decision.allowed`, or call `allowed(...)`
#[pyclass(frozen, module = "verger")]
pub struct Decision {
    // The Python object of the file.
    /// The file that answered.
    #[pyo3(get)]
    pub robots: Py<PyAny>,
    pub source: Arc<Source>,
    /// The product tokens of the crawler, as asked for.
    #[pyo3(get)]
    pub tokens: Items<Text>,
    pub agent: Arc<CoreAgent>,
    /// The URL as given.
    #[pyo3(get)]
    pub url: Py<PyString>,
    pub outcome: Outcome,
}

impl Decision {
    /// Read something of the target of the URL.
    fn of_target<R>(&self, py: Python<'_>, read: impl FnOnce(&Target) -> R) -> PyResult<R> {
        self.source.ask(py, self.url.bind(py).as_any(), |_, target| read(target))
    }

    /// Ask for a part of the explanation.
    fn ask<R>(
        &self,
        py: Python<'_>,
        verbose: bool,
        kept_in_part: bool,
        tell: impl FnOnce(Question, &Target) -> R,
    ) -> PyResult<R> {
        let tokens: Vec<&[u8]> = self.tokens.0.iter().map(AsRef::as_ref).collect();
        let url = bytes_of(self.url.bind(py))?;
        let asked = Question { tokens: &tokens, url: &url, verbose, kept_in_part };
        self.of_target(py, |target| tell(asked, target))
    }

    fn group_index(&self) -> Option<usize> {
        let first = self.agent.selection().groups.first().map(|group| *group as usize);
        let groups = self.agent.file().groups();
        self.outcome.rule.map(|rule| groups.group_of_rule(rule as usize)).or(first)
    }

    /// How the deciding rule matches the target.
    fn find_match(&self, py: Python<'_>) -> PyResult<Option<Match>> {
        let Some(index) = self.outcome.rule else { return Ok(None) };
        self.of_target(py, |target| self.agent.match_of(index, target))
    }
}

/// A pair of spans: in the rule's value, and in the target.
type SpanPair = ((u32, u32), (u32, u32));

#[pymethods]
impl Decision {
    /// Whether the crawler may fetch the URL.
    #[getter]
    fn allowed(&self) -> bool {
        self.outcome.allowed
    }

    /// Why: `MOST_SPECIFIC_RULE`, `FIRST_MATCHING_RULE`, `EMPTY_RULE`, `NO_MATCHING_RULE`,
    /// `GROUP_WITHOUT_RULES`, `NO_GROUP`, `ROBOTS_TXT_ITSELF` or `FILE_OVER_LIMIT`.
    #[getter]
    fn reason(&self) -> &'static str {
        self.outcome.reason.name()
    }

    /// The source of this answer, such as "RFC 9309 section 2.2.2".
    #[getter]
    fn section(&self) -> &'static str {
        self.outcome.reason.section(self.agent.file().dialect())
    }

    /// The 1-based line of the rule that decided; None if no rule did.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.agent.rule(&self.outcome).map(|rule| rule.line)
    }

    /// The rule that decided; None if no rule did.
    #[getter]
    fn rule(&self) -> Option<Rule> {
        self.agent.rule(&self.outcome).map(|rule| Rule::of(self.agent.file(), rule))
    }

    /// The group of the rule; without a rule, the first group of the crawler, if any.
    #[getter]
    fn group(&self, py: Python<'_>) -> PyResult<Option<Group>> {
        let file = self.agent.file();
        self.group_index().map(|group| Group::of(py, file, group)).transpose()
    }

    /// Which of the product tokens this group names, of a crawler with several; None for a group of
    /// `*`, and without a group.
    #[getter]
    fn token(&self) -> Option<Text> {
        let at = self.agent.token_of_group(self.group_index()?, &self.tokens.0)?;
        Some(self.tokens.0[at].clone())
    }

    /// The dialect that it was read in.
    #[getter]
    fn dialect(&self, py: Python<'_>) -> Py<Dialect> {
        self.source.dialect().clone_ref(py)
    }

    /// What the patterns were compared with: path and query in normal form.
    #[getter]
    fn target<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.of_target(py, |target| text(py, target.bytes()))?
    }

    /// The number of bytes of the rule's pattern in normal form, which decides precedence (RFC 9309
    /// section 2.2.2); None if no rule decided.
    #[getter]
    fn specificity(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        Ok(self.find_match(py)?.map(|found| found.specificity))
    }

    /// For each piece of the pattern, a pair of spans in bytes: its place in the rule's value as
    /// written, and what it matched in `target`. The first spans tile the pattern, or its directory if
    /// an index page stands for it; the second tile the matched part of the target. Empty if no rule
    /// decided.
    #[getter]
    fn matched<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Some(found) = self.find_match(py)? else { return Ok(PyTuple::empty(py)) };
        let pair = |(a, b): (Span, Span)| -> SpanPair { ((a.start, a.end), (b.start, b.end)) };
        PyTuple::new(py, found.bytes.into_iter().map(pair))
    }

    /// The other matching rules, in file order; computed lazily.
    #[getter]
    fn beaten<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let file = self.agent.file();
        let matching = self.of_target(py, |target| self.agent.matching(target))?;
        let others = matching.into_iter().filter(|index| Some(*index) != self.outcome.rule);
        rules_of(py, file, others)
    }

    /// Return the lines of the file that led to this answer, as `verger check` prints them.
    ///
    /// verbose:  also name what the rule was compared with, and the rules that it beats.
    ///
    /// >>> from verger import parse
    /// >>> decision = parse("User-agent: *\nDisallow: /a\n").decide("/a/b", "ExampleBot")
    /// >>> print(decision.explain())
    /// disallowed by line 2
    /// <BLANKLINE>
    ///   1 | User-agent: *
    ///   2 | Disallow: /a
    ///     |           ^^ most specific match, 2 bytes (RFC 9309 section 2.2.2)
    #[pyo3(signature = (*, verbose=false))]
    fn explain<'py>(slf: &Bound<'py, Self>, verbose: bool) -> PyResult<Bound<'py, PyAny>> {
        let excerpt = slf.py().import("verger.showing.excerpt")?;
        excerpt.call_method1("explained", (slf, verbose))
    }

    /// The beginning of that text: why, the highest number of a line, and the lines.
    /// `verger.showing.excerpt` draws them.
    fn _explanation<'py>(&self, py: Python<'py>) -> PyResult<(String, u32, Parts<'py>)> {
        let told = self.ask(py, false, false, |asked, target| {
            self.agent.explain(asked, target, &self.outcome)
        })?;
        Ok((told.because, told.widest, parts(py, told.lines)?))
    }

    /// The rest of it: what is to be said about the lines.
    #[pyo3(signature = (*, verbose, kept_in_part))]
    fn _remarks<'py>(
        &self,
        py: Python<'py>,
        verbose: bool,
        kept_in_part: bool,
    ) -> PyResult<Parts<'py>> {
        let told = self.ask(py, verbose, kept_in_part, |asked, target| {
            self.agent.remarks(asked, target, &self.outcome)
        })?;
        parts(py, told)
    }

    /// The findings that may explain it, those of its line first.
    fn _findings(&self) -> Vec<Finding> {
        let found = self.agent.findings_about(&self.outcome);
        found.iter().map(Finding::of).collect()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        in_notebook("of_decision", slf)
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "a Decision is neither true nor false: ask `decision.allowed`, or call `allowed(...)`",
        ))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let verdict = verdict(Some(self.outcome.allowed), SILENT);
        let reason = self.outcome.reason.name();
        Ok(match self.rule() {
            None => format!("Decision({verdict}, reason={reason})"),
            Some(rule) => {
                let shown = quoted(py, &rule.record())?;
                format!("Decision({verdict}, line={}, rule={shown}, reason={reason})", rule.line)
            }
        })
    }

    fn __eq__(&self, other: PyRef<'_, Self>, py: Python<'_>) -> PyResult<bool> {
        Ok(self.outcome == other.outcome
            && self.tokens == other.tokens
            && self.url.bind(py).as_any().eq(&other.url)?
            && self.robots.bind(py).eq(&other.robots)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        let (robots, url) = (self.robots.bind(py).hash()?, self.url.bind(py).hash()?);
        (robots, url, &self.tokens, self.outcome.allowed, self.outcome.rule).hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, DecisionState)> {
        let restore = py.import("verger._core")?.getattr("_restore_decision")?;
        Ok((restore, (self.robots.clone_ref(py), self.tokens.clone(), self.url.clone_ref(py))))
    }
}

/// File, tokens and URL.
type DecisionState = (Py<PyAny>, Items<Text>, Py<PyString>);
