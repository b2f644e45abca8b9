//! The analysis beside brute force: every word of a few bytes, in every dialect, for random files.

use verger_core::analysis::{Audience, Changed, Difference, Effect, STEPS};
use verger_core::analysis::{Promise, Question};
use verger_core::internal::Binding;
use verger_core::{Agent, Dialect, File, Mechanism, Posture, Reason, DIALECTS, GOOGLE, RFC9309};

/// Files of a run: `VERGER_ANALYSIS_FILES` says how many; by default some seconds' worth, but as many
/// as an optimised run takes if `VERGER_EVERYTHING` is set.
fn files() -> usize {
    let files = std::env::var("VERGER_ANALYSIS_FILES").ok().and_then(|n| n.parse().ok());
    let is_all = !cfg!(debug_assertions) || std::env::var_os("VERGER_EVERYTHING").is_some();
    files.unwrap_or(if is_all { 400 } else { 10 })
}

/// A generator of Marsaglia, 64 bits.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn of<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.below(items.len())]
    }
}

/// What patterns and words are made of.
struct Alphabet {
    patterns: &'static [&'static str],
    words: &'static [&'static str],
    longest: usize,
}

const PLAIN: Alphabet = Alphabet {
    patterns: &["a", "b", "/", "*", "a", "*"],
    words: &["a", "b", "/", "x"],
    longest: 6,
};
const FOLDED: Alphabet = Alphabet {
    patterns: &["a", ":", "%3A", "*", "/", "A", "%"],
    words: &["a", ":", "%3A", "/", "x"],
    longest: 5,
};
const QUERIES: Alphabet = Alphabet {
    patterns: &["a", "?", ":", "/", "*", "%2F", "F", "?", "%3F"],
    words: &["a", "?", ":", "/", "%2F", "%3A", "x"],
    longest: 5,
};
const ALPHABETS: [Alphabet; 3] = [PLAIN, FOLDED, QUERIES];

impl Alphabet {
    /// Rules of a small file.
    fn rules(&self, random: &mut Random) -> Vec<String> {
        (0..random.below(5)).map(|_| self.rule(random)).collect()
    }

    /// A rule. A star within an escape is left to a test of its own.
    fn rule(&self, random: &mut Random) -> String {
        let field = random.of(&["Allow", "Disallow", "Disallow"]);
        let begin = random.of(&["/", "/", "/", "*"]);
        let body: String = (0..random.below(4)).map(|_| random.of(self.patterns)).collect();
        let end = random.of(&["", "", "", "$"]);
        format!("{field}: {begin}{body}{end}").replace("%*", "%")
    }

    /// Every word, as a target of each dialect, in one order.
    fn targets(&self) -> [Targets; DIALECTS.len()] {
        let paths = self.paths();
        DIALECTS.map(|dialect| {
            let file = File::parse(b"", &dialect);
            paths.iter().map(|path| target(&file, path.as_bytes())).collect()
        })
    }

    /// Every word, as a path: shorter ones first.
    fn paths(&self) -> Vec<String> {
        let mut all = vec!["/".to_string()];
        let mut from = 0;
        for _ in 1..self.longest {
            let until = all.len();
            for at in from..until {
                let longer = self.words.iter().map(|piece| format!("{}{piece}", all[at]));
                let longer: Vec<String> = longer.collect();
                all.extend(longer);
            }
            from = until;
        }
        all.sort_by_key(String::len);
        all
    }
}

fn file(rules: &[String], dialect: &Dialect) -> File {
    File::parse(format!("User-agent: *\n{}\n", rules.join("\n")).as_bytes(), dialect)
}

type Targets = Vec<Vec<u8>>;

fn target(file: &File, path: &[u8]) -> Vec<u8> {
    file.target(path).unwrap().bytes().to_vec()
}

fn allowed(agent: &Agent, target: &[u8]) -> bool {
    agent.check_by_walk(target).allowed
}

/// What rules say as a mechanism, the least first: disallowed, nothing, and of policy tokens allowed.
fn said(agent: &Agent, target: &[u8], mechanism: Mechanism) -> u8 {
    let outcome = agent.check_by_walk(target);
    let is_said = outcome.rule.is_some() && outcome.reason != Reason::EmptyRule;
    match outcome.allowed {
        false => 0,
        true if is_said && mechanism == Mechanism::PolicyToken => 2,
        true => 1,
    }
}

fn decider(agent: &Agent, target: &[u8]) -> Option<u32> {
    agent.check_by_walk(target).rule
}

#[test]
fn differences_are_those_of_brute_force() {
    let mut random = Random(0x5eed_0001);
    let (mut differing, mut equal) = (0, 0);
    for alphabet in &ALPHABETS {
        let targets = alphabet.targets();
        for _ in 0..files() {
            let mut rules = [alphabet.rules(&mut random), alphabet.rules(&mut random)];
            if random.below(2) == 0 {
                // A version of the same file: one rule more, less, or moved.
                rules[1] = rules[0].clone();
                let at = random.below(rules[1].len() + 1);
                match random.below(3) {
                    0 if at < rules[1].len() => drop(rules[1].remove(at)),
                    1 if at < rules[1].len() => {
                        let moved = rules[1].remove(at);
                        rules[1].push(moved);
                    }
                    _ => rules[1].insert(at, alphabet.rule(&mut random)),
                }
            }
            for (dialect, targets) in DIALECTS.iter().zip(&targets) {
                let files = rules.each_ref().map(|rules| file(rules, dialect));
                let [old, new] = files.each_ref().map(File::wildcard_agent);
                let case = format!("{}: {:?} {:?}", dialect.name, rules[0], rules[1]);
                match compare([&old, &new], [targets, targets], alphabet.longest, &case) {
                    true => differing += 1,
                    false => equal += 1,
                }
            }
        }
    }
    assert!(differing > 4 * files() && equal > 2 * files(), "{differing} {equal}");
}

#[test]
fn differences_of_dialects_are_those_of_brute_force() {
    let mut random = Random(0x5eed_0002);
    for alphabet in &ALPHABETS {
        let targets = alphabet.targets();
        let all = DIALECTS.iter().zip(&targets);
        let base: Vec<(&Dialect, &Targets)> =
            all.filter(|(dialect, _)| dialect.normalisation == RFC9309.normalisation).collect();
        for _ in 0..files() {
            let rules = alphabet.rules(&mut random);
            let (one, of_one) = base[random.below(base.len())];
            for (other, of_other) in &base {
                let files = [file(&rules, one), file(&rules, other)];
                let [old, new] = files.each_ref().map(File::wildcard_agent);
                let case = format!("{} {}: {rules:?}", one.name, other.name);
                compare([&old, &new], [of_one, of_other], alphabet.longest, &case);
            }
        }
    }
}

/// Whether two agents differ; what the analysis says is asserted to be what the words say, each of
/// which is a target of either agent.
fn compare(agents: [&Agent; 2], words: [&Targets; 2], longest: usize, case: &str) -> bool {
    let as_policy = format!("as a policy token, {case}");
    compare_as(Mechanism::PolicyToken, agents, words, longest, &as_policy);
    compare_as(Mechanism::CrawlRules, agents, words, longest, case)
}

fn compare_as(
    mechanism: Mechanism,
    agents: [&Agent; 2],
    words: [&Targets; 2],
    longest: usize,
    case: &str,
) -> bool {
    let [old, new] = agents;
    let found = old.difference_in(new, mechanism, STEPS);
    assert!(found.is_exact, "{case}");
    let by_force = shortest_changes(mechanism, agents, words);
    for opened in [false, true] {
        let changes = found.changes.iter().filter(|change| change.opened == opened);
        let mut shortest = None;
        for change in changes {
            let witnesses = agents.map(|agent| target(agent.file(), &change.witness));
            let [before, after] =
                [0, 1].map(|each| said(agents[each], &witnesses[each], mechanism));
            assert!(before != after && (after > before) == opened, "{case}: {change:?}");
            let length = witnesses[0].len();
            shortest = Some(shortest.map_or(length, |other: usize| other.min(length)));
        }
        match (shortest, by_force[opened as usize]) {
            (None, found) => assert_eq!(found, None, "{case}: opened {opened}"),
            // A pattern that ends within an escape can meet another in the middle of one.
            _ if holds_part_of_escape(old) || holds_part_of_escape(new) => {}
            (Some(shortest), Some(found)) => {
                assert!(shortest <= found, "{case} {shortest} {found}")
            }
            // It is longer than all words, or holds a byte that none of them does.
            (Some(shortest), None) => {
                assert!(shortest > longest || holds_other(&found, opened), "{case} {shortest}")
            }
        }
    }
    !found.changes.is_empty()
}

/// The lengths of the shortest words that were closed, and opened.
fn shortest_changes(
    mechanism: Mechanism,
    agents: [&Agent; 2],
    words: [&Targets; 2],
) -> [Option<usize>; 2] {
    let mut shortest = [None; 2];
    for (of_old, of_new) in words[0].iter().zip(words[1]) {
        let before = said(agents[0], of_old, mechanism);
        let after = said(agents[1], of_new, mechanism);
        if before != after {
            let known = &mut shortest[(after > before) as usize];
            *known = Some(known.map_or(of_old.len(), |length: usize| length.min(of_old.len())));
        }
    }
    shortest
}

/// Whether some pattern ends within an escape.
fn holds_part_of_escape(agent: &Agent) -> bool {
    let mut values = agent.rules().map(|(_, rule)| rule.value().of(agent.file().bytes()));
    values.any(|value| value.ends_with(b"%") || value.ends_with(b"%$"))
}

/// Whether some witness of a direction holds what stands in no word.
fn holds_other(found: &Difference, opened: bool) -> bool {
    let changes = found.changes.iter().filter(|change| change.opened == opened);
    changes.flat_map(|change| &change.witness).any(|byte| !b"/ab:?xz".contains(byte))
}

/// Hand out random files in every dialect: their rules, and the words that they may be asked about.
fn each_file(seed: u64, mut take: impl FnMut(&File, &[String], &Targets)) {
    let mut random = Random(seed);
    for alphabet in &ALPHABETS {
        let targets = alphabet.targets();
        for _ in 0..files() {
            let rules = alphabet.rules(&mut random);
            for (dialect, targets) in DIALECTS.iter().zip(&targets) {
                take(&file(&rules, dialect), &rules, targets);
            }
        }
    }
}

#[test]
fn effects_are_those_of_brute_force() {
    each_file(0x5eed_0003, |file, rules, words| {
        let agent = file.wildcard_agent();
        let case = format!("{}: {rules:?}", file.dialect().name);
        let deciders: Vec<Option<u32>> = words.iter().map(|word| decider(&agent, word)).collect();
        for found in agent.effects(STEPS) {
            let decided = deciders.iter().position(|rule| *rule == Some(found.rule));
            match found.effect {
                Effect::Decides { witness } => {
                    let witness = target(file, &witness);
                    assert_eq!(decider(&agent, &witness), Some(found.rule), "{case}");
                    let shortest = decided.map(|at| words[at].len());
                    assert!(shortest.is_none_or(|length| witness.len() <= length), "{case}");
                }
                Effect::Unknown => panic!("{case}"),
                _ => assert_eq!(decided.map(|at| &words[at]), None, "{case} {found:?}"),
            }
        }
    });
}

#[test]
fn idle_rules_are_those_that_decide_nothing_with_the_same_reasons() {
    each_file(0x5eed_0003, |file, rules, _| {
        let agent = file.wildcard_agent();
        let idle = agent.effects(STEPS).into_iter().filter_map(|found| match found.effect {
            Effect::Shadowed { by } => Some((found.rule, by)),
            Effect::MatchesNothing => Some((found.rule, Vec::new())),
            _ => None,
        });

        assert_eq!(agent.idle(STEPS), idle.collect::<Vec<_>>(), "{rules:?}");
    });
}

#[test]
fn without_redundant_rules_nothing_changes_and_no_other_can_go() {
    for mechanism in [Mechanism::CrawlRules, Mechanism::PolicyToken] {
        without_redundant_rules(mechanism);
    }
}

fn without_redundant_rules(mechanism: Mechanism) {
    let mut removed_in_all = 0;
    each_file(0x5eed_0004, |whole, rules, _| {
        let agent = whole.wildcard_agent();
        let case = format!("{}: {rules:?}", whole.dialect().name);
        let (removed, is_whole) = agent.redundant(mechanism, STEPS);
        assert!(is_whole, "{case}");
        removed_in_all += removed.len();
        // Rules stand from line 2 on.
        let lines: Vec<usize> = removed
            .iter()
            .map(|rule| whole.groups().rules()[*rule as usize].line as usize - 2)
            .collect();
        let left: Vec<String> = rules
            .iter()
            .enumerate()
            .filter(|(at, _)| !lines.contains(at))
            .map(|(_, rule)| rule.clone())
            .collect();
        let rest = file(&left, whole.dialect());
        let difference = agent.difference_in(&rest.wildcard_agent(), mechanism, STEPS);
        assert!(difference.is_exact && difference.changes.is_empty(), "{case} {left:?}");
        let agent = rest.wildcard_agent();
        assert_eq!(agent.redundant(mechanism, STEPS).0, [], "{case} {left:?}");
    });
    assert!(removed_in_all > files(), "{removed_in_all}");
}

#[test]
fn each_rule_that_is_redundant_alone_can_go_and_no_other_redundant_one() {
    let (mut alone_in_all, mut only_together) = (0, 0);
    let mechanism = Mechanism::PolicyToken;
    each_file(0x5eed_0009, |whole, rules, _| {
        let agent = whole.wildcard_agent();
        let case = format!("{}: {rules:?}", whole.dialect().name);
        let alone = agent.redundant_alone(STEPS);
        for rule in agent.redundant(Mechanism::CrawlRules, STEPS).0 {
            let place = whole.groups().rules()[rule as usize].line as usize - 2;
            let others = rules.iter().enumerate().filter(|(at, _)| *at != place);
            let rest: Vec<String> = others.map(|(_, other)| other.clone()).collect();
            let without = file(&rest, whole.dialect()).wildcard_agent();
            let difference = agent.difference_in(&without, mechanism, STEPS);
            assert!(difference.is_exact, "{case} {place}");
            // Without one of several equal rules, another takes its place.
            let is_free = difference.changes.is_empty() && !rest.contains(&rules[place]);
            match alone.contains(&rule) {
                true => assert!(difference.changes.is_empty(), "{case} {place}"),
                false => assert!(!is_free, "{case} {place}"),
            }
            alone_in_all += usize::from(alone.contains(&rule));
            only_together += usize::from(!alone.contains(&rule));
        }
    });
    assert!(alone_in_all > files() && only_together > 0, "{alone_in_all} {only_together}");
}

/// The lines of a file that can be removed alone, for the crawler `a`.
fn removable(text: &str, dialect: &Dialect) -> Vec<u32> {
    let file = File::parse(text.as_bytes(), dialect);
    let found = file.agent(&[b"a"]).unwrap().redundant_alone(STEPS);
    found.iter().map(|rule| file.groups().rules()[*rule as usize].line).collect()
}

#[test]
fn a_rule_that_ends_its_group_cannot_go() {
    let joined = "User-agent: a\nDisallow: /\nUser-agent: a\nDisallow: /a\n";
    assert_eq!(removable(joined, &RFC9309), [4]);
    let next = |names: &str| removable(&format!("{joined}{names}Allow: /b\n"), &RFC9309);
    assert_eq!(next("User-agent: b\n"), []);
    assert_eq!(next("User-agent: A/2.0 (x)\n"), [4]);
    assert_eq!(next("User-agent: a\nUser-agent: b\n"), []);
    // Only the first group is read, until the rule between them is gone.
    let first = "User-agent: a\nDisallow: /robots.txt$\nUser-agent: a\nDisallow: /\n";
    assert_eq!(removable(first, &RFC9309), [2]);
    let no_joins = DIALECTS.iter().find(|dialect| dialect.name == "koster-1996").unwrap();
    assert_eq!(removable(first, no_joins), []);
}

#[test]
fn nothing_can_go_where_a_limit_would_let_more_in() {
    let rules = |count: usize| "Disallow: /a\n".repeat(count);
    let text = |count: usize| format!("User-agent: a\n{}", rules(count));
    let yandex = DIALECTS.iter().find(|dialect| dialect.name == "yandex").unwrap();
    assert_eq!(removable(&text(2_048), yandex).len(), 2_047);
    assert_eq!(removable(&text(2_049), yandex), []);
    let long = text(1_000) + "#" + &"x".repeat(512_000);
    assert_eq!(removable(&long, &RFC9309), []);
}

#[test]
fn no_wrong_region_is_reported() {
    let rules = ["Disallow: /%*A".to_string(), "Allow: /:".into(), "Allow: /?a/b".into()];
    let [old, new] = [file(&rules[..1], &RFC9309), file(&rules, &RFC9309)];
    let found = old.wildcard_agent().difference(&new.wildcard_agent(), STEPS);

    assert!(!found.is_exact);
}

#[test]
fn what_was_opened_is_told_as_the_region_that_it_is() {
    let old = file(&["Disallow: /*.php$".into()], &GOOGLE);
    let new = file(&["Disallow: /*.php".into()], &GOOGLE);
    let found = old.wildcard_agent().difference(&new.wildcard_agent(), STEPS);

    assert!(found.is_exact);
    let told: Vec<(bool, &[u8], &[u8])> =
        found.changes.iter().map(|c| (c.opened, &c.region[..], &c.witness[..])).collect();
    assert_eq!(told, [(false, &b"/*.php"[..], &b"/.phpz"[..])]);
}

/// Names of groups, and of crawlers that follow them or not.
const NAMES: [&str; 5] = ["*", "GoogleBot", "Googlebot-Image", "AdsBot", "Other"];

/// A file of some groups, many of which say the same.
fn grouped(random: &mut Random, rules: &[Vec<String>]) -> String {
    let group = |random: &mut Random| {
        let lines: String = (0..1 + random.below(2))
            .map(|_| format!("User-agent: {}\n", random.of(&NAMES)))
            .collect();
        format!("{lines}{}\n\n", rules[random.below(rules.len())].join("\n"))
    };
    (0..random.below(5)).map(|_| group(random)).collect()
}

/// The groups that bind a crawler: those of the first of its tokens that is named, else of `*`.
fn followed(file: &File, name: &str) -> Agent {
    let tokens: &[&str] = match name {
        "*" => return file.wildcard_agent(),
        "Googlebot-Image" => &["Googlebot-Image", "Googlebot"],
        _ => &[name],
    };
    let named = tokens.iter().map(|token| file.agent(&[token]).unwrap());
    let named = named.into_iter().find(|agent| agent.selection().named);
    match named {
        Some(agent) => agent,
        None if name == "AdsBot" => File::parse(b"", file.dialect()).wildcard_agent(),
        None => file.wildcard_agent(),
    }
}

#[test]
fn changes_are_the_differences_of_each_crawler() {
    let mut random = Random(0x5eed_0007);
    let bindings = || {
        let follows = vec!["Googlebot".to_string()];
        let image = Binding { follows, by_star: true };
        let ads = Binding { follows: Vec::new(), by_star: false };
        [("Googlebot-Image".to_string(), image), ("AdsBot".to_string(), ads)]
    };
    let mut told = 0;
    for _ in 0..files() {
        let rules: Vec<Vec<String>> = (0..3).map(|_| PLAIN.rules(&mut random)).collect();
        let texts = [grouped(&mut random, &rules), grouped(&mut random, &rules)];
        for dialect in [&RFC9309, &GOOGLE] {
            let asked: Vec<String> = NAMES.map(str::to_string).to_vec();
            let audience = Audience::new(asked, bindings(), dialect).unwrap();
            let [old, new] = texts.each_ref().map(|text| File::parse(text.as_bytes(), dialect));
            let found = old.changes(&new, &audience, STEPS);
            for name in NAMES {
                let [before, after] = [&old, &new].map(|file| followed(file, name));
                let expected = before.difference(&after, STEPS);
                let is_named = |each: &&Changed| each.tokens.iter().any(|token| token == name);
                let changed = found.iter().find(is_named);
                let regions = |difference: &Difference| -> Vec<(bool, Vec<u8>, Vec<u8>)> {
                    let changes = difference.changes.iter();
                    changes.map(|c| (c.opened, c.region.clone(), c.witness.clone())).collect()
                };
                let case = format!("{} {name}: {texts:?}", dialect.name);
                let of_changed = changed.map(|each| regions(&each.difference)).unwrap_or_default();
                assert_eq!(of_changed, regions(&expected), "{case}");
                told += changed.is_some() as usize;
                if let Some(changed) = changed {
                    let named = (before.selection().named, after.selection().named);
                    assert_eq!(changed.named, named, "{case}");
                    assert_eq!(changed.posture, after.stance().posture, "{case}");
                }
            }
        }
    }
    assert!(told > files(), "{told}");
}

#[test]
fn everyone_is_whom_the_files_name_and_who_follows_them() {
    let file = |text: &str| File::parse(text.as_bytes(), &RFC9309);
    let old = file("User-agent: googlebot\nDisallow: /a\n");
    let new = file("User-agent: googlebot\nDisallow: /b\n\nUser-agent: Other\nDisallow: /\n");
    let follows = Binding { follows: vec!["Googlebot".to_string()], by_star: true };
    let bindings =
        [("Googlebot-Image".to_string(), follows.clone()), ("X".to_string(), Binding::default())];
    let audience = Audience::new(Vec::new(), bindings, &RFC9309).unwrap();
    let found = old.changes(&new, &audience, STEPS);
    let tokens: Vec<&[String]> = found.iter().map(|each| &each.tokens[..]).collect();

    assert_eq!(tokens, [&["googlebot", "Googlebot-Image"][..], &["Other"]]);
    assert!(old.changes(&old, &audience, STEPS).is_empty());
}

/// Hostile files, each far below the parsing limit: the search ends at its limit of steps, and what
/// it keeps in memory does not grow with the square of a pattern.
#[test]
fn hostile_patterns_end_at_the_limit() {
    let spellings = |colon: &str| {
        let pair = |i| format!("Disallow: /{colon}@[]!'(){i}x\nAllow: /{colon}@[]!'(){i}y\n");
        let pairs: String = (0..40).map(pair).collect();
        format!("User-agent: *\nDisallow: /zz?b:c\n{pairs}")
    };
    let stars = format!("User-agent: *\nDisallow: /a?b:c\nDisallow: /{}\n", "*a".repeat(16_000));
    let file = |text: &str| File::parse(text.as_bytes(), &RFC9309);
    let [old, new] = [":", "%3A"].map(|colon| file(&spellings(colon)).wildcard_agent());
    let steps = 100_000;

    assert!(!old.difference(&new, steps).is_exact);
    assert_eq!(file(&stars).wildcard_agent().effects(steps).len(), 2);
}

/// A pattern with more stars than are examined, which begins with `begin`.
fn starry(begin: &str) -> String {
    format!("{begin}{}", "*a".repeat(70))
}

#[test]
fn a_pattern_of_many_stars_that_begins_with_one_meets_every_path() {
    let matched = format!("/x/abc{}", "a".repeat(70));
    let mut rules = vec!["Disallow: /x".to_string(), "Disallow: /zz?b:c".to_string()];
    let old = file(&rules, &RFC9309);
    rules.push(format!("Allow: {}", starry("*/abc")));
    let new = file(&rules, &RFC9309);
    let [old, new] = [old.wildcard_agent(), new.wildcard_agent()];
    let found = old.difference(&new, STEPS);

    assert_ne!(allowed(&old, matched.as_bytes()), allowed(&new, matched.as_bytes()));
    assert!(found.changes.iter().any(|change| change.opened));
    assert!(!found.is_exact);
}

#[test]
fn a_rule_within_a_pattern_of_many_stars_is_not_redundant() {
    let rules = [
        "Disallow: /zz?b:c".to_string(),
        format!("Disallow: {}", starry("*/abc")),
        format!("Allow: /x/abc{}", "a".repeat(200)),
    ];
    let file = file(&rules, &RFC9309);
    let (removed, is_whole) = file.wildcard_agent().redundant(Mechanism::CrawlRules, STEPS);

    assert_eq!(removed, [0; 0]);
    assert!(!is_whole);
}

#[test]
fn all_sets_of_crawlers_share_the_limit() {
    let text = |path: &str| -> String {
        let names: String = (0..50).map(|n| format!("User-agent: b{n}\n")).collect();
        let own = (0..50).map(|n| format!("\nUser-agent: b{n}\nDisallow: /{path}{n}\n"));
        format!("{names}Allow: /a\n{}", own.collect::<String>())
    };
    let [old, new] = ["q", "x"].map(|path| File::parse(text(path).as_bytes(), &RFC9309));
    let audience = Audience::new(Vec::new(), [], &RFC9309).unwrap();
    let exact = |steps| {
        let found = old.changes(&new, &audience, steps);
        assert_eq!(found.len(), 50);
        found.iter().filter(|changed| changed.difference.is_exact).count()
    };

    assert_eq!(exact(STEPS), 50);
    assert!((1..50).contains(&exact(5_000)));
    assert_eq!(exact(10), 0);
}

/// Patterns that are hard to compare with those of another letter.
fn hard_rules(rules: usize, letter: char) -> String {
    let rule = |n| {
        let field = if n % 2 == 0 { "Disallow" } else { "Allow" };
        format!("{field}: /*{n}*{letter}*b*c*a*b*c*{letter}\n")
    };
    (0..rules).map(rule).collect()
}

#[test]
fn a_set_that_is_hard_to_compare_does_not_hide_what_changes_for_another() {
    let hard = ['x', 'a'].map(|letter| hard_rules(200, letter));
    let file = |own: &str, all: &str| {
        let text = format!("User-agent: GPTBot\nDisallow: {own}\n\nUser-agent: *\n{all}");
        File::parse(text.as_bytes(), &RFC9309)
    };
    let (old, new) = (file("/p", &hard[0]), file("/", &hard[1]));
    let audience = Audience::new(Vec::new(), [], &RFC9309).unwrap();
    let found = old.changes(&new, &audience, 1 << 20);
    let tokens: Vec<&[String]> = found.iter().map(|each| &each.tokens[..]).collect();

    assert_eq!(tokens, [["*"], ["GPTBot"]]);
    assert!(!found[0].difference.is_exact);
    assert!(found[1].difference.is_exact && !found[1].difference.changes.is_empty());
    assert_eq!(found[1].posture, Posture::None);
}

#[test]
fn a_set_that_takes_more_than_its_share_gets_what_the_others_leave() {
    let text = |path: &str, letter| {
        let others = (0..9).map(|n| {
            let rules: String = (0..50).map(|m| format!("Disallow: /{path}{n}/{m}\n")).collect();
            format!("User-agent: b{n}\n{rules}\n")
        });
        format!("{}User-agent: *\n{}", others.collect::<String>(), hard_rules(10, letter))
    };
    let file = |path, letter| File::parse(text(path, letter).as_bytes(), &RFC9309);
    let (old, new) = (file("q", 'x'), file("x", 'a'));
    let [before, after] = [&old, &new].map(File::wildcard_agent);
    let is_enough = |steps: &u64| before.difference(&after, *steps).is_exact;
    let enough = (0..27).map(|n| 1 << n).find(is_enough).unwrap();
    let audience = Audience::new(Vec::new(), [], &RFC9309).unwrap();
    let found = old.changes(&new, &audience, 4 * enough);

    assert_eq!(found.len(), 10);
    assert!(found.iter().all(|each| each.difference.is_exact));
}

#[test]
fn the_crawlers_beyond_the_limit_are_not_proved_to_be_unchanged() {
    let names: String = (0..12_000).map(|n| format!("User-agent: b{n}\n")).collect();
    let [old, new] = ["/", "/x"].map(|path| {
        let text = format!("{names}Disallow: /a\n\nUser-agent: last\nDisallow: {path}\n");
        File::parse(text.as_bytes(), &RFC9309)
    });
    let audience = Audience::new(Vec::new(), [], &RFC9309).unwrap();
    let found = old.changes(&new, &audience, STEPS);

    assert_eq!(found.len(), 1);
    assert_eq!(found[0].tokens, ["*"]);
    assert!(found[0].difference.changes.is_empty() && !found[0].difference.is_exact);
}

#[test]
fn promises_are_those_of_brute_force() {
    let mut random = Random(0x5eed_0011);
    let (mut kept, mut broken) = (0, 0);
    for alphabet in &ALPHABETS {
        let targets = alphabet.targets();
        for _ in 0..files() {
            let rules = alphabet.rules(&mut random);
            let patterns = [alphabet.rule(&mut random), alphabet.rule(&mut random)];
            let values = patterns.each_ref().map(|rule| rule.split_once(": ").unwrap().1);
            let answer = random.below(2) == 0;
            for (dialect, targets) in DIALECTS.iter().zip(&targets) {
                let [agent, meant, left_out] = [
                    rules.clone(),
                    vec![format!("Disallow: {}", values[0])],
                    vec![format!("Disallow: {}", values[1])],
                ]
                .map(|rules| file(&rules, dialect).wildcard_agent());
                let except: Vec<&[u8]> = vec![values[1].as_bytes()];
                let pattern = values[0].as_bytes();
                let promise = Promise { pattern, except: &except, answer: Some(answer) };
                let found = agent.keeps(promise, Question::Fetch, STEPS);
                let case = format!("{}: {rules:?} {values:?} {answer}", dialect.name);
                let breaks = |target: &&Vec<u8>| {
                    !allowed(&meant, target)
                        && allowed(&left_out, target)
                        && allowed(&agent, target) != answer
                };
                let known = targets.iter().find(breaks);
                match found.witness {
                    None => assert!(known.is_none() || !found.is_exact, "{case}: {known:?}"),
                    Some(url) => {
                        let target = target(agent.file(), &url);
                        assert!(breaks(&&target), "{case}: {target:?}");
                        let shortest = known.map_or(usize::MAX, Vec::len);
                        assert!(target.len() <= shortest || url.len() <= shortest, "{case}");
                        broken += 1;
                        continue;
                    }
                }
                kept += 1;
            }
        }
    }
    assert!(kept > 0 && broken > 0);
}
