//! Decisions about tasks as reports show them.

use super::decision::{Decision, Ruling};
use super::engine::{IrisEngine, IrisUnit};
use super::outcome::{Outcome, Phase, Verdict};
use super::policy::Profile;
use super::record::IrisFields;
use super::task::TaskState;
use crate::engine::End;
use crate::history::{Member, MemberRun};
use crate::simulate::{
    DecisionReport, Demand, Described, Ending, Group, Labels, Reported, RuleLabel, SystemDecision,
    Tally,
};
use std::collections::BTreeMap;

type Run = MemberRun<IrisFields>;

impl Described for IrisEngine {
    const REPORTED: Reported = Reported::Units;

    /// The job's state, also of one that is not over.
    fn fate(&self, unit: &IrisUnit, _: Option<End>) -> Option<String> {
        Some(unit.job.state().as_str().to_owned())
    }

    /// The seed's list of job states has none for this (facts, 1, "Job state order").
    fn open(&self, unit: &IrisUnit) -> Option<String> {
        let words = "all its tasks are over, and some failed, not more than it bears: the seed has \
                     no state for that";
        (unit.job.open() == 0).then(|| unit.with_assumed(words.to_owned()))
    }

    fn name(&self) -> &'static str {
        match self.rules().profile {
            Profile::Seed => "iris/seed",
            Profile::Upstream => "iris/upstream",
        }
    }

    /// The policy as a whole: it has no rules of which one decides.
    fn rules(&self) -> Vec<RuleLabel> {
        vec![self.label()]
    }

    fn id<'m>(&self, member: &'m Member<IrisFields>) -> &'m str {
        &member.unit
    }

    fn queue<'m>(&self, member: &'m Member<IrisFields>) -> &'m str {
        &member.queue
    }

    fn effective_policies(&self, _: &Member<IrisFields>) -> Vec<String> {
        vec![self.profile.name.clone()]
    }

    fn demand(&self, _: &Member<IrisFields>) -> Demand {
        Demand::default()
    }

    fn labels<'r>(&self, run: &'r Run) -> Labels<'r> {
        let condition = Some(run.own.outcome.as_str());
        Labels { category: None, exit_code: None, condition, message: None }
    }

    fn ending(&self, run: &Run) -> Ending {
        match run.own.outcome {
            Outcome::Succeeded => Ending::Succeeded,
            Outcome::Failed | Outcome::WorkerFailed | Outcome::Timeout => Ending::Failed,
            Outcome::Preempted
            | Outcome::WorkerReportedKilled
            | Outcome::CancelJob
            | Outcome::Unschedulable => Ending::Other,
        }
    }

    fn tally(&self, run: &Run, decision: &Decision) -> Tally {
        let spent = matches!(decision.ruling, Ruling::Task(Verdict::Exhausted(_)));
        let stopped = matches!(decision.ruling, Ruling::Task(ruled) if ruled.retries());
        Tally {
            code: decision.code(),
            rule: Some(0),
            failure: !matches!(run.own.outcome, Outcome::Succeeded | Outcome::CancelJob),
            retry: decision.retries(),
            exhausted: spent || stopped && decision.ends_job,
            by_default: false,
        }
    }

    fn suggest(&self, _: &Group) -> Option<String> {
        None
    }

    fn report(
        &self,
        unit: &IrisUnit,
        _: usize,
        _: &Member<IrisFields>,
        run: &Run,
        decision: &Decision,
    ) -> DecisionReport {
        let used = decision.used(IrisEngine::rules(self));
        let granted = decision.retries();
        let at = run.time().map(|time| time.to_string());
        DecisionReport {
            run_index: Some(run.run_index),
            pod_name: None,
            node: run.node.as_deref().map(str::to_owned),
            cluster: run.cluster.as_deref().map(str::to_owned),
            failed_at: at.clone(),
            failure: failure(run.own),
            containers: Vec::new(),
            action: if granted { "requeue" } else { "finish" }.to_owned(),
            decision: decision.code().to_owned(),
            policy: Some(self.profile.name.clone()),
            rule_index: None,
            count: used.map(|(count, ..)| count),
            limit: used.map(|(_, limit, _)| limit.into()),
            limit_source: used.map(|(.., field)| field.to_owned()),
            total_retries: unit.retries,
            global_max_retries: None,
            delay_seconds: granted.then_some(0.0),
            retry_after: at.filter(|_| granted),
            avoid_nodes: Vec::new(),
            memory_bytes: None,
            next_pod_name: None,
            event: String::new(),
            reason: decision.reason(IrisEngine::rules(self)),
            system: system(decision),
        }
    }

    fn last_words(&self, unit: &IrisUnit, decision: &Decision) -> String {
        let rules = IrisEngine::rules(self);
        if !unit.assumed {
            return decision.reason(rules);
        }
        // What ended the job came after the decision.
        let last = Decision { ends_job: true, standing: unit.job.standing(), ..*decision };
        unit.with_assumed(last.reason(rules))
    }
}

impl IrisUnit {
    /// A sentence, and whether it hangs on tasks that are not on record.
    fn with_assumed(&self, mut words: String) -> String {
        if self.assumed {
            words.push_str(", those that are not on record taken to have succeeded");
        }
        words
    }
}

impl IrisEngine {
    /// What decisions are attributed to.
    pub(super) fn label(&self) -> RuleLabel {
        RuleLabel { policy: self.profile.name.clone(), index: None }
    }
}

fn system(decision: &Decision) -> SystemDecision {
    let counts = [("failure", decision.counts.failure), ("preemption", decision.counts.preemption)];
    let counts: BTreeMap<_, _> = counts.into_iter().map(|(name, n)| (name, n.into())).collect();
    SystemDecision {
        task: Some(decision.event.task),
        task_state: decision.task_state.map(TaskState::as_str),
        job_state: Some(decision.job_state().as_str()),
        counts: Some(counts),
        ..SystemDecision::default()
    }
}

/// What happened, in a few words: `PREEMPTED`, or `FAILED (BUILDING)` where its command did not run.
fn failure(fields: IrisFields) -> String {
    let outcome = fields.outcome.as_str();
    if fields.phase == Phase::Running || !fields.outcome.ends_attempt() {
        return outcome.to_owned();
    }
    format!("{outcome} ({})", fields.phase.as_str())
}
