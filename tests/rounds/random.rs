//! The crate's round against the naive one, on random rounds.
//!
//! Holds cluster.md 4.

use crate::compare::{differences, real};
use crate::generate::round as generate;
use crate::oracle::round;
use crate::read;
use crate::shrink::shrink;
use serde_json::{Value, json};

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}: no number")))
}

fn difference(input: &Value) -> Option<String> {
    differences(&real(&mut read::state(input)), &round::run(input))
}

#[test]
fn the_round_agrees_with_the_naive_one() {
    let first = number("FIRST_SEED", 0);
    let mut failures = Vec::new();
    for seed in first..first + number("ROUNDS", 300) {
        let input = generate(seed);
        if difference(&input).is_some() {
            let input = shrink(input, |input| difference(input).is_some());
            let difference = difference(&input).expect("it still differs");
            failures.push(format!("seed {seed}: ours {difference} in\n{input}"));
            if failures.len() == 3 {
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Armada sorts tolerations before it compares shapes, so the gang's member is dropped with the single job.
#[test]
fn tolerations_in_another_order_are_the_same_shape() {
    let job = |id: &str, keys: [&str; 2]| {
        let tolerations = keys.map(|key| json!({"key": key, "operator": "Exists"}));
        json!({"id": id, "queue": "q", "pc": "c", "req": {"cpu": "1"}, "tolerations": tolerations})
    };
    let mut member = job("j2", ["b", "a"]);
    member["gang"] = json!({"id": "g", "card": 2});
    let config = json!({
        "priorityClasses": {"c": {"priority": 0, "preemptible": true}},
        "defaultPriorityClassName": "c",
        "supportedResourceTypes": [{"name": "cpu", "resolution": "1m"}],
        "indexedResources": [{"name": "cpu", "resolution": "1"}],
        "dominantResourceFairnessResourcesToConsider": ["cpu"],
    });
    let input = json!({
        "pool": "pool", "config": config, "nodes": [], "queues": [{"name": "q", "weight": 1}],
        "jobs": [job("j1", ["a", "b"]), member],
    });
    assert_eq!(difference(&input), None);
}

/// The rounds must do all that a round can do, or they compare nothing.
#[test]
fn random_rounds_place_preempt_and_refuse() {
    let (mut scheduled, mut preempted, mut away) = (0, 0, 0);
    let mut reasons = std::collections::BTreeMap::<String, usize>::new();
    for seed in 0..300 {
        let input = generate(seed);
        let outcome = round::run(&input);
        scheduled += outcome.scheduled.len();
        preempted += outcome.preempted.len();
        for reason in outcome.refused.values() {
            let reason = reason.split(" label ").next().unwrap_or_default();
            let reason = reason.split(" floating resource ").next().unwrap_or_default();
            *reasons.entry(reason.to_owned()).or_default() += 1;
        }
        for job in input["jobs"].as_array().expect("jobs") {
            let place = outcome.scheduled.get(job["id"].as_str().expect("an id"));
            let class = job["pc"].as_str().expect("a class");
            let own = input["config"]["priorityClasses"][class]["priority"].as_i64();
            away += usize::from(place.is_some_and(|(_, at)| Some(i64::from(*at)) != own));
        }
    }
    let counts = format!("{scheduled} scheduled, {preempted} preempted, {away} away, {reasons:#?}");
    // A round over its limit refuses nothing: the rest is not looked at.
    let has_all = reasons.len() == 15;
    assert!(scheduled > 2000 && preempted > 500 && away > 100 && has_all, "{counts}");
}
