//! Best fit: the search for the node with the least free amounts that are sufficient.

use super::{Key, Level, NodeIndex, Nodes};
use crate::resources::Amounts;
use crate::settings::IndexedResource;
use smallvec::SmallVec;

impl Nodes {
    /// Returns the first allowed node of these types with sufficient free amounts at a level, in the order of
    /// best fit: least free amounts first, resource by resource in the order of the index.
    pub fn best_fit(
        &self,
        level: Level,
        node_types: &[usize],
        request: &Amounts,
        is_allowed: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let free = |node: usize| self.all[node].free(level);
        let mut searches: SmallVec<[(Search<'_, _>, usize); 4]> = node_types
            .iter()
            .filter_map(|node_type| {
                let index = &self.index[level][*node_type];
                let mut search = Search::new(index, &self.indexed, request, free);
                search.next().map(|node| (search, node))
            })
            .collect();
        loop {
            let exact = |node: usize| {
                let amounts = self.indexed.iter().map(|by| free(node).as_slice()[by.position]);
                (amounts.collect::<Key>(), self.all[node].rank)
            };
            let first = match searches.len() {
                // Most pools have nodes of one type, and need no comparison.
                1 => 0,
                _ => (0..searches.len()).min_by_key(|at| exact(searches[*at].1))?,
            };
            let (search, node) = &mut searches[first];
            let found = *node;
            // The index has only some resources, so that the others are compared here.
            if is_allowed(found) && request.fits(free(found)) {
                return Some(found);
            }
            if let Some(next) = search.next() {
                *node = next;
            } else {
                searches.remove(first);
                if searches.is_empty() {
                    return None;
                }
            }
        }
    }
}

/// A search through an index of nodes for those with enough of all indexed resources.
///
/// Amounts may be indexed rounded down while bounds are exact: a node whose rounded amount is below a request
/// may be skipped although the request fits. The skipped nodes depend on the jumps of the search, so this
/// search jumps as Armada's does.
pub(crate) struct Search<'n, F> {
    index: &'n NodeIndex,
    indexed: &'n [IndexedResource],
    /// The free amounts of the node of an index entry.
    free: F,
    requested: Key,
    /// The last bound that the search jumped to.
    bound: Key,
    /// The next position to visit.
    start: (Key, u32),
}

impl<'n, F: Fn(usize) -> &'n Amounts> Search<'n, F> {
    /// Creates a search in an index, whose entries have the [free](Self::free) amounts of the indexed
    /// resources, rounded down.
    pub(crate) fn new(
        index: &'n NodeIndex,
        indexed: &'n [IndexedResource],
        request: &Amounts,
        free: F,
    ) -> Self {
        let requested: Key = indexed.iter().map(|by| request.as_slice()[by.position]).collect();
        let (bound, start) = (requested.clone(), (requested.clone(), 0));
        Self { index, indexed, free, requested, bound, start }
    }
}

/// Returns the second parts of the entries, in the order of the index.
impl<'n, F: Fn(usize) -> &'n Amounts> Iterator for Search<'n, F> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            let (key, node) = self.index.first_from(&self.start)?;
            let free = (self.free)(node as usize).as_slice();
            // The node after this one, also if its amounts are equal.
            self.start = (key.clone(), node + 1);
            let indexed = self.indexed.iter().zip(&self.requested);
            let lacking = indexed.map(|(by, requested)| free[by.position] < *requested);
            let Some(at) = lacking.into_iter().position(|is_lacking| is_lacking) else {
                return Some(node as usize);
            };
            // Resources before the lacking one fit; from it on the least amounts that could fit are taken.
            let mut bound: Key = key.iter().take(at).copied().collect();
            bound.extend(self.requested.iter().skip(at).copied());
            if bound > self.bound {
                self.bound = bound;
                // The search never goes back: if an amount is below zero, the bound may be before the node.
                let jump = (self.bound.clone(), 0);
                if jump > self.start {
                    self.start = jump;
                }
            }
        }
    }
}
