//! The replay of members that are in memory, on several threads, with the same result for any number of them.

use super::answer::{
    AnswerColumn, AnswerOptions, PolicyColumn, answer_report, count_members, record_of_members,
};
use super::answer::{AnswerReport, kinds_of_ends};
use super::assume::Assume;
use super::changes::{Changes, CompareOptions, Comparison, DecisionLog, MemberLog, Reach};
use super::context::{ReplayContext, UnitContext, UnitId};
use super::decision_note::DecisionNote;
use super::engine::Engine;
use super::evaluation::ReportedPer;
use super::figures::Ending;
use super::group::{MemberSummaries, PodMembers, replay_group};
use super::names::{Names, kind_name};
use super::options::{Options, Timelines};
use super::outcome::{MemberOutcome, Outcome};
use super::report::{
    ContradictionReport, JobReport, RunReach, RunReport, SimulationReport, VerdictReport,
    summary_report,
};
use super::stream::MAX_THREADS;
use super::summary::{Demand, Summary};
use super::unit::UnitReplay;
use super::unit_members::{UnitMembers, group_by_unit};
use crate::history::UnitOutcomes;
use crate::history::{Member, RecordFields};
use document::units::{Quantity, Time};
use std::cell::Cell;
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// The result of a replay.
#[derive(Debug)]
pub struct ReplayResult {
    /// Timelines in the order of the members; none unless they are written.
    pub jobs: Option<Vec<JobReport>>,
    /// The counts of the jobs that are reported.
    pub summary: Summary,
    /// The counts of all jobs, also those that are not reported.
    pub observed: Summary,
}

/// Replays members through an engine and reports the outcome.
pub fn simulate<E: Engine>(
    engine: &E,
    members: &[Member<E::Fields>],
    options: Options,
) -> SimulationReport {
    let names = Names::default();
    let none = Summary::new(engine.rules().len());
    let (replayed, log) = replay_logged(engine, &names, members, options, none, true);
    let all = (members, &UnitOutcomes::new());
    let record = record_of_members(engine, &names, all, options.only, false);
    let counts = count_members(engine, &names, members, &record, &log, options.only);
    let report = report(engine, &names, replayed, options);
    let column = PolicyColumn {
        column: AnswerColumn::new(engine.name().to_owned(), engine.name()),
        summary: &report.summary,
        counts: &counts,
        rules: engine.rules(),
    };
    let answer = answer_report(&names, &record.counts, &[column], AnswerOptions::default());
    SimulationReport { answer, ..report }
}

/// The report of a replay, without the answer, which needs the record too.
pub fn report<E: Engine>(
    engine: &E,
    names: &Names,
    replayed: ReplayResult,
    options: Options,
) -> SimulationReport {
    let summary = summary_report(engine, names, replayed.summary, &replayed.observed, options);
    SimulationReport {
        api_version: "armadaproject.io/v1",
        kind: "SimulationReport",
        engine: engine.name().to_owned(),
        releases: Vec::new(),
        notes: Vec::new(),
        answer: AnswerReport::default(),
        jobs: replayed.jobs,
        verdict: VerdictReport::of(&summary),
        summary,
        queues: None,
        variants: None,
        assertions: Vec::new(),
    }
}

/// Replays members as [`replay_logged`] does, without a log.
pub fn replay<E: Engine>(
    engine: &E,
    names: &Names,
    members: &[Member<E::Fields>],
    options: Options,
    streamed: Summary,
) -> ReplayResult {
    replay_logged(engine, names, members, options, streamed, false).0
}

/// Replays members and adds `streamed`, the counts of units that were replayed while they were read. Those are
/// observed, and reported unless only one member is. Summaries count by these `names`.
/// With `has_log` the decisions about each run are noted, to be compared with those of another engine.
pub fn replay_logged<E: Engine>(
    engine: &E,
    names: &Names,
    members: &[Member<E::Fields>],
    options: Options,
    streamed: Summary,
    has_log: bool,
) -> (ReplayResult, DecisionLog) {
    // A timeline needs it to tell the runs that are not reached.
    let has_log = has_log || options.timelines == Timelines::All;
    let mut units = group_by_unit(engine, members);
    let is_reported =
        |unit: &UnitMembers| options.only.is_none_or(|only| unit.numbers().contains(&only));
    // With `Observed`, the counts of all jobs settle the one that is reported.
    if options.assume != Some(Assume::Observed) {
        units.retain(|unit| is_reported(unit));
    }
    let results = on_threads(&units, options.threads, |units| {
        replay_units(engine, names, members, options, (units, has_log))
    });
    let rules = engine.rules().len();
    let (mut summary, mut observed) = (Summary::new(rules), Summary::new(rules));
    let mut outcomes: Vec<(usize, MemberOutcome)> = Vec::new();
    let mut log = DecisionLog::new(if has_log { members.len() } else { 0 });
    for result in results {
        summary.merge(result.summary);
        observed.merge(result.others);
        outcomes.extend(result.outcomes);
        log.add(result.logs);
    }
    let streamed_into = if options.only.is_none() { &mut summary } else { &mut observed };
    streamed_into.merge(streamed);
    observed.merge(summary.clone());
    // Threads end in any order; the members keep that of the history.
    outcomes.sort_by_key(|(number, _)| *number);
    let units = units.iter().filter(|_| E::REPORTED_PER == ReportedPer::Unit);
    let by_first: HashMap<usize, &[usize]> =
        units.filter_map(|unit| Some((*unit.numbers().first()?, unit.numbers()))).collect();
    let runs = |number: usize| {
        let numbers = by_first.get(&number).copied().unwrap_or(std::slice::from_ref(&number));
        run_reports(engine, members, numbers, &log)
    };
    let jobs = outcomes.into_iter().map(|(number, outcome)| {
        let report = job_report(engine, &members[number], outcome, options.assume, &observed);
        JobReport { runs: runs(number), ..report }
    });
    let jobs = (options.timelines == Timelines::All).then(|| jobs.collect());
    (ReplayResult { jobs, summary, observed }, log)
}

/// The result of a replay with notes.
#[derive(Debug)]
pub struct NotedReplay<S> {
    /// A report for each member, or for each unit as the engine reports them, with the number of the member, or of the
    /// first one of the unit.
    pub jobs: Vec<(usize, JobReport)>,
    /// A note of each decision, in the order of the units.
    pub notes: Vec<DecisionNote<S>>,
}

/// Replays members on one thread, and takes a note of each decision.
pub fn replay_noted<E: Engine>(
    engine: &E,
    members: &[Member<E::Fields>],
    seed: u64,
) -> NotedReplay<E::State> {
    let names = Names::default();
    let mut summaries = (Summary::default(), Summary::default());
    let mut context = ReplayContext::new(engine, &names, seed).with_notes();
    let (mut jobs, mut notes) = (Vec::new(), Vec::new());
    for unit in group_by_unit(engine, members) {
        let numbers = unit.numbers();
        let mut summaries =
            MemberSummaries { only: None, reported: &mut summaries.0, others: &mut summaries.1 };
        let (outcomes, _) = replay_unit(&mut context, members, numbers, true, &mut summaries);
        // Nothing is assumed, so that no counts of other jobs are needed.
        let none = Summary::default();
        let outcomes = numbers.iter().copied().zip(outcomes);
        jobs.extend(outcomes.map(|(number, outcome)| {
            (number, job_report(engine, &members[number], outcome, None, &none))
        }));
        let of_unit = context.notes.as_mut().map(|notes| std::mem::take(&mut notes.all));
        notes.extend(of_unit.unwrap_or_default().into_iter().map(|note| DecisionNote {
            member: numbers.get(note.member).copied().unwrap_or(note.member),
            ..note
        }));
    }
    NotedReplay { jobs, notes }
}

/// Compares what an engine, by its number, decided about members with what the first one decided. With `only` the job
/// of that member alone is compared. The rules are those of `engines`.
pub fn compare_members<E: Engine>(
    engines: &[E],
    names: &Names,
    (members, only): (&[Member<E::Fields>], Option<usize>),
    (engine, first, own): (usize, &DecisionLog, &DecisionLog),
    compare: CompareOptions<'_>,
) -> Changes {
    let only = only.map(|only| &*members[only].unit);
    let mut comparison = Comparison::new(engines, compare);
    let kinds = kinds_of_ends(&engines[engine], names, members, own);
    comparison.add_members(engine, (members, only), names, (first, own), &kinds);
    comparison.write_lines();
    comparison.into_changes().into_iter().nth(engine - 1).unwrap_or_default()
}

/// The result of one thread's units.
struct ThreadResult {
    outcomes: Vec<(usize, MemberOutcome)>,
    summary: Summary,
    /// The counts of jobs that are not reported.
    others: Summary,
    /// The logs of members, if any are noted.
    logs: Vec<(usize, MemberLog)>,
}

/// Replays the units of one thread.
fn replay_units<E: Engine>(
    engine: &E,
    names: &Names,
    members: &[Member<E::Fields>],
    options: Options,
    (units, has_log): (&[UnitMembers], bool),
) -> ThreadResult {
    let has_timelines = options.timelines == Timelines::All;
    let rules = engine.rules().len();
    let mut context = ReplayContext::new(engine, names, options.seed);
    if has_log {
        context = context.with_decisions();
    }
    let mut result = ThreadResult {
        outcomes: Vec::new(),
        summary: Summary::new(rules),
        others: Summary::new(rules),
        logs: Vec::new(),
    };
    for unit in units {
        let numbers = unit.numbers();
        let only = options.only.map(|only| numbers.iter().position(|number| *number == only));
        let mut unreported = Summary::default();
        // A unit without the reported member is only observed.
        let reported = if only == Some(None) {
            std::mem::swap(&mut unreported, &mut result.others);
            &mut unreported
        } else {
            &mut result.summary
        };
        let only_member = only.flatten().filter(|_| E::REPORTED_PER == ReportedPer::Member);
        let mut summaries =
            MemberSummaries { only: only_member, reported, others: &mut result.others };
        let (outcomes, logs) =
            replay_unit(&mut context, members, numbers, has_timelines, &mut summaries);
        result.logs.extend(numbers.iter().copied().zip(logs));
        if only == Some(None) {
            std::mem::swap(&mut unreported, &mut result.others);
        } else if has_timelines && E::REPORTED_PER == ReportedPer::Unit {
            result.outcomes.extend(outcomes.into_iter().map(|outcome| (numbers[0], outcome)));
        } else if has_timelines {
            let is_reported = |number: &usize| options.only.is_none_or(|only| only == *number);
            let all = numbers.iter().copied().zip(outcomes);
            result.outcomes.extend(all.filter(|(number, _)| is_reported(number)));
        }
    }
    result
}

/// Replays the unit of the members with these numbers. Returns the log of each if decisions are noted.
fn replay_unit<E: Engine>(
    context: &mut ReplayContext<'_, E>,
    members: &[Member<E::Fields>],
    numbers: &[usize],
    has_timeline: bool,
    summaries: &mut MemberSummaries<'_>,
) -> (Vec<MemberOutcome>, Vec<MemberLog>) {
    if let [number] = numbers
        && !has_separate_runs(context.engine(), &members[*number])
    {
        // Without a group, which costs more for each run.
        let member = &members[*number];
        let (outcome, log) = replay_single(context, member, has_timeline, summaries.reported);
        return (vec![outcome], log.into_iter().collect());
    }
    let unit: Vec<&Member<E::Fields>> = numbers.iter().map(|number| &members[*number]).collect();
    let Some(pods) = PodMembers::from_unit(context.engine(), &unit) else {
        return replay_group(context, &unit, has_timeline, summaries);
    };
    let of_pods: Vec<&Member<E::Fields>> = pods.members.iter().map(|member| &**member).collect();
    let (outcomes, logs) = replay_group(context, &of_pods, has_timeline, summaries);
    // Notes are about the members of the history, not about their parts.
    for note in context.notes.iter_mut().flat_map(|notes| &mut notes.all) {
        note.member = pods.origin(note.member).unwrap_or(note.member);
    }
    let logs = if logs.is_empty() { logs } else { pods.join_logs(&unit, &logs) };
    (outcomes, logs)
}

/// Whether some runs of a member are members by themselves.
fn has_separate_runs<E: Engine>(engine: &E, member: &Member<E::Fields>) -> bool {
    member.runs.iter().any(|run| engine.is_separate_run(member, run))
}

/// Replays a unit of one member. Returns its log if decisions are noted.
pub(super) fn replay_single<E: Engine>(
    context: &mut ReplayContext<'_, E>,
    member: &Member<E::Fields>,
    has_timeline: bool,
    summary: &mut Summary,
) -> (MemberOutcome, Option<MemberLog>) {
    let engine = context.engine();
    let queue = context.names.queue(&member.queue);
    let mut replay = UnitReplay::new(engine, engine.begin(&[member]), has_timeline);
    let mut log = context.decided.is_some().then(MemberLog::default);
    for run in &member.runs {
        let facts = context.run_facts(queue, &member.unit_fields, run);
        let unit = UnitContext {
            id: UnitId::from(&*member.unit),
            queue,
            timeline: has_timeline.then_some(member),
            facts: &facts,
            node: Cell::default(),
            matched: Cell::default(),
        };
        let reach = replay.push(context, &unit, run, summary);
        if let (Some(log), Some(decided)) = (&mut log, &mut context.decided) {
            log.push(decided, reach);
        }
    }
    let outcome = replay.into_outcome(engine, queue, summary);
    if let Some(log) = &mut log {
        log.outcome = Some(outcome.outcome);
        log.reruns = log.granted_without_retry();
    }
    (outcome, log)
}

/// Runs a part of the items on each thread.
pub(super) fn on_threads<T: Sync, P: Send>(
    items: &[T],
    threads: NonZeroUsize,
    part: impl Fn(&[T]) -> P + Sync,
) -> Vec<P> {
    let threads = threads.get().min(MAX_THREADS);
    let share = items.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let part = &part;
        let threads: Vec<_> =
            items.chunks(share).map(|items| scope.spawn(move || part(items))).collect();
        let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        // A panic of a thread is passed on: no job may be lost silently.
        joined.map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// The runs on record of some members, in their order.
fn run_reports<E: Engine>(
    engine: &E,
    members: &[Member<E::Fields>],
    numbers: &[usize],
    log: &DecisionLog,
) -> Vec<RunReport> {
    let mut reports = Vec::new();
    for (position, number) in numbers.iter().enumerate() {
        let member = &members[*number];
        for (at, run) in member.runs.iter().enumerate() {
            let demand = Demand::of(&*member.unit_fields, run);
            let text = |time: Option<Time>| time.map(|time| time.to_string());
            let labels = engine.labels(run);
            let is_failed = engine.ending(run) == Ending::Failed;
            reports.push(RunReport {
                member: position as u64,
                generation: at as u64,
                run_index: run.run_index,
                started_at: text(run.started_at),
                finished_at: text(run.finished_at),
                node: run.node.as_deref().map(str::to_owned),
                cluster: run.cluster.as_deref().map(str::to_owned),
                outcome: labels.outcome.to_owned(),
                failure: is_failed.then(|| kind_name(&labels)),
                cpu: demand.cpu.map(Quantity::as_f64),
                gpu: demand.gpu.map(Quantity::as_f64),
                reached: match log.member(*number).map(|log| log.run(at).1) {
                    None | Some(Reach::Reached) => RunReach::Reached,
                    Some(Reach::NotReached) => RunReach::NotReached,
                    Some(Reach::CutOff) => RunReach::CutOff,
                },
            });
        }
    }
    reports
}

/// The report of a member or, if reports are per unit, of a unit; without its runs.
fn job_report<E: Engine>(
    engine: &E,
    member: &Member<E::Fields>,
    outcome: MemberOutcome,
    assume: Option<Assume>,
    observed: &Summary,
) -> JobReport {
    // Only a job with a missing run is settled by an assumption.
    let assumed = assume.zip(outcome.missing).and_then(|(assume, missing)| {
        let rule = missing.rule.and_then(|rule| observed.by_rule.get(rule as usize));
        assume.chance(rule.unwrap_or(&observed.by_no_rule))
    });
    let contradictions = outcome.contradictions.into_iter().map(|it| ContradictionReport {
        job_id: member.unit.to_string(),
        run_index: it.run_index,
        what: it.text,
    });
    let last = outcome.decisions.last().filter(|_| outcome.outcome == Outcome::Failed);
    let failed =
        last.and_then(|last| member.runs.iter().find(|run| Some(run.run_index) == last.run_index));
    JobReport {
        failure: failed.map(E::Fields::failure_pairs).unwrap_or_default(),
        explain: None,
        job_id: member.unit.to_string(),
        queue: member.queue.to_string(),
        effective_policies: engine.effective_policies(member),
        outcome: outcome.outcome.as_str().to_owned(),
        system_outcome: outcome.system_outcome,
        reason: outcome.reason,
        retries: outcome.retries,
        not_reached: outcome.not_reached,
        cut_off: Some(outcome.cut_off).filter(|runs| *runs > 0),
        assumed_success: assumed,
        contradictions: contradictions.collect(),
        decisions: outcome.decisions,
        runs: Vec::new(),
    }
}
