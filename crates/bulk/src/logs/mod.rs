//! Access logs: which crawlers fetched what was disallowed for them.
//!
//! The modules are in the order of the pipeline: chunks of bytes become [`lines`], a line
//! becomes an [`entry`], which the [`audit`] judges by the robots.txt file of its time and counts.
//! Nothing here opens a file, reads a clock or fails on any bytes: a line that cannot be read is
//! counted, with the reason.

pub mod lines;

pub mod time;

pub mod entry;

pub mod escapes;

pub mod agent;

pub mod fields;

pub mod common;

pub mod json;

pub mod variables;

pub mod layout;

pub mod w3c;

pub mod haproxy;

pub mod format;

pub mod judge;

pub mod tally;

pub mod audit;
