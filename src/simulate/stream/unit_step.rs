//! Phase two for one run: adds it to its unit, checks it against the earlier runs, and lets the engines judge it.

use super::kinds::{UnitKind, UnitKinds};
use super::options::{Amend, Keep, StreamOptions};
use super::record::Record;
use super::shard::{Ended, KeptMember, LaterMember, OtherRecords, Progress, Shard, Slot};
use super::worker::{Judge, Worker};
use crate::history::{FieldFault, Member, RecordFault, RecordFields, Run, UnitFields};
use crate::simulate::answer::{Granted, LastRun, RecordedRun};
use crate::simulate::changes::Reach;
use crate::simulate::engine::Engine;
use crate::simulate::summary::Hours;
use crate::simulate::unit::is_end_of_run;
use std::sync::Arc;

/// The data that all steps of a stream share.
pub(super) struct StepContext<'s, E: Engine> {
    pub(super) engines: &'s [E],
    pub(super) kinds: &'s UnitKinds<E::Fields>,
    pub(super) limits: Option<&'s <E::Fields as RecordFields>::Limits>,
    /// The only unit that is reported; it is kept.
    pub(super) only: Option<&'s str>,
    /// Whether all units are kept.
    pub(super) is_all_kept: bool,
    /// Whether the first unit is kept if its first record is not a line.
    pub(super) is_first_kept: bool,
    /// Whether decisions depend on nodes.
    pub(super) reads_nodes: bool,
    /// What changes runs before they are added.
    pub(super) amend: Option<&'s Amend<E::Fields>>,
    pub(super) is_unmatched: &'s (dyn Fn(usize, &str) -> bool + Sync),
    /// The random key of hashes.
    pub(super) hash_key: (u64, u64),
}

/// The key of a member.
pub(super) type KeyOf<E> = <<E as Engine>::Fields as RecordFields>::Key;

/// The result of adding a record. The fault is boxed, so that the result is one word, in a register: nearly all
/// records are valid.
pub(super) type TakeResult = Result<(), Box<RecordFault>>;

/// Hashes a member's key as [`RecordFields::hash_key`] does.
pub(super) fn hash_member<K: std::hash::Hash>(key: &K, hasher: &mut impl std::hash::Hasher) {
    key.hash(hasher);
}

impl<'s, E: Engine> StepContext<'s, E> {
    /// The context of a stream.
    pub(super) fn new(
        engines: &'s [E],
        options: &'s StreamOptions<'_>,
        limits: Option<&'s <E::Fields as RecordFields>::Limits>,
        kinds: &'s UnitKinds<E::Fields>,
        amend: Option<&'s Amend<E::Fields>>,
    ) -> Self {
        Self {
            engines,
            kinds,
            limits,
            only: match &options.keep {
                Keep::NecessaryAnd(id) => Some(id),
                Keep::All | Keep::Necessary | Keep::NecessaryAndFirst => None,
            },
            is_all_kept: options.keep == Keep::All,
            is_first_kept: options.keep == Keep::NecessaryAndFirst,
            reads_nodes: engines.iter().any(Engine::reads_nodes),
            amend,
            is_unmatched: options.is_unmatched,
            hash_key: options.hash_key,
        }
    }

    /// Whether the unit of this id is kept because of the options.
    #[inline]
    pub(super) fn is_kept(&self, id: &str) -> bool {
        self.is_all_kept || self.only == Some(id)
    }

    /// Whether a line's run is kept so that a timeline may show it. Gangs are kept too, without nodes and
    /// clusters unless a rule needs them.
    #[inline]
    pub(super) fn is_line_kept(&self, shard: &Shard<E>, id: &str, unit: Option<usize>) -> bool {
        let is_in_kept_unit =
            |number: usize| matches!(shard.slots[0].get(number).slot(), Slot::Kept(_));
        self.is_kept(id) || self.is_first_kept && unit.is_some_and(is_in_kept_unit)
    }

    /// Adds a run to its unit, which has the number `unit` if it is known, and judges it unless the unit is kept.
    /// The run may be moved out.
    ///
    /// # Errors
    ///
    /// If it is not valid. A run that breaks a rule is counted as a bad record of its member.
    pub(super) fn take_run(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        unit: Option<usize>,
    ) -> TakeResult {
        if self.amend.is_some_and(|amend| !amend(run)) {
            return Ok(());
        }
        let unknown = self.limits.and_then(|limits| run.own.unknown_member(limits));
        let result = match (unknown, unit) {
            (Some(fault), _) => rule_fault(fault),
            (None, None) => self.take_first_run(shard, worker, record, run),
            (None, Some(number)) => self.take_next_run(shard, worker, record, run, number),
        };
        if result.as_ref().is_err_and(|fault| matches!(**fault, RecordFault::Rule(_))) {
            shard.add_bad(record.key, record.member);
        }
        result
    }

    /// Adds a run to a known unit.
    fn take_next_run(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        number: usize,
    ) -> TakeResult {
        let unit = *shard.units.get(number);
        let slot = shard.slots[0].get(number).slot();
        let is_other = || !self.engines.iter().all(|engine| engine.has_one_member(record.id));
        if record.member != unit.member && (self.is_kept(record.id) || is_other()) {
            return self.take_run_of_later_member(shard, worker, record, run, number);
        }
        let mut progress = unit.progress;
        self.check(worker, shard, record, run, &mut progress, unit.kind)?;
        shard.units.get_mut(number).progress = progress;
        if let Slot::Kept(position) = slot {
            worker.keep_node(record, run);
            shard.kept_members[position as usize].member.runs.push(run.clone());
        } else {
            let others = shard.others.get(&number).copied().unwrap_or_default();
            let run_end = if others.is_last { others.run_end } else { unit.progress.latest() };
            let before = (unit.last, run_end);
            let recorded = worker.count_record((self.engines, self.kinds), unit.kind, before, run);
            if recorded.is_none() && !self.engines.is_empty() {
                let number_of_others = others.number + 1;
                let others = OtherRecords { number: number_of_others, is_last: true, run_end };
                shard.others.insert(number, others);
            } else if others.is_last {
                shard.others.insert(number, OtherRecords { is_last: false, ..others });
            }
            if let Some(recorded) = recorded.as_ref().filter(|_| worker.record.groups.is_some()) {
                let runs = unit.progress.runs - others.number;
                self.count_groups(worker, record, &unit, (run, recorded), (runs, run_end));
            }
            shard.units.get_mut(number).last = self.last_run(unit.last, run, recorded.as_ref());
            let of_record = (&*run, recorded.as_ref(), unit.last);
            self.judge(shard, worker, record, of_record, (number, unit.kind));
        }
        self.compare(worker, record, unit.kind)
    }

    /// Checks the rules between a run and those before it, and sets its index.
    pub(super) fn check(
        &self,
        worker: &mut Worker<'_, E>,
        shard: &Shard<E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        progress: &mut Progress,
        kind: u32,
    ) -> TakeResult {
        let position =
            progress.runs.saturating_add(shard.bad_records_of(record.key, record.member));
        run.run_index = record.index.unwrap_or(position);
        let time = run.time();
        if !progress.can_follow(time, run.run_index) {
            fault_between(*progress, run)?;
        }
        if let Some(limits) = self.limits {
            let unit = &worker.kinds.get(self.kinds, kind).fields;
            if let Some(fault) = run.own.fault_in_unit(unit, limits) {
                return rule_fault(fault);
            }
        }
        progress.add(time, run.run_index);
        Ok(())
    }

    /// Compares the queue and the unit fields of a record with those of the unit's first record.
    fn compare(
        &self,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        kind: u32,
    ) -> TakeResult {
        if record.queue.is_none() && record.unit.is_none() {
            return Ok(());
        }
        let kind = worker.kinds.get(self.kinds, kind);
        let is_other_queue = record.queue.is_some() && record.queue != kind.queue.as_deref();
        if !is_other_queue && record.unit.is_none() {
            return Ok(());
        }
        differences(record, kind)
    }

    /// The runs of a unit after a further record.
    pub(super) fn last_run(
        &self,
        last: LastRun,
        run: &Run<E::Fields>,
        recorded: Option<&RecordedRun>,
    ) -> LastRun {
        match (recorded, self.engines.first()) {
            (Some(recorded), _) => last.after(recorded),
            (None, Some(engine)) => last.after_event(engine, run),
            (None, None) => last,
        }
    }

    /// Lets every engine judge a run of a known unit.
    fn judge(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        (run, recorded, last): (&Run<E::Fields>, Option<&RecordedRun>, LastRun),
        (number, kind): (usize, u32),
    ) {
        let (template, judges, mut comparison) = worker.template(self.engines, self.kinds, kind);
        let (unit, compared) = (template.unit(record), template.compared(record));
        let mut ends = false;
        let has_retries = last.is_retry() || recorded.is_some() && !last.is_none();
        let replays = shard.slots.iter_mut().zip(&mut shard.open).zip(&mut shard.reasons);
        for (engine, (judge, ((slots, open), reasons))) in judges.zip(replays).enumerate() {
            let Judge { context, summary, column } = judge;
            let slot = slots.get_mut(number);
            let replay = match slot.slot() {
                Slot::Open(position) => open.get_mut(position).map(|replay| (position, replay)),
                Slot::Over(_) | Slot::Kept(_) => None,
            };
            let mut granted = None;
            let reach = if let Some((position, replay)) = replay {
                let is_ended = replay.end().is_some();
                granted = replay.last_decision();
                let reach = replay.push(context, &unit, run, summary);
                if !is_ended && let Some(end) = replay.end() {
                    ends = true;
                    let decision = replay.end_decision();
                    let kind = context.failure_kind(run, recorded, reach);
                    slot.reason = column.end_unit(reasons, has_retries, end, decision, kind);
                }
                if let Some(end) = replay.over() {
                    let uncaught = replay.uncaught();
                    open.remove(position);
                    slot.set(Slot::Over(Ended { end, id: None, uncaught }));
                }
                reach
            } else {
                if let Slot::Over(ended @ Ended { uncaught: Some(group), .. }) = slot.slot()
                    && is_end_of_run(run)
                {
                    summary.count_run_after_uncaught(group, context.engine().ending(run));
                    slot.set(Slot::Over(Ended { uncaught: None, ..ended }));
                }
                summary.not_reached.merge(Hours::for_run(unit.fields, run));
                Reach::NotReached
            };
            match recorded {
                Some(recorded) if reach == Reach::Reached && !last.is_none() => {
                    column.add_retry(recorded, Granted::new(last.kind(), granted));
                }
                Some(recorded) if reach != Reach::Reached => {
                    let unit = (&mut slot.reason, record.id);
                    column.add_run_not_reached(reasons, unit, recorded);
                }
                _ => {}
            }
            if let (Some(comparison), Some(decided)) = (&mut comparison, &mut context.decided) {
                comparison.add_run(engine, decided, reach, run.run_index, &compared);
            }
        }
        if let Some(comparison) = comparison.filter(|_| ends) {
            shard.compare_end(comparison, number, &compared);
        }
    }

    /// Adds a run of a member after the unit's first. Units of several members are kept.
    #[inline(never)]
    fn take_run_of_later_member(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        number: usize,
    ) -> TakeResult {
        if !self.is_kept(record.id) {
            shard.unit_of_several.get_or_insert_with(|| (record.position, record.id.to_owned()));
            return Ok(());
        }
        let unit = *shard.units.get(number);
        let id = (u32::try_from(number).unwrap_or(u32::MAX), record.member);
        let later = shard.later_members.get(&id).map(|later| (later.progress, later.index));
        let (mut progress, index) = later.unzip();
        let progress = progress.get_or_insert_default();
        self.check(worker, shard, record, run, progress, unit.kind)?;
        worker.keep_node(record, run);
        let run = run.clone();
        let index = if let Some(index) = index {
            shard.kept_members[index].member.runs.push(run);
            index
        } else {
            let Slot::Kept(first) = shard.slots[0].get(number).slot() else {
                return Ok(());
            };
            let first = &mut shard.kept_members[first as usize];
            first.member.is_single = false;
            let member = Member {
                unit: Arc::clone(&first.member.unit),
                queue: Arc::clone(&first.member.queue),
                unit_fields: Arc::clone(&first.member.unit_fields),
                key: run.own.key(),
                is_single: false,
                runs: vec![run],
            };
            let order = (first.order.0, record.position);
            shard.kept_members.push(KeptMember { order, member });
            shard.kept_members.len() - 1
        };
        shard.later_members.insert(id, LaterMember { progress: *progress, index });
        self.compare(worker, record, unit.kind)
    }
}

/// The fault of a run that cannot follow the earlier ones, if that is one.
#[cold]
fn fault_between<F: RecordFields>(progress: Progress, run: &Run<F>) -> TakeResult {
    let fault = progress.previous().fault(run.time(), run.finished_at.is_some(), run.run_index);
    fault.map_or(Ok(()), rule_fault)
}

/// The result for a run that breaks a rule.
#[cold]
fn rule_fault(fault: FieldFault) -> TakeResult {
    Err(Box::new(RecordFault::Rule(fault)))
}

/// The differences of a record from its unit's first record.
#[inline(never)]
fn differences<F: RecordFields>(record: &Record<'_, F>, kind: &UnitKind<F>) -> TakeResult {
    let mut differences = Vec::new();
    if record.queue.is_some() && record.queue != kind.queue.as_deref() {
        differences.push("queue");
    }
    if let Some(unit) = &record.unit {
        differences.extend(kind.fields.differences(unit));
    }
    if differences.is_empty() { Ok(()) } else { Err(Box::new(RecordFault::Differs(differences))) }
}
