//! Lines, and what each says.

use super::switches::{OverLong, Switches};

/// What a line says about groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing but white space.
    Blank,
    /// Names a crawler.
    Agent(Vec<u8>),
    /// A rule.
    Rule {
        /// Whether it allows.
        allow: bool,
        /// Its pattern.
        value: Vec<u8>,
    },
    /// A start-group line that is too long to be read: it ends the group before it.
    LongAgent,
    /// Anything else.
    Nothing,
}

/// The lines of a file with their numbers; none for a file that counts as absent.
pub fn of(robots: &[u8], switches: &Switches) -> Option<Vec<(u32, Said)>> {
    let mut robots = robots.to_vec();
    if let Some(limit) = switches.file_limit.filter(|limit| robots.len() > *limit) {
        if switches.large_file_is_absent {
            return None;
        }
        let is_whole = matches!(robots[limit], b'\r' | b'\n');
        robots.truncate(limit);
        while !is_whole && robots.last().is_some_and(|o| !matches!(o, b'\r' | b'\n')) {
            robots.pop();
        }
    }
    let mark: &[u8] = b"\xEF\xBB\xBF";
    let shortest = if switches.partial_mark { 1 } else { 3 };
    if let Some(len) = (shortest..=3).rev().find(|len| robots.starts_with(&mark[..*len])) {
        robots.drain(..len);
    }
    let texts = split(&robots);
    let numbered = texts.iter().enumerate().take(switches.most_lines.unwrap_or(usize::MAX));
    Some(numbered.map(|(at, text)| (at as u32 + 1, read(text, switches))).collect())
}

fn split(robots: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = vec![Vec::new()];
    let mut before = 0;
    for byte in robots {
        match byte {
            b'\n' if before == b'\r' => {}
            b'\r' | b'\n' => lines.push(Vec::new()),
            _ => lines.last_mut().expect("there is one").push(*byte),
        }
        before = *byte;
    }
    // What stands behind the last line end is a line only if it holds something.
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

fn read(line: &[u8], switches: &Switches) -> Said {
    let is_long = switches.longest_line.is_some_and(|longest| line.len() > longest);
    if is_long && switches.over_long == OverLong::Drop {
        return match said(line, switches) {
            Said::Agent(_) => Said::LongAgent,
            _ => Said::Nothing,
        };
    }
    let mut kept = line;
    if is_long {
        kept = &kept[..switches.longest_line.unwrap_or(usize::MAX)];
    }
    if switches.nul_ends_line {
        kept = kept.split(|o| *o == 0).next().expect("a first part");
    }
    said(kept, switches)
}

fn said(line: &[u8], switches: &Switches) -> Said {
    let has_comment = line.contains(&b'#');
    let text = trim(line.split(|o| *o == b'#').next().expect("a first part"));
    if text.is_empty() {
        return if has_comment { Said::Nothing } else { Said::Blank };
    }
    let (key, value) = match text.iter().position(|o| *o == b':') {
        Some(colon) => (trim(&text[..colon]), trim(&text[colon + 1..])),
        None if switches.lenient => {
            let words: Vec<&[u8]> =
                text.split(|o| matches!(o, b' ' | b'\t')).filter(|w| !w.is_empty()).collect();
            let [key, value] = words[..] else { return Said::Nothing };
            (trim(key), trim(value))
        }
        None => return Said::Nothing,
    };
    let key = key.to_ascii_lowercase();
    let is = |names: &[&str]| {
        names.iter().any(|name| match switches.keys_by_prefix {
            true => key.starts_with(name.as_bytes()),
            false => key == name.as_bytes(),
        })
    };
    let misspelt = |names: &[&str]| switches.lenient && is(names);
    if is(&["user-agent"]) || misspelt(&["useragent", "user agent"]) {
        Said::Agent(value.to_vec())
    } else if switches.knows_allow && is(&["allow"]) {
        Said::Rule { allow: true, value: value.to_vec() }
    } else if is(&["disallow"])
        || misspelt(&["dissallow", "dissalow", "disalow", "diasllow", "disallaw"])
    {
        Said::Rule { allow: false, value: value.to_vec() }
    } else {
        Said::Nothing
    }
}

fn trim(mut text: &[u8]) -> &[u8] {
    let is_white = |byte: &u8| matches!(byte, b' ' | b'\t' | 0x0b | 0x0c);
    while let Some((_, rest)) = text.split_first().filter(|(first, _)| is_white(first)) {
        text = rest;
    }
    while let Some((_, rest)) = text.split_last().filter(|(last, _)| is_white(last)) {
        text = rest;
    }
    text
}
