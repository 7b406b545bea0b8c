//! Nodes by their amounts, each distinct amount once.

use super::Key;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes in the order of their indexed amounts, and then of their numbers.
///
/// Most nodes of a large cluster have the amounts of many others, so that an entry for each node has only its number.
#[derive(Debug, Clone, Default)]
pub(in crate::cluster) struct NodeIndex(BTreeMap<Key, Numbers>);

/// The numbers of the nodes with equal amounts.
#[derive(Debug, Clone)]
enum Numbers {
    One(u32),
    Several(BTreeSet<u32>),
}

impl NodeIndex {
    /// Adds a node.
    pub(in crate::cluster) fn insert(&mut self, key: Key, node: u32) {
        let numbers = self.0.entry(key).or_insert(Numbers::One(node));
        match numbers {
            Numbers::Several(all) => {
                all.insert(node);
            }
            Numbers::One(one) if *one != node => {
                *numbers = Numbers::Several(BTreeSet::from([*one, node]));
            }
            Numbers::One(_) => {}
        }
    }

    /// Removes a node with these amounts.
    pub(in crate::cluster) fn remove(&mut self, key: &Key, node: u32) {
        let is_last = match self.0.get_mut(key) {
            Some(Numbers::One(one)) => *one == node,
            Some(Numbers::Several(all)) => all.remove(&node) && all.is_empty(),
            None => false,
        };
        if is_last {
            self.0.remove(key);
        }
    }

    /// Returns the first node at these amounts and this number, or after them, with its amounts.
    pub(super) fn first_from(&self, (key, node): &(Key, u32)) -> Option<(&Key, u32)> {
        let mut from = self.0.range::<Key, _>(key..);
        let (first, numbers) = from.next()?;
        let in_first = if first == key { numbers.first_from(*node) } else { numbers.first_from(0) };
        let next = || from.next().and_then(|(key, numbers)| Some((key, numbers.first_from(0)?)));
        in_first.map(|node| (first, node)).or_else(next)
    }
}

impl Numbers {
    fn first_from(&self, number: u32) -> Option<u32> {
        match self {
            Self::One(one) => Some(*one).filter(|one| *one >= number),
            Self::Several(all) => all.range(number..).next().copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_the_order_of_pairs() {
        let mut index = NodeIndex::default();
        let mut pairs: BTreeSet<(Key, u32)> = BTreeSet::new();
        let key = |number: u32| Key::from_iter([i64::from(number % 3), i64::from(number % 2)]);
        for number in 0..40_u32 {
            // Nodes come in another order than that of their numbers, and every third leaves again.
            let node = number * 7 % 40;
            index.insert(key(number), node);
            pairs.insert((key(number), node));
            if number % 3 == 2 {
                index.remove(&key(number - 1), (number - 1) * 7 % 40);
                pairs.remove(&(key(number - 1), (number - 1) * 7 % 40));
            }
            for start in
                pairs.iter().flat_map(|(key, node)| [(key.clone(), *node), (key.clone(), node + 1)])
            {
                let expected = pairs.range(&start..).next().map(|(key, node)| (key, *node));
                assert_eq!(index.first_from(&start), expected);
            }
        }
    }
}
