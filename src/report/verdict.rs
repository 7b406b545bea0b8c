//! The verdict on each set of policies, in a sentence.

use super::durations::TimeUnit;
use super::figures::{count, interval, percent, retries, several};
use super::layout::{Layout, prose};
use super::variants::{series, title};
use document::diag::printable;
use replay::simulate::{
    ChangesReport, DifferenceReport, HoursReport, RateReport, SimulationReport, VariantReport,
    VerdictReport,
};
use std::fmt::Write;
use systems::description_of_engine;

/// Writes a sentence on each set of policies; only one on the first column of a sweep, whose columns are a series that
/// a table shows best. A single job has its timeline instead.
pub(super) fn sentences(out: &mut String, report: &SimulationReport, layout: &Layout) {
    let mut lines = Vec::new();
    match report.variants.as_deref() {
        Some(variants) => {
            let is_sweep = series(variants).is_some();
            let Some((first, others)) = variants.split_first() else { return };
            lines.push(total(&title(first), &first.verdict, first.summary.totals.failures));
            let others = others.iter().filter(|_| !is_sweep);
            lines.extend(others.map(|variant| compared(variant, &title(first))));
        }
        None if report.summary.totals.jobs == 0 => return,
        None if report.summary.totals.jobs == 1 && report.jobs.is_some() => return,
        None => {
            let system = description_of_engine(&report.engine);
            let name = format!("{} policies", system.engine_title(&report.engine));
            lines.push(total(&name, &report.verdict, report.summary.totals.failures));
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
        let _ = write!(text, "; {lost} in failed retries");
    }
    let _ = write!(
        text,
        "; {} recovered, {} failed{}",
        several(verdict.recovered_jobs, "job"),
        count(verdict.failed_jobs),
        unresolved(verdict, ""),
    );
    text + "."
}

/// The sentence on a set of policies that is compared with the first one: each figure, and its difference.
fn compared(variant: &VariantReport, first: &str) -> String {
    let (name, verdict) = (title(variant), &variant.verdict);
    let Some(difference) = &verdict.difference else { return name };
    if difference.is_zero() {
        return format!("{name}: {}.", equal_sums(variant.changes.as_ref(), first));
    }
    let share = difference.granted_share.filter(|_| difference.granted != 0);
    let share = share.map(|share| format!(" ({} %)", percent(share.abs())));
    let mut parts = vec![
        format!(
            "{}, {} than {first}{}",
            retries(verdict.granted),
            more(difference.granted),
            share.unwrap_or_default(),
        ),
        format!("{} on record, {}", several(verdict.recorded, "run"), more(difference.recorded)),
        format!(
            "{} succeeded, {}{}",
            count(verdict.succeeded),
            more(difference.succeeded),
            verdict.success_rate.map(|rate| rate_of(&rate)).unwrap_or_default(),
        ),
    ];
    parts.extend(time_of_difference(difference));
    let recovered = several(verdict.recovered_jobs, "job");
    parts.push(format!("{recovered} recovered, {}", more(difference.recovered_jobs)));
    let failed = count(verdict.failed_jobs);
    parts.push(format!("{failed} failed, {}", more(difference.failed_jobs)));
    if verdict.unresolved_jobs == 0 && difference.unresolved_jobs != 0 {
        parts.push(format!("0 unresolved, {}", more(difference.unresolved_jobs)));
    }
    let more_unresolved = format!(", {}", more(difference.unresolved_jobs));
    format!("{name}: {}{}.", parts.join("; "), unresolved(verdict, &more_unresolved))
}

/// The jobs without a known outcome, and the bound on recovered jobs that follows. `more` is the difference.
fn unresolved(verdict: &VerdictReport, more: &str) -> String {
    if verdict.unresolved_jobs == 0 {
        return String::new();
    }
    let most = verdict.recovered_jobs + verdict.unresolved_jobs;
    format!(
        "; {} unresolved{more}: at most {} recovered",
        count(verdict.unresolved_jobs),
        count(most)
    )
}

/// The sentence's end for sets of policies with the same figures.
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

fn rate_of(rate: &RateReport) -> String {
    format!(" ({} %, 95 % interval {})", percent(rate.share), interval(rate))
}

/// The time of some runs in the scarcest resource on record; `None` if no run has times.
fn time(cost: &HoursReport) -> Option<String> {
    let (hours, unit) = scarcest([cost.gpu_hours, cost.cpu_hours, Some(cost.hours)])?;
    (cost.runs > cost.untimed).then(|| named(hours, unit))
}

/// The difference in the time of recorded runs, in the scarcest resource in which there is one.
fn time_of_difference(difference: &DifferenceReport) -> Option<String> {
    let times = [difference.gpu_hours, difference.cpu_hours, Some(difference.hours)];
    let (hours, unit) = scarcest(times.map(|time| time.filter(|hours| *hours != 0.0)))?;
    let word = if hours > 0.0 { "more" } else { "less" };
    Some(format!("{} {word} in retries", named(hours.abs(), unit)))
}

/// The first known time of those of GPUs, of cores and of runs, with the beginning of its unit.
fn scarcest(times: [Option<f64>; 3]) -> Option<(f64, &'static str)> {
    times.into_iter().zip(["GPU-", "core-", ""]).find_map(|(time, unit)| Some((time?, unit)))
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
