//! Decisions about lists of URLs, for writers of rows with every detail.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use verger_bulk::endings::{missing, Ended, Ending, Endings};
use verger_bulk::judge::ManyFiles;
use verger_bulk::snapshot::{NoEntry, Ruling, Snapshot};
use verger_core::internal::Binding;
use verger_core::Dialect as CoreDialect;

use crate::agent::Agent;
use crate::bulk::decide::{judge_of, use_of, GivenUse};
use crate::bulk::scan::names_of;
use crate::bulk::snapshot::refused;
use crate::dialect::{Dialect, DialectArgument};
use crate::errors::invalid_token;
use crate::robots::tokens_of;
use crate::text::{body_bytes, bytes_of, string, text, Items, Text};

/// Decides by the files of origins, which are added on demand.
#[pyclass(frozen, module = "verger.bulk", name = "_RowJudge")]
pub struct RowJudge {
    state: Mutex<State>,
}

struct State {
    judge: ManyFiles,
    endings: Endings,
}

/// What each row of an ending says: the entry, whether it is allowed, the reason, the section, the
/// line, the rule, and whether the use that was asked about is allowed; all except the entry and the
/// last are None if a policy decides, and all are None without an answer.
pub type Words<'py> = (
    Option<u32>,
    Option<bool>,
    Option<&'static str>,
    Option<&'static str>,
    Option<u32>,
    Option<(bool, Bound<'py, PyString>)>,
    Option<bool>,
);

/// The numbers of rows, that of the first ending that is new, and those endings.
pub type Decided<'py> = (Bound<'py, PyList>, u32, Vec<Words<'py>>);

impl RowJudge {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl RowJudge {
    /// `binding` names the crawlers that it follows, and says whether it follows `*`; `most_bytes`
    /// limits the memory of parsed files, `most_endings` the endings that are remembered; `by_rule`
    /// says whether there is an ending for each rule.
    #[new]
    #[pyo3(signature = (dialect, token, binding, most_bytes, most_endings, by_rule, used=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        dialect: DialectArgument,
        token: &Bound<'_, PyAny>,
        binding: (Items<Text>, bool),
        most_bytes: usize,
        most_endings: usize,
        by_rule: bool,
        used: GivenUse<'_>,
    ) -> PyResult<RowJudge> {
        let dialect = Dialect::from_argument(&dialect, py)?;
        let tokens: Vec<Vec<u8>> = tokens_of(token)?.into_iter().map(|token| token.0).collect();
        let snapshot = Arc::new(Snapshot::empty(&dialect.get().core));
        let judge = ManyFiles::new(snapshot, tokens.clone(), most_bytes)
            .map_err(|(at, why)| invalid_token(py, &tokens[at], why))?;
        let binding = Binding { follows: names_of(py, binding.0)?, by_star: binding.1 };
        let used = use_of(py, used, &dialect.get().core)?;
        let judge = judge.bound_by(binding).asked_for(used);
        let state = State { judge, endings: Endings::new(most_endings, by_rule) };
        Ok(RowJudge { state: Mutex::new(state) })
    }

    /// Add an origin with the bytes of its file, or None if a policy applies; return its entry.
    /// Raises InvalidTarget.
    fn add(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        body: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u32> {
        let url = bytes_of(string("url", url)?)?;
        let body = body.map(body_bytes).transpose()?;
        let ruling = match body {
            Some(_) => Ruling::Rules,
            None => Ruling::Policy { allowed: false, reason: 0 },
        };
        let body = body.unwrap_or_default();
        let added = py.detach(|| self.state().judge.add(&url, ruling, &body));
        added.map_err(|why: NoEntry| refused(py, &url, why))
    }

    /// The origins of URLs without an entry, without duplicates, in canonical form.
    fn missing<'py>(
        &self,
        py: Python<'py>,
        urls: &Bound<'py, PyList>,
    ) -> PyResult<Vec<Bound<'py, PyString>>> {
        let urls = urls_of(urls)?;
        let urls = bytes_of_each(&urls)?;
        let found = py.detach(|| missing(&self.state().judge, &urls));
        found.iter().map(|key| text(py, key)).collect()
    }

    /// Decide URLs: a number for each, and the endings of numbers that are new.
    fn decide<'py>(&self, py: Python<'py>, urls: &Bound<'py, PyList>) -> PyResult<Decided<'py>> {
        let urls = urls_of(urls)?;
        let urls = bytes_of_each(&urls)?;
        let (ended, dialect) = py.detach(|| {
            let State { judge, endings } = &mut *self.state();
            (endings.of(judge, &urls), *judge.snapshot().dialect())
        });
        in_words(py, ended, &dialect)
    }
}

/// Decide URLs by the rules of one crawler in one file, which is entry 0.
#[pyfunction]
#[pyo3(signature = (agent, urls, used=None))]
pub fn _endings_by_agent<'py>(
    py: Python<'py>,
    agent: &Bound<'py, Agent>,
    urls: &Bound<'py, PyList>,
    used: GivenUse<'py>,
) -> PyResult<Decided<'py>> {
    let urls = urls_of(urls)?;
    let urls = bytes_of_each(&urls)?;
    let used = use_of(py, used, agent.get().core.file().dialect())?;
    let judge = judge_of(agent.get(), used.as_ref());
    let ended = py.detach(|| Endings::new(usize::MAX, true).of_one(&judge, &urls));
    in_words(py, ended, judge.agent.file().dialect())
}

fn in_words<'py>(py: Python<'py>, ended: Ended, dialect: &CoreDialect) -> PyResult<Decided<'py>> {
    let words = |ending: Ending| -> PyResult<Words<'py>> {
        let reason = ending.row.reason();
        let rule = ending.rule.map(|(allow, value)| Ok::<_, PyErr>((allow, text(py, &value)?)));
        Ok((
            ending.entry,
            reason.and(ending.row.allowed()),
            reason.map(|reason| reason.name()),
            reason.map(|reason| reason.section(dialect)),
            ending.row.line(),
            rule.transpose()?,
            ending.row.used(),
        ))
    };
    let fresh = ended.fresh.into_iter().map(words).collect::<PyResult<_>>()?;
    Ok((PyList::new(py, ended.numbers)?, ended.first, fresh))
}

fn urls_of<'py>(urls: &Bound<'py, PyList>) -> PyResult<Vec<Bound<'py, PyString>>> {
    urls.iter().map(|url| Ok(string("url", &url)?.clone())).collect()
}

fn bytes_of_each<'a>(urls: &'a [Bound<'_, PyString>]) -> PyResult<Vec<Cow<'a, [u8]>>> {
    urls.iter().map(bytes_of).collect()
}
