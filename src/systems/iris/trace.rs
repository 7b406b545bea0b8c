//! Every check that is made of a task's end, in order: what `explain decision` shows. Those that
//! speak for what was decided are the ones that match.

use super::budget::Counts;
use super::gang::Cascade;
use super::outcome::{Outcome, Phase, Verdict};
use super::policy::{Profile, Rules};
use super::record::IrisFields;
use super::sentence::{attempts, of_failures, of_final};

/// Whether a check matches, and why.
type Checked = (bool, String);

impl Rules {
    /// The checks. `counts` are the task's and `failures` the job's, after the end.
    pub(super) fn checks(&self, fields: IrisFields, counts: Counts, failures: u32) -> Vec<Checked> {
        let mut checks = vec![self.is_final(fields.outcome)];
        let mut verdict = Verdict::Final;
        if fields.outcome.may_retry(self.profile) {
            verdict = self.budgets(fields, counts, &mut checks);
        }
        if self.policy.coscheduled {
            checks.push(self.gang(fields.outcome, verdict));
        }
        let of_job = i64::from(failures) > i64::from(self.policy.max_task_failures);
        checks.push((of_job, of_failures(self, failures)));
        checks
    }

    fn is_final(&self, outcome: Outcome) -> Checked {
        if outcome.may_retry(self.profile) {
            return (false, format!("{} is not final by itself", outcome.as_str()));
        }
        (true, of_final(outcome, self.profile).to_owned())
    }

    /// Which budget is charged, if one is, and whether it is spent.
    fn budgets(&self, fields: IrisFields, counts: Counts, checks: &mut Vec<Checked>) -> Verdict {
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
        let (field, used) = (budget.field(), attempts(budget, count));
        let left = if spent { "above the limit" } else { "within the limit" };
        checks.push((false, format!("{} is charged to {field}{why}", outcome.as_str())));
        checks.push((true, format!("{field} {limit}: {used}, {left}")));
        if spent { Verdict::Exhausted(budget) } else { Verdict::Retry(budget) }
    }

    /// What a gang's other tasks have of it.
    fn gang(&self, outcome: Outcome, verdict: Verdict) -> Checked {
        let cascade = self.cascade(outcome, verdict);
        let why = match cascade {
            None => "coscheduled: the gang takes no sibling along",
            Some(Cascade::Exhaust) => "coscheduled: siblings that have a worker are lost with it",
            Some(Cascade::Terminate) => "coscheduled: siblings that have a worker end with it",
            Some(Cascade::Requeue) => {
                "coscheduled: siblings that have a worker are queued again with it"
            }
        };
        (cascade.is_some(), why.to_owned())
    }
}
