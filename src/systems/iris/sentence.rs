//! Why a decision was made, as a sentence that a person understands.

use super::budget::Budget;
use super::decision::{Decision, Ignored, Ruling};
use super::gang::Cascade;
use super::outcome::{Outcome, Verdict};
use super::policy::{Profile, Rules};
use super::standing::Standing;
use super::task::TaskState;

impl Decision {
    /// Why it was decided so, as one sentence without a final period: first of the task, then of
    /// its gang, then of the job if that is over with it. `rules` are those that it was made by.
    pub fn reason(&self, rules: &Rules) -> String {
        let mut reason = self.of_task(rules);
        if let Some(cascade) = self.cascade.filter(|_| self.siblings > 0) {
            reason.push_str(&format!("; {} {}", siblings(self.siblings), taken_along(cascade)));
        }
        if self.ends_job && self.ruling != Ruling::Cancelled {
            let state = self.job_state().as_str();
            reason.push_str(&format!("; the job is {state}: {}", self.of_job(rules)));
        }
        if self.killed > 0 {
            reason.push_str(&format!("; {} killed with it", others(self.killed)));
        }
        reason
    }

    fn of_task(&self, rules: &Rules) -> String {
        let verdict = match self.ruling {
            Ruling::Ignored(Ignored::JobOver) => return "the job is over".to_owned(),
            Ruling::Ignored(Ignored::TaskOver) => return "the task is over".to_owned(),
            Ruling::Ignored(Ignored::NoTask) => return "the job has no such task".to_owned(),
            Ruling::Cancelled => return "the job was cancelled".to_owned(),
            Ruling::Task(verdict) => verdict,
        };
        match verdict {
            Verdict::Retry(budget) | Verdict::Exhausted(budget) => {
                let count = attempts(budget, self.counts.of(budget));
                format!("{} {}: {count}", budget.field(), rules.limit(budget))
            }
            Verdict::RetryFree => {
                let assigned = TaskState::Assigned.as_str();
                format!("no worker had begun with it, which is free while {assigned}")
            }
            Verdict::Final => of_final(self.event.outcome, rules.profile).to_owned(),
        }
    }

    /// Why the job is over.
    fn of_job(&self, rules: &Rules) -> String {
        let plain = match self.standing {
            Standing::TooManyFailures => {
                return of_failures(rules, self.failures);
            }
            Standing::AllSucceeded => "all tasks succeeded",
            Standing::TaskUnschedulable => "a task found no worker",
            Standing::TaskKilled => "a task was killed",
            Standing::TasksLost => "all tasks are over, and not all by themselves",
            Standing::TasksFailed => "all tasks are over, and not all succeeded",
            Standing::Cancelled => "it was cancelled",
            Standing::TasksActive | Standing::EverStarted | Standing::NeverStarted => "it goes on",
        };
        plain.to_owned()
    }
}

/// What is held against `max_task_failures`.
pub(super) fn of_failures(rules: &Rules, failures: u32) -> String {
    let (one, many) = match rules.profile {
        Profile::Seed => ("failed task", "failed tasks"),
        Profile::Upstream => ("failed attempt of all tasks", "failed attempts of all tasks"),
    };
    let failures = plural(failures, one, many);
    format!("max_task_failures {}: {failures}", rules.policy.max_task_failures)
}

/// Why an outcome is the task's last.
pub(super) fn of_final(outcome: Outcome, profile: Profile) -> &'static str {
    match (outcome, profile) {
        (Outcome::Succeeded, _) => "the task succeeded",
        (Outcome::Timeout, Profile::Seed) => "a timeout kills a task, whatever its budgets",
        (Outcome::Timeout, Profile::Upstream) => "a timeout fails a task, whatever its budgets",
        (Outcome::Unschedulable, _) => "no worker was found in time",
        _ => "its worker says that it was killed, which is final",
    }
}

fn taken_along(cascade: Cascade) -> &'static str {
    match cascade {
        Cascade::Exhaust => "WORKER_FAILED with it, their preemption budget spent",
        Cascade::Terminate => "COSCHED_FAILED with it",
        Cascade::Requeue => "queued again with it, uncharged",
    }
}

/// How much of a budget is used.
pub(super) fn attempts(budget: Budget, count: u32) -> String {
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

fn plural(count: u32, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::super::{Event, Job, Phase, Policy};
    use super::*;

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
            "a timeout kills a task, whatever its budgets; the job is KILLED: a task was killed; 3 \
             other tasks killed with it"
        );
        assert_eq!(
            reason(Profile::Seed, gang, Outcome::CancelJob, run),
            "the job was cancelled; 3 other tasks killed with it"
        );
    }
}
