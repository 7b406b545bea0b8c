//! The verdict of a task's retry policy about a failure (`RetryPolicy.evaluate`, and `_handle_current_task_failed` of
//! `airflow/sdk/execution_time/task_runner.py`).

use super::eligibility::InstanceState;
use super::failed_try::FailedTry;
use crate::airflow::manifest::exceptions::{bare_name, is_complete};
use crate::airflow::manifest::profile::Profile;
use crate::airflow::manifest::retry_policy::{
    EXCEPTIONS, ExceptionRetryPolicy, RetryAction, RetryRule, RulePlace, TaskRetryPolicy,
};
use compact_str::CompactString;

/// The part that a task's retry policy has in a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Consultation {
    /// The task has none.
    #[default]
    NoPolicy,
    /// It was not consulted.
    Skipped(Skip),
    Answered(Answer),
}

/// Why a retry policy was not consulted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Skip {
    /// The process or its worker died: no exception was raised.
    WorkerDied,
    /// The task was not running: the scheduler ended the try.
    NotRunning,
    /// The task was cleared while it ran, and its process was ended.
    Cleared,
    /// The task ended its tries before the policy is consulted, by its exception or on record.
    ForceFail,
    /// The record has no exceptions, so the policy cannot be replayed.
    NoExceptions,
}

/// The answer of a retry policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub action: RetryAction,
    /// The rule that decided, or the last of a chain that matched; `None` if no rule matched.
    pub rule: Option<RulePlace>,
    /// The number of the policy that decided; that of the last if all answered `default`.
    pub policy: usize,
    /// Whether an earlier rule might match if all bases of the exception were on record.
    pub depends_on_bases: bool,
}

/// Returns the part that a retry policy has in the end of a try. `exceptions` is the completed list.
pub(crate) fn consult(
    profile: Profile,
    policy: Option<&TaskRetryPolicy>,
    failed: &FailedTry,
) -> Consultation {
    let Some(policy) = policy.filter(|_| profile.has_retry_policies()) else {
        return Consultation::NoPolicy;
    };
    let skip = match failed.state {
        InstanceState::Other => Some(Skip::NotRunning),
        InstanceState::Restarting => Some(Skip::Cleared),
        InstanceState::Running if failed.has_died() => Some(Skip::WorkerDied),
        // A policy is asked about an exception, and none is on record.
        InstanceState::Running if failed.exceptions.is_empty() => {
            Some(if failed.force_fail { Skip::ForceFail } else { Skip::NoExceptions })
        }
        InstanceState::Running => {
            ends_tries(profile, &failed.exceptions).then_some(Skip::ForceFail)
        }
    };
    match skip {
        Some(skip) => Consultation::Skipped(skip),
        None => Consultation::Answered(policy.evaluate(&failed.exceptions)),
    }
}

/// Returns whether an exception ends a task's tries whatever its settings are.
pub(crate) fn ends_tries(profile: Profile, exceptions: &[CompactString]) -> bool {
    exceptions.iter().any(|class| match class.as_str() {
        "airflow.exceptions.AirflowFailException" | "airflow.exceptions.AirflowSensorTimeout" => {
            true
        }
        "airflow.exceptions.AirflowTaskTerminated" => profile.decides_in_worker(),
        _ => false,
    })
}

impl RetryRule {
    /// Returns whether it matches an exception of these classes, the most derived first.
    pub fn matches(&self, classes: &[CompactString]) -> bool {
        let compared =
            // The list begins with the class that was raised; the others are its bases.
            if self.match_subclasses { classes } else { classes.get(..1).unwrap_or(classes) };
        compared.iter().any(|class| self.exceptions.contains(class))
    }
}

impl TaskRetryPolicy {
    /// Returns the answer to an exception of these classes, the most derived first.
    pub fn evaluate(&self, classes: &[CompactString]) -> Answer {
        let mut answer = Answer {
            action: RetryAction::Default,
            rule: None,
            policy: self.policies.len().saturating_sub(1),
            depends_on_bases: false,
        };
        for (policy, exceptions) in self.policies.iter().enumerate() {
            let matched = exceptions.first_match(classes);
            answer.depends_on_bases |= !is_complete(classes)
                // Only rules up to the match were compared, so that unknown bases matter for these alone.
                && exceptions.rules.iter().take(matched.unwrap_or(usize::MAX)).any(by_bases);
            // A rule with the action `default` matched, but passes the exception on to the next policy.
            answer.rule = matched.map(|rule| RulePlace { policy, rule }).or(answer.rule);
            let action = exceptions.action(matched);
            if action != RetryAction::Default {
                let rule = matched.map(|rule| RulePlace { policy, rule });
                return Answer { action, rule, policy, ..answer };
            }
        }
        answer
    }

    /// Returns the reason of an answer, as Airflow words it.
    pub fn reason(&self, answer: &Answer, classes: &[CompactString]) -> Option<String> {
        let class = classes.first().map_or("", |class| bare_name(class));
        if !self.is_chain {
            let policy = self.policies.get(answer.policy)?;
            return policy.reason(policy.first_match(classes), class);
        }
        let before = if answer.action == RetryAction::Default { usize::MAX } else { answer.policy };
        let trail: Vec<String> = self
            .policies
            .iter()
            .take(before)
            .map(|policy| {
                let reason = policy.reason(policy.first_match(classes), class);
                format!("{EXCEPTIONS}: {}", reason.as_deref().unwrap_or("no decision"))
            })
            .collect();
        let trail = trail.join("; ");
        if answer.action == RetryAction::Default {
            return Some(format!("no policy decided ({trail})"));
        }
        let policy = self.policies.get(answer.policy)?;
        let reason = policy.reason(policy.first_match(classes), class);
        let reason = reason.as_deref().unwrap_or(answer.action.as_str());
        let after = if trail.is_empty() { String::new() } else { format!(" (after {trail})") };
        Some(format!("{EXCEPTIONS}: {reason}{after}"))
    }
}

impl ExceptionRetryPolicy {
    /// Returns the number of the first rule that matches an exception of these classes.
    pub(crate) fn first_match(&self, classes: &[CompactString]) -> Option<usize> {
        self.rules.iter().position(|rule| rule.matches(classes))
    }

    fn action(&self, rule: Option<usize>) -> RetryAction {
        rule.and_then(|rule| self.rules.get(rule)).map_or(self.default, |rule| rule.action)
    }

    fn reason(&self, rule: Option<usize>, class: &str) -> Option<String> {
        let rule = self.rules.get(rule?)?;
        Some(rule.reason.clone().unwrap_or_else(|| format!("Matched rule for {class}")))
    }
}

/// Returns whether unknown bases of a class could make a rule match it.
fn by_bases(rule: &RetryRule) -> bool {
    rule.match_subclasses && !rule.exceptions.is_empty()
}
