//! The reason of a decision, as a sentence and as a list of checks.
//!
//! `explain decision` shows the checks. A check matches if it supports the decision.

use crate::iris::engine::decision::{Decision, Ignored, Ruling};
use crate::iris::engine::job_state::StateReason;
use crate::iris::engine::outcome::{Cascade, Outcome, Phase, Verdict};
use crate::iris::engine::task::{Budget, Counts, TaskState};
use crate::iris::manifest::{Profile, Rules};
use crate::iris::record::IrisFields;
use document::diag::plural;

impl Decision {
    /// Returns the reason of a decision, as one sentence without a final period: that of the task, then of
    /// its gang, then of the job if the decision ended it. `rules` are those of the decision.
    pub fn reason(&self, rules: &Rules) -> String {
        let mut reason = self.task_reason(rules);
        if let Some(cascade) = self.cascade.filter(|_| self.siblings > 0) {
            reason.push_str(&format!("; {} {}", siblings(self.siblings), cascade_text(cascade)));
        }
        if self.ends_job && self.ruling != Ruling::Cancelled {
            let state = self.job_state().as_str();
            reason.push_str(&format!("; the job is {state}: {}", self.job_reason(rules)));
        }
        if self.killed > 0 {
            reason.push_str(&format!("; {} killed with it", others(self.killed)));
        }
        reason
    }

    fn task_reason(&self, rules: &Rules) -> String {
        let verdict = match self.ruling {
            Ruling::Ignored(Ignored::JobOver) => return "the job is over".to_owned(),
            Ruling::Ignored(Ignored::TaskOver) => return "the task is over".to_owned(),
            Ruling::Ignored(Ignored::NoTask) => return "the job has no such task".to_owned(),
            Ruling::Cancelled => return "the job was cancelled".to_owned(),
            Ruling::Task(verdict) => verdict,
        };
        match verdict {
            Verdict::Retry(budget) | Verdict::Exhausted(budget) => {
                let count = attempts_text(budget, self.counts.of(budget));
                format!("{} {}: {count}", budget.field(), rules.limit(budget))
            }
            Verdict::RetryFree => {
                let assigned = TaskState::Assigned.as_str();
                format!("no worker had begun with it, which is free while {assigned}")
            }
            Verdict::Final => final_reason(self.event.outcome, rules.profile).to_owned(),
        }
    }

    /// Returns why the job is over.
    fn job_reason(&self, rules: &Rules) -> String {
        let plain = match self.state_reason {
            StateReason::TooManyFailures => {
                return failures_text(rules, self.failures);
            }
            StateReason::AllSucceeded => "all tasks succeeded",
            StateReason::TaskUnschedulable => "a task found no worker",
            StateReason::TaskKilled => "a task was killed",
            StateReason::TasksLost => "all tasks are over, and not all by themselves",
            StateReason::TasksFailed => "all tasks are over, and not all succeeded",
            StateReason::Cancelled => "it was cancelled",
            StateReason::TasksActive | StateReason::EverStarted | StateReason::NeverStarted => {
                "it goes on"
            }
        };
        plain.to_owned()
    }
}

/// Compares the failures with `max_task_failures`, as text.
pub(crate) fn failures_text(rules: &Rules, failures: u32) -> String {
    let (one, many) = match rules.profile {
        Profile::Seed => ("failed task", "failed tasks"),
        Profile::Upstream => ("failed attempt of all tasks", "failed attempts of all tasks"),
    };
    let failures = plural(failures, one, many);
    format!("max_task_failures {}: {failures}", rules.policy.max_task_failures)
}

/// Returns why no attempt follows an outcome.
pub(crate) fn final_reason(outcome: Outcome, profile: Profile) -> &'static str {
    match (outcome, profile) {
        (Outcome::Succeeded, _) => "the task succeeded",
        (Outcome::Timeout, Profile::Seed) => "a timeout kills a task, regardless of its budgets",
        (Outcome::Timeout, Profile::Upstream) => {
            "a timeout fails a task, regardless of its budgets"
        }
        (Outcome::Unschedulable, _) => "no worker was found in time",
        _ => "its worker reported that it was killed, which is final",
    }
}

fn cascade_text(cascade: Cascade) -> &'static str {
    match cascade {
        Cascade::Exhaust => "WORKER_FAILED with it, their preemption budget spent",
        Cascade::Terminate => "COSCHED_FAILED with it",
        Cascade::Requeue => "queued again with it, uncharged",
    }
}

/// Describes how much of a budget is used.
pub(crate) fn attempts_text(budget: Budget, count: u32) -> String {
    match budget {
        Budget::Failure => plural(count, "failed attempt", "failed attempts"),
        Budget::Preemption => plural(count, "lost attempt", "lost attempts"),
    }
}

fn siblings(count: u32) -> String {
    plural(count, "sibling", "siblings")
}

fn others(count: u32) -> String {
    plural(count, "other task", "other tasks")
}

/// Whether a check matches, and why.
type Check = (bool, String);

impl Rules {
    /// Returns the checks. `counts` are the task's and `failures` the job's, after the end.
    pub(crate) fn checks(&self, fields: IrisFields, counts: Counts, failures: u32) -> Vec<Check> {
        let mut checks = vec![self.check_final(fields.outcome)];
        let mut verdict = Verdict::Final;
        // A final outcome is not compared with any budget.
        if fields.outcome.may_retry(self.profile) {
            verdict = self.check_budget(fields, counts, &mut checks);
        }
        if self.policy.coscheduled {
            checks.push(self.check_gang(fields.outcome, verdict));
        }
        let of_job = i64::from(failures) > i64::from(self.policy.max_task_failures);
        checks.push((of_job, failures_text(self, failures)));
        checks
    }

    fn check_final(&self, outcome: Outcome) -> Check {
        if outcome.may_retry(self.profile) {
            return (false, format!("{} is not final by itself", outcome.as_str()));
        }
        (true, final_reason(outcome, self.profile).to_owned())
    }

    /// Checks which budget is charged, if any, and whether it is spent.
    fn check_budget(&self, fields: IrisFields, counts: Counts, checks: &mut Vec<Check>) -> Verdict {
        let IrisFields { outcome, phase, .. } = fields;
        let started = phase.state().is_executing();
        let Some(budget) = self.profile.charge(outcome.attempt_state(self.profile), started) else {
            checks.push((true, "no worker had begun with it, which is free".to_owned()));
            return Verdict::RetryFree;
        };
        let why = match (phase, outcome, self.profile) {
            (Phase::Assigned, Outcome::Failed, _) => ", in ASSIGNED too",
            (Phase::Assigned, _, Profile::Seed) => ": only preemptions are free in ASSIGNED",
            _ => "",
        };
        let (limit, count) = (self.limit(budget), counts.of(budget));
        let spent = self.is_spent(budget, counts);
        let (field, used) = (budget.field(), attempts_text(budget, count));
        let left = if spent { "above the limit" } else { "within the limit" };
        checks.push((false, format!("{} is charged to {field}{why}", outcome.as_str())));
        checks.push((true, format!("{field} {limit}: {used}, {left}")));
        if spent { Verdict::Exhausted(budget) } else { Verdict::Retry(budget) }
    }

    /// Checks the effect on the gang's other tasks.
    fn check_gang(&self, outcome: Outcome, verdict: Verdict) -> Check {
        let cascade = self.cascade(outcome, verdict);
        let why = match cascade {
            None => "coscheduled: siblings in the gang are not affected",
            Some(Cascade::Exhaust) => "coscheduled: siblings that have a worker are lost with it",
            Some(Cascade::Terminate) => "coscheduled: siblings that have a worker end with it",
            Some(Cascade::Requeue) => {
                "coscheduled: siblings that have a worker are queued again with it"
            }
        };
        (cascade.is_some(), why.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iris::{Event, Job, Phase, Policy};

    fn reason(profile: Profile, policy: Policy, outcome: Outcome, phase: Phase) -> String {
        let rules = Rules { profile, policy };
        let mut job = Job::new(policy.replicas);
        job.apply(&rules, Event { task: 0, outcome, phase }, &mut Vec::new()).reason(&rules)
    }

    #[test]
    fn names_the_field_its_limit_and_what_was_used() {
        let gang = Policy { replicas: 4, coscheduled: true, ..Policy::default() };
        let run = Phase::Running;
        assert_eq!(
            reason(Profile::Seed, gang, Outcome::Failed, run),
            "max_retries_failure 0: 1 failed attempt; 3 siblings WORKER_FAILED with it, their \
             preemption budget spent; the job is FAILED: max_task_failures 0: 1 failed task"
        );
        assert_eq!(
            reason(Profile::Upstream, gang, Outcome::Preempted, run),
            "max_retries_preemption 100: 1 lost attempt; 3 siblings queued again with it, uncharged"
        );
        assert_eq!(
            reason(Profile::Upstream, gang, Outcome::WorkerFailed, Phase::Assigned),
            "no worker had begun with it, which is free while ASSIGNED; 3 siblings queued again \
             with it, uncharged"
        );
        assert_eq!(
            reason(Profile::Seed, gang, Outcome::Timeout, run),
            "a timeout kills a task, regardless of its budgets; the job is KILLED: a task was killed; 3 \
             other tasks killed with it"
        );
        assert_eq!(
            reason(Profile::Seed, gang, Outcome::CancelJob, run),
            "the job was cancelled; 3 other tasks killed with it"
        );
    }
}
