//! What holds after every round of the profile `seed`; see also `properties.rs`.
//!
//! Holds cluster.md 4.

use crate::compare::{differences, real};
use crate::generate;
use crate::oracle::model::Outcome;
use crate::read;
use cluster::nodes::EVICTED;
use cluster::round::{self, Method};
use cluster::state::PoolState;
use serde_json::{Value, json};

/// The round of a seed under the profile `seed`; a third of them each evict all, some and no nodes.
pub fn round_of(seed: u64) -> Value {
    let mut round = generate::round(seed);
    round["config"]["profile"] = json!("seed");
    let probabilities = [1.0, 0.5, 0.0];
    let at = usize::try_from(seed).expect("a small seed") % probabilities.len();
    round["config"]["nodeEvictionProbability"] = json!(probabilities[at]);
    round
}

fn rounds() -> impl Iterator<Item = (u64, Value, PoolState, Outcome)> {
    (0..300).map(|seed| {
        let input = round_of(seed);
        let mut state = read::state(&input);
        let outcome = real(&mut state);
        (seed, input, state, outcome)
    })
}

/// Whether every level of a node, but that of evicted jobs, has room for all that take from it.
fn has_room(state: &PoolState, node: usize) -> bool {
    let node = state.nodes.get(node);
    (EVICTED + 1..state.nodes.levels()).all(|level| !node.free(level).is_any_negative())
}

#[test]
fn no_node_is_over_its_capacity_at_any_priority() {
    let mut count = 0;
    for (seed, input, after, _) in rounds() {
        let before = read::state(&input);
        for node in (0..before.nodes.len()).filter(|node| has_room(&before, *node)) {
            count += 1;
            assert!(has_room(&after, node), "seed {seed}: {}", after.nodes.get(node).spec.id);
        }
    }
    assert!(count > 1000, "only {count} nodes");
}

#[test]
fn jobs_stay_on_their_nodes_or_are_preempted() {
    let mut returned = 0;
    for (seed, _, state, outcome) in rounds() {
        for (at, job) in (0..).zip(&state.jobs) {
            let id = &state.job_ids[at as usize];
            let started = outcome.scheduled.get(id).map(|(node, _)| node.clone());
            let run = job.run.filter(|run| run.is_bound && !outcome.preempted.contains(id));
            let own = run.map(|run| state.nodes.get(run.node).spec.id.clone());
            returned += usize::from(own.is_some());
            let nodes = (0..state.nodes.len()).map(|node| state.nodes.get(node));
            let found: Vec<_> =
                nodes.filter(|node| node.is_active(at)).map(|node| node.spec.id.clone()).collect();
            let wanted: Vec<_> = started.or(own).into_iter().collect();
            assert_eq!(found, wanted, "seed {seed}: {id}");
        }
        // No evicted job is left.
        for node in (0..state.nodes.len()).map(|node| state.nodes.get(node)) {
            assert_eq!(node.free(EVICTED), node.free(EVICTED + 1), "seed {seed}");
        }
    }
    assert!(returned > 1000, "only {returned} jobs");
}

#[test]
fn the_order_in_which_nodes_are_listed_does_not_matter() {
    for seed in 0..300 {
        let mut input = round_of(seed);
        let first = real(&mut read::state(&input));
        assert_eq!(differences(&real(&mut read::state(&input)), &first), None, "seed {seed}");
        input["nodes"].as_array_mut().expect("nodes").reverse();
        assert_eq!(differences(&real(&mut read::state(&input)), &first), None, "seed {seed}");
    }
}

#[test]
fn the_allocations_of_queues_are_those_of_the_jobs_that_run() {
    for seed in 0..300 {
        let mut state = read::state(&round_of(seed));
        let outcome = round::run(state.input());
        let mut allocated: Vec<_> =
            state.queues.iter().map(|queue| queue.allocated.clone()).collect();
        for (at, job) in (0..).zip(&state.jobs) {
            let shape = &state.shapes[job.shape];
            let Some(queue) = job.queue else { continue };
            if outcome.scheduled.contains_key(&at) {
                allocated[queue][shape.class].add(&shape.request);
            } else if outcome.preempted.contains_key(&at) {
                allocated[queue][shape.class].subtract(&shape.request);
            }
        }
        let found: Vec<_> = outcome.queues.into_iter().map(|queue| queue.allocated).collect();
        assert_eq!(found, allocated, "seed {seed}");
    }
}

/// The rounds must do all that a round can do, or they test nothing.
#[test]
fn random_rounds_make_room_in_every_way() {
    let (mut methods, mut by_share, mut by_urgency) = ([0; 3], 0, 0);
    for seed in 0..500 {
        let mut state = read::state(&round_of(seed));
        let outcome = round::run(state.input());
        for placement in outcome.scheduled.values() {
            let ways = [Method::NoPreemption, Method::FairShare, Method::Urgency];
            let way = ways.iter().position(|way| *way == placement.method);
            methods[way.expect("one of the three")] += 1;
        }
        for preemption in outcome.preempted.values() {
            *(if preemption.by.is_some() { &mut by_share } else { &mut by_urgency }) += 1;
        }
    }
    let counts = format!("{methods:?} {by_share} {by_urgency}");
    assert!(methods.into_iter().chain([by_share, by_urgency]).all(|count| count > 30), "{counts}");
}
