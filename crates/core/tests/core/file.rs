//! Tests of `file.rs`.

use verger_core::dialect::Dialect;
use verger_core::dialect::{DIALECTS, GOOGLE};
use verger_core::*;

/// The spans of all lines, read and unread.
fn spans(file: &File) -> Vec<(u32, u32)> {
    let read = file.lines().into_iter().map(|line| line.raw);
    read.chain(file.unread_lines()).map(|line| (line.content.start, line.next)).collect()
}

#[test]
fn spans_tile_the_file_wherever_a_limit_cuts_it() {
    let text = b"\xEF\xBB\xBFUser-agent: a\r\nDisallow: /x\n\rAllow: /y # z\r\n\r\n";
    for limit in 0..=text.len() as u64 {
        for dialect in DIALECTS {
            let file = File::parse(text, &Dialect { parse_limit: Some(limit), ..dialect });
            let mut at = 0;
            for (start, next) in spans(&file) {
                assert_eq!(start, at, "{} {limit}", dialect.name);
                at = next;
            }
            assert_eq!(at as usize, text.len());
        }
    }
}

#[test]
fn lines_know_their_group() {
    let text = b"Sitemap: s\nUser-agent: a\nCrawl-delay: 1\nDisallow: /\nUser-agent: b\n";
    let file = File::parse(text, &GOOGLE);
    let groups: Vec<_> = file.lines().iter().map(|line| line.group).collect();

    assert_eq!(groups, [None, Some(0), Some(0), Some(0), Some(1)]);
}

#[test]
fn utf16_is_read_where_the_dialect_decodes_it() {
    let text = "User-agent: *\nDisallow: /ツ\n".encode_utf16().flat_map(u16::to_le_bytes);
    let bytes = [vec![0xFF, 0xFE], text.collect()].concat();
    let decoding = Dialect { decode_utf16: true, ..GOOGLE };

    assert_eq!(File::parse(&bytes, &GOOGLE).groups().len(), 0);
    assert_eq!(File::parse(&bytes, &decoding).groups().rules().len(), 1);
}
