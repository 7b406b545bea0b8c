//! The draft's `RetryPolicy` (seed, "`RetryPolicy` schema"), and how it is read from a profile.
//!
//! Owns the policy with the draft's defaults.
//!
//! Reading reports no findings: a value that a check rejected is read as if it were absent.

pub(super) mod cause;
pub(super) mod interpretation;
pub(super) mod layer;
pub(super) mod shape;

use crate::document::{Document, Entry, Node};
use crate::systems::profile;
use cause::{Cause, Causes};
use interpretation::{Ceiling, HashText, Interpretation, Reduction};
use layer::{DelayLimit, Layer, Layers};

/// A retry policy with every default filled in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    /// The number of retries of a session; attempts are one more. The draft keeps it in a 32-bit column.
    pub max_retries: u32,
    /// The delay of a fixed retry, or of the first exponential one; in seconds, above 0.
    pub retry_delay: f64,
    /// How delays grow.
    pub backoff: BackoffStrategy,
    /// The factor from each delay to the next, above 0; delays shrink if it is below 1.
    pub backoff_multiplier: f64,
    /// The maximum delay, in seconds, above 0; if absent, 24 hours.
    pub max_retry_delay: Option<f64>,
    /// The jitter that is added to a delay.
    pub jitter: JitterMode,
    /// The maximum jitter, as a fraction of the delay: from 0 to 1.
    pub jitter_ratio: f64,
    /// The causes that are retried.
    pub eligible_causes: Causes,
    /// Whether events are emitted.
    pub emit_retry_events: bool,
}

impl RetryPolicy {
    /// Returns whether the policy retries any cause.
    pub fn can_retry(&self) -> bool {
        self.max_retries > 0 && self.eligible_causes.iter().any(|one| !one.is_never_retried())
    }
}

impl Default for RetryPolicy {
    /// Returns the draft's defaults, which retry nothing.
    fn default() -> Self {
        Self {
            max_retries: 0,
            retry_delay: 60.0,
            backoff: BackoffStrategy::Fixed,
            backoff_multiplier: 2.0,
            max_retry_delay: Some(3600.0),
            jitter: JitterMode::Deterministic,
            jitter_ratio: 0.25,
            eligible_causes: Causes::eligible(),
            emit_retry_events: true,
        }
    }
}

/// How delays grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackoffStrategy {
    /// Delays are constant.
    Fixed,
    /// Delays are multiplied by a factor with every retry.
    Exponential,
}

impl BackoffStrategy {
    /// All strategies.
    pub const ALL: [Self; 2] = [Self::Fixed, Self::Exponential];

    /// Returns the strategy as policies write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Exponential => "exponential",
        }
    }

    /// Returns the strategy with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.as_str() == name)
    }
}

/// The jitter that is added to a delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JitterMode {
    /// No jitter.
    None,
    /// Jitter from a hash of the session's id and its retry count.
    Deterministic,
    /// Jitter from a random number.
    Random,
}

impl JitterMode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::None, Self::Deterministic, Self::Random];

    /// Returns the mode as policies write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Deterministic => "deterministic",
            Self::Random => "random",
        }
    }

    /// Returns the mode with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}

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
