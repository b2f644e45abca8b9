//! Budgets: how many steps a question may cost, since some files make it too hard.
//!
//! A step is about the work to read one byte, or one of a few numbers. Steps are counted, not
//! timed, so that the same question has the same answer on every machine.

use std::cell::Cell;

/// Steps that are left.
#[derive(Debug)]
pub struct Budget {
    left: Cell<u64>,
}

impl Budget {
    /// A budget of this many steps.
    pub fn new(steps: u64) -> Self {
        Budget { left: Cell::new(steps) }
    }

    /// Take steps, or what is left of them.
    #[inline]
    pub fn take(&self, steps: u64) {
        self.left.set(self.left.get().saturating_sub(steps));
    }

    /// Whether nothing is left.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// How many steps are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }
}
