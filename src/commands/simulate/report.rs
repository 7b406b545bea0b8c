//! The report of a replay, built from the results of all variants.

use super::SimulateArgs;
use super::columns::{labels, only_policy, sources};
use super::facts::HistoryFacts;
use super::inputs::Sources;
use super::notes::WithoutRuns;
use super::shards::Shards;
use super::variant_args::NO_RETRIES;
use crate::cli::Refusal;
use anyhow::Result;
use replay::simulate::{
    self, AdviceReport, AnswerColumn, AnswerReport, Changes, CostUnit, Engine, ExampleReport,
    KneeReport, Names, NoteKind, NoteReport, Options, PolicyColumn, PolicyCounts, RecordCounts,
    ReplayResult, SimulationReport, SummaryReport, SweptCost, VariantReport, VerdictReport,
};

/// The data of a report.
pub(super) struct ReportParts {
    /// The result of each engine.
    pub(super) results: Vec<ReplayResult>,
    /// The counts of the record, and of each engine beside it.
    pub(super) record: RecordCounts,
    pub(super) columns: Vec<PolicyCounts>,
    /// The changes under each engine but the first; none unless engines are compared.
    pub(super) differences: Vec<Difference>,
    pub(super) options: Options,
    pub(super) notes: Vec<NoteReport>,
    pub(super) facts: HistoryFacts,
    /// The sources of the records.
    pub(super) sources: Sources,
    /// The shards of the history that are replayed.
    pub(super) shards: Shards,
}

/// Differences between an engine and the first one.
pub(super) struct Difference {
    pub(super) changes: Changes,
    /// One job under both, if the runs of one are in memory.
    pub(super) example: Option<ExampleReport>,
}

impl From<Changes> for Difference {
    /// Changes without an example.
    fn from(changes: Changes) -> Self {
        Self { changes, example: None }
    }
}

/// Builds the report on the first engine's replay, with a column for each engine if there are several.
pub(super) fn build<E: Engine>(
    args: &SimulateArgs,
    variants: &[&str],
    engines: &[E],
    names: &Names,
    parts: ReportParts,
) -> Result<SimulationReport> {
    let ReportParts { results, record, columns, differences, options, mut notes, facts, .. } =
        parts;
    let mut reports: Vec<SimulationReport> = engines
        .iter()
        .zip(results)
        .map(|(engine, result)| simulate::report(engine, names, result, options))
        .collect();
    let has_jobs = reports.first().is_some_and(|report| report.summary.totals.jobs > 0);
    if !has_jobs && record.runs.runs == 0 {
        notes.push(empty_history_note(args, facts.without_runs())?);
    }
    let policies = if args.is_of_record() { &[] } else { &reports[..] };
    let answer = answer((args, variants), engines, names, &record, policies, &columns);
    notes.extend(uncounted_note(&answer));
    notes.sort_by_key(|note| note.kind);
    if args.is_of_record() {
        let verdict = VerdictReport { is_absent: true, ..VerdictReport::default() };
        let summary = SummaryReport { is_absent: true, ..SummaryReport::default() };
        let engine = String::new();
        let report = reports.swap_remove(0);
        return Ok(SimulationReport { engine, notes, answer, verdict, summary, ..report });
    }
    if reports.len() == 1 {
        return Ok(SimulationReport { notes, answer, ..reports.swap_remove(0) });
    }
    let all = variants.iter().zip(&reports).map(|(name, report)| variant(args, name, report));
    let mut all: Vec<VariantReport> = all.collect();
    if let Some((first, others)) = all.split_first_mut() {
        for other in others {
            other.verdict = other.verdict.clone().against(&first.verdict);
        }
    }
    let others = all.iter_mut().zip(engines).skip(1);
    for ((variant, engine), difference) in others.zip(differences) {
        let pair = (&engines[0], engine);
        variant.changes = Some(simulate::changes_report(pair, names, &difference.changes));
        variant.example = difference.example;
    }
    let mut answer = answer;
    answer.advice.extend(knee(&answer, &all).map(AdviceReport::Knee));
    Ok(SimulationReport { notes, answer, variants: Some(all), ..reports.swap_remove(0) })
}

/// A variant, which is not compared yet.
fn variant(args: &SimulateArgs, name: &str, report: &SimulationReport) -> VariantReport {
    VariantReport {
        name: name.to_owned(),
        sweep: args.sweeps().limit_of(name),
        engine: report.engine.clone(),
        releases: Vec::new(),
        verdict: report.verdict.clone(),
        proved_same: false,
        summary: report.summary.clone(),
        queues: None,
        changes: None,
        example: None,
    }
}

/// The knee of a sweep of counts, of which the variants after the first are the values. A grid has none.
fn knee(answer: &AnswerReport, variants: &[VariantReport]) -> Option<KneeReport> {
    // The record and the policies as they are come first.
    let swept = variants.iter().zip(1..).filter_map(|(variant, column)| {
        let limit = variant.sweep.as_ref().filter(|limit| limit.second.is_none())?;
        let recovered = answer.value("jobsRecovered", column);
        let failed = answer.value("failedRetryHours", column);
        Some((&limit.path, SweptCost { value: limit.values().0, recovered, failed }))
    });
    let (paths, mut values): (Vec<&String>, Vec<SweptCost>) = swept.unzip();
    values.sort_by(|one, other| one.value.compare(&other.value));
    simulate::knee(paths.first()?, &values)
}

/// The answer: the record, and a column for each engine.
fn answer<E: Engine>(
    (args, variants): (&SimulateArgs, &[&str]),
    engines: &[E],
    names: &Names,
    record: &RecordCounts,
    reports: &[SimulationReport],
    columns: &[PolicyCounts],
) -> AnswerReport {
    let labels = labels(variants, &engines.iter().map(only_policy).collect::<Vec<_>>());
    let each = variants.iter().zip(labels).zip(engines).zip(reports.iter().zip(columns));
    let policies = each.map(|(((name, label), engine), (report, counts))| PolicyColumn {
        column: AnswerColumn {
            name: (*name).to_owned(),
            label,
            engine: (*name != NO_RETRIES).then(|| engine.name().to_owned()),
            sources: sources(args, name),
        },
        summary: &report.summary,
        counts,
        rules: engine.rules(),
    });
    simulate::answer_report(names, record, &policies.collect::<Vec<_>>(), args.answer_options())
}

/// The share of the hours of retries from which on a note tells that the unit of cost leaves them out.
const UNCOUNTED_SHARE: f64 = 0.1;

/// The note on retries that cost nothing in the unit of cost.
fn uncounted_note(answer: &AnswerReport) -> Option<NoteReport> {
    let uncounted = answer.uncounted.as_ref().filter(|it| it.share >= UNCOUNTED_SHARE)?;
    let resource = if answer.unit == CostUnit::Gpu { "GPU" } else { "cores" };
    let message = format!(
        "{:.0} % of the hours of retries on record are of jobs that request no {resource}, and cost 0 {}; --unit run \
         counts the hours of all",
        uncounted.share * 100.0,
        answer.unit.as_str()
    );
    Some(NoteReport::new(NoteKind::UncountedRetries, message).count(uncounted.retries))
}

/// The note of a history without runs; an error unless `--allow-empty` is set. A history that has only runs
/// that have not ended, and jobs that never ran, is no mistake.
fn empty_history_note(args: &SimulateArgs, without_runs: WithoutRuns) -> Result<NoteReport> {
    let WithoutRuns { message, is_of_jobs } = without_runs;
    if !is_of_jobs && !args.allow_empty && !args.follow.is_set() {
        return Err(Refusal::input(message).help("use --allow-empty to accept it").into());
    }
    Ok(NoteReport::new(NoteKind::EmptyHistory, message))
}
