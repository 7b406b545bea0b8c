//! From a profile's tree to what it means, with the draft's defaults.
//!
//! Reading judges nothing: what a check has found wrong is read as if it were not there.

use super::cause::Cause;
use super::layer::{DelayLimit, Layer, Layers};
use super::policy::{BackoffStrategy, JitterMode, RetryPolicy};
use super::reading::{Ceiling, HashText, Readings, Reduction};
use crate::document::{Document, Entry, Node};
use crate::systems::profile;

/// The layers, from the one whose word counts most.
pub(super) const LAYERS: [&str; 3] = ["session", "project", "cluster"];

/// The fields about waits, of which none does anything where nothing is retried.
pub(super) const OF_WAITS: [&str; 6] =
    ["retry_delay", "backoff", "backoff_multiplier", "max_retry_delay", "jitter", "jitter_ratio"];

/// A profile: the policy of every session that it judges.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// `metadata.name`.
    pub name: String,
    /// What its layers come to.
    pub policy: RetryPolicy,
    /// How the draft is read.
    pub readings: Readings,
}

/// What a profile means.
pub fn read(document: &Document) -> Profile {
    Profile {
        name: profile::name(document).to_owned(),
        policy: layers(&document.root).policy(),
        readings: readings(&document.root),
    }
}

/// The layers as they are written.
fn layers(root: &Node) -> Layers {
    let of = |name| layer_of(root, name).map(layer).unwrap_or_default();
    Layers { cluster: of("cluster"), project: of("project"), session: of("session") }
}

/// Where a layer stands, if it does.
pub(super) fn layer_of<'d>(root: &'d Node, name: &str) -> Option<&'d Node> {
    root.at(&["spec", "layers", name])
}

/// Which of [`LAYERS`] is the one whose word on a field counts, and the word.
pub(super) fn written<'d>(root: &'d Node, field: &str) -> Option<(usize, &'d Entry)> {
    let says = |name| {
        let entry = layer_of(root, name)?.entry(field)?;
        // Only of the limit is null a word.
        (!entry.value.is_null() || field == "max_retry_delay").then_some(entry)
    };
    LAYERS.into_iter().map(says).enumerate().find_map(|(rank, entry)| Some((rank, entry?)))
}

/// What a layer says.
pub(super) fn layer(node: &Node) -> Layer {
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
        max_retry_delay: node.entry("max_retry_delay").and_then(|entry| limit(&entry.value)),
        jitter: named(node, "jitter", JitterMode::from_name),
        jitter_ratio: number("jitter_ratio"),
        eligible_causes: causes.map(|causes| causes.iter().filter_map(cause).collect()),
        emit_retry_events: node.get("emit_retry_events").and_then(Node::boolean),
    }
}

/// The cause that an item of a list names.
pub(super) fn cause(node: &Node) -> Option<Cause> {
    node.text().and_then(Cause::from_name)
}

/// The one field of which null says something.
fn limit(node: &Node) -> Option<DelayLimit> {
    if node.is_null() { Some(DelayLimit::Null) } else { node.number().map(DelayLimit::Seconds) }
}

fn readings(root: &Node) -> Readings {
    let Some(options) = root.at(&["spec", "options"]) else { return Readings::default() };
    Readings {
        hash: named(options, "hash", HashText::from_name).unwrap_or_default(),
        reduce: named(options, "reduce", Reduction::from_name).unwrap_or_default(),
        cap: named(options, "cap", Ceiling::from_name).unwrap_or_default(),
    }
}

fn named<T>(node: &Node, field: &str, of: fn(&str) -> Option<T>) -> Option<T> {
    node.get(field).and_then(Node::text).and_then(of)
}
