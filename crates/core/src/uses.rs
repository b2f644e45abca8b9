//! Uses: may the content of a URL be used for a purpose, and which lines say so?
//!
//! In: an [`Agent`], a [`Use`], and the policy tokens that stand for it. Out: [`UseRules`], which
//! answer for a target with a [`UseOutcome`]. Five mechanisms speak about use, and each is heard
//! separately. None of them changes whether a URL may be fetched, and none of this is legal advice.

use std::collections::BTreeSet;

use crate::advice::{all_signals, applying_usages, signals_in};
use crate::agent::Agent;
use crate::decision::{Outcome, Reason};
use crate::error::InvalidProductToken;
use crate::field::Field;
use crate::file::File;
use crate::line::Span;
use crate::pattern::PatternReader;
use crate::reader::{LineKind, Reader};
use crate::record::{Preferences, Record, Signals, Usage, UseExtent, Value};
use crate::target::Target;
use crate::token::{check_product_token, select_named};
use crate::vocabulary::Use;
use crate::words::SILENT;

/// How a file speaks about use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mechanism {
    /// The rules of the crawler: what it may not fetch, nobody may use.
    CrawlRules,
    /// A group for a product token that no crawler sends, and that stands for a use.
    PolicyToken,
    /// `Content-Signal`.
    ContentSignal,
    /// `Content-Usage`.
    ContentUsage,
    /// `License`: a condition that is reported, and never a verdict.
    License,
}

impl Mechanism {
    /// Every mechanism, in the order in which they are heard.
    pub const ALL: [Mechanism; 5] = [
        Mechanism::CrawlRules,
        Mechanism::PolicyToken,
        Mechanism::ContentSignal,
        Mechanism::ContentUsage,
        Mechanism::License,
    ];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Mechanism::CrawlRules => "crawl-rules",
            Mechanism::PolicyToken => "policy-token",
            Mechanism::ContentSignal => "content-signal",
            Mechanism::ContentUsage => "content-usage",
            Mechanism::License => "license",
        }
    }

    /// The reason of an answer that it decides, spelled as a constant; `NO_SIGNAL` if none does.
    pub const fn reason(decides: Option<Mechanism>) -> &'static str {
        match decides {
            Some(Mechanism::CrawlRules) => "CRAWL_RULES",
            Some(Mechanism::PolicyToken) => "POLICY_TOKEN",
            Some(Mechanism::ContentSignal) => "CONTENT_SIGNAL",
            Some(Mechanism::ContentUsage) => "CONTENT_USAGE",
            Some(Mechanism::License) | None => "NO_SIGNAL",
        }
    }
}

/// What one mechanism says about one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UseSignal {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Which of the policy tokens that were asked for, if it is one, or is said in its groups; the
    /// first of several, whose others [`UseOutcome::tokens`] has.
    pub token: Option<u32>,
    /// Whether it allows the use; none if it is silent.
    pub allowed: Option<bool>,
    /// The number of the line that says so.
    pub line: Option<u32>,
    /// The path pattern that it is limited to.
    pub pattern: Option<Span>,
    /// The words that say so.
    pub words: Option<Span>,
    /// The document that defines it; for a policy token, the one that defines groups.
    pub section: &'static str,
}

impl UseSignal {
    /// What it says: `allow`, `disallow` or `silent`.
    pub const fn verdict(&self) -> &'static str {
        match self.allowed {
            None => SILENT,
            Some(true) => Field::Allow.name(),
            Some(false) => Field::Disallow.name(),
        }
    }

    const fn silent(mechanism: Mechanism, section: &'static str) -> UseSignal {
        let (token, allowed, line, pattern, words) = (None, None, None, None, None);
        UseSignal { mechanism, token, allowed, line, pattern, words, section }
    }

    /// What a rule says that decides.
    fn of_rule(agent: &Agent, outcome: &Outcome, token: Option<u32>) -> UseSignal {
        let mechanism = token.map_or(Mechanism::CrawlRules, |_| Mechanism::PolicyToken);
        let section = outcome.reason.section(agent.file().dialect());
        let silent = UseSignal { token, ..UseSignal::silent(mechanism, section) };
        let rule = agent.rule(outcome).filter(|_| outcome.reason != Reason::EmptyRule);
        match (rule, said_by_rule(mechanism, outcome.allowed)) {
            (Some(rule), Some(allowed)) => {
                let pattern = Some(rule.value());
                UseSignal { pattern, ..silent.saying(allowed, rule.line, rule.value()) }
            }
            _ => silent,
        }
    }

    /// The same with what the words of a line say.
    fn saying(self, allowed: bool, line: u32, words: Span) -> UseSignal {
        UseSignal { allowed: Some(allowed), line: Some(line), words: Some(words), ..self }
    }
}

/// What a rule says about use: one that allows a crawler to fetch says nothing, but one that allows
/// a policy token does.
pub(crate) fn said_by_rule(mechanism: Mechanism, allows: bool) -> Option<bool> {
    (!allows || mechanism == Mechanism::PolicyToken).then_some(allows)
}

/// What two mechanisms say together: any `disallow` counts, then any `allow`.
pub(crate) fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one && other),
        (one, other) => one.or(other),
    }
}

const SIGNALS: &str = "draft-romm-aipref-contentsignals-00";
const USAGE: &str = "draft-ietf-aipref-attach-05";
const LICENSE: &str = "RSL, guide \"Adding RSL to robots.txt\"";

/// The answer for one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UseOutcome {
    /// Whether the use is allowed; none if no line mentions it, which is no permission.
    pub allowed: Option<bool>,
    /// What each mechanism says that the dialect reads, in the order of [`Mechanism::ALL`]. A line
    /// that a mechanism reaches in several ways is one signal.
    pub signals: Vec<UseSignal>,
    /// Further policy tokens in whose groups a signal is said, by its place.
    others: Vec<(usize, u32)>,
}

impl UseOutcome {
    /// The answer where a file has no policy token and no field about use: that of the rules alone.
    /// `crawl` is the outcome of `agent`.
    pub fn of_rules(agent: &Agent, crawl: &Outcome) -> UseOutcome {
        let signal = UseSignal::of_rule(agent, crawl, None);
        UseOutcome { allowed: signal.allowed, signals: vec![signal], others: Vec::new() }
    }

    /// Which of the policy tokens that were asked for a signal is, or in whose groups it is said.
    pub fn tokens(&self, signal: usize) -> impl Iterator<Item = u32> + '_ {
        let others =
            self.others.iter().filter(move |(at, _)| *at == signal).map(|(_, token)| *token);
        self.signals.get(signal).and_then(|signal| signal.token).into_iter().chain(others)
    }

    /// The signal that decided: the first with this verdict.
    pub fn deciding(&self) -> Option<&UseSignal> {
        self.signals.get(self.deciding_place()?)
    }

    /// Its place among the signals.
    pub fn deciding_place(&self) -> Option<usize> {
        let allowed = self.allowed?;
        self.signals.iter().position(|signal| signal.allowed == Some(allowed))
    }

    /// The signals that contradict each other, as indices: each that allows the use, with each that
    /// does not.
    pub fn conflicts(&self) -> Vec<(usize, usize)> {
        let saying = |said: bool| {
            let signals = self.signals.iter().enumerate();
            signals.filter(move |(_, one)| one.allowed == Some(said)).map(|(at, _)| at)
        };
        saying(true).flat_map(|yes| saying(false).map(move |no| (yes, no))).collect()
    }
}

/// What a file says to one crawler about one use, ready for any number of targets.
#[derive(Debug)]
pub struct UseRules {
    purpose: Use,
    /// Of each policy token, what the groups that name it say.
    policies: Vec<Option<Policy>>,
    /// What `Content-Signal` says, of the crawler and of policy tokens; empty if the dialect does not
    /// read it.
    signals: Vec<UseSignal>,
    extent: Option<UseExtent>,
    /// None if the dialect does not read `Content-Usage`.
    usages: Option<Vec<Record>>,
    licenses: Vec<UseSignal>,
}

/// What the groups that name a policy token say, to the crawlers that it stands for.
#[derive(Debug)]
struct Policy {
    agent: Agent,
    signal: Option<UseSignal>,
    usages: Vec<Record>,
}

impl Agent {
    /// What the file says to this crawler about one use.
    ///
    /// policy_tokens: the product tokens that stand for this use, of the crawler's operator and of
    /// everyone. Only groups that name one speak for it, and those of `*` do not.
    ///
    /// Fails if a text cannot be a product token in the file's dialect.
    pub fn use_rules<T: AsRef<[u8]>>(
        &self,
        purpose: Use,
        policy_tokens: &[T],
    ) -> Result<UseRules, InvalidProductToken> {
        let dialect = self.file().dialect();
        policy_tokens.iter().try_for_each(|token| check_product_token(token.as_ref(), dialect))?;
        Ok(self.use_rules_of_checked(purpose, policy_tokens))
    }

    /// The same with policy tokens that were [checked](check_product_token) before.
    pub fn use_rules_of_checked<T: AsRef<[u8]>>(
        &self,
        purpose: Use,
        policy_tokens: &[T],
    ) -> UseRules {
        let file = self.file();
        let speaks = file.may_speak_of_use();
        let reads = |field| Reader::new(file.dialect()).reads(field);
        let signals = reads(Field::ContentSignal).then(|| match speaks {
            true => signalled(self, purpose),
            false => (UseSignal::silent(Mechanism::ContentSignal, SIGNALS), None),
        });
        let usages = || if speaks { self.usage_records() } else { Vec::new() };
        let policy = |(at, token): (usize, &T)| {
            let found = policy_of(file, token.as_ref())?;
            Some(if speaks { found.speaking(purpose, at as u32) } else { found })
        };
        let policies: Vec<_> = policy_tokens.iter().enumerate().map(policy).collect();
        let of_policies = policies.iter().flatten().filter_map(|policy| policy.signal);
        UseRules {
            purpose,
            signals: signals.map(|(signal, _)| signal).into_iter().chain(of_policies).collect(),
            policies,
            extent: signals.and_then(|(_, extent)| extent),
            usages: reads(Field::ContentUsage).then(usages),
            licenses: if speaks { licenses(file) } else { Vec::new() },
        }
    }

    /// May the content of this target be used for a purpose? See [`Agent::use_rules`], which are made
    /// once for many targets.
    pub fn may_use<T: AsRef<[u8]>>(
        &self,
        target: &Target,
        purpose: Use,
        policy_tokens: &[T],
    ) -> Result<UseOutcome, InvalidProductToken> {
        Ok(self.use_rules(purpose, policy_tokens)?.check(self, target))
    }
}

/// Take out signals that say the same by the same line as one before them, which the groups of several
/// policy tokens do; return the places of those, each with a token that says so, too.
#[cold]
fn take_repeated(signals: &mut Vec<UseSignal>) -> Vec<(usize, u32)> {
    let of = |one: &UseSignal| (one.line, one.mechanism, one.allowed);
    let mut others = Vec::new();
    let mut kept: Vec<UseSignal> = Vec::with_capacity(signals.len());
    for signal in signals.drain(..) {
        let before = kept.iter().position(|other| of(other) == of(&signal));
        match before.filter(|_| signal.line.is_some()) {
            Some(at) => others.extend(signal.token.map(|token| (at, token))),
            None => kept.push(signal),
        }
    }
    *signals = kept;
    others
}

impl UseRules {
    /// What they are about.
    pub fn purpose(&self) -> Use {
        self.purpose
    }

    /// How much of the content may be shown: the key `use` of `Content-Signal`.
    pub fn extent(&self) -> Option<UseExtent> {
        self.extent
    }

    /// The spans of the URLs of licences: conditions of every use.
    pub fn licenses(&self) -> impl Iterator<Item = Span> + '_ {
        self.licenses.iter().filter_map(|license| license.words)
    }

    /// The answer for a target; `agent` is the crawler that these rules are of.
    pub fn check(&self, agent: &Agent, target: &Target) -> UseOutcome {
        let crawl = agent.check(target);
        let mut signals = Vec::with_capacity(3 + self.policies.len() + self.licenses.len());
        let (mut allowed, mut is_named) = (None, false);
        self.hear(agent, target, &crawl, |signal| {
            allowed = both(allowed, signal.allowed);
            is_named |= signal.token.is_some() && signal.line.is_some();
            signals.push(signal);
        });
        let others = if is_named { take_repeated(&mut signals) } else { Vec::new() };
        signals.extend_from_slice(&self.licenses);
        UseOutcome { allowed, signals, others }
    }

    /// The same answer without its reasons, for a target that the crawler was asked about before.
    pub fn allowed(&self, agent: &Agent, target: &Target, crawl: &Outcome) -> Option<bool> {
        let mut all = None;
        self.hear(agent, target, crawl, |signal| all = both(all, signal.allowed));
        all
    }

    /// Hand over what each mechanism says that can decide.
    fn hear(
        &self,
        agent: &Agent,
        target: &Target,
        crawl: &Outcome,
        mut hear: impl FnMut(UseSignal),
    ) {
        hear(UseSignal::of_rule(agent, crawl, None));
        for (at, policy) in (0..).zip(&self.policies) {
            hear(permitted(agent, policy, at, target));
        }
        self.signals.iter().for_each(|signal| hear(*signal));
        let Some(usages) = &self.usages else { return };
        hear(self.preferred(usages, agent, target, crawl));
        let preferring = |policy: &Policy| !policy.usages.is_empty();
        for (at, policy) in (0..).zip(&self.policies) {
            if let Some(Policy { agent, usages, .. }) = policy.as_ref().filter(|it| preferring(it))
            {
                let said = self.preferred(usages, agent, target, crawl);
                if said.allowed.is_some() {
                    hear(UseSignal { token: Some(at), ..said });
                }
            }
        }
    }

    /// What usage preferences say, which concern only what the crawler receives.
    fn preferred(
        &self,
        usages: &[Record],
        agent: &Agent,
        target: &Target,
        crawl: &Outcome,
    ) -> UseSignal {
        let silent = UseSignal::silent(Mechanism::ContentUsage, USAGE);
        if usages.is_empty() || !crawl.allowed {
            return silent;
        }
        let applying = applying_usages(usages, agent.patterns(), target.bytes());
        let says = |usage: &Usage| usage.preferences.of(self.purpose);
        let said = applying.iter().filter_map(|(_, usage)| says(usage)).min();
        let first = applying.iter().find(|(_, usage)| said.is_some() && says(usage) == said);
        let (Some(allowed), Some((record, usage))) = (said, first) else { return silent };
        let words = record.usage(agent.file().bytes(), usage, self.purpose.label());
        let pattern = Some(record.usage_path(usage)).filter(|path| !path.is_empty());
        UseSignal { pattern, ..silent.saying(allowed, record.line, words) }
    }
}

impl Agent {
    /// What the crawler hears about use besides rules.
    pub fn speech(&self) -> Speech {
        if !self.file().may_speak_of_use() {
            return Speech::default();
        }
        let (own, of_file) = self.signal_records();
        let own = all_signals(&own);
        let usage = |record: Record| match record.value {
            Ok(Value::Usage { usage, .. }) => Some((usage.path, usage.preferences)),
            _ => None,
        };
        let usages = self.usage_records().into_iter().filter_map(usage).collect();
        Speech { own, heard: own.or(all_signals(&of_file)), usages }
    }
}

/// What a crawler hears about use besides rules.
#[derive(Clone, Debug, Default)]
pub struct Speech {
    /// The content signals of its own groups.
    own: Signals,
    /// The same, with those before any group.
    heard: Signals,
    /// The usage preferences for each path: the longest path decides, and of equal ones all.
    usages: Vec<(Vec<u8>, Preferences)>,
}

/// Uses, each with whether more may be allowed than before.
pub type Otherwise = Vec<(&'static str, bool)>;

impl Speech {
    /// The uses about which a later speech says something else: in the own groups of the crawler,
    /// and with what stands before any group. Of all others, both say the same about every URL that
    /// the crawler may fetch.
    pub fn otherwise(&self, later: &Speech) -> (Otherwise, Otherwise) {
        let said = |speech: &Speech, purpose: Use| -> BTreeSet<(Vec<u8>, Option<bool>)> {
            let each = |(path, said): &(Vec<u8>, Preferences)| (path.clone(), said.of(purpose));
            speech.usages.iter().map(each).collect()
        };
        let between = |old: Signals, new: Signals| {
            let change = |purpose: Use| {
                let [was, now] = [old, new].map(|signals| order(signals.of(purpose)));
                let usages = said(self, purpose) != said(later, purpose);
                (was != now || usages).then_some((purpose.name(), now > was || usages))
            };
            let extent = (old.usage != new.usage).then_some(("use", true));
            Use::ALL.into_iter().filter_map(change).chain(extent).collect()
        };
        (between(self.own, later.own), between(self.heard, later.heard))
    }
}

/// Nothing said is more than disallowed, and less than allowed.
const fn order(said: Option<bool>) -> u8 {
    match said {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    }
}

impl File {
    /// The URLs of its licences, as far as they are well-formed.
    pub fn licenses(&self) -> Vec<Span> {
        licenses(self).into_iter().filter_map(|license| license.words).collect()
    }
}

/// What is heard of each mechanism alone, for all targets at once.
impl UseRules {
    /// The rules of the policy tokens that groups name.
    pub(crate) fn policies(&self) -> impl Iterator<Item = &Agent> {
        self.policies.iter().flatten().map(|policy| &policy.agent)
    }

    /// What content signals say.
    pub(crate) fn signalled(&self) -> Option<bool> {
        self.signals.iter().fold(None, |all, signal| both(all, signal.allowed))
    }

    /// The usage preferences of the crawler's groups, and those of each policy token.
    pub(crate) fn usages(&self) -> impl Iterator<Item = Usages<'_>> {
        let own = self.usages.iter().chain(self.policies.iter().flatten().map(|own| &own.usages));
        let purpose = self.purpose;
        own.filter(|records| !records.is_empty()).map(move |records| Usages { purpose, records })
    }
}

/// Usage preferences among which the longest path decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usages<'r> {
    purpose: Use,
    records: &'r [Record],
}

impl<'r> Usages<'r> {
    /// The path of each, and what it says.
    pub(crate) fn each(self) -> impl Iterator<Item = (&'r [u8], Option<bool>)> {
        self.records.iter().filter_map(move |record| match &record.value {
            Ok(Value::Usage { usage, .. }) => {
                Some((&usage.path[..], usage.preferences.of(self.purpose)))
            }
            _ => None,
        })
    }

    /// What they say of a target that the crawler receives.
    pub(crate) fn say(self, patterns: &PatternReader, target: &[u8]) -> Option<bool> {
        let applying = applying_usages(self.records, patterns, target);
        applying.iter().filter_map(|(_, u)| u.preferences.of(self.purpose)).min()
    }
}

/// The rules of the groups that name a policy token.
fn policy_of(file: &File, token: &[u8]) -> Option<Policy> {
    let selection = select_named(file.bytes(), file.groups(), token, file.dialect())?;
    let agent = Agent::new(file, selection);
    Some(Policy { agent, signal: None, usages: Vec::new() })
}

impl Policy {
    /// The same with what content signals and usage preferences in its groups say, as far as the
    /// dialect reads them.
    fn speaking(self, purpose: Use, token: u32) -> Policy {
        let (own, _) = self.agent.signal_records();
        let signal = said_by(&self.agent, &own, purpose);
        let signal = signal.map(|signal| UseSignal { token: Some(token), ..signal });
        Policy { signal, usages: self.agent.usage_records(), ..self }
    }
}

/// What the rules of a policy token say.
fn permitted(agent: &Agent, policy: &Option<Policy>, token: u32, target: &Target) -> UseSignal {
    match policy {
        Some(Policy { agent, .. }) => UseSignal::of_rule(agent, &agent.check(target), Some(token)),
        None => {
            let section = Reason::NoGroup.section(agent.file().dialect());
            UseSignal { token: Some(token), ..UseSignal::silent(Mechanism::PolicyToken, section) }
        }
    }
}

/// What content signals say: those of the crawler's groups, else those before any group; and how
/// much of the content may be shown.
fn signalled(agent: &Agent, purpose: Use) -> (UseSignal, Option<UseExtent>) {
    let (own, of_file) = agent.signal_records();
    let said = said_by(agent, &own, purpose).or_else(|| said_by(agent, &of_file, purpose));
    let signal = said.unwrap_or(UseSignal::silent(Mechanism::ContentSignal, SIGNALS));
    (signal, all_signals(&own).or(all_signals(&of_file)).usage)
}

/// What some content signals say: the most restrictive.
fn said_by(agent: &Agent, records: &[Record], purpose: Use) -> Option<UseSignal> {
    let says = |record: &Record| signals_in(record).and_then(|signals| signals.of(purpose));
    let allowed = records.iter().filter_map(says).min()?;
    let record = records.iter().find(|record| says(record) == Some(allowed))?;
    let is_it = |signals: Signals| signals.of(purpose) == Some(allowed);
    let words = record.signal(agent.file().bytes(), is_it);
    let silent = UseSignal::silent(Mechanism::ContentSignal, SIGNALS);
    Some(silent.saying(allowed, record.line, words))
}

/// The well-formed licences of a file.
fn licenses(file: &File) -> Vec<UseSignal> {
    let lines = file.record_lines().iter();
    let wanted = lines.filter(|line| line.reading.kind == LineKind::Field(Field::License));
    let records = wanted.filter_map(|line| file.record_on(line, None));
    let licenses = records.filter(|record| record.value == Ok(Value::License));
    let silent = UseSignal::silent(Mechanism::License, LICENSE);
    licenses
        .map(|record| UseSignal { line: Some(record.line), words: Some(record.raw), ..silent })
        .collect()
}
