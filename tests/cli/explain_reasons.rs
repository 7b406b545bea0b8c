//! `explain round`: its sentences where jobs lose places in unusual ways, and where gangs wait.
//!
//! Holds cli.md Commands; cluster.md 4.

use super::sandbox::{Run, Sandbox, snapshot};

fn explain(state: &str, flags: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.file("state.yaml", state);
    sandbox.run(&format!("explain round --state state.yaml {flags}")).exits(0)
}

/// A state with two preemptible classes; a gang of both is tried at the lower priority.
fn two_classes(protected: f64, rest: &str) -> String {
    format!(
        "\
config:
  priorityClasses: {{low: {{priority: 1, preemptible: true}}, high: {{priority: 2, preemptible: true}}}}
  defaultPriorityClassName: low
  protectedFractionOfFairShare: {protected}
queues: [{{name: a, weight: 1}}, {{name: b, weight: 1}}, {{name: c, weight: 1}}]
{rest}"
    )
}

/// `l1` is placed, and loses the place to `h1`, which comes later for its gang.
const WITHDRAWN: &str = "\
nodes: [{id: n1, resources: {cpu: 4}}, {id: n2, resources: {cpu: 1}}]
jobs:
- {id: l1, queue: a, req: {cpu: 4}}
- {id: h1, queue: b, pc: high, req: {cpu: 4}, gang: {id: g, card: 2}}
- {id: h2, queue: b, req: {cpu: 1}, gang: {id: g, card: 2}}
";

#[test]
fn a_queued_job_that_was_placed_and_evicted() {
    let state = two_classes(1.0, WITHDRAWN);
    snapshot!("withdrawn", explain(&state, ""));
    snapshot!("withdrawn_job", explain(&state, "--job l1"));
    let json = explain(&state, "--job l1 -o json").json();
    assert_eq!(json["jobs"][0]["nodes"], serde_json::json!([]));
}

/// `b1` displaces `r1`, and loses the place to `h1`.
const LOST_TOO: &str = "\
nodes: [{id: n1, resources: {cpu: 4}}, {id: n2, resources: {cpu: 1}}]
jobs:
- {id: r1, queue: b, req: {cpu: 4}, node: n1}
- {id: b1, queue: a, req: {cpu: 4}}
- {id: h1, queue: c, pc: high, req: {cpu: 4}, gang: {id: g, card: 2}}
- {id: h2, queue: c, req: {cpu: 1}, gang: {id: g, card: 2}}
";

#[test]
fn a_job_that_takes_a_place_and_loses_it() {
    let state = two_classes(0.5, LOST_TOO);
    snapshot!("lost_too", explain(&state, ""));
    snapshot!("lost_too_job", explain(&state, "--job r1 --job b1"));
}

/// `r1` and `r2` are one gang on two nodes; `b1` needs one of them.
const SIBLINGS: &str = "\
nodes: [{id: n1, resources: {cpu: 4}}, {id: n2, resources: {cpu: 4}}]
jobs:
- {id: r1, queue: a, req: {cpu: 4}, node: n1, gang: {id: g, card: 2}}
- {id: r2, queue: a, req: {cpu: 4}, node: n2, gang: {id: g, card: 2}}
- {id: b1, queue: b, req: {cpu: 4}}
";

#[test]
fn a_job_whose_gang_loses_a_place() {
    let state = two_classes(1.0, SIBLINGS);
    snapshot!("siblings", explain(&state, ""));
    snapshot!("siblings_job", explain(&state, "--job r1 --job r2 --job b1"));
}

/// Running jobs within their share, and jobs of higher priority on their nodes: two on `n1`, one on
/// `n2`; `r3` is of the gang of `r2`.
const URGENT: &str = "\
nodes: [{id: n1, resources: {cpu: 4}}, {id: n2, resources: {cpu: 6}}, {id: n3, resources: {cpu: 1}}]
jobs:
- {id: r1, queue: a, req: {cpu: 4}, node: n1}
- {id: r2, queue: b, req: {cpu: 6}, node: n2, gang: {id: g, card: 2}}
- {id: r3, queue: b, req: {cpu: 1}, node: n3, gang: {id: g, card: 2}}
- {id: h1, queue: c, pc: high, req: {cpu: 2}}
- {id: h2, queue: c, pc: high, req: {cpu: 2}}
- {id: h3, queue: c, pc: high, req: {cpu: 5}, submit: 1}
";

#[test]
fn jobs_of_higher_priority_that_are_candidates() {
    let state = two_classes(2.0, URGENT);
    snapshot!("urgent", explain(&state, ""));
    let json = explain(&state, "-o json").json();
    let row = |id: &str| {
        let rows = json["jobs"].as_array().expect("jobs");
        rows.iter().find(|row| row["jobId"] == id).expect("a job").clone()
    };
    assert_eq!(row("r1")["candidates"], serde_json::json!(["h1", "h2"]));
    assert_eq!(row("r1")["by"], serde_json::Value::Null);
    assert_eq!(row("r2")["by"], "h3");
    assert_eq!(row("r3")["by"], serde_json::Value::Null);
}

/// A node that jobs of an earlier time overcommit, and one with rounded amounts.
#[test]
fn amounts_that_are_negative_or_rounded() {
    let negative = "\
nodes: [{id: n, resources: {cpu: 4, nvidia.com/gpu: 1}}]
queues: [{name: a, weight: 1}]
jobs:
- {id: r1, queue: a, pc: armada-default, req: {nvidia.com/gpu: 2}, node: n}
- {id: w, queue: a, pc: armada-default, req: {cpu: 1}}
";
    snapshot!("negative", explain(negative, "--job w"));
    let rounded = "\
config: {indexedResources: [{name: cpu, resolution: 4}], protectedFractionOfFairShare: 1}
nodes: [{id: n, resources: {cpu: 10, memory: 300}}]
queues: [{name: a, weight: 1}, {name: b, weight: 1}]
jobs:
- {id: r1, queue: a, req: {cpu: 3}, node: n}
- {id: w, queue: b, req: {cpu: 7}}
";
    snapshot!("rounded", explain(rounded, "--job w"));
}

#[test]
fn gangs_that_are_not_looked_at() {
    let lookback = "\
config: {maxQueueLookback: 2}
nodes: [{id: n, resources: {cpu: 4}}]
queues: [{name: a, weight: 1}]
jobs:
- {id: r0, queue: a, req: {cpu: 1}, gang: {id: g, card: 2}, submit: 1}
- {id: r1, queue: a, req: {cpu: 1}, submit: 2}
- {id: r2, queue: a, req: {cpu: 1}, gang: {id: g, card: 2}, submit: 3}
";
    snapshot!("gang_beyond_lookback", explain(lookback, "--job r0 --job r2"));
    let left_over = "\
nodes: [{id: n, resources: {cpu: 4}}]
queues: [{name: a, weight: 1}]
jobs:
- {id: r1, queue: a, req: {cpu: 1}, gang: {id: g, card: 2}, submit: 1}
- {id: r2, queue: a, req: {cpu: 1}, gang: {id: g, card: 2}, submit: 2}
- {id: r3, queue: a, req: {cpu: 1}, gang: {id: g, card: 2}, submit: 3}
";
    snapshot!("gang_left_over", explain(left_over, ""));
}

#[test]
fn a_refusal_names_the_label() {
    let labels = "\
config: {indexedNodeLabels: [rack]}
nodes: [{id: n, resources: {cpu: 8}, labels: {zone: z}}]
queues: [{name: a, weight: 1}]
jobs:
- {id: k1, queue: a, req: {cpu: 1}, gang: {id: g, card: 2, label: rack}}
- {id: k2, queue: a, req: {cpu: 1}, gang: {id: g, card: 2, label: rack}}
- {id: l1, queue: a, req: {cpu: 1}, gang: {id: h, card: 2, label: zone}}
- {id: l2, queue: a, req: {cpu: 1}, gang: {id: h, card: 2, label: zone}}
";
    snapshot!("labels", explain(labels, "--job k1 --job l1"));
    let empty =
        "nodes: []\nqueues: [{name: a, weight: 1}]\njobs: [{id: j, queue: a, req: {cpu: 1}}]\n";
    snapshot!("no_nodes_job", explain(empty, "--job j"));
}

#[test]
fn numbers_that_are_too_large() {
    let state = "\
nodes: [{id: n, resources: {cpu: 9223372036854775807}}]
queues: [{name: a, weight: 1e308}, {name: b, weight: 1e-320}]
jobs: []
";
    let sandbox = Sandbox::new();
    sandbox.file("state.yaml", state);
    snapshot!("too_large", sandbox.run("explain round --state state.yaml").exits(3));
    let largest = state.replace("1e308", "1e12").replace("1e-320", "1e12");
    let queues = explain(&largest, "-o json").json()["queues"].clone();
    assert_eq!([&queues[0]["fair"], &queues[1]["fair"]], [0.5, 0.5]);
}

/// One queued job and one running job have the singular, also with none of them.
#[test]
fn a_sentence_about_one_job() {
    let state = "\
nodes: [{id: n, resources: {cpu: 1}}]
queues: [{name: a, weight: 1}]
jobs: [{id: r, queue: a, req: {cpu: 1}, node: n}, {id: w, queue: a, req: {cpu: 1}}]
";
    let run = explain(state, "");
    let text =
        "0 of 1 queued job starts, 0 of 1 running job is preempted, 1 stays queued: fits no node";
    let sentence = run.stdout.lines().take(2).collect::<Vec<_>>().join(" ");
    assert!(sentence.starts_with(text), "{run}");
}
