//! The two worked examples of the design, which apply to both profiles.
//!
//! Holds cluster.md 4.

use super::*;

const PROFILES: [Profile; 2] = [Profile::Landed, Profile::Seed];

#[test]
fn preemption_to_fair_share_keeps_one_queue_to_a_node() {
    for profile in PROFILES {
        // The order of the queues' names must not matter.
        for (a, b) in [(0, 1), (1, 0)] {
            let mut pool = Pool::new(settings(profile), 2, &[(32, "c"), (32, "c")]);
            let of_a = pool.submit_all(40, (a, PREEMPTIBLE, 1));
            pool.round();
            assert_eq!(pool.running(), [((a, 0), 32), ((a, 1), 8)].into(), "{profile:?}");
            let of_b = pool.submit_all(50, (b, PREEMPTIBLE, 1));
            let outcome = pool.round();
            assert_eq!(losses(&outcome), of_a[32..], "{profile:?}");
            assert_eq!(starts(&outcome), of_b[..32], "{profile:?}");
            assert_eq!(pool.running(), [((a, 0), 32), ((b, 1), 32)].into(), "{profile:?}");
            assert_eq!(pool.queue(b).queued, of_b[32..], "{profile:?}");
            // A further round changes nothing.
            let outcome = pool.round();
            assert!(outcome.scheduled.is_empty() && outcome.preempted.is_empty(), "{profile:?}");
        }
    }
}

/// Creates a node of 32 cores with a job of the default class of 10 and a preemptible one of 20.
fn shared_node(profile: Profile) -> (Pool, JobIndex) {
    let mut pool = Pool::new(settings(profile), 1, &[(32, "c")]);
    pool.start(0, 1, (0, DEFAULT, 10));
    let preemptible = pool.start(0, 2, (0, PREEMPTIBLE, 20));
    (pool, preemptible)
}

#[test]
fn urgent_jobs_may_use_what_less_urgent_ones_have() {
    for profile in PROFILES {
        let (pool, _) = shared_node(profile);
        let free = [30_000, 20_000].map(|priority| {
            let level = pool.nodes.level(priority);
            pool.nodes.get(0).free(level).as_slice()[0]
        });
        assert_eq!(free, [22_000, 2_000], "{profile:?}");
        for (class, cores, is_scheduled, is_preempting) in [
            (DEFAULT, 2, true, false),
            (DEFAULT, 22, true, true),
            (DEFAULT, 23, false, false),
            (PREEMPTIBLE, 2, true, false),
            (PREEMPTIBLE, 3, false, false),
        ] {
            let (mut pool, preemptible) = shared_node(profile);
            let job = pool.submit(0, class, cores);
            let outcome = pool.round();
            let case = format!("{profile:?}: {cores} cores of class {class}");
            assert_eq!(outcome.scheduled.contains_key(&job), is_scheduled, "{case}");
            let refusal = (!is_scheduled).then_some(&Refusal::NoNode);
            assert_eq!(outcome.refused.get(job), refusal, "{case}");
            let preempted = if is_preempting { vec![preemptible] } else { Vec::new() };
            assert_eq!(losses(&outcome), preempted, "{case}");
        }
    }
}
