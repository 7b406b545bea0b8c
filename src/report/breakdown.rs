//! The parts of a summary beyond rules and decisions: failures by queue, category and day, the cost of
//! retries, and failures that no rule matched.

use super::decision_line::{label, rule};
use super::disruptions;
use super::durations::{TimeUnit, wait};
use super::figures::{self, count, count_of, several};
use super::layout::{Layout, MAX_ROWS, prose};
use super::retries;
use super::table::{Table, columns, head};
use document::diag::printable;
use replay::simulate::{
    CategoryReport, DayReport, FailedByReport, FollowingReport, GroupReport, HoursReport,
    QueueReport, SimulationReport, SummaryReport,
};
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
    type Row<'s> = (&'static str, &'s HoursReport);
    let rows: [Row<'_>; 4] = [
        ("retries that succeeded", &summary.retried_runs.succeeded),
        ("retries whose run failed", &summary.retried_runs.failed),
        ("retries that ended otherwise", &summary.retried_runs.other),
        ("runs not reached", &summary.not_reached_runs),
    ];
    let rows: Vec<Row<'_>> = rows.into_iter().filter(|(_, cost)| cost.runs > 0).collect();
    let has = |is_there: fn(&HoursReport) -> bool| rows.iter().any(|(_, cost)| is_there(cost));
    let time = |cost: &HoursReport, time: Option<f64>| {
        let times = [Some(cost.hours), cost.cpu_hours, cost.gpu_hours];
        let unit = TimeUnit::of(times.into_iter().flatten().fold(0.0, f64::max));
        let known = time.filter(|_| cost.runs > cost.untimed);
        known.map(|value| unit.show_named(value)).unwrap_or_default()
    };
    let columns = columns![row in Row<'_>;
        "RECORDED" => row.0.to_owned(),
        "RUNS" => count(row.1.runs),
        "TIME" => time(row.1, Some(row.1.hours)),
        head("CPU-TIME").only_if(has(|it| it.cpu_hours.is_some())) => time(row.1, row.1.cpu_hours),
        head("GPU-TIME").only_if(has(|it| it.gpu_hours.is_some())) => time(row.1, row.1.gpu_hours),
        head("WITHOUT TIMES").only_if(has(|it| it.untimed > 0)) => count(row.1.untimed),
    ];
    Table::new(rows.iter().copied(), &columns).write(out, layout);
}

pub(super) fn queues(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let mut rows: Vec<_> = summary.by_queue.iter().collect();
    if rows.len() < 2 {
        return;
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.figures.failures));
    let totals = &summary.totals;
    let columns = columns![row in &&QueueReport;
        "QUEUE" => row.queue.clone(),
        "FAILURES" => count_of(row.figures.failures, totals.failures),
        "RETRIES" => count_of(row.figures.retries, totals.retries),
        "FAILED JOBS" => count(row.figures.failed_jobs),
    ];
    Table::first(&rows, "queue", &columns, layout).write(out, layout);
}

pub(super) fn categories(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let mut rows: Vec<_> = summary.by_category.iter().collect();
    if rows.iter().all(|row| row.category.is_none()) {
        return;
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.figures.failures));
    let totals = &summary.totals;
    let columns = columns![row in &&CategoryReport;
        "CATEGORY" => row.category.clone().unwrap_or_default(),
        "FAILURES" => count_of(row.figures.failures, totals.failures),
        "RETRIES" => count_of(row.figures.retries, totals.retries),
    ];
    Table::first(&rows, "category", &columns, layout).write(out, layout);
}

pub(super) fn days(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let columns = columns![row in &DayReport;
        "DAY (UTC)" => row.day.clone(),
        "FAILURES" => count(row.figures.failures),
        "RETRIES" => count(row.figures.retries),
    ];
    Table::new(&summary.by_day, &columns).write(out, layout);
}

pub(super) fn failed_by(
    out: &mut String,
    summary: &SummaryReport,
    system: &Description,
    layout: &Layout,
) {
    let failed = summary.outcomes.get("Failed").copied().unwrap_or_default();
    let rule = |row: &&FailedByReport| {
        row.policy.as_deref().map_or_else(String::new, |p| label(system, p, row.rule_index))
    };
    let columns = columns![row in &FailedByReport;
        "FAILED BY" => row.decision.clone(),
        "RULE" => rule(row),
        "JOBS" => count_of(row.jobs, failed),
    ];
    Table::first(&summary.failed_by, "way", &columns, layout).write(out, layout);
}

pub(super) fn uncaught(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    let uncaught = &summary.uncaught;
    if uncaught.failures == 0 {
        return;
    }
    let what = several(uncaught.failures, "failure");
    let _ = writeln!(out, "\nno rule matched {what}; the largest kinds:");
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let columns = columns![group in &GroupReport;
        "FAILURES" => count(group.failures),
        "RUNS AFTER" => count(group.retries.runs.recorded),
        "SUCCEEDED" =>
            group.retries.success_rate.map(|_| succeeded(&group.retries)).unwrap_or_default(),
        head("CATEGORY").leave_out(2) => text(&group.category),
        "EXIT CODE" => group.exit_code.map(|code| code.to_string()).unwrap_or_default(),
        head("CONDITION").leave_out(1) => text(&group.condition),
        "MESSAGE" => text(&group.message),
    ];
    let table = Table::new(layout.first(&uncaught.groups), &columns);
    out.push_str(&table.render(layout));
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
