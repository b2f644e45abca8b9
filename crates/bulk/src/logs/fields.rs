//! Fields: what the parts of a line say, whatever its format is.
//!
//! In: values with their [`Field`], in any order, as formats that name their parts give them. Out:
//! an [`Entry`]. Of several values for one field, the one with the highest priority counts.

use std::borrow::Cow;

use crate::logs::entry::{split_request, url_of, Entry, Request, Unreadable};
use crate::logs::escapes::{
    json_unescaped, percent_decoded, unescaped, with_percent_spaces, with_spaces, without_doubles,
};
use crate::logs::time;

/// What a part says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// When.
    Time,
    /// The requested host.
    Host,
    /// Method, target and version in one.
    Request,
    /// The method.
    Method,
    /// The target.
    Target,
    /// The query, for targets that lack it.
    Query,
    /// The status of the response.
    Status,
    /// The identification string.
    Agent,
    /// The day, for times that lack it.
    Date,
    /// The whole line of a server, which a collector has kept.
    Line,
}

impl Field {
    const COUNT: usize = 10;

    /// The field of a name.
    pub fn named(name: &str) -> Option<Field> {
        Some(match name {
            "time" => Field::Time,
            "host" => Field::Host,
            "request" => Field::Request,
            "method" => Field::Method,
            "target" => Field::Target,
            "query" => Field::Query,
            "status" => Field::Status,
            "user_agent" => Field::Agent,
            _ => return None,
        })
    }
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// As it is.
    None,
    /// A JSON string with backslashes.
    Json,
    /// With the backslashes of Apache and nginx.
    Backslash,
    /// A quotation mark is written twice (W3C Extended Log File Format).
    Doubled,
}

/// A value, as written in the line.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    /// The text, without quotation marks around it.
    pub text: &'a [u8],
    /// How it is written.
    pub escapes: Escapes,
    /// What stands for a space in it, since its format has none: `%20` (with all other escapes of
    /// URLs) or `+`.
    pub spaces: Spaces,
}

/// What stands for the spaces of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spaces {
    /// They are spaces.
    Plain,
    /// `%20`, as CloudFront writes them.
    Percent,
    /// `+`, as IIS writes them.
    Plus,
    /// `+` or `%20`, as in forms (Akamai).
    Form,
}

impl<'a> Value<'a> {
    /// A value that needs no decoding.
    pub fn plain(text: &'a [u8]) -> Value<'a> {
        Value { text, escapes: Escapes::None, spaces: Spaces::Plain }
    }

    /// The value itself.
    #[inline]
    pub fn bytes(&self) -> Cow<'a, [u8]> {
        let text = match self.escapes {
            Escapes::None => Cow::Borrowed(self.text),
            Escapes::Json => Cow::Owned(json_unescaped(self.text)),
            Escapes::Backslash => unescaped(self.text),
            Escapes::Doubled => Cow::Owned(without_doubles(self.text)),
        };
        match self.spaces {
            Spaces::Plain => text,
            Spaces::Percent => with_percent_spaces(text),
            Spaces::Plus => with_spaces(text),
            Spaces::Form => percent_decoded(with_spaces(text)),
        }
    }
}

/// The priority of the target of a request line, compared with values that hold targets.
const REQUEST_LINE: u8 = 2;

/// Bytes of the shortest time that names its day: seconds since the epoch.
const SHORTEST_TIME: usize = 10;

/// What was found for each field.
#[derive(Default)]
pub struct Found<'a> {
    values: [Option<Value<'a>>; Field::COUNT],
    priorities: [u8; Field::COUNT],
}

impl<'a> Found<'a> {
    /// Take a value, unless one of a higher priority is there.
    #[inline]
    pub fn take(&mut self, field: Field, priority: u8, value: Value<'a>) {
        let place = field as usize;
        // A malformed request makes an entry as well; other values may be missing, too.
        let is_told = field == Field::Request || !matches!(value.text, b"" | b"-");
        if is_told && priority >= self.priorities[place] {
            (self.values[place], self.priorities[place]) = (Some(value), priority);
        }
    }

    fn get(&self, field: Field) -> Option<Value<'a>> {
        self.values[field as usize]
    }

    /// The line of a server, if no other value says that the object is about a request.
    #[inline]
    pub fn line(&self) -> Option<Value<'a>> {
        let of_request = [Field::Request, Field::Method, Field::Status];
        let line = self.get(Field::Line);
        line.filter(|_| of_request.into_iter().all(|field| self.get(field).is_none()))
    }

    /// The entry that the values make.
    pub fn entry(&self) -> Result<Entry<'a>, Unreadable> {
        Ok(Entry {
            host: self.get(Field::Host).map(|value| value.bytes()),
            time: self.time()?,
            request: self.request()?,
            status: self.get(Field::Status).and_then(|value| status(value.text)),
            agent: self.get(Field::Agent).map(|value| value.bytes()),
        })
    }

    /// The time that the values give.
    pub fn time(&self) -> Result<Option<i64>, Unreadable> {
        let Some(value) = self.get(Field::Time) else {
            // The day alone is no time.
            let date = self.get(Field::Date).map(|date| date.bytes());
            return Ok(date.and_then(|date| time::any(&date)));
        };
        let clock = value.bytes();
        let date = self.get(Field::Date).map(|date| date.text);
        let dated = date.and_then(|date| time::any(&[date, b"T", &clock].concat()));
        // Behind a date, what is shorter is the beginning of a clock.
        let is_whole = date.is_none() || clock.len() >= SHORTEST_TIME;
        let time = dated.or_else(|| time::any(&clock).filter(|_| is_whole));
        time.map(Some).ok_or(Unreadable::NoTime)
    }

    /// The request, from its line or from its parts; without a method it is a GET.
    fn request(&self) -> Result<Option<Request<'a>>, Unreadable> {
        let line = self.get(Field::Request).map(|value| value.bytes());
        // Some collectors split the line, and call its target the request.
        let is_target = |value: &Value| url_of(value.text).is_some();
        let target = self.get(Field::Target).or(self.get(Field::Request).filter(is_target));
        if line.is_none() && target.is_none() {
            return Err(Unreadable::NoRequest);
        }
        let split = line.as_ref().and_then(|line| split(line));
        let is_better = self.priorities[Field::Target as usize] > REQUEST_LINE;
        let (by_line, target) = match (split, target) {
            (Some(request), None) => return Ok(Some(request)),
            (Some(request), Some(_)) if !is_better => return Ok(Some(request)),
            (request, Some(target)) => (request, self.with_query(target)),
            (None, None) => return Ok(None),
        };
        let method = self.get(Field::Method).map(|value| value.bytes());
        let method = method.or(by_line.map(|request| request.method));
        Ok(Some(Request { method: method.unwrap_or(Cow::Borrowed(b"GET")), target }))
    }

    fn with_query(&self, target: Value<'a>) -> Cow<'a, [u8]> {
        let target = target.bytes();
        match self.get(Field::Query) {
            Some(query) if !target.contains(&b'?') => {
                let query = query.bytes();
                let query = query.strip_prefix(b"?").unwrap_or(&query);
                Cow::Owned([&target, &b"?"[..], query].concat())
            }
            _ => target,
        }
    }
}

fn split<'a>(line: &Cow<'a, [u8]>) -> Option<Request<'a>> {
    match line {
        Cow::Borrowed(line) => split_request(line).map(|(method, target)| Request {
            method: Cow::Borrowed(method),
            target: Cow::Borrowed(target),
        }),
        Cow::Owned(line) => split_request(line).map(|(method, target)| Request {
            method: Cow::Owned(method.to_vec()),
            target: Cow::Owned(target.to_vec()),
        }),
    }
}

/// `200`, also as `200.0` or `200 OK`.
fn status(text: &[u8]) -> Option<u16> {
    let digits = text.iter().take_while(|o| o.is_ascii_digit()).count();
    let number: u16 = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    (digits == 3).then_some(number)
}
