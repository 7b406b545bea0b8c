//! A policy that is written for another system, and of which every note says that nothing is lost,
//! treats the same failures alike there: another attempt after the same wait, or the end.
//!
//! Notes about the fleet's `globalMaxRetries` are no loss here: histories are shorter than it.
//!
//! Holds cli.md The other systems.

use super::oracle;
use armada_retry::engine::{Bindings, Evaluator, V1};
use armada_retry::policy::{self, Form, RetryPolicy, SchedulerSettings};
use document::diag::{Findings, Source};
use document::{Document, Limits, parse};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use replay::history::{GraceBounds, OnBadRecord};
use replay::simulate::{Options, Timelines, read_history, simulate};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;
use systems::armada::Armada;
use systems::convert::{Fidelity, Note};
use systems::job::{self, JobEngine, JobManifest};
use systems::jobset::{self, JobSet, JobSetEngine};
use systems::{self, ManifestSystem};

/// How a pod failed: the exit code of its only container, if it ended.
type Failure = Option<i32>;
/// What became of each failure: the wait before another attempt, in seconds, or the end.
type Verdicts = Vec<Option<f64>>;

const CODES: [i32; 4] = [1, 2, 3, 137];

/// The failures of members, one list each.
fn failures(members: usize) -> impl Strategy<Value = Vec<Vec<Failure>>> {
    let failure = prop_oneof![
        8 => select(&CODES[..]).prop_map(Some),
        1 => Just(Some(42)),
        1 => Just(None),
    ];
    prop::collection::vec(prop::collection::vec(failure, 1..12), members)
}

/// When a member's run ended: no two runs end together, and none within another's wait.
fn finished_at(member: usize, run: usize) -> String {
    let seconds = (run + 1) * 10_000 + member * 100;
    let (days, rest) = (seconds / 86_400 + 1, seconds % 86_400);
    format!("2026-10-{days:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

fn containers(failure: Failure) -> Value {
    failure.map_or(json!([]), |code| json!([{"name": "main", "exitCode": code}]))
}

const OPTIONS: Options = Options {
    timelines: Timelines::All,
    assume: None,
    only: None,
    threads: NonZeroUsize::MIN,
    skipped_records: 0,
    seed: 0,
};

fn documents(text: &Value) -> Vec<Document> {
    let (documents, findings) = parse(&Source::new("m.json", text.to_string()), Limits::POLICY);
    assert!(findings.is_empty(), "{findings:?}");
    documents
}

fn policy(document: &Value) -> RetryPolicy {
    let (documents, findings) = policy::read(&[Source::new("p.json", document.to_string())]);
    assert!(!findings.has_errors(), "{findings:?}\n{document}");
    (*documents.policies[0].policy).clone()
}

/// What a manifest means to its system, whose API server must not refuse it.
fn manifest<S: ManifestSystem>(document: &Document) -> S::Manifest {
    let mut findings = Findings::new();
    let manifest = S::read(document, &options(), &mut findings);
    assert!(findings.is_empty(), "{findings:?}\n{}", document.source.text());
    manifest.expect("a manifest")
}

fn options() -> systems::Options {
    systems::Options { restart_job: true, ..systems::Options::default() }
}

/// What Armada does about the failures, each member being a job.
fn by_armada(policy: RetryPolicy, members: &[Vec<Failure>]) -> Vec<Verdicts> {
    let jobs = members.iter().enumerate().map(|(member, failures)| {
        let runs = failures.iter().enumerate().map(|(run, failure)| {
            json!({"outcome": "Failed", "finishedAt": finished_at(member, run),
                "containers": containers(*failure)})
        });
        json!({"jobId": member.to_string(), "queue": "q", "runs": runs.collect::<Vec<_>>()})
    });
    let history = json!({"apiVersion": "armadaproject.io/v1", "kind": "FailureHistory",
        "spec": {"jobs": jobs.collect::<Vec<_>>()}});
    let settings = SchedulerSettings::default();
    let bounds = Some(GraceBounds::from(&settings));
    let source = Source::new("history.json", history.to_string());
    let (history, findings) =
        read_history::<Armada>(bounds, OnBadRecord::Error, |stream| stream.text(&source));
    assert!(!findings.has_errors(), "{findings:?}");
    let forced = Some(vec![policy.name.to_string()]);
    let bindings = Bindings { forced, ..Bindings::default() };
    let evaluator = Evaluator::new(&V1, vec![Arc::new(policy)], settings, &[]);
    let report = simulate(&Armada::new(evaluator, bindings), &history.members, OPTIONS);
    let report = serde_json::to_value(report).expect("a report is JSON");
    let jobs = report["jobs"].as_array().expect("timelines").iter();
    let verdicts = |job: &Value| {
        let decisions = job["decisions"].as_array().expect("decisions").iter();
        decisions.map(|decision| decision["delaySeconds"].as_f64()).collect()
    };
    jobs.map(verdicts).collect()
}

/// What another system does about them, the members being pods of one unit. Of several decisions on
/// a failure, on one level after another, the last is what becomes of it.
fn by_system<S: ManifestSystem>(
    manifest: S::Manifest,
    own: &Value,
    members: &[Vec<Failure>],
) -> Vec<Verdicts> {
    let mut lines = String::new();
    for (member, failures) in members.iter().enumerate() {
        for (run, failure) in failures.iter().enumerate() {
            let mut line = json!({"jobId": "p", "podIndex": member, "runIndex": run,
                "outcome": "Failed", "finishedAt": finished_at(member, run),
                "containers": containers(*failure)});
            for (key, value) in own.as_object().expect("fields") {
                line[key] = value.clone();
            }
            lines += &format!("{line}\n");
        }
    }
    let (history, findings) = read_history::<S>(None, OnBadRecord::Error, |stream| {
        stream.whole_lines("history.jsonl", &lines);
    });
    assert!(!findings.has_errors(), "{findings:?}");
    let engine = S::engine(vec![manifest], &options());
    let report = simulate(&engine, &history.members, OPTIONS);
    let report = serde_json::to_value(report).expect("a report is JSON");
    let mut verdicts = vec![Verdicts::new(); members.len()];
    for decision in report["jobs"][0]["decisions"].as_array().expect("decisions") {
        let member =
            decision["podIndex"].as_u64().map_or(0, |index| usize::try_from(index).expect("small"));
        let run = usize::try_from(decision["runIndex"].as_u64().expect("a run")).expect("small");
        verdicts[member].truncate(run);
        verdicts[member].push(decision["delaySeconds"].as_f64());
    }
    verdicts
}

fn by_job(manifest: JobManifest, members: &[Vec<Failure>]) -> Vec<Verdicts> {
    by_system::<JobEngine>(manifest, &json!({}), members)
}

fn by_jobset(set: JobSet, members: &[Vec<Failure>]) -> Vec<Verdicts> {
    let own = json!({"jobName": "p-job-0", "replicatedJob": "job", "jobIndex": 0});
    by_system::<JobSetEngine>(set, &own, members)
}

/// Whether nothing is lost, but for jobs that fail more often than a fleet allows.
fn keeps(notes: &[Note]) -> bool {
    notes
        .iter()
        .all(|note| note.fidelity == Fidelity::Carried || note.what.contains("globalMaxRetries"))
}

/// A requirement on exit codes, for a system that takes 0 as well or does not.
fn exit_codes(zero: bool) -> impl Strategy<Value = Value> {
    let values = subsequence(&CODES, 1..4);
    (values, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        move |(mut values, within, named, also_zero)| {
            if zero && !within && also_zero {
                values.insert(0, 0);
                values.truncate(if named { 1 } else { 4 });
            }
            json!({"operator": if within { "In" } else { "NotIn" }, "values": values})
        },
    )
}

/// A rule of a pod failure policy with one of these actions.
fn pod_rule(actions: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let conditions = json!([{"type": "DisruptionTarget", "status": "True"}]);
    (select(actions), exit_codes(true), 0..12, any::<bool>()).prop_map(
        move |(action, mut codes, kind, named)| {
            if kind == 0 {
                return json!({"action": action, "onPodConditions": conditions});
            }
            if named {
                codes["containerName"] = json!("main");
            }
            json!({"action": action, "onExitCodes": codes})
        },
    )
}

fn template(containers: usize) -> Value {
    let containers: Vec<Value> =
        ["main", "side"][..containers].iter().map(|name| json!({"name": name})).collect();
    json!({"spec": {"restartPolicy": "Never", "containers": containers}})
}

prop_compose! {
    /// A Job of one pod, or one that counts its indexes apart; and the failures of its pods.
    fn jobs()(indexes in 0_usize..4)(
        members in failures(indexes.max(1)),
        rules in prop::collection::vec(
            pod_rule(if indexes > 0 {
                &["FailIndex", "FailIndex", "Ignore", "Count", "FailJob"]
            } else {
                &["FailJob", "Ignore", "Count"]
            }),
            0..5,
        ),
        limit in 0_u32..6,
        containers in select(&[1_usize, 1, 1, 2][..]),
        indexes in Just(indexes),
    ) -> (Value, Vec<Vec<Failure>>) {
        let mut spec = json!({"template": template(containers)});
        if !rules.is_empty() {
            spec["podFailurePolicy"] = json!({"rules": rules});
        }
        if indexes > 0 {
            spec["completionMode"] = json!("Indexed");
            spec["completions"] = json!(indexes);
            spec["parallelism"] = json!(indexes);
            spec["backoffLimitPerIndex"] = json!(limit);
        } else {
            spec["backoffLimit"] = json!(limit);
        }
        let manifest = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "p"}, "spec": spec});
        (manifest, members)
    }
}

prop_compose! {
    /// A JobSet of one pod.
    fn sets()(
        pod_rules in prop::collection::vec(pod_rule(&["FailJob", "FailJob", "FailJob", "Count", "Ignore"]), 0..4),
        rules in prop::collection::vec(
            (
                select(&["FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob"][..]),
                subsequence(&["BackoffLimitExceeded", "PodFailurePolicy"], 0..2),
                subsequence(
                    &["rule at index 0$", "rule at index [12]$", "exit code 137 ", "failed with exit code [23] matching", "pod d", "^Job "],
                    0..3,
                ),
                any::<bool>(),
            ),
            0..4,
        ),
        max_restarts in -1_i32..5,
        backoff_limit in select(&[0_u32, 0, 0, 0, 1][..]),
        none in 0..8,
    ) -> Value {
        let rules: Vec<Value> = rules.into_iter().map(|(action, reasons, patterns, target)| json!({
            "action": action,
            "onJobFailureReasons": reasons,
            "onJobFailureMessagePatterns": patterns,
            "targetReplicatedJobs": if target { vec!["job"] } else { Vec::new() },
        })).collect();
        let mut job = json!({"completions": 1, "parallelism": 1, "backoffLimit": backoff_limit, "template": template(1)});
        if !pod_rules.is_empty() {
            job["podFailurePolicy"] = json!({"rules": pod_rules});
        }
        let mut spec = json!({"replicatedJobs": [{"name": "job", "template": {"spec": job}}]});
        if none > 0 {
            spec["failurePolicy"] = json!({"maxRestarts": max_restarts, "rules": rules});
        }
        json!({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "p"}, "spec": spec})
    }
}

fn policies(initial_delay: &'static str) -> impl Strategy<Value = Value> {
    let rule = (
        select(&["Fail", "Fail", "Retry"][..]),
        exit_codes(false),
        prop::option::weighted(0.6, 0_u32..5),
        0..16,
        any::<bool>(),
    );
    let rule = rule.prop_map(|(action, codes, limit, kind, named)| {
        let mut rule = json!({"action": action, "onExitCodes": codes});
        if kind == 0 {
            rule = json!({"action": action, "onConditions": ["Preempted"]});
        } else if named {
            rule["containerName"] = json!("main");
        }
        if let Some(limit) = limit {
            // The last stands for none.
            rule["retryLimit"] = json!(if limit == 4 { 2_147_483_647 } else { limit });
        }
        rule
    });
    let rules = prop::collection::vec(rule, 0..5);
    (rules, select(&["Fail", "Retry"][..]), 0_u32..6, 0..8).prop_map(
        move |(rules, default, limit, wait)| {
            let mut spec = json!({"retryLimit": limit, "defaultAction": default, "rules": rules});
            if wait > 0 {
                spec["backoff"] = json!({"initialDelay": initial_delay, "maxDelay": "10m", "multiplier": 2});
            }
            json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": "p"}, "spec": spec})
        },
    )
}

proptest! {
    // What loses something is thrown away; if most did, the test would fail.
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 8000, ..ProptestConfig::default() })]

    #[test]
    fn a_job_that_fits_armada_is_treated_alike((text, members) in jobs()) {
        let document = &documents(&text)[0];
        let job = manifest::<JobEngine>(document);
        let done = job::convert::to_v1(&document.root, &job).expect("a name");
        prop_assume!(keeps(&done.notes));
        let policy = policy(&policy::to_value(&done.result));
        prop_assert_eq!(by_armada(policy, &members), by_job(job, &members), "{:?}", done.result);
    }

    #[test]
    fn a_policy_that_fits_a_job_is_treated_alike(document in policies("10s"), members in failures(1)) {
        let policy = policy(&document);
        let done = job::convert::from_v1(&policy);
        prop_assume!(keeps(&done.notes));
        let job = manifest::<JobEngine>(&documents(&done.result)[0]);
        prop_assert_eq!(by_job(job, &members), by_armada(policy, &members), "{}", done.result);
    }

    #[test]
    fn a_set_that_fits_armada_is_treated_alike(text in sets(), members in failures(1)) {
        let document = &documents(&text)[0];
        let set = manifest::<JobSetEngine>(document);
        let done = jobset::convert::to_v1(&document.root, &set).expect("a name");
        prop_assume!(keeps(&done.notes));
        prop_assert_eq!(done.result.len(), 1);
        let policy = policy(&policy::to_value(&done.result[0]));
        prop_assert_eq!(by_armada(policy, &members), by_jobset(set, &members), "{:?}", done.result);
    }

    #[test]
    fn a_policy_that_fits_a_set_is_treated_alike(document in policies("0s"), members in failures(1)) {
        let policy = policy(&document);
        let done = jobset::convert::from_v1(&policy);
        prop_assume!(keeps(&done.notes));
        let set = manifest::<JobSetEngine>(&documents(&done.result)[0]);
        prop_assert_eq!(by_jobset(set, &members), by_armada(policy, &members), "{}", done.result);
    }
}

#[test]
fn every_policy_becomes_manifests_that_are_admitted() {
    for seed in 0..super::evaluator::cases() / 4 {
        for document in &oracle::case(seed).policies {
            let policy = policy(document);
            if policy.form != Form::V1 {
                continue;
            }
            let document = &documents(&job::convert::from_v1(&policy).result)[0];
            let job = manifest::<JobEngine>(document);
            let back = job::convert::to_v1(&document.root, &job).expect("a name");
            assert_eq!(back.result.name, policy.name, "seed {seed}");
            let document = &documents(&jobset::convert::from_v1(&policy).result)[0];
            let set = manifest::<JobSetEngine>(document);
            let back = jobset::convert::to_v1(&document.root, &set).expect("a name");
            self::policy(&policy::to_value(&back.result[0]));
        }
    }
}
