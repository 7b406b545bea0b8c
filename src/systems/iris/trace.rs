//! Every check that is made of a task's end, in order: what `explain decision` shows. Those that
//! speak for what was decided are the ones that match.

use super::budget::Counts;
use super::outcome::{Outcome, Phase};
use super::policy::{Profile, Rules};
use super::record::IrisFields;
use super::sentence::{attempts, of_failures, of_final};

/// Whether a check matches, and why.
type Checked = (bool, String);

impl Rules {
    /// The checks. `counts` are the task's and `failures` the job's, after the end.
    pub(super) fn checks(&self, fields: IrisFields, counts: Counts, failures: u32) -> Vec<Checked> {
        let mut checks = vec![self.is_final(fields.outcome)];
        if fields.outcome.may_retry(self.profile) {
            checks.extend(self.budgets(fields, counts));
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
    fn budgets(&self, fields: IrisFields, counts: Counts) -> Vec<Checked> {
        let IrisFields { outcome, phase, .. } = fields;
        let started = phase.state().is_executing();
        let Some(budget) = self.profile.charge(outcome.attempt_state(self.profile), started) else {
            return vec![(true, "no worker had begun with it, which is free".to_owned())];
        };
        let why = match (phase, outcome, self.profile) {
            (Phase::Assigned, Outcome::Failed, _) => ", in ASSIGNED too",
            (Phase::Assigned, _, Profile::Seed) => ": only preemptions are free in ASSIGNED",
            _ => "",
        };
        let (limit, count) = (self.limit(budget), counts.of(budget));
        let left = if self.is_spent(budget, counts) { "it is spent" } else { "it goes on" };
        vec![
            (false, format!("{} is charged to {}{why}", outcome.as_str(), budget.field())),
            (true, format!("{} {limit}: {}, {left}", budget.field(), attempts(budget, count))),
        ]
    }
}
