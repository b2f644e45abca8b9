//! Exemptions: where nothing changes in the region of a change.
//!
//! In: a region, and the [`Agent`]s that were compared. Out: its parts that more specific rules decide
//! as they did before, as path patterns.

use std::collections::HashSet;

use crate::agent::Agent;
use crate::analysis::difference::Sought;
use crate::analysis::versions::differences;
use crate::uses::Mechanism;

/// Parts of a region for which nothing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exempt {
    /// Those that stay closed although it was opened, or open although it was closed; and those that
    /// were so before.
    pub parts: Vec<Vec<u8>>,
    /// Whether these are all.
    pub is_exact: bool,
    /// How many steps that took.
    pub steps: u64,
}

/// The parts of a region, which was opened or closed, for which nothing changed.
///
/// agents: those that were compared, before and after. steps: as for [`Agent::difference`].
pub fn exempt(opened: bool, region: &[u8], agents: [&Agent; 2], steps: u64) -> Exempt {
    let mut exempt = Exempt { parts: Vec::new(), is_exact: true, steps: 0 };
    let mut known: HashSet<Vec<u8>> = HashSet::new();
    let [old, new] = agents;
    for (agent, opens) in [(new, opened), (old, !opened)] {
        let (over, left) = ([(opens, region.to_vec())], steps.saturating_sub(exempt.steps));
        let found = differences(&[[agent, agent]], &over, Mechanism::CrawlRules, Sought::All, left);
        exempt.steps += found.steps;
        for difference in found.found.into_values() {
            exempt.is_exact &= difference.is_exact;
            let targets = agent.file().targets();
            let changes = difference.changes.into_iter();
            let parts = changes.filter(|change| targets.is_requested(&change.witness));
            let parts = parts.map(|change| change.region);
            exempt.parts.extend(parts.filter(|part| known.insert(part.clone())));
        }
    }
    // Rules are read before the first step.
    exempt.steps += agents.iter().map(|agent| agent.rules().count() as u64).sum::<u64>();
    exempt
}
