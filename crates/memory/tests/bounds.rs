//! The bounds of the core's memory, on real, large and hostile files.
//!
//! - A parsed file holds at most one and a half times its bytes, 12 bytes for each rule or
//!   start-group line, and 2 KiB. While it is read it takes at most three times that.
//! - A compiled agent holds at most twice the bytes of its rules, 48 bytes a rule, eight for each
//!   group that binds it, and 256, once more for each way in which some rules are folded. Bytes
//!   are counted in normal form, as patterns are compared: three for one that has to be escaped. A
//!   rule that is compared in two forms counts for both.

use std::mem::size_of;
use std::path::Path;

use verger_core::internal::PatternReader;
use verger_core::{Agent, Dialect, File, DIALECTS, RFC9309};
use verger_memory::{measure, Counting};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TOKEN: &str = "examplebot";

#[test]
fn real_files_stay_within_the_bounds() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.cache/protego-0.7.0/tests/test_data");
    if !Path::new(folder).is_dir() {
        let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!is_ci, "`make corpus` has to fetch the real files where CI=true");
        eprintln!("skipped: `make corpus` fetches the real files");
        return;
    }
    let mut worst = Worst::default();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    for path in a_part_of(&paths) {
        let name = path.file_name().unwrap().to_string_lossy();
        worst.check(&name, &std::fs::read(path).unwrap(), &RFC9309);
    }
    worst.report("real files");
}

#[test]
fn large_and_hostile_files_stay_within_the_bounds() {
    let mut all = Worst::default();
    for (name, text) in hostile_files() {
        let mut worst = Worst::default();
        for dialect in a_part_of(&DIALECTS) {
            worst.check(name, text.as_bytes(), dialect);
        }
        all.missed.append(&mut worst.missed);
        worst.report(name);
    }
    all.report("beyond the bounds");
}

/// One in three where nothing is optimised, unless `VERGER_EVERYTHING` is set: some seconds' worth.
fn a_part_of<T>(all: &[T]) -> impl Iterator<Item = &T> {
    let is_all = !cfg!(debug_assertions) || std::env::var_os("VERGER_EVERYTHING").is_some();
    all.iter().step_by(if is_all { 1 } else { 3 })
}

/// The largest shares of the bounds that were taken.
#[derive(Default)]
struct Worst {
    parsed: f64,
    parsing: f64,
    compiled: f64,
    missed: Vec<String>,
}

impl Worst {
    fn check(&mut self, name: &str, bytes: &[u8], dialect: &Dialect) {
        let file = measure(|| File::parse(bytes, dialect));
        let bound = bound_of_file(bytes, &file.made);
        let parsed = file.held + size_of::<File>();
        let compiled = measure(|| {
            let agent = file.made.agent(&[TOKEN]).unwrap();
            agent.check_compiled(b"/");
            agent
        });
        let most = bound_of_agent(&file.made, &compiled.made);

        self.parsed = self.parsed.max(parsed as f64 / bound as f64);
        self.parsing = self.parsing.max(file.peak as f64 / (3 * bound) as f64);
        self.compiled = self.compiled.max(compiled.held as f64 / most.max(1) as f64);
        if parsed > bound || file.peak > 3 * bound || compiled.held > most {
            self.missed.push(format!(
                "{name}, {}: {parsed} of {bound} parsed, {} of {} while parsing, {} of {most} compiled",
                dialect.name,
                file.peak,
                3 * bound,
                compiled.held
            ));
        }
    }

    fn report(self, name: &str) {
        let Worst { parsed, parsing, compiled, missed } = self;
        println!("{name:<32} parsed {parsed:.2} parsing {parsing:.2} compiled {compiled:.2}");
        assert!(missed.is_empty(), "beyond the bounds: {missed:#?}");
    }
}

fn bound_of_file(bytes: &[u8], file: &File) -> usize {
    let groups = file.groups();
    let starts: usize = (0..groups.len()).map(|group| groups.start_lines(group).len()).sum();
    bytes.len() * 3 / 2 + 12 * (groups.rules().len() + starts) + 2048
}

fn bound_of_agent(file: &File, agent: &Agent) -> usize {
    let reader = PatternReader::new(file.dialect());
    let (mut bytes, mut patterns, mut folds) = (0, 0, [0; 2]);
    for (_, rule) in agent.rules() {
        reader.each(rule.value().of(file.bytes()), rule.is_allow(), |pattern| {
            let folded = pattern.folded();
            bytes += pattern.text.len() + folded.as_ref().map_or(0, Vec::len);
            patterns += 1 + folded.is_some() as usize;
            if folded.is_some() {
                folds[pattern.reserved().fold() as usize] = 1;
            }
        });
    }
    let constant = 256 * (1 + folds.iter().sum::<usize>());
    2 * bytes + 48 * patterns + 8 * agent.selection().groups.len() + constant
}

fn hostile_files() -> Vec<(&'static str, String)> {
    let many = |n: usize, line: fn(usize) -> String| (0..n).map(line).collect::<String>();
    let open = |text: String| format!("User-agent: *\n{text}");
    vec![
        ("nothing", String::new()),
        ("one rule", open("Disallow: /a\n".into())),
        ("some rules", open("Disallow: /a\nDisallow: /*/b\nDisallow: /*/c\nAllow: /$\n".into())),
        ("both folds", open("Disallow: /a:b\nDisallow: /c?d/e\n".into())),
        ("both folds, wild", open("Allow: /*[\nAllow: /*]\nAllow: /*?a/\nAllow: /*?b/\n".into())),
        ("brackets", open(many(16_700, |n| format!("Disallow: /[{n:05}]\n")))),
        ("brackets behind stars", open(many(5_000, |n| format!("Disallow: /*[{n:05}]?x/*/\n")))),
        ("literals", open(many(16_700, |n| format!("Disallow: /word/other{n:05}\n")))),
        (
            "shortest rules",
            open(many(40_000, |n| format!("allow:/{}\n", (33 + n % 90) as u8 as char))),
        ),
        ("binary tree", open(many(1 << 14, |n| format!("allow:/{n:014b}\n")))),
        ("chain", open(many(900, |n| format!("allow:/{}\n", "a".repeat(n))))),
        ("one long rule", open(format!("Disallow: /{}\n", "a".repeat(500_000)))),
        ("long escapes", open(many(20, |_| format!("Disallow: /{}\n", "ツ".repeat(8_000))))),
        ("escapes", open(many(9_000, |n| format!("Disallow: /ツ{n}<\n")))),
        ("anchors", open(many(20_000, |n| format!("allow:/{n}$\n")))),
        ("wildcards", open(many(14_000, |n| format!("Disallow: /*/word{n:05}*x$\n")))),
        ("short wildcards", open(many(30_000, |n| format!("allow:*{n}\n")))),
        ("pairs", open(many(9_000, |n| format!("allow:*{}\n", n % 97)))),
        ("stars", open(many(5_000, |n| format!("Disallow: /{}b{n}$\n", "*a".repeat(20))))),
        ("queries", open(many(9_000, |n| format!("Disallow: /p?u=http://{n}/\n")))),
        ("wild queries", open(many(9_000, |n| format!("Disallow: /*?u=a:{n}\n")))),
        ("directories", open(many(9_000, |n| format!("Allow: /{n}/index.html\n")))),
        ("agents", open(many(23_000, |n| format!("User-agent: bot{n}\n")) + "Disallow: /x\n")),
        ("groups", many(17_000, |n| format!("User-agent: b{n:05}\nDisallow: /\n"))),
        ("shortest groups", many(25_000, |_| "user-agent:\nallow:\n".into())),
        (
            "agents and rules",
            many(5_000, |n| format!("User-agent: bot{n}\n"))
                + "User-agent: *\n"
                + &many(5_000, |n| format!("Disallow: /p{n}\n")),
        ),
        ("own groups", many(9_000, |n| format!("User-agent: {TOKEN}\nAllow: /a{n}\n"))),
        ("comments", many(50_000, |_| "# nothing\n".into())),
        ("line ends", "\r\n".repeat(250_000)),
    ]
}
