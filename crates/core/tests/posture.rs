//! Posture: expected for small files, and beside the answers for every short target.

#[path = "../src/numbers.rs"]
mod numbers;

use numbers::Numbers;
use verger_core::dialect::{Dialect, Normalisation, Precedence, UrlSplit};
use verger_core::{
    Agent, File, Posture, TargetReader, BING, GOOGLEBOT_CPP, KOSTER_1996, ORIGINAL_1994, RFC9309,
    YANDEX,
};

fn file(rules: &[String], dialect: &Dialect) -> File {
    File::parse(format!("User-agent: *\n{}\n", rules.join("\n")).as_bytes(), dialect)
}

fn posture(rules: &str) -> Posture {
    posture_in(&RFC9309, rules)
}

fn posture_in(dialect: &Dialect, rules: &str) -> Posture {
    let rules: Vec<String> = rules.split("; ").map(str::to_string).collect();
    let file = file(&rules, dialect);
    file.wildcard_agent().stance().posture
}

#[test]
fn a_site_is_as_open_as_the_rules_that_decide() {
    let only_allows_decide = [
        "",
        "Disallow:",
        "Allow: /",
        "Disallow: /; Allow: /",
        "Disallow: /a; Allow: /a",
        "Disallow: /a*b; Allow: /*a*b",
        "Disallow: private",
        "Disallow: /robots.txt$",
        "Disallow: /x$; Allow: /x*",
    ];
    let only_disallows_decide = [
        "Disallow: /",
        "Disallow: *",
        "Disallow: /*$",
        "Disallow: /; Disallow: /x",
        "Disallow: /*; Allow: /",
        "Disallow: /; Allow:",
        "Disallow: /; Allow: x",
        "Disallow: /; Allow: /robots.txt$",
        "Disallow: /; Allow: /a*b; Disallow: /*a*b",
    ];
    let both_decide = [
        "Disallow: /a",
        "Disallow: /; Allow: /a",
        "Disallow: /a*b; Allow: /a*",
        "Disallow: */a*; Allow: /*/a*",
        "Disallow: /; Allow: /$",
        "Disallow: /robots.txt",
    ];
    for (expected, sites) in [
        (Posture::All, &only_allows_decide[..]),
        (Posture::None, &only_disallows_decide),
        (Posture::Some, &both_decide),
    ] {
        for rules in sites {
            assert_eq!(posture(rules), expected, "{rules}");
        }
    }
}

#[test]
fn an_agent_of_another_file_is_told_by_its_own() {
    let one = File::parse(b"User-agent: *\nDisallow: /a\n", &RFC9309);
    let groups = "User-agent: a\nDisallow: /\n".repeat(9);
    let other = File::parse(groups.as_bytes(), &RFC9309);
    let (mine, others) = (one.wildcard_agent(), other.agent(&["a"]).unwrap());
    let found = one.stances(&[&others, &mine, &others]);

    assert_eq!(found, [others.stance(), mine.stance(), others.stance()]);
}

#[test]
fn what_decides_elsewhere_is_told() {
    let file = File::parse(b"User-agent: *\nAllow: /a\nDisallow: /\n", &RFC9309);
    let elsewhere = file.wildcard_agent().stance().elsewhere;

    assert_eq!((elsewhere.allowed, elsewhere.rule), (false, Some(1)));
}

#[test]
fn targets_are_those_that_urls_have() {
    for (dialect, rules, expected) in [
        // Where queries are cut and escapes decoded, `%3F` is in the path.
        (KOSTER_1996, "Disallow: /?", Posture::Some),
        (KOSTER_1996, "Disallow: /%23", Posture::Some),
        (KOSTER_1996, "Disallow: /%00", Posture::Some),
        (KOSTER_1996, "Disallow: /a%25", Posture::Some),
        (KOSTER_1996, "Disallow: /a%2F", Posture::Some),
        (Dialect { query: false, ..RFC9309 }, "Disallow: /?", Posture::All),
        (Dialect { query: false, ..RFC9309 }, "Disallow: /%3F", Posture::Some),
        (Dialect { query: false, ..ORIGINAL_1994 }, "Disallow: /?", Posture::All),
        (Dialect { wildcards: true, ..KOSTER_1996 }, "Disallow: /a$b", Posture::Some),
        // The path of googlebot-cpp ends at a NUL, as its lines do.
        (Dialect { nul_ends_line: false, ..GOOGLEBOT_CPP }, "Disallow: /\0", Posture::All),
        (Dialect { url_split: UrlSplit::Google, ..ORIGINAL_1994 }, "Disallow: /\0", Posture::All),
        (ORIGINAL_1994, "Disallow: /\0", Posture::Some),
        (GOOGLEBOT_CPP, "Disallow: /<", Posture::Some),
        (RFC9309, "Disallow: /<", Posture::Some),
        (RFC9309, "Disallow: /%7E", Posture::Some),
    ] {
        assert_eq!(posture_in(&dialect, rules), expected, "{} {rules}", dialect.name);
    }
}

/// Every byte that the targets of RFC 9309 hold.
fn bytes_of_targets() -> Vec<char> {
    let reader = TargetReader::new(&RFC9309);
    (0..128).filter(|byte| reader.holds(*byte)).map(char::from).collect()
}

fn rules_for(bytes: &[char], field: &str) -> String {
    bytes.iter().map(|byte| format!("{field}: /{byte}; ")).collect()
}

#[test]
fn where_rules_leave_no_byte_only_what_is_shown_counts() {
    let bytes = bytes_of_targets();
    let disallows = rules_for(&bytes, "Disallow");
    let allows = rules_for(&bytes, "Allow");

    assert_eq!(bytes.len(), 82);
    assert_eq!(posture(&disallows), Posture::Some);
    assert_eq!(posture(&rules_for(&bytes[1..], "Disallow")), Posture::Some);
    assert_eq!(posture(&format!("Disallow: /; {allows}")), Posture::Some);
    assert_eq!(posture(&format!("Disallow: /; {allows}; Allow: /*")), Posture::All);
    assert_eq!(posture(&format!("{disallows}Disallow: /$; Allow: /robots.txt")), Posture::Some);
    for closed in ["Disallow: /$", "Disallow: /x/*.pdf; Disallow: /$"] {
        assert_eq!(posture(&format!("{disallows}{closed}")), Posture::Unknown);
    }
    assert_eq!(posture(&format!("Disallow: /; {allows}Allow: /$")), Posture::Unknown);
}

#[test]
fn escapes_of_every_byte_leave_no_byte_either() {
    let all = (0..=255).map(|byte| format!("Disallow: /%{byte:02X}; "));
    let all: String = all.collect::<String>() + "Disallow: //";

    assert_eq!(posture_in(&KOSTER_1996, &all), Posture::Some);
    assert_eq!(posture_in(&KOSTER_1996, &format!("{all}; Disallow: /")), Posture::Unknown);
    assert_eq!(posture_in(&KOSTER_1996, &format!("Allow: /; {all}")), Posture::Unknown);
}

/// For each binary word a pattern that allows, and one that outranks it.
fn words(number: usize, outranks: impl Fn(&str) -> String) -> String {
    let word = |number: usize| format!("{number:b}").replace('0', "*a").replace('1', "*b");
    let rules = (2..number + 2).map(|number| {
        let word = word(number);
        format!("; Allow: /{word}; Disallow: {}", outranks(&word))
    });
    "Disallow: /".to_string() + &rules.collect::<String>()
}

#[test]
fn what_takes_too_many_steps_is_unknown() {
    let outranks = |word: &str| format!("/{}****", &word[..word.len() - 2]);

    assert_eq!(posture(&words(30, outranks)), Posture::None);
    assert_eq!(posture(&words(3_000, outranks)), Posture::Unknown);
}

#[test]
fn the_budget_is_one_for_all_crawlers_of_a_file() {
    let outranks = |word: &str| format!("/{}****", &word[..word.len() - 2]);
    let mut text = String::new();
    for number in 0..40 {
        let rules = words(40 + number, outranks).replace("; ", "\n");
        text += &format!("User-agent: b{number}\nAllow: /*{number}$\n{rules}\n");
    }
    let file = File::parse(text.as_bytes(), &RFC9309);
    let agents: Vec<_> = (0..40).map(|n| file.agent(&[format!("b{n}")]).unwrap()).collect();
    let all = file.stances(&agents.iter().collect::<Vec<_>>());

    assert!(all.iter().all(|stance| stance.posture == Posture::Some));
}

#[test]
fn what_folding_lets_match_is_proved_part_by_part() {
    for (rules, expected) in [
        ("Disallow: /; Allow: /?a/b; Disallow: /?a%2Fb*", Posture::None),
        ("Disallow: /; Allow: /?a%2Fb; Disallow: /?a/b***", Posture::None),
        ("Disallow: /; Allow: /?a/b; Disallow: /*a/b***", Posture::Some),
        ("Disallow: /; Allow: /?a/b; Disallow: /*b***", Posture::None),
        ("Disallow: /; Allow: /?a/b; Disallow: /?****", Posture::None),
        ("Disallow: /; Allow: /?a/b; Disallow: /*****", Posture::None),
        // `/x?y?a/b` is matched by the first as written, and by the second not at all.
        ("Disallow: /; Allow: /*?a/b; Disallow: /*?a%2Fb*", Posture::Some),
        ("Disallow: /; Allow: /*?a/b; Disallow: /*?a/b**", Posture::None),
        ("Disallow: /; Allow: /*?a; Disallow: /*?a**", Posture::None),
    ] {
        assert_eq!(posture(rules), expected, "{rules}");
    }
}

/// What patterns and targets are made of.
const PIECES: [&str; 16] =
    ["/", "a", "b", "?", "*", "%2F", "%3F", "%3A", ":", "[", "%5B", "%", "$", "%25", "3A", "]"];

/// All targets of up to five of these pieces after the first `/`.
fn targets(pieces: &[&str], dialect: &Dialect) -> Vec<Vec<u8>> {
    let reader = TargetReader::new(dialect);
    let spell = |piece: &&str| match reader.read(format!("/{piece}").as_bytes()) {
        Ok(target) if target.bytes().len() > 1 => target.bytes()[1..].to_vec(),
        _ => piece.as_bytes().to_vec(),
    };
    // A folded pattern may match where its bytes are written in the other way.
    const WAYS: [[&str; 2]; 4] = [["/", "%2F"], ["?", "%3F"], [":", "%3A"], ["[", "%5B"]];
    let ways = WAYS.iter().filter(|ways| ways.iter().any(|way| pieces.contains(way)));
    let ways = ways.flatten().filter(|_| dialect.equate_reserved_escapes);
    let mut pieces: Vec<Vec<u8>> = pieces.iter().chain(ways).map(spell).collect();
    pieces.sort_unstable();
    pieces.dedup();
    let mut targets = vec![b"/".to_vec()];
    let mut from = 0;
    for _ in 0..5 {
        let until = targets.len();
        for at in from..until {
            for piece in &pieces {
                targets.push([&targets[at][..], piece].concat());
            }
        }
        from = until;
    }
    targets.retain(|target| reader.is_possible(target));
    targets.sort_unstable();
    targets.dedup();
    targets
}

const EVERY_DIALECT: [Dialect; 10] = [
    RFC9309,
    KOSTER_1996,
    YANDEX,
    GOOGLEBOT_CPP,
    BING,
    ORIGINAL_1994,
    RFC9309,
    Dialect { wildcards: true, precedence: Precedence::Longest, ..KOSTER_1996 },
    Dialect { query: false, ..RFC9309 },
    Dialect { precedence: Precedence::First, ..RFC9309 },
];

/// A rule of up to three pieces, with what may stand before and after them.
fn rule(numbers: &mut Numbers, pieces: &[&str], dialect: &Dialect) -> String {
    let field = ["Allow", "Disallow"][numbers.below(2)];
    let special = if dialect.wildcards { 6 } else { 3 };
    let begin = ["/", "/", "", "*", "/*", "/"][numbers.below(special)];
    let end = ["", "", "", "*", "$", "**"][numbers.below(special)];
    let middle = |numbers: &mut Numbers| pieces[numbers.below(pieces.len())];
    let middle: String = (0..numbers.below(4)).map(|_| middle(numbers)).collect();
    format!("{field}: {begin}{middle}{end}")
}

/// The answer for the targets examined so far, until two answers differ.
fn posture_of(mut answers: impl Iterator<Item = bool>) -> Posture {
    let first = answers.next().unwrap();
    match first {
        _ if answers.any(|other| other != first) => Posture::Some,
        true => Posture::All,
        false => Posture::None,
    }
}

#[test]
fn it_says_what_asking_for_every_short_target_says() {
    let mut numbers = Numbers(9309);
    for dialect in EVERY_DIALECT.into_iter().cycle().take(120) {
        let pieces = [0; 3].map(|_| PIECES[numbers.below(PIECES.len())]);
        let has = |piece| pieces.contains(&piece);
        let is_base = dialect.normalisation == Normalisation::Base;
        if has("%") && (has("a") || has("b") || has("3A") && !is_base) {
            // Together they are an escape, of a byte that no target here holds.
            continue;
        }
        // No pattern holds the last.
        let of_targets: Vec<_> = pieces.into_iter().chain(["/", "c"]).collect();
        let targets = targets(&of_targets, &dialect);
        for _ in 0..4 {
            let number = 1 + numbers.below(4);
            let pieces = &of_targets[..4];
            let rules: Vec<_> = (0..number).map(|_| rule(&mut numbers, pieces, &dialect)).collect();
            let file = file(&rules, &dialect);
            let agent = file.wildcard_agent();
            let is_open = |target: &Vec<u8>| agent.check_compiled(target).allowed;
            let expected = posture_of(targets.iter().map(is_open));
            let found = agent.stance().posture;
            let case = format!("{} {rules:?} {of_targets:?}", dialect.name);

            assert_eq!(found, expected, "{case}");
        }
    }
}

#[test]
fn crawlers_that_share_rules_are_received_as_each_alone() {
    let mut numbers = Numbers(9309);
    for dialect in EVERY_DIALECT.into_iter().cycle().take(2_000) {
        let pieces = [0; 3].map(|_| PIECES[numbers.below(PIECES.len())]);
        let mut text = String::new();
        for _ in 0..1 + numbers.below(5) {
            for _ in 0..1 + numbers.below(3) {
                text += &format!("User-agent: {}\n", ["a", "b", "c", "*"][numbers.below(4)]);
            }
            for _ in 0..numbers.below(4) {
                text += &(rule(&mut numbers, &pieces, &dialect) + "\n");
            }
        }
        let file = File::parse(text.as_bytes(), &dialect);
        let agents = ["a", "b", "c", "d"].map(|token| file.agent(&[token]).unwrap());
        let expected = agents.each_ref().map(|agent| agent.stance());
        let agents: Vec<&Agent> = agents.iter().collect();

        assert_eq!(file.stances(&agents), expected, "{} {text}", dialect.name);
    }
}
