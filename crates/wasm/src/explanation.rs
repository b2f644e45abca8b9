//! An explanation, and words for reasons, as JSON.

use verger_core::internal::{verdict, Explanation, Part, Section, Word, REASONS, SILENT};
use wasm_bindgen::prelude::*;

use crate::json::{object, Items, Json, Text};

/// What each reason of an answer is called, as pairs of its name and its words; and what an answer
/// is called that allows, one that does not, and one that no line gives.
#[wasm_bindgen]
pub fn words() -> String {
    let verdicts = [Some(true), Some(false), None].map(|allowed| verdict(allowed, SILENT));
    (Items(REASONS.iter().copied()), verdicts).text()
}

/// Append an explanation.
pub fn write(told: Explanation, remarks: Vec<Part>, out: &mut String) {
    object!(out, "because": told.because, "widest": told.widest, "lines": told.lines,
        "remarks": remarks);
}

impl Json for Part {
    fn write(&self, out: &mut String) {
        let (number, sections, said) = match self {
            Part::Line(number, sections) => (Some(*number), &sections[..], None),
            Part::Marks(sections, said, _) => (None, &sections[..], Some(said)),
            Part::Target(sections, _) => (None, &sections[..], None),
            Part::Remark(said) => (None, &[][..], Some(said)),
        };
        object!(out, "number": number, "sections": Items(sections.iter().map(Shown)), "said": said);
    }
}

/// The most characters to show, and the pieces with their marks.
#[derive(Clone)]
struct Shown<'s>(&'s Section);

impl Json for Shown<'_> {
    fn write(&self, out: &mut String) {
        let (most, pieces) = self.0;
        let pieces = pieces.iter().map(|(text, mark)| (Text(text), mark.to_string()));
        (*most, Items(pieces)).write(out);
    }
}

/// A text of ours; or untrusted text with the most characters to show, null between backticks.
impl Json for Word {
    fn write(&self, out: &mut String) {
        match self {
            Word::Own(text) => text.write(out),
            Word::Text(text, most) => (Text(text), Some(*most)).write(out),
            Word::Quoted(text) => (Text(text), None::<usize>).write(out),
        }
    }
}
