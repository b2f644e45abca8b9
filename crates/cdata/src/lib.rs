//! The Arrow C Data and C Stream Interfaces: what comes in is checked, what goes out never unwinds.
//!
//! In: arrays and streams of any library in this process, as C structures. Out: [`Pieces`], which
//! return the requested columns as checked Arrow arrays; and, the other way, [`export`]. Nothing
//! here depends on Python or robots.txt. Sources: "The Arrow C data interface" and "The Arrow C
//! stream interface" of the Apache Arrow project, version 1.0 of the columnar format.
//!
//! A producer is not trusted, so arrays do not go through `arrow_array::ffi::from_ffi`, which reads
//! offsets before it checks anything, panics where something is missing, and imports all columns.
//! Each piece is compared with the schema that its stream announced: how many children and buffers,
//! which of them may be null. Lengths, offsets, keys and views are checked in one pass over each
//! column that is read; other columns are never read. Text is imported as binary data, so nothing
//! is assumed to be UTF-8. A failure becomes an [`ArrowError`](arrow_schema::ArrowError).
//!
//! The interface passes pointers without sizes. Only the producer knows that a buffer is as long as
//! the length of its array or its last offset says, that a pointer which is not null is valid, and
//! that callbacks do what they promise. Types with the same number of buffers cannot be
//! distinguished either: arrays carry no type. Both are obligations of the callers of the `unsafe`
//! functions.

mod array;
mod export;
mod piece;
mod schema;

pub use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
pub use arrow_array::ffi_stream::FFI_ArrowArrayStream;

pub use crate::array::is_importable;
pub use crate::export::export;
pub use crate::piece::{Piece, Pieces};

use arrow_schema::ArrowError;

type Result<T> = std::result::Result<T, ArrowError>;

/// What a producer did wrong.
#[cold]
fn malformed(what: impl Into<String>) -> ArrowError {
    ArrowError::CDataInterface(what.into())
}

/// The value at a pointer; none if the pointer is null or not aligned.
///
/// # Safety
///
/// A pointer that is neither leads to a value that stays in place for `'a`.
unsafe fn reference<'a, T>(pointer: *const T) -> Option<&'a T> {
    if !pointer.is_aligned() {
        return None;
    }
    // SAFETY: as promised by the caller.
    unsafe { pointer.as_ref() }
}
