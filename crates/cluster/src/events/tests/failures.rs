//! Single cases of failures, with the events that they must have.
//!
//! Holds cluster.md 5.

use super::worlds::{exponential, log, seconds};
use super::*;
use crate::draw::name_key;
use crate::events::EventKind::Failed;
use crate::failure::{
    AttemptSubject, Circumstances, Distribution, FailureCause, FailureKind, FailureReport,
    JobFailures, Lifetime, NodeFailures, Probability, Spot, Stickiness, Trigger,
};

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
        let subject =
            |number| AttemptSubject { seed: *seed, template: name_key("t0"), number, attempt: 0 };
        let circumstances = Circumstances {
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
