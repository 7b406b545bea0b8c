//! The pod of a run as Armada's executor sees it, beyond the fields of records, and which of its texts are unknown.
//!
//! A pod that Kubernetes describes is known whole. Of a run in Lookout its debug JSON and its error are known, which
//! hold most of the pod; `observed_run` adds it to the run.

use super::run_debug::{DebugTrigger, RunDebug, answered_text};
use crate::history::kube_pod::PodEvent;

/// The parts of a pod that Armada's executor sees and records do not hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObservedPod {
    /// The reason of its status; may be empty. The conditions of a run may be others, such as that of a disruption.
    pub reason: String,
    /// The message of its status; may be empty.
    pub message: String,
    /// Whether a container runs, or ran before it was restarted.
    pub has_started: bool,
    /// The events about it.
    pub events: Vec<PodEvent>,
    /// Whether the executor was deleting it and had not reported its end.
    pub is_unreported: bool,
    /// Whether it waited to start: neither did it run, nor had it ended.
    pub is_pending: bool,
    /// Why the executor stored its debug JSON, if it did.
    pub trigger: Option<DebugTrigger>,
    /// The executor's error, with the hint of its category; empty if that is not on record.
    pub error: String,
    /// The texts that are not known of it.
    pub unknown: UnknownTexts,
    /// The debug JSON until the run takes it.
    pub(in crate::history) debug: Option<Box<RunDebug>>,
    /// The message about a wrong debug JSON or error, with the name of the field; none if nothing is.
    pub(crate) fault: Option<(&'static str, String)>,
}

/// A text of a pod that may be unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownText {
    /// Termination messages of containers.
    TerminationMessage,
    /// The message of the pod's status.
    StatusMessage,
    /// Events, or the older ones.
    Event,
    /// The end of events that are cut.
    CutEvent,
    /// Containers beyond the number that is recorded.
    Container,
}

impl UnknownText {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::TerminationMessage,
        Self::StatusMessage,
        Self::Event,
        Self::CutEvent,
        Self::Container,
    ];
}

/// Some of the texts of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnknownTexts(u8);

impl UnknownTexts {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// The texts of a pod that a run record does not hold.
    pub const OF_RECORD: Self = Self::NONE
        .with(UnknownText::TerminationMessage)
        .with(UnknownText::StatusMessage)
        .with(UnknownText::Event);

    /// These and another one.
    #[must_use]
    pub const fn with(self, text: UnknownText) -> Self {
        Self(self.0 | 1 << text as u8)
    }

    /// These without one.
    #[must_use]
    pub const fn without(self, text: UnknownText) -> Self {
        Self(self.0 & !(1 << text as u8))
    }

    /// These and others.
    #[must_use]
    pub const fn or(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether one is among them.
    pub const fn has(self, text: UnknownText) -> bool {
        self.0 >> text as u8 & 1 == 1
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl ObservedPod {
    /// A pod of which the error of its run is known.
    pub fn from_error(error: &str) -> Self {
        Self { error: error.to_owned(), ..Self::default() }
    }

    /// Takes the debug JSON of the run. A text that is no JSON object is of an older release of Armada, and is not read.
    pub(crate) fn set_debug(&mut self, text: &str) {
        match RunDebug::read(text) {
            Ok(debug) => self.debug = debug.map(Box::new),
            Err(message) => {
                self.fault = Some(("debug", format!("invalid debug JSON of a run: {message}")));
            }
        }
    }

    /// Takes the error of the run, or Lookout's answer that holds it.
    pub(crate) fn set_error(&mut self, text: &str) {
        match answered_text(text) {
            Ok(error) => self.error = error,
            Err(message) => {
                self.fault = Some(("error", format!("invalid error of a run: {message}")));
            }
        }
    }
}
