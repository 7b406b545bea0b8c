//! The allocations and shares of queues during a round.

use super::input::QueueInput;
use super::outcome::QueueOutcome;
use crate::resources::Amounts;
use crate::settings::Settings;
use crate::share::{Claim, Costs, Shares, shares};

/// A queue during a round.
#[derive(Debug)]
pub(super) struct QueueState {
    pub(super) weight: f64,
    pub(super) allocated_by_class: Vec<Amounts>,
    pub(super) allocated: Amounts,
    pub(super) shares: Shares,
    pub(super) cost_before: f64,
}

/// Returns the queues at the beginning of a round, and the jobs that wait in each. Inactive queues are
/// ignored in the shares.
pub(super) fn queue_states(
    settings: &Settings,
    costs: &Costs,
    inputs: Vec<QueueInput>,
    is_active: impl Fn(&QueueInput) -> bool,
) -> (Vec<QueueState>, Vec<Vec<crate::job::JobIndex>>) {
    let (mut queues, mut waiting) = (Vec::new(), Vec::new());
    let shares = queue_shares(costs, &inputs, is_active);
    for (queue, shares) in inputs.into_iter().zip(shares) {
        let mut allocated = settings.resources.zero();
        queue.allocated.iter().for_each(|of_class| allocated.add(of_class));
        waiting.push(queue.queued);
        queues.push(QueueState {
            weight: queue.weight,
            allocated_by_class: queue.allocated,
            cost_before: costs.cost(&allocated),
            allocated,
            shares,
        });
    }
    (queues, waiting)
}

/// Returns the shares of the queues; inactive ones have none.
fn queue_shares(
    costs: &Costs,
    queues: &[QueueInput],
    is_active: impl Fn(&QueueInput) -> bool,
) -> Vec<Shares> {
    let active = queues.iter().filter(|queue| is_active(queue));
    let claims: Vec<Claim<'_>> =
        active.map(|queue| Claim { weight: queue.weight, demand: &queue.demand }).collect();
    let mut shares = shares(costs, &claims).into_iter();
    let of = |queue: &QueueInput| is_active(queue).then(|| shares.next()).flatten();
    queues.iter().map(of).map(Option::unwrap_or_default).collect()
}

impl QueueState {
    /// Counts a job of a class.
    pub(super) fn add(&mut self, class: usize, request: &Amounts) {
        self.allocated.add(request);
        self.allocated_by_class[class].add(request);
    }

    /// Uncounts a job of a class.
    pub(super) fn subtract(&mut self, class: usize, request: &Amounts) {
        self.allocated.subtract(request);
        self.allocated_by_class[class].subtract(request);
    }

    /// Returns the queue's outcome of the round.
    pub(super) fn outcome(&self, costs: &Costs, tokens_taken: u32) -> QueueOutcome {
        QueueOutcome {
            shares: self.shares,
            cost_before: self.cost_before,
            cost_after: costs.cost(&self.allocated),
            allocated: self.allocated_by_class.clone(),
            tokens_taken,
        }
    }
}
