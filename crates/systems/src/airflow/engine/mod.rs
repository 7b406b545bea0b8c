//! Airflow's scheduler as an [`Engine`](replay::simulate::Engine): units are task instances, runs are their tries.

pub(super) mod decision;
pub(super) mod delay;
pub(super) mod eligibility;
pub(super) mod failed_try;
mod interface;
pub(super) mod retry_policy;

use super::manifest::AirflowPolicy;
use super::record::TryFields;
use decision::{Decision, TryCounts};
use eligibility::Eligibility;
use replay::history::Run;
use replay::simulate::{Absence, Effect, End, Need, Part, Parts, PolicyNeeds, Without};
use std::sync::Arc;

/// An Airflow profile.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AirflowManifest {
    /// `metadata.name`.
    pub name: String,
    /// The task's retry settings.
    pub policy: AirflowPolicy,
}

/// The engine over a profile, which applies to every task instance.
#[derive(Debug, Clone)]
pub struct AirflowEngine {
    pub(super) manifest: AirflowManifest,
    needs: Vec<PolicyNeeds>,
}

static EXCEPTIONS: Part =
    Part { field: "exceptions", noun: "`exceptions`", absence: Absence::Mistake };

const HAS_EXCEPTIONS: Parts = Parts::of(0);

/// Returns what a rule of a retry policy needs.
fn exceptions_need(rule: usize) -> Need {
    Need {
        rule,
        part: &EXCEPTIONS,
        values: Vec::new(),
        names: Vec::new(),
        any_of: HAS_EXCEPTIONS,
        any_value: HAS_EXCEPTIONS,
        without: Without::NeverMatches,
    }
}

/// The state of a task instance.
#[derive(Debug, Clone)]
pub struct TaskUnit {
    /// The recorded id of the unit, which replaces an absent `task_id`.
    pub(super) id: Arc<str>,
    /// The counts of its tries.
    pub counts: TryCounts,
}

impl AirflowEngine {
    /// Creates an engine over a profile.
    pub fn new(manifest: AirflowManifest) -> Self {
        let mut engine = Self { manifest, needs: Vec::new() };
        let rules = engine.retry_policy().map_or(0, |policy| policy.rules().count());
        engine.needs = vec![(0..rules).map(exceptions_need).collect()];
        engine
    }

    /// Decides about a try that failed.
    pub(super) fn decide(&self, unit: &mut TaskUnit, run: &Run<TryFields>) -> (Effect, Decision) {
        let TaskUnit { id, counts } = unit;
        let decision =
            counts.decide(&self.manifest.policy, run.own.task(id), &run.own.failed, run.time());
        let effect = match decision.delay {
            Some(delay) => {
                let wait = delay.wait.to_duration();
                let not_before = run.time().map(|end| end.plus(wait));
                Effect::Rerun { delay: Some(wait), not_before }
            }
            // It is not failed, and does not run again.
            None if decision.eligibility == Eligibility::DelayOverflow => Effect::Keep,
            None => Effect::End(End::Failed),
        };
        (effect, decision)
    }
}
