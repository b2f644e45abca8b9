//! See `verger_fuzz::strategies_agree`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::strategies_agree::check(data));
