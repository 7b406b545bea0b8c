//! Counts the events of a run for the report.

use super::fairness::{Meter, over_pools};
use super::groups::Groups;
use super::node_meter::NodeMeter;
use super::waits::seconds;
use super::{EndName, EndReport, Figure, Figures, Group, OpenTemplate, PoolFigures};
use crate::cluster::events::{
    End, EndReason, Event, EventKind, NodeEvent, Observer, OpenJob, PoolRound, Simulation,
};
use crate::cluster::failure::FailureKind;
use crate::cluster::resources::{Amounts, ResourceTypes};
use crate::cluster::round::{PreemptionKind, Refusal};
use crate::cluster::spec::{JobTemplate, Nanoseconds, Workload};
use std::collections::BTreeMap;

/// An observer that counts events.
#[derive(Debug, Clone)]
pub struct Collector {
    /// The counts of each template of the file. Copies share them: `repeat` can make 100,000 of one template.
    templates: Vec<TemplateCounts>,
    /// The position of the file's template that each template is a copy of.
    sources: Vec<usize>,
    pools: Vec<Meter>,
    /// By pool.
    nodes: Vec<NodeMeter>,
}

/// The counts of a template, with its copies.
#[derive(Debug, Clone, Default)]
pub(super) struct TemplateCounts {
    pub(super) queue: usize,
    /// The request of each job.
    pub(super) request: Amounts,
    /// All jobs, and those that fit no node.
    pub(super) jobs: u64,
    pub(super) unschedulable: u64,
    pub(super) submitted: u64,
    pub(super) succeeded: u64,
    pub(super) attempts: u64,
    pub(super) failed: u64,
    /// The runs that failed, by cause, in the order of [`FailureKind`]; all causes that can occur.
    pub(super) causes: Vec<CauseCounts>,
    /// The number of preemptions by cause: fair share, urgency, others.
    pub(super) preempted: [u64; 3],
    pub(super) last_success: Option<Nanoseconds>,
    pub(super) waits: Vec<Nanoseconds>,
    pub(super) retry_waits: Vec<Nanoseconds>,
    pub(super) recovery_waits: Vec<Nanoseconds>,
    /// The total times of its runs.
    pub(super) useful: i128,
    pub(super) lost: i128,
    pub(super) overhead: i128,
    pub(super) unfinished: i128,
    /// The name of each reason, and the number of jobs that were refused for it, by the number of the reason.
    pub(super) refusals: BTreeMap<u8, (String, u64)>,
}

/// The runs of a template that failed for a cause.
#[derive(Debug, Clone, Default)]
pub(super) struct CauseCounts {
    pub(super) name: String,
    pub(super) attempts: u64,
    pub(super) stopped: u64,
    pub(super) failed: u64,
    /// The total time of these runs that was lost.
    pub(super) lost: i128,
}

impl Collector {
    /// Creates a collector before a run.
    pub fn new(workload: &Workload, simulation: &Simulation<'_>) -> Self {
        let of_nodes = simulation.node_failure_kinds();
        let meter = Meter::new(workload.queues.len());
        let mut templates = vec![TemplateCounts::default(); workload.template_ids.len()];
        for (position, template) in workload.templates.iter().enumerate() {
            let counts = &mut templates[template.source];
            counts.queue = template.queue;
            counts.request.clone_from(&template.shape.request);
            counts.jobs += u64::from(template.number);
            if counts.causes.is_empty() {
                counts.causes = cause_counts(template, &of_nodes, simulation.deadline(position));
            }
            if simulation.is_unschedulable(position) {
                counts.unschedulable += u64::from(template.number);
            }
        }
        Self {
            templates,
            sources: workload.templates.iter().map(|template| template.source).collect(),
            pools: vec![meter; simulation.pool_names().count()],
            nodes: simulation.pool_fleets().map(NodeMeter::new).collect(),
        }
    }

    /// Returns the figures that every run has, with meaningless values; used to validate names of figures.
    pub fn outline(
        self,
        resources: &ResourceTypes,
        workload: &Workload,
        simulation: &Simulation<'_>,
    ) -> Figures {
        let end = End { time: 1, reason: EndReason::Done };
        let (mut figures, _) = self.finish(resources, workload, simulation, end, 0);
        let groups = figures.queues.values_mut().chain(figures.templates.values_mut());
        groups.chain([&mut figures.total]).for_each(Group::fill);
        let pools = figures.pools.values_mut().map(|pool| &mut pool.fairness);
        for fairness in pools.chain([&mut figures.total.fairness]) {
            fairness.jain.get_or_insert_default();
        }
        figures
    }

    /// Returns the figures of a run that has ended, and its end.
    pub fn finish(
        mut self,
        resources: &ResourceTypes,
        workload: &Workload,
        simulation: &Simulation<'_>,
        end: End,
        seed: u64,
    ) -> (Figures, EndReport) {
        let mut open: BTreeMap<usize, OpenTemplate> = BTreeMap::new();
        for job in simulation.open_jobs() {
            let source = self.sources[job.event.template];
            self.templates[source].count_open(&job, end.time);
            let id = &workload.template_ids[source];
            open.entry(source).or_insert_with(|| OpenTemplate::new(id)).add(&job);
        }
        let mut capacity = vec![0; resources.names().len()];
        for (pool, _) in simulation.pool_names().enumerate() {
            let sums = simulation.capacity_sums(pool, end.time);
            capacity.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
        }
        let names: Vec<&str> = workload.queues.iter().map(|queue| queue.name.as_str()).collect();
        let pools = simulation.pool_names().zip(self.pools);
        let pools = pools.zip(self.nodes).map(|((name, meter), nodes)| {
            let figures =
                PoolFigures { nodes: nodes.figures(end.time), ..meter.figures(end.time, &names) };
            (name.to_owned(), figures)
        });
        let pools: BTreeMap<_, _> = pools.collect();
        let groups = Groups { resources, capacity: &capacity };
        let mut total = groups.of(&self.templates.iter().collect::<Vec<_>>());
        total.fairness = over_pools(&pools.values().map(|pool| &pool.fairness).collect::<Vec<_>>());
        let queues = names.iter().enumerate().map(|(position, name)| {
            let of_queue = self.templates.iter().filter(|counts| counts.queue == position);
            let mut group = groups.of(&of_queue.collect::<Vec<_>>());
            let in_pools = pools.values().filter_map(|pool| pool.queues.get(*name));
            group.fairness = over_pools(&in_pools.collect::<Vec<_>>());
            ((*name).to_owned(), group)
        });
        let templates = workload.template_ids.iter().zip(&self.templates);
        let templates = templates.map(|(id, counts)| (id.clone(), groups.of(&[counts])));
        let (queues, templates) = (queues.collect(), templates.collect());
        let causes = groups.causes(&self.templates);
        let figures = Figures { total, queues, templates, causes, pools };
        (figures, EndReport::new(end, seed, open.into_values().collect()))
    }
}

impl Observer for Collector {
    fn event(&mut self, event: Event) {
        self.templates[self.sources[event.template]].count(&event);
    }

    fn node(&mut self, event: NodeEvent) {
        self.nodes[event.node.0].count(&event);
    }

    fn round(&mut self, round: PoolRound<'_>) {
        self.pools[round.pool].round(&round);
    }

    fn refused(&mut self, template: usize, refusal: &Refusal) {
        let refusals = &mut self.templates[self.sources[template]].refusals;
        let entry = refusals.entry(refusal.number());
        entry.or_insert_with(|| (refusal.to_string(), 0)).1 += 1;
    }
}

impl TemplateCounts {
    fn count(&mut self, event: &Event) {
        match event.kind {
            EventKind::Submitted => self.submitted += u64::from(event.attempt == 0),
            EventKind::Leased => {
                self.attempts += 1;
            }
            EventKind::Succeeded => {
                self.succeeded += 1;
                self.last_success = Some(event.time);
            }
            EventKind::Failed | EventKind::Stopped => self.count_failure(event),
            EventKind::Preempted => {
                let cause = match event.preemption {
                    Some(PreemptionKind::FairShare) => 0,
                    Some(PreemptionKind::Urgency) => 1,
                    Some(PreemptionKind::Unknown | PreemptionKind::UnknownGang) | None => 2,
                };
                self.preempted[cause] += 1;
            }
        }
        self.count_start(event, event.time);
        let spent = event.spent;
        self.useful += i128::from(spent.useful);
        self.lost += i128::from(spent.lost);
        self.overhead += i128::from(spent.overhead);
    }

    /// Counts a run that failed, or was stopped with its gang, and the job that fails with it.
    fn count_failure(&mut self, event: &Event) {
        self.failed += 1;
        let Some(cause) = event.failure.and_then(|kind| self.cause(kind)) else { return };
        let is_stopped = event.kind == EventKind::Stopped;
        cause.attempts += u64::from(!is_stopped);
        cause.stopped += u64::from(is_stopped && event.leased.is_some());
        cause.failed += 1;
        cause.lost += i128::from(event.spent.lost);
    }

    fn cause(&mut self, kind: FailureKind) -> Option<&mut CauseCounts> {
        match kind {
            FailureKind::Cause(position) | FailureKind::Again(position) => {
                self.causes.get_mut(position)
            }
            _ => self.causes.iter_mut().find(|cause| cause.name == kind.name(&[])),
        }
    }

    /// Counts the wait for the start of a run that has ended, or goes on at the end, if it has started.
    fn count_start(&mut self, event: &Event, end: Nanoseconds) {
        let Some(leased) = event.leased.filter(|_| event.kind != EventKind::Leased) else { return };
        let start = leased.saturating_add(event.pending);
        if start > end {
            return;
        }
        let wait = start - event.submitted;
        if event.attempt == 0 { &mut self.waits } else { &mut self.retry_waits }.push(wait);
        self.recovery_waits.extend(event.last_preempted.map(|time| start - time));
    }

    /// Counts a job that is not finished at the end.
    fn count_open(&mut self, job: &OpenJob<'_>, end: Nanoseconds) {
        self.count_start(&job.event, end);
        if let Some(leased) = job.event.leased {
            self.unfinished += i128::from(end) - i128::from(leased);
        }
    }
}

/// Returns the counts of all causes for which runs of a template can fail. `of_nodes` are those that come from its
/// nodes.
fn cause_counts(
    template: &JobTemplate,
    of_nodes: &[FailureKind],
    deadline: Option<Nanoseconds>,
) -> Vec<CauseCounts> {
    let failures = &template.failures;
    let own = (0..failures.causes.len()).map(FailureKind::Cause);
    let deadline = deadline.map(|_| FailureKind::Deadline);
    let all = own.chain(of_nodes.iter().copied()).chain(deadline);
    let named = |kind: FailureKind| CauseCounts {
        name: kind.name(&failures.causes).to_owned(),
        ..CauseCounts::default()
    };
    all.map(named).collect()
}

impl Group {
    /// Sets the figures that a run may lack.
    fn fill(&mut self) {
        for waits in [&mut self.wait, &mut self.retry_wait, &mut self.recovery_wait] {
            waits.get_or_insert_default();
        }
        for figure in [&mut self.waste, &mut self.makespan] {
            figure.get_or_insert_default();
        }
    }
}

impl OpenTemplate {
    fn new(template: &str) -> Self {
        Self { template: template.to_owned(), running: 0, queued: 0, reason: None }
    }

    fn add(&mut self, job: &OpenJob<'_>) {
        if job.event.leased.is_some() {
            self.running += 1;
        } else {
            self.queued += 1;
            self.reason = self.reason.take().or_else(|| Some(job.refusal?.to_string()));
        }
    }
}

impl EndReport {
    fn new(end: End, seed: u64, open: Vec<OpenTemplate>) -> Self {
        let reason = match end.reason {
            EndReason::Done => EndName::Done,
            EndReason::Until => EndName::Until,
            EndReason::Stalled => EndName::Stalled,
        };
        Self { seed, reason, time: Figure(seconds(end.time.into())), open }
    }
}
