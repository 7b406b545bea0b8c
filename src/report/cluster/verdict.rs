//! The outcome of a variant in sentences.

use super::figures::{count, duration, hours, percent, preempted};
use cluster::report::{
    CauseFigures, ClusterReport, ClusterVariant, EndName, EndReport, FindingKind, FindingReport,
    Group,
};
use document::diag::{plural, printable};
use std::collections::BTreeMap;

/// The outcome in sentences: jobs, preempted and wasted work, waits, and the reasons that runs ended early.
pub(super) fn verdict(variant: &ClusterVariant) -> Vec<String> {
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
    let noun = if first == "1" { "run" } else { "runs" };
    let what = if first == "1" { what.replace("were", "was") } else { what.to_owned() };
    let runs = [format!("{first} {noun} {what}")].into_iter().chain(others).collect::<Vec<_>>();
    Some(format!(
        "{}; {} of work, {}, were wasted.",
        runs.join(", "),
        hours(total.hours.core.lost, "core-hours"),
        percent(total.waste.map_or(0.0, |waste| waste.0)),
    ))
}

/// Sentences on what went wrong with retries, in the first run that has such findings.
pub(super) fn findings(ends: &[EndReport]) -> Vec<String> {
    let mut runs = ends.iter().filter(|end| !end.findings.is_empty());
    let Some(first) = runs.next() else { return Vec::new() };
    let more = match runs.count() {
        0 if ends.len() == 1 => String::new(),
        more => format!(
            " (seed {}; {} {})",
            first.seed,
            plural(more, "more run", "more runs"),
            if more == 1 { "has findings" } else { "have findings" }
        ),
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

/// All sentences on runs that ended early and on what went wrong with retries, each with the variants that it is about
/// if there are several.
pub(in crate::report) fn all_findings(report: &ClusterReport) -> Vec<String> {
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for variant in &report.variants {
        for sentence in ends(&variant.ends).into_iter().chain(findings(&variant.ends)) {
            match all.iter_mut().find(|(other, _)| *other == sentence) {
                Some((_, names)) => names.push(&variant.name),
                None => all.push((sentence, vec![&variant.name])),
            }
        }
    }
    let is_of_all = |names: &[&str]| names.len() == report.variants.len();
    let text = |(sentence, names): (String, Vec<&str>)| {
        let names = if is_of_all(&names) { String::new() } else { names.join(", ") + ": " };
        printable(&(names + &sentence)).into_owned()
    };
    all.into_iter().map(text).collect()
}

/// The outcome of one of several variants: the jobs, and the reasons that runs ended early.
pub(super) fn brief(variant: &ClusterVariant) -> Vec<String> {
    let jobs = jobs(&variant.figures.total);
    [jobs].into_iter().chain(ends(&variant.ends)).collect()
}

fn jobs(total: &Group) -> String {
    let jobs = &total.jobs;
    let open = jobs.unfinished.0 + jobs.never_submitted.0 + jobs.unschedulable.0 + jobs.failed.0;
    let all = jobs.succeeded.0 + open;
    let recovered = match jobs.recovered.0 {
        0.0 => String::new(),
        recovered if recovered >= jobs.succeeded.0 => ", in a retry".to_owned(),
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
        (jobs.unschedulable, "that fit on no node"),
    ];
    let others = others.into_iter().filter(|(jobs, _)| jobs.0 > 0.0);
    let others: Vec<String> =
        others.map(|(jobs, what)| format!("{} {what}", count(jobs.0))).collect();
    let succeeded = count(jobs.succeeded.0);
    format!("{succeeded} of {} jobs succeeded{makespan}; {}.", count(all), others.join(", "))
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
            more => format!(
                " (seed {}; {} ended in the same way)",
                first.seed,
                plural(more, "more run", "more runs")
            ),
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
        let states = [
            (template.running, "running"),
            (template.queued, "queued"),
            (template.backing_off, "backing off"),
        ];
        let states = states.into_iter().filter(|(jobs, _)| *jobs > 0);
        let states: Vec<String> = states.map(|(jobs, state)| format!("{jobs} {state}")).collect();
        let (states, reason) = (states.join(" and "), reason.unwrap_or_default());
        parts.push(format!("{states} of {}{reason}", template.template));
    }
    let more = end.open.len().saturating_sub(NAMED);
    if more > 0 {
        parts.push(format!("and jobs of {}", plural(more, "more template", "more templates")));
    }
    if parts.is_empty() { "jobs are still to be submitted".to_owned() } else { parts.join(", ") }
}
