//! The debug JSON that Armada's executor stores for a run where its `debugEvents` are on (schema version 1,
//! `internal/executor/reporter/debug.go`).
//!
//! Owns the form of the text and its limits. Termination messages of containers and the message of the pod's status
//! are not in it.

use super::stored_text::stored_text;
use crate::history::kube_pod::PodEvent;
use document::diag::json_message;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The only version of the form.
const SCHEMA_VERSION: u32 = 1;
/// The longest text in bytes; what is longer is cut there and gets [`CUT_MARK`].
const LONGEST_TEXT: usize = 256;
const CUT_MARK: &str = "...[truncated]";
/// The most containers of each kind. It is also the default of `debugEvents.pod.maxEvents`, of which the newest are kept.
const LONGEST_LIST: usize = 10;

/// The debug JSON of a run. A field that the executor leaves out is empty or `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunDebug {
    schema_version: u32,
    /// Why the executor stored it.
    pub trigger: DebugTrigger,
    /// The pod.
    pub pod: DebugPod,
    /// The node of the pod, if it had one.
    pub node: Option<DebugNode>,
}

/// Why the executor stored the debug JSON of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DebugTrigger {
    /// The pod failed, or did not start.
    PodFailed,
    /// The run was cancelled before an app container started.
    CancelledNotStarted,
    /// The pod did not end in time after it was deleted.
    StuckTerminating,
    /// The pod had failed, and could not be deleted.
    Undeletable,
    /// The run was preempted.
    Preempted,
    /// A client other than the executor deleted the pod.
    ExternallyDeleted,
    /// The pod did not end in time after its active deadline.
    ActiveDeadlineExceeded,
    /// Another one.
    #[default]
    #[serde(other)]
    Other,
}

/// The pod of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DebugPod {
    pub phase: String,
    /// The reason of its status.
    pub reason: String,
    pub init_containers: Vec<DebugContainer>,
    /// Its other containers.
    pub containers: Vec<DebugContainer>,
    /// The newest events about it, oldest first.
    pub events: Vec<DebugEvent>,
}

/// A container of a run's pod.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DebugContainer {
    pub name: String,
    /// `waiting`, `running`, `terminated` or `unknown`.
    pub state: String,
    /// Its exit code, if it is terminated.
    pub exit_code: Option<i32>,
    /// Why it waits or ended.
    pub reason: String,
    /// How long it ran, if it is terminated, in seconds.
    pub run_seconds: Option<i64>,
}

/// An event about a pod or a node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DebugEvent {
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub event_type: String,
    /// Such as `FailedMount`.
    pub reason: String,
    /// The component that reported it.
    pub from: String,
    /// The reason in words, without the spaces around it.
    pub message: String,
    /// When it happened last, in RFC 3339.
    pub timestamp: String,
}

/// The node of a run's pod.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DebugNode {
    pub name: String,
    /// Whether it exists; `None` if the executor could not look it up.
    pub exists: Option<bool>,
    /// Whether it is cordoned.
    pub unschedulable: Option<bool>,
    /// The status of its condition `Ready`.
    pub ready: String,
    /// The reason of that condition.
    pub ready_reason: String,
    /// The labels that the executor's configuration names.
    pub labels: BTreeMap<String, String>,
    /// The newest events about it, oldest first.
    pub events: Vec<DebugEvent>,
}

/// Lookout's answer: the text is under this key, whatever it is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    error_string: Option<String>,
}

impl RunDebug {
    /// Reads the debug JSON, the value of Lookout's database or Lookout's answer that holds it. `None` if the text is no JSON object: older releases of
    /// Armada stored plain text.
    ///
    /// # Errors
    ///
    /// A description of its error.
    pub fn read(text: &str) -> Result<Option<Self>, String> {
        let text = &*stored_text(text)?;
        if !is_object(text) {
            return Ok(None);
        }
        let answer = serde_json::from_str::<Answer>(text).map_err(|error| fault(&error))?;
        match answer.error_string {
            Some(inner) if is_object(&inner) => Self::read_plain(&inner).map(Some),
            // The answer has plain text of an older release.
            Some(_) => Ok(None),
            None => Self::read_plain(text).map(Some),
        }
    }

    fn read_plain(text: &str) -> Result<Self, String> {
        let debug: Self = serde_json::from_str(text).map_err(|error| fault(&error))?;
        if debug.schema_version == SCHEMA_VERSION {
            Ok(debug)
        } else {
            let version = debug.schema_version;
            Err(format!("`schemaVersion` is {version}, but only {SCHEMA_VERSION} is read"))
        }
    }

    /// Whether a container runs or has ended.
    pub fn has_started(&self) -> bool {
        let mut all = self.pod.init_containers.iter().chain(&self.pod.containers);
        all.any(|container| matches!(container.state.as_str(), "running" | "terminated"))
    }

    /// The events about the pod, oldest first.
    pub fn events(&self) -> Vec<PodEvent> {
        let events = self.pod.events.iter().map(|event| PodEvent {
            event_type: event.event_type.clone(),
            reason: event.reason.clone(),
            message: event.message.clone(),
        });
        events.collect()
    }

    /// Whether a list of containers has as many as it can: there may be more.
    pub fn may_lack_containers(&self) -> bool {
        [&self.pod.init_containers, &self.pod.containers].iter().any(|it| it.len() >= LONGEST_LIST)
    }

    /// Whether older events may have been left out.
    pub fn may_lack_events(&self) -> bool {
        self.pod.events.len() >= LONGEST_LIST
    }
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

fn fault(error: &serde_json::Error) -> String {
    let message = error.to_string();
    json_message(message.split(" at line ").next().unwrap_or_default())
}

/// Whether a text of the debug JSON was cut: only then it is longer than the limit.
pub fn is_cut(text: &str) -> bool {
    text.len() > LONGEST_TEXT && text.ends_with(CUT_MARK)
}

/// The text that Lookout answers with or stores in its database; else the text itself.
///
/// # Errors
///
/// A description of the wrong text.
pub fn answered_text(text: &str) -> Result<String, String> {
    let text = &*stored_text(text)?;
    let answer = Some(text).filter(|text| is_object(text));
    let answer = answer.and_then(|text| serde_json::from_str::<Answer>(text).ok());
    Ok(answer.and_then(|answer| answer.error_string).unwrap_or_else(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_text_its_answer_and_nothing_else() {
        let text = r#"{"schemaVersion":1,"trigger":"undeletable","pod":{"phase":"Failed","containers":[
            {"name":"main","state":"terminated","exitCode":137,"reason":"OOMKilled","runSeconds":60},
            {"name":"side","state":"waiting","reason":"PodInitializing"}]},"node":{"name":"n","new":1}}"#;
        let debug = RunDebug::read(text).unwrap().unwrap();
        assert_eq!(debug.trigger, DebugTrigger::Undeletable);
        assert_eq!(debug.pod.containers[0].exit_code, Some(137));
        assert_eq!(debug.pod.containers[1].exit_code, None);
        assert!(debug.has_started() && !debug.may_lack_containers() && !debug.may_lack_events());
        let answer = serde_json::json!({"errorString": text}).to_string();
        assert_eq!(RunDebug::read(&answer), Ok(Some(debug)));
        for plain in ["", "no such pod", r#"{"errorString":"x"}"#, r#"{"errorString":""}"#] {
            assert_eq!(RunDebug::read(plain), Ok(None), "{plain}");
        }
        let later = RunDebug::read(r#"{"schemaVersion":2,"trigger":"soon"}"#);
        assert!(later.unwrap_err().starts_with("`schemaVersion` is 2"));
        assert!(RunDebug::read(r#"{"schemaVersion":1,"pod":7}"#).is_err());
        assert!(RunDebug::read(r#"{"schemaVersion":1,"pod":{"#).is_err());
    }

    #[test]
    fn a_text_of_the_limit_is_whole() {
        let (whole, cut) = ("x".repeat(242), "x".repeat(256));
        assert!(!is_cut(&format!("{whole}{CUT_MARK}")), "256 bytes");
        assert!(is_cut(&format!("{cut}{CUT_MARK}")));
        assert!(!is_cut(&"x".repeat(300)), "no text of the executor");
    }
}
