//! A simulation as tables: a timeline for each job, then the summary.

use super::answer::grid;
use super::decision_line::label;
use super::figures::{count, count_of, retries, several};
use super::layout::{Layout, prose, write_left_out};
use super::table::{Table, columns};
use super::timeline::timeline;
use super::{breakdown, changes, queue_sources, retries, variants, verdict};
use document::diag::printable;
use replay::simulate::{RuleReport, SimulationReport, SummaryReport};
use std::cmp::Reverse;
use std::fmt::Write;
use systems::{Description, description_of_engine};

/// Renders a sentence on each variant, the timelines if there are any, and the summary if there is more than one job.
pub(super) fn tables(report: &SimulationReport, layout: &Layout) -> String {
    let mut out = String::new();
    verdict::sentences(&mut out, report, layout);
    for job in report.jobs.iter().flatten() {
        timeline(&mut out, job, &report.engine, layout);
        out.push('\n');
    }
    if report.summary.totals.jobs != 1 || report.jobs.is_none() {
        summary(&mut out, report, layout);
    } else {
        assumption(&mut out, &report.summary, layout);
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    match (&report.variants, grid::in_report(report)) {
        // A column for each pair of values would be wider than a screen.
        (Some(_), Some(grid)) if !layout.wide => grid.write(&mut out, &report.answer, layout),
        (Some(variants), _) => {
            if !changes::are_all_equal(variants) {
                variants::table(&mut out, variants, layout);
            }
            changes::tables(&mut out, variants, layout);
        }
        (None, _) => {}
    }
    queue_sources::table(&mut out, report, layout);
    out
}

/// A table that `--show` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// All rows of the answer.
    Record,
    /// The decisions of each rule, and the outcomes of its retries.
    Rules,
    /// Decisions by code, and failed jobs by decision.
    Decisions,
    /// Kinds of failures.
    Kinds,
    /// Retries by their number.
    Retries,
    /// Nodes on which retries failed.
    Nodes,
    /// Failures by queue.
    Queues,
    /// Failures by category.
    Categories,
    /// Failures by day.
    Days,
    /// The time of retries and of runs that are not reached.
    Hours,
    /// Retries after disruptions.
    Disruptions,
    /// The differences under other sets of policies.
    Changes,
    /// Recorded runs that contradict the policies.
    Contradictions,
}

impl Section {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 13] = [
        ("record", Self::Record),
        ("rules", Self::Rules),
        ("decisions", Self::Decisions),
        ("kinds", Self::Kinds),
        ("retries", Self::Retries),
        ("nodes", Self::Nodes),
        ("queues", Self::Queues),
        ("categories", Self::Categories),
        ("days", Self::Days),
        ("hours", Self::Hours),
        ("disruptions", Self::Disruptions),
        ("changes", Self::Changes),
        ("contradictions", Self::Contradictions),
    ];
}

/// Writes a section about the policies; the answer has the record.
pub(super) fn section(
    out: &mut String,
    report: &SimulationReport,
    section: Section,
    layout: &Layout,
) {
    let (summary, system) = (&report.summary, description_of_engine(&report.engine));
    match section {
        Section::Record => {}
        Section::Rules => {
            rules(out, summary, system, layout);
            retries::by_rule(out, summary, system, layout);
        }
        Section::Decisions => {
            decision_codes(out, summary, layout);
            breakdown::failed_by(out, summary, system, layout);
        }
        Section::Kinds => breakdown::uncaught(out, summary, layout),
        Section::Retries => retries::by_number(out, summary, system, layout),
        Section::Nodes => retries::nodes(out, summary, layout),
        Section::Queues => {
            breakdown::queues(out, summary, layout);
            queue_sources::table(out, report, layout);
        }
        Section::Categories => breakdown::categories(out, summary, layout),
        Section::Days => breakdown::days(out, summary, layout),
        Section::Hours => breakdown::costs(out, summary, layout),
        Section::Disruptions => retries::after_disruptions(out, summary, system, layout),
        Section::Changes => {
            let variants = report.variants.as_deref().unwrap_or_default();
            changes::tables(out, variants, layout);
        }
        Section::Contradictions => contradictions(out, summary, layout),
    }
}

fn summary(out: &mut String, report: &SimulationReport, layout: &Layout) {
    let (summary, system) = (&report.summary, description_of_engine(&report.engine));
    for line in totals(summary, system) {
        let _ = writeln!(out, "{}", prose(&line, layout));
    }
    assumption(out, summary, layout);
    rules(out, summary, system, layout);
    decision_codes(out, summary, layout);
    breakdown::tables(out, report, layout);
    contradictions(out, summary, layout);
}

/// The number of recorded runs that contradict the policies, by kind, in a line; none if there are none.
pub(super) fn contradictions_text(summary: &SummaryReport) -> Option<String> {
    let kinds = &summary.contradictions_by_kind;
    let kinds: Vec<String> =
        kinds.iter().map(|kind| format!("{} by {}", count(kind.runs), kind.kind)).collect();
    let verb = if summary.contradictions == 1 { "contradicts" } else { "contradict" };
    let runs = several(summary.contradictions, "recorded run");
    (summary.contradictions > 0)
        .then(|| format!("{runs} {verb} these policies: {}.", kinds.join(", ")))
}

/// The number of recorded runs that contradict the policies, of each kind, with two samples: those of a kind read
/// alike.
fn contradictions(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    const SAMPLES: usize = 2;
    if summary.contradictions == 0 {
        return;
    }
    let runs = several(summary.contradictions, "recorded run");
    let verb = if summary.contradictions == 1 { "contradicts" } else { "contradict" };
    let _ = writeln!(out, "\n{runs} {verb} these policies:");
    for kind in &summary.contradictions_by_kind {
        let such_as = if kind.runs > SAMPLES as u64 { ", such as" } else { "" };
        let _ = writeln!(out, "  {} by {}{such_as}:", count(kind.runs), kind.kind);
        for example in kind.examples.iter().take(SAMPLES) {
            let text =
                format!("    job {} run {} {}", example.job_id, example.run_index, example.what);
            let _ = writeln!(out, "{}", prose(&printable(&text), layout));
        }
    }
}

/// What all jobs, failures and retries come to, in a few lines.
fn totals(summary: &SummaryReport, system: &Description) -> Vec<String> {
    let (all, cut_off) = (&summary.totals, summary.runs.cut_off);
    let outcome = |(name, jobs): (&String, &u64)| format!("{} {name}", count_of(*jobs, all.jobs));
    let outcomes: Vec<String> = summary.outcomes.iter().map(outcome).collect();
    let colon = if outcomes.is_empty() { "" } else { ": " };
    let cut_off = (cut_off > 0).then(|| format!(", {} cut off", count(cut_off)));
    let decisions: u64 = summary.by_decision.values().sum();
    let in_all = match decisions {
        decisions if decisions == all.failures => String::new(),
        decisions => format!(" ({} in all)", several(decisions, "decision")),
    };
    let mut lines = vec![
        format!("{}{colon}{}", several(all.jobs, "job"), outcomes.join(", ")),
        format!(
            "{} decided{in_all}, {} granted, {} not reached{}",
            several(all.failures, "failure"),
            retries(all.retries),
            several(summary.not_reached, "recorded run"),
            cut_off.unwrap_or_default(),
        ),
    ];
    lines.extend(system.draft.map(|draft| format!("evaluated by {}", draft.sentence)));
    lines.extend(breakdown::lines(summary));
    lines
}

/// The table of what each rule and default decided. Without `-o wide` it has those with the most decisions, in the
/// order of the policies.
fn rules(out: &mut String, summary: &SummaryReport, system: &Description, layout: &Layout) {
    let most = layout.first(&summary.by_rule).len();
    let mut rows: Vec<(usize, &RuleReport)> = summary.by_rule.iter().enumerate().collect();
    rows.sort_by_key(|(_, row)| Reverse(row.figures.matched));
    rows.truncate(most);
    rows.sort_by_key(|(at, _)| *at);
    let decided = summary.by_decision.values().sum();
    let columns = columns![row in (usize, &RuleReport);
        "RULE" => label(system, &row.1.policy, row.1.rule_index),
        "MATCHED" => count_of(row.1.figures.matched, decided),
        "RETRIED" => count(row.1.figures.retried),
        "EXHAUSTED" => count(row.1.figures.exhausted),
    ];
    Table::new(rows, &columns).write(out, layout);
    write_left_out(out, summary.by_rule.len() - most, "rule");
}

/// The table of decisions by their codes.
fn decision_codes(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let mut rows: Vec<(&String, &u64)> = summary.by_decision.iter().collect();
    rows.sort_by_key(|(_, runs)| Reverse(**runs));
    let decided = rows.iter().map(|(_, runs)| **runs).sum();
    let columns = columns![row in &(&String, &u64);
        "DECISION" => (*row.0).clone(),
        "RUNS" => count_of(*row.1, decided),
    ];
    Table::first(&rows, "decision", &columns, layout).write(out, layout);
}

pub(super) fn assumption(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    if let Some(text) = assumption_text(summary) {
        let _ = writeln!(out, "{}", prose(&text, layout));
    }
}

/// The outcomes that `--assume` gives to unresolved jobs; `None` without the flag.
pub(super) fn assumption_text(summary: &SummaryReport) -> Option<String> {
    let assumption = summary.assumption.as_ref()?;
    let mut text = format!(
        "Assumption ({}): of {} {} succeed and {} fail",
        assumption.assume,
        several(assumption.unresolved, "unresolved job"),
        expected(assumption.succeeded),
        expected(assumption.failed)
    );
    if assumption.unsettled > 0 {
        let _ = write!(
            text,
            "; {} cannot be resolved because their rules have no recorded retry",
            count(assumption.unsettled)
        );
    }
    Some(text)
}

/// An expected number of jobs, with one decimal unless it is whole.
fn expected(jobs: f64) -> String {
    if jobs.fract() == 0.0 { format!("{jobs:.0}") } else { format!("{jobs:.1}") }
}

#[cfg(test)]
mod tests;
