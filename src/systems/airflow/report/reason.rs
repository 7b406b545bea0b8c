//! The reason of a decision, as a sentence and as a list of checks.
//!
//! `explain decision` shows the checks.

use crate::history::Run;
use crate::simulate::RuleLabel;
use crate::systems::Tried;
use crate::systems::airflow::engine::decision::Decision;
use crate::systems::airflow::engine::delay::{Delay, DelayRule, Hashed};
use crate::systems::airflow::engine::eligibility::{Eligibility, InstanceState};
use crate::systems::airflow::engine::{AirflowEngine, TaskUnit};
use crate::systems::airflow::manifest::shape::CEILING;
use crate::systems::airflow::record::{TryFields, TryOutcome};

impl AirflowEngine {
    /// Returns the reason of a decision, as one sentence without a final period.
    pub fn reason(&self, decision: &Decision) -> String {
        let eligible = eligibility_text(decision, self.manifest.policy.profile.as_str());
        match decision.delay {
            Some(delay) => format!("{eligible}; {}", delay_text(delay)),
            None => eligible,
        }
    }
}

/// Describes whether another try follows, and why.
pub(crate) fn eligibility_text(decision: &Decision, profile: &str) -> String {
    let Decision { try_number, max_tries, .. } = decision;
    match decision.eligibility {
        Eligibility::ForceFail => format!("try {try_number} requested no further try"),
        Eligibility::Restarting => {
            format!(
                "try {try_number} was cleared as it ran, and another follows regardless of max_tries"
            )
        }
        Eligibility::NoRetries => format!("retries 0: try {try_number} was the last"),
        Eligibility::TriesLeft => format!("max_tries {max_tries}: try {try_number}"),
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
        self.check_eligibility(&mut checks, run, &decision);
        self.check_delay(&mut checks, &unit, run, &decision);
        checks.tried
    }

    /// Checks whether another try follows.
    fn check_eligibility(&self, checks: &mut Checks, run: &Run<TryFields>, decision: &Decision) {
        let (policy, failed) = (&self.manifest.policy, &run.own.failed);
        let restarting = failed.state == InstanceState::Restarting;
        let settled = checks.check(failed.force_fail, "it requested no further try")
            || checks.check(restarting, "it was cleared as it ran")
            || checks.push(policy.retries == 0, retries_text(policy.retries));
        if settled {
            return;
        }
        let read = match failed.state {
            InstanceState::Other => policy.profile.read_try_number(decision.try_number),
            _ => decision.try_number,
        };
        let left = decision.eligibility == Eligibility::TriesLeft;
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
        let Some(delay) = decision.delay else { return };
        let profile = self.manifest.policy.profile;
        match (delay.rule, run.own.failed.retry_delay_override) {
            (DelayRule::Override, _) => {
                checks.push(true, delay_text(delay));
                return;
            }
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

/// Describes whether the task has retries.
fn retries_text(retries: u32) -> String {
    match retries {
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
