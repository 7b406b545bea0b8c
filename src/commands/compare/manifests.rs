//! Two versions of the manifests of other systems than Armada.

use super::side::pairs_by_name;
use super::witness::NOT_REPLAYED;
use crate::cli::Refusal;
use crate::report::{
    ComparedItem, ComparedRule, DifferenceGroup, ItemStatus, RulePair, Unknown, Witness,
};
use anyhow::Result;
use armada_retry::engine::compare::DifferenceKind;
use armada_retry::policy::{Documents, OtherDocument};
use document::diag::{Findings, Place};
use document::{Document, Node, json_of_any};
use replay::simulate::DecisionReport;
use std::collections::HashSet;
use systems::compare::{compare, replay};
use systems::{Gate, GateKind, ManifestSystem, Options};

/// A manifest of one version.
struct Manifest<S: ManifestSystem> {
    /// Its name, after its namespace if it has one.
    name: String,
    /// Its kind and its name.
    key: String,
    document: Document,
    contents: S::Manifest,
}

impl<S: ManifestSystem> Manifest<S> {
    fn read_all(documents: &Documents, findings: &mut Findings) -> Vec<Self> {
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

    fn engine(&self) -> S {
        S::engine(vec![self.contents.clone()], &options())
    }

    /// The place of a rule or default of a policy in the manifest.
    fn place(&self, policy: Option<&str>, index: Option<usize>) -> Option<Place> {
        let is_own = |gate: &Gate| match gate.kind {
            GateKind::Rule => index.is_some(),
            GateKind::Default => index.is_none(),
            GateKind::Whole => true,
            GateKind::Limit { .. } => false,
        };
        let gates = S::gates(&self.document, &self.contents);
        let own = || gates.iter().filter(|gate| gate.rule_index == index && is_own(gate));
        let named = own().find(|gate| policy.is_none_or(|policy| gate.policy == policy));
        named.or_else(|| own().next()).map(|gate| gate.place.clone())
    }

    /// The rule or default that made a decision, with its place.
    fn rule(&self, decision: &DecisionReport) -> ComparedRule {
        let (policy, index) = (decision.policy.as_deref(), decision.rule_index);
        ComparedRule {
            policy: Some(policy.unwrap_or(&self.name).to_owned()),
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
    fn matchers(&self, decision: &DecisionReport) -> Option<Vec<(String, String)>> {
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

/// Compares the manifests of a system in both versions.
pub(super) fn compare_all<S: ManifestSystem>(
    versions: [&Documents; 2],
) -> Result<Vec<ComparedItem>> {
    let mut findings = Findings::new();
    let versions = versions.map(|documents| Manifest::<S>::read_all(documents, &mut findings));
    if findings.has_errors() {
        return Err(Refusal::findings(findings.sorted()).into());
    }
    let names: [Vec<&str>; 2] =
        versions.each_ref().map(|all| all.iter().map(|it| it.key.as_str()).collect());
    for all in &names {
        refuse_duplicates(S::DESCRIPTION.manifest, all)?;
    }
    let find =
        |side: usize, key: Option<&str>| versions[side].iter().find(|it| Some(&*it.key) == key);
    let pairs = pairs_by_name(names).into_iter();
    let items = pairs.map(|[old, new]| {
        let kind = S::DESCRIPTION.manifest;
        match (find(0, old), find(1, new)) {
            (Some(old), Some(new)) => compare_versions([old, new]),
            (Some(removed), None) => {
                Ok(ComparedItem::one_sided(kind, removed.name.clone(), ItemStatus::Removed))
            }
            (None, added) => {
                let name = added.map(|added| added.name.clone()).unwrap_or_default();
                Ok(ComparedItem::one_sided(kind, name, ItemStatus::Added))
            }
        }
    });
    items.collect()
}

/// Differences of one kind: a rule of the new version takes the failures of others, or the same rules decide otherwise.
struct Group {
    cause: Cause,
    pairs: Vec<RulePair>,
    witness: Witness,
}

impl Group {
    /// Whether a difference has the same cause: a rule that takes failures, another action of a rule, or a limit.
    fn has(&self, cause: Cause, rules: &RulePair) -> bool {
        let (kind, is_takeover, is_limit) = cause;
        let is_own = || self.pairs.iter().any(|pair| pair.new == rules.new);
        let is_of_rule = is_takeover || !is_limit && kind != DifferenceKind::Wait;
        self.cause == cause && (!is_of_rule || is_own())
    }
}

/// The kind of a difference, whether a rule takes failures of another, and whether a limit ends the unit.
type Cause = (DifferenceKind, bool, bool);

/// Refuses two manifests of one version that have the same kind, namespace and name.
fn refuse_duplicates(kind: &str, keys: &[&str]) -> Result<()> {
    let mut seen = HashSet::new();
    let Some(again) = keys.iter().find(|key| !seen.insert(**key)) else { return Ok(()) };
    let name = again.split_once(' ').map_or(*again, |(_, name)| name);
    let message = format!("a version has two manifests `{name}` ({kind})");
    Err(Refusal::input(message).help("rename one of them").into())
}

fn compare_versions<S: ManifestSystem>(versions: [&Manifest<S>; 2]) -> Result<ComparedItem> {
    let (kind, name) = (S::DESCRIPTION.manifest, versions[1].name.clone());
    let [before, after] = versions.map(|version| json_of_any(&version.document.root));
    if before == after {
        return Ok(ComparedItem::compared(kind, name, Vec::new(), Vec::new()));
    }
    let engines = versions.map(Manifest::engine);
    let engines = [&engines[0], &engines[1]];
    let comparison = compare(engines);
    let mut groups: Vec<Group> = Vec::new();
    let mut unknown: Vec<Unknown> = Vec::new();
    let no_rules = || RulePair { old: ComparedRule::default(), new: ComparedRule::default() };
    for difference in comparison.differences {
        let replayed = replay(engines, &difference.history);
        let replayed = replayed.map_err(|findings| Refusal::findings(findings.sorted()))?;
        let Some([old, new]) = replayed.filter(|[old, new]| old.differs(new)) else {
            unknown.push(Unknown::new(no_rules(), NOT_REPLAYED));
            continue;
        };
        let rules =
            RulePair { old: versions[0].rule(&old.decision), new: versions[1].rule(&new.decision) };
        let is_takeover =
            versions[0].matchers(&old.decision) != versions[1].matchers(&new.decision);
        let cause = (difference.kind, is_takeover, old.is_exhausted || new.is_exhausted);
        if let Some(group) = groups.iter_mut().find(|it| it.has(cause, &rules)) {
            if !group.pairs.contains(&rules) {
                group.pairs.push(rules);
            }
            continue;
        }
        let others = [old.others, new.others];
        let decisions = [old.decision, new.decision];
        let witness = Witness::from_history(rules.clone(), difference.history, decisions, others);
        groups.push(Group { cause, pairs: vec![rules], witness });
    }
    let groups = groups
        .into_iter()
        .map(|Group { cause, pairs, witness }| DifferenceGroup::from_rules(cause, pairs, witness));
    unknown.extend(comparison.undecided.into_iter().map(|it| Unknown::new(no_rules(), it)));
    Ok(ComparedItem::compared(kind, name, groups.collect(), unknown))
}
