//! Whole tables at once: columns in, columns out.
//!
//! Each module is a kernel over Arrow columns, and knows neither Python nor files.

pub mod column;

pub mod logs;
