//! Items by the number of a day or of a block of minutes, which are mostly near each other.

use borsh::io::{Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use std::collections::BTreeMap;

/// Numbers from the first one on whose items are in a list: eleven years of days.
const NEAR: usize = 4096;

/// Items by number. Those near the number that was added first are found without a search.
#[derive(Debug, Clone)]
pub struct ByNumber<T> {
    first: i64,
    near: Vec<Option<T>>,
    others: BTreeMap<i64, T>,
}

impl<T> Default for ByNumber<T> {
    fn default() -> Self {
        Self { first: 0, near: Vec::new(), others: BTreeMap::new() }
    }
}

impl<T: Default> ByNumber<T> {
    /// The item of a number.
    #[inline]
    pub(super) fn at(&mut self, number: i64) -> &mut T {
        let place = self.place(number);
        if !matches!(self.near.get(place), Some(Some(_))) {
            return self.add(number);
        }
        self.near[place].get_or_insert_default()
    }

    /// The place of a number in the list; one beyond it for a number that is not near.
    fn place(&self, number: i64) -> usize {
        // Wrapping: a number before the first one is beyond the list too.
        usize::try_from(number.wrapping_sub(self.first)).unwrap_or(usize::MAX)
    }

    /// The number at a place of the list.
    fn number(&self, place: usize) -> i64 {
        self.first.wrapping_add(as_number(place))
    }

    #[inline(never)]
    fn add(&mut self, number: i64) -> &mut T {
        // The first number that comes fixes the list; a wrong year before or far after it goes into the map.
        if self.near.is_empty() {
            self.first = number;
        }
        let place = self.place(number);
        if place >= NEAR {
            return self.others.entry(number).or_default();
        }
        if self.near.len() <= place {
            self.near.resize_with(place + 1, || None);
        }
        self.near[place].get_or_insert_default()
    }

    /// The items in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &T)> {
        let near = self.near.iter().enumerate();
        let near = near.filter_map(|(place, item)| Some((self.number(place), item.as_ref()?)));
        let before = self.others.range(..self.first);
        let after = self.others.range(self.first..);
        let before = before.map(|(number, item)| (*number, item));
        before.chain(near).chain(after.map(|(number, item)| (*number, item)))
    }

    /// Adds the items of another to those of the same numbers.
    pub(super) fn merge(&mut self, other: Self, add: impl Fn(&mut T, T)) {
        for (place, item) in other.near.into_iter().enumerate() {
            if let Some(item) = item {
                add(self.at(other.first.wrapping_add(as_number(place))), item);
            }
        }
        other.others.into_iter().for_each(|(number, item)| add(self.at(number), item));
    }
}

fn as_number(place: usize) -> i64 {
    i64::try_from(place).unwrap_or_default()
}

/// As a list of numbers with their items.
impl<T: Default + BorshSerialize> BorshSerialize for ByNumber<T> {
    fn serialize<W: Write>(&self, writer: &mut W) -> Result<()> {
        self.iter().collect::<Vec<(i64, &T)>>().serialize(writer)
    }
}

impl<T: Default + BorshDeserialize> BorshDeserialize for ByNumber<T> {
    fn deserialize_reader<R: Read>(reader: &mut R) -> Result<Self> {
        let mut all = Self::default();
        for (number, item) in Vec::<(i64, T)>::deserialize_reader(reader)? {
            *all.at(number) = item;
        }
        Ok(all)
    }
}

impl<T: Default + PartialEq> PartialEq for ByNumber<T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: Default + Eq> Eq for ByNumber<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = i64> {
        prop_oneof![-9_i64..9, -9000_i64..9000, any::<i64>(), i64::MAX - 3..=i64::MAX]
    }

    proptest! {
        /// It has the items of a map, in any order of adding and merging.
        #[test]
        fn has_the_items_of_a_map(
            one in prop::collection::vec((number(), 1_u64..9), 0..20),
            other in prop::collection::vec((number(), 1_u64..9), 0..20),
        ) {
            let mut expected = BTreeMap::<i64, u64>::new();
            one.iter().chain(&other).for_each(|(at, by)| *expected.entry(*at).or_default() += by);
            let collect = |all: &[(i64, u64)]| {
                let mut items = ByNumber::default();
                for (at, by) in all {
                    *items.at(*at) += by;
                }
                items
            };
            let (mut ahead, mut behind) = (collect(&one), collect(&other));
            behind.merge(ahead.clone(), |own, by| *own += by);
            ahead.merge(collect(&other), |own, by| *own += by);
            let items: BTreeMap<i64, u64> = ahead.iter().map(|(at, by)| (at, *by)).collect();
            prop_assert_eq!(items, expected);
            prop_assert_eq!(ahead, behind);
        }
    }
}
