//! Retries after the end of a run: the decisions of a retry engine about the runs of a simulated cluster.
//!
//! The event loop passes the ends of a unit (a job, or a gang with all of its members) to a [`Decider`], and applies
//! what it decides. An engine sees records as those of real runs.
//!
//! Contract: docs/cluster-failures.md, Retries.

mod decision;
mod engine;

pub use decision::RunDecision;
pub use engine::EngineDecider;

use super::events::{Event, EventKind};
use super::spec::Nanoseconds;

/// A job without a gang, or a gang: the position of its template, and its number in it.
pub type UnitId = (usize, u32);

/// Decides what follows the ends of runs.
pub trait Decider: Send {
    /// Decides about a unit of which no run goes on: a job whose run has failed or was preempted, or a gang, each
    /// of whose members has one event.
    fn decide(&mut self, unit: UnitId, ends: &[Event]) -> UnitDecision;

    /// Drops what is known of a unit that has succeeded.
    fn forget(&mut self, _unit: UnitId) {}
}

/// The decision about a unit.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitDecision {
    /// The decision about each run, in the order of the ends; `None` for runs about which there is none.
    pub decisions: Vec<Option<RunDecision>>,
    /// The consequence.
    pub next: Next,
}

/// The consequence of a decision. Lists are in the order of the ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// The unit has ended: whether each job succeeded.
    Over(Vec<bool>),
    /// All of its jobs run again.
    Again {
        /// The time until which they are not queued.
        retry_after: Nanoseconds,
        /// The grant of each of them.
        grants: Vec<RunGrant>,
    },
}

/// The grant of a further run of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunGrant {
    /// The ids of the nodes that it avoids.
    pub avoided: Vec<String>,
    /// Its memory in bytes, if it is not that of the request.
    pub memory: Option<u64>,
}

/// The position at which a job that runs again is queued, among those of its priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requeue {
    /// By the time of its first submission.
    Original,
    /// Before all others; among themselves by the time of submission.
    Front,
    /// Behind all others.
    Back,
}

/// Grants no retry: a unit ends with the first run that does not succeed.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRetries;

impl Decider for NoRetries {
    fn decide(&mut self, _: UnitId, ends: &[Event]) -> UnitDecision {
        let succeeded = ends.iter().map(|event| event.kind == EventKind::Succeeded);
        UnitDecision { decisions: vec![None; ends.len()], next: Next::Over(succeeded.collect()) }
    }
}
