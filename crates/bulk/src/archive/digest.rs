//! Digests of records: whether a block is the one that its `WARC-Block-Digest` was made of.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

/// Whether a block is not two halves of others that fit together. True if what is written is in no
/// algorithm that is known here, or neither in hexadecimal nor in base 32.
///
/// content:  gives out the block, a part at a time.
pub fn is_of_digest<E>(written: &[u8], content: Content<E>) -> Result<bool, E> {
    let colon = memchr::memchr(b':', written).unwrap_or(written.len());
    let name = written[..colon].iter().filter(|byte| **byte != b'-');
    let name: Vec<u8> = name.map(u8::to_ascii_lowercase).collect();
    let text = written.get(colon + 1..).unwrap_or_default();
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let text = &text[..text.len() - padding];
    match &name[..] {
        b"md5" => is_text_of::<Md5, E>(content, text),
        b"sha1" => is_text_of::<Sha1, E>(content, text),
        b"sha256" => is_text_of::<Sha256, E>(content, text),
        b"sha512" => is_text_of::<Sha512, E>(content, text),
        _ => Ok(true),
    }
}

type Content<'c, E> = &'c mut dyn FnMut(&mut dyn FnMut(&[u8])) -> Result<(), E>;

fn is_text_of<D: Digest, E>(content: Content<E>, text: &[u8]) -> Result<bool, E> {
    let size = <D as Digest>::output_size();
    let write = match text.len() {
        length if length == 2 * size => hexadecimal,
        length if length == (8 * size).div_ceil(5) => base_32,
        _ => return Ok(true),
    };
    let mut digest = D::new();
    content(&mut |part| digest.update(part))?;
    Ok(text.eq_ignore_ascii_case(&write(&digest.finalize())))
}

fn hexadecimal(digest: &[u8]) -> Vec<u8> {
    let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
    digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// RFC 4648 section 6, without padding.
fn base_32(digest: &[u8]) -> Vec<u8> {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let five = |group: &[u8]| {
        let mut bytes = [0; 8];
        bytes[3..3 + group.len()].copy_from_slice(group);
        let bits = u64::from_be_bytes(bytes);
        let letters = (8 * group.len()).div_ceil(5);
        (0..letters).map(move |at| LETTERS[(bits >> (35 - 5 * at)) as usize % 32])
    };
    digest.chunks(5).flat_map(five).collect()
}
