//! See `verger_fuzz::posture`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::posture::check(data));

#[cfg(not(fuzzing))]
fn main() {}
