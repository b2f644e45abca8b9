//! Tests of `logs/lines.rs`.

use std::convert::Infallible;
use verger_bulk::logs::lines::*;

fn lines_of(chunks: &[&[u8]]) -> Vec<(u64, Option<Vec<u8>>)> {
    let (mut lines, mut found) = (Lines::default(), Vec::new());
    let mut take = |number, line: Option<&[u8]>| -> Result<(), Infallible> {
        found.push((number, line.map(<[u8]>::to_vec)));
        Ok(())
    };
    for chunk in chunks {
        lines.feed(chunk, &mut take).unwrap();
    }
    lines.finish(&mut take).unwrap();
    found
}

#[test]
fn lines_do_not_depend_on_chunks() {
    let long = vec![b'x'; LONGEST];
    let longer = vec![b'x'; LONGEST + 1];
    let text = [
        b"\xEF\xBB\xBFa\r\n\n b \n".as_slice(),
        &long,
        b"\n",
        &longer,
        b"\nc\0\n",
        &longer,
        b"\n",
        b"d",
    ]
    .concat();
    let whole = lines_of(&[&text]);
    for size in [1, 2, 3, 7, 4_096, LONGEST, LONGEST + 1, LONGEST + 2] {
        let chunks: Vec<&[u8]> = text.chunks(size).collect();

        assert_eq!(lines_of(&chunks), whole, "{size}");
    }
    assert_eq!(whole[0], (1, Some(b"a".to_vec())));
    assert_eq!(whole[1], (2, Some(Vec::new())));
    assert_eq!(whole[2], (3, Some(b" b".to_vec())));
    assert_eq!(whole[3], (4, Some(long)));
    assert_eq!(whole[4], (5, None));
    assert_eq!(whole[5], (6, Some(b"c\0".to_vec())));
    assert_eq!(whole[6], (7, None));
    assert_eq!(whole[7], (8, Some(b"d".to_vec())));
    assert_eq!(whole.len(), 8);
}

#[test]
fn lines_end_in_cr_or_lf_or_both() {
    let text = b"a\rb\r\nc\r\r\nd\n\ne\n\rf\r";
    let lines = ["a", "b", "c", "", "d", "", "e", "", "f"];
    for size in 1..=text.len() {
        let chunks: Vec<&[u8]> = text.chunks(size).collect();
        let found: Vec<Vec<u8>> =
            lines_of(&chunks).into_iter().filter_map(|(_, line)| line).collect();

        assert_eq!(found, lines.map(|line| line.as_bytes().to_vec()), "{size}");
    }
    assert_eq!(lines_of(&[b"a\r", b"", b"\nb"]).len(), 2);
}

#[test]
fn an_empty_input_has_no_line() {
    assert_eq!(lines_of(&[]), []);
    assert_eq!(lines_of(&[b"", b""]), []);
    assert_eq!(lines_of(&[b"\n"]), [(1, Some(Vec::new()))]);
}
