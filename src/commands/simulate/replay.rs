//! The replay of histories through the policies of any system: read into memory, or as a stream.

use super::inputs::{self, Source};
use super::notes::{self, WithoutRuns};
use super::report::{self, ReportParts};
use super::{SimulateArgs, TimelinesName};
use crate::cli::{Context, Refusal};
use crate::commands::{load, systems};
use crate::diag::{Findings, nearest};
use crate::history::{History, Member, PassedOver, RecordFields, UnreadWords};
use crate::simulate::{
    self, Batch, Engine, Keep, Names, NoteReport, Options, ReportedPer, SimulationReport, Stream,
    StreamOptions, StreamOutcome, Timelines, UnmatchedUnits,
};
use crate::systems::System;
use anyhow::Result;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::num::NonZeroUsize;

/// The policies of a replay: one variant or several, all of one system.
pub(super) trait Policies: Sync {
    /// The system's engine.
    type Engine: System<Fields: RecordFields<Limits = Self::Limits>>;
    /// The bounds on records.
    type Limits: Clone;

    /// The variants' names.
    fn names(&self) -> Vec<&str>;

    /// The bounds on records that the policies imply.
    fn limits(&self) -> Self::Limits;

    /// Whether units can be judged run by run.
    fn can_stream(&self) -> bool;

    /// An engine for each variant, over the queues and reloads of the history.
    fn engines(&mut self, history: &Records<Self>) -> Vec<Self::Engine>;

    /// Whether no manifest of a variant, by its number, names a unit.
    fn is_unmatched(&self, variant: usize, unit: &str) -> bool;

    /// Checks the units that were read, or kinds of them: an error if the policies cannot judge one.
    fn check_units(&self, engines: &[Self::Engine], units: &[MemberOf<Self>]) -> Result<()>;

    /// Checks a history that was read into memory, or the part of a stream that was kept.
    fn check_history(
        &self,
        engines: &[Self::Engine],
        units: &Units<'_>,
        history: &Records<Self>,
    ) -> Result<Vec<NoteReport>>;

    /// The error that a unit of a stream has several members although its policies make one.
    fn refuse_several(&self, unit: &str) -> Refusal;

    /// Notes about the policies.
    fn notes(&self, engines: &[Self::Engine]) -> Result<Vec<NoteReport>>;
}

/// The fields of the records that policies judge.
type FieldsOf<P> = <<P as Policies>::Engine as Engine>::Fields;
/// A member of a unit that policies judge.
pub(super) type MemberOf<P> = Member<FieldsOf<P>>;
/// A history that policies judge.
pub(super) type Records<P> = History<FieldsOf<P>>;

/// The units of a history.
pub(super) enum Units<'u> {
    /// In memory: the unit of each member.
    Memory(Vec<&'u str>),
    /// A stream: how many units there were, and those that no manifest of a variant names.
    Stream(u64, &'u [UnmatchedUnits]),
}

/// The facts of a history that are not about its members.
#[derive(Debug, Clone)]
struct HistoryFacts {
    has_document: bool,
    skipped: usize,
    passed_over: Vec<PassedOver>,
    unread: UnreadWords,
}

impl HistoryFacts {
    fn of<F: RecordFields>(history: &History<F>) -> Self {
        Self {
            has_document: history.has_document,
            skipped: history.skipped,
            passed_over: history.passed_over.clone(),
            unread: history.unread.clone(),
        }
    }

    /// The facts of this part of a history and of another one.
    fn merge(mut self, other: Self) -> Self {
        self.has_document |= other.has_document;
        self.skipped += other.skipped;
        self.passed_over.extend(other.passed_over);
        self.unread.merge(other.unread);
        self
    }

    /// Why the history has no runs, if it has none.
    fn without_runs(&self) -> WithoutRuns {
        notes::without_runs(self.skipped, &self.passed_over)
    }

    /// The notes about the history with `more` of them; with `--strict-records` an error if records have
    /// keys or conditions that no field reads.
    fn notes(&self, args: &SimulateArgs, more: Vec<NoteReport>) -> Result<Vec<NoteReport>> {
        if args.strict_records && !self.unread.is_empty() {
            return Err(notes::refuse_unread(&self.unread).into());
        }
        let mut all = notes::of_history(self.skipped, &self.passed_over);
        all.extend(more);
        all.extend(notes::of_unread(&self.unread));
        Ok(all)
    }
}

/// Pieces that are read and judged at a time: 4 MiB, so that the lines are still in the cache when they are
/// judged. The number does not depend on the number of threads, so that no result does.
const BATCH: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// Replays the histories through every variant.
pub(super) fn replay<P: Policies>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    policies: &mut P,
) -> Result<SimulationReport> {
    let names = Names::default();
    let mut reading = HistoryReading::<P>::new(args, policies);
    let mut lines = inputs::read(args, &mut reading.stream, &mut reading.findings);
    // A report on one unit needs all members of the unit unless it is per member: they are read into memory.
    let can_report_one = P::Engine::REPORTED_PER == ReportedPer::Member || args.job.is_none();
    let can_stream = policies.can_stream()
        && can_report_one
        && args.timelines != TimelinesName::All
        && !reading.stream.has_rows();
    let size = lines.size();
    let (first, is_short) =
        if can_stream { inputs::first_pieces(&mut lines)? } else { (Vec::new(), true) };
    let mut source = Source::new(systems::warning_of_other_system::<FieldsOf<P>>, first, lines);
    let (mut parts, engines) = if is_short {
        let (history, findings, is_full) = reading.finish(&mut source)?;
        let findings =
            systems::merge_errors_of_other_system::<FieldsOf<P>>(findings, source.warnings());
        let findings = add_member_findings::<P>(findings, &history, is_full);
        inputs::refuse(context, findings, is_full)?;
        let engines = policies.engines(&history);
        policies.check_units(&engines, &history.members)?;
        let parts = replay_in_memory(args, policies, &engines, &names, &history)?;
        // Freeing millions of records one by one takes a tenth of the time of the process, which ends soon.
        std::mem::forget(history);
        (parts, engines)
    } else {
        let (history, findings) = reading.finish_without_lines();
        load::refuse_errors(context.ui, findings)?;
        let engines = policies.engines(&history);
        let facts = HistoryFacts::of(&history);
        let parts = replay_stream(context, args, policies, &engines, &names, source, size, facts)?;
        (parts, engines)
    };
    parts.notes.extend(policies.notes(&engines)?);
    report::build(args, &policies.names(), &engines, &names, parts)
}

/// Both findings.
fn join(mut findings: Findings, more: Findings) -> Findings {
    findings.extend(more);
    findings
}

/// Adds the findings about the members, unless reading stopped before the end.
fn add_member_findings<P: Policies>(
    findings: Findings,
    history: &Records<P>,
    is_full: bool,
) -> Findings {
    if is_full { findings } else { join(findings, P::Engine::check_members(&history.members)) }
}

/// A history while it is read into memory.
struct HistoryReading<'r, P: Policies> {
    stream: Stream<'r, P::Engine>,
    findings: Findings,
}

/// No unit is reported as unmatched while a history is read into memory.
const NEVER_UNMATCHED: &(dyn Fn(usize, &str) -> bool + Sync) = &|_, _| false;

impl<P: Policies> HistoryReading<'_, P> {
    fn new(args: &SimulateArgs, policies: &P) -> Self {
        let options = options(args, Keep::All, NEVER_UNMATCHED);
        let stream = Stream::reader(Some(policies.limits()), options);
        Self { stream, findings: Findings::new() }
    }

    /// Reads the lines; returns the history, the findings, and whether the limit of bad records is
    /// reached.
    fn finish(mut self, source: &mut Source) -> Result<(Records<P>, Findings, bool)> {
        while !self.stream.is_full() {
            let batch = self.stream.batch(|piece| source.next(piece));
            if batch != Batch::TooManyBad {
                source.refuse(self.stream.lines())?;
            }
            if batch != Batch::Full {
                break;
            }
        }
        let is_full = self.stream.is_full();
        let StreamOutcome { history, findings, .. } = self.stream.finish();
        Ok((history, join(self.findings, findings), is_full))
    }

    /// Ends the reading; returns the history without the lines.
    fn finish_without_lines(self) -> (Records<P>, Findings) {
        let StreamOutcome { history, findings, .. } = self.stream.finish();
        (history, join(self.findings, findings))
    }
}

/// The options of a stream that reads histories.
fn options<'o>(
    args: &SimulateArgs,
    keep: Keep,
    is_unmatched: &'o (dyn Fn(usize, &str) -> bool + Sync),
) -> StreamOptions<'o> {
    StreamOptions {
        threads: args.threads(),
        batch: BATCH,
        on_bad: args.on_bad(),
        hash_key: (RandomState::new().hash_one(0), RandomState::new().hash_one(1)),
        seed: args.seed.unwrap_or_default(),
        keep,
        is_unmatched,
    }
}

/// Replays a history that is in memory; timelines are the first engine's.
fn replay_in_memory<P: Policies>(
    args: &SimulateArgs,
    policies: &P,
    engines: &[P::Engine],
    names: &Names,
    history: &Records<P>,
) -> Result<ReportParts> {
    let ids = || history.members.iter().map(|member| &*member.unit);
    let more = policies.check_history(engines, &Units::Memory(ids().collect()), history)?;
    if engines.is_empty() {
        return Err(Refusal::input("no policies").into());
    }
    let only = args.job.as_ref().map(|id| number_of(ids(), id)).transpose()?;
    let mut all = ids();
    let is_one = all.next().is_some_and(|first| all.all(|other| other == first));
    let facts = HistoryFacts::of(history);
    let is_short = facts.has_document || is_one || only.is_some();
    let timelines = match args.timelines {
        TimelinesName::All => Timelines::All,
        TimelinesName::Auto if is_short => Timelines::All,
        TimelinesName::None | TimelinesName::Auto => Timelines::None,
    };
    let none = engines.iter().map(|engine| simulate::Summary::new(engine.rules().len()));
    let read = HistoryParts { only, timelines, facts, more, streamed: none.collect() };
    finish(args, engines, names, &history.members, read)
}

/// Replays the pieces of a stream; `earlier` are the facts of the inputs that were read before it.
#[expect(clippy::too_many_arguments, reason = "the parts of one replay")]
fn replay_stream<P: Policies>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    policies: &P,
    engines: &[P::Engine],
    names: &Names,
    mut source: Source,
    size: Option<u64>,
    earlier: HistoryFacts,
) -> Result<ReportParts> {
    let keep = args.job.clone().map_or(Keep::Necessary, Keep::NecessaryAnd);
    let is_unmatched = |variant: usize, unit: &str| policies.is_unmatched(variant, unit);
    let limits = Some(policies.limits());
    let mut stream = Stream::new(engines, names, limits, options(args, keep, &is_unmatched));
    let progress = context.ui.progress(size);
    let is_full = loop {
        let batch = stream.batch(|piece| source.next(piece));
        policies.check_units(engines, &stream.new_kinds())?;
        if batch == Batch::TooManyBad {
            break true;
        }
        source.refuse(stream.lines())?;
        progress.at(stream.events(), stream.bytes());
        if batch == Batch::Last {
            break false;
        }
    };
    drop(progress);
    let StreamOutcome { summaries, history, findings, units, unmatched, unit_of_several } =
        stream.finish();
    let findings =
        systems::merge_errors_of_other_system::<FieldsOf<P>>(findings, source.warnings());
    let findings = add_member_findings::<P>(findings, &history, is_full);
    inputs::refuse(context, findings, is_full)?;
    let more = policies.check_history(engines, &Units::Stream(units, &unmatched), &history)?;
    if let Some(unit) = unit_of_several {
        return Err(policies.refuse_several(&unit).into());
    }
    let ids = history.members.iter().map(|member| &*member.unit);
    let only = args.job.as_ref().map(|id| number_of(ids, id)).transpose()?;
    let timelines = if only.is_some() && args.timelines != TimelinesName::None {
        Timelines::All
    } else {
        Timelines::None
    };
    let facts = earlier.merge(HistoryFacts::of(&history));
    let read = HistoryParts { only, timelines, facts, more, streamed: summaries };
    finish(args, engines, names, &history.members, read)
}

/// The records that are read, and the results of those that streamed.
struct HistoryParts {
    only: Option<usize>,
    timelines: Timelines,
    facts: HistoryFacts,
    more: Vec<NoteReport>,
    /// The counts of the units that were judged while they were read, engine by engine.
    streamed: Vec<simulate::Summary>,
}

/// Replays the members that are in memory, and adds the results of those that streamed.
fn finish<E: Engine>(
    args: &SimulateArgs,
    engines: &[E],
    names: &Names,
    members: &[Member<E::Fields>],
    history: HistoryParts,
) -> Result<ReportParts> {
    let HistoryParts { only, timelines, facts, more, streamed } = history;
    let notes = facts.notes(args, more)?;
    let options = Options {
        timelines,
        assume: args.assume(),
        only,
        threads: args.threads(),
        skipped_records: facts.skipped,
        seed: args.seed.unwrap_or_default(),
    };
    let results = engines.iter().zip(streamed).enumerate().map(|(number, (engine, streamed))| {
        let timelines = if number == 0 { timelines } else { Timelines::None };
        simulate::replay(engine, names, members, Options { timelines, ..options }, streamed)
    });
    let results = results.collect();
    Ok(ReportParts { results, options, notes, without_runs: facts.without_runs() })
}

/// The number of a job among these ids; an error with the nearest ones if there is none.
fn number_of<'i>(ids: impl Iterator<Item = &'i str> + Clone, id: &str) -> Result<usize> {
    if let Some(number) = ids.clone().position(|other| other == id) {
        return Ok(number);
    }
    let near = nearest(id, ids, 3);
    let refusal = Refusal::input(format!("the history has no job `{id}`"));
    Err(match near.as_slice() {
        [] => refusal,
        near => {
            let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
            refusal.help(format!("did you mean {}?", near.join(" or ")))
        }
    }
    .into())
}
