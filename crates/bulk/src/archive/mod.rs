//! Archives: captures of robots.txt files from the responses of a WARC file, many at once.
//!
//! In: the bytes of a file of gzip members or plain (WARC 1.1, ISO 28500:2017), such as the
//! `robotstxt` archives of Common Crawl, and whoever answers what is decided elsewhere. Out: batches of
//! captures, bounded by rows and by bytes; what was skipped, and where. Nothing here knows what a
//! capture means.

mod digest;
mod octets;
mod record;
mod records;
mod response;

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Int32Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema, SchemaRef};
use verger_core::Scope;

pub use octets::Octets;
pub use records::ReadError;
pub use response::{Ended, Field};

use crate::logs::time;
use crate::scan::columns::{column, finished, time_type, times};
use record::{holds_version, Head, Name, Record};
use records::Records;
use response::{Response, MOST_BYTES};

/// Rows after which a batch is full.
const ROWS: usize = 1_024;
/// Bytes of bodies after which a batch is full.
const BYTES: usize = 4 << 20;
/// The most bytes of a response that are read: a body and a header.
const MOST_BLOCK: usize = MOST_BYTES + (1 << 16);

const NO_TIME: &str = "its WARC-Date is no time";
const NO_HTTP: &str = "its Content-Type is not `application/http`";
const TORN: &str =
    "another record begins within the record, or it is not that of its WARC-Block-Digest";

/// Whoever answers what is decided elsewhere, and hears what is skipped.
pub trait Clerk {
    /// Why there is no answer.
    type Error;

    /// The time that a text means, which is not written as archives should, in microseconds since
    /// the epoch.
    fn moment(&mut self, written: &[u8]) -> Result<Option<i64>, Self::Error>;

    /// The URL that a redirect leads to.
    fn target(&mut self, url: &str, written: &[u8]) -> Result<String, Self::Error>;

    /// The file in the body of a success, which may be coded, cut off, or shorter than it says.
    fn file(
        &mut self,
        status: u16,
        fields: &[Field],
        body: &[u8],
        ended: Ended,
    ) -> Result<FoundFile, Self::Error>;

    /// Hear of a place that cannot be read.
    fn skip(&mut self, offset: u64, why: &str) -> Result<(), Self::Error>;
}

/// The file in a body.
#[derive(Clone, Debug, Default)]
pub struct FoundFile {
    /// Its bytes, up to a limit.
    pub data: Vec<u8>,
    /// Whether there are more.
    pub is_cut: bool,
    /// Why it cannot be read; empty if it can.
    pub problem: String,
}

/// Captures, and what was passed over on the way to them.
#[derive(Clone, Debug)]
pub struct Captures {
    /// The captures; without rows at the end of an archive that has none.
    pub batch: RecordBatch,
    /// Records of a body that was seen before, without the body.
    pub revisits: u64,
    /// Responses for other URLs.
    pub others: u64,
    /// Huge bodies, of which the end was not read.
    pub cut: u64,
}

/// Reads the captures of an archive.
pub struct ArchiveReader<O> {
    records: Records<O>,
    with_broken: bool,
    has_record: bool,
    /// The hashes of the files that are missing by their last capture.
    missing: HashSet<u64>,
    is_done: bool,
    rows: Rows,
    schema: SchemaRef,
}

impl<O: Octets> ArchiveReader<O> {
    /// Begin with a file of so many bytes.
    ///
    /// is_packed:    whether it consists of gzip members, whose checksums are compared.
    /// with_broken:  whether a successful response whose body cannot be read is a capture without a
    ///               body, instead of being skipped.
    pub fn new(octets: O, size: u64, is_packed: bool, with_broken: bool) -> ArchiveReader<O> {
        ArchiveReader {
            records: Records::new(octets, size, is_packed),
            with_broken,
            has_record: false,
            missing: HashSet::new(),
            is_done: false,
            rows: Rows::new(),
            schema: schema(),
        }
    }

    /// Whether there was any record so far.
    pub fn has_record(&self) -> bool {
        self.has_record
    }

    /// The columns of captures.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The next captures; none at the end.
    pub fn next<C>(&mut self, clerk: &mut C) -> Result<Option<Captures>, ReadError<O::Error>>
    where
        C: Clerk<Error = O::Error>,
    {
        if self.is_done {
            return Ok(None);
        }
        while !self.rows.is_full() {
            let Some(record) = self.records.next()? else {
                self.is_done = true;
                break;
            };
            self.add(&record, clerk)?;
        }
        Ok(Some(std::mem::replace(&mut self.rows, Rows::new()).finish(&self.schema)))
    }

    fn add<C>(&mut self, record: &Record, clerk: &mut C) -> Result<(), ReadError<O::Error>>
    where
        C: Clerk<Error = O::Error>,
    {
        if let Some(problem) = &record.problem {
            return clerk.skip(record.offset, problem).map_err(ReadError::Asked);
        }
        self.has_record |= record.is_there;
        let kind = self.records.head().get(Name::Type).filter(|_| record.is_there);
        match kind.unwrap_or_default().to_ascii_lowercase().as_slice() {
            b"response" => self.add_response(record, clerk),
            b"revisit" => {
                self.rows.revisits += 1;
                self.add_revisit(record, clerk)
            }
            _ => Ok(()),
        }
    }

    /// Add what a revisit shows, which is not joined with the record that it refers to: that there is
    /// a file, where the last capture says that there is none. The page of a missing file is revisited,
    /// too, as its head says.
    fn add_revisit<C>(&mut self, record: &Record, clerk: &mut C) -> Result<(), ReadError<O::Error>>
    where
        C: Clerk<Error = O::Error>,
    {
        let head = self.records.head();
        let url = url_of_file(head.get(Name::Target).unwrap_or_default()).map(Cow::into_owned);
        let date = head.get(Name::Date).unwrap_or_default().to_vec();
        let mut is_missing =
            |url: &String| self.missing.remove(&self.missing.hasher().hash_one(url));
        let Some(url) = url.filter(|url| self.with_broken && is_missing(url)) else {
            return Ok(());
        };
        let (block, _) = self.records.block(record)?;
        if Response::of(block).is_some_and(|response| response.status >= 400) {
            self.missing.insert(self.missing.hasher().hash_one(&url));
            return Ok(());
        }
        if let Some(time) = moment(&date, clerk).map_err(ReadError::Asked)? {
            self.rows.add(&url, &Capture { time, status: Some(200), ..Capture::default() });
        }
        Ok(())
    }

    /// Add the response in a record, if it is one of a robots.txt file and can be read.
    fn add_response<C>(&mut self, record: &Record, clerk: &mut C) -> Result<(), ReadError<O::Error>>
    where
        C: Clerk<Error = O::Error>,
    {
        let target = self.records.head().get(Name::Target).unwrap_or_default();
        let Some(url) = url_of_file(target) else {
            self.rows.others += 1;
            return Ok(());
        };
        let url = url.into_owned();
        let is_whole = self.records.is_whole(record)?;
        let (block, head) = self.records.block(record)?;
        let seen = Seen { url: &url, block, length: record.length, is_whole };
        match seen.capture(head, self.with_broken, clerk).map_err(ReadError::Asked)? {
            Ok(capture) => {
                let hash = self.missing.hasher().hash_one(&url);
                match capture.status {
                    Some(400..=499) if self.with_broken => self.missing.insert(hash),
                    _ => self.missing.remove(&hash),
                };
                self.rows.add(&url, &capture);
            }
            Err(why) => clerk.skip(record.offset, &why).map_err(ReadError::Asked)?,
        }
        Ok(())
    }
}

/// The URL of a robots.txt file; some archives have it in angle brackets.
fn url_of_file(target: &[u8]) -> Option<Cow<'_, str>> {
    let url = String::from_utf8_lossy(target);
    if Scope::is_of_file(url.as_bytes()) {
        return Some(url);
    }
    let inner = url.trim_matches(|c| matches!(c, '<' | '>' | ' '));
    Scope::is_of_file(inner.as_bytes()).then(|| Cow::Owned(inner.to_owned()))
}

/// A record of a response for a robots.txt file.
struct Seen<'b> {
    url: &'b str,
    /// The content, as far as it is in memory.
    block: &'b [u8],
    /// How long it is.
    length: u64,
    /// Whether no checksum shows that it is not.
    is_whole: bool,
}

/// A capture.
#[derive(Default)]
struct Capture<'b> {
    time: i64,
    status: Option<u16>,
    location: Option<String>,
    body: Option<Cow<'b, [u8]>>,
    is_cut: bool,
}

impl<'b> Seen<'b> {
    /// The capture, or why there is none.
    fn capture<C: Clerk>(
        &self,
        head: &Head,
        with_broken: bool,
        clerk: &mut C,
    ) -> Result<Result<Capture<'b>, Cow<'static, str>>, C::Error> {
        // what begins in a record is not read: a site's file may hold one that was made up
        if holds_version(self.block) || !self.is_whole {
            return Ok(Err(TORN.into()));
        }
        let Some(time) = moment(head.get(Name::Date).unwrap_or_default(), clerk)? else {
            return Ok(Err(NO_TIME.into()));
        };
        if !head.get(Name::ContentType).is_none_or(is_http) {
            return Ok(Err(NO_HTTP.into()));
        }
        // segments are not joined (ISO 28500:2017 section 6.8)
        let is_part = [Name::Truncated, Name::Segment].iter().any(|name| head.get(*name).is_some());
        let is_limited = is_part || self.length > MOST_BLOCK as u64;
        let ended = if is_limited { Ended::Limit } else { Ended::Complete };
        let block = &self.block[..self.block.len().min(MOST_BLOCK)];
        let Some(response) = Response::of(block) else {
            return Ok(Ok(Capture { time, ..Capture::default() }));
        };
        let capture = Capture { time, status: Some(response.status), ..Capture::default() };
        Ok(match response.status / 100 {
            2 => match file_of(&response, ended, clerk)? {
                Ok((body, is_cut)) => Ok(Capture { body: Some(body), is_cut, ..capture }),
                Err(_) if with_broken => Ok(capture),
                Err(problem) => Err(problem.into()),
            },
            3 => {
                let target = |written: &[u8]| match written {
                    b"" => Ok(String::new()),
                    written => clerk.target(self.url, written),
                };
                Ok(Capture { location: response.location().map(target).transpose()?, ..capture })
            }
            _ => Ok(capture),
        })
    }
}

fn is_http(kind: &[u8]) -> bool {
    const HTTP: &[u8] = b"application/http";
    kind.get(..HTTP.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(HTTP))
}

/// The time of a record. Archives write it in one form (ISO 28500:2017 section 5.4).
fn moment<C: Clerk>(written: &[u8], clerk: &mut C) -> Result<Option<i64>, C::Error> {
    const FORM: &[u8] = b"0000-00-00T00:00:00Z";
    let is_like = |(byte, form): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    };
    let is_usual = written.len() == FORM.len()
        && written.iter().zip(FORM).all(is_like)
        && !written.starts_with(b"0000")
        && !written.ends_with(b"60Z");
    match time::iso(written).filter(|_| is_usual) {
        Some((time, _)) => Ok(Some(time)),
        None => clerk.moment(written),
    }
}

type Body<'b> = (Cow<'b, [u8]>, bool);

/// The file in a success, and whether it is longer; or why it cannot be read.
fn file_of<'b, C: Clerk>(
    response: &Response<'b>,
    ended: Ended,
    clerk: &mut C,
) -> Result<Result<Body<'b>, String>, C::Error> {
    let (body, ended) = response.unchunked(ended);
    if response.is_file(&body, ended) {
        return Ok(Ok((body, false)));
    }
    let found = clerk.file(response.status, &response.fields, &body, ended)?;
    Ok(match found.problem.is_empty() {
        true => Ok((Cow::Owned(found.data), found.is_cut)),
        false => Err(found.problem),
    })
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        column("url", DataType::Utf8),
        column("time", time_type()),
        column("status", DataType::Int32),
        column("location", DataType::Utf8),
        column("truncated", DataType::Boolean),
        column("body", DataType::Binary),
    ]))
}

/// Captures under construction.
struct Rows {
    number: usize,
    bytes: usize,
    url: StringBuilder,
    time: TimestampMicrosecondBuilder,
    status: Int32Builder,
    location: StringBuilder,
    truncated: BooleanBuilder,
    body: BinaryBuilder,
    revisits: u64,
    others: u64,
    cut: u64,
}

impl Rows {
    fn new() -> Rows {
        Rows {
            number: 0,
            bytes: 0,
            url: StringBuilder::new(),
            time: times(),
            status: Int32Builder::new(),
            location: StringBuilder::new(),
            truncated: BooleanBuilder::new(),
            body: BinaryBuilder::new(),
            revisits: 0,
            others: 0,
            cut: 0,
        }
    }

    fn is_full(&self) -> bool {
        self.number >= ROWS || self.bytes >= BYTES
    }

    fn add(&mut self, url: &str, capture: &Capture) {
        self.number += 1;
        self.bytes += capture.body.as_ref().map_or(0, |body| body.len());
        self.cut += u64::from(capture.is_cut);
        self.url.append_value(url);
        self.time.append_value(capture.time);
        self.status.append_option(capture.status.map(i32::from));
        self.location.append_option(capture.location.as_deref());
        self.truncated.append_option(capture.is_cut.then_some(true));
        self.body.append_option(capture.body.as_deref());
    }

    fn finish(mut self, schema: &SchemaRef) -> Captures {
        let columns: Vec<ArrayRef> = finished([
            &mut self.url,
            &mut self.time,
            &mut self.status,
            &mut self.location,
            &mut self.truncated,
            &mut self.body,
        ]);
        let batch = RecordBatch::try_new(Arc::clone(schema), columns)
            .expect("the columns are those of the schema");
        Captures { batch, revisits: self.revisits, others: self.others, cut: self.cut }
    }
}
