//! Property: a column of URLs is answered as its URLs are one by one.
//!
//! Oracle: the core, asked for each row; a list of origins searched from the front for a snapshot.
//! The same rows come as strings, large strings, views, a dictionary and binary data.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BinaryArray, DictionaryArray, LargeStringArray, StringArray, StringViewArray,
};
use verger_bulk::access::{fixture, Ruling};
use verger_bulk::column::Bytes;
use verger_bulk::decide::{decide_by_file, decide_by_snapshot};
use verger_bulk::judge::{ManyFiles, OneFile};
use verger_bulk::row::{Row, RowColumns, Unanswered};
use verger_bulk::snapshot::{Builder, Snapshot};
use verger_core::{Agent, Dialect, File, InvalidTarget, Origin, Scope};

use crate::input::{dialect, expanded, items, parts, DIVIDER};

const TOKEN: &[u8] = b"a";

/// The reasons of access policies that the plain table numbers.
const POLICIES: [&str; 4] = ["REDIRECT", "UNAVAILABLE", "UNREACHABLE", "UNREACHABLE_FOR_LONG"];

/// Check one input: `DIALECT[WAYS]`, URLs, then origins and files in turn.
pub fn check(data: &[u8]) {
    let data = expanded(data);
    let [how, urls, rest] = parts(&data);
    let dialect = dialect(how.first());
    let ways = how.get(1).copied().unwrap_or_default();
    let urls = items(urls, 12);
    let sites: Vec<&[u8]> = rest.split(|byte| *byte == DIVIDER).take(12).collect();
    // Rows without text are null; one in three is repeated.
    let mut rows: Vec<Option<&[u8]>> =
        urls.into_iter().map(|url| Some(url).filter(|url| !url.is_empty())).collect();
    rows.extend(rows.clone().into_iter().step_by(3));
    let bytes = Bytes::of(&column(&rows, ways % 6)).expect("bytes");
    let most = [0, 2_000, 1 << 20][usize::from(ways / 6) % 3];
    // Blocks of rows are large, so that a second thread has something to do once in a while only.
    let (is_text, threads) = (true, 1 + usize::from(ways % 4));
    let one = one_file(&sites, &dialect);
    assert_eq!(
        decide_by_file(&one, &bytes, is_text, threads),
        expected(&rows, |url| by_file(&one, url)),
    );
    let (snapshot, list) = snapshot(&sites, &dialect);
    let many = ManyFiles::new(Arc::new(snapshot), vec![TOKEN.to_vec()], most).expect("a token");
    let told = decide_by_snapshot(&many, &bytes, is_text, threads);
    assert_eq!(told, expected(&rows, |url| by_list(&list, url, &dialect)));
    if ways > 200 {
        let batch =
            RowColumns::new(&POLICIES.map(String::from), None).batch(&told).expect("columns");
        assert_eq!(batch.num_rows(), rows.len());
    }
}

/// The rows in one of the forms that Arrow has for them; binary where they are not all UTF-8.
fn column(rows: &[Option<&[u8]>], form: u8) -> ArrayRef {
    let texts: Option<Vec<Option<&str>>> =
        rows.iter().map(|row| row.map(std::str::from_utf8).transpose().ok()).collect();
    match (form, texts) {
        (1, Some(texts)) => Arc::new(StringArray::from(texts)),
        (2, Some(texts)) => Arc::new(LargeStringArray::from(texts)),
        (3, Some(texts)) => Arc::new(StringViewArray::from(texts)),
        (4, Some(texts)) => Arc::new(texts.into_iter().collect::<DictionaryArray<Int8Type>>()),
        (5, Some(texts)) => {
            // A slice begins behind a row that is not its own.
            let longer: StringArray = std::iter::once(Some("x")).chain(texts).collect();
            Arc::new(longer.slice(1, rows.len()))
        }
        _ => Arc::new(BinaryArray::from(rows.to_vec())),
    }
}

fn expected(rows: &[Option<&[u8]>], answer: impl Fn(&[u8]) -> Row) -> Vec<Row> {
    let row = |row: &Option<&[u8]>| match row {
        None => Row::unanswered(Unanswered::NullUrl),
        Some(url) if std::str::from_utf8(url).is_err() => Row::unanswered(Unanswered::InvalidUtf8),
        Some(url) => answer(url),
    };
    rows.iter().map(row).collect()
}

fn decided(agent: &Agent, url: &[u8]) -> Row {
    let Ok(target) = agent.file().target(url) else {
        return Row::unanswered(Unanswered::InvalidTarget);
    };
    let outcome = agent.check_by_walk(target.bytes());
    let line = agent.rule(&outcome).map_or(0, |rule| rule.line);
    Row::decided(outcome.allowed, outcome.reason, line)
}

/// The first file, for its origin where that is one, or for all.
fn one_file(sites: &[&[u8]], dialect: &Dialect) -> OneFile {
    let file = File::parse(sites.get(1).copied().unwrap_or_default(), dialect);
    let agent = file.agent(&[TOKEN]).expect("a token");
    let url = [sites.first().copied().unwrap_or_default(), b"/robots.txt"].concat();
    let scope = Scope::of_file(&url).unwrap_or(Scope::Anything);
    OneFile { agent: Arc::new(agent), scope, uses: None }
}

fn by_file(one: &OneFile, url: &[u8]) -> Row {
    let governs = match &one.scope {
        Scope::Anything => Ok(true),
        Scope::Nothing => Ok(false),
        Scope::Origin(..) if url.first() == Some(&b'/') => Ok(true),
        Scope::Origin(origin) => Origin::of(url).map(|other| other == *origin),
    };
    match (decided(&one.agent, url), governs) {
        (row, _) if row == Row::unanswered(Unanswered::InvalidTarget) => row,
        (row, Ok(true) | Err(InvalidTarget::NoOrigin)) => row,
        (_, Ok(false)) => Row::unanswered(Unanswered::OutOfScope),
        (_, Err(_)) => Row::unanswered(Unanswered::InvalidTarget),
    }
}

struct Entry {
    origin: Origin,
    time: i64,
    ruling: Ruling,
    body: Vec<u8>,
}

/// A snapshot, and the same as a list. A file that begins with `!` or `-` is a policy.
fn snapshot(sites: &[&[u8]], dialect: &Dialect) -> (Snapshot, Vec<Entry>) {
    let table = Arc::new(fixture::table());
    let (mut snapshot, mut list) = (Builder::new(dialect, Arc::clone(&table), 0.0), Vec::new());
    for pair in sites.chunks(2) {
        let [url, body] = pair else { continue };
        let time = body.last().map_or(0, |byte| i64::from(byte % 2));
        let status = match body.first() {
            Some(b'!') => 404,
            Some(b'-') => 301,
            _ => 200,
        };
        let kind = table.kind_of(Some(status), None, true).expect("no failure");
        let ruling = table.kind(kind).ruling(0.0, false);
        let added = snapshot.add(url, fixture::seen(kind, time as f64, body));
        let origin = origin_of_file(url);
        assert_eq!(added.is_ok(), origin.is_ok());
        if let Ok(origin) = origin {
            list.push(Entry { origin, time, ruling, body: body.to_vec() });
        }
    }
    let origins: std::collections::HashSet<String> =
        list.iter().map(|entry| entry.origin.to_string()).collect();
    let snapshot = snapshot.finish();
    assert_eq!(snapshot.len(), origins.len());
    (snapshot, list)
}

/// The origin of a file's URL, or of a bare host, which answers by https.
fn origin_of_file(site: &[u8]) -> Result<Origin, InvalidTarget> {
    let site = site.trim_ascii();
    match site.iter().any(|byte| b"/@?#\\".contains(byte)) {
        true => Origin::governed(site),
        false => Origin::governed(&[b"https://", site].concat()),
    }
}

fn by_list(list: &[Entry], url: &[u8], dialect: &Dialect) -> Row {
    let Ok(origin) = Origin::governed(url) else {
        return Row::unanswered(Unanswered::InvalidTarget);
    };
    let of_origin = list.iter().filter(|entry| entry.origin == origin);
    // Of several with the latest time the last counts, as `max_by_key` has it.
    match of_origin.max_by_key(|entry| entry.time) {
        None => Row::unanswered(Unanswered::NotInSnapshot),
        Some(Entry { ruling: Ruling::Policy { allowed, reason }, .. }) => {
            Row::by_policy(*allowed, *reason)
        }
        Some(entry) => {
            let file = File::parse(&entry.body, dialect);
            decided(&file.agent(&[TOKEN]).expect("a token"), url)
        }
    }
}
