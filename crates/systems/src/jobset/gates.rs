//! What tests of a JobSet's policies cover, and failures that reach it.

use super::manifest::{JobSet, ReplicatedJob, Rule};
use crate::job::gates::{self, gates_of_spec, samples_of_policy};
use crate::{Gate, GateKind, Sample, limits_of, place_of};
use document::{Document, Node};
use serde_json::{Value, json};

/// Returns the rules, the default and the limit of a set, and those of its replicated Jobs that have rules for pods.
pub(super) fn gates(document: &Document, set: &JobSet) -> Vec<Gate> {
    let policy = document.root.at(&["spec", "failurePolicy"]);
    let nodes = policy.and_then(|policy| policy.get("rules")).map(Node::items).unwrap_or_default();
    let rules = set.failure_policy.as_ref().map_or(0, |policy| policy.rules.len());
    let mut gates = Vec::new();
    for index in 0..rules {
        let place = place_of(document, nodes.get(index));
        gates.push(Gate::new(&set.name, Some(index), GateKind::Rule, place));
    }
    gates.push(Gate::new(&set.name, None, GateKind::Default, place_of(document, policy)));
    gates.extend(limits_of(document, policy, &set.name, &["maxRestarts"]));
    let jobs = document.root.at(&["spec", "replicatedJobs"]).map(Node::items).unwrap_or_default();
    for (replicated, node) in set.replicated_jobs.iter().zip(jobs) {
        // Without rules for pods, tests usually hold the failures of Jobs.
        if !replicated.job.rules().is_empty() {
            let name = format!("{}/{}", set.name, replicated.name);
            let spec = node.at(&["template", "spec"]);
            gates.extend(gates_of_spec(document, spec, &name, replicated.job.rules().len()));
        }
    }
    gates
}

/// Returns failures of Jobs for each rule of the set and for its default, then failures of pods.
pub(super) fn samples(set: &JobSet) -> Vec<Sample> {
    let names: Vec<&str> = set.replicated_jobs.iter().map(|job| &*job.name).collect();
    let rules = set.failure_policy.as_ref().map_or(&[][..], |policy| &policy.rules);
    let mut samples: Vec<Sample> =
        rules.iter().map(|rule| Sample::of(failures_of(rule, &names))).collect();
    samples.push(Sample::of(names.iter().flat_map(|name| {
        REASONS.iter().map(move |reason| json!({"replicatedJob": name, "failureReason": reason}))
    })));
    for replicated in set.replicated_jobs.iter().filter(|job| !job.job.rules().is_empty()) {
        for mut sample in samples_of_policy(&replicated.job) {
            for failure in sample.alternatives.iter_mut().flatten() {
                set_job(failure, &replicated.name);
            }
            samples.push(sample);
        }
    }
    samples
}

fn set_job(failure: &mut Value, replicated: &str) {
    if let Value::Object(fields) = failure {
        fields.insert("replicatedJob".to_owned(), json!(replicated));
    }
}

/// Returns exits of containers that are restarted in place by fields of their own.
pub(super) fn exits_in_place(set: &JobSet) -> Vec<Value> {
    let of_job = |replicated: &ReplicatedJob| {
        let mut exits = gates::exits_in_place(&replicated.job);
        for exit in &mut exits {
            set_job(exit, &replicated.name);
        }
        exits
    };
    set.replicated_jobs.iter().flat_map(of_job).collect()
}

/// The reasons of failed Jobs, the usual one first.
const REASONS: [&str; 5] = [
    "BackoffLimitExceeded",
    "PodFailurePolicy",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
];

fn failures_of(rule: &Rule, names: &[&str]) -> Vec<Value> {
    let reasons: Vec<&str> = match rule.reasons.as_slice() {
        [] => REASONS.to_vec(),
        reasons => reasons.iter().map(|reason| &**reason).collect(),
    };
    let targets: Vec<&str> = match rule.targets.as_slice() {
        [] => names.to_vec(),
        targets => targets.iter().map(|target| &**target).collect(),
    };
    let messages: Vec<Option<String>> = match rule.patterns.as_slice() {
        [] => vec![None],
        patterns => patterns.iter().map(super::manifest::MessagePattern::example).collect(),
    };
    let mut failures = Vec::new();
    for (target, reason) in
        targets.iter().flat_map(|target| reasons.iter().map(move |it| (target, it)))
    {
        for message in &messages {
            let mut failure = json!({"replicatedJob": target, "failureReason": reason});
            if let (Value::Object(fields), Some(message)) = (&mut failure, message) {
                fields.insert("failureMessage".to_owned(), json!(message));
            }
            failures.push(failure);
        }
    }
    failures
}
