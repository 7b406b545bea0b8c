//! `explain round`: one scheduling round, and why a job waits.
//!
//! Holds cli.md Commands; cluster.md 4.

use super::sandbox::{Run, Sandbox, snapshot};
use armadactl::internals::findings::Style;
use armadactl::internals::report::{self, Layout, RoundExplanation, schemas};
use cluster::read::{Profile, StateFile};
use cluster::round::run_traced;
use document::diag::Source;

const EXAMPLES: [&str; 2] = ["scheduler/two-queues.yaml", "scheduler/gpu.yaml"];

fn explain(flags: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.examples(&EXAMPLES);
    sandbox.run(&format!("explain round {flags}"))
}

/// The explanation of a state of these lines.
fn of_state(state: &str, flags: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.file("state.yaml", state);
    sandbox.file("cluster.yaml", CLUSTER);
    sandbox.file("scheduler.yaml", "scheduling: {maxQueueLookback: 1}\n");
    sandbox.run(&format!("explain round --state state.yaml {flags}"))
}

const CLUSTER: &str = "\
clusters:
- name: c1
  pool: cpu
  nodeTemplates: [{number: 2, totalResources: {resources: {cpu: 8}}}]
- name: c2
  pool: gpu
  nodeTemplates: [{number: 1, totalResources: {resources: {cpu: 8, nvidia.com/gpu: 8}}}]
";

const JOBS: &str = "\
queues: [{name: q, weight: 1}]
jobs:
- {id: j1, queue: q, req: {cpu: 8}, submit: 1}
- {id: j2, queue: q, req: {cpu: 8}, submit: 2}
- {id: j3, queue: q, req: {cpu: 1}, submit: 3}
";

#[test]
fn the_worked_example_and_a_job_that_waits() {
    snapshot!("two_queues", explain("--state scheduler/two-queues.yaml").exits(0));
    snapshot!("gpu", explain("--state scheduler/gpu.yaml").exits(0));
    snapshot!("gpu_wide", explain("--state scheduler/gpu.yaml -o wide -q").exits(0));
    snapshot!("job", explain("--state scheduler/gpu.yaml -q --job train-7 --job sweep-1").exits(0));
    let stories = "--job a-05 --job a-35 --job b-30 --job b-49";
    snapshot!("stories", explain(&format!("--state scheduler/two-queues.yaml {stories}")).exits(0));
    let json = "--state scheduler/gpu.yaml -q --job train-8 -o json";
    snapshot!("job_json", explain(json).exits(0));
}

/// The table of an example at a width.
fn at_width(width: usize) -> String {
    let path = super::sandbox::root().join("examples/scheduler/gpu.yaml");
    let text = std::fs::read_to_string(path).expect("an example");
    let (file, _) = StateFile::parse(&Source::new("gpu.yaml", text));
    let file = file.expect("a state");
    let scheduling = file.scheduling(Profile::Landed).0.expect("a configuration");
    let mut state = file.read(&scheduling, None).0.expect("a state");
    let (outcome, trace) = run_traced(state.input());
    let round = RoundExplanation::new(&state, &outcome, &trace, None);
    let layout = Layout { wide: false, headers: true, width: Some(width), style: Style::Plain };
    report::round::table(&round, &layout)
}

#[test]
fn a_narrow_terminal() {
    let text = at_width(80);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!("narrow", text);
    for width in [60, 100] {
        let text = at_width(width);
        // The line that names the columns left out is not wrapped.
        let mut lines = text.lines().filter(|line| !line.starts_with("(without "));
        assert!(lines.all(|line| line.chars().count() <= width), "{width}\n{text}");
    }
}

#[test]
fn the_json_is_as_its_schema() {
    let schemas = schemas::all();
    let schema = |name: &str| {
        let found = schemas.iter().find(|(file, _)| *file == name).expect("a schema");
        jsonschema::validator_for(&found.1).expect("a schema")
    };
    let (of_answers, of_states) = (schema("round-explanation.json"), schema("state-file.json"));
    for example in EXAMPLES {
        let answer = explain(&format!("--state {example} -o json")).exits(0).json();
        assert!(of_answers.is_valid(&answer), "{:?}", of_answers.validate(&answer));
        let path = super::sandbox::root().join("examples").join(example);
        let text = std::fs::read_to_string(path).expect("an example");
        let state: serde_json::Value = serde_yaml::from_str(&text).expect("YAML");
        assert!(of_states.is_valid(&state), "{:?}", of_states.validate(&state));
    }
}

/// Limits, gangs, urgency and labels.
const REASONS: &str = "\
config:
  priorityClasses:
    low: {priority: 1, preemptible: true}
    high: {priority: 2, preemptible: true}
    capped: {priority: 2, maximumResourceFractionPerQueue: {cpu: 0.1}}
  defaultPriorityClassName: low
  indexedNodeLabels: [zone]
  maximumPerQueueSchedulingBurst: 10
nodes:
- {id: n1, resources: {cpu: 8}, labels: {zone: a}}
- {id: n2, resources: {cpu: 8}, labels: {zone: b}}
- {id: n3, resources: {cpu: 8}}
queues:
- {name: closed, weight: 1, cordoned: true}
- {name: gangs, weight: 1}
- {name: slow, weight: 1, tokens: 1}
- {name: urgent, weight: 1}
jobs:
- {id: low-1, queue: gangs, pc: low, req: {cpu: 6}, node: n1}
- {id: low-2, queue: gangs, pc: low, req: {cpu: 4}, node: n2}
- {id: low-3, queue: gone, pc: low, req: {cpu: 4}, node: n3}
- {id: closed-1, queue: closed, req: {cpu: 1}}
- {id: closed-2, queue: closed, req: {cpu: 1}}
- {id: pair-1, queue: gangs, req: {cpu: 7}, gang: {id: pair, card: 2, label: zone}}
- {id: pair-2, queue: gangs, req: {cpu: 7}, gang: {id: pair, card: 2, label: zone}}
- {id: rack-1, queue: gangs, req: {cpu: 1}, gang: {id: rack, card: 2, label: rack}}
- {id: rack-2, queue: gangs, req: {cpu: 1}, gang: {id: rack, card: 2, label: rack}}
- {id: many-1, queue: gangs, req: {cpu: 5}, gang: {id: many, card: 3}}
- {id: many-2, queue: gangs, req: {cpu: 5}, gang: {id: many, card: 3}}
- {id: many-3, queue: gangs, req: {cpu: 5}, gang: {id: many, card: 3}}
- {id: slow-1, queue: slow, req: {cpu: 1}}
- {id: slow-2, queue: slow, req: {cpu: 1}, submit: 1}
- {id: slow-3, queue: slow, req: {cpu: 1}, submit: 2}
- {id: urgent-1, queue: urgent, pc: high, req: {cpu: 8}}
- {id: urgent-2, queue: urgent, pc: capped, req: {cpu: 4}, submit: 1}
- {id: urgent-3, queue: urgent, pc: high, req: {cpu: 1}, selector: {zone: c}, submit: 2}
";

#[test]
fn every_reason_is_told() {
    snapshot!("reasons", of_state(REASONS, "-q").exits(0));
    let jobs = "--job low-1 --job low-3 --job many-1 --job pair-1 --job slow-3 --job urgent-1";
    snapshot!("reasons_by_job", of_state(REASONS, &format!("-q {jobs}")).exits(0));
}

#[test]
fn nodes_and_configuration_come_from_files() {
    let with_pool = format!("pool: cpu\n{JOBS}");
    let run = of_state(&with_pool, "--cluster cluster.yaml --scheduler-config scheduler.yaml");
    snapshot!("lookback", run.exits(0));
    let run = Sandbox::new();
    run.file("cluster.yaml", CLUSTER);
    let run = run.run_on("explain round --state - --cluster cluster.yaml", &with_pool).exits(0);
    assert!(run.stdout.starts_with("2 of 3 queued jobs start, 1 stays queued"), "{run}");
}

#[test]
fn the_same_twice_is_refused() {
    let own = format!("nodes: []\nconfig: {{}}\n{JOBS}");
    snapshot!("nodes_twice", of_state(&own, "--cluster cluster.yaml").exits(2));
    snapshot!("config_twice", of_state(&own, "--scheduler-config scheduler.yaml").exits(2));
}

#[test]
fn states_that_cannot_be_read() {
    snapshot!("no_nodes", of_state(JOBS, "").exits(3));
    snapshot!("which_pool", of_state(JOBS, "--cluster cluster.yaml").exits(3));
    let other = format!("pool: cpus\n{JOBS}");
    snapshot!("unknown_pool", of_state(&other, "--cluster cluster.yaml").exits(3));
    snapshot!("unknown_job", of_state(&format!("nodes: []\n{JOBS}"), "--job j11").exits(3));
    let wrong = "\
pool: p
nodes:
- {id: n, resources: {cpu: 1}, allocatable: {high: {cpu: 1}}}
- {id: n, resources: {cpu: -1}}
queues: [{name: q, weight: 0}, {name: r, wieght: 1}]
jobs:
- {id: j, queue: q, req: {cpu: 1}, prio: -1}
";
    snapshot!("wrong_values", of_state(wrong, "").exits(3));
    let slips = "\
nodes: [{id: n1, resources: {cpu: 4}}, {id: n1, resources: {cpu: 4}}]
queues: [{name: q, weight: 1}]
jobs:
- {id: j, queue: q, req: {cpu: 1}, node: n2}
- {id: j, queue: r, req: {gpu: 1}, pc: high}
- {id: k, queue: q, req: {cpu: 8}, node: n1}
- {id: g1, queue: q, req: {cpu: 1}, gang: {id: g, card: 3}, at: 3}
- {id: g2, queue: q, req: {cpu: 1}, gang: {id: g, card: 4}}
";
    snapshot!("slips", of_state(slips, "").exits(3));
}

/// No number of a state makes the round panic.
#[test]
fn bounds_and_empty_lists() {
    let empty = of_state("nodes: []\nqueues: []\njobs: []\n", "").exits(0);
    assert_eq!(empty.stdout, "No job is queued.\n");
    let extreme = "\
config:
  priorityClasses: {low: {priority: 0, preemptible: true}, high: {priority: 2147483647}}
  defaultPriorityClassName: low
nodes:
- {id: n1, resources: {cpu: 9223372036854775807, memory: 7Ei}, allocatable: {-2147483648: {cpu: 1}, 2147483647: {cpu: 0}}}
- {id: n2, resources: {cpu: 9223372036854775807, memory: 7Ei}}
queues:
- {name: a, weight: 1e-12, tokens: 0, demand: {cpu: 9223372036854775807}}
- {name: b, weight: 1e12, limits: {low: {cpu: 1e308}}}
- {name: c, weight: 1e12, allocated: {low: {cpu: 9223372036854775807}, high: {cpu: 9223372036854775807}}}
jobs:
- {id: r1, queue: a, req: {cpu: 9223372036854775807}, node: n1, at: 2147483647, started: -9223372036854775808}
- {id: r2, queue: b, pc: low, req: {cpu: 9223372036854775807}, node: n1, at: 0, started: 9223372036854775807}
- {id: r3, queue: b, pc: high, req: {cpu: 9223372036854775807}, node: n2}
- {id: q1, queue: a, pc: high, prio: 4294967295, req: {cpu: 9223372036854775807}}
- {id: q2, queue: b, req: {cpu: 0}, gang: {id: g, card: 0}}
- {id: q3, queue: c, req: {}, gang: {id: h, card: 4294967295}}
- {id: q4, queue: c, pc: high, req: {memory: 7Ei}}
";
    of_state(extreme, "-q").exits(0);
    let run = of_state(extreme, "-q -o json").exits(0).json();
    assert_eq!(run["summary"]["queued"], 4);
}
