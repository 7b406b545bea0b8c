//! The fields that the run records of all systems have, except `jobId`: each system documents its own meaning
//! of it.

use crate::diag::Code;
use crate::document::{Field, Kind, optional};

/// A count, or an index.
pub(super) const COUNT: Kind =
    Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };

pub(super) const QUEUE: Field =
    optional("queue", Kind::Text, "The queue that summaries count it under.");
pub(super) const RUN_INDEX: Field = optional(
    "runIndex",
    COUNT,
    "The run's number, growing within its member; absent means its position, from 0.",
);
pub(super) const STARTED: Field =
    optional("startedAt", Kind::Time, "When the run began: RFC 3339.");
pub(super) const FINISHED: Field = optional(
    "finishedAt",
    Kind::Time,
    "When the run ended: RFC 3339. Runs that end in the same second are evaluated together.",
);
pub(super) const NODE: Field = optional("node", Kind::Text, "The node it ran on.");
pub(super) const CLUSTER: Field = optional("cluster", Kind::Text, "The cluster it ran in.");
