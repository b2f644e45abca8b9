//! A second implementation of parsing and deciding, to compare the core with.
//!
//! It is written from the published texts, shares no code with `verger-core`, and is as plain and
//! slow as can be: every line is copied, every pattern is normalised for every question, and
//! wildcards are matched by filling a table. Nothing here is meant to be used.

mod glob;
mod groups;
mod lines;
mod percent;
mod select;
mod subject;
pub mod switches;

use groups::{groups_of, Rule};
use percent::{fold, Form};
use switches::{Precedence, Switches};

/// Whether a URL may be fetched, and the line that says so.
pub type Answer = (bool, Option<u32>);

/// Decide one URL; none for a text that is not a URL in this dialect.
pub fn decide(robots: &[u8], tokens: &[&[u8]], url: &[u8], switches: &Switches) -> Option<Answer> {
    let subject = subject::of(url, switches)?;
    let Some(lines) = lines::of(robots, switches) else { return Some((true, None)) };
    let subject = percent::of_subject(&subject, switches.form);
    if switches.robots_txt_is_open && subject == b"/robots.txt" {
        return Some((true, None));
    }
    let groups = groups_of(&lines, switches);
    let rules = select::rules(&groups, tokens, switches);
    Some(deciding(&rules, &subject, switches).unwrap_or((true, None)))
}

/// The tokens that the dialect takes.
pub use select::is_token;

fn deciding(rules: &[Rule], subject: &[u8], switches: &Switches) -> Option<Answer> {
    let mut best: Option<(usize, bool, u32)> = None;
    for rule in rules {
        let Some((allow, length)) = effect(rule, subject, switches) else { continue };
        let is_better = match (best, switches.precedence) {
            (None, _) => true,
            (Some(_), Precedence::First) => false,
            (Some((other, other_allow, _)), Precedence::Longest) => {
                length > other || length == other && allow && !other_allow
            }
        };
        if is_better {
            best = Some((length, allow, rule.line));
        }
    }
    match best {
        Some((_, allow, line)) => Some((allow, Some(line))),
        None if switches.reports_empty => {
            let first = |allow| rules.iter().find(|r| r.value.is_empty() && r.allow == allow);
            first(true).or_else(|| first(false)).map(|rule| (true, Some(rule.line)))
        }
        None => None,
    }
}

/// What a rule says about a subject, and its length; none where it does not match.
fn effect(rule: &Rule, subject: &[u8], switches: &Switches) -> Option<(bool, usize)> {
    if rule.value.is_empty() {
        let says = !rule.allow && switches.empty_disallow_opens;
        return says.then_some((true, 1));
    }
    if switches.needs_slash && !matches!(rule.value[0], b'/' | b'*') {
        return None;
    }
    if let Some(length) = matched(&rule.value, subject, switches) {
        return Some((rule.allow, length));
    }
    if !(rule.allow && switches.index_is_directory) {
        return None;
    }
    let slash = rule.value.iter().rposition(|o| *o == b'/')?;
    if !rule.value[slash..].starts_with(b"/index.htm") {
        return None;
    }
    let directory = [&rule.value[..=slash], b"$"].concat();
    matched(&directory, subject, switches).map(|length| (true, length))
}

/// The length of a pattern that matches.
fn matched(value: &[u8], subject: &[u8], switches: &Switches) -> Option<usize> {
    let pattern = percent::of_pattern(value, switches.form);
    let is_hit = |pattern: &[u8], subject: &[u8]| match switches.wildcards {
        true => glob::matches(pattern, subject, switches.form == Form::Base),
        false => subject.starts_with(pattern),
    };
    let mut is_match = is_hit(&pattern, subject);
    if !is_match && switches.folds {
        let query = pattern.contains(&b'?');
        is_match = is_hit(&fold(&pattern, query), &fold(subject, query));
    }
    is_match.then(|| length(value, switches))
}

/// Bytes of a pattern; `*` and `$` count as they stand.
fn length(value: &[u8], switches: &Switches) -> usize {
    let form = if switches.form == Form::Cpp { Form::Cpp } else { Form::Base };
    let mut counted = percent::of_pattern(value, form);
    if !switches.trailing_stars_count {
        if counted.ends_with(b"*$") {
            counted.truncate(counted.len() - 2);
        }
        while counted.last() == Some(&b'*') {
            counted.pop();
        }
    }
    counted.len()
}
