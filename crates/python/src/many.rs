//! Many answers in one call.
//!
//! URLs are taken from any iterable, chunk by chunk. Their bytes are borrowed from strings that the
//! chunk holds, so that they are decided while other Python threads run. A URL without an answer is
//! named by its position, as if the URLs had been decided one by one.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString};

use verger_core::{Agent as CoreAgent, Refusal};

use crate::source::Source;
use crate::text::{bytes_of, unless_raised, wrong_type};

/// URLs that are held at the same time: some two megabytes, and some milliseconds of work. A
/// thread that lets others run may wait for five milliseconds until it runs again.
const CHUNK: usize = 1 << 16;

/// With this many URLs, other threads may run: fewer are decided before the interpreter would
/// switch to another thread.
const LEAST_SHARED: usize = 512;

/// One bool for each URL, in order.
pub fn allowed_many(
    py: Python<'_>,
    source: &Source,
    agent: &CoreAgent,
    urls: &Bound<'_, PyAny>,
) -> PyResult<Py<PyList>> {
    if urls.is_instance_of::<PyString>() {
        return Err(wrong_type("urls", "an iterable of str", urls));
    }
    let mut items = urls.try_iter().map_err(|error| {
        let wrong = || wrong_type("urls", "an iterable of str", urls);
        unless_raised(error, py).unwrap_or_else(wrong)
    })?;
    let expected = urls.cast::<PyList>().map_or(0, |list| list.len());
    let mut answers = Vec::with_capacity(expected);
    loop {
        let room = (expected - answers.len().min(expected)).min(CHUNK);
        let chunk = Chunk::take(&mut items, answers.len(), room);
        chunk.answer(py, source, agent, &mut answers)?;
        match chunk.end {
            End::Full => {}
            End::Done => return Ok(PyList::new(py, answers)?.unbind()),
            End::Failed(error) => return Err(error),
        }
    }
}

/// Some URLs in a row.
struct Chunk<'py> {
    first: usize,
    urls: Vec<Bound<'py, PyString>>,
    end: End,
}

/// Why a chunk ends.
enum End {
    Full,
    Done,
    /// The iterable or one of its items failed; the URLs before it come first.
    Failed(PyErr),
}

impl<'py> Chunk<'py> {
    fn take(items: &mut Bound<'py, PyIterator>, first: usize, room: usize) -> Self {
        let mut urls = Vec::with_capacity(room);
        while urls.len() < CHUNK {
            let url = match items.next() {
                None => return Chunk { first, urls, end: End::Done },
                Some(Err(error)) => return Chunk { first, urls, end: End::Failed(error) },
                Some(Ok(item)) => item,
            };
            match url.cast_into::<PyString>() {
                Ok(url) => urls.push(url),
                Err(error) => {
                    let item = error.into_inner();
                    let error =
                        at_position(wrong_type("url", "str", &item), first + urls.len(), item.py());
                    return Chunk { first, urls, end: End::Failed(error) };
                }
            }
        }
        Chunk { first, urls, end: End::Full }
    }

    fn answer(
        &self,
        py: Python<'_>,
        source: &Source,
        agent: &CoreAgent,
        answers: &mut Vec<bool>,
    ) -> PyResult<()> {
        let bytes = self.urls.iter().enumerate().map(|(position, url)| {
            bytes_of(url).map_err(|error| at_position(error, self.first + position, py))
        });
        let bytes = bytes.collect::<PyResult<Vec<_>>>()?;
        let refused = match bytes.len() < LEAST_SHARED {
            true => answer_each(source, agent, &bytes, answers),
            false => py.detach(|| answer_each(source, agent, &bytes, answers)),
        };
        refused.map_err(|(position, why)| {
            at_position(source.refuse(py, &bytes[position], why), self.first + position, py)
        })
    }
}

/// Decide until one is refused; return which, and why.
fn answer_each(
    source: &Source,
    agent: &CoreAgent,
    urls: &[Cow<[u8]>],
    answers: &mut Vec<bool>,
) -> Result<(), (usize, Refusal)> {
    for (position, url) in urls.iter().enumerate() {
        let target = source.target(url).map_err(|why| (position, why))?;
        answers.push(agent.check(&target).allowed);
    }
    Ok(())
}

/// Name the position of a bad URL among many.
#[cold]
fn at_position(error: PyErr, position: usize, py: Python<'_>) -> PyErr {
    let note = format!("this was `urls[{position}]`");
    match error.value(py).call_method1("add_note", (note,)) {
        Ok(_) => error,
        Err(other) => other,
    }
}
