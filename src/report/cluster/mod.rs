//! A simulated cluster as tables: sentences on the outcome, then queues, templates and pools, or one column
//! per variant.

mod comparison;
mod figures;

use super::notes::line;
use super::table::{Layout, Table};
use super::wrap::wrap;

use crate::cluster::report::{
    AssertionReport, CauseFigures, ClusterReport, ClusterVariant, EndName, EndReport, Figure,
    Figures, FindingKind, FindingReport, Group, PoolFigures, RetryFigures, RuleFigures, Waits,
};
use crate::diag::printable;
use comparison::comparison;
use figures::{count, duration, hours, index, percent, plus_minus, share};
use std::collections::BTreeMap;
use std::fmt::Write;

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
    assertions(&mut out, &report.assertions, layout);
    out
}

/// Wraps a text to the width of the terminal.
fn prose(text: &str, layout: &Layout) -> String {
    layout.width.map_or_else(|| text.to_owned(), |width| wrap(text, width, 2))
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

/// The outcome in sentences: jobs, preempted and lost work, waits, and the reasons that runs ended early.
fn verdict(variant: &ClusterVariant) -> Vec<String> {
    let total = &variant.figures.total;
    let mut sentences = vec![jobs(total)];
    sentences.extend(lost_runs(variant));
    if let Some(wait) = total.wait.filter(|wait| wait.max.0 > 0.0) {
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

/// The sentence on runs that were preempted, failed or were stopped, and their work; `None` without any.
fn lost_runs(variant: &ClusterVariant) -> Option<String> {
    let total = &variant.figures.total;
    let runs = |of: fn(&CauseFigures) -> f64| variant.figures.causes.values().map(of).sum::<f64>();
    let kinds = [
        (preempted(total), "were preempted"),
        (runs(|cause| cause.attempts.0), "failed"),
        (runs(|cause| cause.stopped.0), "were stopped with their gangs"),
    ];
    let kinds = kinds.into_iter().filter(|(runs, _)| *runs > 0.0);
    let mut kinds = kinds.map(|(runs, what)| (count(runs), what));
    let (first, what) = kinds.next()?;
    let others: Vec<String> = kinds.map(|(runs, what)| format!("{runs} {what}")).collect();
    let runs = [format!("{first} runs {what}")].into_iter().chain(others).collect::<Vec<_>>();
    Some(format!(
        "{}; {} of work, {}, were lost.",
        runs.join(", "),
        hours(total.hours.core.lost, "core-hours"),
        percent(total.waste.map_or(0.0, |waste| waste.0)),
    ))
}

/// Sentences on what went wrong with retries, in the first run that has such findings.
fn findings(ends: &[EndReport]) -> Vec<String> {
    let mut runs = ends.iter().filter(|end| !end.findings.is_empty());
    let Some(first) = runs.next() else { return Vec::new() };
    let more = match runs.count() {
        0 if ends.len() == 1 => String::new(),
        more => format!(" (seed {}; {more} more runs have findings)", first.seed),
    };
    let sentence = |finding: &FindingReport| {
        let what = match finding.kind {
            FindingKind::PreemptionLoop => "Preemption loop",
            FindingKind::SameNode => "Retries on the same node",
            FindingKind::Starvation => "Starvation",
        };
        format!("{what}: {}{more}.", finding.message)
    };
    first.findings.iter().map(sentence).collect()
}

/// The outcome of one of several variants: the jobs, and the reasons that runs ended early.
fn brief(variant: &ClusterVariant) -> Vec<String> {
    let jobs = jobs(&variant.figures.total);
    [jobs].into_iter().chain(ends(&variant.ends)).collect()
}

fn jobs(total: &Group) -> String {
    let jobs = &total.jobs;
    let open = jobs.unfinished.0 + jobs.never_submitted.0 + jobs.unschedulable.0 + jobs.failed.0;
    let all = jobs.succeeded.0 + open;
    let recovered = match jobs.recovered.0 {
        0.0 => String::new(),
        recovered => format!(", {} of them in a retry", count(recovered)),
    };
    let makespan = total.makespan.map(|time| format!(", the last after {}", duration(time)));
    let makespan = recovered + &makespan.unwrap_or_default();
    if open == 0.0 {
        return match count(all).as_str() {
            "1" => format!("The only job succeeded{makespan}."),
            all => format!("All {all} jobs succeeded{makespan}."),
        };
    }
    let others = [
        (jobs.failed, "failed"),
        (jobs.unfinished, "not finished"),
        (jobs.never_submitted, "never submitted"),
        (jobs.unschedulable, "without a node on which they fit"),
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

/// The queue with the longest wait; `None` if there is only one queue.
fn longest(queues: &BTreeMap<String, Group>) -> Option<&str> {
    let wait = |group: &Group| group.wait.map_or(0.0, |wait| wait.max.0);
    let longest = queues.iter().max_by(|a, b| wait(a.1).total_cmp(&wait(b.1)))?;
    (queues.len() > 1).then_some(longest.0)
}

/// The maximum of templates that a sentence names, so that it stays short.
const NAMED: usize = 3;

/// Sentences on runs that ended before all jobs were over: for each reason, the first such run.
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
        let waiting = match template.backing_off {
            0 => String::new(),
            waiting => format!(" and {waiting} backing off"),
        };
        let queued = template.queued;
        parts.push(format!("{running}{queued} queued{waiting} of {}{reason}", template.template));
    }
    let more = end.open.len().saturating_sub(NAMED);
    if more > 0 {
        parts.push(format!("and jobs of {more} more templates"));
    }
    if parts.is_empty() { "jobs are still to be submitted".to_owned() } else { parts.join(", ") }
}

/// Writes the tables of one variant.
fn details(out: &mut String, variant: &ClusterVariant, layout: &Layout) {
    let Figures { total, queues, templates, causes, rules, pools } = &variant.figures;
    let intervals = variant.intervals.as_ref();
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
    let _ = write!(out, "{}", table.without_empty(&[FAILED]).render(layout));
    if layout.wide {
        let mut table = Table::new(TEMPLATE_HEADERS.to_vec());
        for (name, group) in templates {
            let interval = intervals.and_then(|all| all.templates.get(name));
            table.row(template_cells(name, group, interval));
        }
        let _ = write!(out, "\n{}", table.without_empty(&[FAILED]).render(layout));
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

/// Writes the table of the causes for which runs failed.
fn causes_table(out: &mut String, causes: &BTreeMap<String, CauseFigures>, layout: &Layout) {
    // Only the wide table has the causes that can occur and did not.
    let shown = |cause: &&(&String, &CauseFigures)| layout.wide || cause.1.attempts.0 > 0.0;
    let shown: Vec<_> = causes.iter().filter(|cause| shown(&cause)).collect();
    if shown.is_empty() {
        return;
    }
    let headers = ["CAUSE", "RUNS FAILED", "STOPPED", "JOBS FAILED", "CORE-HOURS LOST"];
    let mut table = Table::new(headers.to_vec()).dispensable(&["STOPPED"]);
    for (name, cause) in shown {
        table.row(vec![
            name.clone(),
            count(cause.attempts.0),
            count(cause.stopped.0),
            count(cause.failed.0),
            format!("{:.1}", cause.lost.core.0),
        ]);
    }
    let _ = write!(out, "\n{}", table.render(layout));
}

/// Writes the table of the rules that granted retries or ended jobs; the wide table has all rules.
fn rules_table(out: &mut String, rules: &BTreeMap<String, RuleFigures>, layout: &Layout) {
    let is_used = |rule: &RuleFigures| rule.granted.0 + rule.failed.0 > 0.0;
    let shown: Vec<_> = rules.iter().filter(|(_, rule)| layout.wide || is_used(rule)).collect();
    if shown.is_empty() {
        return;
    }
    let headers = ["RULE", "RETRIES", "SUCCEEDED", "JOBS FAILED", "CORE-HOURS LOST"];
    let mut table = Table::new(headers.to_vec());
    for (name, rule) in shown {
        table.row(vec![
            name.clone(),
            count(rule.granted.0),
            count(rule.succeeded.0),
            count(rule.failed.0),
            format!("{:.1}", rule.lost.core.0),
        ]);
    }
    let _ = write!(out, "\n{}", table.render(layout));
}

/// Writes the table of retries by their number.
fn retries_table(out: &mut String, retries: &BTreeMap<u32, RetryFigures>, layout: &Layout) {
    if retries.is_empty() {
        return;
    }
    let headers = ["RETRY", "GRANTED", "SUCCEEDED", "CORE-HOURS LOST"];
    let mut table = Table::new(headers.to_vec());
    for (number, retry) in retries {
        table.row(vec![
            number.to_string(),
            count(retry.granted.0),
            count(retry.succeeded.0),
            format!("{:.1}", retry.lost.core.0),
        ]);
    }
    let _ = write!(out, "\n{}", table.render(layout));
}

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
    let failed =
        if group.jobs.failed.0 > 0.0 { jobs(|group| group.jobs.failed.0) } else { String::new() };
    vec![
        name.to_owned(),
        count(all_jobs(group)),
        jobs(|group| group.jobs.succeeded.0),
        failed,
        jobs(preempted),
        wait(|wait| wait.mean),
        wait(|wait| wait.p95),
        wait(|wait| wait.max),
    ]
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
    let used: Vec<String> = total
        .utilisation
        .iter()
        .filter(|(_, part)| part.0 > 0.0)
        .map(|(name, part)| format!("{} {}", printable(name), percent(part.0)))
        .collect();
    if !used.is_empty() {
        lines.push(format!("Utilisation: {}.", used.join(", ")));
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

fn assertions(out: &mut String, all: &[AssertionReport], layout: &Layout) {
    if !all.is_empty() {
        out.push('\n');
    }
    for assertion in all {
        let (word, holds) = if assertion.holds { ("holds", true) } else { ("fails", false) };
        let value = assertion.value.map(|value| format!("it is {}", value.0));
        let value = value.unwrap_or_else(|| "it has no value".to_owned());
        let text = printable(&assertion.assertion).into_owned();
        let line = format!("{}: {text} ({value})", layout.paint(word, Some(holds)));
        let _ = writeln!(out, "{}", prose(&line, layout));
    }
}
