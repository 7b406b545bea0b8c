//! Properties of runs in which jobs and nodes fail.

use super::*;
use crate::cluster::events::EventKind::{Failed, Stopped};
use crate::cluster::failure::{
    Checkpoint, Distribution, DurationDistribution, FailureCause, FailureReport, JobFailures,
    Lemons, Lifetime, NodeFailures, Probability, Spot, Stickiness, Trigger,
};
use std::collections::HashMap;

/// All that an observer of a run receives.
#[derive(Debug, Default, PartialEq)]
struct Log {
    events: Vec<Event>,
    nodes: Vec<NodeEvent>,
    /// The events of jobs and nodes in their order, by their positions.
    order: Vec<Result<usize, usize>>,
}

impl Observer for Log {
    fn event(&mut self, event: Event) {
        self.order.push(Ok(self.events.len()));
        self.events.push(event);
    }

    fn node(&mut self, event: NodeEvent) {
        self.order.push(Err(self.nodes.len()));
        self.nodes.push(event);
    }
}

fn seconds(distribution: Distribution) -> DurationDistribution {
    let scaled = match distribution {
        Distribution::Fixed(value) => Distribution::Fixed(value * 1000.0),
        Distribution::Exponential { mean } => Distribution::Exponential { mean: mean * 1000.0 },
        Distribution::Uniform { low, high } => {
            Distribution::Uniform { low: low * 1000.0, high: high * 1000.0 }
        }
        other => other,
    };
    DurationDistribution::of_milliseconds(scaled)
}

fn exponential(mean: f64) -> DurationDistribution {
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
        JobFailures { causes: named.collect(), checkpoint, active_deadline }
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
    pub(in crate::cluster) fn worlds()(
        mut workload in workloads(),
        nodes in prop::collection::vec(1..4_u32, 1..4),
        of_jobs in prop::collection::vec(job_failures(), 6),
        of_nodes in prop::collection::vec(node_failures(), 4),
    ) -> (ClusterSpec, Workload) {
        for (template, failures) in workload.templates.iter_mut().zip(of_jobs) {
            template.failures = failures.into();
        }
        let mut clusters = clusters(&nodes, 3);
        for (cluster, failures) in clusters.clusters.iter_mut().zip(of_nodes) {
            cluster.node_templates[0].failure = Some(failures);
        }
        (clusters, workload)
    }
}

fn log(
    scheduling: &Scheduling,
    clusters: &ClusterSpec,
    workload: &Workload,
    is_fast_forward: bool,
) -> (Log, End, i128) {
    let options = LoopOptions { seed: workload.seed, until: 3600 * SECOND, is_fast_forward };
    let mut simulation = Simulation::new(scheduling, clusters, workload, options);
    let mut log = Log::default();
    let end = simulation.run(&mut log);
    let open = simulation.open_jobs().filter_map(|job| job.event.leased);
    let unfinished = open.map(|leased| i128::from(end.time - leased)).sum();
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
        let spent = |of: fn(&Spent) -> i64| log.events.iter().map(|event| i128::from(of(&event.spent))).sum::<i128>();
        let parts = spent(|it| it.useful) + spent(|it| it.lost) + spent(|it| it.overhead);
        let of_ended = log.events.iter().filter(|event| !matches!(event.kind, Submitted | Leased));
        let allocated: i128 = of_ended
            .filter_map(|event| Some(i128::from(event.time - event.leased?)))
            .sum();
        prop_assert_eq!(parts, allocated);
    }
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

fn one_cluster(nodes: u32, failure: NodeFailures) -> ClusterSpec {
    let mut clusters = clusters(&[nodes], 0);
    clusters.clusters[0].node_templates[0].failure = Some(failure);
    clusters
}

fn fails_at(name: &str, at: f64) -> FailureCause {
    let at = seconds(Distribution::Fixed(at));
    let trigger = Trigger::PerAttempt { probability: Probability::Fixed(1.0), first: None, at };
    FailureCause {
        name: name.to_owned(),
        trigger,
        stickiness: None,
        report: FailureReport::default(),
    }
}

/// The events of a run as `seconds kind template-number cause`.
fn lines(clusters: &ClusterSpec, workload: &Workload) -> (Vec<String>, End) {
    let scheduling = Scheduling::from(settings([1, 1], 1.0, false));
    let (log, end, _) = log(&scheduling, clusters, workload, true);
    let causes = |event: &Event| &workload.templates[event.template].failures.causes;
    let job = |event: &Event| {
        let cause = event.failure.map_or("", |kind| kind.name(causes(event)));
        let (kind, template, number) = (event.kind, event.template, event.number);
        format!("{} {kind:?} {template}-{number} {cause}", event.time / SECOND)
    };
    let node =
        |event: &NodeEvent| format!("{} node {}", event.time / SECOND, event.failure.is_none());
    let all = log.order.iter().map(|position| match position {
        Ok(at) => job(&log.events[*at]),
        Err(at) => node(&log.nodes[*at]),
    });
    (
        all.filter(|line| !line.contains("Submitted"))
            .map(|line| line.trim_end().to_owned())
            .collect(),
        end,
    )
}

#[test]
fn a_gang_ends_with_the_first_member_that_fails_and_its_dependents_are_dropped() {
    let (clusters, mut workload) =
        small(1, &[(2, 0, 2, 0, 0, (60, 0), (true, false)), job(1, 1, 5, true)]);
    workload.templates[0].failures = JobFailures {
        causes: vec![fails_at("late", 50.0), fails_at("early", 40.0)],
        ..JobFailures::default()
    }
    .into();
    let (lines, end) = lines(&clusters, &workload);
    assert_eq!(
        lines,
        ["0 Leased 0-0", "0 Leased 0-1", "40 Failed 0-0 early", "40 Stopped 0-1 early"]
    );
    assert_eq!(end, End { time: 40 * SECOND, reason: EndReason::Done });
}

#[test]
fn a_time_after_the_work_means_just_before_its_end() {
    let (clusters, mut workload) = small(1, &[job(1, 1, 30, false)]);
    workload.templates[0].failures =
        JobFailures { causes: vec![fails_at("late", 500.0)], ..JobFailures::default() }.into();
    let scheduling = Scheduling::from(settings([1, 1], 1.0, false));
    let (log, _, _) = log(&scheduling, &clusters, &workload, true);
    assert_eq!(
        log.events.last().map(|event| (event.kind, event.time)),
        Some((Failed, 29_999_000_000))
    );
}

#[test]
fn a_node_takes_its_jobs_down_and_its_capacity_until_its_repair() {
    let lifetime = Lifetime {
        up: seconds(Distribution::Fixed(35.0)),
        repair: seconds(Distribution::Fixed(60.0)),
        lemons: None,
    };
    let clusters =
        one_cluster(1, NodeFailures { lifetime: Some(lifetime), ..NodeFailures::default() });
    // The third job ends with the node's failure; of what ends at one moment, the end of work comes first.
    let given = [job(1, 4, 50, false), job(1, 2, 35, false), job(1, 8, 5, false)];
    let (_, workload) = small(1, &given);
    let (lines, end) = lines(&clusters, &workload);
    assert_eq!(
        lines,
        [
            "0 Leased 0-0",
            "0 Leased 1-0",
            "35 node false",
            "35 Failed 0-0 node-failure",
            "35 Succeeded 1-0",
            "95 node true",
            "100 Leased 2-0",
            "105 Succeeded 2-0"
        ]
    );
    assert_eq!(end, End { time: 105 * SECOND, reason: EndReason::Done });
}

#[test]
fn a_deadline_counts_from_the_start_of_running() {
    let (mut clusters, mut workload) = small(1, &[job(1, 1, 60, false)]);
    clusters.pending_delay = ShiftedExponential { minimum: 7 * SECOND, tail_mean: 0 };
    workload.templates[0].failures =
        JobFailures { active_deadline: Some(20 * SECOND), ..JobFailures::default() }.into();
    let (lines, _) = lines(&clusters, &workload);
    assert_eq!(lines, ["0 Leased 0-0", "27 Failed 0-0 active-deadline"]);
}

#[test]
fn a_cause_that_sticks_to_a_node_fails_the_next_jobs_there() {
    let (clusters, mut workload) = small(1, &[job(4, 8, 60, false)]);
    let stickiness = Stickiness {
        probability: 1.0,
        duration: 15 * SECOND,
        again: seconds(Distribution::Fixed(2.0)),
    };
    let at = seconds(Distribution::Fixed(30.0));
    let trigger = Trigger::PerAttempt { probability: Probability::Fixed(0.5), first: None, at };
    let cause = FailureCause {
        name: "xid".to_owned(),
        trigger,
        stickiness: Some(stickiness),
        report: FailureReport::default(),
    };
    workload.templates[0].failures =
        JobFailures { causes: vec![cause], ..JobFailures::default() }.into();
    // A seed with which the first job fails and the others do not fail by themselves.
    let seed = (0..200).find(|seed| {
        let subject = |number| crate::cluster::failure::AttemptSubject {
            seed: *seed,
            template: name_key("t0"),
            number,
            attempt: 0,
        };
        let circumstances = crate::cluster::failure::Circumstances {
            duration: 60 * SECOND,
            memory: 1.0,
            gpu_failures_per_hour: 0.0,
            deadline: None,
        };
        let failures = &workload.templates[0].failures;
        let ends =
            [0, 1, 2, 3].map(|number| subject(number).end(failures, circumstances, |_| false).0);
        ends == [30, 60, 60, 60].map(|end| end * SECOND)
    });
    workload.seed = seed.expect("a seed");
    let (lines, _) = lines(&clusters, &workload);
    // The failures of the second and third job do not prolong it: the fourth one starts after 15 s.
    let others = &lines[4..];
    assert_eq!(
        lines[..4],
        ["0 Leased 0-0", "30 Failed 0-0 xid", "30 Leased 0-1", "32 Failed 0-1 xid"]
    );
    assert_eq!(
        others,
        ["40 Leased 0-2", "42 Failed 0-2 xid", "50 Leased 0-3", "110 Succeeded 0-3"]
    );
}

#[test]
fn a_run_stalls_once_no_node_returns_on_which_a_job_fits() {
    // A spot node that is not replaced: nothing can happen after its loss.
    let spot = Spot { per_hour: 60.0, warning: 0, batch: 1.0, replacement: None };
    let unreplaced = one_cluster(1, NodeFailures { spot: Some(spot), ..NodeFailures::default() });
    let (_, workload) = small(1, &[job(5, 8, 1800, false)]);
    let (lost_lines, end) = lines(&unreplaced, &workload);
    let loss = lost_lines[1].split(' ').next().and_then(|time| time.parse::<i64>().ok()).unwrap();
    assert!(lost_lines[1].ends_with("node false"), "{lost_lines:?}");
    assert_eq!(end.reason, EndReason::Stalled);
    assert!(end.time <= (loss + 20) * SECOND, "{end:?} {loss}");
    // A gang above a limit: nodes that fail and return make no difference, although they are rarely all up.
    let lifetime = Lifetime { up: exponential(300.0), repair: exponential(100.0), lemons: None };
    let failing =
        one_cluster(30, NodeFailures { lifetime: Some(lifetime), ..NodeFailures::default() });
    let mut settings = settings([1, 1], 1.0, false);
    settings.classes[0].queue_fractions = vec![0.01];
    let scheduling = Scheduling::from(settings);
    let (_, workload) = small(30, &[job(1, 8, 60, false)]);
    let (_, end, _) = log(&scheduling, &failing, &workload, true);
    assert_eq!(end.reason, EndReason::Stalled);
    assert!(end.time <= 60 * SECOND, "{end:?}");
    // A job that fits the only node waits for its repair.
    let lifetime = Lifetime {
        up: seconds(Distribution::Fixed(35.0)),
        repair: seconds(Distribution::Fixed(500.0)),
        lemons: None,
    };
    let repaired =
        one_cluster(1, NodeFailures { lifetime: Some(lifetime), ..NodeFailures::default() });
    let (_, workload) =
        small(1, &[job(1, 8, 30, false), (1, 0, 8, 0, 100, (5, 0), (false, false))]);
    let (lines, end) = lines(&repaired, &workload);
    assert_eq!(lines.last().map(String::as_str), Some("545 Succeeded 1-0"), "{lines:?}");
    assert_eq!(end.reason, EndReason::Done);
}

#[test]
fn gpus_fail_at_the_rate_of_their_number() {
    const HOUR: i64 = 3600 * SECOND;
    let scheduling = Scheduling::default();
    let failures = NodeFailures { gpu_mtbf: Some(10 * HOUR), ..NodeFailures::default() };
    let mut clusters = one_cluster(1, failures);
    let types = &scheduling.settings().resources;
    let amounts =
        |cores: i64, gpus: i64| [cores * 1000, 0, gpus, 0].into_iter().collect::<Amounts>();
    assert_eq!(types.position("nvidia.com/gpu"), Some(2));
    clusters.clusters[0].node_templates[0].total = amounts(8000, 8000);
    let (_, mut workload) =
        small(1, &[job(2000, 1, 10 * 3600, false), job(2000, 1, 10 * 3600, false)]);
    workload.templates[0].shape.request = amounts(1, 2);
    workload.templates[1].shape.request = amounts(1, 0);
    let options = LoopOptions { seed: 1, until: 100 * HOUR, is_fast_forward: true };
    let mut succeeded = [0_u32; 2];
    let mut failed = [0_u32; 2];
    Simulation::new(&scheduling, &clusters, &workload, options).run(&mut |event: Event| {
        succeeded[event.template] += u32::from(event.kind == Succeeded);
        failed[event.template] += u32::from(event.failure == Some(FailureKind::Gpu));
    });
    // Two GPUs for ten hours, at one failure in ten hours each: e^-2 = 0.1353 succeed, with a standard error of 15.
    assert!((226..316).contains(&succeeded[0]), "{succeeded:?}");
    assert_eq!((succeeded[0] + failed[0], succeeded[1]), (2000, 2000));
}

/// Keeps the entitled shares of each round.
struct Shares(Vec<(i64, Vec<f64>)>);

impl Observer for Shares {
    fn event(&mut self, _: Event) {}

    fn round(&mut self, round: PoolRound<'_>) {
        self.0.push((round.time / SECOND, round.entitled.to_vec()));
    }
}

#[test]
fn nobody_is_entitled_to_a_part_of_nothing() {
    let lifetime = Lifetime {
        up: seconds(Distribution::Fixed(35.0)),
        repair: seconds(Distribution::Fixed(100.0)),
        lemons: None,
    };
    let clusters =
        one_cluster(1, NodeFailures { lifetime: Some(lifetime), ..NodeFailures::default() });
    let (_, workload) = small(1, &[job(4, 8, 30, false)]);
    let scheduling = Scheduling::from(settings([1, 1], 1.0, false));
    let options = LoopOptions { seed: 1, until: 3600 * SECOND, is_fast_forward: true };
    let mut shares = Shares(Vec::new());
    Simulation::new(&scheduling, &clusters, &workload, options).run(&mut shares);
    let at = |time: i64| shares.0.iter().find(|(at, _)| *at == time).map(|(_, shares)| shares[0]);
    assert_eq!((at(0), at(40), at(140)), (Some(1.0), Some(0.0), Some(1.0)));
}
