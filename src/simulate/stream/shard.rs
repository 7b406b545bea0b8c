//! A share of the units, which one thread has at a time.

use super::chunked::{ChunkedVec, Slab};
use super::key::{Key, short};
use super::outcome::UnmatchedUnits;
use crate::history::{Member, PreviousRuns};
use crate::simulate::engine::Engine;
use crate::simulate::summary::Summary;
use crate::simulate::unit::UnitReplay;
use crate::units::Time;
use hashbrown::{HashMap, HashTable};
use std::hint::black_box;

/// A unit, whatever the engines: 48 bytes, since a stream holds one for every unit it has seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) key: Key,
    /// The hash of its first member.
    pub(super) member: [u32; 2],
    /// The number of what its first record holds of it.
    pub(super) kind: u32,
    pub(super) progress: Progress,
}

/// The runs of a member so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// The latest time.
    latest: Option<Time>,
    /// The index of the last run.
    last_index: u32,
    /// Good runs.
    pub(super) runs: u32,
}

impl Progress {
    /// The runs so far, as the rules between runs see them.
    pub(super) fn previous(self) -> PreviousRuns {
        let last_index = (self.runs > 0).then_some(self.last_index);
        PreviousRuns { latest: self.latest, last_index }
    }

    /// Whether a run of this time and index surely follows: the quick check of every line.
    #[inline]
    pub(super) fn may_follow(self, time: Option<Time>, index: u32) -> bool {
        let is_later = time.is_none_or(|time| self.latest.is_none_or(|latest| latest <= time));
        is_later && (self.runs == 0 || self.last_index < index)
    }

    /// With a further run of this time and index.
    #[inline]
    pub(super) fn add(&mut self, time: Option<Time>, index: u32) {
        self.latest = time.or(self.latest);
        self.last_index = index;
        self.runs = self.runs.saturating_add(1);
    }
}

/// Where a unit is under one engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// It is over.
    Over,
    /// It is replayed: its place among the open units of the engine.
    Open(u32),
    /// It is kept, under all engines: its place among the kept members.
    Kept(u32),
}

/// A slot in four bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackedSlot(u32);

const OVER: u32 = u32::MAX;
const KEPT: u32 = 1 << 31;

impl From<Slot> for PackedSlot {
    fn from(slot: Slot) -> Self {
        Self(match slot {
            Slot::Over => OVER,
            Slot::Open(place) => place,
            Slot::Kept(place) => place | KEPT,
        })
    }
}

impl PackedSlot {
    pub(super) fn slot(self) -> Slot {
        match self.0 {
            OVER => Slot::Over,
            place if place & KEPT != 0 => Slot::Kept(place & !KEPT),
            place => Slot::Open(place),
        }
    }
}

/// A member that is kept, and its order in the history.
pub(super) struct KeptMember<E: Engine> {
    /// The places of the unit's and of the member's first record.
    pub(super) order: (u64, u64),
    pub(super) member: Member<E::Fields>,
}

/// A member of a unit after the first.
pub(super) struct FurtherMember {
    pub(super) progress: Progress,
    /// Its place among the kept members.
    pub(super) kept: usize,
}

/// A share of the units.
pub(super) struct Shard<E: Engine> {
    table: HashTable<u32>,
    pub(super) units: ChunkedVec<Unit>,
    /// Engine by engine, unit by unit; one column if there are no engines.
    pub(super) slots: Vec<ChunkedVec<PackedSlot>>,
    /// The units that are replayed, engine by engine.
    pub(super) open: Vec<Slab<UnitReplay<E>>>,
    pub(super) kept: Vec<KeptMember<E>>,
    /// Members after a unit's first, by unit and member hash.
    pub(super) further: HashMap<(u32, [u32; 2]), FurtherMember>,
    /// Bad records by member: the positions of later runs include them.
    pub(super) bad: HashMap<(Key, [u32; 2]), u32>,
    /// Units that no manifest names, engine by engine.
    pub(super) unmatched: Vec<UnmatchedUnits>,
    /// The first unit with records of a second member, where units have one.
    pub(super) several: Option<(u64, String)>,
}

impl<E: Engine> Shard<E> {
    /// No units yet, for so many engines.
    pub(super) fn new(engines: usize) -> Self {
        Self {
            table: HashTable::new(),
            units: ChunkedVec::default(),
            slots: (0..engines.max(1)).map(|_| ChunkedVec::default()).collect(),
            open: (0..engines).map(|_| Slab::default()).collect(),
            kept: Vec::new(),
            further: HashMap::new(),
            bad: HashMap::new(),
            unmatched: vec![UnmatchedUnits::default(); engines],
            several: None,
        }
    }

    /// The number of the unit of a key.
    pub(super) fn find(&self, key: &Key) -> Option<usize> {
        let is_it = |number: &u32| self.units.get(*number as usize).key == *key;
        self.table.find(short(key), is_it).map(|number| *number as usize)
    }

    /// Touches what is replayed of units, one after another with nothing between, so that several are loaded
    /// at once.
    pub(super) fn touch<'n>(&self, numbers: impl Iterator<Item = &'n usize>) {
        let (Some(slots), Some(open)) = (self.slots.first(), self.open.first()) else { return };
        let is_there = numbers.filter(|number| match slots.get(**number).slot() {
            Slot::Open(place) => open.get(place).is_some(),
            Slot::Over | Slot::Kept(_) => false,
        });
        black_box(is_there.count());
    }

    /// Adds a unit that is not known yet.
    pub(super) fn insert(&mut self, unit: Unit, slots: impl IntoIterator<Item = Slot>) {
        let (key, number) = (unit.key, self.units.len());
        self.units.push(unit);
        for (column, slot) in self.slots.iter_mut().zip(slots) {
            column.push(slot.into());
        }
        let Self { table, units, .. } = self;
        let small = u32::try_from(number).unwrap_or(u32::MAX);
        table.insert_unique(short(&key), small, |number| short(&units.get(*number as usize).key));
    }

    /// Bad records of a member so far.
    pub(super) fn bad_of(&self, key: Key, member: [u32; 2]) -> u32 {
        // Most histories have none: no lookup for each line of those.
        if self.bad.is_empty() { 0 } else { self.bad.get(&(key, member)).copied().unwrap_or(0) }
    }

    /// Counts a bad record of a member.
    pub(super) fn add_bad(&mut self, key: Key, member: [u32; 2]) {
        *self.bad.entry((key, member)).or_default() += 1;
    }

    /// Ends the history of all open units. `queue` gives the number of the queue of a kind.
    pub(super) fn finish(&mut self, summaries: &mut [Summary], queue: impl Fn(u32) -> u32) {
        for (engine, summary) in summaries.iter_mut().enumerate() {
            let (Some(slots), Some(open)) = (self.slots.get(engine), self.open.get_mut(engine))
            else {
                continue;
            };
            for (unit, slot) in self.units.iter().zip(slots.iter()) {
                if let Slot::Open(place) = slot.slot()
                    && let Some(replay) = open.get_mut(place)
                {
                    replay.finish(queue(unit.kind), summary);
                }
            }
        }
    }
}
