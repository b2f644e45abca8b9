//! What rules mean for all URLs at once: what each does, and how two files or crawlers differ.

use verger_core::analysis::{
    exempt, record_changes, said_otherwise, Audience, Change, Changed, Difference, Effect,
    RecordChange, RuleEffect, SaidOtherwise, STEPS,
};
use verger_core::internal::{special_bindings, Binding, Complaint};
use verger_core::{File, Mechanism, Span};
use wasm_bindgen::prelude::*;

use crate::agent::Rules;
use crate::json::{object, Items, Json, Text, Written};
use crate::source::{bound_of, Source};
use crate::values::{rules, FileRule};
use crate::{shown, tokens, told};

/// The most steps that a proof takes, unless the caller says otherwise.
#[wasm_bindgen]
pub fn steps() -> f64 {
    STEPS as f64
}

#[wasm_bindgen]
impl Rules {
    /// What each rule does among the others.
    pub fn effects(&self, steps: f64) -> String {
        let found = self.agent().effects(steps as u64);
        let file = self.agent().file();
        let effect = |one: &RuleEffect, out: &mut String| write_effect(one, file, out);
        Items(found.iter().map(|one| Written(move |out: &mut String| effect(one, out)))).text()
    }

    /// The rules without which no answer changes, and whether they are all.
    pub fn redundant(&self, steps: f64) -> String {
        let (found, is_exact) = self.agent().redundant(Mechanism::CrawlRules, steps as u64);
        let mut out = String::new();
        let rules = rules(self.agent().file(), found.iter().copied());
        object!(&mut out, "rules": rules, "isExact": is_exact);
        out
    }

    /// The rules of which each can be removed alone.
    #[wasm_bindgen(js_name = redundantAlone)]
    pub fn redundant_alone(&self, steps: f64) -> String {
        let found = self.agent().redundant_alone(steps as u64);
        let mut out = String::new();
        rules(self.agent().file(), found.iter().copied()).write(&mut out);
        out
    }

    /// How the answers of another crawler, or of the same in another file, differ.
    pub fn difference(&self, other: &Rules, steps: f64) -> String {
        let found = self.agent().difference(other.agent(), steps as u64);
        let files = [self.agent().file(), other.agent().file()];
        let mut out = String::new();
        write_difference(&found, files, &mut out);
        out
    }

    /// The parts of a region for which nothing changed between this crawler and another.
    pub fn exempt(&self, other: &Rules, opened: bool, region: &[u8], steps: f64) -> String {
        let found = exempt(opened, region, [self.agent(), other.agent()], steps as u64);
        let mut out = String::new();
        object!(&mut out, "parts": Items(found.parts.iter().map(|part| Text(part))),
            "isExact": found.is_exact, "steps": found.steps);
        out
    }
}

#[wasm_bindgen]
impl Source {
    /// What a new version of the file changes for each set of crawlers that both treat alike, or
    /// for some; `following` are crawlers, each with the number of those that it follows, these,
    /// and whether `*` binds it then.
    pub fn changes(
        &self,
        new: &Source,
        asked: &[u8],
        asked_ends: &[u32],
        bindings: Bindings,
        steps: f64,
    ) -> Result<String, String> {
        let files = [self.file(), new.file()];
        let asked = texts(asked, asked_ends);
        let audience = Audience::new(asked, bindings.0, files[0].dialect());
        let audience = audience
            .map_err(|(token, why)| told(Complaint::of_token(token.as_bytes(), why, &shown)))?;
        let found = files[0].changes(files[1], &audience, steps as u64);
        let write = |one: &Changed, out: &mut String| write_changed(one, files, out);
        let sets = found.iter().map(|one| Written(move |out: &mut String| write(one, out)));
        Ok(Items(sets).text())
    }
}

#[wasm_bindgen]
impl Source {
    /// What records other than rules say otherwise to crawlers in a new version of the file, and the
    /// records of the whole file that only one version has.
    pub fn other_records(
        &self,
        new: &Source,
        words: &[u8],
        ends: &[u32],
    ) -> Result<String, String> {
        let (words, files) = (tokens::split(words, ends), [self.file(), new.file()]);
        let bound = bound_of(&words, self.file().dialect())?;
        let values = said_otherwise(&bound, files[0], files[1]);
        let records = record_changes(files[0], files[1]);
        let value = |one: &SaidOtherwise, out: &mut String| {
            let tokens = one.crawlers.iter().map(|at| Text(words[*at]));
            object!(out, "field": one.field, "before": one.before, "after": one.after,
                "tokens": Items(tokens));
        };
        let record = |one: &RecordChange, out: &mut String| {
            let of = |span: Span| Text(span.of(files[usize::from(one.added)].bytes()));
            object!(out, "field": one.field.name(), "key": of(one.key), "value": of(one.raw),
                "added": one.added, "line": one.line);
        };
        let mut out = String::new();
        let values = values.iter().map(|one| Written(move |out: &mut String| value(one, out)));
        let records = records.iter().map(|one| Written(move |out: &mut String| record(one, out)));
        object!(&mut out, "values": Items(values), "records": Items(records));
        Ok(out)
    }
}

/// The crawlers that do not only follow the groups that name them, else those of `*`, by their tokens
/// in lower case.
#[wasm_bindgen]
pub fn followers() -> String {
    let write = |(token, binding): (&str, Binding<&str>), out: &mut String| {
        let Binding { follows, by_star } = binding;
        object!(out, "token": token, "follows": Items(follows.iter().copied()), "byStar": by_star);
    };
    let each =
        special_bindings().map(|one| Written(move |out: &mut String| write(one.clone(), out)));
    Items(each).text()
}

/// Whose groups crawlers follow if none names them.
#[wasm_bindgen]
#[derive(Default)]
pub struct Bindings(Vec<(String, Binding)>);

#[wasm_bindgen]
impl Bindings {
    /// None yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Bindings {
        Bindings::default()
    }

    /// Add a crawler, with those that it follows, and whether `*` binds it then.
    pub fn add(&mut self, token: String, follows: &[u8], ends: &[u32], by_star: bool) {
        self.0.push((token, Binding { follows: texts(follows, ends), by_star }));
    }
}

fn texts(words: &[u8], ends: &[u32]) -> Vec<String> {
    let words = tokens::split(words, ends).into_iter();
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

fn write_effect(found: &RuleEffect, file: &File, out: &mut String) {
    let (kind, witness, by): (_, Option<&[u8]>, &[u32]) = match &found.effect {
        Effect::Decides { witness } => ("decides", Some(witness), &[]),
        Effect::Shadowed { by } => ("shadowed", None, by),
        Effect::MatchesNothing => ("matches-nothing", None, &[]),
        Effect::Unknown => ("unknown", None, &[]),
    };
    let is_requested = witness.is_none_or(|path| file.targets().is_sent(path));
    let rule = FileRule(file, file.groups().rules()[found.rule as usize]);
    object!(out, "rule": rule, "effect": kind, "witness": witness.map(Text),
        "by": rules(file, by.iter().copied()), "isRequested": is_requested);
}

fn write_difference(found: &Difference, files: [&File; 2], out: &mut String) {
    let write = |one: &Change, out: &mut String| write_change(one, files, out);
    let changes = found.changes.iter();
    let changes = Items(changes.map(|one| Written(move |out: &mut String| write(one, out))));
    object!(out, "changes": changes, "isExact": found.is_exact);
}

fn write_change(change: &Change, [old, new]: [&File; 2], out: &mut String) {
    let rule = |file, index: u32| FileRule(file, File::groups(file).rules()[index as usize]);
    let is_requested = [old, new].iter().all(|file| file.targets().is_sent(&change.witness));
    object!(out, "opened": change.opened, "region": Text(&change.region),
        "witness": Text(&change.witness), "before": change.old.map(|index| rule(old, index)),
        "after": change.new.map(|index| rule(new, index)), "isRequested": is_requested);
}

fn write_changed(changed: &Changed, files: [&File; 2], out: &mut String) {
    let difference = |out: &mut String| write_difference(&changed.difference, files, out);
    object!(out, "tokens": changed.tokens, "named": changed.named,
        "posture": changed.posture.name(), "difference": Written(difference));
}
