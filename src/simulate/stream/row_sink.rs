//! Runs that do not come as lines, on their way to their units: one by one, on this thread.

use super::key::{key_of, member_hash, shard_of};
use super::piece::Distributed;
use super::pool::{Pool, SHARDS};
use super::shard::Shard;
use super::step::{self, Record, StepContext};
use super::worker::Worker;
use crate::history::{RecordFault, RecordFields, Row, Sink};
use crate::simulate::engine::Engine;

/// Passes single runs to their units, on this thread.
pub(super) struct RowSink<'s, 'e, E: Engine> {
    pub(super) context: StepContext<'s, E>,
    pub(super) pool: &'s mut Pool<Worker<'e, E>, Shard<E>, Distributed<E::Fields>>,
    /// The place in the history before the first row.
    pub(super) place: u64,
    pub(super) rows: &'s mut u64,
    /// Whether a row has begun a unit.
    pub(super) has_unit: &'s mut bool,
}

impl<E: Engine> Sink<E::Fields> for RowSink<'_, '_, E> {
    fn add(&mut self, id: &str, row: Row<E::Fields>) -> Result<(), Box<RecordFault>> {
        let Row { queue, unit, index, mut run } = row;
        let key = key_of(self.context.hash_key, id);
        let Some((worker, shard)) = self.pool.one(shard_of(key, SHARDS)) else {
            return Ok(());
        };
        *self.rows += 1;
        let record = Record {
            key,
            member: member_hash::<step::KeyOf<E>>(self.context.hash_key, |hasher| {
                run.own.hash_key(hasher);
            }),
            id,
            queue: queue.as_deref(),
            unit,
            index,
            place: self.place + *self.rows,
            is_kept: self.context.keeps_first && !*self.has_unit,
        };
        let found = shard.find(&key);
        let taken = self.context.take(shard, worker, &record, &mut run, found);
        let is_bad = taken.as_ref().is_err_and(|fault| matches!(**fault, RecordFault::Rule(_)));
        *self.has_unit |= !is_bad;
        taken
    }

    fn add_bad(&mut self, id: &str, member: <E::Fields as RecordFields>::Key) {
        let hash_key = self.context.hash_key;
        let key = key_of(hash_key, id);
        if let Some((_, shard)) = self.pool.one(shard_of(key, SHARDS)) {
            let member = member_hash::<step::KeyOf<E>>(hash_key, |hasher| {
                step::hash_member(&member, hasher);
            });
            shard.add_bad(key, member);
        }
    }
}
