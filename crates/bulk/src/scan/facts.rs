//! Facts: what one file says, determined once for all captures of the same bytes.
//!
//! In: a [`File`] and the [`Crawlers`] of crawlers. Out: [`Facts`]. The file's lines are walked once
//! more than deciding needs, however many facts there are.

use std::borrow::Cow;
use std::sync::Arc;

use verger_core::analysis::About;
use verger_core::internal::{walk, Crawlers, Finder, NamedCrawler, Sink};
use verger_core::record::Signals;
use verger_core::{
    Agent, Cut, Field, File, LineInfo, LineKind, Mechanism, Place, Posture, RawLine, Reading,
    Stance,
};

use crate::fingerprint::fingerprint;
use crate::scan::uses::{Audience, Heard, ScannedUse};
use crate::scan::BoundCrawler;

/// The fields, followed by unknown lines.
pub const FIELDS: usize = Field::ALL.len() + 1;

/// The most bytes of sitemaps that are listed for one file: they are one row, whose texts Arrow
/// counts in 32 bits.
const MOST_SITEMAPS: usize = 1 << 28;

/// What one file says.
#[derive(Debug)]
pub struct Facts {
    /// Whether a limit of the dialect cut it.
    pub truncated: bool,
    /// How many groups it has.
    pub groups: u32,
    /// How many rules are in them.
    pub rules: u32,
    /// How many lines the dialect reads.
    pub lines: u32,
    /// How many of these have each field, or are unknown lines.
    pub fields: [u32; FIELDS],
    /// The findings, in the order of their first lines.
    pub findings: Box<[Findings]>,
    /// The sitemaps as written.
    pub sitemaps: Box<[Box<str>]>,
    /// Seconds between two requests.
    pub crawl_delay: Option<f64>,
    /// How the content may be used.
    pub signals: Signals,
    /// Its fingerprint, if that is asked for.
    pub fingerprint: Option<Box<str>>,
    /// The URLs of its licences as written.
    pub licenses: Box<[Box<str>]>,
    /// What it says of each use that was asked about.
    pub uses: Box<[Heard]>,
    /// How it treats crawlers that no group names.
    pub everyone: Reception,
    /// The crawlers that a group names, in the order in which they were given.
    pub named: Box<[(usize, Reception)]>,
}

/// Findings of one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Findings {
    /// The code.
    pub code: &'static str,
    /// How many there are.
    pub count: u32,
    /// The first line.
    pub line: u32,
}

/// How a file treats one crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reception {
    /// How much it may fetch.
    pub posture: Posture,
    /// The line of the rule that decides where no specific rule matches.
    pub line: Option<u32>,
    /// The start-group lines that name it.
    pub group_lines: Box<[u32]>,
}

impl Reception {
    fn of(file: &File, stance: &Stance, lines: Vec<u32>) -> Reception {
        let rule = stance.elsewhere.rule;
        let line = rule.map(|rule| file.groups().rules()[rule as usize].line);
        Reception { posture: stance.posture, line, group_lines: lines.into() }
    }
}

/// What is asked of every file.
#[derive(Debug)]
pub struct Asked {
    /// Those of the scan, those that they follow, and the policy tokens.
    pub crawlers: Crawlers,
    /// Whose groups each of the scan's follows.
    pub bound: Arc<[BoundCrawler]>,
    /// The place of the first policy token.
    pub policies: usize,
    /// The uses.
    pub uses: Vec<ScannedUse>,
    /// Whether files have fingerprints, which take longer than all else.
    pub fingerprints: bool,
}

/// What may speak about use besides rules.
const ABOUT_USE: [Field; 3] = [Field::ContentSignal, Field::ContentUsage, Field::License];

impl Facts {
    /// Read a file.
    pub fn of(file: &File, asked: &Asked) -> Facts {
        let lines = Lines::of(file);
        let everyone = file.wildcard_agent();
        let has = |field: Field| lines.fields[field as usize] > 0;
        let delay = has(Field::CrawlDelay).then(|| everyone.crawl_delay()).flatten();
        let signals = has(Field::ContentSignal).then(|| everyone.content_signals());
        let mut named = asked.crawlers.named_with_lines(file);
        let is_policy = |named: &NamedCrawler| named.crawler >= asked.policies;
        let policies = named.split_off(named.partition_point(|named| !is_policy(named)));
        let agents: Vec<&Agent> =
            std::iter::once(&everyone).chain(named.iter().map(|named| &named.agent)).collect();
        let stances = file.stances(&agents);
        let audience = Audience {
            places: named.iter().map(|named| named.crawler).collect(),
            elsewhere: stances.iter().map(|stance| stance.elsewhere).collect(),
            speaks: !policies.is_empty() || ABOUT_USE.into_iter().any(has),
            policies: policies.iter().map(|policy| &policy.agent).collect(),
            agents,
        };
        Facts {
            truncated: file.extent().cut != Cut::Nothing,
            groups: file.groups().len() as u32,
            rules: file.groups().rules().len() as u32,
            lines: lines.number,
            fields: lines.fields,
            crawl_delay: delay.and_then(|written| written.parse().ok()),
            signals: signals.unwrap_or_default(),
            fingerprint: asked.fingerprints.then(|| of_all(file)).flatten(),
            licenses: if has(Field::License) { licenses(file) } else { Box::default() },
            uses: audience.hear(file, &asked.uses, &asked.bound),
            findings: lines.findings.into(),
            sitemaps: lines.sitemaps.into(),
            everyone: Reception::of(file, &stances[0], Vec::new()),
            named: named
                .into_iter()
                .zip(&stances[1..])
                .map(|(named, stance)| (named.crawler, Reception::of(file, stance, named.lines)))
                .collect(),
        }
    }

    /// About how many bytes of memory it takes.
    pub fn weight(&self) -> usize {
        let lines: usize = self.named.iter().map(|(_, named)| named.group_lines.len() * 4).sum();
        let texts = self.sitemaps.iter().chain(&self.licenses);
        let texts: usize = texts.map(|url| url.len() + size_of::<Box<str>>()).sum();
        let heard = |heard: &Heard| {
            size_of::<Heard>() + heard.conflicts.len() * size_of::<(Mechanism, Mechanism, u32)>()
        };
        let uses: usize = self.uses.iter().map(heard).sum();
        let named = self.named.len() * size_of::<(usize, Reception)>();
        let findings = self.findings.len() * size_of::<Findings>();
        size_of::<Facts>() + findings + texts + uses + named + lines
    }
}

/// The fingerprint of a file for all crawlers.
fn of_all(file: &File) -> Option<Box<str>> {
    fingerprint(file, About::default()).ok().map(String::into_boxed_str)
}

/// The most bytes of licences that are listed for one file.
const MOST_LICENSES: usize = 1 << 28;

fn licenses(file: &File) -> Box<[Box<str>]> {
    let mut bytes = 0;
    let urls = file.licenses().into_iter().filter_map(|url| text(url.of(file.bytes())));
    let few = urls.take_while(|url| {
        bytes += url.len();
        bytes <= MOST_LICENSES
    });
    few.map(Box::from).collect()
}

/// What the lines say by themselves.
struct Lines<'f> {
    bytes: &'f [u8],
    finder: Finder<'f>,
    number: u32,
    fields: [u32; FIELDS],
    findings: Vec<Findings>,
    sitemaps: Vec<Box<str>>,
    sitemap_bytes: usize,
}

impl<'f> Lines<'f> {
    fn of(file: &'f File) -> Lines<'f> {
        let mut all = Lines {
            bytes: file.bytes(),
            finder: Finder::new(file, None),
            number: 0,
            fields: [0; FIELDS],
            findings: Vec::new(),
            sitemaps: Vec::new(),
            sitemap_bytes: 0,
        };
        walk(file.bytes(), file.dialect(), &mut all);
        if let Some(finding) = all.finder.of_limit() {
            find(&mut all.findings, finding.code.name(), finding.line);
        }
        all.findings.sort_by_key(|finding| (finding.line, finding.code));
        all
    }
}

impl Lines<'_> {
    fn add_sitemap(&mut self, value: &[u8]) {
        let Some(url) = text(value) else { return };
        self.sitemap_bytes += url.len();
        if self.sitemap_bytes <= MOST_SITEMAPS {
            self.sitemaps.push(url.into());
        }
    }
}

impl Sink for Lines<'_> {
    const EVERY_LINE: bool = true;

    fn line(&mut self, raw: &RawLine, reading: &Reading, place: Place) {
        self.number += 1;
        match reading.kind {
            LineKind::Field(field) => {
                self.fields[field as usize] += 1;
                if field == Field::Sitemap && !reading.value.is_empty() {
                    self.add_sitemap(reading.value.of(self.bytes));
                }
            }
            LineKind::Unknown => self.fields[FIELDS - 1] += 1,
            _ => {}
        }
        // The findings of a line do not depend on its group.
        let line = LineInfo { raw: *raw, reading: *reading, place, group: None };
        let findings = &mut self.findings;
        self.finder.codes_of_line(&line, |code| find(findings, code.name(), raw.number));
    }

    fn void_group(&mut self) {}
}

/// The most bytes of a text: a longer one is null, or left out of a list. No meaningful URL, key or
/// value comes near this limit.
pub const LONGEST: usize = 4 << 20;

/// Bytes as text, with U+FFFD for what is not UTF-8; none if there are too many.
pub fn text(bytes: &[u8]) -> Option<Cow<'_, str>> {
    (bytes.len() <= LONGEST).then(|| String::from_utf8_lossy(bytes))
}

fn find(findings: &mut Vec<Findings>, code: &'static str, line: u32) {
    match findings.iter_mut().find(|known| known.code == code) {
        Some(known) => known.count += 1,
        None => findings.push(Findings { code, count: 1, line }),
    }
}
