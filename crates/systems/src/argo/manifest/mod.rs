//! The retry strategies of a workflow, and how they are read from its manifest.
//!
//! Reading reports nothing: a value that a check rejected is read as if it were absent.

pub(super) mod shape;
pub(super) mod values;

use super::expression::Expression;
use document::units::GoDuration;
use document::{Document, Node, choices};
use values::{duration, int32};

choices! {
    /// The phases of an attempt that are retried.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum RetryPolicyName = "retry policy" {
        /// Attempts of both phases are retried.
        Always = "Always",
        /// Attempts that are Failed: their main container failed.
        OnFailure = "OnFailure",
        /// Attempts in Error: of the controller, of an init container, or a deleted pod.
        OnError = "OnError",
        /// Attempts whose message is that of a transient error.
        OnTransientError = "OnTransientError",
    }
}

/// A workflow's manifest: its templates, each with the retry strategy that applies to it.
#[derive(Debug, Clone, Default)]
pub struct ArgoManifest {
    /// `metadata.name`, or else `metadata.generateName`.
    pub name: String,
    /// `metadata.namespace`; empty if absent.
    pub namespace: String,
    /// The templates, in order.
    pub templates: Vec<TemplateStrategy>,
}

/// A template and its retry strategy.
#[derive(Debug, Clone)]
pub struct TemplateStrategy {
    /// The template's name.
    pub template: String,
    /// The name of the strategy in reports: the workflow's name, a slash and the template's.
    pub policy: String,
    /// The strategy; `None` if its failures are not retried.
    pub strategy: Option<RetryStrategy>,
}

/// A `retryStrategy`.
#[derive(Debug, Clone, Default)]
pub struct RetryStrategy {
    /// `limit`: attempts after the first; absent means any number.
    pub limit: Option<i32>,
    /// `retryPolicy`, if it is explicit.
    pub retry_policy: Option<RetryPolicyName>,
    /// `backoff`.
    pub backoff: Option<Backoff>,
    /// `affinity.nodeAntiAffinity`: whether an attempt avoids the nodes of those that failed.
    pub avoids_nodes: bool,
    /// `expression`.
    pub expression: Option<Expression>,
}

/// A `backoff`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backoff {
    /// `duration`: the wait before the first retry.
    pub duration: GoDuration,
    /// `factor`: the growth from wait to wait; at most 0 means none, as does an absent one.
    pub factor: Option<i32>,
    /// `cap`: the longest wait.
    pub cap: Option<GoDuration>,
    /// `maxDuration`: the time from the start of the first attempt after which none follows.
    pub max_duration: Option<GoDuration>,
}

impl RetryStrategy {
    /// Returns the policy that applies (`RetryPolicyActual`).
    pub fn policy(&self) -> RetryPolicyName {
        match (self.retry_policy, &self.expression) {
            (Some(policy), _) => policy,
            // With an expression the expression decides, and the policy lets everything through.
            (None, Some(_)) => RetryPolicyName::Always,
            (None, None) => RetryPolicyName::OnFailure,
        }
    }

    /// Returns whether it grants a retry of any failure.
    pub fn can_retry(&self) -> bool {
        self.limit.is_none_or(|limit| limit > 0)
    }
}

impl ArgoManifest {
    /// Returns the number of the strategy of a record's template: of the only one that has a strategy, if the record names
    /// none. `None` if that does not determine a template.
    pub fn template(&self, template: Option<&str>) -> Option<usize> {
        if let Some(name) = template {
            return self.templates.iter().position(|known| known.template == name);
        }
        let mut with_strategy =
            (0..self.templates.len()).filter(|number| self.templates[*number].strategy.is_some());
        match (with_strategy.next(), with_strategy.next()) {
            (Some(only), None) => Some(only),
            // A workflow with a single template needs no strategy to be told from others.
            (None, _) if self.templates.len() == 1 => Some(0),
            _ => None,
        }
    }

    /// Returns the templates that have a strategy.
    pub fn strategies(&self) -> impl Iterator<Item = (&TemplateStrategy, &RetryStrategy)> {
        self.templates.iter().filter_map(|it| Some((it, it.strategy.as_ref()?)))
    }
}

/// Returns the spec of a workflow: that of a `CronWorkflow` is in its `workflowSpec`.
pub(super) fn workflow_spec(document: &Document) -> Option<&Node> {
    let spec = document.root.get("spec")?;
    if document.root.get("kind").and_then(Node::text) == Some("CronWorkflow") {
        return spec.get("workflowSpec");
    }
    Some(spec)
}

/// Returns the nodes of the strategies of a workflow that apply to a template: its own and that of `templateDefaults`, which
/// are merged, else that of the spec (`mergedTemplateDefaultsInto`, `retryStrategy`).
pub(super) fn strategy_nodes<'n>(spec: &'n Node, template: &'n Node) -> Vec<&'n Node> {
    let own = present(template, "retryStrategy");
    let defaults = present(spec, "templateDefaults").and_then(|it| present(it, "retryStrategy"));
    let merged: Vec<&Node> = own.into_iter().chain(defaults).collect();
    if merged.is_empty() { present(spec, "retryStrategy").into_iter().collect() } else { merged }
}

/// Returns the value of a field that is neither absent nor null.
pub(super) fn present<'n>(node: &'n Node, field: &str) -> Option<&'n Node> {
    node.get(field).filter(|value| !value.is_null())
}

/// Returns the value of a field in the first node that has it. An empty text is an absent one, as Go encodes it.
pub(super) fn merged<'n>(nodes: &[&'n Node], path: &[&str]) -> Option<&'n Node> {
    let is_written = |value: &&Node| !value.is_null() && value.text() != Some("");
    nodes.iter().find_map(|node| node.at(path).filter(is_written))
}

/// Reads the manifest of a workflow.
pub(super) fn read(document: &Document) -> ArgoManifest {
    let root = &document.root;
    let mut keys = ["name", "generateName"].into_iter();
    let name = keys.find_map(|key| root.at(&["metadata", key]).and_then(Node::text));
    let name = name.unwrap_or_default().to_owned();
    let namespace = root.at(&["metadata", "namespace"]).and_then(Node::text).unwrap_or_default();
    let spec = workflow_spec(document);
    let template = |spec, node: &Node| {
        let template = node.get("name").and_then(Node::text).unwrap_or_default().to_owned();
        let nodes = strategy_nodes(spec, node);
        let strategy = (!nodes.is_empty()).then(|| read_strategy(&nodes));
        TemplateStrategy { policy: format!("{name}/{template}"), template, strategy }
    };
    let templates = spec.into_iter().flat_map(|spec| {
        let templates = spec.get("templates").map(Node::items).unwrap_or_default();
        templates.iter().map(move |node| template(spec, node))
    });
    let templates = templates.collect();
    ArgoManifest { name, namespace: namespace.to_owned(), templates }
}

/// Reads a strategy from the nodes that are merged.
pub(super) fn read_strategy(nodes: &[&Node]) -> RetryStrategy {
    let text = |path: &[&str]| merged(nodes, path).and_then(Node::text);
    RetryStrategy {
        limit: merged(nodes, &["limit"]).and_then(int32),
        retry_policy: text(&["retryPolicy"]).and_then(RetryPolicyName::from_name),
        backoff: merged(nodes, &["backoff"]).map(|_| read_backoff(nodes)),
        avoids_nodes: merged(nodes, &["affinity", "nodeAntiAffinity"]).is_some(),
        expression: text(&["expression"]).and_then(|text| Expression::parse(text).ok()),
    }
}

fn read_backoff(nodes: &[&Node]) -> Backoff {
    let field = |name| merged(nodes, &["backoff", name]);
    let time = |name| field(name).and_then(|node| duration(node).ok());
    Backoff {
        duration: time("duration").unwrap_or_default(),
        factor: field("factor").and_then(int32),
        cap: time("cap"),
        max_duration: time("maxDuration"),
    }
}
