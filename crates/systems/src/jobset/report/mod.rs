//! Conversion of decisions about a JobSet to reports.

pub(super) mod details;
pub(super) mod fields;
pub(super) mod reason;

use super::engine::JobSetEngine;
use super::engine::decision::{RuleAction, SetCode, SetDecision};
use super::engine::state::SetState;
use super::engine::sync::checks_max_restarts;
use super::manifest::JobSet;
use super::numbered::Numbered;
use super::record::SetFields;
use crate::job::{self, FailureReason};
use document::units::GoDuration;
use replay::history::{Member, Run};
use replay::simulate::{DecisionFacts, DecisionReport, End, Labels, RuleLabel};

/// Returns the reason of the set's condition: `Completed`, or why it failed.
pub(super) fn unit_outcome(state: &SetState, end: End) -> Option<String> {
    match end {
        End::Succeeded => Some("Completed".to_owned()),
        End::Failed => state.terminal.map(|terminal| terminal.as_str().to_owned()),
        End::Cancelled => None,
    }
}

/// Returns why a set succeeded before all of its recorded Jobs did.
pub(super) fn success_reason(set: &JobSet, state: &SetState) -> Option<String> {
    let policy = &set.success_policy;
    let of = match policy.targets.as_slice() {
        [] => "all replicatedJobs".to_owned(),
        targets => targets.join(", "),
    };
    let operator = policy.operator.as_str();
    (!state.is_all_done()).then(|| format!("successPolicy {operator} of {of} is met"))
}

/// Returns all rules and defaults, in order: those of each set, then those of its replicated Jobs.
pub(super) fn rules(sets: &[Numbered]) -> Vec<RuleLabel> {
    let mut labels = Vec::new();
    for Numbered { set, .. } in sets {
        let rules = set.failure_policy.as_ref().map_or(0, |policy| policy.rules.len());
        add(&mut labels, &set.name, rules);
        for replicated in &set.replicated_jobs {
            let policy = format!("{}/{}", set.name, replicated.name);
            add(&mut labels, &policy, replicated.job.rules().len());
        }
    }
    labels
}

fn add(labels: &mut Vec<RuleLabel>, policy: &str, rules: usize) {
    let indexes = (0..rules).map(Some).chain([None]);
    labels.extend(indexes.map(|index| RuleLabel::new(policy, index)));
}

/// Returns the labels of a failure that rules can match on.
pub(super) fn labels(fields: &SetFields) -> Labels<'_> {
    let non_empty = |text| Some(text).filter(|text: &&str| !text.is_empty());
    let of_pod = job::labels(&fields.pod);
    Labels {
        category: non_empty(&fields.failure_reason),
        message: non_empty(fields.message()).or(of_pod.message),
        ..of_pod
    }
}

/// Returns the parts of a decision that a summary counts.
pub(super) fn facts(engine: &JobSetEngine, decision: &SetDecision) -> DecisionFacts {
    let code = decision.code;
    DecisionFacts {
        code: code.as_str(),
        rule: engine.number(decision),
        // The set's reaction to a Job's failure is not counted as another failure, unless only the Job's
        // failure is recorded.
        failure: code.is_of_job() || decision.failure.is_none(),
        retry: code.reruns(),
        exhausted: code.exhausted(),
        by_default: decision.rule.is_none(),
        unlimited: !code.uses_budget(),
        ..DecisionFacts::default()
    }
}

/// Returns a decision as reports show it.
pub(super) fn decision_report(
    engine: &JobSetEngine,
    state: &SetState,
    member: &Member<SetFields>,
    run: &Run<SetFields>,
    decision: &SetDecision,
) -> DecisionReport {
    let action = decision.rule_action.as_str(decision.code);
    let by_time = decision.failure == Some(FailureReason::DeadlineExceeded);
    let containers = run.own.pod.containers.iter();
    let failed = containers.filter(|container| job::has_failed(container) && !by_time);
    DecisionReport {
        run_index: Some(run.run_index),
        pod_name: (!run.own.pod.name.is_empty()).then(|| run.own.pod.name.to_string()),
        node: run.node.as_deref().map(str::to_owned),
        cluster: run.cluster.as_deref().map(str::to_owned),
        failed_at: decision.expired.or(run.time()).map(|time| time.to_string()),
        failure: engine.failure(state, run, decision),
        containers: failed.map(job::container_text).collect(),
        action: action.to_owned(),
        decision: decision.code.as_str().to_owned(),
        policy: engine.policy_name(state, decision),
        rule_index: decision.rule.map(|rule| rule as usize),
        count: decision.used.map(|(count, _)| count),
        limit: decision.used.map(|(_, limit)| limit.into()),
        limit_source: decision.used.map(|_| engine.limit_source(state, decision).to_owned()),
        total_retries: decision.total,
        global_max_retries: None,
        delay_seconds: decision.grant.map(|(delay, _)| GoDuration::as_secs_f64(delay)),
        retry_after: decision.grant.and_then(|(_, at)| at).map(|time| time.to_string()),
        avoid_nodes: Vec::new(),
        memory_bytes: None,
        next_pod_name: None,
        event: event(decision).to_owned(),
        reason: engine.sentence(state, decision),
        system: engine.system_fields(state, member, run, decision),
    }
}

impl JobSetEngine {
    /// Describes the failure in a few words: the Job's reason, or how the pod ended, with the part of it that a rule of
    /// its Job matched.
    fn failure(&self, state: &SetState, run: &Run<SetFields>, decision: &SetDecision) -> String {
        let fields = &run.own;
        if let Some(FailureReason::DeadlineExceeded) = decision.failure {
            return FailureReason::DeadlineExceeded.as_str().to_owned();
        }
        if fields.is_job_record() {
            return fields.failure_reason.to_string();
        }
        let pod = fields.pod.pod(run.time(), job::IndexFailures::default());
        let matched = self.set_of(state).and_then(|numbered| {
            let policy = self.policy(&numbered.set, decision.replicated_job);
            job::first_match(policy.rules(), &pod)
        });
        job::decided_text(&fields.pod, matched.map(|matched| matched.by))
    }

    /// Returns the rule's number among all of [`ReportTexts::rules`](replay::simulate::ReportTexts::rules).
    fn number(&self, decision: &SetDecision) -> Option<usize> {
        let numbered = self.sets.get(decision.manifest)?;
        let (first, rules) = if decision.code.is_of_job() {
            let place = decision.replicated_job?;
            let job = numbered.set.replicated_jobs.get(place)?;
            (*numbered.jobs.get(place)?, job.job.rules().len())
        } else {
            let policy = numbered.set.failure_policy.as_ref();
            (numbered.first, policy.map_or(0, |policy| policy.rules.len()))
        };
        Some(first + decision.rule.map_or(rules, |rule| rule as usize))
    }

    fn policy_name(&self, state: &SetState, decision: &SetDecision) -> Option<String> {
        let set = &self.sets.get(decision.manifest)?.set;
        match decision.rule_action {
            RuleAction::NoPolicy => None,
            RuleAction::Pod(_) => {
                let label = state.children.get(decision.child).map_or("", |child| &child.label);
                Some(format!("{}/{label}", set.name))
            }
            _ => Some(set.name.to_string()),
        }
    }

    fn limit_source(&self, state: &SetState, decision: &SetDecision) -> &'static str {
        if !decision.code.is_of_job() {
            return "maxRestarts";
        }
        let set = self.set_of(state).map(|numbered| &numbered.set);
        let policy = set.map(|set| self.policy(set, decision.replicated_job));
        match decision.code {
            SetCode::FailJob(FailureReason::MaxFailedIndexesExceeded) => "maxFailedIndexes",
            SetCode::Retry | SetCode::RetryIgnored | SetCode::FailIndex
                if policy
                    .is_some_and(|p| p.is_indexed() && p.backoff_limit_per_index.is_some()) =>
            {
                "backoffLimitPerIndex"
            }
            _ => "backoffLimit",
        }
    }

    /// Returns the reason of a decision, as one sentence without a final period.
    pub(super) fn sentence(&self, state: &SetState, decision: &SetDecision) -> String {
        let set = self.sets.get(decision.manifest).map(|numbered| &numbered.set);
        let policy = set.and_then(|set| set.failure_policy.as_ref());
        let rule = policy.and_then(|policy| policy.rules.get(decision.rule? as usize));
        let rule = rule.filter(|_| !decision.code.is_of_job()).map(|rule| &*rule.name);
        let child = state.children.get(decision.child);
        let of = reason::of(decision, child.map_or("", |child| &child.name), rule);
        let presumed = match (decision.code, child, set) {
            (SetCode::FailJob(FailureReason::FailedIndexes), Some(child), Some(set)) => {
                job::presumed_text(child.presumed(self.policy(set, decision.replicated_job)))
            }
            _ => String::new(),
        };
        let before =
            if checks_max_restarts(decision.code) { state.counters.before_record() } else { 0 };
        of + &presumed + &reason::before_record(before)
    }
}

/// Returns the reason of the event that the controllers emit.
fn event(decision: &SetDecision) -> &'static str {
    match (decision.code, decision.rule_action) {
        (SetCode::FailJob(reason), _) => reason.as_str(),
        (SetCode::Retry | SetCode::RetryIgnored, _) => "SuccessfulCreate",
        (SetCode::FailIndex | SetCode::ReconcileError, _) => "",
        (code, rule_action) => match (code.terminal(), rule_action) {
            (Some(terminal), _) => terminal.as_str(),
            (None, RuleAction::Set(action)) => action.event(),
            (None, _) => "",
        },
    }
}
