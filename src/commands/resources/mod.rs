//! The parts that commands which write policies and queues share.
//!
//! Files or flags become a [`DesiredState`]. It is compared with the objects on the server, the
//! differences become [`Step`]s, and an [`Executor`] runs them, or reports them in a dry run.

mod args;
mod attach_race;
mod compare;
mod deletion;
mod desired;
mod executor;
mod live_objects;
mod notes;
mod operation;
mod outcome;
mod owners;
mod prune;
mod queue;
mod queue_flags;
mod verify;
mod write;

pub(super) use super::resource_args::{POLICY, QUEUE};
pub(super) use args::{
    Accept, ArgumentFileArgs, ComparisonArgs, DifferenceArgs, FileArgs, SelectedFiles,
};
pub(super) use compare::policy_differences;
pub(super) use deletion::{DeleteOptions, Detach, PolicyDeletion, delete_queues};
pub(super) use desired::{DesiredState, Origin, Purpose, WriteMode, desired_policy, read};
pub(super) use executor::{Executor, Step, failed_item};
pub(super) use live_objects::{LiveObjects, fetch_policies};
pub(super) use notes::print_unnamed_rights;
pub(super) use operation::{Operation, lost_change};
pub(super) use outcome::{
    FORMS, INTERRUPTED, ReportEnd, apply_report, print_report, report, report_offline,
};
pub(super) use owners::OWNER_VERBS;
pub(super) use prune::{Confirmation, Prune, parse_pattern};
pub(super) use queue::DesiredQueue;
pub(super) use queue_flags::QueueFlags;
pub(super) use write::{
    WriteOptions, document_names, fetch_desired_queues, write_files, write_queue,
};
