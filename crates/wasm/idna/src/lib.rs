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
/// What a URL would read as something else than a host is refused, as are names that are none.
pub fn domain_to_ascii_cow(name: &[u8], _: AsciiDenyList) -> Result<Cow<'_, str>, Errors> {
    let name = std::str::from_utf8(name).map_err(|_| Errors)?;
    if name.bytes().any(|byte| byte <= b' ' || b"\"#%/:<>?@[\\]^`{|}\x7f".contains(&byte)) {
        return Err(Errors);
    }
    let url = URL::new(&format!("https://{name}/")).map_err(|_| Errors)?;
    Ok(Cow::Owned(url.hostname()))
}
