//! See `verger_fuzz::logs`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::logs::check(data));

#[cfg(not(fuzzing))]
fn main() {}
