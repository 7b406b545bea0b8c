//! Conversion of a Job's decisions to reports.

pub(crate) mod fields;
pub(super) mod reason;
pub(super) mod text;

use super::engine::decision::{Decision, DecisionCode};
use super::engine::pod::{IndexFailures, Pod};
use super::engine::status::FailureReason;
use super::engine::{JobEngine, JobManifest, JobUnit, rule_match};
use super::record::PodFields;
use super::record::pod_fields::has_failed;
use document::units::GoDuration;
use fields::JobDecision;
use replay::history::{DISRUPTION_TARGET, Member, Run, TERMINATION_TARGET};
use replay::simulate::{
    DecisionFacts, DecisionReport, End, Evidence, Group, RuleLabel, SystemFields,
};
use std::collections::BTreeMap;
use text::{container_text, decided_text, has_own_exit_code, pod_name};

/// Returns the condition of a Job that ended: `Complete`, or the reason of its failure.
pub(super) fn unit_outcome(unit: &JobUnit, end: End) -> Option<String> {
    match end {
        End::Succeeded => Some("Complete".to_owned()),
        End::Failed => unit.failure.map(|reason| reason.as_str().to_owned()),
        End::Cancelled => None,
    }
}

/// Returns all rules and defaults, in order.
pub(super) fn rules(manifests: &[JobManifest]) -> Vec<RuleLabel> {
    let labels = |manifest: &JobManifest| {
        let rules = (0..manifest.policy.rules().len()).map(Some).chain([None]);
        let label = |index| RuleLabel::new(manifest.name.clone(), index);
        rules.map(label).collect::<Vec<_>>()
    };
    manifests.iter().flat_map(labels).collect()
}

/// Returns the parts of a decision that a summary counts.
pub(super) fn facts(engine: &JobEngine, decision: &Decision) -> DecisionFacts {
    let first = engine.first_rules.get(decision.manifest as usize).copied();
    let rules = engine.manifest(decision).map_or(0, |manifest| manifest.policy.rules().len());
    let number = decision.matched.map_or(rules, |matched| matched.rule);
    let attributed = first.filter(|_| decision.pod_failed);
    let limit = match decision.code {
        DecisionCode::Fail(reason) => reason != FailureReason::PodFailurePolicy,
        DecisionCode::FailIndex => decision.action() != "FailIndex" || decision.matched.is_none(),
        _ => false,
    };
    DecisionFacts {
        code: decision.code.as_str(),
        rule: attributed.map(|first| first + number),
        failure: decision.pod_failed,
        retry: decision.code.retries(),
        exhausted: limit,
        by_default: decision.pod_failed && decision.matched.is_none(),
        unlimited: decision.code != DecisionCode::Retry,
        ..DecisionFacts::default()
    }
}

/// Suggests a rule that would match a kind of failure. A failure that no limit counts may be retried without
/// end, so ignoring is suggested only for disruptions. If retries succeeded, no rule is needed: without one, a pod is
/// replaced and counted.
pub(super) fn suggest(group: &Group, evidence: Evidence) -> Option<String> {
    if [DISRUPTION_TARGET, TERMINATION_TARGET].contains(&group.condition.as_str()) {
        let kind = &group.condition;
        return Some(format!("{{action: Ignore, onPodConditions: [{{type: {kind}}}]}}"));
    }
    let matches = |code: &i64| *code != 0 && has_own_exit_code(&group.condition);
    let code = group.exit_code.filter(matches)?;
    let action = match evidence {
        Evidence::Succeeded => return None,
        Evidence::Failed => "FailJob",
        Evidence::Missing => "<FailJob or Count>",
    };
    Some(format!("{{action: {action}, onExitCodes: {{operator: In, values: [{code}]}}}}"))
}

/// Returns a decision as reports show it.
pub(super) fn decision_report(
    engine: &JobEngine,
    unit: &JobUnit,
    member: &Member<PodFields>,
    run: &Run<PodFields>,
    decision: &Decision,
) -> DecisionReport {
    let name = pod_name(&run.own, &member.unit);
    let expired = decision.failure() == Some(FailureReason::DeadlineExceeded);
    // The deadline ends the Job at its own time, not at that of a pod.
    let at = if expired {
        engine.manifest(decision).and_then(|manifest| unit.job.deadline(&manifest.policy))
    } else {
        run.time()
    };
    // Containers that the deadline ended have no failure of their own.
    let containers = run.own.containers.iter().filter(|one| has_failed(one) && !expired);
    DecisionReport {
        run_index: Some(run.run_index),
        pod_name: Some(name.into_owned()),
        node: run.node.as_deref().map(str::to_owned),
        cluster: run.cluster.as_deref().map(str::to_owned),
        failed_at: at.map(|time| time.to_string()),
        failure: match decision.failure().filter(|_| expired || !decision.pod_failed) {
            Some(reason) => reason.as_str().to_owned(),
            None => decided_text(&run.own, decision.matched.map(|matched| matched.by)),
        },
        containers: containers.map(container_text).collect(),
        action: decision.action().to_owned(),
        decision: decision.code.as_str().to_owned(),
        policy: engine.manifest(decision).map(|manifest| manifest.name.clone()),
        rule_index: decision.matched.map(|matched| matched.rule),
        count: decision.used.map(|used| used.count),
        limit: decision.used.map(|used| used.limit.into()),
        limit_source: decision.used.map(|used| used.source.to_owned()),
        total_retries: decision.replaced,
        global_max_retries: None,
        delay_seconds: decision.delay.map(GoDuration::as_secs_f64),
        retry_after: decision.not_before.map(|time| time.to_string()),
        avoid_nodes: Vec::new(),
        memory_bytes: None,
        next_pod_name: None,
        event: event(decision).to_owned(),
        reason: engine.reason(decision),
        system: engine.system_fields(unit, member, run, decision),
    }
}

impl JobEngine {
    pub(super) fn manifest(&self, decision: &Decision) -> Option<&JobManifest> {
        self.manifests.get(decision.manifest as usize)
    }

    fn system_fields(
        &self,
        unit: &JobUnit,
        member: &Member<PodFields>,
        run: &Run<PodFields>,
        decision: &Decision,
    ) -> SystemFields {
        let message = decision.failure().and_then(|reason| match reason.message() {
            Some(fixed) => Some(fixed.to_owned()),
            None => self.rules_message(unit, member, run, decision),
        });
        let counts = [
            ("failed", decision.failed),
            ("ignored", decision.ignored),
            ("failedIndexes", decision.failed_indexes),
        ];
        let is_indexed = self.manifest(decision).is_some_and(|job| job.policy.is_indexed());
        SystemFields::of(&JobDecision {
            level: Some("job"),
            pod_index: run.own.completion_index().filter(|_| is_indexed),
            counts: Some(
                counts.into_iter().map(|(name, n)| (name, n.into())).collect::<BTreeMap<_, _>>(),
            ),
            failure_reason: decision.failure().map(|reason| reason.as_str().to_owned()),
            failure_message: message,
        })
    }

    /// Returns the message of a Job that a rule failed: it names the pod that the rule matched.
    fn rules_message(
        &self,
        unit: &JobUnit,
        member: &Member<PodFields>,
        run: &Run<PodFields>,
        decision: &Decision,
    ) -> Option<String> {
        let fields = unit.causing_pod.as_deref().unwrap_or(&run.own);
        let name = pod_name(fields, &member.unit);
        let namespace = self.manifest(decision).map_or("", |manifest| &manifest.namespace);
        let pod = Pod { name: &name, namespace, ..fields.pod(None, IndexFailures::default()) };
        Some(rule_match::message(decision.matched?, &pod))
    }
}

/// Returns the event that the controller emits.
fn event(decision: &Decision) -> &'static str {
    match decision.code {
        DecisionCode::Fail(reason) => reason.as_str(),
        DecisionCode::Retry | DecisionCode::RetryIgnored => "SuccessfulCreate",
        DecisionCode::FailIndex | DecisionCode::NotReplaced => "",
    }
}
