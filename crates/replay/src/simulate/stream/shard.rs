//! A shard: the units that one thread owns at a time.

use super::chunked::{ChunkedVec, Slab};
use super::ids::IdStore;
use super::key::{Key, hash_of_tag, tag_of};
use super::outcome::UnmatchedUnits;
use crate::history::{Member, PreviousRuns};
use crate::simulate::answer::{LastRun, PolicyCounts, Reasons, RecordCounts, UnitReason};
use crate::simulate::engine::Engine;
use crate::simulate::evaluation::End;
use crate::simulate::outcome::Outcome;
use crate::simulate::summary::Summary;
use crate::simulate::unit::UnitReplay;
use document::units::Time;
use hashbrown::{HashMap, HashSet, HashTable};
use std::hint::black_box;

/// The part of a unit that does not depend on engines. 52 bytes, since a stream holds one for every unit it has
/// read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) key: Key,
    /// The hash of its first member.
    pub(super) member: [u32; 2],
    /// The number of its kind.
    pub(super) kind: u32,
    /// Its last run, unless it is kept.
    pub(super) last: LastRun,
    pub(super) progress: Progress,
}

/// The runs of a member so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    latest: Option<Time>,
    /// The index of the last run.
    last_index: u32,
    /// Valid runs.
    pub(super) runs: u32,
}

impl Progress {
    /// The time of the last run that has one.
    pub(super) fn latest(self) -> Option<Time> {
        self.latest
    }

    /// The runs so far, as far as the rules between runs depend on them.
    pub(super) fn previous(self) -> PreviousRuns {
        let last_index = (self.runs > 0).then_some(self.last_index);
        PreviousRuns { latest: self.latest, last_index }
    }

    /// Whether a run of this time and index can follow. A quick check of every line; if it fails,
    /// [`PreviousRuns::fault`] finds the fault, if there is one.
    #[inline]
    pub(super) fn can_follow(self, time: Option<Time>, index: u32) -> bool {
        let is_later = time.is_none_or(|time| self.latest.is_none_or(|latest| latest <= time));
        is_later && (self.runs == 0 || self.last_index < index)
    }

    /// Adds a run of this time and index.
    #[inline]
    pub(super) fn add(&mut self, time: Option<Time>, index: u32) {
        // A run without a time does not hide the time of the run before, which later ones are compared with.
        self.latest = time.or(self.latest);
        self.last_index = index;
        self.runs = self.runs.saturating_add(1);
    }
}

/// The records of a unit that are no end of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OtherRecords {
    pub(super) number: u32,
    /// Whether the last record of the unit is one of them.
    pub(super) is_last: bool,
    /// The end of the run before it, if it is and the end is known.
    pub(super) run_end: Option<Time>,
}

/// The state of a unit under one engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Over(Ended),
    /// It is replayed: its index among the open units of the engine.
    Open(u32),
    /// It is kept, under all engines: its index among the kept members.
    Kept(u32),
}

/// A unit that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) end: End,
    /// The position of its id, if it is stored here.
    pub(super) id: Option<u32>,
    /// If no rule matched its last failure, and no run was recorded since: the number of the kind of that failure.
    pub(super) uncaught: Option<u32>,
}

/// A slot and the reason for which its unit has failed, in twelve bytes: a stream holds one for every unit and engine.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackedSlot {
    bits: u32,
    /// The kind of the failure of [`Slot::Over`].
    uncaught: u32,
    /// The reason for which the unit has failed, if it has.
    pub(super) reason: UnitReason,
}

/// The bit of [`Slot::Kept`]; indexes need 30 bits.
const KEPT: u32 = 1 << 31;
/// The bit of [`Slot::Over`]. Two more bits are the end, the others the position of the id.
const OVER: u32 = 1 << 30;
/// The lowest bit of the end.
const END: u32 = 28;
/// In [`Slot::Over`], the position without an id: no shard has that many.
pub(super) const NO_ID: u32 = (1 << END) - 1;
/// The kind that stands for none.
const NO_KIND: u32 = u32::MAX;

impl From<Slot> for PackedSlot {
    fn from(slot: Slot) -> Self {
        let (bits, uncaught) = match slot {
            Slot::Over(Ended { end, id, uncaught }) => {
                let end = match end {
                    End::Succeeded => 0,
                    End::Failed => 1,
                    End::Cancelled => 2,
                };
                (OVER | end << END | id.unwrap_or(NO_ID), uncaught)
            }
            Slot::Open(position) => (position, None),
            Slot::Kept(position) => (position | KEPT, None),
        };
        let uncaught = uncaught.unwrap_or(NO_KIND);
        Self { bits, uncaught, reason: UnitReason::default() }
    }
}

impl PackedSlot {
    /// A slot of a unit that has failed for a reason.
    pub(super) fn new(slot: Slot, reason: UnitReason) -> Self {
        Self { reason, ..slot.into() }
    }

    /// Sets the state of the unit; the reason stays.
    pub(super) fn set(&mut self, slot: Slot) {
        *self = Self::new(slot, self.reason);
    }

    pub(super) fn slot(self) -> Slot {
        match self.bits {
            position if position & KEPT != 0 => Slot::Kept(position & !KEPT),
            bits if bits & OVER != 0 => {
                let end = match bits >> END & 3 {
                    0 => End::Succeeded,
                    1 => End::Failed,
                    _ => End::Cancelled,
                };
                let id = Some(bits & NO_ID).filter(|id| *id != NO_ID);
                let uncaught = Some(self.uncaught).filter(|kind| *kind != NO_KIND);
                Slot::Over(Ended { end, id, uncaught })
            }
            position => Slot::Open(position),
        }
    }
}

/// A member that is kept, and its order in the history.
pub(super) struct KeptMember<E: Engine> {
    /// The positions of the unit's and of the member's first record in the history.
    pub(super) order: (u64, u64),
    pub(super) member: Member<E::Fields>,
}

/// A member of a unit after the first.
pub(super) struct LaterMember {
    pub(super) progress: Progress,
    /// Its index among the kept members.
    pub(super) index: usize,
}

/// The part of a shard that the outcome of a stream has.
pub(super) struct ShardEnd<E: Engine> {
    pub(super) units: u64,
    pub(super) unmatched: Vec<UnmatchedUnits>,
    pub(super) unit_of_several: Option<(u64, String)>,
    pub(super) kept_members: Vec<KeptMember<E>>,
}

impl<E: Engine> ShardEnd<E> {
    /// That of a shard that goes on.
    pub(super) fn copy(shard: &Shard<E>) -> Self {
        let copy =
            |kept: &KeptMember<E>| KeptMember { order: kept.order, member: kept.member.clone() };
        Self {
            units: shard.units.len() as u64,
            unmatched: shard.unmatched.clone(),
            unit_of_several: shard.unit_of_several.clone(),
            kept_members: shard.kept_members.iter().map(copy).collect(),
        }
    }

    /// That of a shard that has ended.
    pub(super) fn take(shard: &mut Shard<E>) -> Self {
        Self {
            units: shard.units.len() as u64,
            unmatched: std::mem::take(&mut shard.unmatched),
            unit_of_several: shard.unit_of_several.take(),
            kept_members: std::mem::take(&mut shard.kept_members),
        }
    }
}

/// A shard of the units.
pub(super) struct Shard<E: Engine> {
    /// The tags and the numbers of units, by the hash of their tags.
    table: HashTable<(u32, u32)>,
    pub(super) units: ChunkedVec<Unit>,
    /// Engine by engine, unit by unit; one column if there are no engines.
    pub(super) slots: Vec<ChunkedVec<PackedSlot>>,
    /// The units that are replayed, engine by engine.
    pub(super) open: Vec<Slab<UnitReplay<E>>>,
    pub(super) kept_members: Vec<KeptMember<E>>,
    /// Members after a unit's first, by unit and member hash.
    pub(super) later_members: HashMap<(u32, [u32; 2]), LaterMember>,
    /// Of each unit that has records which are no end of a run.
    pub(super) others: HashMap<usize, OtherRecords>,
    /// Number of bad records of each member that has any: the indexes of later runs count them.
    bad_records: HashMap<(Key, [u32; 2]), u32>,
    /// The reasons for which units have failed, engine by engine.
    pub(super) reasons: Vec<Reasons>,
    /// Units that no manifest names, engine by engine.
    pub(super) unmatched: Vec<UnmatchedUnits>,
    /// The first unit with records of several members, if units have one by the policies.
    pub(super) unit_of_several: Option<(u64, String)>,
    /// Jobs whose units belong to other shards of the history, although their ids are of this one.
    pub(super) jobs_of_others: HashSet<Key>,
    /// The ids of units that have ended under some engines only, if engines are compared.
    pub(super) ids: IdStore,
    /// By unit: the positions of those of them that no slot has.
    pub(super) other_ids: HashMap<u32, u32>,
    /// At the end of the history, these units by their ids, if changes are written.
    pub(super) unended: Vec<u32>,
}

impl<E: Engine> Shard<E> {
    /// An empty shard, for this number of engines.
    pub(super) fn new(engines: usize) -> Self {
        Self {
            table: HashTable::new(),
            units: ChunkedVec::default(),
            slots: (0..engines.max(1)).map(|_| ChunkedVec::default()).collect(),
            open: (0..engines).map(|_| Slab::default()).collect(),
            kept_members: Vec::new(),
            later_members: HashMap::new(),
            others: HashMap::new(),
            bad_records: HashMap::new(),
            reasons: vec![Reasons::default(); engines],
            unmatched: vec![UnmatchedUnits::default(); engines],
            unit_of_several: None,
            jobs_of_others: HashSet::new(),
            ids: IdStore::default(),
            other_ids: HashMap::new(),
            unended: Vec::new(),
        }
    }

    /// The number of the unit of a key.
    pub(super) fn find(&self, key: &Key) -> Option<usize> {
        let own_tag = tag_of(key);
        // The tag decides nearly always, without a load of the unit.
        let is_unit = |(tag, number): &(u32, u32)| {
            *tag == own_tag && self.units.get(*number as usize).key == *key
        };
        self.table.find(hash_of_tag(own_tag), is_unit).map(|(_, number)| *number as usize)
    }

    /// Reads what some runs will be judged by, the units of these numbers and their replays, which are scattered over
    /// memory. Loads with no other work between them overlap.
    pub(super) fn prefetch<'n>(&self, numbers: impl Iterator<Item = &'n usize>) {
        let replays = || self.slots.iter().zip(&self.open);
        let touched = numbers.map(|number| {
            let of_engines = replays().map(|(slots, open)| match slots.get(*number).slot() {
                Slot::Open(position) => open.get(position).map_or(0, UnitReplay::touch),
                Slot::Over(_) | Slot::Kept(_) => 0,
            });
            of_engines.fold(self.units.get(*number).progress.runs, |all, one| all ^ one)
        });
        black_box(touched.fold(0, |all, one| all ^ one));
    }

    /// Adds a new unit. Its slots have to be added to `slots`.
    pub(super) fn insert(&mut self, unit: Unit) {
        let (tag, number) = (tag_of(&unit.key), self.units.len());
        self.units.push(unit);
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        // Unique without a search: the caller has looked up the key.
        self.table.insert_unique(hash_of_tag(tag), (tag, number), |(tag, _)| hash_of_tag(*tag));
    }

    /// Number of bad records of a member so far.
    pub(super) fn bad_records_of(&self, key: Key, member: [u32; 2]) -> u32 {
        // Most histories have none, and then no line needs a lookup.
        if self.bad_records.is_empty() {
            0
        } else {
            self.bad_records.get(&(key, member)).copied().unwrap_or(0)
        }
    }

    /// Counts a bad record of a member.
    pub(super) fn add_bad(&mut self, key: Key, member: [u32; 2]) {
        *self.bad_records.entry((key, member)).or_default() += 1;
    }

    /// Sets the outcome on record of the unit of a key, if there is one. Returns the number of the unit, and its last run
    /// before.
    pub(super) fn set_outcome(&mut self, key: &Key, outcome: Outcome) -> Option<(usize, LastRun)> {
        let number = self.find(key)?;
        let last = &mut self.units.get_mut(number).last;
        Some((number, std::mem::replace(last, last.with_outcome(outcome))))
    }

    /// Counts the outcomes on record of the units that are not kept, and the units that end otherwise under an engine.
    pub(super) fn finish_record(&self, record: &mut RecordCounts, columns: &mut [PolicyCounts]) {
        let Some(slots) = self.slots.first() else { return };
        for (unit, slot) in self.units.iter().zip(slots.iter()) {
            if let Some(outcome) = unit.last.outcome()
                && !matches!(slot.slot(), Slot::Kept(_))
            {
                record.add_job(outcome, unit.last.is_retry());
            }
        }
        let units = &self.units;
        let has_succeeded =
            |unit: usize| units.get(unit).last.outcome() == Some(Outcome::Succeeded);
        for (engine, counts) in columns.iter_mut().enumerate() {
            let failed =
                self.slots[engine].iter().enumerate().filter(|(_, slot)| match slot.slot() {
                    Slot::Over(ended) => ended.end == End::Failed,
                    Slot::Open(position) => {
                        let replay = self.open[engine].get(position);
                        replay.is_some_and(|replay| replay.end() == Some(End::Failed))
                    }
                    Slot::Kept(_) => false,
                });
            counts.failed_succeeded +=
                failed.filter(|(unit, _)| has_succeeded(*unit)).count() as u64;
            // A copy: units that have ended under some engines only are compared after this, and a stream may go on.
            let mut reasons = self.reasons[engine].clone();
            for (unit, slot) in self.slots[engine].iter().enumerate() {
                slot.reason.finish(&mut reasons, || has_succeeded(unit));
            }
            counts.add_reasons(reasons);
        }
    }

    /// Ends the history of all open units. `queue` returns the number of the queue of a kind.
    pub(super) fn finish(&self, summaries: &mut [Summary], queue: impl Fn(u32) -> u32) {
        for (engine, summary) in summaries.iter_mut().enumerate() {
            let (Some(slots), Some(open)) = (self.slots.get(engine), self.open.get(engine)) else {
                continue;
            };
            for (unit, slot) in self.units.iter().zip(slots.iter()) {
                if let Slot::Open(position) = slot.slot()
                    && let Some(replay) = open.get(position)
                {
                    replay.finish(queue(unit.kind), summary);
                }
            }
        }
    }
}
