//! What the commands that write from files share: what a file's documents are on the wire, how
//! that compares with what the server holds, and the carrying out of what follows.
//!
//! A command turns documents into [`Step`]s; [`Carrying`] does them, or only says what it would do.

mod args;
mod bodies;
mod carry;
mod compare;
mod deletion;
mod dropped;
mod finish;
mod live;
mod notes;
mod owners;
mod prune;
mod queue;
mod queue_flags;
mod race;
mod unknown;
mod work;
mod write;

pub(super) use args::{ComparisonArgs, DifferenceArgs, FileArgs};
pub(super) use bodies::{Accept, Purpose, read, wanted_policy};
pub(super) use carry::{Carrying, Step};
pub(super) use compare::{of_policy, of_queue};
pub(super) use deletion::{Deletion, Detach, Policies, delete_queues};
use dropped::{refuse_dropped, refuse_dropped_of_queues};
pub(super) use finish::{FORMS, INTERRUPTED, finish, layout, offline};
pub(super) use live::{Live, policies, queues};
use notes::print_notes;
pub(super) use notes::print_unnamed_rights;
pub(super) use prune::{Confirmed, Prune, pattern};
pub(super) use queue::WantedQueue;
pub(super) use queue_flags::QueueFlags;
pub(super) use unknown::refuse_unknown;
pub(super) use work::Work;
pub(super) use write::{Mode, Origin, Wanted, from_files, from_flags, names, queues_of};

/// The kind of a policy, in reports.
pub(super) const POLICY: &str = "RetryPolicy";
/// The kind of a queue, in reports.
pub(super) const QUEUE: &str = "Queue";

/// Requests at the same time.
const AT_ONCE: usize = 16;
