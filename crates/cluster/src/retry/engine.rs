//! The decisions of a retry engine, which sees the records of the runs.

use super::{Decider, Next, RunDecision, RunGrant, UnitDecision, UnitId};
use crate::events::Event;
use crate::run_record::Records;
use armada_retry::engine::NodeList;
use replay::history::{ArmadaRun, Job, RunRecord};
use replay::simulate::{Effect, End, Engine, Evaluation, Fact, FactKind, Live, Moment, Verdict};
use std::collections::HashMap;

/// Decides by an engine.
pub struct EngineDecider<'e, E: Engine> {
    engine: &'e E,
    records: Records,
    /// The states of the units that failed and did not end.
    units: HashMap<UnitId, E::State>,
    memory: E::Memory,
    answer: Evaluation<E::Decision>,
}

impl<'e, E: Engine<Fields = ArmadaRun>> EngineDecider<'e, E> {
    /// Creates a decider for a run of a simulation.
    pub fn new(engine: &'e E, records: Records) -> Self {
        let (memory, answer) = (E::Memory::default(), Evaluation::default());
        Self { engine, records, units: HashMap::new(), memory, answer }
    }

    /// Evaluates the ends of a unit. The answer has a verdict for each of them.
    fn evaluate(&mut self, unit: UnitId, ends: &[Event], runs: &[RunRecord]) -> &E::State {
        let Self { engine, records, units, memory, answer } = self;
        let state = units.entry(unit).or_insert_with(|| {
            let members: Vec<Job> = records.members(unit).collect();
            engine.begin(&members.iter().collect::<Vec<_>>())
        });
        let facts = ends.iter().zip(runs).map(|(event, run)| Fact {
            member: records.member_number(event),
            kind: FactKind::Ended(run),
        });
        let facts: Vec<Fact<'_, ArmadaRun>> = facts.collect();
        // The last end: the unit is judged when all of them are known.
        let now = runs.iter().filter_map(RunRecord::time).max();
        let moment = Moment { now, facts: &facts, draw: 0, live: Live::default(), matched: None };
        engine.evaluate(state, memory, &moment, answer);
        state
    }

    /// Returns the verdict about an end, the last one if there are several.
    fn verdict(&self, event: &Event) -> Option<&Verdict<E::Decision>> {
        let member = self.records.member_number(event);
        self.answer.verdicts.iter().rev().find(|verdict| verdict.member == member)
    }

    fn decision(&self, event: &Event, run: &RunRecord) -> Option<RunDecision> {
        let facts = self.engine.facts(run, self.verdict(event)?.decision.as_ref()?);
        let is_retry = matches!(self.verdict(event)?.effect, Effect::Rerun { .. });
        Some(RunDecision { code: facts.code, rule: facts.rule, is_retry })
    }

    fn grant(&self, unit: UnitId, event: &Event) -> RunGrant {
        let decision = self.verdict(event).and_then(|verdict| verdict.decision.as_ref());
        let (Some(state), Some(decision)) = (self.units.get(&unit), decision) else {
            return RunGrant::default();
        };
        let member = self.records.member_number(event);
        let avoided = self.engine.avoided(state, member, decision);
        RunGrant {
            avoided: avoided.map_or(&[][..], NodeList::names).to_vec(),
            memory: self.engine.memory(decision),
        }
    }
}

impl<E: Engine<Fields = ArmadaRun>> Decider for EngineDecider<'_, E>
where
    E::Decision: Send,
{
    fn decide(&mut self, unit: UnitId, ends: &[Event]) -> UnitDecision {
        let runs: Vec<RunRecord> =
            ends.iter().map(|event| self.records.run(event).unwrap_or_default()).collect();
        self.evaluate(unit, ends, &runs);
        let each = || ends.iter().zip(&runs);
        let decisions = each().map(|(event, run)| self.decision(event, run)).collect();
        if self.answer.end.is_some() {
            // A unit that is over is never asked about again.
            self.units.remove(&unit);
            let succeeded = ends.iter().map(|event| {
                let effect = self.verdict(event).map(|verdict| verdict.effect);
                effect == Some(Effect::End(End::Succeeded))
            });
            return UnitDecision { decisions, next: Next::Over(succeeded.collect()) };
        }
        let not_before = ends.iter().filter_map(|event| match self.verdict(event)?.effect {
            Effect::Rerun { not_before, .. } | Effect::Replace { not_before, .. } => not_before,
            Effect::Keep | Effect::Release | Effect::End(_) => None,
        });
        let now = ends.iter().map(|event| event.time).max().unwrap_or_default();
        // Never in the past, in which no run starts.
        let retry_after = not_before.max().map_or(now, |time| self.records.time(time).max(now));
        let grants = ends.iter().map(|event| self.grant(unit, event)).collect();
        UnitDecision { decisions, next: Next::Again { retry_after, grants } }
    }

    fn forget(&mut self, unit: UnitId) {
        self.units.remove(&unit);
    }
}
