//! Properties of every policy and every sequence of events.

use super::oracle::Model;
use super::rules;
use crate::iris::{
    Budget, Cause, Counts, Decision, Event, Job, Outcome, Phase, Policy, Profile, Rules, Ruling,
    Task, TaskCounts, TaskState, Verdict,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::HashMap;

/// Generates sequences of events, most of which are followed by others.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let outcome = prop_oneof![
        12 => select(vec![Outcome::Failed, Outcome::WorkerFailed, Outcome::Preempted]),
        4 => Just(Outcome::WorkerReportedKilled),
        4 => Just(Outcome::Succeeded),
        1 => select(vec![Outcome::CancelJob, Outcome::Timeout, Outcome::Unschedulable]),
    ];
    let event = (0..5_u32, outcome, select(Phase::ALL.to_vec()));
    vec(event.prop_map(|(task, outcome, phase)| Event { task, outcome, phase }), 1..30)
}

/// Applies the events to a job and passes to `look` the state before each, the decision, and the state after.
fn course(rules: &Rules, events: &[Event], mut look: impl FnMut(&Job, &Decision, &Job)) {
    let mut job = Job::new(rules.policy.replicas);
    let mut changes = Vec::new();
    for event in events {
        let before = job.clone();
        let decision = job.apply(rules, *event, &mut changes);
        look(&before, &decision, &job);
    }
}

fn states(job: &Job) -> Vec<TaskState> {
    job.tasks().iter().map(|task| task.state).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn jobs_run_as_the_plain_model_says(rules in rules(i32::MAX), events in events()) {
        let mut job = Job::new(rules.policy.replicas);
        let mut model = Model::new(rules.profile == Profile::Seed, rules.policy);
        for event in events {
            if event.task >= rules.policy.replicas {
                continue;
            }
            job.apply(&rules, event, &mut Vec::new());
            model.step(event.task as usize, event.outcome.as_str(), event.phase.as_str());
            prop_assert_eq!(job.state().as_str(), model.job, "after {:?}", event);
            for (task, row) in job.tasks().iter().zip(&model.rows) {
                let Counts { failure, preemption } = task.counts;
                prop_assert_eq!(task.state.as_str(), row.state, "after {:?}", event);
                let counted = (i64::from(failure), i64::from(preemption));
                prop_assert_eq!(counted, model.counts(row), "after {:?}", event);
                prop_assert_eq!(task.attempts as usize, row.attempts.len());
                prop_assert_eq!(rules.is_finished(task), model.is_finished(row));
            }
        }
    }

    /// A decision and its changes describe every effect of an event.
    #[test]
    fn changes_lead_from_one_state_to_the_next(rules in rules(i32::MAX), events in events()) {
        let mut job = Job::new(rules.policy.replicas);
        let mut changes = Vec::new();
        for event in events {
            let before = states(&job);
            let decision = job.apply(&rules, event, &mut changes);
            let mut expected = before.clone();
            for change in &changes {
                let slot = &mut expected[change.task as usize];
                // A task that waited had a worker in between.
                let dispatched = *slot == TaskState::Pending && change.from == TaskState::Running;
                prop_assert!(*slot == change.from || dispatched, "{change:?} of {slot:?}");
                prop_assert!(change.task != event.task && change.from != change.to);
                *slot = change.to;
            }
            if let Some(state) = decision.task_state {
                expected[event.task as usize] = state;
            }
            for (number, (expected, is)) in expected.iter().zip(states(&job)).enumerate() {
                let dispatched = *expected == TaskState::Pending && is == TaskState::Running;
                prop_assert!(*expected == is || dispatched, "task {number}: {expected:?}, not {is:?}");
            }
            let by_gang = changes.iter().filter(|change| change.cause != Cause::JobOver).count();
            prop_assert_eq!(decision.siblings as usize, by_gang);
            prop_assert_eq!(decision.killed as usize, changes.len() - by_gang);
            prop_assert_eq!(decision.job_state(), job.state());
            let ignored = matches!(decision.ruling, Ruling::Ignored(_));
            prop_assert!(!ignored || states(&job) == before && changes.is_empty());
        }
    }

    #[test]
    fn nothing_is_lowered_and_a_job_that_is_over_stays_so(rules in rules(i32::MAX), events in events()) {
        let mut ended = false;
        course(&rules, &events, |before, decision, after| {
            assert_eq!(before.state().is_terminal(), ended);
            ended |= decision.ends_job;
            assert!(!before.state().is_terminal() || before == after);
            for (was, is) in before.tasks().iter().zip(after.tasks()) {
                assert!(was.counts.failure <= is.counts.failure);
                assert!(was.counts.preemption <= is.counts.preemption);
                assert!(was.attempts <= is.attempts);
                assert!(!was.state.is_terminal() || was == is);
            }
            let over = after.state().is_terminal();
            assert!(!over || after.tasks().iter().all(|task| task.state.is_terminal()));
            let task_counts = TaskCounts::of(after.tasks().iter().map(|task| (task.state, 1)));
            let ever = after.tasks().iter().any(|task| task.attempts > 0);
            let ignored = matches!(decision.ruling, Ruling::Ignored(_));
            let failures = after.failures(rules.profile);
            assert!(over || ignored || rules.state_reason(&task_counts, failures, ever) == after.state_reason());
        });
    }

    /// A budget pays for as many retries as its limit, and a spent one ends a task.
    #[test]
    fn budgets_are_kept(rules in rules(i32::MAX), events in events()) {
        let mut paid: HashMap<(u32, Budget), i64> = HashMap::new();
        course(&rules, &events, |before, decision, after| {
            let Ruling::Task(verdict) = decision.ruling else { return };
            let limit = |budget| i64::from(rules.limit(budget)).max(0);
            match verdict {
                Verdict::Retry(budget) => {
                    let paid = paid.entry((decision.event.task, budget)).or_default();
                    *paid += 1;
                    assert!(*paid <= limit(budget));
                }
                Verdict::Exhausted(budget) => {
                    let spent = paid.get(&(decision.event.task, budget)).copied().unwrap_or(0);
                    assert_eq!(spent, limit(budget), "{decision:?}");
                    let task = after.tasks()[decision.event.task as usize];
                    assert!(rules.is_finished(&task));
                }
                Verdict::RetryFree => {
                    assert_eq!(decision.event.phase, Phase::Assigned);
                    let was = before.tasks()[decision.event.task as usize];
                    assert_eq!(was.counts, decision.counts);
                }
                Verdict::Final => {}
            }
        });
    }

    /// A higher limit never makes an end more final.
    #[test]
    fn a_higher_limit_retries_what_a_lower_one_did(
        rules in rules(i32::MAX),
        outcome in select(Outcome::ALL.to_vec()),
        started in any::<bool>(),
        counts in (0..6_u32, 0..6_u32),
        more in 0..3_i32,
    ) {
        let counts = Counts { failure: counts.0, preemption: counts.1 };
        let Policy { max_retries_failure, max_retries_preemption, .. } = rules.policy;
        let policy = Policy {
            max_retries_failure: max_retries_failure.saturating_add(more),
            max_retries_preemption: max_retries_preemption.saturating_add(more),
            ..rules.policy
        };
        let higher = Rules { policy, ..rules };
        let (lower, higher) =
            (rules.resolve(outcome, started, counts), higher.resolve(outcome, started, counts));
        prop_assert!(!lower.verdict.retries() || higher.verdict.retries());
        prop_assert_eq!(lower.counts, higher.counts);
        prop_assert_eq!(lower.verdict.retries(), lower.state == TaskState::Pending);
    }

    /// If failed attempts equal failed tasks, both sources agree on a job's state, with one exception.
    #[test]
    fn profiles_agree_on_jobs_but_for_failures_that_are_borne(
        rules in rules(i32::MAX),
        counts in vec((select(TaskState::ALL.to_vec()), 0..3_u32), 0..6),
        started in any::<bool>(),
    ) {
        let task_counts = TaskCounts::of(counts.iter().copied());
        let [seed, upstream] = Profile::ALL.map(|profile| {
            Rules { profile, ..rules }.state_reason(&task_counts, task_counts.failed, started).state()
        });
        let over = counts.iter().all(|(state, count)| *count == 0 || state.is_terminal());
        let all: u32 = counts.iter().map(|(_, count)| count).sum();
        let borne = i64::from(task_counts.failed) <= i64::from(rules.policy.max_task_failures);
        let done = task_counts.succeeded + task_counts.failed == all && task_counts.failed > 0;
        prop_assert_eq!(seed != upstream, over && borne && done);
        prop_assert_eq!(task_counts.total(), all);
    }

    /// The charges of attempts do not depend on their order, and an attempt charges at most once.
    #[test]
    fn counts_are_of_attempts(
        profile in select(Profile::ALL.to_vec()),
        attempts in vec((select(TaskState::ALL.to_vec()), any::<bool>()), 0..8),
    ) {
        let counts = profile.counts(attempts.iter().copied());
        prop_assert_eq!(counts, profile.counts(attempts.iter().rev().copied()));
        let failed = attempts.iter().filter(|(state, _)| *state == TaskState::Failed).count();
        prop_assert_eq!(counts.failure as usize, failed);
        let over = attempts.iter().filter(|(state, _)| state.is_terminal()).count();
        prop_assert!((counts.failure + counts.preemption) as usize <= over);
    }
}

#[test]
fn what_was_spent_before_counts() {
    let policy = Policy { max_retries_failure: 2, max_task_failures: 9, ..Policy::default() };
    let rules = Rules { profile: Profile::Upstream, policy };
    let event = Event { task: 0, outcome: Outcome::Failed, phase: Phase::Running };
    for (failure, verdict) in
        [(1, Verdict::Retry(Budget::Failure)), (2, Verdict::Exhausted(Budget::Failure))]
    {
        let mut job = Job::new(1);
        job.charge_earlier(0, Counts { failure, preemption: 0 });
        let decision = job.apply(&rules, event, &mut Vec::new());
        assert_eq!(decision.ruling, Ruling::Task(verdict));
        assert_eq!((decision.failures, decision.attempts), (failure + 1, failure + 1));
    }
    assert_eq!(Job::new(3).tasks(), [Task::NEW; 3]);
}
