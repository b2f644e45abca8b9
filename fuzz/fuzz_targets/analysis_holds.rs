//! See `verger_fuzz::analysis_holds`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::analysis_holds::check(data));

#[cfg(not(fuzzing))]
fn main() {}
