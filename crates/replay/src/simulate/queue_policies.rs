//! The report of the policies of queues.

use borsh::{BorshDeserialize, BorshSerialize};
use document::names;
use schemars::JsonSchema;
use serde::Serialize;

/// The policies of a queue, and where they come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuePoliciesReport {
    /// The queue; empty for jobs without a queue.
    pub queue: String,
    /// The names of its policies, in order. Those of the jobs' annotations are not among them.
    pub policies: Vec<String>,
    /// Where they come from.
    pub source: PolicySource,
}

names! {
    /// Where the policies of a queue come from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema, BorshSerialize, BorshDeserialize)]
    #[serde(rename_all = "camelCase")]
    pub enum PolicySource {
        /// Nothing names policies of the queue. The only policy is assumed to apply, or none if there are several
        /// or a server has no such queue.
        Assumed = "assumed",
        /// The scheduler configuration: its `defaultPolicyName`, as the queue has none.
        Default = "default",
        /// A Queue document.
        File = "file",
        /// The history.
        History = "history",
        /// `--queue-policies`.
        Flag = "flag",
        /// The server.
        Server = "server",
    }
}
