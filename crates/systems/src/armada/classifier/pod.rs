//! The part of a failed pod that the classifier sees (`failedContainers` in `classifier.go`, `util/pod_status.go`).

use armada_retry::engine::Container;
use replay::history::{ArmadaRun, KubePod, PodEvent, UnknownText, UnknownTexts};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A container that ended with an exit code other than 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedContainer<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its exit code, never 0.
    pub exit_code: i64,
    /// Why it ended, such as `OOMKilled`; empty if unknown.
    pub reason: &'p str,
    /// Its termination message; empty if it has none.
    pub message: &'p str,
}

/// A pod as the classifier sees it. It sees neither conditions of the pod, such as `DisruptionTarget`, nor states of
/// containers before a restart, nor ephemeral containers.
#[derive(Debug, Clone, Default)]
pub struct FailedPod<'p> {
    /// `status.reason`; empty if absent.
    pub reason: &'p str,
    /// `status.message`; empty if absent.
    pub message: &'p str,
    /// The containers that failed: those of `containerStatuses`, then those of `initContainerStatuses`.
    pub containers: Vec<FailedContainer<'p>>,
    /// Whether a container ever started.
    pub has_started: bool,
    /// The events about the pod.
    pub events: &'p [PodEvent],
    /// The texts of the pod that are not known. A termination message that is known is not among them.
    pub unknown: UnknownTexts,
}

impl<'p> FailedPod<'p> {
    /// The pod that Kubernetes describes, and the events about it.
    pub fn new(pod: &'p KubePod, events: &'p [PodEvent]) -> Self {
        let (init, main): (Vec<_>, Vec<_>) = pod.containers.iter().partition(|it| it.init);
        // Main containers first, as `ExtractPodFailedReason` lists them.
        let containers = main.into_iter().chain(init).filter_map(|container| {
            let end = container.end.as_ref()?;
            Some(FailedContainer {
                name: &container.name,
                exit_code: end.exit_code.filter(|code| *code != 0)?,
                reason: end.reason.as_deref().unwrap_or_default(),
                message: end.message.as_deref().unwrap_or_default(),
            })
        });
        Self {
            reason: pod.reason.as_deref().unwrap_or_default(),
            message: pod.message.as_deref().unwrap_or_default(),
            containers: containers.collect(),
            has_started: pod.containers.iter().any(|container| {
                container.is_running
                    || container.end.is_some()
                    || container.has_run_before
                    || container.end_before.is_some()
            }),
            events,
            unknown: UnknownTexts::NONE,
        }
    }

    /// The pod of a run. The reason of a record is the first of its conditions, and it has neither the message of the
    /// pod's status nor events; a pod that was read as a run has all of them, and the debug JSON of a run the events.
    pub fn from_run(run: &'p ArmadaRun) -> Self {
        let failed = |container: &'p Container| {
            Some(FailedContainer {
                name: &container.name,
                exit_code: container.exit_code.filter(|code| *code != 0)?,
                reason: &container.reason,
                message: &container.message,
            })
        };
        let observed = run.observed.as_deref();
        let (init, main): (Vec<_>, Vec<_>) = run.containers.iter().partition(|it| it.init);
        Self {
            reason: match observed {
                Some(observed) => &observed.reason,
                None => run.conditions.first().map_or("", |condition| condition.as_str()),
            },
            message: observed.map_or("", |observed| &observed.message),
            containers: main.into_iter().chain(init).filter_map(failed).collect(),
            has_started: observed.is_some_and(|observed| observed.has_started)
                || run.containers.iter().any(|container| container.exit_code.is_some()),
            events: observed.map_or(&[], |observed| &observed.events),
            unknown: observed.map_or(UnknownTexts::OF_RECORD, |observed| observed.unknown),
        }
    }

    /// Whether the termination message of a failed container is known.
    pub fn knows_message(&self, container: &FailedContainer<'_>) -> bool {
        !container.message.is_empty() || !self.unknown.has(UnknownText::TerminationMessage)
    }

    /// Whether the whole text that [`failed_reason`](Self::failed_reason) returns is known.
    pub fn knows_failed_reason(&self) -> bool {
        let knows_status = !self.unknown.has(UnknownText::StatusMessage);
        let knows_containers = || {
            !self.unknown.has(UnknownText::Container)
                && self.containers.iter().all(|container| self.knows_message(container))
        };
        knows_status && (!self.message.is_empty() || knows_containers())
    }

    /// The text that `onPodError` rules match on a failed pod, and that the executor reports
    /// (`ExtractPodFailedReason`): the message of the pod's status, else a line for each failed container.
    pub fn failed_reason(&self) -> Cow<'p, str> {
        if !self.message.is_empty() {
            return Cow::Borrowed(self.message);
        }
        let mut text = String::new();
        for FailedContainer { name, exit_code, reason, message } in &self.containers {
            let _ = writeln!(
                text,
                "Container {name} failed with exit code {exit_code} because {reason}: {message}"
            );
        }
        Cow::Owned(text)
    }
}
