//! JSON Lines, a run a line: rows are put together, and bad lines are told with their places.

use super::rows::{BadLine, Row, Rows, Says, of_line};
use super::{MemberReader, OwnFields};
use crate::diag::{Code, Diagnostic, Findings, Source};
use crate::history::clock::Clock;
use crate::history::lines::{no_utf8, place_in_line};
use crate::history::piece::Piece;
use crate::history::reader::differing;
use crate::history::unread::PieceUnread;
use std::sync::Arc;

/// Where a line stands.
pub(crate) struct Stands<'p> {
    pub(crate) name: &'p str,
    /// The stream from the line on.
    pub(crate) rest: &'p [u8],
    /// Its number in the stream, from 1.
    pub(crate) number: usize,
}

/// What is wrong with a line.
#[derive(Debug)]
pub(crate) enum Wrong {
    /// It is no record, with times as this clock has them.
    Bad(Clock),
    /// This field of it breaks a rule, which the message says.
    Fault(&'static str, String),
    /// It names another queue than the first record of this unit.
    Queue(String),
}

impl Stands<'_> {
    /// The line, without its end. Only findings ask for it.
    fn bytes(&self) -> &[u8] {
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        self.rest.get(..end).unwrap_or_default().trim_ascii_end()
    }

    /// The line as a text to point into. What is no UTF-8 is shown as far as it can be.
    fn source(&self) -> Arc<Source> {
        Source::excerpt(self.name, String::from_utf8_lossy(self.bytes()), self.number)
    }
}

impl<F: OwnFields> MemberReader<F> {
    /// Reads whole lines of a stream, which begins here if `begins`.
    pub fn piece(&mut self, name: &str, begins: bool, bytes: &[u8]) {
        let rows = Rows::read(bytes, begins, Clock::of_lines(), &mut self.names);
        self.rows(name, begins, bytes, rows);
    }

    /// Reads a piece.
    pub(super) fn read(&mut self, piece: &Piece, rows: Rows<F>) {
        self.rows(&piece.name, piece.begins, &piece.bytes, rows);
    }

    /// Takes the rows of a piece, which was read without a look at those before it.
    fn rows(&mut self, name: &str, begins: bool, bytes: &[u8], mut rows: Rows<F>) {
        if begins {
            self.lines_clock = Clock::of_lines();
            self.lines_read = 0;
        }
        let mut clock = self.lines_clock;
        if !clock.agrees_with(&rows.told.clock) {
            // Its times are not written as the stream's are: most of its lines are bad.
            rows = Rows::read(bytes, begins, clock, &mut self.names);
        }
        let Rows { lines, mut told } = rows;
        self.unread(told.unread.take(), name, bytes, self.lines_read);
        let after = clock.after(&told.clock);
        for line in lines {
            let rest = bytes.get(line.at..).unwrap_or_default();
            let stands = Stands { name, rest, number: self.lines_read + line.number };
            if told.timed == Some(line.at) {
                clock = after;
            }
            match line.says {
                Says::Run(id, row) => {
                    self.row(told.ids.get(id).unwrap_or_default(), row, &stands);
                }
                Says::Bad(_) => self.bad_line(&stands, clock),
            }
            if self.is_full() {
                return;
            }
        }
        self.lines_clock = after;
        self.lines_read += told.lines;
    }

    /// Adds the words of a piece that nothing reads.
    pub(crate) fn unread(&mut self, words: PieceUnread, name: &str, bytes: &[u8], lines: usize) {
        self.unread.piece(words, name, bytes, lines);
    }

    fn row(&mut self, id: &str, row: Row<F>, stands: &Stands<'_>) {
        self.run(id, row, |key| place_in_line(&stands.source(), key));
    }

    /// Says what is wrong with a line that somebody else has read.
    pub(crate) fn tell(&mut self, stands: &Stands<'_>, wrong: &Wrong) {
        match wrong {
            Wrong::Queue(id) => {
                let place = place_in_line(&stands.source(), "queue");
                self.findings.push(differing(id, "queue", place));
            }
            // Nobody asks what is wrong with it.
            _ if self.leaves_out() => self.bad_record(None, Findings::new()),
            Wrong::Bad(clock) => self.bad_line(stands, *clock),
            Wrong::Fault(key, message) => {
                let mut findings = Findings::new();
                let place = place_in_line(&stands.source(), key);
                findings.push(Diagnostic::error(Code::BadRecord, place, message.clone()));
                self.bad_record(None, findings);
            }
        }
    }

    /// Says what is wrong with a line that no row came of.
    fn bad_line(&mut self, stands: &Stands<'_>, mut clock: Clock) {
        let source = stands.source();
        if let Err(error) = std::str::from_utf8(stands.bytes()) {
            let mut findings = Findings::new();
            findings.push(no_utf8(&source, error.valid_up_to()));
            return self.bad_record(None, findings);
        }
        self.value(&source, &mut clock);
    }

    /// Reads a record that is a text of its own.
    pub(in crate::history) fn value(&mut self, source: &Arc<Source>, clock: &mut Clock) {
        let names = &mut self.names;
        let read = of_line(source, clock, |record| {
            (record.0.id.clone().into_owned(), Row::of(record, names))
        });
        match read {
            Ok((id, row)) => {
                self.run(&id, row, |key| place_in_line(source, key));
            }
            Err(BadLine { findings, of }) => {
                self.bad_record(of.as_ref().map(|(id, key)| (id.as_str(), key.clone())), findings);
            }
        }
    }

    /// Leaves out a value that no record came of.
    pub(in crate::history) fn bad_value(&mut self, findings: Findings) {
        self.bad_record(None, findings);
    }
}
