//! The draft's `RetryPolicy` (seed, "`RetryPolicy` schema"), and how it is read from a profile.
//!
//! Reading reports no findings: a value that a check rejected is read as if it were absent.

pub(super) mod cause;
pub(super) mod interpretation;
pub(super) mod layer;
mod policy;
pub(super) mod shape;

use crate::profile;
use document::{Document, Entry, Node};
pub use policy::{BackoffStrategy, JitterMode, RetryPolicy};

use interpretation::Interpretation;
use layer::Layers;

/// The layers, highest precedence first.
pub(super) const LAYERS: [&str; 3] = ["session", "project", "cluster"];

/// The fields about delays, which have no effect if nothing is retried.
pub(super) const DELAY_FIELDS: [&str; 6] =
    ["retry_delay", "backoff", "backoff_multiplier", "max_retry_delay", "jitter", "jitter_ratio"];

/// A profile: the policy of every session.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// `metadata.name`.
    pub name: String,
    /// The policy of its merged layers.
    pub policy: RetryPolicy,
    /// The interpretation of the draft.
    pub interpretation: Interpretation,
}

/// Reads a checked profile.
pub fn read(document: &Document) -> Profile {
    let value = |key| document.root.at(&["spec", key]);
    Profile {
        name: profile::name(document).to_owned(),
        policy: value("layers").map(Layers::read).unwrap_or_default().policy(),
        interpretation: value("options").map(Interpretation::read).unwrap_or_default(),
    }
}

/// Returns the node of a layer, if the profile has it.
pub(super) fn layer_node<'d>(root: &'d Node, name: &str) -> Option<&'d Node> {
    root.at(&["spec", "layers", name])
}

/// Returns the entry of a field that takes effect, with the rank of its layer in [`LAYERS`].
pub(super) fn effective_entry<'d>(root: &'d Node, field: &str) -> Option<(usize, &'d Entry)> {
    let entry_in = |name| {
        let entry = layer_node(root, name)?.entry(field)?;
        // Null is a value only in `max_retry_delay`.
        (!entry.value.is_null() || field == "max_retry_delay").then_some(entry)
    };
    LAYERS.into_iter().map(entry_in).enumerate().find_map(|(rank, entry)| Some((rank, entry?)))
}
