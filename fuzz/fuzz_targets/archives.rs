//! See `verger_fuzz::archives`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::archives::check(data));
