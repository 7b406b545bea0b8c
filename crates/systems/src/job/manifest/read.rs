//! Reads a manifest's tree with Kubernetes' defaults (`pkg/apis/batch/v1/defaults.go`).
//!
//! Reading reports no findings: a value that a check rejected is read as if it were absent.

use super::success_rule::SuccessRule;
use super::{
    CompletionMode, ConditionPattern, ConditionStatus, ExitCodes, JobPolicy, Operator, PodAction,
    PodReplacementPolicy, PodRule, Requirement, RestartPolicy, containers,
};
use document::units::GoDuration;
use document::{FieldValue, Node};

/// The default of `backoffLimit`.
const BACKOFF_LIMIT: u32 = 6;
/// The default of `backoffLimit` if `backoffLimitPerIndex` is set.
const NO_BACKOFF_LIMIT: u32 = i32::MAX as u32;

/// The creator of a Job, which determines the defaults of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Creator {
    /// A user who applies a manifest.
    #[default]
    Manifest,
    /// A JobSet, whose webhook sets `completionMode: Indexed` and `restartPolicy: OnFailure` if they are
    /// absent (`pkg/webhooks/jobset_webhook.go`).
    JobSet,
}

/// Kubernetes' feature gates that change the meaning of a Job. Both are always on in current
/// releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureGates {
    /// `JobBackoffLimitPerIndex`: limits per index, and the action `FailIndex`.
    pub backoff_limit_per_index: bool,
    /// `JobPodReplacementPolicy`: the field `podReplacementPolicy`.
    pub pod_replacement_policy: bool,
}

impl Default for FeatureGates {
    fn default() -> Self {
        Self { backoff_limit_per_index: true, pod_replacement_policy: true }
    }
}

/// Reads a Job's `spec`.
pub fn read(spec: &Node, creator: Creator, gates: FeatureGates) -> JobPolicy {
    let per_index = count(spec, "backoffLimitPerIndex").filter(|_| gates.backoff_limit_per_index);
    // A policy without rules is still one: it changes the default of `podReplacementPolicy`.
    let rules = spec.at(&["podFailurePolicy", "rules"]).map(Node::items);
    let rules = rules.or(spec.get("podFailurePolicy").map(|_| &[][..]));
    let rules: Option<Vec<PodRule>> =
        rules.map(|rules| rules.iter().map(|node| rule(node, gates)).collect());
    let (parallelism, completions) = (count(spec, "parallelism"), count(spec, "completions"));
    // Without both, the API server sets both to 1; with `parallelism` alone, the Job is a work queue.
    let neither = parallelism.is_none() && completions.is_none();
    JobPolicy {
        backoff_limit: count(spec, "backoffLimit").unwrap_or(match per_index {
            Some(_) => NO_BACKOFF_LIMIT,
            None => BACKOFF_LIMIT,
        }),
        backoff_limit_per_index: per_index,
        max_failed_indexes: count(spec, "maxFailedIndexes").filter(|_| per_index.is_some()),
        completions: completions.or(neither.then_some(1)),
        parallelism: parallelism.unwrap_or(1),
        completion_mode: completion_mode(spec, creator),
        active_deadline: spec.get("activeDeadlineSeconds").and_then(seconds),
        restart_policy: restart_policy(spec, creator).unwrap_or(RestartPolicy::Never),
        pod_replacement_policy: replacement(spec, rules.is_some(), gates),
        rules,
        success_rules: success_rules(spec, creator),
        containers: containers::read(spec),
    }
}

/// Reads the rules of the success policy. Only an Indexed Job has any.
fn success_rules(spec: &Node, creator: Creator) -> Vec<SuccessRule> {
    if completion_mode(spec, creator) != CompletionMode::Indexed {
        return Vec::new();
    }
    let policy = spec.get("successPolicy");
    policy.and_then(|policy| Vec::from_field(policy, "rules")).unwrap_or_default()
}

/// Returns the template's restart policy; `None` if the API server refuses it.
pub(crate) fn restart_policy(spec: &Node, creator: Creator) -> Option<RestartPolicy> {
    match spec.at(&["template", "spec", "restartPolicy"]).and_then(Node::some_text) {
        Some("Never") => Some(RestartPolicy::Never),
        Some("OnFailure") => Some(RestartPolicy::OnFailure),
        Some(_) => None,
        None => (creator == Creator::JobSet).then_some(RestartPolicy::OnFailure),
    }
}

/// Returns the completion mode, with the creator's default.
pub(crate) fn completion_mode(spec: &Node, creator: Creator) -> CompletionMode {
    match (spec.get("completionMode").and_then(Node::text), creator) {
        (Some("Indexed"), _) | (None, Creator::JobSet) => CompletionMode::Indexed,
        _ => CompletionMode::NonIndexed,
    }
}

/// Reads a number that is 0 or more.
pub(crate) fn count(spec: &Node, field: &str) -> Option<u32> {
    spec.get(field).and_then(Node::integer).and_then(|number| u32::try_from(number).ok())
}

fn seconds(node: &Node) -> Option<GoDuration> {
    node.integer().and_then(|seconds| i64::try_from(seconds).ok()).map(GoDuration::from_secs)
}

fn replacement(spec: &Node, rules: bool, gates: FeatureGates) -> PodReplacementPolicy {
    let written = spec.get("podReplacementPolicy").and_then(Node::text);
    match written.filter(|_| gates.pod_replacement_policy) {
        Some("Failed") => PodReplacementPolicy::Failed,
        None if rules => PodReplacementPolicy::Failed,
        _ => PodReplacementPolicy::TerminatingOrFailed,
    }
}

fn rule(node: &Node, gates: FeatureGates) -> PodRule {
    let action = node.get("action").and_then(Node::text).and_then(PodAction::from_name);
    let off =
        |action: &PodAction| *action == PodAction::FailIndex && !gates.backoff_limit_per_index;
    let conditions = node.get("onPodConditions").map(Node::items).unwrap_or_default();
    // If both are present, which the API server refuses, the controller uses the exit codes.
    let requirement = match node.get("onExitCodes") {
        Some(codes) => Requirement::ExitCodes(exit_codes(codes)),
        None if conditions.is_empty() => Requirement::Nothing,
        None => Requirement::Conditions(conditions.iter().filter_map(pattern).collect()),
    };
    PodRule { action: action.filter(|action| !off(action)), requirement }
}

fn exit_codes(node: &Node) -> ExitCodes {
    let values = node.get("values").map(Node::items).unwrap_or_default().iter();
    ExitCodes {
        container: node.get("containerName").and_then(Node::text).map(Into::into),
        operator: match node.get("operator").and_then(Node::text) {
            Some("In") => Some(Operator::In),
            Some("NotIn") => Some(Operator::NotIn),
            _ => None,
        },
        values: values.filter_map(|code| i32::try_from(code.integer()?).ok()).collect(),
    }
}

fn pattern(node: &Node) -> Option<ConditionPattern> {
    let status = match node.get("status").and_then(Node::some_text) {
        Some(text) => ConditionStatus::from_name(text)?,
        None => ConditionStatus::True,
    };
    Some(ConditionPattern { kind: node.get("type")?.text()?.into(), status })
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::Source;
    use document::{Limits, parse};

    fn of(text: &str, creator: Creator) -> JobPolicy {
        let (documents, findings) = parse(&Source::new("job.yaml", text), Limits::POLICY);
        assert!(findings.is_empty());
        read(&documents[0].root, creator, FeatureGates::default())
    }

    #[test]
    fn defaults_hang_on_each_other() {
        let plain = of("{}", Creator::Manifest);
        assert_eq!((plain.backoff_limit, plain.completions, plain.parallelism), (6, Some(1), 1));
        assert_eq!(plain.pod_replacement_policy, PodReplacementPolicy::TerminatingOrFailed);
        assert!(!plain.waits_for_termination());
        let queue = of("parallelism: 3", Creator::Manifest);
        assert_eq!((queue.completions, queue.parallelism), (None, 3));
        let index =
            of("{backoffLimitPerIndex: 0, podFailurePolicy: {rules: []}}", Creator::Manifest);
        assert_eq!((index.backoff_limit, index.backoff_limit_per_index), (2_147_483_647, Some(0)));
        assert_eq!(index.rules, Some(Vec::new()));
        assert!(index.waits_for_termination());
    }

    #[test]
    fn a_jobset_makes_other_jobs() {
        let child = of("{}", Creator::JobSet);
        assert_eq!(child.completion_mode, CompletionMode::Indexed);
        assert_eq!(child.restart_policy, RestartPolicy::OnFailure);
        let text = "{completionMode: NonIndexed, template: {spec: {restartPolicy: Never}}}";
        let child = of(text, Creator::JobSet);
        assert_eq!(child.completion_mode, CompletionMode::NonIndexed);
        assert_eq!(child.restart_policy, RestartPolicy::Never);
    }

    #[test]
    fn a_gate_that_is_off_takes_its_fields_away() {
        let text = "{backoffLimitPerIndex: 1, podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [1]}}]}}";
        let (documents, _) = parse(&Source::new("job.yaml", text), Limits::POLICY);
        let gates = FeatureGates { backoff_limit_per_index: false, ..FeatureGates::default() };
        let policy = read(&documents[0].root, Creator::Manifest, gates);
        assert_eq!((policy.backoff_limit, policy.backoff_limit_per_index), (6, None));
        assert_eq!(policy.rules()[0].action, None);
    }
}
