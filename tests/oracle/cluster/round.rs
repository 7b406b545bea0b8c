//! The whole round.

use super::gang::Candidate;
use super::limits::{ends_queue, ends_round, is_of_shape};
use super::model::{Amounts, Outcome, Pool, add, fits, subtract};
use super::order::{By, Stream, first, job_order};
use super::parse;
use super::shares::{cost, shares};
use super::state::State;
use serde_json::Value;
use std::collections::BTreeSet;

/// Runs the round of a case.
pub fn run(input: &Value) -> Outcome {
    let pool = parse::pool(input);
    let mut state = State::new(&pool, shares(&pool));
    let queues = 0..pool.queues.len();
    let before: Vec<f64> = queues.map(|queue| cost(&pool, &state.allocation(queue))).collect();
    let evicted = state.evict_for_balance();
    let waiting: Vec<usize> =
        (0..pool.jobs.len()).filter(|job| pool.jobs[*job].run.is_none()).collect();
    let mut preempted: BTreeSet<usize> = evicted.iter().copied().collect();
    let mut scheduled = BTreeSet::new();
    for job in state.pass(&evicted, &waiting, By::Class) {
        if !preempted.remove(&job) {
            scheduled.insert(job);
        }
    }
    let evicted = state.evict_for_capacity();
    for job in &evicted {
        if !scheduled.remove(job) {
            preempted.insert(*job);
        }
    }
    for job in state.pass(&evicted, &[], By::Run) {
        if !preempted.remove(&job) {
            scheduled.insert(job);
        }
    }
    outcome(&pool, &state, &before, &scheduled, &preempted)
}

fn outcome(
    pool: &Pool,
    state: &State<'_>,
    before: &[f64],
    scheduled: &BTreeSet<usize>,
    preempted: &BTreeSet<usize>,
) -> Outcome {
    let id = |job: &usize| pool.jobs[*job].id.clone();
    let place = |job: &usize| {
        let (node, priority) = state.places[job];
        (id(job), (pool.nodes[node].id.clone(), priority))
    };
    let refused = state.refused.iter();
    let refused = refused.filter(|(job, _)| !scheduled.contains(job) && !preempted.contains(job));
    let queue = |(at, before): (usize, &f64)| {
        let mut figures = state.shares[at].clone();
        figures.cost_before = *before;
        figures.cost_after = cost(pool, &state.allocation(at));
        (pool.queues[at].name.clone(), figures)
    };
    Outcome {
        scheduled: scheduled.iter().map(place).collect(),
        preempted: preempted.iter().map(id).collect(),
        refused: refused.map(|(job, reason)| (id(job), reason.clone())).collect(),
        queues: before.iter().enumerate().map(queue).collect(),
    }
}

impl State<'_> {
    /// Schedules evicted and queued jobs; those that got a place.
    fn pass(&mut self, evicted: &[usize], queued: &[usize], by: By) -> Vec<usize> {
        self.hopeless.clear();
        let mut streams: Vec<Stream> =
            (0..self.pool.queues.len()).map(|queue| self.stream(queue, evicted, queued)).collect();
        for stream in &mut streams {
            stream.fetch(self);
        }
        let mut placed = Vec::new();
        loop {
            let allocations: Vec<Amounts> =
                (0..self.pool.queues.len()).map(|queue| self.allocation(queue)).collect();
            let Some(at) = first(self, &streams, by, &allocations) else { return placed };
            let members = streams[at].next.clone().expect("a gang");
            let is_displaced = members.iter().any(|member| self.displaced.contains(&member.job));
            let result = if is_displaced { None } else { Some(self.schedule(&members)) };
            streams[at].next = None;
            streams[at].fetch(self);
            match result {
                Some(Ok(())) => placed.extend(members.iter().map(|member| member.job)),
                Some(Err(reason)) if ends_round(&reason) => {
                    for stream in &mut streams {
                        stream.keep_evicted(self);
                    }
                }
                Some(Err(reason)) if ends_queue(&reason) => streams[at].keep_evicted(self),
                None | Some(Err(_)) => {}
            }
        }
    }

    fn stream(&self, queue: usize, evicted: &[usize], queued: &[usize]) -> Stream {
        let jobs = &self.pool.jobs;
        let mut queued: Vec<usize> =
            queued.iter().copied().filter(|job| jobs[*job].queue == Some(queue)).collect();
        queued.sort_by_key(|job| job_order(self.pool, *job));
        let candidate = |job: usize| Candidate {
            job,
            is_evicted: false,
            cardinality: jobs[job].gang.as_ref().map_or(1, |gang| gang.cardinality),
        };
        let queued = queued.into_iter().map(candidate).collect();
        let evicted = self.evicted_candidates(queue, evicted);
        Stream::new(queue, evicted, queued, self.pool.settings.lookback)
    }

    fn schedule(&mut self, members: &[Candidate]) -> Result<(), String> {
        let is_new = members.iter().any(|member| !member.is_evicted);
        if is_new && !fits(&self.new, &self.pool.settings.round_limit) {
            return Err("maximum resources scheduled".to_owned());
        }
        let pool = self.pool;
        let queue = pool.jobs[members[0].job].queue.expect("a listed queue");
        for member in members {
            add(self.allocated_of(member.job), &pool.jobs[member.job].request);
        }
        let limit = if is_new { self.limit(queue, members) } else { Ok(()) };
        let limit = limit.map_err(str::to_owned);
        let limit = limit.and_then(|()| self.floating(members, &pool.name));
        let result = limit.and_then(|()| self.place_gang(members));
        match &result {
            Ok(()) => self.count(queue, members),
            Err(reason) => {
                for member in members {
                    subtract(self.allocated_of(member.job), &pool.jobs[member.job].request);
                    self.refused.insert(member.job, reason.clone());
                }
                let [member] = members else { return result };
                if !member.is_evicted && is_of_shape(reason) {
                    let shape = pool.jobs[member.job].shape.clone();
                    self.hopeless.entry(shape).or_insert_with(|| reason.clone());
                }
            }
        }
        result
    }

    /// Counts a gang that has a place against the limits of new jobs.
    fn count(&mut self, queue: usize, members: &[Candidate]) {
        for member in members.iter().filter(|member| !member.is_evicted) {
            add(&mut self.new, &self.pool.jobs[member.job].request);
        }
        if members.iter().any(|member| !member.is_evicted) {
            let size = super::shares::float(i64::try_from(members.len()).expect("a count"));
            self.tokens -= size;
            self.queue_tokens[queue] -= size;
        }
    }
}
