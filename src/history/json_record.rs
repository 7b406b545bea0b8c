//! The common record of JSON Lines, read without a tree.
//!
//! It gives a record or nothing; where it gives nothing, the tree says what is wrong and where.

use super::clock::Clock;
use super::fields::{JobFields, RunFields};
use super::line::{Amount, ContainerLine, Line, ResourcesLine};
use super::record::{Container, Gang, Outcome, Resources, RunRecord};
use super::scan::scan;
use crate::units::{GoDuration, Quantity, Time};
use std::borrow::Cow;

/// A record of a line, if it is one beyond doubt.
pub(super) fn read(text: &str, clock: &mut Clock) -> Option<(String, JobFields, RunFields)> {
    let line: Line<'_> = scan(text).or_else(|| serde_json::from_str(text).ok())?;
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
            .map(Cow::into_owned)
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
            all.into_iter()
                .filter_map(|(key, value)| Some((key.into_owned(), value?.into_owned())))
                .collect()
        }),
        resources: match line.resources {
            Some(resources) => Some(quantities(&resources)?),
            None => None,
        },
        gang: line
            .gang
            .map(|gang| Gang { id: gang.id.into_owned(), cardinality: gang.cardinality }),
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
        name: line.name.into_owned(),
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
