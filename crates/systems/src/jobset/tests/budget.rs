//! The products of layers against a simulation of them: the engines of Job and JobSet, driven by a failure that is the same at
//! every attempt.

use crate::Options as SystemOptions;
use crate::budget::{BudgetFailure, BudgetOptions, LayerBudget};
use crate::job::{JobOptions, PodContainer, PodFields, PodOutcome};
use crate::jobset::{FeatureGates, JobSetEngine, SetFields, layers, read};
use document::diag::{Findings, Source};
use document::units::{GoDuration, Time};
use document::{Limits, parse};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use replay::history::{Member, Run};
use replay::simulate::{JobReport, Options, Timelines, simulate};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The nanoseconds that an attempt runs: no end of one of few attempts is at a deadline of whole seconds.
const RUNTIME: i64 = 900_000_000;
/// The nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;
/// The attempts after which a layer is taken to have no limit. The products of all limits below are smaller.
const ENDLESS: u64 = 60;
/// The code of the failure, and another one that rules list.
const CODES: [i32; 2] = [3, 7];

fn rules() -> impl Strategy<Value = String> {
    let rule =
        (select(vec!["Ignore", "FailJob", "FailIndex", "Count"]), select(vec!["In", "NotIn"]));
    let rule = (rule, subsequence(&CODES[..], 1..=1)).prop_map(|((action, operator), values)| {
        format!("{{action: {action}, onExitCodes: {{operator: {operator}, values: {values:?}}}}}")
    });
    proptest::collection::vec(rule, 0..3).prop_map(|rules| rules.join(", "))
}

/// A Job's spec.
fn job() -> impl Strategy<Value = String> {
    let indexes = (1..4_u32, 1..4_u32);
    let limits = (0..5_u32, proptest::option::of(0..4_u32), proptest::option::of(0..2_u32));
    let deadline = proptest::option::weighted(0.2, select(vec![1, 5, 40, 200, 2000]));
    let in_place = select(vec!["", "", "Restart", "Never", "OnFailure"]);
    (indexes, limits, deadline, rules(), any::<[bool; 3]>(), in_place).prop_map(
        |((completions, parallelism), limits, deadline, rules, flags, in_place)| {
            let (limit, per_index, max_failed) = limits;
            let [is_indexed, is_never, has_rules] = flags;
            let is_never = is_never || per_index.is_some() || has_rules;
            // A replay of a Job without indexes takes each of several pods, or of restarts in place, for another one.
            let is_of_one_pod = completions == 1 && parallelism == 1;
            let is_indexed = is_indexed || per_index.is_some() || !is_never || !is_of_one_pod;
            let rules = if per_index.is_none() { rules.replace("FailIndex", "Count") } else { rules };
            let mut spec = format!("backoffLimit: {limit}, completions: {completions}, parallelism: {parallelism}");
            if let Some(own) = per_index {
                spec += &format!(", backoffLimitPerIndex: {own}");
                if let Some(most) = max_failed.filter(|most| *most <= completions) {
                    spec += &format!(", maxFailedIndexes: {most}");
                }
            }
            if let Some(deadline) = deadline {
                spec += &format!(", activeDeadlineSeconds: {deadline}");
            }
            if !is_indexed {
                spec += ", completionMode: NonIndexed";
            }
            if has_rules {
                spec += &format!(", podFailurePolicy: {{rules: [{rules}]}}");
            }
            let restarts = match in_place {
                "" => String::new(),
                "Restart" => format!(
                    ", restartPolicy: Never, restartPolicyRules: [{{action: Restart, exitCodes: {{operator: In, values: [{}]}}}}]",
                    CODES[1]),
                own => format!(", restartPolicy: {own}"),
            };
            let policy = if is_never { "Never" } else { "OnFailure" };
            format!("{spec}, template: {{spec: {{restartPolicy: {policy}, containers: [{{name: main{restarts}}}]}}}}")
        },
    )
}

/// A JobSet.
fn set() -> impl Strategy<Value = String> {
    let action = select(vec!["FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"]);
    let reasons = subsequence(
        vec![
            "PodFailurePolicy",
            "BackoffLimitExceeded",
            "FailedIndexes",
            "MaxFailedIndexesExceeded",
            "DeadlineExceeded",
        ],
        0..=3,
    );
    let rule = (action, reasons).prop_map(|(action, reasons)| {
        format!("{{action: {action}, onJobFailureReasons: [{}]}}", reasons.join(", "))
    });
    let rules = proptest::collection::vec(rule, 0..3).prop_map(|rules| rules.join(", "));
    let policy = proptest::option::weighted(0.85, (0..4_i32, rules));
    (policy, 1..3_u32, job()).prop_map(|(policy, replicas, job)| {
        let policy = policy.map_or_else(String::new, |(restarts, rules)| {
            format!("  failurePolicy: {{maxRestarts: {restarts}, rules: [{rules}]}}\n")
        });
        format!(
            "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: js}}\nspec:\n{policy}  \
             replicatedJobs: [{{name: w, replicas: {replicas}, template: {{spec: {{{job}}}}}}}]\n"
        )
    })
}

/// The end of an attempt: of a pod, or of a container that its pod survives.
fn attempt(start: i64, restarts: Option<u32>) -> Run<SetFields> {
    let code = CODES[0];
    let main =
        PodContainer { name: "main".into(), exit_code: Some(code), ..PodContainer::default() };
    let outcome = if restarts.is_some() { PodOutcome::Running } else { PodOutcome::Failed };
    let pod = PodFields {
        outcome,
        containers: [main].into(),
        restarts: restarts.unwrap_or_default(),
        ..PodFields::default()
    };
    let own = SetFields {
        job_name: "js-w-0".into(),
        replicated_job: "w".into(),
        job_index: Some(0),
        pod,
        ..SetFields::default()
    };
    let at = |nanos| Some(Time::from_epoch_seconds(0).plus(GoDuration::from_nanos(nanos)));
    Run {
        run_index: 0,
        started_at: at(start),
        finished_at: at(start + RUNTIME),
        node: None,
        cluster: None,
        own,
    }
}

fn replay(engine: &JobSetEngine, runs: &[Run<SetFields>]) -> JobReport {
    let numbered = (0..).zip(runs.iter().cloned());
    let member = Member {
        unit: "js".into(),
        queue: "".into(),
        unit_fields: Arc::default(),
        key: ("js-w-0".into(), 0),
        is_single: true,
        runs: numbered.map(|(run_index, run)| Run { run_index, ..run }).collect(),
    };
    let options = Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    simulate(engine, &[member], options).jobs.unwrap().remove(0)
}

/// The attempts until the set ends, their waits in all in seconds, and the reason; the attempts are absent if it does not
/// end.
fn drive(engine: &JobSetEngine, is_in_place: bool) -> (Option<u64>, f64, Option<String>) {
    let (mut runs, mut ended, mut wait, mut waits, mut restarts) = (Vec::new(), 0, 0, 0, 0);
    let (mut attempts, mut decided) = (0, 0);
    while attempts < ENDLESS {
        runs.push(attempt(ended + wait, is_in_place.then_some(restarts + 1)));
        let report = replay(engine, &runs);
        let before = decided;
        let new = &report.decisions[before..];
        let deadline = new.iter().find(|one| one.decision == "fail_deadline");
        let deadline = deadline.and_then(|one| one.failed_at.as_deref()).map(nanos_of);
        // A deadline during the wait ends the Job before the attempt, which may be the first of the next Job.
        let cut_off = deadline.filter(|at| *at <= ended + wait && attempts > 0);
        waits += cut_off.map_or(wait, |at| at - ended);
        if let Some(at) = cut_off {
            runs.pop();
            (ended, wait) = (at, 0);
            let first = report.decisions[decided].failed_at.as_ref();
            decided += new.iter().filter(|one| one.failed_at.as_ref() == first).count();
        } else {
            attempts += 1;
            decided = report.decisions.len();
            // A deadline during the attempt stops it.
            ended = deadline.unwrap_or(ended + wait + RUNTIME);
            let delay: f64 = new.iter().filter_map(|one| one.delay_seconds).sum();
            #[expect(clippy::cast_possible_truncation, reason = "whole seconds")]
            let delay = delay as i64;
            // The kubelet restarts a container at once, then after 10 s, 20 s, 40 s .. 300 s.
            let by_kubelet = if restarts == 0 { 0 } else { (5_i64 << restarts.min(6)).min(300) };
            wait = SECOND * if is_in_place && new.is_empty() { by_kubelet } else { delay };
            restarts += 1;
        }
        let new = &report.decisions[before..decided];
        if new.iter().any(|one| one.decision.starts_with("restart_jobset")) {
            // A pod that starts at the instant of the restart is one of the Job before it.
            wait += 1;
            restarts = 0;
        }
        // The Jobs after a deadline have their own attempts, before the one that was too late for it.
        let is_last = decided == report.decisions.len();
        if let Some(reason) = report.system_outcome.filter(|_| is_last) {
            #[expect(clippy::cast_precision_loss, reason = "some minutes")]
            let waits = waits as f64 / SECOND as f64;
            return (Some(attempts), waits, Some(reason));
        }
    }
    (None, 0.0, None)
}

/// The nanoseconds since the epoch.
fn nanos_of(time: &str) -> i64 {
    let time = Time::parse(time).unwrap();
    time.epoch_seconds() * SECOND + i64::from(time.nanos())
}

fn compute(text: &str) -> (JobSetEngine, LayerBudget) {
    let (documents, _) = parse(&Source::new("js.yaml", text), Limits::POLICY);
    let mut findings = Findings::new();
    let gates = FeatureGates::default();
    let set = read(&documents[0], gates, &mut findings);
    let set = set.unwrap_or_else(|| panic!("{text}: {:?}", findings.sorted()));
    let options = BudgetOptions {
        options: SystemOptions::default(),
        runtime: GoDuration::from_nanos(RUNTIME),
    };
    let failure = BudgetFailure::with_code(None, CODES[0]);
    let budget = layers::budgets(&set, Some(&failure), &options).remove(0);
    (JobSetEngine::new(vec![set], gates, JobOptions::default()), budget)
}

proptest! {
    #[test]
    fn products_are_those_of_the_engines(text in set()) {
        let (engine, budget) = compute(&text);
        // The rules of containers restart for another exit code.
        let is_in_place = text.contains("restartPolicy: OnFailure, containers: [{name: main}]")
            || text.contains("{name: main, restartPolicy: OnFailure}");
        let (attempts, waits, reason) = drive(&engine, is_in_place);
        prop_assert_eq!(budget.attempts(), attempts, "{}\n{:?}", text, budget);
        prop_assert_eq!(budget.last().and_then(|last| last.end.clone()), reason, "{}\n{:?}", text, budget);
        if attempts.is_some() {
            let difference = budget.wait_seconds().unwrap_or(f64::NAN) - waits;
            prop_assert!(difference.abs() < 1e-6, "{} s: {}\n{:?}", waits, text, budget);
        }
    }
}
