//! x
use std::time::Instant;
use verger_core::analysis::*;
use verger_core::dialect::*;
use verger_core::*;
struct N(u64);
impl N {
    fn b(&mut self, l: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % l
    }
}
fn main() {
    let mut n = N(std::env::args().nth(1).unwrap().parse::<u64>().unwrap() | 1);
    let secs: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let t0 = Instant::now();
    let many = "*a".repeat(66);
    let many2 = "*b*a".repeat(40);
    let parts: Vec<&str> = vec![
        "a",
        "b",
        "/",
        "*",
        "?",
        "$",
        ":",
        "@",
        "%3A",
        "%3a",
        "[",
        "!",
        "'",
        "(",
        ",",
        ";",
        "%2F",
        "%3F",
        "3A",
        "A",
        "%",
        "%3",
        "=",
        "&",
        "~",
        "%7E",
        "<",
        "é",
        "*a",
        "a*",
        "/a",
        "//",
        "robots.txt",
        &many,
        &many2,
        ":@[]!'(,",
        ":@[]!'(,;)",
    ];
    let names = ["a", "ab", "b", "Googlebot", "c", "*", "*", "*", "googlebot-news"];
    let (mut files, mut urls_n, mut exact, mut changed_n, mut cut) = (0u64, 0u64, 0u64, 0u64, 0u64);
    while t0.elapsed().as_secs() < secs {
        let mut d = DIALECTS[n.b(DIALECTS.len())];
        if n.b(2) == 0 {
            d = RFC9309;
        }
        if n.b(4) == 0 {
            d.named_groups =
                [NamedGroups::First, NamedGroups::Merge, NamedGroups::BestMerge][n.b(3)];
        }
        if n.b(6) == 0 {
            d.agent_test =
                [AgentTest::Substring, AgentTest::ValueContainsName, AgentTest::FamilyPrefix]
                    [n.b(3)];
        }
        if n.b(6) == 0 {
            d.precedence = Precedence::First;
        }
        if n.b(6) == 0 {
            d.equate_reserved_escapes ^= true;
        }
        let small = n.b(3) != 0;
        let rule = |n: &mut N| {
            let v: String =
                (0..n.b(5)).map(|_| parts[n.b(if small { 24 } else { parts.len() })]).collect();
            format!("{}: /{}\n", ["Disallow", "Allow"][n.b(2)], v)
        };
        let mut pool: Vec<String> = (0..1 + n.b(6)).map(|_| rule(&mut n)).collect();
        let mut text = |n: &mut N| {
            let mut s = String::new();
            for _ in 0..1 + n.b(3) {
                for _ in 0..1 + n.b(2) {
                    s += &format!("User-agent: {}\n", names[n.b(names.len())]);
                }
                for _ in 0..n.b(4) {
                    if n.b(5) == 0 {
                        let r = rule(n);
                        pool.push(r)
                    }
                    s += &pool[n.b(pool.len())].clone();
                }
            }
            s
        };
        let (old, new) = (text(&mut n), text(&mut n));
        let (o, w) = (File::parse(old.as_bytes(), &d), File::parse(new.as_bytes(), &d));
        let audience = Audience::new(vec![], vec![], &d).unwrap();
        let steps = [1 << 26, 1 << 21, 1 << 14][n.b(3)];
        let changes = o.changes(&w, &audience, steps);
        files += 1;
        let pieces: Vec<String> = [&old, &new]
            .iter()
            .flat_map(|t| t.lines())
            .filter_map(|l| l.split_once(": /").map(|x| x.1.trim_end_matches('$').to_string()))
            .collect();
        let mut urls: Vec<String> = vec!["/".into(), "/robots.txt".into()];
        for _ in 0..40 {
            let mut u = String::from("/");
            for _ in 0..1 + n.b(3) {
                if !pieces.is_empty() && n.b(3) != 0 {
                    let p = &pieces[n.b(pieces.len())];
                    let f = ["", "a", "/", "?", "x", "%3A", ":"][n.b(7)];
                    u += &p.replace('*', f);
                } else {
                    let p = parts[n.b(parts.len())];
                    if !p.contains('*') {
                        u += p
                    }
                }
            }
            if n.b(3) == 0 {
                u = u.replace("%3A", ":")
            } else if n.b(3) == 0 {
                u = u.replacen(":", "%3A", 1)
            }
            urls.push(u);
        }
        for token in ["a", "ab", "b", "googlebot", "c", "zz", "googlebot-news"] {
            let (x, y) = (o.agent(&[token]).unwrap(), w.agent(&[token]).unwrap());
            let listed =
                changes.iter().find(|c| c.tokens.iter().any(|t| t.eq_ignore_ascii_case(token)));
            // names in neither file are represented by star
            let is_known = [&o, &w].iter().any(|f| {
                (0..f.groups().len()).any(|g| {
                    f.groups()
                        .start_lines(g)
                        .iter()
                        .any(|l| l.value.of(f.bytes()).eq_ignore_ascii_case(token.as_bytes()))
                })
            });
            let listed = match listed {
                Some(l) => Some(l),
                None if !is_known && !x.selection().named && !y.selection().named => {
                    changes.iter().find(|c| c.tokens.iter().any(|t| t == "*"))
                }
                None => None,
            };
            if !is_known && (x.selection().named || y.selection().named) {
                continue;
            }
            match listed {
                Some(l) => {
                    changed_n += 1;
                    if l.difference.is_exact {
                        exact += 1
                    } else {
                        cut += 1
                    }
                    for c in &l.difference.changes {
                        let (a, b) = (
                            x.decide(&c.witness).unwrap().allowed,
                            y.decide(&c.witness).unwrap().allowed,
                        );
                        assert!(
                            a != b && b == c.opened,
                            "witness {:?}\n{old}\n---\n{new}",
                            String::from_utf8_lossy(&c.witness)
                        );
                    }
                }
                None => {}
            }
            for u in &urls {
                let (Ok(a), Ok(b)) = (x.decide(u.as_bytes()), y.decide(u.as_bytes())) else {
                    continue;
                };
                urls_n += 1;
                if a.allowed != b.allowed {
                    match listed {
                        None => panic!("not listed {token} {u} {:?}\n{old}\n---\n{new}", d),
                        Some(l)
                            if l.difference.is_exact
                                && !l.difference.changes.iter().any(|c| c.opened == b.allowed) =>
                        {
                            panic!(
                                "exact but wrong way {token} {u} {} {:?}\n{old}\n---\n{new}",
                                d.name, l
                            )
                        }
                        _ => {}
                    }
                }
            }
        }
        for f in [&o, &w] {
            for token in ["a", "zz"] {
                let ag = f.agent(&[token]).unwrap();
                let ef = ag.effects(steps);
                for u in &urls {
                    if let Ok(out) = ag.decide(u.as_bytes()) {
                        if let Some(r) = out.rule {
                            if let Some(e) = ef.iter().find(|e| e.rule == r) {
                                if out.reason != Reason::EmptyRule {
                                    assert!(
                                        !matches!(
                                            e.effect,
                                            Effect::Shadowed { .. } | Effect::MatchesNothing
                                        ),
                                        "effect {:?} {u} {}\n{}",
                                        e,
                                        d.name,
                                        String::from_utf8_lossy(f.bytes())
                                    );
                                }
                            }
                        }
                    }
                }
                let (gone, _) = ag.redundant(steps);
                if !gone.is_empty() {
                    let kept: Vec<_> = f
                        .bytes()
                        .split(|b| *b == b'\n')
                        .enumerate()
                        .filter(|(i, _)| {
                            !gone
                                .iter()
                                .any(|g| f.groups().rules()[*g as usize].line as usize == i + 1)
                        })
                        .map(|(_, l)| String::from_utf8_lossy(l).into_owned())
                        .collect();
                    let _ = kept;
                }
            }
        }
    }
    println!("files {files} urls {urls_n} changed {changed_n} exact {exact} inexact {cut}");
}
