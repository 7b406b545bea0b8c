//! What the engine remembers of a job.

use super::counts::Counts;
use super::decision::Decision;
use super::evaluator::Route;
use super::memory::Growth;
use crate::history::Job;
use std::sync::Arc;

/// What the engine remembers of a job between its runs. What every decision reads stands first,
/// so that most touch one cache line of it.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct JobState {
    pub(super) route: Arc<Route>,
    /// Runs so far, by position.
    pub(super) attempts: u32,
    /// Failures evaluated so far; returned leases are none.
    pub(super) failures: u32,
    /// Retries the engine has granted.
    pub(super) total: u32,
    pub(super) fail_fast: bool,
    /// Whether it is in a gang of two or more.
    pub(super) in_gang: bool,
    /// Bytes of memory it asked for.
    pub(super) memory: Option<u64>,
    pub(super) growth: Growth,
    pub(super) counts: Counts,
    /// Nodes a retry may have to avoid: the last, or all tried, as the profile has it.
    pub(super) nodes: Vec<String>,
}

impl JobState {
    /// The state of a job before its first run.
    pub fn new(job: &Job, route: Arc<Route>) -> Self {
        // Asked for here, so that no decision has to.
        let nodes = usize::from(route.avoids_nodes);
        Self {
            route,
            fail_fast: job.fail_fast(),
            in_gang: job.gang().is_some(),
            memory: job.resources.memory.map(crate::units::Quantity::ceil),
            attempts: 0,
            failures: 0,
            total: 0,
            counts: Counts::default(),
            growth: Growth::default(),
            nodes: Vec::with_capacity(nodes),
        }
    }

    /// Sets what has been used before the first run that is evaluated: retries in all, which are
    /// as many failures, and those of one rule.
    #[must_use]
    pub fn with_used(mut self, total: u32, rule: Option<(super::RuleId, u32)>) -> Self {
        (self.total, self.failures, self.attempts) = (total, total, total);
        if let Some((id, count)) = rule {
            self.counts.set(id, count);
        }
        self
    }

    /// The nodes that the run granted by `decision` avoids, until the next decision.
    pub fn avoided(&self, decision: &Decision) -> &[String] {
        if decision.grant.is_some_and(|grant| grant.avoids_nodes) { &self.nodes } else { &[] }
    }

    /// The policies that apply to the job.
    pub fn route(&self) -> &Route {
        &self.route
    }
}
