//! The comparison of how units ended under each engine.
//!
//! A unit is compared when it has ended under all engines, or at the end of the history. A shard has no ids of its
//! units: that of a unit that has ended under some engines only is stored until then.

use super::kinds::UnitKind;
use super::shard::{Ended, NO_ID, Shard, Slot};
use crate::history::RecordFields;
use crate::simulate::changes::{Compared, Comparison};
use crate::simulate::engine::Engine;
use crate::simulate::evaluation::End;
use crate::simulate::outcome::Outcome;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Jobs that are compared before their lines are written.
const LINES_AT_ONCE: usize = 1024;

/// The kinds of units, and the numbers of their queues, by the number of the kind.
pub(super) struct KindQueues<F: RecordFields> {
    pub(super) kinds: Vec<Arc<UnitKind<F>>>,
    pub(super) queues: Vec<u32>,
}

impl<F: RecordFields> KindQueues<F> {
    /// The number of a kind's queue.
    pub(super) fn number(&self, kind: u32) -> u32 {
        self.queues.get(kind as usize).copied().unwrap_or(0)
    }

    /// The number and the name of a kind's queue.
    fn queue(&self, kind: u32) -> (u32, &str) {
        let queue = self.kinds.get(kind as usize).and_then(|kind| kind.queue.as_deref());
        (self.number(kind), queue.unwrap_or_default())
    }
}

impl<E: Engine> Shard<E> {
    /// Compares how a unit ended, if it has ended under all engines; otherwise it stores the unit's id. The unit has
    /// just ended under one of them.
    #[inline(never)]
    pub(super) fn compare_end(
        &mut self,
        comparison: &mut Comparison<'_>,
        unit: usize,
        of: &Compared<'_>,
    ) {
        let mut ends = (0..self.slots.len()).map(|engine| self.end_of(engine, unit));
        if ends.any(|end| end.is_none()) {
            return self.store_id(unit, of.job);
        }
        comparison.compare_job(self.outcomes(unit), |engine| self.kind_of_end(engine, unit), of);
        self.remove_id(unit);
    }

    /// The number of the kind of the failure that ended a unit under an engine, if one did.
    fn kind_of_end(&self, engine: usize, unit: usize) -> Option<u32> {
        self.slots.get(engine)?.get(unit).reason.kind(self.reasons.get(engine)?)
    }

    /// How a unit ended under an engine, if it did.
    fn end_of(&self, engine: usize, unit: usize) -> Option<End> {
        match self.slots[engine].get(unit).slot() {
            Slot::Over(ended) => Some(ended.end),
            Slot::Open(position) => self.open[engine].get(position)?.end(),
            Slot::Kept(_) => None,
        }
    }

    /// The outcome of a unit under each engine.
    fn outcomes(&self, unit: usize) -> impl Iterator<Item = Outcome> {
        (0..self.slots.len())
            .map(move |engine| self.end_of(engine, unit).map_or(Outcome::Unresolved, Outcome::from))
    }

    /// The position of a unit's id, if it is stored.
    fn id_of(&self, unit: usize) -> Option<u32> {
        let of_slot = self.slots.iter().find_map(|slots| match slots.get(unit).slot() {
            Slot::Over(ended) => ended.id,
            Slot::Open(_) | Slot::Kept(_) => None,
        });
        of_slot.or_else(|| self.other_ids.get(&u32::try_from(unit).ok()?).copied())
    }

    /// Stores the id of a unit, unless it is stored. A slot of an engine under which the unit is over has room for
    /// the position.
    fn store_id(&mut self, unit: usize, id: &str) {
        if self.id_of(unit).is_some() {
            return;
        }
        let id = self.ids.insert(id);
        for slots in &mut self.slots {
            let slot = slots.get_mut(unit);
            if let Slot::Over(ended @ Ended { id: None, .. }) = slot.slot()
                // A slot has 28 bits for the position; larger ones go into the map.
                && id < NO_ID
            {
                slot.set(Slot::Over(Ended { id: Some(id), ..ended }));
                return;
            }
        }
        self.other_ids.extend(u32::try_from(unit).map(|unit| (unit, id)));
    }

    fn remove_id(&mut self, unit: usize) {
        let Some(id) = self.id_of(unit) else { return };
        self.ids.remove(id);
        for slots in &mut self.slots {
            let slot = slots.get_mut(unit);
            if let Slot::Over(ended @ Ended { id: Some(_), .. }) = slot.slot() {
                slot.set(Slot::Over(Ended { id: None, ..ended }));
            }
        }
        if let Ok(unit) = u32::try_from(unit) {
            self.other_ids.remove(&unit);
        }
    }

    /// The units whose ids are stored: they have ended under some engines only.
    fn units_with_ids(&self) -> impl Iterator<Item = (usize, u32)> {
        (0..self.units.len()).filter_map(|unit| Some((unit, self.id_of(unit)?)))
    }

    /// Compares a unit whose id is stored at a position.
    fn compare_unit(
        &self,
        comparison: &mut Comparison<'_>,
        queues: &KindQueues<E::Fields>,
        unit: usize,
        id: &str,
    ) {
        let queue = queues.queue(self.units.get(unit).kind);
        // The line of a unit that has not ended comes after all others.
        let of = Compared { job: id, queue, position: u64::MAX };
        comparison.compare_job(self.outcomes(unit), |engine| self.kind_of_end(engine, unit), &of);
    }

    /// Compares the units that have ended under some engines only, at the end of the history.
    pub(super) fn compare_unended(
        &self,
        comparison: &mut Comparison<'_>,
        queues: &KindQueues<E::Fields>,
    ) {
        for (unit, id) in self.units_with_ids() {
            if let Some(id) = self.ids.get(id) {
                self.compare_unit(comparison, queues, unit, &id);
            }
        }
    }

    /// Orders these units by their ids.
    pub(super) fn sort_unended(&mut self) {
        let mut units: Vec<(u32, u32)> = self
            .units_with_ids()
            .filter_map(|(unit, id)| Some((u32::try_from(unit).ok()?, id)))
            .collect();
        units.sort_unstable_by(|(_, one), (_, other)| self.ids.compare(*one, *other));
        self.unended = units.into_iter().map(|(unit, _)| unit).collect();
    }
}

/// Compares the units that have ended under some engines only, at the end of the history, and writes their lines. The
/// units of each shard are sorted by id. Those of all shards are merged in this order, since which shard has a unit
/// depends on a random key.
pub(super) fn write_unended<E: Engine>(
    comparison: &mut Comparison<'_>,
    shards: &mut [&mut Shard<E>],
    queues: &KindQueues<E::Fields>,
) {
    let unended = shards.iter_mut().map(|shard| std::mem::take(&mut shard.unended).into_iter());
    let mut rests: Vec<_> = unended.collect();
    let shards = &*shards;
    let mut next = |shard: usize| {
        let unit = rests[shard].next()? as usize;
        let id = shards[shard].ids.get(shards[shard].id_of(unit)?)?;
        Some(Reverse((id, shard, unit)))
    };
    // Only the first of each shard is in the heap: all are sorted already.
    let mut heads: BinaryHeap<_> = (0..shards.len()).filter_map(&mut next).collect();
    let mut waiting = 0;
    while let Some(Reverse((id, shard, unit))) = heads.pop() {
        shards[shard].compare_unit(comparison, queues, unit, &id);
        heads.extend(next(shard));
        waiting += 1;
        // Lines are kept until they are written, so that many units would fill the memory.
        if waiting == LINES_AT_ONCE {
            comparison.write_lines();
            waiting = 0;
        }
    }
    comparison.write_lines();
}
