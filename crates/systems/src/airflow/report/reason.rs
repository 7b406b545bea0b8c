//! The reason of a decision, as a sentence and as a list of checks.
//!
//! `explain decision` shows the checks.

use crate::Tried;
use crate::airflow::engine::decision::Decision;
use crate::airflow::engine::delay::{Delay, DelayRule, Hashed};
use crate::airflow::engine::eligibility::{Eligibility, InstanceState};
use crate::airflow::engine::retry_policy::{Answer, Consultation, Skip, ends_tries};
use crate::airflow::engine::{AirflowEngine, TaskUnit};
use crate::airflow::manifest::policy::CEILING;
use crate::airflow::manifest::retry_policy::{
    FIELD, RetryAction, RetryRule, RulePlace, TaskRetryPolicy,
};
use crate::airflow::record::{TryFields, TryOutcome};
use compact_str::CompactString;
use replay::history::Run;
use replay::simulate::RuleLabel;

impl AirflowEngine {
    /// Returns the reason of a decision, as one sentence without a final period.
    pub fn reason(&self, decision: &Decision) -> String {
        let policy = self.retry_policy().and_then(|policy| policy_text(policy, decision));
        let is_settled =
            matches!(decision.eligibility, Eligibility::PolicyFail | Eligibility::Rescheduled);
        let eligible = (!is_settled)
            .then(|| eligibility_text(decision, self.manifest.policy.profile.as_str()));
        let delay = decision.delay.map(delay_text);
        let parts: Vec<String> = [policy, eligible, delay].into_iter().flatten().collect();
        parts.join("; ")
    }
}

/// Describes the part that the retry policy has in a decision; `None` if it has none.
fn policy_text(policy: &TaskRetryPolicy, decision: &Decision) -> Option<String> {
    let answer = match decision.consultation {
        Consultation::NoPolicy | Consultation::Skipped(Skip::Cleared | Skip::ForceFail) => {
            return None;
        }
        Consultation::Skipped(skip) => return Some(skip_text(skip).to_owned()),
        Consultation::Answered(answer) => answer,
    };
    let Some(place) = answer.rule else {
        let path = policy.policy_path(answer.policy);
        return Some(match answer.action {
            RetryAction::Default => format!("no rule of {FIELD} matches"),
            action => format!("no rule of {path} matches, and its default is {}", action.as_str()),
        });
    };
    let rule = policy.rule(place)?;
    let reason = rule.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let path = policy.path(place);
    let action = answer.action.as_str();
    Some(match (answer.action, decision.bound) {
        (RetryAction::Reschedule, Some(bound)) => {
            format!("{path}: {action}{reason}, but its bound is reached: {bound}")
        }
        (RetryAction::Reschedule, None) => {
            let Decision { try_number, reschedules, .. } = decision;
            format!("{path}: {action}{reason}, number {reschedules} of try {try_number}")
        }
        (_, _) => format!("{path}: {action}{reason}"),
    })
}

/// Describes why the retry policy was not consulted.
fn skip_text(skip: Skip) -> &'static str {
    match skip {
        Skip::WorkerDied => "the worker died, so retry_policy was not consulted",
        Skip::NotRunning => "the task was not running, so retry_policy was not consulted",
        Skip::Cleared => "the task was cleared, so retry_policy was not consulted",
        Skip::ForceFail => "the task ended its tries, so retry_policy was not consulted",
        Skip::NoExceptions => "the record has no exceptions, so retry_policy was left out",
    }
}

/// Describes whether another try follows, and why.
pub(crate) fn eligibility_text(decision: &Decision, profile: &str) -> String {
    let Decision { try_number, max_tries, .. } = decision;
    match decision.eligibility {
        Eligibility::ForceFail => format!("try {try_number} requested no further try"),
        Eligibility::PolicyFail => format!("try {try_number} was ended by a retry policy"),
        Eligibility::Rescheduled => format!("try {try_number} was rescheduled by a retry policy"),
        Eligibility::ProcessKilled => killed_text(profile),
        Eligibility::Restarting => {
            format!(
                "try {try_number} was cleared as it ran, and another follows regardless of max_tries"
            )
        }
        Eligibility::NoRetries => format!("retries 0: try {try_number} was the last"),
        Eligibility::TriesLeft => format!("max_tries {max_tries}: try {try_number}"),
        Eligibility::DelayOverflow => {
            format!("max_tries {max_tries}: try {try_number}, but {}", overflow_text(profile))
        }
        // The property `try_number` is one higher while the task is not running.
        Eligibility::TriesUsedUp if try_number <= max_tries => format!(
            "max_tries {max_tries}: try {try_number}, which Airflow {profile} counts as one more, since the \
             task was not running"
        ),
        Eligibility::TriesUsedUp => {
            format!("max_tries {max_tries}: try {try_number} was one too many")
        }
    }
}

/// Describes what a release makes of a process that was killed.
fn killed_text(profile: &str) -> String {
    format!(
        "the process was killed, and Airflow {profile} fails the task then, though tries may be left"
    )
}

/// Describes what a release without a guard makes of a delay that is too large.
fn overflow_text(profile: &str) -> String {
    format!(
        "Airflow {profile} raises OverflowError as it computes the wait: the scheduler ends whenever it considers this \
         task, which stays up_for_retry"
    )
}

/// Describes how long the next try waits, and why.
pub(crate) fn delay_text(Delay { wait, rule }: Delay) -> String {
    match rule {
        DelayRule::Override => format!("{wait}: set by a retry policy, without a limit"),
        DelayRule::Constant => format!("{wait}: retry_delay, without a limit"),
        DelayRule::Grown { base, jitter } => format!("{wait}: {base}s, and {jitter}s of jitter"),
        DelayRule::Ceiling => format!("{wait}: {CEILING}"),
        DelayRule::Cap => format!("{wait}: max_retry_delay"),
    }
}

impl AirflowEngine {
    /// Returns every check of a failed run, in order; `unit` is the state before it.
    pub(crate) fn checks(&self, unit: &TaskUnit, run: &Run<TryFields>) -> Vec<Tried> {
        if run.own.outcome != TryOutcome::Failed {
            return Vec::new();
        }
        let mut unit = unit.clone();
        let (_, decision) = self.decide(&mut unit, run);
        let mut checks = Checks { rule: self.label(), tried: Vec::new() };
        if !self.check_policy(&mut checks, run, &decision) {
            self.check_eligibility(&mut checks, run, &decision);
        }
        self.check_delay(&mut checks, &unit, run, &decision);
        checks.tried
    }

    /// Checks what the retry policy makes of the failure; returns whether that settles whether the task runs
    /// again.
    fn check_policy(&self, checks: &mut Checks, run: &Run<TryFields>, decision: &Decision) -> bool {
        let Some(policy) = self.retry_policy() else { return false };
        let answer = match decision.consultation {
            Consultation::NoPolicy => return false,
            Consultation::Skipped(skip) => {
                checks.push(false, skip_text(skip).to_owned());
                return false;
            }
            Consultation::Answered(answer) => answer,
        };
        check_rules(checks, policy, &answer, &run.own.failed.exceptions);
        let settles =
            matches!(decision.eligibility, Eligibility::PolicyFail | Eligibility::Rescheduled);
        if answer.action == RetryAction::Reschedule {
            let why = match decision.bound {
                Some(bound) => format!("false: it may be rescheduled; {bound} is reached"),
                None => format!("it may be rescheduled: number {}", decision.reschedules),
            };
            checks.push(settles, why);
        }
        settles
    }

    /// Checks whether another try follows.
    fn check_eligibility(&self, checks: &mut Checks, run: &Run<TryFields>, decision: &Decision) {
        let (policy, failed) = (&self.manifest.policy, &run.own.failed);
        let restarting = failed.state == InstanceState::Restarting;
        let forced = decision.eligibility == Eligibility::ForceFail;
        let by_exception = forced && ends_tries(policy.profile, &failed.exceptions);
        let request = if by_exception {
            "its exception excludes a further try"
        } else {
            "it requested no further try"
        };
        let settled = checks.check(forced, request)
            || checks.check(restarting, "it was cleared as it ran")
            || decision.eligibility == Eligibility::ProcessKilled
                && checks.push(true, killed_text(policy.profile.as_str()))
            || checks.push(
                decision.eligibility == Eligibility::NoRetries,
                retries_text(policy.retries, decision.eligibility),
            );
        if settled {
            return;
        }
        let read = match failed.state {
            InstanceState::Other => policy.profile.read_try_number(decision.try_number),
            _ => decision.try_number,
        };
        let left =
            matches!(decision.eligibility, Eligibility::TriesLeft | Eligibility::DelayOverflow);
        let compared = if left { "at most" } else { "above" };
        checks.push(
            true,
            format!("try_number {read} is {compared} max_tries {}", decision.max_tries),
        );
    }

    /// Checks how long the next try waits.
    fn check_delay(
        &self,
        checks: &mut Checks,
        unit: &TaskUnit,
        run: &Run<TryFields>,
        decision: &Decision,
    ) {
        let profile = self.manifest.policy.profile;
        if decision.eligibility == Eligibility::DelayOverflow {
            checks.push(true, overflow_text(profile.as_str()));
        }
        let Some(delay) = decision.delay else { return };
        match (delay.rule, run.own.failed.retry_delay_override) {
            (DelayRule::Override, _) => {
                checks.push(true, delay_text(delay));
                return;
            }
            (_, Some(_)) if profile.has_retry_policies() => checks.push(
                false,
                "the retry policy answered, so the recorded delay is left out".to_owned(),
            ),
            (_, Some(_)) => checks
                .push(false, format!("Airflow {} does not support an override", profile.as_str())),
            (_, None) => checks.check(false, "a retry policy set the delay"),
        };
        let try_number = profile.read_try_number(decision.try_number);
        let hashed = Hashed { task: run.own.task(&unit.id), try_number };
        let missing_ids = match (run.own.dag_id.is_empty(), run.own.task_id.is_none()) {
            (false, false) => "",
            (true, false) => ": no dagId is given; the wait differs with one",
            (false, true) => ": no taskId is given; the wait differs with one",
            (true, true) => ": no dagId and no taskId are given; the wait differs with them",
        };
        let why = match delay.rule {
            DelayRule::Grown { .. } => {
                format!("{}, from `{hashed}`{missing_ids}", delay_text(delay))
            }
            _ => delay_text(delay),
        };
        checks.push(true, why);
    }
}

/// Checks every rule up to the one that decides, and the default of each policy that no rule of matches.
fn check_rules(
    checks: &mut Checks,
    policy: &TaskRetryPolicy,
    answer: &Answer,
    classes: &[CompactString],
) {
    let class = classes.first().map_or("", CompactString::as_str);
    // Policies behind the one that answered were not asked.
    for (number, exceptions) in policy.policies.iter().enumerate().take(answer.policy + 1) {
        let matched = exceptions.first_match(classes);
        for (index, rule) in exceptions.rules.iter().enumerate() {
            let place = RulePlace { policy: number, rule: index };
            let path = policy.path(place);
            let label = RuleLabel { index: Some(policy.index(place)), ..checks.rule.clone() };
            let is_first = matched == Some(index);
            let why = if is_first {
                format!("{path} matches {}: {}", matched_class(rule, classes), rule.action.as_str())
            } else {
                format!("{path}: {}", mismatch_text(rule, class))
            };
            let decides = is_first && (rule.action != RetryAction::Default);
            checks.tried.push(Tried { rule: label, matched: decides, why });
            // Rules behind the match were not compared.
            if is_first {
                break;
            }
        }
        if matched.is_none() {
            let (path, default) = (policy.policy_path(number), exceptions.default.as_str());
            checks.push(
                exceptions.default != RetryAction::Default,
                format!("{path}: no rule matches, and its default is {default}"),
            );
        }
    }
}

fn matched_class<'c>(rule: &RetryRule, classes: &'c [CompactString]) -> &'c str {
    let by = classes.iter().find(|class| rule.exceptions.contains(class));
    by.map_or("", CompactString::as_str)
}

/// Describes why a rule does not match an exception.
fn mismatch_text(rule: &RetryRule, class: &str) -> String {
    let wanted = rule.exceptions.join(" or ");
    if rule.exceptions.is_empty() {
        "it names no exception".to_owned()
    } else if rule.match_subclasses {
        format!("{class} does not derive from {wanted}")
    } else {
        format!("{class} is not exactly {wanted}")
    }
}

/// Describes whether the task has retries.
fn retries_text(retries: u32, eligibility: Eligibility) -> String {
    match retries {
        0 if eligibility != Eligibility::NoRetries => {
            "retries is 0, but the worker compares max_tries alone".to_owned()
        }
        0 => "retries is 0: none are granted".to_owned(),
        _ => format!("retries is {retries}, so tries are counted"),
    }
}

/// The list of checks, in the order in which they are made.
struct Checks {
    rule: RuleLabel,
    tried: Vec<Tried>,
}

impl Checks {
    /// Records a check of a condition; returns whether it holds.
    fn check(&mut self, holds: bool, what: &str) -> bool {
        self.push(holds, if holds { what.to_owned() } else { format!("false: {what}") })
    }

    /// Records a check with its text; returns whether it matched.
    fn push(&mut self, matched: bool, why: String) -> bool {
        self.tried.push(Tried { rule: self.rule.clone(), matched, why });
        matched
    }
}
