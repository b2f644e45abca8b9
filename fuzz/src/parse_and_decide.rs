//! Property: in every dialect the core gives the answer, and the line, of an independent reference.
//!
//! Oracle: [`crate::reference`], written from the documents. Limits that small inputs would never
//! meet are scaled down, for both.

use verger_core::{Dialect, File};

use crate::input::{dialect, expanded, items, parts};
use crate::reference::{self, switches::Switches, Answer};

/// Check one input: `DIALECT[LIMITS]`, tokens, URLs, file.
pub fn check(data: &[u8]) {
    let data = expanded(data);
    let [how, tokens, urls, robots] = parts(&data);
    let mut dialect = dialect(how.first());
    let mut switches = reference::switches::named(dialect.name);
    if let Some(limits) = how.get(1..).filter(|limits| !limits.is_empty()) {
        scale_down(&mut dialect, &mut switches, limits);
    }
    let tokens = items(tokens, 3);
    let are_tokens = tokens.iter().all(|token| reference::is_token(token, &switches));
    let file = File::parse(robots, &dialect);
    let agent = file.agent(&tokens);

    assert_eq!(agent.is_ok(), are_tokens, "{}: tokens {tokens:?}: {agent:?}", dialect.name);
    let Ok(agent) = agent else { return };
    for url in items(urls, 4) {
        let expected = reference::decide(robots, &tokens, url, &switches);
        let answer = file.target(url).ok().map(|target| -> Answer {
            let outcome = agent.check(&target);
            (outcome.allowed, agent.rule(&outcome).map(|rule| rule.line))
        });

        assert_eq!(
            answer,
            expected,
            "{}: {} {} by {:?}",
            dialect.name,
            String::from_utf8_lossy(tokens[0]),
            String::from_utf8_lossy(url),
            String::from_utf8_lossy(robots),
        );
    }
}

/// Give the dialect limits that an input of some hundred bytes can exceed.
fn scale_down(dialect: &mut Dialect, switches: &mut Switches, limits: &[u8]) {
    let limit = |at: usize| limits.get(at).map(|byte| usize::from(*byte)).filter(|n| *n > 0);
    let wide = |n: Option<usize>| n.map(|n| n as u64);
    switches.file_limit = limit(0).or(switches.file_limit);
    switches.longest_line = limit(1).or(switches.longest_line);
    switches.most_lines = limit(2).map(|n| n % 16).or(switches.most_lines);
    switches.most_rules = limit(3).map(|n| n % 8).or(switches.most_rules);
    switches.longest_rule = limit(4).map(|n| n % 16).or(switches.longest_rule);
    dialect.parse_limit = wide(switches.file_limit);
    dialect.max_line_len = wide(switches.longest_line);
    dialect.max_lines = wide(switches.most_lines);
    dialect.max_rules = wide(switches.most_rules);
    dialect.max_rule_len = wide(switches.longest_rule);
}
