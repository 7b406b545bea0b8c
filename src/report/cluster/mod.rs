//! A simulated cluster as tables: sentences on the outcome, then queues, templates and pools, or one column
//! per variant.

mod comparison;
mod figures;
mod tables;
mod verdict;

use super::assertions;
use super::layout::Layout;
use super::notes::line;
use super::table::Table;
use super::wrap::prose;

use crate::cluster::report::{
    ClusterReport, ClusterVariant, Figure, Figures, Group, PoolFigures, Waits,
};
use crate::diag::printable;
use comparison::comparison;
use figures::{count, duration, index, percent, plus_minus, preempted, share};
use std::collections::BTreeMap;
use std::fmt::Write;
use tables::{causes_table, retries_table, rules_table};
use verdict::{brief, findings, verdict};

/// Renders the report as text.
pub fn table(report: &ClusterReport, layout: &Layout) -> String {
    let mut out = String::new();
    for note in &report.notes {
        let _ = writeln!(out, "{}", prose(&line(note, layout), layout));
    }
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
    out.push('\n');
    match report.variants.as_slice() {
        [only] => details(&mut out, only, layout),
        several => comparison(&mut out, several, layout),
    }
    assertions::lines(&mut out, &report.assertions, layout);
    out
}

/// The line that names the scheduler and the seeds.
fn run_line(report: &ClusterReport) -> String {
    let seeds = match report.seeds {
        1 => format!("seed {}", report.seed),
        seeds => {
            let last = report.seed.wrapping_add(u64::from(seeds) - 1);
            format!("means of seeds {} to {last} with 95 % intervals", report.seed)
        }
    };
    format!("Scheduler {}, {seeds}.", report.scheduler)
}

/// Writes the tables of one variant.
fn details(out: &mut String, variant: &ClusterVariant, layout: &Layout) {
    let Figures { total, queues, templates, causes, rules, pools } = &variant.figures;
    let intervals = variant.intervals.as_ref();
    let hidden: &[_] = if total.jobs.failed.0 > 0.0 { &[] } else { &[FAILED] };
    let mut table = Table::new(HEADERS.to_vec()).dispensable(&[
        "LOST",
        "CORE-HOURS",
        "WAIT P95",
        "ENTITLED",
        "ACTUAL",
    ]);
    for (name, group) in queues {
        let interval = intervals.and_then(|all| all.queues.get(name));
        table.row(cells(name, group, interval));
    }
    if queues.len() > 1 {
        table.row(cells("total", total, intervals.map(|all| &all.total)));
    }
    let _ = write!(out, "{}", table.without(hidden).render(layout));
    if layout.wide {
        let mut table = Table::new(TEMPLATE_HEADERS.to_vec());
        for (name, group) in templates {
            let interval = intervals.and_then(|all| all.templates.get(name));
            table.row(template_cells(name, group, interval));
        }
        let _ = write!(out, "\n{}", table.without(hidden).render(layout));
        causes_table(out, causes, layout);
        let mut table =
            Table::new(vec!["POOL", "FAIRNESS ERROR", "JAIN", "LONGEST BELOW HALF SHARE"]);
        for (name, pool) in pools {
            let fairness = &pool.fairness;
            table.row(vec![
                name.clone(),
                share(fairness.fairness_error),
                index(fairness.jain),
                fairness.longest_below_half_share.map(duration).unwrap_or_default(),
            ]);
        }
        let _ = write!(out, "\n{}", table.render(layout));
    }
    if !layout.wide {
        causes_table(out, causes, layout);
    }
    rules_table(out, rules, layout);
    if layout.wide {
        retries_table(out, &total.retries, layout);
    }
    let mut lines = lines(total);
    lines.extend(pools.iter().filter_map(|(name, pool)| node_line(name, pool, pools.len() == 1)));
    if !lines.is_empty() {
        out.push('\n');
    }
    for line in lines {
        let _ = writeln!(out, "{}", prose(&line, layout));
    }
}

/// The header of the column of failed jobs, which is shown if there are any.
const FAILED: &str = "FAILED";

const HEADERS: [&str; 11] = [
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
    "LOST",
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
    "LOST",
];

/// The line on the nodes of a pool, if any of them can fail.
fn node_line(name: &str, pool: &PoolFigures, is_only: bool) -> Option<String> {
    let nodes = pool.nodes?;
    let of = if is_only { String::new() } else { format!(" of pool {}", printable(name)) };
    Some(format!(
        "Nodes{of}: {} failed, {} lost as spot nodes; {} were up on average.",
        count(nodes.failed.0),
        count(nodes.lost.0),
        percent(nodes.up.0)
    ))
}

/// The number of all jobs of a group.
fn all_jobs(group: &Group) -> f64 {
    let jobs = &group.jobs;
    let open = jobs.unfinished.0 + jobs.never_submitted.0 + jobs.unschedulable.0;
    jobs.succeeded.0 + jobs.failed.0 + open
}

fn cells(name: &str, group: &Group, interval: Option<&Group>) -> Vec<String> {
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

/// The parts of resources that some job had, as a list.
fn parts(used: &BTreeMap<String, Figure>, parts: &BTreeMap<String, Figure>) -> String {
    let names = used.iter().filter(|(_, part)| part.0 > 0.0).map(|(name, _)| name.as_str());
    let part = |name: &str| parts.get(name).map_or(0.0, |part| part.0);
    let parts = names.map(|name| format!("{} {}", printable(name), percent(part(name))));
    parts.collect::<Vec<_>>().join(", ")
}

/// Fairness, utilisation and refusals, one line for each.
fn lines(total: &Group) -> Vec<String> {
    let mut lines = Vec::new();
    let fairness = &total.fairness;
    if let Some(error) = fairness.fairness_error {
        let jain = fairness.jain.map(|jain| format!("; Jain's index {}", index(Some(jain))));
        lines.push(format!(
            "Fairness: queues lacked {} of their entitled shares on average{}.",
            percent(error.0),
            jain.unwrap_or_default()
        ));
    }
    let used = parts(&total.utilisation, &total.utilisation);
    if !used.is_empty() {
        let useful = parts(&total.utilisation, &total.useful_utilisation);
        let useful = if useful == used { String::new() } else { format!("; useful: {useful}") };
        lines.push(format!("Utilisation: {used}{useful}."));
    }
    if let Some(idle) = &total.idle_while_backing_off {
        lines.push(format!("Idle while jobs backed off: {}.", parts(&total.utilisation, idle)));
    }
    if let Some(wait) = total.retry_wait.filter(|_| !total.retries.is_empty()) {
        let backed_off = match total.backed_off.0 {
            0.0 => String::new(),
            retries => format!("; {} of them backed off before", count(retries)),
        };
        lines.push(format!(
            "Retries waited {} on average from their retryAfter to their start, the longest {}{backed_off}.",
            duration(wait.mean),
            duration(wait.max),
        ));
    }
    let failed_by = total.jobs.failed_by.iter().filter(|(code, _)| *code != "none");
    let failed_by: Vec<String> =
        failed_by.map(|(code, jobs)| format!("{} {code}", count(jobs.0))).collect();
    if !failed_by.is_empty() {
        lines.push(format!("Jobs failed by decision: {}.", failed_by.join(", ")));
    }
    for (reason, jobs) in &total.refusals {
        lines.push(format!(
            "Jobs refused at least once: {} ({})",
            count(jobs.0),
            printable(reason)
        ));
    }
    lines
}
