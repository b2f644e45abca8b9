//! An allocator that counts what each thread holds.
//!
//! A crate of its own: an allocator needs `unsafe`, which the core forbids. Nothing is built upon
//! it but its tests, which are the bounds of the core's memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting the bytes asked of it.
pub struct Counting;

impl Counting {
    fn take(bytes: usize) {
        HELD.with(|held| {
            held.set(held.get().wrapping_add(bytes));
            PEAK.with(|peak| peak.set(peak.get().max(held.get())));
        });
    }

    /// What one thread gives back another may have taken, so that the count may wrap.
    fn give(bytes: usize) {
        HELD.with(|held| held.set(held.get().wrapping_sub(bytes)));
    }
}

// SAFETY: every call is handed to the system's allocator as it is; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Counting::take(layout.size());
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, bytes: *mut u8, layout: Layout) {
        Counting::give(layout.size());
        System.dealloc(bytes, layout);
    }

    // `realloc` is left to the trait, which holds old and new at once: the worst that may happen.
}

/// What a piece of work made, the bytes on the heap that it holds, and the most that it held.
pub struct Measured<T> {
    /// What was made.
    pub made: T,
    /// The bytes that it holds.
    pub held: usize,
    /// The most bytes that were held while it was made.
    pub peak: usize,
}

/// Do a piece of work and measure it.
pub fn measure<T>(work: impl FnOnce() -> T) -> Measured<T> {
    let before = HELD.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let made = work();
    let held = HELD.with(Cell::get).wrapping_sub(before);
    Measured { made, held, peak: PEAK.with(Cell::get) - before }
}
