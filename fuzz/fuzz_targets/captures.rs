//! See `verger_fuzz::captures`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::captures::check(data));

#[cfg(not(fuzzing))]
fn main() {}
