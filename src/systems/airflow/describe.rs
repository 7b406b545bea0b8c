//! Decisions about tries as reports show them.

use super::decision::Decision;
use super::delay::{DelayRule, hangs_on_hash};
use super::eligible::{Eligibility, InstanceState};
use super::engine::{AirflowEngine, TaskUnit};
use super::record::{TryFields, TryOutcome};
use crate::engine::End;
use crate::history::{Member, MemberRun};
use crate::simulate::{
    DecisionReport, Demand, Described, Ending, Group, Labels, Reported, RuleLabel, SystemDecision,
    Tally,
};
use std::collections::BTreeMap;

impl Described for AirflowEngine {
    const REPORTED: Reported = Reported::Units;

    /// The state of a task instance (`TaskInstanceState`). One that is over for somebody's sake has
    /// none of its own.
    fn fate(&self, _: &TaskUnit, fate: Option<End>) -> Option<String> {
        let state = match fate {
            Some(End::Succeeded) => "success",
            Some(End::Failed) => "failed",
            Some(End::Cancelled) => return None,
            None => "up_for_retry",
        };
        Some(state.to_owned())
    }

    fn name(&self) -> &'static str {
        "airflow"
    }

    fn rules(&self) -> Vec<RuleLabel> {
        vec![self.label()]
    }

    fn id<'m>(&self, member: &'m Member<TryFields>) -> &'m str {
        &member.unit
    }

    fn queue<'m>(&self, member: &'m Member<TryFields>) -> &'m str {
        &member.queue
    }

    fn effective_policies(&self, _: &Member<TryFields>) -> Vec<String> {
        vec![self.manifest.name.clone()]
    }

    fn demand(&self, _: &Member<TryFields>) -> Demand {
        Demand::default()
    }

    fn labels<'r>(&self, _: &'r MemberRun<TryFields>) -> Labels<'r> {
        Labels::default()
    }

    fn ending(&self, run: &MemberRun<TryFields>) -> Ending {
        match run.own.outcome {
            TryOutcome::Succeeded => Ending::Succeeded,
            TryOutcome::Failed => Ending::Failed,
            TryOutcome::Cancelled => Ending::Other,
        }
    }

    fn tally(&self, _: &MemberRun<TryFields>, decision: &Decision) -> Tally {
        Tally {
            code: decision.code(),
            rule: Some(0),
            failure: true,
            retry: decision.eligibility.retries(),
            exhausted: decision.limit().is_some() && !decision.eligibility.retries(),
            by_default: false,
        }
    }

    fn guesses(&self, run: &MemberRun<TryFields>, decision: &Decision) -> bool {
        let failed = &run.own.failed;
        let delay = || hangs_on_hash(&self.manifest.policy, decision.try_number, failed);
        !run.own.says_task() && delay()
    }

    fn suggest(&self, _: &Group) -> Option<String> {
        None
    }

    fn report(
        &self,
        _: &TaskUnit,
        _: usize,
        _: &Member<TryFields>,
        run: &MemberRun<TryFields>,
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
            failure: failure(&run.own).to_owned(),
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
            system: system(decision),
        }
    }

    fn last_words(&self, _: &TaskUnit, decision: &Decision) -> String {
        self.reason(decision)
    }
}

impl AirflowEngine {
    /// What decisions are attributed to: a profile has no rules, and is one itself.
    pub(super) fn label(&self) -> RuleLabel {
        RuleLabel { policy: self.manifest.name.clone(), index: None }
    }
}

impl Decision {
    /// The limit that the try's number was held against, and its name; nothing where none was
    /// asked.
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

fn system(decision: &Decision) -> SystemDecision {
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

/// What failed, in a few words.
fn failure(fields: &TryFields) -> &'static str {
    match (fields.outcome, fields.failed.state) {
        (TryOutcome::Succeeded, _) => "Succeeded",
        (TryOutcome::Cancelled, _) => "Cancelled",
        (TryOutcome::Failed, _) if fields.failed.force_fail => "Failed for good",
        (TryOutcome::Failed, InstanceState::Running) => "Failed",
        (TryOutcome::Failed, InstanceState::Restarting) => "Cleared",
        (TryOutcome::Failed, InstanceState::Other) => "Failed, not running",
    }
}
