//! A pod and its end in a few words, as reports and summaries have them.

use super::model::ConditionStatus;
use super::pod::PodContainer;
use super::record::{PodFields, PodOutcome};
use crate::simulate::{Ending, Labels, container_text as text_of, ended_with};
use compact_str::ToCompactString;
use std::borrow::Cow;

/// The characters that an index and its hyphen take at the most.
const LONGEST_INDEX: usize = 11;

/// A pod's name, or one like those that the controller gives, without their random end.
pub fn pod_name<'f>(fields: &'f PodFields, job: &str) -> Cow<'f, str> {
    match &*fields.name {
        "" => {
            let mut name = String::with_capacity(job.len() + LONGEST_INDEX);
            name.push_str(job);
            name.push('-');
            name.push_str(&fields.index.to_compact_string());
            Cow::Owned(name)
        }
        name => Cow::Borrowed(name),
    }
}

/// Whether a container failed.
pub fn failed(container: &PodContainer) -> bool {
    container.exit_code.is_some_and(|code| code != 0)
        || container.reason.as_deref().is_some_and(|reason| reason != "Completed")
}

fn first_failed(fields: &PodFields) -> Option<&PodContainer> {
    let mut mains = fields.containers.iter().filter(|one| !one.init && failed(one));
    mains.next().or_else(|| fields.containers.iter().find(|one| failed(one)))
}

/// What a pod looks like from outside.
pub fn labels(fields: &PodFields) -> Labels<'_> {
    let container = first_failed(fields);
    let holds = fields.conditions.iter().find(|one| one.status == ConditionStatus::True);
    Labels {
        category: None,
        exit_code: container.and_then(|container| container.exit_code).map(i64::from),
        condition: holds.map(|condition| &*condition.kind),
        message: None,
    }
}

/// How a pod ended, as far as summaries tell.
pub fn ending(outcome: PodOutcome) -> Ending {
    match outcome {
        PodOutcome::Succeeded => Ending::Succeeded,
        PodOutcome::Failed => Ending::Failed,
        PodOutcome::Running | PodOutcome::Cancelled | PodOutcome::Stopped => Ending::Other,
    }
}

/// What failed, in a few words: `OOMKilled (137)`, `exit 1`, `DisruptionTarget`.
pub fn failure(fields: &PodFields) -> String {
    let container = first_failed(fields);
    let code = container.and_then(|container| container.exit_code);
    let reason = container.and_then(|container| container.reason.as_deref());
    let reason = reason.filter(|reason| *reason != "Error" && *reason != "Completed");
    let condition = labels(fields).condition;
    let ended = ended_with(condition.or(reason), code.map(i64::from));
    ended.unwrap_or_else(|| match fields.restarts {
        0 => fields.outcome.as_str().to_owned(),
        restarts => plural(restarts, "restart"),
    })
}

/// A failed container: its name, exit code and reason.
pub fn container_text(container: &PodContainer) -> String {
    let code = container.exit_code.map(i64::from);
    text_of(&container.name, code, container.reason.as_deref())
}

/// What is to be said of indexes that are taken to have succeeded: nothing, or after a semicolon.
pub fn presumed(indexes: u32) -> String {
    let are = plural_of(indexes, "index not on record is", "indexes not on record are");
    if indexes == 0 { String::new() } else { format!("; {are} taken to have succeeded") }
}

/// So many of a thing.
pub(super) fn plural(count: u32, what: &str) -> String {
    plural_of(count, what, &format!("{what}s"))
}

/// So many of a thing whose plural is another word.
pub(super) fn plural_of(count: u32, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
