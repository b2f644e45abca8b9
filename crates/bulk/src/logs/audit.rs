//! Audits: the entries of logs, judged and counted.
//!
//! In: chunks of bytes, versions of a robots.txt file, and a function that returns the crawler of
//! an identification string. Out: tallies. The function is called once for each identification
//! string, as far as memory allows, and may return an error, which ends the audit.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::logs::entry::{bare_host, host_of, url_of, Entry, Unreadable};
use crate::logs::form::{read, Form};
use crate::logs::json::Names;
use crate::logs::judge::{Judge, Verdict, NOBODY};
use crate::logs::lines::Lines;
use crate::logs::tally::{CrawlerTally, LogTally, Pairs, MOST_CRAWLERS};

/// Bytes of identification strings whose crawlers are remembered.
const REMEMBERED: usize = 8 << 20;

/// The memory for remembering one, in addition to its bytes.
const OVERHEAD: usize = 64;

/// The options of an audit.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How lines are written.
    pub form: Form,
    /// Additional names of members.
    pub names: Names,
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
    /// A person, or a client without a name.
    Person,
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
        self.log.lines += 1;
        let entry = line.ok_or(Unreadable::TooLong);
        match entry.and_then(|line| read(line, self.settings.form, &self.settings.names)) {
            Ok(entry) => self.add(&entry, who),
            Err(why) => {
                self.log.add_unreadable(input, number, why);
                Ok(())
            }
        }
    }

    #[inline]
    fn add<E>(
        &mut self,
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
            self.log.no_url += 1;
            return Ok(());
        };
        if !matches!(&request.method[..], b"GET" | b"HEAD") {
            self.log.add_method(&request.method);
            return Ok(());
        }
        let Some(url) = url else {
            self.log.no_url += 1;
            return Ok(());
        };
        let agent = entry.agent.as_deref().unwrap_or_default();
        if let Some(found) = self.known.get(agent).cloned() {
            self.count(&found, agent, &request.target, url, entry);
            return Ok(());
        }
        let found = self.who(who(agent)?, agent);
        self.count(&found, agent, &request.target, url, entry);
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
        let Some(tokens) = tokens else { return Who::Person };
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
    fn count(&mut self, who: &Who, agent: &[u8], target: &[u8], url: Cow<[u8]>, entry: &Entry) {
        match who {
            Who::Crawler(crawler) => self.judge_and_count(*crawler, None, target, &url, entry),
            Who::Stray(tokens) => self.judge_and_count(NOBODY, Some(tokens), target, &url, entry),
            Who::Other => self.log.other_crawlers += 1,
            Who::Person if agent.is_empty() => self.log.nameless += 1,
            Who::Person => self.log.people += 1,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logs::judge::Version;
    use std::convert::Infallible;
    use verger_core::{product_token, RFC9309};

    const ROBOTS: &[u8] = b"User-agent: A\nDisallow: /a\n\nUser-agent: *\nDisallow: /every\n";

    fn audit(settings: Settings, log: &str) -> Audit {
        audit_in_chunks(settings, log, 1 << 20)
    }

    fn audit_in_chunks(settings: Settings, log: &str, size: usize) -> Audit {
        let version = Version { since: i64::MIN, bytes: ROBOTS.to_vec() };
        let mut audit = Audit::new(settings, Judge::new(vec![version], &RFC9309, 0));
        for chunk in log.as_bytes().chunks(size) {
            audit.feed(chunk, who).unwrap();
        }
        audit.finish_input(who).unwrap();
        audit
    }

    fn who(agent: &[u8]) -> Result<Option<Vec<u8>>, Infallible> {
        let text = String::from_utf8_lossy(agent);
        Ok(product_token(&text).map(|token| token.as_bytes().to_vec()))
    }

    fn line(request: &str, status: &str, agent: &str) -> String {
        format!("h - - [10/Oct/2000:13:55:36 -0700] \"{request}\" {status} 5 \"-\" \"{agent}\"\n")
    }

    #[test]
    fn what_was_closed_is_counted() {
        let log = [
            line("GET /a/1 HTTP/1.1", "200", "A/1"),
            line("GET /a/1 HTTP/1.1", "403", "a/2"),
            line("HEAD /a/2 HTTP/1.1", "-", "A/1"),
            line("GET /every HTTP/1.1", "200", "A/1"),
            line("GET /robots.txt HTTP/1.1", "200", "A/1"),
            line("GET http://h/every?x HTTP/1.1", "200", "B"),
            line("POST /a HTTP/1.1", "200", "A/1"),
            line("BREW /a HTTP/1.1", "418", "A/1"),
            line("GET * HTTP/1.1", "200", "A/1"),
            line("-", "408", "-"),
            line("GET /every HTTP/1.1", "200", "-"),
            line("GET /every HTTP/1.1", "200", "Mozilla/5.0 (X11) Firefox/1"),
            "\n \nrubbish\n".into(),
        ]
        .concat();
        let audit = audit(Settings::default(), &log);
        let [_, a, b] = audit.crawlers() else { panic!("{:?}", audit.crawlers()) };
        let log = audit.log();

        assert_eq!((a.requests.count, a.requests.answered, a.requests.refused), (5, 3, 1));
        assert_eq!((a.closed.count, a.closed.answered, a.closed.refused), (3, 1, 1));
        assert_eq!((a.robots_txt.count, b.closed.count), (1, 1));
        assert_eq!(a.examples, [b"/a/1".to_vec(), b"/a/2".to_vec()]);
        assert_eq!(b.examples, [b"http://h/every?x".to_vec()]);
        assert_eq!((log.lines, log.unreadable, log.people, log.nameless), (13, 1, 1, 1));
        assert_eq!(log.no_url, 2);
        assert_eq!(log.methods, [(b"POST".to_vec(), 1), (b"other".to_vec(), 1)]);
        assert_eq!(log.unreadable_lines[0].number, 15);
        let pairs: Vec<_> =
            audit.pairs().sorted().iter().map(|(p, t)| (*p, t.closed.count)).collect();
        assert_eq!(pairs, [((0, 0, 1), 3), ((0, 1, 2), 1)]);
    }

    #[test]
    fn only_what_was_asked_for_counts() {
        let log = [
            line("GET /a HTTP/1.1", "200", "A").replacen('h', "example.com:80 h", 1),
            line("GET /a HTTP/1.1", "200", "A").replacen('h', "other.example:80 h", 1),
            line("GET http://EXAMPLE.com/a HTTP/1.1", "200", "A"),
            line("GET //a HTTP/1.1", "200", "A").replacen('h', "example.com:80 h", 1),
            line("GET /a HTTP/1.1", "200", "B").replace("2000", "2001"),
            line("GET /a HTTP/1.1", "200", "B"),
        ]
        .concat();
        let settings = Settings {
            until: Some(978_307_200_000_000),
            hosts: vec![b"example.com".to_vec()],
            crawlers: vec![b"a".to_vec()],
            ..Settings::default()
        };
        let audit = audit(settings, &log);

        assert_eq!(audit.crawlers()[1].requests.count, 3);
        assert_eq!(audit.log().hosts, [(b"example.com".to_vec(), 3)]);
        let log = audit.log();
        assert_eq!((log.other_hosts, log.other_times, log.other_crawlers), (1, 1, 1));
    }

    #[test]
    fn times_have_borders() {
        let log = [
            line("GET /a HTTP/1.1", "200", "A").replace("36 -", "35 -"),
            line("GET /a HTTP/1.1", "200", "A"),
            line("GET /a HTTP/1.1", "200", "A").replace("36 -", "37 -"),
            "{\"path\":\"/a\",\"ua\":\"A\"}".into(),
        ]
        .concat();
        let settings = |since, until| Settings { since, until, ..Settings::default() };
        let time = 971_211_336_000_000;
        for (settings, counted, undated) in [
            (settings(None, None), 4, 0),
            (settings(Some(time), None), 2, 1),
            (settings(None, Some(time)), 1, 1),
            (settings(Some(time), Some(time + 1)), 1, 1),
        ] {
            let audit = audit(settings, &log);

            assert_eq!(audit.crawlers()[1].requests.count, counted);
            assert_eq!(audit.log().undated, undated);
        }
    }

    #[test]
    fn made_up_names_are_judged_and_not_kept() {
        let log: String = (0..MOST_CRAWLERS + 10)
            .map(|n| line("GET /every HTTP/1.1", "200", &format!("bot{n}")))
            .chain([line("GET /a HTTP/1.1", "200", "A"), line("GET /every HTTP/1.1", "200", "A")])
            .collect();
        let audit = audit(Settings::default(), &log);
        let strays = &audit.crawlers()[NOBODY as usize];

        assert_eq!(audit.crawlers().len(), MOST_CRAWLERS + 1);
        assert_eq!((strays.requests.count, strays.closed.count), (12, 11));
        let by_rule: u64 = audit.pairs().sorted().iter().map(|(_, t)| t.closed.count).sum();
        assert_eq!(by_rule, MOST_CRAWLERS as u64 + 11);
    }

    #[test]
    fn tallies_do_not_depend_on_chunks() {
        let log = [line("GET /a HTTP/1.1", "200", "A"), line("GET /every", "-", "B"), "x".into()];
        let log = log.concat();
        let whole = audit(Settings::default(), &log);
        for size in 1..log.len() {
            let parts = audit_in_chunks(Settings::default(), &log, size);

            assert_eq!(parts.crawlers(), whole.crawlers());
            assert_eq!(parts.log(), whole.log());
        }
    }
}
