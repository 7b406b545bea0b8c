//! Conversion of decisions about attempts to reports.

pub(super) mod fields;
pub(super) mod reason;

use super::engine::{AwsBatchEngine, Decision, Verdict};
use super::record::{AttemptFields, AttemptOutcome};
use fields::AttemptDecision;
use replay::history::Run;
use replay::simulate::{
    DecisionFacts, DecisionReport, End, Ending, Evidence, Group, Labels, RuleLabel, SystemFields,
};
use std::collections::BTreeMap;

/// The field of the limit.
pub(super) const ATTEMPTS: &str = "attempts";

/// The start of the status reason of an attempt whose host was terminated, as for a Spot reclaim (aws-cdk, aws-batch,
/// `Reason.SPOT_INSTANCE_RECLAIMED`).
pub(super) const HOST_TERMINATED: &str = "Host EC2";

/// Returns the status of a job (`JobStatus`); a job that goes on is `RUNNABLE`.
pub(super) fn job_status(end: Option<End>) -> &'static str {
    match end {
        Some(End::Succeeded) => "SUCCEEDED",
        // A terminated job is `FAILED` too.
        Some(End::Failed | End::Cancelled) => "FAILED",
        None => "RUNNABLE",
    }
}

/// Returns how an attempt ended, for summaries.
pub(super) fn ending(outcome: AttemptOutcome) -> Ending {
    match outcome {
        AttemptOutcome::Succeeded => Ending::Succeeded,
        AttemptOutcome::Terminated => Ending::Cancelled,
        AttemptOutcome::Failed | AttemptOutcome::TimedOut | AttemptOutcome::Invalid => {
            Ending::Failed
        }
    }
}

/// Returns the features by which summaries group failures.
pub(super) fn labels(fields: &AttemptFields) -> Labels<'_> {
    let is_timeout = fields.outcome == AttemptOutcome::TimedOut;
    Labels {
        condition: is_timeout.then_some(AttemptOutcome::TimedOut.as_str()),
        reason: reason_class(fields),
        exit_code: fields.exit_code.map(i64::from),
        message: [&*fields.reason, &*fields.status_reason].into_iter().find(|it| !it.is_empty()),
        outcome: fields.outcome.as_str(),
        ..Labels::default()
    }
}

/// Returns the class of a failure by its reasons: the error before the colon, or that the host was terminated. Other
/// reasons are free text.
fn reason_class(fields: &AttemptFields) -> Option<&str> {
    if fields.status_reason.starts_with(HOST_TERMINATED) {
        return Some(HOST_TERMINATED);
    }
    let (class, _) = fields.reason.split_once(':')?;
    let is_word = !class.is_empty() && class.chars().all(|c| c.is_ascii_alphanumeric());
    is_word.then_some(class)
}

/// Returns an entry that would match a kind of failure.
pub(super) fn suggest(group: &Group, evidence: Evidence) -> Option<String> {
    let action = match evidence {
        Evidence::Succeeded => "RETRY",
        Evidence::Failed => "EXIT",
        Evidence::Missing => "<RETRY or EXIT>",
    };
    let code = group.exit_code?;
    Some(format!("{{onExitCode: \"{code}\", action: {action}}}"))
}

impl AwsBatchEngine {
    /// Returns the parts of a decision that a summary counts.
    pub(super) fn decision_facts(&self, decision: Decision) -> DecisionFacts {
        let entries = self.definition.strategy.evaluate_on_exit.len();
        let compared = decision.verdict.is_by_strategy();
        DecisionFacts {
            code: decision.verdict.code(),
            // Failures that no entry matches are counted behind the last entry.
            rule: compared.then(|| decision.entry.unwrap_or(entries)),
            failure: true,
            retry: decision.verdict == Verdict::Retry,
            exhausted: decision.verdict == Verdict::UsedUp,
            by_default: compared && entries > 0 && decision.entry.is_none(),
            ..DecisionFacts::default()
        }
    }

    /// Returns the labels of the entries, and that of the decisions without one.
    pub(super) fn labels_of_rules(&self) -> Vec<RuleLabel> {
        let entries = self.definition.strategy.evaluate_on_exit.len();
        (0..entries).map(Some).chain([None]).map(|entry| self.label(entry)).collect()
    }

    /// Returns the label of an entry, or of the decisions without one.
    pub(super) fn label(&self, entry: Option<usize>) -> RuleLabel {
        RuleLabel::new(self.definition.name.clone(), entry)
    }

    /// Returns a decision as reports show it.
    pub(super) fn decision_report(
        &self,
        run: &Run<AttemptFields>,
        decision: Decision,
    ) -> DecisionReport {
        let Decision { verdict, attempt, entry } = decision;
        let is_limited = matches!(verdict, Verdict::Retry | Verdict::UsedUp);
        // The first attempt is no retry; a granted retry is counted before it runs.
        let retries = attempt.saturating_sub(u32::from(verdict != Verdict::Retry));
        let counts = BTreeMap::from([("attempts", u64::from(attempt))]);
        DecisionReport {
            failure: failure_text(&run.own),
            action: verdict.action().to_owned(),
            decision: verdict.code().to_owned(),
            policy: verdict.is_by_strategy().then(|| self.definition.name.clone()),
            rule_index: entry,
            count: is_limited.then_some(attempt),
            limit: is_limited.then_some(i64::from(self.definition.strategy.attempts)),
            limit_source: is_limited.then(|| ATTEMPTS.to_owned()),
            total_retries: retries,
            reason: self.reason(decision),
            system: SystemFields::of(&AttemptDecision { counts: Some(counts) }),
            ..DecisionReport::for_run(run)
        }
    }
}

/// Describes the failure in a few words.
fn failure_text(fields: &AttemptFields) -> String {
    match fields.outcome {
        AttemptOutcome::TimedOut => return "Timed out".to_owned(),
        AttemptOutcome::Invalid => return "Invalid definition".to_owned(),
        AttemptOutcome::Succeeded => return "Succeeded".to_owned(),
        AttemptOutcome::Terminated => return "Terminated".to_owned(),
        AttemptOutcome::Failed => {}
    }
    let code = fields.exit_code.map(|code| format!("exit {code}"));
    match (reason_class(fields), code) {
        (Some(class), Some(code)) => format!("{class}, {code}"),
        (Some(class), None) => class.to_owned(),
        (None, Some(code)) => code,
        (None, None) if !fields.reason.is_empty() => fields.reason.to_string(),
        (None, None) if !fields.status_reason.is_empty() => fields.status_reason.to_string(),
        (None, None) => "Failed".to_owned(),
    }
}
