//! A growing list that never moves its items. The units are most of the memory of a stream, and a `Vec` doubles
//! its memory and copies all items when it grows.

/// Items of a chunk: few enough that 64 shards with a half-filled chunk each waste little memory, and enough that
/// allocations are rare.
const CHUNK: usize = 1024;

/// A list in chunks of equal size.
#[derive(Debug)]
pub(super) struct ChunkedVec<T> {
    chunks: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for ChunkedVec<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }
}

impl<T> ChunkedVec<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, item: T) {
        if self.len.is_multiple_of(CHUNK) {
            // With its whole capacity: a list that grows by copying would hold twice its memory for a moment.
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        if let Some(last) = self.chunks.last_mut() {
            last.push(item);
        }
        self.len += 1;
    }

    pub(super) fn get(&self, number: usize) -> &T {
        &self.chunks[number / CHUNK][number % CHUNK]
    }

    pub(super) fn get_mut(&mut self, number: usize) -> &mut T {
        &mut self.chunks[number / CHUNK][number % CHUNK]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }
}

/// Items at stable positions. A position that was freed is used again.
#[derive(Debug)]
pub(super) struct Slab<T> {
    items: ChunkedVec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { items: ChunkedVec::default(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Adds an item and returns its position.
    pub(super) fn insert(&mut self, item: T) -> u32 {
        // Freed places first, so that a long stream needs no more than its open units.
        if let Some(position) = self.free.pop() {
            *self.items.get_mut(position as usize) = Some(item);
            return position;
        }
        self.items.push(Some(item));
        u32::try_from(self.items.len() - 1).unwrap_or(u32::MAX)
    }

    /// The item at a position, if there is one.
    pub(super) fn get(&self, position: u32) -> Option<&T> {
        if position as usize >= self.items.len() {
            return None;
        }
        self.items.get(position as usize).as_ref()
    }

    /// The item at a position, if there is one.
    pub(super) fn get_mut(&mut self, position: u32) -> Option<&mut T> {
        if position as usize >= self.items.len() {
            return None;
        }
        self.items.get_mut(position as usize).as_mut()
    }

    /// Removes the item at a position.
    pub(super) fn remove(&mut self, position: u32) -> Option<T> {
        self.get_mut(position)?;
        self.free.push(position);
        self.items.get_mut(position as usize).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// It behaves like a map whose keys it assigns.
        #[test]
        fn items_stay_at_their_places(steps in proptest::collection::vec(any::<Option<u8>>(), 0..200)) {
            let (mut items, mut known) = (Slab::default(), BTreeMap::new());
            for (number, step) in steps.into_iter().enumerate() {
                if let Some(which) = step {
                    let position = known.keys().nth(usize::from(which) % known.len().max(1)).copied();
                    prop_assert_eq!(items.remove(position.unwrap_or(7_000)), position.and_then(|position| known.remove(&position)));
                } else {
                    let position = items.insert(number);
                    prop_assert_eq!(known.insert(position, number), None);
                }
                prop_assert!(known.iter().all(|(position, item)| items.get_mut(*position) == Some(&mut item.clone())));
            }
        }
    }
}
