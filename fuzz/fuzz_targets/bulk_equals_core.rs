//! See `verger_fuzz::bulk_equals_core`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::bulk_equals_core::check(data));

#[cfg(not(fuzzing))]
fn main() {}
