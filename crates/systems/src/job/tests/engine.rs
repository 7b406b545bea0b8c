//! Jobs replayed from first pod to last.

use crate::job::*;
use document::diag::Source;
use document::units::Time;
use document::{Limits, parse};
use replay::history::{Member, Run};
use replay::simulate::{JobReport, Options, Timelines, simulate};
use std::num::NonZeroUsize;
use std::sync::Arc;

fn engine(spec: &str) -> JobEngine {
    let (documents, findings) = parse(&Source::new("job.yaml", spec), Limits::POLICY);
    assert!(findings.is_empty());
    let policy = read(&documents[0].root, Creator::Manifest, FeatureGates::default());
    let manifest = JobManifest { name: "train".into(), namespace: String::new(), policy };
    JobEngine::new(vec![manifest], JobOptions::default())
}

fn pod(outcome: PodOutcome, code: Option<i32>) -> PodFields {
    let container =
        PodContainer { name: "main".into(), exit_code: code, ..PodContainer::default() };
    PodFields { outcome, containers: [container].into(), ..PodFields::default() }
}

/// Makes a run that ends `ends` seconds after the beginning.
fn run(ends: i64, own: PodFields) -> Run<PodFields> {
    let at = |seconds| Some(Time::from_epoch_seconds(seconds));
    Run { run_index: 0, started_at: at(0), finished_at: at(ends), node: None, cluster: None, own }
}

/// Replays a Job with these members' runs.
fn replay(engine: &JobEngine, members: &[&[Run<PodFields>]]) -> JobReport {
    let member = |(key, runs): (usize, &&[Run<PodFields>])| Member {
        unit: "train".into(),
        queue: "".into(),
        unit_fields: Arc::default(),
        key: u32::try_from(key).unwrap(),
        is_single: members.len() == 1,
        runs: runs.to_vec(),
    };
    let members: Vec<Member<PodFields>> = members.iter().enumerate().map(member).collect();
    let options = Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    simulate(engine, &members, options).jobs.unwrap().remove(0)
}

fn decisions(outcome: &JobReport) -> Vec<&str> {
    outcome.decisions.iter().map(|decision| decision.decision.as_str()).collect()
}

fn failed(ends: i64, code: i32) -> Run<PodFields> {
    run(ends, pod(PodOutcome::Failed, Some(code)))
}

fn succeeded(ends: i64) -> Run<PodFields> {
    run(ends, pod(PodOutcome::Succeeded, Some(0)))
}

/// The run, begun at this second.
fn from(start: i64, run: Run<PodFields>) -> Run<PodFields> {
    Run { started_at: Some(Time::from_epoch_seconds(start)), ..run }
}

/// A pod that is stopped by the end of its Job is counted as run; one that would start only later is not.
#[test]
fn what_the_end_of_a_job_stops_is_counted() {
    let two = engine("{completions: 2, parallelism: 2, backoffLimit: 0}");
    let late = |start| [from(start, succeeded(300))];
    let count = |outcome: JobReport| (outcome.not_reached, outcome.cut_off.unwrap_or_default());
    assert_eq!(count(replay(&two, &[&[failed(100, 1)], &late(200)])), (1, 0));
    assert_eq!(count(replay(&two, &[&[failed(100, 1)], &late(50)])), (0, 1));
    // The deadline of a Job of one pod stops pods in the same way.
    let one = engine("{backoffLimit: 3, activeDeadlineSeconds: 50}");
    assert_eq!(count(replay(&one, &[&[succeeded(300)]])), (0, 1));
    assert_eq!(count(replay(&one, &[&[failed(40, 1), late(200)[0].clone()]])), (1, 0));
}

#[test]
fn a_limit_of_n_is_n_retries() {
    for limit in 0..5_u32 {
        let engine = engine(&format!("backoffLimit: {limit}"));
        let runs: Vec<_> = (1..=9).map(|at| failed(at * 1000, 1)).collect();
        let outcome = replay(&engine, &[&runs]);
        assert_eq!(outcome.retries, u64::from(limit));
        assert_eq!(outcome.system_outcome.as_deref(), Some("BackoffLimitExceeded"));
        let last = outcome.decisions.last().unwrap();
        assert_eq!(last.decision, "fail_backoff_limit");
        assert_eq!((last.count, last.limit), (Some(limit + 1), Some(i64::from(limit))));
        let waits: Vec<_> = outcome.decisions.iter().filter_map(|one| one.delay_seconds).collect();
        assert_eq!(waits, [10.0, 20.0, 40.0, 80.0][..limit as usize]);
    }
}

#[test]
fn pods_that_fail_together_double_the_wait_each() {
    let engine = engine("{backoffLimit: 6, completions: 3, parallelism: 3}");
    let one = [failed(5, 1), from(50, succeeded(100))];
    let outcome = replay(&engine, &[&one, &one, &one]);
    assert_eq!(outcome.system_outcome.as_deref(), Some("Complete"));
    assert!(outcome.decisions.iter().all(|one| one.delay_seconds == Some(40.0)));
}

const RULES: &str = "
completions: 2
parallelism: 2
completionMode: Indexed
backoffLimitPerIndex: 1
podFailurePolicy:
  rules:
  - {action: Ignore, onExitCodes: {operator: In, values: [7]}}
  - {action: FailIndex, onExitCodes: {operator: In, values: [8]}}
  - {action: FailJob, onExitCodes: {operator: In, values: [9]}}";

#[test]
fn an_index_fails_by_itself_and_the_job_when_all_are_done() {
    let engine = engine(RULES);
    let one = [failed(10, 7), failed(100, 1), failed(200, 1)];
    let outcome = replay(&engine, &[&one, &[succeeded(300)]]);
    assert_eq!(decisions(&outcome), ["retry_ignored", "retry", "fail_index", "fail_indexes"]);
    let waits: Vec<_> = outcome.decisions.iter().map(|one| one.delay_seconds).collect();
    assert_eq!(waits, [Some(10.0), Some(20.0), None, None]);
    assert_eq!(outcome.outcome, "Failed");
    assert_eq!(outcome.system_outcome.as_deref(), Some("FailedIndexes"));
    let at_once = replay(&engine, &[&[failed(10, 8)]]);
    assert_eq!(
        decisions(&at_once),
        ["fail_indexes"],
        "the other index is assumed to have succeeded"
    );
    let taken = "; 1 index without records is assumed to have succeeded";
    assert!(at_once.decisions[0].reason.ends_with(taken), "{}", at_once.decisions[0].reason);
    assert!(
        !outcome.decisions[3].reason.contains("without records"),
        "{}",
        outcome.decisions[3].reason
    );
}

#[test]
fn nothing_of_one_failure_alone_is_taken_to_have_succeeded() {
    let explained = |completions: u32| {
        let engine =
            engine(&RULES.replace("completions: 2", &format!("completions: {completions}")));
        let member = Member {
            unit: "train".into(),
            queue: "".into(),
            unit_fields: Arc::default(),
            key: 0,
            is_single: true,
            runs: vec![failed(10, 8)],
        };
        crate::explain(&engine, &member, 0, 0).unwrap().0.decision
    };
    assert_eq!(explained(2), "fail_index");
    assert_eq!(explained(1), "fail_indexes");
}

#[test]
fn a_rule_fails_the_job_and_its_message_tells_why() {
    let outcome = replay(&engine(RULES), &[&[failed(10, 9)], &[succeeded(300)]]);
    assert_eq!(decisions(&outcome), ["fail_job"]);
    let decision = &outcome.decisions[0];
    assert_eq!((decision.rule_index, decision.action.as_str()), (Some(2), "FailJob"));
    assert_eq!(
        decision.system.text("failureMessage"),
        Some(
            "Container main for pod default/train-0 failed with exit code 9 matching FailJob rule at index 2"
        ),
    );
}

#[test]
fn restarts_in_place_add_up_across_pods() {
    let engine = engine(
        "{backoffLimit: 3, completions: 2, parallelism: 2, template: {spec: {restartPolicy: OnFailure}}}",
    );
    let pod_end = |ends, outcome, restarts| run(ends, PodFields { restarts, ..pod(outcome, None) });
    let one = [pod_end(10, PodOutcome::Running, 1), pod_end(500, PodOutcome::Succeeded, 1)];
    let two = [pod_end(20, PodOutcome::Running, 1), pod_end(30, PodOutcome::Running, 2)];
    let outcome = replay(&engine, &[&one, &two]);
    assert_eq!(decisions(&outcome), ["fail_backoff_limit"]);
    assert_eq!(outcome.reason, "backoffLimit 3: 3 restarts");
    let two = [two[0].clone(), succeeded(600)];
    let outcome = replay(&engine, &[&one, &two]);
    assert_eq!(outcome.system_outcome.as_deref(), Some("Complete"));
}

/// Only restarts of running pods count (Kubernetes 1.34, `pastBackoffLimitOnFailure`).
#[test]
fn restarts_of_a_pod_that_ends_do_not_add_to_those_of_the_same_moment() {
    let engine = engine(
        "{completionMode: Indexed, completions: 3, parallelism: 3, backoffLimit: 2, \
         backoffLimitPerIndex: 0, template: {spec: {restartPolicy: OnFailure}}}",
    );
    let pod_end = |ends, outcome, restarts| run(ends, PodFields { restarts, ..pod(outcome, None) });
    let at = |index, mut run: Run<PodFields>| {
        run.own.index = index;
        run
    };
    let zero =
        [at(0, pod_end(35, PodOutcome::Running, 1)), at(0, pod_end(55, PodOutcome::Succeeded, 1))];
    let one =
        [at(1, pod_end(24, PodOutcome::Running, 1)), at(1, pod_end(35, PodOutcome::Failed, 1))];
    let outcome = replay(&engine, &[&zero, &one, &[at(2, succeeded(35))]]);
    assert_eq!(outcome.system_outcome.as_deref(), Some("FailedIndexes"));
}

#[test]
fn a_deadline_ends_the_job_between_pods() {
    let engine = engine("{activeDeadlineSeconds: 60, completions: 2, parallelism: 2}");
    let one = [failed(10, 1), from(20, succeeded(80))];
    let outcome = replay(&engine, &[&one, &[succeeded(90)]]);
    assert_eq!(decisions(&outcome), ["retry", "fail_deadline"]);
    assert_eq!(outcome.system_outcome.as_deref(), Some("DeadlineExceeded"));
    let late = outcome.decisions.last().unwrap();
    assert_eq!(late.failed_at.as_deref(), Some("1970-01-01T00:01:00Z"));
    let first = replay(&engine, &[&[failed(61, 1)], &[succeeded(90)]]);
    assert_eq!(decisions(&first), ["fail_deadline"]);
}

#[test]
fn what_somebody_else_ended_is_nobodys_failure() {
    let engine = engine("backoffLimit: 0");
    let outcome = replay(&engine, &[&[run(5, pod(PodOutcome::Cancelled, None))]]);
    assert_eq!((&*outcome.outcome, outcome.decisions.len()), ("Cancelled", 0));
    let outcome = replay(&engine, &[&[run(5, pod(PodOutcome::Stopped, None))]]);
    assert_eq!((&*outcome.outcome, outcome.decisions.len()), ("Unresolved", 0));
}

#[test]
fn a_success_is_enough_where_no_completions_are_asked_for() {
    let engine = engine("{parallelism: 2}");
    let outcome = replay(&engine, &[&[succeeded(10)], &[failed(20, 1)]]);
    assert_eq!(decisions(&outcome), ["not_replaced"]);
    assert_eq!(outcome.outcome, "Succeeded");
}

/// A rule fails the whole Job: pods that failed in the same second get the Job's reason instead of their own.
#[test]
fn pods_that_fail_with_the_job_carry_its_reason() {
    let engine = engine(RULES);
    let mut culprit = failed(10, 9);
    culprit.own.name = "culprit".into();
    for members in
        [[vec![culprit.clone()], vec![failed(10, 7)]], [vec![failed(10, 7)], vec![culprit]]]
    {
        let outcome = replay(&engine, &[&members[0], &members[1]]);
        assert_eq!(decisions(&outcome), ["fail_job", "fail_job"]);
        for decision in &outcome.decisions {
            assert_eq!((decision.rule_index, decision.action.as_str()), (Some(2), "FailJob"));
            let message = decision.system.text("failureMessage").unwrap();
            assert!(message.contains("pod default/culprit failed with exit code 9"), "{message}");
        }
    }
}

#[test]
fn what_is_no_limit_has_no_figures() {
    let at_once = replay(&engine(RULES), &[&[failed(10, 8)]]);
    let last = &at_once.decisions[0];
    assert_eq!((last.decision.as_str(), last.limit, last.count), ("fail_indexes", None, None));
}

/// Returns `status.failed` after the last decision, the count that the limit was compared with, and the
/// number of runs that were cut off.
fn failed_at_end(outcome: &JobReport) -> (u64, Option<u32>, u64) {
    let last = outcome.decisions.last().unwrap();
    let failed = last.system.count("failed").unwrap();
    let failed = serde_json::to_value(failed).unwrap().as_u64().unwrap();
    (failed, last.count, outcome.cut_off.unwrap_or_default())
}

/// The case "exceeding the global backoff limit first" of `TestBackoffLimitPerIndex` in
/// kubernetes/kubernetes' `test/integration/job/job_test.go`: the two pods that run when the third fails are
/// counted too.
#[test]
fn a_job_that_fails_counts_its_active_pods() {
    let spec = "{completionMode: Indexed, completions: 5, parallelism: 5, backoffLimit: 2, backoffLimitPerIndex: 2}";
    let (first, late) = ([failed(10, 1)], [succeeded(100)]);
    let outcome = replay(&engine(spec), &[&first, &first, &first, &late, &late]);
    assert_eq!(outcome.system_outcome.as_deref(), Some("BackoffLimitExceeded"));
    assert_eq!(failed_at_end(&outcome), (5, Some(3), 2));
    // A pod without a recorded end is counted; a pod that would start later is not.
    let on = [Run { finished_at: None, ..run(0, pod(PodOutcome::Running, None)) }];
    let later = [Run { started_at: Some(Time::from_epoch_seconds(50)), ..succeeded(100) }];
    let outcome = replay(&engine(spec), &[&first, &first, &first, &on, &later]);
    assert_eq!(failed_at_end(&outcome), (4, Some(3), 0));
    // A deadline stops the pod of a Job of one pod, and those of a Job of several.
    let one = engine("{activeDeadlineSeconds: 60}");
    assert_eq!(failed_at_end(&replay(&one, &[&late])), (1, None, 1));
    let two = engine("{activeDeadlineSeconds: 60, completions: 2, parallelism: 2}");
    assert_eq!(failed_at_end(&replay(&two, &[&late, &late])), (2, None, 2));
    assert_eq!(failed_at_end(&replay(&two, &[&late, &[failed(9, 1)]])), (2, None, 1));
}

/// A success policy stops pods too, but they do not count as failed.
#[test]
fn pods_that_a_success_policy_stops_have_not_failed() {
    let spec = "{completionMode: Indexed, completions: 3, parallelism: 3, successPolicy: {rules: [{succeededIndexes: '1'}]}}";
    let mut first = succeeded(10);
    first.own.index = 1;
    let outcome = replay(&engine(spec), &[&[failed(10, 1)], &[first], &[succeeded(100)]]);
    assert_eq!(outcome.system_outcome.as_deref(), Some("Complete"));
    assert_eq!(decisions(&outcome), ["not_replaced"]);
    assert_eq!(failed_at_end(&outcome), (1, Some(1), 1));
}

proptest::proptest! {
    /// If each pod runs once, the failed pods are those that failed up to the end of their Job, and those
    /// that it cut off.
    #[test]
    fn failed_pods_are_those_that_failed_and_those_that_were_cut_off(
        runs in proptest::collection::vec((0_i64..50, 0_i64..50, proptest::bool::ANY), 1..9),
        limit in 0_usize..4,
    ) {
        let spec = format!(
            "{{completionMode: Indexed, completions: 9, parallelism: 9, backoffLimit: {limit}, backoffLimitPerIndex: 9}}"
        );
        let members: Vec<[Run<PodFields>; 1]> = runs
            .iter()
            .map(|(start, length, fails)| {
                let ends = start + length;
                let run = if *fails { failed(ends, 1) } else { succeeded(ends) };
                [Run { started_at: Some(Time::from_epoch_seconds(*start)), ..run }]
            })
            .collect();
        let members: Vec<&[Run<PodFields>]> = members.iter().map(|runs| &runs[..]).collect();
        let outcome = replay(&engine(&spec), &members);
        let mut ends: Vec<i64> =
            runs.iter().filter(|(.., fails)| *fails).map(|(start, length, _)| start + length).collect();
        ends.sort_unstable();
        if let Some(end) = ends.get(limit) {
            let failed = ends.iter().filter(|at| *at <= end).count() as u64;
            let active = runs.iter().filter(|(start, length, _)| start < end && start + length > *end);
            let active = active.count() as u64;
            let counted = u32::try_from(failed).ok();
            proptest::prop_assert_eq!(failed_at_end(&outcome), (failed + active, counted, active));
        } else {
            proptest::prop_assert_ne!(outcome.system_outcome.as_deref(), Some("BackoffLimitExceeded"));
        }
    }
}
