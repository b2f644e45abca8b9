//! See `verger_fuzz::origin_fixed_point`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::origin_fixed_point::check(data));
