//! Limits of rounds and queues, for new jobs only, and of floating resources, for all jobs.

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

impl State<'_> {
    /// Why a gang that requests floating resources, counted in the allocation already, must wait.
    pub fn floating(&self, members: &[Candidate], pool: &str) -> Result<(), String> {
        let floating = &self.pool.settings.floating;
        let requests = |at: usize| members.iter().any(|it| self.pool.jobs[it.job].request[at] > 0);
        if !floating.iter().any(|(at, _)| requests(*at)) {
            return Ok(());
        }
        if floating.iter().all(|(_, available)| *available == 0) {
            return Err(format!("floating resources not configured for pool {pool}"));
        }
        for (at, available) in floating {
            let of_queue = |queue| self.allocation(queue)[*at];
            if (0..self.pool.queues.len()).map(of_queue).sum::<i64>() > *available {
                let name = &self.pool.settings.resources[*at].name;
                return Err(format!("not enough floating resource {name} in pool {pool}"));
            }
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
