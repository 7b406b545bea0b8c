//! What must hold of any texts that are read as the configuration of an executor: nothing panics, every finding has a
//! place in its text, and an executor with a valid configuration reports the rule that its trace shows as the first
//! match.

use super::findings::check_findings;
use document::diag::{Findings, Source};
use replay::history::{DescribedPod, described_pods};
use systems::armada::classifier::config::read;
use systems::armada::classifier::{
    ClassifierMemory, ClusterConfig, Executor, FailedPod, Situation, audit, to_categories,
};

/// The line between two files, of which the second is laid over the first.
const SEPARATOR: &str = "\n%%%\n";

/// Failed pods with their events, and one that does not start.
const PODS: &str = r#"
{kind: Pod, metadata: {name: oom}, status: {phase: Failed, containerStatuses: [
  {name: main, state: {terminated: {exitCode: 137, reason: OOMKilled, message: "CUDA error: out of memory"}}},
  {name: sidecar, state: {terminated: {exitCode: 1, reason: Error, message: "connection refused"}}}]}}
---
{kind: Pod, metadata: {name: straße}, status: {phase: Failed, containerStatuses: [
  {name: main, state: {terminated: {exitCode: -1, reason: Error, message: "ſegmentation \u212Aernel fault"}}}]}}
---
{kind: Pod, metadata: {name: rejected}, status: {phase: Failed, reason: Evicted, message: "The node was low on resource"}}
---
{kind: Event, type: Warning, reason: Evicted, message: "Allocate failed: nvidia.com/gpu", involvedObject: {kind: Pod, name: rejected}}
---
{kind: Pod, metadata: {name: pending}, status: {phase: Pending, containerStatuses: [
  {name: main, state: {waiting: {reason: ErrImagePull, message: "not found"}}}]}}
---
{kind: Event, type: Warning, reason: Failed, message: "Failed to pull image", involvedObject: {kind: Pod, name: pending}}
"#;

/// Reads the files of a configuration, and reports pods by a valid one. Returns whether it is valid.
pub fn executor(input: &str) -> bool {
    let sources: Vec<_> =
        input.split(SEPARATOR).map(|text| Source::new("executor.yaml", text)).collect();
    let read = read(&sources);
    check_findings(read.findings);
    let (Some(config), None) = (read.config, read.stop) else { return false };
    let executor = Executor::new(&config);
    let mut memory = ClassifierMemory::default();
    let (pods, found) = described_pods(&Source::new("pods.yaml", PODS));
    assert!(pods.len() == 4 && !found.has_errors(), "{:?}", found.sorted());
    for pod in &pods {
        report(&executor, pod, &mut memory);
    }
    for rule in executor.classifier().iter().flat_map(|classifier| classifier.rules()) {
        assert!(rule.place.source.text().get(rule.place.span.range()).is_some(), "{rule:?}");
    }
    let _ = to_categories(&config);
    let mut found = Findings::new();
    found.extend(audit(&[ClusterConfig { cluster: None, config }], &[]));
    check_findings(found);
    true
}

/// Reports a pod, and compares the rule with the first in the trace that matches.
fn report(executor: &Executor, described: &DescribedPod, memory: &mut ClassifierMemory) {
    let DescribedPod { pod, events, .. } = described;
    let report = executor.report(pod, events, Situation::Reported, memory);
    let Some(emission) = report.emission else { return };
    let trace = executor.trace(&FailedPod::new(pod, events), &emission, memory);
    let first = trace.iter().position(|rule| {
        let mut answers = rule.answers.iter();
        answers.any(|answer| answer.pass == emission.pass && answer.mismatch.is_none())
    });
    assert_eq!(first, emission.classification.rule, "{trace:?}");
}
