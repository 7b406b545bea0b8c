//! Steps that tests count, to show how work grows with its input.

/// Counts steps of this thread; does nothing but in tests.
#[cfg(not(test))]
pub(crate) fn count(_: usize) {}
#[cfg(test)]
pub(crate) use counted::{count, take};

#[cfg(test)]
mod counted {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts steps of this thread.
    pub(crate) fn count(steps: usize) {
        STEPS.set(STEPS.get() + steps);
    }

    /// Returns the steps since the last call on this thread.
    pub(crate) fn take() -> usize {
        STEPS.take()
    }
}
