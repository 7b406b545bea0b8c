//! Coverage targets of tests of a JobSet's policies, and failures that reach them.

use super::manifest::{JobSet, ReplicatedJob, Rule};
use crate::job::coverage::{self, examples_of_policy, targets_of_spec};
use crate::{CoverageTarget, ExampleFailures, TargetKind, limits_of, place_of};
use document::{Document, Node};
use serde_json::{Value, json};

/// Returns the rules, the default and the limit of a set, and those of its replicated Jobs that have rules for pods.
pub(super) fn targets(document: &Document, set: &JobSet) -> Vec<CoverageTarget> {
    let policy = document.root.at(&["spec", "failurePolicy"]);
    let nodes = policy.and_then(|policy| policy.get("rules")).map(Node::items).unwrap_or_default();
    let rules = set.failure_policy.as_ref().map_or(0, |policy| policy.rules.len());
    let mut targets = Vec::new();
    for index in 0..rules {
        let place = place_of(document, nodes.get(index));
        targets.push(CoverageTarget::new(&set.name, Some(index), TargetKind::Rule, place));
    }
    targets.push(CoverageTarget::new(
        &set.name,
        None,
        TargetKind::Default,
        place_of(document, policy),
    ));
    targets.extend(limits_of(document, policy, &set.name, &["maxRestarts"]));
    let jobs = document.root.at(&["spec", "replicatedJobs"]).map(Node::items).unwrap_or_default();
    for (replicated, node) in set.replicated_jobs.iter().zip(jobs) {
        // Without rules for pods, tests usually hold the failures of Jobs.
        if !replicated.job.rules().is_empty() {
            let name = format!("{}/{}", set.name, replicated.name);
            let spec = node.at(&["template", "spec"]);
            targets.extend(targets_of_spec(document, spec, &name, replicated.job.rules().len()));
        }
    }
    targets
}

/// Returns failures of Jobs for each rule of the set and for its default, then failures of pods.
pub(super) fn examples(set: &JobSet) -> Vec<ExampleFailures> {
    let names: Vec<&str> = set.replicated_jobs.iter().map(|job| &*job.name).collect();
    let rules = set.failure_policy.as_ref().map_or(&[][..], |policy| &policy.rules);
    let mut examples: Vec<ExampleFailures> =
        rules.iter().map(|rule| ExampleFailures::of(failures_of(rule, &names))).collect();
    examples.push(ExampleFailures::of(names.iter().flat_map(|name| {
        REASONS.iter().map(move |reason| json!({"replicatedJob": name, "failureReason": reason}))
    })));
    for replicated in set.replicated_jobs.iter().filter(|job| !job.job.rules().is_empty()) {
        for mut example in examples_of_policy(&replicated.job) {
            for failure in example.alternatives.iter_mut().flatten() {
                set_job(failure, &replicated.name);
            }
            examples.push(example);
        }
    }
    examples
}

fn set_job(failure: &mut Value, replicated: &str) {
    if let Value::Object(fields) = failure {
        fields.insert("replicatedJob".to_owned(), json!(replicated));
    }
}

/// Returns exits of containers that are restarted in place by fields of their own.
pub(super) fn exits_in_place(set: &JobSet) -> Vec<Value> {
    let of_job = |replicated: &ReplicatedJob| {
        let mut exits = coverage::exits_in_place(&replicated.job);
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
