//! Phase two: the units of a shard take their runs, in the order of the stream.

use super::batch::{ParsedLine, parse_batch};
use super::key::{Key, member_hash};
use super::kinds::UnitKinds;
use super::piece::{Distributed, LineRef};
use super::shard::{FurtherMember, KeptMember, Progress, Shard, Slot, Unit};
use super::worker::{ReportedLine, Worker};
use crate::history::{
    FieldFault, LineError, Member, PieceUnread, RecordFault, RecordFields, Run, UnitFields,
};
use crate::simulate::engine::Engine;
use crate::simulate::unit::{UnitContext, UnitReplay};
use smallvec::SmallVec;
use std::sync::Arc;

/// Lines that are parsed before the first of them is judged: enough to overlap their loads, and few enough
/// that their runs stay in the first-level cache.
const BATCH: usize = 24;

/// Engines for which a new unit allocates nothing: most replays have one variant or two.
const VARIANTS: usize = 4;

/// The states of a new unit, engine by engine.
type States<E> = SmallVec<[<E as Engine>::State; VARIANTS]>;

/// What all steps of a stream share.
pub(super) struct StepContext<'s, E: Engine> {
    pub(super) engines: &'s [E],
    pub(super) kinds: &'s UnitKinds<E::Fields>,
    pub(super) limits: Option<&'s <E::Fields as RecordFields>::Limits>,
    /// The only unit that is reported; it is kept.
    pub(super) only: Option<&'s str>,
    /// Whether all units are kept.
    pub(super) keeps_all: bool,
    /// Whether the first unit may be kept.
    pub(super) keeps_first: bool,
    /// Whether decisions depend on nodes.
    pub(super) reads_nodes: bool,
    pub(super) is_unmatched: &'s (dyn Fn(usize, &str) -> bool + Sync),
    /// The random key of hashes.
    pub(super) hash_key: (u64, u64),
}

/// A piece of a batch on its way to a shard.
pub(super) struct PieceStep<'s, E: Engine> {
    pub(super) context: &'s StepContext<'s, E>,
    pub(super) distributed: &'s Distributed<E::Fields>,
    pub(super) bytes: &'s [u8],
    /// The piece's number in the batch.
    pub(super) piece: usize,
    /// The place in the history at which the piece begins.
    pub(super) place: u64,
}

/// A record on its way to its unit.
pub(super) struct Record<'r, F: RecordFields> {
    pub(super) key: Key,
    pub(super) member: [u32; 2],
    pub(super) id: &'r str,
    pub(super) queue: Option<&'r str>,
    pub(super) unit: Option<Box<F::Unit>>,
    pub(super) index: Option<u32>,
    /// Its place in the history.
    pub(super) place: u64,
    /// Whether its unit is kept if it begins one.
    pub(super) is_kept: bool,
}

/// The key of a member.
pub(super) type KeyOf<E> = <<E as Engine>::Fields as RecordFields>::Key;

/// Whether a record is in order. One word, in a register: nearly all are.
pub(super) type Taken = Result<(), Box<RecordFault>>;

impl<E: Engine> PieceStep<'_, E> {
    /// Passes the lines of a share to their units.
    pub(super) fn run(&self, shard: &mut Shard<E>, worker: &mut Worker<'_, E>, lines: &[LineRef]) {
        let mut unread = PieceUnread::default();
        for lines in lines.chunks(BATCH) {
            self.batch(shard, worker, lines, &mut unread);
        }
        if !unread.is_empty() {
            worker.unread.push((self.piece, unread));
        }
    }

    fn batch(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        lines: &[LineRef],
        unread: &mut PieceUnread,
    ) {
        let mut found = std::mem::take(&mut worker.found);
        let mut runs = std::mem::take(&mut worker.runs);
        found.clear();
        // Units are all over memory. Looked up one after another, several are loaded at once.
        found.extend(lines.iter().map(|line| shard.find(&line.key)));
        shard.touch(found.iter().flatten());
        let units = shard.units.len();
        let (distributed, hash_key) = (self.distributed, self.context.hash_key);
        let order = &mut worker.order;
        let parsed =
            parse_batch(distributed, self.bytes, lines, hash_key, &mut runs, order, unread);
        for (((line, parsed), run), found) in lines.iter().zip(parsed).zip(&mut runs).zip(&found) {
            // A line of this batch may have added the unit.
            let is_stale = found.is_none() && shard.units.len() > units;
            let found = if is_stale { shard.find(&line.key) } else { *found };
            self.line(shard, worker, line, parsed, run, found);
        }
        (worker.found, worker.runs) = (found, runs);
    }

    fn line(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        line: &LineRef,
        parsed: ParsedLine<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        found: Option<usize>,
    ) {
        let (key, at, piece) = (line.key, line.range.start, self.piece);
        let ParsedLine { header, member } = parsed;
        let member = match member {
            Ok(member) => member,
            Err(named) => {
                if let Some((_, named)) = named {
                    let hash_key = self.context.hash_key;
                    let member =
                        member_hash::<KeyOf<E>>(hash_key, |hasher| hash_member(&named, hasher));
                    shard.add_bad(key, member);
                }
                worker.reported.push(ReportedLine { piece, at, error: None });
                return;
            }
        };
        worker.events += 1;
        let is_kept = self.context.is_kept(shard, &header.id, found);
        run.node = match &header.node {
            Some(node) if is_kept || self.context.reads_nodes => Some(worker.names.intern(node)),
            _ => None,
        };
        run.cluster = header.cluster.filter(|_| is_kept).map(|it| worker.names.intern(&it));
        let record = Record {
            key,
            member,
            id: &header.id,
            queue: header.queue.as_deref(),
            unit: run.own.take_unit(),
            index: header.index,
            place: self.place + at as u64,
            is_kept: false,
        };
        let report = |error| ReportedLine { piece, at, error: Some(error) };
        match self.context.take(shard, worker, &record, run, found).map_err(|fault| *fault) {
            Ok(()) => {}
            Err(RecordFault::Rule(fault)) => worker.reported.push(report(LineError::Fault(fault))),
            Err(RecordFault::Differs(keys)) => worker.reported.extend(
                keys.into_iter()
                    .map(|key| report(LineError::Difference(header.id.to_string(), key))),
            ),
        }
    }
}

/// Hashes a member's key as [`RecordFields::hash_key`] does.
pub(super) fn hash_member<K: std::hash::Hash>(key: &K, hasher: &mut impl std::hash::Hasher) {
    key.hash(hasher);
}

impl<E: Engine> StepContext<'_, E> {
    /// Whether a line's run is kept so that a timeline may show it. Gangs are kept too, without nodes and
    /// clusters unless a rule needs them.
    fn is_kept(&self, shard: &Shard<E>, id: &str, found: Option<usize>) -> bool {
        let is_in_kept_unit =
            |number: usize| matches!(shard.slots[0].get(number).slot(), Slot::Kept(_));
        self.keeps_all
            || self.only == Some(id)
            || self.keeps_first && found.is_some_and(is_in_kept_unit)
    }

    /// Adds a run to its unit, which is `found` if it is known, and judges it unless the unit is kept. The
    /// run may be moved out.
    ///
    /// # Errors
    ///
    /// What is wrong with it. A run that breaks a rule is counted as a bad record of its member.
    pub(super) fn take(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        found: Option<usize>,
    ) -> Taken {
        let unknown = self.limits.and_then(|limits| run.own.unknown_member(limits));
        let taken = match (unknown, found) {
            (Some(fault), _) => broken(fault),
            (None, None) => self.begin(shard, worker, record, run),
            (None, Some(number)) => self.follow(shard, worker, record, run, number),
        };
        if taken.as_ref().is_err_and(|fault| matches!(**fault, RecordFault::Rule(_))) {
            shard.add_bad(record.key, record.member);
        }
        taken
    }

    /// Takes a further run of a known unit.
    fn follow(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        number: usize,
    ) -> Taken {
        let unit = *shard.units.get(number);
        let slot = shard.slots[0].get(number).slot();
        if record.member != unit.member {
            if self.keeps_all || self.only == Some(record.id) {
                return self.further(shard, worker, record, run, number);
            }
            shard.several.get_or_insert_with(|| (record.place, record.id.to_owned()));
            return Ok(());
        }
        let mut progress = unit.progress;
        self.check(worker, shard, record, run, &mut progress, unit.kind)?;
        shard.units.get_mut(number).progress = progress;
        if let Slot::Kept(place) = slot {
            shard.kept[place as usize].member.runs.push(run.clone());
        } else {
            self.judge(shard, worker, record, run, number, unit.kind);
        }
        self.compare(worker, record, unit.kind)
    }

    /// Checks the rules between a run and those before it, and sets its index.
    fn check(
        &self,
        worker: &mut Worker<'_, E>,
        shard: &Shard<E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        progress: &mut Progress,
        kind: u32,
    ) -> Taken {
        let position = progress.runs.saturating_add(shard.bad_of(record.key, record.member));
        run.run_index = record.index.unwrap_or(position);
        let time = run.time();
        if !progress.may_follow(time, run.run_index) {
            let is_finished = run.finished_at.is_some();
            let fault = progress.previous().fault(time, is_finished, run.run_index);
            if let Some(fault) = fault {
                return broken(fault);
            }
        }
        if let Some(limits) = self.limits {
            let unit = &worker.kinds.get(self.kinds, kind).fields;
            if let Some(fault) = run.own.fault_in_unit(unit, limits) {
                return broken(fault);
            }
        }
        progress.add(time, run.run_index);
        Ok(())
    }

    /// Compares what a record holds of its unit with the unit's first record.
    fn compare(
        &self,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        kind: u32,
    ) -> Taken {
        if record.queue.is_none() && record.unit.is_none() {
            return Ok(());
        }
        let kind = worker.kinds.get(self.kinds, kind);
        let mut differences = Vec::new();
        if record.queue.is_some() && record.queue != kind.queue.as_deref() {
            differences.push("queue");
        }
        if let Some(unit) = &record.unit {
            differences.extend(kind.fields.differences(unit));
        }
        if differences.is_empty() {
            Ok(())
        } else {
            Err(Box::new(RecordFault::Differs(differences)))
        }
    }

    /// Lets every engine judge a run.
    fn judge(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &Run<E::Fields>,
        number: usize,
        kind: u32,
    ) {
        let template = worker.template(self.engines, self.kinds, kind);
        let unit = UnitContext {
            id: record.id,
            queue: template.queue,
            demand: template.demand,
            place: record.place,
            timeline: None,
        };
        let contexts = worker.contexts.iter_mut().zip(&mut worker.summaries);
        for ((context, summary), (slots, open)) in
            contexts.zip(shard.slots.iter_mut().zip(&mut shard.open))
        {
            let slot = slots.get_mut(number);
            let replay = match slot.slot() {
                Slot::Open(place) => open.get_mut(place).map(|replay| (place, replay)),
                Slot::Over | Slot::Kept(_) => None,
            };
            let Some((place, replay)) = replay else {
                summary.passed_over(run.length(), unit.demand);
                continue;
            };
            replay.push(context, &unit, run, summary);
            if replay.is_over() {
                open.remove(place);
                *slot = Slot::Over.into();
            }
        }
    }

    /// Takes a run of a member after the unit's first, which are kept.
    fn further(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        number: usize,
    ) -> Taken {
        let unit = *shard.units.get(number);
        let id = (u32::try_from(number).unwrap_or(u32::MAX), record.member);
        let known = shard.further.get(&id).map(|known| (known.progress, known.kept));
        let (mut progress, kept) = known.unzip();
        let progress = progress.get_or_insert_default();
        self.check(worker, shard, record, run, progress, unit.kind)?;
        let run = run.clone();
        let kept = if let Some(kept) = kept {
            shard.kept[kept].member.runs.push(run);
            kept
        } else {
            let Slot::Kept(first) = shard.slots[0].get(number).slot() else {
                return Ok(());
            };
            let first = &mut shard.kept[first as usize];
            first.member.is_single = false;
            let member = Member {
                unit: Arc::clone(&first.member.unit),
                queue: Arc::clone(&first.member.queue),
                unit_fields: Arc::clone(&first.member.unit_fields),
                key: run.own.key(),
                is_single: false,
                runs: vec![run],
            };
            let order = (first.order.0, record.place);
            shard.kept.push(KeptMember { order, member });
            shard.kept.len() - 1
        };
        shard.further.insert(id, FurtherMember { progress: *progress, kept });
        self.compare(worker, record, unit.kind)
    }

    /// Takes the first run of a unit.
    fn begin(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
    ) -> Taken {
        let number = worker.kinds.find(self.kinds, record.queue, record.unit.as_deref());
        let mut progress = Progress::default();
        self.check(worker, shard, record, run, &mut progress, number)?;
        // Of a history in memory all units are compared at its end.
        let unmatched = shard.unmatched.iter_mut().filter(|_| !self.keeps_all);
        for (engine, unmatched) in unmatched.enumerate() {
            if (self.is_unmatched)(engine, record.id) {
                unmatched.add(record.place, record.id);
            }
        }
        if worker.kinds.get(self.kinds, number).is_first_unit() {
            worker.new_kinds.push(number);
        }
        let unit = Unit { key: record.key, member: record.member, kind: number, progress };
        let is_kept = self.keeps_all || record.is_kept || self.only == Some(record.id);
        if !is_kept && E::STATE_OF_KIND && self.begin_like(shard, worker, record, run, unit) {
            return Ok(());
        }
        let mut runs = std::mem::take(&mut worker.first);
        runs.resize_with(1, Run::default);
        std::mem::swap(&mut runs[0], run);
        let kind = worker.kinds.get(self.kinds, number);
        let member = Member {
            unit: record.id.into(),
            queue: kind.queue.clone().unwrap_or_default(),
            unit_fields: Arc::clone(&kind.fields),
            key: runs[0].own.key(),
            is_single: true,
            runs,
        };
        if is_kept || !self.engines.iter().all(|engine| engine.can_stream(&member)) {
            let place = Slot::Kept(u32::try_from(shard.kept.len()).unwrap_or(u32::MAX));
            let columns = shard.slots.len();
            shard.insert(unit, std::iter::repeat_n(place, columns));
            let member = Member { runs: tight(&member.runs), ..member };
            shard.kept.push(KeptMember { order: (record.place, record.place), member });
            return Ok(());
        }
        let states = self.engines.iter().map(|engine| engine.begin(&[&member])).collect();
        self.insert_open(shard, worker, record, &member.runs[0], unit, states);
        worker.first = member.runs;
        Ok(())
    }

    /// Begins a unit with a copy of the state of its kind; `false` if it has to be kept.
    fn begin_like(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &Run<E::Fields>,
        unit: Unit,
    ) -> bool {
        let template = worker.template(self.engines, self.kinds, unit.kind);
        let Some(states) = &template.states else { return false };
        let copies = self.engines.iter().zip(states);
        let copies = copies.map(|(engine, state)| engine.copy_state(state));
        let Some(states) = copies.collect::<Option<States<E>>>() else { return false };
        self.insert_open(shard, worker, record, run, unit, states);
        true
    }

    fn insert_open(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &Run<E::Fields>,
        unit: Unit,
        states: States<E>,
    ) {
        let template = worker.template(self.engines, self.kinds, unit.kind);
        let unit_context = UnitContext {
            id: record.id,
            queue: template.queue,
            demand: template.demand,
            place: record.place,
            timeline: None,
        };
        let mut slots = SmallVec::<[Slot; VARIANTS]>::new();
        let contexts = worker.contexts.iter_mut().zip(&mut worker.summaries);
        for (((context, summary), open), state) in contexts.zip(&mut shard.open).zip(states) {
            let mut replay = UnitReplay::new(context.engine(), state, false);
            replay.push(context, &unit_context, run, summary);
            slots.push(if replay.is_over() { Slot::Over } else { Slot::Open(open.insert(replay)) });
        }
        shard.insert(unit, slots);
    }
}

/// A run breaks a rule.
#[cold]
fn broken(fault: FieldFault) -> Taken {
    Err(Box::new(RecordFault::Rule(fault)))
}

/// Runs without the buffers that they were read into.
fn tight<F: RecordFields>(runs: &[Run<F>]) -> Vec<Run<F>> {
    let mut tight = Vec::with_capacity(runs.len());
    tight.extend(runs.iter().cloned());
    tight
}
