//! Every seed, and every input that once was a finding, through its target.

use std::path::Path;

fn run(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    let seeds = std::fs::read_dir(&folder).expect("seeds").map(|entry| entry.expect("one").path());
    let mut count = 0;
    for seed in seeds {
        println!("{}", seed.display());
        check(&std::fs::read(&seed).expect("bytes"));
        count += 1;
    }
    assert!(count > 0, "{} holds no seed", folder.display());
}

macro_rules! targets {
    ($($name:ident),*) => { $(
        #[test]
        fn $name() {
            run(stringify!($name), verger_fuzz::$name::check);
        }
    )* };
}

targets!(
    analysis_holds,
    parse_and_decide,
    strategies_agree,
    spans_tile,
    origin_fixed_point,
    bulk_equals_core,
    logs,
    may_use,
    captures,
    archives,
    arrow_import,
    posture
);
