//! Property: what an analysis states of all URLs holds for each, and its witnesses prove it.
//!
//! Oracle: every URL of a few pieces, and for each rule some that it was written for, asked one by
//! one of the walk over all rules.

use verger_core::analysis::Effect;
use verger_core::{Agent, Dialect, File};

use crate::input::{dialect, expanded, parts, turned};
use crate::urls::{of_pieces, of_rules, OF_TWO_PIECES};

/// Steps of an analysis: some milliseconds.
const STEPS: u64 = 1 << 16;

/// The same for a file that has a pattern of more stars than are examined.
const STEPS_WITH_MANY_STARS: u64 = 1 << 21;
const MANY_STARS: usize = 64;

/// Check one input: `DIALECT[KNOBS]` of the old file, that of the new one or nothing where it is
/// the same, the old file, the new file.
pub fn check(data: &[u8]) {
    let data = expanded(data);
    let [how, other, old, new] = parts(&data);
    let before = knobs(how);
    let is_same = other.is_empty();
    let after = if is_same { before } else { knobs(other) };
    let (old, new) = (File::parse(old, &before), File::parse(new, &after));
    if old.groups().rules().len().max(new.groups().rules().len()) > 12 {
        return;
    }
    let mut urls = of_pieces()[..OF_TWO_PIECES].to_vec();
    urls.extend(of_rules(&old));
    urls.extend(of_rules(&new));
    let agents = [&old, &new].map(|file| file.agent(&["a"]).expect("a token"));
    let steps = match [&old, &new].into_iter().any(has_many_stars) {
        true => STEPS_WITH_MANY_STARS,
        false => STEPS,
    };
    assert_difference(&agents, &urls, is_same, steps);
    agents.iter().for_each(|agent| assert_effects(agent, &urls, steps));
}

fn has_many_stars(file: &File) -> bool {
    let values = file.groups().rules().iter().map(|rule| rule.value().of(file.bytes()));
    let stars = |value: &[u8]| value.iter().filter(|byte| **byte == b'*').count();
    values.map(stars).any(|stars| stars > MANY_STARS)
}

fn knobs(how: &[u8]) -> Dialect {
    turned(dialect(how.first()), how.get(1..).unwrap_or_default())
}

/// Witnesses differ as they say; where nothing is said to change in a way, nothing does.
fn assert_difference(agents: &[Agent; 2], urls: &[Vec<u8>], is_same: bool, steps: u64) {
    let [old, new] = agents;
    let found = old.difference(new, steps);
    for change in &found.changes {
        let answers = [old, new].map(|agent| allowed(agent, &change.witness));
        assert_eq!(answers, [Some(!change.opened), Some(change.opened)], "{change:?}");
    }
    if !found.is_exact || !is_same {
        return;
    }
    for url in urls {
        let [Some(before), Some(after)] = [old, new].map(|agent| allowed(agent, url)) else {
            continue;
        };
        let is_told = found.changes.iter().any(|change| change.opened == after);
        assert!(before == after || is_told, "{}", String::from_utf8_lossy(url));
    }
}

/// A rule decides its witness, and none decides a URL that is said to decide none.
fn assert_effects(agent: &Agent, urls: &[Vec<u8>], steps: u64) {
    for found in agent.effects(steps) {
        match found.effect {
            Effect::Decides { witness } => assert_eq!(decider(agent, &witness), Some(found.rule)),
            Effect::Unknown => {}
            Effect::Shadowed { .. } | Effect::MatchesNothing => {
                let rule = agent.file().groups().rules()[found.rule as usize];
                if rule.value().of(agent.file().bytes()).is_empty() {
                    continue; // its line may be told where nothing matches
                }
                for url in urls {
                    let url_is = String::from_utf8_lossy(url);
                    assert_ne!(decider(agent, url), Some(found.rule), "{url_is}");
                }
            }
        }
    }
}

fn allowed(agent: &Agent, url: &[u8]) -> Option<bool> {
    Some(agent.check_by_walk(agent.file().target(url).ok()?.bytes()).allowed)
}

fn decider(agent: &Agent, url: &[u8]) -> Option<u32> {
    agent.check_by_walk(agent.file().target(url).ok()?.bytes()).rule
}
