//! Rounds of Armada's scheduler, answered by Armada's own code.
//!
//! Holds cluster.md 4.

mod kinds;
mod read;
mod sims;

use cluster::round::{self, Outcome};
use cluster::state::PoolState;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The files of cases, without their endings, the name of each kind, and what runs a case of it.
pub const KINDS: [(&str, &str, super::Runner); 10] = [
    ("rounds", "rounds", round),
    ("rounds", "rounds kinds", kinds::run),
    ("rounds_any", "rounds_any", round),
    ("rounds_any", "rounds_any kinds", kinds::run),
    ("rounds_away", "rounds_away", round),
    ("rounds_away", "rounds_away methods", kinds::run_methods),
    ("rounds_floating", "rounds_floating", round),
    ("rounds_floating", "rounds_floating methods", kinds::run_methods),
    ("sims", "sims", sims::run),
    ("sims_any", "sims_any", sims::run),
];

/// Runs a round and compares what it did: which jobs start where and at which priority, which are
/// preempted, which are refused and why, and every queue's shares and costs.
pub fn round(case: &Value) -> Result<(), String> {
    let mut state = read::state(&case["in"]);
    let outcome = round::run(state.input());
    match case["outAny"].as_array() {
        Some(answers) => {
            let differ = |answer: &Value| differs(&state, &outcome, answer);
            let all: Option<Vec<String>> = answers.iter().map(differ).collect();
            all.map_or(Ok(()), |all| Err(all.join(" | or ")))
        }
        None => differs(&state, &outcome, &case["out"]).map_or(Ok(()), Err),
    }
}

fn differs(state: &PoolState, outcome: &Outcome, expected: &Value) -> Option<String> {
    let id = |job: u32| state.job_ids[job as usize].clone();
    let node = |node: usize| state.nodes.get(node).spec.id.clone();
    let scheduled: BTreeMap<String, (String, i64)> = outcome
        .scheduled
        .iter()
        .map(|(job, place)| (id(*job), (node(place.node), i64::from(place.priority))))
        .collect();
    let wanted = expected["scheduled"].as_object().into_iter().flatten();
    let wanted: BTreeMap<String, (String, i64)> = wanted
        .map(|(job, place)| {
            let node = place[0].as_str().unwrap_or_default().to_owned();
            (job.clone(), (node, place[1].as_i64().unwrap_or_default()))
        })
        .collect();
    if scheduled != wanted {
        return Some(format!("scheduled {}", difference(&scheduled, &wanted)));
    }
    let preempted: BTreeSet<String> = outcome.preempted.keys().map(|job| id(*job)).collect();
    let wanted = expected["preempted"].as_object().into_iter().flatten();
    let wanted: BTreeSet<String> = wanted.map(|(job, _)| job.clone()).collect();
    if preempted != wanted {
        return Some(format!("preempted: ours {preempted:?}, theirs {wanted:?}"));
    }
    let refused: BTreeMap<String, String> =
        outcome.refused.iter().map(|(job, why)| (id(job), why.to_string())).collect();
    let wanted = expected["unschedulable"].as_object().into_iter().flatten();
    let wanted: BTreeMap<String, String> = wanted
        .map(|(job, why)| (job.clone(), why.as_str().unwrap_or_default().to_owned()))
        .collect();
    if refused != wanted {
        return Some(format!("refused {}", difference(&refused, &wanted)));
    }
    state.queue_names.iter().zip(&outcome.queues).find_map(|(name, queue)| {
        let numbers = [
            ("fair", queue.shares.fair),
            ("demandCapped", queue.shares.demand_capped),
            ("uncapped", queue.shares.uncapped),
            ("demandShare", queue.shares.demand),
            ("costBefore", queue.cost_before),
            ("costAfter", queue.cost_after),
        ];
        numbers.into_iter().find_map(|(key, number)| {
            let wanted = expected["queues"][name][key].as_f64().unwrap_or(f64::NAN);
            let is_equal = (number - wanted).abs() <= 1e-9 * wanted.abs().max(1e-300);
            (!is_equal).then(|| format!("queue {name}: {key} is {number}, not {wanted}"))
        })
    })
}

fn difference<V: PartialEq + std::fmt::Debug>(
    ours: &BTreeMap<String, V>,
    theirs: &BTreeMap<String, V>,
) -> String {
    let ours_alone = ours.iter().filter(|(key, value)| theirs.get(*key) != Some(value)).take(4);
    let theirs_alone = theirs.iter().filter(|(key, value)| ours.get(*key) != Some(value)).take(4);
    format!(
        "ours {:?}, theirs {:?}",
        ours_alone.collect::<Vec<_>>(),
        theirs_alone.collect::<Vec<_>>()
    )
}
