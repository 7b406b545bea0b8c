//! Argo Workflows: whether a failed attempt of a template with a `retryStrategy` is followed by another, and when.
//!
//! Owns the meaning of a `retryStrategy`, with the parts of it that `templateDefaults` and the workflow's spec supply, the
//! part of the expression language that can be decided from a record, and the decision about an attempt. The rules are
//! those of Argo's controller (argo-workflows v4.0.5, `workflow/controller/operator.go`: `processNodeRetries`,
//! `buildRetryStrategyLocalScope`, `retryStrategy`, `mergedTemplateDefaultsInto`), of its types
//! (`pkg/apis/workflow/v1alpha1/workflow_types.go`: `RetryPolicyActual`; `utils.go`: `ParseStringToDuration`) and of
//! `util/errors/errors.go`. `tools/argo` compares the decisions with those of that code.
//!
//! Open points of Argo, and the choice made here:
//! - The controller evaluates a failed attempt as soon as it sees it, and again after the backoff. Here both happen without
//!   delay: an attempt is evaluated when it ends, and exactly when the backoff ends.
//! - The backoff comes before all other checks but `maxDuration`: a failure that the policy or the expression does not
//!   retry ends the node only after the wait. The decision is made at the failure; its reason has the wait.
//! - Without `limit` the controller never waits: the condition of the wait requires a limit.
//! - A value in double braces is known only to the controller, and so is `TRANSIENT_ERROR_PATTERN`. The first is an error
//!   of the manifest; where the second matches, a record has `transient`.
//! - A number that Go's `fmt.Sprint` writes with an exponent or a fraction is no whole number for `asInt`, so that an
//!   expression on the duration of a long attempt is an error, which ends the node.
//! - Left out: daemoned templates, memoization, `failedPodRestart` (the controller restarts a pod that never began, which
//!   is not an attempt), and a node's end by the deadline of its workflow (`outcome: Stopped` is such an end).
//!
//! A unit is a retry node, and a run is an attempt: a child of that node. Its `jobId` is the node's name, which begins with
//! that of the workflow: `ml/train-7k2p.prepare`.

mod compared;
pub mod convert;
mod coverage;
mod engine;
mod expression;
mod lint;
mod manifest;
mod record;
mod report;
mod system;
#[cfg(test)]
mod tests;
mod unread;
mod validate;

pub use engine::decision::{Decision, Verdict};
pub use engine::{ArgoEngine, RetryUnit};
pub use expression::{EvaluationError, Expression, Scope};
pub use manifest::{ArgoManifest, Backoff, RetryPolicyName, RetryStrategy, TemplateStrategy};
pub use record::{AttemptFields, AttemptOutcome};
