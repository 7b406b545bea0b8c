//! The executor's report about a pod: its checks, then the pass that may delete the pod, then the pass that keeps it
//! (`pod_issue_handler.go`, `job_state_reporter.go`).
//!
//! A failed pod is classified twice. The first pass has the pod's failure text and its events, and counts only if the
//! category found has action `Delete`. Otherwise the second pass decides, which has the containers and the pod's reason
//! alone: so neither `onPodEvents` nor `onPodError` of a `Retain` category names the failure of a failed pod.

use super::checks::{FailedPodChecks, PendingAction, PendingPodChecks};
use super::config::ExecutorConfig;
use super::internal::INTERNAL;
use super::pod::FailedPod;
use super::rules::{Classification, Classifier, ClassifierMemory, PassInput};
use replay::history::{ArmadaRun, KubeContainer, KubePod, PodEvent};
use std::borrow::Cow;

/// The annotation of pods that the executor is deleting: it reports nothing more about them.
const MARKED_FOR_DELETION: &str = "deletion_requested";

/// An executor's configuration, compiled.
#[derive(Debug)]
pub struct Executor {
    /// `None` if classification is off.
    classifier: Option<Classifier>,
    pub(super) failed_checks: FailedPodChecks,
    pending_checks: PendingPodChecks,
}

/// Why the executor looks at a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Situation {
    /// The pod exists, and all deadlines that concern it have passed.
    Reported,
    /// A client other than the executor deleted the pod.
    Deleted,
}

/// The way on which the executor reports a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// A check of failed pods applied.
    FailedPodCheck,
    /// The pod failed, and its category deletes it.
    Delete,
    /// The pod failed, and it is kept.
    Retain,
    /// A check of pods that do not start applied.
    PendingPodCheck,
    /// Armada's own category: the configured ones were not consulted.
    Internal,
}

/// The kind of error that the executor reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmittedAs {
    /// The run failed; policies decide about it.
    PodError,
    /// The lease is returned; no policy is consulted.
    LeaseReturned {
        /// Whether the run counts as an attempt.
        attempted: bool,
    },
}

/// A report of the executor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emission<'e> {
    /// The kind of error.
    pub kind: EmittedAs,
    /// The way on which it is reported.
    pub pass: Pass,
    /// The category, the subcategory and the rule that they are from.
    pub classification: Classification<'e>,
    /// The failure's text, without the rule's hint.
    pub text: String,
    /// The text with the rule's hint.
    pub message: String,
    /// Kubernetes' reason in Armada's events: `AppError`, `Evicted`, `OOM` or `DeadlineExceeded`.
    pub reason: &'static str,
}

/// The executor's actions for a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutorReport<'e> {
    /// The report, if there is one.
    pub emission: Option<Emission<'e>>,
    /// Whether the pod is deleted, or gone.
    pub deletes_pod: bool,
}

impl Executor {
    /// Compiles a configuration that has no faults.
    pub fn new(config: &ExecutorConfig) -> Self {
        Self {
            classifier: config.categories.enabled.then(|| Classifier::new(&config.categories)),
            failed_checks: FailedPodChecks::new(&config.failed_checks),
            pending_checks: PendingPodChecks::new(&config.pending_checks),
        }
    }

    /// The classifier, unless classification is off.
    pub fn classifier(&self) -> Option<&Classifier> {
        self.classifier.as_ref()
    }

    /// Classifies a pod in a pass; `None` if classification is off.
    pub(super) fn classify(
        &self,
        pod: &FailedPod<'_>,
        input: PassInput<'_>,
        memory: &mut ClassifierMemory,
    ) -> Classification<'_> {
        let classifier = self.classifier.as_ref();
        classifier.map_or_else(Default::default, |it| it.classify(pod, input, memory))
    }

    /// How a failed pod is reported: the pass and the classification.
    pub fn classify_failed(
        &self,
        pod: &FailedPod<'_>,
        memory: &mut ClassifierMemory,
    ) -> (Pass, Classification<'_>) {
        // The checks of failed pods come first in `pod_issue_handler.go`: a lease that is returned is never classified
        // twice.
        if let Some(text) = self.failed_checks.retryable(pod) {
            let input = PassInput::new(text);
            return (Pass::FailedPodCheck, self.classify(pod, input, memory));
        }
        // Only a rule whose category deletes the pod can make the first pass count.
        let may_delete = self.classifier.as_ref().is_some_and(Classifier::may_delete);
        if may_delete {
            let text = pod.failed_reason();
            let input = PassInput { events: pod.events, ..PassInput::new(&text) };
            let found = self.classify(pod, input, memory);
            if found.deletes_pod {
                return (Pass::Delete, found);
            }
        }
        let found = self.classify(pod, PassInput::new(""), memory);
        // The pod is kept whatever the action of the category is.
        (Pass::Retain, Classification { deletes_pod: false, ..found })
    }

    /// Returns the executor's actions for a run on record.
    pub fn report_run(&self, run: &ArmadaRun, memory: &mut ClassifierMemory) -> ExecutorReport<'_> {
        let failed = FailedPod::from_run(run);
        let is_oom = run.containers.iter().any(|container| container.reason == "OOMKilled");
        let reason = match failed.reason {
            "Evicted" => "Evicted",
            "DeadlineExceeded" => "DeadlineExceeded",
            _ if is_oom => "OOM",
            _ => "AppError",
        };
        self.report_failed(&failed, reason, memory)
    }

    /// The executor's actions for a pod.
    pub fn report(
        &self,
        pod: &KubePod,
        events: &[PodEvent],
        situation: Situation,
        memory: &mut ClassifierMemory,
    ) -> ExecutorReport<'_> {
        let nothing = |deletes_pod| ExecutorReport { emission: None, deletes_pod };
        let is_marked = pod.annotations.contains_key(MARKED_FOR_DELETION);
        let phase = pod.phase.as_str();
        match situation {
            // The executor itself deletes marked pods, and has reported them before.
            Situation::Deleted if is_marked => nothing(true),
            Situation::Deleted => internal("externally-deleted", "Pod was unexpectedly deleted"),
            Situation::Reported if pod.has_ended() => {
                if phase == "Failed" && !is_marked {
                    let failed = FailedPod::new(pod, events);
                    self.report_failed(&failed, failure_cause(pod), memory)
                } else {
                    nothing(is_marked)
                }
            }
            // Before deadlines: a pod that is being deleted is not looked at for another issue.
            Situation::Reported if pod.deleted.is_some() && is_marked => nothing(true),
            Situation::Reported if pod.deleted.is_some() => internal(
                "stuck-terminating",
                "job couldn't shut down cleanly as pod stuck in terminating phase, this indicates a node issue",
            ),
            Situation::Reported if pod.active_deadline.is_some() && pod.started.is_some() => {
                internal("active-deadline", "pod has exceeded active deadline seconds")
            }
            // An issue of a pod in another phase counts as resolved.
            Situation::Reported if phase == "Pending" => self.report_pending(pod, events, memory),
            Situation::Reported => nothing(false),
        }
    }

    /// Returns the executor's actions for a failed pod, with Kubernetes' reason for its failure.
    pub fn report_failed(
        &self,
        failed: &FailedPod<'_>,
        reason: &'static str,
        memory: &mut ClassifierMemory,
    ) -> ExecutorReport<'_> {
        let (pass, classification) = self.classify_failed(failed, memory);
        let (kind, text) = if pass == Pass::FailedPodCheck {
            let text = self.failed_checks.retryable(failed).unwrap_or_default();
            (EmittedAs::LeaseReturned { attempted: true }, Cow::Borrowed(text))
        } else {
            (EmittedAs::PodError, failed.failed_reason())
        };
        let message = classification.with_hint(&text);
        ExecutorReport {
            emission: Some(Emission {
                kind,
                pass,
                classification,
                text: text.into_owned(),
                message,
                reason,
            }),
            deletes_pod: pass != Pass::Retain,
        }
    }

    fn report_pending(
        &self,
        pod: &KubePod,
        events: &[PodEvent],
        memory: &mut ClassifierMemory,
    ) -> ExecutorReport<'_> {
        let answer = self.pending_checks.answer(pod, events);
        let (kind, begin) = match answer.action {
            PendingAction::Wait => {
                return ExecutorReport { emission: None, deletes_pod: false };
            }
            PendingAction::Retry => {
                // A pod that never got a node does not count as an attempt of the job.
                let attempted = !answer.has_no_node;
                (EmittedAs::LeaseReturned { attempted }, "Unable to start pod.")
            }
            PendingAction::Fail => {
                (EmittedAs::PodError, "Unable to start pod - encountered an unrecoverable problem.")
            }
        };
        let text = format!("{begin}\n{}", answer.message);
        let failed = FailedPod::new(pod, events);
        let input = PassInput::new(&text);
        let classification = self.classify(&failed, input, memory);
        let message = classification.with_hint(&text);
        let pass = Pass::PendingPodCheck;
        let reason = "AppError";
        let emission = Emission { kind, pass, classification, text, message, reason };
        ExecutorReport { emission: Some(emission), deletes_pod: true }
    }
}

/// A failure that Armada itself names, whether classification is on or off.
fn internal(subcategory: &'static str, message: &str) -> ExecutorReport<'static> {
    let classification =
        Classification { category: INTERNAL, subcategory, ..Classification::default() };
    let emission = Emission {
        kind: EmittedAs::PodError,
        pass: Pass::Internal,
        classification,
        text: message.to_owned(),
        message: message.to_owned(),
        reason: "AppError",
    };
    ExecutorReport { emission: Some(emission), deletes_pod: true }
}

/// Kubernetes' reason for the failure of a pod (`ExtractPodFailureCause`). A container that was out of memory counts
/// even if it ended with exit code 0.
fn failure_cause(pod: &KubePod) -> &'static str {
    let is_oom = |container: &KubeContainer| {
        let end = container.end.as_ref();
        end.is_some_and(|end| end.reason.as_deref() == Some("OOMKilled"))
    };
    match pod.reason.as_deref() {
        Some("Evicted") => "Evicted",
        Some("DeadlineExceeded") => "DeadlineExceeded",
        _ if pod.containers.iter().any(is_oom) => "OOM",
        _ => "AppError",
    }
}
