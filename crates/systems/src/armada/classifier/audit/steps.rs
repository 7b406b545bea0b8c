//! A counter of steps, by which tests show how the work of an audit grows.

use std::cell::Cell;

/// The number of entries, texts and patterns that were visited.
#[derive(Debug, Default)]
pub(super) struct Steps(Cell<u64>);

impl Steps {
    pub(super) fn add(&self, steps: u64) {
        self.0.set(self.0.get() + steps);
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> u64 {
        self.0.get()
    }
}
