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

use cause::Cause;
use interpretation::{Ceiling, HashText, Interpretation, Reduction};
use layer::{DelayLimit, Layer, Layers};

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
    Profile {
        name: profile::name(document).to_owned(),
        policy: read_layers(&document.root).policy(),
        interpretation: read_interpretation(&document.root),
    }
}

/// Reads the layers as they are written.
fn read_layers(root: &Node) -> Layers {
    let of = |name| layer_node(root, name).map(read_layer).unwrap_or_default();
    Layers { cluster: of("cluster"), project: of("project"), session: of("session") }
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

/// Reads a layer.
pub(super) fn read_layer(node: &Node) -> Layer {
    let number = |field| node.get(field).and_then(Node::number);
    let causes = node.get("eligible_causes").map(Node::items);
    Layer {
        max_retries: node
            .get("max_retries")
            .and_then(Node::integer)
            .and_then(|n| n.try_into().ok()),
        retry_delay: number("retry_delay"),
        backoff: named(node, "backoff", BackoffStrategy::from_name),
        backoff_multiplier: number("backoff_multiplier"),
        max_retry_delay: node.entry("max_retry_delay").and_then(|entry| read_limit(&entry.value)),
        jitter: named(node, "jitter", JitterMode::from_name),
        jitter_ratio: number("jitter_ratio"),
        eligible_causes: causes.map(|causes| causes.iter().filter_map(read_cause).collect()),
        emit_retry_events: node.get("emit_retry_events").and_then(Node::boolean),
    }
}

/// Reads the cause that an item of a list names.
pub(super) fn read_cause(node: &Node) -> Option<Cause> {
    node.text().and_then(Cause::from_name)
}

/// Reads `max_retry_delay`, the one field that may be null.
fn read_limit(node: &Node) -> Option<DelayLimit> {
    if node.is_null() { Some(DelayLimit::Null) } else { node.number().map(DelayLimit::Seconds) }
}

fn read_interpretation(root: &Node) -> Interpretation {
    let Some(options) = root.at(&["spec", "options"]) else { return Interpretation::default() };
    Interpretation {
        hash: named(options, "hash", HashText::from_name).unwrap_or_default(),
        reduce: named(options, "reduce", Reduction::from_name).unwrap_or_default(),
        cap: named(options, "cap", Ceiling::from_name).unwrap_or_default(),
    }
}

fn named<T>(node: &Node, field: &str, of: fn(&str) -> Option<T>) -> Option<T> {
    node.get(field).and_then(Node::text).and_then(of)
}
