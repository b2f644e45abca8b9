//! Hostile inputs that grow, for counting instructions.
//!
//! `growth KIND DIALECT,... SIZE...` builds the input KIND for every SIZE and runs each phase over
//! it once in every DIALECT: under valgrind, most processes take longer to begin than to run. Only
//! [`counted`] is meant to be measured: valgrind's callgrind, told to collect inside that function
//! and to write a profile whenever it returns, counts the work of a phase without the cost of
//! building its input. For every call the program prints a line
//! `DIALECT SIZE BODY_BYTES URL_BYTES PHASE`, in the order of those profiles. `growth list` prints
//! every kind with a size to begin with. `benchmarks/growth.py` does all this and judges the
//! curves.
//!
//! All limits of the dialect are lifted: a limit would flatten the curve and hide what grows. Every
//! field about use is read, also one that no dialect reads by default.

use std::hint::black_box;
use std::process::ExitCode;

use verger_core::dialect::OverLimit;
use verger_core::{Agent, Dialect, Field, File, Target, Use, DIALECTS};

/// Asks; it is named by the groups of the kinds that name anyone.
const TOKEN: &str = "examplebot";
/// Stands for a use of what it fetches.
const POLICY_TOKEN: &str = "example-extended";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [list] if list == "list" => {
            KINDS.iter().for_each(|kind| println!("{} {}", kind.name, kind.first));
            ExitCode::SUCCESS
        }
        [kind, dialects, sizes @ ..] if !sizes.is_empty() => run(kind, dialects, sizes),
        _ => usage("growth KIND DIALECT,... SIZE... | growth list"),
    }
}

fn run(kind: &str, dialects: &str, sizes: &[String]) -> ExitCode {
    let Some(kind) = KINDS.iter().find(|known| known.name == kind) else {
        return usage("no such kind; `growth list` prints them");
    };
    let dialect_of = |name| DIALECTS.iter().find(|known| known.name == name);
    let Some(dialects) = dialects.split(',').map(dialect_of).collect::<Option<Vec<_>>>() else {
        return usage("no such dialect");
    };
    let Ok(sizes) = sizes.iter().map(|size| size.parse()).collect::<Result<Vec<usize>, _>>() else {
        return usage("a size is a number");
    };
    let inputs: Vec<Input> = sizes.iter().map(|size| (kind.build)(*size)).collect();
    for dialect in dialects {
        warm_up(&inputs[0], &unlimited(dialect));
        for (size, input) in sizes.iter().zip(&inputs) {
            run_phases(*size, input, &unlimited(dialect), kind.asks());
        }
    }
    ExitCode::SUCCESS
}

/// Do once, uncounted, what only the first call of a process does: searches look at the processor.
fn warm_up(input: &Input, dialect: &Dialect) {
    let file = File::parse(&input.body, dialect);
    let (agent, target) = (agent_of(&file), target_of(&file, &input.url));
    let target = target.bytes();
    black_box((agent.check_by_walk(target), agent.check_compiled(target)));
    black_box((file.lines().len(), file.records(None).len()));
}

fn usage(why: &str) -> ExitCode {
    eprintln!("error: {why}");
    ExitCode::from(2)
}

fn unlimited(dialect: &Dialect) -> Dialect {
    Dialect {
        parse_limit: None,
        over_limit: OverLimit::Cut,
        max_line_len: None,
        max_lines: None,
        max_rules: None,
        max_rule_len: None,
        extensions: dialect.extensions.with(Field::ContentUsage),
        ..*dialect
    }
}

/// The way of one question through the core, and the walks that are made when asked.
fn run_phases(size: usize, input: &Input, dialect: &Dialect, asks: Asks) {
    let (body, url) = (&input.body[..], &input.url[..]);
    let (name, body_len, url_len) = (dialect.name, body.len(), url.len());
    let count = |phase: &str| println!("{name} {size} {body_len} {url_len} {phase}");

    let file = counted(|| File::parse(body, dialect));
    count("parse");
    let agent = counted(|| agent_of(&file));
    count("select");
    counted(|| file.target(url).is_ok());
    count("target");
    let target = target_of(&file, url);
    let walked = counted(|| agent.check_by_walk(target.bytes()));
    count("walk");
    let compiled = counted(|| agent.check_compiled(target.bytes()));
    count("compile");
    assert_eq!(walked, compiled, "the two ways to an answer differ");
    counted(|| agent.check_compiled(target.bytes()));
    count("compiled");
    counted(|| agent.matching(&target));
    count("matching");
    counted(|| explain(&agent, &target, walked.rule));
    count("explain");
    counted(|| agent.stance());
    count("posture");
    // Where one group binds all crawlers, this is the count before.
    if asks == Asks::OfCrawlers {
        let crawlers = crawlers_of(&file);
        let crawlers: Vec<&Agent> = crawlers.iter().collect();
        counted(|| file.stances(&crawlers));
        count("postures");
    }
    if asks == Asks::OfUse {
        let anew = File::parse(body, dialect);
        let (agent, target) = (agent_of(&anew), target_of(&anew, url));
        counted(|| agent.may_use(&target, Use::AiTrain, &[POLICY_TOKEN]).is_ok());
        count("use");
    }
    counted(|| file.lines());
    count("lines");
    counted(|| file.records(None));
    count("records");
    counted(|| file.findings(None));
    count("findings");
}

/// What a profiler counts.
#[inline(never)]
fn counted<R>(work: impl FnOnce() -> R) -> R {
    black_box(work())
}

fn agent_of(file: &File) -> Agent {
    file.agent(&[TOKEN]).expect("the token is one")
}

/// The first crawlers that files of many name.
fn crawlers_of(file: &File) -> Vec<Agent> {
    let agent = |number| file.agent(&[format!("bot{number}")]).expect("the token is one");
    (0..CRAWLERS).map(agent).collect()
}

fn target_of<'u>(file: &File, url: &'u [u8]) -> Target<'u> {
    file.target(url).expect("the URL is a path")
}

fn explain(agent: &Agent, target: &Target, rule: Option<u32>) -> usize {
    let explained = rule.and_then(|rule| agent.match_of(rule, target));
    explained.map_or(0, |found| found.bytes.len())
}

/// A file, and a URL to ask about.
struct Input {
    body: Vec<u8>,
    url: Vec<u8>,
}

/// What grows, from which size on, and how the input is built for a size.
struct Kind {
    name: &'static str,
    first: usize,
    build: fn(usize) -> Input,
}

/// Which phases only some kinds have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    OfCrawlers,
    OfUse,
    Nothing,
}

impl Kind {
    fn asks(&self) -> Asks {
        match self.name {
            name if name.starts_with("crawlers") => Asks::OfCrawlers,
            name if name.starts_with("use-") => Asks::OfUse,
            _ => Asks::Nothing,
        }
    }
}

/// A thing that is a line, a thing within one line, and rules that grow together with the URL. Of
/// each so many that the constant cost of a call weighs little, and that counting takes seconds:
/// fewer of those that each cost much.
const LINE: usize = 256;
const COSTLY_LINE: usize = 64;
const BYTE: usize = 4096;
const COSTLY_BYTE: usize = 1024;
const BOTH: usize = 32;

/// Crawlers that are asked about together.
const CRAWLERS: usize = 64;
/// Rules of so many crawlers together; with four times as many, each has more than are walked, and
/// compiling them is a step that is no growth.
const RULES_OF_ALL: usize = 16 * CRAWLERS;

macro_rules! kinds {
    ($($name:literal from $first:ident: $build:expr;)*) => {
        const KINDS: &[Kind] = &[$(Kind { name: $name, first: $first, build: $build }),*];
    };
}

kinds! {
    // the file: lines, and the length of one line
    "rule-lines" from LINE: |n| open(lines(n, |i| format!("Disallow: /p{i}")), "/q");
    "junk-lines" from LINE: |n| open(lines(n, |i| format!("junk {i} without a colon")), "/q");
    "unknown-fields" from LINE: |n| open(lines(n, |i| format!("x{i}: y")), "/q");
    "extensions" from LINE: |n| open(lines(n, |i| format!("Crawl-delay: {i}\nSitemap: s{i}")), "/q");
    "line-ends" from LINE: |n| open("\r\r\n".repeat(n), "/q");
    "long-rule" from BYTE: |n| open(format!("Disallow: /{}", "a".repeat(n)), "/a");
    "long-junk" from BYTE: |n| open("a ".repeat(n), "/a");
    "long-blank" from BYTE: |n| open(["Disallow", ":", "/a", "#"].join(&" ".repeat(n)), "/a");
    "long-key" from BYTE: |n| open(format!("{}: /", "disallow".repeat(n)), "/a");
    "long-extension" from BYTE: |n| open(format!("Clean-param: {} /", "a&".repeat(n)), "/a");
    // agents
    "start-lines" from LINE: |n| plain(starts(n) + "Disallow: /x\n", "/x");
    "groups" from LINE: |n| plain(lines(n, |i| format!("User-agent: b{i}\nDisallow: /")), "/x");
    "own-groups" from LINE: |n| plain(lines(n, |_| format!("User-agent: {TOKEN}\nAllow: /a")), "/x");
    "agents-and-rules" from LINE: |n| plain(starts(n) + &lines(n, |i| format!("Allow: /p{i}")), "/p1");
    "listed-agents" from BYTE: |n| plain(format!("User-agent: {}{}\nAllow: /", "a".repeat(n), ",a".repeat(n / 2)), "/x");
    "long-agent" from BYTE: |n| plain(format!("User-agent: {}\nAllow: /", "example".repeat(n)), "/x");
    // rules
    "equal-rules" from COSTLY_LINE: |n| open("Disallow: /a\nAllow: /a\n".repeat(n), "/a");
    "mixed-rules" from LINE: |n| open(lines(n, mixed_rule), "/shop/p77/x");
    "star-rules" from LINE: |n| open(lines(n, word_rule), &words_url(400));
    "query-rules" from COSTLY_LINE: |n| open(lines(n, |i| format!("Disallow: /*?a=%2F&b={i}")), "/p?a=/&b=z");
    // reserved bytes on one side, their escapes on the other
    "reserved-rules" from LINE: |n| open(lines(n, |i| format!("Disallow: /a[b](c):{i}")), "/a%5Bb%5D%28c%29%3Az");
    "reserved-escapes" from LINE: |n| open(lines(n, |i| format!("Disallow: /a%5B%28{i}")), "/a[(z");
    "reserved-stars" from LINE: |n| open(lines(n, |i| format!("Disallow: /*[{i}]*,z")), &reserved_url("%5B{}%5D", 400));
    "reserved-mixed" from COSTLY_LINE: |n| open(lines(n, |i| format!("Disallow: /*(*%2C{i}")), &reserved_url("({},", 400));
    "reserved-queries" from LINE: |n| open(lines(n, |i| format!("Disallow: /*?u=a/b:{i}/")), "/x?u=a%2Fb%3Az");
    "escape-ends" from LINE: |n| open(lines(n, |i| format!("Disallow: /*A{i}*%")), "/a:b:c");
    "long-reserved" from BYTE: |n| open(format!("Disallow: /{}z", "[".repeat(n)), &format!("/{}", "%5B".repeat(n)));
    "question-marks" from BYTE: |n| open(format!("Disallow: /{}z", "?".repeat(n)), &format!("/?{}", "%3F".repeat(n)));
    // how much of a site is open: each pattern may be outranked by any other
    "words" from COSTLY_LINE: |n| open(word_pairs(n, |word| format!("{word}*")), "/q");
    "words-covered" from COSTLY_LINE: |n| open(word_pairs(n, shorter), "/q");
    "words-open" from COSTLY_LINE: |n| open(word_pairs(n, |word| format!("{word}$")), "/q");
    "bytes" from COSTLY_LINE: |n| open(byte_rules(n, ""), "/q");
    "bytes-stars" from COSTLY_LINE: |n| open(byte_rules(n, "*"), "/q");
    "crawlers-apart" from RULES_OF_ALL: |n| plain(apart(n), "/q");
    "crawlers-shared" from COSTLY_LINE: |n| plain(shared(&word_pairs(n, |word| format!("{word}*"))), "/q");
    "crawlers-covered" from COSTLY_LINE: |n| plain(shared(&word_pairs(n, shorter)), "/q");
    // what mechanisms say of a use
    "use-signal" from BYTE: |n| open(format!("Content-Signal: {}ai-train=no", "x=y, ai-train=yes,".repeat(n / 8)), "/a");
    "use-signals" from LINE: |n| open(lines(n, |i| format!("Content-Signal: x{i}=y, ai-train=yes")), "/a");
    "use-signals-in-groups" from LINE: |n| plain(lines(n, |i| format!("User-agent: b{i}\nContent-Signal: ai-train=no\nDisallow: /")), "/a");
    "use-policies" from LINE: |n| plain(lines(n, |i| format!("User-agent: {POLICY_TOKEN}\nDisallow: /p{i}\nContent-Signal: ai-train=yes")), "/a");
    "use-preference" from BYTE: |n| open(format!("Content-Usage: /a train-ai=y{}", ", x=y, train-ai=n".repeat(n / 8)), "/a");
    "use-preferences" from LINE: |n| open(lines(n, |i| format!("Content-Usage: /p{i} train-ai=n")) + "Content-Usage: /a train-ai=y", "/a");
    "use-stars" from LINE: |n| open(lines(n, |i| format!("Content-Usage: /*w{i:06}*x$ train-ai=n")), &words_url(400));
    "use-licences" from LINE: |n| open(lines(n, |i| format!("License: https://e.com/{i}")), "/a");
    // stars in one rule
    "stars" from BYTE: |n| open(format!("Disallow: /{}*b$", "*a".repeat(n)), &a_url(2_000));
    "stars-open" from BYTE: |n| open(format!("Disallow: /{}*b", "*a".repeat(n)), &a_url(2_000));
    "stars-hit" from COSTLY_BYTE: |n| open(format!("Disallow: /{}", "*a".repeat(n)), &a_url(n));
    "stars-in-a-row" from BYTE: |n| open(format!("Disallow: /{}b$", "*".repeat(n)), &a_url(2_000));
    "star-pieces" from BYTE: |n| open(format!("Disallow: /{}", "*aab".repeat(n)), &a_url(2_000));
    // the URL
    "url-stars" from BYTE: |n| open(lines(100, |i| format!("Disallow: /*a*a*a*a*b{i}$")), &a_url(n));
    "url-dots" from LINE: |n| open(lines(100, |i| format!("Disallow: /*.*.*.php{i}$")), &dots_url(n));
    "url-pieces" from LINE: |n| open(lines(20, |i| format!("Disallow: /*aaaaaaaaab{i}")), &a_url(n));
    "url-words" from LINE: |n| open(lines(100, word_rule), &words_url(n));
    "url-literals" from BYTE: |n| open(lines(100, |i| format!("Disallow: /aaaa{i}")), &a_url(n));
    "url-long-literal" from BYTE: |n| open(format!("Disallow: /{}b", "a".repeat(n)), &a_url(n));
    "url-escapes" from LINE: |n| open("Disallow: /*%2Fz".into(), &format!("/{}", "%2f%41 ".repeat(n)));
    "url-query" from LINE: |n| open("Disallow: /*?*:b/c".into(), &format!("/?{}", "a:/?@".repeat(n)));
    "url-reserved" from LINE: |n| open(lines(100, |i| format!("Disallow: /*[*%5B*%28{i}")), &format!("/{}", "[(%28".repeat(n)));
    "url-brackets" from BYTE: |n| open(lines(100, |i| format!("Disallow: /%5B%5B%5B{i}")), &format!("/{}", "[".repeat(n)));
    "url-questions" from LINE: |n| open(lines(20, |i| format!("Disallow: /*?*?*/b%3F{i}")), &format!("/?{}", "?/b".repeat(n)));
    // rules and the URL together: the bound is their product
    "both-stars" from BOTH: |n| open(lines(n, |i| format!("Disallow: /*a*a*b{i}")), &a_url(n));
    "both-words" from BOTH: |n| open(lines(n, word_rule), &words_url(n));
    "both-reserved" from BOTH: |n| open(lines(n, |i| format!("Disallow: /*[*%5B*:b{i}")), &format!("/{}", "[".repeat(n)));
    "both-literals" from BOTH: |n| open(lines(n, |i| format!("Disallow: /aaaa{i}")), &a_url(n));
}

/// A file whose text stands in the group of every crawler.
fn open(text: String, url: &str) -> Input {
    plain(format!("User-agent: *\n{text}\n"), url)
}

fn plain(text: String, url: &str) -> Input {
    Input { body: text.into_bytes(), url: url.as_bytes().to_vec() }
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

fn starts(n: usize) -> String {
    lines(n, |i| format!("User-agent: bot{i}"))
}

/// For each word of two letters a pattern that allows, and one that outranks it.
fn word_pairs(n: usize, outranks: impl Fn(&str) -> String) -> String {
    let pair = |i: usize| {
        let word = format!("{:b}", i + 2).replace('0', "*a").replace('1', "*b");
        format!("Allow: /{word}\nDisallow: /{}", outranks(&word))
    };
    "Disallow: /\n".to_string() + &lines(n, pair)
}

/// A pattern that matches what this one matches, and counts more bytes.
fn shorter(word: &str) -> String {
    format!("{}****", &word[..word.len() - 2])
}

/// Rules that hold every byte of a target, so that none is fresh.
fn byte_rules(n: usize, star: &str) -> String {
    let bytes: Vec<char> = ('!'..='~').filter(|byte| !"\"#$*<>\\^`{|}".contains(*byte)).collect();
    let all: String = bytes.iter().map(|byte| format!("Disallow: /{byte}\n")).collect();
    let longer = |i: usize| format!("Disallow: /{star}{}{i}x", bytes[i % bytes.len()]);
    format!("Disallow: /$\n{all}{}", lines(n, longer))
}

/// Rules of each crawler's own, as many as there are lines.
fn apart(n: usize) -> String {
    let rules = word_pairs(n / CRAWLERS, |word| format!("{word}*"));
    (0..CRAWLERS).map(|i| format!("User-agent: bot{i}\n{rules}")).collect()
}

/// Rules of all crawlers, and one of each crawler's own.
fn shared(rules: &str) -> String {
    let own = lines(CRAWLERS, |i| format!("User-agent: bot{i}\nDisallow: /{i}"));
    starts(CRAWLERS) + rules + &own
}

/// Literal and wildcard rules of many lengths and both verdicts, out of order.
fn mixed_rule(i: usize) -> String {
    let scattered = i.wrapping_mul(2_654_435_761) % 1_000_003;
    let key = if scattered % 3 == 0 { "Allow" } else { "Disallow" };
    let tail = "x".repeat(scattered % 17);
    match scattered % 4 {
        0 => format!("{key}: /shop/*/{scattered}{tail}$"),
        1 => format!("{key}: /*.{scattered}{tail}"),
        _ => format!("{key}: /shop/p{scattered}/{tail}"),
    }
}

fn a_url(n: usize) -> String {
    format!("/{}", "a".repeat(n))
}

fn dots_url(n: usize) -> String {
    format!("/{}", ".".repeat(n))
}

/// So many words, each within the same bytes.
fn reserved_url(around: &str, n: usize) -> String {
    let words: String = (0..n / 10).map(|i| around.replace("{}", &format!("w{i}"))).collect();
    format!("/{words}")
}

/// No suffix and no shared word rules it out: each has to be looked for in the whole target.
fn word_rule(i: usize) -> String {
    format!("Disallow: /*/w{i:06}*x$")
}

/// Words like those of [`word_rule`], in about `n` bytes, and its last letter.
fn words_url(n: usize) -> String {
    let words: String = (0..n / 8).map(|i| format!("/w{:06}", 900_000 + i)).collect();
    words + "/x"
}
