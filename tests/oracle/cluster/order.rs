//! Which gang is next.

use super::gang::Candidate;
use super::model::{Amounts, Pool, add};
use super::shares::cost;
use super::state::State;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, VecDeque};

/// The candidates of a queue, in order.
pub struct Stream {
    pub queue: usize,
    evicted: VecDeque<Candidate>,
    queued: VecDeque<Candidate>,
    /// Members of gangs that are not complete yet.
    partial: BTreeMap<String, Vec<Candidate>>,
    lookback: usize,
    seen: usize,
    is_evicted_only: bool,
    pub next: Option<Vec<Candidate>>,
}

/// The order of a queue's jobs.
pub fn job_order(pool: &Pool, job: usize) -> impl Ord + use<> {
    let own = &pool.jobs[job];
    let started = own.run.as_ref().map_or(0, |run| run.started);
    let priority = pool.class(job).priority;
    let is_queued = own.run.is_none();
    (is_queued, Reverse(priority), own.rank, started, own.submitted, job)
}

impl Stream {
    pub fn new(
        queue: usize,
        evicted: Vec<Candidate>,
        queued: Vec<Candidate>,
        lookback: usize,
    ) -> Self {
        Stream {
            queue,
            evicted: evicted.into(),
            queued: queued.into(),
            partial: BTreeMap::new(),
            lookback,
            seen: 0,
            is_evicted_only: false,
            next: None,
        }
    }

    /// Looks for the next complete gang, if none is at hand. Jobs of a shape that fits no node are skipped.
    pub fn fetch(&mut self, state: &mut State<'_>) {
        while self.next.is_none() {
            if self.lookback > 0 && self.seen >= self.lookback {
                self.is_evicted_only = true;
            }
            let queued = if self.is_evicted_only { None } else { Some(&mut self.queued) };
            let Some(candidate) = self.evicted.pop_front().or_else(|| queued?.pop_front()) else {
                return;
            };
            let job = &state.pool.jobs[candidate.job];
            if !candidate.is_evicted {
                self.seen += 1;
                if let Some(reason) = state.hopeless.get(&job.shape) {
                    state.refused.insert(candidate.job, reason.clone());
                    continue;
                }
            }
            let Some(gang) = &job.gang else {
                self.next = Some(vec![candidate]);
                return;
            };
            let members = self.partial.entry(gang.id.clone()).or_default();
            let cardinality = candidate.cardinality;
            members.push(candidate);
            if members.len() == cardinality {
                self.next = self.partial.remove(&gang.id);
            }
        }
    }

    /// Drops new jobs for the rest of the pass.
    pub fn keep_evicted(&mut self, state: &mut State<'_>) {
        self.is_evicted_only = true;
        if self.next.iter().flatten().any(|candidate| !candidate.is_evicted) {
            self.next = None;
        }
        if self.next.is_none() {
            self.fetch(state);
        }
    }
}

/// What decides between the next gangs of two queues.
struct Rank {
    queue: usize,
    priority: i32,
    current: f64,
    proposed: f64,
    size: f64,
    budget: f64,
}

/// How queues are compared.
#[derive(Clone, Copy, PartialEq)]
pub enum By {
    Class,
    /// The priority that running jobs have, which is lower away from home.
    Run,
}

fn rank(state: &State<'_>, stream: &Stream, by: By, allocation: &Amounts) -> Option<Rank> {
    let pool = state.pool;
    let members = stream.next.as_ref()?;
    let weight = pool.queues[stream.queue].weight;
    let mut total = vec![0; pool.total.len()];
    for member in members {
        add(&mut total, &pool.jobs[member.job].request);
    }
    let mut proposed = allocation.clone();
    add(&mut proposed, &total);
    let priority = |member: &Candidate| {
        let run = pool.jobs[member.job].run.as_ref().filter(|_| by == By::Run);
        run.map_or(pool.class(member.job).priority, |run| run.priority)
    };
    Some(Rank {
        queue: stream.queue,
        priority: members.iter().map(priority).min()?,
        current: cost(pool, allocation) / weight,
        proposed: cost(pool, &proposed) / weight,
        size: cost(pool, &total) * weight,
        budget: state.shares[stream.queue].demand_capped / weight,
    })
}

fn compare(pool: &Pool, a: &Rank, b: &Rank) -> Ordering {
    let by_float = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    let by_cost = if pool.settings.are_large_jobs_first {
        match (a.proposed <= a.budget, b.proposed <= b.budget) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => by_float(a.proposed, b.proposed),
            (true, true) => by_float(a.current, b.current).then(by_float(b.size, a.size)),
        }
    } else {
        by_float(a.proposed, b.proposed)
    };
    // Queues are in the order of their names.
    b.priority.cmp(&a.priority).then(by_cost).then(a.queue.cmp(&b.queue))
}

/// The position of the stream that is next; `allocations` are what the queues count as having.
pub fn first(
    state: &State<'_>,
    streams: &[Stream],
    by: By,
    allocations: &[Amounts],
) -> Option<usize> {
    let ranks = streams.iter().map(|stream| rank(state, stream, by, &allocations[stream.queue]));
    let ranks = ranks.enumerate().filter_map(|(at, rank)| Some((at, rank?)));
    ranks.min_by(|(_, a), (_, b)| compare(state.pool, a, b)).map(|(at, _)| at)
}
