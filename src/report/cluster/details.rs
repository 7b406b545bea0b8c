//! Every table of a simulated cluster, as `-o wide` has them: sentences on the outcome, then queues, templates and
//! pools, or one column per variant.

use super::comparison::comparison;
use super::figures::{count, duration, index, percent, plus_minus, preempted, share};
use super::summary::{self, node_line, run_line};
use super::tables::{causes_table, retries_table, rules_table, write_table};
use super::verdict::{brief, findings, verdict};
use crate::report::layout::Layout;
use crate::report::table::Table;
use crate::report::wrap::prose;
use cluster::report::{ClusterReport, ClusterVariant, Figure, Figures, Group, Waits};
use document::diag::printable;
use std::fmt::Write;

/// Writes every table.
pub(super) fn tables(out: &mut String, report: &ClusterReport, layout: &Layout) {
    let _ = writeln!(out, "{}\n", prose(&run_line(report), layout));
    let is_only = report.variants.len() == 1;
    for variant in &report.variants {
        let name = if is_only { String::new() } else { format!("{}: ", variant.name) };
        // Several variants get fewer sentences: the table that compares them has the other figures.
        let sentences = if is_only { verdict(variant) } else { brief(variant) };
        let sentences = sentences.into_iter().chain(findings(&variant.ends));
        for sentence in sentences {
            let sentence = format!("{name}{sentence}");
            let _ = writeln!(out, "{}", prose(&printable(&sentence), layout));
        }
    }
    match report.variants.as_slice() {
        [only] => details(out, only, layout),
        several => {
            out.push('\n');
            comparison(out, several, layout);
        }
    }
}

/// Writes the tables of one variant.
fn details(out: &mut String, variant: &ClusterVariant, layout: &Layout) {
    let Figures { total, causes, rules, pools, .. } = &variant.figures;
    let tables = [
        queues_table(variant),
        templates_table(variant),
        causes_table(causes, layout.wide),
        fairness_table(variant),
        rules_table(rules, layout.wide),
        retries_table(&total.retries),
    ];
    for table in tables {
        write_table(out, table, layout);
    }
    let mut lines = summary::shares(total);
    lines.extend(summary::ends(total));
    lines.extend(pools.iter().filter_map(|(name, pool)| node_line(name, pool, pools.len() == 1)));
    write_lines(out, &lines, layout);
}

/// Writes lines after an empty one.
pub(super) fn write_lines(out: &mut String, lines: &[String], layout: &Layout) {
    if !lines.is_empty() {
        out.push('\n');
    }
    for line in lines {
        let _ = writeln!(out, "{}", prose(line, layout));
    }
}

/// The table of all queues.
pub(super) fn queues_table(variant: &ClusterVariant) -> Table {
    let Figures { total, queues, .. } = &variant.figures;
    let intervals = variant.intervals.as_ref();
    let mut table = Table::new(HEADERS.to_vec()).dispensable(&[
        "WASTE",
        "CORE-HOURS",
        "WAIT P95",
        "ENTITLED",
        "ACTUAL",
    ]);
    for (name, group) in queues {
        let interval = intervals.and_then(|all| all.queues.get(name));
        table.row(queue_cells(name, group, interval));
    }
    if queues.len() > 1 {
        table.row(queue_cells("total", total, intervals.map(|all| &all.total)));
    }
    table.without(hidden(total))
}

/// The columns that a table lacks: that of failed jobs if none failed.
pub(super) fn hidden(total: &Group) -> &'static [&'static str] {
    if total.jobs.failed.0 > 0.0 { &[] } else { &[FAILED] }
}

/// The table of templates.
pub(super) fn templates_table(variant: &ClusterVariant) -> Table {
    let Figures { total, templates, .. } = &variant.figures;
    let intervals = variant.intervals.as_ref();
    let mut table = Table::new(TEMPLATE_HEADERS.to_vec());
    for (name, group) in templates {
        let interval = intervals.and_then(|all| all.templates.get(name));
        table.row(template_cells(name, group, interval));
    }
    table.without(hidden(total))
}

/// The table of the fairness of pools.
pub(super) fn fairness_table(variant: &ClusterVariant) -> Table {
    let mut table = Table::new(vec!["POOL", "FAIRNESS ERROR", "JAIN", "LONGEST BELOW HALF SHARE"]);
    for (name, pool) in &variant.figures.pools {
        let fairness = &pool.fairness;
        table.row(vec![
            name.clone(),
            share(fairness.fairness_error),
            index(fairness.jain),
            fairness.longest_below_half_share.map(duration).unwrap_or_default(),
        ]);
    }
    table
}

/// The header of the column of failed jobs, which is shown if there are any.
pub(super) const FAILED: &str = "FAILED";

/// The headers of the table of queues.
pub(super) const HEADERS: [&str; 11] = [
    "QUEUE",
    "JOBS",
    "SUCCEEDED",
    FAILED,
    "PREEMPTED",
    "WAIT MEAN",
    "WAIT P95",
    "WAIT MAX",
    "ENTITLED",
    "ACTUAL",
    "WASTE",
];

const TEMPLATE_HEADERS: [&str; 10] = [
    "TEMPLATE",
    "JOBS",
    "SUCCEEDED",
    FAILED,
    "PREEMPTED",
    "WAIT MEAN",
    "WAIT P95",
    "WAIT MAX",
    "CORE-HOURS",
    "WASTE",
];

/// The number of all jobs of a group.
pub(super) fn all_jobs(group: &Group) -> f64 {
    let jobs = &group.jobs;
    let open = jobs.unfinished.0 + jobs.never_submitted.0 + jobs.unschedulable.0;
    jobs.succeeded.0 + jobs.failed.0 + open
}

/// The cells of a queue, or of all jobs.
pub(super) fn queue_cells(name: &str, group: &Group, interval: Option<&Group>) -> Vec<String> {
    let mut cells = shared_cells(name, group, interval);
    cells.push(share(group.fairness.entitled));
    cells.push(share(group.fairness.actual));
    cells.push(group.waste.map(|waste| percent(waste.0)).unwrap_or_default());
    cells
}

fn template_cells(name: &str, group: &Group, interval: Option<&Group>) -> Vec<String> {
    let mut cells = shared_cells(name, group, interval);
    let hours = &group.hours.core;
    let all = hours.useful.0 + hours.lost.0 + hours.overhead.0 + hours.unfinished.0;
    cells.push(format!("{all:.1}"));
    cells.push(group.waste.map(|waste| percent(waste.0)).unwrap_or_default());
    cells
}

/// The cells of jobs, preemptions and waits, with intervals if there are several seeds.
fn shared_cells(name: &str, group: &Group, interval: Option<&Group>) -> Vec<String> {
    let wait = |of: fn(&Waits) -> Figure| {
        let text = group.wait.as_ref().map(of).map(duration).unwrap_or_default();
        text + &plus_minus(interval.and_then(|half| half.wait.as_ref()).map(of), duration)
    };
    let jobs = |of: fn(&Group) -> f64| {
        count(of(group)) + &plus_minus(interval.map(of).map(Figure), |half| count(half.0))
    };
    vec![
        name.to_owned(),
        count(all_jobs(group)),
        jobs(|group| group.jobs.succeeded.0),
        jobs(|group| group.jobs.failed.0),
        jobs(preempted),
        wait(|wait| wait.mean),
        wait(|wait| wait.p95),
        wait(|wait| wait.max),
    ]
}
