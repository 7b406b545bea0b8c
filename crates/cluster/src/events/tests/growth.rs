//! How the work of a simulation grows with its nodes and with its jobs.

use super::*;
use document::steps;

/// The steps of a simulation of jobs of one node each.
fn steps_of(nodes: u32, jobs: u32, queue_lookback: usize) -> usize {
    let settings = Settings { queue_lookback, ..settings([1000, 1000], 1.0, false) };
    let scheduling = Scheduling::from(settings);
    let workload = Workload {
        queues: vec![Queue { name: "a".to_owned(), weight: 1.0 }],
        templates: vec![template(0, &(jobs, 0, 8, 1, 0, (1, 0), (false, false)))],
        template_ids: vec!["t0".to_owned()],
        ..Workload::default()
    };
    steps::take();
    let (events, end) = events(&scheduling, &clusters(&[nodes], 0), &workload, true);
    assert_eq!((events.len(), end.reason), (3 * jobs as usize, EndReason::Done));
    steps::take()
}

#[test]
fn twice_the_nodes_and_jobs_take_about_twice_the_steps() {
    let (few, many) = (steps_of(500, 500, 0), steps_of(1000, 1000, 0));
    assert!(few > 500 && many <= few * 22 / 10, "{few} steps, then {many}");
}

#[test]
fn twice_the_queue_takes_about_twice_the_steps() {
    // Twice the rounds, each of which considers as many jobs.
    let (short, long) = (steps_of(10, 1000, 50), steps_of(10, 2000, 50));
    assert!(short > 1000 && long <= short * 22 / 10, "{short} steps, then {long}");
}
