//! The evicted jobs of a round.

use crate::job::JobIndex;
use std::collections::HashMap;

/// The evicted jobs that are not placed again yet, in the order in which they would be.
#[derive(Debug, Default)]
pub(super) struct EvictedJobs {
    order: Vec<Option<JobIndex>>,
    positions: HashMap<JobIndex, usize>,
}

impl EvictedJobs {
    /// Adds the next job in the order.
    pub(super) fn push(&mut self, job: JobIndex) {
        self.positions.insert(job, self.order.len());
        self.order.push(Some(job));
    }

    /// Returns whether a job is in the list.
    pub(super) fn contains(&self, job: JobIndex) -> bool {
        self.positions.contains_key(&job)
    }

    /// Removes a job; returns its position if it was in the list.
    pub(super) fn remove(&mut self, job: JobIndex) -> Option<usize> {
        let position = self.positions.remove(&job)?;
        self.order[position] = None;
        Some(position)
    }

    /// Inserts a removed job at its position again.
    pub(super) fn restore(&mut self, job: JobIndex, position: usize) {
        self.positions.insert(job, position);
        self.order[position] = Some(job);
    }

    /// Returns the jobs in reverse order.
    pub(super) fn last_first(&self) -> impl Iterator<Item = JobIndex> {
        self.order.iter().rev().flatten().copied()
    }
}
