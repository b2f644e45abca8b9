//! See `verger_fuzz::may_use`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::may_use::check(data));
