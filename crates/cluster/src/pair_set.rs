//! Sets of pairs of a key and a number, of which many have equal keys.

use document::steps;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs in their order. Each distinct key is stored once, so that a pair takes a few bytes: nodes by their free amounts,
/// which most nodes of a large cluster have in common, and jobs by their order, which the jobs of a template have in
/// common.
#[derive(Debug, Clone)]
pub(super) struct PairSet<K> {
    numbers: BTreeMap<K, Numbers>,
    len: usize,
}

/// The numbers of the pairs with a key.
#[derive(Debug, Clone)]
enum Numbers {
    One(u32),
    Several(BTreeSet<u32>),
}

impl<K: Ord> PairSet<K> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn insert(&mut self, key: K, number: u32) {
        steps::count(1);
        let Some(numbers) = self.numbers.get_mut(&key) else {
            self.numbers.insert(key, Numbers::One(number));
            self.len += 1;
            return;
        };
        self.len += usize::from(match numbers {
            Numbers::Several(all) => all.insert(number),
            Numbers::One(one) if *one == number => false,
            Numbers::One(one) => {
                *numbers = Numbers::Several(BTreeSet::from([*one, number]));
                true
            }
        });
    }

    pub(super) fn remove(&mut self, key: &K, number: u32) {
        steps::count(1);
        let (is_removed, is_last) = match self.numbers.get_mut(key) {
            Some(Numbers::Several(all)) => (all.remove(&number), all.is_empty()),
            Some(Numbers::One(one)) => (*one == number, *one == number),
            None => (false, false),
        };
        self.len -= usize::from(is_removed);
        if is_last {
            self.numbers.remove(key);
        }
    }

    /// Returns the first pair that is not before this one.
    pub(super) fn first_from(&self, (key, number): &(K, u32)) -> Option<(&K, u32)> {
        steps::count(1);
        let mut from = self.numbers.range(key..);
        let (first, numbers) = from.next()?;
        let found = numbers.first_from(if first == key { *number } else { 0 });
        let next = || from.next().and_then(|(key, numbers)| Some((key, numbers.first_from(0)?)));
        found.map(|number| (first, number)).or_else(next)
    }

    /// Returns the numbers of all pairs, in the order of the pairs.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.numbers.values().flat_map(|numbers| {
            let (one, several) = match numbers {
                Numbers::One(one) => (Some(*one), None),
                Numbers::Several(all) => (None, Some(all.iter().copied())),
            };
            one.into_iter().chain(several.into_iter().flatten()).inspect(|_| steps::count(1))
        })
    }

    /// Replaces the numbers by others in the same order, and drops those without one.
    pub(super) fn renumber(&mut self, number: impl Fn(u32) -> Option<u32>) {
        for numbers in self.numbers.values_mut() {
            let all = match numbers {
                Numbers::One(one) => BTreeSet::from([*one]),
                Numbers::Several(all) => std::mem::take(all),
            };
            let new: BTreeSet<u32> = all.into_iter().filter_map(&number).collect();
            *numbers = match new.first() {
                Some(one) if new.len() == 1 => Numbers::One(*one),
                _ => Numbers::Several(new),
            };
        }
        self.numbers.retain(|_, numbers| numbers.first_from(0).is_some());
        // Numbers that were dropped count no longer.
        self.len = self.numbers().count();
    }
}

impl<K> Default for PairSet<K> {
    fn default() -> Self {
        Self { numbers: BTreeMap::new(), len: 0 }
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
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_of_pairs_equals_a_set_with_all_keys(
            steps in proptest::collection::vec((any::<bool>(), 0..4_u8, 0..8_u32), 0..80),
        ) {
            let (mut set, mut model) = (PairSet::default(), BTreeSet::new());
            for (adds, key, number) in steps {
                if adds {
                    set.insert(key, number);
                    model.insert((key, number));
                } else {
                    set.remove(&key, number);
                    model.remove(&(key, number));
                }
                let from = model.range((key, number)..).next();
                let found = set.first_from(&(key, number)).map(|(key, number)| (*key, number));
                prop_assert_eq!(found.as_ref(), from);
                prop_assert_eq!(set.len(), model.len());
            }
            let new = |number: u32| (!number.is_multiple_of(3)).then_some(number / 2);
            set.renumber(new);
            let kept = model.into_iter().filter_map(|(key, number)| Some((key, new(number)?)));
            let kept: BTreeSet<(u8, u32)> = kept.collect();
            prop_assert_eq!(set.len(), kept.len());
            prop_assert!(set.numbers().eq(kept.into_iter().map(|(_, number)| number)));
        }
    }
}
