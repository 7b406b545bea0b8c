//! Conversion of decisions about tries to reports.

pub(super) mod reason;

use super::engine::AirflowEngine;
use super::engine::decision::Decision;
use super::engine::delay::DelayRule;
use super::engine::eligibility::{Eligibility, InstanceState};
use super::record::{TryFields, TryOutcome};
use crate::history::Run;
use crate::simulate::{DecisionCounts, DecisionReport, End, Ending, RuleLabel, SystemDecision};
use std::collections::BTreeMap;

/// The engine's name.
pub(super) const NAME: &str = "airflow";

/// Returns the state of a task instance (`TaskInstanceState`); `None` for a cancelled one, which has no state
/// of its own.
pub(super) fn instance_state(end: Option<End>) -> Option<&'static str> {
    match end {
        Some(End::Succeeded) => Some("success"),
        Some(End::Failed) => Some("failed"),
        Some(End::Cancelled) => None,
        None => Some("up_for_retry"),
    }
}

/// Returns how a try ended, for summaries.
pub(super) fn ending(outcome: TryOutcome) -> Ending {
    match outcome {
        TryOutcome::Succeeded => Ending::Succeeded,
        TryOutcome::Failed => Ending::Failed,
        TryOutcome::Cancelled => Ending::Other,
    }
}

/// Returns the parts of a decision that a summary counts.
pub(super) fn counts(decision: &Decision) -> DecisionCounts {
    DecisionCounts {
        code: decision.code(),
        rule: Some(0),
        failure: true,
        retry: decision.eligibility.retries(),
        exhausted: decision.limit().is_some() && !decision.eligibility.retries(),
        by_default: false,
    }
}

impl AirflowEngine {
    /// Returns a decision as reports show it.
    pub(super) fn decision_report(
        &self,
        run: &Run<TryFields>,
        decision: &Decision,
    ) -> DecisionReport {
        let limit = decision.limit();
        let wait = decision.delay.map(|delay| delay.wait);
        let after = |end: crate::units::Time| Some(end.plus(wait?.to_duration()).to_string());
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
            rule_index: None,
            count: limit.and_then(|_| u32::try_from(decision.try_number).ok()),
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
            system: system_fields(decision),
        }
    }

    /// Returns the rule that decisions are attributed to: a profile has no rules, so it counts as one.
    pub(super) fn label(&self) -> RuleLabel {
        RuleLabel { policy: self.manifest.name.clone(), index: None }
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
            Eligibility::Restarting | Eligibility::ForceFail => None,
        }
    }
}

fn system_fields(decision: &Decision) -> SystemDecision {
    let base = decision.delay.and_then(|delay| match delay.rule {
        DelayRule::Grown { base, .. } => u32::try_from(base.get()).ok(),
        _ => None,
    });
    let try_number = u64::try_from(decision.try_number).unwrap_or(0);
    SystemDecision {
        counts: Some(BTreeMap::from([("try_number", try_number)])),
        eligible: Some(decision.eligibility.retries()),
        base_seconds: base.map(f64::from),
        ..SystemDecision::default()
    }
}

/// Describes the failure in a few words.
fn failure_text(fields: &TryFields) -> &'static str {
    match (fields.outcome, fields.failed.state) {
        (TryOutcome::Succeeded, _) => "Succeeded",
        (TryOutcome::Cancelled, _) => "Cancelled",
        (TryOutcome::Failed, _) if fields.failed.force_fail => "Failed for good",
        (TryOutcome::Failed, InstanceState::Running) => "Failed",
        (TryOutcome::Failed, InstanceState::Restarting) => "Cleared",
        (TryOutcome::Failed, InstanceState::Other) => "Failed, not running",
    }
}
