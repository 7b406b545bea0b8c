//! Restarts in place, and deadlines.

use super::*;

const IN_PLACE: &str = "
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: js}
spec:
  failurePolicy: {maxRestarts: 1, restartStrategy: InPlaceRestart}
  replicatedJobs:
  - {name: w, template: {spec: {backoffLimit: 2147483647, podReplacementPolicy: Failed, completions: 1, parallelism: 1, template: {spec: {restartPolicy: OnFailure, containers: [{name: main}]}}}}}
";

#[test]
fn a_pod_restarted_in_place_too_often_fails_the_set() {
    let engine = engine_of(IN_PLACE, FeatureGates::named("InPlaceRestart=true"));
    let mut runs: Vec<Run<SetFields>> = (0..3)
        .map(|attempt| {
            let mut run = restarted(0, run("js-w-0", i64::from(attempt) * 10, "stop"));
            run.own.in_place_restart_attempt = Some(attempt);
            run
        })
        .collect();
    let out = replay_of(&engine, &[member("js-w-0", runs.clone())]);
    assert_eq!(codes_of(&out), ["js-w-0 fail_in_place_limit"]);
    assert_eq!((out.decisions[0].count, out.decisions[0].limit), (Some(2), Some(1)));
    assert_eq!(out.system_outcome.as_deref(), Some("ReachedMaxRestarts"));
    runs.pop();
    runs.push(run("js-w-0", 30, "ok"));
    let out = replay_of(&engine, &[member("js-w-0", runs)]);
    assert_eq!(out.system_outcome.as_deref(), Some("Completed"));
}

/// The limit applies to the container with the most restarts, not to the sum of all.
#[test]
fn restarts_in_place_are_counted_by_container() {
    let engine = engine_of(IN_PLACE, FeatureGates::named("InPlaceRestart=true"));
    let container = |name: &str, restarts| PodContainer {
        name: name.into(),
        restarts: Some(restarts),
        ..PodContainer::default()
    };
    for (most, codes) in [(1, &[][..]), (2, &["js-w-0 fail_in_place_limit"][..])] {
        let mut going = restarted(1 + most, run("js-w-0", 10, "stop"));
        going.own.pod.containers = [container("a", 1), container("b", most)].into_iter().collect();
        let out = replay_of(&engine, &[member("js-w-0", vec![going, run("js-w-0", 30, "ok")])]);
        assert_eq!(codes_of(&out), codes);
    }
}

/// A decision caused by the record of a run that continues is attributed to that record, not to the next.
#[test]
fn a_restart_in_place_that_fails_its_job_is_what_the_set_goes_by() {
    let manifest = SET.replace(
        "backoffLimit: 1, template: {spec: {restartPolicy: Never",
        "backoffLimit: 1, template: {spec: {restartPolicy: OnFailure",
    );
    assert_ne!(manifest, SET);
    let policy = "  failurePolicy: {maxRestarts: 1}\n";
    let engine = engine_of(&format!("{manifest}{policy}"), FeatureGates::default());
    let first = new_job_state(0, restarted(1, run("js-d-0", 10, "stop")));
    let stop = new_job_state(0, run("js-d-0", 11, "stop"));
    let second = new_job_state(12, run("js-d-0", 90, "ok"));
    for runs in [vec![first.clone(), stop, second.clone()], vec![first, second]] {
        let out = replay_of(&engine, &[member("js-d-0", runs)]);
        assert_eq!(codes_of(&out), ["js-d-0 fail_backoff_limit", "js-d-0 restart_jobset"]);
        for decision in &out.decisions {
            assert_eq!(decision.run_index, Some(0), "{}", decision.decision);
            assert_eq!(decision.failed_at.as_deref(), Some("1970-01-01T00:00:10Z"));
        }
        assert_eq!((out.system_outcome.as_deref(), out.not_reached), (Some("Completed"), 0));
    }
}

#[test]
fn a_deadline_fails_a_job_though_none_of_its_pods_ends() {
    for span in [30, 0] {
        let manifest = within(span, "d");
        let policy = "  failurePolicy: {rules: [{action: RestartJobSetAndIgnoreMaxRestarts}]}\n";
        let engine = engine_of(&format!("{manifest}{policy}"), FeatureGates::default());
        // The second run begins when the set restarts, and ends before its deadline.
        let runs = vec![
            new_job_state(0, run("js-d-0", 100, "ok")),
            new_job_state(100, run("js-d-0", 120, "ok")),
        ];
        let out = replay_of(&engine, &[member("js-d-0", runs)]);
        let codes = codes_of(&out);
        let expected = ["js-d-0 fail_deadline", "js-d-0 restart_jobset_ignored"];
        assert!(codes.iter().take(2).eq(&expected), "{span}: {codes:?}");
        for decision in out.decisions.iter().take(2) {
            let deadline = Time::from_epoch_seconds(span).to_string();
            assert_eq!(decision.failed_at.as_ref(), Some(&deadline), "{}", decision.decision);
        }
    }
}

/// The first Job to fail is the one with the earliest deadline, whenever it is processed.
#[test]
fn a_job_fails_at_its_deadline_though_it_is_noticed_later() {
    let engine = engine_of(&within(0, "w"), FeatureGates::default());
    let members = [
        member("js-d-0", vec![new_job_state(0, run("js-d-0", 5, "FailedIndexes"))]),
        member("js-w-0", vec![new_job_state(0, run("js-w-0", 5, "exit 1"))]),
    ];
    let out = replay_of(&engine, &members);
    assert_eq!(codes_of(&out), ["js-w-0 fail_deadline", "js-w-0 fail_no_policy"]);
    assert_eq!(out.reason, out.decisions[1].reason, "the ending names the Job too");
    assert!(out.reason.contains("Job js-w-0"), "{}", out.reason);
}

/// A deadline takes effect even before the first recorded end; later failures have not happened by then.
#[test]
fn a_deadline_comes_before_the_first_end_on_record() {
    let policy = "  failurePolicy: {maxRestarts: 1, rules: [\
                  {action: FailJobSet, onJobFailureReasons: [BackoffLimitExceeded]}, \
                  {action: RestartJobSet, onJobFailureReasons: [DeadlineExceeded]}]}\n";
    let manifest = within(50, "w");
    let manifest = manifest.replace("backoffLimit: 1", "backoffLimit: 0");
    let engine = engine_of(&format!("{manifest}{policy}"), FeatureGates::default());
    let d = vec![
        new_job_state(0, run("js-d-0", 70, "exit 1")),
        new_job_state(50, run("js-d-0", 90, "ok")),
    ];
    let w = vec![
        new_job_state(0, run("js-w-0", 200, "ok")),
        new_job_state(50, run("js-w-0", 95, "ok")),
    ];
    let out = replay_of(&engine, &[member("js-d-0", d), member("js-w-0", w)]);
    assert_eq!(codes_of(&out), ["js-w-0 fail_deadline", "js-w-0 restart_jobset"]);
    assert_eq!(out.decisions[1].rule_index, Some(1));
    assert_eq!(out.decisions[1].failed_at.as_deref(), Some("1970-01-01T00:00:50Z"));
    assert_eq!(out.system_outcome.as_deref(), Some("Completed"));
}

/// Returns the manifest with a deadline for the Jobs of a replicated Job.
fn within(seconds: i64, replicated_job: &str) -> String {
    let spec = if replicated_job == "w" {
        "{name: w, replicas: 2, template: {spec: {"
    } else {
        "{name: d, template: {spec: {"
    };
    let manifest = SET.replace(spec, &format!("{spec}activeDeadlineSeconds: {seconds}, "));
    assert_ne!(manifest, SET);
    manifest
}

#[test]
fn a_replacement_that_a_restart_of_the_set_overtakes_is_in_time() {
    let engine = engine("{maxRestarts: 1}", "");
    // A delay of ten seconds would end in second 30, but all Jobs restart in second 24.
    let waits = || {
        let runs = vec![
            new_job_state(0, run("js-d-0", 20, "exit 1")),
            new_job_state(26, run("js-d-0", 90, "ok")),
        ];
        member("js-d-0", runs)
    };
    let fails = vec![
        new_job_state(0, run("js-w-0", 24, "exit 1")),
        new_job_state(26, run("js-w-0", 90, "ok")),
    ];
    let out = replay_of(&engine, &[waits(), member("js-w-0", fails)]);
    assert_eq!(
        codes_of(&out),
        ["js-d-0 retry", "js-w-0 fail_backoff_limit", "js-w-0 restart_jobset"]
    );
    assert!(out.contradictions.is_empty());
    let alone = replay_of(&engine, &[waits(), member("js-w-0", vec![run("js-w-0", 90, "ok")])]);
    assert_eq!(alone.contradictions.len(), 1);
}
