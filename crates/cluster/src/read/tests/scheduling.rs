//! Tests of configurations, and of the finding about each error in one.
//!
//! Holds cluster.md 2.

use super::super::super::settings::SeedSettings;
use super::{Profile, SECOND, Scheduling, config, config_findings, listed, read_scheduling};
use document::diag::Source;

#[test]
fn a_configuration_has_defaults_and_keys_in_two_places() {
    let inside = config(
        "scheduling:\n  maxQueueLookback: 5\n  protectedFractionOfFairShare: 0.5\nschedulePeriod: 5s\n",
    );
    let top =
        config("maxQueueLookback: 5\nprotectedFractionOfFairShare: 0.5\nschedulePeriod: 5s\n");
    assert_eq!(format!("{inside:?}"), format!("{top:?}"));
    assert_eq!((inside.settings().queue_lookback, inside.period), (5, 5 * SECOND));
    let defaults = Scheduling::default();
    assert_eq!(format!("{:?}", config("{}")), format!("{defaults:?}"));
    assert_eq!(format!("{:?}", config("scheduling:\n")), format!("{defaults:?}"));
    let settings = defaults.settings();
    assert_eq!(settings.multipliers, [1.0, 1.0, 1.0, 0.0]);
    let indexed: Vec<_> =
        settings.indexed_resources.iter().map(|one| (one.position, one.resolution)).collect();
    assert_eq!(indexed, [(2, 1), (0, 1000), (1, 1 << 20)]);
    assert_eq!((defaults.period, settings.queue_lookback), (10 * SECOND, 100_000));
    let priorities = |profile| {
        let scheduling = Scheduling::of_profile(profile);
        scheduling.settings().classes.iter().map(|class| class.priority).collect::<Vec<_>>()
    };
    assert_eq!(priorities(Profile::Landed), [1000, 1000]);
    assert_eq!(priorities(Profile::Seed), [30_000, 20_000]);
}

#[test]
#[expect(clippy::float_cmp, reason = "numbers as they are written")]
fn pools_have_settings_of_their_own() {
    let read = config(
        "protectedFractionOfFairShare: 0.5\n\
         pools: [{name: p, protectedFractionOfFairShare: 0.25}, {name: q}]\n\
         maximumResourceFractionToScheduleByPool: {q: {cpu: 0.1}}\n\
         defaultPriorityClassName: x\n\
         priorityClasses: {x: {maximumResourceFractionPerQueue: {cpu: 0.5}, \
         maximumResourceFractionPerQueueByPool: {p: {memory: 0.2}}}}\n",
    );
    assert_eq!(read.of_pool("p").protected_fraction, 0.25);
    assert_eq!(read.of_pool("q").protected_fraction, 0.5);
    assert_eq!(read.of_pool("q").round_fractions[0], 0.1);
    assert_eq!(read.of_pool("p").round_fractions[0], 1.0);
    assert_eq!(read.of_pool("p").classes[0].queue_fractions[..2], [f64::INFINITY, 0.2]);
    assert_eq!(read.of_pool("q").classes[0].queue_fractions[..2], [0.5, f64::INFINITY]);
    assert_eq!(read.of_pool("other").protected_fraction, 0.5);
}

#[test]
fn away_node_types_are_those_that_are_named() {
    let read = config(
        "wellKnownNodeTypes: [{name: gpu, taints: [{key: gpu, value: '*', effect: NoSchedule}]}]\n\
         priorityClasses:\n  armada-default:\n    priority: 30000\n    awayNodeTypes:\n    \
         - {priority: 5, wellKnownNodeTypeName: gpu}\n    \
         - {priority: 6, nodeTypes: [{name: gpu, conditions: [{resource: cpu, operator: '>', value: '2'}]}]}\n",
    );
    let away = &read.settings().classes[0].away;
    assert_eq!((away[0].priority, away[0].entries[0].taints.len()), (5, 1));
    let condition = away[1].entries[0].condition.expect("a condition");
    assert_eq!((condition.position, condition.value), (Some(0), 2));
    assert_eq!(condition.ordering, std::cmp::Ordering::Greater);
}

#[test]
fn settings_of_the_seed_are_read_and_have_no_effect_in_the_other_profile() {
    let text = "seed: {gpuWeight: 3, ramWeight: 0.25}\nnodeEvictionProbability: 0.5\n\
                preemption: {nodeEvictionProbability: 0.75}\n";
    let read = |profile, text: &str| {
        let (read, findings) = read_scheduling(&Source::new("s.yaml", text), profile);
        (read.map(|read| read.settings().seed), listed(findings))
    };
    let wanted = SeedSettings { gpu_weight: 3.0, ram_weight: 0.25, eviction_probability: 0.5 };
    assert_eq!(read(Profile::Seed, text), (Some(wanted), String::new()));
    let older = "scheduling: {preemption: {nodeEvictionProbability: 0.75}}";
    let wanted = SeedSettings { eviction_probability: 0.75, ..SeedSettings::default() };
    assert_eq!(read(Profile::Seed, older).0, Some(wanted));
    let (seed, found) = read(Profile::Landed, text);
    assert!(seed.is_some());
    let places: Vec<&str> = found.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(places, ["RP040 1:1", "RP040 2:1", "RP040 3:14"], "{found}");
    let (seed, found) = read(Profile::Seed, "nodeEvictionProbability: 1.5");
    assert_eq!(seed, None);
    assert!(found.starts_with("RP013 1:26: `nodeEvictionProbability` is 1.5"), "{found}");
}

#[test]
fn rates_may_be_infinite() {
    for (text, wanted) in [
        ("\"+inf\"", f64::INFINITY),
        ("Inf", f64::INFINITY),
        (".inf", f64::INFINITY),
        ("12.5", 12.5),
        ("9223372036854775807", 9_223_372_036_854_775_807.0),
    ] {
        assert_eq!(config(&format!("maximumSchedulingRate: {text}")).rate, Some(wanted), "{text}");
    }
}

#[test]
fn mistakes_of_configurations_are_located() {
    for (text, wanted) in [
        (
            "indexedResources: [{name: gpus}]",
            "RP041 1:27: indexed resource `gpus` is not supported",
        ),
        (
            "indexedResources: [{name: cpu},\n{name: cpu}]",
            "RP014 2:8: the indexed resource `cpu` is defined again",
        ),
        ("supportedResourceTypes: [{name: cpu},\n{name: cpu}]", "RP014 2:8: the resource `cpu`"),
        ("defaultPriorityClassName: none", "RP041 1:27: the default class `none` is not defined"),
        ("priorityClasses: {x: {}}", "RP007 1:18: there is no `defaultPriorityClassName`"),
        (
            "priorityClasses: {armada-default: {awayNodeTypes: [{priority: 1,\nwellKnownNodeTypeName: gpu}]}}",
            "RP041 2:24: the node type `gpu` is not defined",
        ),
        (
            "priorityClasses: {armada-default: {awayNodeTypes: [\n{priority: 1}]}}",
            "RP007 2:1: the away node type names no node type",
        ),
        ("pools: [{name: p},\n{name: p}]", "RP014 2:8: the pool `p` is defined again"),
        ("maximumSchedulingRate: -1", "RP013 1:24: `maximumSchedulingRate` is -1"),
        ("maximumSchedulingRate: fast", "RP008 1:24: `maximumSchedulingRate`: expected a number"),
        ("maximumSchedulingRate: .nan", "RP013 1:24:"),
        ("scheduling: {}\nschedulePeriod: 0s", "RP013"),
        (
            "maxQueueLookbak: 3",
            "RP005 1:1: `maxQueueLookbak` is not read; did you mean `maxQueueLookback`?",
        ),
        (
            "dominantResourceFairnessResourcesToConsider: [cpu]\n\
             experimentalDominantResourceFairnessResourcesToConsider: [{name: cpu}]",
            "RP022 1:1: `dominantResourceFairnessResourcesToConsider` is set beside",
        ),
        (
            "dominantResourceFairnessResourcesToConsider: [cpus]",
            "RP040 1:47: `cpus` is left out of costs",
        ),
        ("protectedFractionOfFairShare: -0.5", "RP013 1:31:"),
    ] {
        let found = config_findings(text);
        assert!(found.contains(wanted), "{text}\n{found}");
        assert_eq!(found.lines().count(), 1, "{text}\n{found}");
    }
}

#[test]
fn deadlines_are_those_of_the_submission_or_of_the_profile() {
    const HOUR: i64 = 3600 * 1_000_000_000;
    let of = |text: &str, profile, cpu: i64, gpus: i64| {
        let (read, findings) = read_scheduling(&Source::new("s.yaml", text), profile);
        let scheduling = read.unwrap_or_else(|| panic!("{}", listed(findings)));
        // Cores in thousandths, memory, GPUs and storage.
        scheduling.deadlines.of(&[cpu * 1000, 0, gpus, 0].into_iter().collect())
    };
    let empty = "scheduling: {}";
    assert_eq!(of(empty, Profile::Landed, 1, 0), None);
    assert_eq!(of(empty, Profile::Seed, 1, 0), Some(72 * HOUR));
    assert_eq!(of(empty, Profile::Seed, 1, 1), Some(336 * HOUR));
    let all = "submission: {defaultActiveDeadline: 90m500ms}\nscheduling: {}";
    assert_eq!(of(all, Profile::Landed, 1, 0), Some(3 * HOUR / 2 + 1_000_000_000));
    assert_eq!(of(all, Profile::Seed, 1, 1), Some(336 * HOUR));
    let by = "submission: {defaultActiveDeadline: 1h, defaultActiveDeadlineByResourceRequest: {nvidia.com/gpu: 5h, cpu: 7h}}\nscheduling: {}";
    assert_eq!(of(by, Profile::Landed, 0, 0), Some(HOUR));
    assert_eq!(of(by, Profile::Landed, 0, 2), Some(5 * HOUR));
    assert_eq!(of(by, Profile::Seed, 1, 2), Some(7 * HOUR));
    let none = "submission: {defaultActiveDeadline: 0s, defaultActiveDeadlineByResourceRequest: {}}\nscheduling: {}";
    assert_eq!(of(none, Profile::Seed, 1, 1), None);
    let found = config_findings(
        "submission: {defaultActiveDeadlineByResourceRequest: {gpu: 5h}}\nscheduling: {}",
    );
    assert!(found.contains("RP040 1:55: `gpu` is not counted"), "{found}");
    let found = config_findings("submission: {defaultActiveDeadline: 3}\nscheduling: {}");
    assert!(found.contains("`defaultActiveDeadline`"), "{found}");
}
