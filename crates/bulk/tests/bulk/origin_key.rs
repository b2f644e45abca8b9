//! Tests of `origin_key.rs`.

use arrow_array::StringArray;
use std::borrow::Cow;
use std::sync::Arc;
use verger_bulk::column::Bytes;
use verger_core::Origin;

use arrow_array::{Array, ArrayRef};

use verger_bulk::origin_key::*;

#[test]
fn a_column_of_urls_has_a_column_of_origins() {
    let urls = vec![Some("HTTPS://A.example/x"), None, Some("/path"), Some("http://b.example")];
    let urls: ArrayRef = Arc::new(StringArray::from(urls));
    let columns = origins(&Bytes::of(&urls).unwrap());
    let [origins] = &columns[..] else { panic!("{columns:?}") };

    assert_eq!(
        origins.iter().collect::<Vec<_>>(),
        [Some("https://a.example"), None, None, Some("http://b.example")]
    );
    assert_eq!(origins.null_count(), 2);
}

#[test]
fn a_bare_host_answers_by_https() {
    let sites = vec![Some(" A.example:8080"), Some("http://b.example/x"), Some("/path"), None];
    let sites: ArrayRef = Arc::new(StringArray::from(sites));
    let columns = origins_of_sites(&Bytes::of(&sites).unwrap());

    assert_eq!(
        columns[0].iter().collect::<Vec<_>>(),
        [Some("https://a.example:8080"), Some("http://b.example"), None, None]
    );
}

#[test]
fn a_robots_file_elsewhere_is_of_no_site() {
    let wholes =
        ["https://a.example/robots.txt", " https://a.example/robots.txt#top ", "robots.txt"];
    let others = [
        "https://a.example/sub/robots.txt",
        "https://a.example/Robots.txt",
        "https://a.example/robots.txt?v=2",
        "https://a.example//robots.txt",
        "a.example/sub/ROBOTS.TXT",
        "https://a.example/sub/%72obots%2Etxt",
    ];

    assert!(wholes.iter().all(|site| origin_of_site(site.as_bytes()).is_some()));
    assert!(others.iter().all(|site| origin_of_site(site.as_bytes()).is_none()));
}

#[test]
fn a_long_column_has_several_columns_of_origins() {
    let urls = (0..=MOST_ROWS).map(|_| Some("http://b.example")).collect::<StringArray>();
    let columns = origins(&Bytes::of(&(Arc::new(urls) as ArrayRef)).unwrap());

    assert_eq!(columns.iter().map(Array::len).collect::<Vec<_>>(), [MOST_ROWS, 1]);
}

#[test]
fn the_short_way_gives_what_the_long_way_gives() {
    for (url, is_short) in
        [("https://example.com/x", true), ("https://EXAMPLE.com/x", false), ("/path", false)]
    {
        let long = Origin::governed(url.as_bytes()).map(|origin| origin.to_string());
        let short = origin_key(url.as_bytes());

        assert_eq!(matches!(short, Ok(Cow::Borrowed(_))), is_short, "{url}");
        let short = short.map(|key| String::from_utf8(key.into_owned()).unwrap());
        assert_eq!(short, long, "{url}");
    }
}
