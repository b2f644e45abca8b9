//! Forms: how the lines of an access log are written.
//!
//! In: a line and a [`Form`]. Out: an [`Entry`], or why there is none.

use crate::logs::common;
use crate::logs::entry::{Entry, Unreadable};
use crate::logs::json::{self, Names};

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Form {
    /// A line that begins with `{` is JSON, any other is Common Log Format, with optional text
    /// before and after it.
    #[default]
    Any,
    /// Common Log Format, optionally combined with referrer and identification string.
    Common,
    /// The same after the name of the virtual host.
    VirtualHost,
    /// One JSON object per line.
    Json,
}

/// Read a line that is not blank.
#[inline]
pub fn read<'a>(line: &'a [u8], form: Form, names: &Names) -> Result<Entry<'a>, Unreadable> {
    match form {
        Form::Any if line.trim_ascii_start().first() == Some(&b'{') => json::read(line, names),
        Form::Any | Form::Common => common::read(line, false),
        Form::VirtualHost => common::read(line, true),
        Form::Json => json::read(line, names),
    }
}
