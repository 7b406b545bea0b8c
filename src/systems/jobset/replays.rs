//! Small histories of a JobSet, replayed.

use super::super::job::{PodContainer, PodFields, PodOutcome};
use super::{FeatureGates, JobSetEngine, SetFields, read};
use crate::diag::{Findings, Source};
use crate::document::{Limits, parse};
use crate::history::{Member, MemberRun};
use crate::simulate::{Described, MemberOutcome, Names, Replay, Summary};
use crate::units::Time;

const SET: &str = "
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: js}
spec:
  replicatedJobs:
  - {name: w, replicas: 2, template: {spec: {backoffLimit: 0, completions: 2, parallelism: 2, podFailurePolicy: {rules: [
      {action: FailJob, onExitCodes: {operator: In, values: [42]}}]}, template: {spec: {restartPolicy: Never, containers: [{name: main}]}}}}}
  - {name: d, template: {spec: {backoffLimit: 1, template: {spec: {restartPolicy: Never, containers: [{name: main}]}}}}}
";

fn engine(policy: &str, gates: &str) -> JobSetEngine {
    let policy = match policy {
        "" => String::new(),
        policy => format!("  failurePolicy: {policy}\n"),
    };
    let source = Source::new("js.yaml", format!("{SET}{policy}"));
    let (documents, mut findings) = parse(&source, Limits::POLICY);
    let gates = FeatureGates::named(gates);
    let mut found = Findings::new();
    let set = read(&documents[0], gates, &mut found);
    findings.extend(found);
    let set = set.unwrap_or_else(|| panic!("{:?}", findings.sorted()));
    JobSetEngine::new(vec![set], gates, super::super::job::JobOptions::default())
}

/// A run that ended in second `at`: `ok`, `stop`, `exit N` of a pod, or a Job's reason.
fn run(job: &str, at: i64, how: &str) -> MemberRun<SetFields> {
    let mut pod = PodFields { outcome: PodOutcome::Failed, ..PodFields::default() };
    let mut own = SetFields { job_name: job.into(), ..SetFields::default() };
    match (how, how.strip_prefix("exit ")) {
        ("ok", _) => pod.outcome = PodOutcome::Succeeded,
        ("stop", _) => pod.outcome = PodOutcome::Stopped,
        (_, Some(code)) => {
            let exit_code = Some(code.parse().unwrap());
            let main = PodContainer { name: "main".into(), exit_code, ..PodContainer::default() };
            pod.containers = vec![main].into();
            pod.name = "js-pod".into();
        }
        (reason, None) => own.failure_reason = reason.into(),
    }
    own.pod = pod;
    let finished_at = Some(Time::from_epoch_seconds(at));
    MemberRun { run_index: 0, started_at: None, finished_at, node: None, cluster: None, own }
}

type History<'h> = &'h [((&'h str, u32), &'h [(i64, &'h str)])];

fn members(history: History<'_>) -> Vec<Member<SetFields>> {
    let member = |((job, index), runs): &((&str, u32), &[(i64, &str)])| {
        let numbered = runs.iter().zip(0..);
        let runs = numbered.map(|((at, how), run_index)| {
            let mut run = MemberRun { run_index, ..run(job, *at, how) };
            run.own.pod.index = *index;
            run
        });
        let key = ((*job).into(), *index);
        Member { unit: "js".into(), queue: "".into(), key, alone: false, runs: runs.collect() }
    };
    history.iter().map(member).collect()
}

fn replay(engine: &JobSetEngine, history: History<'_>) -> MemberOutcome {
    let members = members(history);
    let members: Vec<&Member<SetFields>> = members.iter().collect();
    let places: Vec<usize> = (0..members.len()).collect();
    let names = Names::default();
    let mut summary = Summary::new(engine.rules().len());
    let mut outcomes =
        Replay::new(engine, &names, true).unit(&members, &places, None, &mut summary);
    outcomes.remove(0)
}

fn told(outcome: &MemberOutcome) -> Vec<String> {
    let decisions = outcome.decisions.iter();
    decisions
        .map(|d| format!("{} {}", d.system.job_name.as_deref().unwrap_or("-"), d.decision))
        .collect()
}

#[test]
fn a_set_without_a_policy_fails_with_its_first_job() {
    let engine = engine("", "");
    let out = replay(
        &engine,
        &[(("js-w-0", 0), &[(5, "DeadlineExceeded")]), (("js-d-0", 0), &[(9, "ok")])],
    );
    assert_eq!(told(&out), ["js-w-0 fail_no_policy"]);
    assert_eq!(out.system_outcome.as_deref(), Some("FailedJobs"));
}

#[test]
fn a_pods_failure_fails_its_job_and_then_restarts_the_set() {
    let engine = engine(
        "{maxRestarts: 1, rules: [{action: FailJobSet, onJobFailureMessagePatterns: [exit code 42]}]}",
        "",
    );
    let history: History<'_> = &[
        (("js-w-0", 0), &[(5, "exit 1"), (9, "exit 42")]),
        (("js-w-0", 1), &[(7, "stop"), (8, "ok")]),
        (("js-d-0", 0), &[(3, "ok"), (20, "ok")]),
    ];
    let out = replay(&engine, history);
    let expected = [
        "js-w-0 fail_backoff_limit",
        "js-w-0 restart_jobset",
        "js-w-0 fail_job",
        "js-w-0 fail_rule",
    ];
    assert_eq!(told(&out), expected);
    assert_eq!(out.system_outcome.as_deref(), Some("FailJobSetFailurePolicyAction"));
    let last = &out.decisions[3];
    let message = "Container main for pod default/js-pod failed with exit code 42 matching FailJob rule at index 0";
    assert_eq!(last.system.failure_message.as_deref(), Some(message));
    assert_eq!((last.policy.as_deref(), last.rule_index), (Some("js"), Some(0)));
    assert_eq!(out.decisions[2].policy.as_deref(), Some("js/w"));
}

#[test]
fn a_job_has_its_own_budget_first_and_a_new_one_after_a_restart() {
    let engine = engine("{maxRestarts: 1}", "");
    let history: History<'_> = &[
        (("js-d-0", 0), &[(5, "exit 1"), (50, "exit 1"), (60, "exit 1"), (90, "ok")]),
        (("js-w-0", 0), &[(7, "ok"), (70, "ok")]),
    ];
    let out = replay(&engine, history);
    let expected =
        ["js-d-0 retry", "js-d-0 fail_backoff_limit", "js-d-0 restart_jobset", "js-d-0 retry"];
    assert_eq!(told(&out), expected);
    // The wait begins anew: one failure, ten seconds.
    assert_eq!(out.decisions[3].delay_seconds, Some(10.0));
    assert_eq!(out.system_outcome.as_deref(), Some("Completed"));
}

#[test]
fn failures_of_one_second_are_one_restart_of_the_set() {
    let engine = engine("{maxRestarts: 1}", "");
    let history: History<'_> = &[
        (("js-w-1", 0), &[(5, "BackoffLimitExceeded"), (9, "ok")]),
        (("js-w-0", 0), &[(5, "BackoffLimitExceeded"), (9, "ok")]),
    ];
    let out = replay(&engine, history);
    assert_eq!(told(&out), ["js-w-0 restart_jobset"]);
    assert!(out.decisions[0].reason.contains("another failed Job"), "{}", out.decisions[0].reason);
    assert_eq!(out.system_outcome.as_deref(), Some("Completed"));
}

#[test]
fn jobs_restart_one_by_one_out_of_one_budget() {
    let engine = engine("{maxRestarts: 1, rules: [{action: RestartJob}]}", "RestartJob=true");
    let history: History<'_> = &[
        (("js-w-1", 0), &[(5, "BackoffLimitExceeded"), (9, "ok")]),
        (("js-w-0", 0), &[(5, "BackoffLimitExceeded"), (9, "ok")]),
    ];
    let out = replay(&engine, history);
    assert_eq!(told(&out), ["js-w-0 restart_job", "js-w-1 fail_max_restarts"]);
    let restarts = out.decisions[1].system.job_restarts.as_ref().unwrap();
    assert_eq!(restarts.keys().collect::<Vec<_>>(), ["js-w-0"]);
    assert_eq!(out.system_outcome.as_deref(), Some("ReachedMaxRestarts"));
}

#[test]
fn what_the_controller_cannot_do_is_told_once_and_leaves_the_set_as_it_is() {
    let engine = engine("{maxRestarts: 3, rules: [{action: RestartJob}]}", "RestartJob=true");
    let history: History<'_> =
        &[(("js-w-7", 0), &[(5, "BackoffLimitExceeded")]), (("js-d-0", 0), &[(9, "ok")])];
    let out = replay(&engine, history);
    assert_eq!(told(&out), ["js-w-7 reconcile_error"]);
    assert_eq!(out.system_outcome, None);
}

#[test]
fn a_failure_beats_a_success_of_the_same_second() {
    let engine = engine("{maxRestarts: 0}", "");
    let history: History<'_> =
        &[(("js-d-0", 0), &[(5, "ok")]), (("js-w-0", 0), &[(5, "FailedIndexes")])];
    let out = replay(&engine, history);
    assert_eq!(told(&out), ["js-w-0 fail_max_restarts"]);
}

#[test]
fn a_job_of_a_strange_name_is_restarted_by_default_only() {
    let engine = engine("{maxRestarts: 1, rules: [{action: FailJobSet}]}", "");
    let out = replay(&engine, &[(("other", 0), &[(5, "FailedIndexes"), (9, "ok")])]);
    assert_eq!(told(&out), ["other restart_jobset"]);
    assert_eq!(out.decisions[0].rule_index, None);
}

#[test]
fn a_second_run_that_is_not_on_record_leaves_the_set_open() {
    let engine = engine("{maxRestarts: 1}", "");
    let out = replay(&engine, &[(("js-w-0", 0), &[(5, "FailedIndexes")])]);
    assert_eq!(out.system_outcome, None);
    assert_eq!(out.outcome.as_str(), "Unresolved");
}

#[test]
fn a_pod_restarted_in_place_too_often_fails_the_set() {
    let source = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: js}\nspec:\n  failurePolicy: {maxRestarts: 1, restartStrategy: InPlaceRestart}\n  replicatedJobs:\n  - {name: w, template: {spec: {backoffLimit: 2147483647, podReplacementPolicy: Failed, completions: 1, parallelism: 1, template: {spec: {restartPolicy: OnFailure, containers: [{name: main}]}}}}}\n";
    let (documents, _) = parse(&Source::new("js.yaml", source), Limits::POLICY);
    let gates = FeatureGates { in_place_restart: true, ..FeatureGates::default() };
    let mut findings = Findings::new();
    let set = read(&documents[0], gates, &mut findings).unwrap();
    let engine = JobSetEngine::new(vec![set], gates, super::super::job::JobOptions::default());
    let mut runs: Vec<MemberRun<SetFields>> = (0..3)
        .map(|attempt| {
            let mut run = run("js-w-0", i64::from(attempt) * 10, "stop");
            run.own.pod.outcome = PodOutcome::Running;
            run.own.in_place_restart_attempt = Some(attempt);
            MemberRun { run_index: attempt, ..run }
        })
        .collect();
    let member = |runs| Member {
        unit: "js".into(),
        queue: "".into(),
        key: ("js-w-0".into(), 0),
        alone: true,
        runs,
    };
    let end = |runs: Vec<MemberRun<SetFields>>| {
        let member = member(runs);
        let names = Names::default();
        let mut summary = Summary::new(engine.rules().len());
        let mut replay = Replay::new(&engine, &names, true);
        replay.unit(&[&member], &[0], None, &mut summary).remove(0)
    };
    let out = end(runs.clone());
    assert_eq!(told(&out), ["js-w-0 fail_in_place_limit"]);
    assert_eq!((out.decisions[0].count, out.decisions[0].limit), (Some(2), Some(1)));
    assert_eq!(out.system_outcome.as_deref(), Some("ReachedMaxRestarts"));
    runs.pop();
    runs.push(run("js-w-0", 30, "ok"));
    assert_eq!(end(runs).system_outcome.as_deref(), Some("Completed"));
}

#[test]
fn a_deadline_fails_a_job_though_none_of_its_pods_ends() {
    for span in [30, 0] {
        let text = SET.replace(
            "{name: d, template: {spec: {",
            &format!("{{name: d, template: {{spec: {{activeDeadlineSeconds: {span}, "),
        );
        let policy = "  failurePolicy: {rules: [{action: RestartJobSetAndIgnoreMaxRestarts}]}\n";
        let (documents, _) =
            parse(&Source::new("js.yaml", format!("{text}{policy}")), Limits::POLICY);
        let gates = FeatureGates::default();
        let set = read(&documents[0], gates, &mut Findings::new()).unwrap();
        let engine = JobSetEngine::new(vec![set], gates, super::super::job::JobOptions::default());
        let at = |run: MemberRun<SetFields>, second| MemberRun {
            started_at: Some(Time::from_epoch_seconds(second)),
            ..run
        };
        // The second run begins where the set restarts, and ends before its deadline.
        let runs = vec![at(run("js-d-0", 100, "ok"), 0), at(run("js-d-0", 120, "ok"), 100)];
        let (unit, queue, key) = ("js".into(), "".into(), ("js-d-0".into(), 0));
        let member = Member { unit, queue, key, alone: true, runs };
        let names = Names::default();
        let mut summary = Summary::new(engine.rules().len());
        let mut replay = Replay::new(&engine, &names, true);
        let out = replay.unit(&[&member], &[0], None, &mut summary).remove(0);
        let told = told(&out);
        let expected = ["js-d-0 fail_deadline", "js-d-0 restart_jobset_ignored"];
        assert!(told.iter().take(2).eq(&expected), "{span}: {told:?}");
    }
}
