//! Lines of JSON: the record of one line on either path, and the findings about a line with their places.

use super::checks::FieldFault;
use super::line::{Header, KeyOrder, UnreadOfLine, read};
use super::piece::texts;
use super::reader::{Reader, Row, Sink, checked, difference, no_record};
use super::record::{RecordFields, Run};
use super::scan::{Cursor, KeyMatcher, first_text};
use super::table::Table;
use super::time_notation::TimeNotation;
use super::tree::{Record, key_of_node, record_of_node, span_of_fault};
use super::unread::PieceUnread;
use document::diag::{Code, Diagnostic, Findings, Place, Source, Span, json_syntax};
use document::{Document, Limits, Node, parse};
use std::borrow::Cow;
use std::sync::Arc;

/// The unit and the member that a bad record names, as far as they can be read.
pub(crate) type BadMember<F> = Option<(String, <F as RecordFields>::Key)>;

/// Reads a line on the fast path, or else on the exact one; returns its words that nothing reads. `header` is empty; the
/// run's own fields are read over what `run` held. The notation changes only with a record.
///
/// # Errors
///
/// If the line is not a record.
pub(crate) fn read_line<'t, F: RecordFields>(
    text: &'t str,
    notation: &mut TimeNotation,
    order: &mut KeyOrder,
    header: &mut Header<'t>,
    run: &mut Run<F>,
) -> Result<UnreadOfLine<'t>, BadMember<F>> {
    match read(text, notation, order, header, run) {
        Some(unread) => Ok(unread),
        None => read_exactly(text, notation, header, run).map(|()| UnreadOfLine::Unknown),
    }
}

#[cold]
fn read_exactly<F: RecordFields>(
    text: &str,
    notation: &mut TimeNotation,
    header: &mut Header<'_>,
    run: &mut Run<F>,
) -> Result<(), BadMember<F>> {
    // Without a name and a number: no finding of it is shown here, since the line is reported once,
    // in the order of the stream.
    let source = Source::excerpt("", text, 0);
    let record = record_of_line(&source, notation).map_err(|bad| bad.member)?;
    (*header, *run) = record;
    Ok(())
}

/// Reads single lines, each over the run of the line before, as streams do.
#[derive(Debug)]
pub struct LineReader<F: RecordFields> {
    order: KeyOrder,
    run: Run<F>,
}

impl<F: RecordFields> Default for LineReader<F> {
    fn default() -> Self {
        Self { order: KeyOrder::default(), run: Run::default() }
    }
}

impl<F: RecordFields> LineReader<F> {
    /// The unit's id and the run of a line, if it is a record.
    pub fn read<'l>(
        &'l mut self,
        text: &'l str,
    ) -> Option<(std::borrow::Cow<'l, str>, &'l Run<F>)> {
        let (mut notation, mut header) = (TimeNotation::for_lines(), Header::default());
        read_line(text, &mut notation, &mut self.order, &mut header, &mut self.run).ok()?;
        Some((header.id, &self.run))
    }
}

/// A line that is not a record.
pub(super) struct BadLine<F: RecordFields> {
    pub(super) findings: Findings,
    pub(super) member: BadMember<F>,
}

/// Reads a line on the exact path.
///
/// # Errors
///
/// All that is wrong with it.
pub(super) fn record_of_line<F: RecordFields>(
    source: &Arc<Source>,
    notation: &mut TimeNotation,
) -> Result<Record<F>, BadLine<F>> {
    let bad = |findings| BadLine { findings, member: None };
    let (document, mut findings) = document_of_line(source).map_err(bad)?;
    let Some(document) = &document else {
        if !findings.has_errors() {
            findings.push(no_record(source));
        }
        return Err(bad(findings));
    };
    let root = &document.root;
    // Unknown keys of lines are ignored, at every depth.
    let of_shape = checked(document, root, Table::<F>::RECORD);
    // Programs add keys of their own to records; `unread` counts them instead.
    findings.extend(of_shape.without(&[Code::UnknownField, Code::OtherForm]));
    record_of_node(document, root, Table::<F>::RECORD, notation, findings).map_err(|findings| {
        let member = id_of_node(root).map(|id| (id.to_owned(), key_of_node::<F>(root)));
        BadLine { findings, member }
    })
}

/// The unit that a record names. One with two ids names none.
fn id_of_node(root: &Node) -> Option<&str> {
    let mut ids = root.entries().iter().filter(|entry| entry.key == "jobId");
    let first = ids.next()?.value.some_text()?;
    // Equal ids are one id: the record is bad for its repeated key, but its unit is certain.
    ids.all(|entry| entry.value.text() == Some(first)).then_some(first)
}

/// The document of a line, with the findings about it as one.
///
/// # Errors
///
/// Why the line is not JSON.
fn document_of_line(source: &Arc<Source>) -> Result<(Option<Document>, Findings), Findings> {
    let text = source.text();
    // The YAML parser, which gives places, takes more than JSON: a line has to be JSON first.
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        let ((message, help), at) = json_syntax(text.as_bytes(), &error);
        let place = Place::new(source, Span::new(at, at + 1));
        let finding = Diagnostic::error(Code::Syntax, place, message).help(help);
        return Err(Findings::of(finding));
    }
    let (documents, syntax) = parse(source, Limits::HISTORY);
    Ok((documents.into_iter().next(), syntax))
}

/// The finding that a line is not UTF-8 from this byte on.
pub(super) fn not_utf8(source: &Arc<Source>, at: usize) -> Diagnostic {
    let place = Place::new(source, Span::new(at, at + 1));
    Diagnostic::error(Code::NotUtf8, place, "the line is not UTF-8")
}

/// The place of a fault in a line; the line's beginning if the field is absent.
fn place_in_line(source: &Arc<Source>, fault: &FieldFault) -> Place {
    let (documents, _) = parse(source, Limits::HISTORY);
    let root = documents.first().map(|document| &document.root);
    let span = root.filter(|root| root.get(fault.key).is_some());
    let span = span.map_or(Span::new(0, 1), |root| span_of_fault(root, fault));
    Place::new(source, span)
}

/// The location of a line in a stream.
pub(crate) struct LineLocation<'p> {
    pub(crate) name: &'p str,
    /// The bytes from the beginning of the line on.
    pub(crate) rest: &'p [u8],
    /// The line's number in the stream, from 1.
    pub(crate) number: usize,
}

/// A line that a finding is about.
#[derive(Debug)]
pub(crate) enum LineError {
    /// It is not a record, with times in this notation.
    Bad(TimeNotation),
    /// Its run breaks a rule between the runs of a member.
    Fault(FieldFault),
    /// It has another value for this field of this unit than the unit's first record.
    Difference(String, &'static str),
}

impl LineLocation<'_> {
    /// The line without its end.
    fn bytes(&self) -> &[u8] {
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        // A carriage return before the line break belongs to the end of the line.
        self.rest.get(..end).unwrap_or_default().trim_ascii_end()
    }

    /// The line as a text for findings; invalid bytes are replaced.
    fn source(&self) -> Arc<Source> {
        Source::excerpt(self.name, String::from_utf8_lossy(self.bytes()), self.number)
    }
}

impl<F: RecordFields> Reader<F> {
    /// Reports a line of a stream.
    pub(crate) fn report_line(&mut self, location: &LineLocation<'_>, error: &LineError) {
        match error {
            LineError::Difference(id, key) => {
                let place = place_in_line(&location.source(), &FieldFault::new(key, ""));
                self.push(difference(id, key, place));
            }
            // The exact path is slow, and a history with millions of bad lines is read with this option.
            _ if self.skips_bad_records() => self.bad_record(Findings::new()),
            LineError::Bad(notation) => self.report_bad_line(location, *notation),
            LineError::Fault(fault) => {
                let place = place_in_line(&location.source(), fault);
                let finding = Diagnostic::error(Code::BadRecord, place, fault.message.clone());
                self.bad_record(Findings::of(finding));
            }
        }
    }

    fn report_bad_line(&mut self, location: &LineLocation<'_>, mut notation: TimeNotation) {
        let source = location.source();
        if let Err(error) = std::str::from_utf8(location.bytes()) {
            return self.bad_record(Findings::of(not_utf8(&source, error.valid_up_to())));
        }
        let bad = record_of_line::<F>(&source, &mut notation).err();
        self.bad_record(bad.map(|bad| bad.findings).unwrap_or_default());
    }

    /// Reads a record that is a text of its own.
    pub(crate) fn value(
        &mut self,
        source: &Arc<Source>,
        notation: &mut TimeNotation,
        sink: &mut dyn Sink<F>,
    ) {
        match record_of_line(source, notation) {
            Ok((header, run)) => {
                let id = header.id.to_string();
                let row = Row::new(header, run, &mut self.names);
                let place = |fault: &FieldFault| place_in_line(source, fault);
                self.add(sink, &id, row, &[], &place, &|message| message);
            }
            Err(BadLine { findings, member }) => {
                if let Some((id, key)) = member {
                    sink.add_bad(&id, key);
                }
                self.bad_record(findings);
            }
        }
    }
}

/// The lines of a piece that were read.
#[derive(Debug)]
pub(crate) struct PieceLines {
    /// Lines, blank ones too.
    pub(crate) count: usize,
    /// The notation of times after the last line.
    pub(crate) notation: TimeNotation,
    /// The byte at which the line begins that determined the notation.
    pub(crate) first_timed: Option<usize>,
}

impl Default for PieceLines {
    fn default() -> Self {
        Self { count: 0, notation: TimeNotation::for_lines(), first_timed: None }
    }
}

impl PieceLines {
    /// Passes each line that is not blank to `read`, with the byte at which it begins; a line that is not UTF-8 is empty.
    /// `text` is the piece if it is UTF-8. Times are in `notation`, or in that of the first one, which `read` sets.
    pub(crate) fn read<'t>(
        &mut self,
        (bytes, text): (&'t [u8], Option<&'t str>),
        begins: bool,
        notation: TimeNotation,
        mut read: impl FnMut(usize, &'t str, &mut TimeNotation),
    ) {
        (self.count, self.notation, self.first_timed) = (0, notation, None);
        for (at, line) in texts(bytes, text, begins) {
            self.count += 1;
            // Blank lines count, so that line numbers are those of the file.
            if line == Some("") {
                continue;
            }
            let was_determined = self.notation.is_determined();
            read(at, line.unwrap_or_default(), &mut self.notation);
            if !was_determined && self.notation.is_determined() {
                self.first_timed = Some(at);
            }
        }
    }
}

/// Counts the words of a line that nothing reads, which begins at this byte.
pub(crate) fn count_unread<F: RecordFields>(
    unread: &mut PieceUnread,
    of_line: &UnreadOfLine<'_>,
    (text, run): (&str, &F),
    at: usize,
) {
    match of_line {
        UnreadOfLine::Known(keys) => unread.words((keys, Table::<F>::RECORD), run, at),
        UnreadOfLine::Unknown => unread.line(text, Table::<F>::RECORD, at),
    }
}

/// The id of the unit of a line that need not be read now: its unit is mostly its first field. `None` if the line has to be
/// read, since it may be the one that determines the `notation` of times, or its unit is not found.
pub(crate) fn first_id<'l>(line: &'l str, notation: &TimeNotation) -> Option<Cow<'l, str>> {
    const ID: KeyMatcher = KeyMatcher::of("jobId");
    if !notation.is_determined() && may_have_time(line) {
        return None;
    }
    first_text(&mut Cursor::new(line, TimeNotation::for_lines()), "jobId", &ID)
}

/// Whether a line may have a time: all keys of times end in `edAt`, and an escape may spell any key.
fn may_have_time(text: &str) -> bool {
    let text = text.as_bytes();
    memchr::memmem::find(text, b"edAt").is_some() || memchr::memchr(b'\\', text).is_some()
}
