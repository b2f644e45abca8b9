//! Analysis: what rules mean for all URLs at once, as plain tuples, from which
//! `verger.analysis` makes its values.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use verger_core::analysis::{Change, Effect};
use verger_core::File;

use crate::agent::Agent;
use crate::text::Text;
use crate::values::{rules_of, Rule};

/// Whether it opened, the region, the witness, and the rules that decide that before and after.
type ChangeParts = (bool, Text, Text, Option<Rule>, Option<Rule>);
/// The rule, what it does, the witness, and the rules that shadow it.
type EffectParts<'py> = (Rule, &'static str, Option<Text>, Bound<'py, PyTuple>);

/// How the rules of two crawlers differ, and whether that is all.
#[pyfunction]
pub fn _difference(
    py: Python<'_>,
    old: &Agent,
    new: &Agent,
    steps: u64,
) -> (Vec<ChangeParts>, bool) {
    let found = py.detach(|| old.core.difference(&new.core, steps));
    let (old, new) = (old.core.file(), new.core.file());
    let changes = found.changes.into_iter().map(|change| change_parts(change, old, new));
    (changes.collect(), found.is_exact)
}

fn change_parts(change: Change, old: &File, new: &File) -> ChangeParts {
    let Change { opened, region, witness, .. } = change;
    let (before, after) = (change.old.map(|rule| rule_of(old, rule)), change.new);
    (opened, Text(region), Text(witness), before, after.map(|rule| rule_of(new, rule)))
}

fn rule_of(file: &File, rule: u32) -> Rule {
    Rule::of(file, file.groups().rules()[rule as usize])
}

/// What each rule of a crawler does among the others.
#[pyfunction]
pub fn _effects<'py>(
    py: Python<'py>,
    agent: &Agent,
    steps: u64,
) -> PyResult<Vec<EffectParts<'py>>> {
    let file = agent.core.file();
    let found = py.detach(|| agent.core.effects(steps));
    let parts = |(rule, effect)| {
        let (kind, witness, by) = match effect {
            Effect::Decides { witness } => ("decides", Some(Text(witness)), Vec::new()),
            Effect::Shadowed { by } => ("shadowed", None, by),
            Effect::MatchesNothing => ("matches-nothing", None, Vec::new()),
            Effect::Unknown => ("unknown", None, Vec::new()),
        };
        Ok((rule_of(file, rule), kind, witness, rules_of(py, file, by.into_iter())?))
    };
    found.into_iter().map(|found| parts((found.rule, found.effect))).collect()
}

/// The rules without which no answer for a crawler changes, and whether they are all.
#[pyfunction]
pub fn _redundant<'py>(
    py: Python<'py>,
    agent: &Agent,
    steps: u64,
) -> PyResult<(Bound<'py, PyTuple>, bool)> {
    let (rules, is_exact) = py.detach(|| agent.core.redundant(steps));
    Ok((rules_of(py, agent.core.file(), rules.into_iter())?, is_exact))
}
