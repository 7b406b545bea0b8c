//! The event loop: the simulation of a workload on a cluster, in the order of time (docs/scheduler.md, The event loop).
//!
//! Events are ordered by time, then by creation. A round first plans the next one, so that a job that ends at
//! the moment of a round ends before it, unless its run takes exactly one period.
//!
//! Source: Armada, `internal/scheduler/simulator/simulator.go`. Where its order is random, it is fixed here:
//! pools by name, preempted jobs by queue and id, templates by position.

mod failures;
mod fit;
mod fleet;
mod grants;
mod holds;
mod idle;
mod inspect;
mod jobs;
mod lifecycle;
mod observer;
mod pool;
mod retries;
mod rounds;
mod spent;
#[cfg(test)]
pub(super) mod tests;
mod tokens;

use super::draw;
use super::draw::name_key;
use super::job::{JobIndex, Shape};
use super::pair_set::PairSet;
use super::resources::Amounts;
use super::round::{JobOrder, Refusals};
use super::scheduling::Scheduling;
use super::settings::Settings;
use super::spec::{ClusterSpec, JobTemplate, Nanoseconds, Workload};
use fleet::{Fleet, NodeChange};
use holds::Holds;
use jobs::Jobs;
use pool::Pool;
use retries::RetryState;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use tokens::Bucket;

pub use fit::unschedulable;
pub use idle::IdleSums;
pub use observer::{
    Event, EventKind, JobOutcome, NodeEvent, Observer, OpenJob, OpenState, PoolRound, SettledRun,
    Spent,
};
pub use retries::Retries;

/// A planned change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// All jobs of a template are submitted.
    Submit {
        template: usize,
    },
    /// A preempted job is submitted again.
    Resubmit(Resubmission),
    /// The scheduler runs.
    Round,
    /// A token for a job without one may be available.
    Token,
    Lease(JobIndex),
    /// An attempt of a job ends by itself.
    End {
        job: JobIndex,
        attempt: u32,
    },
    Preempt(JobIndex),
    Node(NodeChange),
}

impl Change {
    /// Returns the order among changes of one time: nodes change before jobs start on them. All others are applied
    /// in the order in which they were planned.
    fn rank(self) -> u8 {
        match self {
            Self::Node(_) => 0,
            _ => 1,
        }
    }
}

/// A planned change: its time, its rank, and its number in the order of planning.
type Planned = (Nanoseconds, u8, u64, Change);

/// A job that is submitted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Resubmission {
    template: usize,
    number: u32,
    attempt: u32,
    gang: Option<usize>,
    first_submitted: Nanoseconds,
    /// The time of its preemption.
    preempted: Nanoseconds,
    /// The overhead of its runs so far.
    overhead: Nanoseconds,
}

/// Simulation parameters.
#[derive(Debug, Clone, Copy)]
pub struct LoopOptions {
    /// The seed of all draws.
    pub seed: u64,
    /// The maximum of simulated time.
    pub until: Nanoseconds,
    /// Whether rounds that can change nothing are skipped.
    pub is_fast_forward: bool,
}

/// The end of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The simulated time.
    pub time: Nanoseconds,
    /// The reason.
    pub reason: EndReason,
}

/// The reasons for which a simulation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// Every job is finished, except those that can never start, and the pods of all are gone.
    Done,
    /// The time limit is reached.
    Until,
    /// No further change is possible, although jobs are queued.
    Stalled,
}

/// A workload on a cluster.
pub struct Simulation<'a> {
    scheduling: &'a Scheduling,
    clusters: &'a ClusterSpec,
    workload: &'a Workload,
    options: LoopOptions,
    pools: Vec<Pool>,
    jobs: Jobs,
    /// The gangs that replace those preempted at this moment.
    successors: HashMap<usize, usize>,
    shapes: Vec<Shape>,
    templates: Vec<TemplateState>,
    /// The templates of which jobs can still succeed.
    open_templates: usize,
    queues: Vec<QueueState>,
    tokens: Bucket,
    fleet: Fleet<'a>,
    /// The resources that the pods of preempted runs hold on nodes, by pool and node.
    holds: Holds,
    /// The decisions about ended runs; `None` if no run is followed by another.
    retries: Option<RetryState<'a>>,
    /// Until when a cause of a template fails the runs that start on a node: the positions of the template in the
    /// file, of the cause, and of the pool and the node in it.
    stuck: HashMap<(usize, usize, (usize, usize)), Nanoseconds>,
    heap: BinaryHeap<Reverse<Planned>>,
    sequence: u64,
    /// The number of planned changes with an effect, without rounds, nodes, and ends of runs that are over.
    live_changes: usize,
    now: Nanoseconds,
    /// By resource.
    idle: Vec<IdleSums>,
    is_steady: bool,
    rounds: u64,
    /// The jobs that the last round of each pool refused, with the reasons.
    last_refused: Vec<Refusals>,
}

/// A template's progress.
#[derive(Debug, Clone)]
struct TemplateState {
    shape: usize,
    /// The key of its id in draws.
    key: u64,
    succeeded: u32,
    failed: u32,
    /// The longest time that its runs may take.
    deadline: Option<Nanoseconds>,
    /// The number of dependencies that it waits for, and the templates that wait for it.
    missing_dependencies: usize,
    dependents: Vec<usize>,
    /// Whether its jobs fit no node.
    is_unschedulable: bool,
    /// Whether its jobs are never submitted, because they, or jobs that they depend on, fit no node.
    is_given_up: bool,
}

/// The jobs of a queue.
#[derive(Debug, Clone)]
struct QueueState {
    /// The demand of its jobs by class, queued and running, in all pools; `None` before its first submission.
    demand: Option<Vec<Amounts>>,
    queued: PairSet<JobOrder>,
    /// The number of its jobs that wait until they may be queued again.
    backing_off: u32,
    tokens: Bucket,
}

impl<'a> Simulation<'a> {
    /// Creates a simulation before its first event.
    pub fn new(
        scheduling: &'a Scheduling,
        clusters: &'a ClusterSpec,
        workload: &'a Workload,
        options: LoopOptions,
    ) -> Self {
        // First, since it needs the memory of all nodes too.
        let unschedulable = unschedulable(scheduling, clusters, workload);
        let settings = scheduling.settings();
        let (shapes, mut templates) = template_states(workload);
        for (state, template) in templates.iter_mut().zip(&workload.templates) {
            let default = || scheduling.deadlines.of(&template.shape.request);
            state.deadline = template.failures.active_deadline.or_else(default);
        }
        let queue = QueueState {
            demand: None,
            queued: PairSet::default(),
            backing_off: 0,
            tokens: Bucket::new(scheduling.queue_rate, settings.queue_burst),
        };
        let mut simulation = Self {
            scheduling,
            clusters,
            workload,
            options,
            pools: Pool::all(scheduling, clusters, workload.queues.len()),
            jobs: Jobs::default(),
            successors: HashMap::new(),
            shapes,
            templates,
            open_templates: 0,
            queues: vec![queue; workload.queues.len()],
            tokens: Bucket::new(scheduling.rate, settings.burst),
            fleet: Fleet::new(clusters, options.seed),
            holds: Holds::default(),
            retries: None,
            stuck: HashMap::new(),
            heap: BinaryHeap::new(),
            sequence: 0,
            live_changes: 0,
            now: 0,
            idle: vec![IdleSums::default(); settings.resources.names().len()],
            is_steady: false,
            rounds: 0,
            last_refused: Vec::new(),
        };
        for (template, _) in unschedulable {
            simulation.templates[template].is_unschedulable = true;
            simulation.give_up(template);
        }
        simulation.begin();
        simulation
    }

    /// Plans the first submissions and the first round.
    fn begin(&mut self) {
        self.open_templates = self.templates.iter().filter(|state| !state.is_given_up).count();
        for (position, template) in self.workload.templates.iter().enumerate() {
            let is_free = template.dependencies.is_empty();
            if is_free && !self.templates[position].is_given_up {
                self.plan(position, template.earliest_submission);
            }
        }
        if self.open_templates > 0 {
            self.begin_failures();
            self.push(0, Change::Round);
        }
    }

    /// Runs the simulation to its end. The observer receives all events and rounds in order.
    pub fn run(&mut self, observer: &mut impl Observer) -> End {
        let end = self.run_jobs(observer);
        let time = self.holds.end.min(self.options.until).max(end.time);
        self.run_nodes(time, observer);
        self.advance(time);
        End { time, ..end }
    }

    /// Runs the simulation until its jobs are over, or cannot go on.
    fn run_jobs(&mut self, observer: &mut impl Observer) -> End {
        while let Some(Reverse((time, _, _, change))) = self.heap.pop() {
            if time > self.options.until {
                self.advance(self.options.until);
                return End { time: self.options.until, reason: EndReason::Until };
            }
            self.advance(time);
            if change == Change::Round {
                self.round(observer);
                if self.is_steady && self.live_changes == 0 && self.is_stalled() {
                    return End { time, reason: EndReason::Stalled };
                }
            } else {
                self.apply(change, observer);
            }
            if self.open_templates == 0 {
                break;
            }
        }
        End { time: self.now, reason: EndReason::Done }
    }

    /// Goes on with the nodes alone until a time: until the pods of preempted runs are gone.
    fn run_nodes(&mut self, until: Nanoseconds, observer: &mut impl Observer) {
        while self.heap.peek().is_some_and(|next| next.0.0 <= until)
            && let Some(Reverse((time, _, _, change))) = self.heap.pop()
        {
            self.advance(time);
            if let Change::Node(change) = change {
                self.apply_to_nodes(change, observer);
            }
        }
    }

    fn apply(&mut self, change: Change, observer: &mut impl Observer) {
        // `live_changes` does not count changes of nodes, nor ends of runs that are over or end at another time.
        let is_dead = match change {
            Change::End { job, attempt } => {
                let origin = self.jobs.origin(job);
                let is_planned = origin.attempt == attempt && origin.end.0 == self.now;
                !self.jobs.is_running(job) || !is_planned
            }
            Change::Node(_) => true,
            _ => false,
        };
        self.live_changes -= usize::from(!is_dead);
        match change {
            Change::Submit { template } => self.submit_template(template, observer),
            Change::Resubmit(job) => self.resubmit(job, observer),
            Change::Lease(job) => {
                self.lease(job);
                observer.event(self.event(EventKind::Leased, job));
            }
            Change::End { job, .. } if !is_dead => self.end(job, observer),
            Change::Token => self.is_steady = false,
            Change::Round | Change::End { .. } => {}
            Change::Node(change) => self.apply_to_nodes(change, observer),
            Change::Preempt(job) => self.preempt(job, observer),
        }
    }

    fn push(&mut self, time: Nanoseconds, change: Change) {
        self.live_changes += usize::from(!matches!(change, Change::Round | Change::Node(_)));
        self.heap.push(Reverse((time, change.rank(), self.sequence, change)));
        self.sequence += 1;
    }

    fn template(&self, position: usize) -> &'a JobTemplate {
        &self.workload.templates[position]
    }

    /// Returns the settings of all pools.
    fn settings(&self) -> &'a Settings {
        self.scheduling.settings()
    }
}

/// Returns the shapes of all templates, each once, and the states of the templates before the first event.
fn template_states(workload: &Workload) -> (Vec<Shape>, Vec<TemplateState>) {
    let (mut shapes, mut known) = (Vec::new(), HashMap::new());
    let states = workload.templates.iter().map(|template| TemplateState {
        shape: *known.entry(template.shape.clone()).or_insert_with(|| {
            shapes.push(template.shape.clone());
            shapes.len() - 1
        }),
        key: name_key(&template.id),
        succeeded: 0,
        failed: 0,
        deadline: None,
        missing_dependencies: template.dependencies.len(),
        dependents: Vec::new(),
        is_unschedulable: false,
        is_given_up: false,
    });
    let mut states: Vec<TemplateState> = states.collect();
    for (position, template) in workload.templates.iter().enumerate() {
        for dependency in &template.dependencies {
            states[*dependency].dependents.push(position);
        }
    }
    (shapes, states)
}
