//! The headline of the answer, in at most two lines: its sentences, which reports have as data too.

use super::cells::{
    cost, cost_in_words, failed_cost, figure, figure_of, retries, several, value, with_verb,
};
use super::{grid, sweep};
use crate::report::figures::percent;
use replay::simulate::{AnswerReport, CostUnit, JobReport, SimulationReport};
use std::fmt::Write;

/// The number of variants that the headline compares; the table has all.
const COMPARED: usize = 2;

/// The meaning of unresolved jobs, where the headline has it.
pub(in crate::report) const UNRESOLVED: &str = "the next run is not on record";

/// The sentences of the headline.
pub fn sentences(report: &SimulationReport) -> Vec<String> {
    let answer = &report.answer;
    if let (Some([job]), 2) = (report.jobs.as_deref(), answer.columns.len()) {
        return vec![job_headline(report, job)];
    }
    match answer.columns.len() {
        _ if answer.runs == 0 => vec!["No run is on record.".to_owned()],
        0 | 1 => vec![record_headline(answer)],
        2 => vec![policies_headline(answer)],
        _ => sweep::values(report)
            .and_then(|values| sweep::headline(answer, &values))
            .or_else(|| Some(grid::in_report(report)?.headline(answer)))
            .map_or_else(|| variants_headline(answer), |headline| vec![headline]),
    }
}

/// The retries on record, and their price.
fn record_headline(answer: &AnswerReport) -> String {
    let row = |id| value(answer, id, 0);
    let (all, failed_jobs) = (row("retries"), row("jobsFailed"));
    if all == 0.0 {
        let jobs =
            if failed_jobs == 0.0 { "No job".to_owned() } else { several(failed_jobs, "job") };
        return format!("{jobs} failed on record, and no run is a retry.");
    }
    let mut text =
        format!("{} of {} on record succeeded", figure(row("retriesSucceeded")), retries(all, ""));
    let failed = row("failedRetryHours");
    if answer.unit != CostUnit::Retries && failed > 0.0 {
        let _ = write!(text, "; the others took {}", cost_in_words(answer, failed));
    }
    match (row("jobsRecovered"), figure_of(answer, "price", 0)) {
        (jobs, Some(price)) if jobs > 1.0 && price > 0.0 => {
            let price = match answer.unit {
                CostUnit::Retries => failed_cost(answer, price),
                _ => cost_in_words(answer, price),
            };
            let _ = write!(text, ", {price} for each of {} recovered jobs.", figure(jobs));
        }
        (0.0, _) => text.push_str("; no job recovered."),
        (jobs, _) => {
            let _ = write!(text, "; {} recovered.", several(jobs, "job"));
        }
    }
    text
}

/// The jobs that succeeded on record and fail under one set of policies; without such jobs, those that recover.
fn policies_headline(answer: &AnswerReport) -> String {
    let row = |id| value(answer, id, 1);
    let label = &answer.columns[1].label;
    let (lost, saved) = (row("failedSucceededOnRecord"), row("savedHours"));
    if lost > 0.0 {
        let verb = if lost > 1.0 { "fail" } else { "fails" };
        let mut text =
            format!("{} that succeeded on record {verb} under `{label}`;", several(lost, "job"));
        if saved > 0.0 {
            let _ = write!(text, " {} saved,", with_verb(&failed_cost(answer, saved)));
        }
        return format!("{text} {} lost.", with_verb(&good_work(answer, row("lostWorkHours"))));
    }
    let (recovered, failed, unresolved) =
        (row("jobsRecovered"), row("jobsFailed"), row("jobsUnresolved"));
    let all = recovered + failed + unresolved;
    if all == 0.0 {
        return format!("No run failed: `{label}` decides nothing.");
    }
    let mut text = format!(
        "{} of {} with a failure {} in a retry under `{label}` ({} %)",
        figure(recovered),
        several(all, "job"),
        if recovered > 0.0 && recovered < 2.0 { "recovers" } else { "recover" },
        percent(recovered / all)
    );
    if let Some(price) = figure_of(answer, "price", 1).filter(|price| *price > 0.0) {
        let each = if recovered > 1.0 { " each" } else { "" };
        let _ = write!(text, ", for {}{each}", failed_cost(answer, price));
    }
    if unresolved > 0.0 {
        let unresolved = with_verb(&figure(unresolved));
        let _ = write!(text, "; {unresolved} unresolved: {UNRESOLVED}");
    } else if saved > 0.0 {
        let _ = write!(text, "; {} saved", with_verb(&failed_cost(answer, saved)));
    }
    text + "."
}

/// A cost of recorded runs that succeeded.
fn good_work(answer: &AnswerReport, cost: f64) -> String {
    match answer.unit {
        CostUnit::Retries => retries(cost, "good "),
        _ => format!("{} of good work", cost_in_words(answer, cost)),
    }
}

/// How one job ends, here and on record.
fn job_headline(report: &SimulationReport, job: &JobReport) -> String {
    let answer = &report.answer;
    let ends = [
        ("jobsSucceeded", "succeeded"),
        ("jobsFailed", "failed"),
        ("jobsCancelled", "was cancelled"),
    ];
    let on_record = ends.into_iter().find(|(row, _)| value(answer, row, 0) > 0.0);
    let on_record = on_record.map_or("is open", |(_, end)| end);
    let here = match job.outcome.as_str() {
        "Succeeded" => "succeeds",
        "Failed" => "fails",
        "Cancelled" => "is cancelled",
        _ => "is unresolved",
    };
    let label = answer.columns.get(1).map(|column| format!(" under `{}`", column.label));
    let label = label.unwrap_or_default();
    format!("`{}` {on_record} on record, and {here}{label}.", job.job_id)
}

/// The change under other sets of policies, against the first one or the record: a sentence each.
fn variants_headline(answer: &AnswerReport) -> Vec<String> {
    let first = answer.base + 1;
    let others = first..answer.columns.len().min(first + COMPARED);
    others.map(|column| variant_sentence(answer, column)).collect()
}

fn variant_sentence(answer: &AnswerReport, column: usize) -> String {
    let base = answer.base;
    let difference = |id| value(answer, id, column) - value(answer, id, base);
    let label = &answer.columns[column].label;
    let (jobs, unresolved) = (difference("jobsSucceeded"), difference("jobsUnresolved"));
    let more_cost = difference("failedRetryHours");
    let is_equal = answer.rows.iter().all(|row| {
        let figure = |at: usize| row.values.get(at).copied().flatten();
        // The record has no figure of some rows.
        figure(base).is_none() || figure(column) == figure(base)
    });
    if is_equal {
        return format!("`{label}` and `{}` come to the same.", answer.columns[base].label);
    }
    let (than, as_many) = if base == 0 { (" than on record", " as on record") } else { ("", "") };
    let mut text = match jobs {
        0.0 => format!("As many jobs succeed under `{label}`{as_many}"),
        1.0.. => format!("{} more {} under `{label}`{than}", figure(jobs), succeed(jobs)),
        _ => format!("{} fewer {} under `{label}`{than}", figure(-jobs), succeed(-jobs)),
    };
    match (more_cost > 0.0, jobs > 0.0) {
        (true, true) => {
            let each = if jobs > 1.0 { " each" } else { "" };
            let _ = write!(text, ", for {}{each}", failed_cost(answer, more_cost / jobs));
        }
        (true, false) => {
            let _ = write!(text, ", with {} more", failed_cost(answer, more_cost));
        }
        _ if more_cost < 0.0 => {
            let _ = write!(text, "; {} saved", with_verb(&failed_cost(answer, -more_cost)));
            if jobs < -1.0 {
                let _ = write!(text, " ({} for each)", cost(answer, more_cost / jobs));
            }
        }
        _ => {}
    }
    let lost_work = difference("lostWorkHours");
    if jobs < 0.0 && lost_work > 0.0 && base > 0 {
        let comma = if more_cost < 0.0 { "," } else { ";" };
        let _ = write!(text, "{comma} {} lost", with_verb(&good_work(answer, lost_work)));
    }
    if unresolved != 0.0 {
        let more = if unresolved > 0.0 { "more" } else { "fewer" };
        let unresolved = with_verb(&format!("{} {more}", figure(unresolved.abs())));
        let _ = write!(text, "; {unresolved} unresolved");
    }
    text + "."
}

fn succeed(jobs: f64) -> &'static str {
    if jobs > 1.0 { "jobs succeed" } else { "job succeeds" }
}
