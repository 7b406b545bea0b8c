//! Retries that wait or run at the same time, minute by minute: a retry storm is a peak of them.

use super::by_number::ByNumber;
use borsh::io::{ErrorKind, Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use document::units::Time;
use std::ops::RangeInclusive;

/// Minutes of a block.
// A block of 4096 minutes is nearly three days and takes 32 KiB: a history of weeks has few blocks, and a record with a
// wrong year adds one block instead of a list of years.
const BLOCK: i64 = 4096;

/// The retries of each minute, as changes from one minute to the next. Adding is commutative; storms merge.
#[derive(Debug, Clone, Default)]
pub struct Storm {
    /// By the block's number: by how much the count changes at each minute.
    blocks: ByNumber<Box<[i64]>>,
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

/// A block without retries.
fn empty_block() -> Box<[i64]> {
    vec![0; usize::try_from(BLOCK).unwrap_or_default()].into_boxed_slice()
}

/// The position of a minute in its block.
fn position(minute: i64) -> usize {
    usize::try_from(minute.rem_euclid(BLOCK)).unwrap_or_default()
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
        let block = self.blocks.at(minute.div_euclid(BLOCK));
        if block.is_empty() {
            *block = empty_block();
        }
        block[position(minute)] += by;
    }

    /// The minutes in which the count changes, in order, and by how much.
    fn changes(&self) -> impl Iterator<Item = (i64, i64)> {
        let all = self.blocks.iter().flat_map(|(number, block)| {
            (0i64..).zip(block.iter()).map(move |(position, by)| (number * BLOCK + position, *by))
        });
        all.filter(|(_, by)| *by != 0)
    }

    /// The most retries in any minute, and the first such minute; none without retries.
    pub fn peak(&self) -> Option<(u64, Minute)> {
        let mut now = 0;
        let mut peak: Option<(i64, Minute)> = None;
        for (minute, by) in self.changes() {
            now += by;
            if now > peak.map_or(0, |(most, _)| most) {
                peak = Some((now, Minute(minute)));
            }
        }
        peak.map(|(most, minute)| (most.unsigned_abs(), minute))
    }

    /// The retries from the first minute with one to the last, in bins of equal length, at most this many; none without
    /// retries.
    pub fn load(&self, bins: i64) -> Option<Load> {
        let (first, _) = self.changes().next()?;
        // After the last change there is no retry.
        let end = self.changes().last().map_or(first, |(minute, _)| minute);
        // Rounded up, so that no more bins are needed.
        let minutes = ((end - first + bins - 1) / bins).max(1);
        let mut load = Load { from: Minute(first), minutes, bins: Vec::new() };
        let (mut now, mut since) = (0, first);
        for (minute, by) in self.changes() {
            load.add(since - first, minute - first, now);
            (now, since) = (now + by, minute);
        }
        Some(load)
    }

    /// Adds the retries of another.
    pub fn merge(&mut self, other: Self) {
        self.blocks.merge(other.blocks, |own, block| {
            if own.is_empty() {
                *own = block;
            } else {
                own.iter_mut().zip(block).for_each(|(own, by)| *own += by);
            }
        });
    }
}

/// Retries over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// The first minute of the first bin.
    pub from: Minute,
    /// The minutes of a bin.
    pub minutes: i64,
    /// For each bin the most retries in a minute of it, and the sum over its minutes.
    pub bins: Vec<(u64, u64)>,
}

impl Load {
    /// Adds `retries` in each minute from one to another, which is not included, counted from the first minute.
    fn add(&mut self, mut from: i64, to: i64, retries: i64) {
        let retries = retries.unsigned_abs();
        while retries > 0 && from < to {
            let bin = from / self.minutes;
            let end = to.min((bin + 1) * self.minutes);
            let bin = usize::try_from(bin).unwrap_or_default();
            if self.bins.len() <= bin {
                self.bins.resize(bin + 1, (0, 0));
            }
            let (most, sum) = &mut self.bins[bin];
            *most = retries.max(*most);
            *sum = sum.saturating_add(retries.saturating_mul((end - from).unsigned_abs()));
            from = end;
        }
    }
}

/// As the minutes in which the count changes, each by the distance from the one before, and the change: most of them take
/// two bytes.
impl BorshSerialize for Storm {
    fn serialize<W: Write>(&self, writer: &mut W) -> Result<()> {
        (self.changes().count() as u64).serialize(writer)?;
        let mut before = 0_i64;
        for (minute, by) in self.changes() {
            write_number(writer, minute.wrapping_sub(before))?;
            write_number(writer, by)?;
            before = minute;
        }
        Ok(())
    }
}

impl BorshDeserialize for Storm {
    fn deserialize_reader<R: Read>(reader: &mut R) -> Result<Self> {
        let (mut storm, mut minute) = (Self::default(), 0_i64);
        // Minutes come in order, so that a block is whole when the next one begins.
        let mut block: Option<(i64, Box<[i64]>)> = None;
        for number in 0..u64::deserialize_reader(reader)? {
            let (distance, by) = (read_number(reader)?, read_number(reader)?);
            minute = minute.wrapping_add(distance);
            let is_later = number == 0 || distance > 0;
            if !is_later || !SOME.contains(&minute) || !SOME.contains(&by) {
                return Err(ErrorKind::InvalidData.into());
            }
            let own = minute.div_euclid(BLOCK);
            if block.as_ref().is_none_or(|(last, _)| *last != own)
                && let Some((last, whole)) = block.replace((own, empty_block()))
            {
                *storm.blocks.at(last) = whole;
            }
            if let Some((_, block)) = &mut block {
                block[position(minute)] = by;
            }
        }
        if let Some((last, whole)) = block {
            *storm.blocks.at(last) = whole;
        }
        Ok(storm)
    }
}

/// More than the minutes of all years that times have, and more retries than any history has; sums of such numbers fit.
const SOME: RangeInclusive<i64> = -(1 << 40)..=1 << 40;

/// Writes a number in as few bytes as it needs: seven bits in each, the lowest first, and the sign in the lowest bit.
fn write_number<W: Write>(writer: &mut W, number: i64) -> Result<()> {
    let mut rest = (number << 1 ^ number >> 63).cast_unsigned();
    loop {
        let [low, ..] = (rest & 0x7f).to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            return low.serialize(writer);
        }
        (low | 0x80).serialize(writer)?;
    }
}

fn read_number<R: Read>(reader: &mut R) -> Result<i64> {
    let mut number = 0_u64;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = u8::deserialize_reader(reader)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
        }
    }
    Err(ErrorKind::InvalidData.into())
}

/// Storms are the same if the same number waits or runs in every minute.
impl PartialEq for Storm {
    fn eq(&self, other: &Self) -> bool {
        self.changes().eq(other.changes())
    }
}

impl Eq for Storm {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

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
            let Some(load) = one.load(12) else {
                prop_assert!(minutes.is_empty());
                return Ok(());
            };
            prop_assert!(load.bins.len() <= 12);
            prop_assert_eq!(Some(&load.from.0), minutes.keys().next());
            for (number, (most, sum)) in (0i64..).zip(&load.bins) {
                let from = load.from.0 + number * load.minutes;
                let own = minutes.range(from..from + load.minutes);
                prop_assert_eq!(*sum, own.clone().map(|(_, retries)| retries).sum::<u64>());
                prop_assert_eq!(*most, own.map(|(_, retries)| *retries).max().unwrap_or(0));
            }
            let sum: u64 = load.bins.iter().map(|(_, sum)| sum).sum();
            prop_assert_eq!(sum, minutes.values().sum::<u64>());
        }
    }
}
