//! Writes the record of a run as a line of a JSON Lines history (semantics.md, section 10). What is unknown is left
//! out.

use super::job::RunRecord;
use armada_retry::engine::Resources;
use armada_retry::engine::{Container, JobFields};
use compact_str::CompactString;
use serde::Serialize;
use std::collections::BTreeMap;

/// A run of a job, as a line.
#[derive(Serialize)]
struct Line<'r> {
    #[serde(flatten)]
    job: JobPart<'r>,
    #[serde(flatten)]
    run: RunPart<'r>,
}

/// Fields that all runs of a job share.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobPart<'r> {
    job_id: &'r str,
    queue: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    job_set: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'r BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    resources: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gang: Option<GangLine<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunPart<'r> {
    run_index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finished_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<&'r str>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<&'r str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    containers: Vec<ContainerLine<'r>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    category: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    subcategory: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    termination_grace_period_seconds: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    termination_confirmed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'r str>,
}

#[derive(Serialize)]
struct GangLine<'r> {
    id: &'r str,
    cardinality: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContainerLine<'r> {
    name: &'r str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    init: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'r str,
}

/// Returns the line of a run, without its end.
///
/// # Errors
///
/// If the serializer fails, which it does not with texts and whole numbers.
pub fn record_line(
    job: (&str, &str),
    fields: &JobFields,
    run: &RunRecord,
) -> serde_json::Result<String> {
    serde_json::to_string(&Line { job: JobPart::new(job, fields), run: RunPart::new(run) })
}

/// Returns a job without its runs, and a run, as JSON objects: parts of a `FailureHistory` document.
///
/// # Errors
///
/// If the serializer fails, which it does not with texts and whole numbers.
pub fn record_parts(
    job: (&str, &str),
    fields: &JobFields,
    run: &RunRecord,
) -> serde_json::Result<(String, String)> {
    let job = serde_json::to_string(&JobPart::new(job, fields))?;
    Ok((job, serde_json::to_string(&RunPart::new(run))?))
}

impl<'r> JobPart<'r> {
    fn new((job_id, queue): (&'r str, &'r str), fields: &'r JobFields) -> Self {
        Self {
            job_id,
            queue,
            job_set: fields.job_set.as_deref(),
            annotations: fields.annotations.as_ref(),
            resources: amounts(fields.resources()),
            gang: fields
                .gang
                .as_ref()
                .map(|gang| GangLine { id: &gang.id, cardinality: gang.cardinality }),
        }
    }
}

impl<'r> RunPart<'r> {
    fn new(run: &'r RunRecord) -> Self {
        const NANOSECONDS: i64 = 1_000_000_000;
        let own = &run.own;
        Self {
            run_index: run.run_index,
            started_at: run.started_at.map(|time| time.to_string()),
            finished_at: run.finished_at.map(|time| time.to_string()),
            node: run.node.as_deref(),
            cluster: run.cluster.as_deref(),
            outcome: own.outcome.as_str(),
            conditions: own.conditions.iter().map(CompactString::as_str).collect(),
            containers: own.containers.iter().map(container).collect(),
            category: &own.category,
            subcategory: &own.subcategory,
            termination_grace_period_seconds: own
                .termination_grace
                .map(|grace| grace.as_nanos() / NANOSECONDS),
            termination_confirmed_at: own.termination_confirmed_at.map(|time| time.to_string()),
            error: own
                .observed
                .as_ref()
                .map(|observed| &*observed.error)
                .filter(|it| !it.is_empty()),
        }
    }
}

fn amounts(resources: Resources) -> BTreeMap<&'static str, String> {
    let all =
        [("cpu", resources.cpu), ("memory", resources.memory), ("nvidia.com/gpu", resources.gpu)];
    all.into_iter().filter_map(|(name, amount)| Some((name, amount?.to_string()))).collect()
}

fn container(container: &Container) -> ContainerLine<'_> {
    ContainerLine {
        name: &container.name,
        init: container.init,
        exit_code: container.exit_code,
        reason: &container.reason,
        message: &container.message,
    }
}
