//! Groups of lines (RFC 9309 sections 2.1 and 2.2).

use super::lines::Said;
use super::switches::Switches;

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Whether it allows.
    pub allow: bool,
    /// Its pattern.
    pub value: Vec<u8>,
    /// The number of its line.
    pub line: u32,
}

/// Start-group lines and the rules that they head.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The values of the start-group lines.
    pub agents: Vec<Vec<u8>>,
    /// The rules that are read.
    pub rules: Vec<Rule>,
    has_rule: bool,
}

/// The groups of a file.
pub fn groups_of(lines: &[(u32, Said)], switches: &Switches) -> Vec<Group> {
    let mut done: Vec<Group> = Vec::new();
    let mut current: Option<Group> = None;
    let mut rules_seen = 0;
    for (number, said) in lines {
        match said {
            Said::Blank if switches.blank_ends => done.extend(current.take()),
            Said::Blank | Said::Nothing => {}
            Said::LongAgent => {
                done.extend(current.take());
                current = Some(Group::default());
            }
            Said::Agent(value) => {
                if current.as_ref().is_some_and(|group| group.has_rule) {
                    done.extend(current.take());
                }
                current.get_or_insert_with(Group::default).agents.push(value.clone());
            }
            Said::Rule { allow, value } => {
                rules_seen += 1;
                let is_read = switches.most_rules.is_none_or(|most| rules_seen <= most)
                    && switches.longest_rule.is_none_or(|most| value.len() <= most);
                if let Some(group) = &mut current {
                    group.has_rule = true;
                    if is_read {
                        let rule = Rule { allow: *allow, value: value.clone(), line: *number };
                        group.rules.push(rule);
                    }
                }
            }
        }
    }
    done.extend(current);
    done.retain(|group| group.has_rule || !switches.drop_empty_groups);
    done
}
