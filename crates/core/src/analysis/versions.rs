//! Versions: what a new version of a file changes, for everyone that it or the old one names.
//!
//! In: two [`File`]s. Out: a [`Changed`] for each set of crawlers to which both say the same. Those that neither names are told as `*`.

use std::collections::HashMap;

use crate::agent::Agent;
use crate::analysis::change::Difference;
use crate::file::File;
use crate::group::Rule;
use crate::posture::Posture;
use crate::token::leading_name;

/// Crawlers for which the same changes.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Their product tokens as the files write them; `*` for those that neither names.
    pub tokens: Vec<String>,
    /// Whether a group names them, before and after.
    pub named: (bool, bool),
    /// What changes; the rules are those of the first.
    pub difference: Difference,
    /// How much they may fetch afterwards.
    pub posture: Posture,
}

/// Names of two versions that are looked at; no honest file has so many.
const MOST_NAMES: usize = 10_000;

impl File {
    /// What a new version of this file changes, for each crawler that either names and for `*`;
    /// those left out for which nothing changes. `steps`: as for [`Agent::difference`], for each.
    pub fn changes(&self, new: &File, steps: u64) -> Vec<Changed> {
        let mut found: Vec<Changed> = Vec::new();
        let mut known: HashMap<[Said; 2], Option<usize>> = HashMap::new();
        for name in names(self, new) {
            let [before, after] = [self, new].map(|file| agent(file, &name));
            let (Some(before), Some(after)) = (before, after) else { continue };
            let key = [said(self, &before), said(new, &after)];
            if let Some(place) = known.get(&key) {
                place.iter().for_each(|place| found[*place].tokens.push(name.clone()));
                continue;
            }
            let difference = before.difference(&after, steps);
            let is_changed = !difference.changes.is_empty() || !difference.is_exact;
            known.insert(key, is_changed.then_some(found.len()));
            if is_changed {
                let named = (before.selection().named, after.selection().named);
                let posture = after.stance().posture;
                found.push(Changed { tokens: vec![name], named, difference, posture });
            }
        }
        found
    }
}

/// Whether a group names a crawler, and what its rules say: many groups say the same.
type Said<'f> = (bool, Vec<(bool, &'f [u8])>);

fn said<'f>(file: &'f File, agent: &Agent) -> Said<'f> {
    let rule = |(_, rule): (u32, Rule)| (rule.is_allow(), rule.value().of(file.bytes()));
    (agent.selection().named, agent.rules().map(rule).collect())
}

/// The names in two files, each once, and `*`.
fn names(old: &File, new: &File) -> Vec<String> {
    let mut names: HashMap<String, String> = HashMap::new();
    let mut order: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let key = name.to_ascii_lowercase();
        if names.insert(key, name.to_string()).is_none() {
            order.push(name.to_string());
        }
    };
    add("*");
    for file in [old, new] {
        let groups = file.groups();
        for line in (0..groups.len()).flat_map(|group| groups.start_lines(group)) {
            let value = String::from_utf8_lossy(line.value.of(file.bytes()));
            let name = leading_name(&value);
            if !name.is_empty() {
                add(name);
            }
        }
    }
    order.truncate(MOST_NAMES);
    order
}

fn agent(file: &File, name: &str) -> Option<Agent> {
    match name {
        "*" => Some(file.wildcard_agent()),
        _ => file.agent(&[name]).ok(),
    }
}
