//! Property: any bytes of an archive give records, or word that they are for another reader; more
//! bytes behind a record change nothing, and neither does what was read before.
//!
//! Oracle: the member as it was packed, and for one that is damaged the general reader of `flate2`.

use std::cell::RefCell;
use std::io::{Read, Write};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, Crc};
use verger_bulk::scan::{Members, Next, Plain};

use crate::input::{expanded, parts};

thread_local! {
    // Room for the largest content is made once.
    static MEMBERS: RefCell<Members> = RefCell::default();
}

/// Bytes of a body that are read.
const MOST: usize = 200;

/// Check one input: damage, head of a record, its block, bytes behind it.
pub fn check(data: &[u8]) {
    let data = expanded(data);
    let [damage, head, block, behind] = parts(&data);
    MEMBERS.with_borrow_mut(|members| {
        // Bytes as they are, which hardly ever are a member.
        let _ = told(members, &data);
        let _ = told(members, behind);
        read_member(members, damage, head, block, behind);
    });
    read_response(block);
}

/// What a reader says: a record by value and its length, more, or odd.
type Told = Result<(Vec<u8>, String, Option<String>, bool, Vec<u8>, usize), &'static str>;

fn told(members: &mut Members, bytes: &[u8]) -> Told {
    match members.next(bytes) {
        Next::Record(record, len) => Ok((
            record.kind.to_vec(),
            record.url.to_string(),
            record.time.map(str::to_string),
            record.is_cut,
            record.block.to_vec(),
            len,
        )),
        Next::More => Err("more"),
        Next::Odd => Err("odd"),
    }
}

fn read_member(members: &mut Members, damage: &[u8], head: &[u8], block: &[u8], behind: &[u8]) {
    let content = [head, b"\r\n\r\n", block, b"\r\n\r\n"].concat();
    let mut member = match damage.first().copied().unwrap_or_default() % 4 {
        0 => deflated(&content),
        _ => stored(&content),
    };
    if let [_, at, change, ..] = damage {
        let at = usize::from(*at) % member.len();
        member[at] ^= *change;
    }
    let alone = told(members, &member);
    if let Ok((.., len)) = &alone {
        assert_eq!(*len, member.len(), "a record, and bytes of its member left");
        let mut unpacked = Vec::new();
        let general = GzDecoder::new(&member[..]).read_to_end(&mut unpacked);
        assert!(general.is_ok() && unpacked == content, "a record of a damaged member");
    }
    let followed = told(members, &[&member[..], behind].concat());
    match (&alone, &followed) {
        (Err("more"), _) => {}
        _ => assert_eq!(alone, followed, "bytes behind a member change it"),
    }
    for end in [member.len() / 2, member.len().saturating_sub(1)] {
        match told(members, &member[..end]) {
            Ok(record) => panic!("{record:?} of the beginning of a member"),
            Err("odd") => assert!(alone.is_err(), "odd at first, and a record then"),
            Err(_) => {}
        }
    }
    assert_eq!(told(members, &member), alone, "what was read before changes a member");
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(content).expect("a vector has room");
    packer.finish().expect("a vector has room")
}

/// A member of one block that is not compressed (RFC 1951 section 3.2.4), made without the tables
/// of a packer.
fn stored(content: &[u8]) -> Vec<u8> {
    let len = u16::try_from(content.len()).expect("inputs are short");
    let mut crc = Crc::new();
    crc.update(content);
    [
        &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1][..],
        &len.to_le_bytes(),
        &(!len).to_le_bytes(),
        content,
        &crc.sum().to_le_bytes(),
        &u32::from(len).to_le_bytes(),
    ]
    .concat()
}

fn read_response(block: &[u8]) {
    let Some(plain) = Plain::read(block, MOST) else { return };
    assert!((0..1000).contains(&plain.status));
    if let Some(body) = plain.body {
        assert_eq!(plain.status / 100, 2);
        assert!(body.len() <= MOST && body.end == block.len());
        assert!(block[..body.start].ends_with(b"\r\n\r\n"));
    }
    if let Some(location) = plain.location {
        assert_eq!(plain.status / 100, 3);
        let url = &block[location];
        assert!(url.starts_with(b"http://") || url.starts_with(b"https://"));
        assert!(url.iter().all(u8::is_ascii_graphic));
    }
}
