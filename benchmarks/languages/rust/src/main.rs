//! A parser in Rust, asked over stdin: `harness PEER FOLDER`. The questions and the answers are
//! those of `benchmarks/languages/protocol.py`.

use std::collections::HashMap;
use std::fs;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use robotstxt::{DefaultMatcher, RobotsParseHandler};
use texting_robots::Robot;
use verger_core::{Agent, File, RFC9309};

const LOCK: &str = include_str!("../Cargo.lock");
const TOLD_NOTHING: u8 = b'e';

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [peer, folder] = &words[..] else {
        eprintln!("error: harness PEER FOLDER");
        return ExitCode::from(2);
    };
    panic::set_hook(Box::new(|_| ()));
    let served = match peer.as_str() {
        "verger-core" => serve::<VergerCore>(peer, folder),
        "texting_robots" => serve::<TextingRobots>(peer, folder),
        "robotstxt" => serve::<Robotstxt>(peer, folder),
        _ => Err(io::Error::other(format!("unknown peer `{peer}`"))),
    };
    if let Err(why) = served {
        eprintln!("error: {why}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

// --- peers ----------------------------------------------------------------------------------

/// A parser, as its documentation says it is used.
trait Peer {
    /// A file as the parser takes it; made outside the clock.
    type Body;
    /// What can be asked about URLs.
    type Parsed<'b>;

    fn prepare(body: &[u8]) -> Self::Body;

    fn parse<'b>(body: &'b Self::Body, token: &'b str) -> Option<Self::Parsed<'b>>;

    fn allowed(parsed: &Self::Parsed<'_>, url: &str) -> Option<bool>;

    /// Parse without a question: for who keeps nothing, that is another call.
    fn parse_only(body: &Self::Body, token: &str) -> bool {
        black_box(Self::parse(body, token)).is_some()
    }
}

/// The core of verger, without Python.
struct VergerCore;

impl Peer for VergerCore {
    type Body = Vec<u8>;
    type Parsed<'b> = (File, Agent);

    fn prepare(body: &[u8]) -> Vec<u8> {
        body.to_vec()
    }

    fn parse<'b>(body: &'b Vec<u8>, token: &'b str) -> Option<(File, Agent)> {
        let file = File::parse(body, &RFC9309);
        let agent = file.agent(&[token]).ok()?;
        Some((file, agent))
    }

    fn allowed((file, agent): &(File, Agent), url: &str) -> Option<bool> {
        let target = file.target(url.as_bytes()).ok()?;
        Some(agent.check(file, target.bytes()).allowed)
    }

    /// All groups, and no crawler's selection of them.
    fn parse_only(body: &Vec<u8>, _: &str) -> bool {
        black_box(File::parse(body, &RFC9309));
        true
    }
}

/// Keeps the rules of the crawler that it is parsed for.
struct TextingRobots;

impl Peer for TextingRobots {
    type Body = Vec<u8>;
    type Parsed<'b> = Robot;

    fn prepare(body: &[u8]) -> Vec<u8> {
        body.to_vec()
    }

    fn parse<'b>(body: &'b Vec<u8>, token: &'b str) -> Option<Robot> {
        Robot::new(token, body).ok()
    }

    fn allowed(robot: &Robot, url: &str) -> Option<bool> {
        Some(robot.allowed(url))
    }
}

/// Google's parser in Rust: keeps nothing, and parses anew for every answer.
struct Robotstxt;

impl Peer for Robotstxt {
    type Body = String;
    type Parsed<'b> = (&'b str, &'b str);

    fn prepare(body: &[u8]) -> String {
        String::from_utf8_lossy(body).into_owned()
    }

    fn parse<'b>(body: &'b String, token: &'b str) -> Option<(&'b str, &'b str)> {
        Some((body, token))
    }

    fn allowed((body, token): &(&str, &str), url: &str) -> Option<bool> {
        Some(DefaultMatcher::default().one_agent_allowed_by_robots(body, token, url))
    }

    fn parse_only(body: &String, _: &str) -> bool {
        robotstxt::parse_robotstxt(body, &mut Listener::default());
        true
    }
}

/// Hears of every line and keeps a number, so that no line can be left out.
#[derive(Default)]
struct Listener(u32);

impl RobotsParseHandler for Listener {
    fn handle_robots_start(&mut self) {}

    fn handle_robots_end(&mut self) {
        black_box(self.0);
    }

    fn handle_user_agent(&mut self, line: u32, _: &str) {
        self.0 += line;
    }

    fn handle_allow(&mut self, line: u32, _: &str) {
        self.0 += line;
    }

    fn handle_disallow(&mut self, line: u32, _: &str) {
        self.0 += line;
    }

    fn handle_sitemap(&mut self, line: u32, _: &str) {
        self.0 += line;
    }

    fn handle_unknown_action(&mut self, line: u32, _: &str, _: &str) {
        self.0 += line;
    }
}

// --- questions ------------------------------------------------------------------------------

/// A body, a product token, and URLs.
struct Site<P: Peer> {
    body: P::Body,
    token: String,
    urls: Vec<String>,
}

/// What one question took, and what was answered: the answers of the last pass, and how many of
/// all passes were "allowed".
struct Reply {
    nanos: u128,
    allowed: usize,
    answers: Vec<u8>,
}

fn serve<P: Peer>(peer: &str, folder: &str) -> io::Result<()> {
    let (folder, mut contacts, mut sites) = (PathBuf::from(folder), None, HashMap::new());
    hello(peer)?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let reply = match words[..] {
            ["parse", passes] => {
                parse_all(remembered(&mut contacts, || read_contacts::<P>(&folder))?, times(passes))
            }
            ["contact", passes] => {
                contact(remembered(&mut contacts, || read_contacts::<P>(&folder))?, times(passes))
            }
            ["load", file] => {
                site::<P>(&mut sites, &folder, file)?;
                Reply { nanos: 0, allowed: 0, answers: vec![] }
            }
            ["first", file, passes] => first(site(&mut sites, &folder, file)?, times(passes)),
            ["answer", file, count, passes] => {
                answer(site(&mut sites, &folder, file)?, times(count), times(passes))
            }
            _ => return Err(io::Error::other(format!("unknown question `{line}`"))),
        };
        say(&format!(
            r#"{{"ns": {}, "allowed": {}, "answers": "{}"}}"#,
            reply.nanos,
            reply.allowed,
            String::from_utf8_lossy(&reply.answers)
        ))?;
    }
    Ok(())
}

fn hello(peer: &str) -> io::Result<()> {
    let version = LOCK
        .split("[[package]]")
        .find(|entry| entry.contains(&format!("\nname = \"{peer}\"\n")))
        .and_then(|entry| entry.split("version = \"").nth(1)?.split('"').next())
        .unwrap_or("?");
    say(&format!(r#"{{"peer": "{peer}", "version": "{version}"}}"#))
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

fn times(word: &str) -> usize {
    word.parse().expect("a number")
}

fn parse_all<P: Peer>(contacts: &[Site<P>], passes: usize) -> Reply {
    measured(contacts.len(), passes, |at| {
        let Site { body, token, .. } = &contacts[at];
        Some(P::parse_only(body, token))
    })
}

fn contact<P: Peer>(contacts: &[Site<P>], passes: usize) -> Reply {
    measured(contacts.len(), passes, |at| parsed_and_asked(&contacts[at]))
}

fn first<P: Peer>(site: &Site<P>, passes: usize) -> Reply {
    measured(1, passes, |_| parsed_and_asked(site))
}

fn parsed_and_asked<P: Peer>(site: &Site<P>) -> Option<bool> {
    P::allowed(&P::parse(&site.body, &site.token)?, &site.urls[0])
}

/// The file is parsed and asked twice before the clock starts: what is made once is made.
fn answer<P: Peer>(site: &Site<P>, count: usize, passes: usize) -> Reply {
    let parsed = P::parse(&site.body, &site.token);
    let ask = |at: usize| P::allowed(parsed.as_ref()?, &site.urls[at]);
    measured(1, 2, |_| ask(0));
    measured(count, passes, ask)
}

fn measured(count: usize, passes: usize, ask: impl Fn(usize) -> Option<bool>) -> Reply {
    let ask = |at| panic::catch_unwind(AssertUnwindSafe(|| ask(black_box(at)))).ok().flatten();
    let (mut answers, mut allowed) = (vec![0; count], 0);
    let start = Instant::now();
    for _ in 0..passes {
        for (at, answer) in answers.iter_mut().enumerate() {
            let told = ask(at);
            allowed += usize::from(told == Some(true));
            *answer = told.map_or(TOLD_NOTHING, |allowed| b'0' + u8::from(allowed));
        }
    }
    Reply { nanos: start.elapsed().as_nanos(), allowed, answers }
}

// --- inputs ---------------------------------------------------------------------------------

fn remembered<T>(known: &mut Option<T>, make: impl FnOnce() -> io::Result<T>) -> io::Result<&T> {
    if known.is_none() {
        *known = Some(make()?);
    }
    Ok(known.as_ref().expect("made above"))
}

fn site<'s, P: Peer>(
    sites: &'s mut HashMap<String, Site<P>>,
    folder: &Path,
    file: &str,
) -> io::Result<&'s Site<P>> {
    if !sites.contains_key(file) {
        let entries = unpacked(&fs::read(folder.join(format!("{file}.pack")))?);
        sites.insert(file.to_owned(), site_of(&entries));
    }
    Ok(&sites[file])
}

fn read_contacts<P: Peer>(folder: &Path) -> io::Result<Vec<Site<P>>> {
    let entries = unpacked(&fs::read(folder.join("contacts.pack"))?);
    Ok(entries.chunks(3).map(site_of).collect())
}

fn site_of<P: Peer>(entries: &[Vec<u8>]) -> Site<P> {
    let text = |entry: &Vec<u8>| String::from_utf8(entry.clone()).expect("UTF-8");
    Site {
        body: P::prepare(&entries[0]),
        token: text(&entries[1]),
        urls: entries[2..].iter().map(text).collect(),
    }
}

/// The entries of a pack: for each its length in decimal, a line feed, its bytes.
fn unpacked(mut pack: &[u8]) -> Vec<Vec<u8>> {
    let mut entries = Vec::new();
    while let Some(end) = pack.iter().position(|byte| *byte == b'\n') {
        let length = times(std::str::from_utf8(&pack[..end]).expect("a number"));
        entries.push(pack[end + 1..][..length].to_vec());
        pack = &pack[end + 1 + length..];
    }
    entries
}
