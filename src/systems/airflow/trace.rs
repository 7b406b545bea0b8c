//! Every check made of a failed try, in order: what `explain decision` shows.

use super::decision::Decision;
use super::delay::DelayRule;
use super::eligible::{Eligibility, InstanceState};
use super::engine::{AirflowEngine, TaskUnit};
use super::jitter::Hashed;
use super::record::{TryFields, TryOutcome};
use super::sentence::wait;
use crate::history::MemberRun;
use crate::simulate::RuleLabel;
use crate::systems::Tried;

impl AirflowEngine {
    /// Every check made of a run that failed; `unit` stands before it.
    pub(super) fn checks(&self, unit: &TaskUnit, run: &MemberRun<TryFields>) -> Vec<Tried> {
        if run.own.outcome != TryOutcome::Failed {
            return Vec::new();
        }
        let mut unit = unit.clone();
        let (_, decision) = self.decide(&mut unit, run);
        let mut checks = Checks { rule: self.label(), tried: Vec::new() };
        self.eligible(&mut checks, run, &decision);
        self.waits(&mut checks, &unit, run, &decision);
        checks.tried
    }

    /// Whether another try follows.
    fn eligible(&self, checks: &mut Checks, run: &MemberRun<TryFields>, decision: &Decision) {
        let (policy, failed) = (&self.manifest.policy, &run.own.failed);
        let restarting = failed.state == InstanceState::Restarting;
        let settled = checks.whether(failed.force_fail, "it asked for no other try itself")
            || checks.whether(restarting, "it was cleared as it ran")
            || checks.found(policy.retries == 0, retries(policy.retries));
        if settled {
            return;
        }
        let read = match failed.state {
            InstanceState::Other => policy.profile.read_try_number(decision.try_number),
            _ => decision.try_number,
        };
        let left = decision.eligibility == Eligibility::TriesLeft;
        let compared = if left { "at most" } else { "above" };
        checks.found(
            true,
            format!("try_number {read} is {compared} max_tries {}", decision.max_tries),
        );
    }

    /// How long it waits.
    fn waits(
        &self,
        checks: &mut Checks,
        unit: &TaskUnit,
        run: &MemberRun<TryFields>,
        decision: &Decision,
    ) {
        let Some(delay) = decision.delay else { return };
        let profile = self.manifest.policy.profile;
        match (delay.rule, run.own.failed.retry_delay_override) {
            (DelayRule::Override, _) => {
                checks.found(true, wait(delay));
                return;
            }
            (_, Some(_)) => {
                checks.found(false, format!("Airflow {} knows no override", profile.as_str()))
            }
            (_, None) => checks.whether(false, "a retry policy set the delay"),
        };
        let try_number = profile.read_try_number(decision.try_number);
        let hashed = Hashed { task: run.own.task(&unit.id), try_number };
        let stands = match (run.own.dag_id.is_empty(), run.own.task_id.is_none()) {
            (false, false) => "",
            (true, false) => ": no dagId is given, and with it the wait is another",
            (false, true) => ": no taskId is given, and with it the wait is another",
            (true, true) => ": no dagId and no taskId are given, and with them the wait is another",
        };
        let why = match delay.rule {
            DelayRule::Grown { .. } => format!("{}, from `{hashed}`{stands}", wait(delay)),
            _ => wait(delay),
        };
        checks.found(true, why);
    }
}

/// Whether there are retries at all.
fn retries(retries: u32) -> String {
    match retries {
        0 => "retries is 0: none are granted".to_owned(),
        _ => format!("retries is {retries}, so that tries are counted"),
    }
}

/// Checks as they are made.
struct Checks {
    rule: RuleLabel,
    tried: Vec<Tried>,
}

impl Checks {
    /// Whether something holds.
    fn whether(&mut self, holds: bool, what: &str) -> bool {
        self.found(holds, if holds { what.to_owned() } else { format!("not so: {what}") })
    }

    /// What was found, and whether that settles it.
    fn found(&mut self, matched: bool, why: String) -> bool {
        self.tried.push(Tried { rule: self.rule.clone(), matched, why });
        matched
    }
}
