//! The report of the retries on record by where and when they ran.

use super::groups::DAY;
use super::record::RecordCounts;
use super::unit::CostUnit;
use crate::simulate::names::{Kind, Names, non_empty};
use crate::simulate::report::HoursReport;
use crate::simulate::summary::RetryHours;
use document::units::Time;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The number of nodes in a report. Its schema documents it.
const NODES: usize = 100;

/// The retries on record by where and when they ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordGroupsReport {
    /// By queue, the most cost of failed ones first.
    pub by_queue: Vec<RetriesOf<QueueKey>>,
    /// By the category of the failure before, the most cost of failed ones first.
    pub by_category: Vec<RetriesOf<CategoryKey>>,
    /// By the day of the failure before in UTC, in order; those after a run without a time are in none.
    pub by_day: Vec<RetriesOf<DayKey>>,
    /// By their number in their job.
    pub by_retry: Vec<RetriesOf<RetryKey>>,
    /// By node, the most cost of failed ones first, at most 100.
    pub by_node: Vec<RetriesOf<NodeKey>>,
    /// The number of nodes. Of 200,000 or more none is counted.
    pub nodes: u64,
}

/// Some retries on record.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RetriesOf{K}")]
pub struct RetriesOf<K> {
    /// The feature that they have in common.
    #[serde(flatten)]
    pub key: K,
    /// Their counts.
    #[serde(flatten)]
    pub retries: RecordedRetries,
}

/// How some retries on record ended, and their cost in the unit of the report.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedRetries {
    /// Retries.
    pub retries: u64,
    /// Those that succeeded.
    pub succeeded: u64,
    /// The cost of those that did not succeed.
    pub failed_retry_hours: f64,
    /// The cost of those that succeeded.
    pub succeeded_retry_hours: f64,
}

/// A queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueKey {
    /// The queue; empty if the history names none.
    pub queue: String,
}

/// A category of failures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryKey {
    /// The category; null is none.
    pub category: Option<String>,
}

/// A day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DayKey {
    /// The day: `2026-10-01`.
    pub day: String,
}

/// The number of a retry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetryKey {
    /// The number, from 1; 21 is for the 21st and all later ones.
    pub retry: u32,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeKey {
    /// The node.
    pub node: String,
    /// Its cluster; null if the history names none.
    pub cluster: Option<String>,
}

/// The report of the groups of a record; `None` if it has none.
pub(super) fn groups_report(
    names: &Names,
    record: &RecordCounts,
    unit: CostUnit,
) -> Option<RecordGroupsReport> {
    let groups = record.groups.as_deref()?;
    let queues = names.queues().into_iter().map(|queue| QueueKey { queue }).zip(&groups.queues);
    let node = |(cluster, node)| NodeKey { node, cluster: non_empty(cluster) };
    let nodes = names.nodes().unwrap_or_default().into_iter().map(node).zip(&groups.nodes);
    let day = |day: &i64| {
        let start = Time::from_epoch_seconds(day.saturating_mul(DAY)).to_string();
        DayKey { day: start.split('T').next().unwrap_or_default().to_owned() }
    };
    let numbers = (0..).map(|retry| RetryKey { retry }).zip(&groups.numbers);
    let mut by_node = largest(rows(nodes, unit), |key| (key.node.clone(), key.cluster.clone()));
    let count = by_node.len() as u64;
    // After the count, which is of all nodes.
    by_node.truncate(NODES);
    Some(RecordGroupsReport {
        by_queue: largest(rows(queues, unit), |key| key.queue.clone()),
        by_category: by_category(names, record, unit),
        by_day: rows(groups.days.iter().map(|(number, hours)| (day(number), hours)), unit),
        by_retry: rows(numbers, unit),
        by_node,
        nodes: count,
    })
}

/// A kind of failure has the category, so that its counts are sums over kinds.
fn by_category(
    names: &Names,
    record: &RecordCounts,
    unit: CostUnit,
) -> Vec<RetriesOf<CategoryKey>> {
    let mut all: BTreeMap<Option<String>, RetryHours> = BTreeMap::new();
    for (kind, hours) in names.kinds().into_iter().zip(&record.kinds) {
        let category = if let Kind::Category(category, _) = kind { Some(category) } else { None };
        all.entry(category).or_default().merge(*hours);
    }
    let keys = all.iter().map(|(category, it)| (CategoryKey { category: category.clone() }, it));
    largest(rows(keys, unit), |key| key.category.clone())
}

/// The groups with retries.
fn rows<'h, K>(
    groups: impl Iterator<Item = (K, &'h RetryHours)>,
    unit: CostUnit,
) -> Vec<RetriesOf<K>> {
    let row = |(key, hours): (K, &RetryHours)| RetriesOf {
        key,
        retries: RecordedRetries {
            retries: hours.runs(),
            succeeded: hours.succeeded.runs,
            failed_retry_hours: unit.of(&HoursReport::from(&hours.lost())),
            succeeded_retry_hours: unit.of(&HoursReport::from(&hours.succeeded)),
        },
    };
    // Queues and nodes have numbers for all jobs, of which most have no retry.
    groups.filter(|(_, hours)| hours.runs() > 0).map(row).collect()
}

/// The most cost of failed retries first, then the most retries, then by name.
fn largest<K, N: Ord>(mut rows: Vec<RetriesOf<K>>, name: impl Fn(&K) -> N) -> Vec<RetriesOf<K>> {
    rows.sort_by(|one, other| {
        let (own, more) = (&one.retries, &other.retries);
        more.failed_retry_hours
            .total_cmp(&own.failed_retry_hours)
            .then_with(|| Reverse(own.retries).cmp(&Reverse(more.retries)))
            .then_with(|| name(&one.key).cmp(&name(&other.key)))
    });
    rows
}
