//! Every check made of a failed try, in order: what `explain decision` shows.

use super::delay::DelayRule;
use super::eligible::{Eligibility, InstanceState};
use super::engine::{AirflowEngine, TaskUnit};
use super::jitter::Hashed;
use super::record::{TryFields, TryOutcome};
use super::sentence::wait;
use crate::history::MemberRun;
use crate::systems::Tried;

impl AirflowEngine {
    /// Every check made of a run that failed; `unit` stands before it.
    pub(super) fn checks(&self, unit: &TaskUnit, run: &MemberRun<TryFields>) -> Vec<Tried> {
        if run.own.outcome != TryOutcome::Failed {
            return Vec::new();
        }
        let (policy, failed, task) =
            (&self.manifest.policy, run.own.failed, run.own.task(&unit.id));
        let mut counts = unit.counts;
        let decision = counts.decide(policy, task, &failed);
        let mut tried = Vec::new();
        let mut check = |matched: bool, why: String| {
            tried.push(Tried { rule: self.label(), matched, why });
            matched
        };
        let word = |holds: bool| if holds { "" } else { "not so: " };
        let no = failed.force_fail;
        let over = check(no, format!("{}it asked for no other try itself", word(no)))
            || {
                let cleared = failed.state == InstanceState::Restarting;
                check(cleared, format!("{}it was cleared as it ran", word(cleared)))
            }
            || {
                let none = policy.retries == 0;
                check(none, format!("retries is {}", policy.retries))
            };
        if !over {
            let left = decision.eligibility == Eligibility::TriesLeft;
            let number = match failed.state {
                InstanceState::Other => policy.profile.read_try_number(decision.try_number),
                _ => decision.try_number,
            };
            let compared = if left { "at most" } else { "above" };
            check(
                left,
                format!("try_number {number} is {compared} max_tries {}", decision.max_tries),
            );
        }
        let Some(delay) = decision.delay else { return tried };
        let said = delay.rule == DelayRule::Override;
        let why = match failed.retry_delay_override {
            Some(_) if said => wait(delay),
            Some(_) => format!("Airflow {} knows no override", policy.profile.as_str()),
            None => "no retry policy set the delay".to_owned(),
        };
        check(said, why);
        if !said {
            let read = policy.profile.read_try_number(decision.try_number);
            let why = match delay.rule {
                DelayRule::Grown { .. } => {
                    format!("{}; hashed: {}", wait(delay), Hashed { task, try_number: read })
                }
                _ => wait(delay),
            };
            check(true, why);
        }
        tried
    }
}
