//! x
use std::fmt::Write;
use std::time::Instant;
use verger_core::analysis::*;
use verger_core::dialect::*;
use verger_core::*;
fn rss() -> String {
    std::fs::read_to_string("/proc/self/status")
        .unwrap()
        .lines()
        .find(|l| l.starts_with("VmHWM"))
        .unwrap()
        .to_string()
}
fn main() {
    let kind = std::env::args().nth(1).unwrap();
    let n: usize = std::env::args().nth(2).map_or(500_000, |s| s.parse().unwrap());
    let mut dialect = RFC9309;
    let (mut old, mut new) = (String::new(), String::new());
    match kind.as_str() {
        "fillings" => {
            new += "User-agent: *\n";
            let mut i = 0;
            while new.len() < n {
                writeln!(new, "Disallow: /{i}:a:b:c:d:e:f*a*b*c*d*e*f*g").unwrap();
                i += 1;
            }
            old += "User-agent: *\n";
        }
        "fillings1" => {
            new += "User-agent: *\n";
            let pad = "x".repeat(16000);
            let mut i = 0;
            while new.len() < n {
                writeln!(new, "Disallow: /{i}:a:b:c:d:e:f{pad}*a*b*c*d*e*f*g").unwrap();
                i += 1;
            }
            old += "User-agent: *\n";
        }
        "fills" => {
            let all: String = (0x21u8..0x7f)
                .filter(|b| !b"#%*$?:@[]!'(),;".contains(b))
                .map(|b| b as char)
                .collect();
            let mut i = 0;
            while new.len() < n {
                writeln!(new, "User-agent: a{i}\nDisallow: /{all}{i}").unwrap();
                i += 1;
            }
            old += "User-agent: *\n";
        }
        "dropped" => {
            new += "User-agent: *\nDisallow: /zz?b:c\n";
            let pad = "y".repeat(1250);
            let mut i = 0;
            while new.len() < n {
                writeln!(new, "Disallow: /{i}{pad}:@[]!'(,%5").unwrap();
                i += 1;
            }
            old += "User-agent: *\n";
        }
        "cutspell" => {
            // many crawlers share one group whose patterns have too many spellings
            let pad = "y".repeat(2500);
            let mut i = 0;
            let mut names = String::new();
            for k in 0..200 {
                writeln!(new, "User-agent: c{k}\nDisallow: /own{k}").unwrap();
                writeln!(names, "User-agent: c{k}").unwrap();
            }
            new += &names;
            new += "Disallow: /zz?b:c\n";
            while new.len() < n {
                writeln!(new, "Disallow: /{i}{pad}:@[]!'(,;").unwrap();
                i += 1;
            }
            old += "User-agent: *\n";
        }
        "spell" => {
            let pad = "y".repeat(std::env::args().nth(3).map_or(2500, |s| s.parse().unwrap()));
            let mut i = 0;
            let mut names = String::new();
            for k in 0..200 {
                writeln!(new, "User-agent: c{k}\nDisallow: /own{k}").unwrap();
                writeln!(names, "User-agent: c{k}").unwrap();
            }
            new += &names;
            new += "Disallow: /zz?b:c\n";
            while new.len() < n {
                writeln!(new, "Disallow: /{i}{pad}:@[]!'(,").unwrap();
                i += 1;
            }
            old += "User-agent: *\n";
        }
        "stances" => {
            let mut names = String::new();
            for k in 0..5000 {
                writeln!(new, "User-agent: c{k}\nDisallow: /own{k}").unwrap();
                writeln!(names, "User-agent: c{k}").unwrap();
            }
            new += &names;
            let mut i = 0;
            while new.len() < n {
                writeln!(new, "Disallow: /{i}").unwrap();
                i += 1;
            }
            old += "User-agent: *\n";
        }
        "stancesmany" => {
            // k crawlers, G groups each in its own part
            let k: usize = std::env::args().nth(3).unwrap().parse().unwrap();
            let mut i = 0;
            while new.len() < n {
                for c in 0..k {
                    writeln!(new, "User-agent: a{c}").unwrap();
                }
                writeln!(new, "User-agent: z{i}\nDisallow: /{i}").unwrap();
                i += 1;
            }
            old += "User-agent: *\n";
        }
        "sub256" => {
            dialect = ORIGINAL_1994;
            for i in 0..250 {
                let v: String = (0..200).map(|j| format!("{}q{} ", i * 7 + j, j * 31)).collect();
                writeln!(old, "User-agent: {}\nDisallow: /{i}", &v[..v.len().min(1900)]).unwrap();
            }
            for i in 0..4000 {
                writeln!(new, "User-agent: {}w{}\nDisallow: /{i}", i * 77777, i).unwrap();
            }
        }
        "subbig" => {
            dialect = ORIGINAL_1994;
            for i in 0..260 {
                let v: String = (0..200).map(|j| format!("{}q{} ", i * 7 + j, j * 31)).collect();
                writeln!(old, "User-agent: {}\nDisallow: /{i}", &v[..v.len().min(1900)]).unwrap();
            }
            for i in 0..4000 {
                writeln!(new, "User-agent: {}w{}\nDisallow: /{i}", i * 77777, i).unwrap();
            }
        }
        "submerge" => {
            dialect = Dialect { named_groups: NamedGroups::Merge, ..ORIGINAL_1994 };
            let mut i = 0;
            while new.len() < n / 4 && i < 4000 {
                writeln!(new, "User-agent: a\nUser-agent: b{i}a\nDisallow: /{i}").unwrap();
                i += 1;
            }
            old += "User-agent: *\n";
        }
        "lens" => {
            dialect = ORIGINAL_1994;
            let mut s = String::new();
            for l in 1..=64 {
                writeln!(s, "User-agent: {}", "a".repeat(l)).unwrap();
            }
            for i in 0..300 {
                writeln!(s, "User-agent: b{i}").unwrap();
            }
            new = s.clone();
            writeln!(new, "User-agent: {}\nDisallow: /", "-".repeat(n)).unwrap();
            writeln!(s, "User-agent: {}\nDisallow: /x", "-".repeat(n)).unwrap();
            old = s;
        }
        "star" => {
            old += "User-agent: GPTBot\nDisallow: /p\n\nUser-agent: *\nDisallow: /p\n";
            new += "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\n";
            for i in 0..200 {
                writeln!(new, "{}: /*{}*a*b*c*a*b*c*d", ["Disallow", "Allow"][i % 2], i).unwrap();
                writeln!(old, "{}: /*{}*b*a*b*c*a*b*c", ["Disallow", "Allow"][i % 2], i).unwrap();
            }
        }
        "sharedfill" => {
            let k: usize = std::env::args().nth(3).unwrap().parse().unwrap();
            let mut names = String::new();
            for k in 0..k {
                writeln!(new, "User-agent: c{k}\nDisallow: /own{k}").unwrap();
                writeln!(names, "User-agent: c{k}").unwrap();
            }
            new += &names;
            let mut i = 0;
            while new.len() < n {
                writeln!(new, "Disallow: /{i}:a:b:c:d:e:f*a*b*c*d*e*f*g").unwrap();
                i += 1;
            }
            old += "User-agent: *\n";
        }
        "short" => {
            for (t, v) in [(&mut old, "a"), (&mut new, "b")] {
                *t += "User-agent: *\nDisallow: /zz?b:c\n";
                let mut i = 0;
                while t.len() < n {
                    writeln!(t, "Disallow: /{v}{i}:@[]!'(,").unwrap();
                    i += 1;
                }
            }
        }
        "short2" => {
            for (t, v) in [(&mut old, "Disallow"), (&mut new, "Allow")] {
                *t += "User-agent: *\nDisallow: /zz?b:c\nDisallow: /\n";
                let mut i = 0;
                while t.len() < n {
                    writeln!(t, "{v}: /{i}:@[]!'(,").unwrap();
                    i += 1;
                }
            }
        }
        _ => panic!(),
    }
    eprintln!("{kind}: old {} new {} bytes", old.len(), new.len());
    let t = Instant::now();
    let (o, w) = (File::parse(old.as_bytes(), &dialect), File::parse(new.as_bytes(), &dialect));
    let parsed = t.elapsed();
    let audience = Audience::new(vec![], vec![], &dialect).unwrap();
    let t = Instant::now();
    let changes = o.changes(&w, &audience, STEPS);
    let c = t.elapsed();
    let t2 = Instant::now();
    let one = o.wildcard_agent().difference(&w.wildcard_agent(), STEPS);
    let d = t2.elapsed();
    println!("{kind}: parse {parsed:?} changes {c:?} sets {} exact {} regions {} | difference {d:?} regions {} exact {} | {}", changes.len(), changes.iter().filter(|c| c.difference.is_exact).count(), changes.iter().map(|c| c.difference.changes.len()).sum::<usize>(), one.changes.len(), one.is_exact, rss());
    if kind == "star" {
        for c in changes {
            println!(
                "{:?} exact {} {:?}",
                c.tokens,
                c.difference.is_exact,
                c.difference
                    .changes
                    .iter()
                    .take(2)
                    .map(|c| String::from_utf8_lossy(&c.region).into_owned())
                    .collect::<Vec<_>>()
            );
        }
    }
}
