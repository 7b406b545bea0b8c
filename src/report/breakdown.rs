//! The parts of a summary beyond rules and decisions: failures by queue, category and day, the cost of
//! retries, and failures that no rule matched.

use super::disruptions;
use super::durations::{TimeUnit, wait};
use super::figures::{self, count, count_of, several};
use super::layout::{Layout, MAX_ROWS, write_left_out};
use super::retries;
use super::rule_label::{label, rule};
use super::table::Table;
use super::wrap::prose;
use document::diag::printable;
use replay::simulate::{FollowingReport, HoursReport, SimulationReport, SummaryReport};
use std::fmt::Write;
use systems::{Description, description_of_engine};

/// Writes the tables of a summary of many jobs.
pub(super) fn tables(out: &mut String, report: &SimulationReport, layout: &Layout) {
    let (summary, system) = (&report.summary, description_of_engine(&report.engine));
    costs(out, summary, layout);
    retries::tables(out, summary, system, layout);
    queues(out, summary, layout);
    categories(out, summary, layout);
    if layout.wide {
        days(out, summary, layout);
    }
    failed_by(out, summary, system, layout);
    uncaught(out, summary, layout);
    never_matched(out, summary, layout);
}

/// The jobs that recovered, the granted runs, and the peak of retries at one time, in a few lines.
pub(super) fn lines(summary: &SummaryReport) -> Vec<String> {
    let mut lines = vec![format!(
        "{} recovered after a retry; {} recorded, {} not",
        several(summary.recovered, "job"),
        several(summary.replayed, "granted run"),
        count(summary.unresolved),
    )];
    lines.extend(disruptions::sentence(&summary.disruptions));
    lines.extend(summary.peak.as_ref().map(|peak| {
        let waiting = match summary.backoff_hours {
            0.0 => String::new(),
            hours => format!("; {} of waiting in all", wait(hours * 3600.0)),
        };
        format!(
            "at most {} waiting or running in one minute, from {} on{waiting}",
            figures::retries(peak.retries),
            peak.minute,
        )
    }));
    lines
}

pub(super) fn costs(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let rows = [
        ("retries that succeeded", &summary.retried_runs.succeeded),
        ("retries whose run failed", &summary.retried_runs.failed),
        ("retries that ended otherwise", &summary.retried_runs.other),
        ("runs not reached", &summary.not_reached_runs),
    ];
    if rows.iter().all(|(_, cost)| cost.runs == 0) {
        return;
    }
    let cores = rows.iter().any(|(_, cost)| cost.cpu_hours.is_some());
    let devices = rows.iter().any(|(_, cost)| cost.gpu_hours.is_some());
    let mut headers = vec!["RECORDED", "RUNS", "TIME"];
    headers.extend(cores.then_some("CPU-TIME"));
    headers.extend(devices.then_some("GPU-TIME"));
    let untimed = rows.iter().any(|(_, cost)| cost.untimed > 0);
    headers.extend(untimed.then_some("WITHOUT TIMES"));
    let mut table = Table::new(headers);
    for (what, cost) in rows.into_iter().filter(|(_, cost)| cost.runs > 0) {
        table.row(cost_cells(what, cost, (cores, devices, untimed)));
    }
    let _ = write!(out, "\n{}", table.render(layout));
}

fn cost_cells(
    what: &str,
    cost: &HoursReport,
    (cores, devices, untimed): (bool, bool, bool),
) -> Vec<String> {
    let known = cost.runs > cost.untimed;
    let times = [Some(cost.hours), cost.cpu_hours, cost.gpu_hours];
    let unit = TimeUnit::of(times.into_iter().flatten().fold(0.0, f64::max));
    let shown = |value: Option<f64>| {
        value.filter(|_| known).map(|value| unit.show_named(value)).unwrap_or_default()
    };
    let mut cells = vec![what.to_owned(), count(cost.runs), shown(Some(cost.hours))];
    cells.extend(cores.then(|| shown(cost.cpu_hours)));
    cells.extend(devices.then(|| shown(cost.gpu_hours)));
    cells.extend(untimed.then(|| count(cost.untimed)));
    cells
}

pub(super) fn queues(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let mut rows: Vec<_> = summary.by_queue.iter().collect();
    if rows.len() < 2 {
        return;
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.figures.failures));
    let mut table = Table::new(vec!["QUEUE", "FAILURES", "RETRIES", "FAILED JOBS"]);
    let most = layout.row_limit(rows.len());
    for row in &rows[..most] {
        table.row(vec![
            row.queue.clone(),
            count_of(row.figures.failures, summary.totals.failures),
            count_of(row.figures.retries, summary.totals.retries),
            count(row.figures.failed_jobs),
        ]);
    }
    let _ = write!(out, "\n{}", table.render(layout));
    write_left_out(out, rows.len() - most, "queue");
}

pub(super) fn categories(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let mut rows: Vec<_> = summary.by_category.iter().collect();
    if rows.iter().all(|row| row.category.is_none()) {
        return;
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.figures.failures));
    let mut table = Table::new(vec!["CATEGORY", "FAILURES", "RETRIES"]);
    let most = layout.row_limit(rows.len());
    for row in &rows[..most] {
        table.row(vec![
            row.category.clone().unwrap_or_default(),
            count_of(row.figures.failures, summary.totals.failures),
            count_of(row.figures.retries, summary.totals.retries),
        ]);
    }
    let _ = write!(out, "\n{}", table.render(layout));
    write_left_out(out, rows.len() - most, "category");
}

pub(super) fn days(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    if summary.by_day.is_empty() {
        return;
    }
    let mut table = Table::new(vec!["DAY (UTC)", "FAILURES", "RETRIES"]);
    for row in &summary.by_day {
        table.row(vec![row.day.clone(), count(row.figures.failures), count(row.figures.retries)]);
    }
    let _ = write!(out, "\n{}", table.render(layout));
}

pub(super) fn failed_by(
    out: &mut String,
    summary: &SummaryReport,
    system: &Description,
    layout: &Layout,
) {
    if summary.failed_by.is_empty() {
        return;
    }
    let failed = summary.outcomes.get("Failed").copied().unwrap_or_default();
    let mut table = Table::new(vec!["FAILED BY", "RULE", "JOBS"]);
    let most = layout.row_limit(summary.failed_by.len());
    for row in &summary.failed_by[..most] {
        table.row(vec![
            row.decision.clone(),
            row.policy.as_deref().map_or_else(String::new, |p| label(system, p, row.rule_index)),
            count_of(row.jobs, failed),
        ]);
    }
    let _ = write!(out, "\n{}", table.render(layout));
    write_left_out(out, summary.failed_by.len() - most, "way");
}

pub(super) fn uncaught(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let uncaught = &summary.uncaught;
    if uncaught.failures == 0 {
        return;
    }
    let what = several(uncaught.failures, "failure");
    let _ = writeln!(out, "\nno rule matched {what}; the largest kinds:");
    let headers =
        ["FAILURES", "RUNS AFTER", "SUCCEEDED", "CATEGORY", "EXIT CODE", "CONDITION", "MESSAGE"];
    let mut table = Table::new(headers.to_vec()).dispensable(&["CONDITION", "CATEGORY"]);
    let most = layout.row_limit(uncaught.groups.len());
    for group in &uncaught.groups[..most] {
        table.row(vec![
            count(group.failures),
            count(group.retries.runs.recorded),
            group.retries.success_rate.map(|_| succeeded(&group.retries)).unwrap_or_default(),
            group.category.clone().unwrap_or_default(),
            group.exit_code.map(|code| code.to_string()).unwrap_or_default(),
            group.condition.clone().unwrap_or_default(),
            group.message.clone().unwrap_or_default(),
        ]);
    }
    let _ = write!(out, "{}", table.render(layout));
}

/// How many of the recorded runs after failures succeeded.
fn succeeded(after: &FollowingReport) -> String {
    count_of(after.runs.succeeded, after.runs.recorded)
}

fn never_matched(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    if let Some(text) = never_matched_text(summary) {
        let _ = writeln!(out, "\n{}", prose(&text, layout));
    }
}

/// The rules that no failure was attributed to, in a line; none if there are none.
pub(super) fn never_matched_text(summary: &SummaryReport) -> Option<String> {
    let names: Vec<String> = summary
        .never_matched
        .iter()
        .map(|name| rule(Some(&name.policy), Some(name.rule_index)))
        .collect();
    if names.is_empty() {
        return None;
    }
    let (shown, left) = names.split_at(names.len().min(MAX_ROWS));
    let and_more = if left.is_empty() {
        String::new()
    } else {
        format!(" and {} more", count(left.len() as u64))
    };
    let text = format!("Never matched: {}{and_more}", shown.join(", "));
    Some(printable(&text).into_owned())
}
