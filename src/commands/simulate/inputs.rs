//! Opens histories, finds out what they are, and reads what is short into memory.

use super::memory::Read;
use super::source::Source;
use super::{SimulateArgs, TimelinesName};
use crate::cli::Refusal;
use crate::commands::{Context, load, systems};
use crate::diag::{Findings, Source as Text};
use crate::history::{
    self, GraceBounds, History, MemberHistory, MemberReader, OnBadRecord, OwnFields, Program,
    Reader,
};
use crate::input::{self, Endings, Piece, Pieces, Stream};
use anyhow::Result;
use std::io::BufRead;
use std::sync::Arc;

/// What reads histories into memory.
trait Reads {
    /// Reads the documents of a text.
    fn text(&mut self, source: &Arc<Text>);
    /// Reads runs in a list, or over several lines each.
    fn records(&mut self, name: &str, bytes: &mut dyn BufRead) -> std::io::Result<()>;
    /// Reads another program's output.
    fn source(
        &mut self,
        program: Program,
        name: &str,
        bytes: &mut dyn BufRead,
    ) -> std::io::Result<()>;
    /// Whether so many bad records were found that reading on helps nobody.
    fn is_full(&self) -> bool;
}

impl Reads for Reader {
    fn text(&mut self, source: &Arc<Text>) {
        self.text(source);
    }

    fn records(&mut self, name: &str, bytes: &mut dyn BufRead) -> std::io::Result<()> {
        self.records(name, bytes)
    }

    fn source(
        &mut self,
        program: Program,
        name: &str,
        bytes: &mut dyn BufRead,
    ) -> std::io::Result<()> {
        self.source(program, name, bytes)
    }

    fn is_full(&self) -> bool {
        self.is_full()
    }
}

impl<F: OwnFields> Reads for MemberReader<F> {
    fn text(&mut self, source: &Arc<Text>) {
        self.text(source);
    }

    fn records(&mut self, name: &str, bytes: &mut dyn BufRead) -> std::io::Result<()> {
        self.records(name, bytes)
    }

    fn source(
        &mut self,
        program: Program,
        name: &str,
        bytes: &mut dyn BufRead,
    ) -> std::io::Result<()> {
        self.source(program, name, bytes)
    }

    fn is_full(&self) -> bool {
        self.is_full()
    }
}

/// What the histories are.
pub(super) enum Inputs {
    /// All of it is in memory.
    Memory(History),
    /// Lines that are too many to be held.
    Stream(Streamed),
}

/// A stream of lines, and what was read beside it.
pub(super) struct Streamed {
    /// Queues and reloads of documents; no jobs.
    pub(super) history: History,
    /// The first pieces.
    pub(super) first: Vec<Piece>,
    /// What follows.
    pub(super) rest: Pieces,
    pub(super) bounds: GraceBounds,
    pub(super) on_bad: OnBadRecord,
    /// Bytes of all lines, where that is known.
    pub(super) size: Option<u64>,
}

/// What a directory of histories is searched for.
const ENDINGS: Endings = Endings::OrCompressed(&["yaml", "yml", "json", "jsonl", "ndjson"]);

/// Lines of which there are more than so many bytes are not held in memory.
const SHORT: usize = 8 << 20;

/// Reads the histories. Documents and other programs' outputs come before lines, whatever the
/// order of the arguments.
pub(super) fn read(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    bounds: GraceBounds,
) -> Result<Inputs> {
    let on_bad = args.on_bad();
    let mut findings = Findings::new();
    let mut reader = Reader::new(bounds, on_bad);
    let mut rest = opened(args, &mut reader, &mut findings);
    let size = rest.size();
    let may_stream = args.timelines != TimelinesName::All && !reader.has_jobs();
    let first = short(&mut rest, may_stream);
    let first = match first {
        Ok((first, true)) => first,
        Ok((first, false)) => {
            let (history, more) = reader.finish();
            findings.extend(more);
            load::refuse_errors(context.ui, findings)?;
            return Ok(Inputs::Stream(Streamed { history, first, rest, bounds, on_bad, size }));
        }
        Err((first, error)) => return Err(broken(&first, &rest, &error).into()),
    };
    let mut source = Source::new(&history::RECORD, first, rest);
    let mut piece = history::Piece::default();
    while source.next(&mut piece) {
        reader.piece(&piece.name, piece.begins, &piece.bytes);
    }
    let full = reader.is_full();
    let (history, more) = reader.finish();
    findings.extend(more);
    let findings = systems::of_another(&history::RECORD, findings, source.strange());
    refuse(context, findings, full)?;
    Ok(Inputs::Memory(history))
}

/// What the histories of another system's units are.
pub(super) enum MemberInputs<F: OwnFields> {
    /// All of it is in memory.
    Memory(MemberHistory<F>),
    /// Lines that are too many to be held, if each unit can be judged by itself.
    Stream(Lines),
}

/// A stream of lines.
pub(super) struct Lines {
    /// The first pieces.
    pub(super) first: Vec<Piece>,
    /// What follows.
    pub(super) rest: Pieces,
    /// Bytes of all lines, where that is known.
    pub(super) size: Option<u64>,
    /// What is known of what was read beside them.
    pub(super) beside: Read,
}

/// Reads histories of another system's units, which have so many members if that is known; of lines
/// only the beginning where there are many and `may_stream` says that they need not be held.
pub(super) fn members<F: OwnFields>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    may_stream: bool,
    members: Option<u32>,
) -> Result<MemberInputs<F>> {
    let mut findings = Findings::new();
    let mut reader = MemberReader::<F>::new(args.on_bad()).of_members(members);
    let mut rest = opened(args, &mut reader, &mut findings);
    let size = rest.size();
    let may_stream = may_stream && args.job.is_none() && !reader.has_members();
    let may_stream = may_stream && args.timelines != TimelinesName::All;
    let mut first = Vec::new();
    if may_stream {
        let (pieces, all) =
            short(&mut rest, true).map_err(|(first, error)| broken(&first, &rest, &error))?;
        if !all {
            let (history, more) = reader.finish();
            findings.extend(more);
            load::refuse_errors(context.ui, findings)?;
            let beside = Read::of_members(&history);
            return Ok(MemberInputs::Stream(Lines { first: pieces, rest, size, beside }));
        }
        first = pieces;
    }
    let mut source = Source::new(F::RECORD, first, rest);
    let mut lines = 0;
    let pieces = std::iter::from_fn(|| {
        let mut piece = history::Piece::default();
        source.next(&mut piece).then(|| {
            lines = count(&piece.bytes) + if piece.begins { 0 } else { lines };
            piece
        })
    });
    reader.pieces(pieces, args.threads());
    source.refuse(lines)?;
    let full = reader.is_full();
    let (history, more) = reader.finish();
    findings.extend(more);
    let findings = systems::of_another(F::RECORD, findings, source.strange());
    refuse(context, findings, full)?;
    Ok(MemberInputs::Memory(history))
}

/// Reads all but lines; gives those back.
fn opened(args: &SimulateArgs, reader: &mut impl Reads, findings: &mut Findings) -> Pieces {
    let mut lines = Vec::new();
    for path in input::expand(&args.history, ENDINGS, findings) {
        if let Some(stream) = input::open(&path, findings) {
            lines.extend(whole(reader, stream, args, findings));
        }
        if reader.is_full() {
            break;
        }
    }
    Pieces::new(lines)
}

/// Stops the command if something is wrong with the histories.
pub(super) fn refuse(context: &mut Context<'_>, findings: Findings, full: bool) -> Result<()> {
    if full {
        let help = "reading stopped after 20 bad records; --on-bad-record skip leaves them out";
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

/// The pieces there are, and whether they are all; without `may_stream` they always are.
type Short = (Vec<Piece>, bool);

fn short(rest: &mut Pieces, may_stream: bool) -> Result<Short, (Vec<Piece>, std::io::Error)> {
    let (mut pieces, mut bytes) = (Vec::new(), 0);
    loop {
        let mut piece = Piece::default();
        match rest.read(&mut piece) {
            Ok(false) => return Ok((pieces, true)),
            Ok(true) => bytes += piece.bytes.len(),
            Err(error) => return Err((pieces, error)),
        }
        piece.bytes.shrink_to_fit();
        pieces.push(piece);
        if may_stream && bytes > SHORT {
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
    let format = match args.format.given() {
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

/// Reads a history into memory; gives it back if it is one of lines.
fn whole(
    reader: &mut impl Reads,
    mut stream: Stream,
    args: &SimulateArgs,
    findings: &mut Findings,
) -> Option<Stream> {
    let mut head = Vec::new();
    let format = match detect(&mut stream, args, &mut head) {
        Ok(format) => format,
        Err(error) => {
            findings.push(input::unreadable_name(&stream.name, &error));
            return None;
        }
    };
    if format == history::Format::Lines && stream.file.is_some() {
        return Some(stream.closed());
    }
    if let history::Format::Unsupported(format) = format {
        findings.push(format.finding(&stream.name, &head));
        return None;
    }
    let mut stream = stream.preceded_by(head);
    let (name, bytes) = (&stream.name, &mut stream.bytes);
    let read = match format {
        history::Format::Lines => return Some(stream),
        history::Format::Document | history::Format::Unsupported(_) => {
            if let Some(source) = stream.document(findings) {
                reader.text(&source);
            }
            return None;
        }
        history::Format::Records => reader.records(name, bytes),
        history::Format::Of(program) => reader.source(program, name, bytes),
    };
    if let Err(error) = read {
        findings.push(input::unreadable_name(name, &error));
    }
    None
}
