//! The variables of nginx and the directives of Apache in formats of logs.
//!
//! In: the text of a format. Out: its pieces. `log_format NAME '…' '…';` and `LogFormat "…" NAME`
//! may stand around it, as in the files that it was copied from. Names: nginx.org, "Alphabetical
//! index of variables"; httpd.apache.org, "Apache Module mod_log_config", Custom Log Formats.

use crate::logs::fields::Field;

/// What a part of a layout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A field, and its priority: targets as they were sent come before rewritten ones.
    Field(Field, u8),
    /// Anything, without spaces unless the text after it has none.
    Other,
    /// A name of a user, with or without spaces.
    User,
}

/// Why a format cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has neither variables of nginx nor directives of Apache.
    NoFields,
    /// It has neither a request nor a target.
    NoRequest,
    /// It has a variable or directive that is not known.
    Unknown(String),
    /// Nothing separates these two.
    Adjacent(String, String),
    /// Its values have spaces, and a space ends it.
    Unquoted(String),
}

/// A host.
pub const HOST: Kind = Kind::Field(Field::Host, 1);

/// A piece of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(Vec<u8>),
    /// A part, and how the format writes it.
    Part(Kind, String),
}

/// The pieces of a format of nginx or Apache.
pub fn pieces(format: &str) -> Result<Vec<Piece>, Refusal> {
    let text = without_directive(format.trim());
    let is_nginx = text.split('$').skip(1).any(|rest| {
        rest.starts_with(|first: char| first.is_ascii_alphabetic() || "_{".contains(first))
    });
    match is_nginx {
        true => nginx(&text),
        false if text.contains('%') => apache(&text),
        false => Err(Refusal::NoFields),
    }
}

/// What a configuration writes around a format goes: the directive, the name, the quotation marks.
fn without_directive(format: &str) -> String {
    let rest = ["log_format", "LogFormat"].iter().find_map(|name| format.strip_prefix(name));
    let text = rest.map_or_else(|| format.to_owned(), within_quotes);
    text.replace("\\\"", "\"").replace("\\t", "\t")
}

/// The texts within quotation marks of the kind that comes first, put together.
fn within_quotes(text: &str) -> String {
    let Some(quote) = text.chars().find(|c| matches!(c, '\'' | '"')) else {
        return String::new();
    };
    let mut within = String::new();
    let (mut is_within, mut is_escaped) = (false, false);
    for c in text.chars() {
        if c == quote && !is_escaped {
            is_within = !is_within;
        } else if is_within {
            within.push(c);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    within
}

fn nginx(format: &str) -> Result<Vec<Piece>, Refusal> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('$') {
        push_text(&mut pieces, &rest[..at]);
        let braced = rest[at + 1..].strip_prefix('{').and_then(|text| text.split_once('}'));
        let (name, behind) = braced.unwrap_or_else(|| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let text = &rest[at + 1..];
            text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()))
        });
        rest = behind;
        if name != "is_args" {
            let written = format!("${name}");
            let kind = variable(name).ok_or_else(|| Refusal::Unknown(written.clone()))?;
            pieces.push(Piece::Part(kind, written));
        }
    }
    push_text(&mut pieces, rest);
    Ok(pieces)
}

fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    if !text.is_empty() {
        pieces.push(Piece::Text(text.into()));
    }
}

/// The beginnings of variables whose names are open.
const FAMILIES: [&str; 22] = [
    "arg_",
    "cookie_",
    "fastcgi_",
    "geoip",
    "http_",
    "jwt_",
    "limit_",
    "memcached_",
    "otel_",
    "proxy_",
    "realip_",
    "request_body",
    "secure_link",
    "sent_http_",
    "sent_trailer_",
    "session_",
    "ssl_",
    "tcpinfo_",
    "uid_",
    "upstream_",
    "connection",
    "spdy",
];

/// The other variables of nginx whose values do not matter, and those of its ingress for Kubernetes.
const OTHERS: [&str; 47] = [
    "_",
    "ancient_browser",
    "binary_remote_addr",
    "body_bytes_sent",
    "bytes_sent",
    "content_length",
    "content_type",
    "date_gmt",
    "date_local",
    "document_root",
    "gzip_ratio",
    "hostname",
    "http2",
    "http3",
    "https",
    "ingress_name",
    "invalid_referer",
    "is_request_port",
    "modern_browser",
    "msie",
    "namespace",
    "nginx_version",
    "pid",
    "pipe",
    "protocol",
    "quic",
    "realpath_root",
    "remote_addr",
    "remote_port",
    "req_id",
    "request_completion",
    "request_filename",
    "request_id",
    "request_length",
    "request_port",
    "request_time",
    "scheme",
    "server_addr",
    "server_port",
    "server_protocol",
    "service_name",
    "service_port",
    "slice_range",
    "the_real_ip",
    "time_zone",
    "userid_got",
    "userid_set",
];

fn variable(name: &str) -> Option<Kind> {
    Some(match name {
        "time_local" | "time_iso8601" | "msec" => Kind::Field(Field::Time, 1),
        "host" | "http_host" => HOST,
        // a name of the configuration, such as `_`
        "server_name" => Kind::Field(Field::Host, 0),
        "request" => Kind::Field(Field::Request, 1),
        "request_method" => Kind::Field(Field::Method, 1),
        "request_uri" => Kind::Field(Field::Target, 3),
        "uri" | "document_uri" => Kind::Field(Field::Target, 1),
        "args" | "query_string" => Kind::Field(Field::Query, 1),
        "status" => Kind::Field(Field::Status, 1),
        "http_user_agent" => Kind::Field(Field::Agent, 1),
        "remote_user" => Kind::User,
        _ if OTHERS.contains(&name) => Kind::Other,
        _ if FAMILIES.iter().any(|family| name.starts_with(family)) => Kind::Other,
        _ => return None,
    })
}

fn apache(format: &str) -> Result<Vec<Piece>, Refusal> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        push_text(&mut pieces, &rest[..at]);
        let directive = Directive::at(&rest[at..]);
        rest = &rest[at + directive.written.len()..];
        match (directive.letter, directive.kind()) {
            ("%", _) => push_text(&mut pieces, "%"),
            ("t", _) if directive.goes_on() && is_in_time(&mut pieces) => {}
            ("t", Some(kind)) if directive.argument.is_none() => {
                push_text(&mut pieces, "[");
                pieces.push(Piece::Part(kind, directive.written.into()));
                push_text(&mut pieces, "]");
            }
            (_, Some(kind)) => pieces.push(Piece::Part(kind, directive.written.into())),
            (_, None) => return Err(Refusal::Unknown(directive.written.into())),
        }
    }
    push_text(&mut pieces, rest);
    Ok(pieces)
}

/// Whether the pieces end in a time, and perhaps a character after it, which then belongs to it.
fn is_in_time(pieces: &mut Vec<Piece>) -> bool {
    let is_time = |piece: &Piece| matches!(piece, Piece::Part(Kind::Field(Field::Time, _), _));
    if let [.., before, Piece::Text(text)] = &pieces[..] {
        if is_time(before) && text.len() == 1 {
            pieces.pop();
        }
    }
    pieces.last().is_some_and(is_time)
}

/// `%{Referer}i`, `%>s`, `%!200,304{User-agent}i`.
struct Directive<'a> {
    written: &'a str,
    argument: Option<&'a str>,
    letter: &'a str,
}

impl<'a> Directive<'a> {
    fn at(text: &'a str) -> Directive<'a> {
        let is_modifier = |c: char| c.is_ascii_digit() || "!,<>".contains(c);
        let rest = text[1..].trim_start_matches(is_modifier);
        let braced = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (argument, rest) = braced.map_or((None, rest), |(name, rest)| (Some(name), rest));
        let len = match rest.as_bytes() {
            [b'^', ..] => rest.char_indices().nth(3).map_or(rest.len(), |(at, _)| at),
            _ => rest.chars().next().map_or(0, char::len_utf8),
        };
        let end = text.len() - rest.len() + len;
        Directive { written: &text[..end], argument, letter: &rest[..len] }
    }

    /// Whether it is what a time lacks: its fraction, or its zone.
    fn goes_on(&self) -> bool {
        matches!(self.argument, Some("msec_frac" | "usec_frac" | "%z"))
    }

    fn kind(&self) -> Option<Kind> {
        let argument = self.argument.map(str::to_ascii_lowercase);
        Some(match (self.letter, argument.as_deref()) {
            ("t", None) => Kind::Field(Field::Time, 1),
            ("t", Some(format)) => time(format)?,
            ("r", None) => Kind::Field(Field::Request, 1),
            ("m", None) => Kind::Field(Field::Method, 1),
            ("U", None) => Kind::Field(Field::Target, 1),
            ("q", None) => Kind::Field(Field::Query, 1),
            ("s", None) => Kind::Field(Field::Status, 1),
            ("v", None) => Kind::Field(Field::Host, 0),
            ("V", None) | ("i", Some("host")) => HOST,
            ("i", Some("user-agent")) => Kind::Field(Field::Agent, 1),
            ("u", None) => Kind::User,
            ("i" | "o" | "C" | "e" | "n" | "x" | "c" | "^ti" | "^to", Some(_)) => Kind::Other,
            ("a" | "h" | "p" | "P" | "T", _) => Kind::Other,
            (
                "A" | "B" | "b" | "D" | "f" | "H" | "I" | "k" | "L" | "l" | "O" | "R" | "S" | "X"
                | "^FB" | "^FU" | "%",
                None,
            ) => Kind::Other,
            _ => return None,
        })
    }
}

/// A time by a format of strftime, or `sec`, `msec`, `usec`; fractions alone are no times.
fn time(format: &str) -> Option<Kind> {
    let format = format.trim_start_matches("begin:").trim_start_matches("end:");
    let is_date = ["%d", "%s", "%f", "%c", "%t"].iter().any(|part| format.contains(part));
    Some(match format {
        "sec" | "msec" | "usec" => Kind::Field(Field::Time, 1),
        "msec_frac" | "usec_frac" => Kind::Other,
        _ if is_date => Kind::Field(Field::Time, 1),
        _ => return None,
    })
}
