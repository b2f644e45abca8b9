//! See `verger_fuzz::arrow_import`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::arrow_import::check(data));

#[cfg(not(fuzzing))]
fn main() {}
