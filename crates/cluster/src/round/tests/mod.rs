//! Tests of small pools over several rounds, under both profiles.

mod seed;
mod worked_examples;

use super::{Outcome, QueueInput, Refusal, RoundInput, job_order, run};
use crate::job::{Gang, Job, JobIndex, Run, Shape};
use crate::nodes::{NodeSpec, Nodes};
use crate::requirements::{Labels, Requirements};
use crate::resources::Amounts;
use crate::scheduling::Scheduling;
use crate::settings::{Profile, Settings};
use crate::spec::CLUSTER_LABEL;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The positions of the classes of the profile `seed`.
const DEFAULT: usize = 0;
const PREEMPTIBLE: usize = 1;

/// Returns the settings of a profile, with the classes of the profile `seed`: 30000 and 20000.
fn settings(profile: Profile) -> Settings {
    let settings = Scheduling::of_profile(Profile::Seed).settings().clone();
    Settings { profile, ..settings }
}

/// A pool, its jobs, and their states. Queues have equal weights.
struct Pool {
    settings: Settings,
    nodes: Nodes,
    total: Amounts,
    queues: usize,
    jobs: Vec<Job>,
    shapes: Vec<Shape>,
    gangs: Vec<Gang>,
    over: BTreeSet<JobIndex>,
    rounds: u64,
}

impl Pool {
    /// Creates nodes, each with its cores and its cluster, named `n0`, `n1`, ..
    fn new(settings: Settings, queues: usize, nodes: &[(i64, &str)]) -> Self {
        let spec = |(at, (cores, cluster)): (usize, &(i64, &str))| NodeSpec {
            id: format!("n{at}"),
            total: Amounts::from_iter([cores * 1000, 0, 0, 0]),
            labels: Labels::from([(CLUSTER_LABEL.to_owned(), (*cluster).to_owned())]).into(),
            taints: Vec::new().into(),
            is_unschedulable: false,
        };
        let specs: Vec<NodeSpec> = nodes.iter().enumerate().map(spec).collect();
        let mut total = settings.resources.zero();
        for spec in &specs {
            total.add(&spec.total);
        }
        Self {
            nodes: Nodes::new(&settings, specs),
            settings,
            total,
            queues,
            jobs: Vec::new(),
            shapes: Vec::new(),
            gangs: Vec::new(),
            over: BTreeSet::new(),
            rounds: 0,
        }
    }

    /// Submits a job.
    fn submit(&mut self, queue: usize, class: usize, cores: i64) -> JobIndex {
        let request = Amounts::from_iter([cores * 1000, 0, 0, 0]);
        let shape = Shape { class, request, requirements: Requirements::default() };
        let known = self.shapes.iter().position(|known| *known == shape);
        let shape = known.unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        });
        let job = JobIndex::try_from(self.jobs.len()).unwrap();
        self.jobs.push(Job {
            queue: Some(queue),
            shape,
            priority: 0,
            submitted: i64::from(job),
            gang: None,
            run: None,
        });
        job
    }

    /// Submits equal jobs.
    fn submit_all(&mut self, count: usize, job: (usize, usize, i64)) -> Vec<JobIndex> {
        (0..count).map(|_| self.submit(job.0, job.1, job.2)).collect()
    }

    /// Submits equal jobs that are a gang.
    fn submit_gang(&mut self, count: usize, job: (usize, usize, i64)) -> Vec<JobIndex> {
        let members = self.submit_all(count, job);
        for member in &members {
            self.jobs[*member as usize].gang = Some(self.gangs.len());
        }
        let uniformity_label = Some(CLUSTER_LABEL.into());
        self.gangs.push(Gang { cardinality: count, uniformity_label, members: members.clone() });
        members
    }

    /// Submits a job that runs already.
    fn start(&mut self, node: usize, started: i64, job: (usize, usize, i64)) -> JobIndex {
        let job = self.submit(job.0, job.1, job.2);
        let shape = &self.shapes[self.jobs[job as usize].shape];
        let priority = self.settings.classes[shape.class].priority;
        let cutoff = self.nodes.cutoff(&self.settings, shape.class, priority);
        self.nodes.bind(node, job, &shape.request, cutoff);
        self.jobs[job as usize].run = Some(Run { node, priority, started, is_bound: true });
        job
    }

    /// Runs a round and applies its outcome.
    fn round(&mut self) -> Outcome {
        let queues = (0..self.queues).map(|queue| self.queue(queue)).collect();
        self.rounds += 1;
        let outcome = run(RoundInput {
            settings: &self.settings,
            total: self.total.clone(),
            jobs: &self.jobs,
            shapes: &self.shapes,
            gangs: &self.gangs,
            nodes: &mut self.nodes,
            queues,
            tokens: None,
            seed: 1,
            number: self.rounds,
            priorities: &mut HashMap::new(),
            avoided: &HashMap::new(),
        });
        for (job, placement) in &outcome.scheduled {
            self.jobs[*job as usize].run = Some(Run {
                node: placement.node,
                priority: placement.priority,
                started: i64::try_from(self.rounds).unwrap(),
                is_bound: true,
            });
        }
        for job in outcome.preempted.keys() {
            self.over.insert(*job);
            for gang in &mut self.gangs {
                gang.members.retain(|member| member != job);
            }
        }
        outcome
    }

    fn queue(&self, queue: usize) -> QueueInput {
        let zero = || self.settings.resources.zero();
        let (mut demand, mut queued) = (zero(), Vec::new());
        let mut allocated = vec![zero(); self.settings.classes.len()];
        for (job, given) in (0..).zip(&self.jobs) {
            if given.queue != Some(queue) || self.over.contains(&job) {
                continue;
            }
            let shape = &self.shapes[given.shape];
            demand.add(&shape.request);
            match given.run {
                Some(_) => allocated[shape.class].add(&shape.request),
                None => queued.push(job),
            }
        }
        queued.sort_by_key(|job| job_order(&self.settings, &self.jobs, &self.shapes, *job));
        let classes = self.settings.classes.iter();
        QueueInput {
            weight: 1.0,
            is_active: true,
            is_cordoned: false,
            tokens: None,
            limits: classes.map(|class| self.total.times(&class.queue_fractions)).collect(),
            allocated,
            demand,
            queued,
        }
    }

    /// Returns the number of jobs that run, by queue and node.
    fn running(&self) -> BTreeMap<(usize, usize), usize> {
        let mut running = BTreeMap::new();
        for (job, given) in (0..).zip(&self.jobs) {
            if let (Some(run), Some(queue), false) =
                (given.run, given.queue, self.over.contains(&job))
            {
                assert!(self.nodes.get(run.node).is_active(job));
                *running.entry((queue, run.node)).or_default() += 1;
            }
        }
        running
    }
}

/// Returns the jobs that start, in their order.
fn starts(outcome: &Outcome) -> Vec<JobIndex> {
    outcome.scheduled.keys().copied().collect()
}

/// Returns the jobs that are preempted, in their order.
fn losses(outcome: &Outcome) -> Vec<JobIndex> {
    outcome.preempted.keys().copied().collect()
}
