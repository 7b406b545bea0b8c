//! The event loop: the simulation of a workload on a cluster, in the order of time (docs/scheduler.md, The event loop).
//!
//! Events are ordered by time, then by creation. A round first plans the next one, so that a job that ends at
//! the moment of a round ends before it, unless its run takes exactly one period.
//!
//! Source: Armada, `internal/scheduler/simulator/simulator.go`. Where its order is random, it is fixed here:
//! pools by name, preempted jobs by queue and id, templates by position.

mod change;
mod failures;
mod fit;
mod fleet;
mod grace_periods;
mod grants;
mod held_resources;
mod idle;
mod idle_sums;
mod inspect;
mod jobs;
mod lifecycle;
mod node_changes;
mod observer;
mod pool;
mod pool_rounds;
mod queue_state;
mod rate_limit;
mod retries;
mod retry_state;
mod rounds;
mod run_time;
mod simulation;
mod template_state;
#[cfg(test)]
pub(super) mod tests;

use super::draw;
use super::scheduling::Scheduling;
use super::settings::Settings;
use super::spec::{ClusterSpec, JobTemplate, Nanoseconds, Workload};
use change::Change;
use fleet::Fleet;
use held_resources::Holds;
use jobs::Jobs;
use pool::Pool;
use queue_state::QueueState;
use rate_limit::Bucket;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use template_state::template_states;

pub use fit::unschedulable;
pub use idle_sums::IdleSums;
pub use observer::{
    Event, EventKind, JobOutcome, NodeEvent, Observer, OpenJob, OpenState, PoolRound, SettledRun,
    Spent,
};
pub use retry_state::Retries;
pub use simulation::{LoopOptions, Simulation};

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
        let queue = QueueState::new(Bucket::new(scheduling.queue_rate, settings.queue_burst));
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
            // After the first submissions: changes of one time are in the order of planning, and
            // the round has to see the jobs.
            self.push(0, Change::Round);
        }
    }

    /// Runs the simulation to its end. The observer receives all events and rounds in order.
    pub fn run(&mut self, observer: &mut impl Observer) -> End {
        let end = self.run_jobs(observer);
        // Pods of preempted runs may hold resources after the last job: the simulation lasts until they are gone.
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
                // Without a live change no later round can differ from this one, so that the loop would never end.
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
        // The number of the change decides last, so that no order depends on the heap.
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
