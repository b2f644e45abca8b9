//! Each kernel by itself.

mod access;
mod column;
mod endings;
mod logs_agent;
mod logs_audit;
mod logs_common;
mod logs_entry;
mod logs_formats;
mod logs_json;
mod logs_judge;
mod logs_lines;
mod logs_time;
mod origin_key;
mod scan;
mod snapshot;
