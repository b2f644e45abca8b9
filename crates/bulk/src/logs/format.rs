//! Forms: how the lines of an access log are written.
//!
//! In: a line and a [`Form`]. Out: an [`Entry`], or why there is none. The lines of a W3C log
//! depend on a directive before them, so a [`Reader`] reads the lines of one log in order.

use std::sync::LazyLock;

use crate::logs::common;
use crate::logs::entry::{Entry, Unreadable};
use crate::logs::fields::Found;
use crate::logs::haproxy;
use crate::logs::json::{self, Names};
use crate::logs::layout::{self, Layout};
use crate::logs::variables::Refusal;
use crate::logs::w3c::{self, Columns};

/// How lines are written.
#[derive(Clone, Debug, Default)]
pub enum Form {
    /// Detected for each line.
    #[default]
    Any,
    /// Common Log Format, optionally combined with referrer and identification string.
    Common,
    /// The same after the name of the virtual host.
    VirtualHost,
    /// One JSON object per line, or the same as an array.
    Json,
    /// W3C Extended Log File Format, whose columns a directive names.
    W3c,
    /// The HTTP log format of HAProxy.
    HaProxy,
    /// As one of these layouts says; the first counts.
    Layouts(Vec<Layout>),
}

/// The layouts that are detected.
static KNOWN: LazyLock<Vec<Layout>> = LazyLock::new(|| {
    let formats = [layout::ALB, layout::ELB, layout::S3, layout::OLD_S3];
    let formats = formats.iter().chain(&layout::OF_PROXY_MANAGER);
    formats.filter_map(|format| Layout::new(format).ok()).collect()
});

impl Form {
    /// The form of a name, or of a format of nginx or Apache.
    pub fn named(name: &str) -> Result<Form, Refusal> {
        Ok(match name {
            "combined" => Form::Common,
            "vhost" => Form::VirtualHost,
            "jsonl" => Form::Json,
            "w3c" => Form::W3c,
            "haproxy" => Form::HaProxy,
            "alb" => Form::Layouts(vec![Layout::new(layout::ALB)?]),
            "elb" => Form::Layouts(vec![Layout::new(layout::ELB)?]),
            "s3" => Form::Layouts(vec![Layout::new(layout::S3)?, Layout::new(layout::OLD_S3)?]),
            "nginx-proxy-manager" => {
                let layouts = layout::OF_PROXY_MANAGER.iter().map(|format| Layout::new(format));
                Form::Layouts(layouts.collect::<Result<_, _>>()?)
            }
            format => Form::Layouts(vec![Layout::new(format)?]),
        })
    }
}

/// Reads the lines of one log after the other.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    form: Form,
    names: Names,
    columns: Option<Columns>,
}

impl Reader {
    /// A reader of lines.
    pub fn new(form: Form, names: Names) -> Reader {
        Reader { form, names, columns: None }
    }

    /// The next line is the first of another log.
    pub fn start_log(&mut self) {
        self.columns = None;
    }

    /// Read a line that is not blank; none for a directive.
    #[inline]
    pub fn read<'a>(&mut self, line: &'a [u8]) -> Option<Result<Entry<'a>, Unreadable>> {
        if matches!(self.form, Form::Any | Form::Json) {
            match element(line) {
                Some(b"") => return None,
                Some(object) => return self.object(object),
                None => {}
            }
        }
        Some(match &self.form {
            Form::Any | Form::W3c if line[0] == b'#' && w3c::is_directive(line) => {
                self.columns = Columns::of(line).or(self.columns.take());
                return None;
            }
            Form::Any => common::read(line, false).or_else(|why| self.other(line, why)),
            Form::Common => common::read(line, false),
            Form::VirtualHost => common::read(line, true),
            Form::Json => return self.object(line),
            Form::W3c => match &self.columns {
                Some(columns) => columns.read(line),
                None => Err(Unreadable::NoColumns),
            },
            Form::HaProxy => haproxy::read(line),
            Form::Layouts(layouts) => {
                let mut entries = layouts.iter().map(|layout| layout.read(line));
                let found = entries.find(|entry| !matches!(entry, Err(Unreadable::NotLayout)));
                found.unwrap_or(Err(Unreadable::NotLayout))
            }
        })
    }

    /// Read an object, or the line of a server that it holds; none for a blank one.
    #[inline]
    fn object<'a>(&self, line: &'a [u8]) -> Option<Result<Entry<'a>, Unreadable>> {
        let found = match json::found_in(line, &self.names) {
            Ok(found) => found,
            Err(why) => return Some(Err(why)),
        };
        match found.line() {
            None => Some(found.entry()),
            Some(within) => self.within(&found, &within.bytes()),
        }
    }

    #[cold]
    fn within<'a>(&self, found: &Found<'a>, line: &[u8]) -> Option<Result<Entry<'a>, Unreadable>> {
        let line = line.trim_ascii();
        let Some(first) = line.first() else { return found.entry().ok().map(Ok) };
        let entry = match first {
            b'{' => json::read(line, &self.names),
            _ => common::read(line, false).or_else(|why| known(line).ok_or(why)),
        };
        let time = || found.time().ok().flatten();
        Some(match entry {
            Ok(entry) => Ok(Entry { time: entry.time.or_else(time), ..entry.into_owned() }),
            // It is no line of an access log.
            Err(Unreadable::NoTime) => found.entry(),
            Err(why) => found.entry().map_err(|_| why),
        })
    }

    /// Read a line that is not in Common Log Format, and why not.
    #[cold]
    fn other<'a>(&self, line: &'a [u8], why: Unreadable) -> Result<Entry<'a>, Unreadable> {
        match &self.columns {
            Some(columns) if columns.has_target() => columns.read(line),
            _ => known(line).ok_or(why),
        }
    }
}

/// An object without what stands around it where each line of an array holds one; empty for a line
/// that opens or closes the array, none for any other.
#[inline]
fn element(line: &[u8]) -> Option<&[u8]> {
    let text = line.trim_ascii_start();
    match text.first()? {
        b'{' => Some(before_comma(text)),
        b'[' | b',' => match text[1..].trim_ascii_start() {
            b"" => Some(b""),
            inner if inner[0] == b'{' => Some(before_comma(inner)),
            _ => None,
        },
        b']' if matches!(text, b"]" | b"]," | b"];") => Some(b""),
        _ => None,
    }
}

/// An object without the comma or the bracket behind it.
#[inline]
fn before_comma(object: &[u8]) -> &[u8] {
    let inner = object.strip_suffix(b"]").unwrap_or(object).trim_ascii_end();
    inner.strip_suffix(b",").unwrap_or(inner).trim_ascii_end()
}

/// Read a line in one of the formats that are detected after Common Log Format.
#[cold]
fn known(line: &[u8]) -> Option<Entry<'_>> {
    let by_layout = || KNOWN.iter().find_map(|layout| layout.read(line).ok());
    haproxy::read(line).ok().or_else(by_layout)
}
