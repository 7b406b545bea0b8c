//! Phase two for one shard: passes the runs of the lines to the units.

use super::event::{AlikeRun, Event, EventBody, LineRecord, ShareLine};
use super::key::{Key, member_hash};
use super::piece::DistributedPiece;
use super::pool::lock;
use super::record::{Record, RecordUnit};
use super::shard::{Shard, Slot};
use super::signatures::Signature;
use super::unit_step::{KeyOf, StepContext, hash_member};
use super::worker::{LineReport, Worker};
use crate::history::{Header, LineError, RecordFault, RecordFields as _, Run, line_at, read_line};
use crate::simulate::context::{RunNode, UnitId};
use crate::simulate::engine::Engine;

/// Lines whose units are looked up before the first of them is judged. Units are scattered over memory, and lookups with
/// no other work between them overlap.
const LOOKED_UP_AHEAD: usize = 48;

/// The pieces of a batch, for the lines of one shard.
pub(super) struct ShardStep<'s, E: Engine> {
    pub(super) context: &'s StepContext<'s, E>,
    pub(super) pieces: Vec<PieceStep<'s, E>>,
}

/// A piece, for the lines of one shard.
pub(super) struct PieceStep<'s, E: Engine> {
    pub(super) context: &'s StepContext<'s, E>,
    pub(super) distributed: &'s DistributedPiece<E::Fields>,
    pub(super) bytes: &'s [u8],
    /// The piece's number in the batch.
    pub(super) piece: usize,
    /// The position in the history at which the piece begins.
    pub(super) position: u64,
}

impl<E: Engine> ShardStep<'_, E> {
    /// Judges the lines of the shard of this number.
    pub(super) fn run(&self, shard: &mut Shard<E>, worker: &mut Worker<'_, E>, number: usize) {
        let mut units = std::mem::take(&mut worker.unit_numbers);
        let mut signatures = std::mem::take(&mut worker.signatures);
        let mut shares: Vec<_> =
            self.pieces.iter().map(|piece| lock(&piece.distributed.shares[number])).collect();
        let mut lines: Vec<(usize, usize)> = Vec::new();
        for (piece, share) in shares.iter().enumerate() {
            lines.extend((0..share.events.len()).map(|event| (piece, event)));
        }
        for lines in lines.chunks(LOOKED_UP_AHEAD) {
            units.clear();
            let keys = lines.iter().map(|(piece, event)| &shares[*piece].events[*event].key);
            units.extend(keys.map(|key| shard.find(key)));
            shard.prefetch(units.iter().flatten());
            let known = shard.units.len();
            for ((piece, event), unit) in lines.iter().zip(&units) {
                let step = &self.pieces[*piece];
                let Some(line) = shares[*piece].line(*event) else { continue };
                let ShareLine { event, record } = line;
                // A line of these may have added the unit.
                let is_outdated = unit.is_none() && shard.units.len() > known;
                let unit = if is_outdated { shard.find(&event.key) } else { *unit };
                match (event.body, record) {
                    (EventBody::Alike(alike), _) => {
                        let signature = signatures.get(self.context.signatures, alike.signature);
                        step.alike(shard, worker, event, (alike, signature), unit);
                    }
                    (EventBody::Record(_), Some((record, run))) => {
                        step.record(shard, worker, event, (record, run), unit);
                    }
                    (EventBody::Record(_), None) => {}
                }
            }
        }
        (worker.unit_numbers, worker.signatures) = (units, signatures);
    }
}

impl<E: Engine> PieceStep<'_, E> {
    /// Judges a line whose run is like others.
    fn alike(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        event: &Event,
        (alike, signature): (AlikeRun, &mut Signature<E::Fields>),
        unit: Option<usize>,
    ) {
        let is_other = unit.is_some_and(|unit| self.is_other(shard, worker, alike.kind, unit));
        if is_other {
            return self.read_again(shard, worker, event, unit);
        }
        let run = &mut signature.run;
        (run.started_at, run.finished_at) = (event.started_at, event.finished_at);
        let record = Record {
            key: event.key,
            member: [0; 2],
            id: self.id(event),
            unit: RecordUnit::Kind(alike.kind),
            index: alike.index,
            end: Some(signature.end),
            matched: &signature.matched,
            node: RunNode::Number(alike.node),
            position: self.position + event.at as u64,
            is_kept: false,
        };
        self.take_run(shard, worker, &record, run, (event, unit));
    }

    /// Whether a unit is kept, so that its runs are needed as they were read, or its policies are others than those of
    /// the kind of units that a line describes.
    fn is_other(
        &self,
        shard: &Shard<E>,
        worker: &mut Worker<'_, E>,
        kind: u32,
        unit: usize,
    ) -> bool {
        let own = shard.units.get(unit).kind;
        matches!(shard.slots[0].get(unit).slot(), Slot::Kept(_))
            || own != kind && self.routes(worker, own) != self.routes(worker, kind)
    }

    fn routes(&self, worker: &mut Worker<'_, E>, kind: u32) -> Option<u32> {
        worker.template(self.context.engines, self.context.kinds, kind).routes
    }

    /// Judges a line that has to be read once more.
    #[cold]
    fn read_again(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        event: &Event,
        unit: Option<usize>,
    ) {
        let line = line_at(self.bytes, event.at).trim_ascii_end();
        let text = str::from_utf8(line).unwrap_or_default();
        let mut notation = self.distributed.notation_at(event.at);
        let (mut header, mut run) = (Header::default(), Run::<E::Fields>::default());
        let read = read_line(text, &mut notation, &mut worker.order, &mut header, &mut run);
        let read = read.map(|()| run.own.take_unit());
        let mut record = self.context.line_record((text, &header), read, &run);
        self.record(shard, worker, event, (&mut record, &mut run), unit);
    }

    /// Judges a line, or reports it.
    fn record(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        event: &Event,
        (line, run): (&mut LineRecord<E::Fields>, &mut Run<E::Fields>),
        unit: Option<usize>,
    ) {
        let (key, at, piece) = (event.key, event.at, self.piece);
        let member = match &line.member {
            Ok(member) => *member,
            Err(bad) => {
                let member = bad.as_ref().map(|(_, member)| member);
                self.count_bad_record(shard, key, member);
                worker.line_reports.push(LineReport { piece, at, error: None });
                return;
            }
        };
        let (bytes, unit_fields) = (self.bytes.get(at..).unwrap_or_default(), line.unit.take());
        let line = &*line;
        let (node, cluster) = (line.node.get(bytes), line.cluster.get(bytes));
        let id = UnitId::from(line.id.get(bytes).unwrap_or_default());
        let is_kept = self.context.is_line_kept(shard, id, unit);
        run.node = match node {
            Some(node) if is_kept || self.context.reads_nodes => Some(worker.names.intern(node)),
            _ => None,
        };
        let needs_cluster = is_kept || self.context.amend.is_some();
        run.cluster = cluster.filter(|_| needs_cluster).map(|it| worker.names.intern(it));
        if self.context.amend.is_some_and(|amend| !amend(run)) {
            return;
        }
        let record = Record {
            key,
            member,
            id,
            unit: RecordUnit::Read(line.queue.get(bytes), unit_fields),
            index: line.index,
            end: None,
            matched: &[],
            node: RunNode::OfLine { node, cluster },
            position: self.position + at as u64,
            is_kept: false,
        };
        self.take_run(shard, worker, &record, run, (event, unit));
    }

    /// Adds a run to its unit, or reports its line.
    fn take_run(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        run: &mut Run<E::Fields>,
        (event, unit): (&Event, Option<usize>),
    ) {
        if let Err(fault) = self.context.take_run(shard, worker, record, run, unit) {
            let (piece, at) = (self.piece, event.at);
            let report = |error| LineReport { piece, at, error: Some(error) };
            let errors = errors_of(*fault, record.id.as_str());
            worker.line_reports.extend(errors.into_iter().map(report));
        }
    }

    /// The id of a line's unit.
    fn id(&self, event: &Event) -> UnitId<'_> {
        let (from, to) = (event.id.start as usize, event.id.end as usize);
        let bytes = self.bytes.get(event.at + from..event.at + to);
        UnitId::from_bytes(bytes.unwrap_or_default())
    }

    /// Counts a line that is not a valid record, if its member can be read.
    #[cold]
    fn count_bad_record(&self, shard: &mut Shard<E>, key: Key, member: Option<&KeyOf<E>>) {
        let Some(member) = member else { return };
        let hash_key = self.context.hash_key;
        let member = member_hash::<KeyOf<E>>(hash_key, |hasher| hash_member(member, hasher));
        shard.add_bad(key, member);
    }
}

/// The errors of a line whose run was not valid.
#[cold]
fn errors_of(fault: RecordFault, unit: &str) -> Vec<LineError> {
    match fault {
        RecordFault::Rule(fault) => vec![LineError::Fault(fault)],
        RecordFault::Differs(keys) => {
            keys.into_iter().map(|key| LineError::Difference(unit.to_owned(), key)).collect()
        }
    }
}
