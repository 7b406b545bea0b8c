//! Tests of the finding about each error in a workload or cluster file, with its place.
//!
//! Holds cluster.md 2.

use super::{CLUSTER_LABEL, cluster_findings, queue_of, workload_findings};

/// Templates, and the only finding about a workload of them.
type Case<'t> = (&'t [&'t str], &'t str);

fn assert_findings(cases: &[Case<'_>]) {
    for (templates, wanted) in cases {
        let found = workload_findings(&queue_of(templates));
        assert!(found.contains(wanted), "{templates:?}\n{found}");
        assert_eq!(found.lines().count(), 1, "{templates:?}\n{found}");
    }
}

#[test]
fn mistakes_of_names_are_located() {
    assert_findings(&[
        (&["number: 1, dependencies: [y]"], "RP041 5:92: the template `y` is not defined;"),
        (&["id: x, number: 1", "number: 1, dependencies: [xx]"], "did you mean `x`?"),
        (
            &["id: x, number: 1, repeat: {numTimes: 2}", "number: 1, dependencies: [x]"],
            "RP041 6:92: the template `x` is not defined: `repeat` renames its copies; \
             write the copies that are meant, such as `x-repeat-0`",
        ),
        (
            &["id: x, number: 1, dependencies: [y]", "id: y, number: 1, dependencies: [x]"],
            "RP042 6:99: `x` depends on `y`, which depends on `x`;",
        ),
        (&["id: x, number: 1, dependencies: [x]"], "RP042 5:99: `x` depends on itself;"),
        (
            &["id: x, number: 1", "id: x, number: 1"],
            "RP014 6:70: the job template `x` is defined again",
        ),
        (
            &["id: x, number: 1, repeat: {numTimes: 2}", "id: x-repeat-1, number: 1"],
            "RP014 6:70: the job template `x-repeat-1` is defined again",
        ),
        (
            &["number: 1, priorityClassName: armada-defualt"],
            "RP040 5:96: the class `armada-defualt` is not defined; `armada-default` is used; \
             did you mean `armada-default`?",
        ),
    ]);
}

#[test]
fn mistakes_of_gangs_are_located() {
    assert_findings(&[
        (
            &["number: 7, gangCardinality: 2, runtimeDistribution: {minimum: 1m}"],
            "RP013 5:94: `gangCardinality` 2 does not divide `number` 7; write a `number` of 6 or 8",
        ),
        (&["number: 2, gangCardinality: 2"], "RP007 5:94: a gang has no `runtimeDistribution`;"),
        (
            &["number: 2, gangCardinality: 2, runtimeDistribution: {minimum: 1m, tailMean: 1m}"],
            "RP040 5:142: `tailMean` has no effect",
        ),
        (
            &[
                "number: 2, gangCardinality: 2, runtimeDistribution: {}, gangNodeUniformityLabel: rack",
            ],
            "RP041 5:147: the label `rack` is not indexed",
        ),
        (
            &["number: 2, gangNodeUniformityLabel: rack"],
            "RP040 5:102: `gangNodeUniformityLabel` has no effect without a gang",
        ),
    ]);
}

#[test]
fn mistakes_of_numbers_and_durations_are_located() {
    assert_findings(&[
        (&["number: 0"], "RP013 5:74: `number` is 0, not a number from 1 to 4294967295"),
        (&["numbr: 1"], "RP005 5:66: a job template has no field `numbr`; did you mean `number`?"),
        (&["number: 1, repeat: {numTimes: 0}"], "RP013 5:96: `numTimes` is 0"),
        (
            &["number: 1, repeat: {numTimes: 4294967295}"],
            "RP002 5:85: 4294967295 copies of the template take too much memory",
        ),
        (
            &["number: 1, repeat: {numTimes: 3, period: 500000h}"],
            "RP013 5:85: the last copy is submitted after more than 100 years",
        ),
        (&["number: 1, earliestSubmitTime: 900000h"], "RP010 5:97: `earliestSubmitTime` is longer"),
        (
            &["number: 1, earliestSubmitTime: 60"],
            "RP010 5:97: `earliestSubmitTime`: a duration needs a unit",
        ),
        (&["number: 1, earliestSubmitTime: {minutes: 1}"], "RP005 5:98:"),
        (&["number: 4294967295"], "RP002 5:5: there are more than 5000000 jobs"),
    ]);
}

#[test]
fn mistakes_of_queues_and_requirements_are_located() {
    let with = |requirements: &str| {
        format!("queues: [{{name: a, weight: 1, jobTemplates: [{{number: 1,\n{requirements}}}]}}]")
    };
    let requests = "resourceRequirements: {requests: {}}";
    for (text, wanted) in [
        ("queues: [{name: a}]".to_owned(), "RP007 1:10: the queue has no `weight`"),
        ("queues: [{name: a, weight: 0}]".to_owned(), "RP013 1:28: `weight` is 0"),
        (
            "queues: [{name: a, weight: 1},\n{name: a, weight: 1}]".to_owned(),
            "RP014 2:8: the queue `a` is defined again",
        ),
        ("queues: []".to_owned(), "RP017 1:1: `queues` is empty"),
        (String::new(), "RP025 1:1: the workload file is empty"),
        ("queues: [{name: a, weight: 1}]\n---\n{}".to_owned(), "RP014 3:1:"),
        (with(""), "RP007 1:46: the job template has no `requirements`"),
        (with("requirements: {}"), "RP007 2:1: `requirements` has no `resourceRequirements`"),
        (
            with("requirements: {resourceRequirements: {requests: {cpu: -1}}}"),
            "RP011 2:55: `cpu` is -1; it must be at least 0",
        ),
        (
            with(&format!(
                "requirements: {{{requests},\ntolerations: [{{operator: Exists, value: x}}]}}"
            )),
            "RP022 3:41: a toleration with `operator: Exists` has no `value`",
        ),
        (
            with(&format!(
                "requirements: {{{requests},\naffinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: \
                 {{nodeSelectorTerms: [{{matchExpressions:\n[{{key: a, operator: In}}]}}]}}}}}}}}"
            )),
            "RP013 4:2: `values` does not fit `operator: In`; write at least one value",
        ),
        (
            with(&format!("requirements: {{{requests},\naffinity: {{podAffinity: {{}}}}}}")),
            "RP022 3:12: `affinity` has no field `podAffinity` in this form",
        ),
        (
            with(&format!(
                "requirements: {{{requests},\nannotations: {{armadaproject.io/gangId: x}}}}"
            )),
            "RP022 3:15: the annotation `armadaproject.io/gangId` makes no gang here",
        ),
    ] {
        let found = workload_findings(&text);
        assert!(found.contains(wanted), "{text}\n{found}");
        assert_eq!(found.lines().count(), 1, "{text}\n{found}");
    }
}

#[test]
fn mistakes_of_clusters_are_located() {
    let with =
        |nodes: &str| format!("clusters:\n- name: c\n  pool: p\n  nodeTemplates:\n  - {nodes}\n");
    let good = "number: 1, totalResources: {resources: {cpu: 1}}";
    for (text, wanted) in [
        (with("{number: 0, totalResources: {resources: {}}}"), "RP013 5:14: `number` is 0"),
        (with("{number: 1}"), "RP007 5:5: the node template has no `totalResources`"),
        (
            with("{number: 1000001, totalResources: {resources: {}}}"),
            "RP002 2:3: there are 1000001 nodes",
        ),
        (with(&format!("{{{good}, label: {{}}}}")), "did you mean `labels`?"),
        (with(&format!("{{{good}, labels: {{gpu: 8}}}}")), "put it in quotes: \"8\""),
        (with(&format!("{{{good}, taints: [{{key: a}}]}}")), "the taint has no `effect`"),
        (
            with(&format!("{{{good}, labels: {{{CLUSTER_LABEL}: d}}}}")),
            "RP040 5:95: `armadaproject.io/clusterName: d` has no effect",
        ),
        (
            with("{number: 1, totalResources: {resources: {gpu: 1}}}"),
            "RP040 5:46: `gpu` is not counted: it is not a supported resource; did you mean `nvidia.com/gpu`?",
        ),
        (
            format!(
                "{0}{1}",
                with(&format!("{{{good}}}")),
                with(&format!("{{{good}}}")).replace("clusters:\n", "")
            ),
            "RP014 6:9: the cluster `c` is defined again",
        ),
        (
            format!("pendingDelayDistribution: {{minimum: 1x}}\n{}", with(&format!("{{{good}}}"))),
            "RP010 1:37:",
        ),
    ] {
        let found = cluster_findings(&text);
        assert!(found.contains(wanted), "{text}\n{found}");
        assert_eq!(found.lines().count(), 1, "{text}\n{found}");
    }
}
