//! URLs that analyses of rules are tested with: of a few pieces, and such that rules were written
//! for.

use verger_core::File;

/// What targets are made of; no seed holds an `x`.
const PIECES: [&[u8]; 9] = [b"/", b"a", b"b", b"?", b":", b"%3A", b"%2F", b"%3F", b"x"];
/// Pieces of a target behind its `/`, for files so short that patterns have no more.
pub const MOST_PIECES: usize = 3;
/// Targets of no more than two pieces, which are asked about in any file.
pub const OF_TWO_PIECES: usize = 1 + PIECES.len() + PIECES.len() * PIECES.len();

/// Every URL of the pieces, shorter ones first.
pub fn of_pieces() -> &'static [Vec<u8>] {
    static URLS: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    URLS.get_or_init(|| {
        let mut urls = vec![b"http://e.com/".to_vec()];
        let mut from = 0;
        for _ in 0..MOST_PIECES {
            let until = urls.len();
            for at in from..until {
                let longer = PIECES.map(|piece| [&urls[at][..], piece].concat());
                urls.extend(longer);
            }
            from = until;
        }
        urls
    })
}

/// URLs that rules were probably written for: as written, without `*`, with something in its place,
/// and with something behind.
pub fn of_rules(file: &File) -> Vec<Vec<u8>> {
    let mut urls = Vec::new();
    for rule in file.groups().rules() {
        let value = rule.value().of(file.bytes());
        let value = value.strip_suffix(b"$").unwrap_or(value);
        for star in [&b""[..], b"x", b"*"] {
            let filled: Vec<u8> = value
                .iter()
                .flat_map(|byte| if *byte == b'*' { star } else { std::slice::from_ref(byte) })
                .copied()
                .collect();
            let filled = filled.strip_prefix(b"/").unwrap_or(&filled);
            for end in [&b""[..], b"x", b"/"] {
                urls.push([b"http://e.com/", filled, end].concat());
            }
        }
    }
    urls
}
