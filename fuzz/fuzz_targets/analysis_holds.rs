//! See `verger_fuzz::analysis_holds`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::analysis_holds::check(data));
