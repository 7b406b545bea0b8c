//! Conversion of decisions about tries to reports.

pub(super) mod fields;
pub(super) mod reason;

use super::engine::AirflowEngine;
use super::engine::decision::Decision;
use super::engine::delay::DelayRule;
use super::engine::eligibility::{Eligibility, InstanceState};
use super::engine::retry_policy::{Consultation, Skip};
use super::manifest::AirflowPolicy;
use super::manifest::exceptions::bare_name;
use super::manifest::retry_policy::{RetryAction, TaskRetryPolicy};
use super::record::{TryFields, TryOutcome};
use fields::TryDecision;
use replay::history::Run;
use replay::simulate::{
    DecisionFacts, DecisionReport, End, Ending, Evidence, Group, RuleLabel, SystemFields,
};
use std::collections::BTreeMap;

pub(super) const NAME: &str = "airflow";

/// Returns the state of a task instance (`TaskInstanceState`); `None` for a cancelled one, which has no state
/// of its own. `is_rescheduled` is whether the last run of an instance that goes on was rescheduled.
pub(super) fn instance_state(end: Option<End>, is_rescheduled: bool) -> Option<&'static str> {
    match end {
        Some(End::Succeeded) => Some("success"),
        Some(End::Failed) => Some("failed"),
        Some(End::Cancelled) => None,
        None if is_rescheduled => Some("up_for_reschedule"),
        None => Some("up_for_retry"),
    }
}

/// Returns how a try ended, for summaries.
pub(super) fn ending(outcome: TryOutcome) -> Ending {
    match outcome {
        TryOutcome::Succeeded => Ending::Succeeded,
        TryOutcome::Failed => Ending::Failed,
        TryOutcome::Cancelled => Ending::Cancelled,
    }
}

/// Returns a rule of a retry policy that would match a kind of failure.
pub(super) fn suggest(group: &Group, evidence: Evidence) -> Option<String> {
    let exception = Some(&group.category).filter(|class| !class.is_empty())?;
    let action = match evidence {
        Evidence::Succeeded => "retry",
        Evidence::Failed => "fail",
        Evidence::Missing => "<retry or fail>",
    };
    Some(format!("{{exception: {exception}, action: {action}}}"))
}

impl AirflowEngine {
    /// Returns the parts of a decision about a run that a summary counts.
    pub(super) fn decision_facts(
        &self,
        run: &Run<TryFields>,
        decision: &Decision,
    ) -> DecisionFacts {
        let runs_again = decision.eligibility.reruns();
        let default = self.retry_policy().map_or(0, |policy| policy.rules().count());
        DecisionFacts {
            code: decision.code(),
            // Decisions without a rule are counted behind the last rule.
            rule: Some(self.rule_index(decision).unwrap_or(default)),
            failure: true,
            retry: runs_again,
            exhausted: decision.limit().is_some() && !runs_again,
            by_default: decision.answer().is_some_and(|answer| answer.rule.is_none()),
            guessed_wait: runs_again
                && !run.own.has_hashed_ids()
                && decision.depends_on_hash(&self.manifest.policy),
            lacks_facts: match decision.consultation {
                Consultation::NoPolicy => false,
                Consultation::Skipped(skip) => skip == Skip::NoExceptions,
                Consultation::Answered(answer) => answer.depends_on_bases,
            },
            ..DecisionFacts::default()
        }
    }

    /// Returns the number of the rule that the retry policy answered by, among all of its rules.
    fn rule_index(&self, decision: &Decision) -> Option<usize> {
        let place = decision.answer()?.rule?;
        Some(self.retry_policy()?.index(place))
    }

    /// Returns the retry policy, if the release has any.
    pub(super) fn retry_policy(&self) -> Option<&TaskRetryPolicy> {
        let AirflowPolicy { profile, retry_policy, .. } = &self.manifest.policy;
        retry_policy.as_ref().filter(|_| profile.has_retry_policies())
    }

    /// Returns the labels of the retry policy's rules, and that of all other decisions.
    pub(super) fn labels_of_rules(&self) -> Vec<RuleLabel> {
        let rules = self.retry_policy().map_or(0, |policy| policy.rules().count());
        let label = |index| RuleLabel { index, ..self.label() };
        (0..rules).map(Some).chain([None]).map(label).collect()
    }

    /// Returns a decision as reports show it.
    pub(super) fn decision_report(
        &self,
        run: &Run<TryFields>,
        decision: &Decision,
    ) -> DecisionReport {
        let limit = decision.limit();
        let wait = decision.delay.map(|delay| delay.wait);
        let after = |end: document::units::Time| Some(end.plus(wait?.to_duration()).to_string());
        DecisionReport {
            run_index: Some(run.run_index),
            pod_name: None,
            node: run.node.as_deref().map(str::to_owned),
            cluster: run.cluster.as_deref().map(str::to_owned),
            failed_at: run.time().map(|time| time.to_string()),
            failure: failure_text(&run.own).to_owned(),
            containers: Vec::new(),
            action: decision.action().to_owned(),
            decision: decision.code().to_owned(),
            policy: Some(self.manifest.name.clone()),
            rule_index: self.rule_index(decision),
            count: limit.and_then(|_| u32::try_from(decision.try_number).ok()),
            // A limit below 0 is none to a person.
            limit: limit.map(|(limit, _)| i64::from(limit)).filter(|limit| *limit >= 0),
            limit_source: limit.map(|(_, source)| source.to_owned()),
            total_retries: decision.retried,
            global_max_retries: None,
            delay_seconds: wait.map(super::TimeDelta::total_seconds),
            retry_after: run.time().and_then(after),
            avoid_nodes: Vec::new(),
            memory_bytes: None,
            next_pod_name: None,
            event: String::new(),
            reason: self.reason(decision),
            system: system_fields(decision, self.retry_reason(run, decision)),
        }
    }

    /// Returns the reason that Airflow stores with the task instance (`retry_reason`, up to 500 characters):
    /// that of the retry policy's answer. Up to 3.3 a try without a next one has none.
    fn retry_reason(&self, run: &Run<TryFields>, decision: &Decision) -> Option<String> {
        let (answer, policy) = (decision.answer()?, self.retry_policy()?);
        let retries = decision.eligibility.retries();
        let is_stored = match answer.action {
            _ if decision.eligibility == Eligibility::ForceFail => false,
            RetryAction::Default => false,
            RetryAction::Reschedule => decision.bound.is_some(),
            RetryAction::Retry | RetryAction::Fail => {
                retries || self.manifest.policy.profile.stores_reason_of_failure()
            }
        };
        let reason = policy.reason(answer, &run.own.failed.exceptions);
        let reason = match decision.bound {
            Some(bound) => {
                let limit = format!("Reschedule limit reached ({bound})");
                Some(reason.map_or_else(|| limit.clone(), |reason| format!("{limit}: {reason}")))
            }
            None => reason,
        };
        // The column `retry_reason` has 500 characters.
        reason.filter(|_| is_stored).map(|reason| reason.chars().take(500).collect())
    }

    /// Returns the rule of decisions by the task's settings.
    pub(super) fn label(&self) -> RuleLabel {
        RuleLabel::new(self.manifest.name.clone(), None)
    }
}

impl Decision {
    /// Returns the limit that the try's number was compared with, and its name; `None` if no limit was
    /// checked.
    pub(super) fn limit(&self) -> Option<(i32, &'static str)> {
        match self.eligibility {
            Eligibility::TriesLeft | Eligibility::TriesUsedUp => {
                Some((self.max_tries, "max_tries"))
            }
            Eligibility::NoRetries => Some((0, "retries")),
            Eligibility::Restarting
            | Eligibility::DelayOverflow
            | Eligibility::Rescheduled
            | Eligibility::ForceFail
            | Eligibility::ProcessKilled
            | Eligibility::PolicyFail => None,
        }
    }
}

fn system_fields(decision: &Decision, retry_reason: Option<String>) -> SystemFields {
    let base = decision.delay.and_then(|delay| match delay.rule {
        DelayRule::Grown { base, .. } => u32::try_from(base.get()).ok(),
        _ => None,
    });
    let try_number = u64::try_from(decision.try_number).unwrap_or(0);
    let mut counts = BTreeMap::from([("try_number", try_number)]);
    if decision.reschedules > 0 {
        counts.insert("reschedules", u64::from(decision.reschedules));
    }
    SystemFields::of(&TryDecision {
        counts: Some(counts),
        eligible: Some(
            decision.eligibility.reruns() || decision.eligibility == Eligibility::DelayOverflow,
        ),
        base_seconds: base.map(f64::from),
        retry_reason,
    })
}

/// Describes the failure in a few words: by its exception, if that is on record.
fn failure_text(fields: &TryFields) -> &str {
    match (fields.outcome, fields.failed.state) {
        (TryOutcome::Failed, InstanceState::Running) if fields.failed.process_exit.is_some() => {
            "Process killed"
        }
        (TryOutcome::Failed, InstanceState::Running) if fields.failed.worker_died => "Worker died",
        (TryOutcome::Failed, InstanceState::Running) if !fields.failed.exceptions.is_empty() => {
            let class = fields.failed.exceptions.first();
            class.map_or("Failed", |class| bare_name(class))
        }
        (TryOutcome::Succeeded, _) => "Succeeded",
        (TryOutcome::Cancelled, _) => "Cancelled",
        (TryOutcome::Failed, _) if fields.failed.force_fail => "Failed for good",
        (TryOutcome::Failed, InstanceState::Running) => "Failed",
        (TryOutcome::Failed, InstanceState::Restarting) => "Cleared",
        (TryOutcome::Failed, InstanceState::Other) => "Failed, not running",
    }
}
