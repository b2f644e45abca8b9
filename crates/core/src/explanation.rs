//! An answer explained: the lines of the file that led to it, and what is to be said about them.
//!
//! In: an agent or rules about use, a question and its outcome. Out: an [`Explanation`]: the parts of it in order, with
//! the marks under them and the sentences, which each language draws in its own colours. Files are
//! untrusted: their text stays apart from words, so that who draws makes it visible and shortens it.

use crate::agent::Agent;
use crate::code::FindingCode;
use crate::decision::{Match, Outcome, Reason};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::file::{File, LineInfo};
use crate::finding::Finding;
use crate::group::{Cut, Groups, Rule};
use crate::line::Span;
use crate::sort::sort_by;
use crate::target::Target;
use crate::uses::{Mechanism, UseOutcome, UseRules};
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
    /// A line of the file.
    Line(u32, Vec<Section>),
    /// The marks under the line above, what they mean, and whether that allows something.
    Marks(Vec<Section>, Sentence, Option<bool>),
    /// What the pattern was compared with, with marks under it.
    Target(Vec<Section>, bool),
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
    /// Whether a piece of a rule's value, as [`Match::bytes`] has them, stands for any text.
    pub fn is_star(&self, piece: &[u8]) -> bool {
        let is_special = self.file().dialect().wildcards;
        is_special && !piece.is_empty() && piece.iter().all(|byte| *byte == b'*')
    }

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
        sort_by(&mut found, |one, other| decides(other.line).cmp(&decides(one.line)));
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
        Explanation {
            because: match rule {
                Some(rule) => format!(" by line {}", rule.line),
                None => {
                    format!(": {}", words_of(self.outcome.reason.name()).unwrap_or_default())
                }
            },
            widest: widest(&lines),
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
        let line = self.agent.file().line_around(value);
        Part::Line(number, vec![plain(KEY + VALUE, line.of(self.bytes()))])
    }

    fn rule_lines(&self, rule: Rule, found: &Match, lines: &mut Vec<Part>) {
        let (bytes, value) = (self.bytes(), rule.value());
        let line = self.agent.file().line_around(value);
        let before = Span { start: line.start, end: value.start }.of(bytes);
        let after = Span { start: value.end, end: line.end }.of(bytes);
        let pieces = found.bytes.iter().map(|(piece, _)| *piece);
        let mut marked = self.marked(value.of(bytes), pieces, found, rule);
        if value.is_empty() {
            marked = vec![(b" ".into(), '^')];
        }
        let sections = vec![plain(KEY, before), (VALUE, marked), plain(REST, after)];
        lines.push(Part::Line(rule.line, sections.clone()));
        let said = self.reason(Some((rule, found)));
        lines.push(Part::Marks(sections, said, Some(self.outcome.allowed)));
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
            let mark = if self.agent.is_star(piece.of(value)) { '~' } else { '^' };
            push(&text[at..place.start as usize], ' ');
            push(place.of(text), mark);
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
        let part = Part::Target(sections, self.outcome.allowed);
        (!is_plain || self.asked.verbose).then_some(part)
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
        let mut said = listed(tokens.iter().map(|token| Word::Quoted(token.to_vec())).collect());
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

    fn bytes(&self) -> &[u8] {
        self.agent.file().bytes()
    }

    fn groups(&self) -> &Groups {
        self.agent.file().groups()
    }
}

impl File {
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

    /// The line around a span in it, without its end.
    fn line_around(&self, span: Span) -> Span {
        let bytes = self.bytes();
        let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let before = bytes[..span.start as usize].iter().rposition(is_end).map_or(0, |at| at + 1);
        let after = bytes[span.end as usize..].iter().position(is_end);
        let end = after.map_or(bytes.len(), |at| span.end as usize + at);
        Span { start: before as u32, end: end as u32 }
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

/// Words as `a`, `a and b`, `a, b and 3 more`: at most so many, the last included.
fn listed(words: Vec<Word>) -> Sentence {
    let shown = if words.len() > SHOWN_NAMES { SHOWN_NAMES - 1 } else { words.len() };
    let rest = words.len() - shown;
    let mut said = Vec::new();
    for (number, word) in words.into_iter().take(shown).enumerate() {
        let before = match number {
            0 => "",
            _ if number + 1 == shown && rest == 0 => " and ",
            _ => ", ",
        };
        said.push(Word::Own(before.into()));
        said.push(word);
    }
    if rest > 0 {
        said.push(Word::Own(format!(" and {} more", grouped(rest as u64))));
    }
    said
}

/// Text without marks.
fn plain(most: usize, text: &[u8]) -> Section {
    (most, vec![(ends_of(text, most), ' ')])
}

/// Both ends of a text of which at most so many characters are shown: of a line of megabytes as well
/// as of a short one, and whatever characters are cut apart between them.
fn ends_of(text: &[u8], most: usize) -> Vec<u8> {
    const LONGEST_CHARACTER: usize = 4;
    let room = LONGEST_CHARACTER * (most + 1);
    match text.len() <= 2 * room {
        true => text.into(),
        false => [&text[..room], &text[text.len() - room..]].concat(),
    }
}

/// The highest number of the lines that are shown.
fn widest(lines: &[Part]) -> u32 {
    let numbers = lines.iter().map(|part| if let Part::Line(at, _) = part { *at } else { 0 });
    numbers.max().unwrap_or(0)
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

// Use

/// The most lines about a use that are shown, and the most remarks of a kind.
const SHOWN_LINES: usize = 10;

/// A product token that stands for a use, with the title of the page that says so.
pub type Policy<'p> = (&'p [u8], &'p [u8]);

impl UseRules {
    /// The lines that led to an outcome of these rules, and what is to be said about them.
    ///
    /// tokens: the product tokens of the crawler. policies: those that stand for the use.
    pub fn explain(
        &self,
        file: &File,
        outcome: &UseOutcome,
        tokens: &[&[u8]],
        policies: &[Policy],
        verbose: bool,
    ) -> (Explanation, Vec<Part>) {
        let mut said: Vec<(u32, usize)> = outcome
            .signals
            .iter()
            .enumerate()
            .filter_map(|(place, signal)| Some((signal.line?, place)))
            .collect();
        sort_by(&mut said, |one, other| one.0.cmp(&other.0));
        let mut lines = Vec::new();
        for (_, place) in said.iter().take(SHOWN_LINES) {
            show_signal(file, outcome, *place, tokens, policies, &mut lines);
        }
        let decides = outcome.deciding().and_then(|signal| signal.line);
        let about = self.purpose().name();
        let explanation = Explanation {
            because: match decides {
                Some(line) => format!(" for {about} by line {line}"),
                None => format!(" about {about}: no line allows or disallows it"),
            },
            widest: widest(&lines),
            lines,
        };
        let more = said.len().saturating_sub(SHOWN_LINES);
        (explanation, self.remarks(file, outcome, policies, more, verbose))
    }

    fn remarks(
        &self,
        file: &File,
        outcome: &UseOutcome,
        policies: &[Policy],
        more: usize,
        verbose: bool,
    ) -> Vec<Part> {
        let mut said: Vec<Sentence> = Vec::new();
        let mut say = |text: String| said.push(vec![Word::Own(text)]);
        if more > 0 {
            say(format!("and {} more lines", grouped(more as u64)));
        }
        for (yes, no) in outcome.conflicts().into_iter().take(SHOWN_LINES) {
            let line = |place: usize| outcome.signals[place].line.unwrap_or(0);
            let (yes, no) = (line(yes), line(no));
            say(format!("line {yes} allows it and line {no} does not: what disallows it counts"));
        }
        if let Some(extent) = self.extent() {
            say(format!("`use={}`: how much of the content may be shown", extent.name()));
        }
        said.extend(file.unread_of_use());
        let silent: Vec<Word> = (0..outcome.signals.len())
            .filter(|place| outcome.signals[*place].line.is_none())
            .map(|place| match outcome.token_named(place, policies) {
                Some(token) => Word::Text(token, usize::MAX),
                None => Word::Own(outcome.signals[place].mechanism.name().into()),
            })
            .collect();
        if verbose && !silent.is_empty() {
            let mut words = vec![Word::Own("silent: ".into())];
            words.extend(listed(silent));
            said.push(words);
        }
        said.into_iter().map(Part::Remark).collect()
    }
}

impl UseOutcome {
    /// The policy token that a signal is, or in whose groups it is said; `a,b` if several are.
    pub fn token_named(&self, place: usize, policies: &[Policy]) -> Option<Vec<u8>> {
        let names: Vec<&[u8]> = self.tokens(place).map(|at| policies[at as usize].0).collect();
        (!names.is_empty()).then(|| names.join(&b","[..]))
    }

    /// The document that says what a signal means: of a policy token, the page about it.
    pub fn section_of(&self, place: usize, policies: &[Policy]) -> Vec<u8> {
        let signal = &self.signals[place];
        let is_rule = signal.mechanism == Mechanism::PolicyToken;
        let page = self.tokens(place).next().filter(|_| is_rule);
        page.map_or(signal.section.as_bytes(), |at| policies[at as usize].1).into()
    }
}

/// The start-group line of a signal, its line, and the marks under its words; lines that already
/// stand there are not repeated.
fn show_signal(
    file: &File,
    outcome: &UseOutcome,
    place: usize,
    tokens: &[&[u8]],
    policies: &[Policy],
    lines: &mut Vec<Part>,
) {
    let (signal, bytes) = (&outcome.signals[place], file.bytes());
    let (Some(number), Some(words)) = (signal.line, signal.words) else { return };
    let token = outcome.token_named(place, policies);
    let names: Vec<&[u8]> = match &token {
        Some(token) => token.split(|byte| *byte == b',').collect(),
        None => tokens.to_vec(),
    };
    let mut show = |part: Part| {
        if !lines.contains(&part) {
            lines.push(part);
        }
    };
    if let Some((start, value)) = file
        .group_above(number)
        .filter(|_| signal.mechanism != Mechanism::License)
        .map(|group| file.clearest_start_line(group, &names))
    {
        show(Part::Line(start, vec![plain(KEY + VALUE, file.line_around(value).of(bytes))]));
    }
    let line = file.line_around(words);
    let marked = if words.is_empty() { b" " } else { words.of(bytes) };
    let sections = vec![
        plain(VALUE, Span { start: line.start, end: words.start }.of(bytes)),
        (VALUE, vec![(ends_of(marked, VALUE), '^')]),
        plain(REST, Span { start: words.end, end: line.end }.of(bytes)),
    ];
    show(Part::Line(number, sections.clone()));
    let mut said = Vec::new();
    if let Some(token) = token {
        said.extend([Word::Quoted(token), Word::Own(" ".into())]);
    }
    let says = match signal.allowed {
        Some(true) => "allows it (",
        Some(false) => "disallows it (",
        None => "is a condition (",
    };
    said.push(Word::Own(says.into()));
    said.push(Word::Text(outcome.section_of(place, policies), usize::MAX));
    said.push(Word::Own(")".into()));
    lines.push(Part::Marks(sections, said, signal.allowed));
}

impl File {
    /// The group that a line is in; none if it is above all groups.
    fn group_above(&self, line: u32) -> Option<usize> {
        let begins =
            |group: usize| self.groups().start_lines(group).first().map_or(0, |it| it.line);
        (0..self.groups().len()).rev().find(|group| begins(*group) <= line)
    }

    /// That a dialect does not read lines about use: it hears nothing, and a reader may.
    pub fn unread_of_use(&self) -> Vec<Sentence> {
        // Whom `*` binds says nothing about fields: crawlers that it does not bind read them alike.
        let named = Dialect::named(self.dialect().name).unwrap_or(self.dialect());
        let dialect = &Dialect { ignore_star: named.ignore_star, ..*self.dialect() };
        let (bytes, name) = (self.bytes(), dialect.derived_name());
        let key = |line: &LineInfo| Some(line.key_and_value()?.0.of(bytes));
        let field = |line: &LineInfo| {
            let key = key(line)?;
            let known = [Field::ContentSignal, Field::ContentUsage, Field::License];
            let is_it = |known: &Field| key.eq_ignore_ascii_case(known.name().as_bytes());
            let is_alias = key.eq_ignore_ascii_case(b"content-signals");
            known.into_iter().find(is_it).or(is_alias.then_some(Field::ContentSignal))
        };
        let lines = self.lines().into_iter().filter(|line| line.kind_name() != "record");
        let found: Vec<_> = lines.filter_map(|line| Some((field(&line)?, line))).collect();
        let rest = found.len().saturating_sub(SHOWN_LINES);
        let mut said: Vec<Sentence> = Vec::new();
        for (field, line) in found.iter().take(SHOWN_LINES) {
            let reads = Dialect { extensions: dialect.extensions.with(*field), ..*dialect };
            said.push(vec![
                Word::Own(format!("line {}: {name} does not read `", line.raw.number)),
                Word::Text(key(line).unwrap_or_default().into(), KEY),
                Word::Own(format!("`; {} does", reads.derived_name())),
            ]);
        }
        if rest > 0 {
            let more = format!("and {} more lines that it does not read", grouped(rest as u64));
            said.push(vec![Word::Own(more)]);
        }
        said
    }
}
