//! Audits: the entries of logs, judged and counted.
//!
//! In: chunks of bytes, versions of a robots.txt file, and a function that returns the crawler of
//! an identification string. Out: tallies. The function is called once for each identification
//! string, as far as memory allows, and may return an error, which ends the audit.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::logs::agent::with_blanks;
use crate::logs::entry::{bare_host, host_of, url_of, Entry, Unreadable};
use crate::logs::format::Reader;
use crate::logs::judge::{Judge, Verdict, NOBODY};
use crate::logs::lines::Lines;
use crate::logs::tally::{CrawlerTally, Line, LogTally, Pairs, MOST_CRAWLERS};

/// Bytes of identification strings whose crawlers are remembered.
const REMEMBERED: usize = 8 << 20;

/// The memory for remembering one, in addition to its bytes.
const OVERHEAD: usize = 64;

/// The options of an audit.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Reads lines, in the form that they are written in.
    pub reader: Reader,
    /// The first time that counts.
    pub since: Option<i64>,
    /// The first time that no longer counts.
    pub until: Option<i64>,
    /// The hosts that count, in lower case; empty for all.
    pub hosts: Vec<Vec<u8>>,
    /// The crawlers that count, by their first product token in lower case; empty for all.
    pub crawlers: Vec<Vec<u8>>,
}

/// Who sent a request.
#[derive(Clone, Debug)]
enum Who {
    /// A crawler, as an index.
    Crawler(u32),
    /// A crawler beyond the limit, by its product tokens.
    Stray(Box<[u8]>),
    /// A crawler that does not count.
    Other,
    /// A person, or a client that names no crawler.
    Person,
    /// A client without an identification string.
    Nameless,
}

/// An audit in progress.
#[derive(Debug)]
pub struct Audit {
    lines: Lines,
    input: u32,
    counts: Counts,
}

#[derive(Debug)]
struct Counts {
    settings: Settings,
    judge: Judge,
    log: LogTally,
    crawlers: Vec<CrawlerTally>,
    pairs: Pairs,
    /// The crawlers by their product tokens, in lower case.
    places: HashMap<Vec<u8>, u32>,
    known: HashMap<Box<[u8]>, Who>,
    known_bytes: usize,
}

impl Audit {
    /// Begin.
    pub fn new(settings: Settings, judge: Judge) -> Audit {
        let counts = Counts {
            settings,
            judge,
            log: LogTally::default(),
            // The first is for crawlers beyond the limit.
            crawlers: vec![CrawlerTally::default()],
            pairs: Pairs::default(),
            places: HashMap::new(),
            known: HashMap::new(),
            known_bytes: 0,
        };
        Audit { lines: Lines::default(), input: 0, counts }
    }

    /// Take the next chunk of the input. `who` returns the product tokens in an identification
    /// string, as `a,b` for a crawler that prefers a to b; none for people.
    pub fn feed<E>(
        &mut self,
        chunk: &[u8],
        mut who: impl FnMut(&[u8]) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<(), E> {
        let (counts, input) = (&mut self.counts, self.input);
        self.lines.feed(chunk, |number, line| counts.take(input, number, line, &mut who))
    }

    /// The input ends here; later bytes belong to another.
    pub fn finish_input<E>(
        &mut self,
        mut who: impl FnMut(&[u8]) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<(), E> {
        let (counts, input) = (&mut self.counts, self.input);
        let taken = self.lines.finish(|number, line| counts.take(input, number, line, &mut who));
        self.lines = Lines::default();
        self.counts.settings.reader.start_log();
        self.input += 1;
        taken
    }

    /// The counts for the whole log.
    pub fn log(&self) -> &LogTally {
        &self.counts.log
    }

    /// The crawlers; the first entry is for those beyond the limit.
    pub fn crawlers(&self) -> &[CrawlerTally] {
        &self.counts.crawlers
    }

    /// Which rules were broken, and by how many requests.
    pub fn pairs(&self) -> &Pairs {
        &self.counts.pairs
    }

    /// The versions.
    pub fn judge(&self) -> &Judge {
        &self.counts.judge
    }
}

/// Whether a method fetches, in any case: methods are case-sensitive (RFC 9110 section 9.1), but
/// what servers answer and log as `get` is a fetch.
fn is_fetch(method: &[u8]) -> bool {
    method == b"GET" || [b"GET", &b"HEAD"[..]].iter().any(|one| one.eq_ignore_ascii_case(method))
}

impl Counts {
    #[inline]
    fn take<E>(
        &mut self,
        input: u32,
        number: u64,
        line: Option<&[u8]>,
        who: &mut impl FnMut(&[u8]) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<(), E> {
        if line.is_some_and(<[u8]>::is_empty) {
            return Ok(());
        }
        let entry = match line {
            None => Err(Unreadable::TooLong),
            Some(line) => match self.settings.reader.read(line) {
                None => return Ok(()),
                Some(entry) => entry,
            },
        };
        self.log.lines += 1;
        match entry {
            Ok(entry) => {
                let text = line.unwrap_or_default();
                self.add(Line { input, number, text }, &entry, who)
            }
            Err(why) => {
                self.log.add_unreadable(input, number, why);
                Ok(())
            }
        }
    }

    #[inline]
    fn add<E>(
        &mut self,
        line: Line<'_>,
        entry: &Entry,
        who: &mut impl FnMut(&[u8]) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<(), E> {
        if !self.is_of_time(entry.time) {
            return Ok(());
        }
        let url = entry.request.as_ref().and_then(|request| url_of(&request.target));
        if !self.is_of_host(entry) {
            return Ok(());
        }
        self.log.period.add(entry.time);
        let Some(request) = &entry.request else {
            self.log.add_without_url(line);
            return Ok(());
        };
        if !is_fetch(&request.method) {
            self.log.add_method(&request.method);
            return Ok(());
        }
        let Some(url) = url else {
            self.log.add_without_url(line);
            return Ok(());
        };
        let agent = entry.agent.as_deref().unwrap_or_default();
        if let Some(found) = self.known.get(agent).cloned() {
            self.count(&found, &request.target, url, entry);
            return Ok(());
        }
        let header = with_blanks(Cow::Borrowed(agent));
        let header = header.trim_ascii();
        let found = self.who(who(header)?, header);
        self.count(&found, &request.target, url, entry);
        self.remember(agent, found);
        Ok(())
    }

    /// Whether the time counts; a line without one counts if time makes no difference.
    #[inline]
    fn is_of_time(&mut self, time: Option<i64>) -> bool {
        let Settings { since, until, .. } = self.settings;
        let Some(time) = time else {
            let is_needed = since.is_some() || until.is_some() || self.judge.needs_time();
            self.log.undated += u64::from(is_needed);
            return !is_needed;
        };
        let counts =
            since.is_none_or(|since| time >= since) && until.is_none_or(|until| time < until);
        self.log.other_times += u64::from(!counts);
        counts
    }

    /// Whether the host counts: that of the URL, otherwise that of the entry (RFC 9112 section
    /// 3.2.2). A log without hosts is the log of one host.
    #[inline]
    fn is_of_host(&mut self, entry: &Entry) -> bool {
        let target = entry.request.as_ref().map(|request| &request.target[..]);
        let in_url = target.filter(|target| target.first() != Some(&b'/')).and_then(host_of);
        let Some(host) = in_url.or(entry.host.as_deref()) else { return true };
        let host = bare_host(host);
        let hosts = &self.settings.hosts;
        if hosts.is_empty() || hosts.iter().any(|known| known.eq_ignore_ascii_case(host)) {
            self.log.add_host(host);
            return true;
        }
        self.log.other_hosts += 1;
        false
    }

    /// Find the index of a crawler, or assign one.
    #[cold]
    fn who(&mut self, tokens: Option<Vec<u8>>, agent: &[u8]) -> Who {
        let Some(tokens) = tokens else {
            return if agent.is_empty() { Who::Nameless } else { Who::Person };
        };
        let lower = tokens.to_ascii_lowercase();
        let wanted = &self.settings.crawlers;
        let first = lower.split(|o| *o == b',').next().unwrap_or_default();
        if !wanted.is_empty() && !wanted.iter().any(|token| token == first) {
            return Who::Other;
        }
        if let Some(place) = self.places.get(&lower) {
            return Who::Crawler(*place);
        }
        if self.crawlers.len() > MOST_CRAWLERS {
            return Who::Stray(tokens.into());
        }
        let place = self.crawlers.len() as u32;
        self.crawlers.push(CrawlerTally::new(&tokens, agent));
        self.places.insert(lower, place);
        Who::Crawler(place)
    }

    fn remember(&mut self, agent: &[u8], who: Who) {
        self.known_bytes += agent.len() + OVERHEAD;
        if self.known_bytes > REMEMBERED {
            self.known.clear();
            self.known_bytes = agent.len() + OVERHEAD;
        }
        self.known.insert(agent.into(), who);
    }

    #[inline]
    fn count(&mut self, who: &Who, target: &[u8], url: Cow<[u8]>, entry: &Entry) {
        match who {
            Who::Crawler(crawler) => self.judge_and_count(*crawler, None, target, &url, entry),
            Who::Stray(tokens) => self.judge_and_count(NOBODY, Some(tokens), target, &url, entry),
            Who::Other => self.log.other_crawlers += 1,
            Who::Person => self.log.people += 1,
            Who::Nameless => self.log.nameless += 1,
        }
    }

    #[inline]
    fn judge_and_count(
        &mut self,
        crawler: u32,
        tokens: Option<&[u8]>,
        target: &[u8],
        url: &[u8],
        entry: &Entry,
    ) {
        let (status, time) = (entry.status, entry.time);
        let tally = &mut self.crawlers[crawler as usize];
        let tokens = tokens.unwrap_or(&tally.tokens);
        let verdict = match memchr::memchr(b',', tokens) {
            None => self.judge.verdict(crawler, &[tokens], url, time),
            Some(_) => {
                let tokens: Vec<&[u8]> = tokens.split(|o| *o == b',').collect();
                self.judge.verdict(crawler, &tokens, url, time)
            }
        };
        if verdict == Verdict::NoUrl {
            self.log.no_url += 1;
            return;
        }
        tally.requests.add(status, time);
        if target.split(|o| *o == b'?').next() == Some(b"/robots.txt") {
            tally.robots_txt.add(status, time);
        }
        match verdict {
            Verdict::Open | Verdict::NoUrl => {}
            Verdict::Excused => tally.excused += 1,
            Verdict::Unknown => tally.unknown += 1,
            Verdict::Closed { version, rule } => {
                tally.closed.add(status, time);
                tally.add_example(target);
                self.pairs.add((version, rule, crawler), target, status, time);
            }
        }
    }
}
