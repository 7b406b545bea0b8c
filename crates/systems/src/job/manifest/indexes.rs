//! Sets of indexes, as `status.failedIndexes` and `status.completedIndexes` hold them.

use document::{FieldValue, Kind, Node};
use std::fmt;
use std::str::FromStr;

/// A set of indexes as ranges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Indexes {
    /// The first and last index of each range, ascending; ranges are never adjacent.
    ranges: Vec<(u32, u32)>,
}

impl Indexes {
    /// Adds an index; returns whether it is new.
    pub fn insert(&mut self, index: u32) -> bool {
        // The first range that does not end before the index: it holds it, or follows it.
        let place = self.ranges.partition_point(|(_, last)| *last < index);
        if self.ranges.get(place).is_some_and(|(first, _)| *first <= index) {
            return false;
        }
        let follows = |range: &(u32, u32)| range.1.checked_add(1) == Some(index);
        let joins_left =
            place.checked_sub(1).filter(|left| self.ranges.get(*left).is_some_and(follows));
        let leads = |range: &(u32, u32)| index.checked_add(1) == Some(range.0);
        let joins_right = self.ranges.get(place).is_some_and(leads);
        match (joins_left, joins_right) {
            (Some(left), true) => {
                let (_, last) = self.ranges.remove(place);
                self.ranges[left].1 = last;
            }
            (Some(left), false) => self.ranges[left].1 = index,
            (None, true) => self.ranges[place].0 = index,
            (None, false) => self.ranges.insert(place, (index, index)),
        }
        true
    }

    /// Returns whether an index is in the set.
    pub fn contains(&self, index: u32) -> bool {
        let place = self.ranges.partition_point(|(_, last)| *last < index);
        self.ranges.get(place).is_some_and(|(first, _)| *first <= index)
    }

    /// Returns the number of indexes in both sets.
    pub fn common(&self, others: &Self) -> u64 {
        let (mut own, mut other) = (self.ranges.iter().peekable(), others.ranges.iter().peekable());
        let mut common = 0;
        while let (Some(&&(first, last)), Some(&&(from, to))) = (own.peek(), other.peek()) {
            let (begin, end) = (first.max(from), last.min(to));
            if begin <= end {
                common += u64::from(end - begin) + 1;
            }
            // The range that ends first cannot meet another one.
            if last <= to {
                own.next();
            } else {
                other.next();
            }
        }
        common
    }

    /// Returns the union with another set.
    #[must_use]
    pub fn with(&self, others: &Self) -> Self {
        let mut all = [&self.ranges[..], &others.ranges].concat();
        all.sort_unstable();
        let mut ranges: Vec<(u32, u32)> = Vec::with_capacity(all.len());
        for (first, last) in all {
            match ranges.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => ranges.push((first, last)),
            }
        }
        Self { ranges }
    }

    /// Returns the indexes from 0 to below a bound that are not in the set.
    #[must_use]
    pub fn others_below(&self, bound: u32) -> Self {
        let (mut ranges, mut next) = (Vec::new(), 0);
        for (first, last) in self.ranges.iter().copied().chain([(bound, bound)]) {
            let first = first.min(bound);
            if next < first {
                ranges.push((next, first - 1));
            }
            next = last.saturating_add(1);
        }
        Self { ranges }
    }

    /// Returns the last index.
    pub fn last(&self) -> Option<u32> {
        self.ranges.last().map(|(_, last)| *last)
    }

    /// Returns the number of indexes.
    pub fn len(&self) -> u64 {
        self.ranges.iter().map(|(first, last)| u64::from(last - first) + 1).sum()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

/// Writes the list as the API does: `0,2,3,5-9`. Two neighbours are not written as a range
/// (`pkg/controller/job/indexed_job_utils.go`).
impl FieldValue for Indexes {
    const KIND: Kind = Kind::Text;

    /// An invalid list is read as an empty one, which is never met.
    fn from_node(node: &Node) -> Option<Self> {
        Some(node.text().and_then(|text| text.parse().ok()).unwrap_or_default())
    }
}

impl fmt::Display for Indexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            match last - first {
                0 => write!(f, "{comma}{first}")?,
                1 => write!(f, "{comma}{first},{last}")?,
                _ => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

/// The error for a text that is not an ascending list of indexes and ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a list of indexes such as `0,2-4`")]
pub struct NoIndexes;

impl FromStr for Indexes {
    type Err = NoIndexes;

    fn from_str(text: &str) -> Result<Self, NoIndexes> {
        let mut indexes = Self::default();
        let number = |text: &str| text.parse::<u32>().map_err(|_| NoIndexes);
        for piece in text.split(',').filter(|_| !text.is_empty()) {
            let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
            let (first, last) = (number(first)?, number(last)?);
            // The controller writes lists in ascending order.
            let behind = indexes.ranges.last().is_none_or(|(_, before)| *before < first);
            let is_range = piece.contains('-');
            // A range of one index is written without a hyphen.
            if first > last || is_range && first == last || !behind {
                return Err(NoIndexes);
            }
            match indexes.ranges.last_mut() {
                Some((_, before)) if *before + 1 == first => *before = last,
                _ => indexes.ranges.push((first, last)),
            }
        }
        Ok(indexes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn prints_as_the_api_does() {
        for (indexes, text) in [
            (&[][..], ""),
            (&[0][..], "0"),
            (&[1, 0][..], "0,1"),
            (&[2, 0, 1][..], "0-2"),
            (&[7, 0, 2, 9, 3, 8][..], "0,2,3,7-9"),
        ] {
            let mut set = Indexes::default();
            for index in indexes {
                assert!(set.insert(*index));
            }
            assert_eq!(set.to_string(), text);
        }
        for text in ["x", "3,1", "2-1", "2-2", "1,1", "-", "1-", ",", "0-2,2"] {
            assert_eq!(text.parse::<Indexes>(), Err(NoIndexes), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn is_a_set_and_reads_what_it_prints(numbers in proptest::collection::vec(0_u32..40, 0..60)) {
            let mut set = Indexes::default();
            let mut plain = BTreeSet::new();
            for number in numbers {
                proptest::prop_assert_eq!(set.insert(number), plain.insert(number));
                proptest::prop_assert_eq!(set.len(), plain.len() as u64);
                proptest::prop_assert_eq!(set.to_string().parse(), Ok(set.clone()));
            }
            for number in 0..41 {
                proptest::prop_assert_eq!(set.contains(number), plain.contains(&number));
            }
            let others = set.others_below(30);
            for number in 0..41 {
                let other = number < 30 && !plain.contains(&number);
                proptest::prop_assert_eq!(others.contains(number), other);
            }
            let evens: Indexes = "0,2,4,6,8,10-20,40".parse().unwrap();
            let both = set.with(&evens);
            for number in 0..41 {
                let either = set.contains(number) || evens.contains(number);
                proptest::prop_assert_eq!(both.contains(number), either);
            }
            proptest::prop_assert_eq!(both.to_string().parse(), Ok(both.clone()));
            proptest::prop_assert_eq!(both.len(), set.len() + evens.len() - set.common(&evens));
        }
    }
}
