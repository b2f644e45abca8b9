//! Fuzz targets of verger, as functions: each takes any bytes and panics where its property does
//! not hold.
//!
//! `fuzz_targets/` hands the bytes of libFuzzer to them, `tests/seeds.rs` those of `seeds/`.
//! `README.md` lists the properties and their oracles.

pub mod input;
pub mod reference;
pub mod urls;

pub mod analysis_holds;
pub mod archives;
pub mod arrow_import;
pub mod bulk_equals_core;
pub mod captures;
pub mod logs;
pub mod may_use;
pub mod origin_fixed_point;
pub mod parse_and_decide;
pub mod posture;
pub mod spans_tile;
pub mod strategies_agree;
