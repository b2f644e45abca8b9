//! See `verger_fuzz::spans_tile`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::spans_tile::check(data));
