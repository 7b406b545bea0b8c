//! A round in progress.

use super::model::{Amounts, Figures, Pool, Toleration, add, subtract};
use std::collections::{BTreeMap, BTreeSet};

/// The priority at which only what counts even beside evicted jobs is free.
pub const EVICTED: i32 = -2;

/// A job on a node. An evicted one keeps its node until another job takes its place.
#[derive(Clone)]
pub struct Bound {
    pub job: usize,
    /// It takes from what is free at this priority and below.
    pub cutoff: i32,
    pub is_evicted: bool,
}

pub struct State<'a> {
    pub pool: &'a Pool,
    /// By node.
    pub bound: Vec<Vec<Bound>>,
    /// Evicted jobs in the order in which they would return.
    pub evicted: Vec<usize>,
    /// The nodes of evicted jobs.
    pub home: BTreeMap<usize, usize>,
    /// The priorities that jobs were placed at, in undone attempts too.
    pub priorities: BTreeMap<usize, i32>,
    /// Tolerations of the away node types that took a job, in undone attempts too.
    pub extra: BTreeMap<usize, Vec<Toleration>>,
    /// By queue and class.
    pub allocated: Vec<BTreeMap<String, Amounts>>,
    /// What new jobs take.
    pub new: Amounts,
    pub shares: Vec<Figures>,
    /// Jobs that cannot return because others took their place.
    pub displaced: BTreeSet<usize>,
    pub refused: BTreeMap<usize, String>,
    pub places: BTreeMap<usize, (usize, i32)>,
    pub tokens: f64,
    /// By queue.
    pub queue_tokens: Vec<f64>,
    /// The shapes of jobs that fit no node, and why.
    pub hopeless: BTreeMap<String, String>,
}

/// What an attempt may change and its failure restores.
pub struct Copy {
    bound: Vec<Vec<Bound>>,
    evicted: Vec<usize>,
    displaced: BTreeSet<usize>,
}

impl<'a> State<'a> {
    pub fn new(pool: &'a Pool, shares: Vec<Figures>) -> Self {
        let settings = &pool.settings;
        let full = |tokens: Option<f64>, burst: Option<f64>| {
            burst.map_or(f64::INFINITY, |burst| tokens.unwrap_or(burst))
        };
        let mut state = State {
            pool,
            bound: vec![Vec::new(); pool.nodes.len()],
            evicted: Vec::new(),
            home: BTreeMap::new(),
            priorities: BTreeMap::new(),
            extra: BTreeMap::new(),
            allocated: pool.queues.iter().map(|queue| queue.allocated.clone()).collect(),
            new: vec![0; settings.resources.len()],
            shares,
            displaced: BTreeSet::new(),
            refused: BTreeMap::new(),
            places: BTreeMap::new(),
            tokens: full(pool.tokens, settings.burst),
            queue_tokens: pool
                .queues
                .iter()
                .map(|queue| full(queue.tokens, settings.queue_burst))
                .collect(),
            hopeless: BTreeMap::new(),
        };
        for (job, one) in pool.jobs.iter().enumerate() {
            if let Some(run) = one.run.as_ref().filter(|run| run.is_bound) {
                state.bind(job, run.node, run.priority);
            }
        }
        state
    }

    /// What a node has free at a priority.
    pub fn free(&self, node: usize, priority: i32) -> Amounts {
        let own = &self.pool.nodes[node];
        let mut free = own.allocatable.get(&priority).unwrap_or(&own.total).clone();
        for bound in &self.bound[node] {
            let cutoff = if bound.is_evicted { EVICTED } else { bound.cutoff };
            if priority <= cutoff {
                subtract(&mut free, &self.pool.jobs[bound.job].on_node);
            }
        }
        free
    }

    pub fn bind(&mut self, job: usize, node: usize, priority: i32) {
        let is_preemptible = self.pool.class(job).is_preemptible;
        let cutoff = if is_preemptible { priority } else { i32::MAX };
        self.bound[node].retain(|bound| bound.job != job);
        self.bound[node].push(Bound { job, cutoff, is_evicted: false });
        self.evicted.retain(|evicted| *evicted != job);
        self.priorities.insert(job, priority);
        self.places.insert(job, (node, priority));
    }

    /// Takes an evicted job from its node for good.
    pub fn displace(&mut self, job: usize) {
        let node = self.home[&job];
        self.bound[node].retain(|bound| bound.job != job);
        self.evicted.retain(|evicted| *evicted != job);
        self.displaced.insert(job);
    }

    /// The priority that a job was placed at, else that of its class.
    pub fn priority(&self, job: usize) -> i32 {
        self.priorities.get(&job).copied().unwrap_or(self.pool.class(job).priority)
    }

    /// What a queue has over all classes.
    pub fn allocation(&self, queue: usize) -> Amounts {
        let mut sum = vec![0; self.pool.settings.resources.len()];
        for amounts in self.allocated[queue].values() {
            add(&mut sum, amounts);
        }
        sum
    }

    /// What the queue has in the class of the job.
    pub fn allocated_of(&mut self, job: usize) -> &mut Amounts {
        let job = &self.pool.jobs[job];
        let queue = job.queue.expect("a listed queue");
        self.allocated[queue].get_mut(&job.class).expect("a class")
    }

    pub fn copy(&self) -> Copy {
        Copy {
            bound: self.bound.clone(),
            evicted: self.evicted.clone(),
            displaced: self.displaced.clone(),
        }
    }

    pub fn restore(&mut self, copy: Copy) {
        self.bound = copy.bound;
        self.evicted = copy.evicted;
        self.displaced = copy.displaced;
    }
}
