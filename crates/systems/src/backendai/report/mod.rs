//! Conversion of the draft's decisions to reports.

pub(super) mod fields;
pub(super) mod reason;

use super::engine::decision::{Decision, RetryEvent, StopReason, Verdict};
use super::engine::{BackendAiEngine, RootSession};
use super::manifest::JitterMode;
use super::record::{SessionFields, SessionOutcome};
use document::units::GoDuration;
use fields::SessionDecision;
use replay::history::Run;
use replay::simulate::{DecisionFacts, DecisionReport, End, Ending, Labels, SystemFields};
use std::collections::BTreeMap;

/// Returns the draft's status of the last session of a chain that ended.
pub(super) fn session_status(end: End) -> &'static str {
    match end {
        End::Succeeded => "TERMINATED",
        End::Failed => "ERROR",
        End::Cancelled => "CANCELLED",
    }
}

impl BackendAiEngine {
    /// Returns the parts of a decision about a run that a summary counts.
    pub(super) fn decision_facts(
        &self,
        run: &Run<SessionFields>,
        decision: &Decision,
    ) -> DecisionFacts {
        DecisionFacts {
            code: decision.code(),
            rule: Some(0),
            failure: true,
            retry: decision.verdict.retry().is_some(),
            exhausted: decision.verdict.stop() == Some(StopReason::Exhausted),
            guessed_wait: self.uses_substitute_id(run, decision),
            ..DecisionFacts::default()
        }
    }

    /// Returns whether a delay depends on an id that is not recorded. The root's id is that of its unit; a
    /// retry's id cannot be derived from it.
    fn uses_substitute_id(&self, run: &Run<SessionFields>, decision: &Decision) -> bool {
        let Some(profile) = self.profile().filter(|_| run.own.id.is_none()) else { return false };
        let is_root = decision.attempt.number == 1;
        let hashes = profile.policy.jitter == JitterMode::Deterministic;
        let delay = decision.verdict.retry().map(|retry| retry.delay);
        // At the cap the jitter has no effect.
        hashes && !is_root && delay.is_some_and(|delay| delay.base < delay.cap)
    }

    /// Returns a decision as reports show it.
    pub(super) fn decision_report(
        &self,
        root: &RootSession,
        run: &Run<SessionFields>,
        decision: &Decision,
    ) -> DecisionReport {
        let retry = decision.verdict.retry();
        let wait = retry.map(|retry| retry.delay.wait());
        let not_before = run.finished_at.zip(wait).map(|(ended, wait)| ended.plus(wait));
        let limit = decision.limit();
        let retries = root.chain.retry_count();
        DecisionReport {
            run_index: Some(run.run_index),
            pod_name: Some(root.id_of(&run.own).to_string()),
            node: run.node.as_deref().map(str::to_owned),
            cluster: run.cluster.as_deref().map(str::to_owned),
            failed_at: run.time().map(|time| time.to_string()),
            failure: decision.cause.as_str().to_owned(),
            containers: Vec::new(),
            action: decision.verdict.as_str().to_owned(),
            decision: decision.code().to_owned(),
            policy: self.profile().map(|profile| profile.name.clone()),
            rule_index: None,
            count: limit.map(|_| retries),
            limit: limit.map(Into::into),
            limit_source: limit.map(|_| "max_retries".to_owned()),
            total_retries: retries,
            global_max_retries: None,
            delay_seconds: wait.map(GoDuration::as_secs_f64),
            retry_after: not_before.map(|time| time.to_string()),
            avoid_nodes: Vec::new(),
            memory_bytes: None,
            next_pod_name: None,
            event: decision.event.map_or("", RetryEvent::as_str).to_owned(),
            reason: decision.reason(),
            system: SystemFields::of(&SessionDecision {
                counts: Some(BTreeMap::from([("retry_count", retries.into())])),
                base_seconds: retry.map(|retry| retry.delay.base_wait().as_secs_f64()),
                attempt: u32::try_from(decision.attempt.number).ok(),
                max_attempts: Some(decision.attempt.of),
            }),
        }
    }
}

impl Decision {
    /// Returns the decision as a short code.
    pub fn code(&self) -> &'static str {
        match self.verdict {
            Verdict::Retry(_) => "retry",
            Verdict::Stop(reason) => reason.as_str(),
        }
    }

    /// Returns `max_retries` if it was checked: it is not checked for a session that is not a batch session.
    pub fn limit(&self) -> Option<u32> {
        let asked = self.verdict.stop() != Some(StopReason::NotBatch);
        let limit = self.attempt.of.saturating_sub(1);
        asked.then(|| u32::try_from(limit).unwrap_or(u32::MAX))
    }
}

/// Returns the labels of a run: the cause of a failure is its category, as in the draft's counters.
pub(super) fn labels(fields: &SessionFields) -> Labels<'_> {
    let cause = (fields.outcome == SessionOutcome::Failed).then(|| fields.cause.as_str());
    Labels { category: cause, outcome: fields.outcome.as_str(), ..Labels::default() }
}

/// Returns how a run ended, for summaries.
pub(super) fn ending(outcome: SessionOutcome) -> Ending {
    match outcome {
        SessionOutcome::Succeeded => Ending::Succeeded,
        SessionOutcome::Failed => Ending::Failed,
        SessionOutcome::Cancelled => Ending::Cancelled,
    }
}
