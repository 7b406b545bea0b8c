//! The draft's decisions as reports show them.

use super::decision::{Decision, RetryEvent, StopReason, Verdict};
use super::engine::{BackendAiEngine, RootSession};
use super::policy::JitterMode;
use super::record::SessionFields;
use super::shape::SYSTEM;
use super::words::{ending, labels};
use crate::engine::End;
use crate::history::{Member, MemberRun};
use crate::simulate::{
    DecisionReport, Demand, Described, Ending, Group, Labels, Reported, RuleLabel, SystemDecision,
    Tally,
};
use crate::units::GoDuration;
use std::collections::BTreeMap;

impl Described for BackendAiEngine {
    const REPORTED: Reported = Reported::Units;

    /// The status of the chain's last session, as the draft has it.
    fn fate(&self, _: &RootSession, fate: Option<End>) -> Option<String> {
        let status = match fate? {
            End::Succeeded => "TERMINATED",
            End::Failed => "ERROR",
            End::Cancelled => "CANCELLED",
        };
        Some(status.to_owned())
    }

    fn name(&self) -> &'static str {
        SYSTEM
    }

    /// There are no rules: all is decided by the one policy.
    fn rules(&self) -> Vec<RuleLabel> {
        let label = |policy: &str| RuleLabel { policy: policy.to_owned(), index: None };
        self.profile().map(|profile| label(&profile.name)).into_iter().collect()
    }

    fn id<'m>(&self, member: &'m Member<SessionFields>) -> &'m str {
        &member.unit
    }

    fn queue<'m>(&self, member: &'m Member<SessionFields>) -> &'m str {
        &member.queue
    }

    fn effective_policies(&self, _: &Member<SessionFields>) -> Vec<String> {
        self.profile().map(|profile| profile.name.clone()).into_iter().collect()
    }

    fn demand(&self, _: &Member<SessionFields>) -> Demand {
        Demand { cpu: None, gpu: None }
    }

    fn labels<'r>(&self, run: &'r MemberRun<SessionFields>) -> Labels<'r> {
        labels(&run.own)
    }

    fn ending(&self, run: &MemberRun<SessionFields>) -> Ending {
        ending(run.own.outcome)
    }

    fn tally(&self, _: &MemberRun<SessionFields>, decision: &Decision) -> Tally {
        Tally {
            code: decision.code(),
            rule: Some(0),
            failure: true,
            retry: decision.verdict.retry().is_some(),
            exhausted: decision.verdict.stop() == Some(StopReason::Exhausted),
            by_default: false,
        }
    }

    /// The root's id is its unit's; that of a retry nobody can tell from it.
    fn guesses(&self, run: &MemberRun<SessionFields>, decision: &Decision) -> bool {
        let Some(profile) = self.profile().filter(|_| run.own.id.is_none()) else { return false };
        let is_root = decision.attempt.number == 1;
        let hashes = profile.policy.jitter == JitterMode::Deterministic;
        let delay = decision.verdict.retry().map(|retry| retry.delay);
        // At the cap nothing of the jitter is left.
        hashes && !is_root && delay.is_some_and(|delay| delay.base < delay.cap)
    }

    fn suggest(&self, _: &Group) -> Option<String> {
        None
    }

    fn report(
        &self,
        root: &RootSession,
        _: usize,
        _: &Member<SessionFields>,
        run: &MemberRun<SessionFields>,
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
            system: SystemDecision {
                counts: Some(BTreeMap::from([("retry_count", retries.into())])),
                base_seconds: retry.map(|retry| retry.delay.base_wait().as_secs_f64()),
                attempt: u32::try_from(decision.attempt.number).ok(),
                max_attempts: Some(decision.attempt.of),
                ..SystemDecision::default()
            },
        }
    }

    fn last_words(&self, _: &RootSession, decision: &Decision) -> String {
        decision.reason()
    }
}

impl Decision {
    /// The decision in a short code.
    pub fn code(&self) -> &'static str {
        match self.verdict {
            Verdict::Retry(_) => "retry",
            Verdict::Stop(reason) => reason.as_str(),
        }
    }

    /// `max_retries`, if it was asked for: of a session that is no batch session it is not.
    pub fn limit(&self) -> Option<u32> {
        let asked = self.verdict.stop() != Some(StopReason::NotBatch);
        let limit = self.attempt.of.saturating_sub(1);
        asked.then(|| u32::try_from(limit).unwrap_or(u32::MAX))
    }
}
