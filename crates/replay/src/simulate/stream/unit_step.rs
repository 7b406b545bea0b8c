//! Phase two for one run: adds it to its unit, checks it against the earlier runs, and lets the engines judge it.

use super::groups::count_groups;
use super::key::Key;
use super::kinds::{UnitKind, UnitKinds};
use super::options::{IsUnmatched, Observe, Retention, RunTransform, StreamOptions, ValidRun};
use super::record::{Record, RecordUnit};
use super::shard::{Ended, KeptMember, LaterMember, OtherRecords, Progress, Shard, Slot};
use super::signatures::Signatures;
use super::worker::{Judge, Worker};
use crate::history::{FieldFault, Member, RecordFault, RecordFields, Run, UnitFields};
use crate::simulate::answer::{Granted, LastRun};
use crate::simulate::changes::Reach;
use crate::simulate::engine::Engine;
use crate::simulate::history_shard::HistoryShard;
use crate::simulate::summary::{EndFacts, RunFacts};
use crate::simulate::unit::is_end_of_run;
use crate::simulate::units::Units;
use std::sync::Arc;

/// The data that all steps of a stream share.
pub(super) struct StepContext<'s, E: Engine> {
    pub(super) engines: &'s [E],
    pub(super) kinds: &'s UnitKinds<E::Fields>,
    pub(super) signatures: &'s Signatures<E::Fields>,
    /// Whether runs of lines are looked up among those that are alike.
    pub(super) has_alike: bool,
    /// Whether decisions depend on nodes.
    pub(super) reads_nodes: bool,
    pub(super) limits: Option<&'s <E::Fields as RecordFields>::Limits>,
    /// The units that are kept because of the options.
    pub(super) keep: &'s Retention,
    /// The change of runs before they are added.
    pub(super) transform: Option<&'s RunTransform<E::Fields>>,
    /// The consumer of valid runs.
    pub(super) observe: Option<&'s Observe<'s, E::Fields>>,
    pub(super) is_unmatched: Option<&'s IsUnmatched<'s>>,
    /// The shard whose units are replayed, if not all are.
    pub(super) shard: Option<HistoryShard>,
    /// The random key of hashes.
    pub(super) hash_key: (u64, u64),
}

/// The functions of the caller: one that changes runs, and one that takes them.
type Hooks<'s, F> = (Option<&'s RunTransform<F>>, Option<&'s Observe<'s, F>>);

/// The key of a member.
pub(super) type KeyOf<E> = <<E as Units>::Fields as RecordFields>::Key;

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
        (kinds, signatures): (&'s UnitKinds<E::Fields>, &'s Signatures<E::Fields>),
        (transform, observe): Hooks<'s, E::Fields>,
    ) -> Self {
        let reads_nodes = engines.iter().any(Engine::reads_nodes);
        // A signature leaves out member and node, and a copied state must not depend on the first run.
        let can_be_alike = E::Fields::HAS_SINGLE_MEMBERS && E::STATE_OF_KIND && !reads_nodes;
        let is_asked = options.has_alike
            // A kept run needs its fields, and so do the functions of the caller.
            && options.keep != Retention::All
            && transform.is_none()
            && observe.is_none();
        Self {
            engines,
            kinds,
            signatures,
            reads_nodes,
            has_alike: is_asked && can_be_alike && !engines.is_empty(),
            limits,
            keep: &options.keep,
            transform,
            observe,
            is_unmatched: options.is_unmatched,
            shard: options.shard,
            hash_key: options.hash_key,
        }
    }

    /// Whether a unit may be kept because of the options.
    pub(super) fn may_keep(&self) -> bool {
        matches!(self.keep, Retention::All | Retention::NecessaryAnd(_))
    }

    /// Whether the unit of this id is kept because of the options.
    #[inline]
    pub(super) fn is_kept(&self, id: &str) -> bool {
        match self.keep {
            Retention::All => true,
            Retention::NecessaryAnd(only) => only == id,
            Retention::Necessary | Retention::NecessaryAndFirst => false,
        }
    }

    /// Whether a line's run is kept so that a timeline may show it. Gangs are kept too, without nodes and
    /// clusters unless a rule needs them.
    #[inline]
    pub(super) fn is_line_kept(&self, shard: &Shard<E>, id: &str, unit: Option<usize>) -> bool {
        let is_in_kept_unit =
            |number: usize| matches!(shard.slots[0].get(number).slot(), Slot::Kept(_));
        self.is_kept(id)
            || *self.keep == Retention::NecessaryAndFirst && unit.is_some_and(is_in_kept_unit)
    }

    /// Whether the first record of a job, with this queue and these fields of its unit, is one of the shard of the history
    /// that is replayed. A job of a unit of another shard is remembered, since later records need not name the unit.
    pub(super) fn has_unit(
        &self,
        shard: &mut Shard<E>,
        (key, id): (Key, &str),
        queue: Option<&str>,
        fields: Option<&<E::Fields as RecordFields>::Unit>,
    ) -> bool {
        let Some(of_history) = self.shard else { return true };
        let unit =
            fields.and_then(|it| E::Fields::recorded_unit_key(queue.unwrap_or_default(), it));
        let has_job = of_history.has(id);
        // A record without a unit may be of one that an earlier record named.
        let Some(unit) = unit else { return has_job && !shard.jobs_of_others.contains(&key) };
        let has_unit = of_history.has(&unit);
        if has_job && !has_unit {
            shard.jobs_of_others.insert(key);
        }
        has_unit && !shard.jobs_of_others.contains(&key)
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
        let unknown = self.limits.and_then(|limits| run.own.unknown_member(limits));
        let result = match (unknown, unit) {
            // Before the unit is added: a record of an unknown member must not create one.
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
        // The comparison of two hashes comes first, since nearly every record is of its unit's first member.
        if record.member != unit.member && self.is_of_several(record) {
            return self.take_run_of_later_member(shard, worker, record, run, number);
        }
        // A copy, which is written back only if the record is valid.
        let mut progress = unit.progress;
        self.check(worker, shard, record, run, &mut progress, unit.kind)?;
        shard.units.get_mut(number).progress = progress;
        if let Slot::Kept(position) = slot {
            worker.keep_node(record, run);
            shard.kept_members[position as usize].member.runs.push(run.clone());
        } else if let Some(end) = record.end.or_else(|| worker.end_facts(run)) {
            let others = shard.others.get(&number).copied().unwrap_or_default();
            let run_end = if others.is_last { others.run_end } else { unit.progress.latest() };
            let facts = self.run_facts(worker, unit.kind, run, end);
            let is_end = is_end_of_run(run);
            if is_end {
                // The record is counted once, whatever the engines decide, with the run before this one.
                worker.record.add(unit.last, run_end, &facts);
                if worker.record.groups.is_some() {
                    let runs = unit.progress.runs - others.number;
                    count_groups(worker, record, &unit, (run, &facts), (runs, run_end));
                }
                if others.is_last {
                    shard.others.insert(number, OtherRecords { is_last: false, ..others });
                }
            } else {
                let others = OtherRecords { number: others.number + 1, is_last: true, run_end };
                shard.others.insert(number, others);
            }
            // Before the engines judge, which get the last run before this one as an argument.
            shard.units.get_mut(number).last = last_run(unit.last, run, &facts);
            self.judge(shard, worker, record, (run, &facts, unit.last), (number, unit.kind));
        }
        // Last: a record whose queue or unit fields differ is reported, but its run counts.
        self.compare(worker, record, unit.kind)
    }

    /// Whether the members of a record's unit are told apart.
    #[cold]
    fn is_of_several(&self, record: &Record<'_, E::Fields>) -> bool {
        let id = record.id.as_str();
        self.is_kept(id) || !self.engines.iter().all(|engine| engine.has_one_member(id))
    }

    /// The facts of a run of a kind of units.
    pub(super) fn run_facts(
        &self,
        worker: &mut Worker<'_, E>,
        kind: u32,
        run: &Run<E::Fields>,
        end: EndFacts,
    ) -> RunFacts {
        let template = worker.template(self.engines, self.kinds, kind);
        RunFacts::new(template.queue, &*template.fields, run, end)
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
        // The quick check fails for some valid runs too, so that the exact one decides.
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
        if let Some(observe) = self.observe {
            worker.keep_node(record, run);
            let kind = worker.kinds.get(self.kinds, kind);
            let queue = kind.queue.as_deref().unwrap_or_default();
            observe(&ValidRun { queue, unit: &kind.fields, run });
        }
        Ok(())
    }

    /// Compares the queue and the unit fields of a record with those of the unit's first record.
    fn compare(
        &self,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        kind: u32,
    ) -> TakeResult {
        match &record.unit {
            // Kinds are unique, so that equal numbers are equal fields: the usual case needs no comparison of texts.
            RecordUnit::Kind(other) if *other == kind => Ok(()),
            RecordUnit::Kind(other) => {
                let other = Arc::clone(worker.kinds.get(self.kinds, *other));
                let unit = worker.kinds.get(self.kinds, kind);
                differences(other.queue.as_deref(), Some(&*other.fields), unit)
            }
            RecordUnit::Read(None, None) => Ok(()),
            RecordUnit::Read(queue, fields) => {
                let unit = worker.kinds.get(self.kinds, kind);
                if *queue == unit.queue.as_deref() && fields.is_none() {
                    return Ok(());
                }
                differences(*queue, fields.as_deref(), unit)
            }
        }
    }

    /// Lets every engine judge a run of a known unit.
    fn judge(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        (run, facts, last): (&Run<E::Fields>, &RunFacts, LastRun),
        (number, kind): (usize, u32),
    ) {
        let is_reported = worker.reports_decisions();
        let (template, judges, comparison) = worker.judges(self.engines, self.kinds, kind);
        let reported = template.reported(is_reported, record, run);
        let unit = template.unit(record, facts, reported.as_ref());
        let mut compared = comparison.map(|comparison| (comparison, template.compared(record)));
        let (mut ends, is_end) = (false, is_end_of_run(run));
        let has_retries = last.is_retry() || is_end && !last.is_none();
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
                // A unit whose ongoing run was stopped has ended, and is pushed once more; its end counts once.
                let is_ended = replay.end().is_some();
                // Before `push`, which replaces it: a retry is counted by the decision that granted it.
                granted = replay.last_decision();
                unit.matched.set(record.matched.get(engine).copied());
                let reach = replay.push(context, &unit, run, summary);
                context.add_decisions(&unit, record.position);
                if !is_ended && let Some(end) = replay.end() {
                    ends = true;
                    let decision = replay.end_decision();
                    let kind = context.failure_kind(&facts.end, reach);
                    slot.reason = column.end_unit(reasons, has_retries, end, decision, kind);
                }
                if let Some(end) = replay.over() {
                    let uncaught = replay.uncaught();
                    // Its place is used by the next unit, so that the memory follows the units that are open at a time.
                    open.remove(position);
                    slot.set(Slot::Over(Ended { end, id: None, uncaught }));
                }
                reach
            } else {
                // The figure of uncaught failures needs the first recorded run after one, also
                // behind the end of the unit.
                if let Slot::Over(ended @ Ended { uncaught: Some(group), .. }) = slot.slot()
                    && is_end
                {
                    summary.count_run_after_uncaught(group, facts.end.ending);
                    slot.set(Slot::Over(Ended { uncaught: None, ..ended }));
                }
                summary.not_reached.merge(facts.hours);
                Reach::NotReached
            };
            if is_end && reach != Reach::Reached {
                column.add_run_not_reached(reasons, (&mut slot.reason, record.id), facts);
            } else if is_end && !last.is_none() {
                column.add_retry(facts, Granted::new(last.kind(), granted));
            }
            if let (Some((comparison, of)), Some(decided)) = (&mut compared, &mut context.decided) {
                comparison.add_run(engine, decided, reach, run.run_index, of);
            }
        }
        if let Some((comparison, of)) = compared.filter(|_| ends) {
            shard.compare_end(comparison, number, &of);
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
        let id = record.id.as_str();
        // A unit that is not kept has no place for a second member.
        if !self.is_kept(id) {
            shard.unit_of_several.get_or_insert_with(|| (record.position, id.to_owned()));
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
fn differences<F: RecordFields>(
    queue: Option<&str>,
    fields: Option<&F::Unit>,
    unit: &UnitKind<F>,
) -> TakeResult {
    let mut differences = Vec::new();
    if queue.is_some() && queue != unit.queue.as_deref() {
        differences.push("queue");
    }
    if let Some(fields) = fields {
        differences.extend(unit.fields.differences(fields));
    }
    if differences.is_empty() { Ok(()) } else { Err(Box::new(RecordFault::Differs(differences))) }
}

/// The runs of a unit after a further record.
pub(super) fn last_run<F: RecordFields>(last: LastRun, run: &Run<F>, facts: &RunFacts) -> LastRun {
    if is_end_of_run(run) { last.after(facts) } else { last.after_event(run, facts.end.ending) }
}
