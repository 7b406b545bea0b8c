//! A simulation as tables: a timeline for each job, then the summary.

use super::figures::{count, count_of, retries, several};
use super::layout::{Layout, write_left_out};
use super::rule_label::label;
use super::table::Table;
use super::timeline::timeline;
use super::wrap::prose;
use super::{assertions, breakdown, changes, notes, queue_sources, variants};
use crate::diag::printable;
use crate::simulate::{RuleReport, SimulationReport, SummaryReport};
use crate::systems::{Description, description_of_engine};
use std::cmp::Reverse;
use std::fmt::Write;

/// Renders the notes, a sentence on each variant, the timelines if there are any, and the summary if there is
/// more than one job.
pub fn table(report: &SimulationReport, layout: &Layout) -> String {
    let mut out = String::new();
    notes::head(&mut out, report, layout);
    for job in report.jobs.iter().flatten() {
        timeline(&mut out, job, &report.engine, layout);
        out.push('\n');
    }
    if report.summary.jobs != 1 || report.jobs.is_none() {
        summary(&mut out, report, layout);
    } else {
        assumption(&mut out, &report.summary, layout);
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    if let Some(variants) = &report.variants {
        if !changes::are_all_equal(variants) {
            variants::table(&mut out, variants, layout);
        }
        changes::tables(&mut out, variants, layout);
    }
    queue_sources::table(&mut out, report, layout);
    assertions::lines(&mut out, &report.assertions, layout);
    out
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
    let outcome =
        |(name, jobs): (&String, &u64)| format!("{} {name}", count_of(*jobs, summary.jobs));
    let outcomes: Vec<String> = summary.outcomes.iter().map(outcome).collect();
    let colon = if outcomes.is_empty() { "" } else { ": " };
    let cut_off = summary.cut_off.map(|runs| format!(", {} cut off", count(runs)));
    let decisions: u64 = summary.by_decision.values().sum();
    let in_all = match decisions {
        decisions if decisions == summary.failures => String::new(),
        decisions => format!(" ({} in all)", several(decisions, "decision")),
    };
    let mut lines = vec![
        format!("{}{colon}{}", several(summary.jobs, "job"), outcomes.join(", ")),
        format!(
            "{} decided{in_all}, {} granted, {} not reached{}",
            several(summary.failures, "failure"),
            retries(summary.retries),
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
    let most = layout.row_limit(summary.by_rule.len());
    let mut rows: Vec<(usize, &RuleReport)> = summary.by_rule.iter().enumerate().collect();
    rows.sort_by_key(|(_, row)| Reverse(row.matched));
    rows.truncate(most);
    rows.sort_by_key(|(at, _)| *at);
    let decided = summary.by_decision.values().sum();
    let mut table = Table::new(vec!["RULE", "MATCHED", "RETRIED", "EXHAUSTED"]);
    for (_, row) in rows {
        table.row(vec![
            label(system, &row.policy, row.rule_index),
            count_of(row.matched, decided),
            count(row.retried),
            count(row.exhausted),
        ]);
    }
    let _ = write!(out, "\n{}", table.render(layout));
    write_left_out(out, summary.by_rule.len() - most, "rule");
}

/// The table of decisions by their codes.
fn decision_codes(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let mut rows: Vec<(&String, &u64)> = summary.by_decision.iter().collect();
    if rows.is_empty() {
        return;
    }
    rows.sort_by_key(|(_, runs)| Reverse(**runs));
    let decided = rows.iter().map(|(_, runs)| **runs).sum();
    let most = layout.row_limit(rows.len());
    let mut table = Table::new(vec!["DECISION", "RUNS"]);
    for (code, runs) in &rows[..most] {
        table.row(vec![(*code).clone(), count_of(**runs, decided)]);
    }
    let _ = write!(out, "\n{}", table.render(layout));
    write_left_out(out, rows.len() - most, "decision");
}

fn assumption(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let Some(assumption) = &summary.assumption else { return };
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
    let _ = writeln!(out, "{}", prose(&text, layout));
}

/// An expected number of jobs, with one decimal unless it is whole.
fn expected(jobs: f64) -> String {
    if jobs.fract() == 0.0 { format!("{jobs:.0}") } else { format!("{jobs:.1}") }
}

#[cfg(test)]
mod tests;
