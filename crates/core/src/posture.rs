//! Posture: how much of a site a crawler may fetch, decided for all URLs at once.
//!
//! In: a [`File`] and [`Agent`]s. Out: all, some, or none of the site, for each agent, proved and
//! not sampled; or *unknown*, if proving it costs too much. RFC 9309 section 2.2.2.
//! `/robots.txt` itself is excluded.
//!
//! One target shows what applies where no specific pattern matches. The posture is *some* if and
//! only if a pattern of the other verdict decides anywhere, and [`crate::witness`] proves whether
//! it does by asking about the few targets that stand for all that it matches.
//!
//! *Many crawlers.* The rules of groups that apply to the same crawlers are one [`Part`]. A pattern
//! that decides nothing among the rules of its own part decides nothing among more rules. So each
//! part is searched once, whatever its crawlers, for the patterns that decide something in it; only
//! these are tested again together with the other parts that apply to a crawler.
//!
//! *What is left.* If targets do not hold the fresh byte, a pattern may seem to decide; and of some
//! folded patterns nothing is proved. Then two targets that differ are looked for, and at last all
//! targets are followed byte by byte ([`crate::reach`]).
//!
//! *The bound.* To ask about each witness costs little in nearly all files. In some each of many
//! patterns with `*` has to be compared with the witness of each other, and no way is known to do
//! that in linear time. So all stances of a file together take at most [`STEPS_PER_BYTE`] steps for
//! each byte of the file and for [`BYTES_AT_LEAST`] more; a stance beyond that is *unknown*. The
//! rest, to read and compile the rules, is linear by itself. A step is some instructions: the whole
//! takes at most about 3,000 for each byte, which `benchmarks/growth.py` measures.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::agent::Agent;
use crate::budget::Budget;
use crate::decision::Outcome;
use crate::file::File;
use crate::matcher::{Hit, Rank, Ranking};
use crate::pattern::{matches, Pattern, PatternReader, Verdict};
use crate::reach::{reach, Branch, Seen};
use crate::target::ROBOTS_TXT;
use crate::token::Selection;
use crate::witness::{Answer, Fresh, Standing, Used, Witnesses};

/// How much of a site a crawler may fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Posture {
    /// Everything.
    All,
    /// One thing and not another.
    Some,
    /// Nothing.
    None,
    /// One of these, but proving which takes more steps than the file allows.
    Unknown,
}

impl Posture {
    /// Every posture.
    pub const ALL: [Posture; 4] = [Posture::All, Posture::Some, Posture::None, Posture::Unknown];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Posture::All => "all",
            Posture::Some => "some",
            Posture::None => "none",
            Posture::Unknown => "unknown",
        }
    }
}

/// The posture towards a crawler, and its default answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stance {
    /// How much it may fetch.
    pub posture: Posture,
    /// The answer for pages that no specific rule covers.
    pub elsewhere: Outcome,
}

/// Steps that all stances of a file may take together, for each byte of the file.
pub const STEPS_PER_BYTE: u64 = 64;

/// A file may take the steps of this many more bytes: a few rules may also pose hard questions.
pub const BYTES_AT_LEAST: u64 = 8_192;

/// Questions of a part above which compiling its rules pays: most files are settled by the first
/// or second.
const MOST_WALKED: usize = 8;

impl Agent {
    /// How much of the site the crawler may fetch, proved for all URLs at once.
    pub fn stance(&self) -> Stance {
        let file = self.file();
        let budget = budget_of(file);
        Site::new(file, &[self], &budget).stance(self)
    }
}

impl File {
    /// How much of the site each of some crawlers may fetch, in their order. What they share is
    /// found once; an agent of another file is decided by its own.
    pub fn stances(&self, agents: &[&Agent]) -> Vec<Stance> {
        let budget = budget_of(self);
        let own: Vec<&Agent> =
            agents.iter().copied().filter(|agent| agent.file().is(self)).collect();
        let mut site = Site::new(self, &own, &budget);
        let mut known: HashMap<&[u32], Stance> = HashMap::new();
        let mut of_site = |agent: &Agent| site.stance(agent);
        let found = agents.iter().map(|agent| {
            if !agent.file().is(self) {
                return agent.stance();
            }
            let groups = &agent.selection().groups[..];
            *known.entry(groups).or_insert_with(|| of_site(agent))
        });
        found.collect()
    }
}

fn budget_of(file: &File) -> Budget {
    let bytes = file.bytes().len() as u64 + BYTES_AT_LEAST;
    Budget::new(bytes.saturating_mul(STEPS_PER_BYTE))
}

/// A file, with what is known about it so far.
struct Site<'f> {
    file: &'f File,
    reader: PatternReader,
    parts: Vec<Part>,
    /// The parts that apply to a crawler, by its groups.
    parts_of: HashMap<Vec<u32>, Vec<usize>>,
    fresh: Option<Fresh>,
    /// The substitute for a fresh byte if there is none.
    worn: u8,
    budget: &'f Budget,
}

/// Groups that apply to the same crawlers, and what is known about them so far.
struct Part {
    agent: Agent,
    rules: u64,
    walked: usize,
    /// The rule that decides where no specific pattern matches.
    elsewhere: Option<Option<Ranked>>,
    /// For patterns that disallow, and for those that allow.
    leaks: [Leaks; 2],
}

/// A rule that decides, by its rank.
type Ranked = (Rank, Hit);

/// The patterns of one verdict that decide something among the rules of their part.
#[derive(Default)]
struct Leaks {
    /// The best pattern: nearly always it is one of them, and the others are not looked for.
    first: Option<Candidate>,
    /// Patterns that were not examined yet: the best comes last.
    waiting: Vec<Candidate>,
    found: Vec<(Candidate, Standing)>,
    asked: usize,
}

/// A pattern: which of those that a rule has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: Rank,
    rule: u32,
    number: u32,
}

impl<'f> Site<'f> {
    fn new(file: &'f File, agents: &[&Agent], budget: &'f Budget) -> Self {
        let reader = PatternReader::new(file.dialect());
        let (mut parts, parts_of) = divide(file, agents);
        let mut used = Used::new(ROBOTS_TXT, reader.folds());
        for part in &mut parts {
            part.read(file, &reader, &mut used);
        }
        let (fresh, worn) = (used.fresh(file.targets()), used.worn(file.targets()));
        Site { file, reader, parts, parts_of, fresh, worn, budget }
    }

    fn stance(&mut self, agent: &Agent) -> Stance {
        let parts = self.parts_of[&agent.selection().groups].clone();
        let best = parts.iter().filter_map(|part| self.elsewhere(*part)).min_by_key(|best| best.0);
        let elsewhere = agent.outcome(best.map(|(_, hit)| hit));
        Stance { posture: self.posture(agent, &parts, elsewhere.allowed), elsewhere }
    }

    /// What decides in a part where no specific pattern matches. It is found whatever the budget
    /// is.
    fn elsewhere(&mut self, part: usize) -> Option<Ranked> {
        let byte = self.fresh.map_or(self.worn, |fresh| fresh.byte);
        let part = &mut self.parts[part];
        *part.elsewhere.get_or_insert_with(|| part.agent.best_by_walk(&[b'/', byte]))
    }

    fn posture(&mut self, agent: &Agent, parts: &[usize], is_open: bool) -> Posture {
        let Some(fresh) = self.fresh else { return self.posture_by_reach(agent) };
        let mut is_proved = true;
        for part in parts {
            for number in 0.. {
                let Some(standing) = self.leak(*part, number, !is_open, parts, fresh) else {
                    break;
                };
                match standing {
                    Standing::Covered => {}
                    // Otherwise nothing may be elsewhere.
                    Standing::Decides if fresh.is_held => return Posture::Some,
                    Standing::Decides | Standing::Unsure => is_proved = false,
                }
            }
        }
        match is_proved {
            _ if self.budget.is_spent() => Posture::Unknown,
            true if is_open => Posture::All,
            true => Posture::None,
            false => self.posture_by_reach(agent),
        }
    }

    /// What the next pattern that decides something in its part does together with the other parts
    /// of a crawler; none if there is no such pattern, or the budget is spent.
    fn leak(
        &mut self,
        part: usize,
        number: usize,
        allows: bool,
        parts: &[usize],
        fresh: Fresh,
    ) -> Option<Standing> {
        let (candidate, standing) = self.leak_of_part(part, number, allows, fresh)?;
        if parts.len() == 1 {
            return Some(standing);
        }
        let standing = self.standing(candidate, allows, parts, fresh);
        (!self.budget.is_spent()).then_some(standing)
    }

    fn leak_of_part(
        &mut self,
        part: usize,
        number: usize,
        allows: bool,
        fresh: Fresh,
    ) -> Option<(Candidate, Standing)> {
        let mut leaks = std::mem::take(&mut self.parts[part].leaks[allows as usize]);
        while leaks.found.len() <= number && !self.budget.is_spent() {
            match leaks.asked {
                0 => leaks.waiting.extend(leaks.first),
                1 => leaks.waiting = self.candidates(part, allows, leaks.first),
                MOST_WALKED if !leaks.waiting.is_empty() => {
                    self.leave_twins_out(part, &mut leaks.waiting);
                }
                _ => {}
            }
            leaks.asked += 1;
            let Some(candidate) = leaks.waiting.pop() else { break };
            let standing = self.standing(candidate, allows, &[part], fresh);
            if standing != Standing::Covered && !self.budget.is_spent() {
                leaks.found.push((candidate, standing));
            }
        }
        let found = leaks.found.get(number).copied();
        self.parts[part].leaks[allows as usize] = leaks;
        found
    }

    /// The patterns of one verdict except one; the best comes last.
    fn candidates(&self, part: usize, allows: bool, but: Option<Candidate>) -> Vec<Candidate> {
        let mut all = Vec::new();
        self.parts[part].each_pattern(self.file, &self.reader, |candidate, pattern| {
            if says(&pattern, allows) && but != Some(candidate) {
                all.push(candidate);
            }
        });
        all.sort_unstable_by(|a, b| b.cmp(a));
        all
    }

    /// Leave out patterns that another with the same text outranks in the part.
    fn leave_twins_out(&self, part: usize, waiting: &mut Vec<Candidate>) {
        let mut best: HashMap<(Cow<[u8]>, bool, bool), Rank> = HashMap::new();
        self.parts[part].each_pattern(self.file, &self.reader, |candidate, pattern| {
            let rank = best.entry((pattern.text, pattern.wild, pattern.anchored));
            let rank = rank.or_insert(candidate.rank);
            *rank = candidate.rank.min(*rank);
        });
        waiting.retain(|candidate| {
            let pattern = self.pattern(*candidate);
            let mut key = (pattern.text, pattern.wild, pattern.anchored);
            let is_best = |key: &_| best.get(key).is_none_or(|rank| *rank >= candidate.rank);
            is_best(&key) && {
                // What is not anchored matches all that is.
                key.2 = false;
                is_best(&key)
            }
        });
    }

    fn pattern(&self, candidate: Candidate) -> Pattern<'f> {
        let mut patterns = self.patterns(candidate.rule);
        patterns.swap_remove(candidate.number as usize)
    }

    fn patterns(&self, rule: u32) -> Vec<Pattern<'f>> {
        let rule = self.file.groups().rules()[rule as usize];
        let mut patterns = Vec::with_capacity(1);
        let value = rule.value().of(self.file.bytes());
        self.reader.each(value, rule.is_allow(), |pattern| patterns.push(pattern));
        patterns
    }

    /// What a pattern does among the rules of some parts.
    fn standing(
        &mut self,
        candidate: Candidate,
        allows: bool,
        parts: &[usize],
        fresh: Fresh,
    ) -> Standing {
        let witnesses = Witnesses::new(self.file.targets(), fresh, self.reader.folds());
        let pattern = self.pattern(candidate);
        witnesses.standing(&pattern, &mut |target| {
            let best = self.best(parts, target);
            let is_wanted = self.verdict(parts, target, best) == Some(allows);
            let outranks = best.is_some_and(|(rank, _)| rank < candidate.rank);
            let (as_written, has_query) = self.way_of(best, target);
            Answer { is_wanted, outranks, as_written, has_query }
        })
    }

    /// What decides a target among the rules of some parts.
    fn best(&mut self, parts: &[usize], target: &[u8]) -> Option<Ranked> {
        parts.iter().filter_map(|part| self.best_of_part(*part, target)).min_by_key(|best| best.0)
    }

    fn best_of_part(&mut self, part: usize, target: &[u8]) -> Option<Ranked> {
        let part = &mut self.parts[part];
        let steps = part.rules * (STEPS_TO_WALK_BY + target.len() as u64);
        if part.walked < MOST_WALKED && steps <= self.budget.left() / 16 {
            part.walked += 1;
            self.budget.take(steps);
            return part.agent.best_by_walk(target);
        }
        part.agent.best_within(target, self.budget)
    }

    /// Whether a target is allowed; none if rules do not decide it.
    fn verdict(&self, parts: &[usize], target: &[u8], best: Option<Ranked>) -> Option<bool> {
        let is_exempt = parts.iter().any(|part| self.parts[*part].agent.is_exempt(target));
        let is_allowed = best.is_none_or(|(_, hit)| hit.verdict != Verdict::Disallow);
        (!is_exempt).then_some(is_allowed)
    }

    /// Whether the rule that decides matches as written, and whether its pattern holds a `?`.
    fn way_of(&self, best: Option<Ranked>, target: &[u8]) -> (bool, bool) {
        let Some((rank, hit)) = best.filter(|_| self.reader.folds() && target.contains(&b'?'))
        else {
            return (true, false);
        };
        let rule = self.file.groups().rules()[hit.rule as usize];
        let ranking = Ranking::new(self.file.dialect());
        let patterns = self.patterns(hit.rule);
        let is_hit = |p: &&Pattern| ranking.rank(p, rule.is_allow(), hit.rule) == rank;
        patterns.iter().find(is_hit).map_or((false, true), |pattern| {
            let as_written = matches(&pattern.text, pattern.wild, pattern.anchored, target);
            (as_written, pattern.text.contains(&b'?'))
        })
    }

    /// The posture if the witnesses prove nothing.
    fn posture_by_reach(&mut self, agent: &Agent) -> Posture {
        if self.parts_of.len() > 1 {
            // Among the rules of this crawler alone some byte may be.
            let rules = agent.rules().count() as u64;
            self.budget.take(rules * STEPS_TO_WALK_BY);
            return match self.budget.is_spent() {
                true => Posture::Unknown,
                false => Site::new(self.file, &[agent], self.budget).stance(agent).posture,
            };
        }
        let seen = match self.sample() {
            seen if seen.is_both() => Some(seen),
            _ => reach(&self.branches(), self.file.targets(), self.budget),
        };
        match seen {
            Some(Seen { allowed: true, disallowed: true }) => Posture::Some,
            Some(Seen { allowed: true, .. }) => Posture::All,
            Some(Seen { disallowed: true, .. }) => Posture::None,
            _ => Posture::Unknown,
        }
    }

    /// The verdicts of some targets: those of the best patterns, with a byte that is not fresh.
    fn sample(&mut self) -> Seen {
        const MOST_SAMPLED: usize = 16;
        let worn = Fresh { byte: self.worn, is_held: true };
        let witnesses = Witnesses::new(self.file.targets(), worn, self.reader.folds());
        let mut seen = Seen::default();
        for allows in [false, true] {
            let candidates = self.candidates(0, allows, None);
            for candidate in candidates.into_iter().rev().take(MOST_SAMPLED) {
                let pattern = self.pattern(candidate);
                witnesses.standing(&pattern, &mut |target| {
                    let best = self.best(&[0], target);
                    if !self.budget.is_spent() {
                        seen.add(self.verdict(&[0], target, best));
                    }
                    Answer::default()
                });
            }
        }
        seen
    }

    /// The patterns of the only part, best first, and after each what it is when folded.
    fn branches(&self) -> Vec<Branch> {
        let mut branches = Vec::new();
        if self.parts[0].agent.is_exempt(ROBOTS_TXT) {
            let (text, allows) = (ROBOTS_TXT.to_vec(), None);
            let exempt = Branch { text, wild: false, anchored: true, fold: None, allows };
            branches.push((None, exempt));
        }
        self.parts[0].each_pattern(self.file, &self.reader, |candidate, pattern| {
            let allows = Some(pattern.verdict != Verdict::Disallow);
            let folded = pattern.folded().map(|text| (text, Some(pattern.reserved().fold())));
            let Pattern { text, wild, anchored, .. } = pattern;
            for (text, fold) in std::iter::once((text.into_owned(), None)).chain(folded) {
                let branch = Branch { text, wild, anchored, fold, allows };
                branches.push((Some(candidate), branch));
            }
        });
        branches.sort_by_key(|(candidate, _)| *candidate);
        branches.into_iter().map(|(_, branch)| branch).collect()
    }
}

/// The steps to walk past a rule.
const STEPS_TO_WALK_BY: u64 = 8;

/// Divide the groups of crawlers into parts, and return which of them apply to each crawler.
fn divide(file: &File, agents: &[&Agent]) -> (Vec<Part>, HashMap<Vec<u32>, Vec<usize>>) {
    let mut parts_of: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
    let mut crawlers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut selections: Vec<&[u32]> = Vec::new();
    for agent in agents {
        let groups = &agent.selection().groups;
        if parts_of.insert(groups.clone(), Vec::new()).is_none() {
            groups.iter().for_each(|g| crawlers.entry(*g).or_default().push(selections.len()));
            selections.push(groups);
        }
    }
    let mut groups_of: BTreeMap<Vec<usize>, Vec<u32>> = BTreeMap::new();
    for (group, crawlers) in crawlers {
        groups_of.entry(crawlers).or_default().push(group);
    }
    let mut parts = Vec::with_capacity(groups_of.len());
    for (crawlers, groups) in groups_of {
        for crawler in crawlers {
            parts_of.entry(selections[crawler].to_vec()).or_default().push(parts.len());
        }
        parts.push(Part::new(file, groups));
    }
    (parts, parts_of)
}

impl Part {
    fn new(file: &File, groups: Vec<u32>) -> Self {
        let rules = groups.iter().map(|group| file.groups().rule_range(*group as usize).len());
        let rules = rules.sum::<usize>() as u64;
        let agent = Agent::new(file, Selection { groups, named: true });
        Part { agent, rules, walked: 0, elsewhere: None, leaks: Default::default() }
    }

    /// Find the bytes that its patterns contain, and the best pattern of either verdict.
    fn read(&mut self, file: &File, reader: &PatternReader, used: &mut Used) {
        let mut first = [None, None];
        self.each_pattern(file, reader, |candidate, pattern| {
            used.add(&pattern);
            for allows in [false, true].into_iter().filter(|allows| says(&pattern, *allows)) {
                let first: &mut Option<Candidate> = &mut first[allows as usize];
                *first = Some(first.map_or(candidate, |other| other.min(candidate)));
            }
        });
        for (leaks, first) in self.leaks.iter_mut().zip(first) {
            leaks.first = first;
        }
    }

    /// Hand out its patterns.
    fn each_pattern<'f>(
        &self,
        file: &'f File,
        reader: &PatternReader,
        mut take: impl FnMut(Candidate, Pattern<'f>),
    ) {
        for (index, rule) in self.agent.rules() {
            let (value, is_allow) = (rule.value().of(file.bytes()), rule.is_allow());
            let mut number = 0;
            reader.each(value, is_allow, |pattern| {
                let rank = self.agent.ranking().rank(&pattern, is_allow, index);
                take(Candidate { rank, rule: index, number }, pattern);
                number += 1;
            });
        }
    }
}

/// Whether a pattern has a verdict; one that says nothing has none.
fn says(pattern: &Pattern, allows: bool) -> bool {
    match pattern.verdict {
        Verdict::Allow => allows,
        Verdict::Disallow => !allows,
        Verdict::Silent => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{
        Dialect, Normalisation, Precedence, UrlSplit, BING, GOOGLEBOT_CPP, KOSTER_1996,
        ORIGINAL_1994, RFC9309, YANDEX,
    };
    use crate::numbers::Numbers;

    fn file(rules: &[String], dialect: &Dialect) -> File {
        File::parse(format!("User-agent: *\n{}\n", rules.join("\n")).as_bytes(), dialect)
    }

    fn posture(rules: &str) -> Posture {
        posture_in(&RFC9309, rules)
    }

    fn posture_in(dialect: &Dialect, rules: &str) -> Posture {
        let rules: Vec<String> = rules.split("; ").map(str::to_string).collect();
        let file = file(&rules, dialect);
        file.wildcard_agent().stance().posture
    }

    #[test]
    fn a_site_is_as_open_as_the_rules_that_decide() {
        let only_allows_decide = [
            "",
            "Disallow:",
            "Allow: /",
            "Disallow: /; Allow: /",
            "Disallow: /a; Allow: /a",
            "Disallow: /a*b; Allow: /*a*b",
            "Disallow: private",
            "Disallow: /robots.txt$",
            "Disallow: /x$; Allow: /x*",
        ];
        let only_disallows_decide = [
            "Disallow: /",
            "Disallow: *",
            "Disallow: /*$",
            "Disallow: /; Disallow: /x",
            "Disallow: /*; Allow: /",
            "Disallow: /; Allow:",
            "Disallow: /; Allow: x",
            "Disallow: /; Allow: /robots.txt$",
            "Disallow: /; Allow: /a*b; Disallow: /*a*b",
        ];
        let both_decide = [
            "Disallow: /a",
            "Disallow: /; Allow: /a",
            "Disallow: /a*b; Allow: /a*",
            "Disallow: */a*; Allow: /*/a*",
            "Disallow: /; Allow: /$",
            "Disallow: /robots.txt",
        ];
        for (expected, sites) in [
            (Posture::All, &only_allows_decide[..]),
            (Posture::None, &only_disallows_decide),
            (Posture::Some, &both_decide),
        ] {
            for rules in sites {
                assert_eq!(posture(rules), expected, "{rules}");
            }
        }
    }

    #[test]
    fn an_agent_of_another_file_is_told_by_its_own() {
        let one = File::parse(b"User-agent: *\nDisallow: /a\n", &RFC9309);
        let groups = "User-agent: a\nDisallow: /\n".repeat(9);
        let other = File::parse(groups.as_bytes(), &RFC9309);
        let (mine, others) = (one.wildcard_agent(), other.agent(&["a"]).unwrap());
        let found = one.stances(&[&others, &mine, &others]);

        assert_eq!(found, [others.stance(), mine.stance(), others.stance()]);
    }

    #[test]
    fn what_decides_elsewhere_is_told() {
        let file = File::parse(b"User-agent: *\nAllow: /a\nDisallow: /\n", &RFC9309);
        let elsewhere = file.wildcard_agent().stance().elsewhere;

        assert_eq!((elsewhere.allowed, elsewhere.rule), (false, Some(1)));
    }

    #[test]
    fn targets_are_those_that_urls_have() {
        for (dialect, rules, expected) in [
            // Where queries are cut and escapes decoded, `%3F` is in the path.
            (KOSTER_1996, "Disallow: /?", Posture::Some),
            (KOSTER_1996, "Disallow: /%23", Posture::Some),
            (KOSTER_1996, "Disallow: /%00", Posture::Some),
            (KOSTER_1996, "Disallow: /a%25", Posture::Some),
            (KOSTER_1996, "Disallow: /a%2F", Posture::Some),
            (Dialect { query: false, ..RFC9309 }, "Disallow: /?", Posture::All),
            (Dialect { query: false, ..RFC9309 }, "Disallow: /%3F", Posture::Some),
            (Dialect { query: false, ..ORIGINAL_1994 }, "Disallow: /?", Posture::All),
            (Dialect { wildcards: true, ..KOSTER_1996 }, "Disallow: /a$b", Posture::Some),
            // The path of googlebot-cpp ends at a NUL, as its lines do.
            (Dialect { nul_ends_line: false, ..GOOGLEBOT_CPP }, "Disallow: /\0", Posture::All),
            (
                Dialect { url_split: UrlSplit::Google, ..ORIGINAL_1994 },
                "Disallow: /\0",
                Posture::All,
            ),
            (ORIGINAL_1994, "Disallow: /\0", Posture::Some),
            (GOOGLEBOT_CPP, "Disallow: /<", Posture::Some),
            (RFC9309, "Disallow: /<", Posture::Some),
            (RFC9309, "Disallow: /%7E", Posture::Some),
        ] {
            assert_eq!(posture_in(&dialect, rules), expected, "{} {rules}", dialect.name);
        }
    }

    /// Every byte that the targets of RFC 9309 hold.
    fn bytes_of_targets() -> Vec<char> {
        let reader = crate::target::TargetReader::new(&RFC9309);
        (0..128).filter(|byte| reader.holds(*byte)).map(char::from).collect()
    }

    fn rules_for(bytes: &[char], field: &str) -> String {
        bytes.iter().map(|byte| format!("{field}: /{byte}; ")).collect()
    }

    #[test]
    fn rules_for_every_byte_leave_nothing() {
        let bytes = bytes_of_targets();
        let disallows = rules_for(&bytes, "Disallow");
        let allows = rules_for(&bytes, "Allow");

        assert_eq!(bytes.len(), 82);
        assert_eq!(posture(&format!("{disallows}Disallow: /$")), Posture::None);
        assert_eq!(posture(&format!("{disallows}Disallow: /x/*.pdf; Disallow: /$")), Posture::None);
        assert_eq!(posture(&disallows), Posture::Some);
        assert_eq!(posture(&rules_for(&bytes[1..], "Disallow")), Posture::Some);
        assert_eq!(posture(&format!("Disallow: /; {allows}Allow: /$")), Posture::All);
        assert_eq!(posture(&format!("Disallow: /; {allows}")), Posture::Some);
        assert_eq!(posture(&format!("Disallow: /; {allows}; Allow: /*")), Posture::All);
        assert_eq!(
            posture(&format!("{disallows}Disallow: /$; Disallow: /robots.txt$")),
            Posture::None
        );
        assert_eq!(
            posture(&format!("{disallows}Disallow: /$; Allow: /robots.txt$")),
            Posture::None
        );
        assert_eq!(posture(&format!("{disallows}Disallow: /$; Allow: /robots.txt")), Posture::Some);
    }

    #[test]
    fn a_site_may_be_closed_by_escapes_of_every_byte() {
        let all = (0..=255).map(|byte| format!("Disallow: /%{byte:02X}; "));
        let all: String = all.collect::<String>() + "Disallow: //";

        assert_eq!(posture_in(&KOSTER_1996, &all), Posture::Some);
        assert_eq!(posture_in(&KOSTER_1996, &format!("{all}; Disallow: /")), Posture::None);
        assert_eq!(posture_in(&KOSTER_1996, &format!("Allow: /; {all}")), Posture::All);
    }

    /// For each binary word a pattern that allows, and one that outranks it.
    fn words(number: usize, outranks: impl Fn(&str) -> String) -> String {
        let word = |number: usize| format!("{number:b}").replace('0', "*a").replace('1', "*b");
        let rules = (2..number + 2).map(|number| {
            let word = word(number);
            format!("; Allow: /{word}; Disallow: {}", outranks(&word))
        });
        "Disallow: /".to_string() + &rules.collect::<String>()
    }

    #[test]
    fn what_a_pattern_of_the_same_text_outranks_costs_little() {
        assert_eq!(posture(&words(3_000, |word| format!("/{word}*"))), Posture::None);
        assert_eq!(posture(&words(3_000, |word| format!("/{word}$"))), Posture::Some);
    }

    #[test]
    fn what_takes_too_many_steps_is_unknown() {
        let outranks = |word: &str| format!("/{}****", &word[..word.len() - 2]);

        assert_eq!(posture(&words(30, outranks)), Posture::None);
        assert_eq!(posture(&words(3_000, outranks)), Posture::Unknown);
    }

    #[test]
    fn the_budget_is_one_for_all_crawlers_of_a_file() {
        let outranks = |word: &str| format!("/{}****", &word[..word.len() - 2]);
        let mut text = String::new();
        for number in 0..40 {
            let rules = words(40 + number, outranks).replace("; ", "\n");
            text += &format!("User-agent: b{number}\nAllow: /*{number}$\n{rules}\n");
        }
        let file = File::parse(text.as_bytes(), &RFC9309);
        let agents: Vec<_> = (0..40).map(|n| file.agent(&[format!("b{n}")]).unwrap()).collect();
        let all = file.stances(&agents.iter().collect::<Vec<_>>());

        assert!(all.iter().all(|stance| stance.posture == Posture::Some));
    }

    #[test]
    fn what_folding_lets_match_is_proved_part_by_part() {
        for (rules, expected) in [
            ("Disallow: /; Allow: /?a/b; Disallow: /?a%2Fb*", Posture::None),
            ("Disallow: /; Allow: /?a%2Fb; Disallow: /?a/b***", Posture::None),
            ("Disallow: /; Allow: /?a/b; Disallow: /*a/b***", Posture::Some),
            ("Disallow: /; Allow: /?a/b; Disallow: /*b***", Posture::None),
            ("Disallow: /; Allow: /?a/b; Disallow: /?****", Posture::None),
            ("Disallow: /; Allow: /?a/b; Disallow: /*****", Posture::None),
            // `/x?y?a/b` is matched by the first as written, and by the second not at all.
            ("Disallow: /; Allow: /*?a/b; Disallow: /*?a%2Fb*", Posture::Some),
            ("Disallow: /; Allow: /*?a/b; Disallow: /*?a/b**", Posture::None),
            ("Disallow: /; Allow: /*?a; Disallow: /*?a**", Posture::None),
        ] {
            assert_eq!(posture(rules), expected, "{rules}");
        }
    }

    /// What patterns and targets are made of.
    const PIECES: [&str; 16] =
        ["/", "a", "b", "?", "*", "%2F", "%3F", "%3A", ":", "[", "%5B", "%", "$", "%25", "3A", "]"];

    /// All targets of up to five of these pieces after the first `/`.
    fn targets(pieces: &[&str], dialect: &Dialect) -> Vec<Vec<u8>> {
        let reader = crate::target::TargetReader::new(dialect);
        let spell = |piece: &&str| match reader.read(format!("/{piece}").as_bytes()) {
            Ok(target) if target.bytes().len() > 1 => target.bytes()[1..].to_vec(),
            _ => piece.as_bytes().to_vec(),
        };
        // A folded pattern may match where its bytes are written in the other way.
        const WAYS: [[&str; 2]; 4] = [["/", "%2F"], ["?", "%3F"], [":", "%3A"], ["[", "%5B"]];
        let ways = WAYS.iter().filter(|ways| ways.iter().any(|way| pieces.contains(way)));
        let ways = ways.flatten().filter(|_| dialect.equate_reserved_escapes);
        let mut pieces: Vec<Vec<u8>> = pieces.iter().chain(ways).map(spell).collect();
        pieces.sort_unstable();
        pieces.dedup();
        let mut targets = vec![b"/".to_vec()];
        let mut from = 0;
        for _ in 0..5 {
            let until = targets.len();
            for at in from..until {
                for piece in &pieces {
                    targets.push([&targets[at][..], piece].concat());
                }
            }
            from = until;
        }
        targets.retain(|target| reader.is_possible(target));
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    const EVERY_DIALECT: [Dialect; 10] = [
        RFC9309,
        KOSTER_1996,
        YANDEX,
        GOOGLEBOT_CPP,
        BING,
        ORIGINAL_1994,
        RFC9309,
        Dialect { wildcards: true, precedence: Precedence::Longest, ..KOSTER_1996 },
        Dialect { query: false, ..RFC9309 },
        Dialect { precedence: Precedence::First, ..RFC9309 },
    ];

    /// A rule of up to three pieces, with what may stand before and after them.
    fn rule(numbers: &mut Numbers, pieces: &[&str], dialect: &Dialect) -> String {
        let field = ["Allow", "Disallow"][numbers.below(2)];
        let special = if dialect.wildcards { 6 } else { 3 };
        let begin = ["/", "/", "", "*", "/*", "/"][numbers.below(special)];
        let end = ["", "", "", "*", "$", "**"][numbers.below(special)];
        let middle = |numbers: &mut Numbers| pieces[numbers.below(pieces.len())];
        let middle: String = (0..numbers.below(4)).map(|_| middle(numbers)).collect();
        format!("{field}: {begin}{middle}{end}")
    }

    /// The answer for the targets examined so far, until two answers differ.
    fn posture_of(mut answers: impl Iterator<Item = bool>) -> Posture {
        let first = answers.next().unwrap();
        match first {
            _ if answers.any(|other| other != first) => Posture::Some,
            true => Posture::All,
            false => Posture::None,
        }
    }

    /// The posture that following all targets finds.
    fn followed(file: &File, agent: &Agent) -> Option<Posture> {
        let budget = Budget::new(u64::MAX);
        let site = Site::new(file, &[agent], &budget);
        let branches = if site.parts.is_empty() { Vec::new() } else { site.branches() };
        let seen = reach(&branches, file.targets(), &budget)?;
        Some(match seen {
            Seen { allowed: true, disallowed: true } => Posture::Some,
            Seen { allowed, .. } => {
                if allowed {
                    Posture::All
                } else {
                    Posture::None
                }
            }
        })
    }

    #[test]
    fn it_says_what_asking_for_every_short_target_says() {
        let mut numbers = Numbers(9309);
        for dialect in EVERY_DIALECT.into_iter().cycle().take(120) {
            let pieces = [0; 3].map(|_| PIECES[numbers.below(PIECES.len())]);
            let has = |piece| pieces.contains(&piece);
            let is_base = dialect.normalisation == Normalisation::Base;
            if has("%") && (has("a") || has("b") || has("3A") && !is_base) {
                // Together they are an escape, of a byte that no target here holds.
                continue;
            }
            // No pattern holds the last.
            let of_targets: Vec<_> = pieces.into_iter().chain(["/", "c"]).collect();
            let targets = targets(&of_targets, &dialect);
            for _ in 0..4 {
                let number = 1 + numbers.below(4);
                let pieces = &of_targets[..4];
                let rules: Vec<_> =
                    (0..number).map(|_| rule(&mut numbers, pieces, &dialect)).collect();
                let file = file(&rules, &dialect);
                let agent = file.wildcard_agent();
                let is_open = |target: &Vec<u8>| agent.check_compiled(target).allowed;
                let expected = posture_of(targets.iter().map(is_open));
                let found = agent.stance().posture;
                let case = format!("{} {rules:?} {of_targets:?}", dialect.name);

                assert_eq!(found, expected, "{case}");
                assert_eq!(followed(&file, &agent), Some(expected), "{case}");
            }
        }
    }

    #[test]
    fn crawlers_that_share_rules_are_received_as_each_alone() {
        let mut numbers = Numbers(9309);
        for dialect in EVERY_DIALECT.into_iter().cycle().take(2_000) {
            let pieces = [0; 3].map(|_| PIECES[numbers.below(PIECES.len())]);
            let mut text = String::new();
            for _ in 0..1 + numbers.below(5) {
                for _ in 0..1 + numbers.below(3) {
                    text += &format!("User-agent: {}\n", ["a", "b", "c", "*"][numbers.below(4)]);
                }
                for _ in 0..numbers.below(4) {
                    text += &(rule(&mut numbers, &pieces, &dialect) + "\n");
                }
            }
            let file = File::parse(text.as_bytes(), &dialect);
            let agents = ["a", "b", "c", "d"].map(|token| file.agent(&[token]).unwrap());
            let expected = agents.each_ref().map(|agent| agent.stance());
            let agents: Vec<&Agent> = agents.iter().collect();

            assert_eq!(file.stances(&agents), expected, "{} {text}", dialect.name);
        }
    }
}
