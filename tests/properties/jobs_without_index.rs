//! Replays of Jobs without indexes against a naive model of their controller, which makes up the pods.
//!
//! Holds cli.md The other systems.

use super::oracle::generate::Draw;
use super::oracle::job_controller::{Job, JobEnd, Pod, are_recorded_until, lines, run_set};
use document::diag::{Findings, Source};
use document::{Limits, parse};
use replay::history::OnBadRecord;
use replay::simulate::{Options, Timelines, read_history, simulate};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use systems::job::JobEngine;
use systems::jobset::JobSetEngine;
use systems::{self, ManifestSystem};

/// Cases in one test run; `PROPERTY_CASES` asks for more.
fn cases() -> u64 {
    std::env::var("PROPERTY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// The only unit of a report on lines.
fn replayed<S: ManifestSystem>(manifest: &Value, lines: &str) -> Value {
    let (documents, _) = parse(&Source::new("m.json", manifest.to_string()), Limits::POLICY);
    let mut findings = Findings::new();
    let options = systems::Options::default();
    let manifests = documents.iter().filter_map(|one| S::read(one, &options, &mut findings));
    let engine = S::engine(manifests.collect(), &options);
    assert!(!findings.has_errors(), "{:?} {manifest}", findings.sorted());
    let limits = Some(S::limits(&[&engine]));
    let (history, findings) =
        read_history::<S>(limits, OnBadRecord::Error, |stream| stream.whole_lines("lines", lines));
    assert!(!findings.has_errors(), "{:?}", findings.sorted());
    let options = Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    let report = simulate(&engine, &history.members, options);
    serde_json::to_value(report.jobs.expect("timelines").remove(0)).expect("JSON")
}

fn replayed_job(job: &Job, pods: &[Pod]) -> Value {
    let (kind, meta) = ("Job", json!({"name": "j"}));
    let manifest =
        json!({"apiVersion": "batch/v1", "kind": kind, "metadata": meta, "spec": job.spec()});
    replayed::<JobEngine>(&manifest, &lines(pods, r#""jobId":"j""#))
}

/// What is compared of the end of a Job. A pod has one record, unless its containers restart.
fn expected(job: &Job, end: &JobEnd, pods: &[Pod]) -> Value {
    let late = pods.iter().filter(|pod| pod.start >= end.at).count();
    let decided = end.reason != "Complete" || end.failed + end.ignored > 0;
    json!({
        "reason": end.reason,
        "counts": decided.then(|| json!([end.failed, end.ignored])),
        "cutOff": (!job.restarts_in_place).then_some(end.stopped),
        "notReached": (!job.restarts_in_place).then_some(late),
    })
}

fn found(job: &Job, unit: &Value) -> Value {
    let counts = unit["decisions"].as_array().and_then(|all| all.last()).map(|it| &it["counts"]);
    let runs = |key: &str| (!job.restarts_in_place).then(|| unit[key].as_u64().unwrap_or(0));
    json!({
        "reason": unit["systemOutcome"],
        "counts": counts.map(|counts| json!([counts["failed"], counts["ignored"]])),
        "cutOff": runs("cutOff"),
        "notReached": runs("notReached"),
    })
}

#[test]
fn a_job_without_indexes_ends_as_its_controller_ends_it() {
    let mut compared = 0;
    for seed in 0..cases() {
        let mut draw = Draw::new(seed);
        let job = Job::draw(&mut draw);
        let mut pods = Vec::new();
        let Some(end) = job.run(0, &mut draw, &mut pods) else { continue };
        if !are_recorded_until((0, end.at), &pods) {
            continue;
        }
        let unit = replayed_job(&job, &pods);
        let context = format!("seed {seed}: {job:?}\n{pods:#?}\n{unit:#}");
        assert_eq!(found(&job, &unit), expected(&job, &end, &pods), "{context}");
        assert_eq!(unit["contradictions"], json!([]), "{context}");
        compared += 1;
        // The same pods under another limit end the Job where the model does, which then creates none.
        let other = Job { backoff_limit: draw.below(6), ..job.clone() };
        let mut times: Vec<i64> = pods
            .iter()
            .flat_map(|pod| pod.restarts.iter().copied().chain([pod.end]))
            .chain(job.deadline)
            .collect();
        times.sort_unstable();
        let Some(end) = times.iter().find_map(|now| other.end(0, *now, &pods)) else { continue };
        if !are_recorded_until((0, end.at), &pods) {
            continue;
        }
        let unit = replayed_job(&other, &pods);
        let context = format!("seed {seed}: {other:?}\n{pods:#?}\n{unit:#}");
        assert_eq!(found(&other, &unit), expected(&other, &end, &pods), "{context}");
    }
    assert!(compared * 10 > cases() * 9, "{compared}");
}

#[test]
fn a_set_of_a_job_without_indexes_ends_as_its_controllers_end_it() {
    for seed in 0..cases() / 2 {
        let mut draw = Draw::new(seed);
        let job = Job::draw(&mut draw);
        let max_restarts = draw.below(4);
        let Some((end, pods)) = run_set(&job, max_restarts, &mut draw) else { continue };
        // All pods of a Job of one at a time are one member of JSON Lines, where each follows the one before: a pod that
        // a restart cut off has no record that goes on beyond the next one's.
        let is_of_one_pod = job.completions.unwrap_or(1) == 1 && job.parallelism == 1;
        if is_of_one_pod || !are_recorded_until(end.last, &pods) {
            continue;
        }
        let replicated = json!([{"name": "w", "template": {"spec": job.spec()}}]);
        let manifest = json!({
            "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "s"},
            "spec": {"failurePolicy": {"maxRestarts": max_restarts}, "replicatedJobs": replicated},
        });
        let fields = r#""jobId":"s","jobName":"s-w-0","replicatedJob":"w","jobIndex":0"#;
        let unit = replayed::<JobSetEngine>(&manifest, &lines(&pods, fields));
        let decisions = unit["decisions"].as_array().cloned().unwrap_or_default();
        let restarts = decisions.iter().filter(|it| it["decision"] == "restart_jobset").count();
        let context = format!("seed {seed}: {job:?}\n{pods:#?}\n{unit:#}");
        assert_eq!(unit["systemOutcome"], end.reason, "{context}");
        assert_eq!(restarts, end.restarts, "{context}");
    }
}
