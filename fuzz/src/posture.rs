//! Property: a crawler for whom a site is open, or closed, finds no target that says otherwise; and
//! whoever is asked about together with others is told the same as alone.
//!
//! Oracle: every target of a few pieces, and for each rule some that it matches, asked one by one.
//! Where rules are so short that these show all there is, the posture is exactly theirs.

use verger_core::{Agent, File, Posture};

use crate::input::{dialect, expanded, parts, turned};

/// What targets are made of; no seed holds an `x`.
const PIECES: [&[u8]; 9] = [b"/", b"a", b"b", b"?", b":", b"%3A", b"%2F", b"%3F", b"x"];
/// Pieces of a target behind its `/`, for files so short that patterns have no more.
const MOST_PIECES: usize = 3;
/// Targets of no more than two pieces, which are asked about in any file.
const OF_TWO_PIECES: usize = 1 + PIECES.len() + PIECES.len() * PIECES.len();

/// Check one input: `DIALECT[KNOBS]`, file.
pub fn check(data: &[u8]) {
    let data = expanded(data);
    let [how, robots] = parts(&data);
    let dialect = turned(dialect(how.first()), how.get(1..).unwrap_or_default());
    let file = File::parse(robots, &dialect);
    if file.groups().rules().len() > 12 {
        return;
    }
    let agents = [file.agent(&["a"]), file.agent(&["yandex"])].map(|agent| agent.expect("a token"));
    let alone = agents.each_ref().map(|agent| agent.stance());
    let together = file.stances(&agents.each_ref());
    for ((agent, alone), together) in agents.iter().zip(alone).zip(together) {
        assert_eq!(alone.elsewhere, together.elsewhere);
        if ![alone.posture, together.posture].contains(&Posture::Unknown) {
            assert_eq!(alone.posture, together.posture);
        }
        assert_posture(agent, alone.posture);
    }
}

fn assert_posture(agent: &Agent, posture: Posture) {
    let file = agent.file();
    let mut seen = [false; 2];
    let is_short = posture == Posture::Some && are_short(file);
    let few = if is_short { urls() } else { &urls()[..OF_TWO_PIECES] };
    for url in few.iter().chain(&urls_of_rules(file)) {
        let Ok(target) = file.target(url) else { continue };
        if target.bytes() == b"/robots.txt" {
            continue;
        }
        let allowed = agent.check_compiled(target.bytes()).allowed;
        seen[usize::from(allowed)] = true;
        let is_refuted = match posture {
            Posture::All => !allowed,
            Posture::None => allowed,
            _ => false,
        };
        assert!(!is_refuted, "{posture:?}, and {} is not", String::from_utf8_lossy(url));
    }
    if is_short {
        assert_eq!(seen, [true, true], "some, and nothing shows it");
    }
}

/// Whether every pattern has so few of the pieces that the targets of all pieces meet it.
fn are_short(file: &File) -> bool {
    // Where `*` and `$` are ordinary, no target of the pieces has them.
    let bytes: &[u8] = if file.dialect().wildcards { b"/ab?:*$" } else { b"/ab?:" };
    file.groups().rules().iter().all(|rule| {
        let value = rule.value().of(file.bytes());
        value.len() < MOST_PIECES && value.iter().all(|byte| bytes.contains(byte))
    })
}

fn urls() -> &'static [Vec<u8>] {
    static URLS: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    URLS.get_or_init(|| {
        let mut urls = vec![b"http://e.com/".to_vec()];
        let mut from = 0;
        for _ in 0..MOST_PIECES {
            let until = urls.len();
            for at in from..until {
                let longer = PIECES.map(|piece| [&urls[at][..], piece].concat());
                urls.extend(longer);
            }
            from = until;
        }
        urls
    })
}

/// URLs that rules were probably written for: as written, without `*`, with something in its place,
/// and with something behind.
fn urls_of_rules(file: &File) -> Vec<Vec<u8>> {
    let mut urls = Vec::new();
    for rule in file.groups().rules() {
        let value = rule.value().of(file.bytes());
        let value = value.strip_suffix(b"$").unwrap_or(value);
        for star in [&b""[..], b"x", b"*"] {
            let filled: Vec<u8> = value
                .iter()
                .flat_map(|byte| if *byte == b'*' { star } else { std::slice::from_ref(byte) })
                .copied()
                .collect();
            let filled = filled.strip_prefix(b"/").unwrap_or(&filled);
            for end in [&b""[..], b"x", b"/"] {
                urls.push([b"http://e.com/", filled, end].concat());
            }
        }
    }
    urls
}
