//! A list that keeps its removed items, so that the next record is read into their buffers.

use compact_str::CompactString;
use std::ops::{Deref, DerefMut};

/// Replaces a text. A text without a buffer of its own is not appended to: that takes twice the
/// instructions.
#[inline]
pub fn replace_text(old: &mut CompactString, new: &str) {
    if old.is_heap_allocated() {
        old.clear();
        old.push_str(new);
    } else {
        *old = CompactString::from(new);
    }
}

/// A list whose items keep their buffers when it is cleared.
///
/// A stream reads every record over an earlier one: the texts of containers are then copied into buffers
/// that exist, and no memory is allocated per line.
#[derive(Debug, Default)]
pub struct Recycled<T> {
    items: Vec<T>,
    len: usize,
}

/// How many removed items are kept: more containers than nearly all pods have.
// A record with thousands must not hold memory for the rest of the stream.
const KEPT: usize = 8;

impl<T> Recycled<T> {
    /// Removes all items.
    pub fn clear(&mut self) {
        self.items.truncate(KEPT);
        self.len = 0;
    }

    /// Adds an item, or the remains of a removed one, which `reset` makes new.
    pub fn add(&mut self, reset: impl FnOnce(&mut T)) -> &mut T
    where
        T: Default,
    {
        if self.len == self.items.len() {
            self.items.push(T::default());
        } else {
            reset(&mut self.items[self.len]);
        }
        self.len += 1;
        &mut self.items[self.len - 1]
    }
}

/// A copy without the buffers of removed items.
impl<T: Clone> Clone for Recycled<T> {
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl<T> Deref for Recycled<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items[..self.len]
    }
}

impl<T> DerefMut for Recycled<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.len]
    }
}

impl<T> From<Vec<T>> for Recycled<T> {
    fn from(items: Vec<T>) -> Self {
        Self { len: items.len(), items }
    }
}

impl<T> FromIterator<T> for Recycled<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        items.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T: PartialEq> PartialEq for Recycled<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Recycled<T> {}
