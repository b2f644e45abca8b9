//! See `verger_fuzz::posture`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| verger_fuzz::posture::check(data));
