//! Cancels and other events while no attempt of the job or task is recorded.

use super::*;

/// Returns the outcomes of a job of two tasks, and the number of its records that were not reached.
fn came(coscheduled: bool, records: &[RecordedEnd]) -> (String, String, u64) {
    let policy = Policy {
        max_retries_failure: 1,
        max_task_failures: 1,
        replicas: 2,
        coscheduled,
        ..Policy::default()
    };
    let outcome = replay(&engine(Profile::Upstream, policy), &members_of(records));
    (outcome.outcome, outcome.system_outcome.unwrap(), outcome.not_reached)
}

#[test]
fn what_is_no_attempt_is_not_cut_off_with_the_gang() {
    let (lost, failed) = ((1, Outcome::Preempted, Some(0), 10), (1, Outcome::Failed, Some(0), 10));
    let cancelled = ("Cancelled".to_owned(), "KILLED".to_owned(), 0);
    for cancel in [(0, Outcome::CancelJob, None, 15), (0, Outcome::CancelJob, Some(0), 15)] {
        assert_eq!(came(true, &[failed, cancel]), cancelled);
    }
    let nowhere = (0, Outcome::Unschedulable, None, 3600);
    let unschedulable = ("Failed".to_owned(), "UNSCHEDULABLE".to_owned(), 0);
    assert_eq!(came(true, &[lost, nowhere]), unschedulable);
}

#[test]
fn a_cancel_is_heard_whatever_its_task_has_come_to() {
    let done = (0, Outcome::Succeeded, Some(0), 10);
    let cancel = |end| (0, Outcome::CancelJob, None, end);
    let cancelled = |left| ("Cancelled".to_owned(), "KILLED".to_owned(), left);
    // Task 1 has no records, and would succeed.
    assert_eq!(came(false, &[done, cancel(30)]), cancelled(0));
    assert_eq!(came(false, &[done, (1, Outcome::Failed, Some(0), 50), cancel(30)]).0, "Cancelled");
    // The second end of task 0 is ignored, since no attempt runs; the second cancel is too late.
    let twice = [done, (0, Outcome::Failed, Some(12), 15), cancel(30), cancel(31)];
    assert_eq!(came(false, &twice), cancelled(2));
    let late = [done, (1, Outcome::Succeeded, Some(0), 20), cancel(30)];
    assert_eq!(came(false, &late), ("Succeeded".to_owned(), "SUCCEEDED".to_owned(), 1));
}

/// Under the seed, a job that survived its only task's failure runs until a user cancels it.
#[test]
fn a_cancel_ends_what_the_seed_has_no_end_for() {
    let failed = [(0, Outcome::Failed, Some(0), 10), (0, Outcome::CancelJob, None, 30)];
    for replicas in [1, 2] {
        let policy = Policy { max_task_failures: 1, replicas, ..Policy::default() };
        let engine = engine(Profile::Seed, policy);
        assert_eq!(replay(&engine, &members_of(&failed[..1])).outcome, "Unresolved");
        assert_eq!(replay(&engine, &members_of(&failed)).outcome, "Cancelled");
    }
}
