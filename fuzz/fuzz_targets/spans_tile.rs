//! See `verger_fuzz::spans_tile`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::spans_tile::check(data));

#[cfg(not(fuzzing))]
fn main() {}
