//! The errors that a server reports, by the codes of the findings.

use crate::jobset::{FeatureGates, read};
use document::diag::{Findings, Source};
use document::{Limits, parse};

const RESTARTABLE: &str = "{backoffLimit: 2147483647, podReplacementPolicy: Failed, completions: 2, parallelism: 2, template: {spec: {restartPolicy: OnFailure, containers: [{name: main}]}}}";

/// Returns the codes of the findings about a set with this policy, whose replicated Job `w` has `replicas`
/// replicas.
fn ids(policy: &str, gates: &str, replicas: u32, spec: &str) -> Vec<&'static str> {
    let text = format!(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: js}}\nspec:\n  failurePolicy: {policy}\n  suspend: true\n  replicatedJobs:\n  - {{name: w, replicas: {replicas}, template: {{spec: {spec}}}}}\n"
    );
    let (documents, parsed) = parse(&Source::new("js.yaml", text), Limits::POLICY);
    assert!(parsed.is_empty(), "{:?}", parsed.sorted());
    let mut findings = Findings::new();
    let set = read(&documents[0], FeatureGates::named(gates), &mut findings);
    assert_eq!(set.is_some(), !findings.has_errors());
    findings.sorted().iter().map(|finding| finding.code.id()).collect()
}

fn of(policy: &str) -> Vec<&'static str> {
    ids(policy, "", 1, RESTARTABLE)
}

#[test]
fn a_sound_policy_is_admitted() {
    assert_eq!(of("{}"), [""; 0]);
    assert_eq!(of("{maxRestarts: -3, restartStrategy: BlockingRecreate}"), [""; 0]);
    let rules = "{rules: [{action: FailJobSet, onJobFailureReasons: [FailedIndexes, FailedIndexes], targetReplicatedJobs: [w]}]}";
    assert_eq!(of(rules), [""; 0]);
}

#[test]
fn a_pattern_that_go_refuses_is_a_warning() {
    assert_eq!(
        of("{rules: [{action: FailJobSet, onJobFailureMessagePatterns: ['a(', ok]}]}"),
        ["RP020"]
    );
}

#[test]
fn what_the_webhook_refuses_is_found() {
    assert_eq!(of("{rules: [{action: FailJobSet, targetReplicatedJobs: [v]}]}"), ["RP028"]);
    assert_eq!(of("{rules: [{action: FailJobSet, onJobFailureReasons: [Failed]}]}"), ["RP009"]);
    assert_eq!(of("{rules: [{action: FailJobSet, name: '1st'}]}"), ["RP012"]);
    // The default name of the second rule equals the name of the first.
    let twice = "{rules: [{action: FailJobSet, name: failurePolicyRule1}, {action: FailJobSet}]}";
    assert_eq!(of(twice), ["RP012"]);
    assert_eq!(of("{rules: [{action: FailJobSet, onJobFailureReason: [x]}]}"), ["RP005"]);
}

#[test]
fn actions_of_the_proposal_were_never_released() {
    for action in ["RestartReplicatedJob", "FailJob", "RecreateJob"] {
        assert_eq!(of(&format!("{{rules: [{{action: {action}}}]}}")), ["RP038"], "{action}");
    }
    assert_eq!(of("{rules: [{action: Restart}]}"), ["RP009"]);
}

#[test]
fn a_gate_that_is_off_is_told_with_the_rest() {
    let policy = "{rules: [{action: RestartJob, name: '1st', targetReplicatedJobs: [v]}]}";
    assert_eq!(of(policy), ["RP037", "RP012", "RP028"]);
    assert_eq!(ids(policy, "RestartJob=true", 1, RESTARTABLE), ["RP012", "RP028"]);
    let many = "{rules: [{action: RestartJobAndIgnoreMaxRestarts}]}";
    assert_eq!(ids(many, "RestartJob=true", 1024, RESTARTABLE), [""; 0]);
    assert_eq!(ids(many, "RestartJob=true", 1025, RESTARTABLE), ["RP013"]);
}

#[test]
fn restarts_in_place_ask_something_of_each_job() {
    let policy = "{restartStrategy: InPlaceRestart}";
    assert_eq!(of(policy), ["RP037"]);
    assert_eq!(ids(policy, "InPlaceRestart=true", 1, RESTARTABLE), [""; 0]);
    let found = ids(policy, "InPlaceRestart=true", 1, "{completions: 2}");
    assert_eq!(found.iter().filter(|id| **id == "RP036").count(), 3, "{found:?}");
}

#[test]
fn a_jobs_own_policy_is_checked_with_the_webhooks_defaults() {
    let rules = "{podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}, template: {spec: {containers: [{name: main}]}}}";
    // Without a restartPolicy the webhook sets OnFailure, and a pod failure policy requires Never.
    assert_eq!(ids("{}", "", 1, rules), ["RP036"]);
}

/// Returns the findings about a set with these fields in its spec and in its replicated Job.
fn beside(spec: &str, job: &str) -> Vec<(&'static str, String)> {
    let text = format!(
        "{{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {{name: js}}, spec: {{{spec}replicatedJobs: [{{{job}name: w}}]}}}}"
    );
    let (documents, _) = parse(&Source::new("js.yaml", text), Limits::POLICY);
    let mut findings = Findings::new();
    read(&documents[0], FeatureGates::default(), &mut findings);
    findings.sorted().into_iter().map(|one| (one.code.id(), one.message)).collect()
}

#[test]
fn only_slips_are_found_beside_the_policy() {
    // All other fields of the custom resource in v0.12.
    let spec = "coordinator: {}, managedBy: a, network: {}, startupPolicy: {}, \
                suspend: true, ttlSecondsAfterFinished: 3, volumeClaimPolicies: [], x-ours: 1, ";
    assert_eq!(beside(spec, "dependsOn: [], groupName: g, "), []);
    assert_eq!(beside("failurepolicy: {}, ", "")[0].0, "RP005");
    assert_eq!(beside("failurePolicy: {maxrestarts: 3}, ", "")[0].0, "RP005");
    assert_eq!(beside("", "Replicas: 3, ")[0].0, "RP005");
    assert_eq!(beside("", "replicas: 3, Replicas: 3, "), []);
}

/// Returns the findings about a set with this name and these replicated Jobs.
fn made(name: &str, jobs: &str) -> Vec<(&'static str, String)> {
    let text = format!(
        "{{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {{{name}}}, spec: {{replicatedJobs: [{jobs}]}}}}"
    );
    let (documents, _) = parse(&Source::new("js.yaml", text), Limits::POLICY);
    let mut findings = Findings::new();
    read(&documents[0], FeatureGates::default(), &mut findings);
    findings.sorted().into_iter().map(|one| (one.code.id(), one.message)).collect()
}

#[test]
fn names_of_jobs_and_pods_fit_a_label() {
    // A Job is named `<set>-w-0`; a pod adds `-0-abcde` if its Job's completions are set.
    let pods = "{name: w, template: {spec: {completions: 1}}}";
    let any = "{name: w, template: {spec: {completions: 1, completionMode: NonIndexed}}}";
    for (length, jobs, good) in [
        (59, "{name: w}", true),
        (60, "{name: w}", false),
        (59, "{name: w, replicas: 10}", true),
        (59, "{name: w, replicas: 11}", false),
        (58, "{name: w, replicas: 0}", true),
        (59, "{name: w, replicas: 0}", false),
        (51, pods, true),
        (52, pods, false),
        (59, any, true),
    ] {
        let found = made(&format!("name: {}", "a".repeat(length)), jobs);
        assert_eq!(found.is_empty(), good, "{length} {jobs}: {found:?}");
        assert!(found.iter().all(|(id, _)| *id == "RP036"), "{found:?}");
    }
    // The server cuts a generated name to 58 characters and adds 5.
    let generated = |length| made(&format!("generateName: {}", "a".repeat(length)), "{name: w}");
    assert_eq!((generated(54).len(), generated(55).len(), generated(200).len()), (0, 1, 1));
}

#[test]
fn names_of_jobs_are_labels() {
    for (name, jobs, count) in [
        ("name: js", "{name: a}, {name: b}, {name: 0-}", 0),
        ("name: js", "{name: a}, {name: b}, {name: a}", 1),
        ("name: js", "{name: A}, {name: a.b}", 2),
        ("name: 1js", "{name: a}, {name: b}", 1),
        ("name: js.v2", "{name: a}", 1),
        ("name: 1js", "", 0),
    ] {
        let found = made(name, jobs);
        assert_eq!(found.len(), count, "{name}, {jobs}: {found:?}");
        assert!(found.iter().all(|(id, _)| *id == "RP036"), "{found:?}");
    }
}

#[test]
fn all_pods_at_once_can_be_counted() {
    let job = |replicas: u32, parallelism: u32| {
        made(
            "name: js",
            &format!(
                "{{name: w, replicas: {replicas}, template: {{spec: {{parallelism: {parallelism}, completionMode: NonIndexed}}}}}}"
            ),
        )
    };
    assert_eq!(job(65536, 32767), []);
    assert_eq!(job(65536, 32768)[0].0, "RP036");
    assert_eq!(job(2_147_483_647, 0), []);
}
