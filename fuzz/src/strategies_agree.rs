//! Property: every way to an answer leads to the same answer, whatever knobs are turned, and the
//! answer can be explained.
//!
//! Oracle: the ways are compared with each other: the first question, the second, the tenth, the
//! walk, and the compiled rules; the crawler found by its token, and by a list of crawlers. The rule that
//! decides is looked for once more among all that match.

use verger_core::dialect::{Precedence, Tie};
use verger_core::internal::Crawlers;
use verger_core::{Agent, File, Outcome, Reason, Span, Target};

use crate::input::{dialect, expanded, items, parts, turned};

/// Check one input: `DIALECT[KNOBS]`, tokens, URLs, file.
pub fn check(data: &[u8]) {
    let data = expanded(data);
    let [how, tokens, urls, robots] = parts(&data);
    let dialect = turned(dialect(how.first()), how.get(1..).unwrap_or_default());
    let file = File::parse(robots, &dialect);
    let Ok(agent) = file.agent(&items(tokens, 3)) else { return };
    for url in items(urls, 4) {
        let Ok(target) = file.target(url) else { continue };
        let walked = agent.check_by_walk(target.bytes());
        let fresh = file.agent_of_checked(&items(tokens, 3));

        assert_eq!(fresh.check(&target), walked, "the first question");
        assert_eq!(fresh.check(&target), walked, "the second question");
        assert_eq!(fresh.check_compiled(target.bytes()), walked, "the compiled rules");
        assert_eq!(agent.check(&target), walked, "one of several questions");
        explain(&file, &agent, &target, walked);
    }
    let tokens = items(tokens, 3);
    ask_the_roll(&file, &tokens);
    if robots.len() % 4 == 0 {
        // So many lines that names are looked up by an index.
        let many = [&b"User-agent: b a-b\n".repeat(65)[..], robots].concat();
        ask_the_roll(&File::parse(&many, &dialect), &tokens);
    }
}

/// The rule that decides is the best of those that match, and each of these shows where.
fn explain(file: &File, agent: &Agent, target: &Target, outcome: Outcome) {
    let dialect = file.dialect();
    let matching = agent.matching(target);
    let mut best: Option<(u32, u32, bool)> = None;
    for (index, rule) in agent.rules() {
        let value = rule.value().of(file.bytes());
        let found = agent.match_of(index, target);
        let decides = found.as_ref().filter(|_| matching.contains(&index));

        assert!(found.is_some() || !matching.contains(&index), "a match that shows nowhere");
        if !value.is_empty() {
            assert_eq!(found.is_some(), matching.contains(&index), "rule {index}");
        }
        let Some(found) = decides else { continue };
        let spans = found.bytes.iter();
        let in_value: Vec<Span> = spans.clone().map(|(from, _)| *from).collect();
        let in_target: Vec<Span> = spans.map(|(_, to)| *to).collect();
        assert_tiles(&in_value, value.len(), "value");
        assert_tiles(&in_target, target.bytes().len(), "target");

        // An empty `Disallow` that opens the site is an `Allow`.
        let allows = rule.is_allow() || value.is_empty();
        let is_better = best.is_none_or(|(_, length, other)| match dialect.precedence {
            Precedence::First => false,
            Precedence::Longest if found.specificity != length => found.specificity > length,
            Precedence::Longest => allows != other && allows == (dialect.tie == Tie::Allow),
        });
        if is_better {
            best = Some((index, found.specificity, allows));
        }
    }
    match (outcome.reason, best) {
        (Reason::MostSpecificRule | Reason::FirstMatchingRule, Some((rule, _, allows))) => {
            assert_eq!((outcome.rule, outcome.allowed), (Some(rule), allows));
        }
        (Reason::MostSpecificRule | Reason::FirstMatchingRule, None) => {
            panic!("{outcome:?}, and no rule matches");
        }
        (Reason::RobotsTxtItself | Reason::FileOverLimit, _) => assert!(outcome.allowed),
        (reason, best) => assert_eq!((outcome.allowed, best), (true, None), "{reason:?}"),
    }
}

/// Spans that follow each other from the beginning, and do not go beyond the end.
fn assert_tiles(spans: &[Span], len: usize, what: &str) {
    let mut at = 0;
    for span in spans {
        assert_eq!(span.start, at, "{what}: {spans:?}");
        assert!(span.start <= span.end && span.end as usize <= len, "{what}: {spans:?} of {len}");
        at = span.end;
    }
}

fn ask_the_roll(file: &File, tokens: &[&[u8]]) {
    let Ok(crawlers) = Crawlers::new(tokens, file.dialect()) else { return };
    let named = crawlers.named(file);
    for (number, token) in tokens.iter().enumerate() {
        let selection = file.agent_of_checked(&[token]).selection().clone();
        let found = named.iter().find(|named| named.crawler == number);

        assert_eq!(
            found.map(|named| named.agent.selection()),
            Some(&selection).filter(|selection| selection.named),
            "{token:?}"
        );
    }
}
