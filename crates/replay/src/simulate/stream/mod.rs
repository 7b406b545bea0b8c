//! Reads histories of any size and replays them through one or more engines as they are read.
//!
//! Lines come in pieces of whole lines, some pieces a batch. A batch goes through two phases: first each piece is
//! read by a thread, which distributes its lines to the shards of their units ([`piece`]); then, on all threads, each
//! shard passes its lines to its units in the order of the stream ([`piece_step`], [`unit_step`], [`first_run`]).
//! So the result does not depend on the number of threads, nor on the cut into pieces and batches. Documents and
//! other programs' output come run by run to the same units ([`rows`]).
//!
//! A unit that is judged run by run takes a few dozen bytes. Units that cannot be are kept: gangs, units whose
//! first record does not suffice, the unit of `--job`, the first unit if its record is not a line, and all units
//! of a history that is read into memory. They are replayed at the end ([`super::replay()`]).

mod chunked;
mod end;
mod event;
mod finish;
mod first_run;
mod groups;
mod ids;
mod key;
mod kinds;
mod known_runs;
mod options;
mod outcome;
mod piece;
mod piece_step;
mod pool;
mod record;
mod rows;
mod shard;
mod signatures;
mod unit_step;
mod worker;

pub use options::{Batch, IsUnmatched, Observe, Retention, RunTransform, StreamOptions, ValidRun};
pub use outcome::{StreamOutcome, UnmatchedUnits};
pub(in crate::simulate) use pool::MAX_THREADS;

use super::changes::{CompareOptions, Comparison};
use super::engine::Engine;
use super::names::Names;
use super::stream_decision::StreamDecision;
use crate::history::{
    Failure, History, LineError, LineLocation, Member, OnBadRecord, Piece, Program, ReadSources,
    Reader, RecordFields, Sink, SourceItem, TimeNotation,
};
use document::diag::{Findings, Source};
use document::{Document, Node};
use kinds::UnitKinds;
use piece::DistributedPiece;
use piece_step::{PieceStep, ShardStep};
use pool::{LineReports, PieceSlot, Pool, SHARDS, filled_slots};
use rows::RowSink;
use shard::Shard;
use signatures::Signatures;
use std::io::{self, BufRead};
use std::sync::{Arc, LazyLock};
use unit_step::StepContext;
use worker::Worker;

/// A stream of records that some engines judge while it is read.
pub struct Stream<'e, E: Engine> {
    engines: &'e [E],
    options: StreamOptions<'e>,
    transform: Option<&'e RunTransform<E::Fields>>,
    observe: Option<&'e Observe<'e, E::Fields>>,
    compare: Option<CompareOptions<'e>>,
    limits: Option<<E::Fields as RecordFields>::Limits>,
    kinds: UnitKinds<E::Fields>,
    signatures: Signatures<E::Fields>,
    pool: Pool<Worker<'e, E>, Shard<E>, DistributedPiece>,
    reader: Reader<E::Fields>,
    notation: TimeNotation,
    /// The bits of the notations of all inputs.
    notations: u8,
    /// Lines of the current input so far.
    lines: usize,
    events: u64,
    bytes: u64,
    /// Records so far that were not lines.
    rows: u64,
    /// Whether a unit was begun by a record that was not a line.
    has_unit_of_row: bool,
}

/// The names of a stream without engines, which counts nothing.
static NO_NAMES: LazyLock<Names> = LazyLock::new(Names::default);

impl<'e, E: Engine> Stream<'e, E> {
    /// A stream that replays nothing: it reads a history into memory, so that `options` keep all units.
    /// Records are not checked against bounds that are not given.
    pub fn reader(
        limits: Option<<E::Fields as RecordFields>::Limits>,
        options: StreamOptions<'e>,
    ) -> Self {
        Self::new(&[], &NO_NAMES, limits, options)
    }

    /// A stream that has read nothing. Summaries count by these `names`.
    pub fn new(
        engines: &'e [E],
        names: &'e Names,
        limits: Option<<E::Fields as RecordFields>::Limits>,
        options: StreamOptions<'e>,
    ) -> Self {
        // Engines are shared by all threads; each thread has counts of its own, which are merged once at the end.
        let pool = Pool::new(
            options.threads,
            options.batch,
            || Worker::new(engines, names, options.seed, options.hash_key),
            || Shard::new(engines.len()),
            || DistributedPiece::new(SHARDS),
        );
        Self {
            engines,
            transform: None,
            observe: None,
            compare: None,
            limits,
            kinds: UnitKinds::default(),
            signatures: Signatures::default(),
            pool,
            reader: Reader::new(options.on_bad).with_disruptions(names.disruptions()),
            notation: TimeNotation::for_lines(),
            notations: 0,
            lines: 0,
            events: 0,
            bytes: 0,
            rows: 0,
            has_unit_of_row: false,
            options,
        }
    }

    /// Sets what changes runs when they are read. No record may have been read.
    pub fn transform(&mut self, transform: &'e RunTransform<E::Fields>) {
        self.transform = Some(transform);
    }

    /// Sets what takes each valid run. No record may have been read.
    pub fn observe(&mut self, observe: &'e Observe<'e, E::Fields>) {
        self.observe = Some(observe);
    }

    /// Compares the decisions of all engines with those of the first. No record may have been read.
    pub fn compare(&mut self, compare: CompareOptions<'e>) {
        self.compare = Some(compare);
        for worker in self.pool.workers() {
            worker.compare(self.engines, compare);
        }
    }

    /// Counts the retries on record by where and when they ran. No record may have been read.
    pub fn count_groups(&mut self) {
        for worker in self.pool.workers() {
            worker.record.groups = Some(Box::default());
        }
    }

    /// Reports decisions as they are made, of units that are not kept. No record may have been read.
    pub fn report_decisions(&mut self) {
        // Runs that are like others are judged without their fields, which a reported decision shows.
        self.options.has_alike = false;
        self.pool.workers().for_each(Worker::report_decisions);
    }

    /// Takes the decisions since the last call, in the order of the stream and the engines.
    pub fn take_decisions(&mut self) -> Vec<StreamDecision> {
        let mut all: Vec<_> = self.pool.workers().flat_map(Worker::take_decisions).collect();
        // Threads judge shards in any order; the position in the stream restores the order of the records.
        all.sort_by_key(|decision| (decision.position, decision.engine));
        all
    }

    /// Sets which units are kept. No record may have been read.
    pub fn keep(&mut self, keep: Retention) {
        self.options.keep = keep;
    }

    /// Whether all units are kept.
    pub fn keeps_all(&self) -> bool {
        self.options.keep == Retention::All
    }

    /// Takes the findings so far.
    pub fn take_findings(&mut self) -> Findings {
        self.reader.take_findings()
    }

    /// Lines of the current input so far.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Bytes of all lines so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Runs of all lines so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Runs so far, of lines and of other records.
    pub fn runs(&self) -> u64 {
        self.events + self.rows
    }

    /// A bit for each notation of times that lines had so far.
    pub fn notations(&self) -> u8 {
        self.notations
    }

    /// The lines so far of the units of this shard of the history, and of others.
    pub fn lines_of_shards(&mut self) -> (u64, u64) {
        let lines = self.pool.workers().map(|worker| (worker.own_lines, worker.other_lines));
        lines.fold((0, 0), |sum, (own, others)| (sum.0 + own, sum.1 + others))
    }

    /// Whether the limit of bad records is reached.
    pub fn is_full(&self) -> bool {
        self.reader.is_full()
    }

    /// Whether a record was read that was not a line.
    pub fn has_rows(&self) -> bool {
        self.rows > 0
    }

    /// The kinds of units first seen since the last call, each as a unit without a name and without runs.
    pub fn new_kinds(&mut self) -> Vec<Member<E::Fields>> {
        let new: Vec<u32> =
            self.pool.workers().flat_map(|worker| worker.new_kinds.drain(..)).collect();
        let kinds = self.kinds.list();
        new.into_iter().map(|number| kinds[number as usize].unit()).collect()
    }

    /// Reads a document.
    pub fn document(&mut self, document: &Document) {
        self.with_sink(|reader, sink| reader.document(document, sink));
    }

    /// Reads whole lines, which begin a new input.
    pub fn whole_lines(&mut self, name: &str, text: &str) {
        let mut piece =
            Some(Piece { name: name.into(), begins: true, bytes: text.as_bytes().to_vec() });
        self.batch(|next| piece.take().map(|piece| *next = piece).is_some());
    }

    /// Reads the documents of a text.
    pub fn text(&mut self, source: &Arc<Source>) {
        self.with_sink(|reader, sink| reader.text(source, sink));
    }

    /// Reads the failures of a test. Returns the unit and the member of each run.
    pub fn failures(
        &mut self,
        document: &Document,
        test: &Node,
        failures: &[Failure<'_>],
    ) -> Vec<(String, <E::Fields as RecordFields>::Key)> {
        self.with_sink(|reader, sink| reader.failures(document, test, failures, sink))
    }

    /// Reads a stream of JSON values. `name` names it in findings.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn json_values(&mut self, name: &str, bytes: &mut dyn BufRead) -> io::Result<()> {
        self.with_sink(|reader, sink| reader.json_values(name, bytes, sink))
    }

    /// Reads another program's output. `name` names it in findings.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn source(
        &mut self,
        program: &Program,
        name: &str,
        bytes: &mut dyn BufRead,
    ) -> io::Result<()> {
        self.with_sink(|reader, sink| reader.source(program, name, bytes, sink))
    }

    /// Takes an item of another program's output. `name` names the output in findings.
    pub fn item(&mut self, name: &str, item: SourceItem) {
        self.with_sink(|reader, sink| reader.item(name, item, sink));
    }

    fn with_sink<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<E::Fields>, &mut dyn Sink<E::Fields>) -> T,
    ) -> T {
        let Self {
            engines, options, transform, observe, limits, pool, reader, bytes, rows, ..
        } = self;
        let found = (&self.kinds, &self.signatures);
        let hooks = (*transform, *observe);
        let context = StepContext::new(engines, options, limits.as_ref(), found, hooks);
        let has_unit = &mut self.has_unit_of_row;
        read(reader, &mut RowSink { context, pool, position: *bytes, rows, has_unit })
    }

    /// Replays the next pieces. `feed` replaces its argument by the next piece, or returns `false` if there is
    /// none; all threads call it in turn.
    pub fn batch(&mut self, feed: impl FnMut(&mut Piece) -> bool + Send) -> Batch {
        let context = self.context();
        let (count, is_last) = self.pool.read(feed, |worker, piece, distributed| {
            distributed.take_text(piece);
            context.read_piece(worker, piece, distributed, TimeNotation::for_lines());
        });
        // The second phase reads all pieces from all threads, so that they must not be behind the locks of their slots.
        let mut slots = self.pool.take_slots();
        let mut filled = filled_slots(&mut slots, count);
        // Before the second phase, and on one thread: the notation of a piece depends on those of all pieces before it.
        self.agree_on_times(&mut filled);
        self.judge(&filled);
        // After each batch, so that the lines of changes need no more memory than a batch has units.
        self.write_changes();
        let events = self.pool.workers().map(|worker| std::mem::take(&mut worker.events));
        self.events += events.sum::<u64>();
        for PieceSlot { piece, distribution } in filled.iter_mut().map(|slot| &mut **slot) {
            distribution.return_text(piece);
        }
        self.add_unread(&mut filled);
        // After the bytes were returned: a report shows the text of its line.
        self.report_lines(&filled);
        for slot in filled {
            self.bytes += slot.piece.bytes.len() as u64;
        }
        self.pool.put_back(slots);
        match (self.reader.is_full(), is_last) {
            // Checked first: the last piece may be the one with too many bad records.
            (true, _) => Batch::TooManyBad,
            (false, true) => Batch::Last,
            (false, false) => Batch::Full,
        }
    }

    /// The first time of an input determines the notation of all its times. A piece that was read with
    /// another one is distributed again.
    fn agree_on_times(&mut self, slots: &mut [&mut PieceSlot<DistributedPiece>]) {
        for PieceSlot { piece, distribution } in slots.iter_mut().map(|slot| &mut **slot) {
            if piece.begins {
                self.notation = TimeNotation::for_lines();
            }
            if !self.notation.agrees_with(&distribution.lines.notation) {
                let Self { engines, options, transform, observe, limits, pool, .. } = self;
                let found = (&self.kinds, &self.signatures);
                let hooks = (*transform, *observe);
                let context = StepContext::new(engines, options, limits.as_ref(), found, hooks);
                // Any worker will do, since no thread runs. A change of the notation is an error in
                // most lines, so that speed does not matter.
                if let Some((worker, _)) = pool.worker_and_shard(0) {
                    context.read_piece(worker, piece, distribution, self.notation);
                }
            }
            distribution.before = self.notation;
            self.notation = self.notation.after(&distribution.lines.notation);
            self.notations |= self.notation.bit();
        }
    }

    fn context(&self) -> StepContext<'_, E> {
        let found = (&self.kinds, &self.signatures);
        let hooks = (self.transform, self.observe);
        StepContext::new(self.engines, &self.options, self.limits.as_ref(), found, hooks)
    }

    /// Phase two: every shard takes its lines in order.
    fn judge(&self, slots: &[&mut PieceSlot<DistributedPiece>]) {
        let context = self.context();
        self.pool.each_shard(|worker, number, shard| {
            // Rows count one each and lines by their bytes: positions only have to grow with the stream.
            let mut position = self.rows + self.bytes;
            let pieces = slots.iter().enumerate().map(|(piece, slot)| {
                let distributed = &slot.distribution;
                let bytes = distributed.text().map_or(&*slot.piece.bytes, str::as_bytes);
                let step = PieceStep { context: &context, distributed, bytes, piece, position };
                position += bytes.len() as u64;
                step
            });
            ShardStep { context: &context, pieces: pieces.collect() }.run(shard, worker, number);
        });
    }

    /// Writes the changes of a batch, in the order of the stream.
    fn write_changes(&mut self) {
        if self.compare.is_some_and(|compare| compare.lines.is_some()) {
            let workers = self.pool.workers();
            Comparison::write_lines_of(workers.filter_map(|worker| worker.comparison.as_mut()));
        }
    }

    /// Adds the unread words of a batch, in the order of the stream.
    fn add_unread(&mut self, slots: &mut [&mut PieceSlot<DistributedPiece>]) {
        for (piece, words) in self.pool.workers().flat_map(|worker| worker.unread.drain(..)) {
            // Pieces are merged at their places, as threads read them in any order.
            if let Some(slot) = slots.get_mut(piece) {
                slot.distribution.unread.merge(words);
            }
        }
        let mut before = self.lines;
        for PieceSlot { piece, distribution } in slots.iter_mut().map(|slot| &mut **slot) {
            if piece.begins {
                before = 0;
            }
            let words = std::mem::take(&mut distribution.unread);
            self.reader.add_unread(words, &piece.name, &piece.bytes, before);
            before += distribution.lines.count;
        }
    }

    /// Reports the lines of a batch with errors, in the order of the stream.
    fn report_lines(&mut self, slots: &[&mut PieceSlot<DistributedPiece>]) {
        let reports = self.pool.workers().flat_map(|worker| worker.line_reports.drain(..));
        let reports = reports.map(|line| ((line.piece, line.at), line.error));
        let (reports, reader) = (LineReports::new(reports), &mut self.reader);
        let count = |distribution: &DistributedPiece| distribution.lines.count;
        reports.each(slots, &mut self.lines, count, |slot, (at, number), error| {
            // The limit of reports was reached within this batch.
            if reader.is_full() {
                return;
            }
            let error = error.unwrap_or_else(|| LineError::Bad(slot.distribution.notation_at(at)));
            let rest = slot.piece.bytes.get(at..).unwrap_or_default();
            reader.report_line(&LineLocation { name: &slot.piece.name, rest, number }, &error);
        });
    }
}

impl<E: Engine> ReadSources for Stream<'_, E> {
    fn is_full(&self) -> bool {
        self.is_full()
    }

    fn text(&mut self, source: &Arc<Source>) {
        self.text(source);
    }

    fn json_values(&mut self, name: &str, bytes: &mut dyn BufRead) -> io::Result<()> {
        self.json_values(name, bytes)
    }

    fn source(&mut self, program: &Program, name: &str, bytes: &mut dyn BufRead) -> io::Result<()> {
        self.source(program, name, bytes)
    }
}

/// Reads a history into memory. Returns it with the findings.
pub fn read_history<E: Engine>(
    limits: Option<<E::Fields as RecordFields>::Limits>,
    on_bad: OnBadRecord,
    read: impl FnOnce(&mut Stream<'_, E>),
) -> (History<E::Fields>, Findings) {
    let mut stream = Stream::<E>::reader(limits, StreamOptions::small(on_bad));
    read(&mut stream);
    let StreamOutcome { history, findings, .. } = stream.finish();
    (history, findings)
}
