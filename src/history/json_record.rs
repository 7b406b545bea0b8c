//! The common record of JSON Lines, read without a tree.
//!
//! It gives a record or nothing; where it gives nothing, the tree says what is wrong and where.

use super::clock::Clock;
use super::fields::{JobFields, RunFields};
use super::record::{Container, Gang, Outcome, Resources, RunRecord};
use crate::units::{GoDuration, Quantity, Time};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow)]
    job_id: Cow<'a, str>,
    #[serde(borrow)]
    outcome: Cow<'a, str>,
    #[serde(borrow)]
    queue: Option<Cow<'a, str>>,
    #[serde(borrow)]
    job_set: Option<Cow<'a, str>>,
    annotations: Option<BTreeMap<String, Option<String>>>,
    #[serde(borrow)]
    resources: Option<ResourcesLine<'a>>,
    gang: Option<GangLine>,
    run_index: Option<u32>,
    #[serde(borrow)]
    started_at: Option<Cow<'a, str>>,
    #[serde(borrow)]
    finished_at: Option<Cow<'a, str>>,
    #[serde(borrow)]
    node: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cluster: Option<Cow<'a, str>>,
    conditions: Option<Vec<String>>,
    #[serde(borrow)]
    containers: Option<Vec<ContainerLine<'a>>>,
    #[serde(borrow)]
    category: Option<Cow<'a, str>>,
    #[serde(borrow)]
    subcategory: Option<Cow<'a, str>>,
    termination_grace_period_seconds: Option<i64>,
    #[serde(borrow)]
    termination_confirmed_at: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContainerLine<'a> {
    name: String,
    init: Option<bool>,
    exit_code: Option<i64>,
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct ResourcesLine<'a> {
    #[serde(borrow)]
    cpu: Option<Amount<'a>>,
    #[serde(borrow)]
    memory: Option<Amount<'a>>,
    #[serde(rename = "nvidia.com/gpu", borrow)]
    gpu: Option<Amount<'a>>,
}

/// A quantity, which people also write as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Amount<'a> {
    Whole(u64),
    #[serde(borrow)]
    Text(Cow<'a, str>),
}

#[derive(Deserialize)]
struct GangLine {
    id: String,
    cardinality: u32,
}

/// A record of a line, if it is one beyond doubt.
pub(super) fn read(text: &str, clock: &mut Clock) -> Option<(String, JobFields, RunFields)> {
    let line: Line<'_> = serde_json::from_str(text).ok()?;
    if line.job_id.is_empty()
        || line.gang.as_ref().is_some_and(|gang| gang.cardinality == 0 || gang.id.is_empty())
    {
        return None;
    }
    let mut read = *clock;
    let mut time = |text: Option<Cow<'_, str>>| -> Option<Option<Time>> {
        let Some(text) = some(text) else { return Some(None) };
        read.read(&text).ok().map(Some)
    };
    let run = RunRecord {
        started_at: time(line.started_at)?,
        finished_at: time(line.finished_at)?,
        termination_confirmed_at: time(line.termination_confirmed_at)?,
        node: some(line.node).map(Into::into),
        cluster: owned(line.cluster),
        conditions: line
            .conditions
            .unwrap_or_default()
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect(),
        containers: line
            .containers
            .unwrap_or_default()
            .into_iter()
            .map(container)
            .collect::<Option<_>>()?,
        category: owned(line.category),
        subcategory: owned(line.subcategory),
        termination_grace: match line.termination_grace_period_seconds {
            Some(seconds @ 0..=9_000_000_000) => Some(GoDuration::from_secs(seconds)),
            Some(_) => return None,
            None => None,
        },
        ..RunRecord::new(Outcome::from_name(&line.outcome)?)
    };
    if run.ends_before_it_starts() || run.repeated_container().is_some() {
        return None;
    }
    let job = JobFields {
        queue: owned(line.queue),
        job_set: owned(line.job_set),
        annotations: line.annotations.map(|all| {
            all.into_iter().filter_map(|(key, value)| value.map(|value| (key, value))).collect()
        }),
        resources: match line.resources {
            Some(resources) => Some(quantities(&resources)?),
            None => None,
        },
        gang: line.gang.map(|gang| Gang { id: gang.id, cardinality: gang.cardinality }),
    };
    *clock = read;
    Some((line.job_id.into_owned(), job, RunFields { run, index: line.run_index }))
}

/// An empty text means absent.
fn some(text: Option<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    text.filter(|text| !text.is_empty())
}

fn owned(text: Option<Cow<'_, str>>) -> Option<String> {
    some(text).map(Cow::into_owned)
}

fn container(line: ContainerLine<'_>) -> Option<Container> {
    (!line.name.is_empty()).then(|| Container {
        name: line.name,
        init: line.init == Some(true),
        exit_code: line.exit_code,
        reason: owned(line.reason),
        message: owned(line.message),
    })
}

fn quantities(line: &ResourcesLine<'_>) -> Option<Resources> {
    let positive = |text: &str| Quantity::parse(text).ok().filter(|q| q.is_positive()).map(Some);
    let quantity = |amount: &Option<Amount<'_>>| match amount {
        None => Some(None),
        Some(Amount::Text(text)) if text.is_empty() => Some(None),
        Some(Amount::Text(text)) => positive(text),
        Some(Amount::Whole(whole)) => positive(&whole.to_string()),
    };
    Some(Resources {
        cpu: quantity(&line.cpu)?,
        memory: quantity(&line.memory)?,
        gpu: quantity(&line.gpu)?,
    })
}
