//! Tests of the blocks of failures: what they mean, and the finding about each error with its place.
//!
//! Holds cluster.md 2, 5.

use super::super::super::failure::{
    Checkpoint, Distribution, DurationDistribution, FailureCause, FailureReport, Lemons,
    Probability, Spot, Stickiness, Termination, Trigger,
};
use super::super::super::spec::TimedReload;
use super::{SECOND, cluster, cluster_findings, queue_of, workload, workload_findings};

fn duration(milliseconds: Distribution) -> DurationDistribution {
    DurationDistribution::from_milliseconds(milliseconds)
}

const HOUR: f64 = 3_600_000.0;

/// Makes a cluster of one node with this `failure` block.
fn node_with(failure: &str) -> String {
    format!(
        "clusters:\n- name: c\n  pool: p\n  nodeTemplates:\n  - number: 4\n    totalResources: \
         {{resources: {{cpu: 8, nvidia.com/gpu: 2}}}}\n    failure: {{{failure}}}\n"
    )
}

#[test]
fn the_blocks_of_nodes_are_read() {
    let text = node_with(
        "up: {weibull: {shape: 0.66, scale: 3256h}}, repair: {lognormal: {median: 63m, sigma: 1.41}}, \
         lemons: {fraction: 0.05, rateShare: 0.56}, gpuMtbf: {seconds: 3600}, \
         spot: {hazardPerHour: 0.23, warning: 2m, batch: {geometric: 0.5}, \
         replaceAfter: {exponential: {mean: 30m}}}",
    );
    let spec = cluster(&text);
    let failure = spec.clusters[0].node_templates[0].failure.as_ref().expect("a block");
    let lifetime = failure.lifetime.expect("times");
    assert_eq!(lifetime.up, duration(Distribution::Weibull { shape: 0.66, scale: 3256.0 * HOUR }));
    let repair = Distribution::Lognormal { median: 63.0 * 60_000.0, sigma: 1.41 };
    assert_eq!(lifetime.repair, duration(repair));
    assert_eq!(lifetime.lemons, Some(Lemons { fraction: 0.05, rate_share: 0.56 }));
    assert_eq!(failure.gpu_mtbf, Some(3600 * SECOND));
    let replacement = Some(duration(Distribution::Exponential { mean: HOUR / 2.0 }));
    let spot = Spot { per_hour: 0.23, warning: 120 * SECOND, batch: 0.5, replacement };
    assert_eq!(failure.spot, Some(spot));
    let few = cluster(&node_with("spot: {hazardPerHour: 2}"));
    let spot = few.clusters[0].node_templates[0].failure.as_ref().and_then(|failure| failure.spot);
    assert_eq!(spot, Some(Spot { per_hour: 2.0, warning: 0, batch: 1.0, replacement: None }));
}

#[test]
fn the_blocks_of_jobs_are_read() {
    let text = queue_of(&[
        "number: 1, repeat: {numTimes: 2}, checkpoint: {interval: 30m, cost: 1m}, \
         activeDeadline: 72h, terminationGracePeriod: 0s, exitAfterSignal: {fixed: 2s}, failures: [\
         {name: crash, perAttempt: {beta: [0.35, 0.39]}, firstAttempt: 0.015, at: {uniform: [0s, 1m]}}, \
         {name: flaky, perAttempt: 0.5, at: {fixed: 1s}, exitCode: 1, category: user}, \
         {name: oom, need: {memory: {lognormal: {median: 0.8, sigma: 0.2}}}, at: {fixed: 0s}, reason: OOMKilled}, \
         {name: xid, hazardPerHour: 0.001, \
         sticksToNode: {probability: 0.17, for: 2h, again: {exponential: {mean: 1m}}}}]",
    ]);
    let workload = workload(&text);
    let failures = &workload.templates[1].failures;
    let cause = |name: &str, trigger| FailureCause {
        name: name.to_owned(),
        trigger,
        stickiness: None,
        report: FailureReport::default(),
    };
    let at = |value| duration(Distribution::Fixed(value));
    let xid = Stickiness {
        probability: 0.17,
        duration: 7200 * SECOND,
        again: duration(Distribution::Exponential { mean: 60_000.0 }),
    };
    let uniform = duration(Distribution::Uniform { low: 0.0, high: 60_000.0 });
    let expected = [
        cause(
            "crash",
            Trigger::PerAttempt {
                probability: Probability::Beta(0.35, 0.39),
                first: Some(0.015),
                at: uniform,
            },
        ),
        FailureCause {
            report: FailureReport {
                exit_code: Some(1),
                category: "user".to_owned(),
                ..FailureReport::default()
            },
            ..cause(
                "flaky",
                Trigger::PerAttempt {
                    probability: Probability::Fixed(0.5),
                    first: None,
                    at: at(1000.0),
                },
            )
        },
        FailureCause {
            report: FailureReport { reason: "OOMKilled".to_owned(), ..FailureReport::default() },
            ..cause(
                "oom",
                Trigger::Memory {
                    need: Distribution::Lognormal { median: 0.8, sigma: 0.2 },
                    at: at(0.0),
                },
            )
        },
        FailureCause { stickiness: Some(xid), ..cause("xid", Trigger::Hazard { per_hour: 0.001 }) },
    ];
    assert_eq!(failures.causes, expected);
    let checkpoint = Checkpoint { interval: 1800 * SECOND, cost: 60 * SECOND, restart: 0 };
    assert_eq!(failures.checkpoint, Some(checkpoint));
    assert_eq!(failures.active_deadline, Some(72 * 3600 * SECOND));
    let termination = Termination { grace: 0, exit: Some(at(2000.0)) };
    assert_eq!(failures.termination, termination);
    // Copies of a template share its causes.
    assert!(std::sync::Arc::ptr_eq(failures, &workload.templates[0].failures));
}

#[test]
fn mistakes_of_nodes_are_located() {
    for (failure, wanted) in [
        ("up: {exponential: {mean: 1h}}", "`up` has no `repair`;"),
        ("repair: {fixed: 1h}", "`repair` has no effect without `up`;"),
        ("lemons: {fraction: 0.1, rateShare: 0.5}", "`lemons` has no effect without `up`;"),
        ("up: {fixed: 1h, exponential: {mean: 1h}}, repair: {fixed: 1h}", "more than one form"),
        ("up: {}, repair: {fixed: 1h}", "the distribution is empty"),
        ("up: {exponential: {mean: 0s}}, repair: {fixed: 1h}", "`mean` is 0; write more than 0"),
        ("up: {uniform: [2h, 1h]}, repair: {fixed: 1h}", "the first value of `uniform` is greater"),
        ("up: {uniform: [2h]}, repair: {fixed: 1h}", "`uniform` has 1 value, not two"),
        ("up: {uniform: [1h, 2h, 3h]}, repair: {fixed: 1h}", "`uniform` has 3 values, not two"),
        ("up: {weibull: {scale: 1h}}, repair: {fixed: 1h}", "no `shape`"),
        ("spot: {hazardPerHour: 0}", "`hazardPerHour` is 0; it must be greater than 0"),
        ("spot: {hazardPerHour: 1, batch: {geometric: 1.5}}", "it is a probability, at most 1"),
        ("spot: {hazardPerHour: 1e308}", "write at most 60: one loss a minute"),
        ("gpuMtbf: 0s", "`gpuMtbf` is 0"),
        ("gpuMtbf: 1000000h", "longer than 100 years"),
    ] {
        let found = cluster_findings(&node_with(failure));
        assert!(found.contains(wanted), "{failure}\n{found}");
        assert_eq!(found.lines().count(), 1, "{failure}\n{found}");
        assert!(found.contains(" 7:"), "{failure}\n{found}");
    }
    let text = node_with("gpuMtbf: 10h").replace(", nvidia.com/gpu: 2", "");
    let found = cluster_findings(&text);
    assert!(found.starts_with("RP040 7:24: `gpuMtbf` has no effect: the nodes have no"), "{found}");
    let up = "up: {exponential: {mean: 9h}}, repair: {fixed: 1h}";
    for (lemons, wanted) in [
        ("fraction: 0.1, rateShare: 0.9", "a fraction of 0.1 of 4 nodes is none of them"),
        ("fraction: 0.9, rateShare: 0.95", "a fraction of 0.9 of 4 nodes is all of them"),
        ("fraction: 0.5, rateShare: 0.2", "these lemons fail less often than the other nodes"),
    ] {
        let found = cluster_findings(&node_with(&format!("{up}, lemons: {{{lemons}}}")));
        assert!(found.starts_with("RP040 7:") && found.contains(wanted), "{found}");
    }
}

#[test]
fn mistakes_of_jobs_are_located() {
    let cause = |cause: &str| format!("number: 1, failures: [{{{cause}}}]");
    for (template, wanted) in [
        (cause("name: a, at: {fixed: 1s}"), "the cause never occurs;"),
        (cause("name: a, perAttempt: 0.1"), "`perAttempt` has no `at`;"),
        (
            cause("name: a, perAttempt: 1.1, at: {fixed: 1s}"),
            "`perAttempt` is 1.1, not a number from 0 to 1",
        ),
        (cause("name: a, perAttempt: {beta: [0, 1]}, at: {fixed: 1s}"), "greater than 0"),
        (
            cause("name: a, perAttempt: often, at: {fixed: 1s}"),
            "expected a number from 0 to 1, or a mapping with `beta`, found",
        ),
        (cause("name: a, hazardPerHour: 1, firstAttempt: 0.1"), "`firstAttempt` has no effect"),
        (cause("name: a, hazardPerHour: 1, perAttempt: 0.1, at: {fixed: 1s}"), "more than one way"),
        (
            cause("name: a, hazardPerHour: 1, at: {fixed: 1s}"),
            "`at` has no effect with `hazardPerHour`",
        ),
        (cause("name: a, hazardPerHour: 1, exitCode: 0"), "`exitCode` is 0"),
        (cause("name: a, hazardPerHour: 1, condition: OOMKilled"), "no field `condition`"),
        (cause("name: spot, hazardPerHour: 1"), "the name `spot` is reserved for another cause"),
        (cause("name: a, need: {memory: {fixed: 1h}}, at: {fixed: 1s}"), "`fixed`"),
        (
            "number: 1, failures: [{name: a, hazardPerHour: 1}, {name: a, hazardPerHour: 2}]"
                .to_owned(),
            "the failure cause `a` is defined again",
        ),
        ("number: 1, checkpoint: {interval: 0s}".to_owned(), "`interval` is 0"),
        ("number: 1, activeDeadline: 0s".to_owned(), "`activeDeadline` is 0"),
        (
            "number: 1, terminationGracePeriod: 500ms".to_owned(),
            "the grace period 500ms is less than the minimum, 1s",
        ),
        ("number: 1, terminationGracePeriod: 1500ms".to_owned(), "has a part of a second"),
        ("number: 1, exitAfterSignal: {}".to_owned(), "the distribution is empty"),
    ] {
        let found = workload_findings(&queue_of(&[&template]));
        assert!(found.contains(wanted), "{template}\n{found}");
        assert_eq!(found.lines().count(), 1, "{template}\n{found}");
        assert!(found.contains(" 5:"), "{template}\n{found}");
    }
}

#[test]
fn reloads_are_read() {
    let text = queue_of(&["number: 1"]);
    let events = "events:\n- {at: 2h, reload: {globalMaxRetries: 3, enabled: false}}\n- {at: 3h, reload: {enabled: true}}\n";
    let with = workload(&format!("{events}graceHoldsNode: false\n{text}"));
    let reload = |at, global_max_retries, enabled| TimedReload { at, global_max_retries, enabled };
    let expected =
        [reload(7200 * SECOND, Some(3), Some(false)), reload(10_800 * SECOND, None, Some(true))];
    assert_eq!(with.reloads, expected);
    assert!(!with.grace_holds_node);
    let without = workload(&text);
    assert!(without.reloads.is_empty() && without.grace_holds_node);
    let found = workload_findings(&format!("events: [{{at: 1h, reload: {{}}}}]\n{text}"));
    assert!(found.contains("1:19: the reload changes no setting"), "{found}");
    let found = workload_findings(&format!("events: [{{at: soon, reload: {{limit: 3}}}}]\n{text}"));
    assert!(found.contains("1:15") && found.contains("no field `limit`"), "{found}");
}
