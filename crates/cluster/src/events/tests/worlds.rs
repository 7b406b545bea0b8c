//! Properties of random worlds in which jobs and nodes fail.
//!
//! Holds cluster.md 5.

use super::*;
use crate::draw::name_key;
use crate::events::EventKind::{Failed, Requeued, Stopped};
use crate::failure::{
    AttemptSubject, Checkpoint, Distribution, DurationDistribution, FailureCause, FailureKind,
    FailureReport, JobFailures, Lemons, Lifetime, NodeFailures, Probability, Spot, Stickiness,
    Termination, Trigger,
};
use std::collections::HashMap;
use std::time::Duration;

/// All that an observer of a run receives.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Log {
    pub(super) events: Vec<Event>,
    pub(super) nodes: Vec<NodeEvent>,
    pub(super) settled: Vec<SettledRun>,
    /// The events of jobs and nodes in their order, by their positions.
    pub(super) order: Vec<Result<usize, usize>>,
}

impl Observer for Log {
    fn event(&mut self, event: Event) {
        self.order.push(Ok(self.events.len()));
        self.events.push(event);
    }

    fn settled(&mut self, run: &SettledRun) {
        self.settled.push(*run);
    }

    fn node(&mut self, event: NodeEvent) {
        self.order.push(Err(self.nodes.len()));
        self.nodes.push(event);
    }
}

pub(super) fn seconds(distribution: Distribution) -> DurationDistribution {
    let scaled = match distribution {
        Distribution::Fixed(value) => Distribution::Fixed(value * 1000.0),
        Distribution::Exponential { mean } => Distribution::Exponential { mean: mean * 1000.0 },
        Distribution::Uniform { low, high } => {
            Distribution::Uniform { low: low * 1000.0, high: high * 1000.0 }
        }
        other => other,
    };
    DurationDistribution::from_milliseconds(scaled)
}

pub(super) fn exponential(mean: f64) -> DurationDistribution {
    seconds(Distribution::Exponential { mean })
}

prop_compose! {
    fn cause()(
        kind in 0..3_u8,
        probability in 0.0..1.0_f64,
        first in prop::option::of(0.0..1.0_f64),
        last in 0.0..80.0_f64,
        is_sticky in any::<bool>(),
    ) -> (Trigger, Option<Stickiness>) {
        let at = seconds(Distribution::Uniform { low: 0.0, high: last });
        let trigger = match kind {
            0 => Trigger::PerAttempt { probability: Probability::Beta(probability + 0.1, 0.5), first, at },
            1 => Trigger::Memory { need: Distribution::Lognormal { median: probability + 0.1, sigma: 1.0 }, at },
            _ => Trigger::Hazard { per_hour: probability * 60.0 },
        };
        let stickiness = Stickiness { probability, duration: 50 * SECOND, again: seconds(Distribution::Fixed(last)) };
        (trigger, is_sticky.then_some(stickiness))
    }
}

prop_compose! {
    fn job_failures()(
        causes in prop::collection::vec(cause(), 0..3),
        checkpoint in prop::option::of((1..40_i64, 0..5_i64)),
        deadline in prop::option::of(10..90_i64),
        (grace, exit) in (0..40_i64, prop::option::of(0.0..60.0_f64)),
    ) -> JobFailures {
        let named = causes.into_iter().enumerate();
        let named = named.map(|(at, (trigger, stickiness))| FailureCause {
            name: format!("cause-{at}"),
            trigger,
            stickiness,
            report: FailureReport::default(),
        });
        let checkpoint = checkpoint.map(|(interval, cost)| Checkpoint {
            interval: interval * SECOND,
            cost: cost * SECOND,
            restart: SECOND,
        });
        let active_deadline = deadline.map(|deadline| deadline * SECOND);
        let exit = exit.map(|last| seconds(Distribution::Uniform { low: 0.0, high: last }));
        let termination = Termination { grace: grace * SECOND, exit };
        JobFailures { causes: named.collect(), checkpoint, active_deadline, termination }
    }
}

prop_compose! {
    fn node_failures()(
        up in prop::option::of((20.0..300.0_f64, 0.0..60.0_f64)),
        spot in prop::option::of((1.0..60.0_f64, 0..40_i64, 0.2..1.0_f64, any::<bool>())),
    ) -> NodeFailures {
        let lifetime = up.map(|(up, repair)| Lifetime {
            up: exponential(up),
            repair: exponential(repair),
            lemons: Some(Lemons { fraction: 0.3, rate_share: 0.8 }),
        });
        let spot = spot.map(|(per_hour, warning, batch, is_replaced)| Spot {
            per_hour,
            warning: warning * SECOND,
            batch,
            replacement: is_replaced.then(|| exponential(30.0)),
        });
        NodeFailures { lifetime, gpu_mtbf: None, spot }
    }
}

prop_compose! {
    /// A cluster and a workload in which jobs and nodes fail.
    pub(crate) fn worlds()(
        mut workload in workloads(),
        nodes in prop::collection::vec(1..4_u32, 1..4),
        of_jobs in prop::collection::vec(job_failures(), 6),
        of_nodes in prop::collection::vec(node_failures(), 4),
        grace_holds_node in any::<bool>(),
        pending in 0..10_i64,
    ) -> (ClusterSpec, Workload) {
        workload.grace_holds_node = grace_holds_node;
        for (template, failures) in workload.templates.iter_mut().zip(of_jobs) {
            template.failures = failures.into();
        }
        let mut clusters = clusters(&nodes, 3);
        clusters.pending_delay = ShiftedExponential { minimum: 0, tail_mean: pending * SECOND };
        for (cluster, failures) in clusters.clusters.iter_mut().zip(of_nodes) {
            cluster.node_templates[0].failure = Some(failures);
        }
        (clusters, workload)
    }
}

pub(super) fn log(
    scheduling: &Scheduling,
    clusters: &ClusterSpec,
    workload: &Workload,
    is_fast_forward: bool,
) -> (Log, End, i128) {
    let options = LoopOptions { seed: workload.seed, until: 3600 * SECOND, is_fast_forward };
    let mut simulation = Simulation::new(scheduling, clusters, workload, options);
    let mut log = Log::default();
    let end = simulation.run(&mut log);
    let unfinished = simulation.open_jobs(end.time).map(|job| i128::from(job.unfinished)).sum();
    (log, end, unfinished)
}

proptest! {
    #[test]
    fn runs_with_failures_keep_their_rules(
        (clusters, workload) in worlds(),
        protected in prop::sample::select(vec![0.0, 0.5, 1.0]),
        profile in prop::sample::select(vec![Profile::Landed, Profile::Seed]),
    ) {
        let settings = Settings { profile, ..settings([30000, 20000], protected, false) };
        let scheduling = Scheduling::from(settings);
        let (log, end, unfinished) = self::log(&scheduling, &clusters, &workload, false);
        let skipping = self::log(&scheduling, &clusters, &workload, true);
        prop_assert_eq!(&(&log, end, unfinished), &(&skipping.0, skipping.1, skipping.2));

        let mut checker = Checker { workload: &workload, lives: BTreeMap::new(), nodes: HashMap::new(), down: BTreeSet::new() };
        for position in &log.order {
            match position {
                Ok(event) => checker.event(&log.events[*event])?,
                Err(event) => checker.node(&log.nodes[*event])?,
            }
        }
        for loss in log.nodes.iter().filter(|node| node.failure == Some(FailureKind::Spot)) {
            // From the warning on no job starts on a node that will be lost.
            let warned = loss.time - warning_of(&clusters, loss.node);
            let is_late = |event: &&Event| event.kind == Leased
                && event.node == Some(loss.node) && (warned.max(1)..loss.time).contains(&event.time);
            prop_assert_eq!(log.events.iter().find(is_late), None, "{:?}", loss);
        }
        // Useful, lost and overhead time is what the runs that ended were allocated, to the nanosecond.
        let spent = |of: fn(&Spent) -> i64| log.settled.iter().map(|run| i128::from(of(&run.spent))).sum::<i128>();
        let parts = spent(|it| it.useful) + spent(|it| it.lost) + spent(|it| it.overhead);
        let of_ended = log.events.iter().filter(|event| !matches!(event.kind, Submitted | Leased));
        let allocated: i128 = of_ended
            .map(|event| i128::from(event.allocated()))
            .sum();
        prop_assert_eq!(parts, allocated);
        check_capacity(&log, &workload)?;
        check_stickiness(&log, &workload)?;
    }
}

/// Checks that runs which start on a node to which a cause of their template sticks do not outlast it.
pub(super) fn check_stickiness(log: &Log, workload: &Workload) -> Result<(), TestCaseError> {
    let source = |event: &Event| workload.templates[event.template].source;
    for failed in log.events.iter().filter(|event| event.kind == Failed) {
        let Some(FailureKind::Cause(position)) = failed.failure else { continue };
        let template = &workload.templates[failed.template];
        let cause = &template.failures.causes[position];
        let (seed, template) = (workload.seed, name_key(&template.id));
        let subject =
            AttemptSubject { seed, template, number: failed.number, attempt: failed.attempt };
        let Some(stickiness) = cause.stickiness.filter(|_| subject.sticks(cause)) else { continue };
        let Distribution::Fixed(again) = stickiness.again.milliseconds() else { continue };
        for run in log.events.iter().filter(|event| event.kind != Leased) {
            let Some(start) = run.leased.map(|leased| leased + run.pending) else { continue };
            let is_same = run.node == failed.node && source(run) == source(failed) && run != failed;
            let is_replaced = log.nodes.iter().any(|node| {
                Some(node.node) == run.node
                    && node.failure == Some(FailureKind::Spot)
                    && (failed.time..=start).contains(&node.time)
            });
            let until = failed.time + stickiness.duration;
            if is_same && !is_replaced && (failed.time..until).contains(&start) {
                let running = Duration::from_nanos(u64::try_from(run.time - start).unwrap_or(0));
                prop_assert!(
                    running.as_secs_f64() <= again / 1000.0 + 0.001,
                    "{:?} {:?}",
                    failed,
                    run
                );
            }
        }
    }
    Ok(())
}

/// Checks that the runs of a node, and the pods of preempted ones, never need more than it has.
pub(super) fn check_capacity(log: &Log, workload: &Workload) -> Result<(), TestCaseError> {
    let mut changes: BTreeMap<(usize, usize), Vec<(i64, i64)>> = BTreeMap::new();
    for event in
        log.events.iter().filter(|event| !matches!(event.kind, Submitted | Requeued | Leased))
    {
        let (Some(node), Some(leased)) = (event.node, event.leased) else { continue };
        let (from, to) = (leased + event.held, event.time + event.hold);
        // A node that goes down has no pods any more.
        let in_hold = |it: &&NodeEvent| {
            it.node == node && it.failure.is_some() && (event.time + 1..to).contains(&it.time)
        };
        prop_assert_eq!(log.nodes.iter().find(in_hold), None, "{:?}", event);
        let request = workload.templates[event.template].shape.request.as_slice()[0];
        if from < to {
            changes.entry(node).or_default().extend([(from, request), (to, -request)]);
        }
    }
    for (node, mut changes) in changes {
        changes.sort_unstable();
        let mut used = 0;
        for (time, change) in changes {
            used += change;
            prop_assert!(used <= 8, "{node:?} has {used} at {time}");
        }
    }
    Ok(())
}

/// The warning before the loss of a node, whose cluster is found by counting the nodes of its pool.
fn warning_of(clusters: &ClusterSpec, (pool, position): (usize, usize)) -> i64 {
    let name = *clusters.pools().iter().nth(pool).expect("a pool");
    let mut before = 0;
    for cluster in clusters.clusters.iter().filter(|cluster| cluster.pool == name) {
        let template = &cluster.node_templates[0];
        before += usize::try_from(template.number).unwrap();
        if position < before {
            let spot = template.failure.as_ref().and_then(|failure| failure.spot);
            return spot.map_or(0, |spot| spot.warning);
        }
    }
    panic!("no node {position}");
}

/// Follows the events of a run.
struct Checker<'w> {
    workload: &'w Workload,
    /// The events of each submission.
    lives: BTreeMap<(usize, u32, u32), Vec<EventKind>>,
    /// The cores in use on each node.
    nodes: HashMap<(usize, usize), i64>,
    down: BTreeSet<(usize, usize)>,
}

impl Checker<'_> {
    fn event(&mut self, event: &Event) -> Result<(), TestCaseError> {
        let template = &self.workload.templates[event.template];
        let life = self.lives.entry((event.template, event.number, event.attempt)).or_default();
        life.push(event.kind);
        let ends = [vec![Preempted], vec![Succeeded], vec![Failed], vec![Stopped]];
        let whole = ends.map(|end| [vec![Submitted, Leased], end].concat());
        let is_queued = [vec![Submitted], vec![Submitted, Stopped]];
        prop_assert!(
            whole.iter().chain(&is_queued).any(|whole| whole.starts_with(life)),
            "{:?}",
            life
        );
        if event.kind == Stopped {
            prop_assert!(template.gang.is_some());
        }
        if event.kind == Failed {
            prop_assert!(event.failure.is_some());
        }
        let Some(node) = event.node else { return Ok(()) };
        let request = template.shape.request.as_slice()[0];
        let used = self.nodes.entry(node).or_default();
        match event.kind {
            Leased => {
                *used += request;
                prop_assert!(*used <= 8, "{node:?} at {}: {used} cores", event.time);
                prop_assert!(!self.down.contains(&node), "{node:?} is down at {}", event.time);
            }
            Submitted => {}
            _ => *used -= request,
        }
        Ok(())
    }

    fn node(&mut self, event: &NodeEvent) -> Result<(), TestCaseError> {
        if event.failure.is_some() {
            prop_assert!(self.down.insert(event.node));
        } else {
            prop_assert!(self.down.remove(&event.node));
            prop_assert_eq!(self.nodes.get(&event.node).copied().unwrap_or_default(), 0);
        }
        Ok(())
    }
}
