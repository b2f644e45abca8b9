//! Tests of `group.rs`.

use verger_core::dialect::Dialect;
use verger_core::dialect::{GOOGLEBOT_CPP, KOSTER_1996, ORIGINAL_1994, RFC9309, YANDEX};
use verger_core::*;

/// Names and patterns of each group.
fn groups(dialect: &Dialect, text: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let bytes = text.as_bytes();
    let file = File::parse(bytes, dialect);
    let groups = file.groups();
    let show = |span: Span| String::from_utf8_lossy(span.of(bytes)).into_owned();
    (0..groups.len())
        .map(|g| {
            let names = groups.start_lines(g).iter().map(|s| show(s.value)).collect();
            let rules = groups.rule_range(g).map(|r| show(groups.rules()[r].value())).collect();
            (names, rules)
        })
        .collect()
}

fn group(names: &[&str], rules: &[&str]) -> (Vec<String>, Vec<String>) {
    let own = |list: &[&str]| list.iter().map(|s| s.to_string()).collect();
    (own(names), own(rules))
}

#[test]
fn a_rule_closes_the_run_of_start_lines() {
    let text = "User-agent: a\nSitemap: s\n\nUser-agent: b\nDisallow: /x\nUser-agent: c\n";

    assert_eq!(groups(&RFC9309, text), [group(&["a", "b"], &["/x"]), group(&["c"], &[])]);
    assert_eq!(groups(&KOSTER_1996, text), [group(&["b"], &["/x"])]);
    assert_eq!(
        groups(&YANDEX, text),
        [group(&["a"], &[]), group(&["b"], &["/x"]), group(&["c"], &[])]
    );
}

#[test]
fn a_record_of_a_group_closes_the_run_where_the_dialect_says_so() {
    let dialect = Dialect { record_ends_starts: true, ..RFC9309 };
    for field in Field::ALL.iter().filter(|field| !field.is_core()) {
        let text = format!("User-agent: a\n{}: 1\nUser-agent: b\n", field.name());
        let ends = field.scope() == FieldScope::Group && dialect.extensions.contains(*field);
        let all = if ends {
            vec![group(&["a"], &[]), group(&["b"], &[])]
        } else {
            vec![group(&["a", "b"], &[])]
        };

        assert_eq!(groups(&dialect, &text), all, "{}", field.name());
    }
}

#[test]
fn rules_before_any_group_belong_to_none() {
    let text = "Disallow: /a\nUser-agent: a\n\nDisallow: /b\n";

    assert_eq!(groups(&RFC9309, text), [group(&["a"], &["/b"])]);
    assert_eq!(groups(&ORIGINAL_1994, text), []);
}

#[test]
fn the_limit_drops_a_line_that_it_cuts() {
    let mut text = b"User-agent: *\nDisallow: /".to_vec();
    text.resize(512_000, b'a');
    let whole = |tail: &[u8]| {
        let bytes = [&text[..], tail].concat();
        let file = File::parse(&bytes, &RFC9309);
        (file.groups().rules().len(), file.extent().cut == Cut::Bytes)
    };

    assert_eq!(whole(b""), (1, false));
    assert_eq!(whole(b"\nDisallow: /b"), (1, true));
    assert_eq!(whole(b"a"), (0, true));
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    assert_eq!(File::parse(b"\xEF\xBB\xBFUser-agent: a", &RFC9309).groups().len(), 1);
    assert_eq!(File::parse(b"\xEF\xBBUser-agent: a", &RFC9309).groups().len(), 0);
    assert_eq!(File::parse(b"\xEF\xBBUser-agent: a", &GOOGLEBOT_CPP).groups().len(), 1);
}
