//! A share of the units.

use super::{Strangers, Units};
use crate::history::{Member, Prior};
use crate::simulate::blocks::{Blocks, Places};
use crate::simulate::key::{Key, short};
use crate::simulate::replay::Lone;
use crate::simulate::summary::Summary;
use hashbrown::{HashMap, HashTable};
use smallvec::SmallVec;
use std::sync::Arc;

/// A share of the units.
pub(super) struct Shard<E: Units> {
    table: HashTable<u32>,
    pub(super) units: Blocks<Unit>,
    /// The units that are not over, engine by engine.
    pub(super) open: Vec<Places<Lone<E>>>,
    /// Units that are kept whole, and where they stand in the stream.
    pub(super) kept: Vec<(u64, Member<E::Own>)>,
    /// Bad records by member: a run's position counts them too.
    pub(super) bad: HashMap<(Key, u64), u32>,
    /// Units that are strange, engine by engine.
    pub(super) strangers: Vec<Strangers>,
    /// The first unit that has records of a second member.
    pub(super) several: Option<(u64, String)>,
}

/// No place.
pub(super) const NONE: u32 = u32::MAX;

/// A unit, whatever the engines.
pub(super) struct Unit {
    pub(super) key: Key,
    /// The hash of its member.
    pub(super) member: u64,
    pub(super) prior: Prior,
    /// Its good runs.
    pub(super) runs: u32,
    /// The queue that its first record names.
    pub(super) queue: Option<Arc<str>>,
    /// Where it is among those that are not over, engine by engine; `NONE` if it is over or kept
    /// whole.
    pub(super) open: SmallVec<[u32; 2]>,
    /// Its place among the units that are kept whole, or `NONE`.
    pub(super) kept: u32,
}

impl<E: Units> Shard<E> {
    pub(super) fn new(engines: usize) -> Self {
        Self {
            table: HashTable::new(),
            units: Blocks::default(),
            open: (0..engines).map(|_| Places::default()).collect(),
            kept: Vec::new(),
            bad: HashMap::new(),
            strangers: vec![Strangers::default(); engines],
            several: None,
        }
    }

    /// How many units there are.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    pub(super) fn find(&self, key: &Key) -> Option<usize> {
        let is_it = |number: &u32| self.units.get(*number as usize).key == *key;
        self.table.find(short(key), is_it).map(|number| *number as usize)
    }

    pub(super) fn insert(&mut self, unit: Unit) -> usize {
        let (key, number) = (unit.key, self.units.len());
        self.units.push(unit);
        let Self { table, units, .. } = self;
        let small = u32::try_from(number).unwrap_or(u32::MAX);
        table.insert_unique(short(&key), small, |number| short(&units.get(*number as usize).key));
        number
    }

    /// Units that were granted a run that never came, or whose records end.
    pub(super) fn finish(&mut self, summaries: &mut [Summary]) {
        for (open, summary) in self.open.iter_mut().zip(summaries) {
            for lone in open.drain() {
                lone.count(summary);
            }
        }
    }
}
