//! Versions of a robots.txt file: which was in force when, and what it disallowed for whom.
//!
//! In: versions with the times from which they were in force, a crawler, a URL and a time. Out: a
//! [`Verdict`]. A crawler may keep its copy of the file for some time (RFC 9309 section 2.4: 24
//! hours), so a URL that any version allowed within this grace is excused.

use verger_core::internal::Binding;
use verger_core::{check_product_token, Agent, Dialect, File};

/// One version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The time from which it was in force, in microseconds since the epoch; `i64::MIN` for always.
    pub since: i64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Whether a URL was allowed for a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was allowed.
    Open,
    /// It was disallowed by a rule of a version.
    Closed {
        /// The version, as an index.
        version: u32,
        /// The rule, as an index into its file.
        rule: u32,
    },
    /// It was disallowed, but an earlier version within the grace allowed it.
    Excused,
    /// No version is known that was in force, or that a copy may have come from.
    Unknown,
    /// The URL is not one that rules can decide.
    NoUrl,
}

/// Judges by the versions of one file.
#[derive(Debug)]
pub struct Judge {
    versions: Vec<Reader>,
    grace: i64,
    /// The version that judged last; logs are nearly in the order of time.
    last: usize,
}

#[derive(Debug)]
struct Reader {
    since: i64,
    file: File,
    agents: Vec<Agent>,
    /// For each crawler, the index of its agent plus one; 0 if it has none yet.
    places: Vec<u32>,
}

impl Judge {
    /// Parse the versions; they are put in order.
    pub fn new(mut versions: Vec<Version>, dialect: &Dialect, grace: i64) -> Judge {
        versions.sort_by_key(|version| version.since);
        let reader = |version: &Version| Reader {
            since: version.since,
            file: File::parse(&version.bytes, dialect),
            agents: Vec::new(),
            places: Vec::new(),
        };
        Judge { versions: versions.iter().map(reader).collect(), grace, last: 0 }
    }

    /// Whether the answer depends on the time.
    pub fn needs_time(&self) -> bool {
        !matches!(&self.versions[..], [only] if only.since == i64::MIN)
    }

    /// The file of a version.
    pub fn file(&self, version: u32) -> &File {
        &self.versions[version as usize].file
    }

    /// Judge a URL; `crawler` is a number that stands for its product tokens from now on. Without a
    /// time, the last version decides.
    #[inline]
    pub fn verdict(
        &mut self,
        crawler: u32,
        tokens: &[&[u8]],
        url: &[u8],
        time: Option<i64>,
    ) -> Verdict {
        let time = time.unwrap_or(i64::MAX);
        let Some(version) = self.in_force(time) else { return Verdict::Unknown };
        match self.versions[version].closes(crawler, tokens, url) {
            Some(None) => Verdict::Open,
            Some(Some(rule)) => match self.before(version, time, crawler, tokens, url) {
                None => Verdict::Closed { version: version as u32, rule },
                Some(verdict) => verdict,
            },
            None => Verdict::NoUrl,
        }
    }

    #[inline]
    fn in_force(&mut self, time: i64) -> Option<usize> {
        let is_last = |at: usize| {
            self.versions.get(at).is_some_and(|version| version.since <= time)
                && self.versions.get(at + 1).is_none_or(|next| next.since > time)
        };
        if !is_last(self.last) {
            self.last = self.versions.partition_point(|v| v.since <= time).checked_sub(1)?;
        }
        Some(self.last)
    }

    /// The verdict of earlier versions that were in force within the grace, if they change
    /// anything.
    fn before(
        &mut self,
        version: usize,
        time: i64,
        crawler: u32,
        tokens: &[&[u8]],
        url: &[u8],
    ) -> Option<Verdict> {
        let oldest = time.saturating_sub(self.grace);
        let mut at = version;
        while self.versions[at].since > oldest {
            at = match at.checked_sub(1) {
                None => return Some(Verdict::Unknown),
                Some(before) => before,
            };
            if self.versions[at].closes(crawler, tokens, url) == Some(None) {
                return Some(Verdict::Excused);
            }
        }
        None
    }
}

impl Reader {
    /// The rule that disallows a URL, if one does; none if the URL is malformed.
    #[inline]
    fn closes(&mut self, crawler: u32, tokens: &[&[u8]], url: &[u8]) -> Option<Option<u32>> {
        let place = self.place(crawler, tokens);
        let target = self.file.target(url).ok()?;
        let outcome = match self.agents.get(place) {
            Some(agent) => agent.check(&target),
            None => agent_of(&self.file, tokens)?.check_by_walk(target.bytes()),
        };
        Some(outcome.rule.filter(|_| !outcome.allowed))
    }

    /// The agent of a crawler. Crawlers that follow the same groups share one: nearly all of them,
    /// if a file names few.
    #[inline]
    fn place(&mut self, crawler: u32, tokens: &[&[u8]]) -> usize {
        match self.places.get(crawler as usize) {
            Some(place) if *place > 0 => *place as usize - 1,
            _ => self.new_place(crawler, tokens),
        }
    }

    #[cold]
    fn new_place(&mut self, crawler: u32, tokens: &[&[u8]]) -> usize {
        let Some(crawler) = Some(crawler as usize).filter(|c| *c != NOBODY as usize) else {
            return usize::MAX;
        };
        let Some(agent) = agent_of(&self.file, tokens) else { return usize::MAX };
        let is_same = |other: &Agent| other.selection() == agent.selection();
        let place = self.agents.iter().position(is_same).unwrap_or_else(|| {
            self.agents.push(agent);
            self.agents.len() - 1
        });
        if self.places.len() <= crawler {
            self.places.resize(crawler + 1, 0);
        }
        self.places[crawler] = place as u32 + 1;
        place
    }
}

/// The rules of a crawler that falls back to its further tokens, whatever several tokens mean in
/// the dialect.
fn agent_of(file: &File, tokens: &[&[u8]]) -> Option<Agent> {
    let is_token = |token: &[u8]| check_product_token(token, file.dialect()).is_ok();
    let (first, others) = tokens.split_first().filter(|(first, _)| is_token(first))?;
    let follows = others.iter().copied().filter(|token| is_token(token)).collect();
    Some(file.agent_following(&[first], &Binding { follows, by_star: true }))
}

/// The number of all crawlers beyond the limit; their tokens are looked up each time.
pub const NOBODY: u32 = 0;

#[cfg(test)]
mod tests {
    use super::*;
    use verger_core::RFC9309;

    #[test]
    fn crawlers_of_the_same_groups_share_their_rules() {
        let bytes = b"User-agent: a\nDisallow: /\n\nUser-agent: *\n".to_vec();
        let mut judge = Judge::new(vec![Version { since: i64::MIN, bytes }], &RFC9309, 0);
        for (crawler, token) in [b"a", b"b", b"c"].into_iter().enumerate() {
            judge.verdict(crawler as u32 + 1, &[token], b"/", None);
        }

        assert_eq!(judge.versions[0].agents.len(), 2);
    }
}
