//! The documents of some texts.

use super::{Queue, RetryPolicy};
use document::diag::Place;
use document::{Document, Node};
use std::sync::Arc;

/// A policy and its document.
#[derive(Debug, Clone)]
pub struct PolicyDocument {
    pub policy: Arc<RetryPolicy>,
    /// The document it was read from.
    pub document: Document,
}

/// A queue and its document.
#[derive(Debug, Clone)]
pub struct QueueDocument {
    pub queue: Queue,
    /// The document it was read from.
    pub document: Document,
}

/// A document of a kind that another module reads.
#[derive(Debug, Clone)]
pub struct OtherDocument {
    /// The kind, such as `FailureHistory`.
    pub kind: &'static str,
    pub document: Document,
}

/// A kind of document that another module reads.
#[derive(Debug, Clone, Copy)]
pub struct ForeignKind {
    /// The kind, such as `JobSet`.
    pub kind: &'static str,
    /// The API versions of the kind; none if its documents have no `apiVersion` and no `kind`.
    pub versions: &'static [&'static str],
    /// The shape of such documents.
    pub shape: Option<&'static ForeignShape>,
}

impl ForeignKind {
    /// A kind of documents that name their `kind`.
    pub const fn named(kind: &'static str, versions: &'static [&'static str]) -> Self {
        Self { kind, versions, shape: None }
    }
}

/// The fields by which documents are recognized that have no `apiVersion` and no `kind`.
#[derive(Debug)]
pub struct ForeignShape {
    /// Lists of fields: a document has all fields of one of them.
    pub fields: &'static [&'static [&'static str]],
    /// The fields of which the first has the name of a document.
    pub name: &'static [&'static str],
    /// The field of a list of such documents, as programs print several at once.
    pub list: &'static str,
    /// Selects the items of a list that are read.
    pub select: fn(&[Node]) -> Selection,
    /// The message and the help about a document of the same program that is not read.
    pub refusal: fn(&Node) -> Option<[&'static str; 2]>,
}

/// The items of a list that are read, and why others are not.
#[derive(Debug, Default)]
pub struct Selection {
    /// The positions of the items that are read.
    pub read: Vec<usize>,
    /// The items that are skipped: the position of the first, the message and the help.
    pub skipped: Vec<(usize, String, String)>,
    /// The message and the help if no item is read.
    pub refusal: Option<[String; 2]>,
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
