//! Normal forms (RFC 9309 section 2.2.2; Koster, A Method for Robots Exclusion, draft 1, November
//! 1996, section 3.2.2).

/// The form in which patterns and subjects are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Octets as they are.
    Raw,
    /// Escapes decoded, but for `%2F`.
    Decoded,
    /// Unreserved octets decoded, what no URL holds escaped, digits in upper case.
    Base,
    /// In patterns escapes in upper case and non-ASCII escaped.
    Cpp,
}

/// A pattern in this form, with its `*` and `$` as they stand.
pub fn of_pattern(value: &[u8], form: Form) -> Vec<u8> {
    match form {
        Form::Raw => value.to_vec(),
        Form::Decoded => decoded(value),
        Form::Base => base(value, b""),
        Form::Cpp => cpp(value),
    }
}

/// A subject in this form.
pub fn of_subject(subject: &[u8], form: Form) -> Vec<u8> {
    match form {
        Form::Raw | Form::Cpp => subject.to_vec(),
        Form::Decoded => decoded(subject),
        Form::Base => base(subject, b"*$"),
    }
}

/// A text in base form with the octets escaped that a query, or any part of a URL, can hold as they
/// are or escaped: those that no URL is cut at anywhere; behind the first `?` also `/` and `?`,
/// where the pattern has a query.
pub fn fold(text: &[u8], query: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut in_query = false;
    for octet in text {
        match octet {
            b':' | b'@' | b'[' | b']' | b'!' | b'\'' | b'(' | b')' | b',' | b';' => {
                out.extend(escape(*octet));
            }
            b'/' | b'?' if in_query && query => out.extend(escape(*octet)),
            _ => out.push(*octet),
        }
        in_query |= *octet == b'?';
    }
    out
}

fn decoded(text: &[u8]) -> Vec<u8> {
    each(text, |octet, escaped| match (octet, escaped) {
        (b'/', true) => b"%2F".to_vec(),
        _ => vec![octet],
    })
}

fn base(text: &[u8], more: &[u8]) -> Vec<u8> {
    each(text, |octet, escaped| {
        let is_unreserved = octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
        let is_illegal = octet >= 0x80
            || octet.is_ascii_control()
            || b" \"<>\\^`{|}".contains(&octet)
            || more.contains(&octet);
        match escaped {
            true if is_unreserved => vec![octet],
            true => escape(octet),
            false if is_illegal => escape(octet),
            false => vec![octet],
        }
    })
}

fn cpp(text: &[u8]) -> Vec<u8> {
    each(text, |octet, escaped| match escaped || octet >= 0x80 {
        true => escape(octet),
        false => vec![octet],
    })
}

/// Replace each octet, or each escape with the octet it stands for; a `%` without two digits is an
/// octet like any other.
fn each(text: &[u8], replace: impl Fn(u8, bool) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        let digits = rest.get(1..3).and_then(|two| std::str::from_utf8(two).ok());
        let is_hex = |two: &&str| two.bytes().all(|o| o.is_ascii_hexdigit());
        match digits.filter(|two| *first == b'%' && is_hex(two)) {
            Some(two) => {
                out.extend(replace(u8::from_str_radix(two, 16).expect("two digits"), true));
                rest = &rest[3..];
            }
            None => {
                out.extend(replace(*first, false));
                rest = behind;
            }
        }
    }
    out
}

fn escape(octet: u8) -> Vec<u8> {
    format!("%{octet:02X}").into_bytes()
}
