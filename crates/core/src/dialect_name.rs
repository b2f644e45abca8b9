//! Names of dialects: a named one, and what differs from it, as in `rfc9309+tie=disallow`.
//!
//! In: such a name. Out: the [`Dialect`], or the part that means nothing; and the name of a dialect.
//! A field by itself is read in addition, as in `rfc9309+content-usage`.

use crate::dialect::{Dialect, Knob, KnobValue, KNOBS};
use crate::field::{Field, Fields};

/// The part of a name that means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misspelt<'n> {
    /// There is no dialect of this name.
    Dialect(&'n str),
    /// There is no knob or extension field of this name.
    Knob(&'n str),
    /// The knob has no such value.
    Value(&'static str, &'n str),
}

impl Dialect {
    /// The dialect of a name.
    pub fn of_name(name: &str) -> Result<Dialect, Misspelt<'_>> {
        let mut parts = name.split('+');
        let base = parts.next().unwrap_or_default();
        let base = *Dialect::named(base).ok_or(Misspelt::Dialect(base))?;
        parts.try_fold(base, Dialect::changed)
    }

    fn changed(self, part: &str) -> Result<Dialect, Misspelt<'_>> {
        let Some((name, value)) = part.split_once('=') else {
            let field = extension(part).ok_or(Misspelt::Knob(part))?;
            return Ok(Dialect { extensions: self.extensions.with(field), ..self });
        };
        let knob = KNOBS.iter().find(|knob| knob.name == name).ok_or(Misspelt::Knob(name))?;
        let read = self.get(name).and_then(|now| read(&now, knob, value));
        read.and_then(|value| self.with(name, &value)).ok_or(Misspelt::Value(knob.name, value))
    }

    /// This dialect with the knobs changed in which another differs from the one that it derives
    /// from.
    pub fn changed_as(self, other: &Dialect) -> Dialect {
        let base = Dialect::named(other.name).unwrap_or(other);
        KNOBS.iter().fold(self, |own, knob| {
            let [now, before] = [other, base].map(|dialect| dialect.get(knob.name));
            match (now, before) {
                (now, before) if now == before => own,
                (Some(KnobValue::Fields(now)), Some(KnobValue::Fields(before))) => {
                    let left =
                        own.extensions.iter().filter(|f| now.contains(*f) || !before.contains(*f));
                    let added = now.iter().filter(|field| !before.contains(*field));
                    let extensions = left.chain(added).fold(Fields::NONE, Fields::with);
                    Dialect { extensions, ..own }
                }
                (Some(now), _) => own.with(knob.name, &now).unwrap_or(own),
                (None, _) => own,
            }
        })
    }

    /// The name of the named dialect that this one derives from, and what differs.
    pub fn derived_name(&self) -> String {
        let mut name = self.name.to_string();
        let base = Dialect::named(self.name);
        for knob in KNOBS {
            match (self.get(knob.name), base.and_then(|base| base.get(knob.name))) {
                (Some(KnobValue::Fields(now)), Some(KnobValue::Fields(before)))
                    if before.iter().all(|field| now.contains(field)) =>
                {
                    let added = now.iter().filter(|field| !before.contains(*field));
                    added.for_each(|field| name.push_str(&format!("+{}", field.name())));
                }
                (Some(value), before) if before.as_ref() != Some(&value) => {
                    name.push_str(&format!("+{}={}", knob.name, written(&value)));
                }
                _ => {}
            }
        }
        name
    }
}

fn extension(name: &str) -> Option<Field> {
    Fields::EVERY.iter().find(|field| field.name() == name)
}

/// A value as a name has it; `now` tells its kind.
fn read(now: &KnobValue, knob: &Knob, text: &str) -> Option<KnobValue> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    Some(match now {
        KnobValue::Bool(_) if is("true") || is("false") => KnobValue::Bool(is("true")),
        KnobValue::Bool(_) => return None,
        KnobValue::Limit(_) if is("none") => KnobValue::Limit(None),
        KnobValue::Limit(_) => KnobValue::Limit(Some(text.parse().ok()?)),
        KnobValue::Number(_) => KnobValue::Number(text.parse().ok()?),
        KnobValue::Choice(_) => KnobValue::Choice(knob.choices.iter().find(|one| **one == text)?),
        KnobValue::Fields(_) => {
            let mut names = text.split(',').filter(|name| !name.is_empty());
            let all = |fields: Fields, name| extension(name).map(|field| fields.with(field));
            KnobValue::Fields(names.try_fold(Fields::NONE, all)?)
        }
    })
}

/// A value as a name has it, in every language.
fn written(value: &KnobValue) -> String {
    match value {
        KnobValue::Bool(true) => "True".into(),
        KnobValue::Bool(false) => "False".into(),
        KnobValue::Limit(None) => "None".into(),
        KnobValue::Limit(Some(number)) | KnobValue::Number(number) => number.to_string(),
        KnobValue::Choice(choice) => (*choice).into(),
        KnobValue::Fields(fields) => fields.iter().map(Field::name).collect::<Vec<_>>().join(","),
    }
}
