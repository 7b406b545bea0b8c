//! Replays of small histories of a JobSet.

use crate::job::{JobOptions, PodContainer, PodFields, PodOutcome};
use crate::jobset::{FeatureGates, JobSetEngine, SetFields, read};
use compact_str::CompactString;
use document::diag::{Findings, Source};
use document::units::Time;
use document::{Limits, parse};
use replay::history::{Member, Run};
use replay::simulate::{JobReport, Options, Timelines, simulate};
use std::num::NonZeroUsize;
use std::sync::Arc;

mod failures;
mod times;

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
    engine_of(&format!("{SET}{policy}"), FeatureGates::named(gates))
}

fn engine_of(manifest: &str, gates: FeatureGates) -> JobSetEngine {
    let (documents, mut findings) = parse(&Source::new("js.yaml", manifest), Limits::POLICY);
    let mut found = Findings::new();
    let set = read(&documents[0], gates, &mut found);
    findings.extend(found);
    let set = set.unwrap_or_else(|| panic!("{:?}", findings.sorted()));
    JobSetEngine::new(vec![set], gates, JobOptions::default())
}

/// Makes a run that ended in second `at`: `ok`, `stop` or `exit N` of a pod, or a Job's reason.
fn run(job: &str, at: i64, how: &str) -> Run<SetFields> {
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
    Run { run_index: 0, started_at: None, finished_at, node: None, cluster: None, own }
}

type History<'h> = &'h [((&'h str, u32), &'h [(i64, &'h str)])];

fn members(history: History<'_>) -> Vec<Member<SetFields>> {
    let member = |((job, index), runs): &((&str, u32), &[(i64, &str)])| {
        let numbered = runs.iter().zip(0..);
        let runs = numbered.map(|((at, how), run_index)| {
            let mut run = Run { run_index, ..run(job, *at, how) };
            run.own.pod.index = *index;
            run
        });
        member_of(((*job).into(), *index), runs.collect())
    };
    history.iter().map(member).collect()
}

fn replay(engine: &JobSetEngine, history: History<'_>) -> JobReport {
    replay_of(engine, &members(history))
}

/// Replays a set with these recorded members.
fn replay_of(engine: &JobSetEngine, members: &[Member<SetFields>]) -> JobReport {
    let options = Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    simulate(engine, members, options).jobs.unwrap().remove(0)
}

/// Makes a member of these runs, the pod 0 of a Job.
fn member(job: &str, runs: Vec<Run<SetFields>>) -> Member<SetFields> {
    let numbered = (0..).zip(runs).map(|(run_index, run)| Run { run_index, ..run });
    member_of((job.into(), 0), numbered.collect())
}

fn member_of(key: (CompactString, u32), runs: Vec<Run<SetFields>>) -> Member<SetFields> {
    Member {
        unit: "js".into(),
        queue: "".into(),
        unit_fields: Arc::default(),
        key,
        is_single: false,
        runs,
    }
}

/// Makes a run that began in this second.
fn new_job_state(second: i64, run: Run<SetFields>) -> Run<SetFields> {
    Run { started_at: Some(Time::from_epoch_seconds(second)), ..run }
}

/// Makes a run that continues, and whose pod was restarted in place `restarts` times.
fn restarted(restarts: u32, mut run: Run<SetFields>) -> Run<SetFields> {
    run.own.pod.outcome = PodOutcome::Running;
    run.own.pod.restarts = restarts;
    run
}

fn codes_of(outcome: &JobReport) -> Vec<String> {
    let decisions = outcome.decisions.iter();
    decisions
        .map(|d| format!("{} {}", d.system.text("jobName").unwrap_or("-"), d.decision))
        .collect()
}
