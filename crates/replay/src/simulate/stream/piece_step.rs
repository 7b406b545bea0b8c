//! Phase two for one shard: passes the runs of the lines to the units.

use super::event::{AlikeRun, Event, EventBody};
use super::key::{Key, member_hash};
use super::piece::DistributedPiece;
use super::pool::lock;
use super::record::{Record, RecordUnit};
use super::shard::{Shard, Slot};
use super::signatures::Signature;
use super::unit_step::{KeyOf, StepContext, hash_member};
use super::worker::{LineReport, Worker};
use crate::history::{
    BadMember, Header, KeyOrder, LineError, PieceUnread, RecordFault, RecordFields, Run,
    UnreadOfLine, count_unread, line_at, read_line,
};
use crate::simulate::context::{RunNode, UnitId};
use crate::simulate::engine::Engine;
use std::hint::black_box;
use std::ops::Range;

/// Lines whose units are looked up, and that are read if they were not, before the first of them is judged: units are
/// scattered over memory, and the code of reading and judging does not fit the instruction cache together. 24 lines cause
/// 23 % more misses of it; 96 cause 11 % fewer, but take as long.
const AHEAD: usize = 48;

/// Bytes of a cache line: memory is loaded in units of it.
const CACHE_LINE: usize = 64;

/// The pieces of a batch, for the lines of one shard.
pub(super) struct ShardStep<'s, E: Engine> {
    pub(super) context: &'s StepContext<'s, E>,
    pub(super) pieces: Vec<PieceStep<'s, E>>,
}

/// A piece, for the lines of one shard.
pub(super) struct PieceStep<'s, E: Engine> {
    pub(super) context: &'s StepContext<'s, E>,
    pub(super) distributed: &'s DistributedPiece,
    pub(super) bytes: &'s [u8],
    /// The piece's number in the batch.
    pub(super) piece: usize,
    /// The position in the history at which the piece begins.
    pub(super) position: u64,
}

/// A line that is read where its unit is judged, without its run.
struct ParsedLine<'t, F: RecordFields> {
    text: &'t str,
    header: Header<'t>,
    words: UnreadOfLine<'t>,
    /// The hash of its member; of a line that is not a valid record the member that it names.
    member: Result<[u32; 2], BadMember<F>>,
}

impl<E: Engine> ShardStep<'_, E> {
    /// Judges the lines of the shard of this number.
    pub(super) fn run(&self, shard: &mut Shard<E>, worker: &mut Worker<'_, E>, number: usize) {
        let mut units = std::mem::take(&mut worker.unit_numbers);
        let mut runs = std::mem::take(&mut worker.runs);
        let mut signatures = std::mem::take(&mut worker.signatures);
        let mut unread = Vec::new();
        unread.resize_with(self.pieces.len(), PieceUnread::default);
        runs.resize_with(AHEAD, Run::default);
        // All locks of a shard are taken at once: no other thread works on it, so that they are free.
        let shares: Vec<_> =
            self.pieces.iter().map(|piece| lock(&piece.distributed.shares[number])).collect();
        let lines = self.pieces.iter().zip(&shares);
        let lines = lines.flat_map(|(piece, share)| share.iter().map(move |event| (piece, event)));
        let lines: Vec<_> = lines.collect();
        for lines in lines.chunks(AHEAD) {
            units.clear();
            // First all lookups, then all loads, then the work: each waits for memory, and waits of one kind overlap.
            units.extend(lines.iter().map(|(_, event)| shard.find(&event.key)));
            shard.prefetch(units.iter().flatten());
            let known = shard.units.len();
            let parsed = parse(lines, &units, &mut worker.order, &mut runs);
            let parsed = parsed.into_iter().zip(&mut runs);
            for ((line, unit), (parsed, run)) in lines.iter().zip(&units).zip(parsed) {
                let (piece, event) = line;
                // A line of these may have added the unit.
                let is_outdated = unit.is_none() && shard.units.len() > known;
                let unit = if is_outdated { shard.find(&event.key) } else { *unit };
                match (&event.body, parsed) {
                    (EventBody::Alike(alike), _) => {
                        // By the cache of the thread: the common list is locked, and few signatures are new.
                        let signature = signatures.get(self.context.signatures, alike.signature);
                        piece.alike(shard, worker, event, (alike, signature), unit);
                    }
                    // Its unit may have become one of this shard by an earlier line, which named a
                    // gang; only then is it read.
                    (EventBody::OfOtherShard(_), _) if unit.is_none() => worker.other_lines += 1,
                    (_, Some(parsed)) => {
                        let unread = &mut unread[piece.piece];
                        piece.line((shard, unread), worker, event, (parsed, run), unit);
                    }
                    (EventBody::Line(_) | EventBody::OfOtherShard(_), None) => {
                        let unread = &mut unread[piece.piece];
                        piece.read_again((shard, unread), worker, event, unit);
                    }
                }
            }
        }
        worker.unread.extend(unread.into_iter().enumerate().filter(|(_, words)| !words.is_empty()));
        (worker.unit_numbers, worker.runs, worker.signatures) = (units, runs, signatures);
    }
}

/// Reads the lines that are read where their units are judged. Their runs replace those of `runs` in the same places.
fn parse<'s, E: Engine>(
    lines: &[(&'s PieceStep<'s, E>, &'s Event)],
    units: &[Option<usize>],
    order: &mut KeyOrder,
    runs: &mut [Run<E::Fields>],
) -> Vec<Option<ParsedLine<'s, E::Fields>>> {
    prefetch(lines);
    let mut parsed = Vec::with_capacity(lines.len());
    for (((piece, event), unit), run) in lines.iter().zip(units).zip(runs) {
        parsed.push(match event.body {
            EventBody::Line(length) => Some(piece.parse(order, event.at..event.at + length, run)),
            EventBody::OfOtherShard(length) if unit.is_some() => {
                Some(piece.parse(order, event.at..event.at + length, run))
            }
            EventBody::Alike(_) | EventBody::OfOtherShard(_) => None,
        });
    }
    parsed
}

/// Reads a byte of every cache line of these lines, which are scattered over their pieces. Loads with no other work between
/// them overlap: a tenth of the time of replaying a JobSet history.
fn prefetch<E: Engine>(lines: &[(&PieceStep<'_, E>, &Event)]) {
    let lines = lines.iter().filter_map(|(piece, event)| match event.body {
        EventBody::Alike(_) | EventBody::OfOtherShard(_) => None,
        EventBody::Line(length) => piece.bytes.get(event.at..event.at + length),
    });
    let touched = lines.flat_map(|bytes| bytes.iter().step_by(CACHE_LINE));
    black_box(touched.fold(0, |all, byte| all ^ byte));
}

impl<E: Engine> PieceStep<'_, E> {
    /// Reads a line into a run.
    fn parse<'s>(
        &'s self,
        order: &mut KeyOrder,
        line: Range<usize>,
        run: &mut Run<E::Fields>,
    ) -> ParsedLine<'s, E::Fields> {
        let at = line.start;
        let text = match self.distributed.text() {
            Some(text) => text.get(line),
            None => self.bytes.get(line).and_then(|bytes| str::from_utf8(bytes).ok()),
        };
        // A line that is not UTF-8 has no unit.
        let text = text.unwrap_or_default();
        let (mut notation, mut header) = (self.distributed.notation_at(at), Header::default());
        let read = read_line(text, &mut notation, order, &mut header, run);
        let hash_key = self.context.hash_key;
        let (words, member) = match read {
            Ok(words) => {
                let hash = |hasher: &mut _| run.own.hash_key(hasher);
                (words, Ok(member_hash::<KeyOf<E>>(hash_key, hash)))
            }
            Err(bad) => (UnreadOfLine::Unknown, Err(bad)),
        };
        ParsedLine { text, header, words, member }
    }

    /// Judges a line whose run is like others.
    fn alike(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        event: &Event,
        (alike, signature): (&AlikeRun, &mut Signature<E::Fields>),
        unit: Option<usize>,
    ) {
        let is_other = unit.is_some_and(|unit| self.is_other(shard, worker, alike.kind, unit));
        if is_other {
            // Its words were counted when it was read first, or it has none.
            let counted = &mut PieceUnread::default();
            return self.read_again((shard, counted), worker, event, unit);
        }
        // A known unit is of this shard of the history, as its first line was taken.
        if self.context.shard.is_some() && unit.is_none() {
            let id = UnitId::from_bytes(self.bytes_of(event.at, &alike.id));
            let kind = worker.kinds.get(self.context.kinds, alike.kind);
            let (queue, fields) = (kind.queue.as_deref(), Some(&*kind.fields));
            if !self.context.has_unit(shard, (event.key, id.as_str()), queue, fields) {
                worker.other_lines += 1;
                return;
            }
        }
        worker.events += 1;
        worker.own_lines += 1;
        let run = &mut signature.run;
        (run.started_at, run.finished_at) = (alike.started_at, alike.finished_at);
        let record = Record {
            key: event.key,
            member: [0; 2],
            id: UnitId::from_bytes(self.bytes_of(event.at, &alike.id)),
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
        counts: (&mut Shard<E>, &mut PieceUnread),
        worker: &mut Worker<'_, E>,
        event: &Event,
        unit: Option<usize>,
    ) {
        let length = line_at(self.bytes, event.at).trim_ascii_end().len();
        let mut run = Run::default();
        let parsed = self.parse(&mut worker.order, event.at..event.at + length, &mut run);
        self.line(counts, worker, event, (parsed, &mut run), unit);
    }

    /// Judges a line, or reports it.
    fn line(
        &self,
        (shard, unread): (&mut Shard<E>, &mut PieceUnread),
        worker: &mut Worker<'_, E>,
        event: &Event,
        (parsed, run): (ParsedLine<'_, E::Fields>, &mut Run<E::Fields>),
        unit: Option<usize>,
    ) {
        let (key, at, piece) = (event.key, event.at, self.piece);
        let ParsedLine { text, header, words, member } = parsed;
        let queue = header.queue.as_deref();
        // A line that is not valid may have left fields of other lines in the run.
        let fields = member.as_ref().ok().and_then(|_| run.own.take_unit());
        // A unit that is known has been found to be of this shard.
        if unit.is_none() {
            let bad_id = member.as_ref().err().and_then(Option::as_ref).map(|(id, _)| &**id);
            let id = bad_id.unwrap_or(&header.id);
            if !self.context.has_unit(shard, (key, id), queue, fields.as_deref()) {
                worker.other_lines += 1;
                return;
            }
        }
        worker.own_lines += 1;
        count_unread(unread, &words, (text, &run.own), at);
        let member = match member {
            Ok(member) => member,
            Err(bad) => {
                let member = bad.map(|(_, member)| member);
                self.count_bad_record(shard, key, member.as_ref());
                worker.line_reports.push(LineReport { piece, at, error: None });
                return;
            }
        };
        worker.events += 1;
        let (node, cluster) = (header.node.as_deref(), header.cluster.as_deref());
        let is_kept = self.context.is_line_kept(shard, &header.id, unit);
        // Names of nodes are interned only where they are needed: a table of them costs a lookup for each line.
        run.node = match node {
            Some(node) if is_kept || self.context.reads_nodes => Some(worker.names.intern(node)),
            _ => None,
        };
        let needs_cluster = is_kept || self.context.transform.is_some();
        run.cluster = cluster.filter(|_| needs_cluster).map(|it| worker.names.intern(it));
        // Before the rules between runs are checked: what the caller drops is no run of the unit.
        if self.context.transform.is_some_and(|transform| !transform(run)) {
            return;
        }
        let record = Record {
            key,
            member,
            id: UnitId::from(&*header.id),
            unit: RecordUnit::Read(queue, fields),
            index: header.index,
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

    /// Bytes of the line that begins at a byte.
    fn bytes_of(&self, at: usize, range: &Range<usize>) -> &[u8] {
        self.bytes.get(at + range.start..at + range.end).unwrap_or_default()
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
