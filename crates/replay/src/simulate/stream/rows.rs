//! Records that are not lines of a piece: those of documents and of other programs' output.

use super::key::{key_of, member_hash, shard_of};
use super::options::Retention;
use super::piece::DistributedPiece;
use super::pool::{Pool, SHARDS};
use super::record::{Record, RecordUnit};
use super::shard::Shard;
use super::unit_step::{KeyOf, StepContext, hash_member};
use super::worker::Worker;
use crate::history::{RecordFault, RecordFields, Row, Sink};
use crate::simulate::context::RunNode;
use crate::simulate::engine::Engine;

/// Passes single runs to their units. It works on the calling thread, which parses their source.
pub(super) struct RowSink<'s, 'e, E: Engine> {
    pub(super) context: StepContext<'s, E>,
    pub(super) pool: &'s mut Pool<Worker<'e, E>, Shard<E>, DistributedPiece>,
    /// The position in the history before the first row.
    pub(super) position: u64,
    pub(super) rows: &'s mut u64,
    /// Whether a row has begun a unit.
    pub(super) has_unit: &'s mut bool,
}

impl<E: Engine> Sink<E::Fields> for RowSink<'_, '_, E> {
    fn add(&mut self, id: &str, row: Row<E::Fields>) -> Result<(), Box<RecordFault>> {
        let Row { queue, unit, index, mut run } = row;
        let key = key_of(self.context.hash_key, id);
        let Some((worker, shard)) = self.pool.worker_and_shard(shard_of(key, SHARDS)) else {
            return Ok(());
        };
        // The next line begins where the last row ends: no two records have one position.
        let position = self.position + *self.rows;
        *self.rows += 1;
        if self.context.transform.is_some_and(|transform| !transform(&mut run)) {
            return Ok(());
        }
        let record = Record {
            key,
            member: member_hash::<KeyOf<E>>(self.context.hash_key, |hasher| {
                run.own.hash_key(hasher);
            }),
            id: id.into(),
            unit: RecordUnit::Read(queue.as_deref(), unit),
            index,
            end: None,
            matched: &[],
            node: RunNode::OfRun,
            position,
            is_kept: *self.context.keep == Retention::NecessaryAndFirst && !*self.has_unit,
        };
        let unit = shard.find(&key);
        let result = self.context.take_run(shard, worker, &record, &mut run, unit);
        if let Some(comparison) = &mut worker.comparison {
            comparison.write_lines();
        }
        let is_bad = result.as_ref().is_err_and(|fault| matches!(**fault, RecordFault::Rule(_)));
        *self.has_unit |= !is_bad;
        result
    }

    fn add_bad(&mut self, id: &str, member: <E::Fields as RecordFields>::Key) {
        let hash_key = self.context.hash_key;
        let key = key_of(hash_key, id);
        if let Some((_, shard)) = self.pool.worker_and_shard(shard_of(key, SHARDS)) {
            let member = member_hash::<KeyOf<E>>(hash_key, |hasher| {
                hash_member(&member, hasher);
            });
            shard.add_bad(key, member);
        }
    }
}
