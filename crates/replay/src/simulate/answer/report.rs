//! The report of the answer: the record and every column of policies, and the reasons for their difference.

use super::advice::{AdviceReport, flagged_rule};
use super::evidence::{KindEvidence, evidence};
use super::group_report::{RecordGroupsReport, groups_report};
use super::policy::PolicyCounts;
use super::reasons::{ReasonCounts, ReasonKey};
use super::record::RecordCounts;
use super::rows::{PolicyFacts, ROWS, Row, RowUnit};
use super::unit::CostUnit;
use crate::simulate::figures::RuleLabel;
use crate::simulate::names::Names;
use crate::simulate::report::{HoursReport, LoadReport, SummaryReport, difference_of_times, load};
use crate::simulate::summary::RetryHours;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The number of reasons in a report: more do not explain more. The schema of reports documents it.
const REASONS: usize = 20;

/// The name of the column of the record.
pub const ON_RECORD: &str = "on record";

/// The record, and the difference that each set of policies makes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerReport {
    /// The first and the last time of the runs on record; null if none has a time.
    pub period: Option<PeriodReport>,
    /// Runs on record.
    pub runs: u64,
    /// Those without a start or an end, whose hours are not known.
    pub untimed: u64,
    /// The retries on record that wait or run over time, each from the end of the run before it to its own; null where
    /// none has a time.
    pub load: Option<LoadReport>,
    /// The unit of cost: `GPU-hours`, `core-hours`, `hours` of running or `retries`.
    #[schemars(with = "String")]
    pub unit: CostUnit,
    /// The retries on record that cost nothing in this unit, since their jobs request no GPU, or no cores; null if the
    /// unit counts hours or retries, and if the retries have no hours.
    pub uncounted: Option<UncountedReport>,
    /// The number of the column that differences are from.
    pub base: usize,
    /// The columns of the table: the record, then each set of policies.
    pub columns: Vec<AnswerColumn>,
    /// The rows of the table.
    pub rows: Vec<AnswerRow>,
    /// The reasons for the difference between the first two columns, the largest first, at most 20; without policies,
    /// the kinds of failure before the retries on record.
    pub reasons: Vec<ReasonReport>,
    /// The retries on record by queue, category, day, number and node; absent with policies, whose report has those that
    /// they reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub recorded_retries: Option<RecordGroupsReport>,
    /// Advice about the first set of policies: the flagged rule, then changes of policies, the best first, at most 5.
    pub advice: Vec<AdviceReport>,
    /// Some jobs of a row.
    pub samples: Vec<SamplesReport>,
    /// The sentences of the headline. Those of a comparison are about its first two sets of policies.
    pub sentences: Vec<String>,
    /// The retries on record by kind of failure and rule, in which proposals are searched for.
    #[serde(skip)]
    pub evidence: Vec<KindEvidence>,
}

/// How an answer is computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerOptions {
    /// The unit of cost; if absent, the first one in which the record has costs.
    pub unit: Option<CostUnit>,
    /// Whether differences are from the record also with several sets of policies.
    pub is_against_record: bool,
}

/// The retries on record that cost nothing in the unit of cost.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UncountedReport {
    /// Their number.
    pub retries: u64,
    /// Their hours of running.
    pub hours: f64,
    /// The share of the hours of running of all retries on record.
    pub share: f64,
}

/// A period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeriodReport {
    /// Its first time, RFC 3339 in UTC.
    pub from: String,
    /// Its last time, RFC 3339 in UTC.
    pub to: String,
}

/// A column of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerColumn {
    /// The name: `on record`, or that of a set of policies in `variants` and in `--assert`.
    pub name: String,
    /// The header in tables: the name of its policy if it has one alone, else the name.
    pub label: String,
    /// The engine profile that decided; null for the record and for `no-retries`.
    pub engine: Option<String>,
    /// The files of its policies, as they were given.
    pub sources: Vec<String>,
}

impl AnswerReport {
    /// The value on record of a row.
    pub fn on_record(&self, id: &str) -> Option<f64> {
        self.figure(id, 0)
    }

    /// The value of a row in a column, if there is one.
    pub fn figure(&self, id: &str, column: usize) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.id == id)?;
        row.values.get(column).copied().flatten()
    }

    /// The value of a row in a column; 0 if there is none.
    pub fn value(&self, id: &str, column: usize) -> f64 {
        self.figure(id, column).unwrap_or_default()
    }
}

impl AnswerColumn {
    /// The column of a set of policies that decide by an engine.
    pub fn new(name: String, engine: &str) -> Self {
        Self { label: name.clone(), name, engine: Some(engine.to_owned()), sources: Vec::new() }
    }
}

/// A row of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRow {
    /// The name.
    pub id: &'static str,
    /// The label in tables.
    pub label: String,
    /// The unit of its values: `jobs`, `retries`, or that of cost.
    pub unit: &'static str,
    /// The value of each column; null if the column has no such figure.
    pub values: Vec<Option<f64>>,
    /// The difference of each column from the record, or with several sets of policies from the first one; null for the
    /// columns before, and if one of both has no such figure.
    pub differences: Vec<Option<f64>>,
}

/// A kind of failure: with policies, after which a decision ended jobs although their record goes on; without, before
/// retries on record.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReasonReport {
    /// The kind of failure: its category, condition, reason, exit code or message.
    pub kind: String,
    /// The policy that decided; null if none did.
    pub policy: Option<String>,
    /// The index of the rule that decided; null for a default and if none did.
    pub rule_index: Option<usize>,
    /// The decision if no policy decided; otherwise null.
    pub decision: Option<String>,
    /// Jobs that failed; null without policies.
    pub failed_jobs: Option<u64>,
    /// Those of them that succeeded on record; null without policies.
    pub jobs: Option<u64>,
    /// Retries on record after the failure.
    pub retries: u64,
    /// Those that succeeded.
    pub succeeded: u64,
    /// The cost of those retries that did not succeed, which the policies save; null without policies.
    pub saved_hours: Option<f64>,
    /// The cost of those that succeeded, which the policies lose; null without policies.
    pub lost_work_hours: Option<f64>,
    /// The cost of the retries that did not succeed; null with policies.
    pub failed_retry_hours: Option<f64>,
    /// The cost of those that succeeded; null with policies.
    pub succeeded_retry_hours: Option<f64>,
}

/// Some jobs of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SamplesReport {
    /// The row.
    pub row: &'static str,
    /// The column.
    pub column: String,
    /// The jobs, at most 3: the same for any number of threads.
    pub jobs: Vec<String>,
}

/// A set of policies with its counts.
pub struct PolicyColumn<'c> {
    /// Its name, label, engine and files.
    pub column: AnswerColumn,
    /// Its summary.
    pub summary: &'c SummaryReport,
    /// Its counts beside the record.
    pub counts: &'c PolicyCounts,
    /// The rules and defaults of its engine.
    pub rules: Vec<RuleLabel>,
}

/// The answer of a record and some sets of policies.
pub fn answer_report(
    names: &Names,
    record: &RecordCounts,
    policies: &[PolicyColumn<'_>],
    options: AnswerOptions,
) -> AnswerReport {
    let unit = options.unit.unwrap_or_else(|| CostUnit::choose(record));
    // With several sets of policies the first of them is the base, not the record.
    let base = usize::from(policies.len() > 1 && !options.is_against_record);
    let of_record = AnswerColumn {
        name: ON_RECORD.to_owned(),
        label: ON_RECORD.to_owned(),
        engine: None,
        sources: Vec::new(),
    };
    let columns = std::iter::once(of_record).chain(policies.iter().map(|it| it.column.clone()));
    let kinds: Vec<String> = names.kinds().iter().map(ToString::to_string).collect();
    let reasons = match policies.first() {
        Some(first) => policy_reasons(&kinds, first, unit),
        None => record_reasons(&kinds, record, unit),
    };
    AnswerReport {
        period: record
            .period
            .map(|(from, to)| PeriodReport { from: from.to_string(), to: to.to_string() }),
        runs: record.runs.runs,
        untimed: record.runs.untimed,
        load: load(&record.storm),
        unit,
        uncounted: uncounted(record, unit),
        base,
        columns: columns.collect(),
        rows: ROWS.iter().map(|row| answer_row(row, record, policies, (unit, base))).collect(),
        reasons,
        recorded_retries: groups_report(names, record, unit).filter(|_| policies.is_empty()),
        advice: policies
            .first()
            .and_then(|first| flagged_rule(first.summary, unit))
            .map(AdviceReport::FlaggedRule)
            .into_iter()
            .collect(),
        evidence: policies
            .first()
            .map(|first| evidence(names, first.counts, unit))
            .unwrap_or_default(),
        samples: policies.iter().filter_map(samples).collect(),
        sentences: Vec::new(),
    }
}

/// The retries on record that cost nothing in a unit.
fn uncounted(record: &RecordCounts, unit: CostUnit) -> Option<UncountedReport> {
    let uncounted = unit.uncounted(record)?;
    let retries = record.retries();
    let mut all = retries.lost();
    all.merge(retries.succeeded);
    let hours = uncounted.run_hours();
    let share = (all.run_hours() > 0.0).then(|| hours / all.run_hours())?;
    Some(UncountedReport { retries: uncounted.runs, hours, share })
}

fn answer_row(
    row: &Row,
    record: &RecordCounts,
    policies: &[PolicyColumn<'_>],
    (unit, base): (CostUnit, usize),
) -> AnswerRow {
    let facts = policies.iter().map(|it| PolicyFacts { summary: it.summary, counts: it.counts });
    let of_policies = facts.map(|facts| (row.of_policies)(&facts, unit));
    let values: Vec<Option<f64>> =
        std::iter::once((row.of_record)(record, unit)).chain(of_policies).collect();
    let difference = |(at, value): (usize, &Option<f64>)| {
        let base = values[base].filter(|_| at > base);
        value.zip(base).map(|(value, base)| difference_of_times(value, base))
    };
    AnswerRow {
        id: row.id,
        label: row.label.replace("{}", unit.as_str()),
        unit: match row.unit {
            RowUnit::Jobs => "jobs",
            RowUnit::Retries => "retries",
            RowUnit::Cost => unit.as_str(),
        },
        differences: values.iter().enumerate().map(difference).collect(),
        values,
    }
}

/// Adds up counts of kinds of failure of one name: past the limit of kinds several have one.
fn by_name<K: Ord, T: Default>(
    counts: impl Iterator<Item = (K, T)>,
    merge: impl Fn(&mut T, T),
) -> BTreeMap<K, T> {
    let mut all: BTreeMap<K, T> = BTreeMap::new();
    for (key, counts) in counts {
        merge(all.entry(key).or_default(), counts);
    }
    all
}

/// The largest of some reasons first, by their figures and then by their names.
fn sort(reasons: &mut Vec<ReasonReport>) {
    let cost = |one: Option<f64>, other: Option<f64>| {
        other.unwrap_or_default().total_cmp(&one.unwrap_or_default())
    };
    reasons.sort_by(|one, other| {
        cost(one.saved_hours, other.saved_hours)
            .then_with(|| cost(one.lost_work_hours, other.lost_work_hours))
            .then_with(|| cost(one.failed_retry_hours, other.failed_retry_hours))
            .then_with(|| cost(one.succeeded_retry_hours, other.succeeded_retry_hours))
            .then_with(|| other.retries.cmp(&one.retries))
            .then_with(|| one.kind.cmp(&other.kind))
            .then_with(|| one.policy.cmp(&other.policy))
            .then_with(|| one.rule_index.cmp(&other.rule_index))
            .then_with(|| one.decision.cmp(&other.decision))
    });
    reasons.truncate(REASONS);
}

fn policy_reasons(kinds: &[String], first: &PolicyColumn<'_>, unit: CostUnit) -> Vec<ReasonReport> {
    let named = first.counts.reasons.iter().map(|(key, counts)| {
        let ReasonKey { kind, rule, code } = *key;
        ((kinds[kind as usize].as_str(), rule, code), *counts)
    });
    let reasons = by_name(named, ReasonCounts::merge).into_iter();
    let mut reasons: Vec<ReasonReport> = reasons
        .map(|((kind, rule, code), counts)| {
            let label = rule.and_then(|rule| first.rules.get(rule as usize));
            ReasonReport {
                kind: kind.to_owned(),
                policy: label.map(|label| label.policy.clone()),
                rule_index: label.and_then(|label| label.index),
                decision: code.map(str::to_owned),
                failed_jobs: Some(counts.failed_jobs),
                jobs: Some(counts.jobs),
                retries: counts.saved.runs + counts.lost.runs,
                succeeded: counts.lost.runs,
                saved_hours: Some(unit.of(&HoursReport::from(&counts.saved))),
                lost_work_hours: Some(unit.of(&HoursReport::from(&counts.lost))),
                failed_retry_hours: None,
                succeeded_retry_hours: None,
            }
        })
        .collect();
    sort(&mut reasons);
    reasons
}

fn record_reasons(kinds: &[String], record: &RecordCounts, unit: CostUnit) -> Vec<ReasonReport> {
    let used = kinds.iter().zip(&record.kinds).filter(|(_, retries)| retries.runs() > 0);
    let named = by_name(used.map(|(kind, retries)| (kind, *retries)), RetryHours::merge);
    let mut reasons: Vec<ReasonReport> = named
        .into_iter()
        .map(|(kind, retries)| ReasonReport {
            kind: kind.clone(),
            policy: None,
            rule_index: None,
            decision: None,
            failed_jobs: None,
            jobs: None,
            retries: retries.runs(),
            succeeded: retries.succeeded.runs,
            saved_hours: None,
            lost_work_hours: None,
            failed_retry_hours: Some(unit.of(&HoursReport::from(&retries.lost()))),
            succeeded_retry_hours: Some(unit.of(&HoursReport::from(&retries.succeeded))),
        })
        .collect();
    sort(&mut reasons);
    reasons
}

/// Some jobs that fail under policies and succeeded on record.
fn samples(policies: &PolicyColumn<'_>) -> Option<SamplesReport> {
    let jobs: Vec<String> =
        policies.counts.samples.iter().map(|sample| sample.job.to_string()).collect();
    let column = policies.column.name.clone();
    let row = "failedSucceededOnRecord";
    (!jobs.is_empty()).then_some(SamplesReport { row, column, jobs })
}
