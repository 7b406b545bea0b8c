//! Conversion of decisions about tasks to reports.

pub(super) mod fields;
pub(super) mod reason;

use super::engine::decision::{Decision, Ruling};
use super::engine::outcome::{Outcome, Phase, Verdict};
use super::engine::task::TaskState;
use super::engine::{IrisEngine, IrisUnit};
use super::manifest::{Profile, Rules};
use super::record::IrisFields;
use fields::TaskDecision;
use replay::history::Run;
use replay::simulate::{DecisionFacts, DecisionReport, Ending, RuleLabel, SystemFields};
use std::collections::BTreeMap;

/// Returns the engine's name.
pub(super) fn name(profile: Profile) -> &'static str {
    match profile {
        Profile::Seed => "iris/seed",
        Profile::Upstream => "iris/upstream",
    }
}

/// Returns how a run ended, for summaries.
pub(super) fn ending(outcome: Outcome) -> Ending {
    match outcome {
        Outcome::Succeeded => Ending::Succeeded,
        Outcome::Failed | Outcome::WorkerFailed | Outcome::Timeout => Ending::Failed,
        Outcome::Preempted | Outcome::WorkerReportedKilled | Outcome::Unschedulable => {
            Ending::Interrupted
        }
        Outcome::CancelJob => Ending::Cancelled,
    }
}

/// Returns the parts of a decision about a run that a summary counts.
pub(super) fn facts(run: &Run<IrisFields>, decision: &Decision) -> DecisionFacts {
    let spent = matches!(decision.ruling, Ruling::Task(Verdict::Exhausted(_)));
    let stopped = matches!(decision.ruling, Ruling::Task(ruled) if ruled.retries());
    DecisionFacts {
        code: decision.code(),
        rule: Some(0),
        failure: !matches!(run.own.outcome, Outcome::Succeeded | Outcome::CancelJob),
        retry: decision.retries(),
        // A retry that ended the job used up the bound of the job.
        exhausted: spent || stopped && decision.ends_job,
        ..DecisionFacts::default()
    }
}

impl IrisEngine {
    /// Returns a decision as reports show it.
    pub(super) fn decision_report(
        &self,
        unit: &IrisUnit,
        run: &Run<IrisFields>,
        decision: &Decision,
    ) -> DecisionReport {
        let used = decision.used(self.rules());
        let granted = decision.retries();
        let at = run.time().map(|time| time.to_string());
        DecisionReport {
            run_index: Some(run.run_index),
            pod_name: None,
            node: run.node.as_deref().map(str::to_owned),
            cluster: run.cluster.as_deref().map(str::to_owned),
            failed_at: at.clone(),
            failure: failure_text(run.own),
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
            reason: decision.reason(self.rules()),
            system: system_fields(decision),
        }
    }

    /// Returns the rule that decisions are attributed to.
    pub(super) fn label(&self) -> RuleLabel {
        RuleLabel::new(self.profile.name.clone(), None)
    }
}

impl IrisUnit {
    /// Returns why a decision ended the job, as one sentence.
    pub(super) fn end_reason(&self, rules: &Rules, decision: &Decision) -> String {
        if !self.assumed {
            return decision.reason(rules);
        }
        // The job ended after the decision.
        let last = Decision { ends_job: true, state_reason: self.job.state_reason(), ..*decision };
        self.with_assumed(last.reason(rules))
    }

    /// Returns why a job is unresolved although no further record can follow: the seed's list of job states
    /// has none for this case.
    pub(super) fn open_reason(&self) -> Option<String> {
        let words = "all its tasks are over, and it tolerates those that failed: the seed has no state for \
                     that";
        (self.job.open_tasks() == 0).then(|| self.with_assumed(words.to_owned()))
    }

    /// Adds a note to a sentence that depends on tasks without records.
    fn with_assumed(&self, mut words: String) -> String {
        if self.assumed {
            words.push_str(", and those without records are assumed to have succeeded");
        }
        words
    }
}

fn system_fields(decision: &Decision) -> SystemFields {
    let counts = [("failure", decision.counts.failure), ("preemption", decision.counts.preemption)];
    let counts: BTreeMap<_, _> = counts.into_iter().map(|(name, n)| (name, n.into())).collect();
    SystemFields::of(&TaskDecision {
        task: Some(decision.event.task),
        task_state: decision.task_state.map(TaskState::as_str),
        job_state: Some(decision.job_state().as_str()),
        counts: Some(counts),
    })
}

/// Describes the outcome in a few words: `PREEMPTED`, or `FAILED (BUILDING)` if the command did not run.
fn failure_text(fields: IrisFields) -> String {
    let outcome = fields.outcome.as_str();
    if fields.phase == Phase::Running || !fields.outcome.ends_attempt() {
        return outcome.to_owned();
    }
    format!("{outcome} ({})", fields.phase.as_str())
}
