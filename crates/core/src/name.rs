//! Names: the characters of which a crawler's name consists, in every dialect.
//!
//! In: a text. Out: the name that it is, or begins with. Those of a token (RFC 9110 section 5.6.2)
//! except `#`, `*` and `|`, and letters outside ASCII; see [`check_product_token`](crate::check_product_token).

use std::collections::HashSet;

/// The names that values of start-group lines begin with, but for `*`: each once, as it is written
/// first.
pub fn names_of<V: AsRef<str>>(values: impl IntoIterator<Item = V>) -> Vec<String> {
    let mut known = HashSet::new();
    let mut names = Vec::new();
    for value in values {
        let name = leading_name(value.as_ref());
        if !matches!(name, "" | "*") && known.insert(name.to_ascii_lowercase()) {
            names.push(name.to_string());
        }
    }
    names
}

/// The name that a value of a start-group line begins with; `*` for those that no group names.
///
/// RFC 9309 section 2.3.1.5: the parts of a malformed line that can be parsed are used.
pub fn leading_name(value: &str) -> &str {
    let value = value.trim_start();
    let end = value.find(|c| !is_name_character(c)).unwrap_or(value.len());
    match value.starts_with('*') {
        true => "*",
        false => &value[..end],
    }
}

/// Whether a character may be in a crawler's name.
pub fn is_name_character(c: char) -> bool {
    match c {
        'A'..='Z' | 'a'..='z' | '0'..='9' => true,
        '!' | '$' | '%' | '&' | '\'' | '+' | '-' | '.' | '^' | '_' | '`' | '~' => true,
        // Combining Diacritical Marks, and their Supplement: some count as alphabetic.
        '\u{300}'..='\u{36F}' | '\u{1DC0}'..='\u{1DFF}' => false,
        _ => !c.is_ascii() && c.is_alphabetic(),
    }
}

/// Whether a text is a crawler's name in every dialect.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_character)
}
