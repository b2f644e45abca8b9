//! See `verger_fuzz::captures`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::captures::check(data));
