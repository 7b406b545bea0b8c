//! Limits of rounds and queues, for new jobs only.

use super::gang::Candidate;
use super::model::fits;
use super::shares::float;
use super::state::State;

impl State<'_> {
    /// Why a gang, counted in the allocation already, must wait.
    pub fn limit(&self, queue: usize, members: &[Candidate]) -> Result<(), &'static str> {
        let (settings, own) = (&self.pool.settings, &self.pool.queues[queue]);
        let size = float(i64::try_from(members.len()).expect("a count"));
        if own.is_cordoned {
            return Err("queue cordoned");
        }
        if self.tokens < 1.0 {
            return Err("global scheduling rate limit exceeded");
        }
        if settings.burst.is_some_and(|burst| burst < size) {
            return Err("gang cardinality too large: exceeds global max burst size");
        }
        if self.tokens < size {
            return Err("gang would exceed global scheduling rate limit");
        }
        if self.queue_tokens[queue] < 1.0 {
            return Err("queue scheduling rate limit exceeded");
        }
        if settings.queue_burst.is_some_and(|burst| burst < size) {
            return Err("gang cardinality too large: exceeds queue max burst size");
        }
        if self.queue_tokens[queue] < size {
            return Err("gang would exceed queue scheduling rate limit");
        }
        let class = &self.pool.jobs[members[0].job].class;
        if !fits(&self.allocated[queue][class], &own.limits[class]) {
            return Err("resource limit exceeded");
        }
        Ok(())
    }
}

/// Whether no new job can start after this.
pub fn ends_round(reason: &str) -> bool {
    ["maximum resources scheduled", "global scheduling rate limit exceeded"].contains(&reason)
}

/// Whether no new job of the queue can start after this.
pub fn ends_queue(reason: &str) -> bool {
    ["queue scheduling rate limit exceeded", "queue cordoned"].contains(&reason)
}

/// Whether it holds for each single job of the same shape.
pub fn is_of_shape(reason: &str) -> bool {
    [
        "gang cardinality too large: exceeds global max burst size",
        "job does not fit on any node",
        "unable to schedule gang since minimum cardinality not met",
    ]
    .contains(&reason)
}
