//! Room for one text, into which JavaScript writes the bytes itself: what every question passes takes
//! no memory of its own on the way.

use std::cell::RefCell;

use wasm_bindgen::prelude::*;

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Where a text of at most so many bytes may be written.
#[wasm_bindgen]
pub fn scratch(length: usize) -> usize {
    ROOM.with_borrow_mut(|room| {
        if room.len() < length {
            room.resize(length, 0);
        }
        room.as_ptr() as usize
    })
}

/// The text that was written last.
pub fn written<R>(length: usize, read: impl FnOnce(&[u8]) -> R) -> R {
    ROOM.with_borrow(|room| read(&room[..length.min(room.len())]))
}
