//! Steps that tests count, to show how work grows with its input.

#[cfg(not(feature = "steps"))]
/// Counts steps of this thread; does nothing without the feature `steps`.
#[inline]
pub fn count(_: usize) {}
#[cfg(feature = "steps")]
pub use counted::{count, take};

#[cfg(feature = "steps")]
mod counted {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts steps of this thread.
    pub fn count(steps: usize) {
        STEPS.set(STEPS.get() + steps);
    }

    /// Returns the steps since the last call on this thread.
    pub fn take() -> usize {
        STEPS.take()
    }
}
