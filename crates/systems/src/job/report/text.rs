//! A pod and its end in a few words, for reports and summaries.

use crate::job::engine::pod::PodContainer;
use crate::job::engine::rule_match::MatchSource;
use crate::job::engine::status::Status;
use crate::job::manifest::{ConditionStatus, JobPolicy};
use crate::job::record::pod_fields::first_failed;
use crate::job::record::{PodFields, PodOutcome};
use compact_str::ToCompactString;
use document::diag::plural;
use replay::history::{DISRUPTION_TARGET, TERMINATION_TARGET};
use replay::simulate::{Ending, Labels, container_text as text_of, ending_text};
use std::borrow::Cow;

/// The maximum number of characters of an index and its hyphen.
const LONGEST_INDEX: usize = 11;

/// Returns a pod's name, or one as the controller makes it, without the random suffix.
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

/// Reasons of containers that do not explain their end.
const PLAIN: [&str; 3] = ["Completed", "Error", "ContainerStatusUnknown"];

/// Conditions that every pod has, also a healthy one.
const OF_EVERY_POD: [&str; 5] =
    ["PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready", "PodScheduled"];

/// The cause of a pod's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause<'f> {
    /// The reason of a container's end, such as `OOMKilled`.
    Container(&'f str),
    /// A condition of pods that were disrupted, with a reason such as `EvictionByEvictionAPI`.
    Disruption(&'static str, Option<&'f str>),
    /// The pod's reason, such as `Evicted`.
    Pod(&'f str),
    /// A condition of the pod.
    Condition(&'f str),
}

impl<'f> Cause<'f> {
    /// Returns the first known cause. The end of a container is closest to the failure, so it comes first. A
    /// condition such as `Initialized`, which healthy pods have too, is not a cause.
    fn of(fields: &'f PodFields) -> Option<Self> {
        let reason = first_failed(fields).and_then(|container| container.reason.as_deref());
        let reason = reason.filter(|reason| !PLAIN.contains(reason));
        let mut holding =
            fields.conditions.iter().filter(|one| one.status == ConditionStatus::True);
        let disruption = [DISRUPTION_TARGET, TERMINATION_TARGET].into_iter().find_map(|kind| {
            let condition = holding.clone().find(|one| *one.kind == *kind)?;
            Some(Self::Disruption(kind, condition.reason.as_deref()))
        });
        let of_pod = Some(&*fields.reason).filter(|reason| !reason.is_empty());
        let mut condition = || holding.find(|one| !OF_EVERY_POD.contains(&&*one.kind));
        reason
            .map(Self::Container)
            .or(disruption)
            .or(of_pod.map(Self::Pod))
            .or_else(|| condition().map(|one| Self::Condition(&one.kind)))
    }

    /// Returns the name that failures are grouped by.
    fn as_str(self) -> &'f str {
        match self {
            Self::Disruption(kind, _) => kind,
            Self::Container(word) | Self::Pod(word) | Self::Condition(word) => word,
        }
    }
}

/// Reasons of containers that always have one exit code, by which rules can match them.
const CONTAINER_REASONS: [&str; 3] = ["OOMKilled", "StartError", "ContainerCannotRun"];

/// Returns whether the failures of a cause, as named by [`labels`], can be distinguished by their exit code.
/// An eviction or a deadline has the exit code of a signal, which other failures have too.
pub(crate) fn has_own_exit_code(cause: &str) -> bool {
    cause.is_empty() || CONTAINER_REASONS.contains(&cause)
}

/// Returns the labels of a pod.
pub fn labels(fields: &PodFields) -> Labels<'_> {
    let container = first_failed(fields);
    Labels {
        exit_code: container.and_then(|container| container.exit_code).map(i64::from),
        condition: Cause::of(fields).map(Cause::as_str),
        outcome: fields.outcome.as_str(),
        ..Labels::default()
    }
}

/// Returns how a pod ended, for summaries.
pub fn ending(outcome: PodOutcome) -> Ending {
    match outcome {
        PodOutcome::Succeeded => Ending::Succeeded,
        PodOutcome::Failed => Ending::Failed,
        PodOutcome::Stopped => Ending::Interrupted,
        PodOutcome::Cancelled => Ending::Cancelled,
        PodOutcome::Running => Ending::Open,
    }
}

/// Describes the failure in a few words: `OOMKilled (137)`, `DisruptionTarget (EvictionByEvictionAPI)`,
/// `Evicted`, `exit 1`.
fn failure_text(fields: &PodFields) -> String {
    let cause = Cause::of(fields);
    if let Some(Cause::Disruption(kind, Some(reason))) = cause {
        return format!("{kind} ({reason})");
    }
    let ended = ending_text(cause.map(Cause::as_str), labels(fields).exit_code);
    ended.unwrap_or_else(|| match fields.restarts {
        0 => fields.outcome.as_str().to_owned(),
        restarts => plural(restarts, "restart", "restarts"),
    })
}

/// Describes the failure as `failure_text` does, with the part of the pod that a rule matched: `exit 75, proxy 137`.
pub fn decided_text(fields: &PodFields, matched: Option<MatchSource>) -> String {
    let text = failure_text(fields);
    let part = match matched {
        None => None,
        Some(MatchSource::Container(place)) => fields.containers.get(place).and_then(|container| {
            let code = container.exit_code?.to_string();
            let is_first = first_failed(fields).is_some_and(|first| first.name == container.name);
            let mut words = text.split(|letter: char| !letter.is_alphanumeric());
            let is_shown = is_first && words.any(|word| word == code);
            (!is_shown).then(|| format!("{} {code}", container.name))
        }),
        Some(MatchSource::Condition(place)) => fields.conditions.get(place).and_then(|condition| {
            let kind = condition.kind.as_str();
            (!text.contains(kind)).then(|| match condition.status {
                ConditionStatus::True => kind.to_owned(),
                status => format!("{kind} {}", status.as_str()),
            })
        }),
    };
    match part {
        Some(part) => format!("{text}, {part}"),
        None => text,
    }
}

/// Describes a failed container: its name, exit code and reason.
pub fn container_text(container: &PodContainer) -> String {
    let code = container.exit_code.map(i64::from);
    text_of(&container.name, code, container.reason.as_deref())
}

/// Makes a note on indexes that are assumed to have succeeded: empty, or text after a semicolon.
pub fn presumed_text(indexes: u32) -> String {
    let are = plural(indexes, "index without records is", "indexes without records are");
    if indexes == 0 { String::new() } else { format!("; {are} assumed to have succeeded") }
}

/// The reason of a Job's success; `None` if all its recorded runs succeeded.
pub(in crate::job) fn success(policy: &JobPolicy, status: &Status) -> Option<String> {
    if let Some(rule) = status.success {
        return Some(format!("successPolicy rule {rule} is met"));
    }
    let (failed, succeeded) = (status.failed + status.ignored, status.succeeded);
    match policy.completions.filter(|_| !policy.is_indexed()) {
        Some(wanted) if succeeded < wanted => Some(format!(
            "{succeeded} of {wanted} completions are on record, and the others are taken to have succeeded"
        )),
        Some(wanted) if failed > 0 => {
            Some(format!("{succeeded} of {wanted} completions succeeded"))
        }
        None if !policy.is_indexed() => Some("a pod succeeded, and none runs".to_owned()),
        _ => None,
    }
}

/// Describes why a unit with this many continuing pods has no end, with the restarts in place of their containers; `None`
/// without such pods.
pub fn still_running(pods: u32, restarts: u32) -> Option<String> {
    let open = (pods > 0)
        .then(|| plural(pods, "of its pods has not ended", "of its pods have not ended"))?;
    if restarts == 0 {
        return Some(open);
    }
    let restarts =
        plural(restarts, "restart in place is on record", "restarts in place are on record");
    Some(format!("{open}; {restarts}"))
}
