//! Tests of the rules of the profile `seed`, one by one.
//!
//! Holds cluster.md 4.

use super::super::Method;
use super::*;
use crate::settings::SeedSettings;

fn pool(queues: usize, nodes: &[(i64, &str)]) -> Pool {
    Pool::new(settings(Profile::Seed), queues, nodes)
}

/// Creates a pool without evictions to fair share.
fn calm_pool(queues: usize, nodes: &[(i64, &str)]) -> Pool {
    let seed = SeedSettings { eviction_probability: 0.0, ..SeedSettings::default() };
    Pool::new(Settings { seed, ..settings(Profile::Seed) }, queues, nodes)
}

fn node_of(outcome: &Outcome, job: JobIndex) -> Option<usize> {
    outcome.scheduled.get(&job).map(|placement| placement.node)
}

#[test]
fn own_nodes_go_before_unused_and_those_before_shared_ones() {
    // The second queue's node has the least available; the unused one has less than the queue's own.
    let mut pool = pool(2, &[(16, "c"), (8, "c"), (32, "c")]);
    pool.start(0, 1, (1, DEFAULT, 13));
    pool.start(2, 1, (0, DEFAULT, 20));
    let jobs = [12, 8, 3].map(|cores| pool.submit(0, DEFAULT, cores));
    let outcome = pool.round();
    assert_eq!(jobs.map(|job| node_of(&outcome, job)), [Some(2), Some(1), Some(0)]);
}

#[test]
fn the_node_with_least_available_is_taken_and_then_the_first_by_name() {
    let mut pool = pool(1, &[(9, "c"), (8, "c"), (8, "c")]);
    let job = pool.submit(0, DEFAULT, 4);
    assert_eq!(node_of(&pool.round(), job), Some(1));
}

#[test]
fn jobs_are_ordered_by_priority_and_then_submission_whatever_their_class() {
    let mut pool = pool(1, &[(1, "c")]);
    pool.settings.queue_lookback = 1;
    let jobs = pool.submit_all(2, (0, DEFAULT, 1));
    let first = pool.submit(0, PREEMPTIBLE, 1);
    for job in jobs {
        pool.jobs[job as usize].priority = 1;
    }
    assert_eq!(starts(&pool.round()), [first]);
}

#[test]
fn evicted_jobs_return_in_the_order_of_their_starts() {
    let mut pool = pool(2, &[(2, "c")]);
    let late = pool.start(0, 9, (0, PREEMPTIBLE, 1));
    let early = pool.start(0, 3, (0, PREEMPTIBLE, 1));
    pool.jobs[early as usize].priority = 7;
    let other = pool.submit(1, PREEMPTIBLE, 1);
    let outcome = pool.round();
    assert_eq!((starts(&outcome), losses(&outcome)), (vec![other], vec![late]));
    assert_eq!(outcome.preempted[&late].by, Some(other));
    assert_eq!(outcome.scheduled[&other].method, Method::FairShare);
}

#[test]
fn the_victim_by_urgency_has_the_lowest_priority_and_then_the_latest_start() {
    let mut settings = settings(Profile::Seed);
    settings.seed.eviction_probability = 0.0;
    let low = settings.classes.len();
    let class = settings.classes[PREEMPTIBLE].clone();
    settings.classes.push(crate::settings::PriorityClass { priority: 5, ..class });
    let mut pool = Pool::new(settings, 2, &[(4, "c")]);
    let lowest = pool.start(0, 1, (0, low, 1));
    let early = pool.start(0, 2, (0, PREEMPTIBLE, 1));
    let late = pool.start(0, 3, (0, PREEMPTIBLE, 1));
    pool.start(0, 4, (0, DEFAULT, 1));
    for victim in [lowest, late, early] {
        let job = pool.submit(1, DEFAULT, 1);
        let outcome = pool.round();
        assert_eq!((starts(&outcome), losses(&outcome)), (vec![job], vec![victim]));
        assert_eq!(outcome.scheduled[&job].method, Method::Urgency);
    }
    pool.submit(1, DEFAULT, 1);
    let outcome = pool.round();
    assert!(outcome.scheduled.is_empty() && outcome.preempted.is_empty());
}

#[test]
fn jobs_that_are_not_preemptible_are_not_preempted_although_their_room_counts() {
    let mut settings = settings(Profile::Seed);
    let low = settings.classes.len();
    let class = settings.classes[DEFAULT].clone();
    settings.classes.push(crate::settings::PriorityClass { priority: 5, ..class });
    let mut pool = Pool::new(settings, 1, &[(4, "c")]);
    pool.start(0, 1, (0, low, 4));
    let level = pool.nodes.level(30_000);
    assert_eq!(pool.nodes.get(0).free(level).as_slice()[0], 4000);
    let job = pool.submit(0, DEFAULT, 1);
    let outcome = pool.round();
    assert_eq!(outcome.refused.get(job), Some(&Refusal::NoNode));
    assert!(outcome.preempted.is_empty());
}

#[test]
fn a_gang_starts_on_the_first_cluster_that_takes_all_of_it() {
    let mut pool = pool(1, &[(2, "b"), (4, "c"), (1, "b"), (9, "a")]);
    pool.start(3, 1, (0, DEFAULT, 8));
    let gang = pool.submit_gang(3, (0, DEFAULT, 1));
    let outcome = pool.round();
    let nodes: BTreeSet<_> = gang.iter().map(|job| node_of(&outcome, *job)).collect();
    assert_eq!(nodes, [Some(0), Some(2)].into());
    let gang = pool.submit_gang(5, (0, DEFAULT, 1));
    let outcome = pool.round();
    assert_eq!(outcome.scheduled.len(), 0);
    assert_eq!(outcome.refused.get(gang[0]), Some(&Refusal::GangWithoutNode));
}

#[test]
fn gangs_are_preempted_as_a_whole() {
    // By fair share: the other queue displaces one member, and the gang loses both.
    let mut pool = pool(2, &[(2, "c"), (2, "c")]);
    let gang = pool.submit_gang(2, (0, PREEMPTIBLE, 2));
    pool.round();
    let other = pool.submit(1, PREEMPTIBLE, 1);
    let outcome = pool.round();
    assert_eq!((starts(&outcome), losses(&outcome)), (vec![other], gang));
    // By urgency: the rest of the free resources is available to the jobs after it.
    let mut pool = calm_pool(2, &[(2, "c"), (2, "c")]);
    let gang = pool.submit_gang(2, (0, PREEMPTIBLE, 2));
    pool.round();
    let refused = pool.submit(1, PREEMPTIBLE, 1);
    let urgent = pool.submit(1, DEFAULT, 1);
    pool.submit(1, PREEMPTIBLE, 1);
    let outcome = pool.round();
    assert_eq!(losses(&outcome), gang);
    assert_eq!(starts(&outcome), [urgent, urgent + 1]);
    assert_eq!(outcome.refused.get(refused), Some(&Refusal::NoNode));
}

#[test]
fn a_job_that_is_placed_and_preempted_in_one_round_stays_queued() {
    // The first queue's job comes first; the evicted job of the second has a higher priority.
    let mut settings = settings(Profile::Seed);
    settings.classes[DEFAULT].is_preemptible = true;
    let mut pool = Pool::new(settings, 2, &[(4, "c")]);
    let urgent = pool.start(0, 1, (1, DEFAULT, 4));
    let job = pool.submit(0, PREEMPTIBLE, 1);
    let outcome = pool.round();
    assert!(outcome.scheduled.is_empty() && outcome.preempted.is_empty());
    assert_eq!(outcome.refused.get(job), Some(&Refusal::NoNode));
    assert_eq!(pool.running(), [((1, 0), 1)].into());
    assert!(pool.nodes.get(0).is_active(urgent) && !pool.nodes.get(0).is_active(job));
    assert_eq!(outcome.queues[0].cost_after.to_bits(), 0.0_f64.to_bits());
}

#[test]
fn each_round_evicts_some_nodes() {
    let nodes = vec![(1, "c"); 400];
    let mut settings = settings(Profile::Seed);
    settings.seed.eviction_probability = 0.25;
    let mut pool = Pool::new(settings, 2, &nodes);
    for node in 0..nodes.len() {
        pool.start(node, 1, (0, PREEMPTIBLE, 1));
    }
    pool.submit_all(400, (1, PREEMPTIBLE, 1));
    // The other queue is below its share as long as it can use all evicted resources.
    let lost = [losses(&pool.round()), losses(&pool.round())];
    let counts = lost.each_ref().map(Vec::len);
    assert!((75..125).contains(&counts[0]) && (40..100).contains(&counts[1]), "{counts:?}");
    assert!(lost[0].iter().all(|job| !lost[1].contains(job)));
}

#[test]
fn costs_are_weighted_sums() {
    let mut settings = settings(Profile::Seed);
    settings.seed = SeedSettings { gpu_weight: 4.0, ram_weight: 0.5, ..settings.seed };
    let total = Amounts::from_iter([8_000, 16 << 30, 2, 0]);
    let costs = crate::share::Costs::new(&settings, total);
    // 8 cores, 8 for the memory, 8 for the GPUs.
    let cost = costs.cost(&Amounts::from_iter([3_000, 2 << 30, 1, 5]));
    assert!((cost - (3.0 + 1.0 + 4.0) / 24.0).abs() < 1e-12, "{cost}");
}
