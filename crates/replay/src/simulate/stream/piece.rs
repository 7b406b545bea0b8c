//! Phase one: reads the lines of a piece in their order, and distributes them to the shards of their units.
//!
//! Where runs have signatures, a line is read here, in the order of the file, and compared with the rules: the second phase
//! needs numbers only. All others are read where their units are judged, and only their units are found here.

use super::event::{AlikeRun, Event, EventBody};
use super::key::{key_of, shard_of};
use super::known_runs::KnownRuns;
use super::unit_step::StepContext;
use super::worker::Worker;
use crate::history::{
    BadMember, Header, Piece, PieceLines, PieceUnread, RecordFields, Run, TimeNotation,
    UnreadOfLine, count_unread, first_id, read_line,
};
use crate::simulate::engine::Engine;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The lines of a piece, distributed to the shards.
pub(super) struct DistributedPiece {
    /// The lines of each shard, in their order.
    pub(super) shares: Vec<Mutex<Vec<Event>>>,
    /// The notation of times before the piece.
    pub(super) before: TimeNotation,
    pub(super) lines: PieceLines,
    /// The words that nothing reads, of the lines that are read here.
    pub(super) unread: PieceUnread,
    /// The piece's bytes between the phases, if they are UTF-8.
    text: Option<String>,
}

impl DistributedPiece {
    /// An empty piece, for this number of shards.
    pub(super) fn new(shards: usize) -> Self {
        Self {
            shares: (0..shards).map(|_| Mutex::default()).collect(),
            before: TimeNotation::for_lines(),
            lines: PieceLines::default(),
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

/// Pieces of which no line is read here after one with few runs that are like others: histories are mostly of one kind, and
/// 48 lines are a quarter of a piece if the lines are long.
const UNLIKE_PIECES: u32 = 15;

/// A line without its run.
struct ReadLine<'t, F: RecordFields> {
    at: usize,
    text: &'t str,
    header: Header<'t>,
    /// Its words that nothing reads.
    read: Result<UnreadOfLine<'t>, BadMember<F>>,
}

impl<'t, F: RecordFields> ReadLine<'t, F> {
    /// A line before it is read.
    fn new(at: usize, text: &'t str) -> Self {
        Self { at, text, header: Header::default(), read: Err(None) }
    }
}

impl<E: Engine> StepContext<'_, E> {
    /// Reads the lines of a piece, whose times are in `notation` or in that of the first one.
    pub(super) fn read_piece(
        &self,
        worker: &mut Worker<'_, E>,
        piece: &Piece,
        distributed: &mut DistributedPiece,
        notation: TimeNotation,
    ) {
        let DistributedPiece { shares, before, lines, unread, text } = distributed;
        let text = text.as_deref();
        let bytes = text.map_or(&*piece.bytes, str::as_bytes);
        (*before, *unread) = (notation, PieceUnread::default());
        for share in shares.iter_mut() {
            get_mut(share).clear();
        }
        let mut runs = std::mem::take(&mut worker.runs);
        runs.resize_with(READ_AHEAD, Run::default);
        let mut read_lines = Vec::with_capacity(READ_AHEAD);
        // Each thread learns by itself whether its pieces have alike runs; results do not depend on it, only time does.
        let mut are_alike = self.has_alike && worker.unlike_pieces == 0;
        worker.unlike_pieces = worker.unlike_pieces.saturating_sub(1);
        lines.read((bytes, text), piece.begins, notation, |at, text, notation| {
            // Finding the id alone costs far less than reading the line, which the second phase does.
            let needs_id = !are_alike || self.shard.is_some();
            let id = if needs_id { first_id(text, notation) } else { None };
            let is_of_other = id.as_deref().is_some_and(|id| self.lacks_line(id, text));
            if let Some(id) = id.filter(|_| is_of_other || !are_alike) {
                // Lines that were read before go to their shares first, since the lines of a share
                // are in the order of the stream.
                if !read_lines.is_empty() {
                    self.distribute(worker, (shares, unread), &mut read_lines, &mut runs);
                }
                let body = if is_of_other { EventBody::OfOtherShard } else { EventBody::Line };
                return self.add_line(shares, (at, text), &id, body);
            }
            let run = &mut runs[read_lines.len()];
            // Read in place: a line is larger than a cache line.
            read_lines.push(ReadLine::new(at, text));
            let Some(line) = read_lines.last_mut() else { return };
            line.read = read_line(text, notation, &mut worker.order, &mut line.header, run);
            if read_lines.len() == READ_AHEAD {
                let alike = self.distribute(worker, (shares, unread), &mut read_lines, &mut runs);
                // Reading a line twice costs more than finding its unit alone.
                if are_alike && alike * 2 < READ_AHEAD {
                    (are_alike, worker.unlike_pieces) = (false, UNLIKE_PIECES);
                }
            }
        });
        self.distribute(worker, (shares, unread), &mut read_lines, &mut runs);
        worker.runs = runs;
    }

    /// Whether a line is one of another shard of the history, unless its unit is known.
    fn lacks_line(&self, id: &str, text: &str) -> bool {
        let word = E::Fields::RECORDED_UNIT_WORD;
        self.shard.is_some_and(|shard| shard.lacks_line(id, text, word))
    }

    /// Adds a line that is read where its unit is judged. `body` is given its length.
    fn add_line(
        &self,
        shares: &mut [Mutex<Vec<Event>>],
        (at, text): (usize, &str),
        id: &str,
        body: fn(usize) -> EventBody,
    ) {
        let key = key_of(self.hash_key, id);
        let number = shard_of(key, shares.len());
        get_mut(&mut shares[number]).push(Event { key, at, body: body(text.len()) });
    }

    /// Adds lines to their shares. Returns how many runs are like others.
    fn distribute(
        &self,
        worker: &mut Worker<'_, E>,
        (shares, unread): (&mut [Mutex<Vec<Event>>], &mut PieceUnread),
        lines: &mut Vec<ReadLine<'_, E::Fields>>,
        runs: &mut [Run<E::Fields>],
    ) -> usize {
        let mut known_runs = std::mem::take(&mut worker.known_runs);
        let mut alike_runs = 0;
        for (line, run) in lines.iter().zip(runs) {
            let ReadLine { at, text, header, read } = line;
            let words = match read {
                Ok(words) => words,
                Err(bad) => {
                    let id = bad.as_ref().map_or(&*header.id, |(id, _)| id);
                    self.add_line(shares, (*at, text), id, EventBody::Line);
                    continue;
                }
            };
            // The unread words of a unit of another shard are counted there.
            let may_count =
                self.shard.is_none() || words.has_no_keys() && !run.own.has_unread_condition();
            let find = |worker| self.alike_run((worker, &mut known_runs), (text, header), run);
            let Some(alike) = may_count.then_some(&mut *worker).and_then(find) else {
                self.add_line(shares, (*at, text), &header.id, EventBody::Line);
                continue;
            };
            count_unread(unread, words, (text, &run.own), *at);
            alike_runs += 1;
            let key = key_of(self.hash_key, &header.id);
            let number = shard_of(key, shares.len());
            let body = EventBody::Alike(alike);
            get_mut(&mut shares[number]).push(Event { key, at: *at, body });
        }
        lines.clear();
        worker.known_runs = known_runs;
        alike_runs
    }

    /// The run of a line as one that is like others, if it is.
    fn alike_run(
        &self,
        (worker, known_runs): (&mut Worker<'_, E>, &mut KnownRuns<E::Fields>),
        (text, header): (&str, &Header<'_>),
        run: &mut Run<E::Fields>,
    ) -> Option<AlikeRun> {
        // A unit that is kept needs its whole record.
        if !self.has_alike || self.is_kept(&header.id) {
            return None;
        }
        // An id with escapes is no part of the text, so that no range stands for it.
        let Cow::Borrowed(id) = header.id else { return None };
        let id = range_in(text, id)?;
        let queue = header.queue.as_deref();
        let kind = match run.own.take_unit() {
            None => worker.kinds.find(self.kinds, queue, None),
            Some(fields) => worker.kinds.find_known(self.kinds, queue, &fields)?,
        };
        let routes = worker.template(self.engines, self.kinds, kind).routes?;
        let find = || self.find_signature(worker, kind, run);
        let signature = known_runs.signature(&run.own, routes, find)?;
        // The run of a first record that succeeded is neither a retry nor followed by one.
        let mut has_succeeded =
            || worker.signatures.get(self.signatures, signature).has_succeeded();
        // Numbers of nodes are taken from a table that all threads share; most runs of most histories need none.
        let needs_node = header.index != Some(0) || !has_succeeded();
        let context = worker.contexts.first_mut().filter(|_| needs_node);
        let node = context
            .zip(header.node.as_deref())
            .and_then(|(context, node)| context.names.node(header.cluster.as_deref(), node));
        let (started_at, finished_at) = (run.started_at, run.finished_at);
        Some(AlikeRun { signature, kind, started_at, finished_at, index: header.index, node, id })
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
}

/// The bytes of a part of a text.
fn range_in(text: &str, part: &str) -> Option<Range<usize>> {
    let from = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    Some(from..from + part.len())
}

fn get_mut<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}
