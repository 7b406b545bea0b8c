//! Jobs replayed from first attempt to last.

use super::*;
use crate::engine::{Effect, Engine, Evaluation, Fact, FactKind, Moment};
use crate::history::{Member, MemberRun};
use crate::simulate::{
    Described, MemberOutcome, Names, Options, Outcome as Came, Replay, Summary, Timelines, simulate,
};
use crate::units::Time;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

fn engine(profile: Profile, policy: Policy) -> IrisEngine {
    let rules = Rules { profile, policy };
    IrisEngine::new(IrisProfile { name: "nightly".into(), rules })
}

fn at(seconds: i64) -> Time {
    Time::from_epoch_seconds(seconds)
}

/// The tasks of these events: event n is the end of an attempt that began when the one before it
/// ended, ten seconds earlier.
fn members(events: &[Event]) -> Vec<Member<IrisFields>> {
    let mut tasks: BTreeMap<u32, Vec<MemberRun<IrisFields>>> = BTreeMap::new();
    for (number, event) in events.iter().enumerate() {
        let Event { task, outcome, phase } = *event;
        let runs = tasks.entry(task).or_default();
        let end = i64::try_from(number).unwrap() * 10;
        runs.push(MemberRun {
            run_index: u32::try_from(runs.len()).unwrap(),
            started_at: Some(at(end - 10)),
            finished_at: Some(at(end)),
            node: None,
            cluster: None,
            own: IrisFields { task, outcome, phase },
        });
    }
    let alone = tasks.len() == 1;
    let member = |(key, runs)| Member { unit: "j".into(), queue: "".into(), key, alone, runs };
    tasks.into_iter().map(member).collect()
}

fn replay(engine: &IrisEngine, members: &[Member<IrisFields>]) -> MemberOutcome {
    let (members, names) = (members.iter().collect::<Vec<_>>(), Names::default());
    let places: Vec<usize> = (0..members.len()).collect();
    let mut summary = Summary::new(Described::rules(engine).len());
    Replay::new(engine, &names, true).unit(&members, &places, None, &mut summary).remove(0)
}

fn codes(outcome: &MemberOutcome) -> Vec<&str> {
    outcome.decisions.iter().map(|decision| decision.decision.as_str()).collect()
}

fn event(task: u32, outcome: Outcome) -> Event {
    Event { task, outcome, phase: Phase::Running }
}

/// How a state of a job is told.
fn told(state: &str, cancelled: bool) -> Came {
    match state {
        "SUCCEEDED" => Came::Succeeded,
        "PENDING" | "RUNNING" => Came::Unresolved,
        "KILLED" if cancelled => Came::Cancelled,
        _ => Came::Failed,
    }
}

/// The histories of the vectors, as records, come to what the vectors say. Where not all tasks are
/// on record the job may come to more.
#[test]
fn histories_of_the_vectors_replay_as_they_say() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/vectors/iris.json");
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = vectors["cases"].as_array().or(vectors.as_array()).unwrap();
    let mut replayed = 0;
    for case in cases.iter().filter(|case| case["kind"] == "history") {
        let number = |value: &Value| i32::try_from(value.as_i64().unwrap()).unwrap();
        let given = &case["policy"];
        let policy = Policy {
            max_retries_failure: number(&given["max_retries_failure"]),
            max_retries_preemption: number(&given["max_retries_preemption"]),
            max_task_failures: number(&given["max_task_failures"]),
            replicas: number(&given["replicas"]).unsigned_abs(),
            coscheduled: given["coscheduled"].as_bool().unwrap(),
        };
        let read = |event: &Value| Event {
            task: number(&event["task"]).unsigned_abs(),
            outcome: Outcome::from_name(event["outcome"].as_str().unwrap()).unwrap(),
            phase: event["phase"].as_str().and_then(Phase::from_name).unwrap_or_default(),
        };
        let events: Vec<Event> = case["history"].as_array().unwrap().iter().map(read).collect();
        let on_record = members(&events);
        let Some(state) = case["expected"]["job_state"].as_str() else { continue };
        let cancelled = events.iter().any(|event| event.outcome == Outcome::CancelJob);
        if on_record.len() < policy.replicas as usize && ["PENDING", "RUNNING"].contains(&state) {
            continue;
        }
        let profile = case["profile"].as_str().unwrap();
        for profile in Profile::ALL.into_iter().filter(|p| [p.as_str(), "both"].contains(&profile))
        {
            let outcome = replay(&engine(profile, policy), &on_record);
            let name = &case["name"];
            assert_eq!(outcome.system_outcome.as_deref(), Some(state), "{name}");
            assert_eq!(outcome.outcome, told(state, cancelled), "{name}");
            assert_eq!(outcome.contradictions, [], "{name}");
            replayed += 1;
        }
    }
    assert!(replayed > 35, "only {replayed}");
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let outcome = prop_oneof![
        12 => select(vec![Outcome::Failed, Outcome::WorkerFailed, Outcome::Preempted]),
        4 => Just(Outcome::WorkerReportedKilled),
        6 => Just(Outcome::Succeeded),
        1 => select(vec![Outcome::Timeout, Outcome::Unschedulable]),
    ];
    let event = (0..4_u32, outcome, select(Phase::ALL.to_vec()));
    vec(event.prop_map(|(task, outcome, phase)| Event { task, outcome, phase }), 1..24)
}

fn policies() -> impl Strategy<Value = Policy> {
    let limit = || prop_oneof![5 => 0..4_i32, 1 => Just(-1)];
    (limit(), limit(), limit()).prop_map(|(failure, preemption, failures)| Policy {
        max_retries_failure: failure,
        max_retries_preemption: preemption,
        max_task_failures: failures,
        replicas: 4,
        coscheduled: false,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Without a gang the replay of records is the job's own course over the same events: those of
    /// tasks that are over say nothing in either.
    #[test]
    fn a_replay_is_the_course_of_its_events(
        policy in policies(),
        profile in select(Profile::ALL.to_vec()),
        events in events(),
    ) {
        let rules = Rules { profile, policy };
        let (mut job, mut codes_of_job) = (Job::new(policy.replicas), Vec::new());
        for event in &events {
            let decision = job.apply(&rules, *event, &mut Vec::new());
            let is_said = event.outcome != Outcome::Succeeded
                || decision.ends_job && job.state() != JobState::Succeeded;
            if is_said && !matches!(decision.ruling, Ruling::Ignored(_)) {
                codes_of_job.push(decision.code());
            }
        }
        let on_record = members(&events);
        let outcome = replay(&engine(profile, policy), &on_record);
        let said = codes(&outcome);
        let all = on_record.len() == policy.replicas as usize;
        if all {
            prop_assert_eq!(&said, &codes_of_job);
            prop_assert_eq!(outcome.system_outcome.as_deref(), Some(job.state().as_str()));
        } else {
            // Tasks that are not on record succeed, which may end the job a decision earlier.
            prop_assert!(codes_of_job.starts_with(&said[..said.len().saturating_sub(1)]));
        }
    }

    /// However its members are numbered, a job comes to the same.
    #[test]
    fn members_may_stand_in_any_order(
        policy in policies(),
        coscheduled: bool,
        events in events(),
        turned in 0..4_usize,
    ) {
        let engine = engine(Profile::Upstream, Policy { coscheduled, ..policy });
        let members = members(&events);
        let mut others = members.clone();
        others.rotate_left(turned % members.len());
        let (one, other) = (replay(&engine, &members), replay(&engine, &others));
        prop_assert_eq!(codes(&one), codes(&other));
        prop_assert_eq!((one.outcome, one.retries), (other.outcome, other.retries));
    }
}

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

/// The verdicts on a gang whose first task ends so.
fn verdicts(engine: &IrisEngine, outcome: Outcome) -> Vec<(usize, Effect)> {
    let events = [0, 2, 1].map(|task| event(task, outcome));
    let members = members(&events);
    // They stand in the order 2, 0, 1.
    let members = [&members[2], &members[0], &members[1]];
    let mut unit = engine.begin(&members);
    let run = &members[1].runs[0];
    let facts = [Fact { member: 1, at: run.time(), kind: FactKind::Ended(run) }];
    let moment = Moment { now: run.time(), facts: &facts, draw: 0 };
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
    let counted =
        |(_, effect): &(usize, Effect)| matches!(effect, Effect::Rerun { counted: true, .. });
    assert_eq!(moved.iter().map(counted).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(verdicts(&gang(Profile::Seed, 1), Outcome::Failed).len(), 1);
    // All are over with the first, and so is the job.
    assert_eq!(verdicts(&gang(Profile::Seed, 0), Outcome::Failed).len(), 1);
}

#[test]
fn an_attempt_that_its_gang_cut_off_says_nothing() {
    // Task 0 fails while both run; what is recorded of task 1's first attempt came of that.
    let mut both = members(&[event(0, Outcome::Failed), event(1, Outcome::WorkerFailed)]);
    let again = members(&[event(0, Outcome::Succeeded), event(1, Outcome::Succeeded)]);
    both[1].runs[0].started_at = Some(at(-5));
    for (member, again) in both.iter_mut().zip(again) {
        let run = MemberRun {
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
    assert_eq!((outcome.outcome, outcome.retries), (Came::Succeeded, 1));
    // Alone, task 1 has no budget for a lost attempt.
    let alone = Policy { coscheduled: false, ..policy };
    let outcome = replay(&engine(Profile::Upstream, alone), &both);
    let lost = ["retry_failure", "fail_max_retries_preemption", "fail_tasks_lost"];
    assert_eq!(codes(&outcome), lost);
}

/// Task 0 of a gang fails twice before the recorded attempt of task 1 begins, which is granted
/// each time and made once.
#[test]
fn an_attempt_is_counted_once_however_often_it_is_granted() {
    let failed = event(0, Outcome::Failed);
    let events = [failed, failed, event(0, Outcome::Succeeded), event(1, Outcome::Succeeded)];
    let members = members(&events);
    let options = Options {
        timelines: Timelines::None,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    let policy = Policy {
        max_retries_failure: 2,
        max_task_failures: 2,
        replicas: 2,
        coscheduled: true,
        ..Policy::default()
    };
    let summary = simulate(&engine(Profile::Upstream, policy), &members, options).summary;
    assert_eq!((summary.retries, summary.replayed, summary.unresolved), (2, 3, 0));
    assert_eq!(summary.retried_runs.succeeded.runs, 2);
}

#[test]
fn tasks_that_are_not_on_record_succeed_last() {
    let policy = Policy { max_task_failures: 2, replicas: 3, ..Policy::default() };
    let job = |profile, outcomes: &[Outcome]| {
        let events: Vec<Event> = (0..).zip(outcomes).map(|(task, one)| event(task, *one)).collect();
        replay(&engine(profile, policy), &members(&events))
    };
    let good = job(Profile::Upstream, &[Outcome::Succeeded]);
    assert_eq!(
        (good.outcome, good.system_outcome.as_deref()),
        (Came::Succeeded, Some("SUCCEEDED"))
    );
    let words = "max_retries_failure 0: 1 failed attempt; the job is FAILED: all tasks are over, \
                 and not all succeeded, those that are not on record taken to have succeeded";
    let bad = job(Profile::Upstream, &[Outcome::Failed]);
    assert_eq!((bad.outcome, &*bad.reason), (Came::Failed, words));
    assert_eq!(bad.decisions[0].system.job_state, Some("RUNNING"), "it was when it was decided");
    let last = job(Profile::Upstream, &[Outcome::Failed, Outcome::Succeeded]);
    assert_eq!(codes(&last), ["fail_max_retries_failure", "fail_tasks_failed"]);
    assert_eq!(last.outcome, Came::Failed);
    // The seed has no state for it.
    let seed = job(Profile::Seed, &[Outcome::Failed, Outcome::Succeeded]);
    assert_eq!((seed.outcome, seed.system_outcome.as_deref()), (Came::Unresolved, Some("RUNNING")));
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

#[test]
fn a_unit_of_one_task_is_small() {
    assert!(size_of::<IrisUnit>() <= 96, "{}", size_of::<IrisUnit>());
    assert!(size_of::<IrisFields>() <= 8);
}
