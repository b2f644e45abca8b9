//! Tests of `crawlers.rs`.

use crate::numbers::Numbers;
use verger_core::dialect::{Dialect, NamedGroups};
use verger_core::dialect::{UserAgentMatch, DIALECTS, RFC9309};
use verger_core::internal::*;
use verger_core::*;

const TOKENS: [&str; 9] =
    ["a", "ab", "abc", "Googlebot", "googlebot-news", "*", "b2", "-", "GPTBot"];
const VALUES: [&str; 16] = [
    "*",
    "* ",
    "a",
    "AB",
    "ab/1.0",
    "abc, a",
    "",
    "googlebot",
    "Googlebot-News",
    "Google",
    "b2",
    "b",
    "-",
    "gptbot GPTBot",
    "é",
    "/a",
];

fn text(numbers: &mut Numbers) -> String {
    let line = |numbers: &mut Numbers| match numbers.below(3) {
        0 => format!("Disallow: /{}\n", numbers.below(9)),
        _ => format!("User-agent: {}\n", VALUES[numbers.below(VALUES.len())]),
    };
    (0..numbers.below(14)).map(|_| line(numbers)).collect()
}

fn dialects() -> Vec<Dialect> {
    let tests = [
        UserAgentMatch::Substring,
        UserAgentMatch::ValueContainsName,
        UserAgentMatch::Equal,
        UserAgentMatch::Rfc,
        UserAgentMatch::Prefix,
        UserAgentMatch::FamilyPrefix,
    ];
    let wheres = [NamedGroups::First, NamedGroups::Merge, NamedGroups::BestMerge];
    let crossed = tests.into_iter().flat_map(|user_agent_match| {
        wheres.map(|named_groups| Dialect { user_agent_match, named_groups, ..RFC9309 })
    });
    DIALECTS.into_iter().chain(crossed).collect()
}

/// The list and the crawlers themselves agree on files of such lines, in all dialects.
fn expect_agreement(tokens: &[String], files: usize, mut text: impl FnMut() -> String) {
    for dialect in dialects() {
        let crawlers = Crawlers::new(tokens, &dialect).unwrap();
        for text in std::iter::repeat_with(&mut text).take(files) {
            let file = File::parse(text.as_bytes(), &dialect);
            let named = crawlers.named(&file);
            for (crawler, token) in tokens.iter().enumerate() {
                let expected = file.agent(&[token]).unwrap().selection().clone();
                let found = named.iter().find(|named| named.crawler == crawler);
                let found = found.map(|named| named.agent.selection().clone());

                assert_eq!(
                    found,
                    expected.named.then_some(expected),
                    "{} {:?} {token} {text:?}",
                    dialect.name,
                    dialect.user_agent_match
                );
            }
        }
    }
}

#[test]
fn it_finds_what_asking_for_each_crawler_finds() {
    let mut numbers = Numbers(9309);

    expect_agreement(&TOKENS.map(String::from), 400, || text(&mut numbers));
}

#[test]
fn a_large_roll_finds_what_asking_for_each_crawler_finds() {
    let mut numbers = Numbers(2026);
    let letters = ["a", "b", "A", "-", "1"];
    let name = |numbers: &mut Numbers| {
        let rest: String = (0..numbers.below(4)).map(|_| letters[numbers.below(5)]).collect();
        format!("a{rest}")
    };
    let tokens: Vec<String> = (0..300).map(|_| name(&mut numbers)).collect();
    let mut line = || match numbers.below(3) {
        0 => "Disallow: /x\n".to_owned(),
        1 => format!("User-agent: {}\n", name(&mut numbers)),
        _ => format!("User-agent: {}/1, b\n", name(&mut numbers)),
    };

    expect_agreement(&tokens, 20, || (0..8).map(|_| line()).collect());
}

#[test]
fn it_knows_the_lines_that_name_a_crawler() {
    let text = b"User-agent: a\nUser-agent: b\nDisallow: /\nUser-agent: A/2\nDisallow:\n";
    let file = File::parse(text, &RFC9309);
    let named = Crawlers::new(&["c", "A"], &RFC9309).unwrap().named_with_lines(&file);
    let lines: Vec<_> = named.iter().map(|n| (n.crawler, n.lines.clone())).collect();

    assert_eq!(lines, [(1, vec![1, 4])]);
}

/// For more crawlers than these, more start lines than these are looked up without duplicates.
const MANY_CRAWLERS: usize = 16;
const MANY_LINES: usize = 64;

#[test]
fn many_lines_and_groups_find_what_asking_for_each_crawler_finds() {
    let mut numbers = Numbers(1994);
    let others = (0..MANY_CRAWLERS).map(|number| format!("b{number}"));
    let tokens: Vec<String> = TOKENS.map(String::from).into_iter().chain(others).collect();
    let mut lines = |count: usize, behind: &str| -> String {
        let mut value = || VALUES[numbers.below(VALUES.len())];
        (0..count).map(|_| format!("User-agent: {}\n{behind}", value())).collect()
    };

    expect_agreement(&tokens[..9], 20, || lines(2 * MANY_LINES, "") + "Disallow: /\n");
    expect_agreement(&tokens, 20, || lines(2 * MANY_LINES, "") + "Disallow: /\n");
    expect_agreement(&tokens, 5, || lines(MANY_LINES + 1, "Disallow: /\n"));
}

/// Of names that are left behind others, only the first group counts in some dialects, and the
/// crawlers that have one are no longer searched.
#[test]
fn names_within_names_find_what_asking_for_each_crawler_finds() {
    let mut numbers = Numbers(3);
    let word = |numbers: &mut Numbers, most: usize| -> String {
        (0..=numbers.below(most)).map(|_| ["a", "b", "c-", "D"][numbers.below(4)]).collect()
    };
    let tokens: Vec<String> = (1..60).map(|most| word(&mut numbers, most)).collect();
    let text = || {
        let group = |at: usize| match at % 9 {
            0 => format!("User-agent: {}\nUser-agent: *\nDisallow: /{at}\n", "a".repeat(at + 1)),
            1 => format!("User-agent: {}/{}\nDisallow:\n", word(&mut numbers, 3), "b".repeat(at)),
            _ => format!("User-agent: {}\nDisallow: /{at}\n", word(&mut numbers, 1 + at)),
        };
        (0..900).map(group).collect::<String>()
    };

    expect_agreement(&tokens, 2, text);
}

#[test]
fn an_invalid_token_is_reported() {
    let why = Crawlers::new(&["a", "b c"], &RFC9309).unwrap_err();

    assert_eq!(why.0, 1);
}
