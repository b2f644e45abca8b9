//! One record: where it begins and ends, what its header says, and why it cannot be read.
//!
//! In: the bytes of a plain file, or of the content of a gzip member (WARC 1.1, ISO 28500:2017). A
//! record counts only if it begins with a version, has each field that must be there once, and ends
//! where its length says, with two line ends. Behind damage, reading continues at the next version,
//! which may stand in the middle of a line: a program that was killed leaves half a record, and the
//! next one goes on behind it.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem};

use crate::archive::octets::View;

/// The most bytes of a block that are in memory.
pub const MOST_READ: usize = 2 << 20;
/// Bytes that are looked at first of a record, and in search of the next one: few are needed.
pub const READ_AHEAD: usize = 1 << 12;
/// The most bytes that are searched at once for the next record.
const SEARCHED: usize = 1 << 20;
const LONGEST_HEADER: usize = 1 << 16;
/// The most bytes of a line that begins a record, so far as it tells one from others.
const LONGEST_MARK: usize = 64;
/// The most bytes of line ends after a record: more bytes are another record.
pub const LONGEST_TRAILER: usize = 16;

/// Why a place of an archive cannot be read.
pub type Problem = Cow<'static, str>;

/// What holds a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A plain file.
    File,
    /// A gzip member, whose checksum tells its end as well.
    Member,
}

impl Holder {
    fn too_long(self) -> Problem {
        Cow::Borrowed(match self {
            Holder::File => "the file ends within the record",
            Holder::Member => "Content-Length says more than the gzip member holds",
        })
    }

    fn too_short(self) -> Problem {
        Cow::Borrowed(match self {
            Holder::File => "Content-Length does not say where the record ends",
            Holder::Member => "Content-Length says less than the gzip member holds",
        })
    }
}

/// A record, or a damaged place.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Where it begins in the file; for one of several in a member, where the member does.
    pub offset: u64,
    /// Where reading continues, in what holds it.
    pub end: u64,
    /// Where its content begins, in what holds it.
    pub block: u64,
    /// How many bytes its content has.
    pub length: u64,
    /// Whether there is a record, and not only line ends.
    pub is_there: bool,
    /// Why it cannot be read.
    pub problem: Option<Problem>,
}

/// The record that begins at a place, perhaps after empty lines; its header is in `head`.
pub fn record<V: View>(
    view: &mut V,
    head: &mut Head,
    at: u64,
    size: u64,
    holder: Holder,
) -> Result<Record, V::Error> {
    let mut data = view.at(at, READ_AHEAD)?;
    let blanks = data.iter().take_while(|byte| is_line_end(byte)).count();
    let mut stop = header_stop(data, blanks);
    if data.len() == READ_AHEAD && stop == Stop::Nothing {
        data = view.at(at, LONGEST_HEADER)?;
        stop = header_stop(data, blanks);
    }
    if blanks == data.len() {
        // nothing at all behind what is in memory of a long member
        let end = if data.is_empty() { size } else { at + blanks as u64 };
        return Ok(Record { offset: at, end, ..Record::default() });
    }
    let offset = at + blanks as u64;
    match head.read(data, blanks, stop).and_then(|start| Ok((start, head.length()?))) {
        Ok((start, length)) => {
            let block = at + start as u64;
            match end_of(view, at, block, length, size, holder)? {
                Ok(end) => Ok(Record { offset, end, block, length, is_there: true, problem: None }),
                Err(problem) => bad(view, offset, size, problem),
            }
        }
        Err(problem) => bad(view, offset, size, problem),
    }
}

/// Where the line ends behind a block end.
fn end_of<V: View>(
    view: &mut V,
    at: u64,
    block: u64,
    length: u64,
    size: u64,
    holder: Holder,
) -> Result<Result<u64, Problem>, V::Error> {
    let end = block + length;
    if end > size {
        return Ok(Err(holder.too_long()));
    }
    if end - at <= (LONGEST_HEADER + MOST_READ) as u64 {
        view.hold(at, (end - at) as usize + LONGEST_TRAILER)?;
    }
    let tail = view.peek(end, LONGEST_TRAILER)?;
    let ends = tail.iter().take_while(|byte| is_line_end(byte)).count();
    let is_ended = begins_with_two_line_ends(tail);
    match is_ended || (holder == Holder::Member && ends == tail.len()) {
        true => Ok(Ok(end + ends as u64)),
        false => Ok(Err(holder.too_short())),
    }
}

fn bad<V: View>(
    view: &mut V,
    offset: u64,
    size: u64,
    problem: Problem,
) -> Result<Record, V::Error> {
    let end = next_version(view, offset + 1, size)?;
    Ok(Record { offset, end, problem: Some(problem), ..Record::default() })
}

fn next_version<V: View>(view: &mut V, mut at: u64, size: u64) -> Result<u64, V::Error> {
    let mut search = Search::new();
    while at < size {
        let data = view.at(at, search.most)?;
        if let Some(found) = find_version(data, 0) {
            return Ok(at + found as u64);
        }
        match search.step(data.len()) {
            Some(step) => at += step,
            None => break,
        }
    }
    Ok(size)
}

/// How much is searched at once for the next record, or the next member: more each time.
pub struct Search {
    /// The most bytes now.
    pub most: usize,
}

impl Search {
    /// Begin.
    pub fn new() -> Search {
        Search { most: READ_AHEAD }
    }

    /// How far to go on where so many bytes were searched; none at the end of the file.
    pub fn step(&mut self, searched: usize) -> Option<u64> {
        if searched < self.most {
            return None;
        }
        self.most = SEARCHED.min(2 * self.most);
        Some((searched - LONGEST_MARK) as u64)
    }
}

/// Whether a record begins here, perhaps after empty lines.
pub fn begins_record(data: &[u8]) -> bool {
    let blanks = data.iter().take_while(|byte| is_line_end(byte)).count();
    version_end(data, blanks).is_some()
}

/// Whether a record begins anywhere in a block.
pub fn holds_version(block: &[u8]) -> bool {
    find_version(block, 0).is_some()
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

fn begins_with_two_line_ends(data: &[u8]) -> bool {
    let rest = data.strip_prefix(b"\r").unwrap_or(data);
    let Some(rest) = rest.strip_prefix(b"\n") else { return false };
    rest.starts_with(b"\n") || rest.starts_with(b"\r\n")
}

const MARK: &[u8] = b"WARC/";

/// What ends a header, or cuts it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// An empty line: where the line before it ends, and where it ends itself.
    End(usize, usize),
    /// Another record.
    Version,
    /// The end of what was looked at.
    Nothing,
}

/// What ends the header that begins at a place. Nothing looks at the bytes behind that, so that time
/// is linear however dense the damage is.
fn header_stop(data: &[u8], start: usize) -> Stop {
    let (mut at, mut from) = (start, start + 1);
    while let Some(line) = data.get(at..).and_then(|rest| memchr(b'\n', rest)) {
        let end = at + line;
        looked_at(line);
        if find_version(&data[..=end], from).is_some() {
            return Stop::Version;
        }
        match &data[end + 1..] {
            [b'\n', ..] => return Stop::End(end, end + 2),
            [b'\r', b'\n', ..] => return Stop::End(end, end + 3),
            _ => (at, from) = (end + 1, end + 1),
        }
    }
    looked_at(data.len() - data.len().min(at));
    Stop::Nothing
}

/// Where the first version begins, from a place on.
fn find_version(data: &[u8], from: usize) -> Option<usize> {
    let found = find_version_in(data, from);
    looked_at(found.unwrap_or(data.len()).saturating_sub(from));
    found
}

fn find_version_in(data: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = memmem::find(data.get(at..)?, MARK) {
        at += found;
        if version_end(data, at).is_some() {
            return Some(at);
        }
        at += MARK.len();
    }
    None
}

/// Where the line ends that begins a record: `WARC/1.0`, and a line end.
fn version_end(data: &[u8], at: usize) -> Option<usize> {
    let rest = data.get(at..)?.strip_prefix(MARK)?;
    let [b'0' | b'1', b'.', rest @ ..] = rest else { return None };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &rest[digits..];
    let spaces = rest.iter().take_while(|byte| is_blank(byte)).count();
    let rest = &rest[spaces..];
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest).strip_prefix(b"\n")?;
    (digits > 0).then(|| data.len() - rest.len())
}

/// Notes how many bytes are searched, for the test that work is linear.
#[inline]
fn looked_at(number: usize) {
    #[cfg(test)]
    tests::LOOKED_AT.with(|all| all.set(all.get() + number));
    let _ = number;
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// A field that is read, by its place among the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Name {
    Type = 0,
    Date = 2,
    Length = 3,
    Target = 4,
    Truncated = 5,
    Digest = 6,
    ContentType = 7,
    Segment = 8,
}

/// The names that are looked for: first those that every record has, then those that are read, then
/// the others that stand once (ISO 28500:2017 section 5.1): where one stands twice, a record goes on
/// in another.
const NAMES: [&[u8]; 19] = [
    b"WARC-Type",
    b"WARC-Record-ID",
    b"WARC-Date",
    b"Content-Length",
    b"WARC-Target-URI",
    b"WARC-Truncated",
    b"WARC-Block-Digest",
    b"Content-Type",
    b"WARC-Segment-Number",
    b"WARC-IP-Address",
    b"WARC-Payload-Digest",
    b"WARC-Warcinfo-ID",
    b"WARC-Refers-To",
    b"WARC-Refers-To-Target-URI",
    b"WARC-Refers-To-Date",
    b"WARC-Identified-Payload-Type",
    b"WARC-Profile",
    b"WARC-Segment-Origin-ID",
    b"WARC-Segment-Total-Length",
];
const MANDATORY: usize = 4;

const NO_FIELD: &str = "a line of the record's header is no field";

/// The header of a record; one is used for all, so that its memory is.
#[derive(Debug, Default)]
pub struct Head {
    text: Vec<u8>,
    fields: [Option<Range<usize>>; NAMES.len()],
}

impl Head {
    /// What a field says, without the space around it.
    pub fn get(&self, name: Name) -> Option<&[u8]> {
        self.fields[name as usize].clone().map(|range| &self.text[range])
    }

    /// Read the header that begins at a place; return where the content begins.
    fn read(&mut self, data: &[u8], start: usize, stop: Stop) -> Result<usize, Problem> {
        if version_end(data, start).is_none() {
            return Err(Cow::Borrowed("no WARC record begins here"));
        }
        let Stop::End(end, content) = stop else {
            return Err(Cow::Borrowed("the header of the record has no end"));
        };
        self.unfold(&data[start..end]);
        self.find_fields()?;
        match NAMES[..MANDATORY].iter().zip(&self.fields).find(|(_, field)| is_empty(field)) {
            Some((name, _)) => Err(format!("the record has no {}", shown(name)).into()),
            None => Ok(content),
        }
    }

    /// Keep lines without carriage returns, and those that go on in the next one as one.
    fn unfold(&mut self, header: &[u8]) {
        self.text.clear();
        let mut bytes = header.iter().copied().filter(|byte| *byte != b'\r').peekable();
        while let Some(byte) = bytes.next() {
            let is_folded = byte == b'\n' && bytes.next_if(is_blank).is_some();
            self.text.push(if is_folded { b' ' } else { byte });
        }
    }

    fn find_fields(&mut self) -> Result<(), Problem> {
        self.fields = Default::default();
        let (mut firsts, mut twice) = ([0; NAMES.len()], None);
        let mut begin = memchr(b'\n', &self.text).map(|end| end + 1);
        if begin.is_none() {
            return Err(Cow::Borrowed(NO_FIELD));
        }
        while let Some(at) = begin {
            let len = memchr(b'\n', &self.text[at..]);
            let line = &self.text[at..len.map_or(self.text.len(), |len| at + len)];
            let (name, value) = field_in(line).ok_or(Cow::Borrowed(NO_FIELD))?;
            if let Some(place) = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)) {
                match self.fields[place].replace(at + value.start..at + value.end) {
                    None => firsts[place] = at,
                    // told is the one that stood first
                    Some(_) => {
                        twice =
                            twice.filter(|other| firsts[*other] < firsts[place]).or(Some(place));
                    }
                }
            }
            begin = len.map(|len| at + len + 1);
        }
        match twice {
            Some(place) => {
                let name = shown(NAMES[place]).to_ascii_lowercase();
                Err(format!("the record has a second `{name}`").into())
            }
            None => Ok(()),
        }
    }

    fn length(&self) -> Result<u64, Problem> {
        let written = self.get(Name::Length).unwrap_or_default();
        let is_number = written.iter().all(u8::is_ascii_digit) && written.len() <= 18;
        let number = std::str::from_utf8(written).ok().filter(|_| is_number);
        number
            .and_then(|number| number.parse().ok())
            .ok_or(Cow::Borrowed("the record has no Content-Length that is a number"))
    }
}

fn is_empty(field: &Option<Range<usize>>) -> bool {
    field.as_ref().is_none_or(Range::is_empty)
}

fn shown(name: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(name)
}

/// The name of the field in a line, and where its value stands (ISO 28500:2017 section 4).
fn field_in(line: &[u8]) -> Option<(&[u8], Range<usize>)> {
    let name = line.iter().take_while(|byte| is_of_token(byte)).count();
    let blanks = line[name..].iter().take_while(|byte| is_blank(byte)).count();
    let value = name + blanks + 1;
    if name == 0 || line.get(value - 1) != Some(&b':') || memchr(0, &line[value..]).is_some() {
        return None;
    }
    let spaces = line[value..].iter().take_while(|byte| is_space(byte)).count();
    let trailing = line[value + spaces..].iter().rev().take_while(|byte| is_space(byte)).count();
    Some((&line[..name], value + spaces..line.len() - trailing))
}

/// Whether a byte may stand in a token (RFC 9110 section 5.6.2).
fn is_of_token(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte)
}

/// Whether a byte is space around a value.
pub fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Bytes without the space around them.
pub fn trimmed(bytes: &[u8]) -> &[u8] {
    let begin = bytes.iter().take_while(|byte| is_space(byte)).count();
    let end = bytes[begin..].iter().rev().take_while(|byte| is_space(byte)).count();
    &bytes[begin..bytes.len() - end]
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use super::*;
    use crate::archive::octets::{in_memory, Memory, Octets, Window};

    thread_local! {
        pub static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    /// Content that is damaged every few bytes.
    fn dense_damage() -> [Vec<u8>; 5] {
        let head = |length: usize| {
            format!("WARC/1.0\nWARC-Type: response\nContent-Length: {length}\n\n").into_bytes()
        };
        let mut blank = head(90_000).repeat(1_500);
        blank.extend(b"\n".repeat(90_000));
        blank.push(b'x');
        [
            b"WARC/1.0\n".repeat(20_000),
            b"WARC/1.0\nWARC-Type: response\n".repeat(6_000),
            b"WARC/1.0\n\nx\n".repeat(15_000),
            head(50_000).repeat(3_000),
            blank,
        ]
    }

    /// The number of places, after all were read.
    fn places<V: View<Error = Infallible>>(view: &mut V, size: u64, holder: Holder) -> usize {
        let (mut head, mut at, mut number) = (Head::default(), 0, 0);
        while at < size {
            let Ok(found) = record(view, &mut head, at, size, holder);
            assert!(at < found.end, "{at}");
            (at, number) = (found.end, number + 1);
        }
        number
    }

    /// A file that counts what is read of it.
    struct Counted<'d>(&'d [u8], &'d Cell<usize>);

    impl Octets for Counted<'_> {
        type Error = Infallible;

        fn read(&mut self, at: u64, most: usize, into: &mut Vec<u8>) -> Result<(), Infallible> {
            let found = in_memory(self.0, at, most);
            self.1.set(self.1.get() + found.len());
            into.extend_from_slice(found);
            Ok(())
        }
    }

    #[test]
    fn work_is_linear_however_dense_the_damage_is() {
        for data in dense_damage() {
            let (size, read) = (data.len() as u64, Cell::new(0));
            LOOKED_AT.set(0);
            let places_in_file =
                places(&mut Window::new(Counted(&data, &read), size), size, Holder::File);
            let of_file = LOOKED_AT.replace(0);
            let places_in_member = places(&mut Memory(&data), size, Holder::Member);
            let of_member = LOOKED_AT.take();

            assert!(places_in_file > 1_000 && places_in_member > 1_000);
            assert!(of_file <= 4 * data.len(), "{of_file}");
            assert!(of_member <= 4 * data.len(), "{of_member}");
            assert!(read.get() <= 2 * data.len() + 16 * places_in_file, "{}", read.get());
        }
    }
}
