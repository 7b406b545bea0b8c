//! The decision about a failed try, and the counts of a task instance that it depends on.
//!
//! Invariant: each failed try takes a number, so `try_number` never decreases.

use super::delay::{Delay, TaskInstance, delay};
use super::eligibility::{Eligibility, InstanceState, TryNumbers, eligibility};
use crate::systems::airflow::manifest::AirflowPolicy;
use crate::systems::airflow::manifest::python_time::TimeDelta;

/// A decision about one failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Whether another try follows, and why.
    pub eligibility: Eligibility,
    /// The number of the try that failed.
    pub try_number: i32,
    /// The limit that `try_number` was compared with.
    pub max_tries: i32,
    /// The delay before the next try; `None` if there is no next try.
    pub delay: Option<Delay>,
    /// The number of tries so far that were followed by another, this one included.
    pub retried: u32,
}

impl Decision {
    /// Returns the decision's code, as outputs show it.
    pub fn code(&self) -> &'static str {
        match self.eligibility {
            Eligibility::Restarting => "retry_restarting",
            Eligibility::TriesLeft => "retry",
            Eligibility::ForceFail => "fail_forced",
            Eligibility::NoRetries => "fail_no_retries",
            Eligibility::TriesUsedUp => "fail_tries_used_up",
        }
    }

    /// Returns Airflow's name of the state that the task instance gets (`handle_failure`).
    pub fn action(&self) -> &'static str {
        if self.eligibility.retries() { "up_for_retry" } else { "failed" }
    }
}

/// A try that has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FailedTry {
    /// `try_number`; if absent, the number of the previous try plus 1.
    pub try_number: Option<i32>,
    /// `max_tries` from now on, if it was changed: clearing a task instance raises it.
    pub max_tries: Option<i32>,
    /// The state that the task instance was in.
    pub state: InstanceState,
    /// `force_fail`: the task itself excluded another try.
    pub force_fail: bool,
    /// `retry_delay_override`: the delay that a retry policy set for this failure, since 3.3.
    pub retry_delay_override: Option<TimeDelta>,
}

/// The counts of a task instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TryCounts {
    /// The number of the last try that ended; 0 before the first.
    pub try_number: i32,
    /// `max_tries`.
    pub max_tries: i32,
    /// The number of tries that were followed by another.
    pub retried: u32,
}

impl TryCounts {
    /// Returns the counts of a task instance before its first try.
    pub fn new(policy: &AirflowPolicy) -> Self {
        let max_tries = i32::try_from(policy.retries).unwrap_or(i32::MAX);
        Self { try_number: 0, max_tries, retried: 0 }
    }

    /// Counts tries that failed and were retried before the first recorded one.
    pub fn spend(&mut self, tries: u32) {
        self.retried = self.retried.saturating_add(tries);
        let tries = i32::try_from(tries).unwrap_or(i32::MAX);
        self.try_number = self.try_number.saturating_add(tries);
    }

    /// Decides about a try that has failed, and counts it.
    pub fn decide(
        &mut self,
        policy: &AirflowPolicy,
        task: TaskInstance<'_>,
        failed: &FailedTry,
    ) -> Decision {
        self.try_number = failed.try_number.unwrap_or(self.try_number.saturating_add(1));
        self.max_tries = failed.max_tries.unwrap_or(self.max_tries);
        let Self { try_number, max_tries, .. } = *self;
        let tries = TryNumbers { retries: Some(policy.retries), try_number, max_tries };
        let eligibility = if failed.force_fail {
            Eligibility::ForceFail
        } else {
            eligibility(policy.profile, failed.state, tries)
        };
        self.retried = self.retried.saturating_add(u32::from(eligibility.retries()));
        let wait = || delay(policy, task, try_number, failed.retry_delay_override);
        let delay = eligibility.retries().then(wait);
        Decision { eligibility, try_number, max_tries, delay, retried: self.retried }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::airflow::LogicalDate;
    use proptest::prelude::*;

    const TASK: TaskInstance<'static> =
        TaskInstance { dag_id: "train", task_id: "finetune", logical_date: LogicalDate::Absent };

    proptest! {
        /// A task that always fails runs `retries + 1` times, with or without recorded try numbers; tries
        /// spent earlier are subtracted.
        #[test]
        fn runs_once_and_as_often_as_it_has_retries(retries in 0..40_u32, spent in 0..40_u32, explicit: bool) {
            let policy = AirflowPolicy { retries, ..AirflowPolicy::default() };
            let mut counts = TryCounts::new(&policy);
            counts.spend(spent);
            let first = counts.try_number + 1;
            let mut decisions = Vec::new();
            for number in first.. {
                let try_number = explicit.then_some(number);
                let failed = FailedTry { try_number, ..FailedTry::default() };
                let decision = counts.decide(&policy, TASK, &failed);
                prop_assert_eq!(decision.try_number, number);
                prop_assert_eq!(decision.delay.is_some(), decision.eligibility.retries());
                decisions.push(decision);
                if !decision.eligibility.retries() {
                    break;
                }
            }
            prop_assert_eq!(decisions.len(), retries.saturating_sub(spent) as usize + 1);
            let last = decisions.last().unwrap();
            prop_assert_eq!(last.eligibility == Eligibility::NoRetries, retries == 0);
            prop_assert_eq!(last.action(), "failed");
            prop_assert_eq!(last.retried, spent.max(retries));
        }
    }

    #[test]
    fn a_task_cleared_as_it_runs_is_tried_again_though_its_tries_are_used_up() {
        let policy = AirflowPolicy::default();
        let failed = FailedTry { state: InstanceState::Restarting, ..FailedTry::default() };
        let decision = TryCounts::new(&policy).decide(&policy, TASK, &failed);
        assert_eq!((decision.code(), decision.action()), ("retry_restarting", "up_for_retry"));
        assert_eq!(decision.delay.map(|delay| delay.wait), Some(policy.retry_delay));
    }

    #[test]
    fn what_asked_for_no_other_try_has_none_even_if_it_was_cleared() {
        let policy = AirflowPolicy { retries: 9, ..AirflowPolicy::default() };
        for state in [InstanceState::Running, InstanceState::Restarting] {
            let failed = FailedTry { state, force_fail: true, ..FailedTry::default() };
            let decision = TryCounts::new(&policy).decide(&policy, TASK, &failed);
            assert_eq!((decision.code(), decision.action()), ("fail_forced", "failed"));
            assert_eq!((decision.delay, decision.retried), (None, 0));
        }
    }

    #[test]
    fn what_clearing_raised_stays_raised() {
        let policy = AirflowPolicy { retries: 1, ..AirflowPolicy::default() };
        let mut counts = TryCounts::new(&policy);
        let cleared = FailedTry { max_tries: Some(3), ..FailedTry::default() };
        let mut decide = |failed| counts.decide(&policy, TASK, &failed).code();
        assert_eq!(decide(cleared), "retry");
        let codes = [(); 3].map(|()| decide(FailedTry::default()));
        assert_eq!(codes, ["retry", "retry", "fail_tries_used_up"]);
    }
}
