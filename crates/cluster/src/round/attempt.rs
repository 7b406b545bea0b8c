//! The changes of an attempt to place a gang.

use super::outcome::Placement;
use crate::job::JobIndex;

/// The changes of an attempt to place a gang.
#[derive(Debug, Default)]
pub(super) struct Attempt {
    pub(super) placed: Vec<(JobIndex, Choice)>,
    /// The displaced evicted jobs, each with the job that displaced it.
    pub(super) displaced: Vec<(JobIndex, JobIndex)>,
    /// The jobs that were removed from the evicted ones, with their positions.
    pub(super) taken_out: Vec<(JobIndex, usize)>,
}

impl Attempt {
    /// Returns the mean priority of the jobs that the members displace; lower is better.
    #[expect(clippy::cast_precision_loss, reason = "members of a gang")]
    pub(super) fn displaces(&self) -> f64 {
        let sum: i64 = self.placed.iter().map(|(_, choice)| i64::from(choice.displaces)).sum();
        // At least 1, as an empty gang displaces nothing.
        sum as f64 / self.placed.len().max(1) as f64
    }
}

/// The nodes that a gang with a uniformity label may use now: those with this value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Uniform<'u> {
    pub(super) label: &'u str,
    pub(super) value: &'u str,
}

/// A node for a job.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    pub(super) placement: Placement,
    /// The highest priority that it displaces.
    pub(super) displaces: i32,
}
