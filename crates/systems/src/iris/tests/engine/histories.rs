//! Histories of the vectors and random ones, replayed as records.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

/// Returns the outcome that reports show for a state of a job.
fn reported_outcome(state: &str, cancelled: bool) -> &'static str {
    match state {
        "SUCCEEDED" => "Succeeded",
        "PENDING" | "RUNNING" => "Unresolved",
        "KILLED" if cancelled => "Cancelled",
        _ => "Failed",
    }
}

/// The histories of the vectors, as records, have the expected outcomes. If not all tasks are recorded, the
/// job may continue further.
#[test]
fn histories_of_the_vectors_replay_as_they_say() {
    let text =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/vectors/iris.json"));
    let vectors: Value = serde_json::from_str(text).unwrap();
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
            assert_eq!(outcome.outcome, reported_outcome(state, cancelled), "{name}");
            assert!(outcome.contradictions.is_empty(), "{name}");
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
        1 => select(vec![Outcome::Timeout, Outcome::Unschedulable, Outcome::CancelJob]),
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

    /// Without a gang, the replay of records equals applying the events to the job: events of tasks that are
    /// over change nothing in either.
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
            let is_decided = event.outcome != Outcome::Succeeded
                || decision.ends_job && job.state() != JobState::Succeeded;
            if is_decided && !matches!(decision.ruling, Ruling::Ignored(_) | Ruling::Cancelled) {
                codes_of_job.push(decision.code());
            }
        }
        let on_record = members(&events);
        let outcome = replay(&engine(profile, policy), &on_record);
        let reported = codes(&outcome);
        let all = on_record.len() == policy.replicas as usize;
        if all {
            prop_assert_eq!(&reported, &codes_of_job);
            prop_assert_eq!(outcome.system_outcome.as_deref(), Some(job.state().as_str()));
        } else {
            // Tasks without records succeed, which may end the job a decision earlier.
            prop_assert!(codes_of_job.starts_with(&reported[..reported.len().saturating_sub(1)]));
        }
    }

    /// The order of a job's members does not change its outcome.
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
