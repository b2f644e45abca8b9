//! The usual work of the core, for counting instructions.
//!
//! `counts [PART]` builds every input, does every piece of work once, and counts that whose name
//! holds PART. Only [`counted`] is meant to be
//! measured, as in the example `growth`. For every call the program prints a line
//! `UNITS WORK, WHAT`, in the order of the profiles; `benchmarks/instructions.py` divides by the
//! units, and compares with what was recorded. All inputs are made here, so that the counts
//! depend on nothing but this crate and its compiler.

use std::hint::black_box;

use verger_core::{Agent, File, Use, UseRules, RFC9309};

/// Asks; groups of its own it has in some ordinary files.
const TOKEN: &str = "examplebot";
const FILES: usize = 200;
const QUESTIONS: usize = 1_000;

fn main() {
    let ordinary: Vec<Vec<u8>> = (0..FILES).map(|n| ordinary_file(n).into_bytes()).collect();
    let urls = urls_for(FILES, |chance| word(chance).to_string());
    count(FILES, "parse, ordinary files", || {
        ordinary.iter().for_each(|body| drop(black_box(File::parse(body, &RFC9309))));
    });
    count(FILES, "first contact, ordinary files", || {
        ordinary.iter().zip(&urls).for_each(|(body, url)| {
            let file = File::parse(body, &RFC9309);
            black_box(ask(&file, &agent_of(&file), url));
        });
    });
    count(FILES, "first contact about use, ordinary files", || {
        ordinary.iter().zip(&urls).for_each(|(body, url)| {
            let file = File::parse(body, &RFC9309);
            let agent = agent_of(&file);
            black_box(ask_use(&file, &agent, &use_rules_of(&agent), url));
        });
    });
    let files: Vec<File> = ordinary.iter().map(|body| File::parse(body, &RFC9309)).collect();
    let agents: Vec<Agent> = files.iter().map(agent_of).collect();
    let asked = || files.iter().zip(&agents).zip(&urls);
    let ask_all = || asked().filter(|((file, agent), url)| ask(file, agent, url)).count();
    count(FILES, "first answer, ordinary files", ask_all);
    count(FILES, "compile, ordinary files", || {
        agents.iter().filter(|agent| agent.check_compiled(b"/").allowed).count()
    });
    count(FILES, "answer, ordinary files", ask_all);
    let rules: Vec<UseRules> = agents.iter().map(use_rules_of).collect();
    count(FILES, "answer about use, ordinary files", || {
        let all = asked().zip(&rules);
        all.filter_map(|(((file, agent), url), rules)| ask_use(file, agent, rules, url)).count()
    });
    count_file("5,000 agents x 5,000 rules", &many_agents(), &urls);
    for (name, body, urls) in cases() {
        count_file(name, &body, &urls);
    }
}

/// Count everything that is done with one file.
fn count_file(name: &str, body: &str, urls: &[Vec<u8>]) {
    let file = count(1, &format!("parse, {name}"), || File::parse(body.as_bytes(), &RFC9309));
    let agent = count(1, &format!("select, {name}"), || agent_of(&file));
    count(1, &format!("first answer, {name}"), || ask(&file, &agent, &urls[0]));
    count(1, &format!("compile, {name}"), || agent.check_compiled(b"/"));
    count(urls.len(), &format!("answer, {name}"), || {
        urls.iter().filter(|url| ask(&file, &agent, url)).count()
    });
    let rules = count(1, &format!("read of use, {name}"), || use_rules_of(&agent));
    count(urls.len(), &format!("answer about use, {name}"), || {
        urls.iter().filter_map(|url| ask_use(&file, &agent, &rules, url)).count()
    });
    count(1, &format!("lines, {name}"), || file.lines());
}

fn count<R>(units: usize, name: &str, work: impl FnOnce() -> R) -> R {
    let wanted = std::env::args().nth(1);
    if wanted.is_some_and(|wanted| !name.contains(&wanted)) {
        return work();
    }
    println!("{units} {name}");
    counted(work)
}

/// What a profiler counts.
#[inline(never)]
fn counted<R>(work: impl FnOnce() -> R) -> R {
    black_box(work())
}

fn agent_of(file: &File) -> Agent {
    file.agent(&[TOKEN]).expect("the token is one")
}

fn ask(file: &File, agent: &Agent, url: &[u8]) -> bool {
    let target = file.target(url).expect("the URL is one");
    agent.check(&target).allowed
}

/// The tokens that stand for training, of one operator and of everyone.
const POLICY_TOKENS: [&str; 2] = ["Example-Extended", "__usage_ai-training"];

fn use_rules_of(agent: &Agent) -> UseRules {
    agent.use_rules(Use::AiTrain, &POLICY_TOKENS).expect("they are tokens")
}

fn ask_use(file: &File, agent: &Agent, rules: &UseRules, url: &[u8]) -> Option<bool> {
    rules.check(agent, &file.target(url).expect("the URL is one")).allowed
}

// --- inputs -------------------------------------------------------------------------------

const WORDS: [&str; 24] = [
    "about",
    "account",
    "archive",
    "article",
    "basket",
    "blog",
    "catalogue",
    "checkout",
    "comment",
    "download",
    "event",
    "forum",
    "gallery",
    "help",
    "image",
    "library",
    "login",
    "news",
    "order",
    "product",
    "review",
    "search",
    "store",
    "user",
];

/// Numbers that look random and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn word(chance: &mut Chance) -> &'static str {
    WORDS[chance.below(WORDS.len())]
}

/// A file such as sites have: some groups, some comments, either line end.
fn ordinary_file(number: usize) -> String {
    let chance = &mut Chance(number as u64);
    let mut text = String::new();
    for group in 0..1 + chance.below(3) {
        if chance.below(2) == 0 {
            text += &format!("# {} {}, {}\n\n", word(chance), word(chance), word(chance));
        }
        text +=
            ["User-agent: *\n", "User-agent: ExampleBot\nUser-agent: other\n", "User-Agent: bad\n"]
                [group];
        for _ in 0..chance.below(14) {
            let key = ["Disallow", "Disallow", "Disallow", "Allow", "disallow"][chance.below(5)];
            let (one, other) = (word(chance), word(chance));
            text += &match chance.below(8) {
                0 => format!("{key}: /*.{one}$\n"),
                1 => format!("{key}: /*?{one}=\n"),
                2 => format!("{key}: /{one}/*/{other} # {one}\n"),
                3 => format!("{key}: /{one}\n"),
                _ => format!("{key}: /{one}/{other}/\n"),
            };
        }
        text += ["\n", "Crawl-delay: 10\n\n", ""][chance.below(3)];
    }
    text += &format!("Sitemap: https://example.com/{}.xml\n", word(chance));
    match chance.below(3) {
        0 => text.replace('\n', "\r\n"),
        _ => text,
    }
}

fn many_agents() -> String {
    let agents: String = (0..5_000).map(|n| format!("User-agent: bot{n:05}\n")).collect();
    agents
        + "User-agent: *\n"
        + &(0..5_000).map(|n| format!("Disallow: /p{n:05}\n")).collect::<String>()
}

/// A name, a file, and URLs, half of them near its rules.
type Case = (&'static str, String, Vec<Vec<u8>>);

fn cases() -> Vec<Case> {
    let literal = |chance: &mut Chance, n: usize| {
        let tail = ["", "", "/", "/item"][chance.below(4)];
        format!("/{}/{}{n:05}{tail}", word(chance), word(chance))
    };
    let mixed = |chance: &mut Chance, n: usize| match n % 2 {
        0 => format!("/*/{}/pdfs/{}_{n:04}*", word(chance), word(chance)),
        _ => format!("/{}/{}/{}{n:04}", word(chance), word(chance), word(chance)),
    };
    let few = |chance: &mut Chance, n: usize| match n {
        0 => "/*/Landing-Pages".into(),
        1 => "*/promotions".into(),
        2 => "/*?sort=".into(),
        _ => format!("/{}/{}", word(chance), word(chance)),
    };
    let tail = |_: &mut Chance, n: usize| format!("/*/{}{n:05}*x$", WORDS[n % WORDS.len()]);
    let words: String = (0..180).map(|n| format!("/{}{n:05}", WORDS[n % 7])).collect();
    vec![
        case("51 rules", 51, few),
        case("1,208 rules", 1_208, mixed),
        case("5,000 rules", 5_000, literal),
        case("16,700 rules", 16_700, literal),
        (
            "14,000 rules /*/word*x$",
            file_of(14_000, tail),
            vec![format!("{words}/x").into_bytes(); 10],
        ),
    ]
}

fn case(name: &'static str, rules: usize, rule: fn(&mut Chance, usize) -> String) -> Case {
    let urls = urls_for(QUESTIONS, |chance| {
        let number = chance.below(rules);
        // The chance of this rule in the file, so that the URL is near one that is there.
        rule(&mut Chance(number as u64), number).replace('*', "x")
    });
    (name, file_of(rules, rule), urls)
}

fn file_of(rules: usize, rule: fn(&mut Chance, usize) -> String) -> String {
    let lines = (0..rules).map(|n| {
        let key = if n % 5 == 0 { "Allow" } else { "Disallow" };
        format!("{key}: {}\n", rule(&mut Chance(n as u64), n))
    });
    ["User-agent: *\n".to_string()].into_iter().chain(lines).collect()
}

fn urls_for(number: usize, near: impl Fn(&mut Chance) -> String) -> Vec<Vec<u8>> {
    let chance = &mut Chance(9_309);
    let urls = (0..number).map(|n| {
        let path = match n % 2 {
            0 => near(chance),
            _ => format!("/{}/{}-{}.html?page={n}", word(chance), word(chance), word(chance)),
        };
        format!("https://www.example.com/{}", path.trim_start_matches('/')).into_bytes()
    });
    urls.collect()
}
