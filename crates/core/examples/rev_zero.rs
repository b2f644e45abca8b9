//! x
use verger_core::analysis::*;
use verger_core::dialect::*;
use verger_core::*;
fn main() {
    let d = Dialect { parse_limit: None, max_lines: None, ..ORIGINAL_1994 };
    for lines in [1usize << 20, (1 << 24) + 8] {
        let old = "User-agent:a\n".repeat(lines) + "Disallow: /x\n\nUser-agent: *\nDisallow: /x\n";
        let new = "User-agent: a\nDisallow: /\n\nUser-agent: *\nDisallow: /\n";
        let (o, w) = (File::parse(old.as_bytes(), &d), File::parse(new.as_bytes(), &d));
        let c = o.changes(&w, &Audience::new(vec![], vec![], &d).unwrap(), STEPS);
        println!(
            "{lines} lines: {} sets; agent a: {} -> {}",
            c.len(),
            o.agent(&["a"]).unwrap().decide(b"/y").unwrap().allowed,
            w.agent(&["a"]).unwrap().decide(b"/y").unwrap().allowed
        );
    }
}
