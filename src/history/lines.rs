//! JSON Lines, a run a line.

use super::clock::Clock;
use super::faults::Prior;
use super::fields::{self, JobFields, RunFields};
use super::json_record::{self, Record};
use super::piece::lines;
use super::reader::{Reader, checked};
use super::shape::RECORD;
use super::unread::PieceUnread;
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use crate::document::{Document, Limits, Node, parse};
use std::sync::Arc;

/// The run that a line says, if it is one. The clock moves on only then.
pub(crate) fn read_line<'t>(text: &'t str, clock: &mut Clock) -> Option<Record<'t>> {
    let mut record = Record::default();
    fill_from_line(text, clock, &mut record).then_some(record)
}

/// Reads a line into a record, over what it said; `false` if the line is no run, and then what the
/// record says means nothing. The clock moves on only with it. Streams go through one record, which
/// is half a kilobyte and need not be moved.
pub fn fill_from_line<'t>(text: &'t str, clock: &mut Clock, record: &mut Record<'t>) -> bool {
    json_record::read(text, clock, record) || uncommon(text, clock, record)
}

#[cold]
fn uncommon(text: &str, clock: &mut Clock, record: &mut Record<'_>) -> bool {
    let Ok((read, after)) = tree_of_line("", 0, text, *clock) else { return false };
    (*record, *clock) = (read, after);
    true
}

impl Reader {
    /// Begins another stream of lines: whether its times are dates or offsets is its own.
    pub fn begin_lines(&mut self) {
        self.lines_clock = Clock::of_lines();
        self.lines_read = 0;
    }

    /// Reads one line of JSON Lines. `number` is the line's, from 1. Keys that nothing reads are
    /// not counted.
    pub fn line(&mut self, name: &str, number: usize, text: &str) {
        self.line_of_piece(name, number, text);
    }

    /// Reads one line; `true` if it may have keys or conditions that nothing reads.
    pub(super) fn line_of_piece(&mut self, name: &str, number: usize, text: &str) -> bool {
        let mut record = Record::default();
        let record = if json_record::read(text, &mut self.lines_clock, &mut record) {
            Ok(record)
        } else {
            tree_of_line(name, number, text, self.lines_clock).map(|(record, clock)| {
                self.lines_clock = clock;
                record
            })
        };
        let may_have_unread = record.as_ref().map_or(true, Record::may_have_unread);
        match record {
            Ok(record) => {
                let source = || Source::excerpt(name, text, number);
                let run = record.fields.run.into_owned();
                let run = RunFields { run, index: record.fields.index };
                let place = |key: &str| place_in_line(&source(), key);
                self.record(&record.id, record.job.to_owned(), run, &[], place);
            }
            Err(findings) => self.bad_record(id_of_line(text).as_deref(), findings),
        }
        may_have_unread
    }

    /// Reads whole lines of a stream, which begins here if `begins`.
    pub fn piece(&mut self, name: &str, begins: bool, bytes: &[u8]) {
        if begins {
            self.begin_lines();
        }
        let (mut unread, before) = (PieceUnread::default(), self.lines_read);
        for (at, line) in lines(bytes, begins) {
            self.lines_read += 1;
            let line = line.trim_ascii_end();
            if line.trim_ascii().is_empty() {
                continue;
            }
            match std::str::from_utf8(line) {
                Ok(text) => {
                    if self.line_of_piece(name, self.lines_read, text) {
                        unread.line(text, &RECORD, at);
                    }
                }
                Err(error) => {
                    let text = String::from_utf8_lossy(line);
                    self.not_utf8(name, self.lines_read, &text, error.valid_up_to());
                }
            }
            if self.is_full() {
                return;
            }
        }
        self.unread(unread, name, bytes, before);
    }

    /// Reads a line whose times are written as those of `clock`.
    pub(crate) fn timed_line(&mut self, name: &str, number: usize, text: &str, clock: Clock) {
        self.lines_clock = clock;
        self.line(name, number, text);
    }

    /// Says which rule a line breaks whose job is not kept here, and so in no gang, given the runs
    /// before it.
    pub(crate) fn faulty_line(
        &mut self,
        name: &str,
        number: usize,
        text: &str,
        prior: Prior,
        index: u32,
    ) {
        let mut findings = Findings::new();
        let record = read_line(text, &mut Clock::of_lines());
        let fault = record.and_then(|mut record| {
            record.fields.run.run_index = index;
            record.fields.fault(prior, self.bounds, false)
        });
        if let Some((key, message)) = fault {
            let place = place_in_line(&Source::excerpt(name, text, number), key);
            findings.push(Diagnostic::error(Code::BadRecord, place, message));
        }
        self.bad_record(None, findings);
    }

    /// Says that a line says something else of its job, which is not kept here.
    pub(crate) fn differing_line(&mut self, name: &str, number: usize, text: &str, key: &str) {
        if let Some(record) = read_line(text, &mut Clock::of_lines()) {
            let place = place_in_line(&Source::excerpt(name, text, number), key);
            self.differs(&record.id, key, place);
        }
    }

    /// A line that is not UTF-8: what can be read of it, and the byte at which it goes wrong.
    pub fn not_utf8(&mut self, name: &str, number: usize, text: &str, at: usize) {
        let mut findings = Findings::new();
        findings.push(no_utf8(&Source::excerpt(name, text, number), at));
        self.bad_record(None, findings);
    }
}

/// What an uncommon line says, or all that is wrong with it.
fn tree_of_line(
    name: &str,
    number: usize,
    text: &str,
    mut clock: Clock,
) -> Result<(Record<'static>, Clock), Findings> {
    let source = Source::excerpt(name, text, number);
    let (document, mut findings) = document_of_line(&source)?;
    if let Some(document) = &document {
        let root = &document.root;
        // Lines may say more than is read of them, at every depth.
        findings.extend(
            checked(document, root, &RECORD).without(&[Code::UnknownField, Code::OtherForm]),
        );
        let good = !findings.has_errors();
        let id = root.get("jobId").and_then(Node::some_text).filter(|_| good);
        if let Some(id) = id
            && let Some(run) = fields::run(document, root, &mut clock, &mut findings)
        {
            let record = Record::owned(id, JobFields::of(root), run);
            return Ok((record, clock));
        }
    }
    if !findings.has_errors() {
        findings.push(no_record(&source));
    }
    Err(findings)
}

/// The document that a line is, with what is wrong with it as one; or why the line is no JSON.
pub(super) fn document_of_line(
    source: &Arc<Source>,
) -> Result<(Option<Document>, Findings), Findings> {
    let text = source.text();
    let mut findings = Findings::new();
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        let at = text.char_indices().map(|(at, _)| at).nth(error.column().saturating_sub(1));
        let at = at.unwrap_or(text.len());
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        let place = Place::new(source, Span::new(at, at + 1));
        findings.push(Diagnostic::error(Code::Syntax, place, format!("no JSON: {message}")));
        return Err(findings);
    }
    let (documents, syntax) = parse(source, Limits::HISTORY);
    findings.extend(syntax);
    Ok((documents.into_iter().next(), findings))
}

/// The finding of a line that is no record, where nothing else says why.
pub(super) fn no_record(source: &Arc<Source>) -> Diagnostic {
    let place = Place::new(source, Span::new(0, source.text().len()));
    Diagnostic::error(Code::BadRecord, place, "this is no run record")
}

/// The finding of a line that is not UTF-8 from this byte on.
pub(super) fn no_utf8(source: &Arc<Source>, at: usize) -> Diagnostic {
    let place = Place::new(source, Span::new(at, at + 1));
    Diagnostic::error(Code::NotUtf8, place, "the line is not UTF-8")
}

/// The job that a bad line speaks of, if so much can be read.
pub(crate) fn id_of_line(text: &str) -> Option<String> {
    let line: serde_json::Value = serde_json::from_str(text).ok()?;
    line["jobId"].as_str().map(str::to_owned)
}

/// Where a field stands in a line; the line's beginning where it does not.
pub(super) fn place_in_line(source: &Arc<Source>, key: &str) -> Place {
    let (documents, _) = parse(source, Limits::HISTORY);
    let span = documents.first().and_then(|document| document.root.get(key)).map(|node| node.span);
    Place::new(source, span.unwrap_or(Span::new(0, 1)))
}
