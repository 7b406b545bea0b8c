//! The common record of JSON Lines, read without a tree.
//!
//! It gives a record or nothing; where it gives nothing, the tree says what is wrong and where.

use super::clock::Clock;
use super::fields::{JobFields, RunFields};
use super::line::{Amount, Annotations, ContainerLine, Line, ResourcesLine};
use super::record::{Container, Gang, Outcome, Resources, RunRecord};
use super::scan::scan;
use crate::units::{GoDuration, Quantity, Time};
use std::borrow::Cow;

/// A run, and what its record says of its job. Its texts stay in the line where they can.
#[derive(Debug)]
pub(crate) struct Record<'t> {
    pub(crate) id: Cow<'t, str>,
    pub(crate) job: JobFields<Cow<'t, str>>,
    pub(crate) fields: RunFields<Cow<'t, str>>,
}

impl Record<'_> {
    /// A record with texts of its own.
    pub(super) fn owned(id: &str, job: JobFields, fields: RunFields) -> Record<'static> {
        Record {
            id: Cow::Owned(id.to_owned()),
            job: job.into_cow(),
            fields: RunFields { run: fields.run.into_cow(), index: fields.index },
        }
    }
}

/// A record of a line, if it is one beyond doubt. The clock moves on only then.
pub(crate) fn read<'t>(text: &'t str, clock: &mut Clock) -> Option<Record<'t>> {
    let line = scan(text).or_else(|| serde_json::from_str::<Line<'t>>(text).ok())?;
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
    let containers = line.containers.unwrap_or_default().into_iter().map(container);
    let conditions = line.conditions.unwrap_or_default();
    let run = RunRecord {
        started_at: time(line.started_at)?,
        finished_at: time(line.finished_at)?,
        termination_confirmed_at: time(line.termination_confirmed_at)?,
        node: some(line.node),
        cluster: some(line.cluster),
        conditions: conditions.into_iter().filter(|name| !name.is_empty()).collect(),
        containers: containers.collect::<Option<_>>()?,
        category: some(line.category),
        subcategory: some(line.subcategory),
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
        queue: some(line.queue),
        job_set: some(line.job_set),
        annotations: line.annotations.map(said),
        resources: match line.resources {
            Some(resources) => Some(quantities(&resources)?),
            None => None,
        },
        gang: line.gang.map(|gang| Gang { id: gang.id, cardinality: gang.cardinality }),
    };
    *clock = read;
    Some(Record { id: line.job_id, job, fields: RunFields { run, index: line.run_index } })
}

/// An empty text means absent.
fn some(text: Option<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    text.filter(|text| !text.is_empty())
}

/// The annotations that have a value.
fn said(all: Annotations<'_>) -> std::collections::BTreeMap<Cow<'_, str>, Cow<'_, str>> {
    all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

fn container(line: ContainerLine<'_>) -> Option<Container<Cow<'_, str>>> {
    (!line.name.is_empty()).then(|| Container {
        name: line.name,
        init: line.init == Some(true),
        exit_code: line.exit_code,
        reason: some(line.reason),
        message: some(line.message),
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
