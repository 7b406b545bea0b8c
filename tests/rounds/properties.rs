//! What holds after every round, whatever the rules in between.
//!
//! Holds cluster.md 4.

use crate::compare::real;
use crate::generate::round as generate;
use crate::oracle::model::{Job, Outcome, Pool, add, fits};
use crate::oracle::parse::pool;
use crate::read;
use crate::seed::round_of as of_seed;

/// Rounds under each profile.
fn rounds() -> impl Iterator<Item = (u64, Pool, Outcome)> {
    (0..300).flat_map(|seed| {
        [generate(seed), of_seed(seed)].map(|input| {
            let outcome = real(&mut read::state(&input));
            (seed, pool(&input), outcome)
        })
    })
}

/// Whether every node has room for its jobs, before the round or after it.
fn has_room(pool: &Pool, outcome: &Outcome) -> bool {
    let mut used = vec![vec![0; pool.total.len()]; pool.nodes.len()];
    for job in &pool.jobs {
        if let Some(run) = job.run.as_ref().filter(|run| run.is_bound) {
            if !outcome.preempted.contains(&job.id) {
                add(&mut used[run.node], &job.on_node);
            }
        } else if let Some((id, _)) = outcome.scheduled.get(&job.id) {
            let node = pool.nodes.iter().position(|node| node.id == *id).expect("a node");
            add(&mut used[node], &job.on_node);
        }
    }
    used.iter().zip(&pool.nodes).all(|(used, node)| fits(used, &node.total))
}

#[test]
fn no_node_is_over_its_capacity_that_was_within_it() {
    let mut count = 0;
    for (seed, pool, outcome) in rounds() {
        // Jobs of queues that are not listed are never evicted, though their room may be taken.
        let is_closed = pool.jobs.iter().all(|job| job.run.is_none() || job.queue.is_some());
        if is_closed && has_room(&pool, &Outcome::default()) {
            count += 1;
            assert!(has_room(&pool, &outcome), "seed {seed}");
        }
    }
    assert!(count > 200, "only {count} rounds");
}

#[test]
fn no_gang_starts_or_is_preempted_in_part() {
    let (mut starts, mut preemptions) = (0, 0);
    for (seed, pool, outcome) in rounds() {
        for (at, job) in pool.jobs.iter().enumerate() {
            let Some(gang) = &job.gang else { continue };
            let members: Vec<&Job> =
                pool.gang_members(at).into_iter().map(|member| &pool.jobs[member]).collect();
            if members.iter().all(|member| member.run.is_none()) {
                let started = members.iter().filter(|one| outcome.scheduled.contains_key(&one.id));
                let started = started.count();
                starts += started;
                assert!([0, gang.cardinality].contains(&started), "seed {seed}: {}", gang.id);
            }
            let is_bound = |one: &&&Job| one.run.as_ref().is_some_and(|run| run.is_bound);
            let running: Vec<_> = members.iter().filter(is_bound).collect();
            let preempted =
                running.iter().filter(|one| outcome.preempted.contains(&one.id)).count();
            preemptions += preempted;
            assert!([0, running.len()].contains(&preempted), "seed {seed}: {}", gang.id);
        }
    }
    assert!(
        starts > 200 && preemptions > 200,
        "{starts} members start, {preemptions} are preempted"
    );
}

#[test]
fn only_running_jobs_of_preemptible_classes_are_preempted() {
    for (seed, pool, outcome) in rounds() {
        for (at, job) in pool.jobs.iter().enumerate() {
            if outcome.preempted.contains(&job.id) {
                let is_preemptible = job.run.is_some() && pool.class(at).is_preemptible;
                assert!(is_preemptible, "seed {seed}: {}", job.id);
            }
            let is_queued = job.run.is_none() && job.queue.is_some();
            let is_listed =
                outcome.scheduled.contains_key(&job.id) || outcome.refused.contains_key(&job.id);
            assert!(is_queued || !is_listed, "seed {seed}: {}", job.id);
        }
    }
}
