//! The report of the policies of queues.

use borsh::{BorshDeserialize, BorshSerialize};
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

/// Where the policies of a queue come from.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "camelCase")]
pub enum PolicySource {
    /// Nothing names policies of the queue. The only policy is assumed to apply, or none if there are several
    /// or a server has no such queue.
    Assumed,
    /// The scheduler configuration: its `defaultPolicyName`, as the queue has none.
    Default,
    /// A Queue document.
    File,
    /// The history.
    History,
    /// `--queue-policies`.
    Flag,
    /// The server.
    Server,
}

impl PolicySource {
    /// The name, as the report has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assumed => "assumed",
            Self::Default => "default",
            Self::File => "file",
            Self::History => "history",
            Self::Flag => "flag",
            Self::Server => "server",
        }
    }
}
