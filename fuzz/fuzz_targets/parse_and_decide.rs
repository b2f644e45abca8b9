//! See `verger_fuzz::parse_and_decide`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::parse_and_decide::check(data));

#[cfg(not(fuzzing))]
fn main() {}
