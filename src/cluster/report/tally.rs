//! Counts what happens in a run, and works out its figures.

use super::fairness::{Meter, over_pools};
use super::waits::{Waits, seconds};
use super::{
    EndName, EndReport, FairnessFigures, Figure, Figures, Group, HourFigures, Hours, JobFigures,
    OpenTemplate, PreemptionFigures,
};
use crate::cluster::events::{
    End, EndReason, Event, EventKind, Observer, OpenJob, PoolRound, Simulation,
};
use crate::cluster::resources::{Amounts, ResourceTypes};
use crate::cluster::round::{PreemptionKind, Refusal};
use crate::cluster::spec::{Nanoseconds, Workload};
use std::collections::BTreeMap;

/// An observer that counts.
#[derive(Debug, Clone)]
pub struct Collector {
    templates: Vec<Tally>,
    pools: Vec<Meter>,
}

/// The counts of a template.
#[derive(Debug, Clone, Default)]
struct Tally {
    submitted: u64,
    succeeded: u64,
    attempts: u64,
    /// By cause: fair share, urgency, others.
    preempted: [u64; 3],
    last_success: Option<Nanoseconds>,
    waits: Vec<Nanoseconds>,
    retry_waits: Vec<Nanoseconds>,
    recovery_waits: Vec<Nanoseconds>,
    /// The time that its runs took, in sum.
    useful: i128,
    lost: i128,
    overhead: i128,
    unfinished: i128,
    /// By the number of a reason: its name, and the jobs that were refused for it.
    refusals: BTreeMap<u8, (String, u64)>,
}

impl Collector {
    /// A collector before a run.
    pub fn new(workload: &Workload, simulation: &Simulation<'_>) -> Self {
        let meter = Meter::new(workload.queues.len());
        Self {
            templates: vec![Tally::default(); workload.templates.len()],
            pools: vec![meter; simulation.pool_names().count()],
        }
    }

    /// The number of jobs that are over.
    pub fn succeeded(&self) -> u64 {
        self.templates.iter().map(|template| template.succeeded).sum()
    }

    /// The figures that every run has, each with a value of no meaning.
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

    /// The figures of a run that has ended, and its end.
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
            self.templates[job.event.template].leave(&job, end.time);
            let id = &workload.templates[job.event.template].id;
            open.entry(job.event.template).or_insert_with(|| OpenTemplate::new(id)).add(&job);
        }
        let capacity =
            simulation.pool_names().enumerate().map(|(pool, _)| simulation.capacity(pool));
        let capacity = capacity.fold(resources.zero(), |sum, pool| sum.plus(pool));
        let names: Vec<&str> = workload.queues.iter().map(|queue| queue.name.as_str()).collect();
        let pools = simulation.pool_names().zip(self.pools);
        let pools: BTreeMap<_, _> =
            pools.map(|(name, meter)| (name.to_owned(), meter.figures(end.time, &names))).collect();
        let counts = Counts {
            resources,
            workload,
            tallies: &self.templates,
            is_unschedulable: &|template| simulation.is_unschedulable(template),
            capacity: &capacity,
            end: end.time,
        };
        let all: Vec<usize> = (0..workload.templates.len()).collect();
        let mut total = counts.group(&all);
        total.fairness = over_pools(&pools.values().map(|pool| &pool.fairness).collect::<Vec<_>>());
        let queues = names.iter().enumerate().map(|(position, name)| {
            let of_queue = |at: &usize| workload.templates[*at].queue == position;
            let mut group = counts.group(&all.iter().copied().filter(of_queue).collect::<Vec<_>>());
            let in_pools = pools.values().filter_map(|pool| pool.queues.get(*name));
            group.fairness = over_pools(&in_pools.collect::<Vec<_>>());
            ((*name).to_owned(), group)
        });
        let templates =
            all.iter().map(|at| (workload.templates[*at].id.clone(), counts.group(&[*at])));
        let figures = Figures {
            total,
            queues: queues.collect(),
            templates: templates.collect(),
            pools: pools.clone(),
        };
        (figures, EndReport::new(end, seed, open.into_values().collect()))
    }
}

impl Observer for Collector {
    fn event(&mut self, event: Event) {
        self.templates[event.template].count(&event);
    }

    fn round(&mut self, round: PoolRound<'_>) {
        self.pools[round.pool].round(&round);
    }

    fn refused(&mut self, template: usize, refusal: &Refusal) {
        let refusals = &mut self.templates[template].refusals;
        let entry = refusals.entry(refusal.number());
        entry.or_insert_with(|| (refusal.to_string(), 0)).1 += 1;
    }
}

impl Tally {
    fn count(&mut self, event: &Event) {
        match event.kind {
            EventKind::Submitted => self.submitted += u64::from(event.attempt == 0),
            EventKind::Leased => {
                self.attempts += 1;
                let wait = event.time - event.submitted;
                if event.attempt == 0 { &mut self.waits } else { &mut self.retry_waits }.push(wait);
                self.recovery_waits.extend(event.last_preempted.map(|time| event.time - time));
            }
            EventKind::Succeeded => {
                self.succeeded += 1;
                self.last_success = Some(event.time);
                let (pending, work) = split(event, event.time);
                self.overhead += pending;
                self.useful += work;
            }
            EventKind::Preempted => {
                let cause = match event.preemption {
                    Some(PreemptionKind::FairShare) => 0,
                    Some(PreemptionKind::Urgency) => 1,
                    Some(PreemptionKind::Unknown | PreemptionKind::UnknownGang) | None => 2,
                };
                self.preempted[cause] += 1;
                let (pending, work) = split(event, event.time);
                self.overhead += pending;
                self.lost += work;
            }
        }
    }

    /// Counts a job that is not over at the end.
    fn leave(&mut self, job: &OpenJob<'_>, end: Nanoseconds) {
        if job.event.leased.is_some() {
            let (pending, work) = split(&job.event, end);
            self.unfinished += pending + work;
        }
    }
}

/// The time from a lease to the start of work, and from there to `end`.
fn split(event: &Event, end: Nanoseconds) -> (i128, i128) {
    let elapsed = i128::from(end) - i128::from(event.leased.unwrap_or(end));
    let pending = elapsed.min(event.pending.into());
    (pending, elapsed - pending)
}

impl Group {
    /// Gives a value to the figures that a run may lack.
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

/// The counts of all templates, and what turns them into figures.
struct Counts<'c> {
    resources: &'c ResourceTypes,
    workload: &'c Workload,
    tallies: &'c [Tally],
    is_unschedulable: &'c dyn Fn(usize) -> bool,
    capacity: &'c Amounts,
    end: Nanoseconds,
}

impl Counts<'_> {
    /// The figures of some templates, without shares.
    fn group(&self, templates: &[usize]) -> Group {
        let tallies = || templates.iter().map(|at| &self.tallies[*at]);
        let sum = |of: fn(&Tally) -> u64| Figure::from(tallies().map(of).sum::<u64>());
        let mut refusals: BTreeMap<String, Figure> = BTreeMap::new();
        for (name, jobs) in tallies().flat_map(|tally| tally.refusals.values()) {
            refusals.entry(name.clone()).or_default().0 += Figure::from(*jobs).0;
        }
        let hours = HourFigures {
            core: self.hours(templates, "cpu"),
            gpu: self.hours(templates, "nvidia.com/gpu"),
        };
        let known = hours.core.useful.0 + hours.core.lost.0;
        let last = tallies().filter_map(|tally| tally.last_success).max();
        Group {
            jobs: self.jobs(templates),
            attempts: sum(|tally| tally.attempts),
            hours,
            waste: (known > 0.0).then(|| Figure(hours.core.lost.0 / known)),
            makespan: last.map(|time| Figure(seconds(time.into()))),
            wait: Waits::of(tallies().map(|tally| tally.waits.as_slice())),
            retry_wait: Waits::of(tallies().map(|tally| tally.retry_waits.as_slice())),
            recovery_wait: Waits::of(tallies().map(|tally| tally.recovery_waits.as_slice())),
            preemptions: PreemptionFigures {
                fair_share: sum(|tally| tally.preempted[0]),
                urgency: sum(|tally| tally.preempted[1]),
                other: sum(|tally| tally.preempted[2]),
            },
            refusals,
            utilisation: self.utilisation(templates),
            fairness: FairnessFigures::default(),
        }
    }

    fn jobs(&self, templates: &[usize]) -> JobFigures {
        let mut jobs = JobFigures::default();
        for at in templates {
            let (tally, number) =
                (&self.tallies[*at], u64::from(self.workload.templates[*at].number));
            jobs.succeeded.0 += Figure::from(tally.succeeded).0;
            jobs.unfinished.0 += Figure::from(tally.submitted - tally.succeeded).0;
            let missing = Figure::from(number - tally.submitted).0;
            if (self.is_unschedulable)(*at) {
                jobs.unschedulable.0 += missing;
            } else {
                jobs.never_submitted.0 += missing;
            }
        }
        jobs
    }

    fn hours(&self, templates: &[usize], resource: &str) -> Hours {
        let Some(position) = self.resources.position(resource) else { return Hours::default() };
        let sum = |of: fn(&Tally) -> i128| {
            let amounts = templates.iter().map(|at| self.amount(*at, position, of));
            Figure(seconds(amounts.sum()) * self.resources.base_unit(position) / 3600.0)
        };
        Hours {
            useful: sum(|tally| tally.useful),
            lost: sum(|tally| tally.lost),
            overhead: sum(|tally| tally.overhead),
            unfinished: sum(|tally| tally.unfinished),
        }
    }

    fn utilisation(&self, templates: &[usize]) -> BTreeMap<String, Figure> {
        let all = |tally: &Tally| tally.useful + tally.lost + tally.overhead + tally.unfinished;
        let names = self.resources.names().iter().enumerate();
        let parts = names.filter_map(|(position, name)| {
            let capacity = i128::from(self.capacity.as_slice()[position]) * i128::from(self.end);
            let used: i128 = templates.iter().map(|at| self.amount(*at, position, all)).sum();
            (capacity > 0).then(|| (name.clone(), Figure(seconds(used) / seconds(capacity))))
        });
        parts.collect()
    }

    /// An amount that jobs of a template request, times the time that they hold it.
    fn amount(&self, template: usize, position: usize, of: impl Fn(&Tally) -> i128) -> i128 {
        let request = self.workload.templates[template].shape.request.as_slice()[position];
        of(&self.tallies[template]).saturating_mul(request.into())
    }
}
