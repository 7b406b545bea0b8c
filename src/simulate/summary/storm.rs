//! Retries that wait or run at the same time, minute by minute: a retry storm is a peak of them.

use crate::units::Time;
use std::collections::BTreeMap;

/// Minutes of a block. A block of 4096 minutes is nearly three days and takes 32 KiB: a history of weeks has few
/// blocks, and a record with a wrong year adds one block instead of a list of years.
const BLOCK: i64 = 4096;

/// The retries of each minute, as changes from one minute to the next. Adding is commutative; storms merge.
#[derive(Debug, Clone, Default)]
pub struct Storm {
    /// By the block's number: by how much the count changes at each minute.
    blocks: BTreeMap<i64, Box<[i64]>>,
}

/// A minute, counted from 1970-01-01T00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Minute(pub i64);

impl Minute {
    /// The minute of a time.
    pub fn of(time: Time) -> Self {
        Self(time.epoch_seconds().div_euclid(60))
    }

    /// The minute's first instant.
    pub fn start(self) -> Time {
        Time::from_epoch_seconds(self.0.saturating_mul(60))
    }
}

impl Storm {
    /// Adds a retry that waits or runs from one minute to another, both included.
    pub fn add(&mut self, from: Minute, to: Minute) {
        if from <= to {
            self.change(from.0, 1);
            self.change(to.0 + 1, -1);
        }
    }

    fn change(&mut self, minute: i64, by: i64) {
        let block = self.blocks.entry(minute.div_euclid(BLOCK));
        let index = |minute: i64| usize::try_from(minute).unwrap_or(0);
        let block = block.or_insert_with(|| vec![0; index(BLOCK)].into_boxed_slice());
        let position = index(minute.rem_euclid(BLOCK));
        block[position] += by;
    }

    /// The most retries in any minute, and the first such minute; none without retries.
    pub fn peak(&self) -> Option<(u64, Minute)> {
        let mut now = 0;
        let mut peak: Option<(i64, Minute)> = None;
        for (number, block) in &self.blocks {
            for (position, by) in (0i64..).zip(block) {
                now += by;
                if now > peak.map_or(0, |(most, _)| most) {
                    peak = Some((now, Minute(number * BLOCK + position)));
                }
            }
        }
        peak.map(|(most, minute)| (most.unsigned_abs(), minute))
    }

    /// Adds the retries of another.
    pub fn merge(&mut self, other: Self) {
        for (number, block) in other.blocks {
            match self.blocks.entry(number) {
                std::collections::btree_map::Entry::Vacant(entry) => _ = entry.insert(block),
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    for (own, by) in entry.get_mut().iter_mut().zip(block) {
                        *own += by;
                    }
                }
            }
        }
    }
}

/// Storms are the same if the same number waits or runs in every minute.
impl PartialEq for Storm {
    fn eq(&self, other: &Self) -> bool {
        let changes = |storm: &Self| -> Vec<(i64, i64)> {
            let all = storm.blocks.iter().flat_map(|(number, block)| {
                (0i64..)
                    .zip(block.iter())
                    .map(move |(position, by)| (number * BLOCK + position, *by))
            });
            all.filter(|(_, by)| *by != 0).collect()
        };
        changes(self) == changes(other)
    }
}

impl Eq for Storm {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against counting every minute by itself.
        #[test]
        fn the_peak_is_that_of_plain_counting(
            spans in proptest::collection::vec((-9000i64..9000, 0i64..300), 0..40),
            cut in 0usize..40,
        ) {
            let (mut one, mut other) = (Storm::default(), Storm::default());
            let mut minutes: BTreeMap<i64, u64> = BTreeMap::new();
            for (number, (from, length)) in spans.iter().enumerate() {
                let part = if number < cut { &mut one } else { &mut other };
                part.add(Minute(*from), Minute(from + length));
                for minute in *from..=from + length {
                    *minutes.entry(minute).or_default() += 1;
                }
            }
            one.merge(other);
            let most = minutes.values().max().copied();
            let first = minutes.iter().find(|(_, n)| Some(**n) == most);
            prop_assert_eq!(one.peak(), first.map(|(minute, n)| (*n, Minute(*minute))));
        }
    }
}
