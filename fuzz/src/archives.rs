//! Property: an archive says the same behind a sound record as alone, in whatever blocks it is read,
//! and what cannot be read is told in order, at places that are in the file.
//!
//! Oracle: the same archive alone; the sound record, of which nothing is lost.

use std::convert::Infallible;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use verger_bulk::archive::{ArchiveReader, Clerk, Ended, Field, FoundFile, Octets};

/// A record that nothing is wrong with.
const SOUND: &[u8] = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:0>\r\n\
    WARC-Target-URI: https://sound.example/robots.txt\r\nWARC-Date: 2026-06-01T12:00:00Z\r\n\
    Content-Length: 33\r\n\r\nHTTP/1.1 200 OK\r\n\r\nUser-agent: *\n\r\n\r\n";

/// How the archive is packed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Not at all.
    Plain,
    /// As the input has it.
    Given,
    /// In members that are sound.
    Members,
}

/// Check one input: a byte for the form, and the archive.
pub fn check(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else { return };
    let form = [Form::Plain, Form::Given, Form::Members][usize::from(*choice % 3)];
    let archive = match form {
        Form::Plain | Form::Given => rest.to_vec(),
        Form::Members => rest.split(|byte| *byte == 0x1f).flat_map(member).collect(),
    };
    let sound = if form == Form::Plain { SOUND.to_vec() } else { member(SOUND) };
    // line ends would be those of the record before
    if form == Form::Plain && matches!(rest.first(), Some(b'\r' | b'\n')) {
        return;
    }
    let with_broken = *choice & 0x80 != 0;
    let alone = Said::by(&archive, form, with_broken);
    let behind = Said::by(&[&sound[..], &archive].concat(), form, with_broken);
    assert_eq!(behind.rows.first().map(|row| &row.0[..]), Some("https://sound.example/robots.txt"));
    assert_eq!(behind.rows[1..], alone.rows);
    let moved = alone.skips.iter().map(|(at, why)| (at + sound.len() as u64, why.clone()));
    assert_eq!(behind.skips, moved.collect::<Vec<_>>());
    assert_eq!(behind.counts, alone.counts);
    assert!(alone.skips.iter().all(|(at, _)| *at < archive.len() as u64));
    assert!(alone.skips.windows(2).all(|two| two[0].0 <= two[1].0));
}

type Row = (String, Option<i32>, Option<Vec<u8>>);

/// What an archive says.
#[derive(Default)]
struct Said {
    rows: Vec<Row>,
    skips: Vec<(u64, String)>,
    counts: [u64; 3],
}

impl Said {
    fn by(archive: &[u8], form: Form, with_broken: bool) -> Said {
        let (mut said, size) = (Said::default(), archive.len() as u64);
        let mut reader = ArchiveReader::new(Bytes(archive), size, form != Form::Plain, with_broken);
        while let Some(found) = reader.next(&mut said).unwrap_or_else(|_| panic!("no room")) {
            said.rows.extend(rows(&found.batch));
            for (all, some) in said.counts.iter_mut().zip([found.revisits, found.others, found.cut])
            {
                *all += some;
            }
        }
        assert!(reader.has_record() || said.rows.is_empty());
        said
    }
}

fn rows(batch: &RecordBatch) -> Vec<Row> {
    let column = |name: &str| Arc::clone(batch.column_by_name(name).expect("a column"));
    let (url, status, body) = (column("url"), column("status"), column("body"));
    let (url, body) = (url.as_string::<i32>(), body.as_binary::<i32>());
    let status = status.as_primitive::<arrow_array::types::Int32Type>();
    let row = |at: usize| {
        let body = body.is_valid(at).then(|| body.value(at).to_vec());
        (url.value(at).to_string(), status.is_valid(at).then(|| status.value(at)), body)
    };
    (0..batch.num_rows()).map(row).collect()
}

impl Clerk for Said {
    type Error = Infallible;

    fn moment(&mut self, written: &[u8]) -> Result<Option<i64>, Infallible> {
        Ok((written.len() % 2 == 0).then_some(0))
    }

    fn target(&mut self, url: &str, _: &[u8]) -> Result<String, Infallible> {
        Ok(url.to_string())
    }

    fn file(
        &mut self,
        _: u16,
        _: &[Field],
        body: &[u8],
        ended: Ended,
    ) -> Result<FoundFile, Infallible> {
        let problem = if ended == Ended::Broken { "broken".to_string() } else { String::new() };
        Ok(FoundFile { data: body.to_vec(), is_cut: ended == Ended::Limit, problem })
    }

    fn skip(&mut self, offset: u64, why: &str) -> Result<(), Infallible> {
        self.skips.push((offset, why.to_string()));
        Ok(())
    }
}

struct Bytes<'b>(&'b [u8]);

impl Octets for Bytes<'_> {
    type Error = Infallible;

    fn read(&mut self, at: u64, most: usize, into: &mut Vec<u8>) -> Result<(), Infallible> {
        let begin = self.0.len().min(at as usize);
        into.extend_from_slice(&self.0[begin..self.0.len().min(begin + most)]);
        Ok(())
    }
}

/// A gzip member of one stored block (RFC 1951 section 3.2.4, RFC 1952 section 2.3).
fn member(content: &[u8]) -> Vec<u8> {
    let content = &content[..content.len().min(usize::from(u16::MAX))];
    let length = content.len() as u16;
    let mut all = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01".to_vec();
    all.extend(length.to_le_bytes());
    all.extend((!length).to_le_bytes());
    all.extend(content);
    all.extend(checksum(content).to_le_bytes());
    all.extend(u32::from(length).to_le_bytes());
    all
}

/// CRC-32 (RFC 1952 section 8).
fn checksum(content: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        let shifted = |sum: u32, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        (0..8).fold(sum ^ u32::from(*byte), shifted)
    };
    !content.iter().fold(u32::MAX, step)
}
