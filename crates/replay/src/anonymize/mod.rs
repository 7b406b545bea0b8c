//! Copies of histories in which names and texts are replaced, so that a history can be shown to others and replays the same.
//!
//! An [`Anonymizer`] reads a history as [`Stream`](crate::simulate::Stream) does, a record at a time, and passes each run to
//! an [`Output`] with other names. Equal names become equal names and different ones different names; what decisions and
//! counts depend on stays: outcomes, times, exit codes, categories, known conditions, resources. [`Counts`] has what a copy
//! cannot hold. It writes nothing, and the keys of its hashes are passed in.

mod copier;
mod messages;
mod names;
mod output;
mod record;
mod settings;
#[cfg(test)]
mod tests;

pub use names::NameKind;
pub use output::{AnonymousRun, Counts, NewName, Output};
pub use settings::Settings;

use crate::history::{
    ArmadaRun, Header, History, KeyOrder, LineError, LineLocation, Piece, PieceLines, PieceUnread,
    Program, ReadSources, Reader, RunRecord, TimeNotation, count_unread, read_line,
};
use armada_retry::policy::Queue;
use copier::{Copier, RecordNames};
use document::diag::{Findings, Source};
use std::io::{self, BufRead};
use std::sync::Arc;

/// Reads a history, and passes it on with other names.
pub struct Anonymizer<'o> {
    reader: Reader<ArmadaRun>,
    copier: Copier<'o>,
    order: KeyOrder,
    notation: TimeNotation,
    /// Lines of the current input so far.
    lines: usize,
    /// The run of a line, over which the next one is read.
    run: RunRecord,
}

impl<'o> Anonymizer<'o> {
    /// An anonymizer that has read nothing.
    pub fn new(settings: &Settings<'_>, output: &'o mut dyn Output) -> Self {
        Self {
            reader: Reader::new(settings.on_bad).with_disruptions(settings.disruptions),
            copier: Copier::new(settings, output),
            order: KeyOrder::default(),
            notation: TimeNotation::for_lines(),
            lines: 0,
            run: RunRecord::default(),
        }
    }

    /// Lines of the current input so far.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Reads the next lines.
    pub fn piece(&mut self, piece: &Piece) {
        if piece.begins {
            (self.notation, self.lines) = (TimeNotation::for_lines(), 0);
        }
        let text = std::str::from_utf8(&piece.bytes).ok();
        let (mut lines, mut unread) = (PieceLines::default(), PieceUnread::default());
        let notation = self.notation;
        lines.read((&piece.bytes, text), piece.begins, notation, |at, line, notation| {
            if !self.is_full() {
                self.line(piece, (at, line), notation, &mut unread);
            }
        });
        self.notation = lines.notation;
        self.reader.add_unread(unread, &piece.name, &piece.bytes, self.lines);
        self.lines += lines.count;
    }

    /// Reads the line that begins at a byte of a piece.
    fn line(
        &mut self,
        piece: &Piece,
        (at, line): (usize, &str),
        notation: &mut TimeNotation,
        unread: &mut PieceUnread,
    ) {
        let (before, mut header) = (*notation, Header::default());
        let run = &mut self.run;
        let error = match read_line(line, notation, &mut self.order, &mut header, run) {
            Ok(words) => {
                count_unread(unread, &words, (line, &run.own), at);
                run.node = header.node.map(Arc::from);
                run.cluster = header.cluster.map(Arc::from);
                let (queue, index) = (header.queue.as_deref(), header.index);
                let fields = run.own.job.take();
                let record = RecordNames { queue, fields, index };
                self.copier.take(&header.id, record, run).err().map(LineError::Fault)
            }
            Err(member) => {
                if let Some((id, ())) = member {
                    crate::history::Sink::add_bad(&mut self.copier, &id, ());
                }
                Some(LineError::Bad(before))
            }
        };
        let Some(error) = error else { return };
        let number = self.lines + 1 + memchr::memchr_iter(b'\n', &piece.bytes[..at]).count();
        let location = LineLocation { name: &piece.name, rest: &piece.bytes[at..], number };
        self.reader.report_line(&location, &error);
    }

    /// The list of a queue with other names.
    pub fn queue(&mut self, queue: &Queue) -> Queue {
        let policies = queue.retry_policies.iter();
        Queue {
            retry_policies: policies.map(|name| self.copier.policy(name)).collect(),
            name: self.copier.name(NameKind::Queue, &queue.name),
        }
    }

    /// Ends the history. Returns its counts, what else was read of it, and the findings.
    pub fn finish(mut self) -> (Counts, History<ArmadaRun>, Findings) {
        let findings = self.reader.take_findings();
        (self.copier.counts, self.reader.history(), findings)
    }
}

/// Of documents without their queues and reloads.
impl ReadSources for Anonymizer<'_> {
    fn is_full(&self) -> bool {
        self.reader.is_full()
    }

    fn text(&mut self, source: &Arc<Source>) {
        self.reader.text(source, &mut self.copier);
    }

    fn json_values(&mut self, name: &str, bytes: &mut dyn BufRead) -> io::Result<()> {
        self.reader.json_values(name, bytes, &mut self.copier)
    }

    fn source(&mut self, program: &Program, name: &str, bytes: &mut dyn BufRead) -> io::Result<()> {
        self.reader.source(program, name, bytes, &mut self.copier)
    }
}
