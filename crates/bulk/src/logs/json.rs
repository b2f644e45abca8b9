//! JSON logs: one object per line, with the names that servers and log collectors use.
//!
//! In: a line, and [`Names`] that a caller adds. Out: an [`Entry`]. Members are identified by their
//! path (`request.headers.user-agent`), in any case; of an array, the first element counts. nginx
//! writes `\xHH` if its `log_format` lacks `escape=json`, which is not JSON but is read as well.
//! Collectors put the whole line of a server into one member, as Docker does (json-file driver).

use memchr::memchr2;

use crate::logs::entry::{Entry, Unreadable};
use crate::logs::fields::{Escapes, Field, Found, Spaces, Value};

/// How deep members are searched; deeper ones are skipped.
const DEEPEST: usize = 5;

/// Additional members that a caller names, by path in lower case; they come first.
pub type Names = Vec<(Vec<u8>, Field)>;

/// The field of a path, and its priority: targets as they were sent come before those that a server
/// has rewritten.
fn usual(path: &[u8]) -> Option<(Field, u8)> {
    Some(match path {
        b"time" | b"@timestamp" | b"ts" | b"timestamp" | b"time_iso8601" | b"time_local"
        | b"msec" | b"datetime" | b"date_time" | b"starttime" | b"startutc" | b"start_time" => {
            (Field::Time, 1)
        }
        b"date" => (Field::Date, 1),
        // Docker; Elastic and CloudWatch; journald; Google Cloud
        b"log" | b"message" | b"msg" | b"textpayload" => (Field::Line, 1),
        b"host" | b"server_name" | b"vhost" | b"virtual_host" | b"domain" | b"requesthost"
        | b"request_host" | b"request.host" | b"req.host" | b"req.headers.host" | b"url.domain"
        | b"cs(host)" | b"authority" | b":authority" => (Field::Host, 1),
        // `host` may be the machine that collects logs
        b"x-host-header" | b"http_host" => (Field::Host, 2),
        b"request" | b"request_line" | b"requestline" | b"req" | b"message.request" => {
            (Field::Request, 1)
        }
        b"method" | b"request_method" | b"requestmethod" | b"http_method" | b"verb"
        | b"cs-method" | b"request.method" | b"req.method" | b":method" => (Field::Method, 1),
        b"request_uri" | b"requesturi" | b"original_uri" | b"request.uri" | b"req.url"
        | b"url.original" | b"requestpath" | b"request_url" | b"requesturl" | b":path" => {
            (Field::Target, 3)
        }
        b"uri" | b"url" | b"path" | b"request_path" | b"cs-uri-stem" | b"url.path"
        | b"request.path" | b"request.url" | b"http.path" => (Field::Target, 1),
        b"args" | b"query" | b"query_string" | b"cs-uri-query" | b"url.query" => (Field::Query, 1),
        b"status" | b"status_code" | b"statuscode" | b"sc-status" | b"http_status"
        | b"response_status" | b"response_code" | b"response.status" | b"response"
        | b"res.statuscode" | b"res.status" | b"downstreamstatus" => (Field::Status, 1),
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
        b"clientrequestpath" => (Field::Target, 1),
        b"clientrequestquery" => (Field::Query, 1),
        b"edgeresponsestatus" => (Field::Status, 1),
        b"clientrequestuseragent" => (Field::Agent, 1),
        // Vercel
        b"proxy.timestamp" => (Field::Time, 2),
        b"proxy.host" => (Field::Host, 2),
        b"proxy.method" => (Field::Method, 2),
        b"proxy.path" => (Field::Target, 3),
        b"proxy.statuscode" => (Field::Status, 2),
        b"proxy.useragent" => (Field::Agent, 2),
        // Fastly, as its documentation writes the format
        b"request_user_agent" => (Field::Agent, 1),
        // Akamai
        b"reqtimesec" => (Field::Time, 1),
        b"reqhost" => (Field::Host, 1),
        b"reqmethod" => (Field::Method, 1),
        b"reqpath" => (Field::Target, 1),
        b"querystr" => (Field::Query, 1),
        _ => return None,
    })
}

/// Read a line.
#[inline]
pub fn read<'a>(line: &'a [u8], names: &Names) -> Result<Entry<'a>, Unreadable> {
    found_in(line, names)?.entry()
}

/// What the members of a line say.
pub fn found_in<'a>(line: &'a [u8], names: &Names) -> Result<Found<'a>, Unreadable> {
    let (mut found, mut told) = (Found::default(), Told::default());
    walk(line, |path, value| {
        let added = names.iter().find(|(name, _)| name == path).map(|(_, field)| (*field, u8::MAX));
        if let Some((field, priority)) = added.or_else(|| usual(path)) {
            told.add(path, value.text);
            found.take(field, priority, Value { spaces: spaces(path, value.text), ..value });
        }
    })
    .filter(|()| !told.is_contradictory)
    .ok_or(Unreadable::NotJson)?;
    Ok(found)
}

/// The members that say something about a request: one that says two things says nothing (RFC 8259
/// section 4).
#[derive(Default)]
struct Told<'a> {
    members: [(u64, &'a [u8]); 12],
    number: usize,
    is_contradictory: bool,
}

impl<'a> Told<'a> {
    #[inline]
    fn add(&mut self, path: &[u8], text: &'a [u8]) {
        // FNV-1a: two of a dozen paths with one hash are not to be expected
        let hash = path.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, octet| {
            (hash ^ u64::from(*octet)).wrapping_mul(0x0100_0000_01b3)
        });
        let members = &self.members[..self.number];
        match members.iter().find(|(other, _)| *other == hash) {
            Some((_, same)) => self.is_contradictory |= *same != text,
            None if self.number < self.members.len() => {
                self.members[self.number] = (hash, text);
                self.number += 1;
            }
            None => {}
        }
    }
}

/// What stands for the spaces of a member.
fn spaces(path: &[u8], text: &[u8]) -> Spaces {
    match path {
        // CloudFront writes those of this one as `%20`.
        b"cs(user-agent)" => Spaces::Percent,
        // Akamai escapes all that is not printable ASCII, others nothing.
        b"ua" if !text.contains(&b' ') => Spaces::Form,
        _ => Spaces::Plain,
    }
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
                let escapes = if is_escaped { Escapes::Json } else { Escapes::None };
                return Some(Value { text, escapes, spaces: Spaces::Plain });
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
        (is_number || matches!(text, b"true" | b"false" | b"null")).then_some(Value::plain(text))
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
