//! A version of a manifest of another system than Armada.

use crate::report::ComparedRule;
use armada_retry::policy::{Documents, OtherDocument};
use document::diag::{Findings, Place};
use document::{Document, Node, json_of_any};
use replay::simulate::DecisionReport;
use systems::{CoverageTarget, Identity, ManifestSystem, Options, TargetKind};

/// A manifest of one version.
pub(super) struct Manifest<S: ManifestSystem> {
    /// Its name, after its namespace if it has one.
    pub(super) name: String,
    /// Its kind and its name.
    pub(super) key: String,
    document: Document,
    contents: S::Manifest,
}

impl<S: ManifestSystem> Manifest<S> {
    pub(super) fn read_all(documents: &Documents, findings: &mut Findings) -> Vec<Self> {
        let own = documents.others.iter().filter(|other| S::DESCRIPTION.has_document(other));
        own.filter_map(|other| Self::read(other, findings)).collect()
    }

    fn read(other: &OtherDocument, findings: &mut Findings) -> Option<Self> {
        let document = other.document.clone();
        let contents = S::read(&document, &options(), findings)?;
        let name = S::DESCRIPTION.name_node(&document).and_then(Node::text).unwrap_or_default();
        let name = match S::unit(&contents).namespace {
            "" => name.to_owned(),
            namespace => format!("{namespace}/{name}"),
        };
        Some(Self { key: format!("{} {name}", other.kind), name, document, contents })
    }

    /// The engine of it alone.
    pub(super) fn engine(&self) -> S {
        S::engine(vec![self.contents.clone()], &options())
    }

    /// The engine of several manifests.
    pub(super) fn engine_of_all(all: &[Self]) -> S {
        S::engine(all.iter().map(|manifest| manifest.contents.clone()).collect(), &options())
    }

    /// Its document.
    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// The unit of it, after its namespace; empty if it applies to all units.
    pub(super) fn unit(&self) -> String {
        match S::unit(&self.contents) {
            Identity { namespace: "", name } => name.to_owned(),
            Identity { namespace, name } => format!("{namespace}/{name}"),
        }
    }

    /// Whether a recorded unit may be of it by its name. A manifest without a name is of all units.
    pub(super) fn has_name_of(&self, unit: &str) -> bool {
        let own = S::unit(&self.contents);
        own.name.is_empty() || S::identity_of_unit(unit).fits(own)
    }

    /// The place of a rule or default of a policy in the manifest.
    fn place(&self, policy: Option<&str>, index: Option<usize>) -> Option<Place> {
        let is_own = |target: &CoverageTarget| match target.kind {
            TargetKind::Rule => index.is_some(),
            TargetKind::Default => index.is_none(),
            TargetKind::Whole => true,
            TargetKind::Limit { .. } => false,
        };
        let targets = S::targets(&self.document, &self.contents);
        let mut own = targets.iter().filter(|target| target.rule_index == index && is_own(target));
        // The place of another template or Job would be wrong.
        let named = own.find(|target| policy.is_none_or(|policy| target.policy == policy));
        named.map(|target| target.place.clone())
    }

    /// The rule or default that made a decision, with its place.
    pub(super) fn rule(&self, decision: &DecisionReport) -> ComparedRule {
        let (policy, index) = (decision.policy.as_deref(), decision.rule_index);
        let unit = S::unit(&self.contents).name;
        let own = if unit.is_empty() { &self.name } else { unit };
        ComparedRule {
            policy: Some(policy.unwrap_or(own).to_owned()),
            rule_index: index,
            description: self.node(policy, index).and_then(description),
            place: self.place(policy, index).map(|place| place.to_string()),
        }
    }

    /// The node of a rule; `None` for a default.
    fn node(&self, policy: Option<&str>, index: Option<usize>) -> Option<&Node> {
        let start = index.and_then(|index| self.place(policy, Some(index)))?.start();
        let is_there = |node: &Node| self.document.place(node.span).start() == start;
        find_mapping(&self.document.root, &is_there)
    }

    /// The matchers of the rule that made a decision, as JSON; `None` for a default.
    pub(super) fn matchers(&self, decision: &DecisionReport) -> Option<Vec<(String, String)>> {
        let node = self.node(decision.policy.as_deref(), decision.rule_index)?;
        let matchers = node.entries().iter().filter(|entry| is_matcher(&entry.key));
        Some(matchers.map(|entry| (entry.key.clone(), json_of_any(&entry.value))).collect())
    }
}

/// Whether a key of a rule is a matcher: others are its name, its action and limits.
fn is_matcher(key: &str) -> bool {
    key.starts_with("on")
        || ["exception", "match_subclasses", "targetReplicatedJobs"].contains(&key)
}

/// The matchers of a rule and its action, as its document has them: `onExitCodes main In 42: FailJob`;
/// `None` without matchers.
fn description(rule: &Node) -> Option<String> {
    let mut words = Vec::new();
    for entry in rule.entries().iter().filter(|entry| is_matcher(&entry.key)) {
        words.push(entry.key.clone());
        push_scalars(&entry.value, &mut words);
    }
    let action = rule.get("action").and_then(Node::text).unwrap_or("default action");
    (!words.is_empty()).then(|| format!("{}: {action}", words.join(" ")))
}

fn push_scalars(node: &Node, words: &mut Vec<String>) {
    words.extend(
        node.scalar().map(|_| node.text().map_or_else(|| json_of_any(node), str::to_owned)),
    );
    for child in node.entries().iter().map(|entry| &entry.value).chain(node.items()) {
        push_scalars(child, words);
    }
}

/// The first mapping that is there.
fn find_mapping<'d>(node: &'d Node, is_there: &dyn Fn(&Node) -> bool) -> Option<&'d Node> {
    if !node.entries().is_empty() && is_there(node) {
        return Some(node);
    }
    let values = node.entries().iter().map(|entry| &entry.value);
    values.chain(node.items()).find_map(|child| find_mapping(child, is_there))
}

/// Alpha features are accepted: only `validate` checks which ones a cluster has turned on.
fn options() -> Options {
    Options { restart_job: true, in_place_restart: true, ..Options::default() }
}
