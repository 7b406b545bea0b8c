//! Tests of Armada's own files, and of the findings about errors.
//!
//! Holds cluster.md 2.

mod failures;
mod refusals;
mod scheduling;

use super::super::spec::{ClusterSpec, Workload};
use super::{
    CLUSTER_LABEL, InputKind, Profile, Scheduling, check_inputs, read_cluster, read_scheduling,
    read_workload,
};
use document::diag::{Findings, Source};
use proptest::prelude::*;
use std::fmt::Write;

const SECOND: i64 = 1_000_000_000;

/// Returns the findings, one per line: `line:column: message; help`.
fn listed(findings: Findings) -> String {
    let mut text = String::new();
    for finding in findings.sorted() {
        let place = finding.place.expect("every finding has a place");
        let (start, code) = (place.start(), finding.code.id());
        let help = finding.help.unwrap_or_default();
        let _ =
            writeln!(text, "{code} {}:{}: {}; {help}", start.line, start.column, finding.message);
    }
    text
}

fn cluster_findings(text: &str) -> String {
    listed(read_cluster(&Source::new("c.yaml", text), Some(&Scheduling::default())).1)
}

fn workload_findings(text: &str) -> String {
    listed(read_workload(&Source::new("w.yaml", text), Some(&Scheduling::default())).1)
}

fn config_findings(text: &str) -> String {
    listed(read_scheduling(&Source::new("s.yaml", text), Profile::Landed).1)
}

fn cluster(text: &str) -> ClusterSpec {
    let (spec, findings) = read_cluster(&Source::new("c.yaml", text), Some(&Scheduling::default()));
    spec.unwrap_or_else(|| panic!("{}", listed(findings)))
}

fn workload(text: &str) -> Workload {
    let (read, findings) =
        read_workload(&Source::new("w.yaml", text), Some(&Scheduling::default()));
    assert_eq!(listed(findings), "");
    read.expect("no finding")
}

fn config(text: &str) -> Scheduling {
    let (read, findings) = read_scheduling(&Source::new("s.yaml", text), Profile::Landed);
    read.unwrap_or_else(|| panic!("{}", listed(findings)))
}

/// Makes a workload of one queue with these templates, each a flow mapping.
fn queue_of(templates: &[&str]) -> String {
    let mut text = "queues:\n- name: a\n  weight: 1\n  jobTemplates:\n".to_owned();
    for template in templates {
        let _ = writeln!(
            text,
            "  - {{requirements: {{resourceRequirements: {{requests: {{cpu: 1}}}}}}, {template}}}"
        );
    }
    text
}

#[test]
fn armadas_own_files_load_as_they_are() {
    let tiny = cluster(include_str!("../../../../../testdata/cluster/tinyCluster.yaml"));
    assert_eq!(tiny.clusters.len(), 2);
    assert_eq!(tiny.clusters[1].pool, "gpu");
    let total = &tiny.clusters[1].node_templates[0].total;
    assert_eq!(total.as_slice(), [128_000, 4096 << 30, 8, 0]);
    cluster(include_str!("../../../../../testdata/cluster/cpu_1_1_2.yaml"));

    let basic = workload(include_str!("../../../../../testdata/cluster/basicWorkload.yaml"));
    assert_eq!(basic.templates[0].id, "A-0");
    assert_eq!(basic.templates[0].run_time.minimum, 300 * SECOND);
    assert_eq!(basic.templates[0].shape.request.as_slice(), [1000, 10 << 30, 0, 0]);
    let mixed = workload(include_str!(
        "../../../../../testdata/cluster/small-short_big-long-preemptible.yaml"
    ));
    assert_eq!(mixed.seed, 123);
    assert_eq!(mixed.templates[1].earliest_submission, 1800 * SECOND);
    assert_eq!(mixed.templates[0].run_time.tail_mean, 36 * SECOND);

    let basic = config(include_str!("../../../../../testdata/cluster/basicSchedulingConfig.yaml"));
    let settings = basic.settings();
    assert_eq!(
        settings.resources.names(),
        ["memory", "cpu", "ephemeral-storage", "nvidia.com/gpu"]
    );
    assert_eq!(settings.round_fractions, [0.025, 0.025, f64::INFINITY, f64::INFINITY]);
    assert_eq!(settings.multipliers, [1.0; 4]);
    assert_eq!((settings.burst, basic.rate), (Some(u32::MAX), Some(f64::INFINITY)));
    assert_eq!(settings.classes[1].priority, 30_000);
    let stale =
        config(include_str!("../../../../../testdata/cluster/defaultSchedulingConfig.yaml"));
    assert_eq!(stale.settings().queue_lookback, 50_000);
}

#[test]
fn durations_are_texts_or_seconds_and_nanos() {
    let text = queue_of(&["number: 1, earliestSubmitTime: 1m30s, \
         earliestSubmitTimeFromDependencyCompletion: {seconds: 2, nanos: 5}, \
         runtimeDistribution: {minimum: {seconds: 3600}}"]);
    let template = &workload(&text).templates[0];
    assert_eq!(template.earliest_submission, 90 * SECOND);
    assert_eq!(template.after_dependencies, 2 * SECOND + 5);
    assert_eq!(template.run_time.minimum, 3600 * SECOND);
}

#[test]
fn repeat_makes_copies_that_others_can_depend_on() {
    let text = queue_of(&[
        "id: x, number: 1, earliestSubmitTime: 10s, repeat: {numTimes: 3, period: 1m}",
        "number: 2, dependencies: [x-repeat-2, x-repeat-0, x-repeat-2]",
    ]);
    let read = workload(&text);
    let ids: Vec<&str> = read.templates.iter().map(|template| template.id.as_str()).collect();
    assert_eq!(ids, ["x-repeat-0", "x-repeat-1", "x-repeat-2", "a-1"]);
    let times: Vec<i64> =
        read.templates.iter().map(|template| template.earliest_submission / SECOND).collect();
    assert_eq!(times, [10, 70, 130, 0]);
    assert_eq!(read.templates[3].dependencies, [0, 2]);
}

#[test]
fn gangs_have_two_members_or_more_and_a_label() {
    let text = queue_of(&[
        "number: 4, gangCardinality: 2, runtimeDistribution: {minimum: 1m}",
        "number: 4, gangCardinality: 1",
        "number: 4, gangCardinality: 0",
    ]);
    let gangs: Vec<_> =
        workload(&text).templates.into_iter().map(|template| template.gang).collect();
    let gang = gangs[0].as_ref().expect("a gang");
    assert_eq!((gang.cardinality, &*gang.uniformity_label), (2, CLUSTER_LABEL));
    assert!(gangs[1].is_none() && gangs[2].is_none());
}

#[test]
fn queues_are_in_order_of_name_and_templates_in_that_of_the_file() {
    let text = "queues: [{name: b, weight: 1, jobTemplates: [{number: 1, requirements: &r {resourceRequirements: {requests: {}}}}]}, \
                {name: a, weight: 2, jobTemplates: [{number: 1, requirements: *r}]}]";
    let read = workload(text);
    assert_eq!(read.queues[0].name, "a");
    assert_eq!((read.templates[0].id.as_str(), read.templates[0].queue), ("b-0", 1));
}

#[test]
fn a_template_has_what_its_jobs_require() {
    let text = "queues:\n- name: a\n  weight: 0.5\n  jobTemplates:\n  - number: 1\n    queuePriority: 7\n    \
                priorityClassName: armada-preemptible\n    requirements:\n      \
                resourceRequirements: {requests: {cpu: 1500u, Memory: 1}}\n      \
                nodeSelector: {Zone: B}\n      tolerations: [{key: gpu, operator: Exists}, {key: x, value: y}]\n      \
                affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: \
                [{matchExpressions: [{key: gen, operator: Gt, values: ['3']}]}]}}}\n";
    let (read, findings) = read_workload(&Source::new("w", text), Some(&Scheduling::default()));
    assert_eq!(
        listed(findings),
        "RP040 9:53: `Memory` is not counted: it is not a supported resource; did you mean `memory`?\n"
    );
    let template = &read.expect("a warning alone").templates[0];
    assert_eq!((template.priority, template.shape.class), (7, 1));
    assert_eq!(template.shape.request.as_slice(), [2, 0, 0, 0]);
    let requirements = &template.shape.requirements;
    assert_eq!(requirements.selector["Zone"], "B", "keys keep their case");
    assert_eq!(requirements.tolerations[0].value, None);
    assert_eq!(requirements.tolerations[1].value.as_deref(), Some("y"));
    assert_eq!(requirements.affinity.as_ref().map(|terms| terms[0][0].values.len()), Some(1));
}

#[test]
fn labels_that_differ_in_case_are_two() {
    let text = "clusters: [{name: c, pool: p, nodeTemplates: [{number: 1, totalResources: {resources: {}}, \
                labels: {Zone: a, zone: b}}]}]";
    assert_eq!(cluster(text).clusters[0].node_templates[0].labels.len(), 2);
}

#[test]
fn without_a_configuration_its_names_are_not_looked_up() {
    let text = queue_of(&[
        "number: 2, gangCardinality: 2, runtimeDistribution: {}, gangNodeUniformityLabel: rack, \
         priorityClassName: own",
    ]);
    let source = Source::new("w.yaml", text);
    assert_eq!(listed(check_inputs(&[(InputKind::Workload, source)])), "");
}

#[test]
fn inputs_are_known_by_their_keys() {
    assert_eq!(InputKind::of_source(&Source::new("p", "kind: X\nqueues: []")), None);
    let walked = |text: &str| InputKind::of_source(&Source::new("c", text).found_in_walk());
    assert_eq!(InputKind::of_source(&Source::new("c", "clusters: []")), Some(InputKind::Cluster));
    assert_eq!(walked("clusters: []"), None, "values of a chart, perhaps");
    assert_eq!(walked("clusters: [{nodeTemplates: []}]"), Some(InputKind::Cluster));
    for (text, is_config, is_certain) in [
        ("scheduling: {maxQueueLookback: 1}", true, true),
        ("Scheduling: {maxqueuelookback: 1}", true, true),
        ("scheduling: {retryPolicy: {enabled: true}}", true, true),
        ("scheduling:", true, false),
        ("scheduling: {nodeSelector: {}, retryPolicy: always}", true, false),
        ("priorityClasses: {}\nindexedResources: []", true, true),
        ("priorityClasses: {}\npools: []", false, false),
        ("indexedTaints: []", true, false),
        ("priorityClasses: {}", false, false),
    ] {
        let kind = |is: bool| is.then_some(InputKind::Scheduler);
        assert_eq!(InputKind::of_source(&Source::new("s", text)), kind(is_config), "{text}");
        assert_eq!(walked(text), kind(is_certain), "{text}");
    }
}

#[test]
fn names_are_looked_up_in_the_only_configuration() {
    let workload = queue_of(&["number: 1, priorityClassName: own"]);
    let workload = (InputKind::Workload, Source::new("w.yaml", workload));
    let config = |name: &str, text: &str| (InputKind::Scheduler, Source::new(name, text));
    let one = config("s.yaml", "scheduling: {maxQueueLookback: 1}");
    let check = |inputs: &[&(InputKind, _)]| {
        listed(check_inputs(&inputs.iter().map(|input| (*input).clone()).collect::<Vec<_>>()))
    };
    let unknown = "the class `own` is not defined; `armada-default` is used";
    assert!(check(&[&workload, &one]).contains(unknown));
    assert_eq!(check(&[&workload, &one, &config("t.yaml", "indexedTaints: []")]), "");
    let defines = config("s.yaml", "scheduling: {priorityClasses: {armada-default: {}, own: {}}}");
    assert_eq!(check(&[&workload, &defines]), "");
    let cut = check(&[&workload, &config("s.yaml", "scheduling: {")]);
    assert_eq!(cut.lines().count(), 1, "{cut}");
    let both = check(&[&config("s.yaml", "scheduling:\n  retryPolicy: {enabled: 3}\n  pools: 3")]);
    assert_eq!(both.lines().count(), 2, "{both}");
}

#[test]
fn jobs_that_fit_no_node_are_warned_of() {
    let cluster = |cpu: u32, label: &str| {
        let text = format!(
            "clusters: [{{name: c, pool: p, nodeTemplates: [{{number: 9, labels: {{rack: {label}}}, \
             totalResources: {{resources: {{cpu: {cpu}}}}}}}]}}]"
        );
        (InputKind::Cluster, Source::new("c.yaml", text))
    };
    let workload = |fields: &[&str]| (InputKind::Workload, Source::new("w.yaml", queue_of(fields)));
    let check = |inputs: &[_]| listed(check_inputs(inputs));
    let gang = "gangCardinality: 8, gangNodeUniformityLabel: rack, runtimeDistribution: {}";
    let gang = format!("number: 8, {gang}");
    let repeated = "id: x, number: 1, repeat: {numTimes: 3}";
    assert_eq!(check(&[cluster(1, "a"), workload(&[&gang, repeated])]), "");
    let small = check(&[cluster(0, "a"), workload(&[&gang, repeated])]);
    assert_eq!(small.lines().count(), 2, "{small}");
    assert!(small.contains("RP043 6:70: jobs of `x-repeat-0` can never start"), "{small}");
    assert_eq!(check(&[cluster(0, "a"), cluster(1, "a"), workload(&[repeated])]), "");
    let config = (InputKind::Scheduler, Source::new("s.yaml", "indexedNodeLabels: [zone]"));
    let huge = "number: 20000, gangCardinality: 20000, runtimeDistribution: {}";
    assert_eq!(check(&[cluster(0, "a"), config.clone(), config, workload(&[repeated])]), "");
    assert_eq!(check(&[cluster(1, "a"), workload(&[huge])]), "", "a gang that is not tried");
}

#[test]
fn many_mistakes_are_cut() {
    let templates = vec!["id: x, number: 1, dependencies: [x, y]"; 1500];
    let found = workload_findings(&queue_of(&templates));
    assert!(found.contains("more than 1000 findings"), "{found}");
    assert!(found.lines().count() <= 1002);
}

/// Pieces of random texts that resemble inputs.
const PIECES: &[&str] = &[
    "queues:",
    "clusters:",
    "scheduling:",
    "priorityClasses:",
    "pools:",
    "nodeTemplates:",
    "jobTemplates:",
    "name: a",
    "id: x",
    "weight: 1",
    "number: 4",
    "number: 0",
    "gangCardinality: 3",
    "gangCardinality: 0",
    "dependencies: [x]",
    "dependencies: [x-repeat-0]",
    "repeat: {numTimes: 4294967295, period: 2562047h}",
    "repeat: {numTimes: 3}",
    "requirements: {resourceRequirements: {requests: {cpu: 1}}}",
    "requirements:",
    "runtimeDistribution: {minimum: 1h}",
    "failures: [{name: a, hazardPerHour: 1}, {name: a, perAttempt: {beta: [1]}, at: {uniform: [2h, 1h]}}]",
    "failures: [{}, {name: spot, need: {memory: {fixed: 1}}, at: {}}]",
    "checkpoint: {interval: 0s, cost: 1m}",
    "earliestSubmitTime: {seconds: 9223372036854775807}",
    "totalResources: {resources: {cpu: 8Ei}}",
    "taints: [{key: a}]",
    "failure: {up: {weibull: {shape: 0, scale: 1h}}, repair: {fixed: 0s}, gpuMtbf: 1h}",
    "failure: {spot: {hazardPerHour: 1, batch: {geometric: 0}, replaceAfter: {uniform: [1h]}}}",
    "indexedResources: [{name: cpu}, {}]",
    "supportedResourceTypes: [{name: cpu, resolution: 1n}, {name: x}]",
    "{}",
    "[]",
    "awayNodeTypes: [{nodeTypes: [{conditions: [{}]}]}]",
    "wellKnownNodeTypes: [{}]",
    "maximumSchedulingRate: x",
    "<<: *a",
    "\n",
    "\n",
    "\n  ",
    "\n- ",
    "\n  - ",
    "\n    ",
    "\n    - ",
    " ",
    ",",
    "~",
    "null",
    "---\n",
];

proptest! {
    #[test]
    fn no_text_panics(
        parts in prop::collection::vec(prop::sample::select(PIECES), 0..30),
        noise in ".{0,8}",
    ) {
        let text = parts.concat() + &noise;
        let source = Source::new("x.yaml", text);
        for config in [None, Some(&Scheduling::default())] {
            let _ = read_cluster(&source, config);
            let _ = read_workload(&source, config);
        }
        if let (Some(scheduling), _) = read_scheduling(&source, Profile::Landed) {
            let _ = scheduling.of_pool("a");
            let _ = read_cluster(&source, Some(&scheduling));
            let _ = read_workload(&source, Some(&scheduling));
        }
        let kinds = [InputKind::Cluster, InputKind::Workload, InputKind::Scheduler];
        let _ = check_inputs(&kinds.map(|kind| (kind, source.clone())));
        let _ = InputKind::of_source(&source);
    }

    #[test]
    fn no_mixture_of_template_fields_panics(
        templates in prop::collection::vec(prop::collection::vec(prop::sample::select(&PIECES[8..25]), 0..6), 1..5),
    ) {
        let templates: Vec<String> = templates.iter().map(|fields| fields.join(", ")).collect();
        let templates: Vec<&str> = templates.iter().map(String::as_str).collect();
        let _ = workload_findings(&queue_of(&templates));
    }
}
