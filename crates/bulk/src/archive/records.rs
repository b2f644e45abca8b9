//! The records of an archive, one after the other, and its damaged places.
//!
//! In: a WARC file, of gzip members or plain. Out: what an undamaged record holds, or why the place
//! cannot be read. A member counts if its checksum is correct; behind a damaged one, reading continues
//! at the next whose content begins like a record. A member may hold many records; one that the file
//! cuts off counts up to its last whole record.

use std::borrow::Cow;
use std::io;

use memchr::memmem;
use zlib_rs::{Inflate, InflateFlush, Status};

use crate::archive::digest::is_of_digest;
use crate::archive::octets::{in_memory, Memory, Octets, SpilledContent, View, Window};
use crate::archive::record::{
    begins_record, record, Head, Holder, Name, Problem, Record, Search, LONGEST_TRAILER, MOST_READ,
};
use crate::spilled::Spilled;

/// Packed bytes that are unpacked at once.
const STEP: usize = 1 << 14;
/// The most bytes that are unpacked at once: a member may hold a thousand times its size.
const PART: usize = 1 << 16;
/// So few bytes at once are unpacked by the slower way, which knows what is wrong with a member; the
/// faster one forgets it.
const SLOW: usize = 256;
/// gzip, with the largest window.
const GZIP: u8 = 16 + 15;
/// What a member begins with.
const MEMBER: &[u8] = b"\x1f\x8b\x08";
/// Bytes that show whether a member holds a record, packed and unpacked.
const SHOWN: (usize, usize) = (4_096, 64);

const CUT_OFF: &str = "the file ends within a gzip member";

/// Why an archive cannot be read on.
#[derive(Debug)]
pub enum ReadError<E> {
    /// The archive cannot be read, or what is asked about it has no answer.
    Asked(E),
    /// There is no room for a member that is too long for memory.
    Spilled(io::Error),
}

/// Reads the records of a file.
pub struct Records<O> {
    file: Window<O>,
    is_packed: bool,
    at: u64,
    head: Head,
    member: Option<Member>,
    content: Vec<u8>,
    part: Vec<u8>,
}

/// A member whose records are being read.
struct Member {
    at: u64,
    /// Where reading continues behind it.
    end: u64,
    /// The bytes of its content.
    length: u64,
    problem: Option<Problem>,
    /// Where the next record begins in its content.
    next: u64,
    /// How many records were read from it.
    read: u64,
    /// Its content, if that is too long for memory.
    spilled: Option<Window<SpilledContent>>,
}

impl Member {
    /// Whether it holds one record and no more.
    fn is_one_record(&self) -> bool {
        self.read == 1 && self.next + LONGEST_TRAILER as u64 >= self.length
    }

    /// Whether a record of it counts that ends here. Of a damaged member none does, for nothing shows
    /// which are sound; of one that the file cuts off all but the last, which may be incomplete.
    fn is_sure(&self, end: u64, size: u64) -> bool {
        match &self.problem {
            None => true,
            Some(why) => why == CUT_OFF && self.end >= size && end < self.length,
        }
    }
}

impl<O: Octets> Records<O> {
    /// Begin with a file of so many bytes, which consists of gzip members or is plain.
    pub fn new(octets: O, size: u64, is_packed: bool) -> Records<O> {
        Records {
            file: Window::new(octets, size),
            is_packed,
            at: 0,
            head: Head::default(),
            member: None,
            content: Vec::new(),
            part: vec![0; PART],
        }
    }

    /// The next record or damaged place; none at the end.
    pub fn next(&mut self) -> Result<Option<Record>, ReadError<O::Error>> {
        let size = self.file.size();
        while self.member.is_some() || self.at < size {
            if !self.is_packed {
                let found = record(&mut self.file, &mut self.head, self.at, size, Holder::File);
                let found = found.map_err(ReadError::Asked)?;
                self.at = found.end;
                return Ok(Some(found));
            }
            let mut member = match self.member.take() {
                Some(member) => member,
                None => self.begin_member()?,
            };
            let at = member.at;
            if let Some(found) = self.next_of(&mut member)? {
                self.member = Some(member);
                return Ok(Some(Record { offset: at, ..found }));
            }
            self.at = member.end;
            if member.problem.is_some() || member.length == 0 {
                let problem = member.problem;
                return Ok(Some(Record { offset: at, problem, ..Record::default() }));
            }
        }
        Ok(None)
    }

    /// The content of the last record, as far as it is kept in memory, and its header.
    pub fn block(&mut self, record: &Record) -> Result<(&[u8], &Head), ReadError<O::Error>> {
        let most = record.length.min(MOST_READ as u64) as usize;
        let kept = (&mut self.member, &mut self.file, &self.content[..]);
        Ok((content_at(kept, record.block, most)?, &self.head))
    }

    /// Whether a checksum shows that the last record is whole: that of its own member, or its digest,
    /// if it has one. What was packed together may have been torn before.
    pub fn is_whole(&mut self, record: &Record) -> Result<bool, ReadError<O::Error>> {
        if self.member.as_ref().is_some_and(Member::is_one_record) {
            return Ok(true);
        }
        let written = self.head.get(Name::Digest).unwrap_or_default().to_vec();
        is_of_digest(&written, &mut |take| self.give_out(record, take))
    }

    fn give_out(
        &mut self,
        record: &Record,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), ReadError<O::Error>> {
        let (mut at, end) = (record.block, record.block + record.length);
        while at < end {
            let kept = (&mut self.member, &mut self.file, &self.content[..]);
            let part = content_at(kept, at, (end - at).min(PART as u64) as usize)?;
            at += part.len().max(1) as u64;
            take(part);
        }
        Ok(())
    }

    /// The header of the last record.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The next record of a member, if there is one that counts.
    fn next_of(&mut self, member: &mut Member) -> Result<Option<Record>, ReadError<O::Error>> {
        let (at, length, size) = (member.next, member.length, self.file.size());
        if at >= length || !member.is_sure(at, size) {
            return Ok(None);
        }
        let found = match &mut member.spilled {
            Some(content) => record(content, &mut self.head, at, length, Holder::Member)
                .map_err(ReadError::Spilled)?,
            None => self.in_memory(at, length),
        };
        member.next = found.end;
        member.read += 1;
        Ok(Some(found).filter(|found| member.is_sure(found.end, size)))
    }

    fn in_memory(&mut self, at: u64, length: u64) -> Record {
        let content = &mut Memory(&self.content);
        let Ok(found) = record(content, &mut self.head, at, length, Holder::Member);
        found
    }

    /// Unpack the member that begins here, to memory or, if it is long, to a temporary file.
    fn begin_member(&mut self) -> Result<Member, ReadError<O::Error>> {
        let at = self.at;
        self.content.clear();
        let content = &mut self.content;
        let mut keep = |part: &[u8]| {
            if content.len() < MOST_READ {
                content.extend_from_slice(part);
            }
        };
        let found =
            unpack(&mut self.file, at, &mut self.part, &mut keep).map_err(ReadError::Asked)?;
        let (length, mut end, problem) = found;
        if problem.is_some() {
            end = self.next_member(at + 1).map_err(ReadError::Asked)?;
        }
        let mut member = Member { at, end, length, problem, next: 0, read: 0, spilled: None };
        let is_read = member.is_sure(0, self.file.size());
        if (self.content.len() as u64) < length && is_read && !self.is_one(length) {
            let spilled = Spilled::default();
            let mut spill = |part: &[u8]| {
                spilled.put(part);
            };
            unpack(&mut self.file, at, &mut self.part, &mut spill).map_err(ReadError::Asked)?;
            match spilled.take_failure() {
                Some(failure) => return Err(ReadError::Spilled(failure)),
                None => {
                    member.spilled = Some(Window::new(SpilledContent { spilled, length }, length))
                }
            }
        }
        Ok(member)
    }

    /// Whether a member of this length holds no more than one record.
    fn is_one(&mut self, length: u64) -> bool {
        let first = self.in_memory(0, length);
        first.problem.is_none() && first.end + LONGEST_TRAILER as u64 >= length
    }

    /// Where the next member begins whose content begins like a record; the end of the file if there
    /// is none.
    fn next_member(&mut self, mut at: u64) -> Result<u64, O::Error> {
        let mut search = Search::new();
        while at < self.file.size() {
            let (mut from, mut searched) = (0, usize::MAX);
            while from < searched {
                let data = self.file.at(at, search.most)?;
                searched = data.len();
                let Some(found) = memmem::find(&data[from..], MEMBER) else { break };
                from += found;
                let place = at + from as u64;
                if holds_record(self.file.peek(place, SHOWN.0)?) {
                    return Ok(place);
                }
                from += MEMBER.len();
            }
            match search.step(searched) {
                Some(step) => at += step,
                None => break,
            }
        }
        Ok(self.file.size())
    }
}

/// What is being read: a member if there is one, else the file; and what is in memory of a member.
type Kept<'k, O> = (&'k mut Option<Member>, &'k mut Window<O>, &'k [u8]);

fn content_at<O: Octets>(
    (member, file, content): Kept<'_, O>,
    at: u64,
    most: usize,
) -> Result<&[u8], ReadError<O::Error>> {
    Ok(match member {
        None => file.at(at, most).map_err(ReadError::Asked)?,
        Some(Member { spilled: Some(content), .. }) => {
            content.at(at, most).map_err(ReadError::Spilled)?
        }
        Some(_) => in_memory(content, at, most),
    })
}

/// Give out the content of the member that begins at a place; return its length, where it ends, and
/// what is wrong with it. It is unpacked in small parts, however well it is compressed.
fn unpack<V: View>(
    view: &mut V,
    begin: u64,
    part: &mut [u8],
    take: &mut dyn FnMut(&[u8]),
) -> Result<(u64, u64, Option<Problem>), V::Error> {
    let (mut inflate, mut at) = (Inflate::new(true, GZIP), begin);
    loop {
        let packed = view.at(at, STEP)?;
        if packed.is_empty() {
            return Ok((inflate.total_out(), at, Some(Cow::Borrowed(CUT_OFF))));
        }
        let (read, written) = (inflate.total_in(), inflate.total_out());
        // `Finish` keeps no window of what is unpacked at once
        let step = inflate.decompress(packed, part, InflateFlush::Finish);
        if step.is_err() {
            if part.len() > SLOW {
                return unpack(view, begin, &mut part[..SLOW], &mut |_| ());
            }
            let why = inflate.error_message().unwrap_or_default();
            return Ok((written, at, Some(format!("broken gzip member: {why}").into())));
        }
        at += inflate.total_in() - read;
        take(&part[..(inflate.total_out() - written) as usize]);
        if step == Ok(Status::StreamEnd) {
            return Ok((inflate.total_out(), at, None));
        }
    }
}

/// Whether a member begins here whose content begins like a record.
fn holds_record(packed: &[u8]) -> bool {
    let (mut inflate, mut begin) = (Inflate::new(true, GZIP), [0; SHOWN.1]);
    let is_sound = inflate.decompress(packed, &mut begin, InflateFlush::SyncFlush).is_ok();
    is_sound && begins_record(&begin[..inflate.total_out() as usize])
}
