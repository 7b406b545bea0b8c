//! The decision about a failed try, and the counts of a task instance that it depends on.
//!
//! Invariant: each failed try takes a number, so `try_number` never decreases. A try that a retry policy
//! reschedules keeps its number.

use super::delay::{Delay, DelayRule, TaskInstance, delay, depends_on_hash};
use super::eligibility::{Eligibility, InstanceState, TryNumbers, eligibility};
use super::failed_try::FailedTry;
use super::retry_policy::{Answer, Consultation, consult, ends_tries};
use crate::airflow::manifest::AirflowPolicy;
use crate::airflow::manifest::python_time::{PythonText, TimeDelta};
use crate::airflow::manifest::retry_policy::{RetryAction, RetryRule};
use document::units::Time;
use std::fmt;

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
    /// The part that the task's retry policy had.
    pub consultation: Consultation,
    /// The reschedules of this try so far, this one included.
    pub reschedules: u32,
    /// The bound that kept the try from being rescheduled.
    pub bound: Option<RescheduleBound>,
}

/// A bound on reschedules that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RescheduleBound {
    /// `max_reschedules`.
    Count(u32),
    /// `reschedule_timeout`.
    Timeout(TimeDelta),
}

/// Writes it as Airflow does.
impl fmt::Display for RescheduleBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(most) => write!(f, "max_reschedules={most}"),
            Self::Timeout(timeout) => write!(f, "reschedule_timeout={}", PythonText(*timeout)),
        }
    }
}

impl Decision {
    /// Returns whether its delay depends on the hash: it may if the scheduler computed it, and not if it was set or the
    /// try goes on.
    pub fn depends_on_hash(&self, policy: &AirflowPolicy) -> bool {
        let is_computed =
            !matches!(self.delay, None | Some(Delay { rule: DelayRule::Override, .. }));
        is_computed
            && self.eligibility != Eligibility::Rescheduled
            && depends_on_hash(policy, self.try_number)
    }

    /// Returns the decision's code, as outputs show it.
    pub fn code(&self) -> &'static str {
        match self.eligibility {
            Eligibility::Restarting => "retry_restarting",
            Eligibility::TriesLeft => "retry",
            Eligibility::DelayOverflow => "error_overflow",
            Eligibility::Rescheduled => "reschedule",
            Eligibility::ForceFail => "fail_forced",
            Eligibility::PolicyFail => "fail_policy",
            Eligibility::ProcessKilled => "fail_process_killed",
            Eligibility::NoRetries => "fail_no_retries",
            Eligibility::TriesUsedUp => "fail_tries_used_up",
        }
    }

    /// Returns Airflow's name of the state that the task instance gets (`handle_failure`).
    pub fn action(&self) -> &'static str {
        match self.eligibility {
            Eligibility::Rescheduled => "up_for_reschedule",
            Eligibility::DelayOverflow => "up_for_retry",
            eligibility if eligibility.retries() => "up_for_retry",
            _ => "failed",
        }
    }

    /// Returns the answer of the retry policy, if it was consulted.
    pub fn answer(&self) -> Option<&Answer> {
        match &self.consultation {
            Consultation::Answered(answer) => Some(answer),
            Consultation::NoPolicy | Consultation::Skipped(_) => None,
        }
    }
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
    /// The reschedules of the last try.
    pub reschedules: Reschedules,
    /// `try_number` of the last record that has one.
    recorded: Option<i32>,
    /// The difference between recorded numbers and those under this policy: on record a try that this policy
    /// reschedules may have been retried, and the reverse.
    shift: i32,
    /// `retry_delay_override` of the task instance. It is cleared as a try begins.
    retry_delay_override: Option<TimeDelta>,
}

/// The reschedules of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reschedules {
    pub count: u32,
    /// The time of the first.
    pub first: Option<Time>,
    /// Whether the end of the last run was one, so that the next run is of the same try.
    pub is_open: bool,
}

impl TryCounts {
    /// Returns the counts of a task instance before its first try.
    pub fn new(policy: &AirflowPolicy) -> Self {
        // The column is a signed integer of 32 bits.
        let max_tries = i32::try_from(policy.retries).unwrap_or(i32::MAX);
        Self {
            try_number: 0,
            max_tries,
            retried: 0,
            reschedules: Reschedules::default(),
            recorded: None,
            shift: 0,
            retry_delay_override: None,
        }
    }

    /// Returns the delay that a retry policy set for the last try.
    pub(crate) fn delay_override(&self) -> Option<TimeDelta> {
        self.retry_delay_override
    }

    /// Counts tries that failed and were retried before the first recorded one.
    pub fn spend(&mut self, tries: u32) {
        self.retried = self.retried.saturating_add(tries);
        let tries = i32::try_from(tries).unwrap_or(i32::MAX);
        self.try_number = self.try_number.saturating_add(tries);
    }

    /// Decides about a try that has failed at `ended`, and counts it.
    pub fn decide(
        &mut self,
        policy: &AirflowPolicy,
        task: TaskInstance<'_>,
        failed: &FailedTry,
        ended: Option<Time>,
    ) -> Decision {
        self.count(failed);
        let Self { try_number, max_tries, .. } = *self;
        let consultation = consult(policy.profile, policy.retry_policy.as_ref(), failed);
        let rule = policy.answering_rule(&consultation);
        let action = match consultation {
            Consultation::Answered(answer) => Some(answer.action),
            Consultation::NoPolicy | Consultation::Skipped(_) => None,
        };
        let reschedule = rule.filter(|_| action == Some(RetryAction::Reschedule));
        let bound = reschedule.and_then(|rule| self.reschedules.bound(rule, ended));
        // The exception decides if it is on record: the task's request may be that of another policy.
        let forced =
            ends_tries(policy.profile, &failed.exceptions) || failed.force_fail && action.is_none();
        let tries = TryNumbers {
            retries: compared_retries(policy, failed, max_tries),
            try_number,
            max_tries,
        };
        let eligibility = if forced {
            Eligibility::ForceFail
        } else {
            let is_rescheduled = reschedule.is_some() && bound.is_none();
            eligibility_of_answer(policy, failed, tries, (action, is_rescheduled))
        };
        self.set_override(failed, action, rule);
        let (eligibility, delay) =
            if let (Eligibility::Rescheduled, Some(rule)) = (eligibility, reschedule) {
                self.reschedules.add(ended);
                (eligibility, Some(reschedule_delay(rule, policy)))
            } else {
                self.reschedules.is_open = false;
                self.delay(policy, task, eligibility)
            };
        self.retried = self.retried.saturating_add(u32::from(eligibility.retries()));
        let (retried, reschedules) = (self.retried, self.reschedules.count);
        Decision {
            eligibility,
            try_number,
            max_tries,
            delay,
            retried,
            consultation,
            reschedules,
            bound,
        }
    }

    /// Returns the delay of the next try, if one follows. It may have no delay.
    fn delay(
        &self,
        policy: &AirflowPolicy,
        task: TaskInstance<'_>,
        eligibility: Eligibility,
    ) -> (Eligibility, Option<Delay>) {
        if !eligibility.retries() {
            return (eligibility, None);
        }
        match delay(policy, task, self.try_number, self.retry_delay_override) {
            Some(delay) => (eligibility, Some(delay)),
            None => (Eligibility::DelayOverflow, None),
        }
    }

    /// Takes the numbers of a record; a record without a number has the next one.
    fn count(&mut self, failed: &FailedTry) {
        let was_open = self.reschedules.is_open;
        if let (Some(last), Some(number)) = (self.recorded, failed.try_number) {
            let is_same_try = number == last;
            // A reschedule keeps the number of its try, and records may count it as one more; the shift keeps later
            // numbers in step.
            self.shift = self.shift.saturating_add(match (was_open, is_same_try) {
                (true, false) => 1,
                (false, true) => -1,
                _ => 0,
            });
        }
        self.recorded = failed.try_number.or(self.recorded);
        let next = self.try_number.saturating_add(i32::from(!was_open));
        let recorded = failed.try_number.map(|number| number.saturating_sub(self.shift));
        self.try_number = recorded.unwrap_or(next);
        self.max_tries = failed.max_tries.unwrap_or(self.max_tries);
        if !was_open {
            self.reschedules = Reschedules::default();
        }
        let recorded = failed.reschedules.unwrap_or_default();
        // A record may know of reschedules before the first one of the history.
        self.reschedules.count = self.reschedules.count.max(recorded);
    }

    /// Sets `retry_delay_override`: as the retry policy answered, or else as on record. A try that never ran
    /// keeps that of the try before.
    fn set_override(
        &mut self,
        failed: &FailedTry,
        action: Option<RetryAction>,
        rule: Option<&RetryRule>,
    ) {
        self.retry_delay_override = match (action, failed.state) {
            (Some(RetryAction::Retry), _) => rule.and_then(|rule| rule.retry_delay),
            (Some(_), _) => None,
            (None, InstanceState::Other) => {
                failed.retry_delay_override.or(self.retry_delay_override)
            }
            (None, InstanceState::Running | InstanceState::Restarting) => {
                failed.retry_delay_override
            }
        };
    }
}

/// Returns whether a try that nothing forces to be the last one is retried, with the answer of its retry policy.
fn eligibility_of_answer(
    policy: &AirflowPolicy,
    failed: &FailedTry,
    tries: TryNumbers,
    (action, is_rescheduled): (Option<RetryAction>, bool),
) -> Eligibility {
    if action == Some(RetryAction::Fail) {
        Eligibility::PolicyFail
    } else if is_killed_for_good(policy, failed) {
        Eligibility::ProcessKilled
    } else if is_rescheduled {
        Eligibility::Rescheduled
    } else {
        eligibility(policy.profile, failed.state, tries)
    }
}

/// Returns the `retries` that eligibility depends on; `None` where the release compares `max_tries` alone.
fn compared_retries(policy: &AirflowPolicy, failed: &FailedTry, max_tries: i32) -> Option<u32> {
    let by_max_tries = policy.profile.decides_in_worker() && failed.ended_in_worker();
    (!by_max_tries || max_tries == 0).then_some(policy.retries)
}

/// Returns whether the supervisor fails the task because its process was killed.
pub(crate) fn is_killed_for_good(policy: &AirflowPolicy, failed: &FailedTry) -> bool {
    failed.process_exit.is_some()
        && failed.state == InstanceState::Running
        && policy.profile.fails_killed_processes()
}

impl Reschedules {
    /// Returns the bound of a rule that is reached at this time (`_reschedule_limit_reached`).
    fn bound(&self, rule: &RetryRule, ended: Option<Time>) -> Option<RescheduleBound> {
        // A count that is equal has reached the bound: Airflow compares with `>=`.
        if let Some(most) = rule.max_reschedules.filter(|most| self.count >= *most) {
            return Some(RescheduleBound::Count(most));
        }
        let timeout = rule.reschedule_timeout?;
        let passed = ended?.since(self.first?);
        (passed >= timeout.to_duration()).then_some(RescheduleBound::Timeout(timeout))
    }

    fn add(&mut self, ended: Option<Time>) {
        self.count = self.count.saturating_add(1);
        // The time counts from the first reschedule of the try, and not from the last.
        self.first = self.first.or(ended);
        self.is_open = true;
    }
}

/// Returns the delay before a rescheduled try runs again. It never grows.
fn reschedule_delay(rule: &RetryRule, policy: &AirflowPolicy) -> Delay {
    match rule.retry_delay {
        Some(wait) => Delay { wait, rule: DelayRule::Override },
        None => Delay { wait: policy.retry_delay, rule: DelayRule::Constant },
    }
}

impl AirflowPolicy {
    /// Returns the rule that a retry policy answered by.
    pub(crate) fn answering_rule(&self, consultation: &Consultation) -> Option<&RetryRule> {
        let Consultation::Answered(Answer { rule: Some(place), .. }) = consultation else {
            return None;
        };
        self.retry_policy.as_ref()?.rule(*place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::airflow::LogicalDate;
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
                let decision = counts.decide(&policy, TASK, &failed, None);
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
        let decision = TryCounts::new(&policy).decide(&policy, TASK, &failed, None);
        assert_eq!((decision.code(), decision.action()), ("retry_restarting", "up_for_retry"));
        assert_eq!(decision.delay.map(|delay| delay.wait), Some(policy.retry_delay));
    }

    #[test]
    fn what_asked_for_no_other_try_has_none_even_if_it_was_cleared() {
        let policy = AirflowPolicy { retries: 9, ..AirflowPolicy::default() };
        for state in [InstanceState::Running, InstanceState::Restarting] {
            let failed = FailedTry { state, force_fail: true, ..FailedTry::default() };
            let decision = TryCounts::new(&policy).decide(&policy, TASK, &failed, None);
            assert_eq!((decision.code(), decision.action()), ("fail_forced", "failed"));
            assert_eq!((decision.delay, decision.retried), (None, 0));
        }
    }

    #[test]
    fn what_clearing_raised_stays_raised() {
        let policy = AirflowPolicy { retries: 1, ..AirflowPolicy::default() };
        let mut counts = TryCounts::new(&policy);
        let cleared = FailedTry { max_tries: Some(3), ..FailedTry::default() };
        let mut decide = |failed| counts.decide(&policy, TASK, &failed, None).code();
        assert_eq!(decide(cleared), "retry");
        let codes = [(); 3].map(|()| decide(FailedTry::default()));
        assert_eq!(codes, ["retry", "retry", "fail_tries_used_up"]);
    }
}
