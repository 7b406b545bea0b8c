//! Phase two for the first run of a unit: adds the unit, kept or with the states of the engines.

use super::options::Retention;
use super::record::{Record, RecordUnit};
use super::shard::{Ended, KeptMember, OtherRecords, PackedSlot, Progress, Shard, Slot, Unit};
use super::unit_step::{StepContext, TakeResult, last_run};
use super::worker::{Judge, Worker};
use crate::history::{Member, RecordFields, Run};
use crate::simulate::answer::{LastRun, UnitReason};
use crate::simulate::changes::{Compared, Comparison, Reach};
use crate::simulate::context::UnitContext;
use crate::simulate::engine::Engine;
use crate::simulate::moment::Matched;
use crate::simulate::summary::RunFacts;
use crate::simulate::unit::{UnitReplay, is_end_of_run};
use std::sync::Arc;

impl<E: Engine> StepContext<'_, E> {
    /// Adds a unit with its first run.
    pub(super) fn take_first_run(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
    ) -> TakeResult {
        let number = match &record.unit {
            RecordUnit::Kind(kind) => *kind,
            RecordUnit::Read(queue, fields) => {
                worker.kinds.find(self.kinds, *queue, fields.as_deref())
            }
        };
        let mut progress = Progress::default();
        // Before the unit exists: a bad first record leaves none behind.
        self.check(worker, shard, record, run, &mut progress, number)?;
        // Of a history in memory all units are compared at its end.
        if let Some(is_unmatched) = self.is_unmatched.filter(|_| *self.keep != Retention::All) {
            let id = record.id.as_str();
            for (engine, unmatched) in shard.unmatched.iter_mut().enumerate() {
                if is_unmatched(engine, id) {
                    unmatched.add(record.position, id);
                }
            }
        }
        if worker.kinds.get(self.kinds, number).is_first_unit() {
            worker.new_kinds.push(number);
        }
        let (key, member, last) = (record.key, record.member, LastRun::default());
        let unit = Unit { key, member, kind: number, last, progress };
        let is_kept = record.is_kept || self.may_keep() && self.is_kept(record.id.as_str());
        // The state of a kind is made once; a unit that copies it needs no member to begin with.
        if !is_kept && E::STATE_OF_KIND && self.begin_with_copy(shard, worker, record, run, unit) {
            return Ok(());
        }
        self.begin(shard, worker, record, run, unit, is_kept);
        Ok(())
    }

    /// Begins a unit whose state depends on its first run, or that is kept.
    // Out of line: no unit of Armada's needs it, but for gangs.
    #[inline(never)]
    fn begin(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        unit: Unit,
        is_kept: bool,
    ) {
        let mut runs = std::mem::take(&mut worker.first_run);
        runs.resize_with(1, Run::default);
        // Swapped, not cloned: the buffers of both stay in use.
        std::mem::swap(&mut runs[0], run);
        let kind = worker.kinds.get(self.kinds, unit.kind);
        let member = Member {
            unit: record.id.as_str().into(),
            queue: kind.queue.clone().unwrap_or_default(),
            unit_fields: Arc::clone(&kind.fields),
            key: runs[0].own.key(),
            is_single: true,
            runs,
        };
        if is_kept || !self.engines.iter().all(|engine| engine.can_stream(&member)) {
            let position = Slot::Kept(u32::try_from(shard.kept_members.len()).unwrap_or(u32::MAX));
            // Units and slots grow together: the number of a unit is its place in both.
            shard.insert(unit);
            for column in &mut shard.slots {
                column.push(position.into());
            }
            let mut member = Member { runs: copy_exactly(&member.runs), ..member };
            worker.keep_node(record, &mut member.runs[0]);
            shard
                .kept_members
                .push(KeptMember { order: (record.position, record.position), member });
            return;
        }
        let run = &member.runs[0];
        let Some((facts, unit)) = self.count_first(worker, record, run, unit) else { return };
        let is_reported = worker.reports_decisions();
        let (template, judges, comparison) = worker.judges(self.engines, self.kinds, unit.kind);
        let reported = template.reported(is_reported, record, run);
        let context = template.unit(record, &facts, reported.as_ref());
        let compared = comparison.map(|comparison| (comparison, template.compared(record)));
        let state = |engine: &E, _| engine.begin(&[&member]);
        insert_open(
            shard,
            judges,
            (&context, record.position),
            (run, &facts, &[]),
            unit,
            state,
            compared,
        );
        worker.first_run = member.runs;
    }

    /// Begins a unit with a copy of the state of its kind. Returns `false` if the kind has no common state.
    fn begin_with_copy(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &Run<E::Fields>,
        unit: Unit,
    ) -> bool {
        if worker.template(self.engines, self.kinds, unit.kind).states.is_none() {
            return false;
        }
        let Some((facts, unit)) = self.count_first(worker, record, run, unit) else {
            return false;
        };
        let is_reported = worker.reports_decisions();
        let (template, judges, comparison) = worker.judges(self.engines, self.kinds, unit.kind);
        let Some(states) = &template.states else { return false };
        let reported = template.reported(is_reported, record, run);
        let context = template.unit(record, &facts, reported.as_ref());
        let compared = comparison.map(|comparison| (comparison, template.compared(record)));
        let state = |_: &E, number: usize| states[number].clone();
        insert_open(
            shard,
            judges,
            (&context, record.position),
            (run, &facts, record.matched),
            unit,
            state,
            compared,
        );
        true
    }

    /// Counts the first run of a unit on record. Returns its facts, and the unit with the run; none without engines.
    fn count_first(
        &self,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &Run<E::Fields>,
        unit: Unit,
    ) -> Option<(RunFacts, Unit)> {
        let end = record.end.or_else(|| worker.end_facts(run))?;
        let facts = self.run_facts(worker, unit.kind, run, end);
        if is_end_of_run(run) {
            worker.record.add(LastRun::default(), None, &facts);
        }
        let last = last_run(unit.last, run, &facts);
        Some((facts, Unit { last, ..unit }))
    }
}

/// Adds a unit, judges its first run, and compares the engines if that is set. `state` returns the state of the unit
/// under the engine of a number.
fn insert_open<'j, 'e: 'j, E: Engine + 'e>(
    shard: &mut Shard<E>,
    judges: impl Iterator<Item = Judge<'j, 'e, E>>,
    (unit_context, position): (&UnitContext<'_, E::Fields>, u64),
    (run, facts, matched): (&Run<E::Fields>, &RunFacts, &[Matched]),
    unit: Unit,
    state: impl Fn(&E, usize) -> E::State,
    mut compared: Option<(&mut Comparison<'_>, Compared<'_>)>,
) {
    let unit_number = shard.units.len();
    let (mut has_ended, is_end) = (false, is_end_of_run(run));
    shard.insert(unit);
    if !is_end {
        shard.others.insert(unit_number, OtherRecords { number: 1, is_last: true, run_end: None });
    }
    for (number, Judge { context, summary, column }) in judges.enumerate() {
        let engine = context.engine();
        let mut replay = UnitReplay::new(engine, state(engine, number), false);
        unit_context.matched.set(matched.get(number).copied());
        let reach = replay.push(context, unit_context, run, summary);
        context.add_decisions(unit_context, position);
        let (reasons, mut reason) = (&mut shard.reasons[number], UnitReason::default());
        if let Some(end) = replay.end() {
            has_ended = true;
            let decision = replay.end_decision();
            let kind = context.failure_kind(&facts.end, reach);
            reason = column.end_unit(reasons, false, end, decision, kind);
        }
        // A deadline may have passed before its end.
        if is_end && reach != Reach::Reached {
            column.add_run_not_reached(reasons, (&mut reason, unit_context.id), facts);
        }
        let slot = match replay.over() {
            Some(end) => Slot::Over(Ended { end, id: None, uncaught: replay.uncaught() }),
            None => Slot::Open(shard.open[number].insert(replay)),
        };
        shard.slots[number].push(PackedSlot::new(slot, reason));
        if let (Some((comparison, of)), Some(decided)) = (&mut compared, &mut context.decided) {
            comparison.add_run(number, decided, reach, run.run_index, of);
        }
    }
    if let Some((comparison, of)) = compared.filter(|_| has_ended) {
        shard.compare_end(comparison, unit_number, &of);
    }
}

/// A copy of runs without spare capacity: a kept run must not hold the buffers that it was read into.
fn copy_exactly<F: RecordFields>(runs: &[Run<F>]) -> Vec<Run<F>> {
    let mut copy = Vec::with_capacity(runs.len());
    copy.extend(runs.iter().cloned());
    copy
}
