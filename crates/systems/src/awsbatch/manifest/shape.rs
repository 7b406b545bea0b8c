//! The shape of a job definition: the fields on which retries depend.
//!
//! Three documents have it: the input of `aws batch register-job-definition`, that of `aws batch submit-job`, and an item
//! of `aws batch describe-job-definitions`. All other fields belong to AWS and are not checked.

use super::strategy::RetryStrategy;
use document::diag::Code;
use document::{Extra, FieldValue, Kind, Node, shapes};

/// The minimum of a timeout in seconds (API Reference, `JobTimeout`).
const MIN_TIMEOUT: i128 = 60;

shapes! {
    /// A job definition of AWS Batch, or the submission of a job: its retry strategy and its timeout.
    pub static JOB_DEFINITION = "job definition" (extra: Extra::Tolerated) {
        /// The name of the definition.
        optional jobDefinitionName: Kind::SomeText,
        /// The name of the submitted job.
        optional jobName: Kind::SomeText,
        /// The definition of the submitted job.
        optional jobDefinition: Kind::SomeText,
        /// How often a failed job is attempted; absent means one attempt.
        /// That of a submission replaces that of its definition.
        optional retryStrategy: RetryStrategy::KIND,
        /// How long an attempt may run; absent means any time. A job that exceeds it is not retried.
        optional timeout: Kind::Object(&TIMEOUT),
    }

    /// How long an attempt may run.
    static TIMEOUT = "timeout" (elsewhere: &[("attemptDuration", "write `attemptDurationSeconds`")]) {
        /// Seconds from the start of an attempt, at least 60. Each attempt has as many.
        optional attemptDurationSeconds: Kind::Whole { min: MIN_TIMEOUT, max: i32::MAX as i128, code: Code::OutOfRange },
    }
}

/// The path of the entries.
pub(in crate::awsbatch) const ENTRIES: [&str; 2] = ["retryStrategy", "evaluateOnExit"];

/// Returns the nodes of the entries.
pub(in crate::awsbatch) fn entries(root: &Node) -> &[Node] {
    root.at(&ENTRIES).map(Node::items).unwrap_or_default()
}
