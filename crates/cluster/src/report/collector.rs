//! Counts the events of a run for the report.

use super::counts::{TemplateCounts, cause_counts};
use super::fairness::{Meter, over_pools};
use super::findings::FindingMeter;
use super::groups::Groups;
use super::node_meter::NodeMeter;
use super::series::{SeriesMeter, SeriesReport};
use super::waits::seconds;
use super::{EndName, EndReport, Figure, Figures, Group, OpenTemplate, PoolFigures};
use crate::events::{
    End, EndReason, Event, NodeEvent, Observer, OpenJob, OpenState, PoolRound, SettledRun,
    Simulation,
};
use crate::resources::ResourceTypes;
use crate::round::Refusal;
use crate::spec::{Nanoseconds, Workload};
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
    series: SeriesMeter,
    /// The names of the rules that can grant retries.
    rules: Vec<String>,
}

impl Collector {
    /// Creates a collector before a run.
    pub fn new(
        resources: &ResourceTypes,
        workload: &Workload,
        simulation: &Simulation<'_>,
    ) -> Self {
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
            series: SeriesMeter::new(resources, workload.queues.len(), simulation),
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
        figures.total.idle_while_backing_off = Some(figures.total.utilisation.clone());
        let pools = figures.pools.values_mut().map(|pool| &mut pool.fairness);
        for fairness in pools.chain([&mut figures.total.fairness]) {
            fairness.jain.get_or_insert_default();
        }
        figures
    }

    /// Counts the jobs that have not ended, and returns them by template.
    fn count_open(
        &mut self,
        workload: &Workload,
        simulation: &Simulation<'_>,
        time: Nanoseconds,
    ) -> BTreeMap<usize, OpenTemplate> {
        let mut open: BTreeMap<usize, OpenTemplate> = BTreeMap::new();
        for job in simulation.open_jobs(time) {
            let source = self.sources[job.event.template];
            let counts = &mut self.templates[source];
            counts.count_open(&job, time);
            self.series.open(&job, counts.queue, &counts.request, time);
            let id = &workload.template_ids[source];
            open.entry(source).or_insert_with(|| OpenTemplate::new(id)).add(&job);
        }
        open
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
        let open = self.count_open(workload, simulation, end.time);
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
        total.idle_while_backing_off = groups.idle(simulation.idle_while_backing_off());
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
        let pools: Vec<&str> = simulation.pool_names().collect();
        let findings = self.findings.findings(end.time, workload, &self.rules, &pools);
        let series = self.series.report(end.time, &names);
        let open = open.into_values().collect();
        (figures, EndReport { findings, series, ..EndReport::new(end, seed, open) })
    }
}

impl Observer for Collector {
    fn event(&mut self, event: Event) {
        let counts = &mut self.templates[self.sources[event.template]];
        counts.count(&event);
        self.series.event(&event, counts.queue);
        self.findings.event(&event);
    }

    fn settled(&mut self, run: &SettledRun) {
        let source = self.sources[run.event.template];
        let counts = &mut self.templates[source];
        counts.settle(run);
        self.series.settled(run, counts.queue, &counts.request);
        self.findings.settled(run, source);
    }

    fn node(&mut self, event: NodeEvent) {
        self.nodes[event.node.0].count(&event);
        self.series.node(&event);
    }

    fn round(&mut self, round: PoolRound<'_>) {
        self.pools[round.pool].round(&round);
        self.series.round(&round);
        self.findings.round(&round);
    }

    fn refused(&mut self, template: usize, refusal: &Refusal) {
        let refusals = &mut self.templates[self.sources[template]].refusals;
        let entry = refusals.entry(refusal.number());
        entry.or_insert_with(|| (refusal.to_string(), 0)).1 += 1;
    }
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
        match job.state {
            OpenState::BackingOff => self.backing_off += 1,
            OpenState::Running => self.running += 1,
            OpenState::Queued => {
                self.queued += 1;
                self.reason = self.reason.take().or_else(|| Some(job.refusal?.to_string()));
            }
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
        let time = Figure(seconds(end.time.into()));
        Self { seed, reason, time, open, findings: Vec::new(), series: SeriesReport::default() }
    }
}
