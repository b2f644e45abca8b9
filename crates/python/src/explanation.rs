//! Explanations: the parts of one as values of Python, which `verger.showing.excerpt` draws.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use verger_core::internal::{Part, Section, Sentence, Word};

use crate::text::Text;

/// Parts of an explanation.
pub type Parts<'py> = Vec<Bound<'py, PyTuple>>;

/// What Python draws.
pub fn parts(py: Python<'_>, parts: Vec<Part>) -> PyResult<Parts<'_>> {
    parts.into_iter().map(|part| part_of(py, part)).collect()
}

/// The number of a line or None, sections of pieces of text with a mark, words or None, and whether
/// that allows something.
fn part_of(py: Python<'_>, part: Part) -> PyResult<Bound<'_, PyTuple>> {
    let (number, sections, said, allowed) = match part {
        Part::Line(number, sections) => (Some(number), sections, None, None),
        Part::Marks(sections, said, allowed) => (None, sections, Some(said), allowed),
        Part::Target(sections, allowed) => (None, sections, None, Some(allowed)),
        Part::Remark(said) => (None, Vec::new(), Some(said), None),
    };
    let piece = |(text, mark): (Vec<u8>, char)| (PyBytes::new(py, &text).unbind(), mark);
    let section = |(most, pieces): Section| {
        let pieces: Vec<_> = pieces.into_iter().map(piece).collect();
        (most, pieces)
    };
    let sections: Vec<_> = sections.into_iter().map(section).collect();
    let said = said.map(|said| words(py, said)).transpose()?;
    (number, sections, said, allowed).into_pyobject(py)
}

/// Texts of ours; or untrusted ones with the most characters to show, None between backticks.
pub fn words(py: Python<'_>, said: Sentence) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let word = |word: Word| match word {
        Word::Own(text) => Ok(text.into_pyobject(py)?.into_any()),
        Word::Text(text, most) => Ok((Text(text), Some(most)).into_pyobject(py)?.into_any()),
        Word::Quoted(text) => Ok((Text(text), None::<usize>).into_pyobject(py)?.into_any()),
    };
    said.into_iter().map(word).collect()
}
