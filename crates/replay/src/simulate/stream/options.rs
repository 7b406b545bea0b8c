//! The options of a stream.

use crate::history::{OnBadRecord, RecordFields, Run};
use crate::simulate::history_shard::HistoryShard;
use std::num::NonZeroUsize;

/// How a batch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batch {
    /// There may be more pieces.
    Full,
    /// There are no more pieces.
    Last,
    /// The limit of bad records is reached.
    TooManyBad,
}

/// Which units are kept until all records are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retention {
    /// All of them: the history is read into memory.
    All,
    /// Those that cannot be judged run by run.
    Necessary,
    /// Those, and the unit of this id.
    NecessaryAnd(String),
    /// Those, and the first unit if its first record is not a line: it may turn out to be the only one.
    NecessaryAndFirst,
}

/// Changes a run when it is read, before anything else reads it; `false` drops the run. It may be called on any
/// thread, with the run's cluster and its own fields, and for runs that then turn out to be bad records.
pub type RunTransform<F> = dyn Fn(&mut Run<F>) -> bool + Sync;

/// A run that breaks no rule, with the queue and the fields of its unit.
pub struct ValidRun<'r, F: RecordFields> {
    /// Its queue; empty if the record names none.
    pub queue: &'r str,
    /// The fields of its unit.
    pub unit: &'r F::Unit,
    /// The run, with its node and its cluster.
    pub run: &'r Run<F>,
}

/// Takes each valid run, on any thread and in any order.
pub type Observe<'o, F> = dyn Fn(&ValidRun<'_, F>) + Sync + 'o;

/// Whether no manifest of an engine, by its number, names a unit.
pub type IsUnmatched<'o> = dyn Fn(usize, &str) -> bool + Sync + 'o;

/// How a stream is read and replayed.
pub struct StreamOptions<'o> {
    /// Number of threads.
    pub threads: NonZeroUsize,
    /// Number of pieces of a batch; all of them are in memory at once.
    pub batch: NonZeroUsize,
    /// How to handle bad records.
    pub on_bad: OnBadRecord,
    /// Random hash key, against crafted collisions.
    pub hash_key: (u64, u64),
    /// Seed for random jitter.
    pub seed: u64,
    /// Which units are kept.
    pub keep: Retention,
    /// Whether runs that decisions cannot tell apart are compared with the rules before they reach their units, each
    /// signature of them once. The result does not depend on it.
    pub has_alike: bool,
    /// The shard whose units are replayed, if the history has several. All records have to be lines.
    pub shard: Option<HistoryShard>,
    /// Finds the units that no manifest names, if policies are parts of manifests.
    pub is_unmatched: Option<&'o IsUnmatched<'o>>,
}

impl StreamOptions<'_> {
    /// Options to read a small history into memory, on one thread.
    pub(super) fn small(on_bad: OnBadRecord) -> Self {
        Self {
            threads: NonZeroUsize::MIN,
            batch: NonZeroUsize::MIN,
            on_bad,
            // A fixed key: too few records to slow a table down by crafted collisions.
            hash_key: (0, 0),
            seed: 0,
            keep: Retention::All,
            has_alike: false,
            shard: None,
            is_unmatched: None,
        }
    }
}
