//! Whole tables at once: columns in, columns out.
//!
//! Each module is a kernel over Arrow columns, independent of Python and files.

pub mod column;
pub mod numbers;

mod workers;

pub mod access;

pub mod origin_key;
pub mod snapshot;

mod spilled;

pub mod row;

pub mod missing_site;

pub mod uses;

pub mod judge;

pub mod decide;

pub mod endings;

pub mod plain_lines;

pub mod logs;

pub mod fingerprint;

pub mod scan;

pub mod archive;

pub mod changes;
