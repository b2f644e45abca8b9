//! See `verger_fuzz::arrow_import`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::arrow_import::check(data));
