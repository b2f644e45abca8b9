//! Uses in a scan: what a file says of each use to the crawlers that fetch for it, by mechanism.
//!
//! In: what is asked, and the agents of a file. Out: [`Heard`] of each use, about pages that no
//! pattern matches specifically.

use verger_core::internal::{Binding, Followed};
use verger_core::{Agent, File, Mechanism, Outcome, Target, Use, UseOutcome};

use crate::scan::BoundCrawler;

/// The mechanisms that may allow a use, or disallow it.
pub const DECIDING: [Mechanism; 4] = [
    Mechanism::CrawlRules,
    Mechanism::PolicyToken,
    Mechanism::ContentSignal,
    Mechanism::ContentUsage,
];

/// A use that a scan asks about: for crawlers that no group names, and for some of its own.
#[derive(Clone, Debug)]
pub struct ScannedUse {
    /// What for.
    pub purpose: Use,
    /// The product tokens that stand for it, whoever asks.
    pub policy_tokens: Vec<String>,
    /// The crawlers that fetch for it.
    pub crawlers: Vec<AskingCrawler>,
}

impl ScannedUse {
    /// Every product token that stands for it, some of them several times.
    pub fn all_policy_tokens(&self) -> impl Iterator<Item = &String> {
        let of_crawlers = self.crawlers.iter().flat_map(|crawler| &crawler.policy_tokens);
        self.policy_tokens.iter().chain(of_crawlers)
    }
}

/// A crawler that fetches for a use.
#[derive(Clone, Debug)]
pub struct AskingCrawler {
    /// Its place among those of the scan; none if it follows no group.
    pub place: Option<usize>,
    /// The product tokens that stand for the use of what it fetches.
    pub policy_tokens: Vec<String>,
}

/// What a file says of one use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// Whether crawlers that no group names may use it; none if no line mentions it.
    pub allowed: Option<bool>,
    /// For each of [`DECIDING`], how many crawlers it allows the use, and how many it disallows it.
    pub said: [[u32; 2]; 4],
    /// Mechanisms of which one allows the use and the other does not, to how many crawlers.
    pub conflicts: Vec<(Mechanism, Mechanism, u32)>,
}

impl Heard {
    fn add(&mut self, outcome: &UseOutcome, crawlers: u32) {
        for (mechanism, said) in DECIDING.iter().zip(&mut self.said) {
            let own = outcome.signals.iter().filter(|signal| signal.mechanism == *mechanism);
            let verdicts: Vec<bool> = own.filter_map(|signal| signal.allowed).collect();
            said[0] += crawlers * u32::from(verdicts.contains(&true));
            said[1] += crawlers * u32::from(verdicts.contains(&false));
        }
        let mechanism = |signal: usize| outcome.signals[signal].mechanism;
        let pairs =
            outcome.conflicts().into_iter().map(|(yes, no)| (mechanism(yes), mechanism(no)));
        let mut pairs: Vec<_> = pairs.collect();
        pairs.dedup();
        pairs.into_iter().for_each(|(yes, no)| self.add_conflict(yes, no, crawlers));
    }

    fn add_conflict(&mut self, allows: Mechanism, disallows: Mechanism, crawlers: u32) {
        let is_it =
            |known: &&mut (Mechanism, Mechanism, u32)| (known.0, known.1) == (allows, disallows);
        match self.conflicts.iter_mut().find(is_it) {
            Some(known) => known.2 += crawlers,
            None => self.conflicts.push((allows, disallows, crawlers)),
        }
    }
}

/// A file, and the agents of those who ask.
pub struct Audience<'f> {
    /// Crawlers that no group names; then those that one names, in the order of `places`.
    pub agents: Vec<&'f Agent>,
    /// The rules of the policy tokens that the file names.
    pub policies: Vec<&'f Agent>,
    /// The places of the named ones.
    pub places: Vec<usize>,
    /// What each may fetch of pages that no pattern matches specifically.
    pub elsewhere: Vec<Outcome>,
    /// Whether more than rules may speak about use.
    pub speaks: bool,
}

impl Audience<'_> {
    /// What a file says of each use.
    pub fn hear(&self, file: &File, uses: &[ScannedUse], bound: &[BoundCrawler]) -> Box<[Heard]> {
        let page = self
            .speaks
            .then(|| file.page_elsewhere(&[&self.agents[..], &self.policies[..]].concat()));
        let nobody = self.speaks.then(|| {
            let follows_none = Binding::<&[u8]> { follows: Vec::new(), by_star: false };
            file.agent_following::<&[u8], _>(&[], &follows_none)
        });
        let spoken = page.as_ref().zip(nobody.as_ref());
        let followed: Vec<_> = bound.iter().map(|crawler| self.followed_by(crawler)).collect();
        uses.iter().map(|used| self.heard(used, &followed, spoken)).collect()
    }

    fn heard(
        &self,
        used: &ScannedUse,
        followed: &[Option<usize>],
        spoken: Option<(&Target, &Agent)>,
    ) -> Heard {
        let mut heard = Heard::default();
        for (number, (whom, tokens, crawlers)) in self.asked(used, followed).into_iter().enumerate()
        {
            let outcome = self.outcome(used.purpose, whom, tokens, spoken);
            if number == 0 {
                heard.allowed = outcome.allowed;
            }
            heard.add(&outcome, crawlers);
        }
        heard
    }

    /// Who hears the same, by its agent and the policy tokens, and how many crawlers these are: first
    /// those that no group names, which count as one.
    ///
    /// followed: whose rules each crawler of the scan follows.
    fn asked<'u>(
        &self,
        used: &'u ScannedUse,
        followed: &[Option<usize>],
    ) -> Vec<(Option<usize>, &'u [String], u32)> {
        let mut asked = vec![(Some(0), &used.policy_tokens[..], 1)];
        for crawler in &used.crawlers {
            let whom = crawler.place.and_then(|place| *followed.get(place)?);
            let tokens = &crawler.policy_tokens[..];
            let is_same = |known: &&mut (Option<usize>, &[String], u32)| {
                known.0 == whom && (!self.speaks || known.1 == tokens)
            };
            match asked.iter_mut().find(is_same) {
                Some(known) => known.2 += 1,
                None => asked.push((whom, tokens, 1)),
            }
        }
        asked
    }

    /// Whose rules a crawler follows, as a place among the agents.
    fn followed_by(&self, crawler: &BoundCrawler) -> Option<usize> {
        let named = |place: &usize| self.places.binary_search(place).ok().map(|at| at + 1);
        match crawler.binding.followed(named(&crawler.place), named) {
            Followed::Named(agent) => Some(agent),
            Followed::Star => Some(0),
            Followed::Nobody => None,
        }
    }

    fn outcome(
        &self,
        purpose: Use,
        whom: Option<usize>,
        policy_tokens: &[String],
        spoken: Option<(&Target, &Agent)>,
    ) -> UseOutcome {
        match (spoken, whom) {
            (Some((page, nobody)), _) => {
                let agent = whom.map_or(nobody, |whom| self.agents[whom]);
                agent.use_rules_of_checked(purpose, policy_tokens).check(agent, page)
            }
            (None, Some(whom)) => UseOutcome::of_rules(self.agents[whom], &self.elsewhere[whom]),
            (None, None) => UseOutcome::default(),
        }
    }
}
