//! How long scanning takes: the files of a folder, each once, without what is known of equal ones.
//!
//! `cargo run --release --example scan_speed FOLDER`

use std::sync::Arc;
use std::time::Instant;

use arrow_array::{BinaryArray, Int32Array, RecordBatch, StringArray};
use verger_bulk::access::{Access, AccessTable, Kind, Ruling, PLACES};
use verger_bulk::scan::{AskingCrawler, ScannedUse, Scanner};
use verger_core::{Use, RFC9309};

const CRAWLERS: &str = "GPTBot OAI-SearchBot ChatGPT-User ClaudeBot Claude-User Claude-SearchBot \
    anthropic-ai PerplexityBot Perplexity-User Google-Extended Googlebot Bingbot Applebot \
    Applebot-Extended CCBot Bytespider Amazonbot meta-externalagent FacebookBot YandexBot \
    Baiduspider DuckDuckBot cohere-ai Diffbot ia_archiver";

fn main() {
    let folder = std::env::args().nth(1).expect("the folder of robots.txt files");
    let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.unwrap().path());
    let mut bodies: Vec<Vec<u8>> = paths.map(|path| std::fs::read(path).unwrap()).collect();
    bodies.sort();
    bodies.dedup();
    let number = bodies.len();
    let urls: StringArray = (0..number).map(|n| Some(format!("https://{n}.example/"))).collect();
    let statuses: Int32Array = (0..number).map(|_| Some(200)).collect();
    let batch = RecordBatch::try_from_iter(vec![
        ("url", Arc::new(urls) as _),
        ("status", Arc::new(statuses) as _),
        ("body", Arc::new(BinaryArray::from_iter_values(bodies)) as _),
    ])
    .expect("columns of one length");
    let crawlers: Vec<String> = CRAWLERS.split_whitespace().map(String::from).collect();
    let is_there = Kind::constant(Access::Successful, false, Ruling::Rules);
    let table = AccessTable::new(vec![is_there], vec![0; 2 * PLACES], Vec::new());
    let table = Arc::new(table.expect("a table without holes"));
    let mut best = f64::MAX;
    for _ in 0..10 {
        let scanner =
            Scanner::new(&RFC9309, &crawlers, &[], uses(&crawlers), Arc::clone(&table), false)
                .expect("product tokens");
        let began = Instant::now();
        let scanned = scanner.scan(&batch, 1, false).expect("columns of the right types");
        assert_eq!(scanned.rows.iter().map(RecordBatch::num_rows).sum::<usize>(), number);
        best = best.min(began.elapsed().as_secs_f64());
    }
    println!("{:.2} us for each of {number} files", best / number as f64 * 1e6);
}

/// Every use, asked about by every crawler; with a word behind the folder, none.
fn uses(crawlers: &[String]) -> Vec<ScannedUse> {
    let asked = if std::env::args().len() > 2 { &[][..] } else { &Use::ALL };
    let policy_tokens = || vec!["Google-Extended".to_string()];
    let crawlers = || {
        let places = (0..crawlers.len()).map(Some);
        places.map(|place| AskingCrawler { place, policy_tokens: policy_tokens() }).collect()
    };
    asked
        .iter()
        .map(|purpose| ScannedUse {
            purpose: *purpose,
            policy_tokens: Vec::new(),
            crawlers: crawlers(),
        })
        .collect()
}
