//! A simulated cluster as tables: a sentence on the outcome, then queues, templates and pools, or a
//! column a variant.

use super::layout::{Layout, Table};
use super::notes::line;
use crate::cluster::report::{
    AssertionReport, ClusterReport, ClusterVariant, EndName, EndReport, Figure, Figures, Group,
    Waits,
};
use crate::diag::printable;
use crate::units::GoDuration;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The report as text.
pub fn table(report: &ClusterReport, layout: &Layout) -> String {
    let mut out = String::new();
    for note in &report.notes {
        let _ = writeln!(out, "{}", line(note, layout));
    }
    let _ = writeln!(out, "{}\n", run_line(report));
    let is_only = report.variants.len() == 1;
    for variant in &report.variants {
        let name = if is_only { String::new() } else { format!("{}: ", variant.name) };
        for sentence in verdict(variant) {
            let _ = writeln!(out, "{}", printable(&format!("{name}{sentence}")));
        }
    }
    out.push('\n');
    match report.variants.as_slice() {
        [only] => details(&mut out, only, layout),
        several => comparison(&mut out, several, layout),
    }
    assertions(&mut out, &report.assertions, layout);
    out
}

/// The scheduler and the seeds.
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

/// The outcome in sentences: the jobs, what was preempted and lost, the waits, and why a run ended early.
fn verdict(variant: &ClusterVariant) -> Vec<String> {
    let total = &variant.figures.total;
    let mut sentences = vec![jobs(total)];
    let preempted = preempted(total);
    if preempted > 0.0 {
        let lost = total.hours.core.lost;
        let share = total.waste.map_or(0.0, |waste| waste.0);
        sentences.push(format!(
            "{} runs were preempted; {} of work, {}, were lost.",
            count(preempted),
            hours(lost, "core-hours"),
            percent(share),
        ));
    }
    if let Some(wait) = total.wait {
        let queue = longest(&variant.figures.queues);
        let queue = queue.map(|queue| format!(" in queue {queue}")).unwrap_or_default();
        sentences.push(format!(
            "Jobs waited {} on average, the longest {}{queue}.",
            duration(wait.mean),
            duration(wait.max)
        ));
    }
    sentences.extend(ends(&variant.ends));
    sentences
}

fn jobs(total: &Group) -> String {
    let jobs = &total.jobs;
    let open = jobs.unfinished.0 + jobs.never_submitted.0 + jobs.unschedulable.0 + jobs.failed.0;
    let all = jobs.succeeded.0 + open;
    let makespan = total.makespan.map(|time| format!(", the last after {}", duration(time)));
    let makespan = makespan.unwrap_or_default();
    if open == 0.0 {
        return format!("All {} jobs succeeded{makespan}.", count(all));
    }
    let others = [
        (jobs.failed, "failed"),
        (jobs.unfinished, "are not finished"),
        (jobs.never_submitted, "were never submitted"),
        (jobs.unschedulable, "fit no node"),
    ];
    let others = others.into_iter().filter(|(jobs, _)| jobs.0 > 0.0);
    let others: Vec<String> =
        others.map(|(jobs, what)| format!("{} {what}", count(jobs.0))).collect();
    let succeeded = count(jobs.succeeded.0);
    format!("{succeeded} of {} jobs succeeded{makespan}; {}.", count(all), others.join(", "))
}

fn preempted(group: &Group) -> f64 {
    let by = &group.preemptions;
    by.fair_share.0 + by.urgency.0 + by.other.0
}

/// The queue with the longest wait, if there are several.
fn longest(queues: &BTreeMap<String, Group>) -> Option<&str> {
    let wait = |group: &Group| group.wait.map_or(0.0, |wait| wait.max.0);
    let longest = queues.iter().max_by(|a, b| wait(a.1).total_cmp(&wait(b.1)))?;
    (queues.len() > 1).then_some(longest.0)
}

/// How many templates a sentence names.
const NAMED: usize = 3;

/// Sentences on runs that ended before all jobs were over: for each reason the first such run.
fn ends(ends: &[EndReport]) -> Vec<String> {
    let of = |reason: EndName| {
        let mut runs = ends.iter().filter(move |end| end.reason == reason);
        let first = runs.next()?;
        let more = match runs.count() {
            0 => String::new(),
            more => format!(" (seed {}; {more} more runs ended so)", first.seed),
        };
        let time = duration(first.time);
        let head = match reason {
            EndName::Until => {
                format!("The simulation ended at {time}, before all jobs were over{more}: ")
            }
            _ => format!("Nothing can change any more after {time}{more}: "),
        };
        Some(head + &open(first) + ".")
    };
    [EndName::Until, EndName::Stalled].into_iter().filter_map(of).collect()
}

fn open(end: &EndReport) -> String {
    let mut parts: Vec<String> = Vec::new();
    for template in end.open.iter().take(NAMED) {
        let reason = template.reason.as_ref().map(|reason| format!(" ({reason})"));
        let running = match template.running {
            0 => String::new(),
            running => format!("{running} running and "),
        };
        let reason = reason.unwrap_or_default();
        parts.push(format!("{running}{} queued of {}{reason}", template.queued, template.template));
    }
    let more = end.open.len().saturating_sub(NAMED);
    if more > 0 {
        parts.push(format!("and jobs of {more} more templates"));
    }
    if parts.is_empty() { "jobs are still to be submitted".to_owned() } else { parts.join(", ") }
}

/// The tables of one variant.
fn details(out: &mut String, variant: &ClusterVariant, layout: &Layout) {
    let Figures { total, queues, templates, pools } = &variant.figures;
    let intervals = variant.intervals.as_ref();
    let mut table = Table::new(HEADERS.to_vec()).dispensable(&[
        "LOST",
        "CORE-HOURS",
        "WAIT P95",
        "ENTITLED",
        "ACTUAL",
    ]);
    for (name, group) in queues {
        table.row(cells(name, group, intervals.and_then(|all| all.queues.get(name))));
    }
    if queues.len() > 1 {
        table.row(cells("total", total, intervals.map(|all| &all.total)));
    }
    let _ = write!(out, "{}", table.render(layout));
    if layout.wide {
        let mut table = Table::new(TEMPLATE_HEADERS.to_vec());
        for (name, group) in templates {
            table.row(template_cells(
                name,
                group,
                intervals.and_then(|all| all.templates.get(name)),
            ));
        }
        let _ = write!(out, "\n{}", table.render(layout));
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
    out.push('\n');
    lines(out, total);
}

const HEADERS: [&str; 10] = [
    "QUEUE",
    "JOBS",
    "SUCCEEDED",
    "PREEMPTED",
    "WAIT MEAN",
    "WAIT P95",
    "WAIT MAX",
    "ENTITLED",
    "ACTUAL",
    "LOST",
];

const TEMPLATE_HEADERS: [&str; 9] = [
    "TEMPLATE",
    "JOBS",
    "SUCCEEDED",
    "PREEMPTED",
    "WAIT MEAN",
    "WAIT P95",
    "WAIT MAX",
    "CORE-HOURS",
    "LOST",
];

/// All jobs of a group.
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

/// Jobs, preemptions and waits, with intervals where there are several seeds.
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
        jobs(preempted),
        wait(|wait| wait.mean),
        wait(|wait| wait.p95),
        wait(|wait| wait.max),
    ]
}

/// Fairness, utilisation and refusals in lines.
fn lines(out: &mut String, total: &Group) {
    let fairness = &total.fairness;
    if let (Some(error), Some(jain)) = (fairness.fairness_error, fairness.jain) {
        let _ = writeln!(
            out,
            "Fairness: queues lacked {} of their entitled shares on average; Jain's index {}.",
            percent(error.0),
            index(Some(jain))
        );
    }
    let used: Vec<String> = total
        .utilisation
        .iter()
        .filter(|(_, part)| part.0 > 0.0)
        .map(|(name, part)| format!("{} {}", printable(name), percent(part.0)))
        .collect();
    if !used.is_empty() {
        let _ = writeln!(out, "Utilisation: {}.", used.join(", "));
    }
    for (reason, jobs) in &total.refusals {
        let _ =
            writeln!(out, "Refused at least once, {} jobs: {}", count(jobs.0), printable(reason));
    }
}

/// A row of the comparison: its label, its figure, and how that is shown.
type Row = (&'static str, fn(&Group) -> Option<Figure>, fn(Figure) -> String);

const ROWS: [Row; 11] = [
    ("jobs succeeded", |group| Some(group.jobs.succeeded), |figure| count(figure.0)),
    ("jobs not finished", |group| Some(group.jobs.unfinished), |figure| count(figure.0)),
    ("runs preempted", |group| Some(Figure(preempted(group))), |figure| count(figure.0)),
    ("makespan", |group| group.makespan, duration),
    ("wait, mean", |group| Some(group.wait?.mean), duration),
    ("wait, p95", |group| Some(group.wait?.p95), duration),
    ("wait, longest", |group| Some(group.wait?.max), duration),
    ("waste", |group| group.waste, |figure| percent(figure.0)),
    ("fairness error", |group| group.fairness.fairness_error, |figure| percent(figure.0)),
    ("Jain's index", |group| group.fairness.jain, |figure| index(Some(figure))),
    ("cpu used", |group| group.utilisation.get("cpu").copied(), |figure| percent(figure.0)),
];

/// The rows that each queue has where not all is shown.
const QUEUE_ROWS: [&str; 2] = ["runs preempted", "wait, p95"];

/// A row of figures, a column a variant; some of them for each queue too, all where all is shown.
fn comparison(out: &mut String, variants: &[ClusterVariant], layout: &Layout) {
    let names = variants.iter().map(|variant| variant.name.clone());
    let mut table = Table::named([String::new()].into_iter().chain(names));
    rows(&mut table, "", &ROWS, variants, |figures| Some(&figures.total));
    let is_of_queues = |row: &&Row| layout.wide || QUEUE_ROWS.contains(&row.0);
    let of_queues: Vec<Row> = ROWS.iter().filter(is_of_queues).copied().collect();
    let queues = variants.first().map(|first| first.figures.queues.keys());
    for queue in queues.into_iter().flatten() {
        let prefix = format!("{queue}: ");
        rows(&mut table, &prefix, &of_queues, variants, |figures| figures.queues.get(queue));
    }
    let _ = write!(out, "{}", table.render_whole(layout));
}

fn rows(
    table: &mut Table,
    prefix: &str,
    rows: &[Row],
    variants: &[ClusterVariant],
    group: impl Fn(&Figures) -> Option<&Group>,
) {
    for (label, figure, show) in rows {
        let of = |figures: &Figures| group(figures).and_then(figure);
        let values: Vec<Option<Figure>> =
            variants.iter().map(|variant| of(&variant.figures)).collect();
        if values.iter().all(|value| value.is_none_or(|value| value.0 == 0.0)) {
            continue;
        }
        let cells = variants.iter().zip(values).map(|(variant, value)| {
            let half = |figures: Option<&Figures>| plus_minus(figures.and_then(of), *show);
            let difference = variant.differences.as_ref().and_then(of);
            let difference =
                difference.filter(|difference| difference.0 != 0.0).map(|difference| {
                    let sign = if difference.0 < 0.0 { "-" } else { "+" };
                    let size = show(Figure(difference.0.abs()));
                    format!(" ({sign}{size}{})", half(variant.difference_intervals.as_ref()))
                });
            let text = value.map(show).unwrap_or_default();
            text + &half(variant.intervals.as_ref()) + &difference.unwrap_or_default()
        });
        let label = format!("{prefix}{label}");
        table.row([label].into_iter().chain(cells).collect());
    }
}

/// Half of an interval, unless it is empty.
fn plus_minus(half: Option<Figure>, show: impl Fn(Figure) -> String) -> String {
    let half = half.filter(|half| half.0 > 0.0);
    half.map(|half| format!(" ± {}", show(half))).unwrap_or_default()
}

fn assertions(out: &mut String, all: &[AssertionReport], layout: &Layout) {
    if !all.is_empty() {
        out.push('\n');
    }
    for assertion in all {
        let (word, holds) = if assertion.holds { ("holds", true) } else { ("fails", false) };
        let value = assertion.value.map_or("no value".to_owned(), |value| format!("{}", value.0));
        let text = printable(&assertion.assertion).into_owned();
        let _ = writeln!(out, "{}: {text} (it is {value})", layout.paint(word, Some(holds)));
    }
}

/// A count; a mean of counts has one decimal.
fn count(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn share(share: Option<Figure>) -> String {
    share.map(|share| percent(share.0)).unwrap_or_default()
}

fn index(value: Option<Figure>) -> String {
    value.map(|value| format!("{:.3}", value.0)).unwrap_or_default()
}

fn hours(value: Figure, unit: &str) -> String {
    format!("{:.1} {unit}", value.0)
}

/// A time in seconds as a duration: to the second from a minute on, else to a tenth.
#[expect(clippy::cast_possible_truncation, reason = "rounded; at most 100 years")]
fn duration(seconds: Figure) -> String {
    let tenth = 100_000_000.0;
    let unit = if seconds.0.abs() >= 60.0 { tenth * 10.0 } else { tenth };
    let nanoseconds = (seconds.0 * 1e9 / unit).round() * unit;
    GoDuration::from_nanos(nanoseconds as i64).to_string()
}
