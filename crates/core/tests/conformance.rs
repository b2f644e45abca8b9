//! Every case of `conformance/`, in every dialect, through every strategy of the core.
//!
//! In: the TOML files that the Python tests read too. A strategy is a way to the same answer: the
//! one that `check` chooses, the walk over the rules, and the compiled matcher.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use verger_core::{Dialect, File, Outcome, DIALECTS};

#[test]
fn every_strategy_gives_the_answer_of_every_case() {
    let cases: Vec<Case> = files().iter().flat_map(|path| read(path)).collect();
    for case in &cases {
        for dialect in &DIALECTS {
            let wanted = case.differs.get(dialect.name).unwrap_or(&case.expect);
            for (strategy, answer) in answers(case, dialect) {
                assert_eq!(&answer, wanted, "{} in {} by {strategy}", case.id, dialect.name);
            }
        }
    }
    assert!(cases.len() > 400, "only {} cases", cases.len());
}

/// Whether the URL is allowed, and the line that says so; or the caller's error.
type Answer = Result<(bool, Option<u32>), String>;

struct Case {
    id: String,
    robots: String,
    token: String,
    url: String,
    expect: Answer,
    differs: HashMap<String, Answer>,
}

fn answers(case: &Case, dialect: &Dialect) -> Vec<(&'static str, Answer)> {
    let file = File::parse(case.robots.as_bytes(), dialect);
    let Ok(agent) = file.agent(&[&case.token]) else {
        return vec![("the check of tokens", Err("no product token".into()))];
    };
    let target = file.target(case.url.as_bytes()).expect("a URL");
    let answer =
        |outcome: Outcome| Ok((outcome.allowed, agent.rule(&outcome).map(|rule| rule.line)));
    vec![
        ("the first question", answer(agent.check(&target))),
        ("the second question", answer(agent.check(&target))),
        ("the walk", answer(agent.check_by_walk(target.bytes()))),
        ("the compiled matcher", answer(agent.check_compiled(target.bytes()))),
    ]
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let entries = fs::read_dir(folder).expect("the folder of the cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths
}

/// The cases of a file. They use little of TOML, so that this is all it takes to read them.
fn read(path: &Path) -> Vec<Case> {
    let text = fs::read_to_string(path).expect("UTF-8");
    text.split("[[case]]\n").skip(1).map(case).collect()
}

fn case(block: &str) -> Case {
    let lines = block.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let fields: HashMap<&str, Value> = lines
        .map(|line| {
            let (key, value) = line.split_once(" = ").expect("a key and a value");
            (key, Reader { rest: value }.value())
        })
        .collect();
    let differs = fields.iter().filter_map(|(key, value)| {
        Some((key.strip_prefix("differs.")?.to_string(), value.answer()))
    });
    Case {
        id: fields["id"].text().to_string(),
        robots: fields["robots"].text().to_string(),
        token: fields["ask"].entry("token").expect("a token").text().to_string(),
        url: fields["ask"].entry("url").expect("a URL").text().to_string(),
        expect: fields["expect"].answer(),
        differs: differs.collect(),
    }
}

enum Value {
    Text(String),
    Number(u32),
    Bool(bool),
    Table(Vec<(String, Value)>),
}

impl Value {
    fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            _ => panic!("expected a string"),
        }
    }

    fn entry(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Table(entries) => entries.iter().find(|(key, _)| key == name).map(|(_, v)| v),
            _ => panic!("expected a table"),
        }
    }

    fn answer(&self) -> Answer {
        if let Some(error) = self.entry("error") {
            return Err(error.text().to_string());
        }
        let allowed = match self.entry("allowed") {
            Some(Value::Bool(allowed)) => *allowed,
            _ => panic!("expected `allowed` or `error`"),
        };
        let line = self.entry("line").map(|value| match value {
            Value::Number(line) => *line,
            _ => panic!("expected a number"),
        });
        Ok((allowed, line))
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn value(&mut self) -> Value {
        match self.rest.chars().next().expect("a value") {
            '"' => Value::Text(self.text()),
            '{' => Value::Table(self.table()),
            _ => match self.word() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                number => Value::Number(number.parse().expect("a number")),
            },
        }
    }

    fn table(&mut self) -> Vec<(String, Value)> {
        let mut entries = Vec::new();
        self.skip("{ ");
        loop {
            let key = self.word().to_string();
            self.skip(" = ");
            entries.push((key, self.value()));
            if self.rest.starts_with(" }") {
                return entries;
            }
            self.skip(", ");
        }
    }

    fn word(&mut self) -> &str {
        let end = self.rest.find([' ', ',']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn text(&mut self) -> String {
        self.skip("\"");
        let mut text = String::new();
        loop {
            match self.character() {
                '"' => return text,
                '\\' => text.push(self.escape()),
                plain => text.push(plain),
            }
        }
    }

    fn escape(&mut self) -> char {
        match self.character() {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let digits: String = (0..4).map(|_| self.character()).collect();
                u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).expect("an escape")
            }
            plain => plain,
        }
    }

    fn character(&mut self) -> char {
        let next = self.rest.chars().next().expect("the end of the string");
        self.rest = &self.rest[next.len_utf8()..];
        next
    }

    fn skip(&mut self, text: &str) {
        self.rest = self.rest.strip_prefix(text).unwrap_or_else(|| panic!("expected `{text}`"));
    }
}
