//! Analysis: what rules mean for all URLs at once, as plain tuples, from which
//! `verger.analysis` makes its values.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use verger_core::analysis::{
    differences, exempt, heard_otherwise, record_changes, says_the_same, Change, Difference,
    Differences, Effect, Exempt, HeardOtherwise, Kept, OwnRule, Promise, Question, RecordChange,
    Sought,
};
use verger_core::{Agent as CoreAgent, Dialect as CoreDialect, File, Mechanism, Record};

use crate::agent::Agent;
use crate::dialect::Dialect;
use crate::errors::invalid_token;
use crate::robots::RobotsTxt;
use crate::text::Text;
use crate::uses::purpose_of;
use crate::values::{rules_of, Rule};

/// Whether it opened, the region, the witness, the rules that decide that before and after, and
/// whether a client can request it.
type ChangeParts = (bool, Text, Text, Option<Rule>, Option<Rule>, bool);
/// The rule, what it does, the witness, the rules that shadow it, and whether a client can request
/// the witness.
type EffectParts<'py> = (Rule, &'static str, Option<Text>, Bound<'py, PyTuple>, bool);

/// The changes between two sets of rules, and whether they are all.
type DifferenceParts = (Vec<ChangeParts>, bool);

/// How the rules of pairs of crawlers differ, and how many steps that took. For each pair the place
/// of the first with the same rules; for each of those the changes, and whether they are all.
#[pyfunction]
#[pyo3(signature = (old, new, steps, over=Vec::new(), policy=false))]
pub fn _differences(
    py: Python<'_>,
    old: Vec<PyRef<'_, Agent>>,
    new: Vec<PyRef<'_, Agent>>,
    steps: u64,
    over: Vec<(bool, Text)>,
    policy: bool,
) -> (Vec<usize>, HashMap<usize, DifferenceParts>, u64) {
    let over: Vec<OwnRule> = over.into_iter().map(|(allows, text)| (allows, text.0)).collect();
    let pairs: Vec<[&CoreAgent; 2]> =
        old.iter().zip(&new).map(|(old, new)| [&*old.core, &*new.core]).collect();
    let Differences { firsts, found, steps } =
        py.detach(|| differences(&pairs, &over, mechanism(policy), Sought::All, steps));
    let parts = |(at, found): (usize, Difference)| {
        let [old, new] = pairs[at].map(CoreAgent::file);
        let changes = found.changes.into_iter().map(|change| change_parts(change, old, new));
        (at, (changes.collect(), found.is_exact))
    };
    (firsts, found.into_iter().map(parts).collect(), steps)
}

fn change_parts(change: Change, old: &File, new: &File) -> ChangeParts {
    let Change { opened, region, witness, .. } = change;
    let (before, after) = (change.old.map(|rule| rule_of(old, rule)), change.new);
    let after = after.map(|rule| rule_of(new, rule));
    let is_requested = [old, new].iter().all(|file| file.targets().is_sent(&witness));
    (opened, Text(region), Text(witness), before, after, is_requested)
}

fn rule_of(file: &File, rule: u32) -> Rule {
    Rule::of(file, file.groups().rules()[rule as usize])
}

/// The parts of a region for which nothing changed between two crawlers, whether these are all, and
/// how many steps that took.
#[pyfunction]
pub fn _exempt(
    py: Python<'_>,
    old: &Agent,
    new: &Agent,
    opened: bool,
    region: Text,
    steps: u64,
) -> (Vec<Text>, bool, u64) {
    let agents = [&*old.core, &*new.core];
    let Exempt { parts, is_exact, steps } = py.detach(|| exempt(opened, &region.0, agents, steps));
    (parts.into_iter().map(Text).collect(), is_exact, steps)
}

/// The records of the whole file that only one of two versions has: those that were removed, then
/// those that were added. For each its field, its value, whether it was added, and its line.
#[pyfunction]
pub fn _record_changes(old: &RobotsTxt, new: &RobotsTxt) -> Vec<(&'static str, Text, bool, u32)> {
    let files = [old.file(), new.file()];
    let parts = |change: RecordChange| {
        let RecordChange { added, line, field, raw, .. } = change;
        let raw = raw.of(files[usize::from(added)].bytes());
        (field.name(), Text(raw.to_vec()), added, line)
    };
    record_changes(files[0], files[1]).into_iter().map(parts).collect()
}

/// Uses, each with whether more may be allowed than before.
type Otherwise = Vec<(&'static str, bool)>;

/// The records of a file: for each the place in `RobotsTxt.groups` of the group whose crawlers it is
/// for, none if it is for the whole file; its line, its field, and its value as written.
#[pyfunction]
pub fn _placed_records(robots: &RobotsTxt) -> Vec<(Option<u32>, u32, &'static str, Text)> {
    let file = robots.file();
    let records = file.record_lines().iter().filter_map(|line| file.record_on(line, None));
    let parts = |record: Record| {
        let place = record.group.filter(|_| record.is_of_group());
        (place, record.line, record.field.name(), Text(record.raw.of(file.bytes()).to_vec()))
    };
    records.map(parts).collect()
}

/// The groups that a crawler follows, by their places in `RobotsTxt.groups`.
#[pyfunction]
pub fn _places(agent: &Agent) -> Vec<u32> {
    agent.core.selection().groups.clone()
}

/// What records say otherwise to pairs of crawlers, by their places: the uses of which content signals
/// and usage preferences say something else, in their own groups, and with what stands above all
/// groups, each with whether more may be allowed than before (`use` is how much may be shown); and
/// whether other records stand in the groups that they follow.
#[pyfunction]
pub fn _heard_otherwise(
    old: Vec<PyRef<'_, Agent>>,
    new: Vec<PyRef<'_, Agent>>,
) -> Vec<(usize, (Otherwise, Otherwise, bool))> {
    let pairs: Vec<[&CoreAgent; 2]> =
        old.iter().zip(&new).map(|(old, new)| [&*old.core, &*new.core]).collect();
    let parts = |(at, told): (usize, HeardOtherwise)| (at, (told.own, told.heard, told.has_others));
    heard_otherwise(&pairs).into_iter().map(parts).collect()
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
        let (kind, witness, by): (_, Option<Vec<u8>>, _) = match effect {
            Effect::Decides { witness } => ("decides", Some(witness), Vec::new()),
            Effect::Shadowed { by } => ("shadowed", None, by),
            Effect::MatchesNothing => ("matches-nothing", None, Vec::new()),
            Effect::Unknown => ("unknown", None, Vec::new()),
        };
        let is_requested = witness.as_ref().is_none_or(|path| file.targets().is_sent(path));
        let by = rules_of(py, file, by.into_iter())?;
        Ok((rule_of(file, rule), kind, witness.map(Text), by, is_requested))
    };
    found.into_iter().map(|found| parts((found.rule, found.effect))).collect()
}

/// The path of a page that no pattern for some crawlers of a file matches specifically.
#[pyfunction]
pub fn _page_elsewhere(agents: Vec<PyRef<'_, Agent>>) -> Text {
    let agents: Vec<&CoreAgent> = agents.iter().map(|agent| &*agent.core).collect();
    let page = agents.first().map(|agent| agent.file().page_elsewhere(&agents));
    Text(page.map_or(b"/".to_vec(), |page| page.bytes().to_vec()))
}

/// The rules of a crawler that decide no URL, by line, each with those that outrank it.
#[pyfunction]
pub fn _idle<'py>(
    py: Python<'py>,
    agent: &Agent,
    steps: u64,
) -> PyResult<Vec<(u32, Bound<'py, PyTuple>)>> {
    let file = agent.core.file();
    let found = py.detach(|| agent.core.idle(steps));
    let line = |rule: u32| file.groups().rules()[rule as usize].line;
    let parts = |(rule, by): (u32, Vec<u32>)| Ok((line(rule), rules_of(py, file, by.into_iter())?));
    found.into_iter().map(parts).collect()
}

/// The lines of the rules of a crawler.
#[pyfunction]
pub fn _rule_lines<'py>(py: Python<'py>, agent: &Agent) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, agent.core.rules().map(|(_, rule)| rule.line).collect::<Vec<_>>())
}

/// The rules without which no answer for a crawler changes, and whether they are all; or nothing
/// that they say as those of a policy token.
#[pyfunction]
#[pyo3(signature = (agent, steps, policy=false))]
pub fn _redundant<'py>(
    py: Python<'py>,
    agent: &Agent,
    steps: u64,
    policy: bool,
) -> PyResult<(Bound<'py, PyTuple>, bool)> {
    let (rules, is_exact) = py.detach(|| agent.core.redundant(mechanism(policy), steps));
    Ok((rules_of(py, agent.core.file(), rules.into_iter())?, is_exact))
}

/// What rules speak as.
fn mechanism(policy: bool) -> Mechanism {
    match policy {
        true => Mechanism::PolicyToken,
        false => Mechanism::CrawlRules,
    }
}

/// The places of those of some dialects in which only a longer proof can show that two versions of
/// a file say the same; none if they do not.
#[pyfunction]
pub fn _says_the_same(
    py: Python<'_>,
    old: &[u8],
    new: &[u8],
    dialects: Vec<PyRef<'_, Dialect>>,
    steps: u64,
) -> Option<Vec<usize>> {
    let dialects: Vec<CoreDialect> = dialects.iter().map(|dialect| dialect.core).collect();
    py.detach(|| {
        let mut unproved = Vec::new();
        for (at, dialect) in dialects.iter().enumerate() {
            let [old, new] = [old, new].map(|body| File::parse(body, dialect));
            match says_the_same(&old, &new, steps) {
                Some(false) => return None,
                found => unproved.extend(found.is_none().then_some(at)),
            }
        }
        Some(unproved)
    })
}

/// The lines of the rules of which each can be removed alone: no answer for a crawler changes.
#[pyfunction]
pub fn _redundant_alone(py: Python<'_>, agent: &Agent, steps: u64) -> Vec<u32> {
    lines_of(agent.core.file(), &py.detach(|| agent.core.redundant_alone(steps)))
}

/// The lines of the rules without which other lines would be read otherwise.
#[pyfunction]
pub fn _anchors(robots: &RobotsTxt) -> Vec<u32> {
    lines_of(robots.file(), robots.file().anchors())
}

fn lines_of(file: &File, rules: &[u32]) -> Vec<u32> {
    rules.iter().map(|rule| file.groups().rules()[*rule as usize].line).collect()
}

/// A URL of a pattern, and of none of the exceptions, that gets another answer than the promised
/// one; whether it is proved that there is none, or no shorter one; whether the pattern matches any
/// URL that is no exception; and how many steps that took.
///
/// asked: a use, and the product tokens that stand for it; none for fetching.
#[pyfunction]
#[pyo3(signature = (agent, pattern, except_, answer, steps, asked=None))]
pub fn _kept(
    py: Python<'_>,
    agent: &Agent,
    pattern: Text,
    except_: Vec<Text>,
    answer: Option<bool>,
    steps: u64,
    asked: Option<(Bound<'_, PyAny>, Vec<Text>)>,
) -> PyResult<(Option<Text>, bool, bool, u64)> {
    let rules = match asked {
        None => None,
        Some((purpose, tokens)) => {
            let purpose = purpose_of(py, &purpose)?;
            let tokens: Vec<Vec<u8>> = tokens.into_iter().map(|token| token.0).collect();
            let rules = agent.core.use_rules(purpose, &tokens);
            Some(rules.map_err(|why| invalid_token(py, &tokens.concat(), why))?)
        }
    };
    let question = rules.as_ref().map_or(Question::Fetch, Question::Use);
    let except: Vec<&[u8]> = except_.iter().map(|text| &text.0[..]).collect();
    let promise = Promise { pattern: &pattern.0, except: &except, answer };
    let Kept { witness, is_exact, has_urls, steps } =
        py.detach(|| agent.core.keeps(promise, question, steps));
    Ok((witness.map(Text), is_exact, has_urls, steps))
}
