//! x
use verger_core::dialect::*;
use verger_core::internal::Roll;
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
fn word(n: &mut N, alpha: &[&str], most: usize) -> String {
    (0..n.b(most + 1)).map(|_| alpha[n.b(alpha.len())]).collect()
}
fn main() {
    let mut n =
        N(std::env::args().nth(1).map_or(88172645463325252, |s| s.parse::<u64>().unwrap() | 1));
    let rounds: usize = std::env::args().nth(2).map_or(50, |s| s.parse().unwrap());
    let tests = [
        AgentTest::Substring,
        AgentTest::ValueContainsName,
        AgentTest::Equal,
        AgentTest::Rfc,
        AgentTest::Prefix,
        AgentTest::FamilyPrefix,
    ];
    let wheres = [NamedGroups::First, NamedGroups::Merge, NamedGroups::BestMerge];
    let mut dialects: Vec<Dialect> = DIALECTS.to_vec();
    for base in DIALECTS {
        for t in tests {
            for w in wheres {
                for fam in [false, true] {
                    for suf in [StarSuffix::Blank, StarSuffix::WhiteSpace] {
                        for tc in [TokenCheck::Strict, TokenCheck::Cut, TokenCheck::Any] {
                            for de in [false, true] {
                                dialects.push(Dialect {
                                    agent_test: t,
                                    named_groups: w,
                                    ignore_family: fam,
                                    star_suffix: suf,
                                    token_check: tc,
                                    drop_empty_groups: de,
                                    ..base
                                });
                            }
                        }
                    }
                }
            }
        }
    }
    let alpha = [
        "a", "b", "A", "B", "-", "_", "1", "/", "*", " ", "\t", "\x0c", "é", "É", "ſ", "K", ".",
        ",", "\0", "\u{212A}", "%", "bot",
    ];
    let raw: [&[u8]; 6] = [b"\xff", b"\x80", b"\xc3", b"*", b"* a", b"*\x0bq"];
    let (mut compared, mut named_count, mut big) = (0u64, 0u64, 0u64);
    for round in 0..rounds {
        // many dialects: sample
        let dialect = dialects[n.b(dialects.len())];
        let small = ["a", "b", "A", "B", "-"];
        let al: &[&str] = if n.b(2) == 0 { &small } else { &alpha };
        let most = [3, 6, 70, 140][n.b(4)];
        let cnt = [5, 60, 300][n.b(3)];
        let mut tokens: Vec<Vec<u8>> = Vec::new();
        while tokens.len() < cnt {
            let mut t = word(&mut n, al, most).into_bytes();
            if n.b(40) == 0 {
                t.extend_from_slice(raw[n.b(6)]);
            }
            if n.b(30) == 0 {
                t = b"*".to_vec();
            }
            if check_product_token(&t, &dialect).is_ok() {
                tokens.push(t);
            } else {
                let t: Vec<u8> = t.into_iter().filter(|b| b.is_ascii_alphanumeric()).collect();
                if check_product_token(&t, &dialect).is_ok() {
                    tokens.push(t)
                }
            }
        }
        let lines = 257 + n.b(600);
        let pool: Vec<Vec<u8>> = (0..1 + n.b(400))
            .map(|_| {
                let mut v = match n.b(4) {
                    0 => tokens[n.b(tokens.len())].clone(),
                    1 => {
                        let mut v = word(&mut n, al, 4).into_bytes();
                        v.extend(&tokens[n.b(tokens.len())]);
                        v.extend(word(&mut n, al, 4).bytes());
                        v
                    }
                    2 => {
                        let t = &tokens[n.b(tokens.len())];
                        let a = n.b(t.len() + 1);
                        let b = a + n.b(t.len() + 1 - a);
                        t[a..b].to_vec()
                    }
                    _ => word(&mut n, al, most).into_bytes(),
                };
                if n.b(10) == 0 {
                    v = v.to_ascii_uppercase()
                }
                if n.b(20) == 0 {
                    v.extend_from_slice(raw[n.b(6)]);
                }
                if n.b(20) == 0 {
                    let mut w = raw[n.b(6)].to_vec();
                    w.extend(v);
                    v = w;
                }
                v
            })
            .collect();
        let mut text = Vec::new();
        let rule_every = [1, 2, 7, 50, 1000][n.b(5)];
        for _ in 0..lines {
            text.extend_from_slice(b"User-agent: ");
            text.extend_from_slice(&pool[n.b(pool.len())]);
            text.push(b'\n');
            if n.b(rule_every) == 0 {
                text.extend_from_slice(b"Disallow: /x\n");
            }
            if n.b(60) == 0 {
                text.push(b'\n');
            }
        }
        text.extend_from_slice(b"Disallow: /y\n");
        let file = File::parse(&text, &dialect);
        let roll = Roll::new(&tokens, &dialect).unwrap();
        let named = roll.named(&file);
        let with_lines = roll.named_with_lines(&file);
        let mut at = 0;
        assert!(named.windows(2).all(|w| w[0].crawler < w[1].crawler));
        assert_eq!(named.len(), with_lines.len());
        for (c, t) in tokens.iter().enumerate() {
            let expected = file.agent(&[t]).unwrap();
            let exp = expected.selection();
            compared += 1;
            if exp.named {
                named_count += 1;
                assert_eq!(
                    named[at].crawler,
                    c,
                    "round {round} {:?} {:?} {:?}",
                    dialect.agent_test,
                    dialect.named_groups,
                    String::from_utf8_lossy(t)
                );
                assert_eq!(named[at].agent.selection(), exp, "round {round} {:?}", dialect);
                assert_eq!(with_lines[at].agent.selection(), exp);
                // lines: those start lines of the chosen groups that alone name the token (score any)
                let mut lines: Vec<u32> = Vec::new();
                for g in &exp.groups {
                    for s in file.groups().start_lines(*g as usize) {
                        let v = s.value.of(file.bytes());
                        let mut one = b"User-agent: ".to_vec();
                        one.extend_from_slice(v);
                        one.extend_from_slice(b"\nDisallow: /\n");
                        let f = File::parse(&one, &dialect);
                        if f.agent(&[t]).unwrap().selection().named {
                            lines.push(s.line)
                        }
                    }
                }
                if v_ok(&file) {
                    let mut got = with_lines[at].lines.clone();
                    lines.sort();
                    if got != lines {
                        got.sort();
                        println!(
                            "lines differ: round {round} {:?} {:?} got {:?} expected {:?}",
                            dialect.agent_test,
                            dialect.named_groups,
                            got.len(),
                            lines.len()
                        );
                    }
                }
                at += 1;
            }
        }
        assert_eq!(at, named.len(), "round {round}: names too many");
        big += 1;
    }
    println!("ok: files {big} compared {compared} named {named_count}");
}
fn v_ok(_: &File) -> bool {
    true
}
