//! Fairness, utilisation and refusals in lines, and the line that names the scheduler and the seeds.

use super::figures::{count, duration, index, percent};
use cluster::report::{ClusterReport, Figure, Group, PoolFigures};
use document::diag::printable;
use std::collections::BTreeMap;

/// The line that names the scheduler and the seeds.
pub(in crate::report) fn run_line(report: &ClusterReport) -> String {
    let seeds = match report.seeds {
        1 => format!("seed {}", report.seed),
        seeds => {
            let last = report.seed.wrapping_add(u64::from(seeds) - 1);
            format!("means of seeds {} to {last} with 95 % intervals", report.seed)
        }
    };
    format!("Scheduler {}, {seeds}.", report.scheduler)
}

/// The parts of resources that some job had, as a list.
fn parts(used: &BTreeMap<String, Figure>, parts: &BTreeMap<String, Figure>) -> String {
    let names = used.iter().filter(|(_, part)| part.0 > 0.0).map(|(name, _)| name.as_str());
    let part = |name: &str| parts.get(name).map_or(0.0, |part| part.0);
    let parts = names.map(|name| format!("{} {}", printable(name), percent(part(name))));
    parts.collect::<Vec<_>>().join(", ")
}

/// Fairness and utilisation, one line for each.
pub(super) fn shares(total: &Group) -> Vec<String> {
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
    lines
}

/// The waits of retries, the decisions that ended jobs and the refusals, one line for each.
pub(super) fn ends(total: &Group) -> Vec<String> {
    let mut lines = Vec::new();
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

/// The line on the nodes of a pool, if any of them can fail.
pub(super) fn node_line(name: &str, pool: &PoolFigures, is_only: bool) -> Option<String> {
    let nodes = pool.nodes?;
    let of = if is_only { String::new() } else { format!(" of pool {}", printable(name)) };
    Some(format!(
        "Nodes{of}: {} failed, {} lost as spot nodes; {} were up on average.",
        count(nodes.failed.0),
        count(nodes.lost.0),
        percent(nodes.up.0)
    ))
}

/// The resources whose use is on a screen: GPUs if there are any, else cores.
const MAIN_RESOURCES: [&str; 2] = ["nvidia.com/gpu", "cpu"];

/// Fairness and utilisation in one line; of several variants from the least to the most.
pub(in crate::report) fn share_line(report: &ClusterReport) -> Option<String> {
    let totals = || report.variants.iter().map(|variant| &variant.figures.total);
    let fairness = range(totals().filter_map(|it| it.fairness.fairness_error), percent);
    let used = |resource: &&&str| {
        totals().any(|it| it.utilisation.get(**resource).is_some_and(|it| it.0 > 0.0))
    };
    let resource = MAIN_RESOURCES.iter().find(used);
    let part = |of: fn(&Group) -> &BTreeMap<String, Figure>| {
        range(totals().filter_map(|it| of(it).get(*resource?).copied()), percent)
    };
    let name = resource.map_or("", |it| it.rsplit('/').next().unwrap_or(it));
    let parts = [
        fairness.map(|error| format!("Fairness error {error}")),
        part(|it| &it.utilisation).map(|part| format!("{name} {part} used")),
        part(|it| &it.useful_utilisation).map(|part| format!("{part} useful")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", ") + ".")
}

/// The least and the greatest of some figures, or the only one.
fn range(figures: impl Iterator<Item = Figure>, show: fn(f64) -> String) -> Option<String> {
    let (least, most) = figures.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), it| {
        (least.min(it.0), most.max(it.0))
    });
    let [least, most] = [least, most].map(|it| it.is_finite().then(|| show(it)));
    let (least, most) = least.zip(most)?;
    Some(if least == most { least } else { format!("{} to {most}", least.trim_end_matches(" %")) })
}
