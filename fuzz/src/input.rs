//! Inputs: how the bytes of the fuzzer become files, URLs, tokens and dialects.
//!
//! An input is text that a person can write: parts divided by [`DIVIDER`], the last of which may
//! hold anything. Where it begins with `~`, each byte above 0x7F stands for one of [`ATOMS`], so
//! that few bytes make many rules, and rules and URLs often meet.

use arbitrary::Unstructured;
use verger_core::dialect::{KnobValue, KNOBS};
use verger_core::{Dialect, Field, Fields, DIALECTS};

/// Divides the parts of an input: the unit separator of ASCII.
pub const DIVIDER: u8 = 0x1f;
/// Divides several URLs, or several tokens: the record separator of ASCII.
pub const SEPARATOR: u8 = 0x1e;

/// The input itself, or what its atoms stand for.
pub fn expanded(data: &[u8]) -> Vec<u8> {
    let Some(atoms) = data.strip_prefix(b"~") else { return data.to_vec() };
    let mut out = Vec::with_capacity(2 * atoms.len());
    for byte in atoms {
        match byte.checked_sub(0x80) {
            Some(number) => out.extend_from_slice(ATOMS[number as usize % ATOMS.len()]),
            None => out.push(*byte),
        }
    }
    out
}

/// The first N parts; those that are not there are empty.
pub fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut parts = data.splitn(N, |byte| *byte == DIVIDER);
    [(); N].map(|()| parts.next().unwrap_or_default())
}

/// The items of a part, at most so many.
pub fn items(part: &[u8], most: usize) -> Vec<&[u8]> {
    part.split(|byte| *byte == SEPARATOR).take(most).collect()
}

/// The dialect that a digit stands for, or any other byte.
pub fn dialect(byte: Option<&u8>) -> Dialect {
    let number = byte.map_or(3, |byte| byte.wrapping_sub(b'0') as usize);
    DIALECTS[number % DIALECTS.len()]
}

/// A dialect with some of its knobs turned.
pub fn turned(dialect: Dialect, choices: &[u8]) -> Dialect {
    let mut choices = Unstructured::new(choices);
    let mut turned = dialect;
    while !choices.is_empty() {
        let knob = &KNOBS[choices.choose_index(KNOBS.len()).unwrap_or_default()];
        let value = match turned.get(knob.name).expect("the knob exists") {
            KnobValue::Bool(yes) => KnobValue::Bool(!yes),
            KnobValue::Choice(_) => KnobValue::Choice(choices.choose(knob.choices).unwrap_or(&"")),
            KnobValue::Number(_) => {
                KnobValue::Number(choices.arbitrary::<u8>().map_or(0, u64::from))
            }
            KnobValue::Limit(_) => {
                let limit = choices.arbitrary::<u8>().unwrap_or_default();
                KnobValue::Limit((limit > 0).then_some(u64::from(limit)))
            }
            KnobValue::Fields(fields) => {
                let field = choices.choose(Field::ALL).copied().unwrap_or(Field::Sitemap);
                KnobValue::Fields(match fields.contains(field) || field.is_core() {
                    true => Fields::EVERY,
                    false => fields.with(field),
                })
            }
        };
        turned = turned.with(knob.name, &value).unwrap_or(turned);
    }
    turned
}

/// Parts of a pattern with more stars than an analysis examines.
const MANY_STARS: &str = concat!(
    "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a",
    "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a",
);

/// What robots.txt files, URLs and product tokens are made of.
pub const ATOMS: &[&[u8]] = &[
    b"\nUser-agent: *\nDisallow: /",
    b"\nUser-agent: a\nDisallow: /",
    b"\nUser-agent: ",
    b"\nDisallow: /",
    b"\nAllow: /",
    b"\nDisallow: *",
    b"\nAllow: *",
    b"\nDisallow:",
    b"\nAllow:",
    b"\nDisallow: ",
    b"\nAllow: ",
    b"\nuseragent: a",
    b"\nuser agent: a",
    b"\nUser-agent a",
    b"\ndissallow: /",
    b"\nDisallow /",
    b"\nAllowed: /",
    b"\nDisallow-all: /",
    b"\nSitemap: https://e.com/s",
    b"\nCrawl-delay: 1",
    b"\nRequest-rate: 1/10s 0600-0845",
    b"\nVisit-time: 2200-0200",
    b"\nClean-param: a&b /",
    b"\nHost: e.com",
    b"\nContent-Signal: search=yes, ai-train=no",
    b"\nContent-Usage: /a train-ai=n",
    b"\nNoindex: /",
    b"\nlicense: https://e.com/l",
    b"\nx: y",
    b"\nx",
    b"\n\n",
    b"\n#\n",
    b"\n \t\n",
    b"\r\n",
    b"\r",
    b"\n",
    b"#",
    b" ",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\0",
    b":",
    b"*",
    b"**",
    b"$",
    b"*$",
    b"/*",
    b"/",
    b"//",
    b"?",
    b"&",
    b"=",
    b"@",
    b"!",
    b"'",
    b"(",
    b")",
    b"[",
    b"]",
    b",",
    b";",
    b"+",
    b"~",
    b"-",
    b"_",
    b".",
    b"%",
    b"%2A",
    b"%24",
    b"%2F",
    b"%2f",
    b"%3F",
    b"%3A",
    b"%3a",
    b"%40",
    b"%21",
    b"%5B",
    b"%2C",
    b"%3B",
    b"%61",
    b"%7E",
    b"%7e",
    b"%25",
    b"%00",
    b"%0A",
    b"%23",
    b"%20",
    b"%C3%A9",
    b"%c3%a9",
    b"%E3%83%84",
    b"%zz",
    b"%2",
    "é".as_bytes(),
    "ツ".as_bytes(),
    b"\xff",
    b"\x80",
    b"\xef\xbb\xbf",
    b"\xef\xbb",
    b"\"",
    b"<",
    b"\\",
    b"^",
    MANY_STARS.as_bytes(),
    b"{",
    b"|",
    b"\x7f",
    b"\x01",
    b"aaaa",
    b"ab",
    b"ba",
    b"b",
    b"A",
    b"/a/b",
    b"/index.html",
    b"/index.htm",
    b"/robots.txt",
    b"bot",
    b"a/1.0",
    b"yandex",
    b"http://e.com",
    b"https://e.com/a",
    b"://",
    &[DIVIDER],
    &[SEPARATOR],
    b"MJ12bot",
    b"12",
    b"* ",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_an_atom_for_every_byte() {
        assert_eq!(ATOMS.len(), 128);
    }

    #[test]
    fn parts_and_items_are_divided() {
        assert_eq!(parts::<3>(b"a\x1fb\x1fc\x1fd"), [&b"a"[..], b"b", b"c\x1fd"]);
        assert_eq!(parts::<2>(b"a"), [&b"a"[..], b""]);
        assert_eq!(items(b"a\x1eb", 4), [b"a", b"b"]);
    }

    #[test]
    fn atoms_stand_for_texts() {
        assert_eq!(expanded(b"~\x83x"), b"\nDisallow: /x");
        assert_eq!(expanded(b"\x83x"), b"\x83x");
    }
}
