//! The tables of a replay.

use super::paths::{objects, paths};
use crate::report::decision_line::rule;
use crate::report::simulation::Section;
use replay::simulate::{
    AnswerColumn, AnswerRow, CategoryKey, CategoryReport, ChangesReport, DayKey, DayReport,
    DeciderReport, HoursReport, NodeKey, NodeReport, NumberReport, QueueKey, QueueReport,
    ReasonReport, RetriesOf, RetryKey, RuleReport, SimulationReport, SummaryReport,
};
use schemars::JsonSchema;
use serde_json::{Value, json};

/// The columns of a table: paths of its rows. Without policies some tables are about the retries on record.
pub(super) fn columns(section: Section, has_policies: bool) -> Vec<String> {
    match section {
        _ if has_policies => columns_of_policies(section),
        Section::Retries => paths::<RetriesOf<RetryKey>>(),
        Section::Nodes => paths::<RetriesOf<NodeKey>>(),
        Section::Queues => paths::<RetriesOf<QueueKey>>(),
        Section::Categories => paths::<RetriesOf<CategoryKey>>(),
        Section::Days => paths::<RetriesOf<DayKey>>(),
        _ => columns_of_policies(section),
    }
}

fn columns_of_policies(section: Section) -> Vec<String> {
    let fixed = |columns: &[&str]| columns.iter().map(|column| (*column).to_owned()).collect();
    match section {
        Section::Record => fixed(&["row", "unit", "column", "value", "difference"]),
        Section::Rules => columns_by_variant::<RuleReport>(&|_| true),
        Section::Disruptions => columns_by_variant::<RuleReport>(&|path| {
            ["policy", "ruleIndex"].contains(&path) || path.starts_with("disruptions.")
        }),
        Section::Decisions => fixed(&["variant", "decision", "runs", "failedJobs"]),
        Section::Kinds => paths::<ReasonReport>(),
        Section::Retries => columns_by_variant::<NumberReport>(&|_| true),
        Section::Nodes => columns_by_variant::<NodeReport>(&|_| true),
        Section::Queues => columns_by_variant::<QueueReport>(&|_| true),
        Section::Categories => columns_by_variant::<CategoryReport>(&|_| true),
        Section::Days => columns_by_variant::<DayReport>(&|_| true),
        Section::Hours => {
            let own = fixed(&["variant", "recorded"]);
            [own, paths::<HoursReport>()].concat()
        }
        Section::Changes => fixed(&["variant", "by", "from", "to", "count"]),
        Section::Contradictions => fixed(&["variant", "kind", "runs"]),
    }
}

/// The columns of a list that each set of policies has.
fn columns_by_variant<T: JsonSchema>(is_shown: &dyn Fn(&str) -> bool) -> Vec<String> {
    let own = paths::<T>().into_iter().filter(|path| is_shown(path));
    std::iter::once("variant".to_owned()).chain(own).collect()
}

/// The rows of a table: those of each set of policies after each other.
pub(super) fn rows(report: &SimulationReport, section: Section) -> Vec<Value> {
    if let Some(rows) = record_rows(report, section) {
        return rows;
    }
    match section {
        Section::Record => record(report),
        Section::Kinds => objects(&report.answer.reasons),
        Section::Changes => {
            let variants = report.variants.iter().flatten();
            let changes = variants.filter_map(|it| Some((it.name.as_str(), it.changes.as_ref()?)));
            changes.flat_map(|(name, changes)| with_variant(name, change_rows(changes))).collect()
        }
        _ => {
            let each = summaries(report).into_iter();
            each.flat_map(|(name, summary)| with_variant(name, summary_rows(summary, section)))
                .collect()
        }
    }
}

/// The retries on record of a table without policies.
fn record_rows(report: &SimulationReport, section: Section) -> Option<Vec<Value>> {
    let groups = report.answer.recorded_retries.as_ref()?;
    Some(match section {
        Section::Retries => objects(&groups.by_retry),
        Section::Nodes => objects(&groups.by_node),
        Section::Queues => objects(&groups.by_queue),
        Section::Categories => objects(&groups.by_category),
        Section::Days => objects(&groups.by_day),
        _ => return None,
    })
}

/// The name and the summary of each set of policies.
fn summaries(report: &SimulationReport) -> Vec<(&str, &SummaryReport)> {
    if let Some(variants) = &report.variants {
        return variants.iter().map(|it| (it.name.as_str(), &it.summary)).collect();
    }
    let column = report.answer.columns.get(1);
    column.map(|column| (column.name.as_str(), &report.summary)).into_iter().collect()
}

fn with_variant(name: &str, mut rows: Vec<Value>) -> Vec<Value> {
    for row in &mut rows {
        row["variant"] = json!(name);
    }
    rows
}

fn summary_rows(summary: &SummaryReport, section: Section) -> Vec<Value> {
    match section {
        Section::Rules | Section::Disruptions => objects(&summary.by_rule),
        Section::Decisions => decisions(summary),
        Section::Retries => objects(&summary.by_retry),
        Section::Nodes => objects(&summary.nodes.worst),
        Section::Queues => objects(&summary.by_queue),
        Section::Categories => objects(&summary.by_category),
        Section::Days => objects(&summary.by_day),
        Section::Hours => hours(summary),
        Section::Contradictions => {
            let kinds = summary.contradictions_by_kind.iter();
            kinds.map(|kind| json!({"kind": kind.kind, "runs": kind.runs})).collect()
        }
        Section::Record | Section::Kinds | Section::Changes => Vec::new(),
    }
}

/// A row for each row and column of the answer.
fn record(report: &SimulationReport) -> Vec<Value> {
    let answer = &report.answer;
    let row = |row: &AnswerRow, at: usize, column: &AnswerColumn| {
        let (value, difference) = (row.values.get(at), row.differences.get(at));
        let (row, unit, column) = (row.id, row.unit, &column.name);
        json!({"row": row, "unit": unit, "column": column, "value": value, "difference": difference})
    };
    let columns = || answer.columns.iter().enumerate();
    let rows = answer.rows.iter();
    rows.flat_map(|it| columns().map(move |(at, column)| row(it, at, column))).collect()
}

/// Decisions by their code, and the jobs that failed by it.
fn decisions(summary: &SummaryReport) -> Vec<Value> {
    let failed = |code: &str| -> u64 {
        summary.failed_by.iter().filter(|it| it.decision == code).map(|it| it.jobs).sum()
    };
    let decisions = summary.by_decision.iter();
    decisions
        .map(|(code, runs)| json!({"decision": code, "runs": runs, "failedJobs": failed(code)}))
        .collect()
}

/// The cost of recorded runs: of retries by their outcome, and of runs that are not reached.
fn hours(summary: &SummaryReport) -> Vec<Value> {
    let retried = &summary.retried_runs;
    let all: [(&str, &HoursReport); 4] = [
        ("retriesSucceeded", &retried.succeeded),
        ("retriesFailed", &retried.failed),
        ("retriesOther", &retried.other),
        ("notReached", &summary.not_reached_runs),
    ];
    let row = |(recorded, cost): (&str, &HoursReport)| {
        let mut row = serde_json::to_value(cost).unwrap_or_default();
        row["recorded"] = json!(recorded);
        row
    };
    all.into_iter().map(row).collect()
}

/// The differences from the first set of policies: jobs by outcome, decisions by code and by rule.
fn change_rows(changes: &ChangesReport) -> Vec<Value> {
    let row = |by: &str, from: &str, to: &str, count: u64| json!({"by": by, "from": from, "to": to, "count": count});
    let decider = |it: &Option<DeciderReport>| {
        it.as_ref().map(|it| rule(it.policy.as_deref(), it.rule_index)).unwrap_or_default()
    };
    let outcomes = changes.by_outcome.iter().map(|it| row("outcome", &it.from, &it.to, it.jobs));
    let codes = changes.by_decision.iter().map(|it| row("decision", &it.from, &it.to, it.count));
    let rules = changes.by_rule.iter();
    let rules = rules.map(|it| row("rule", &decider(&it.from), &decider(&it.to), it.count));
    outcomes.chain(codes).chain(rules).collect()
}
