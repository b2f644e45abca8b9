//! See `verger_fuzz::logs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::logs::check(data));
