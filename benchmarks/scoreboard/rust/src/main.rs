//! Parsers in Rust behind the protocol of the robots.txt test suite: `adapter PEER`.

use std::io::{self, BufRead, Write};

use base64::prelude::{Engine, BASE64_STANDARD};
use robots_txt::matcher::SimpleMatcher;
use serde_json::{json, Value};

type Ask = fn(&[u8], &str, &str) -> Result<bool, String>;

fn main() -> io::Result<()> {
    let peer = std::env::args().nth(1).unwrap_or_default();
    let ask: Ask = match peer.as_str() {
        "texting_robots" => texting_robots,
        "robotstxt" => robotstxt,
        "robots_txt" => robots_txt,
        "robotxt" => robotxt,
        _ => panic!("`{peer}` is no peer"),
    };
    for line in io::stdin().lock().lines() {
        let asked: Value = serde_json::from_str(&line?)?;
        let robots = BASE64_STANDARD.decode(text(&asked, "robots")).expect("base64");
        let mut answer = json!({ "id": asked["id"] });
        match ask(&robots, text(&asked, "agent"), text(&asked, "url")) {
            Ok(allowed) => answer["allowed"] = allowed.into(),
            Err(why) => answer["cannot"] = why.into(),
        }
        println!("{answer}");
        io::stdout().flush()?;
    }
    Ok(())
}

fn text<'a>(asked: &'a Value, field: &str) -> &'a str {
    asked[field].as_str().expect("a text")
}

fn texting_robots(robots: &[u8], agent: &str, url: &str) -> Result<bool, String> {
    let robot = texting_robots::Robot::new(agent, robots).map_err(|why| why.to_string())?;
    Ok(robot.allowed(url))
}

fn robotstxt(robots: &[u8], agent: &str, url: &str) -> Result<bool, String> {
    let file = String::from_utf8_lossy(robots);
    Ok(robotstxt::DefaultMatcher::default().one_agent_allowed_by_robots(&file, agent, url))
}

/// Is asked about paths.
fn robots_txt(robots: &[u8], agent: &str, url: &str) -> Result<bool, String> {
    let file = String::from_utf8_lossy(robots);
    let parsed = robots_txt::Robots::from_str_lossy(&file);
    Ok(SimpleMatcher::new(&parsed.choose_section(agent).rules).check_path(path_of(url)))
}

fn robotxt(robots: &[u8], agent: &str, url: &str) -> Result<bool, String> {
    Ok(robotxt::Robots::parse(robots, agent).is_allowed(path_of(url)))
}

/// Path and query, as they stand in the URL.
fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |at| &rest[at..])
}
