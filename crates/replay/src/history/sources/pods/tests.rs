//! Pods in the forms in which `kubectl` prints them.

use super::read;
use crate::history::sources::tests::Collected;
use document::units::Quantity;

#[test]
fn pods_are_runs_of_their_jobs_by_time() {
    let collected = Collected::of(read, "pods/list.json");
    let runs: Vec<String> =
        collected.runs().iter().map(|run| run.split_once(": ").unwrap().1.to_owned()).collect();
    assert_eq!(
        runs,
        [
            "01k6a Failed 10:00:10..10:05:02 gpu-17 #0 init fetch=0 train=137 logs=143",
            "01k6a Failed 10:20:00..10:30:01 gpu-21 #1 init fetch=0 train=1 logs=0",
            "ml/etl/0 Failed 10:00:10..10:10:00 cpu-1 Evicted TerminationByKubelet",
            "ml/etl/0 Succeeded 10:12:00..10:15:01 cpu-2 init fetch=0 train=0 logs=0",
            "ml/etl/1 Preempted 10:00:10..10:08:00 cpu-3 PreemptionByScheduler init fetch=0 train=143",
            "ml/report Failed 10:00:05..10:10:05 cpu-1 DeadlineExceeded init fetch=3 train=- logs=-",
            "ml/sweep Failed 10:00:10..10:09:00 gpu-2 train=2",
        ]
    );
    assert_eq!(
        collected.skipped_entries,
        ["2 pods that have not ended", "1 object that is not a pod"]
    );
    let (first, preempted) = (&collected.records[0], &collected.records[4].run);
    assert_eq!(first.queue.as_deref(), Some("ml"));
    assert_eq!(first.job.job_set.as_deref(), Some("nightly"));
    assert_eq!(first.job.annotations.as_ref().unwrap().len(), 2);
    assert_eq!(first.job.resources.unwrap().cpu, Quantity::parse("4500m").ok());
    assert_eq!(first.run.own.containers[1].reason, "OOMKilled");
    let confirmed = preempted.own.termination_confirmed_at.unwrap();
    assert_eq!(confirmed.to_string(), "2026-10-01T10:08:20Z");
}

#[test]
fn reads_streams_and_watches_like_lists() {
    let collected = Collected::of(read, "pods/stream.json");
    assert_eq!(collected.records.len(), 3);
    let collected = Collected::of(read, "pods/watch.json");
    assert_eq!(
        collected.runs(),
        ["4: ml/solo Failed 10:00:10..10:01:00 gpu-17 init fetch=0 train=1"]
    );
    assert_eq!(collected.skipped_entries, ["1 object that is not a pod"]);
}

#[test]
fn findings_about_pods_have_places() {
    let collected = Collected::of(read, "pods/bad.json");
    assert_eq!(collected.bad.len(), 3, "{:?}", collected.bad);
    assert_eq!(
        collected.bad[0],
        "x:2:1: pod `ml/armada-01k6a-0-0`: `startTime`: invalid RFC 3339 time `just now`"
    );
    assert!(
        collected.bad[1]
            .ends_with("invalid record: expected a whole number, found the string `one`")
    );
    assert!(collected.bad[1].starts_with("x:3:"));
    assert_eq!(collected.bad[2], "x:4:1: this is not a pod: it has no name");
    assert_eq!(collected.records.len(), 1);
}
