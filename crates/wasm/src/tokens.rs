//! Several texts that come as one.

use verger_core::internal::Complaint;
use verger_core::{check_product_token, Dialect};
use wasm_bindgen::prelude::*;

use crate::{dialect, shown, told};

/// The texts whose ends these are.
pub fn split<'t>(texts: &'t [u8], ends: &[u32]) -> Vec<&'t [u8]> {
    let mut start = 0;
    let mut each = |end: &u32| {
        let end = (*end as usize).clamp(start, texts.len());
        &texts[std::mem::replace(&mut start, end)..end]
    };
    ends.iter().map(&mut each).collect()
}

/// Refuse what is not a product token in a dialect.
pub fn check(tokens: &[&[u8]], dialect: &Dialect) -> Result<(), String> {
    if tokens.is_empty() {
        return Err(told(Complaint::of_no_token()));
    }
    tokens.iter().try_for_each(|token| {
        let wrong = |why| told(Complaint::of_token(token, why, &shown));
        check_product_token(token, dialect).map_err(wrong)
    })
}

/// Complain if texts cannot be the product tokens of a crawler.
#[wasm_bindgen]
pub fn check_product_tokens(tokens: &[u8], ends: &[u32], dialect: &str) -> Result<(), String> {
    check(&split(tokens, ends), &dialect::of(dialect))
}
