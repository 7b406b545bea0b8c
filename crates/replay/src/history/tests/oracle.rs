//! An independent reader of the records of Armada's jobs: `serde_json` reads the line as the fields' types.

use crate::history::line::Header;
use crate::history::{ArmadaRun, ObservedPod, RecordFields as _, RunRecord, TimeNotation};
use armada_retry::engine::{Container, Gang, JobFields, Outcome, Resources};
use document::units::{GoDuration, Quantity, Time};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A record, and the notation of times after it.
pub(super) type Record<'t> = (Header<'t>, RunRecord, TimeNotation);

/// A line: one run and what it holds of its job (semantics.md, section 10). Absent fields may be null.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    job_id: String,
    outcome: String,
    queue: Option<String>,
    job_set: Option<String>,
    annotations: Option<BTreeMap<String, Option<String>>>,
    resources: Option<ResourcesLine>,
    gang: Option<GangLine>,
    run_index: Option<u32>,
    started_at: Option<String>,
    finished_at: Option<String>,
    node: Option<String>,
    cluster: Option<String>,
    conditions: Option<Vec<String>>,
    containers: Option<Vec<ContainerLine>>,
    category: Option<String>,
    subcategory: Option<String>,
    termination_grace_period_seconds: Option<i64>,
    termination_confirmed_at: Option<String>,
    debug: Option<serde_json::Value>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContainerLine {
    name: String,
    init: Option<bool>,
    exit_code: Option<i32>,
    reason: Option<String>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct ResourcesLine {
    cpu: Option<Amount>,
    memory: Option<Amount>,
    #[serde(rename = "nvidia.com/gpu")]
    gpu: Option<Amount>,
}

/// A quantity, which may be a number too.
#[derive(Deserialize)]
#[serde(untagged)]
enum Amount {
    Whole(u64),
    Text(String),
}

#[derive(Deserialize)]
struct GangLine {
    id: String,
    cardinality: u32,
}

/// The record of a line, if it is one.
pub(super) fn read(text: &str) -> Option<Record<'static>> {
    let line: Line = serde_json::from_str(text).ok()?;
    let mut notation = TimeNotation::for_lines();
    let mut time = |text: Option<String>| -> Option<Option<Time>> {
        let Some(text) = some(text) else {
            return Some(None);
        };
        notation.read(&text).ok().map(Some)
    };
    let (started_at, finished_at) = (time(line.started_at)?, time(line.finished_at)?);
    let termination_confirmed_at = time(line.termination_confirmed_at)?;
    let containers = line.containers.unwrap_or_default().into_iter().map(container);
    let job = JobFields {
        job_set: some(line.job_set),
        annotations: line.annotations.map(with_value),
        resources: maybe(line.resources, resources)?,
        gang: maybe(line.gang, gang)?,
    };
    let mut own = ArmadaRun {
        outcome: Outcome::from_name(&line.outcome)?,
        conditions: texts(line.conditions),
        containers: containers.collect::<Option<_>>()?,
        category: line.category.unwrap_or_default().into(),
        subcategory: line.subcategory.unwrap_or_default().into(),
        termination_grace: maybe(line.termination_grace_period_seconds, grace)?,
        termination_confirmed_at,
        job: (job != JobFields::default()).then(|| Box::new(job)),
        observed: None,
        emitted: None,
        disruption: None,
        unplaced: None,
    };
    for (value, set) in [
        (line.debug, ObservedPod::set_debug as fn(&mut ObservedPod, &str)),
        (line.error, ObservedPod::set_error),
    ] {
        let text = match value {
            None => continue,
            Some(serde_json::Value::String(text)) if text.is_empty() => continue,
            Some(serde_json::Value::String(text)) => text,
            Some(object @ serde_json::Value::Object(_)) => object.to_string(),
            Some(_) => return None,
        };
        set(own.observed.get_or_insert_default(), &text);
    }
    own.complete();
    let header = Header {
        id: Cow::Owned(line.job_id),
        queue: some(line.queue).map(Cow::Owned),
        index: line.run_index,
        node: some(line.node).map(Cow::Owned),
        cluster: some(line.cluster).map(Cow::Owned),
    };
    let run = RunRecord { started_at, finished_at, own, ..RunRecord::default() };
    is_valid(&header, &run).then_some((header, run, notation))
}

/// Whether a record breaks no rule that concerns more than one value.
fn is_valid(header: &Header<'_>, run: &RunRecord) -> bool {
    !header.id.is_empty()
        && run.started_at.zip(run.finished_at).is_none_or(|(start, end)| start <= end)
        && run.own.repeated_container().is_none()
        && run.own.observed.as_ref().is_none_or(|observed| observed.fault.is_none())
}

/// An empty text means absent.
fn some(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// `None` if there is a value and it is invalid.
#[expect(clippy::option_option, reason = "a value may be absent, or invalid")]
fn maybe<A, B>(value: Option<A>, make: impl FnOnce(A) -> Option<B>) -> Option<Option<B>> {
    match value {
        Some(value) => make(value).map(Some),
        None => Some(None),
    }
}

fn texts<T: FromIterator<compact_str::CompactString>>(texts: Option<Vec<String>>) -> T {
    let texts = texts.unwrap_or_default().into_iter();
    texts.filter(|text| !text.is_empty()).map(Into::into).collect()
}

fn with_value(all: BTreeMap<String, Option<String>>) -> BTreeMap<String, String> {
    all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

fn grace(seconds: i64) -> Option<GoDuration> {
    (0..=9_000_000_000).contains(&seconds).then(|| GoDuration::from_secs(seconds))
}

fn gang(line: GangLine) -> Option<Gang> {
    let GangLine { id, cardinality } = line;
    (!id.is_empty() && cardinality > 0).then_some(Gang { id, cardinality })
}

fn container(line: ContainerLine) -> Option<Container> {
    (!line.name.is_empty()).then(|| Container {
        name: line.name.into(),
        init: line.init == Some(true),
        exit_code: line.exit_code.map(i64::from),
        reason: line.reason.unwrap_or_default().into(),
        message: line.message.unwrap_or_default().into(),
    })
}

fn resources(line: ResourcesLine) -> Option<Resources> {
    let ResourcesLine { cpu, memory, gpu } = line;
    Some(Resources { cpu: quantity(cpu)?, memory: quantity(memory)?, gpu: quantity(gpu)? })
}

/// The quantity, if it is positive; an empty text means absent.
#[expect(clippy::option_option, reason = "a quantity may be absent, or invalid")]
fn quantity(amount: Option<Amount>) -> Option<Option<Quantity>> {
    let text = match amount {
        None => return Some(None),
        Some(Amount::Text(text)) if text.is_empty() => return Some(None),
        Some(Amount::Text(text)) => text,
        Some(Amount::Whole(whole)) => whole.to_string(),
    };
    Quantity::parse(&text).ok().filter(|quantity| quantity.is_positive()).map(Some)
}
