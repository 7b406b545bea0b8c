//! Opens histories and finds out what they are; passes documents and other programs' output to a stream.

use super::SimulateArgs;
use crate::cli::{Context, Refusal};
use crate::commands::load;
use crate::diag::{Diagnostic, Findings};
use crate::history::{self, OnBadRecord, Piece, Program};
use crate::input::{self, Endings, Pieces, Stream};
use crate::simulate::{self, Engine};
use anyhow::Result;

/// What a directory of histories is searched for.
const ENDINGS: Endings = Endings::OrCompressed(&["yaml", "yml", "json", "jsonl", "ndjson"]);

/// Bytes of lines up to which a history is read into memory, so that it may get timelines. More would take
/// about ten times as much memory.
const SHORT: usize = 8 << 20;

/// Reads the histories but lines, which it returns: documents and other programs' output come first, whatever
/// the order of the arguments.
pub(super) fn read<E: Engine>(
    args: &SimulateArgs,
    stream: &mut simulate::Stream<'_, E>,
    findings: &mut Findings,
) -> Pieces {
    let mut lines = Vec::new();
    for path in input::expand(&args.history, ENDINGS, findings) {
        if let Some(file) = input::open(&path, findings) {
            lines.extend(read_file(stream, file, args, findings));
        }
        if stream.is_full() {
            break;
        }
    }
    Pieces::new(lines)
}

/// Stops the command if something is wrong with the histories.
pub(super) fn refuse(context: &mut Context<'_>, findings: Findings, full: bool) -> Result<()> {
    if full {
        let help = "reading stopped after 20 bad records; use --on-bad-record skip to ignore them";
        return Err(Refusal::findings(findings.sorted()).help(help).into());
    }
    load::refuse_errors(context.ui, findings)
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

/// Reads pieces until there are more than [`SHORT`] bytes; returns them, and whether they are all.
pub(super) fn first_pieces(lines: &mut Pieces) -> Result<(Vec<Piece>, bool)> {
    let (mut pieces, mut bytes) = (Vec::new(), 0);
    loop {
        let mut piece = Piece::default();
        match lines.read(&mut piece) {
            Ok(false) => return Ok((pieces, true)),
            Ok(true) => bytes += piece.bytes.len(),
            Err(error) => return Err(broken(&pieces, lines, &error).into()),
        }
        piece.bytes.shrink_to_fit();
        pieces.push(piece);
        if bytes > SHORT {
            return Ok((pieces, false));
        }
    }
}

/// What a history is: as its first bytes tell, unless `--format` does. What was read is put into
/// `head`.
fn detect(
    stream: &mut Stream,
    args: &SimulateArgs,
    head: &mut Vec<u8>,
) -> std::io::Result<history::Format> {
    use history::Format::{Document, Lines, Of, Unsupported};
    let bytes = &mut stream.bytes;
    let format = match args.format.selected() {
        Some(format) => format,
        None => history::detect(&stream.name, bytes, head)?,
    };
    let is_json = match format {
        // A line that is no JSON is a bad record.
        Lines => args.on_bad() == OnBadRecord::Error,
        Of(program) => program != Program::Sacct,
        Document => true,
        _ => false,
    };
    if !is_json {
        return Ok(format);
    }
    let before = history::detect_lines_before_json(bytes, head)?;
    Ok(before.map_or(format, Unsupported))
}

/// Reads a file; returns it if it is one of lines.
fn read_file<E: Engine>(
    stream: &mut simulate::Stream<'_, E>,
    mut file: Stream,
    args: &SimulateArgs,
    findings: &mut Findings,
) -> Option<Stream> {
    let mut head = Vec::new();
    let format = match detect(&mut file, args, &mut head) {
        Ok(format) => format,
        Err(error) => {
            findings.push(input::unreadable_name(&file.name, &error));
            return None;
        }
    };
    if format == history::Format::Lines && file.file.is_some() {
        return Some(file.closed());
    }
    if let history::Format::Unsupported(format) = format {
        findings.push(format.finding(&file.name, &head));
        return None;
    }
    let mut file = file.preceded_by(head);
    let (name, bytes) = (&file.name, &mut file.bytes);
    let read = match format {
        history::Format::Lines => return Some(file),
        history::Format::Document | history::Format::Unsupported(_) => {
            if let Some(source) = file.document(findings) {
                stream.text(&source);
            }
            return None;
        }
        history::Format::Records => stream.json_values(name, bytes),
        history::Format::Of(program) => stream.source(program, name, bytes),
    };
    if let Err(error) = read {
        findings.push(input::unreadable_name(name, &error));
    }
    None
}

/// The lines of all inputs, of which some pieces were read already.
pub(super) struct Source {
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
    pub(super) fn new(
        warning: fn(&str, &[u8]) -> Option<Diagnostic>,
        first: Vec<Piece>,
        rest: Pieces,
    ) -> Self {
        let first = first.into_iter();
        Self { first, rest, error: None, warning, warnings: Findings::new() }
    }

    /// Fills a piece with the next one; `false` if there is none.
    pub(super) fn next(&mut self, piece: &mut Piece) -> bool {
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
    pub(super) fn refuse(&self, lines: usize) -> Result<()> {
        let Some(error) = &self.error else { return Ok(()) };
        let lines = if self.rest.at_beginning() { 0 } else { lines };
        Err(unreadable(self.rest.name(), lines + 1, error).into())
    }

    /// Warnings about inputs whose lines are another system's.
    pub(super) fn warnings(self) -> Findings {
        self.warnings
    }
}
