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

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().flatten()
    }
}
