//! A pool in the event loop: its nodes, and its rounds.

use super::jobs::Renumbering;
use super::{Change, Observer, PoolRound, QueueState, Simulation};
use crate::cluster::job::{JobIndex, Shape};
use crate::cluster::nodes::Nodes;
use crate::cluster::resources::Amounts;
use crate::cluster::round::{self, Outcome, QueueInput, Refusal, RoundInput};
use crate::cluster::scheduling::Scheduling;
use crate::cluster::settings::{PriorityClass, Settings};
use crate::cluster::share::{Claim, Costs, shares};
use crate::cluster::spec::{ClusterSpec, Nanoseconds};
use std::collections::HashMap;

/// The nodes of a pool, and the allocations of its queues.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    pub(super) name: String,
    pub(super) settings: Settings,
    pub(super) nodes: Nodes,
    /// The capacity of the nodes that are up.
    pub(super) total: Amounts,
    /// The sums of the capacity over time, until the last change of a node.
    capacity_sums: Vec<i128>,
    last_change: Nanoseconds,
    /// The maximum allocation of the jobs of a queue, by class.
    limits: Vec<Amounts>,
    /// The allocations by queue and class.
    pub(super) allocated: Vec<Vec<Amounts>>,
    /// Their sum.
    pub(super) leased: Amounts,
    /// The number of running jobs in the pool, by queue.
    pub(super) running: Vec<u32>,
    /// Those of them that had earlier runs.
    pub(super) running_retries: Vec<u32>,
    /// The priorities that jobs were placed at.
    pub(super) priorities: HashMap<JobIndex, i32>,
    /// The nodes that jobs avoid.
    pub(super) avoided: HashMap<JobIndex, Vec<usize>>,
}

impl Pool {
    /// Returns the pools of all clusters, in the order of their names.
    pub(super) fn all(scheduling: &Scheduling, clusters: &ClusterSpec, queues: usize) -> Vec<Self> {
        let pools = clusters.pools().into_iter();
        pools.map(|name| Self::new(scheduling, clusters, name, queues)).collect()
    }

    fn new(scheduling: &Scheduling, clusters: &ClusterSpec, name: &str, queues: usize) -> Self {
        let settings = scheduling.of_pool(name);
        let specs = clusters.nodes_of_pool(name);
        let mut total = settings.capacity_without_nodes();
        for node in &specs {
            total.add(&node.total);
        }
        let of_class = vec![settings.resources.zero(); settings.classes.len()];
        Self {
            name: name.to_owned(),
            nodes: Nodes::new(&settings, specs),
            limits: limits(&settings, &total),
            capacity_sums: vec![0; total.as_slice().len()],
            last_change: 0,
            leased: settings.resources.zero(),
            total,
            allocated: vec![of_class; queues],
            running: vec![0; queues],
            running_retries: vec![0; queues],
            priorities: HashMap::new(),
            avoided: HashMap::new(),
            settings,
        }
    }

    /// Removes the capacity of a node that is down.
    pub(super) fn remove_node(&mut self, position: usize, now: Nanoseconds) {
        self.capacity_sums = self.capacity_sums(now);
        self.last_change = now;
        self.total.subtract(&self.nodes.get(position).spec.total);
        self.limits = limits(&self.settings, &self.total);
    }

    /// Adds the capacity of a node that is up again.
    pub(super) fn return_node(&mut self, position: usize, now: Nanoseconds) {
        self.capacity_sums = self.capacity_sums(now);
        self.last_change = now;
        self.total.add(&self.nodes.get(position).spec.total);
        self.limits = limits(&self.settings, &self.total);
    }

    /// Returns the sums of the capacity over time, in nanoseconds, by resource.
    pub(super) fn capacity_sums(&self, now: Nanoseconds) -> Vec<i128> {
        let elapsed = i128::from(now - self.last_change);
        let since = self.total.as_slice().iter().map(|amount| i128::from(*amount) * elapsed);
        self.capacity_sums.iter().zip(since).map(|(sum, since)| sum + since).collect()
    }

    /// Returns the pool without jobs and without these nodes.
    pub(super) fn empty(&self, gone: &[usize]) -> Self {
        let nodes = 0..self.nodes.len();
        let specs = nodes.clone().map(|node| self.nodes.get(node).spec.clone()).collect();
        let mut pool = Self { nodes: Nodes::new(&self.settings, specs), ..self.clone() };
        pool.total = self.settings.capacity_without_nodes();
        pool.priorities.clear();
        for node in nodes {
            let is_open = !gone.contains(&node);
            pool.nodes.set_open(node, is_open);
            if is_open {
                pool.total.add(&pool.nodes.get(node).spec.total);
            }
        }
        pool
    }

    /// Returns whether a job of this shape fits an open node that it does not avoid, if nothing else ran there.
    pub(super) fn has_node_for(&self, shape: &Shape, avoided: &[usize]) -> bool {
        (0..self.nodes.len()).any(|position| {
            let node = self.nodes.get(position);
            let spec = &node.spec;
            node.is_open()
                && !avoided.contains(&position)
                && shape.request.fits(&spec.total)
                && shape.requirements.are_met(|key| spec.label(key), &spec.taints, &[])
        })
    }

    /// Gives the jobs new positions.
    pub(super) fn renumber(&mut self, renumbering: &Renumbering) {
        self.nodes.renumber(|job| renumbering.job(job));
        let priorities = std::mem::take(&mut self.priorities).into_iter();
        let renumbered =
            priorities.filter_map(|(job, priority)| Some((renumbering.job(job)?, priority)));
        self.priorities = renumbered.collect();
        let avoided = std::mem::take(&mut self.avoided).into_iter();
        let renumbered = avoided.filter_map(|(job, nodes)| Some((renumbering.job(job)?, nodes)));
        self.avoided = renumbered.collect();
    }
}

/// Returns the maximum allocation of a queue's jobs, by class.
fn limits(settings: &Settings, total: &Amounts) -> Vec<Amounts> {
    let limit = |class: &PriorityClass| total.times(&class.queue_fractions);
    settings.classes.iter().map(limit).collect()
}

impl QueueState {
    /// Returns the demand within limits by class.
    fn demand_within(&self, limits: &[Amounts], settings: &Settings) -> Amounts {
        let mut sum = settings.resources.zero();
        for (demand, limit) in self.demand.iter().flatten().zip(limits) {
            sum.add(&demand.min(limit));
        }
        sum
    }
}

impl Simulation<'_> {
    /// Runs a round of a pool.
    pub(super) fn run_pool(&mut self, position: usize) -> Outcome {
        let now = self.now;
        let pool = &mut self.pools[position];
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
            queue.tokens.take(of_round.tokens_taken, self.now);
            self.tokens.take(of_round.tokens_taken, self.now);
        }
        let buckets = self.queues.iter().map(|queue| &queue.tokens).chain([&self.tokens]);
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
