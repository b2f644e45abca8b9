//! Property: where a log is cut into chunks changes nothing, and every line is counted once.
//!
//! Oracle: the log in one chunk, in single bytes, and cut at each of some places; the lines, counted
//! by hand, which the tallies add up to.

use std::convert::Infallible;

use verger_bulk::logs::audit::{Audit, Settings};
use verger_bulk::logs::fields::Field;
use verger_bulk::logs::format::{Form, Reader};
use verger_bulk::logs::json::Names;
use verger_bulk::logs::judge::{Judge, Version};
use verger_bulk::logs::lines::LONGEST;
use verger_bulk::logs::tally::{CrawlerTally, LogTally, Pair, PairTally};
use verger_bulk::logs::w3c::is_directive;
use verger_core::{product_token, RFC9309};

use crate::input::{expanded, parts};

const ROBOTS: &[u8] = b"User-agent: A\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\nAllow: /b/a\n";

/// What an audit tells.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    log: LogTally,
    crawlers: Vec<CrawlerTally>,
    pairs: Vec<(Pair, PairTally)>,
}

/// Check one input: ways, places to cut at, log.
pub fn check(data: &[u8]) {
    let data = expanded(data);
    let [ways, cuts, log] = parts(&data);
    let ways = [0, 1].map(|at| ways.get(at).copied().unwrap_or_default());
    let whole = audit(ways, [log]);
    assert_adds_up(&whole, ways, log);
    assert_eq!(audit(ways, log.chunks(1)), whole, "one byte after the other");
    let mut places: Vec<usize> =
        cuts.iter().take(3).map(|cut| usize::from(*cut) % (log.len() + 1)).collect();
    places.sort_unstable();
    let mut chunks = Vec::new();
    let mut at = 0;
    for place in places {
        let (left, right) = log.split_at(place);
        assert_eq!(audit(ways, [left, right]), whole, "cut at {place}");
        chunks.push(&log[at..place]);
        at = place;
    }
    chunks.push(&log[at..]);
    assert_eq!(audit(ways, chunks), whole, "cut at several places");
}

fn audit<'l>(ways: [u8; 2], chunks: impl IntoIterator<Item = &'l [u8]>) -> Told {
    let mut audit = Audit::new(settings(ways), judge(ways[0]));
    for chunk in chunks {
        let Ok(()) = audit.feed(chunk, who);
    }
    let Ok(()) = audit.finish_input(who);
    let pairs = audit.pairs().sorted();
    Told {
        log: audit.log().clone(),
        crawlers: audit.crawlers().to_vec(),
        pairs: pairs.into_iter().map(|(pair, tally)| (pair, tally.clone())).collect(),
    }
}

/// The formats beyond the first four.
const FORMATS: [&str; 7] = [
    "w3c",
    "haproxy",
    "alb",
    "s3",
    "$remote_addr [$time_local] \"$request\" $status \"$http_user_agent\" \"$host\"",
    "$time_iso8601|$host$uri$is_args$args|$status|$http_user_agent",
    "%v:%p %h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"",
];

fn form([ways, more]: [u8; 2]) -> Form {
    match (ways & 3, usize::from(more).checked_sub(1)) {
        (0, None) => Form::Any,
        (1, None) => Form::Common,
        (2, None) => Form::VirtualHost,
        (_, None) => Form::Json,
        (_, Some(at)) => Form::named(FORMATS[at % FORMATS.len()]).expect("a format that is read"),
    }
}

fn settings(ways: [u8; 2]) -> Settings {
    let is_on = |bit: u8| ways[0] & 1 << bit != 0;
    Settings {
        reader: Reader::new(form(ways), if is_on(4) { names() } else { Names::default() }),
        since: is_on(5).then_some(900_000_000_000_000),
        until: is_on(5).then_some(1_800_000_000_000_000),
        hosts: if is_on(6) { vec![b"e.com".to_vec()] } else { Vec::new() },
        crawlers: if is_on(7) { vec![b"a".to_vec()] } else { Vec::new() },
    }
}

fn names() -> Names {
    vec![(b"u".to_vec(), Field::Target), (b"a.b".to_vec(), Field::Agent)]
}

fn judge(ways: u8) -> Judge {
    let version = |since: i64, bytes: &[u8]| Version { since, bytes: bytes.to_vec() };
    let versions = match ways & 8 {
        0 => vec![version(i64::MIN, ROBOTS)],
        _ => vec![version(800_000_000_000_000, b""), version(971_211_336_000_000, ROBOTS)],
    };
    Judge::new(versions, &RFC9309, 3_600_000_000)
}

fn who(agent: &[u8]) -> Result<Option<Vec<u8>>, Infallible> {
    let text = String::from_utf8_lossy(agent);
    Ok(product_token(&text).map(|token| token.as_bytes().to_vec()))
}

fn assert_adds_up(told: &Told, ways: [u8; 2], bytes: &[u8]) {
    let Told { log, crawlers, pairs } = told;
    let methods: u64 = log.methods.iter().map(|(_, count)| count).sum();
    let requests: u64 = crawlers.iter().map(|crawler| crawler.requests.count).sum();
    let left_out = [
        log.unreadable,
        log.undated,
        log.other_times,
        log.other_hosts,
        log.no_url,
        methods,
        log.people,
        log.nameless,
        log.other_crawlers,
    ];
    assert_eq!(log.lines, left_out.iter().sum::<u64>() + requests, "{told:?}");
    let has_directives = matches!(form(ways), Form::Any | Form::W3c);
    let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(number, line)| {
        let mark: &[u8] = if *number == 0 { b"\xef\xbb\xbf" } else { b"" };
        let line = line.strip_prefix(mark).unwrap_or(line);
        let is_long = line.len() > LONGEST;
        let line = line.trim_ascii_end();
        let is_skipped = has_directives && !is_long && is_directive(line);
        !line.is_empty() && !is_skipped
    });
    assert_eq!(log.lines, lines.count() as u64);
    assert!(log.hosts.iter().map(|(_, count)| count).sum::<u64>() <= log.lines);
    for crawler in crawlers {
        let (all, closed) = (crawler.requests, crawler.closed);
        assert!(all.answered + all.refused <= all.count);
        assert!(closed.count + crawler.excused + crawler.unknown <= all.count);
        assert!(crawler.robots_txt.count <= all.count);
        assert_eq!(crawler.examples.is_empty(), closed.count == 0);
    }
    let closed: u64 = crawlers.iter().map(|crawler| crawler.closed.count).sum();
    assert_eq!(pairs.iter().map(|(_, pair)| pair.closed.count).sum::<u64>(), closed);
}
