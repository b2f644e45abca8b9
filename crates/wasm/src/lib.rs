//! The bindings for JavaScript, which translate and never decide.
//!
//! In: bytes, and the name of a dialect. Out: answers and views of a file as [JSON](json), which the
//! package `npm/` makes values of, and complaints as the JSON of their class, message and hint. Texts
//! come as bytes, because JavaScript would lose what is not UTF-8; several of them come as one, with
//! the end of each.

mod agent;
#[cfg(feature = "analysis")]
mod analysis;
mod dialect;
mod explanation;
mod held;
mod json;
mod scratch;
mod source;
mod tokens;
mod uses;
mod values;

use verger_core::internal::Complaint;
use verger_core::{Origin, Scope};
use wasm_bindgen::prelude::*;

use crate::json::{object, Json, Text};

/// The version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}

/// The product token in an identification string, if there is one.
#[wasm_bindgen]
pub fn product_token(header: &[u8]) -> Option<String> {
    let header = String::from_utf8_lossy(header);
    verger_core::product_token(&header).map(str::to_string)
}

/// The name that the value of a start-group line begins with, or an empty text.
#[wasm_bindgen]
pub fn leading_name(value: &[u8]) -> String {
    verger_core::internal::leading_name(&String::from_utf8_lossy(value)).into()
}

/// The origin of a URL, as JSON text.
#[wasm_bindgen]
pub fn origin(url: &[u8]) -> Result<String, String> {
    let found = Origin::governed(url);
    found.map(|found| found.to_string().text()).map_err(|why| of_target(url, why))
}

/// The URL that a client requests for a URL, as JSON text; none if it is the same.
#[wasm_bindgen]
pub fn requested_url(url: &[u8]) -> Result<Option<String>, String> {
    let found = verger_core::requested_url(url).map_err(|why| of_target(url, why))?;
    Ok((*found != *url).then(|| Text(&found).text()))
}

/// Whether a URL is that of a file that governs an origin.
#[wasm_bindgen]
pub fn is_robots_txt(url: &[u8]) -> bool {
    Scope::is_of_file(url)
}

fn of_target(url: &[u8], why: verger_core::InvalidTarget) -> String {
    told(Complaint::of_target(url, why, &shown))
}

/// A complaint, as JSON.
#[cold]
fn told(complaint: Complaint) -> String {
    let mut out = String::new();
    let Complaint { class, message, hint } = complaint;
    object!(&mut out, "class": class, "message": message, "hint": hint);
    out
}

/// Untrusted text between marks, with which JavaScript makes it visible and shortens it: only it
/// knows every invisible character.
fn shown(text: &[u8]) -> String {
    let mut shown = String::from(BEGINS);
    for chunk in text.utf8_chunks() {
        shown.push_str(&chunk.valid().replace([BEGINS, ENDS], "\u{FFFD}"));
        shown.extend(chunk.invalid().iter().filter_map(|byte| stand_in(*byte)));
    }
    shown.push(ENDS);
    shown
}

/// Characters for private use, around what is to be shown.
const BEGINS: char = '\u{F0000}';
const ENDS: char = '\u{F0001}';

/// The character for private use that stands for a byte.
fn stand_in(byte: u8) -> Option<char> {
    char::from_u32(0xF0100 + u32::from(byte))
}
