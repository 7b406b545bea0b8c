//! The fields of a JobSet's record.

use crate::job::{FailureReason, PodFields};
use compact_str::CompactString;

/// The fields of a JobSet's record. With a reason of failure, the record means that its Job has failed.
/// Otherwise it is a pod's, and the state of its Job is derived.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SetFields {
    /// The pod's fields.
    pub pod: PodFields,
    /// The child Job's name.
    pub job_name: CompactString,
    /// The replicated Job that the Job is made from; empty if absent.
    pub replicated_job: CompactString,
    /// The Job's index among those of its replicated Job.
    pub job_index: Option<u32>,
    /// The reason of the Job's failure; empty in a record of a pod.
    pub failure_reason: CompactString,
    /// The message of the Job's failure.
    pub failure_message: CompactString,
    /// The pod's attempt, if containers are restarted in place.
    pub in_place_restart_attempt: Option<u32>,
    /// The number of restarts of the set before its Job was created, from its label.
    pub restart_attempt: Option<u32>,
}

impl SetFields {
    /// Returns whether the record means that its Job has failed.
    pub fn is_job_record(&self) -> bool {
        !self.failure_reason.is_empty()
    }

    /// Returns the message of the Job's failure. If the record has none, it is the fixed sentence of its
    /// reason, if there is one ([`FailureReason::message`]). Empty in a record of a pod.
    pub fn message(&self) -> &str {
        if !self.failure_message.is_empty() {
            return &self.failure_message;
        }
        let fixed = FailureReason::from_name(&self.failure_reason).and_then(FailureReason::message);
        fixed.unwrap_or_default()
    }
}
