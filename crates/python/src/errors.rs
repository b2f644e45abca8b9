//! The core's errors as Python exceptions, with a hint if there is a remedy.
//!
//! The exception classes live in `verger.errors`; they are looked up when the first one is raised.

use pyo3::prelude::*;
use pyo3::types::PyList;

use verger_core::internal::{Complaint, Show};
use verger_core::{InvalidProductToken, InvalidTarget};

use crate::text::{shorten, told};

/// Make an exception of a class in `verger.errors`.
#[cold]
fn make(py: Python<'_>, class: &str, message: String, hint: Option<String>) -> PyErr {
    let made = || py.import("verger.errors")?.getattr(class)?.call1((message, hint));
    made().map_or_else(|error: PyErr| error, PyErr::from_value)
}

/// An option that cannot be used.
#[cold]
pub fn invalid_option(py: Python<'_>, message: String, hint: String) -> PyErr {
    make(py, "InvalidOption", message, Some(hint))
}

/// What the core complains about.
#[cold]
pub fn complain(py: Python<'_>, told: impl FnOnce(Show) -> Complaint) -> PyErr {
    let Complaint { class, message, hint } = told(&|text| shorten(py, text));
    make(py, class, message, Some(hint))
}

/// A text that is not a URL or path that can be decided.
#[cold]
pub fn invalid_target(py: Python<'_>, url: &[u8], why: InvalidTarget) -> PyErr {
    complain(py, |show| Complaint::of_target(url, why, show))
}

/// A text that is not a product token.
#[cold]
pub fn invalid_token(py: Python<'_>, token: &[u8], why: InvalidProductToken) -> PyErr {
    complain(py, |show| Complaint::of_token(token, why, show))
}

/// More tokens than any crawler has.
#[cold]
pub fn too_many_tokens(py: Python<'_>, most: usize) -> PyErr {
    complain(py, |_| Complaint::of_too_many_tokens(most))
}

/// A table, or a column of it, that cannot be read. Both texts may contain names, types and errors
/// of the library that made it.
#[cold]
pub fn invalid_table(py: Python<'_>, message: String, hint: Option<String>) -> PyErr {
    make(py, "InvalidTable", told(py, message), hint.map(|hint| told(py, hint)))
}

/// An unknown name, with the closest known one.
#[cold]
pub fn unknown_name(py: Python<'_>, what: &str, name: &str, known: &[&str]) -> PyErr {
    let hint = hint_of(py, "choice_hint", name, known);
    make(py, "UnknownName", format!("unknown {what} `{}`", shorten(py, name)), hint)
}

/// The same where the known names are too many for a hint, unless one is close.
#[cold]
pub fn unknown_close_name(py: Python<'_>, what: &str, name: &str, known: &[&str]) -> PyErr {
    let hint = hint_of(py, "close_hint", name, known);
    make(py, "UnknownName", format!("unknown {what} `{}`", shorten(py, name)), hint)
}

/// An unknown use, with all that are known.
#[cold]
pub fn unknown_use(py: Python<'_>, name: &str, known: &[&str]) -> PyErr {
    let message = format!("unknown use `{}`", shorten(py, name));
    make(py, "UnknownName", message, Some(format!("choose from {}", quote_all(known))))
}

/// A name that a derived dialect cannot have.
#[cold]
pub fn bad_dialect_name(py: Python<'_>, name: &str, why: &str) -> PyErr {
    let message = format!("dialect name `{}` {why}", shorten(py, name));
    let hint = "pass a name of your own, such as `mine`, or omit it";
    make(py, "InvalidOption", message, Some(hint.into()))
}

/// A value that a knob does not have.
#[cold]
pub fn bad_value(py: Python<'_>, knob: &str, value: &str, expected: &str, known: &[&str]) -> PyErr {
    let message =
        format!("`{}` is not a value of `{knob}`: expected {expected}", shorten(py, value));
    make(py, "UnknownName", message, hint_of(py, "close_hint", value, known))
}

/// The hint of a function of `verger.untrusted_text` for a word that is not among the known ones.
fn hint_of(py: Python<'_>, function: &str, word: &str, known: &[&str]) -> Option<String> {
    let hints =
        py.import("verger.untrusted_text").and_then(|plain| plain.getattr(function)).ok()?;
    hints.call1((word, PyList::new(py, known).ok()?)).ok()?.extract().ok()?
}

/// A parsing limit that would open what stands behind it.
pub fn small_limit(py: Python<'_>, limit: u64, least: u64) -> PyErr {
    let message = format!(
        "`parse_limit` is {limit}: rules behind the first {limit} bytes would count for nothing \
         (RFC 9309 section 2.5)"
    );
    let hint = format!("pass at least {least}, or None; tests may add `small_limits=True`");
    make(py, "InvalidOption", message, Some(hint))
}

/// Names in backticks, separated by commas.
pub fn quote_all(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
