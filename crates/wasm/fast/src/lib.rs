//! What every question waits for, compiled for speed in a package that is compiled for size.
//!
//! Here is nothing but calls: a function of the core that is `#[inline]` is compiled as the crate that
//! calls it, and this crate has a profile of its own.

use verger_core::{Agent, Dialect, File, InvalidTarget, Outcome, Refusal, Scope, Target};

/// Parse a file.
pub fn parse(bytes: &[u8], dialect: &Dialect) -> File {
    File::parse(bytes, dialect)
}

/// What the file at a URL governs.
pub fn scope_of_file(url: &[u8]) -> Result<Scope, InvalidTarget> {
    Scope::of_file(url)
}

/// The target of a URL, if the file governs it.
pub fn target_within<'u>(file: &File, scope: &Scope, url: &'u [u8]) -> Result<Target<'u>, Refusal> {
    file.target_within(scope, url)
}

/// Decide a target.
pub fn check(agent: &Agent, target: &Target) -> Outcome {
    agent.check(target)
}
