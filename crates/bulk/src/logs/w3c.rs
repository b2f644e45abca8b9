//! W3C Extended Log File Format, as IIS and CloudFront write it.
//!
//! In: directives such as `#Fields: date time cs-method cs-uri-stem`, which name the columns of the
//! lines after them, and lines of columns. Out: [`Columns`], and entries. Columns are separated by
//! spaces, or by tabs as in CloudFront's. Source: W3C working draft WD-logfile-960323; IIS writes a
//! space within a value as `+`, CloudFront as `%20`.

use memchr::memchr;

use crate::logs::entry::{Entry, Unreadable};
use crate::logs::fields::{Escapes, Field, Found, Spaces, Value};

/// The names of directives (section "Directives").
const DIRECTIVES: [&[u8]; 7] =
    [b"Version", b"Fields", b"Software", b"Start-Date", b"End-Date", b"Date", b"Remark"];

/// What the columns of lines are: a field with its priority, or nothing that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Vec<Option<(Field, u8)>>);

/// Whether a line is a directive.
pub fn is_directive(line: &[u8]) -> bool {
    directive(line).is_some()
}

/// The name and the text of a directive.
fn directive(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_prefix(b"#")?;
    let colon = memchr(b':', line)?;
    let name = line[..colon].trim_ascii();
    let is_known = DIRECTIVES.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_known.then_some((name, &line[colon + 1..]))
}

impl Columns {
    /// The columns that a directive names; none for other directives.
    pub fn of(line: &[u8]) -> Option<Columns> {
        let (name, text) = directive(line)?;
        let names = text.split(u8::is_ascii_whitespace).filter(|name| !name.is_empty());
        let names: Vec<Vec<u8>> = names.map(<[u8]>::to_ascii_lowercase).collect();
        // two columns of one name say two things: no line fits columns that are none
        let is_twice = (1..names.len())
            .any(|at| column(&names[at]).is_some() && names[..at].contains(&names[at]));
        let known = if is_twice { &[][..] } else { &names[..] };
        name.eq_ignore_ascii_case(b"Fields")
            .then(|| Columns(known.iter().map(|name| column(name)).collect()))
    }

    /// Whether they hold a request.
    pub fn has_target(&self) -> bool {
        self.0.iter().flatten().any(|(field, _)| *field == Field::Target)
    }

    /// Read a line.
    pub fn read<'a>(&self, line: &'a [u8]) -> Result<Entry<'a>, Unreadable> {
        let is_tabbed = line.contains(&b'\t');
        let (space, spaces) =
            if is_tabbed { (b'\t', Spaces::Percent) } else { (b' ', Spaces::Plus) };
        let mut found = Found::default();
        let mut rest = Some(line);
        for column in &self.0 {
            let text = rest.ok_or(Unreadable::NotLayout)?;
            let (mut value, behind) = first(text, space).ok_or(Unreadable::Cut)?;
            if let Some((field, priority)) = column {
                if *field == Field::Agent && value.escapes == Escapes::None {
                    value.spaces = spaces;
                }
                found.take(*field, *priority, value);
            }
            rest = behind;
        }
        match rest {
            None => found.entry(),
            Some(_) => Err(Unreadable::NotLayout),
        }
    }
}

/// The field of a column and its priority: prefixes say whose it is (client to server, and back).
fn column(name: &[u8]) -> Option<(Field, u8)> {
    Some(match &name.to_ascii_lowercase()[..] {
        b"date" => (Field::Date, 1),
        b"time" => (Field::Time, 1),
        b"timestamp" | b"x-timestamp" => (Field::Time, 1),
        b"cs-host" | b"cs(host)" => (Field::Host, 1),
        b"x-host-header" => (Field::Host, 2),
        b"cs-method" => (Field::Method, 1),
        b"cs-uri" => (Field::Target, 3),
        b"cs-uri-stem" => (Field::Target, 1),
        b"cs-uri-query" => (Field::Query, 1),
        b"sc-status" => (Field::Status, 1),
        b"cs(user-agent)" => (Field::Agent, 1),
        _ => return None,
    })
}

/// The first value of a line, and what follows it; none if a quotation mark is not closed.
fn first(text: &[u8], space: u8) -> Option<(Value<'_>, Option<&[u8]>)> {
    let spaces = text.iter().take_while(|byte| **byte == b' ' && space == b' ').count();
    let text = &text[spaces..];
    let Some(quoted) = text.strip_prefix(b"\"") else {
        let end = memchr(space, text);
        let value = Value::plain(&text[..end.unwrap_or(text.len())]);
        return Some((value, end.map(|end| &text[end + 1..])));
    };
    let mut at = 0;
    loop {
        at += memchr(b'"', &quoted[at..])?;
        match quoted.get(at + 1) {
            Some(b'"') => at += 2,
            Some(behind) if *behind != space => at += 1,
            _ => {
                let value =
                    Value { text: &quoted[..at], escapes: Escapes::Doubled, spaces: Spaces::Plain };
                return Some((value, quoted.get(at + 2..).filter(|_| quoted.len() > at + 1)));
            }
        }
    }
}
