//! The effect of a task's end on others: on its gang, and on tasks without records.

use super::*;
use replay::simulate::{Assume, Effect, Engine, Evaluation, Fact, FactKind, Live, Moment, Units};

fn gang(profile: Profile, failures: i32) -> IrisEngine {
    let policy = Policy {
        max_retries_failure: failures,
        max_task_failures: 9,
        replicas: 3,
        coscheduled: true,
        ..Policy::default()
    };
    engine(profile, policy)
}

/// Returns the verdicts on a gang whose first task ends with this outcome.
fn verdicts(engine: &IrisEngine, outcome: Outcome) -> Vec<(usize, Effect)> {
    let events = [0, 2, 1].map(|task| event(task, outcome));
    let members = members(&events);
    // The members are in the order 2, 0, 1.
    let members = [&members[2], &members[0], &members[1]];
    let mut unit = engine.begin(&members);
    let run = &members[1].runs[0];
    let facts = [Fact { member: 1, kind: FactKind::Ended(run) }];
    let moment =
        Moment { now: run.time(), facts: &facts, draw: 0, live: Live::default(), matched: None };
    let mut answer = Evaluation::default();
    engine.evaluate(&mut unit, &mut Vec::new(), &moment, &mut answer);
    answer.verdicts.iter().map(|verdict| (verdict.member, verdict.effect)).collect()
}

#[test]
fn an_end_in_a_gang_moves_its_siblings() {
    let moved = verdicts(&gang(Profile::Upstream, 1), Outcome::Failed);
    let reruns = |(_, effect): &(usize, Effect)| matches!(effect, Effect::Rerun { .. });
    assert_eq!(moved.iter().map(|(member, _)| *member).collect::<Vec<_>>(), [1, 2, 0]);
    assert!(moved.iter().all(reruns), "{moved:?}");
    assert_eq!(verdicts(&gang(Profile::Seed, 1), Outcome::Failed).len(), 1);
    // All tasks end with the first, and so does the job.
    assert_eq!(verdicts(&gang(Profile::Seed, 0), Outcome::Failed).len(), 1);
}

#[test]
fn an_attempt_that_its_gang_cut_off_says_nothing() {
    // Task 0 fails while both run; the recorded end of task 1's first attempt is a consequence of that.
    let mut both = members(&[event(0, Outcome::Failed), event(1, Outcome::WorkerFailed)]);
    let again = members(&[event(0, Outcome::Succeeded), event(1, Outcome::Succeeded)]);
    both[1].runs[0].started_at = Some(at(-5));
    for (member, again) in both.iter_mut().zip(again) {
        let run = Run {
            run_index: 1,
            started_at: Some(at(20)),
            finished_at: Some(at(30)),
            ..again.runs[0].clone()
        };
        member.runs.push(run);
    }
    let policy = Policy {
        max_retries_failure: 1,
        max_retries_preemption: 0,
        max_task_failures: 1,
        replicas: 2,
        coscheduled: true,
    };
    let outcome = replay(&engine(Profile::Upstream, policy), &both);
    assert_eq!(codes(&outcome), ["retry_failure"]);
    assert_eq!((outcome.outcome.as_str(), outcome.retries), ("Succeeded", 1));
    // Outside of a gang, task 1 has no budget for a lost attempt.
    let alone = Policy { coscheduled: false, ..policy };
    let outcome = replay(&engine(Profile::Upstream, alone), &both);
    let lost = ["retry_failure", "fail_max_retries_preemption", "fail_tasks_lost"];
    assert_eq!(codes(&outcome), lost);
}

/// Records that are not judged are counted: their attempts began later, or were cut off before.
#[test]
fn records_that_are_not_judged_are_counted() {
    let failed = (0, Outcome::Failed, Some(0), 100);
    let count = |policy: Policy, records: &[RecordedEnd]| {
        let policy = Policy { replicas: 2, ..policy };
        let outcome = replay(&engine(Profile::Upstream, policy), &members_of(records));
        (outcome.not_reached, outcome.cut_off.unwrap_or(0))
    };
    let alone = Policy::default();
    let later = [(1, Outcome::Failed, Some(200), 300), (1, Outcome::Succeeded, Some(400), 500)];
    assert_eq!(count(alone, &[failed, later[0], later[1]]), (2, 0));
    assert_eq!(count(alone, &[failed, (1, Outcome::Failed, Some(100), 300)]), (1, 0));
    assert_eq!(count(alone, &[failed, (1, Outcome::Failed, Some(99), 300), later[1]]), (1, 1));
    assert_eq!(count(alone, &[failed, (1, Outcome::Failed, None, 300)]), (0, 1));
    assert_eq!(count(alone, &[failed, (1, Outcome::Unschedulable, None, 300)]), (1, 0));
    let gang = Policy {
        max_retries_failure: 1,
        max_task_failures: 2,
        coscheduled: true,
        ..Policy::default()
    };
    let again = (0, Outcome::Succeeded, Some(150), 300);
    let sibling = |start| (1, Outcome::Succeeded, Some(start), 300);
    assert_eq!(
        count(gang, &[failed, (1, Outcome::Failed, Some(0), 101), again, sibling(150)]),
        (0, 1)
    );
    assert_eq!(count(gang, &[failed, again, sibling(150)]), (0, 0));
    // The attempt that replaces the one that was cut off has no record.
    assert_eq!(count(gang, &[failed, again, sibling(50)]), (0, 1));
    // Task 1 ends with its gang, and the job continues.
    let timeout = (0, Outcome::Timeout, Some(0), 100);
    let three = Policy { replicas: 3, ..gang };
    let outcome = replay(
        &engine(Profile::Upstream, three),
        &members_of(&[(2, Outcome::Succeeded, Some(0), 50), timeout, sibling(50)]),
    );
    assert_eq!((outcome.not_reached, outcome.cut_off), (0, Some(1)));
}

/// Task 0 of a gang fails twice before the recorded attempt of task 1 begins. That attempt is granted each
/// time, runs once, and is the first of its task.
#[test]
fn an_attempt_is_counted_once_however_often_it_is_granted() {
    let failed = event(0, Outcome::Failed);
    let events = [failed, failed, event(0, Outcome::Succeeded), event(1, Outcome::Succeeded)];
    let members = members(&events);
    let policy = Policy {
        max_retries_failure: 2,
        max_task_failures: 2,
        replicas: 2,
        coscheduled: true,
        ..Policy::default()
    };
    let summary = simulate(&engine(Profile::Upstream, policy), &members, OPTIONS).summary;
    assert_eq!((summary.totals.retries, summary.replayed, summary.unresolved), (2, 2, 0));
    assert_eq!(summary.retried_runs.succeeded.runs, 1);
}

#[test]
fn tasks_that_are_not_on_record_succeed_last() {
    let policy = Policy { max_task_failures: 2, replicas: 3, ..Policy::default() };
    let job = |profile, outcomes: &[Outcome]| {
        let events: Vec<Event> = (0..).zip(outcomes).map(|(task, one)| event(task, *one)).collect();
        let options = Options { assume: Some(Assume::Succeed), ..OPTIONS };
        let report = simulate(&engine(profile, policy), &members(&events), options);
        report.jobs.unwrap().remove(0)
    };
    let good = job(Profile::Upstream, &[Outcome::Succeeded]);
    assert_eq!(good.outcome, "Succeeded");
    assert_eq!(good.system_outcome.as_deref(), Some("SUCCEEDED"));
    let words = "max_retries_failure 0: 1 failed attempt; the job is FAILED: all tasks are over, and not all \
                 succeeded, and those without records are assumed to have succeeded";
    let bad = job(Profile::Upstream, &[Outcome::Failed]);
    assert_eq!((&*bad.outcome, &*bad.reason), ("Failed", words));
    assert_eq!(
        bad.decisions[0].system.text("jobState"),
        Some("RUNNING"),
        "it was when it was decided"
    );
    let last = job(Profile::Upstream, &[Outcome::Failed, Outcome::Succeeded]);
    assert_eq!(codes(&last), ["fail_max_retries_failure", "fail_tasks_failed"]);
    assert_eq!(last.outcome, "Failed");
    // The seed has no state for this case.
    let seed = job(Profile::Seed, &[Outcome::Failed, Outcome::Succeeded]);
    assert_eq!(seed.outcome, "Unresolved");
    assert_eq!(seed.system_outcome.as_deref(), Some("RUNNING"));
    let words = "all its tasks are over, and it tolerates those that failed: the seed has no state for that, \
                 and those without records are assumed to have succeeded";
    // No recorded task lacks a run that could be assumed to succeed.
    assert_eq!((seed.reason.as_str(), seed.assumed_success), (words, None));
}

#[test]
fn ends_of_one_second_are_judged_in_order_of_time() {
    let mut on_record = members(&[event(0, Outcome::Failed), event(1, Outcome::Preempted)]);
    let half = |nanos| Some(Time::parse(&format!("2026-10-01T10:00:00.{nanos}Z")).unwrap());
    for (member, end) in on_record.iter_mut().zip(["9", "1"]) {
        (member.runs[0].started_at, member.runs[0].finished_at) = (None, half(end));
    }
    let policy = Policy { replicas: 2, ..Policy::default() };
    let outcome = replay(&engine(Profile::Upstream, policy), &on_record);
    assert_eq!(codes(&outcome), ["retry_preemption", "fail_max_retries_failure"]);
}
