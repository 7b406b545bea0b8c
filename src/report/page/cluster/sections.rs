//! The sections of a cluster's waits, figures, queues and rules.

use super::shared::{QUEUES, UNFAIR, variants_of_pictures};
use crate::report::answer::cells::{cost, mean};
use crate::report::cluster::headline;
use crate::report::cluster::table::all_rows;
use crate::report::figures::percent;
use crate::report::page::chart::Tone;
use crate::report::page::charts::waits;
use crate::report::page::charts::waits::WaitRow;
use crate::report::page::model::{Part, Picture, Section};
use crate::report::page::numbers::duration;
use crate::report::page::table::{Cell, ColumnKind, PageTable, more};
use cluster::report::{ClusterAnswer, ClusterReport, ClusterVariant, Figure, LostHours, Waits};
use replay::simulate::CostUnit;

/// The most queues of the picture of waits.
const WAITS: usize = 8;

pub(super) fn waits_section(report: &ClusterReport) -> Option<Section> {
    let mut queues: Vec<(String, Vec<WaitRow>)> = Vec::new();
    let mut table =
        PageTable::new("Waits of each queue, from submission to the start of the first run")
            .column("Queue", ColumnKind::Text)
            .column("", ColumnKind::Text)
            .column("Mean", ColumnKind::Number)
            .optional("p10", ColumnKind::Number)
            .column("Median", ColumnKind::Number)
            .optional("p90", ColumnKind::Number)
            .column("p95", ColumnKind::Number)
            .column("Longest", ColumnKind::Number);
    let names = longest_waits(report, WAITS);
    for name in &names {
        let mut rows = Vec::new();
        for (number, (at, variant)) in variants_of_pictures(report).into_iter().enumerate() {
            let waits = variant.figures.queues.get(name).and_then(|group| group.wait);
            let Some(Waits { mean, p10, p50, p90, p95, max, .. }) = waits else { continue };
            let label = report.answer.columns[at].label.clone();
            let percentiles = [p10.0, p50.0, p90.0, p95.0, max.0];
            rows.push(WaitRow { name: label.clone(), tone: Tone::variant(number), percentiles });
            let cells = [mean, p10, p50, p90, p95, max].map(|it| Cell::Number(duration(it.0)));
            table.row([Cell::code(name), Cell::text(label)].into_iter().chain(cells));
        }
        if !rows.is_empty() {
            queues.push((name.clone(), rows));
        }
    }
    let all = report.variants.first().map_or(0, |first| first.figures.queues.len());
    let left = all.saturating_sub(names.len());
    table.more = more(left, "queue");
    let text = "Bar: from the 10th to the 90th percentile, with the median; stroke: the 95th; line: \
                the longest.";
    let picture = waits::chart(&queues).map(|chart| Picture::new(chart, text).with_table(table));
    let parts = [picture.map(Part::Picture), fairness_table(report)].into_iter().flatten();
    let parts: Vec<Part> = parts.collect();
    let text = "The wait of a job is from its submission to the start of its first run.";
    let beside = (!parts.is_empty()).then_some(Part::Beside(parts));
    Section::new("Waits and fairness", text, beside)
}

/// The queues with the longest 95th percentile of waits.
fn longest_waits(report: &ClusterReport, most: usize) -> Vec<String> {
    let wait = |name: &String| {
        let groups = report.variants.iter().filter_map(|it| it.figures.queues.get(name));
        groups.filter_map(|it| Some(it.wait?.p95.0)).fold(0.0, f64::max)
    };
    let queues = report.variants.iter().take(1).flat_map(|first| first.figures.queues.keys());
    let mut waits: Vec<(f64, &String)> = queues.map(|name| (wait(name), name)).collect();
    waits.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    let mut names: Vec<String> = waits.into_iter().take(most).map(|it| it.1.clone()).collect();
    names.sort_unstable();
    names
}

fn fairness_table(report: &ClusterReport) -> Option<Part> {
    let mut table = PageTable::new("Fairness under each variant")
        .column("", ColumnKind::Text)
        .column("Fairness error", ColumnKind::Number)
        .column("Jain's index", ColumnKind::Number)
        .column("Longest below half a share", ColumnKind::Number);
    let mut most = 0.0_f64;
    for (at, variant) in report.variants.iter().enumerate().take(QUEUES) {
        let fairness = &variant.figures.total.fairness;
        let Some(error) = fairness.fairness_error.map(|error| error.0) else { continue };
        most = most.max(error);
        table.row([
            Cell::code(report.answer.columns[at].label.clone()),
            Cell::Number(format!("{} %", percent(error))),
            Cell::number(fairness.jain.map(|jain| format!("{:.3}", jain.0))),
            Cell::number(fairness.longest_below_half_share.map(|it| duration(it.0))),
        ]);
    }
    let is_empty = table.rows.is_empty();
    let title = if most < UNFAIR {
        "Every queue gets its entitled share"
    } else {
        "Queues lack a part of their shares"
    };
    let text = "The fairness error is the share that queues lack on average.";
    let part = Part::Titled(title.to_owned(), text.to_owned(), table);
    (!is_empty).then_some(part)
}

pub(super) fn figures_section(report: &ClusterReport) -> Option<Section> {
    let table =
        PageTable::from_frame("Figures of each variant", &all_rows(&report.answer), |_| true);
    let text = match report.seeds {
        1 => "▲ is better, ▼ is worse, no mark is neither.".to_owned(),
        seeds => format!(
            "Means over {seeds} seeds with 95 % intervals (Student). ▲ is better, ▼ is worse, where \
             the interval of the difference is clear of 0."
        ),
    };
    let section = Section::new("Figures", text, [Part::Table(table)])?;
    // A sweep has its values in a table of their own.
    let is_sweep = headline::values(&report.answer).is_some();
    Some(if is_sweep { section } else { section.unfolded() })
}

pub(super) fn queues_section(report: &ClusterReport) -> Option<Section> {
    let first = report.variants.first()?;
    if first.figures.queues.len() < 2 {
        return None;
    }
    let answer = &report.answer;
    let mut table = PageTable::new("Queues under each variant")
        .column("Queue", ColumnKind::Text)
        .column("", ColumnKind::Text)
        .column("Jobs succeed", ColumnKind::Number)
        .column("fail", ColumnKind::Number)
        .column(format!("{} useful", answer.unit.as_str()), ColumnKind::Number)
        .column("wasted", ColumnKind::Number)
        .column("Wait, p95", ColumnKind::Number)
        .optional("Entitled", ColumnKind::Number)
        .optional("Actual share", ColumnKind::Number);
    let names = longest_waits(report, QUEUES);
    for name in &names {
        for (at, variant) in variants_of_pictures(report) {
            let Some(group) = variant.figures.queues.get(name) else { continue };
            let hours =
                if answer.unit == CostUnit::Gpu { group.hours.gpu } else { group.hours.core };
            let share = |share: Option<Figure>| {
                Cell::number(share.map(|share| format!("{} %", percent(share.0))))
            };
            table.row([
                Cell::code(name),
                Cell::text(answer.columns[at].label.clone()),
                Cell::Number(mean(group.jobs.succeeded.0)),
                Cell::Number(mean(group.jobs.failed.0)),
                Cell::Number(cost(answer, hours.useful.0)),
                Cell::Number(cost(answer, hours.lost.0)),
                Cell::number(group.wait.map(|wait| duration(wait.p95.0))),
                share(group.fairness.entitled),
                share(group.fairness.actual),
            ]);
        }
    }
    let left = first.figures.queues.len().saturating_sub(names.len());
    table.more = more(left, "queue");
    Section::new("Queues", "", [Part::Table(table)])
}

pub(super) fn rules_section(
    report: &ClusterReport,
    variant: &ClusterVariant,
    label: &str,
) -> Option<Section> {
    let tables =
        [rules_table(&report.answer, variant, label), causes_table(&report.answer, variant, label)];
    let parts = tables.into_iter().filter(|table| !table.rows.is_empty());
    let parts: Vec<Part> = parts.map(Part::Table).collect();
    let beside = (!parts.is_empty()).then_some(Part::Beside(parts));
    let title = match report.variants.len() {
        1 => "Rules and causes".to_owned(),
        _ => format!("Rules and causes under `{label}`"),
    };
    Section::new(title, "", beside)
}

/// The lost hours of the resource that the answer counts by.
fn lost_hours(answer: &ClusterAnswer, lost: &LostHours) -> f64 {
    if answer.unit == CostUnit::Gpu { lost.gpu.0 } else { lost.core.0 }
}

/// The rules, the most expensive first.
fn rules_table(answer: &ClusterAnswer, variant: &ClusterVariant, label: &str) -> PageTable {
    let mut table = PageTable::new(format!("Rules of {label}"))
        .column("Rule", ColumnKind::Text)
        .column("Retries", ColumnKind::Number)
        .column("succeeded", ColumnKind::Number)
        .optional("Jobs fail by it", ColumnKind::Number)
        .column("", ColumnKind::Marks)
        .column(format!("{} in failed retries", answer.unit.as_str()), ColumnKind::Number);
    let rules = variant.figures.rules.iter();
    let mut rows: Vec<_> =
        rules.map(|(name, rule)| (name, rule, lost_hours(answer, &rule.lost))).collect();
    rows.sort_by(|(.., one), (.., other)| other.total_cmp(one));
    let most = rows.iter().map(|(.., lost)| *lost).fold(0.0, f64::max);
    table.more = more(rows.len().saturating_sub(QUEUES), "rule");
    for (name, rule, lost) in rows.into_iter().take(QUEUES) {
        table.row([
            Cell::code(name),
            Cell::Number(mean(rule.granted.0)),
            Cell::Number(mean(rule.succeeded.0)),
            Cell::Number(mean(rule.failed.0)),
            Cell::bar(lost, most, Tone::Bad),
            Cell::Number(cost(answer, lost)),
        ]);
    }
    table
}

/// The causes, the most frequent first.
fn causes_table(answer: &ClusterAnswer, variant: &ClusterVariant, label: &str) -> PageTable {
    let mut table = PageTable::new(format!("Causes of failures under {label}"))
        .column("Runs fail by", ColumnKind::Text)
        .column("Runs", ColumnKind::Number)
        .optional("Jobs fail by it", ColumnKind::Number)
        .column(format!("{} wasted", answer.unit.as_str()), ColumnKind::Number);
    let mut rows: Vec<_> = variant.figures.causes.iter().collect();
    rows.sort_by(|one, other| other.1.attempts.0.total_cmp(&one.1.attempts.0));
    table.more = more(rows.len().saturating_sub(QUEUES), "cause");
    for (name, cause) in rows.into_iter().take(QUEUES) {
        table.row([
            Cell::code(name),
            Cell::Number(mean(cause.attempts.0)),
            Cell::Number(mean(cause.failed.0)),
            Cell::Number(cost(answer, lost_hours(answer, &cause.lost))),
        ]);
    }
    table
}
