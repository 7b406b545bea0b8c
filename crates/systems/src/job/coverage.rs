//! Coverage targets of tests of a Job's policy, and failures that reach them.

use super::engine::JobManifest;
use super::manifest::{
    ExitCodes, JobPolicy, Operator, PodAction, PodRule, Requirement, RestartPolicy,
};
use crate::{CoverageTarget, ExampleFailures, TargetKind, limits_of, place_of};
use document::{Document, Node};
use serde_json::{Value, json};

/// The fields of a Job that set limits.
pub(crate) const LIMITS: &[&str] = &["backoffLimit", "backoffLimitPerIndex", "maxFailedIndexes"];

/// Returns the rules, the default and the limits of a Job.
pub(super) fn targets(document: &Document, manifest: &JobManifest) -> Vec<CoverageTarget> {
    let spec = document.root.get("spec");
    targets_of_spec(document, spec, &manifest.name, manifest.policy.rules().len())
}

/// Returns the rules, the default and the limits of the spec of a Job.
pub(crate) fn targets_of_spec(
    document: &Document,
    spec: Option<&Node>,
    policy: &str,
    rules: usize,
) -> Vec<CoverageTarget> {
    let nodes = spec.and_then(|spec| spec.at(&["podFailurePolicy", "rules"]));
    let nodes = nodes.map(Node::items).unwrap_or_default();
    let rule = |index: usize| {
        let place = place_of(document, nodes.get(index));
        CoverageTarget::new(policy, Some(index), TargetKind::Rule, place)
    };
    let mut targets: Vec<CoverageTarget> = (0..rules).map(rule).collect();
    targets.push(CoverageTarget::new(policy, None, TargetKind::Default, place_of(document, spec)));
    targets.extend(limits_of(document, spec, policy, LIMITS));
    targets
}

/// Returns failures of pods for each rule, for the default, and of several indexes.
pub(super) fn examples(manifest: &JobManifest) -> Vec<ExampleFailures> {
    examples_of_policy(&manifest.policy)
}

/// The most failed pods of all indexes in a example. Each is a line of a test that a person reads.
const MAX_PODS: u32 = 400;

/// Returns failures of pods for each rule of a Job, for its default, and of several indexes.
pub(crate) fn examples_of_policy(policy: &JobPolicy) -> Vec<ExampleFailures> {
    let mut examples = examples_of_rules(policy.rules());
    if policy.is_indexed() {
        examples.extend(examples_of_indexes(policy));
    }
    examples
}

/// Failures of different indexes: each until it fails, for limits on failed indexes; and each as often as it survives,
/// for the limit of all pods. A rule may fail an index at its first pod.
fn examples_of_indexes(policy: &JobPolicy) -> Vec<ExampleFailures> {
    let of_rules = policy.rules().iter().filter(|rule| rule.action != Some(PodAction::FailJob));
    let mut kinds: Vec<Value> =
        of_rules.filter_map(|rule| failures_of(&rule.requirement).into_iter().next()).collect();
    kinds.push(other_failure(policy.rules()));
    let survived = policy.backoff_limit_per_index.unwrap_or(policy.backoff_limit);
    let times = survived.saturating_add(1).min(MAX_PODS);
    // Fewer indexes where each needs many pods, so that the example stays readable.
    let all = policy.indexes().min(MAX_PODS / times).max(1);
    let needed = policy.max_failed_indexes.map_or(all, |failed| all.min(failed.saturating_add(1)));
    let pod = |kind: &Value, index: u32| with(kind.clone(), "podIndex", json!(index));
    let until_failed = |kind: &Value| -> Vec<Value> {
        (0..needed)
            .flat_map(|index| (0..times).map(move |_| index))
            .map(|it| pod(kind, it))
            .collect()
    };
    let survivors = |kind: &Value| -> Vec<Value> {
        (0..survived.min(MAX_PODS)).flat_map(|_| 0..all).map(|index| pod(kind, index)).collect()
    };
    let sequences = kinds.iter().map(until_failed).chain(kinds.iter().map(survivors));
    let sequences = sequences.filter(|failures| !failures.is_empty());
    sequences.map(|failures| ExampleFailures { alternatives: vec![failures] }).collect()
}

/// Returns failures of pods for each rule, and for the default.
pub(crate) fn examples_of_rules(rules: &[PodRule]) -> Vec<ExampleFailures> {
    let of_rules = rules.iter().map(|rule| ExampleFailures::of(failures_of(&rule.requirement)));
    of_rules.chain([ExampleFailures::of([other_failure(rules), json!({})])]).collect()
}

fn failures_of(requirement: &Requirement) -> Vec<Value> {
    match requirement {
        Requirement::ExitCodes(codes) => {
            let container = codes.container.as_deref().unwrap_or("main");
            let codes = matching(codes);
            codes.into_iter().map(|code| exit(container, code)).collect()
        }
        Requirement::Conditions(patterns) => {
            let condition = |kind: &str, status: &str| json!({"podConditions": [{"type": kind, "status": status}]});
            patterns
                .iter()
                .map(|pattern| condition(&pattern.kind, pattern.status.as_str()))
                .collect()
        }
        Requirement::Nothing => Vec::new(),
    }
}

/// Exit codes that meet a requirement.
fn matching(codes: &ExitCodes) -> Vec<i32> {
    match codes.operator {
        // 0 is a success, and a pod that succeeded is never matched.
        Some(Operator::In) => codes.values.iter().copied().filter(|code| *code != 0).collect(),
        Some(Operator::NotIn) => (1..=255).filter(|code| !codes.values.contains(code)).collect(),
        None => Vec::new(),
    }
}

/// A failure with an exit code that no rule matches, if there is one.
fn other_failure(rules: &[PodRule]) -> Value {
    let is_matched = |code: &i32| {
        rules.iter().any(|rule| match &rule.requirement {
            Requirement::ExitCodes(codes) => matching(codes).contains(code),
            Requirement::Conditions(_) | Requirement::Nothing => false,
        })
    };
    (1..=255).find(|code| !is_matched(code)).map_or_else(|| json!({}), |code| exit("main", code))
}

/// Returns exits of containers that are restarted in place by fields of their own although the pod's policy is `Never`.
pub(crate) fn exits_in_place(policy: &JobPolicy) -> Vec<Value> {
    let never = RestartPolicy::Never;
    if policy.restart_policy != never {
        return Vec::new();
    }
    let containers = policy.containers.iter().filter(|container| !container.is_init);
    let exits = containers.flat_map(|container| {
        let listed = container.restart_rules.iter().flat_map(|rule| &rule.values).copied();
        let codes = listed.chain(1..=255).filter(|code| *code != 0);
        codes
            .filter(|code| container.restarted_by(never, i64::from(*code)).is_some())
            .map(|code| exit(&container.name, code))
    });
    exits.collect()
}

fn exit(container: &str, code: i32) -> Value {
    if container == "main" {
        return json!({"exitCode": code});
    }
    json!({"containers": [{"name": container, "exitCode": code}]})
}

fn with(mut failure: Value, key: &str, value: Value) -> Value {
    if let Value::Object(fields) = &mut failure {
        fields.insert(key.to_owned(), value);
    }
    failure
}
