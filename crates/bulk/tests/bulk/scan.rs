//! Tests of `scan/mod.rs`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, BinaryArray, Int32Array, StringArray};
use verger_core::{DIALECTS, RFC9309};

use arrow_array::RecordBatch;
use verger_bulk::access::fixture;
use verger_bulk::scan::*;
use verger_core::internal::Binding;
use verger_core::Dialect;

fn scanner(dialect: &Dialect, crawlers: &[&str]) -> Scanner {
    let crawlers: Vec<String> = crawlers.iter().map(|token| token.to_string()).collect();
    Scanner::new(dialect, &crawlers, &[], Vec::new(), Arc::new(fixture::table()), false).unwrap()
}

type Row<'a> = (&'a str, Option<i32>, Option<&'a [u8]>);

fn batch(captures: &[Row]) -> RecordBatch {
    let urls: StringArray = captures.iter().map(|(url, ..)| Some(*url)).collect();
    let statuses: Int32Array = captures.iter().map(|(_, status, _)| *status).collect();
    let bodies: BinaryArray = captures.iter().map(|(.., body)| *body).collect();
    RecordBatch::try_from_iter(vec![
        ("url", Arc::new(urls) as _),
        ("status", Arc::new(statuses) as _),
        ("body", Arc::new(bodies) as _),
    ])
    .unwrap()
}

fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).unwrap().as_string::<i32>();
    column.iter().map(|text| text.map(str::to_string)).collect()
}

fn some(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|text| Some(text.to_string()).filter(|text| !text.is_empty())).collect()
}

#[test]
fn a_crawler_follows_its_binding_and_not_star() {
    let crawlers = ["Image", "Ads", "Own"].map(String::from);
    let follows = |name: &str| Binding { follows: vec![name.to_string()], by_star: true };
    let bindings = [follows("Bot"), Binding { follows: Vec::new(), by_star: false }];
    let access = Arc::new(fixture::table());
    let scanner = Scanner::new(&RFC9309, &crawlers, &bindings, Vec::new(), access, false).unwrap();
    let star: &[u8] = b"User-agent: *\nDisallow: /\n";
    let named: &[u8] = b"User-agent: Bot\nUser-agent: Ads\nDisallow: /\n";
    let own: &[u8] = b"User-agent: Image\nDisallow:\n\nUser-agent: Bot\nDisallow: /\n";
    let url = "http://a.example/robots.txt";
    let rows = batch(&[star, named, own].map(|body| (url, Some(200), Some(body))));
    let scanned = scanner.scan(&rows, 1, false).unwrap();
    let columns = scanned.rows[0].column_by_name("crawlers").unwrap().as_struct();
    let postures = crawlers.map(|crawler| {
        let column = columns.column_by_name(&crawler).unwrap().as_struct();
        let postures = column.column_by_name("posture").unwrap().as_string::<i32>();
        postures.iter().flatten().map(str::to_string).collect::<Vec<_>>()
    });

    assert_eq!(postures[0], ["default", "none", "all"]);
    assert_eq!(postures[1], ["all", "none", "all"]);
    assert_eq!(postures[2], ["default", "default", "default"]);
}

#[test]
fn a_failure_outranks_a_status_and_a_body() {
    let url = "http://a.example/robots.txt";
    let rows =
        batch(&[(url, Some(200), Some(b"")), (url, Some(302), None), (url, Some(404), None)]);
    let failures: StringArray = [Some("timeout"), Some("loop"), None].into_iter().collect();
    let mut columns: Vec<_> =
        ["url", "status", "body"].map(|name| (name, rows[name].clone())).into_iter().collect();
    columns.push(("failure", Arc::new(failures)));
    let rows = RecordBatch::try_from_iter(columns.clone()).unwrap();
    let scanner = scanner(&RFC9309, &["GPTBot"]);
    let scanned = scanner.scan(&rows, 1, false).unwrap();

    assert_eq!(
        texts(&scanned.rows[0], "access"),
        some(&["unreachable", "unavailable", "unavailable"])
    );
    assert_eq!(texts(&scanned.rows[0], "posture"), some(&["none", "all", "all"]));
    let odd: StringArray = [None, Some("200"), Some("")].into_iter().collect();
    columns[3].1 = Arc::new(odd);
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let refused = scanner.scan(&rows, 2, false).unwrap_err();

    assert_eq!(refused, ScanError::NotAFailure(1, b"200".to_vec()));
}

#[test]
fn a_status_says_what_holds_where_there_is_no_file() {
    let rows = batch(&[
        ("http://a.example/robots.txt", Some(200), Some(b"User-agent: *\nDisallow: /\n")),
        ("http://a.example/robots.txt", Some(301), None),
        ("http://a.example/robots.txt", Some(404), None),
        ("http://a.example/robots.txt", Some(503), None),
        ("http://a.example/robots.txt", None, None),
        ("http://a.example/robots.txt", Some(i32::MIN), None),
        ("http://a.example/robots.txt", Some(200), None),
        ("http://a.example/robots.txt", None, Some(b"")),
    ]);
    let scanned = scanner(&RFC9309, &["GPTBot"]).scan(&rows, 1, false).unwrap();
    let table = &scanned.rows[0];
    let lines = table.column_by_name("line").unwrap().as_primitive::<Int32Type>();
    let lists = table.column_by_name("sitemaps").unwrap();

    assert_eq!(
        texts(table, "posture"),
        some(&["none", "", "all", "none", "none", "none", "none", "all"])
    );
    assert_eq!((0..8).filter(|row| lines.is_valid(*row)).collect::<Vec<_>>(), [0]);
    assert_eq!((0..8).filter(|row| lists.is_valid(*row)).collect::<Vec<_>>(), [0, 7]);
}

#[test]
fn hosts_origins_and_urls_have_an_origin_and_other_texts_none() {
    let urls = ["Example.com", "example.com:8080", "http://EXAMPLE.com", "ftp://e.com/robots.txt"];
    let others =
        ["mailto:a@b", "", "wss://e.com/", "a b", "/robots.txt", "a\u{ff0f}b", "\u{200b}", "a%2fb"];
    let captures: Vec<_> = urls.iter().chain(&others).map(|url| (*url, Some(200), None)).collect();
    let scanned = scanner(&RFC9309, &[]).scan(&batch(&captures), 1, false).unwrap();
    let origins = texts(&scanned.rows[0], "origin");

    assert_eq!(
        origins[..4],
        some(&[
            "https://example.com",
            "https://example.com:8080",
            "http://example.com",
            "ftp://e.com"
        ])
    );
    assert_eq!(origins[4..], vec![None; 8]);
    assert_eq!(texts(&scanned.rows[0], "url")[4], Some("mailto:a@b".to_string()));
}

#[test]
fn neither_threads_nor_batches_nor_memory_change_a_row() {
    let bodies: Vec<String> = (0..700)
        .map(|n| format!("User-agent: GPTBot\nDisallow: /{}\nSitemap: s{n}\nx: y\n", n % 60))
        .collect();
    let captures: Vec<_> = (0..3000)
        .map(|n| ("http://a.example/robots.txt", Some(200), Some(bodies[n % 700].as_bytes())))
        .collect();
    for dialect in [DIALECTS[0], DIALECTS[3], DIALECTS[6]] {
        let all = batch(&captures);
        let scanner = scanner(&dialect, &["GPTBot", "CCBot"]);
        let first = scanner.scan(&all, 1, true).unwrap();
        let again = scanner.scan(&all, 3, true).unwrap();
        let slice = scanner.scan(&all.slice(1024, 1024), 2, true).unwrap();

        assert!(scanner.recalled() > 3000);
        assert_eq!(first.rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 3000);
        assert_eq!((&first.rows, &first.records), (&again.rows, &again.records));
        assert_eq!((&slice.rows[0], &slice.records[0]), (&first.rows[1], &first.records[1]));
    }
}

#[test]
fn records_have_their_group_and_its_tokens() {
    let body = b"Sitemap: s\nUser-agent: a\nUser-agent: b\nDisallow: /\xFF\nfoo: bar\nfoo\n# c\n";
    let rows = batch(&[("http://a.example/robots.txt", Some(200), Some(body))]);
    let scanned = scanner(&RFC9309, &[]).scan(&rows, 1, true).unwrap();
    let records = &scanned.records[0];
    let tokens = records.column_by_name("tokens").unwrap().as_list::<i32>();
    let groups = records.column_by_name("group").unwrap().as_primitive::<Int32Type>();
    let fields = ["sitemap", "user-agent", "user-agent", "disallow", ""];

    assert_eq!(texts(records, "field"), some(&fields));
    assert_eq!(texts(records, "value"), some(&["s", "a", "b", "/\u{FFFD}", "bar"]));
    assert_eq!(groups.iter().collect::<Vec<_>>(), [None, Some(0), Some(0), Some(0), Some(0)]);
    assert_eq!(tokens.value(3).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn tokens_of_a_hostile_group_are_not_squared() {
    let body = "User-agent: a\n".repeat(5_000) + &"Disallow: /a\n".repeat(5_000);
    let rows = batch(&[("http://a.example/robots.txt", Some(200), Some(body.as_bytes()))]);
    let scanned = scanner(&RFC9309, &["a"]).scan(&rows, 1, true).unwrap();
    let tokens = |batch: &RecordBatch| batch.column(8).as_list::<i32>().values().len();

    assert_eq!(scanned.records.iter().map(RecordBatch::num_rows).sum::<usize>(), 10_000);
    assert_eq!(scanned.records.iter().map(tokens).sum::<usize>(), 10_000 * MOST_TOKENS);
}

#[test]
fn long_tokens_of_a_hostile_group_are_not_squared() {
    let body = format!("User-agent: {}\n{}", "a".repeat(100_000), "Allow:\n".repeat(5_000));
    let rows = batch(&[("http://a.example/robots.txt", Some(200), Some(body.as_bytes()))]);
    let scanned = scanner(&RFC9309, &["a"]).scan(&rows, 1, true).unwrap();
    let bytes = |batch: &RecordBatch| {
        let tokens = batch.column(8).as_list::<i32>().values();
        tokens.as_string::<i32>().values().len()
    };

    assert_eq!(scanned.records.iter().map(RecordBatch::num_rows).sum::<usize>(), 5_001);
    assert!(scanned.records.iter().map(bytes).sum::<usize>() <= 5_001 * MOST_TOKEN_BYTES);
}

#[test]
fn columns_that_cannot_be_read_are_named() {
    let numbers: arrow_array::ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let texts: arrow_array::ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let why = |columns: Vec<(&str, arrow_array::ArrayRef)>| {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        scanner(&RFC9309, &[]).scan(&batch, 1, false).unwrap_err().to_string()
    };

    assert_eq!(why(vec![("origin", texts.clone())]), "there is no column `url`");
    assert_eq!(
        why(vec![("url", texts.clone()), ("status", texts.clone())]),
        "the column `status` holds Utf8, not numbers"
    );
    assert_eq!(
        why(vec![("url", texts), ("body", numbers)]),
        "the column `body` holds Int32, not bytes (binary or text)"
    );
}
