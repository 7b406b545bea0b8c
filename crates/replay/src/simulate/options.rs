//! The options of a replay.

use super::assume::Assume;
use std::num::NonZeroUsize;

/// Whether timelines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timelines {
    /// One for each job.
    All,
    /// Only the summary.
    None,
}

/// How members are replayed.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether timelines are written.
    pub timelines: Timelines,
    /// How unresolved jobs are settled, if at all.
    pub assume: Option<Assume>,
    /// The number of the only member that is reported; its whole unit is replayed.
    pub only: Option<usize>,
    /// Number of threads.
    pub threads: NonZeroUsize,
    /// Bad records that were skipped while reading.
    pub skipped_records: usize,
    /// Seed for random jitter.
    pub seed: u64,
}
