//! See `verger_fuzz::strategies_agree`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::strategies_agree::check(data));

#[cfg(not(fuzzing))]
fn main() {}
