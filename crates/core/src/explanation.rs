//! A decision explained: the lines of the file that led to it, and what is to be said about them.
//!
//! In: an agent, a question and its outcome. Out: an [`Explanation`]: the parts of it in order, with
//! the marks under them and the sentences, which each language draws in its own colours. Files are
//! untrusted: their text stays apart from words, so that who draws makes it visible and shortens it.

use crate::agent::Agent;
use crate::code::FindingCode;
use crate::decision::{Match, Outcome, Reason};
use crate::finding::Finding;
use crate::group::{Cut, Rule};
use crate::line::Span;
use crate::target::Target;
use crate::words::words_of;

/// The most groups, beaten rules and findings that are shown, and names of a crawler.
const SHOWN_GROUPS: usize = 3;
const SHOWN_BEATEN: usize = 10;
const SHOWN_FINDINGS: usize = 3;
const SHOWN_NAMES: usize = 6;

/// The most characters that are shown of a key, of a value, and of the rest of a line.
const KEY: usize = 40;
const VALUE: usize = 72;
const REST: usize = 24;

/// What a question was.
#[derive(Clone, Copy)]
pub struct Question<'q> {
    /// The product tokens of the crawler.
    pub tokens: &'q [&'q [u8]],
    /// The URL as given.
    pub url: &'q [u8],
    /// Also say what the rule was compared with, and the rules that it beats.
    pub verbose: bool,
    /// Whether a fetch kept only the beginning of the file.
    pub kept_in_part: bool,
}

/// One decision explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Whether the URL may be fetched.
    pub allowed: bool,
    /// What decided, behind the verdict: ` by line 4`, or `: no rule matches`.
    pub because: String,
    /// The highest number of a line that is shown: margins are as wide.
    pub widest: u32,
    /// The lines that decided, or what there is instead.
    pub lines: Vec<Part>,
}

/// A part of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A line of the file, and what its marks mean.
    Line(u32, Vec<Section>, Option<Sentence>),
    /// What the pattern was compared with.
    Target(Vec<Section>),
    /// A sentence.
    Remark(Sentence),
}

/// Pieces of text with the mark under each, of which at most so many characters are shown.
pub type Section = (usize, Vec<(Vec<u8>, char)>);

/// Words, and untrusted text between them.
pub type Sentence = Vec<Word>;

/// A word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// One of ours.
    Own(String),
    /// Untrusted text of any length, of which at most so many characters are shown.
    Text(Vec<u8>, usize),
    /// Untrusted text between backticks.
    Quoted(Vec<u8>),
}

impl Agent {
    /// The lines that led to an outcome of this agent.
    pub fn explain(&self, asked: Question, target: &Target, outcome: &Outcome) -> Explanation {
        Explainer { agent: self, asked, target, outcome }.explain()
    }

    /// What is to be said about them: for that the whole file is read again.
    pub fn remarks(&self, asked: Question, target: &Target, outcome: &Outcome) -> Vec<Part> {
        Explainer { agent: self, asked, target, outcome }.remarks()
    }

    /// The findings that may explain an outcome, those of its line first: of how its groups and rules
    /// are read, or what is above all groups if it has none; and of what its rule matches.
    pub fn findings_about(&self, outcome: &Outcome) -> Vec<Finding> {
        let (file, rule) = (self.file(), self.rule(outcome));
        let (groups, followed) = (file.groups(), &self.selection().groups);
        let starts: Vec<u32> = (0..groups.len())
            .map(|group| groups.start_lines(group).first().map_or(0, |start| start.line))
            .collect();
        let touches = |line: u32| match starts.partition_point(|start| *start <= line) {
            0 => followed.is_empty(),
            after => followed.contains(&(after as u32 - 1)),
        };
        let decides = |line: u32| rule.is_some_and(|rule| rule.line == line);
        let mut found = file.findings(None);
        found.retain(|each| {
            is_of_groups(each.code) && touches(each.line)
                || is_of_patterns(each.code) && decides(each.line)
        });
        found.sort_by_key(|each| !decides(each.line));
        found
    }
}

/// Whether a finding is about how groups and rules are read.
const fn is_of_groups(code: FindingCode) -> bool {
    use FindingCode::*;
    matches!(
        code,
        LongLine
            | NulInLine
            | MisspeltKey
            | MissingColon
            | UnknownLine
            | EmptyAgent
            | RuleWithoutGroup
            | RuleOverLimit
            | PatternWithoutSlash
    )
}

/// Whether a finding is about what a rule matches.
const fn is_of_patterns(code: FindingCode) -> bool {
    matches!(code, FindingCode::InvalidUtf8 | FindingCode::InvalidEscape | FindingCode::UnsafeByte)
}

struct Explainer<'e> {
    agent: &'e Agent,
    asked: Question<'e>,
    target: &'e Target<'e>,
    outcome: &'e Outcome,
}

impl Explainer<'_> {
    fn explain(&self) -> Explanation {
        let rule = self.agent.rule(self.outcome);
        let found = self.found();
        let mut lines: Vec<Part> =
            self.shown_groups().map(|group| self.start_line(group)).collect();
        match (rule, &found) {
            (Some(rule), Some(found)) => self.rule_lines(rule, found, &mut lines),
            _ => lines.push(Part::Remark(self.reason(None))),
        }
        let numbers = lines.iter().map(|part| if let Part::Line(at, ..) = part { *at } else { 0 });
        Explanation {
            allowed: self.outcome.allowed,
            because: match rule {
                Some(rule) => format!(" by line {}", rule.line),
                None => {
                    format!(": {}", words_of(self.outcome.reason.name()).unwrap_or_default())
                }
            },
            widest: numbers.max().unwrap_or(0),
            lines,
        }
    }

    fn remarks(&self) -> Vec<Part> {
        let mut remarks = Vec::new();
        let found = self.found();
        remarks.extend(found.and_then(|found| self.compared(&found)));
        remarks.extend(self.findings().map(Part::Remark));
        remarks.extend(self.one_crawler().map(Part::Remark));
        if self.asked.verbose {
            remarks.extend(self.beaten().map(Part::Remark));
        }
        remarks.extend(self.cut().map(|cut| Part::Remark(vec![Word::Own(cut)])));
        remarks
    }

    fn found(&self) -> Option<Match> {
        self.outcome.rule.and_then(|rule| self.agent.match_of(rule, self.target))
    }

    /// The group of the rule; without a rule, the first groups, if these say nothing.
    fn shown_groups(&self) -> impl Iterator<Item = usize> {
        let of_rule = self.outcome.rule.map(|rule| self.groups().group_of_rule(rule as usize));
        let is_about_groups =
            matches!(self.outcome.reason, Reason::NoMatchingRule | Reason::GroupWithoutRules);
        let most = if is_about_groups { SHOWN_GROUPS } else { 0 };
        let first = self.agent.selection().groups.iter().take(most).map(|group| *group as usize);
        let first: Vec<usize> = first.collect();
        of_rule.map_or(first, |group| vec![group]).into_iter()
    }

    /// The start-group line that names the crawler most clearly.
    fn start_line(&self, group: usize) -> Part {
        let (number, value) = self.agent.file().clearest_start_line(group, self.asked.tokens);
        let line = self.line_around(value);
        Part::Line(number, vec![(KEY + VALUE, vec![(line.of(self.bytes()).into(), ' ')])], None)
    }

    fn rule_lines(&self, rule: Rule, found: &Match, lines: &mut Vec<Part>) {
        let (bytes, value) = (self.bytes(), rule.value());
        let line = self.line_around(value);
        let before = Span { start: line.start, end: value.start }.of(bytes);
        let after = Span { start: value.end, end: line.end }.of(bytes);
        let pieces = found.bytes.iter().map(|(piece, _)| *piece);
        let mut marked = self.marked(value.of(bytes), pieces, found, rule);
        if value.is_empty() {
            marked = vec![(b" ".into(), '^')];
        }
        let plain = |most, text: &[u8]| (most, vec![(text.into(), ' ')]);
        let sections = vec![plain(KEY, before), (VALUE, marked), plain(REST, after)];
        lines.push(Part::Line(rule.line, sections, Some(self.reason(Some((rule, found))))));
        if let Some(directory) = self.opened_directory(rule, found) {
            let said = "an `Allow` for an index page also allows its directory: compared as `";
            lines.push(Part::Remark(vec![
                Word::Own(said.into()),
                Word::Text(directory.into(), VALUE),
                Word::Own("$`".into()),
            ]));
        }
    }

    /// Text cut where the pieces of the pattern are, or what they matched, with the mark of each.
    fn marked(
        &self,
        text: &[u8],
        places: impl Iterator<Item = Span>,
        found: &Match,
        rule: Rule,
    ) -> Vec<(Vec<u8>, char)> {
        let value = rule.value().of(self.bytes());
        let mut pieces: Vec<(Vec<u8>, char)> = Vec::new();
        let mut push = |text: &[u8], mark| {
            if !text.is_empty() {
                pieces.push((text.into(), mark));
            }
        };
        let mut at = 0;
        for (place, (piece, _)) in places.zip(&found.bytes) {
            let piece = piece.of(value);
            let is_star = self.agent.file().dialect().wildcards
                && !piece.is_empty()
                && piece.iter().all(|byte| *byte == b'*');
            push(&text[at..place.start as usize], ' ');
            push(place.of(text), if is_star { '~' } else { '^' });
            at = place.end as usize;
        }
        push(&text[at..], ' ');
        pieces
    }

    /// What the pattern was compared with, if the URL alone does not show it.
    fn compared(&self, found: &Match) -> Option<Part> {
        let rule = self.agent.rule(self.outcome)?;
        let target = self.target.bytes();
        let places = found.bytes.iter().map(|(_, place)| *place);
        let pieces = self.marked(target, places, found, rule);
        let is_plain =
            self.asked.url.ends_with(target) && pieces.iter().all(|(_, mark)| *mark != '~');
        let (rest, matched) = pieces.into_iter().partition(|(_, mark)| *mark == ' ');
        let sections = vec![(VALUE, matched), (REST, rest)];
        (!is_plain || self.asked.verbose).then_some(Part::Target(sections))
    }

    fn reason(&self, by: Option<(Rule, &Match)>) -> Sentence {
        let own = |text: String| vec![Word::Own(text)];
        let (reason, dialect) = (self.outcome.reason, self.agent.file().dialect());
        let words = |reason: Reason| words_of(reason.name()).unwrap_or_default().to_string();
        let these =
            if self.agent.selection().groups.len() > 1 { "these groups" } else { "this group" };
        let mut said = match (reason, by) {
            (_, Some((rule, _))) if rule.value().is_empty() => own(words(Reason::EmptyRule)),
            (Reason::MostSpecificRule, Some((_, found))) => {
                let bytes = counted(u64::from(found.specificity), "byte");
                own(format!("{}, {bytes}", words(reason)))
            }
            (Reason::NoMatchingRule, _) => vec![
                Word::Own(format!("no rule of {these} matches `")),
                Word::Text(self.target.bytes().into(), VALUE),
                Word::Own("`".into()),
            ],
            (Reason::GroupWithoutRules, _) => {
                let has = if these == "this group" { "has" } else { "have" };
                own(format!("{these} {has} no rules, so nothing is disallowed"))
            }
            (Reason::NoGroup, _) => self.unnamed(),
            (Reason::RobotsTxtItself, _) => own("a crawler may always fetch `/robots.txt`".into()),
            (Reason::FileOverLimit, _) => {
                own(format!("more than {} bytes", grouped(dialect.parse_limit.unwrap_or(0))))
            }
            _ => own(words(reason)),
        };
        said.push(Word::Own(format!(" ({})", reason.section(dialect))));
        said
    }

    /// That no group is for the crawler.
    fn unnamed(&self) -> Sentence {
        let ignores_star = self.agent.file().dialect().ignore_star;
        if !ignores_star && self.asked.tokens == [b"*"] {
            return vec![Word::Own("no start-group line names `*`".into())];
        }
        let mut said = vec![Word::Own("no start-group line names ".into())];
        for (number, token) in self.asked.tokens.iter().enumerate() {
            if number > 0 {
                said.push(Word::Own(", ".into()));
            }
            said.push(Word::Quoted(token.to_vec()));
        }
        let star = if ignores_star { ", which `*` does not bind" } else { " or `*`" };
        said.push(Word::Own(star.into()));
        said
    }

    /// What was found in the lines that led to the answer.
    fn findings(&self) -> impl Iterator<Item = Sentence> {
        let found = self.agent.findings_about(self.outcome);
        let rest = found.len().saturating_sub(SHOWN_FINDINGS);
        let shown = found.into_iter().take(SHOWN_FINDINGS).map(|each| {
            vec![
                Word::Own(format!("line {}: ", each.line)),
                Word::Text(each.message.into_bytes(), usize::MAX),
                Word::Own(format!(" ({})", each.code.name())),
            ]
        });
        let more = format!("and {}", counted(rest as u64, "more finding"));
        shown.chain((rest > 0).then_some(vec![Word::Own(more)]))
    }

    /// Which of several names decided, and that they are of one crawler.
    fn one_crawler(&self) -> Option<Sentence> {
        let tokens = self.asked.tokens;
        if tokens.len() < 2 {
            return None;
        }
        let shown = if tokens.len() > SHOWN_NAMES { SHOWN_NAMES - 1 } else { tokens.len() };
        let rest = tokens.len() - shown;
        let mut said = Vec::new();
        for (number, token) in tokens[..shown].iter().enumerate() {
            let is_last = number + 1 == shown && rest == 0;
            let before = if number == 0 {
                ""
            } else if is_last {
                " and "
            } else {
                ", "
            };
            said.push(Word::Own(before.into()));
            said.push(Word::Quoted(token.to_vec()));
        }
        if rest > 0 {
            said.push(Word::Own(format!(" and {} more", grouped(rest as u64))));
        }
        said.push(Word::Own(" are one crawler: ".into()));
        match self.token_of_group() {
            Some(at) => {
                said.push(Word::Own("the group names ".into()));
                said.push(Word::Quoted(tokens[at].to_vec()));
            }
            None => said.push(Word::Own("no group names it".into())),
        }
        Some(said)
    }

    fn token_of_group(&self) -> Option<usize> {
        let first = self.agent.selection().groups.first().map(|group| *group as usize);
        let of_rule = self.outcome.rule.map(|rule| self.groups().group_of_rule(rule as usize));
        self.agent.token_of_group(of_rule.or(first)?, self.asked.tokens)
    }

    /// The other matching rules, which this one beats.
    fn beaten(&self) -> impl Iterator<Item = Sentence> + '_ {
        let mut others = self.agent.matching(self.target);
        others.retain(|rule| Some(*rule) != self.outcome.rule);
        let rest = others.len().saturating_sub(SHOWN_BEATEN);
        let shown = others.into_iter().take(SHOWN_BEATEN).map(|rule| {
            let rule = self.groups().rules()[rule as usize];
            let word = if rule.is_allow() { "Allow" } else { "Disallow" };
            vec![
                Word::Own(format!("beats line {}, {word}: ", rule.line)),
                Word::Text(rule.value().of(self.bytes()).into(), VALUE),
            ]
        });
        let more = vec![Word::Own(format!("beats {} more", grouped(rest as u64)))];
        shown.chain((rest > 0).then_some(more))
    }

    /// That only the beginning of the file counts.
    fn cut(&self) -> Option<String> {
        let file = self.agent.file();
        match file.how_cut() {
            Some(_) if self.outcome.reason == Reason::FileOverLimit => None,
            Some(cut) => Some(format!("the file is {cut}")),
            None if self.asked.kept_in_part => Some(format!(
                "only the first {} bytes of the file were kept when fetched",
                grouped(file.bytes().len() as u64)
            )),
            None => None,
        }
    }

    /// The directory that an index page stood for, if it did: the spans then cover only it, without
    /// the page (google/robotstxt, robots.cc).
    fn opened_directory(&self, rule: Rule, found: &Match) -> Option<&[u8]> {
        let value = rule.value().of(self.bytes());
        let (last, _) = found.bytes.last()?;
        let (directory, page) = value.split_at(last.end as usize);
        let is_opened =
            self.agent.file().dialect().index_is_directory && page.starts_with(b"index.htm");
        is_opened.then_some(directory)
    }

    fn line_around(&self, span: Span) -> Span {
        let bytes = self.bytes();
        let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let before = bytes[..span.start as usize].iter().rposition(is_end).map_or(0, |at| at + 1);
        let after = bytes[span.end as usize..].iter().position(is_end);
        let end = after.map_or(bytes.len(), |at| span.end as usize + at);
        Span { start: before as u32, end: end as u32 }
    }

    fn bytes(&self) -> &[u8] {
        self.agent.file().bytes()
    }

    fn groups(&self) -> &crate::group::Groups {
        self.agent.file().groups()
    }
}

impl crate::file::File {
    /// The start-group line, of the group that a line is in, that names a crawler most clearly: its
    /// number; none if the line is above all groups.
    pub fn start_line_above(&self, line: u32, tokens: &[&[u8]]) -> Option<u32> {
        let groups = self.groups();
        let begins = |group: usize| groups.start_lines(group).first().map_or(0, |it| it.line);
        let above = (0..groups.len()).rev().find(|group| begins(*group) <= line)?;
        Some(self.clearest_start_line(above, tokens).0)
    }

    /// The start-group line of a group that names a crawler most clearly: its number, and its value.
    pub fn clearest_start_line(&self, group: usize, tokens: &[&[u8]]) -> (u32, Span) {
        let distance = |value: Span| {
            let value = value.of(self.bytes()).to_ascii_lowercase();
            let of = |token: &&[u8]| distance(&value, &token.to_ascii_lowercase());
            tokens.iter().map(of).min().unwrap_or(0)
        };
        let starts = self.groups().start_lines(group).iter();
        let clearest = starts.min_by_key(|start| (distance(start.value), start.line));
        clearest.map_or_else(Default::default, |start| (start.line, start.value))
    }

    /// How a limit cut it: `cut at 511,993 bytes (parsing limit 512,000)`; none if it is whole.
    pub fn how_cut(&self) -> Option<String> {
        let (extent, dialect) = (self.extent(), self.dialect());
        let limit = match extent.cut {
            Cut::Nothing => return None,
            Cut::Lines => format!("limit of {} lines", grouped(u64::from(extent.lines))),
            _ => format!("parsing limit {}", grouped(dialect.parse_limit.unwrap_or(0))),
        };
        Some(format!("cut at {} bytes ({limit})", grouped(u64::from(extent.end))))
    }
}

/// How far the value of a start-group line is from the name of a crawler, both in lower case.
fn distance(value: &[u8], name: &[u8]) -> u8 {
    let is_within = |whole: &[u8], part: &[u8]| {
        part.is_empty() || whole.windows(part.len()).any(|window| window == part)
    };
    if value == name {
        0
    } else if value.starts_with(name) {
        let next = value[name.len()];
        if next.is_ascii_alphanumeric() || b"-_.".contains(&next) {
            2
        } else {
            1
        }
    } else if !value.is_empty() && (is_within(name, value) || is_within(value, name)) {
        3
    } else if value.starts_with(b"*") {
        4
    } else {
        5
    }
}

/// A number of something, in English: `1 byte`, `2,000 bytes`.
fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A number with a comma between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut said = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            said.push(',');
        }
        said.push(digit);
    }
    said
}
