//! A task instance from its first try to its last, as they fail.

use super::decision::Decision;
use super::delay::delay;
use super::eligible::{InstanceState, Tries, eligibility};
use super::jitter::TaskInstance;
use super::model::AirflowPolicy;
use super::timedelta::TimeDelta;

/// A try that has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FailedTry {
    /// `try_number`; if it is not said, the one after that of the try before.
    pub try_number: Option<i32>,
    /// The state that the task instance was in.
    pub state: InstanceState,
    /// `retry_delay_override`: what a retry policy said of this failure, from 3.3 on.
    pub retry_delay_override: Option<TimeDelta>,
}

/// What is remembered of a task instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TryCounts {
    /// The number of the last try that ended; 0 before the first.
    pub try_number: i32,
    /// `max_tries`.
    pub max_tries: i32,
}

impl TryCounts {
    /// A task instance before its first try.
    pub fn new(policy: &AirflowPolicy) -> Self {
        Self { try_number: 0, max_tries: i32::try_from(policy.retries).unwrap_or(i32::MAX) }
    }

    /// Lets so many tries have failed, and been followed by others, before the first on record.
    pub fn spend(&mut self, tries: u32) {
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
        let Self { try_number, max_tries } = *self;
        let tries = Tries { retries: Some(policy.retries), try_number, max_tries };
        let eligibility = eligibility(policy.profile, failed.state, tries);
        let wait = || delay(policy, task, try_number, failed.retry_delay_override);
        let delay = eligibility.retries().then(wait);
        Decision { eligibility, try_number, max_tries, delay }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Eligibility, LogicalDate};
    use super::*;
    use proptest::prelude::*;

    const TASK: TaskInstance<'static> =
        TaskInstance { dag_id: "train", task_id: "finetune", logical_date: LogicalDate::Absent };

    proptest! {
        /// A task that always fails runs `retries` times more than once, whoever counts its tries;
        /// what was spent before is missing at the end.
        #[test]
        fn runs_once_and_as_often_as_it_has_retries(retries in 0..40_u32, spent in 0..40_u32, told: bool) {
            let policy = AirflowPolicy { retries, ..AirflowPolicy::default() };
            let mut counts = TryCounts::new(&policy);
            counts.spend(spent);
            let first = counts.try_number + 1;
            let mut decisions = Vec::new();
            for number in first.. {
                let try_number = told.then_some(number);
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
}
