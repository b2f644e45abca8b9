//! Dialects, as texts: a name such as `rfc9309` or `rfc9309+tie=disallow`, and for each knob that
//! differs a line such as `c:tie=disallow`, whose letter tells the kind of its value.

use verger_core::dialect::{Knob, KnobValue, KNOBS};
use verger_core::{Dialect, Field, Fields, Misspelt, DIALECTS, RFC9309};
use wasm_bindgen::prelude::*;

use crate::json::{object, Items, Json, Written};

/// The dialect of a text; what it cannot be is left out, since [`dialect_has`] was asked before.
pub fn of(text: &str) -> Dialect {
    let mut parts = text.split('\n');
    let base = parts.next().and_then(|name| Dialect::of_name(name).ok()).unwrap_or(RFC9309);
    parts.fold(base, |dialect, part| changed(dialect, part).unwrap_or(dialect))
}

fn changed(dialect: Dialect, part: &str) -> Option<Dialect> {
    let (kind, rest) = part.split_once(':')?;
    let (name, value) = rest.split_once('=')?;
    let knob = KNOBS.iter().find(|knob| knob.name == name)?;
    dialect.with(name, &read(kind, value, knob)?)
}

fn read(kind: &str, value: &str, knob: &Knob) -> Option<KnobValue> {
    Some(match kind {
        "b" => KnobValue::Bool(value == "true"),
        "n" if matches!(RFC9309.get(knob.name)?, KnobValue::Limit(_)) => {
            KnobValue::Limit(Some(value.parse().ok()?))
        }
        "n" => KnobValue::Number(value.parse().ok()?),
        "l" => KnobValue::Limit(None),
        "c" => KnobValue::Choice(knob.choices.iter().find(|choice| **choice == value)?),
        "f" => KnobValue::Fields(fields(value)?),
        _ => return None,
    })
}

fn fields(names: &str) -> Option<Fields> {
    let mut names = names.split(',').filter(|name| !name.is_empty());
    names.try_fold(Fields::NONE, |fields, name| {
        Some(fields.with(Fields::EVERY.iter().find(|field| field.name() == name)?))
    })
}

/// Whether a dialect can have a knob with such a value.
#[wasm_bindgen]
pub fn dialect_has(dialect: &str, part: &str) -> bool {
    changed(of(dialect), part).is_some()
}

/// What means nothing in the name of a dialect, as JSON: of what kind it is, its knob, and its text;
/// null for a good name.
#[wasm_bindgen]
pub fn misspelt(name: &str) -> String {
    let Err(why) = Dialect::of_name(name) else { return "null".into() };
    let (kind, knob, text) = match why {
        Misspelt::Dialect(name) => ("dialect", "", name),
        Misspelt::Knob(name) => ("knob", name, name),
        Misspelt::Value(knob, value) => ("value", knob, value),
    };
    [kind, knob, text].text()
}

/// Name, title and knobs of a dialect, as JSON.
#[wasm_bindgen]
pub fn dialect_facts(dialect: &str) -> String {
    let core = of(dialect);
    let knobs = Written(|out: &mut String| write_knobs(&core, out));
    let mut out = String::new();
    object!(&mut out, "name": core.derived_name(), "title": core.law.title(), "knobs": knobs);
    out
}

fn write_knobs(dialect: &Dialect, out: &mut String) {
    let mut before = '{';
    for knob in KNOBS {
        let Some(value) = dialect.get(knob.name) else { continue };
        out.push(before);
        knob.name.write(out);
        out.push(':');
        write_value(&value, out);
        before = ',';
    }
    out.push('}');
}

fn write_value(value: &KnobValue, out: &mut String) {
    match value {
        KnobValue::Bool(yes) => yes.write(out),
        KnobValue::Limit(limit) => limit.write(out),
        KnobValue::Number(number) => number.write(out),
        KnobValue::Choice(choice) => choice.write(out),
        KnobValue::Fields(fields) => Items(fields_of(*fields).iter().map(|f| f.name())).write(out),
    }
}

fn fields_of(fields: Fields) -> Vec<Field> {
    fields.iter().collect()
}

/// The names of the dialects, the knobs, and the extension fields, as JSON.
#[wasm_bindgen]
pub fn dialects() -> String {
    let mut out = String::new();
    let names = Items(DIALECTS.iter().map(|dialect| dialect.name));
    let knobs = Items(KNOBS.iter().map(|knob| Written(|out: &mut String| write_knob(knob, out))));
    let fields = fields_of(Fields::EVERY);
    let fields = Items(fields.iter().map(|field| field.name()));
    object!(&mut out, "names": names, "knobs": knobs, "fields": fields);
    out
}

fn write_knob(knob: &Knob, out: &mut String) {
    let choices = Written(|out: &mut String| match knob.is_bool {
        true => out.push_str("[true,false]"),
        false => knob.choices.write(out),
    });
    let meanings = Items(knob.meanings.iter().map(|meaning| meaning.trim()));
    object!(out, "name": knob.name, "doc": knob.doc.trim(), "source": knob.source,
        "choices": choices, "meanings": meanings);
}
