//! See `verger_fuzz::parse_and_decide`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::parse_and_decide::check(data));
