//! Property: what mechanisms say of a use is what each says alone; a `disallow` wins over an
//! `allow`, and silence is no answer.
//!
//! Oracle: rules, content signals and usage preferences, each asked for by itself.

use verger_core::record::{Preferences, Signals};
use verger_core::{Agent, Field, Fields, File, Mechanism, Target, Use, UseOutcome};

use crate::input::{dialect, expanded, parts, turned};

/// Whose groups stand for the use.
const POLICY_TOKENS: [&str; 2] = ["b", "yandex"];

/// Check one input: `DIALECT[KNOBS]`, purpose, URL, file.
pub fn check(data: &[u8]) {
    let data = expanded(data);
    let [how, purpose, url, robots] = parts(&data);
    let mut dialect = turned(dialect(how.first()), how.get(1..).unwrap_or_default());
    if purpose.len() > 1 {
        dialect.extensions = Fields::EVERY;
    }
    let purpose = Use::ALL[usize::from(purpose.first().copied().unwrap_or_default()) % 3];
    let file = File::parse(robots, &dialect);
    let agent = file.agent(&["a"]).expect("a token");
    let Ok(target) = file.target(url) else { return };
    let found = agent.may_use(&target, purpose, &POLICY_TOKENS).expect("tokens");
    assert_each_is_alone(&agent, &target, purpose, &found);
    assert_eq!(found.allowed, combined(&found));
    assert_lines(&file, &found);
    let rules = agent.use_rules_of_checked(purpose, &POLICY_TOKENS);
    assert_eq!(rules.check(&agent, &target), found);
    assert_eq!(rules.allowed(&agent, &target, &agent.check(&target)), found.allowed);
    assert_elsewhere(&file, &agent, purpose);
}

/// The rules of the crawler, its signals and preferences, and the rules of each policy token.
fn assert_each_is_alone(agent: &Agent, target: &Target, purpose: Use, found: &UseOutcome) {
    let crawl = agent.check(target).allowed;
    let said = |mechanism, token| {
        let is_it = move |one: &&_| is_by(one, mechanism, token);
        found.signals.iter().find(is_it).and_then(|signal| signal.allowed)
    };
    let is_closed = said(Mechanism::CrawlRules, None) == Some(false);
    assert!(crawl || is_closed || agent.check(target).rule.is_none());
    assert!(!crawl || said(Mechanism::CrawlRules, None).is_none());
    if agent.file().dialect().extensions.contains(Field::ContentSignal) {
        let expected = signalled(agent.content_signals(), purpose);
        assert_eq!(said(Mechanism::ContentSignal, None), expected);
    }
    let expected = agent.content_usage(target).and_then(|usage| preferred(usage, purpose));
    assert_eq!(said(Mechanism::ContentUsage, None), expected);
    for (token, name) in (0..).zip(POLICY_TOKENS) {
        let policy = agent.file().agent(&[name]).expect("a token");
        let outcome = policy.check(target);
        let told = said(Mechanism::PolicyToken, Some(token));
        assert!(told.is_none_or(|allowed| allowed == outcome.allowed));
        assert!(policy.selection().named || told.is_none());
        let signal = said(Mechanism::ContentSignal, Some(token));
        assert!(
            signal.is_none_or(|said| Some(said) == signalled(policy.content_signals(), purpose))
        );
    }
}

fn is_by(signal: &verger_core::UseSignal, mechanism: Mechanism, token: Option<u32>) -> bool {
    signal.mechanism == mechanism && signal.token == token
}

fn signalled(signals: Signals, purpose: Use) -> Option<bool> {
    match purpose {
        Use::Search => signals.search,
        Use::AiInput => signals.ai_input,
        Use::AiTrain => signals.ai_train,
    }
}

fn preferred(preferences: Preferences, purpose: Use) -> Option<bool> {
    match purpose {
        Use::Search => preferences.search,
        Use::AiInput => preferences.ai_use,
        Use::AiTrain => preferences.train_ai,
    }
}

fn combined(found: &UseOutcome) -> Option<bool> {
    let said: Vec<bool> = found.signals.iter().filter_map(|signal| signal.allowed).collect();
    let counts = found.conflicts().len();
    let (yes, no) = (said.iter().filter(|said| **said).count(), said.contains(&false));
    assert_eq!(counts, yes * (said.len() - yes), "each pair that differs is a conflict");
    (!said.is_empty()).then_some(!no)
}

/// Who says something names the line, and the words in it.
fn assert_lines(file: &File, found: &UseOutcome) {
    for signal in &found.signals {
        assert_eq!(signal.allowed.is_some(), signal.line.is_some() && !is_license(signal));
        let (Some(number), Some(words)) = (signal.line, signal.words) else { continue };
        let line = file.lines()[number as usize - 1].raw.content;
        assert!(line.start <= words.start && words.end <= line.end, "{number}");
    }
}

fn is_license(signal: &verger_core::UseSignal) -> bool {
    signal.mechanism == Mechanism::License
}

/// A page elsewhere is decided as the stance says, and rules alone say what they say there.
fn assert_elsewhere(file: &File, agent: &Agent, purpose: Use) {
    let page = file.page_elsewhere(&[agent]);
    let (here, stance) = (agent.check(&page), agent.stance().elsewhere);
    let is_fresh = file.bytes().len() < 200;
    assert!(!is_fresh || here.allowed == stance.allowed);
    let none: [&str; 0] = [];
    let said = agent.use_rules_of_checked(purpose, &none).check(agent, &page);
    let by_rules = UseOutcome::of_rules(agent, &here);
    assert_eq!(by_rules.signals[0], said.signals[0]);
}
