//! A naive classifier of failed pods, to hold the real one against.
//!
//! It is written from what Armada's executor does and shares no code with the crate. Rules are tried in order,
//! each over all failed containers and events, and both passes always run. It takes plain JSON: the executor's
//! configuration file, a pod in phase Failed, and its events.
//!
//! # Readings
//!
//! - `failedPodChecks` are tried one after another, each over all containers or events: the text of the first
//!   pair is the message of the lease return.
//! - They are tried whether `errorCategories` is enabled or not.
//! - A lease return with an empty text and a hint has the message `"\n\n" + hint`, as any other.
//! - Regexps are those of the `regex` crate, so cases keep to what is the same in Go.

mod checks;
mod generate;
mod model;
mod read;
mod rules;

pub use generate::{Case, case};
pub use rules::{Pass, Winner};

use model::{Executor, Pod};
use serde_json::Value;

/// What the executor reports of a failed pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// `PodLeaseReturned` or `PodError`.
    pub kind: &'static str,
    pub category: String,
    pub subcategory: String,
    /// With the hint of the rule.
    pub message: String,
    pub is_pod_deleted: bool,
}

/// An executor and a failed pod that it sees.
pub struct Question {
    executor: Executor,
    pod: Pod,
}

impl Question {
    /// Reads an executor's configuration, a pod and a list of its events.
    pub fn new(executor: &Value, pod: &Value, events: &Value) -> Self {
        Self { executor: read::executor(executor), pod: read::pod(pod, events) }
    }

    /// What is reported: by the failed pod checks, else by a category that deletes the pod, else by
    /// the containers alone.
    pub fn report(&self) -> Report {
        if let Some(text) = checks::matched_text(&self.executor.checks, &self.pod) {
            let winner = self.winner(&Pass { pod_error: &text, with_events: false });
            return report("PodLeaseReturned", winner, &text, true);
        }
        let reason = self.pod.failed_reason();
        let winner = self.winner(&Pass { pod_error: &reason, with_events: true });
        if winner.is_delete {
            return report("PodError", winner, &reason, true);
        }
        let winner = self.winner(&Pass { pod_error: "", with_events: false });
        report("PodError", winner, &reason, false)
    }

    fn winner(&self, pass: &Pass) -> Winner {
        if self.executor.is_enabled { self.classify(pass) } else { Winner::default() }
    }

    /// One classification, whether the classifier is enabled or not.
    pub fn classify(&self, pass: &Pass) -> Winner {
        rules::first_match(&self.executor, &self.pod, pass)
    }
}

fn report(kind: &'static str, winner: Winner, text: &str, is_pod_deleted: bool) -> Report {
    let mut message = text.to_owned();
    if !winner.hint.is_empty() {
        message = message + "\n\n" + &winner.hint;
    }
    let Winner { category, subcategory, .. } = winner;
    Report { kind, category, subcategory, message, is_pod_deleted }
}
