//! The output of `history check`: which matchers of rules can work on a history. Fields may be added, but are never
//! renamed.

use super::answer::days;
use super::documents::API_VERSION;
use super::figures::{count, count_of, several};
use super::layout::{Layout, prose};
use super::notes;
use super::table::{Table, columns, head};
use document::diag::printable;
use replay::simulate::{AnswerReport, NoteReport, NoteSeverity, PeriodReport};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// The runs of a history, and what of them rules can match.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryCheckReport {
    /// `armadaproject.io/v1`.
    pub api_version: &'static str,
    /// `HistoryCheckReport`.
    pub kind: &'static str,
    /// Facts about the files, such as records that were skipped.
    pub notes: Vec<NoteReport>,
    /// The formats that were read: `records`, or the name of a program.
    pub sources: Vec<&'static str>,
    /// The first and the last time; null if no run has one.
    pub period: Option<PeriodReport>,
    /// The jobs with a run that has ended.
    pub jobs: u64,
    /// Their runs that have ended.
    pub runs: u64,
    /// The runs of which a policy decides.
    pub failures: u64,
    /// The matchers of a rule, each condition apart.
    pub matchers: Vec<MatcherItem>,
    /// Other fields of records on which a replay depends.
    pub fields: Vec<FieldItem>,
}

/// A matcher.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatcherItem {
    /// The field of a rule.
    pub matcher: &'static str,
    /// The condition; null for other matchers.
    pub condition: Option<&'static str>,
    /// The field of records that it compares.
    pub field: &'static str,
    /// Whether it can match.
    pub state: MatcherState,
    /// The failures that have what it compares.
    pub failures: u64,
    /// The most frequent values, the first 100; empty where values are texts of any kind.
    pub values: Vec<ValueItem>,
    /// The other values; those after the first 10,000 are not counted.
    pub more_values: u64,
    /// The reason why it cannot match; null if it may.
    pub why: Option<&'static str>,
    /// The way to records that it can match; null if there is none, or if no way is needed.
    pub help: Option<&'static str>,
}

/// A value, and how often it occurs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValueItem {
    /// The value.
    pub value: String,
    /// The failures that have it.
    pub failures: u64,
}

/// Whether a matcher can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MatcherState {
    /// A failure has what it compares.
    CanMatch,
    /// No failure has it, but the sources of the records can have it.
    NotInTheseRecords,
    /// The sources of the records never have it.
    Cannot,
}

/// A field of records.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldItem {
    /// Its name.
    pub field: &'static str,
    /// The runs that have it, by themselves or from their job.
    pub runs: u64,
    /// Its documentation.
    pub doc: &'static str,
}

impl HistoryCheckReport {
    /// The report on a history, of which `answer` has the jobs and the runs.
    pub fn new(notes: Vec<NoteReport>, answer: &AnswerReport) -> Self {
        let outcomes = ["jobsSucceeded", "jobsFailed", "jobsCancelled", "jobsUnresolved"];
        let jobs: f64 = outcomes.iter().filter_map(|id| answer.on_record(id)).sum();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let jobs = jobs as u64;
        Self {
            api_version: API_VERSION,
            kind: "HistoryCheckReport",
            notes,
            sources: Vec::new(),
            period: answer.period.clone(),
            jobs,
            runs: answer.runs,
            failures: 0,
            matchers: Vec::new(),
            fields: Vec::new(),
        }
    }
}

impl MatcherItem {
    /// The matcher, with its condition.
    fn name(&self) -> String {
        let condition = self.condition.map(|name| format!(" {name}")).unwrap_or_default();
        format!("{}{condition}", self.matcher)
    }
}

impl MatcherState {
    fn as_str(self) -> &'static str {
        match self {
            Self::CanMatch => "can match",
            Self::NotInTheseRecords => "not in these records",
            Self::Cannot => "cannot match",
        }
    }
}

/// The values of a cell.
const VALUES: usize = 4;

/// Renders the report: the answer, a row for each matcher, the reasons, and the other fields.
pub fn table(report: &HistoryCheckReport, layout: &Layout) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", prose(&headline(report), layout));
    notes::write(&mut out, &report.notes, NoteSeverity::Warning, layout);
    // The end of a name distinguishes conditions.
    let longest = report.matchers.iter().map(|row| row.name().len()).max().unwrap_or_default();
    let good = |state| Some(state == MatcherState::CanMatch).filter(|_| report.failures > 0);
    let columns = columns![row in &MatcherItem;
        head("MATCHER").at_least(longest) => row.name(),
        head("STATE") => (row.state.as_str().to_owned(), good(row.state)),
        "FAILURES" => match row.failures {
                0 => String::new(),
                failures => count_of(failures, report.failures),
                },
        "VALUES" => values(row, layout),
    ];
    if report.runs > 0 {
        Table::new(&report.matchers, &columns).write(&mut out, layout);
        let mut lines = reasons(report);
        lines.extend(fields(report));
        for line in lines {
            let _ = write!(out, "\n{}", prose(&printable(&line), layout));
        }
        out.push('\n');
    }
    notes::write(&mut out, &report.notes, NoteSeverity::Note, layout);
    out
}

/// The answer: what is on record, and how many matchers can match it.
fn headline(report: &HistoryCheckReport) -> String {
    let period = report.period.as_ref().and_then(|period| days(&period.from, &period.to));
    let period = period.map(|days| format!(", {days}")).unwrap_or_default();
    let (jobs, runs) = (several(report.jobs, "job"), several(report.runs, "run"));
    let failures = several(report.failures, "failure");
    let number = |state| report.matchers.iter().filter(|row| row.state == state).count();
    let can = match (report.failures, number(MatcherState::CanMatch)) {
        (0, _) => "No matcher can match.".to_owned(),
        (_, can) => format!("{can} of {} matchers can match.", report.matchers.len()),
    };
    format!("{jobs} with {runs}{period}; {failures}. {can}")
}

/// The most frequent values of a matcher; all that are listed in a wide table.
fn values(row: &MatcherItem, layout: &Layout) -> String {
    let shown = if layout.wide { row.values.len() } else { VALUES.min(row.values.len()) };
    let mut texts: Vec<String> = row.values[..shown]
        .iter()
        .map(|item| format!("{} ({})", item.value, count(item.failures)))
        .collect();
    let more = row.more_values + (row.values.len() - shown) as u64;
    if more > 0 {
        texts.push(format!("{} more", count(more)));
    }
    texts.join(", ")
}

/// The reasons why matchers cannot match, a line each.
fn reasons(report: &HistoryCheckReport) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for row in &report.matchers {
        let Some(why) = row.why else { continue };
        let help = row.help.map(|help| format!("; {help}")).unwrap_or_default();
        let reason = format!("{why}{help}");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(row.name()),
            None => reasons.push((reason, vec![row.name()])),
        }
    }
    let line = |(reason, names): (String, Vec<String>)| {
        format!("{} cannot match: {reason}.", names.join(", "))
    };
    reasons.into_iter().map(line).collect()
}

/// The other fields, by how many runs have them.
fn fields(report: &HistoryCheckReport) -> Option<String> {
    let names = |has: &dyn Fn(u64) -> bool| -> Vec<String> {
        let fields = report.fields.iter().filter(|field| has(field.runs));
        fields.map(|field| field.field.to_owned()).collect()
    };
    let all = names(&|runs| runs == report.runs);
    let none = names(&|runs| runs == 0);
    let some = report.fields.iter().filter(|field| field.runs > 0 && field.runs < report.runs);
    let some: Vec<String> = some
        .map(|field| format!("{} in {}", field.field, count_of(field.runs, report.runs)))
        .collect();
    let part = |before: &str, names: Vec<String>| {
        (!names.is_empty()).then(|| format!("{before}{}", names.join(", ")))
    };
    let parts =
        [part("in all runs: ", all), part("in some runs: ", some), part("in no run: ", none)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("Other fields {}.", parts.join("; ")))
}
