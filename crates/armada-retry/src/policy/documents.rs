//! The documents of some texts.

use super::{Queue, RetryPolicy};
use document::Document;
use document::diag::Place;
use std::sync::Arc;

/// A policy and its document.
#[derive(Debug, Clone)]
pub struct PolicyDocument {
    /// The policy.
    pub policy: Arc<RetryPolicy>,
    /// The document it was read from.
    pub document: Document,
}

/// A queue and its document.
#[derive(Debug, Clone)]
pub struct QueueDocument {
    /// The queue.
    pub queue: Queue,
    /// The document it was read from.
    pub document: Document,
}

/// A document of a kind that another module reads.
#[derive(Debug, Clone)]
pub struct OtherDocument {
    /// The kind, such as `FailureHistory`.
    pub kind: &'static str,
    /// The document.
    pub document: Document,
}

/// A kind of document that another module reads.
#[derive(Debug, Clone, Copy)]
pub struct ForeignKind {
    /// The kind, such as `JobSet`.
    pub kind: &'static str,
    /// The API versions of the kind.
    pub versions: &'static [&'static str],
}

/// How to handle documents of kinds that no module reads in files that the command line names. In a directory
/// they are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OtherKinds {
    /// They are errors, unless they are next to documents of foreign kinds.
    #[default]
    Refuse,
    /// They are skipped.
    Skip,
}

/// The kind of a skipped document that has none.
pub const WITHOUT_KIND: &str = "without a kind";

/// The documents of some texts, in the order of the input.
#[derive(Debug, Clone, Default)]
pub struct Documents {
    /// The valid policies.
    pub policies: Vec<PolicyDocument>,
    /// The valid queues.
    pub queues: Vec<QueueDocument>,
    /// Documents of other known kinds; nothing in them has been checked.
    pub others: Vec<OtherDocument>,
    /// The number of documents, valid or not.
    pub document_count: usize,
    /// Skipped documents of kinds that no module reads: the kind and the place.
    pub unread: Vec<(String, Place)>,
    /// The places of lists that Armada's own `armadactl` prints but refuses to read; their items
    /// are read.
    pub lists_refused_by_armada: Vec<Place>,
}
