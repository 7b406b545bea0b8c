//! The draft's decisions as reports show them.

use super::decision::{Decision, Retry, RetryEvent, StopReason, Verdict};
use super::engine::{BackendAiEngine, RootSession};
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
            count: limit.map(|_| decision.retries()),
            limit: limit.map(Into::into),
            limit_source: limit.map(|_| "max_retries".to_owned()),
            total_retries: decision.retries(),
            global_max_retries: None,
            delay_seconds: wait.map(GoDuration::as_secs_f64),
            retry_after: not_before.map(|time| time.to_string()),
            avoid_nodes: Vec::new(),
            memory_bytes: None,
            next_pod_name: None,
            event: decision.event.map_or("", RetryEvent::as_str).to_owned(),
            reason: decision.reason(),
            system: SystemDecision {
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

    /// The `retry_count` of the chain's last session, the one that is to follow included.
    pub fn retries(&self) -> u32 {
        let retry = self.verdict.retry().as_ref().map(|Retry { retry_count, .. }| *retry_count);
        retry.unwrap_or_else(|| saturated(self.attempt.number.saturating_sub(1)))
    }

    /// `max_retries`, if it was asked for: of a session that is no batch session it is not.
    pub fn limit(&self) -> Option<u32> {
        let asked = self.verdict.stop() != Some(StopReason::NotBatch);
        asked.then(|| saturated(self.attempt.of.saturating_sub(1)))
    }
}

fn saturated(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
