//! Property: a capture says the same alone and among others, and every row keeps to what it may say.
//!
//! Oracle: the scan of one capture at a time; the core, asked for what the row tells.

use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, BinaryArray, Int32Array, RecordBatch, StringArray};
use verger_bulk::access::fixture;
use verger_bulk::scan::{AskingCrawler, Scanned, ScannedUse, Scanner};
use verger_core::{File, Use, RFC9309};

use crate::input::{expanded, parts};

/// URL, status and body.
type Capture<'c> = (Option<&'c str>, Option<i32>, Option<&'c [u8]>);

fn scanner() -> &'static Scanner {
    static SCANNER: OnceLock<Scanner> = OnceLock::new();
    SCANNER.get_or_init(|| {
        let crawlers = ["a".to_string(), "b".to_string()];
        let table = Arc::new(fixture::table());
        Scanner::new(&RFC9309, &crawlers, &[], uses(), table, true).expect("tokens")
    })
}

/// Every use, asked about by one of the crawlers, which has a policy token.
fn uses() -> Vec<ScannedUse> {
    let crawler = AskingCrawler { place: Some(1), policy_tokens: vec!["b".to_string()] };
    let used = |purpose| ScannedUse {
        purpose,
        policy_tokens: Vec::new(),
        crawlers: vec![crawler.clone()],
    };
    Use::ALL.map(used).into()
}

/// Check one input: statuses, URL, body.
pub fn check(data: &[u8]) {
    let data = expanded(data);
    let [statuses, url, body] = parts(&data);
    let url = String::from_utf8_lossy(url);
    let status = |at: usize| statuses.get(at).map(|byte| i32::from(*byte) * 4);
    let captures = [
        (Some("https://e.com/robots.txt"), Some(200), Some(body)),
        (Some(&*url), status(0), Some(body)),
        (Some("e.com"), status(1), None),
        (None, None, Some(body)),
    ];
    let batch = |captures: &[Capture]| {
        let urls: StringArray = captures.iter().map(|(url, ..)| *url).collect();
        let statuses: Int32Array = captures.iter().map(|(_, status, _)| *status).collect();
        let bodies: BinaryArray = captures.iter().map(|(.., body)| *body).collect();
        RecordBatch::try_from_iter_with_nullable(vec![
            ("url", Arc::new(urls) as _, true),
            ("status", Arc::new(statuses) as _, true),
            ("body", Arc::new(bodies) as _, true),
        ])
        .expect("columns of one length")
    };
    let all = scanner().scan(&batch(&captures), 1, true).expect("bytes");
    assert_eq!(all.rows.iter().map(RecordBatch::num_rows).sum::<usize>(), captures.len());
    let at = usize::from(statuses.get(2).copied().unwrap_or_default()) % captures.len();
    let alone = scanner().scan(&batch(&captures[at..=at]), 1, true).expect("bytes");
    assert_eq!(alone.rows[0], all.rows[0].slice(at, 1));
    assert_counts(&all.rows[0], body);
    let records = |scanned: &Scanned| scanned.records.iter().map(RecordBatch::num_rows).sum();
    let (of_one, of_all): (usize, usize) = (records(&alone), records(&all));
    assert!(of_one <= of_all);
}

/// The first row has the file: its counts are those of the core.
fn assert_counts(rows: &RecordBatch, body: &[u8]) {
    let file = File::parse(body, &RFC9309);
    let count = |name: &str| {
        let column = rows.column_by_name(name).expect("a column").as_primitive::<Int32Type>();
        column.is_valid(0).then(|| column.value(0) as usize)
    };
    assert_eq!(count("groups"), Some(file.groups().len()));
    assert_eq!(count("rules"), Some(file.groups().rules().len()));
    assert_eq!(count("lines"), Some(file.lines().len()));
}
