//! x
use std::fmt::Write;
use std::time::Instant;
use verger_core::dialect::*;
use verger_core::internal::Roll;
use verger_core::*;
fn main() {
    let n: usize = std::env::args().nth(2).map_or(500_000, |s| s.parse().unwrap());
    let kind = std::env::args().nth(1).unwrap();
    match kind.as_str() {
        "effects" => {
            let mut new = String::from("User-agent: *\n");
            let mut i = 0;
            while new.len() < n {
                writeln!(new, "Disallow: /{i}:a:b:c:d:e:f*a*b*c*d*e*f*g").unwrap();
                i += 1;
            }
            let f = File::parse(new.as_bytes(), &RFC9309);
            let a = f.wildcard_agent();
            let t = Instant::now();
            let e = a.effects(1 << 26);
            println!(
                "effects {} bytes {} rules {:?} unknown {}",
                new.len(),
                e.len(),
                t.elapsed(),
                e.iter().filter(|e| e.effect == verger_core::analysis::Effect::Unknown).count()
            );
            let t = Instant::now();
            let e = a.redundant(1 << 26);
            println!("redundant {:?} {}", t.elapsed(), e.0.len());
        }
        "within" => {
            // 64 lengths, long values
            let tokens: Vec<String> = (1..=64).map(|l| "a".repeat(l)).collect();
            let mut s = String::new();
            for i in 0..300 {
                writeln!(s, "User-agent: b{i}").unwrap();
            }
            while s.len() < n {
                writeln!(s, "User-agent: {}{}", "a".repeat(16000), s.len()).unwrap();
            }
            s += "Disallow: /\n";
            let d = ORIGINAL_1994;
            let f = File::parse(s.as_bytes(), &d);
            let r = Roll::new(&tokens, &d).unwrap();
            let t = Instant::now();
            let k = r.named(&f).len();
            println!("within {k} {:?}", t.elapsed());
        }
        "within70k" => {
            let count: usize = std::env::args().nth(3).map_or(70_000, |s| s.parse().unwrap());
            let mut x = 1u64;
            let mut rnd = || {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                (x >> 20) as usize
            };
            let text: String = (0..16000).map(|_| (b'a' + (rnd() % 26) as u8) as char).collect();
            let mut tokens: Vec<String> = Vec::new();
            let mut seen = std::collections::HashSet::new();
            while tokens.len() < count {
                let a = rnd() % 15900;
                let l = 4 + rnd() % 20;
                let t = text[a..a + l].to_string();
                if seen.insert(t.clone()) {
                    tokens.push(t)
                }
            }
            let mut s = String::new();
            for i in 0..300 {
                writeln!(s, "User-agent: 9{i}").unwrap();
            }
            writeln!(s, "User-agent: {text}\nDisallow: /").unwrap();
            let d = ORIGINAL_1994;
            let f = File::parse(s.as_bytes(), &d);
            let r = Roll::new(&tokens, &d).unwrap();
            let t = Instant::now();
            let k = r.named(&f).len();
            println!("within70k {k} {:?}", t.elapsed());
            let t = Instant::now();
            let k = tokens.iter().filter(|t| f.agent(&[t]).unwrap().selection().named).count();
            println!("one by one {k} {:?}", t.elapsed());
        }
        "lines" => {
            // named_with_lines memory
            let tokens: Vec<String> = (0..1000).map(|l| format!("bot{l}")).collect();
            let mut s = String::new();
            while s.len() < n {
                s += "User-agent:b\n";
            }
            s += "Disallow: /\n";
            let d = ORIGINAL_1994;
            let f = File::parse(s.as_bytes(), &d);
            let r = Roll::new(&tokens, &d).unwrap();
            let t = Instant::now();
            let k = r.named_with_lines(&f);
            println!(
                "lines {} {:?} total {} {}",
                k.len(),
                t.elapsed(),
                k.iter().map(|k| k.lines.len()).sum::<usize>(),
                std::fs::read_to_string("/proc/self/status")
                    .unwrap()
                    .lines()
                    .find(|l| l.starts_with("VmHWM"))
                    .unwrap()
            );
        }
        "lines256" => {
            let tokens: Vec<String> = (0..1000).map(|l| format!("bot{l}")).collect();
            for lines in [250, 260] {
                let mut s = String::new();
                for i in 0..lines {
                    let v: String =
                        (0..200).map(|j| format!("{}q{} ", i * 7 + j, j * 31)).collect();
                    writeln!(s, "User-agent: {}\nDisallow: /{i}", &v[..v.len().min(1900)]).unwrap();
                }
                let d = ORIGINAL_1994;
                let f = File::parse(s.as_bytes(), &d);
                let r = Roll::new(&tokens, &d).unwrap();
                let t = Instant::now();
                let k = r.named(&f).len();
                println!("{lines} lines {} bytes: {k} {:?}", s.len(), t.elapsed());
            }
        }
        "naming" => {
            // lint: all names of the file, 1994: value "a" names all of them
            let mut s = String::new();
            let mut i = 0;
            let mut tokens = vec![];
            while s.len() < n / 2 {
                writeln!(s, "User-agent: a{i}\nDisallow:/").unwrap();
                tokens.push(format!("a{i}"));
                i += 1;
            }
            while s.len() < n {
                s += "User-agent:a\nDisallow:/\n";
            }
            for d in [
                ORIGINAL_1994,
                YANDEX,
                Dialect { named_groups: NamedGroups::Merge, ..ORIGINAL_1994 },
                Dialect { agent_test: AgentTest::FamilyPrefix, ..RFC9309 },
            ] {
                let f = File::parse(s.as_bytes(), &d);
                let r = Roll::new(&tokens, &d).unwrap();
                let t = Instant::now();
                let k = r.named(&f);
                println!(
                    "{} naming {} tokens {} groups: {} {:?} {}",
                    d.name,
                    tokens.len(),
                    f.groups().len(),
                    k.len(),
                    t.elapsed(),
                    std::fs::read_to_string("/proc/self/status")
                        .unwrap()
                        .lines()
                        .find(|l| l.starts_with("VmHWM"))
                        .unwrap()
                );
                drop(k);
            }
        }
        "registry" => {
            let tokens: Vec<String> = std::fs::read_to_string("/tmp/rrs/tokens.txt")
                .unwrap()
                .lines()
                .map(String::from)
                .filter(|t| check_product_token(t.as_bytes(), &ORIGINAL_1994).is_ok())
                .collect();
            let d = ORIGINAL_1994;
            let r = Roll::new(&tokens, &d).unwrap();
            for (what, long) in [("few long", true), ("short", false)] {
                let mut s = String::new();
                for i in 0..300 {
                    writeln!(s, "User-agent: b{i}").unwrap();
                }
                let mut i = 0;
                while s.len() < n {
                    if long {
                        writeln!(s, "User-agent: {}{}", tokens.join(" ").repeat(2), s.len())
                            .unwrap();
                    } else {
                        writeln!(s, "User-agent: {}{i}\nDisallow: /", tokens[i % tokens.len()])
                            .unwrap();
                    }
                    i += 1;
                }
                s += "Disallow: /\n";
                let f = File::parse(s.as_bytes(), &d);
                let t = Instant::now();
                let k = r.named(&f).len();
                println!("registry {what} {} tokens {k} {:?}", tokens.len(), t.elapsed());
            }
            let f = File::parse(("User-agent: b\n".repeat(300) + "Disallow: /\n").as_bytes(), &d);
            let t = Instant::now();
            for _ in 0..100 {
                r.named(&f).len();
            }
            println!("small file of 300 lines {:?}", t.elapsed() / 100);
            let f = File::parse(("User-agent: b\n".repeat(200) + "Disallow: /\n").as_bytes(), &d);
            let t = Instant::now();
            for _ in 0..100 {
                r.named(&f).len();
            }
            println!("small file of 200 lines {:?}", t.elapsed() / 100);
        }
        "rfc" => {
            let tokens: Vec<String> = std::fs::read_to_string("/tmp/rrs/tokens.txt")
                .unwrap()
                .lines()
                .map(String::from)
                .filter(|t| check_product_token(t.as_bytes(), &RFC9309).is_ok())
                .collect();
            for d in [RFC9309, YANDEX, KOSTER_1996] {
                let r = Roll::new(&tokens, &d).unwrap();
                for every in [1usize, 5, 100000] {
                    let mut s = String::new();
                    for i in 0..1000 {
                        writeln!(s, "User-agent: {}", tokens[i % tokens.len()]).unwrap();
                        if i % every == 0 {
                            s += "Disallow: /\n"
                        }
                    }
                    s += "Disallow: /\n";
                    let f = File::parse(s.as_bytes(), &d);
                    let t = Instant::now();
                    for _ in 0..100 {
                        r.named(&f).len();
                    }
                    println!("{} 1000 lines, rule every {every}: {:?}", d.name, t.elapsed() / 100);
                }
                let s: String = (0..400)
                    .map(|i| format!("User-agent: {}x{i}\nDisallow: /\n", tokens[i]))
                    .collect();
                let f = File::parse(s.as_bytes(), &d);
                let t = Instant::now();
                for _ in 0..100 {
                    r.named(&f).len();
                }
                println!("{} 400 unknown names: {:?}", d.name, t.elapsed() / 100);
            }
        }
        "long" => {
            let tokens: Vec<String> = std::fs::read_to_string("/tmp/rrs/tokens.txt")
                .unwrap()
                .lines()
                .map(String::from)
                .filter(|t| check_product_token(t.as_bytes(), &ORIGINAL_1994).is_ok())
                .collect();
            let d = ORIGINAL_1994;
            let r = Roll::new(&tokens, &d).unwrap();
            let mut joined = tokens.join(" ");
            joined.truncate(15_000);
            let joined = joined.replace('/', " ");
            let xs = "x".repeat(15_000);
            for (what, v) in [("names", &joined), ("x", &xs)] {
                let mut s = String::new();
                for i in 0..300 {
                    writeln!(s, "User-agent: 9{i}").unwrap();
                }
                while s.len() < 490_000 {
                    writeln!(s, "User-agent: {v}{}", s.len()).unwrap();
                }
                s += "Disallow: /\n";
                let f = File::parse(s.as_bytes(), &d);
                let t = Instant::now();
                let k = r.named(&f).len();
                println!("333 lines, 33 long of {what}: {k} {:?}", t.elapsed());
                let mut s = String::new();
                while s.len() < 480_000 {
                    writeln!(s, "User-agent: {}", &v[..1900]).unwrap();
                }
                s += "Disallow: /\n";
                let f = File::parse(s.as_bytes(), &d);
                let t = Instant::now();
                let k = r.named(&f).len();
                println!(
                    "{} equal lines of 1900 of {what}: {k} {:?}",
                    s.lines().count() - 1,
                    t.elapsed()
                );
            }
        }
        "short" | "spelt" => {
            let mut t = String::from("User-agent: *\nDisallow: /zz?b:c\n");
            let mut i = 0;
            while t.len() < n {
                if kind == "short" {
                    writeln!(t, "Disallow: /{i}:@[]!'(,").unwrap()
                } else {
                    writeln!(t, "Disallow: /{i}:*@*[*]*!*'*(*,").unwrap()
                };
                i += 1;
            }
            let f = File::parse(t.as_bytes(), &RFC9309);
            let a = f.wildcard_agent();
            let rss = || {
                std::fs::read_to_string("/proc/self/status")
                    .unwrap()
                    .lines()
                    .find(|l| l.starts_with("VmHWM"))
                    .unwrap()
                    .to_string()
            };
            let x = Instant::now();
            let r = a.redundant(1 << 26);
            println!("redundant {} {:?} {} {}", t.len(), x.elapsed(), r.0.len(), rss());
            let x = Instant::now();
            let r = a.effects(1 << 26);
            println!("effects {} {:?} {} {}", t.len(), x.elapsed(), r.len(), rss());
        }
        _ => panic!(),
    }
}
