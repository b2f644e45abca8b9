//! The core's errors as Python exceptions, with a hint if there is a remedy.
//!
//! The exception classes live in `verger.errors`; they are looked up when the first one is raised.

use pyo3::prelude::*;
use pyo3::types::PyList;

use verger_core::internal::{meant, Meant};
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

/// A text that is not a URL or path that can be decided.
#[cold]
pub fn invalid_target(py: Python<'_>, url: &[u8], why: InvalidTarget) -> PyErr {
    let hint = match why {
        InvalidTarget::NoScheme => hint_for_bare(py, url, ", or a path that begins with `/`"),
        InvalidTarget::NoOrigin => hint_for_bare(py, url, ""),
        _ => "pass a URL such as `https://example.com/page`".into(),
    };
    let message =
        format!("`{}` is not a URL to ask about: {why} (RFC 3986 section 3)", shorten(py, url));
    make(py, "InvalidTarget", message, Some(hint))
}

/// A text that cannot be the URL of a robots.txt file.
#[cold]
pub fn invalid_file_url(py: Python<'_>, url: &str, why: InvalidTarget) -> PyErr {
    let message =
        format!("`{}` is not a URL of a file: {why} (RFC 3986 section 3)", shorten(py, url));
    let hint = "pass the URL that was requested, such as `https://example.com/robots.txt`";
    make(py, "InvalidTarget", message, Some(hint.into()))
}

/// What to pass in place of a text without a scheme, which may be a bare host; `or` says what else.
fn hint_for_bare(py: Python<'_>, url: &[u8], or: &str) -> String {
    let url = String::from_utf8_lossy(url);
    let bare = url.trim();
    let looks_like_host =
        bare.contains('.') && !bare.contains([':', ' ']) && !bare.starts_with('/');
    match looks_like_host {
        true => format!("pass `https://{}`{or}", shorten(py, bare)),
        false if or.is_empty() => "pass an absolute URL such as `https://example.com/page`".into(),
        false => format!("pass an absolute URL{or}"),
    }
}

/// A text that is not a product token.
#[cold]
pub fn invalid_token(py: Python<'_>, token: &[u8], why: InvalidProductToken) -> PyErr {
    let (shown, why) = (shorten(py, token), fault_of(py, why));
    let message = format!("`{shown}` is not a product token: {why} (RFC 9309 section 2.2.1)");
    make(py, "InvalidProductToken", message, Some(token_hint(py, &String::from_utf8_lossy(token))))
}

/// What is wrong with a product token; its character is escaped as the token itself is.
fn fault_of(py: Python<'_>, why: InvalidProductToken) -> String {
    match why {
        InvalidProductToken::BadCharacter { character, offset } => {
            format!("`{}` at offset {offset}", shorten(py, character.to_string()))
        }
        other => other.to_string(),
    }
}

fn token_hint(py: Python<'_>, token: &str) -> String {
    match meant(token) {
        Meant::One(name) => format!("pass `{}`", shorten(py, name)),
        Meant::Several(names) => {
            let shown: Vec<String> = names.iter().take(3).map(|name| shorten(py, name)).collect();
            let more = if names.len() > shown.len() { ", …" } else { "" };
            format!("pass several tokens as a sequence: `[\"{}\"{more}]`", shown.join("\", \""))
        }
        Meant::Unknown => "pass the crawler's own name, such as `ExampleBot`".into(),
    }
}

/// More tokens than any crawler has.
#[cold]
pub fn too_many_tokens(py: Python<'_>, most: usize) -> PyErr {
    let message = format!("more than {most} product tokens (RFC 9309 section 2.2.1)");
    make(py, "InvalidProductToken", message, Some("pass those of one crawler".into()))
}

/// No token at all.
#[cold]
pub fn no_token(py: Python<'_>) -> PyErr {
    let message = "no product token was given (RFC 9309 section 2.2.1)".into();
    make(py, "InvalidProductToken", message, Some("pass one or more, such as `ExampleBot`".into()))
}

/// A question about another origin than the file's.
#[cold]
pub fn out_of_scope(py: Python<'_>, url: &[u8], file: &str, governs: Option<String>) -> PyErr {
    let (url, file) = (shorten(py, url), shorten(py, file));
    let (reach, hint) = match governs {
        Some(origin) => (
            format!("it governs only `{origin}`"),
            "use the robots.txt file of the URL's own scheme, host and port".to_string(),
        ),
        None => (
            "only `/robots.txt` at the root of an http, https or ftp origin governs".into(),
            "parse the file with the URL of the origin's `/robots.txt`".into(),
        ),
    };
    let message =
        format!("`{url}` is out of the scope of `{file}`: {reach} (RFC 9309 section 2.3)");
    make(py, "OutOfScope", message, Some(hint))
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

/// The hint of a function of `verger.plain` for a word that is not among the known ones.
fn hint_of(py: Python<'_>, function: &str, word: &str, known: &[&str]) -> Option<String> {
    let hints = py.import("verger.plain").and_then(|plain| plain.getattr(function)).ok()?;
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
