//! Property: a crawler for whom a site is open, or closed, finds no target that says otherwise; and
//! whoever is asked about together with others is told the same as alone.
//!
//! Oracle: every target of a few pieces, and for each rule some that it matches, asked one by one.
//! Where rules are so short that these show all there is, the posture is exactly theirs.

use verger_core::{Agent, File, Posture};

use crate::input::{dialect, expanded, parts, turned};
use crate::urls::{of_pieces, of_rules, MOST_PIECES, OF_TWO_PIECES};

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
    let few = if is_short { of_pieces() } else { &of_pieces()[..OF_TWO_PIECES] };
    for url in few.iter().chain(&of_rules(file)) {
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
