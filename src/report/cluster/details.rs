//! Every table of a simulated cluster, as `-o wide` has them: sentences on the outcome, then queues, templates and
//! pools, or one column per variant.

use super::comparison::comparison;
use super::figures::{count, duration, index, percent, plus_minus, preempted, share};
use super::summary::{self, node_line, run_line};
use super::tables::{causes_table, retries_table, rules_table};
use super::verdict::{brief, findings, verdict};
use crate::report::layout::{Layout, prose};
use crate::report::table::{Column, Table, columns, head};
use cluster::report::{ClusterReport, ClusterVariant, Figure, Figures, Group, PoolFigures, Waits};
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
        table.write(out, layout);
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

/// A group with its name, and half of its intervals if there are several seeds.
pub(super) type GroupRow<'f> = (&'f str, &'f Group, Option<&'f Group>);

/// The table of all queues.
pub(super) fn queues_table(variant: &ClusterVariant) -> Table {
    let Figures { total, queues, .. } = &variant.figures;
    let sum = ("total", total, variant.intervals.as_ref().map(|all| &all.total));
    let rows = queues.keys().filter_map(|name| queue_row(variant, name));
    let rows = rows.chain((queues.len() > 1).then_some(sum));
    Table::new(rows, &group_columns("QUEUE", total, true))
}

/// A queue with its figures.
pub(super) fn queue_row<'f>(variant: &'f ClusterVariant, name: &'f str) -> Option<GroupRow<'f>> {
    let interval = variant.intervals.as_ref().and_then(|all| all.queues.get(name));
    Some((name, variant.figures.queues.get(name)?, interval))
}

pub(super) fn templates_table(variant: &ClusterVariant) -> Table {
    let Figures { total, templates, .. } = &variant.figures;
    let interval = |name| variant.intervals.as_ref().and_then(|all| all.templates.get(name));
    let rows = templates.iter().map(|(name, group)| (name.as_str(), group, interval(name)));
    Table::new(rows, &group_columns("TEMPLATE", total, true))
}

/// The columns of queues or templates: all of them, or those that fit 80 characters. That of failed jobs is shown if
/// there are any.
pub(super) fn group_columns<'f>(
    title: &str,
    total: &Group,
    has_all: bool,
) -> [Column<'f, GroupRow<'f>>; 12] {
    let is_queue = title == "QUEUE";
    let has_failed = total.jobs.failed.0 > 0.0;
    columns![row in GroupRow<'f>;
        title => row.0.to_owned(),
        "JOBS" => count(all_jobs(row.1)),
        head("SUCCEEDED").only_if(has_all) => jobs(row, |it| it.jobs.succeeded.0),
        head("FAILED").only_if(has_failed) => jobs(row, |it| it.jobs.failed.0),
        head("PREEMPTED").only_if(has_all) => jobs(row, preempted),
        head("WAIT MEAN").leave_out(2) => wait(row, |it| it.mean),
        "WAIT P95" => wait(row, |it| it.p95),
        head("WAIT MAX").only_if(has_all) => wait(row, |it| it.max),
        head("ENTITLED").leave_out(3).only_if(is_queue) => share(row.1.fairness.entitled),
        head("ACTUAL").leave_out(4).only_if(is_queue) => share(row.1.fairness.actual),
        head("CORE-HOURS").only_if(!is_queue) => format!("{:.1}", core_hours(row.1)),
        head("WASTE").leave_out(1).only_if(has_all) =>
            row.1.waste.map(|waste| percent(waste.0)).unwrap_or_default(),
    ]
}

fn core_hours(group: &Group) -> f64 {
    let hours = &group.hours.core;
    hours.useful.0 + hours.lost.0 + hours.overhead.0 + hours.unfinished.0
}

/// A number of jobs, with its interval if there are several seeds.
fn jobs((_, group, half): &GroupRow<'_>, of: fn(&Group) -> f64) -> String {
    count(of(group)) + &plus_minus(half.map(of).map(Figure), |half| count(half.0))
}

/// A wait, with its interval if there are several seeds.
fn wait((_, group, half): &GroupRow<'_>, of: fn(&Waits) -> Figure) -> String {
    let text = group.wait.as_ref().map(of).map(duration).unwrap_or_default();
    text + &plus_minus(half.and_then(|half| half.wait.as_ref()).map(of), duration)
}

/// The table of the fairness of pools.
pub(super) fn fairness_table(variant: &ClusterVariant) -> Table {
    let columns = columns![row in (&String, &PoolFigures);
        "POOL" => (*row.0).clone(),
        "FAIRNESS ERROR" => share(row.1.fairness.fairness_error),
        "JAIN" => index(row.1.fairness.jain),
        "LONGEST BELOW HALF SHARE" => row.1.fairness.longest_below_half_share.map(duration).unwrap_or_default(),
    ];
    Table::new(&variant.figures.pools, &columns)
}

/// The number of all jobs of a group.
pub(super) fn all_jobs(group: &Group) -> f64 {
    let jobs = &group.jobs;
    let open = jobs.unfinished.0 + jobs.never_submitted.0 + jobs.unschedulable.0;
    jobs.succeeded.0 + jobs.failed.0 + open
}
