//! Normal forms (RFC 9309 section 2.2.2; Koster, A Method for Robots Exclusion, draft 1, November
//! 1996, section 3.2.2).

/// The form in which patterns and subjects are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Bytes as they are.
    Raw,
    /// Escapes decoded, but for `%2F`.
    Decoded,
    /// Unreserved bytes decoded, what no URL holds escaped, digits in upper case.
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

/// A text in base form with the bytes escaped that a query, or any part of a URL, can hold as they
/// are or escaped: those that no URL is cut at anywhere; behind the first `?` also `/` and `?`,
/// where the pattern has a query.
pub fn fold(text: &[u8], query: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut in_query = false;
    for byte in text {
        match byte {
            b':' | b'@' | b'[' | b']' | b'!' | b'\'' | b'(' | b')' | b',' | b';' => {
                out.extend(escape(*byte));
            }
            b'/' | b'?' if in_query && query => out.extend(escape(*byte)),
            _ => out.push(*byte),
        }
        in_query |= *byte == b'?';
    }
    out
}

fn decoded(text: &[u8]) -> Vec<u8> {
    each(text, |byte, escaped| match (byte, escaped) {
        (b'/', true) => b"%2F".to_vec(),
        _ => vec![byte],
    })
}

fn base(text: &[u8], more: &[u8]) -> Vec<u8> {
    each(text, |byte, escaped| {
        let is_unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let is_illegal = byte >= 0x80
            || byte.is_ascii_control()
            || b" \"<>\\^`{|}".contains(&byte)
            || more.contains(&byte);
        match escaped {
            true if is_unreserved => vec![byte],
            true => escape(byte),
            false if is_illegal => escape(byte),
            false => vec![byte],
        }
    })
}

fn cpp(text: &[u8]) -> Vec<u8> {
    each(text, |byte, escaped| match escaped || byte >= 0x80 {
        true => escape(byte),
        false => vec![byte],
    })
}

/// Replace each byte, or each escape with the byte it stands for; a `%` without two digits is an
/// byte like any other.
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

fn escape(byte: u8) -> Vec<u8> {
    format!("%{byte:02X}").into_bytes()
}
