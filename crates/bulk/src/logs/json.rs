//! JSON logs: one object per line, with the names that servers and log collectors use.
//!
//! In: a line, and [`Names`] that a caller adds. Out: an [`Entry`]. Members are identified by their
//! path (`request.headers.user-agent`), in any case; of an array, the first element counts. nginx
//! writes `\xHH` if its `log_format` lacks `escape=json`, which is not JSON but is read as well.

use std::borrow::Cow;

use memchr::memchr2;

use crate::logs::common::hex;
use crate::logs::entry::{split_request, Entry, Request, Unreadable};
use crate::logs::time;

/// How deep members are searched; deeper ones are skipped.
const DEEPEST: usize = 5;

/// What a member says.
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
}

impl Field {
    const COUNT: usize = 8;

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

/// Additional members that a caller names, by path in lower case; they come first.
pub type Names = Vec<(Vec<u8>, Field)>;

/// The priority of the target of a request line, compared with members that hold targets.
const REQUEST_LINE: u8 = 2;

/// The field of a path, and its priority: targets as they were sent come before those that a server
/// has rewritten.
fn usual(path: &[u8]) -> Option<(Field, u8)> {
    Some(match path {
        b"time" | b"@timestamp" | b"ts" | b"timestamp" | b"time_iso8601" | b"time_local"
        | b"msec" | b"datetime" | b"date_time" | b"starttime" | b"startutc" | b"start_time" => {
            (Field::Time, 1)
        }
        b"host" | b"http_host" | b"server_name" | b"vhost" | b"virtual_host" | b"domain"
        | b"requesthost" | b"request_host" | b"request.host" | b"req.host"
        | b"req.headers.host" | b"url.domain" | b"cs(host)" => (Field::Host, 1),
        b"x-host-header" => (Field::Host, 2),
        b"request" | b"request_line" | b"requestline" | b"req" | b"message.request" => {
            (Field::Request, 1)
        }
        b"method" | b"request_method" | b"requestmethod" | b"http_method" | b"verb"
        | b"cs-method" | b"request.method" | b"req.method" => (Field::Method, 1),
        b"request_uri" | b"requesturi" | b"original_uri" | b"request.uri" | b"req.url"
        | b"url.original" | b"requestpath" | b"request_url" | b"requesturl" => (Field::Target, 3),
        b"uri" | b"url" | b"path" | b"request_path" | b"cs-uri-stem" | b"url.path"
        | b"request.path" | b"request.url" | b"http.path" => (Field::Target, 1),
        b"args" | b"query" | b"query_string" | b"cs-uri-query" | b"url.query" => (Field::Query, 1),
        b"status" | b"status_code" | b"statuscode" | b"sc-status" | b"http_status"
        | b"response_status" | b"response.status" | b"response" | b"res.statuscode"
        | b"res.status" | b"downstreamstatus" => (Field::Status, 1),
        b"user_agent"
        | b"http_user_agent"
        | b"useragent"
        | b"user-agent"
        | b"agent"
        | b"ua"
        | b"cs(user-agent)"
        | b"request_user-agent" => (Field::Agent, 1),
        // Within the headers or the parts of a request
        b"http.request.method" => (Field::Method, 1),
        b"response.status_code" | b"http.response.status_code" => (Field::Status, 1),
        b"headers.user-agent"
        | b"req.headers.user-agent"
        | b"request.headers.user-agent"
        | b"user_agent.original" => (Field::Agent, 1),
        // Google Cloud
        b"httprequest.requestmethod" => (Field::Method, 1),
        b"httprequest.requesturl" => (Field::Target, 3),
        b"httprequest.status" => (Field::Status, 1),
        b"httprequest.useragent" => (Field::Agent, 1),
        // Cloudflare
        b"edgestarttimestamp" => (Field::Time, 1),
        b"clientrequesthost" => (Field::Host, 1),
        b"clientrequestmethod" => (Field::Method, 1),
        b"clientrequesturi" => (Field::Target, 3),
        b"edgeresponsestatus" => (Field::Status, 1),
        b"clientrequestuseragent" => (Field::Agent, 1),
        _ => return None,
    })
}

/// A string or a literal, as written in the line.
#[derive(Clone, Copy)]
struct Value<'a> {
    text: &'a [u8],
    is_escaped: bool,
    is_percent_encoded: bool,
}

impl<'a> Value<'a> {
    fn bytes(&self) -> Cow<'a, [u8]> {
        let text = match self.is_escaped {
            false => Cow::Borrowed(self.text),
            true => Cow::Owned(unescaped(self.text)),
        };
        match self.is_percent_encoded && text.contains(&b'%') {
            true => Cow::Owned(percent_decoded(&text)),
            false => text,
        }
    }
}

/// Read a line.
pub fn read<'a>(line: &'a [u8], names: &Names) -> Result<Entry<'a>, Unreadable> {
    let mut found = Found { values: [None; Field::COUNT], worth: [0; Field::COUNT] };
    walk(line, |path, value| found.take(path, value, names)).ok_or(Unreadable::NotJson)?;
    found.entry()
}

/// What was found for each field.
struct Found<'a> {
    values: [Option<Value<'a>>; Field::COUNT],
    worth: [u8; Field::COUNT],
}

impl<'a> Found<'a> {
    fn take(&mut self, path: &[u8], mut value: Value<'a>, names: &Names) {
        let added = names.iter().find(|(name, _)| name == path).map(|(_, field)| (*field, u8::MAX));
        let Some((field, worth)) = added.or_else(|| usual(path)) else { return };
        let place = field as usize;
        // A malformed request makes an entry as well; other members may be missing, too.
        let is_told = field == Field::Request || !matches!(value.text, b"" | b"-");
        if is_told && worth >= self.worth[place] {
            // CloudFront writes the spaces of this one as `%20`.
            value.is_percent_encoded = path == b"cs(user-agent)";
            (self.values[place], self.worth[place]) = (Some(value), worth);
        }
    }

    fn get(&self, field: Field) -> Option<Value<'a>> {
        self.values[field as usize]
    }

    fn entry(&self) -> Result<Entry<'a>, Unreadable> {
        let time = match self.get(Field::Time) {
            Some(value) => Some(time::any(&value.bytes()).ok_or(Unreadable::NoTime)?),
            None => None,
        };
        Ok(Entry {
            host: self.get(Field::Host).map(|value| value.bytes()),
            time,
            request: self.request()?,
            status: self.get(Field::Status).and_then(|value| status(value.text)),
            agent: self.get(Field::Agent).map(|value| value.bytes()),
        })
    }

    /// The request, from its line or from its parts; without a method it is a GET.
    fn request(&self) -> Result<Option<Request<'a>>, Unreadable> {
        let line = self.get(Field::Request).map(|value| value.bytes());
        let target = self.get(Field::Target);
        if line.is_none() && target.is_none() {
            return Err(Unreadable::NoRequest);
        }
        let split = line.as_ref().and_then(|line| split(line));
        let is_better = self.worth[Field::Target as usize] > REQUEST_LINE;
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

// Walking through an object

/// Report every string and literal of an object with its path; none if it is not an object.
fn walk<'a>(line: &'a [u8], mut tell: impl FnMut(&[u8], Value<'a>)) -> Option<()> {
    let mut cursor = Cursor { line, at: 0 };
    let mut path: Vec<u8> = Vec::with_capacity(64);
    let mut starts = [0; DEEPEST];
    let mut depth = 0;
    cursor.expect(b'{')?;
    let mut is_first = true;
    loop {
        let next = cursor.next()?;
        if next == b'}' {
            if depth == 0 {
                return cursor.is_at_end().then_some(());
            }
            depth -= 1;
            path.truncate(starts[depth]);
            is_first = false;
            continue;
        }
        match (is_first, next) {
            (true, b'"') => {}
            (false, b',') => cursor.expect(b'"')?,
            _ => return None,
        }
        is_first = false;
        let key = cursor.string()?;
        cursor.expect(b':')?;
        let start = path.len();
        push_key(&mut path, &key);
        match cursor.next()? {
            b'{' if depth + 1 < DEEPEST => {
                starts[depth] = start;
                depth += 1;
                is_first = true;
                continue;
            }
            b'{' | b'[' => {
                if let Some(value) = cursor.first_of_array() {
                    tell(&path, value);
                }
                cursor.skip_nested()?;
            }
            b'"' => tell(&path, cursor.string()?),
            _ => {
                let value = cursor.literal()?;
                if value.text != b"null" {
                    tell(&path, value);
                }
            }
        }
        path.truncate(start);
    }
}

fn push_key(path: &mut Vec<u8>, key: &Value) {
    if !path.is_empty() {
        path.push(b'.');
    }
    let start = path.len();
    path.extend_from_slice(&key.bytes());
    path[start..].make_ascii_lowercase();
}

struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The next byte that is not white space; it is passed.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = *self.line.get(self.at)?;
            self.at += 1;
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Some(byte);
            }
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn is_at_end(&mut self) -> bool {
        self.next().is_none()
    }

    /// A string after its first quotation mark.
    #[inline]
    fn string(&mut self) -> Option<Value<'a>> {
        let start = self.at;
        let mut is_escaped = false;
        loop {
            let at = self.at + memchr2(b'"', b'\\', self.line.get(self.at..)?)?;
            if self.line[at] == b'"' {
                self.at = at + 1;
                let text = &self.line[start..at];
                return Some(Value { text, is_escaped, is_percent_encoded: false });
            }
            (self.at, is_escaped) = (at + 2, true);
        }
    }

    /// A number, `true`, `false` or `null`, whose first byte has been passed.
    fn literal(&mut self) -> Option<Value<'a>> {
        let start = self.at - 1;
        let is_part = |o: &u8| o.is_ascii_alphanumeric() || matches!(o, b'+' | b'-' | b'.');
        let len = self.line[start..].iter().take_while(|o| is_part(o)).count();
        let text = &self.line[start..start + len];
        let is_number = text.iter().any(u8::is_ascii_digit);
        self.at = start + len;
        (is_number || matches!(text, b"true" | b"false" | b"null")).then_some(Value {
            text,
            is_escaped: false,
            is_percent_encoded: false,
        })
    }

    /// The string at the beginning of an array whose bracket has been passed; nothing is consumed.
    fn first_of_array(&self) -> Option<Value<'a>> {
        let mut ahead = Cursor { line: self.line, at: self.at };
        let is_array = self.line[self.at - 1] == b'[';
        (is_array && ahead.next()? == b'"').then(|| ahead.string()).flatten()
    }

    /// Skip up to the bracket that closes the one just passed.
    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                b'"' => {
                    self.string()?;
                }
                _ => {}
            }
        }
        Some(())
    }
}

// Strings

#[cold]
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = match (byte, behind) {
            (b'\\', [b'u', behind @ ..]) => push_unit(&mut bytes, behind),
            (b'\\', [b'x', high, low, behind @ ..]) if hex(*high).and(hex(*low)).is_some() => {
                bytes.push(hex(*high).unwrap_or(0) << 4 | hex(*low).unwrap_or(0));
                behind
            }
            (b'\\', [escaped, behind @ ..]) => {
                bytes.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'f' => 0x0C,
                    other => *other,
                });
                behind
            }
            _ => {
                bytes.push(byte);
                behind
            }
        };
    }
    bytes
}

/// Take the digits after `\u`. What cannot be one character is U+FFFD; a lone surrogate that stands
/// for a byte, as Python writes bytes that are not UTF-8, is that byte.
fn push_unit<'a>(bytes: &mut Vec<u8>, rest: &'a [u8]) -> &'a [u8] {
    let Some(first) = unit(rest) else {
        bytes.extend_from_slice("\u{FFFD}".as_bytes());
        return rest;
    };
    let mut rest = &rest[4..];
    let second = rest.strip_prefix(b"\\u").and_then(unit);
    let code = match (first, second) {
        (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
            rest = &rest[6..];
            0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00)
        }
        (0xDC80..=0xDCFF, _) => {
            bytes.push((first - 0xDC00) as u8);
            return rest;
        }
        _ => first,
    };
    let character = char::from_u32(code).unwrap_or('\u{FFFD}');
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    rest
}

/// Four hexadecimal digits.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.get(..4)?;
    digits.iter().try_fold(0, |sum, digit| Some(sum << 4 | u32::from(hex(*digit)?)))
}

fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        let decoded = match (byte, behind) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(h, l)| h << 4 | l),
            _ => None,
        };
        bytes.push(decoded.unwrap_or(byte));
        rest = if decoded.is_some() { &behind[2..] } else { behind };
    }
    bytes
}
