//! Small histories of a JobSet, replayed.

mod failures;
mod times;

use super::super::job::{JobOptions, PodContainer, PodFields, PodOutcome};
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
    replay_of(engine, &members(history))
}

/// The set of which these members are on record.
fn replay_of(engine: &JobSetEngine, members: &[Member<SetFields>]) -> MemberOutcome {
    let members: Vec<&Member<SetFields>> = members.iter().collect();
    let places: Vec<usize> = (0..members.len()).collect();
    let names = Names::default();
    let mut summary = Summary::new(engine.rules().len());
    let mut outcomes =
        Replay::new(engine, &names, true).unit(&members, &places, None, &mut summary);
    outcomes.remove(0)
}

/// A member of these runs, the pod 0 of a Job.
fn member(job: &str, runs: Vec<MemberRun<SetFields>>) -> Member<SetFields> {
    let numbered = (0..).zip(runs).map(|(run_index, run)| MemberRun { run_index, ..run });
    let (unit, queue, key) = ("js".into(), "".into(), (job.into(), 0));
    Member { unit, queue, key, alone: false, runs: numbered.collect() }
}

/// A run that began in a second.
fn begun(second: i64, run: MemberRun<SetFields>) -> MemberRun<SetFields> {
    MemberRun { started_at: Some(Time::from_epoch_seconds(second)), ..run }
}

/// A run that goes on, and whose pod has been restarted in place so often.
fn restarted(restarts: u32, mut run: MemberRun<SetFields>) -> MemberRun<SetFields> {
    run.own.pod.outcome = PodOutcome::Running;
    run.own.pod.restarts = restarts;
    run
}

fn told(outcome: &MemberOutcome) -> Vec<String> {
    let decisions = outcome.decisions.iter();
    decisions
        .map(|d| format!("{} {}", d.system.job_name.as_deref().unwrap_or("-"), d.decision))
        .collect()
}
