//! The replay of histories through the policies of any system: read into memory, or as a stream.

use super::facts::{HistoryFacts, UnitCounts};
use super::inputs::{self, Inputs, Source, Sources};
use super::other_system::{merge_errors_of_other_system, warning_of_other_system};
use super::policies::{FieldsOf, MemberOf, Policies, Records, UnitNames};
use super::report::{Difference, ReportParts};
use super::shards::Shards;
use super::{SimulateArgs, TimelinesName};
use crate::cli::{Context, Refusal};
use crate::input::Pieces;
use ::systems::System;
use anyhow::Result;
use document::diag::{Findings, nearest};
use replay::history::{Piece, RecordFields};
use replay::simulate::{
    self, Batch, Changes, CompareOptions, DecisionLog, ExampleReport, Figures, HistoryShard,
    IsUnmatched, Names, Options, PolicyCounts, RecordCounts, ReportTexts, ReportedPer, Retention,
    Stream, StreamOptions, StreamOutcome, Timelines, Units,
};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::num::NonZeroUsize;

/// The variable that has every failure compared with the rules where its unit is judged. Tests set it: the report is the
/// same.
const WITHOUT_SIGNATURES: &str = "ARMADACTL_WITHOUT_SIGNATURES";

/// Pieces that are read and judged at a time, 4 MiB: few enough that their lines are still in the cache when they are
/// judged. The number does not depend on the number of threads, so that no result does.
const PIECES_PER_BATCH: NonZeroUsize = NonZeroUsize::new(32).unwrap();

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

/// The policies of a replay, and its options.
pub(super) struct Replay<'r, P: Policies> {
    pub(super) args: &'r SimulateArgs,
    pub(super) policies: &'r P,
    pub(super) engines: &'r [P::Engine],
    pub(super) names: &'r Names,
    /// How engines are compared, if they are.
    pub(super) compare: Option<CompareOptions<'r>>,
}

impl<P: Policies> Replay<'_, P> {
    /// Whether lines can be replayed as they are read.
    pub(super) fn may_stream(&self) -> bool {
        // A report on one unit of another system than Armada may need all of its members.
        let may_have_job =
            P::Engine::REPORTED_PER == ReportedPer::Member || self.args.job.is_none();
        // The policies that judge a record without policies have no members of their own.
        let may_have_members =
            P::Engine::REPORTED_PER == ReportedPer::Unit && !self.args.has_policies();
        self.policies.can_stream()
            && may_have_job
            && !may_have_members
            && self.args.timelines != TimelinesName::All
    }

    /// Whether the other formats can be replayed as they are read. By default the report on a history with
    /// documents has all timelines, and one on a missing job names the nearest of all jobs. A unit of which a
    /// format other than lines reports several members is replayed at the end, whatever its manifest makes.
    fn may_stream_all(&self, inputs: &Inputs) -> bool {
        let may_have_timelines =
            inputs.has_documents() && self.args.timelines != TimelinesName::None;
        self.may_stream()
            && FieldsOf::<P>::HAS_SINGLE_MEMBERS
            && self.args.job.is_none()
            && !may_have_timelines
    }

    /// A stream that has read nothing. `is_unmatched` returns whether no manifest of a variant names a unit.
    pub(super) fn stream<'s>(
        &'s self,
        keep: Retention,
        is_unmatched: &'s IsUnmatched<'s>,
    ) -> Stream<'s, P::Engine> {
        let limits = self.args.has_policies().then(|| self.policies.limits());
        let options = options(self.args, keep, P::NAMES_UNITS.then_some(is_unmatched));
        let mut stream = Stream::new(self.engines, self.names, limits, options);
        if let Some(transform) = self.policies.transform() {
            stream.transform(transform);
        }
        if let Some(observe) = self.policies.observe() {
            stream.observe(observe);
        }
        if self.args.is_of_record() {
            stream.count_groups();
        }
        // With --job, the changes of that job alone are reported.
        if let Some(compare) = self.compare.filter(|_| self.args.job.is_none()) {
            stream.compare(compare);
        }
        stream
    }

    /// Reads and replays the histories. `findings` are about files that could not be found.
    pub(super) fn run(
        &self,
        context: &mut Context<'_>,
        mut inputs: Inputs,
        mut findings: Findings,
    ) -> Result<ReportParts> {
        let is_unmatched = |variant: usize, unit: &str| self.policies.is_unmatched(variant, unit);
        let sources = inputs.sources();
        let keep = if self.may_stream_all(&inputs) {
            Retention::NecessaryAndFirst
        } else {
            Retention::All
        };
        let mut stream = self.stream(keep, &is_unmatched);
        while inputs.read_next(&mut stream, &mut findings) {}
        let lines = inputs.lines();
        let (mut source, size) = if stream.has_rows() {
            (Self::source(Vec::new(), lines), None)
        } else {
            self.begin_lines(context, &mut stream, &mut findings, lines)?
        };
        let kinds = self.read_lines(context, &mut stream, &mut source, size)?;
        let (is_full, is_in_memory) = (stream.is_full(), stream.keeps_all());
        let shard = self.args.shard.unwrap_or(HistoryShard::WHOLE);
        if self.args.shard.is_some() && stream.has_rows() {
            return Err(refuse_rows().into());
        }
        let shards = Shards::from_stream(shard, &mut stream);
        let mut outcome = stream.finish();
        let found = join(findings, std::mem::take(&mut outcome.findings));
        let found = merge_errors_of_other_system::<FieldsOf<P>>(found, source.warnings());
        let found = add_member_findings::<P>(found, &outcome.history, is_full);
        inputs::refuse(context, found, is_full)?;
        let units = if is_in_memory { &outcome.history.members } else { &kinds };
        self.check_units(units)?;
        let parts = if is_in_memory { self.in_memory(outcome) } else { self.streamed(outcome) };
        Ok(ReportParts { sources, shards, ..parts? })
    }

    /// Refuses records beside partial summaries. Documents with queues and reloads alone may be there.
    pub(super) fn refuse_records(
        &self,
        context: &mut Context<'_>,
        mut inputs: Inputs,
        mut findings: Findings,
    ) -> Result<()> {
        let options = options(self.args, Retention::All, None);
        let mut stream = Stream::<P::Engine>::new(self.engines, self.names, None, options);
        while inputs.read_next(&mut stream, &mut findings) {}
        let found = join(findings, stream.take_findings());
        inputs::refuse(context, found, stream.is_full())?;
        if !stream.has_rows() && inputs.lines().is_empty() {
            return Ok(());
        }
        let message = "--history names records beside partial summaries";
        let help = "replay the records with --partial first, then give only partial summaries";
        Err(Refusal::input(message).help(help).into())
    }

    /// Checks the units that were read, unless there are no policies.
    pub(super) fn check_units(&self, units: &[MemberOf<P>]) -> Result<()> {
        if !self.args.has_policies() {
            return Ok(());
        }
        self.policies.check_units(self.engines, units)
    }

    /// Checks the history that was read, unless there are no policies.
    fn check_history(&self, units: &UnitNames<'_>, history: &Records<P>) -> Result<UnitCounts> {
        if !self.args.has_policies() {
            return Ok(UnitCounts::default());
        }
        self.policies.check_history(self.engines, units, history)
    }

    /// Decides whether lines, before which no record was read, are read into memory.
    fn begin_lines(
        &self,
        context: &mut Context<'_>,
        stream: &mut Stream<'_, P::Engine>,
        findings: &mut Findings,
        mut lines: Pieces,
    ) -> Result<(Source, Option<u64>)> {
        let size = lines.size();
        let (first, are_all) =
            if self.may_stream() { inputs::first_pieces(&mut lines)? } else { (Vec::new(), true) };
        if are_all {
            stream.keep(Retention::All);
            return Ok((Self::source(first, lines), None));
        }
        // Reading on may take minutes.
        let found = join(std::mem::take(findings), stream.take_findings());
        crate::project::refuse_errors(context.ui, found)?;
        stream.keep(self.args.job.clone().map_or(Retention::Necessary, Retention::NecessaryAnd));
        Ok((Self::source(first, lines), size))
    }

    /// The lines, of which the `first` pieces were read already.
    fn source(first: Vec<Piece>, lines: Pieces) -> Source {
        Source::new(warning_of_other_system::<FieldsOf<P>>, first, lines)
    }

    /// Reads the lines, with a progress bar if their `size` is given. Returns the kinds of units that are still
    /// to be checked.
    fn read_lines(
        &self,
        context: &Context<'_>,
        stream: &mut Stream<'_, P::Engine>,
        source: &mut Source,
        size: Option<u64>,
    ) -> Result<Vec<MemberOf<P>>> {
        let is_of_lines = !stream.keeps_all() && !stream.has_rows();
        let progress = is_of_lines.then(|| context.ui.progress(size));
        let mut kinds = stream.new_kinds();
        while !stream.is_full() {
            let batch = stream.batch(|piece| source.next(piece));
            let mut new = stream.new_kinds();
            self.policies.sort_kinds(&mut new);
            if is_of_lines {
                self.check_units(&new)?;
            } else if !stream.keeps_all() {
                // Findings about the records come first.
                kinds.extend(new);
            }
            if batch == Batch::TooManyBad {
                break;
            }
            source.refuse(stream.lines())?;
            if let Some(progress) = &progress {
                progress.at(stream.events(), stream.bytes());
            }
            if batch == Batch::Last {
                break;
            }
        }
        Ok(kinds)
    }

    /// Replays a history that is in memory.
    fn in_memory(&self, outcome: StreamOutcome<FieldsOf<P>>) -> Result<ReportParts> {
        let StreamOutcome { history, summaries, record, columns, changes, .. } = outcome;
        let ids = || history.members.iter().map(|member| &*member.unit);
        let units = UnitNames::Memory(ids().collect());
        let more = self.check_history(&units, &history)?;
        if self.engines.is_empty() {
            return Err(Refusal::input("no policies").into());
        }
        let only = self.args.job.as_ref().map(|id| number_of(ids(), id)).transpose()?;
        let mut all = ids();
        let is_one = all.next().is_some_and(|first| all.all(|other| other == first));
        let facts = HistoryFacts::new(&history, more);
        let is_short = facts.has_document || is_one || only.is_some();
        let timelines = self.timelines(is_short);
        let streamed = Figures { summaries, record, columns, changes };
        let parts = HistoryParts { only, timelines, facts, streamed };
        let outcome = self.finish(&history.members, parts);
        // Freeing millions of records one by one takes a tenth of the time of the process, which ends soon.
        std::mem::forget(history);
        outcome
    }

    /// Replays what was kept of a stream.
    pub(super) fn streamed(&self, outcome: StreamOutcome<FieldsOf<P>>) -> Result<ReportParts> {
        let StreamOutcome {
            history,
            has_rows,
            summaries,
            record,
            columns,
            units,
            unmatched,
            unit_of_several,
            changes,
            ..
        } = outcome;
        let all = UnitNames::Stream(units, &unmatched);
        let more = self.check_history(&all, &history)?;
        if let Some(unit) = unit_of_several {
            return Err(self.policies.refuse_several(&unit).into());
        }
        let ids = history.members.iter().map(|member| &*member.unit);
        let only = self.args.job.as_ref().map(|id| number_of(ids, id)).transpose()?;
        // The first unit is kept if its first record is not a line.
        let is_one = units == 1 && has_rows && !history.members.is_empty();
        let timelines = self.timelines(only.is_some() || is_one);
        let facts = HistoryFacts::new(&history, more);
        let streamed = Figures { summaries, record, columns, changes };
        let parts = HistoryParts { only, timelines, facts, streamed };
        self.finish(&history.members, parts)
    }

    /// Whether timelines are written of a history that has few of them.
    fn timelines(&self, is_short: bool) -> Timelines {
        match self.args.timelines {
            _ if self.args.partial.is_some() => Timelines::None,
            TimelinesName::All => Timelines::All,
            TimelinesName::Auto if is_short => Timelines::All,
            TimelinesName::None | TimelinesName::Auto => Timelines::None,
        }
    }

    /// Replays the members that are in memory beside those that streamed.
    fn finish(&self, members: &[MemberOf<P>], parts: HistoryParts) -> Result<ReportParts> {
        let HistoryParts { only, timelines, facts, streamed } = parts;
        let Figures { summaries, mut record, mut columns, changes } = streamed;
        facts.refuse_unread(self.args)?;
        let options = self.options_of_report(only, timelines, facts.skipped);
        let (mut results, mut first, mut differences) = (Vec::new(), None, Vec::new());
        let mut changes = changes.into_iter();
        if only.is_some() {
            // The units that streamed are not reported.
            record = RecordCounts::default();
            columns.fill(PolicyCounts::default());
        }
        let all = (members, &facts.outcomes);
        let has_groups = self.args.is_of_record();
        let of_members =
            simulate::record_of_members(&self.engines[0], self.names, all, only, has_groups);
        for (number, (engine, streamed)) in self.engines.iter().zip(summaries).enumerate() {
            let timelines = if number == 0 { timelines } else { Timelines::None };
            let options = Options { timelines, ..options };
            // Without policies no decision is reported.
            let judged = if self.args.is_of_record() { &[] } else { members };
            let (result, log) =
                simulate::replay_logged(engine, self.names, judged, options, streamed, true);
            results.push(result);
            let (names, on_record) = (self.names, &of_members);
            let counts = simulate::count_members(engine, names, members, on_record, &log, only);
            columns[number].merge(counts);
            let Some(compare) = self.compare else { continue };
            if let Some(first) = &first {
                let logs = (number, first, &log);
                let streamed = changes.next();
                let all = (members, only);
                differences.push(self.difference(all, logs, compare, streamed, options));
            } else {
                first = Some(log);
            }
        }
        record.merge(of_members.counts);
        let (notes, sources, shards) = (Vec::new(), Sources::default(), Shards::default());
        Ok(ReportParts {
            results,
            record,
            columns,
            differences,
            options,
            notes,
            facts,
            sources,
            shards,
        })
    }

    /// The options of the report.
    fn options_of_report(
        &self,
        only: Option<usize>,
        timelines: Timelines,
        skipped_records: usize,
    ) -> Options {
        Options {
            timelines,
            assume: self.args.assume(),
            only,
            threads: self.args.threads(),
            skipped_records,
            seed: self.args.seed.unwrap_or_default(),
        }
    }

    /// The options of a report on parts of a history.
    pub(super) fn options_of_parts(&self, skipped_records: usize) -> Options {
        self.options_of_report(None, Timelines::None, skipped_records)
    }

    /// Returns the differences under an engine: what it decided about members, and what was compared while it was read.
    fn difference(
        &self,
        (members, only): (&[MemberOf<P>], Option<usize>),
        logs: (usize, &DecisionLog, &DecisionLog),
        compare: CompareOptions<'_>,
        streamed: Option<Changes>,
        options: Options,
    ) -> Difference {
        let (engine, ..) = logs;
        let mut changes =
            simulate::compare_members(self.engines, self.names, (members, only), logs, compare);
        if let Some(streamed) = streamed {
            changes.merge(streamed);
        }
        let only = only.or_else(|| {
            // An example is a pair of timelines.
            if self.args.timelines == TimelinesName::None || self.args.partial.is_some() {
                return None;
            }
            let id = changes.example(|id| members.iter().any(|member| *member.unit == *id))?;
            members.iter().position(|member| *member.unit == *id)
        });
        let timeline = |engine: &P::Engine| {
            let options = Options { only, timelines: Timelines::All, assume: None, ..options };
            let none = simulate::Summary::new(engine.rules().len());
            let names = Names::new(self.names.disruptions().clone());
            let replayed = simulate::replay(engine, &names, members, options, none);
            replayed.jobs.and_then(|jobs| jobs.into_iter().next())
        };
        let pair =
            only.and_then(|_| timeline(&self.engines[0]).zip(timeline(&self.engines[engine])));
        let example = pair.map(|(first, other)| ExampleReport { first, other });
        Difference { changes, example }
    }
}

/// The options of a stream that reads histories.
fn options<'o>(
    args: &SimulateArgs,
    keep: Retention,
    is_unmatched: Option<&'o IsUnmatched<'o>>,
) -> StreamOptions<'o> {
    StreamOptions {
        threads: args.threads(),
        batch: PIECES_PER_BATCH,
        on_bad: args.on_bad(),
        hash_key: (RandomState::new().hash_one(0), RandomState::new().hash_one(1)),
        seed: args.seed.unwrap_or_default(),
        keep,
        has_alike: std::env::var_os(WITHOUT_SIGNATURES).is_none(),
        shard: args.shard,
        is_unmatched,
    }
}

/// The parts that are combined once all records are read.
struct HistoryParts {
    only: Option<usize>,
    timelines: Timelines,
    facts: HistoryFacts,
    /// The figures of the units that were judged while they were read.
    streamed: Figures,
}

/// The refusal of records that are not lines, of which no shard can be replayed.
fn refuse_rows() -> Refusal {
    Refusal::input("--shard reads JSON Lines, and a history has another format")
        .help("write its runs as JSON Lines, or replay it as a whole with --partial")
}

/// The number of a job among these ids, of which the parts before a slash may be left out; an error with the nearest
/// ones if there is none.
fn number_of<'i>(ids: impl Iterator<Item = &'i str> + Clone, id: &str) -> Result<usize> {
    if let Some(number) = ids.clone().position(|other| other == id) {
        return Ok(number);
    }
    let is_last_part =
        |other: &str| other.strip_suffix(id).is_some_and(|before| before.ends_with('/'));
    let mut last: Vec<&str> = ids.clone().filter(|other| is_last_part(other)).collect();
    last.sort_unstable();
    last.dedup();
    match last.as_slice() {
        [] => {}
        [only] => return Ok(ids.clone().position(|other| other == *only).unwrap_or_default()),
        [first, second, ..] => {
            let several = last.len();
            let message = format!("{several} jobs of the history are called `{id}`");
            let help = format!("give one with its namespace: `{first}` or `{second}`");
            return Err(Refusal::input(message).help(help).into());
        }
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
