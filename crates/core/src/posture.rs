//! Posture: how much of a site one crawler may fetch, decided for all URLs at once.
//!
//! In: a [`File`] and an [`Agent`]. Out: all, some, or none of the site, exactly, and not sampled.
//!
//! Each pattern has a target that stands for all that it matches: its text, with an octet that no
//! pattern holds in place of each `*` and of an open end. Another pattern matches that target only
//! where its own `*` takes such an octet, and then it takes anything else in its place too. So the
//! rule that decides there decides, or is outranked, everywhere, and the verdicts at these few
//! targets are all verdicts there are. RFC 9309 section 2.2.2. `/robots.txt` itself is left out.

use std::cell::Cell;

use crate::agent::Agent;
use crate::decision::{Outcome, Reason};
use crate::file::File;
use crate::pattern::{Pattern, Verdict};

/// How much of a site a crawler may fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Posture {
    /// Everything.
    All,
    /// One thing and not another.
    Some,
    /// Nothing.
    None,
}

impl Posture {
    /// Every posture.
    pub const ALL: [Posture; 3] = [Posture::All, Posture::Some, Posture::None];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Posture::All => "all",
            Posture::Some => "some",
            Posture::None => "none",
        }
    }
}

/// The posture towards a crawler, and what decides where no pattern is specific.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stance {
    /// How much it may fetch.
    pub posture: Posture,
    /// The answer for pages that the file has no word of their own for.
    pub elsewhere: Outcome,
}

/// Questions above which compiling the rules pays: most files are settled by the first or second.
const MOST_WALKED: usize = 8;

/// How a file receives a crawler.
pub fn stance(file: &File, agent: &Agent) -> Stance {
    let fresh = fresh_octet(file, agent);
    let elsewhere = agent.check_by_walk(file, &[b'/', fresh]);
    let other = Witnesses { file, agent, fresh, asked: Cell::new(0) }.find(!elsewhere.allowed);
    let posture = match (elsewhere.allowed, other) {
        (_, true) => Posture::Some,
        (true, false) => Posture::All,
        (false, false) => Posture::None,
    };
    Stance { posture, elsewhere }
}

/// An octet that stands in no pattern. Where all 256 do, which no text does, the answer is that of
/// the targets asked about: still true of them, but perhaps not of all.
fn fresh_octet(file: &File, agent: &Agent) -> u8 {
    let mut is_used = [false; 256];
    for (_, rule) in agent.rules(file) {
        let value = rule.value().of(file.octets());
        value.iter().for_each(|octet| is_used[*octet as usize] = true);
    }
    (0..=u8::MAX).rev().find(|octet| !is_used[*octet as usize]).unwrap_or(u8::MAX)
}

/// Asks about the targets that stand for patterns.
struct Witnesses<'f> {
    file: &'f File,
    agent: &'f Agent,
    fresh: u8,
    asked: Cell<usize>,
}

impl Witnesses<'_> {
    /// Whether any rule that gives this answer decides anywhere.
    fn find(&self, allowed: bool) -> bool {
        let wanted = if allowed { Verdict::Allow } else { Verdict::Disallow };
        self.agent.rules(self.file).any(|(_, rule)| {
            let value = rule.value().of(self.file.octets());
            let mut found = false;
            self.agent.patterns().each(value, rule.is_allow(), |pattern| {
                found |= pattern.verdict == wanted && self.decides(&pattern, allowed);
            });
            found
        })
    }

    fn decides(&self, pattern: &Pattern, allowed: bool) -> bool {
        let texts = std::iter::once(pattern.text.as_ref()).chain(pattern.folded.as_deref());
        let targets = texts.flat_map(|text| self.targets(text, pattern));
        targets.filter(|target| self.file.is_possible_target(target)).any(|target| {
            let outcome = self.check(&target);
            outcome.allowed == allowed && outcome.reason != Reason::RobotsTxtItself
        })
    }

    fn check(&self, target: &[u8]) -> Outcome {
        self.asked.set(self.asked.get() + 1);
        match self.asked.get() <= MOST_WALKED {
            true => self.agent.check_by_walk(self.file, target),
            false => self.agent.check_compiled(self.file, target),
        }
    }

    /// The targets that stand for a pattern's text. Every target begins with `/`: a leading `*`
    /// takes that, and more, or nothing where the text goes on with it.
    fn targets(&self, text: &[u8], pattern: &Pattern) -> Vec<Vec<u8>> {
        let fill = |begin: &[u8], text: &[u8]| {
            let is_star = |octet: u8| pattern.wild && octet == b'*';
            let text = text.iter().map(|o| if is_star(*o) { self.fresh } else { *o });
            let end = (!pattern.anchored).then_some(self.fresh);
            begin.iter().copied().chain(text).chain(end).collect()
        };
        match text {
            [b'*', b'/', ..] if pattern.wild => vec![fill(b"/", text), fill(b"", &text[1..])],
            [b'*', ..] if pattern.wild => vec![fill(b"/", text)],
            [] => vec![fill(b"/", b"")],
            _ => vec![fill(b"", text)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Dialect, BING, GOOGLEBOT_CPP, KOSTER_1996, RFC9309, YANDEX};

    fn file(rules: &[String], dialect: &Dialect) -> File {
        File::parse(format!("User-agent: *\n{}\n", rules.join("\n")).as_bytes(), dialect)
    }

    fn posture(rules: &str) -> Posture {
        let rules: Vec<String> = rules.split("; ").map(str::to_string).collect();
        let file = file(&rules, &RFC9309);
        stance(&file, &file.wildcard_agent()).posture
    }

    #[test]
    fn a_site_is_open_where_no_disallow_decides() {
        for rules in [
            "",
            "Disallow:",
            "Allow: /",
            "Disallow: /; Allow: /",
            "Disallow: /a; Allow: /a",
            "Disallow: /a*b; Allow: /*a*b",
            "Disallow: private",
            "Disallow: /robots.txt$",
            "Disallow: /x$; Allow: /x*",
        ] {
            assert_eq!(posture(rules), Posture::All, "{rules}");
        }
    }

    #[test]
    fn a_site_is_closed_where_no_allow_decides() {
        for rules in [
            "Disallow: /",
            "Disallow: *",
            "Disallow: /*$",
            "Disallow: /; Disallow: /x",
            "Disallow: /*; Allow: /",
            "Disallow: /; Allow:",
            "Disallow: /; Allow: x",
            "Disallow: /; Allow: /robots.txt$",
            "Disallow: /; Allow: /a*b; Disallow: /*a*b",
        ] {
            assert_eq!(posture(rules), Posture::None, "{rules}");
        }
    }

    #[test]
    fn a_site_is_partly_open_where_both_decide() {
        for rules in [
            "Disallow: /a",
            "Disallow: /; Allow: /a",
            "Disallow: /a*b; Allow: /a*",
            "Disallow: */a*; Allow: /*/a*",
            "Disallow: /; Allow: /$",
            "Disallow: /robots.txt",
        ] {
            assert_eq!(posture(rules), Posture::Some, "{rules}");
        }
    }

    #[test]
    fn what_decides_elsewhere_is_told() {
        let file = File::parse(b"User-agent: *\nAllow: /a\nDisallow: /\n", &RFC9309);
        let elsewhere = stance(&file, &file.wildcard_agent()).elsewhere;

        assert_eq!((elsewhere.allowed, elsewhere.rule), (false, Some(1)));
    }

    /// Numbers from a linear congruential generator: the same on every run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % limit
        }

        fn text(&mut self, alphabet: &[u8], most: usize) -> String {
            let len = self.below(most + 1);
            (0..len).map(|_| alphabet[self.below(alphabet.len())] as char).collect()
        }
    }

    /// Every target of up to five octets; `c` stands in no pattern.
    fn short_targets() -> Vec<Vec<u8>> {
        let mut targets = vec![b"/".to_vec()];
        let mut from = 0;
        for _ in 0..4 {
            let until = targets.len();
            for at in from..until {
                for octet in *b"/abc?*$" {
                    targets.push([&targets[at][..], &[octet]].concat());
                }
            }
            from = until;
        }
        targets
    }

    #[test]
    fn it_says_what_asking_for_every_short_target_says() {
        let targets = short_targets();
        let mut numbers = Numbers(9309);
        for round in 0..600 {
            let dialect = [RFC9309, KOSTER_1996, YANDEX, GOOGLEBOT_CPP, BING][round % 5];
            let rules: Vec<String> = (0..1 + numbers.below(4))
                .map(|_| {
                    let field = ["Allow", "Disallow"][numbers.below(2)];
                    let begin = ["/", "/", "*", ""][numbers.below(4)];
                    let end = ["", "", "*", "$"][numbers.below(4)];
                    format!("{field}: {begin}{}{end}", numbers.text(b"/ab*?", 2))
                })
                .collect();
            let file = file(&rules, &dialect);
            let agent = file.wildcard_agent();
            let answers = targets.iter().map(|target| {
                agent.check_compiled(&file, file.target(target).unwrap().octets()).allowed
            });
            let open = answers.filter(|allowed| *allowed).count();
            let expected = match open {
                0 => Posture::None,
                _ if open == targets.len() => Posture::All,
                _ => Posture::Some,
            };

            assert_eq!(stance(&file, &agent).posture, expected, "{} {rules:?}", dialect.name);
        }
    }
}
