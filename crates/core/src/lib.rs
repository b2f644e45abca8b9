//! The Robots Exclusion Protocol: may this crawler fetch this URL, and which line says so?
//!
//! ```
//! use verger_core::{File, RFC9309};
//!
//! let file = File::parse(b"User-agent: *\nDisallow: /private\n", &RFC9309);
//! let agent = file.agent(&["ExampleBot"]).unwrap();
//! let target = file.target(b"https://example.com/private/a").unwrap();
//! let outcome = agent.check(target.bytes());
//!
//! assert!(!outcome.allowed);
//! assert_eq!(file.groups().rules()[outcome.rule.unwrap() as usize].line, 2);
//! ```
//!
//! The modules stand in the order of the pipeline: bytes become lines, lines become groups, the
//! groups of one crawler become a matcher, and a matcher and a target make an outcome. Parsing and
//! deciding never fail and never panic, take no lock that outlives a call, and use no recursion.
#![forbid(unsafe_code)]

pub mod error;

pub mod dialect;
pub mod field;

pub mod budget;

pub mod line;
pub mod reader;

pub mod group;

pub mod token;

pub mod percent;

pub mod fold;

pub mod target;

pub mod pattern;

mod grams;
mod index;
pub mod matcher;
mod sort;

pub mod decision;

pub mod file;

pub mod agent;

pub mod witness;

mod reach;

pub mod posture;

pub mod roll;

pub mod host;
pub mod origin;
pub mod request;

pub mod record;

pub mod advice;

pub mod code;
pub mod content;
pub mod finding;

pub mod line_table;

pub use agent::Agent;
pub use decision::{Outcome, Reason};
pub use dialect::{Dialect, DIALECTS, RFC9309};
pub use error::{InvalidProductToken, InvalidTarget};
pub use file::File;
pub use token::{check as check_product_token, product_token};
