//! Tests of `host.rs`.

use verger_core::*;

fn canonical(host: &str) -> Result<String, InvalidTarget> {
    canonical_host(host.as_bytes())
}

#[test]
fn a_host_has_one_form() {
    for (written, host) in [
        ("EXAMPLE.com", "example.com"),
        ("ex%61mple.com", "example.com"),
        ("b%C3%BCcher.example", "xn--bcher-kva.example"),
        ("B\u{dc}CHER.example", "xn--bcher-kva.example"),
        ("\u{ff58}\u{ff4e}--bcher-kva.example", "xn--bcher-kva.example"),
        ("ex\u{ad}ample\u{3002}com", "example.com"),
        ("example.com.", "example.com."),
        ("a!$&'()*+,;=~b", "a!$&'()*+,;=~b"),
        ("127.0.0.1", "127.0.0.1"),
        ("\u{ff11}\u{ff12}\u{ff17}.\u{ff10}.\u{ff10}.\u{ff11}", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0X7F.0X1.", "127.0.0.1"),
        ("0177.0.0.01", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x", "0.0.0.0"),
        ("255.16777215", "255.255.255.255"),
        ("0x7g", "0x7g"),
        ("[0:0::0001]", "[::1]"),
    ] {
        assert_eq!(canonical(written).as_deref(), Ok(host), "{written}");
        assert_eq!(canonical(host).as_deref(), Ok(host), "{host}");
    }
}

#[test]
fn what_is_no_host_in_its_final_form_is_refused() {
    for host in [
        "evil.com\u{ff0f}foo.example",
        "a\u{ff1a}80",
        "a\u{ff20}b",
        "a\u{ff1f}b",
        "a\u{ff03}b",
        "a\u{ff05}b",
        "\u{2100}.example",
        "a\u{3000}b",
        "\u{200b}",
        "\u{ad}",
        ".",
        "..",
        "a..b",
        ".a",
        "a..",
        "127.0.0.1..",
        "a\u{3002}\u{ff0e}b",
        "a.\u{ad}.b",
        "%e2%80%8b",
        "a%2fb",
        "a%ef%bc%8fb",
        "a%00b",
        "a%25b",
        "a%",
        "a%4",
        "a%zz",
        "%ff",
        "a b",
        "a\\b",
        "a\u{7f}b",
        "xn--a",
        "xn--",
        "1.2.3.4.5",
        "1..2",
        "256.1.1.1",
        "1.256.1",
        "4294967296",
        "99999999999999999999999999",
        "+1.1",
        "09",
        "example.1",
        "example.0x",
        "[::1",
        "[::1]x",
        "[fe80::1%25eth0]",
    ] {
        assert_eq!(canonical(host), Err(InvalidTarget::BadHost), "{host}");
    }
    assert_eq!(canonical(""), Err(InvalidTarget::NoAuthority));
}

/// The forbidden domain code points of the URL Standard.
fn is_forbidden(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7F || b"#/:<>?@[\\]^|%".contains(&byte)
}

#[test]
fn every_character_gives_a_host_that_is_its_own_form_or_none() {
    // after the first two planes nothing is mapped to ASCII but tags, which are ignored
    for character in ('\0'..='\u{1ffff}').chain('\u{e0000}'..='\u{e0fff}') {
        for host in [character.to_string(), format!("a{character}b")] {
            let Ok(host) = canonical(&host) else { continue };

            assert!(!host.is_empty() && host.bytes().all(|o| !is_forbidden(o)), "{host}");
            assert_eq!(canonical(&host).as_deref(), Ok(host.as_str()));
        }
    }
}
