//! How fast the core is on real files, without Python: `corpus_speed FOLDER [RUNS]`.
//!
//! Reads every file of FOLDER once, then measures in interleaved runs and prints the median of
//! each row. The same folder and the same build give rows to compare; nothing is asserted.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use verger_core::{Agent, Dialect, File, GOOGLEBOT_CPP, RFC9309};

/// In Protego's collection: 51 rules for every crawler.
const FIFTY_RULES: &str = "optus.com.au";
const TOKENS: [&str; 2] = ["Googlebot", "ExampleBot"];
const URLS: [&str; 4] = [
    "https://example.com/",
    "https://example.com/shop/item?id=7",
    "https://example.com/search?q=a&page=2",
    "https://example.com/a/b/index.html",
];

/// A row: what it is called, its unit, and one run of it, counted in that unit.
type Row = (&'static str, &'static str, fn(&Corpus) -> f64);

const ROWS: [Row; 7] = [
    ("parse, rfc9309", "MB/s", |c| megabytes_per_second(&c.bodies, &RFC9309)),
    ("parse, googlebot-cpp", "MB/s", |c| megabytes_per_second(&c.bodies, &GOOGLEBOT_CPP)),
    ("parse, rfc9309", "us/file", |c| micros_per_file(&c.bodies, parse)),
    ("parse and one answer, rfc9309", "us/file", |c| micros_per_file(&c.bodies, contact)),
    ("parse and every line, rfc9309", "us/file", |c| micros_per_file(&c.bodies, parse_and_lines)),
    ("one answer by walk, 51 rules", "ns", |c| c.nanos_per_answer(Agent::check_by_walk)),
    ("one answer compiled, 51 rules", "ns", |c| c.nanos_per_answer(Agent::check_compiled)),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, rest @ ..] = &words[..] else {
        eprintln!("error: corpus_speed FOLDER [RUNS]");
        return ExitCode::from(2);
    };
    let runs = rest.first().and_then(|text| text.parse().ok()).unwrap_or(7);
    match Corpus::read(Path::new(folder)) {
        Ok(corpus) => {
            report(&corpus, runs);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("error: `{folder}`: {why}");
            ExitCode::from(2)
        }
    }
}

/// The files, and of one of them its parsed form with URLs to ask about.
struct Corpus {
    bodies: Vec<Vec<u8>>,
    fifty: File,
    urls: Vec<Vec<u8>>,
}

impl Corpus {
    fn read(folder: &Path) -> std::io::Result<Corpus> {
        let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
        let mut paths: Vec<PathBuf> = entries.collect::<std::io::Result<_>>()?;
        paths.sort();
        let bodies = paths.iter().map(std::fs::read).collect::<Result<Vec<_>, _>>()?;
        let is_fifty = |path: &PathBuf| path.to_string_lossy().contains(FIFTY_RULES);
        let fifty = paths.iter().position(is_fifty).map_or(&b""[..], |at| &bodies[at]);
        let fifty = File::parse(fifty, &RFC9309);
        Ok(Corpus { urls: urls_for(&fifty), fifty, bodies })
    }

    fn nanos_per_answer(&self, ask: fn(&Agent, &[u8]) -> verger_core::Outcome) -> f64 {
        const PASSES: usize = 200;
        let agent = self.fifty.agent(&TOKENS).expect("both are tokens");
        let start = Instant::now();
        for _ in 0..PASSES {
            for url in &self.urls {
                let target = self.fifty.target(url).expect("the URL is one");
                black_box(ask(&agent, target.bytes()));
            }
        }
        start.elapsed().as_secs_f64() * 1e9 / (PASSES * self.urls.len()) as f64
    }
}

/// As many URLs that the rules suggest as others.
fn urls_for(file: &File) -> Vec<Vec<u8>> {
    let mut urls = Vec::new();
    for (index, rule) in file.groups().rules().iter().enumerate() {
        let value = rule.value().of(file.bytes());
        let value = value.strip_suffix(b"$").unwrap_or(value);
        let path: Vec<u8> = value.iter().map(|o| if *o == b'*' { b'x' } else { *o }).collect();
        urls.push([b"https://www.example.com/", path.strip_prefix(b"/").unwrap_or(&path)].concat());
        urls.push(format!("https://www.example.com/about/shop{index}/list.html").into_bytes());
    }
    urls
}

fn report(corpus: &Corpus, runs: usize) {
    let mut figures = vec![Vec::with_capacity(runs); ROWS.len()];
    for _ in 0..runs {
        ROWS.iter().zip(&mut figures).for_each(|((_, _, run), figures)| figures.push(run(corpus)));
    }
    for ((name, unit, _), figures) in ROWS.iter().zip(&mut figures) {
        figures.sort_by(f64::total_cmp);
        println!("{name:<32} {:>10.2} {unit}", figures[figures.len() / 2]);
    }
}

fn megabytes_per_second(bodies: &[Vec<u8>], dialect: &Dialect) -> f64 {
    let bytes: usize = bodies.iter().map(Vec::len).sum();
    let start = Instant::now();
    bodies.iter().for_each(|body| drop(black_box(File::parse(body, dialect))));
    bytes as f64 / start.elapsed().as_secs_f64() / 1e6
}

fn micros_per_file(bodies: &[Vec<u8>], work: fn(usize, &[u8]) -> usize) -> f64 {
    let start = Instant::now();
    for (index, body) in bodies.iter().enumerate() {
        black_box(work(index, body));
    }
    start.elapsed().as_secs_f64() * 1e6 / bodies.len() as f64
}

fn parse(_: usize, body: &[u8]) -> usize {
    File::parse(body, &RFC9309).groups().len()
}

fn parse_and_lines(_: usize, body: &[u8]) -> usize {
    File::parse(body, &RFC9309).lines().len()
}

fn contact(index: usize, body: &[u8]) -> usize {
    let file = File::parse(body, &RFC9309);
    let agent = file.agent(&[TOKENS[index % TOKENS.len()]]).expect("the token is one");
    let target = file.target(URLS[index % URLS.len()].as_bytes()).expect("the URL is one");
    agent.check(&target).allowed as usize
}
