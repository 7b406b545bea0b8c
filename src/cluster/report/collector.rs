//! Counts the events of a run for the report.

use super::fairness::{Meter, over_pools};
use super::findings::FindingMeter;
use super::groups::Groups;
use super::node_meter::NodeMeter;
use super::waits::seconds;
use super::{EndName, EndReport, Figure, Figures, Group, OpenTemplate, PoolFigures};
use crate::cluster::events::{
    End, EndReason, Event, EventKind, JobOutcome, NodeEvent, Observer, OpenJob, PoolRound,
    SettledRun, Simulation,
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
    findings: FindingMeter,
    /// The names of the rules that can grant retries.
    rules: Vec<String>,
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
    /// The jobs that succeeded in a run that a decision granted.
    pub(super) recovered: u64,
    /// The jobs that failed, by the code of the decision that ended them.
    pub(super) failed_by: BTreeMap<&'static str, u64>,
    /// The retries of jobs by their number, from 1.
    pub(super) retries: BTreeMap<u32, RetryCounts>,
    /// The retries that each rule granted, and the jobs that it ended.
    pub(super) rules: BTreeMap<usize, RetryCounts>,
    /// The retries that waited for their retryAfter.
    pub(super) backed_off: u64,
    /// The runs that failed, by cause, in the order of [`FailureKind`]; all causes that can occur.
    pub(super) causes: Vec<CauseCounts>,
    /// The number of preemptions by cause: fair share, urgency, others.
    pub(super) preempted: [u64; 3],
    /// Those in favour of a retry.
    pub(super) preempted_for_retries: u64,
    pub(super) last_success: Option<Nanoseconds>,
    pub(super) waits: Vec<Nanoseconds>,
    /// The waits of jobs of which no run failed or was preempted.
    pub(super) undisturbed_waits: Vec<Nanoseconds>,
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

/// Retries.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RetryCounts {
    /// Those that were granted.
    pub(super) granted: u64,
    /// Those in which the job succeeded.
    pub(super) succeeded: u64,
    /// Jobs that failed by a decision.
    pub(super) failed: u64,
    /// The total time of these runs that was lost.
    pub(super) lost: i128,
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
            findings: FindingMeter::new(workload, simulation.pool_names().count()),
            rules: Vec::new(),
        }
    }

    /// Sets the names of the rules that can grant retries, in the order of their numbers.
    #[must_use]
    pub fn with_rules(self, rules: Vec<String>) -> Self {
        Self { rules, ..self }
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
        for job in simulation.open_jobs(end.time) {
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
        let rules = groups.rules(&self.templates, &self.rules);
        let figures = Figures { total, queues, templates, causes, rules, pools };
        let findings = self.findings.findings(end.time, workload, &self.rules);
        (figures, EndReport { findings, ..EndReport::new(end, seed, open.into_values().collect()) })
    }
}

impl Observer for Collector {
    fn event(&mut self, event: Event) {
        self.templates[self.sources[event.template]].count(&event);
        self.findings.event(&event);
    }

    fn settled(&mut self, run: &SettledRun) {
        let source = self.sources[run.event.template];
        self.templates[source].settle(run);
        self.findings.settled(run, source);
    }

    fn node(&mut self, event: NodeEvent) {
        self.nodes[event.node.0].count(&event);
    }

    fn round(&mut self, round: PoolRound<'_>) {
        self.pools[round.pool].round(&round);
        self.findings.round(&round);
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
            EventKind::Leased => self.attempts += 1,
            EventKind::Requeued | EventKind::Succeeded | EventKind::Failed | EventKind::Stopped => {
            }
            EventKind::Preempted => {
                let cause = match event.preemption {
                    Some(PreemptionKind::FairShare) => 0,
                    Some(PreemptionKind::Urgency) => 1,
                    Some(PreemptionKind::Unknown | PreemptionKind::UnknownGang) | None => 2,
                };
                self.preempted[cause] += 1;
                self.preempted_for_retries += u64::from(event.is_for_retry);
            }
        }
        self.count_start(event, event.time);
    }

    /// Counts a run when it is known what follows.
    fn settle(&mut self, run: &SettledRun) {
        let SettledRun { event, spent, outcome } = run;
        self.useful += i128::from(spent.useful);
        self.lost += i128::from(spent.lost);
        self.overhead += i128::from(spent.overhead);
        match outcome {
            Some(JobOutcome::Succeeded) => {
                self.succeeded += 1;
                self.last_success = self.last_success.max(Some(event.time));
                self.undisturbed_waits.extend(first_wait(event, event.time));
            }
            Some(JobOutcome::Failed) => {
                self.failed += 1;
                let code = event.decision.filter(|_| event.kind != EventKind::Succeeded);
                let code = code.map(|decision| decision.code);
                *self.failed_by.entry(code.unwrap_or(WITHOUT_DECISION)).or_default() += 1;
            }
            None => {}
        }
        self.count_retry(run);
        if matches!(event.kind, EventKind::Failed | EventKind::Stopped) {
            self.count_failure(run);
        }
    }

    /// Counts the result of a run that was granted, and the decision about its end.
    fn count_retry(&mut self, run: &SettledRun) {
        let SettledRun { event, spent, outcome } = run;
        let has_succeeded = *outcome == Some(JobOutcome::Succeeded);
        // What runs before have saved is not lost in this one.
        let lost = i128::from(spent.lost.min(event.allocated()));
        if let Some(granted) = event.granted {
            self.recovered += u64::from(has_succeeded);
            let rule = granted.rule.map(|rule| self.rules.entry(rule).or_default());
            let number = self.retries.entry(event.attempt).or_default();
            for counts in rule.into_iter().chain([number]) {
                counts.succeeded += u64::from(has_succeeded);
                counts.lost += lost;
            }
        }
        let Some(decision) = event.decision else { return };
        if outcome.is_none() {
            self.retries.entry(event.attempt.saturating_add(1)).or_default().granted += 1;
        }
        if let Some(rule) = decision.rule {
            let rule = self.rules.entry(rule).or_default();
            rule.granted += u64::from(outcome.is_none());
            rule.failed += u64::from(*outcome == Some(JobOutcome::Failed));
        }
    }

    /// Counts a run that failed, or was stopped with its gang, and the job if it fails with it.
    fn count_failure(&mut self, run: &SettledRun) {
        let SettledRun { event, spent, outcome } = run;
        let Some(cause) = event.failure.and_then(|kind| self.cause(kind)) else { return };
        let is_stopped = event.kind == EventKind::Stopped;
        cause.attempts += u64::from(!is_stopped);
        cause.stopped += u64::from(is_stopped && event.leased.is_some());
        cause.failed += u64::from(*outcome == Some(JobOutcome::Failed));
        cause.lost += i128::from(spent.lost);
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
        let wait = start - event.waiting_since;
        if event.attempt == 0 { &mut self.waits } else { &mut self.retry_waits }.push(wait);
        self.recovery_waits.extend(event.last_ended.map(|time| start - time));
        let backoff = event.last_ended.map_or(0, |ended| event.waiting_since - ended);
        self.backed_off += u64::from(event.granted.is_some() && backoff > 0);
    }

    /// Counts a job that is not finished at the end.
    fn count_open(&mut self, job: &OpenJob<'_>, end: Nanoseconds) {
        self.count_start(&job.event, end);
        self.undisturbed_waits.extend(first_wait(&job.event, end));
        self.unfinished += i128::from(job.unfinished);
    }
}

/// The name of the decision of jobs that failed without one.
const WITHOUT_DECISION: &str = "none";

/// Returns the wait of a job for the start of its first run, if it has started.
fn first_wait(event: &Event, end: Nanoseconds) -> Option<Nanoseconds> {
    let start = event.leased.filter(|_| event.attempt == 0)?.saturating_add(event.pending);
    (start <= end).then(|| start - event.waiting_since)
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
        let waits = [&mut self.wait, &mut self.undisturbed_wait, &mut self.retry_wait];
        for waits in waits.into_iter().chain([&mut self.recovery_wait]) {
            waits.get_or_insert_default();
        }
        for figure in [&mut self.waste, &mut self.makespan] {
            figure.get_or_insert_default();
        }
    }
}

impl OpenTemplate {
    fn new(template: &str) -> Self {
        Self { template: template.to_owned(), running: 0, queued: 0, backing_off: 0, reason: None }
    }

    fn add(&mut self, job: &OpenJob<'_>) {
        if job.is_backing_off {
            self.backing_off += 1;
        } else if job.event.leased.is_some() {
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
        Self { seed, reason, time: Figure(seconds(end.time.into())), open, findings: Vec::new() }
    }
}
