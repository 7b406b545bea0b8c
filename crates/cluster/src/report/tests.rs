//! Properties of reports on random workloads.
//!
//! Holds cluster.md 7.

use super::*;
use crate::events::tests::retries::HashDecider;
use crate::events::tests::settings;
use crate::events::tests::worlds::worlds;
use crate::events::{
    End, Event, EventKind, IdleSums, LoopOptions, NodeEvent, Observer, OpenState, PoolRound,
    Retries, SettledRun, Simulation,
};
use crate::retry::Requeue;
use crate::round::Refusal;
use crate::scheduling::Scheduling;
use crate::spec::{ClusterSpec, ShiftedExponential, Workload};
use proptest::prelude::*;

const SECOND: i64 = 1_000_000_000;
const CORES_OF_NODE: i64 = 8;

/// Counts core-seconds from events alone, next to a collector.
struct Both {
    collector: Collector,
    requests: Vec<i64>,
    allocated: i64,
    since: i64,
    core_nanoseconds: i128,
    /// The cores of the nodes that are up.
    capacity: i64,
    /// Idle amounts, with the capacity, from each time on.
    idle: Vec<(i64, [i64; 2])>,
    /// When jobs waited for their retryAfter.
    waits: Vec<(i64, i64)>,
    /// The runs that succeeded, or go on at the end.
    other_runs: u64,
}

impl Both {
    fn pass(&mut self, time: i64) {
        let elapsed = i128::from(time - self.since);
        self.core_nanoseconds += i128::from(self.allocated) * elapsed;
        self.idle.push((self.since, [self.capacity - self.allocated, self.capacity]));
        self.since = time;
    }

    /// Returns what was idle while jobs waited.
    fn idle_while_backing_off(&self, end: i64) -> IdleSums {
        let mut sums = IdleSums::default();
        let ends = self.idle.iter().skip(1).map(|(time, _)| *time).chain([end]);
        for ((from, amounts), to) in self.idle.iter().zip(ends) {
            let mut times: Vec<i64> = vec![*from, to];
            times.extend(self.waits.iter().flat_map(|(from, to)| [*from, *to]));
            times.retain(|time| (*from..=to).contains(time));
            times.sort_unstable();
            for part in times.windows(2) {
                let is_in = |wait: &&(i64, i64)| wait.0 <= part[0] && part[1] <= wait.1;
                if self.waits.iter().any(|wait| is_in(&wait)) {
                    let [idle, capacity] =
                        amounts.map(|of| i128::from(of) * i128::from(part[1] - part[0]));
                    sums.idle += idle;
                    sums.capacity += capacity;
                }
            }
        }
        sums
    }
}

impl Both {
    /// Corrects the time of a run by that before it had room and that in which its pod was still there.
    fn correct(&mut self, event: &Event, end: i64) {
        let Some(leased) = event.leased else { return };
        let request = i128::from(self.requests[event.template]);
        self.core_nanoseconds += request * i128::from(event.allocated() - (end - leased));
    }
}

impl Observer for Both {
    fn event(&mut self, event: Event) {
        self.pass(event.time);
        self.other_runs += u64::from(event.kind == EventKind::Succeeded);
        let request = self.requests[event.template];
        self.allocated += match event.kind {
            EventKind::Submitted | EventKind::Requeued => 0,
            EventKind::Leased => request,
            _ if event.leased.is_some() => -request,
            _ => 0,
        };
        if event.kind == EventKind::Requeued {
            self.waits.extend(event.last_ended.map(|ended| (ended, event.time)));
        }
        if !matches!(event.kind, EventKind::Submitted | EventKind::Requeued | EventKind::Leased) {
            self.correct(&event, event.time);
        }
        self.collector.event(event);
    }

    fn settled(&mut self, run: &SettledRun) {
        self.collector.settled(run);
    }

    fn node(&mut self, event: NodeEvent) {
        self.pass(event.time);
        self.capacity += if event.failure.is_some() { -CORES_OF_NODE } else { CORES_OF_NODE };
        self.collector.node(event);
    }

    fn round(&mut self, round: PoolRound<'_>) {
        self.collector.round(round);
    }

    fn refused(&mut self, template: usize, refusal: &Refusal) {
        self.collector.refused(template, refusal);
    }
}

fn report(
    scheduling: &Scheduling,
    clusters: &ClusterSpec,
    workload: &Workload,
    is_fast_forward: bool,
    until: i64,
    decider: Option<u64>,
) -> (Figures, EndReport, f64, u64) {
    let options = LoopOptions { seed: workload.seed, until, is_fast_forward };
    let mut simulation = Simulation::new(scheduling, clusters, workload, options);
    if let Some(seed) = decider {
        let decider = Box::new(HashDecider::new(seed));
        simulation = simulation.with_retries(Retries { decider, requeue: Requeue::Original });
    }
    let of = |template: &crate::spec::JobTemplate| template.shape.request.as_slice()[0];
    let nodes = |pool| i64::try_from(clusters.nodes_of_pool(pool).len()).unwrap();
    let mut both = Both {
        collector: Collector::new(&scheduling.settings().resources, workload, &simulation),
        requests: workload.templates.iter().map(of).collect(),
        allocated: 0,
        since: 0,
        core_nanoseconds: 0,
        capacity: CORES_OF_NODE * clusters.pools().into_iter().map(nodes).sum::<i64>(),
        idle: Vec::new(),
        waits: Vec::new(),
        other_runs: 0,
    };
    let end: End = simulation.run(&mut both);
    both.pass(end.time);
    for job in simulation.open_jobs(end.time) {
        both.correct(&job.event, end.time);
        both.other_runs += u64::from(job.event.leased.is_some());
        let since = job.event.last_ended.filter(|_| job.state == OpenState::BackingOff);
        both.waits.extend(since.map(|ended| (ended, end.time)));
    }
    if decider.is_some() {
        let idle = both.idle_while_backing_off(end.time);
        assert_eq!(simulation.idle_while_backing_off(), [idle]);
    }
    let resources = &scheduling.settings().resources;
    let (figures, end) = both.collector.finish(resources, workload, &simulation, end, 1);
    (figures, end, waits::seconds(both.core_nanoseconds) / 3600.0, both.other_runs)
}

fn sum(hours: &Hours) -> f64 {
    hours.useful.0 + hours.lost.0 + hours.overhead.0 + hours.unfinished.0
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn without_shares(mut end: EndReport) -> EndReport {
    for queue in end.series.queues.values_mut() {
        queue.entitled.clear();
        queue.actual.clear();
    }
    end
}

/// The sum of a series of all queues over the run, in hours.
fn hours_of(end: &EndReport, of: fn(&QueueSeries) -> &[Figure]) -> f64 {
    let bin = end.series.bin_seconds.0;
    let length = |number: usize| {
        let from = Figure::from(number as u64).0 * bin;
        (end.time.0 - from).min(bin) / 3600.0
    };
    let queues = end.series.queues.values();
    let of_queue = |queue: &QueueSeries| -> f64 {
        of(queue).iter().enumerate().map(|(number, mean)| mean.0 * length(number)).sum()
    };
    queues.map(of_queue).sum()
}

proptest! {
    #[test]
    fn reports_add_up_and_do_not_depend_on_skipped_rounds(
        (mut clusters, workload) in worlds(),
        priorities in prop::sample::select(vec![[1000, 1000], [30000, 20000]]),
        protected in prop::sample::select(vec![0.0, 1.0]),
        delay in 0..30_i64,
        until in prop::sample::select(vec![25 * SECOND, 95 * SECOND, 3600 * SECOND]),
        decider in prop::option::of(any::<u64>()),
    ) {
        let scheduling = Scheduling::from(settings(priorities, protected, false));
        let delay = delay * SECOND;
        clusters.resubmission_delay = ShiftedExponential { minimum: delay, tail_mean: 0 };
        let all = report(&scheduling, &clusters, &workload, false, until, decider);
        let (figures, end, core_hours, other_runs) = report(&scheduling, &clusters, &workload, true, until, decider);
        prop_assert_eq!(&all.0.total.jobs, &figures.total.jobs);
        prop_assert_eq!(&all.0.templates, &figures.templates);
        // Shares over more and shorter times are rounded differently.
        prop_assert_eq!(without_shares(all.1.clone()), without_shares(end.clone()));
        let hours = |of: fn(&QueueSeries) -> &[Figure]| hours_of(&end, of);
        // Each mean is rounded to six decimals.
        let error = 1e-6 * end.time.0 / 3600.0 * Figure::from(end.series.queues.len() as u64).0;
        prop_assert!((hours(|queue| &queue.cores) - core_hours).abs() <= error + 1e-9);
        prop_assert!(hours(|queue| &queue.retry_cores) <= core_hours + error + 1e-9);
        for (name, pool) in &figures.pools {
            // A sum over more and shorter times is rounded differently.
            let error = |pool: &PoolFigures| pool.fairness.fairness_error.map_or(0.0, |of| of.0);
            prop_assert!(is_near(error(pool), error(&all.0.pools[name])), "{}", name);
        }
        prop_assert!(is_near(sum(&figures.total.hours.core), core_hours));
        let jobs: u32 = workload.templates.iter().map(|template| template.number).sum();
        let by_end = &figures.total.jobs;
        let over = by_end.succeeded.0 + by_end.failed.0 + by_end.unfinished.0;
        let never = by_end.never_submitted.0 + by_end.unschedulable.0;
        prop_assert!(is_near(over + never, f64::from(jobs)));
        let of_causes = |of: fn(&CauseFigures) -> f64| figures.causes.values().map(of).sum::<f64>();
        // Members of gangs that were preempted fail without a cause.
        prop_assert!(of_causes(|cause| cause.failed.0) <= by_end.failed.0);
        prop_assert!(decider.is_some() || is_near(of_causes(|cause| cause.failed.0), by_end.failed.0));
        prop_assert!(is_near(by_end.failed_by.values().map(|jobs| jobs.0).sum(), by_end.failed.0));
        for groups in [&figures.queues, &figures.templates] {
            let parts: f64 = groups.values().map(|group| sum(&group.hours.core)).sum();
            prop_assert!(is_near(parts, core_hours));
            let attempts: f64 = groups.values().map(|group| group.attempts.0).sum();
            prop_assert!(is_near(attempts, figures.total.attempts.0));
        }
        let by = &figures.total.preemptions;
        let runs =
            figures.total.attempts.0 - by.fair_share.0 - by.urgency.0 - by.other.0;
        let failed = of_causes(|cause| cause.attempts.0 + cause.stopped.0);
        prop_assert!(is_near(runs, failed + Figure::from(other_runs).0));
    }
}
