//! The nodes that a retry avoids, in a list that the engine and the retry share.

use document::steps;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::sync::Arc;

/// A list of distinct nodes. A clone shares the list until one of the two changes, so that a retry can hold the
/// nodes of many runs.
#[derive(Debug, Clone, Default)]
pub struct NodeList(Option<Arc<Nodes>>);

#[derive(Debug, Default)]
struct Nodes {
    names: Vec<String>,
    /// The positions of all names, found by their hash; empty while there are only [`FEW`].
    positions: HashTable<usize>,
    hasher: DefaultHashBuilder,
}

/// So many names are compared one by one, which is faster than to hash them, and takes no memory.
const FEW: usize = 16;

impl NodeList {
    /// An empty list with memory for one node.
    pub(crate) fn with_room_for_one() -> Self {
        Self(Some(Arc::new(Nodes { names: Vec::with_capacity(1), ..Nodes::default() })))
    }

    /// The nodes, in the order in which they were added.
    pub fn names(&self) -> &[String] {
        self.0.as_ref().map_or(&[], |nodes| &nodes.names)
    }

    /// Whether the list has a node.
    pub fn contains(&self, node: &str) -> bool {
        self.0.as_ref().is_some_and(|nodes| nodes.contains(node))
    }

    /// Adds a node, unless the list has it.
    pub(crate) fn add(&mut self, node: &str) {
        if !self.contains(node) {
            self.nodes_mut().add(node);
        }
    }

    /// Makes a node the only one, or empties the list. It reuses the text of the only node before: after the first
    /// one this allocates nothing.
    pub(crate) fn set(&mut self, node: Option<&str>) {
        if node.is_none() && self.names().is_empty() {
            return;
        }
        let nodes = self.nodes_mut();
        nodes.positions.clear();
        match (node, nodes.names.as_mut_slice()) {
            (Some(node), [only]) => {
                only.clear();
                only.push_str(node);
            }
            (node, _) => {
                nodes.names.clear();
                nodes.names.extend(node.map(str::to_owned));
            }
        }
    }

    fn nodes_mut(&mut self) -> &mut Nodes {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl Nodes {
    fn contains(&self, node: &str) -> bool {
        let is_node = |name: &String| {
            steps::count(1);
            name == node
        };
        if self.positions.is_empty() {
            return self.names.iter().any(is_node);
        }
        let hash = self.hasher.hash_one(node);
        self.positions.find(hash, |position| is_node(&self.names[*position])).is_some()
    }

    /// Adds a node that is not in the list.
    fn add(&mut self, node: &str) {
        self.names.push(node.to_owned());
        let Self { names, positions, hasher } = self;
        let hash = |position: &usize| hasher.hash_one(&*names[*position]);
        // Those before the last one have their positions already, unless they were few.
        let first = if positions.is_empty() { 0 } else { names.len() - 1 };
        if names.len() > FEW {
            for position in first..names.len() {
                positions.insert_unique(hash(&position), position, hash);
            }
        }
    }
}

impl Clone for Nodes {
    fn clone(&self) -> Self {
        steps::count(self.names.len());
        Self {
            names: self.names.clone(),
            positions: self.positions.clone(),
            hasher: self.hasher.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A list and its clone equal vectors that are searched from the front, with few nodes and many.
        #[test]
        fn equals_a_vector(
            changes in proptest::collection::vec((0..20_u8, 0..40_u8), 0..120),
            shared_from in 0..120_usize,
        ) {
            let (mut list, mut expected) = (NodeList::default(), Vec::new());
            let mut shared = (list.clone(), expected.clone());
            for (number, (change, node)) in changes.iter().enumerate() {
                let node = format!("n{node}");
                match change {
                    0 => {
                        list.set(None);
                        expected.clear();
                    }
                    1 => {
                        list.set(Some(&node));
                        expected = vec![node];
                    }
                    _ => {
                        list.add(&node);
                        if !expected.contains(&node) {
                            expected.push(node);
                        }
                    }
                }
                if number == shared_from {
                    shared = (list.clone(), expected.clone());
                }
            }
            for (list, expected) in [(list, expected), shared] {
                prop_assert_eq!(list.names(), &expected);
                for node in (0..40).map(|node| format!("n{node}")) {
                    prop_assert_eq!(list.contains(&node), expected.contains(&node), "{}", node);
                }
            }
        }
    }
}
