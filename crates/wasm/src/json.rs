//! JSON: how values cross to JavaScript, which reads it faster than it makes objects one by one.
//!
//! Bytes that are not UTF-8 are lone surrogates, as in Python: `\udcff` is the byte 0xFF.

use std::fmt::Write;

/// A value that can be written.
pub trait Json {
    /// Append it.
    fn write(&self, out: &mut String);

    /// The text of it alone.
    fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

/// Bytes of a file or a URL, as text.
pub struct Text<'b>(pub &'b [u8]);

/// The items of an iterator, as an array.
pub struct Items<I>(pub I);

/// What a function writes.
pub struct Written<F: Fn(&mut String)>(pub F);

impl Json for Text<'_> {
    fn write(&self, out: &mut String) {
        out.push('"');
        for chunk in self.0.utf8_chunks() {
            escape(chunk.valid(), out);
            for byte in chunk.invalid() {
                let _ = write!(out, "\\udc{byte:02x}");
            }
        }
        out.push('"');
    }
}

fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        out.push_str(&rest[..at]);
        escape_byte(rest.as_bytes()[at], out);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

fn escape_byte(byte: u8, out: &mut String) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        0x08 => out.push_str("\\b"),
        0x0c => out.push_str("\\f"),
        other => {
            let _ = write!(out, "\\u{other:04x}");
        }
    }
}

impl Json for str {
    fn write(&self, out: &mut String) {
        Text(self.as_bytes()).write(out);
    }
}

impl Json for String {
    fn write(&self, out: &mut String) {
        self.as_str().write(out);
    }
}

impl Json for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

macro_rules! numbers {
    ($($kind:ty)*) => { $(
        impl Json for $kind {
            fn write(&self, out: &mut String) {
                let _ = write!(out, "{self}");
            }
        }
    )* };
}

numbers! { u16 u32 u64 usize }

impl<T: Json + ?Sized> Json for &T {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }
}

impl<T: Json> Json for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

impl<A: Json, B: Json> Json for (A, B) {
    fn write(&self, out: &mut String) {
        out.push('[');
        self.0.write(out);
        out.push(',');
        self.1.write(out);
        out.push(']');
    }
}

impl<I: Iterator<Item: Json> + Clone> Json for Items<I> {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (number, item) in self.0.clone().enumerate() {
            if number > 0 {
                out.push(',');
            }
            item.write(out);
        }
        out.push(']');
    }
}

impl<T: Json> Json for [T] {
    fn write(&self, out: &mut String) {
        Items(self.iter()).write(out);
    }
}

impl<T: Json, const N: usize> Json for [T; N] {
    fn write(&self, out: &mut String) {
        self.as_slice().write(out);
    }
}

impl<T: Json> Json for Vec<T> {
    fn write(&self, out: &mut String) {
        self.as_slice().write(out);
    }
}

impl<F: Fn(&mut String)> Json for Written<F> {
    fn write(&self, out: &mut String) {
        (self.0)(out);
    }
}

/// Append an object with these members.
macro_rules! object {
    ($out:expr, $($key:literal: $value:expr),+ $(,)?) => {{
        let out: &mut String = $out;
        let mut before = '{';
        $(
            out.push(before);
            out.push_str(concat!("\"", $key, "\":"));
            $crate::json::Json::write(&$value, out);
            before = ',';
        )+
        let _ = before;
        out.push('}');
    }};
}
pub(crate) use object;
