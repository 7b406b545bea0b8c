//! Phase one: reads the lines of a piece in their order, and distributes them to the shards of their units.
//!
//! A line is read once. What decisions depend on is found here too, where the line's bytes and the code that reads it are
//! in the caches: the second phase needs numbers only.

use super::event::{AlikeRun, Event, EventBody, LineRecord, LineText, Share, range_in};
use super::key::{key_of, member_hash, shard_of};
use super::known_runs::KnownRuns;
use super::unit_step::StepContext;
use super::worker::Worker;
use crate::history::{
    BadMember, Header, MayBeUnread, Piece, PieceLines, PieceUnread, RecordFields, Run, Table,
    TimeNotation, read_line,
};
use crate::simulate::engine::Engine;
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

/// The lines of a piece, distributed to the shards.
pub(super) struct DistributedPiece<F: RecordFields> {
    /// The lines of each shard.
    pub(super) shares: Vec<Mutex<Share<F>>>,
    /// The notation of times before the piece.
    pub(super) before: TimeNotation,
    pub(super) lines: PieceLines,
    /// Runs.
    pub(super) events: u64,
    /// The words of its lines that nothing reads.
    pub(super) unread: PieceUnread,
    /// The piece's bytes between the phases, if they are UTF-8.
    text: Option<String>,
}

impl<F: RecordFields> DistributedPiece<F> {
    /// An empty piece, for this number of shards.
    pub(super) fn new(shards: usize) -> Self {
        Self {
            shares: (0..shards).map(|_| Mutex::default()).collect(),
            before: TimeNotation::of_lines(),
            lines: PieceLines::default(),
            events: 0,
            unread: PieceUnread::default(),
            text: None,
        }
    }

    /// Takes a piece's bytes as a text if they are UTF-8. Checking a piece at once is faster than line by line.
    pub(super) fn take_text(&mut self, piece: &mut Piece) {
        match String::from_utf8(std::mem::take(&mut piece.bytes)) {
            Ok(text) => self.text = Some(text),
            Err(error) => piece.bytes = error.into_bytes(),
        }
    }

    /// Moves the bytes back into the piece.
    pub(super) fn return_text(&mut self, piece: &mut Piece) {
        if let Some(text) = self.text.take() {
            piece.bytes = text.into_bytes();
        }
    }

    /// The piece's text, if it is UTF-8.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The notation of times as far as the lines before a byte determine it.
    pub(super) fn notation_at(&self, at: usize) -> TimeNotation {
        let is_after = self.lines.first_timed.is_some_and(|first| first < at);
        if is_after { self.before.after(&self.lines.notation) } else { self.before }
    }
}

/// Lines that are read before the first of them is compared with rules: the code of both does not fit the instruction
/// cache together, and line by line each would evict the other.
const READ_AHEAD: usize = 48;

/// A line without its run.
struct ReadLine<'t, F: RecordFields> {
    at: usize,
    text: &'t str,
    header: Header<'t>,
    read: Result<(), BadMember<F>>,
}

/// The fields of a unit.
type UnitOf<E> = <<E as Engine>::Fields as RecordFields>::Unit;

impl<E: Engine> StepContext<'_, E> {
    /// Reads the lines of a piece, whose times are in `notation` or in that of the first one.
    pub(super) fn read_piece(
        &self,
        worker: &mut Worker<'_, E>,
        piece: &Piece,
        distributed: &mut DistributedPiece<E::Fields>,
        notation: TimeNotation,
    ) {
        let DistributedPiece { shares, before, lines, events, unread, text } = distributed;
        let text = text.as_deref();
        let bytes = text.map_or(&*piece.bytes, str::as_bytes);
        (*before, *events, *unread) = (notation, 0, PieceUnread::default());
        for share in shares.iter_mut() {
            get_mut(share).clear();
        }
        let mut runs = std::mem::take(&mut worker.runs);
        runs.resize_with(READ_AHEAD, Run::default);
        let mut read_lines = Vec::with_capacity(READ_AHEAD);
        lines.read((bytes, text), piece.begins, notation, |at, text, notation| {
            let run = &mut runs[read_lines.len()];
            // Read in place: a line is larger than a cache line.
            read_lines.push(ReadLine { at, text, header: Header::default(), read: Ok(()) });
            let Some(line) = read_lines.last_mut() else { return };
            line.read = read_line(text, notation, &mut worker.order, &mut line.header, run);
            match worker.order.unread {
                MayBeUnread::Nothing => {}
                MayBeUnread::Conditions => unread.conditions(&run.own, at),
                MayBeUnread::Keys => unread.line(text, Table::<E::Fields>::RECORD, at),
            }
            *events += u64::from(line.read.is_ok());
            if read_lines.len() == READ_AHEAD {
                self.distribute(worker, shares, &mut read_lines, &mut runs);
            }
        });
        self.distribute(worker, shares, &mut read_lines, &mut runs);
        worker.runs = runs;
    }

    /// Adds lines to their shares.
    fn distribute(
        &self,
        worker: &mut Worker<'_, E>,
        shares: &mut [Mutex<Share<E::Fields>>],
        lines: &mut Vec<ReadLine<'_, E::Fields>>,
        runs: &mut [Run<E::Fields>],
    ) {
        let mut known_runs = std::mem::take(&mut worker.known_runs);
        for (line, run) in lines.iter_mut().zip(runs) {
            let ReadLine { at, text, header, read } = line;
            let named = read.as_ref().err().and_then(|bad| bad.as_ref());
            let key = key_of(self.hash_key, named.map_or(&*header.id, |(id, _)| id));
            let number = shard_of(key, shares.len());
            let share = get_mut(&mut shares[number]);
            let (started_at, finished_at) = (run.started_at, run.finished_at);
            let unit = run.own.take_unit();
            let id = match &header.id {
                Cow::Borrowed(id) => range_in(text, id),
                Cow::Owned(_) => None,
            };
            let alike = if read.is_ok() && id.is_some() {
                self.alike_run((worker, &mut known_runs), header, unit.as_deref(), run)
            } else {
                None
            };
            let body = if let Some(alike) = alike {
                EventBody::Alike(alike)
            } else {
                let read = std::mem::replace(read, Ok(())).map(|()| unit);
                let record = self.line_record((text, header), read, run);
                EventBody::Record(share.add(record, run))
            };
            let id = id.unwrap_or_default();
            share.events.push(Event { key, started_at, finished_at, at: *at, id, body });
        }
        lines.clear();
        worker.known_runs = known_runs;
    }

    /// The run of a line as one that is like others, if it is.
    fn alike_run(
        &self,
        (worker, known_runs): (&mut Worker<'_, E>, &mut KnownRuns<E::Fields>),
        header: &Header<'_>,
        unit: Option<&UnitOf<E>>,
        run: &Run<E::Fields>,
    ) -> Option<AlikeRun> {
        if !self.has_alike || self.is_kept(&header.id) {
            return None;
        }
        let queue = header.queue.as_deref();
        let kind = match unit {
            None => worker.kinds.find(self.kinds, queue, None),
            Some(unit) => worker.kinds.find_known(self.kinds, queue, unit)?,
        };
        let routes = worker.template(self.engines, self.kinds, kind).routes?;
        let find = || self.find_signature(worker, kind, run);
        let signature = known_runs.signature(&run.own, routes, find)?;
        // The run of a first record that succeeded is neither a retry nor followed by one.
        let mut has_succeeded =
            || worker.signatures.get(self.signatures, signature).has_succeeded();
        let needs_node = header.index != Some(0) || !has_succeeded();
        let context = worker.contexts.first_mut().filter(|_| needs_node);
        let node = context
            .zip(header.node.as_deref())
            .and_then(|(context, node)| context.names.node(header.cluster.as_deref(), node));
        Some(AlikeRun { signature, kind, index: header.index, node })
    }

    /// The number of the signature of a run of a kind of units, if it has one.
    fn find_signature(
        &self,
        worker: &mut Worker<'_, E>,
        kind: u32,
        run: &Run<E::Fields>,
    ) -> Option<u32> {
        worker.signature.clear();
        if !run.own.describe(&mut worker.texts, &mut worker.signature) {
            return None;
        }
        let end = worker.match_run(self.engines, self.kinds, kind, run)?;
        let own = (&worker.signature[..], &worker.matched[..]);
        worker.signatures.find(self.signatures, own, end, run)
    }

    /// The record of a line.
    pub(super) fn line_record(
        &self,
        (text, header): (&str, &Header<'_>),
        read: Result<Option<Box<UnitOf<E>>>, BadMember<E::Fields>>,
        run: &Run<E::Fields>,
    ) -> LineRecord<E::Fields> {
        let hash_member = || {
            member_hash::<<E::Fields as RecordFields>::Key>(self.hash_key, |hasher| {
                run.own.hash_key(hasher);
            })
        };
        let (member, unit) = match read {
            Ok(unit) => (Ok(hash_member()), unit),
            Err(bad) => (Err(bad), None),
        };
        LineRecord {
            member,
            unit,
            index: header.index,
            id: LineText::of(text, Some(&header.id)),
            queue: LineText::of(text, header.queue.as_ref()),
            node: LineText::of(text, header.node.as_ref()),
            cluster: LineText::of(text, header.cluster.as_ref()),
        }
    }
}

fn get_mut<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}
