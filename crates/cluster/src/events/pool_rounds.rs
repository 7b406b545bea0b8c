//! The rounds of pools.

use super::change::Change;
use super::queue_state::QueueState;
use super::simulation::Simulation;
use super::{Observer, PoolRound};
use crate::resources::Amounts;
use crate::round::{self, Outcome, QueueInput, Refusal, RoundInput};
use crate::share::{Claim, Costs, shares};

impl Simulation<'_> {
    /// Runs a round of a pool.
    pub(super) fn run_pool(&mut self, position: usize) -> Outcome {
        let now = self.now;
        let pool = &mut self.pools[position];
        // Armada reads 0 as no limit.
        let lookback = match pool.settings.queue_lookback {
            0 => usize::MAX,
            lookback => lookback,
        };
        let queues = self.queues.iter_mut().zip(&self.workload.queues).zip(&pool.allocated);
        let queues = queues.map(|((queue, spec), allocated)| QueueInput {
            weight: spec.weight,
            is_active: queue.demand.is_some(),
            is_cordoned: false,
            tokens: queue.tokens.tokens(now),
            limits: pool.limits.clone(),
            allocated: allocated.clone(),
            demand: queue.demand_within(&pool.limits, &pool.settings),
            // A round considers no more than these.
            queued: queue.queued.numbers().take(lookback).collect(),
        });
        let outcome = round::run(RoundInput {
            settings: &pool.settings,
            total: pool.total.clone(),
            jobs: self.jobs.all(),
            shapes: &self.shapes,
            gangs: self.jobs.gangs(),
            queues: queues.collect(),
            nodes: &mut pool.nodes,
            tokens: self.tokens.tokens(now),
            seed: self.options.seed,
            // The number follows from the time: if rounds were counted, skipped rounds would change the draws
            // of later ones.
            number: u64::try_from(now / self.scheduling.period).unwrap_or(0),
            priorities: &mut pool.priorities,
            avoided: &pool.avoided,
        });
        for (allocated, queue) in pool.allocated.iter_mut().zip(&outcome.queues) {
            allocated.clone_from(&queue.allocated);
        }
        pool.leased = pool.settings.resources.zero();
        for allocated in pool.allocated.iter().flatten() {
            pool.leased.add(allocated);
        }
        outcome
    }

    /// Takes the tokens of the jobs that a round placed. If it refused jobs because of rates, the
    /// time of the next token is planned as a change.
    pub(super) fn take_tokens(&mut self, outcome: &Outcome) {
        for (queue, of_round) in self.queues.iter_mut().zip(&outcome.queues) {
            // Both buckets: a job that is placed takes a token of its queue and one of the scheduler.
            queue.tokens.take(of_round.tokens_taken, self.now);
            self.tokens.take(of_round.tokens_taken, self.now);
        }
        let buckets = self.queues.iter().map(|queue| &queue.tokens).chain([&self.tokens]);
        // The earliest token of any bucket: until then another round would refuse the same jobs.
        let next = buckets.filter_map(|bucket| bucket.next_token(self.now)).min();
        if let Some(next) = next.filter(|_| outcome.refused.reasons().any(Refusal::is_of_rate)) {
            self.push(next, Change::Token);
        }
    }

    /// Returns by queue the demand-capped share in a pool. Demand that other pools satisfy is not counted
    /// here; the scheduler counts it, as in Armada.
    fn entitled(&self, position: usize, outcome: &Outcome) -> Vec<f64> {
        // Armada's shares of a pool without resources are those of one with enough.
        if self.pools[position].total.as_slice().iter().all(|amount| *amount == 0) {
            return vec![0.0; self.queues.len()];
        }
        // The round has computed them already; with one pool there is no demand elsewhere.
        if self.pools.len() == 1 {
            return outcome.queues.iter().map(|queue| queue.shares.demand_capped).collect();
        }
        let pool = &self.pools[position];
        let others = || self.pools.iter().enumerate().filter(|(other, _)| *other != position);
        let demand = |(queue, state): (usize, &QueueState)| {
            let mut demand = state.demand_within(&pool.limits, &pool.settings);
            let allocated = others().flat_map(|(_, other)| &other.allocated[queue]);
            allocated.for_each(|amounts| demand.subtract(amounts));
            demand
        };
        let demands: Vec<Amounts> = self.queues.iter().enumerate().map(demand).collect();
        let queues = self.queues.iter().zip(&self.workload.queues).zip(&demands);
        let active = queues.filter(|((queue, _), _)| queue.demand.is_some());
        let claims: Vec<Claim<'_>> =
            active.map(|((_, spec), demand)| Claim { weight: spec.weight, demand }).collect();
        let costs = Costs::new(&pool.settings, pool.total.clone());
        let mut shares = shares(&costs, &claims).into_iter();
        let of = |queue: &QueueState| queue.demand.is_some().then(|| shares.next()).flatten();
        self.queues.iter().map(of).map(|shares| shares.unwrap_or_default().demand_capped).collect()
    }

    /// Passes a round to the observer, and the refusals with a reason that is new for their template.
    pub(super) fn observe(
        &mut self,
        position: usize,
        outcome: &Outcome,
        observer: &mut impl Observer,
    ) {
        for (job, refusal) in outcome.refused.iter() {
            // Another pool may have placed the job at the same time.
            if self.jobs.is_running(job) {
                continue;
            }
            // A bit for each kind of refusal, so that each is reported once.
            if self.jobs.add_refusal(job, 1 << refusal.number()) {
                observer.refused(self.jobs.template(job), refusal);
            }
        }
        let count = |queue: &QueueState| u32::try_from(queue.queued.len());
        let queued: Vec<u32> =
            self.queues.iter().map(|queue| count(queue).unwrap_or(u32::MAX)).collect();
        let backing_off: Vec<u32> = self.queues.iter().map(|queue| queue.backing_off).collect();
        observer.round(PoolRound {
            time: self.now,
            pool: position,
            outcome,
            entitled: &self.entitled(position, outcome),
            running: &self.pools[position].running,
            running_retries: &self.pools[position].running_retries,
            queued: &queued,
            backing_off: &backing_off,
        });
    }
}
