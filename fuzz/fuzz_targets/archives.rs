//! See `verger_fuzz::archives`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::archives::check(data));

#[cfg(not(fuzzing))]
fn main() {}
