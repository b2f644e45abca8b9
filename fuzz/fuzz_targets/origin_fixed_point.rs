//! See `verger_fuzz::origin_fixed_point`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::origin_fixed_point::check(data));

#[cfg(not(fuzzing))]
fn main() {}
