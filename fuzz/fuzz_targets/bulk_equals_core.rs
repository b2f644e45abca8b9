//! See `verger_fuzz::bulk_equals_core`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::bulk_equals_core::check(data));
