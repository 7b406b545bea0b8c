//! The round of the profile `seed`: the scheduler as its design describes it (docs/scheduler.md, The design and what landed).
//!
//! 1. Each node is chosen with `nodeEvictionProbability`; the preemptible jobs of a chosen node are evicted,
//!    with the rest of their gangs. They keep their nodes for now.
//! 2. Evicted and queued jobs are placed, gang by gang, from the queue that has the smallest fraction of its
//!    fair share with its next gang.
//! 3. Evicted jobs that have not returned to their nodes are preempted.
//!
//! A job takes from its own priority and all below it. Therefore a job may use resources that jobs of lower
//! priority have; those are preempted (by urgency) if they are preemptible.
//!
//! Where the design allows several choices, these are made:
//!
//! - Queues with equal fractions: by name. Jobs with equal priorities and submit times: by id.
//! - Evicted jobs are ordered by their start times, and do not count towards `maxQueueLookback`. A job that
//!   does not return at its turn is preempted.
//! - A node on which a job fits without preemption precedes one that needs it, whatever the users. First free
//!   resources are used, then those of evicted jobs that have not returned, then those of jobs of lower
//!   priority. In each of the three: nodes that the queue alone uses, unused nodes, others; then least cores,
//!   least GPUs, least memory available at that step, then by name.
//! - An evicted job that has not returned does not count as a user of its node. A job of a queue that is not
//!   scheduled does.
//! - Victims by urgency are those of kube-scheduler: all preemptible jobs of lower priority are removed, then
//!   returned as long as the job still fits, the highest priority first, then the earliest start. Jobs that
//!   are not returned are preempted. A job that was placed in the same round can be a victim too; it stays
//!   queued. An evicted job may preempt by urgency on its own node.
//! - The design lets jobs use the resources of every job of lower priority, since its lower classes are all
//!   preemptible. Here a job that is not preemptible is never preempted; a node is skipped if such a job
//!   prevents the placement.
//! - Gangs are preempted as a whole. A gang is not preempted if a member is not preemptible, or is at least
//!   as urgent as the new job.
//! - A gang is placed on the first cluster by name that takes all of it, even if another needs no preemption.
//!   Nodes without a cluster form one, which is first. The uniformity label is ignored.
//! - Limits of rates, queues and rounds, and cordons, apply to new gangs as in Armada's scheduler.
//! - A preemption to fair share names the job that was placed on the node last before the evicted job could
//!   not return; one by urgency names none.
//! - A job is refused without a search if its shape was refused before and no job was preempted by urgency
//!   since: no other step frees resources.
//!
//! Away node types, protected fractions and the order of large jobs are ignored.

mod choose;
mod node_sets;
mod place;
mod queue_heads;
mod running;

use super::fit_cache::FitCache;
use super::limits::Limits;
use super::queues::queue_states;
use super::{Outcome, QueueInput, Refusals, RoundEnd, RoundInput};
use crate::draw::{DrawPurpose, draw, name_key};
use crate::job::{Job, JobIndex, Shape};
use crate::nodes::{EVICTED, Level, Nodes};
use crate::share::Costs;
use crate::spec::CLUSTER_LABEL;
use node_sets::NodeSets;
use queue_heads::QueueHeads;
use running::Round;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The lowest level of running jobs: all jobs that are not evicted take from it.
const RUNNING: Level = EVICTED + 1;

/// Runs a round. Afterwards the nodes have the jobs that run after it.
pub(super) fn run(input: RoundInput<'_>) -> Outcome {
    let (seed, number) = (input.seed, input.number);
    let (mut round, waiting) = Round::new(input);
    let evicted = round.evict(seed, number);
    let mut heads = QueueHeads::new(&mut round, &evicted, waiting);
    while let Some((queue, gang)) = heads.take(&round) {
        match round.place(queue, &gang) {
            Err(refusal) if refusal.ends_round() => {
                round.end = RoundEnd::Limit(refusal);
                heads.drop_new_jobs(&mut round);
            }
            Err(refusal) if refusal.ends_queue() => heads.drop_new_jobs_of(&mut round, queue),
            _ => {}
        }
        heads.refill(&mut round, queue);
    }
    round.finish()
}

fn has_jobs(queue: &QueueInput) -> bool {
    let has_demand = || queue.demand.as_slice().iter().any(|amount| *amount > 0);
    queue.is_active && (!queue.queued.is_empty() || has_demand())
}

/// Returns by node the position of its cluster in the order of the names.
fn clusters(nodes: &Nodes) -> Vec<usize> {
    let names = (0..nodes.len()).map(|node| nodes.get(node).spec.label(CLUSTER_LABEL));
    let order: Vec<_> = names.clone().collect::<BTreeSet<_>>().into_iter().collect();
    names.map(|name| order.partition_point(|known| *known < name)).collect()
}

impl<'a> Round<'a> {
    /// Creates the round at its beginning; returns the jobs that wait in each queue too.
    fn new(input: RoundInput<'a>) -> (Self, Vec<Vec<JobIndex>>) {
        let settings = input.settings;
        let costs = Costs::new(settings, input.total.clone());
        let limits = Limits::new(settings, &input.total, input.tokens, &input.queues);
        let (queues, waiting) = queue_states(settings, &costs, input.queues, has_jobs);
        let mut round = Self {
            settings,
            jobs: input.jobs,
            shapes: input.shapes,
            gangs: input.gangs,
            sets: NodeSets::new(settings, input.nodes, queues.len()),
            clusters: clusters(input.nodes),
            nodes: input.nodes,
            fit_cache: FitCache::default(),
            costs,
            queues,
            limits,
            evicted: BTreeMap::new(),
            evicted_members: HashMap::new(),
            gang_priorities: HashMap::new(),
            placements: BTreeMap::new(),
            last_placed: HashMap::new(),
            preempted: BTreeMap::new(),
            avoided: input.avoided,
            refused: Refusals::default(),
            refused_shapes: vec![None; input.shapes.len()],
            end: RoundEnd::default(),
        };
        for node in 0..round.nodes.len() {
            let jobs = round.nodes.get(node).active_jobs();
            let gangs: BTreeSet<usize> =
                jobs.filter_map(|job| round.jobs[job as usize].gang).collect();
            for gang in gangs {
                if !round.gang_priorities.contains_key(&gang) {
                    round.rank_gang(gang);
                }
            }
            round.refresh(node);
        }
        (round, waiting)
    }

    /// Evicts the preemptible jobs of randomly drawn nodes, with the rest of their gangs. Their costs
    /// are subtracted from those of their queues.
    pub(super) fn evict(&mut self, seed: u64, number: u64) -> Vec<JobIndex> {
        // Drawn by node and round, so that no other draw changes it.
        let probability = self.settings.seed.eviction_probability;
        let mut evicted = BTreeSet::new();
        for node in 0..self.nodes.len() {
            let node = self.nodes.get(node);
            let subject = [name_key(&node.spec.id), number, 0];
            if draw(seed, DrawPurpose::Eviction, subject) >= probability {
                continue;
            }
            for job in node.active_jobs() {
                if !evicted.contains(&job) && self.preemptible_at(job).is_some() {
                    evicted.extend(self.running_members(job));
                }
            }
        }
        for job in &evicted {
            let Job { gang, queue, .. } = self.jobs[*job as usize];
            let shape = self.shape(*job);
            let (Some(node), Some(queue)) = (self.node_of(*job), queue) else { continue };
            self.nodes.evict(node, *job, &shape.request);
            self.queues[queue].subtract(shape.class, &shape.request);
            self.evicted.insert(*job, node);
            if let Some(gang) = gang {
                *self.evicted_members.entry(gang).or_default() += 1;
            }
        }
        // Once for each node, as several of its jobs may have left.
        let nodes: BTreeSet<usize> = self.evicted.values().copied().collect();
        for node in nodes {
            self.refresh(node);
        }
        evicted.into_iter().collect()
    }

    fn finish(self) -> Outcome {
        let queues = self.queues.iter().enumerate();
        let queues =
            queues.map(|(at, queue)| queue.outcome(&self.costs, self.limits.tokens_taken(at)));
        Outcome {
            scheduled: self.placements,
            preempted: self.preempted,
            refused: self.refused,
            queues: queues.collect(),
            end: self.end,
        }
    }

    fn shape(&self, job: JobIndex) -> &'a Shape {
        &self.shapes[self.jobs[job as usize].shape]
    }

    /// Returns the priority that a job runs at, or would run at.
    fn priority(&self, job: JobIndex) -> i32 {
        let run = self.jobs[job as usize].run.filter(|run| run.is_bound);
        run.map_or(self.settings.classes[self.shape(job).class].priority, |run| run.priority)
    }

    /// Returns the node that a job has, whether it is evicted or not.
    fn node_of(&self, job: JobIndex) -> Option<usize> {
        let started = self.placements.get(&job).map(|placement| placement.node);
        let of_run = || self.jobs[job as usize].run.filter(|run| run.is_bound);
        started.or_else(|| Some(of_run()?.node))
    }

    /// Returns the jobs of the gang that have a node and are not evicted; without a gang the job alone.
    fn running_members(&self, job: JobIndex) -> Vec<JobIndex> {
        let Some(gang) = self.jobs[job as usize].gang else { return vec![job] };
        let is_running = |job: &JobIndex| {
            self.node_of(*job).is_some_and(|node| self.nodes.get(node).is_active(*job))
        };
        self.gangs[gang].members.iter().copied().filter(is_running).collect()
    }

    /// Computes the priority that is needed to preempt a gang.
    fn rank_gang(&mut self, gang: usize) {
        let members = &self.gangs[gang].members;
        let is_preemptible = members
            .iter()
            .all(|member| self.settings.classes[self.shape(*member).class].is_preemptible);
        let highest = members.iter().map(|member| self.priority(*member)).max();
        self.gang_priorities.insert(gang, highest.filter(|_| is_preemptible));
    }

    /// Returns the priority above which a job can preempt this one; `None` if no job can.
    fn preemptible_at(&self, job: JobIndex) -> Option<i32> {
        self.jobs[job as usize].queue?;
        if let Some(gang) = self.jobs[job as usize].gang {
            return self.gang_priorities.get(&gang).copied().flatten();
        }
        let class = &self.settings.classes[self.shape(job).class];
        class.is_preemptible.then(|| self.priority(job))
    }

    /// Updates the sets for the jobs of a node.
    fn refresh(&mut self, node: usize) {
        let jobs = self.jobs;
        let queue = |job: JobIndex| jobs[job as usize].queue;
        self.sets.refresh(self.nodes, node, queue);
    }
}
