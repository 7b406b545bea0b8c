//! The two ways: all lines in memory, and pieces of a stream as `simulate` takes them.

use super::question::Question;
use crate::oracle::Draw;
use document::diag::Findings;
use replay::history::{ArmadaRun, History, Piece};
use replay::simulate::{
    self, Batch, Names, Options, ReplayResult, ReportTexts, Retention, Stream, StreamOptions,
    StreamOutcome, Summary, Timelines, read_history,
};
use serde_json::Value;
use std::num::NonZeroUsize;
use systems::armada::{Armada, incomplete_gangs};

/// What a question came to.
#[derive(Debug, Clone)]
pub struct Answer {
    /// A report an engine, as JSON.
    pub reports: Vec<String>,
    /// All that was found, with its places.
    pub findings: Vec<String>,
    pub skipped: usize,
    /// Words that nothing reads, with their numbers and places.
    pub unread: Vec<String>,
    /// Whether reading stopped.
    pub full: bool,
}

impl Answer {
    /// The reports as data.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        self.reports.iter().map(|report| serde_json::from_str(report).expect("JSON"))
    }
}

fn options(question: &Question, history: &History<ArmadaRun>, threads: NonZeroUsize) -> Options {
    let number = |id: &String| history.members.iter().position(|job| *job.unit == **id);
    let only = question.only.as_ref().and_then(number);
    let timelines = if only.is_some() { Timelines::All } else { Timelines::None };
    let skipped_records = history.skipped;
    Options { timelines, assume: question.assume, only, threads, skipped_records, seed: 0 }
}

fn answer(
    question: &Question,
    names: &Names,
    replayed: impl Iterator<Item = ReplayResult>,
    options: Options,
) -> Vec<String> {
    let reports = question
        .engines
        .iter()
        .zip(replayed)
        .map(|(engine, replayed)| simulate::report(engine, names, replayed, options));
    reports.map(|report| serde_json::to_string(&report).expect("JSON")).collect()
}

/// Each finding with its places, in order.
fn told(findings: Findings) -> Vec<String> {
    findings.sorted().iter().map(|finding| format!("{finding:?}")).collect()
}

fn unread(history: &History<ArmadaRun>) -> Vec<String> {
    let words = history.unread.words().into_iter();
    words.map(|it| format!("{:?} {} {} {}", it.kind, it.text, it.records, it.first)).collect()
}

/// The findings about gangs, as the command has them: none if reading stopped, since more of their jobs
/// may follow.
fn gang_findings(history: &History<ArmadaRun>, full: bool) -> Findings {
    if full { Findings::new() } else { incomplete_gangs(&history.members) }
}

/// All lines are read into memory.
pub fn in_memory(question: &Question) -> Answer {
    let mut full = false;
    let (history, mut findings) =
        read_history::<Armada>(Some(question.bounds), question.on_bad, |stream| {
            for (name, bytes) in &question.streams {
                if !stream.is_full() {
                    let name = name.as_str().into();
                    let mut piece = Some(Piece { name, begins: true, bytes: bytes.clone() });
                    stream.batch(|next| piece.take().map(|piece| *next = piece).is_some());
                }
            }
            full = stream.is_full();
        });
    findings.extend(gang_findings(&history, full));
    let options = options(question, &history, NonZeroUsize::MIN);
    let names = Names::default();
    let replayed = question.engines.iter().map(|engine| {
        let none = Summary::new(engine.rules().len());
        simulate::replay(engine, &names, &history.members, options, none)
    });
    let reports = answer(question, &names, replayed, options);
    let findings = told(findings);
    Answer { reports, findings, skipped: history.skipped, unread: unread(&history), full }
}

/// The lines come in pieces, cut and put together by chance.
pub fn streamed(question: &Question, draw: &mut Draw, threads: usize) -> Answer {
    let names = Names::default();
    let threads = NonZeroUsize::new(threads).expect("a thread");
    let options = StreamOptions {
        threads,
        batch: NonZeroUsize::new(draw.pick(&[1, 3, 16])).expect("a piece"),
        on_bad: question.on_bad,
        hash_key: (draw.below(1000) as u64, 1),
        seed: 0,
        keep: question.only.clone().map_or(Retention::Necessary, Retention::NecessaryAnd),
        has_alike: draw.below(4) > 0,
        shard: None,
        is_unmatched: None,
    };
    let mut stream = Stream::new(&question.engines, &names, Some(question.bounds), options);
    let mut pieces = pieces(&question.streams, draw).into_iter();
    let full = loop {
        let batch = stream.batch(|piece| match pieces.next() {
            Some(next) => {
                *piece = next;
                true
            }
            None => false,
        });
        if batch != Batch::Full {
            break batch == Batch::TooManyBad;
        }
    };
    finished(question, &names, stream.finish(), full, threads)
}

fn finished(
    question: &Question,
    names: &Names,
    outcome: StreamOutcome<ArmadaRun>,
    full: bool,
    threads: NonZeroUsize,
) -> Answer {
    let StreamOutcome { summaries, history, mut findings, .. } = outcome;
    findings.extend(gang_findings(&history, full));
    let options = options(question, &history, threads);
    let replayed = question.engines.iter().zip(summaries).map(|(engine, streamed)| {
        simulate::replay(engine, names, &history.members, options, streamed)
    });
    let reports = answer(question, names, replayed, options);
    let findings = told(findings);
    Answer { reports, findings, skipped: history.skipped, unread: unread(&history), full }
}

/// Whole lines, cut anywhere between two.
pub fn pieces(streams: &[(String, Vec<u8>)], draw: &mut Draw) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (name, bytes) in streams {
        let cuts = draw.pick(&[0, 5, 30, 100]);
        let (mut from, mut begins) = (0, true);
        for at in memchr::memchr_iter(b'\n', bytes).map(|at| at + 1).chain([bytes.len()]) {
            if at > from && (at == bytes.len() || draw.chance(cuts)) {
                let bytes = bytes[from..at].to_vec();
                pieces.push(Piece { name: name.as_str().into(), begins, bytes });
                (from, begins) = (at, false);
            }
        }
    }
    pieces
}
