//! The tables of a simulated cluster: a row for each set of policies and each name. With several seeds, or in a comparison,
//! `statistic` tells what the figures of a row are.

use super::paths::{CsvTable, objects, paths};
use crate::report::cluster::Section;
use cluster::report::{
    ClusterReport, ClusterRow, ClusterVariant, FairnessFigures, Figure, Figures, FindingReport,
    Waits,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The columns that all tables of several rows a set of policies have first.
const FIRST: [&str; 2] = ["variant", "statistic"];

/// A table.
pub(super) fn table(report: &ClusterReport, section: Section) -> CsvTable {
    match section {
        Section::Figures => answer(report),
        Section::Findings => findings(report),
        Section::Comparison => by_name(report, "queue", |figures| {
            let total = [(String::new(), &figures.total)];
            total.into_iter().chain(named(&figures.queues)).collect()
        }),
        Section::Queues => by_name(report, "queue", |figures| named(&figures.queues).collect()),
        Section::Templates => {
            by_name(report, "template", |figures| named(&figures.templates).collect())
        }
        Section::Waits => by_name(report, "waitOf", waits),
        Section::Failures => by_name(report, "cause", |figures| named(&figures.causes).collect()),
        Section::Rules => by_name(report, "rule", |figures| named(&figures.rules).collect()),
        Section::Retries => {
            by_name(report, "retry", |figures| named(&figures.total.retries).collect())
        }
        Section::Fairness => fairness(report),
        Section::Nodes => by_name(report, "pool", |figures| {
            let pools = figures.pools.iter();
            pools.filter_map(|(name, pool)| Some((name.clone(), pool.nodes.as_ref()?))).collect()
        }),
        Section::Refusals => refusals(report),
    }
}

/// The figures of a map with their names.
fn named<K: ToString, T>(map: &BTreeMap<K, T>) -> impl Iterator<Item = (String, &T)> {
    map.iter().map(|(name, figures)| (name.to_string(), figures))
}

/// The figures of a variant: the values, and with several seeds or variants half of their 95 % confidence intervals and
/// the differences from the first variant.
fn statistics(variant: &ClusterVariant) -> impl Iterator<Item = (&'static str, &Figures)> {
    let all = [
        ("value", Some(&variant.figures)),
        ("interval", variant.intervals.as_ref()),
        ("difference", variant.differences.as_ref()),
        ("differenceInterval", variant.difference_intervals.as_ref()),
    ];
    all.into_iter().filter_map(|(name, figures)| Some((name, figures?)))
}

/// The rows that `of` finds in the figures of each variant, after their variant and statistic.
fn rows(report: &ClusterReport, of: impl Fn(&Figures) -> Vec<Value>) -> Vec<Value> {
    let each = report.variants.iter().flat_map(|variant| {
        statistics(variant).map(|(statistic, figures)| (&variant.name, statistic, figures))
    });
    each.flat_map(|(variant, statistic, figures)| {
        let mut rows = of(figures);
        for row in &mut rows {
            row["variant"] = json!(variant);
            row["statistic"] = json!(statistic);
        }
        rows
    })
    .collect()
}

fn columns(own: impl IntoIterator<Item = String>) -> Vec<String> {
    FIRST.into_iter().map(str::to_owned).chain(own).collect()
}

/// A row for each of the figures that have names of a kind, with a column for each figure.
fn by_name<T: JsonSchema + Serialize>(
    report: &ClusterReport,
    kind: &str,
    of: impl Fn(&Figures) -> Vec<(String, &T)>,
) -> CsvTable {
    let row = |(name, figures): (String, &T)| {
        let mut row = serde_json::to_value(figures).unwrap_or_default();
        row[kind] = json!(name);
        row
    };
    let all = rows(report, |figures| of(figures).into_iter().map(row).collect());
    (columns([kind.to_owned()].into_iter().chain(paths::<T>())), all)
}

/// The waits of all jobs, of those that no failure disturbed, of retries, and of the jobs of each queue.
fn waits(figures: &Figures) -> Vec<(String, &Waits)> {
    let total = &figures.total;
    let of_all = [
        ("all", &total.wait),
        ("undisturbed", &total.undisturbed_wait),
        ("retriesFromRetryAfter", &total.retry_wait),
        ("retriesFromEndBefore", &total.recovery_wait),
    ];
    let of_all = of_all.into_iter().map(|(name, waits)| (name.to_owned(), waits));
    let of_queues =
        figures.queues.iter().map(|(name, group)| (format!("queue {name}"), &group.wait));
    of_all.chain(of_queues).filter_map(|(name, waits)| Some((name, waits.as_ref()?))).collect()
}

/// The fairness of each pool, and of each of its queues.
fn fairness(report: &ClusterReport) -> CsvTable {
    let row = |pool: &str, queue: &str, fairness: &FairnessFigures| {
        let mut row = serde_json::to_value(fairness).unwrap_or_default();
        row["pool"] = json!(pool);
        row["queue"] = json!(queue);
        row
    };
    let all = rows(report, |figures| {
        let pools = figures.pools.iter();
        let of_pool = pools.flat_map(|(name, pool)| {
            let queues = pool.queues.iter().map(|(queue, own)| row(name, queue, own));
            [row(name, "", &pool.fairness)].into_iter().chain(queues)
        });
        of_pool.collect()
    });
    let keys = ["pool", "queue"].map(str::to_owned);
    (columns(keys.into_iter().chain(paths::<FairnessFigures>())), all)
}

/// The jobs that failed by each decision, and those that were refused at least once for each reason.
fn refusals(report: &ClusterReport) -> CsvTable {
    let all = rows(report, |figures| {
        let row = |kind: &'static str| move |(reason, jobs): (&String, &Figure)| json!({"kind": kind, "reason": reason, "jobs": jobs});
        let failed = figures.total.jobs.failed_by.iter().map(row("failed"));
        failed.chain(figures.total.refusals.iter().map(row("refused"))).collect()
    });
    (columns(["kind", "reason", "jobs"].map(str::to_owned)), all)
}

/// A row for each figure of the answer and each variant.
fn answer(report: &ClusterReport) -> CsvTable {
    let columns =
        ["row", "unit", "variant", "value", "interval", "difference", "differenceInterval"];
    let row = |row: &ClusterRow, at: usize, variant: &str| {
        let half = |all: &Option<Vec<Option<f64>>>| all.as_ref().and_then(|all| *all.get(at)?);
        json!({
            "row": row.row.id,
            "unit": row.row.unit,
            "variant": variant,
            "value": row.row.values.get(at),
            "interval": half(&row.intervals),
            "difference": row.row.differences.get(at),
            "differenceInterval": half(&row.difference_intervals),
        })
    };
    let variants = || report.answer.columns.iter().enumerate();
    let each = report.answer.rows.iter();
    let rows = each.flat_map(|it| variants().map(move |(at, column)| row(it, at, &column.name)));
    (columns.map(str::to_owned).into(), rows.collect())
}

/// A row for each finding, with the seed of its run.
fn findings(report: &ClusterReport) -> CsvTable {
    let ends = report.variants.iter().flat_map(|variant| {
        variant.ends.iter().map(|end| (&variant.name, end.seed, &end.findings))
    });
    let rows = ends.flat_map(|(variant, seed, findings)| {
        let mut rows = objects(findings);
        for row in &mut rows {
            row["variant"] = json!(variant);
            row["seed"] = json!(seed);
        }
        rows
    });
    let first = ["variant", "seed"].map(str::to_owned);
    (first.into_iter().chain(paths::<FindingReport>()).collect(), rows.collect())
}
