//! Opens histories, detects their formats, and passes all but lines to a stream.

use super::SimulateArgs;
use crate::cli::{Context, Refusal};
use crate::input::{self, Endings, Pieces, Stream};
use crate::project::{self, other_kind_of_input};
use anyhow::Result;
use document::diag::{self, Diagnostic, Findings};
use replay::history::{
    self, History, Lack, MAX_BAD, OnBadRecord, Piece, Program, ReadSources, Reader, RecordFields,
};
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Endings of the files that a directory of histories is searched for.
const ENDINGS: Endings =
    Endings::OrCompressed(&["yaml", "yml", "json", "jsonl", "ndjson", "partial"]);

/// The files that paths of histories stand for.
pub(super) fn history_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    input::expand(paths, ENDINGS, &mut Findings::new())
}

/// Bytes of lines up to which a history is read into memory, so that it may get timelines. More would take
/// about ten times as much memory.
const MAX_BYTES_IN_MEMORY: usize = 8 << 20;

/// The number of histories of which the first bytes are kept, to tell the system of the records: each takes up to 64 KiB.
const MAX_HEADS: usize = 16;

/// The histories, each with its format. Documents and other programs' output are read first, in the order of
/// the arguments, then lines.
pub(in crate::commands) struct Inputs {
    before_lines: VecDeque<Input>,
    lines: Vec<Stream>,
    partials: Vec<Stream>,
    heads: Vec<Head>,
}

/// The format and the first bytes of a history.
pub(super) struct Head {
    pub(super) format: history::Format,
    pub(super) text: String,
}

/// A history.
enum Input {
    /// JSON Lines.
    Lines(Stream),
    /// Runs in a list of JSON, or over several lines each.
    Records(Stream),
    /// A partial summary.
    Partial(Stream),
    /// Another program's output.
    Program(&'static Program, Stream),
    Document(Stream),
    /// The text of a document, if it could be read; else what is wrong with it.
    Text(Option<Arc<diag::Source>>, Findings),
    /// Why a file is not read.
    Unread(Findings),
}

/// The origin of a history's records.
#[derive(Debug, Clone, Default)]
pub(in crate::commands) struct Sources {
    /// Whether there are records in this program's own form, which may have every field.
    pub(super) has_records: bool,
    /// The programs whose output was read.
    pub(super) programs: Vec<&'static Program>,
}

impl Sources {
    /// The names of their formats; `records` for this program's own.
    pub(in crate::commands) fn names(&self) -> Vec<&'static str> {
        let records = self.has_records.then_some("records");
        records.into_iter().chain(self.programs.iter().map(|program| program.name)).collect()
    }

    /// Why no source has a field, or these values of it; `None` if one may have it.
    pub(in crate::commands) fn lack(
        &self,
        field: &str,
        values: &[String],
    ) -> Option<&'static Lack> {
        if self.has_records {
            return None;
        }
        let covers = |program: &&'static Program| -> Option<&'static Lack> {
            program.lacks.iter().find(|lack| lack.covers(field, values))
        };
        let lacks: Option<Vec<_>> = self.programs.iter().map(covers).collect();
        lacks?.first().copied()
    }
}

impl Inputs {
    /// Opens the histories one by one to detect their formats. Files are closed until they are read.
    pub(super) fn open(args: &SimulateArgs, findings: &mut Findings) -> Self {
        Self::open_paths(&args.history, args.format.selected(), args.on_bad(), findings)
    }

    /// No histories.
    pub(super) fn none() -> Self {
        let (before_lines, heads) = (VecDeque::new(), Vec::new());
        Self { before_lines, lines: Vec::new(), partials: Vec::new(), heads }
    }

    /// Opens histories of a format; without one the first bytes of each decide.
    pub(in crate::commands) fn open_paths(
        paths: &[PathBuf],
        format: Option<history::Format>,
        on_bad: OnBadRecord,
        findings: &mut Findings,
    ) -> Self {
        let mut inputs = Self::none();
        for path in input::expand(paths, ENDINGS, findings) {
            let mut of_file = Findings::new();
            let input = match input::open(&path, &mut of_file) {
                Some(file) => Input::new(file, format, on_bad, &mut inputs.heads),
                None => Input::Unread(of_file),
            };
            match input {
                Input::Lines(file) => inputs.lines.push(file),
                Input::Partial(file) => inputs.partials.push(file),
                other => inputs.before_lines.push_back(other),
            }
        }
        inputs
    }

    /// Whether every history is a file that can be opened again.
    pub(super) fn can_be_read_again(&self) -> bool {
        let is_file = |stream: &Stream| stream.file.is_some();
        let before = self.before_lines.iter().all(|input| match input {
            Input::Lines(stream)
            | Input::Records(stream)
            | Input::Partial(stream)
            | Input::Program(_, stream)
            | Input::Document(stream) => is_file(stream),
            Input::Text(..) | Input::Unread(_) => false,
        });
        // Partial summaries have no records to replay.
        before && self.partials.is_empty() && self.lines.iter().all(is_file)
    }

    /// The first bytes of the first histories that can be read.
    pub(super) fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// Whether there are documents.
    pub(super) fn has_documents(&self) -> bool {
        let is_document = |input: &Input| matches!(input, Input::Document(_) | Input::Text(..));
        self.before_lines.iter().any(is_document)
    }

    /// Returns the origin of the records.
    pub(super) fn sources(&self) -> Sources {
        let mut sources = Sources { has_records: !self.lines.is_empty(), programs: Vec::new() };
        for input in &self.before_lines {
            match input {
                Input::Program(program, _) => sources.programs.push(program),
                Input::Records(_) | Input::Document(_) | Input::Text(..) => {
                    sources.has_records = true;
                }
                Input::Lines(_) | Input::Partial(_) | Input::Unread(_) => {}
            }
        }
        sources
    }

    /// Takes the partial summaries.
    pub(super) fn take_partials(&mut self) -> Vec<Stream> {
        std::mem::take(&mut self.partials)
    }

    /// The queues and reloads of the documents, whose texts are in memory from then on.
    pub(in crate::commands) fn settings<F: RecordFields>(&mut self) -> History<F> {
        let mut reader = Reader::<F>::new(OnBadRecord::Skip);
        for input in &mut self.before_lines {
            *input = match std::mem::replace(input, Input::Text(None, Findings::new())) {
                Input::Document(file) => {
                    let mut findings = Findings::new();
                    let text = document(file, &mut findings);
                    if let Some(text) = &text {
                        reader.settings(text);
                    }
                    Input::Text(text, findings)
                }
                other => other,
            };
        }
        reader.history()
    }

    /// Reads the next history that is not lines; `false` if there is none.
    pub(in crate::commands) fn read_next(
        &mut self,
        stream: &mut impl ReadSources,
        findings: &mut Findings,
    ) -> bool {
        for Stream { name, .. } in self.partials.drain(..) {
            let error = io::Error::other("it is a partial summary, which only `simulate` reads");
            findings.push(input::unreadable_name(&name, &error));
        }
        let next = if stream.is_full() { None } else { self.before_lines.pop_front() };
        next.map(|input| input.read(stream, findings)).is_some()
    }

    pub(in crate::commands) fn lines(self) -> Pieces {
        Pieces::new(self.lines)
    }
}

impl Input {
    /// A history by its format.
    fn new(
        mut file: Stream,
        format: Option<history::Format>,
        on_bad: OnBadRecord,
        heads: &mut Vec<Head>,
    ) -> Self {
        let mut head = Vec::new();
        let format = match detect(&mut file, format, on_bad, &mut head) {
            Ok(format) => format,
            Err(error) => {
                return Self::Unread(Findings::of(input::unreadable_name(&file.name, &error)));
            }
        };
        if let history::Format::Unsupported(format) = format {
            return Self::Unread(Findings::of(format.finding(&file.name, &head)));
        }
        if heads.len() < MAX_HEADS {
            heads.push(Head { format, text: String::from_utf8_lossy(&head).into_owned() });
        }
        // Of many files only one is open at a time. Other streams can be read once.
        let file = if file.file.is_some() { file.closed() } else { file.preceded_by(head) };
        match format {
            history::Format::Lines => Self::Lines(file),
            history::Format::Records => Self::Records(file),
            history::Format::Partial => Self::Partial(file),
            history::Format::Of(program) => Self::Program(program, file),
            history::Format::Document | history::Format::Unsupported(_) => Self::Document(file),
        }
    }

    /// Reads it into a stream, unless it is lines.
    fn read(self, stream: &mut impl ReadSources, findings: &mut Findings) {
        let read = match self {
            Self::Lines(_) | Self::Partial(_) => return,
            Self::Unread(of_file) => return findings.extend(of_file),
            Self::Document(file) => {
                let text = document(file, findings);
                return text.into_iter().for_each(|text| stream.text(&text));
            }
            Self::Text(text, of_file) => {
                findings.extend(of_file);
                return text.into_iter().for_each(|text| stream.text(&text));
            }
            Self::Records(Stream { name, mut bytes, .. }) => {
                stream.json_values(&name, &mut bytes).map_err(|error| (name, error))
            }
            Self::Program(program, Stream { name, mut bytes, .. }) => {
                stream.source(program, &name, &mut bytes).map_err(|error| (name, error))
            }
        };
        if let Err((name, error)) = read {
            findings.push(input::unreadable_name(&name, &error));
        }
    }
}

/// The text of a document; none of a file that cannot be read, or that is an input of a simulated cluster.
fn document(file: Stream, findings: &mut Findings) -> Option<Arc<diag::Source>> {
    let text = file.document(findings)?;
    let is_history = text.text().contains("FailureHistory");
    let other = (!is_history)
        .then(|| other_kind_of_input(&text, "a history", "kind: FailureHistory"))
        .flatten();
    let is_other = other.is_some();
    findings.extend(other);
    (!is_other).then_some(text)
}

/// The form of a history: detected from its first bytes, unless `--format` does. What was read is put into
/// `head`.
fn detect(
    stream: &mut Stream,
    format: Option<history::Format>,
    on_bad: OnBadRecord,
    head: &mut Vec<u8>,
) -> std::io::Result<history::Format> {
    use history::Format::{Document, Lines, Of, Unsupported};
    let bytes = &mut stream.bytes;
    let format = match format {
        Some(format) => format,
        None => history::detect(&stream.name, bytes, head)?,
    };
    let is_json = match format {
        // A line that is no JSON is a bad record.
        Lines => on_bad == OnBadRecord::Error,
        Of(program) => program.is_json,
        Document => true,
        _ => false,
    };
    if !is_json {
        return Ok(format);
    }
    let before = history::detect_lines_before_json(bytes, head)?;
    Ok(before.map_or(format, Unsupported))
}

/// Stops the command if something is wrong with the histories.
pub(in crate::commands) fn refuse(
    context: &mut Context<'_>,
    findings: Findings,
    full: bool,
) -> Result<()> {
    if full {
        let help = format!(
            "reading stopped after {MAX_BAD} bad records; use --on-bad-record skip to ignore them"
        );
        return Err(Refusal::findings(findings.sorted()).help(help).into());
    }
    project::refuse_errors(context.ui, findings)
}

/// A stream of which these pieces could be read, and no more.
fn broken(first: &[Piece], rest: &Pieces, error: &std::io::Error) -> Refusal {
    let begun = first.iter().rposition(|piece| piece.begins).unwrap_or(0);
    let begun = if rest.at_beginning() { &[][..] } else { &first[begun..] };
    let lines: usize = begun.iter().map(|piece| count(&piece.bytes)).sum();
    unreadable(rest.name(), lines + 1, error)
}

/// A stream that cannot be read from some line on.
pub(super) fn unreadable(name: &str, line: usize, error: &std::io::Error) -> Refusal {
    Refusal::input(format!("cannot read `{name}` from line {line} on: {error}"))
}

fn count(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

/// Reads pieces until there are more than [`MAX_BYTES_IN_MEMORY`] bytes; returns them, and whether they are all.
pub(super) fn first_pieces(lines: &mut Pieces) -> Result<(Vec<Piece>, bool)> {
    let (mut pieces, mut bytes) = (Vec::new(), 0);
    loop {
        let mut piece = Piece::default();
        match lines.read(&mut piece) {
            Ok(false) => return Ok((pieces, true)),
            Ok(true) => bytes += piece.bytes.len(),
            Err(error) => return Err(broken(&pieces, lines, &error).into()),
        }
        // The pieces are kept, and a buffer may have room for more than its own.
        piece.bytes.shrink_to_fit();
        pieces.push(piece);
        if bytes > MAX_BYTES_IN_MEMORY {
            return Ok((pieces, false));
        }
    }
}

/// The lines of all inputs, of which some pieces were read already.
pub(in crate::commands) struct Source {
    first: std::vec::IntoIter<Piece>,
    rest: Pieces,
    /// Why there are no more pieces, unless all are read.
    error: Option<std::io::Error>,
    /// The warning about an input by its name and lines, if it is another system's.
    warning: fn(&str, &[u8]) -> Option<Diagnostic>,
    warnings: Findings,
}

impl Source {
    /// Pieces that were read already, and those that follow.
    pub(in crate::commands) fn new(
        warning: fn(&str, &[u8]) -> Option<Diagnostic>,
        first: Vec<Piece>,
        rest: Pieces,
    ) -> Self {
        let first = first.into_iter();
        Self { first, rest, error: None, warning, warnings: Findings::new() }
    }

    /// Fills a piece with the next one; `false` if there is none.
    pub(in crate::commands) fn next(&mut self, piece: &mut Piece) -> bool {
        match self.first.next() {
            Some(next) => *piece = next,
            None => match self.rest.read(piece) {
                Ok(true) => {}
                Ok(false) => return false,
                Err(error) => {
                    self.error = Some(error);
                    return false;
                }
            },
        }
        if piece.begins {
            self.warnings.extend((self.warning)(&piece.name, &piece.bytes));
        }
        true
    }

    /// Stops the command if an input could not be read to its end; `lines` of it were.
    pub(in crate::commands) fn refuse(&self, lines: usize) -> Result<()> {
        let Some(error) = &self.error else {
            return Ok(());
        };
        let lines = if self.rest.at_beginning() { 0 } else { lines };
        Err(unreadable(self.rest.name(), lines + 1, error).into())
    }

    /// Warnings about inputs whose lines are another system's.
    pub(in crate::commands) fn warnings(self) -> Findings {
        self.warnings
    }
}
