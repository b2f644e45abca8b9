//! See `verger_fuzz::may_use`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::may_use::check(data));

#[cfg(not(fuzzing))]
fn main() {}
