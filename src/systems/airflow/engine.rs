//! Airflow's scheduler behind the engines' one interface: units are task instances, runs their
//! tries.

use super::decide::TryCounts;
use super::decision::Decision;
use super::model::AirflowPolicy;
use super::record::{TryFields, TryOutcome};
use crate::engine::{Effect, End, Engine, Evaluation, FactKind, Moment, Together, Verdict};
use crate::history::{Member, MemberRun};
use std::sync::Arc;

/// A profile of Airflow's.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AirflowManifest {
    /// `metadata.name`.
    pub name: String,
    /// What it means.
    pub policy: AirflowPolicy,
}

/// The engine over a profile, which judges every task instance.
#[derive(Debug, Clone)]
pub struct AirflowEngine {
    pub(super) manifest: AirflowManifest,
}

/// What is remembered of a task instance.
#[derive(Debug, Clone)]
pub struct TaskUnit {
    /// Its id on record, which stands for a `task_id` that is not said.
    pub(super) id: Arc<str>,
    /// Its tries.
    pub counts: TryCounts,
}

impl AirflowEngine {
    /// An engine over a profile.
    pub fn new(manifest: AirflowManifest) -> Self {
        Self { manifest }
    }

    /// The profile.
    pub fn manifest(&self) -> &AirflowManifest {
        &self.manifest
    }

    /// Decides about a try that failed.
    pub(super) fn decide(
        &self,
        unit: &mut TaskUnit,
        run: &MemberRun<TryFields>,
    ) -> (Effect, Decision) {
        let TaskUnit { id, counts } = unit;
        let decision = counts.decide(&self.manifest.policy, run.own.task(id), &run.own.failed);
        let effect = match decision.delay {
            Some(delay) => {
                let wait = delay.wait.to_duration();
                let not_before = run.time().map(|end| end.plus(wait));
                // Each try takes a number, whatever it was granted for.
                Effect::Rerun { delay: Some(wait), not_before, counted: true }
            }
            None => Effect::End(End::Failed),
        };
        (effect, decision)
    }
}

impl Engine for AirflowEngine {
    type Record = MemberRun<TryFields>;
    type Member = Member<TryFields>;
    type State = TaskUnit;
    type Decision = Decision;
    type Memory = ();

    const DRAWS: bool = false;
    const TOGETHER: Together = Together::Second;

    fn runs<'m>(&self, member: &'m Self::Member) -> &'m [Self::Record] {
        &member.runs
    }

    fn unit_key(&self, _: &Self::Member) -> Option<String> {
        None
    }

    fn begin(&self, members: &[&Self::Member]) -> TaskUnit {
        let id = members.first().map(|member| Arc::clone(&member.unit)).unwrap_or_default();
        TaskUnit { id, counts: TryCounts::new(&self.manifest.policy) }
    }

    fn evaluate(
        &self,
        unit: &mut TaskUnit,
        (): &mut (),
        moment: &Moment<'_, Self::Record>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        for fact in moment.facts {
            let FactKind::Ended(run) = fact.kind else { continue };
            let (effect, decision) = match run.own.outcome {
                TryOutcome::Succeeded => (Effect::End(End::Succeeded), None),
                TryOutcome::Cancelled => (Effect::End(End::Cancelled), None),
                TryOutcome::Failed => {
                    let (effect, decision) = self.decide(unit, run);
                    (effect, Some(decision))
                }
            };
            if let Effect::End(end) = effect {
                answer.fate = Some(end);
            }
            answer.verdicts.push(Verdict { member: fact.member, effect, decision });
        }
    }

    fn avoided<'s>(&self, _: &'s TaskUnit, _: usize, _: &Decision) -> &'s [String] {
        &[]
    }
}
