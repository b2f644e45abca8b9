//! Decisions about lists of URLs, for writers of rows with every detail.

use std::borrow::Cow;
use std::io;
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use verger_bulk::column::Bytes;
use verger_bulk::endings::{found, missing, places, Ended, Ending, Endings};
use verger_bulk::judge::ManyFiles;
use verger_bulk::snapshot::{NoEntry, Ruling, Snapshot};
use verger_core::internal::Binding;
use verger_core::Dialect as CoreDialect;

use crate::agent::Agent;
use crate::bulk::capsule::{not_understood, pieces_of};
use crate::bulk::column::ColumnOf;
use crate::bulk::decide::{judge_of, use_of, GivenUse};
use crate::bulk::plain_lines::PlainUrls;
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

/// What each row of an ending says: what is known about the origin, whether it is allowed, the
/// reason, the section, the line, the rule, and whether the use that was asked about is allowed; all
/// except the first and the last are None if a policy decides, and all are None without an answer.
pub type Words<'py> = (
    Option<u32>,
    Option<bool>,
    Option<&'static str>,
    Option<&'static str>,
    Option<u32>,
    Option<(bool, Bound<'py, PyString>)>,
    Option<bool>,
);

/// The origins of rows, the numbers of their endings, that of the first ending that is new, and
/// those endings. Numbers are native integers of four bytes.
pub type Decided<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, u32, Vec<Words<'py>>);

impl RowJudge {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl RowJudge {
    /// `binding` names the crawlers that it follows, and says whether it follows `*`; `most_bytes`
    /// limits the memory of parsed files, and four times that of their bytes; `most_endings` the
    /// endings that are remembered; `by_rule` says whether there is an ending for each rule.
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
        let empty = Snapshot::empty(&dialect.get().core);
        let snapshot = Arc::new(empty.within(most_bytes / 4));
        let judge = ManyFiles::new(snapshot, tokens.clone(), most_bytes)
            .map_err(|(at, why)| invalid_token(py, &tokens[at], why))?;
        let binding = Binding { follows: names_of(py, binding.0)?, by_star: binding.1 };
        let used = use_of(py, used, &dialect.get().core)?;
        let judge = judge.bound_by(binding).asked_for(used);
        let state = State { judge, endings: Endings::new(most_endings, by_rule) };
        Ok(RowJudge { state: Mutex::new(state) })
    }

    /// Decide URLs, given as lists, as columns of Arrow or as those of lines; `learn` takes the
    /// origins that are not known yet, in their order, and yields for each the number of what is
    /// known about it, and the bytes of its file, or None if a policy applies. Raises what `learn`
    /// raises, and OSError if a temporary file fails.
    fn decide<'py>(
        &self,
        py: Python<'py>,
        urls: &Bound<'py, PyList>,
        learn: &Bound<'py, PyAny>,
    ) -> PyResult<Decided<'py>> {
        let given = urls.iter().map(|urls| Given::of(&urls)).collect::<PyResult<Vec<_>>>()?;
        let texts = given.iter().map(Given::texts).collect::<PyResult<Vec<_>>>()?;
        let urls: Vec<&[u8]> = texts.iter().flatten().map(|url| &**url).collect();
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let (mut placed, unknown) = py.detach(|| {
            let placed = places(&self.state().judge, &urls, threads);
            let unknown = missing(&urls, &placed);
            (placed, unknown)
        });
        if !unknown.is_empty() {
            self.learn(py, unknown, learn)?;
        }
        let (ended, dialect, failure) = py.detach(|| {
            let State { judge, endings } = &mut *self.state();
            found(judge, &urls, &mut placed);
            let ended = endings.of(judge, &urls, &placed, threads);
            (ended, *judge.snapshot().dialect(), judge.snapshot().take_failure())
        });
        failure.map_or(Ok(()), Err::<(), io::Error>)?;
        in_words(py, ended, &dialect)
    }
}

impl RowJudge {
    fn learn(&self, py: Python<'_>, names: Vec<Vec<u8>>, learn: &Bound<'_, PyAny>) -> PyResult<()> {
        let told = names.iter().map(|name| text(py, name)).collect::<PyResult<Vec<_>>>()?;
        for (name, learnt) in names.iter().zip(learn.call1((told,))?.try_iter()?) {
            let (facts, body): (u32, Option<Bound<'_, PyAny>>) = learnt?.extract()?;
            let body = body.as_ref().map(body_bytes).transpose()?;
            let ruling = match body {
                Some(_) => Ruling::Rules,
                None => Ruling::Policy { allowed: false, reason: 0 },
            };
            let State { judge, endings } = &mut *self.state();
            let added = judge.add(name, ruling, &body.unwrap_or_default());
            added.map_err(|why: NoEntry| refused(py, name, why))?;
            endings.know(facts);
        }
        Ok(())
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
    let given = Given::Texts(urls_of(urls)?);
    let texts = given.texts()?;
    let urls: Vec<&[u8]> = texts.iter().map(|url| &**url).collect();
    let used = use_of(py, used, agent.get().core.file().dialect())?;
    let judge = judge_of(agent.get(), used.as_ref());
    let ended = py.detach(|| Endings::new(usize::MAX, true).of_one(&judge, &urls));
    in_words(py, ended, judge.agent.file().dialect())
}

/// Whether every value of a column is a URL as it would stand on a line of its own.
#[pyfunction]
pub fn _are_lines(py: Python<'_>, column: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Given::Column(pieces) = Given::of(column)? else { return Ok(false) };
    Ok(py.detach(|| pieces.iter().all(Bytes::are_lines)))
}

/// URLs as they come.
enum Given<'py> {
    Texts(Vec<Bound<'py, PyString>>),
    Column(Vec<Bytes>),
    Lines(Bound<'py, PlainUrls>),
}

impl<'py> Given<'py> {
    fn of(urls: &Bound<'py, PyAny>) -> PyResult<Given<'py>> {
        if let Ok(list) = urls.cast::<PyList>() {
            return Ok(Given::Texts(urls_of(list)?));
        }
        if let Ok(lines) = urls.cast::<PlainUrls>() {
            return Ok(Given::Lines(lines.clone()));
        }
        let mut pieces = pieces_of(urls, "urls", "a list or a column of URLs")?;
        let column = ColumnOf::find(urls.py(), pieces.field(), b"url")?;
        let mut found = Vec::new();
        while let Some(piece) = pieces.next().map_err(not_understood)? {
            found.push(column.bytes(&piece).map_err(not_understood)?);
        }
        Ok(Given::Column(found))
    }

    /// The bytes of each; those of a null are empty.
    fn texts(&self) -> PyResult<Vec<Cow<'_, [u8]>>> {
        match self {
            Given::Texts(urls) => urls.iter().map(bytes_of).collect(),
            Given::Lines(lines) => Ok(lines.get().urls().map(Cow::Borrowed).collect()),
            Given::Column(pieces) => {
                let rows =
                    pieces.iter().flat_map(|piece| (0..piece.len()).map(|row| piece.get(row)));
                Ok(rows.map(|url| Cow::Borrowed(url.unwrap_or_default())).collect())
            }
        }
    }
}

fn in_words<'py>(py: Python<'py>, ended: Ended, dialect: &CoreDialect) -> PyResult<Decided<'py>> {
    let words = |ending: Ending| -> PyResult<Words<'py>> {
        let reason = ending.row.reason();
        let rule = ending.rule.map(|(allow, value)| Ok::<_, PyErr>((allow, text(py, &value)?)));
        Ok((
            ending.facts,
            reason.and(ending.row.allowed()),
            reason.map(|reason| reason.name()),
            reason.map(|reason| reason.section(dialect)),
            ending.row.line(),
            rule.transpose()?,
            ending.row.used(),
        ))
    };
    let fresh = ended.fresh.into_iter().map(words).collect::<PyResult<_>>()?;
    let native = |numbers: &[u32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        PyBytes::new(py, &bytes)
    };
    Ok((native(&ended.origins), native(&ended.numbers), ended.first, fresh))
}

fn urls_of<'py>(urls: &Bound<'py, PyList>) -> PyResult<Vec<Bound<'py, PyString>>> {
    urls.iter().map(|url| Ok(string("url", &url)?.clone())).collect()
}
