//! The verdict on each set of policies, in a sentence.

use super::breakdown::TimeUnit;
use super::figures::{count, interval, percent, retries, several};
use super::table::Layout;
use super::variants::{swept, title};
use super::wrap::prose;
use crate::diag::printable;
use crate::simulate::{
    ChangesReport, DifferenceReport, HoursReport, RateReport, SimulationReport, VariantReport,
    VerdictReport,
};
use crate::systems::description_of_engine;
use std::fmt::Write;

/// Writes a sentence on each set of policies; only one on the first column of a sweep, whose columns are a series that
/// a table shows best. A single job has its timeline instead.
pub(super) fn sentences(out: &mut String, report: &SimulationReport, layout: &Layout) {
    let mut lines = Vec::new();
    match report.variants.as_deref() {
        Some(variants) => {
            let is_sweep = swept(variants).is_some();
            let Some((first, others)) = variants.split_first() else { return };
            lines.push(total(&title(first), &first.verdict, first.summary.failures));
            let others = others.iter().filter(|_| !is_sweep);
            lines.extend(others.map(|variant| compared(variant, &title(first))));
        }
        None if report.summary.jobs == 0 => return,
        None if report.summary.jobs == 1 && report.jobs.is_some() => return,
        None => {
            let system = description_of_engine(&report.engine);
            let name = format!("{} policies", system.engine_title(&report.engine));
            lines.push(total(&name, &report.verdict, report.summary.failures));
        }
    }
    for line in lines {
        let _ = writeln!(out, "{}", prose(&printable(&line), layout));
    }
    out.push('\n');
}

/// The sentence on a set of policies without a first one.
fn total(name: &str, verdict: &VerdictReport, failures: u64) -> String {
    let mut text = format!(
        "{name}: {} granted after {}",
        retries(verdict.granted),
        several(failures, "failure"),
    );
    if verdict.recorded > 0 {
        let _ = write!(
            text,
            "; {} on record, {} succeeded{}",
            several(verdict.recorded, "run"),
            count(verdict.succeeded),
            verdict.success_rate.map(|rate| rate_of(&rate)).unwrap_or_default(),
        );
    } else if verdict.granted > 0 {
        text.push_str("; none on record");
    }
    if let Some(lost) = time(&verdict.lost) {
        let _ = write!(text, "; {lost} lost in the others");
    }
    let _ = write!(text, "; {} recovered", several(verdict.recovered_jobs, "job"));
    let _ = write!(text, ", {} failed", count(verdict.failed_jobs));
    if verdict.unresolved_jobs > 0 {
        let _ = write!(
            text,
            ", and {} unresolved: at most {} recovered",
            count(verdict.unresolved_jobs),
            count(verdict.recovered_jobs + verdict.unresolved_jobs),
        );
    }
    text + "."
}

/// The sentence on a set of policies that is compared with the first one.
fn compared(variant: &VariantReport, first: &str) -> String {
    let name = title(variant);
    let Some(difference) = &variant.verdict.difference else { return name };
    if is_zero(difference) {
        return format!("{name}: {}.", equal_sums(variant.changes.as_ref(), first));
    }
    let mut parts = vec![match difference.granted_share {
        Some(share) if difference.granted != 0 => format!(
            "{} {} than {first} ({} %)",
            more(difference.granted),
            noun(difference.granted, "retry", "retries"),
            percent(share.abs()),
        ),
        _ => format!(
            "{} {} than {first}",
            more(difference.granted),
            noun(difference.granted, "retry", "retries")
        ),
    }];
    if difference.recorded != 0 || difference.succeeded != 0 {
        parts.push(format!(
            "{} on record, {} succeeded{}",
            more(difference.recorded),
            more(difference.succeeded),
            rate_of_difference(difference),
        ));
    }
    parts.extend(time_of_difference(difference));
    parts.push(format!(
        "{} {} recovered, {} failed",
        more(difference.recovered_jobs),
        noun(difference.recovered_jobs, "job", "jobs"),
        more(difference.failed_jobs)
    ));
    let unresolved = difference.unresolved_jobs;
    if unresolved != 0 {
        parts.push(format!("{} unresolved", more(unresolved)));
    }
    format!("{name}: {}.", parts.join("; "))
}

/// What is said of sets of policies with the same figures.
fn equal_sums(changes: Option<&ChangesReport>, first: &str) -> String {
    match changes {
        Some(changes) if changes.decisions + changes.jobs == 0 => {
            let others = changes.other_wait + changes.other_rule;
            let but = if others > 0 {
                format!(
                    ", but {} by another rule or with another wait",
                    several(others, "decision")
                )
            } else {
                String::new()
            };
            format!("the same decisions and jobs as {first}{but}")
        }
        Some(changes) => format!(
            "the same sums as {first}, but {} and {} differ",
            several(changes.decisions, "decision"),
            several(changes.jobs, "job"),
        ),
        None => format!("the same sums as {first}"),
    }
}

fn is_zero(difference: &DifferenceReport) -> bool {
    let DifferenceReport {
        granted,
        granted_share: _,
        recorded,
        succeeded,
        hours,
        cpu_hours,
        gpu_hours,
        recovered_jobs,
        failed_jobs,
        unresolved_jobs,
    } = difference;
    let counts = [granted, recorded, succeeded, recovered_jobs, failed_jobs, unresolved_jobs];
    let times = [Some(*hours), *cpu_hours, *gpu_hours];
    counts.into_iter().all(|count| *count == 0)
        && times.into_iter().flatten().all(|hours| hours == 0.0)
}

/// The share of the difference in recorded runs that succeeded, where the one can be a part of the other. It has no
/// interval, since it is not the share of a sample.
fn rate_of_difference(difference: &DifferenceReport) -> String {
    let (recorded, succeeded) = (difference.recorded, difference.succeeded);
    let is_part = recorded.signum() * succeeded.signum() >= 0
        && succeeded.unsigned_abs() <= recorded.unsigned_abs();
    let rate = RateReport::of(succeeded.unsigned_abs(), recorded.unsigned_abs());
    let rate = rate.filter(|_| is_part);
    rate.map(|rate| format!(" ({} %)", percent(rate.share))).unwrap_or_default()
}

fn rate_of(rate: &RateReport) -> String {
    format!(" ({} %, 95 % interval {})", percent(rate.share), interval(rate))
}

/// The time of some runs in the scarcest resource on record; `None` if no run has times.
fn time(cost: &HoursReport) -> Option<String> {
    (cost.runs > cost.untimed).then(|| {
        let (hours, unit) = scarcest([cost.gpu_hours, cost.cpu_hours, Some(cost.hours)]);
        named(hours, unit)
    })
}

/// The difference in the time of recorded runs.
fn time_of_difference(difference: &DifferenceReport) -> Option<String> {
    let (hours, unit) =
        scarcest([difference.gpu_hours, difference.cpu_hours, Some(difference.hours)]);
    let word = if hours > 0.0 { "more" } else { "less" };
    (hours != 0.0).then(|| format!("{} {word} in retries", named(hours.abs(), unit)))
}

/// The first known time of those in GPUs, cores and runs, with what it is a time of.
fn scarcest(times: [Option<f64>; 3]) -> (f64, &'static str) {
    let units = ["GPU-", "core-", ""];
    let known = times.into_iter().zip(units).find_map(|(time, unit)| Some((time?, unit)));
    known.unwrap_or((0.0, ""))
}

/// A time in hours: `310.5 core-hours`, `4.1 GPU-min`.
fn named(hours: f64, unit: &str) -> String {
    let text = TimeUnit::of(hours).show(hours);
    match text.split_once(' ') {
        Some((number, name)) => format!("{number} {unit}{name}"),
        None => format!("{text} {unit}hours"),
    }
}

/// A difference in words: `406 more`, `3 fewer`.
fn more(difference: i64) -> String {
    let amount = count(difference.unsigned_abs());
    match difference {
        0 => "0 more".to_owned(),
        1.. => format!("{amount} more"),
        _ => format!("{amount} fewer"),
    }
}

fn noun(number: i64, one: &'static str, many: &'static str) -> &'static str {
    if number.unsigned_abs() == 1 { one } else { many }
}
