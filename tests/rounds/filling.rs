//! Progressive filling: with small jobs that all nodes can take, no queue stays behind its share for
//! another that has more than its own.
//!
//! Holds cluster.md 4.

use crate::draw::Draw;
use crate::read;
use cluster::round;
use serde_json::{Value, json};

/// Rounds of one-core jobs of one preemptible class without limits; all nodes are of one type. Only so
/// many of the queues have jobs that run.
fn filling(seed: u64, profile: &str, nodes: usize, running_queues: usize) -> Value {
    let mut draw = Draw::new(seed);
    let cores: Vec<usize> = (0..nodes).map(|_| 1 + draw.below(12)).collect();
    let queues = 2 + draw.below(4);
    let named = |name: &str, resolution: &str| json!([{"name": name, "resolution": resolution}]);
    let mut jobs = Vec::new();
    let mut job = |queue: usize, node: Option<usize>, started: usize| {
        let mut job = json!({
            "id": format!("j{:04}", jobs.len()), "queue": format!("q{queue}"), "pc": "c",
            "req": {"cpu": "1"}, "submit": 0,
        });
        if let Some(node) = node {
            job["node"] = json!(format!("n{node}"));
            (job["started"], job["at"]) = (json!(started), json!(1));
        }
        jobs.push(job);
    };
    for (node, cores) in cores.iter().enumerate() {
        for _ in 0..draw.below(cores + 1) {
            let queue = draw.below(running_queues.min(queues));
            job(queue, Some(node), draw.below(20));
        }
    }
    let total: usize = cores.iter().sum();
    for queue in 0..queues {
        for _ in 0..draw.below(total + 1) {
            job(queue, None, 0);
        }
    }
    let queue = |at: usize| json!({"name": format!("q{at}"), "weight": draw.pick(&[1.0, 1.0, 2.0, 0.5, 3.0])});
    let queues: Vec<Value> = (0..queues).map(queue).collect();
    let node = |(at, cores): (usize, &usize)| json!({"id": format!("n{at}"), "resources": {"cpu": cores.to_string()}});
    let nodes: Vec<Value> = cores.iter().enumerate().map(node).collect();
    json!({
        "pool": "pool", "nodes": nodes, "queues": queues, "jobs": jobs,
        "config": {
            "profile": profile,
            "priorityClasses": {"c": {"priority": 1, "preemptible": true}},
            "defaultPriorityClassName": "c", "protectedFractionOfFairShare": 0,
            "supportedResourceTypes": named("cpu", "1m"), "indexedResources": named("cpu", "1"),
            "dominantResourceFairnessResourcesToConsider": ["cpu"],
        },
    })
}

/// The demand-capped share of each queue in cores, without the limits to accuracy of Armada's.
fn shares(weights: &[f64], demands: &[f64], cores: f64) -> Vec<f64> {
    let mut shares = vec![0.0; weights.len()];
    let mut open: Vec<usize> = (0..weights.len()).collect();
    loop {
        let taken: f64 =
            (0..weights.len()).filter(|at| !open.contains(at)).map(|at| shares[at]).sum();
        let weight: f64 = open.iter().map(|at| weights[*at]).sum();
        for at in &open {
            shares[*at] = (cores - taken) * weights[*at] / weight;
        }
        let before = open.len();
        open.retain(|at| shares[*at] < demands[*at]);
        (0..weights.len()).for_each(|at| shares[at] = shares[at].min(demands[at]));
        if open.len() == before || open.is_empty() {
            return shares;
        }
    }
}

/// Shares are sums of fractions.
const ROUNDING: f64 = 1e-6;

/// The first pair of queues of which one is a job or more below its share, and the other above.
fn unfair(input: &Value) -> Option<String> {
    let mut state = read::state(input);
    #[expect(clippy::cast_precision_loss, reason = "cores")]
    let cores = |amounts: &cluster::resources::Amounts| amounts.as_slice()[0] as f64 / 1000.0;
    let weights: Vec<f64> = state.queues.iter().map(|queue| queue.weight).collect();
    let demands: Vec<f64> = state.queues.iter().map(|queue| cores(&queue.demand)).collect();
    let shares = shares(&weights, &demands, cores(&state.total));
    let outcome = round::run(state.input());
    let allocated: Vec<f64> =
        outcome.queues.iter().map(|queue| cores(&queue.allocated[0])).collect();
    let differs = |at: &usize| allocated[*at] - shares[*at];
    let all = || 0..weights.len();
    let below = all().find(|at| differs(at) <= -1.0 + ROUNDING)?;
    let above = all().find(|at| differs(at) >= 1.0 - ROUNDING)?;
    Some(format!("{below} and {above}: shares {shares:?}, allocated {allocated:?}"))
}

fn all_are_fair(profile: &str, nodes: impl Fn(u64) -> usize, running_queues: usize) {
    let mut preemptions = 0;
    for seed in 0..200 {
        let input = filling(seed, profile, nodes(seed), running_queues);
        assert_eq!(unfair(&input), None, "seed {seed}: {input}");
        preemptions += round::run(read::state(&input).input()).preempted.len();
    }
    assert!(preemptions > 100, "only {preemptions} jobs are preempted");
}

fn several(seed: u64) -> usize {
    usize::try_from(1 + seed % 7).expect("a small number")
}

#[test]
fn landed_fills_queues_evenly() {
    all_are_fair("landed", several, usize::MAX);
}

/// Evicted jobs return to their own nodes alone. If several queues run on nodes of their own, new jobs
/// of another may fill one of these nodes, so that its queue stays behind although others go on. On one
/// node, and if one queue runs, whichever queue is next can use any core that is left.
#[test]
fn seed_fills_queues_evenly_on_one_node_or_if_one_queue_runs() {
    all_are_fair("seed", |_| 1, usize::MAX);
    all_are_fair("seed", several, 1);
}

#[test]
fn seed_may_leave_a_queue_behind_that_runs_on_a_node_of_its_own() {
    let mut input = filling(0, "seed", 2, 1);
    for node in input["nodes"].as_array_mut().expect("nodes") {
        node["resources"]["cpu"] = json!("30");
    }
    input["queues"] = ["q0", "q1", "q2"].map(|name| json!({"name": name, "weight": 1})).into();
    // 30 jobs of the first queue on the first node, of the third on the second, of the second queued.
    let job = |at: usize| {
        let queue = [0, 2, 1][at / 30];
        let mut job = json!({
            "id": format!("j{at:02}"), "queue": format!("q{queue}"), "pc": "c", "req": {"cpu": "1"},
        });
        if queue != 1 {
            (job["node"], job["started"], job["at"]) =
                (json!(format!("n{}", queue / 2)), json!(0), json!(1));
        }
        job
    };
    input["jobs"] = (0..90).map(job).collect();
    assert!(unfair(&input).is_some());
    input["config"]["profile"] = json!("landed");
    assert_eq!(unfair(&input), None);
}
