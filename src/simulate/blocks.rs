//! A growing list that never moves what it holds, and never asks for twice what it needs.

/// How many things stand in a block.
const BLOCK: usize = 1024;

/// A list in blocks.
#[derive(Debug)]
pub(super) struct Blocks<T> {
    blocks: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self { blocks: Vec::new(), len: 0 }
    }
}

impl<T> Blocks<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, thing: T) {
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        if let Some(last) = self.blocks.last_mut() {
            last.push(thing);
        }
        self.len += 1;
    }

    pub(super) fn get(&self, number: usize) -> &T {
        &self.blocks[number / BLOCK][number % BLOCK]
    }

    pub(super) fn get_mut(&mut self, number: usize) -> &mut T {
        &mut self.blocks[number / BLOCK][number % BLOCK]
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.blocks.iter_mut().flatten()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().flatten()
    }
}

/// Things that come and go, each at a place of its own, which the next may take.
#[derive(Debug)]
pub(super) struct Places<T> {
    things: Blocks<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { things: Blocks::default(), free: Vec::new() }
    }
}

impl<T> Places<T> {
    /// Puts a thing at a place, and says which.
    pub(super) fn insert(&mut self, thing: T) -> u32 {
        if let Some(place) = self.free.pop() {
            *self.things.get_mut(place as usize) = Some(thing);
            return place;
        }
        self.things.push(Some(thing));
        u32::try_from(self.things.len() - 1).unwrap_or(u32::MAX)
    }

    /// What is at a place, if anything is.
    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        if place as usize >= self.things.len() {
            return None;
        }
        self.things.get_mut(place as usize).as_mut()
    }

    /// Takes away what is at a place.
    pub(super) fn remove(&mut self, place: u32) -> Option<T> {
        self.get_mut(place)?;
        self.free.push(place);
        self.things.get_mut(place as usize).take()
    }

    /// Takes everything away.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = T> {
        self.free.clear();
        self.things.iter_mut().filter_map(Option::take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// As a map does, from places that it names itself.
        #[test]
        fn things_stay_where_they_were_put(steps in proptest::collection::vec(any::<Option<u8>>(), 0..200)) {
            let (mut places, mut known) = (Places::default(), BTreeMap::new());
            for (number, step) in steps.into_iter().enumerate() {
                if let Some(which) = step {
                    let place = known.keys().nth(usize::from(which) % known.len().max(1)).copied();
                    prop_assert_eq!(places.remove(place.unwrap_or(7_000)), place.and_then(|place| known.remove(&place)));
                } else {
                    let place = places.insert(number);
                    prop_assert_eq!(known.insert(place, number), None);
                }
                prop_assert!(known.iter().all(|(place, thing)| places.get_mut(*place) == Some(&mut thing.clone())));
            }
            prop_assert_eq!(places.drain().collect::<Vec<_>>(), known.into_values().collect::<Vec<_>>());
        }
    }
}
