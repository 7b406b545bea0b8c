//! Counts of the retries on record by where and when they ran. Only reports without policies have them: with policies
//! the summary has the retries that they reach.

use crate::simulate::numbering::{NumberError, Numbers};
use crate::simulate::summary::{RetryHours, RunFacts, add_each, at};
use borsh::{BorshDeserialize, BorshSerialize};
use document::units::Time;
use std::collections::BTreeMap;

/// The last number by which retries are counted alone, as under policies; those of later numbers are counted together.
const NUMBERED_RETRIES: u32 = 20;

/// The seconds of a day.
pub(super) const DAY: i64 = 86_400;

/// Counts of retries. Merging is associative and commutative, and empty counts change nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RecordGroups {
    /// By the number of a queue.
    pub(super) queues: Vec<RetryHours>,
    /// By the number of a node.
    pub(super) nodes: Vec<RetryHours>,
    /// By the day of the run before, counted from 1970.
    pub(super) days: BTreeMap<i64, RetryHours>,
    /// By their number in their member, from 1.
    pub(super) numbers: Vec<RetryHours>,
}

/// Where a retry ran, and which one it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryPlace {
    /// The number of its queue.
    pub(crate) queue: u32,
    /// The number of its node, if it has one.
    pub(crate) node: Option<u32>,
    /// Its position among the runs of its member, from 0.
    pub(crate) number: u32,
    /// The time of the run before, if it is recorded.
    pub(crate) after: Option<Time>,
}

impl RecordGroups {
    pub(crate) fn add(&mut self, place: RetryPlace, run: &RunFacts) {
        let numbers = at(&mut self.numbers, place.number.min(NUMBERED_RETRIES + 1));
        // A record may have no node or no time, and is then only in the other groups.
        let node = place.node.map(|node| at(&mut self.nodes, node));
        // Rounded down, so that days before 1970 are whole ones too.
        let day = place.after.map(|time| time.epoch_seconds().div_euclid(DAY));
        let day = day.map(|day| self.days.entry(day).or_default());
        let groups = [Some(at(&mut self.queues, place.queue)), Some(numbers), node, day];
        for hours in groups.into_iter().flatten() {
            hours.add(run.end.ending, &run.hours);
        }
    }

    /// The counts by other numbers of names.
    pub(super) fn renumber(self, numbers: &Numbers) -> Result<Self, NumberError> {
        let queues = numbers.queues.list(self.queues, RetryHours::merge)?;
        let nodes = numbers.list_of_nodes(self.nodes, RetryHours::merge)?;
        Ok(Self { queues, nodes, ..self })
    }

    /// Adds the counts of others, by the same names.
    pub(super) fn merge(&mut self, other: Self) {
        for (own, other) in [
            (&mut self.queues, other.queues),
            (&mut self.nodes, other.nodes),
            (&mut self.numbers, other.numbers),
        ] {
            add_each(own, other, RetryHours::merge);
        }
        for (day, hours) in other.days {
            self.days.entry(day).or_default().merge(hours);
        }
    }
}
