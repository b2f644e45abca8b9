//! Each stage by itself.

#[path = "../../src/numbers.rs"]
mod numbers;

mod advice;
mod binding;
mod code;
mod crawlers;
mod dialect;
mod field;
mod file;
mod finding;
mod followed;
mod group;
mod host;
mod identification;
mod origin;
mod record;
mod registry;
mod request;
mod target;
mod token;
mod uses;
