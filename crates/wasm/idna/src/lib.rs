//! Host names in A-label form (UTS 46, non-transitional), by the `URL` of the platform.
//!
//! Every browser and Node map host names by the URL Standard, with tables of their own: those of the
//! crate `idna`, whose name and function this has, would be a quarter of the package.

use std::borrow::Cow;

use wasm_bindgen::prelude::*;

/// Which ASCII characters are refused: none here.
pub struct AsciiDenyList;

impl AsciiDenyList {
    /// None.
    pub const EMPTY: AsciiDenyList = AsciiDenyList;
}

/// Why a name is invalid.
#[derive(Debug)]
pub struct Errors;

#[wasm_bindgen]
extern "C" {
    type URL;

    #[wasm_bindgen(constructor, catch)]
    fn new(text: &str) -> Result<URL, JsValue>;

    #[wasm_bindgen(method, getter)]
    fn hostname(this: &URL) -> String;
}

/// A name in A-label form and in lower case.
///
/// What a URL would read as something else than a host is refused, as are invalid names. Some platforms
/// are older than UTS 46, revision 33: for them U+1E9E is made U+00DF, which they map to `ss`, and A-labels
/// that encode nothing are refused here.
pub fn domain_to_ascii_cow(name: &[u8], _: AsciiDenyList) -> Result<Cow<'_, str>, Errors> {
    let name = std::str::from_utf8(name).map_err(|_| Errors)?;
    if name.bytes().any(|byte| byte <= b' ' || b"\"#%/:<>?@[\\]^`{|}\x7f".contains(&byte)) {
        return Err(Errors);
    }
    let name = name.replace('\u{1e9e}', "\u{df}");
    let host = URL::new(&format!("https://{name}/")).map_err(|_| Errors)?.hostname();
    if host.split('.').any(is_empty_label) { Err(Errors) } else { Ok(Cow::Owned(host)) }
}

/// Whether an A-label encodes nothing, such as `xn--a-`, or has a delimiter and nothing before it, such as
/// `xn---o8h` (RFC 3492 section 6.2).
fn is_empty_label(label: &str) -> bool {
    label
        .strip_prefix("xn--")
        .is_some_and(|encoded| encoded.ends_with('-') || encoded.rfind('-') == Some(0))
}
