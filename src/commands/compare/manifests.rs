//! Two versions of the manifests of other systems than Armada.

use super::side::pairs_by_name;
use super::witness::NOT_REPLAYED;
use crate::cli::Refusal;
use crate::report::{
    ComparedItem, ComparedRule, DifferenceGroup, ItemStatus, RulePair, Unknown, Witness,
};
use anyhow::Result;
use armada_retry::engine::compare::DifferenceKind;
use armada_retry::policy::Documents;
use document::diag::{Findings, Place};
use document::{Document, Node, json_of_any};
use systems::compare::{compare, replay};
use systems::{GateKind, ManifestSystem, Options};

/// A manifest of one version.
struct Manifest<S: ManifestSystem> {
    name: String,
    document: Document,
    contents: S::Manifest,
}

impl<S: ManifestSystem> Manifest<S> {
    fn read_all(documents: &Documents, findings: &mut Findings) -> Vec<Self> {
        let own = documents.others.iter().filter(|other| S::DESCRIPTION.has_document(other));
        own.filter_map(|other| Self::read(&other.document, findings)).collect()
    }

    fn read(document: &Document, findings: &mut Findings) -> Option<Self> {
        let contents = S::read(document, &options(), findings)?;
        let name = S::DESCRIPTION.name_node(document).and_then(Node::text).unwrap_or_default();
        Some(Self { name: name.to_owned(), document: document.clone(), contents })
    }

    fn engine(&self) -> S {
        S::engine(vec![self.contents.clone()], &options())
    }

    /// The place of a rule or default.
    fn place(&self, index: Option<usize>) -> Option<Place> {
        let is_own = |kind: GateKind| match kind {
            GateKind::Rule => index.is_some(),
            GateKind::Default | GateKind::Whole => index.is_none(),
            GateKind::Limit { .. } => false,
        };
        let gates = S::gates(&self.document, &self.contents);
        let own = gates.into_iter().find(|gate| gate.rule_index == index && is_own(gate.kind));
        own.map(|gate| gate.place)
    }

    /// A rule or default, with its place.
    fn rule(&self, index: Option<usize>) -> ComparedRule {
        ComparedRule {
            policy: Some(self.name.clone()),
            rule_index: index,
            description: self.node(index).map(description),
            place: self.place(index).map(|place| place.to_string()),
        }
    }

    /// The node of a rule; `None` for a default.
    fn node(&self, index: Option<usize>) -> Option<&Node> {
        let start = index.and_then(|index| self.place(Some(index)))?.start();
        let is_there = |node: &Node| self.document.place(node.span).start() == start;
        find_mapping(&self.document.root, &is_there)
    }

    /// A rule as JSON; `None` for a default.
    fn json(&self, index: Option<usize>) -> Option<String> {
        self.node(index).map(json_of_any)
    }
}

/// The matchers of a rule and its action, as its document has them: `onExitCodes main In 42: FailJob`.
fn description(rule: &Node) -> String {
    let others = rule.entries().iter().filter(|entry| entry.key != ACTION);
    let mut words = Vec::new();
    for entry in others {
        words.push(entry.key.clone());
        push_scalars(&entry.value, &mut words);
    }
    let action = rule.get(ACTION).and_then(Node::text);
    let action = action.map(|action| format!(": {action}")).unwrap_or_default();
    format!("{}{action}", words.join(" "))
}

/// The key of a rule's action in all systems.
const ACTION: &str = "action";

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
    let names = versions.each_ref().map(|all| all.iter().map(|it| it.name.as_str()).collect());
    let find =
        |side: usize, name: Option<&str>| versions[side].iter().find(|it| Some(&*it.name) == name);
    let pairs = pairs_by_name(names).into_iter();
    let items = pairs.map(|[old, new]| {
        let kind = S::DESCRIPTION.manifest;
        match (find(0, old), find(1, new)) {
            (Some(old), Some(new)) => compare_versions([old, new]),
            (found, _) => {
                let status = if found.is_some() { ItemStatus::Removed } else { ItemStatus::Added };
                let name = old.or(new).unwrap_or_default().to_owned();
                Ok(ComparedItem::one_sided(kind, name, status))
            }
        }
    });
    items.collect()
}

/// Differences of one kind: a rule of the new version takes the failures of others, or the same rules decide otherwise.
struct Group {
    kind: DifferenceKind,
    is_takeover: bool,
    pairs: Vec<RulePair>,
    witness: Witness,
}

impl Group {
    fn has(&self, kind: DifferenceKind, is_takeover: bool, rules: &RulePair) -> bool {
        let is_taken = || self.pairs.iter().any(|pair| pair.new == rules.new);
        self.kind == kind && self.is_takeover == is_takeover && (!is_takeover || is_taken())
    }
}

fn compare_versions<S: ManifestSystem>(versions: [&Manifest<S>; 2]) -> Result<ComparedItem> {
    let engines = versions.map(Manifest::engine);
    let engines = [&engines[0], &engines[1]];
    let comparison = compare(engines);
    let pair = |[old, new]: [Option<usize>; 2]| RulePair {
        old: versions[0].rule(old),
        new: versions[1].rule(new),
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut unknown = Vec::new();
    for difference in comparison.differences {
        let [old, new] = difference.rules;
        let is_takeover = versions[0].json(old) != versions[1].json(new);
        let rules = pair([old, new]);
        if let Some(group) =
            groups.iter_mut().find(|it| it.has(difference.kind, is_takeover, &rules))
        {
            group.pairs.push(rules);
            continue;
        }
        let replayed = replay(engines, &difference.history);
        match replayed.map_err(|findings| Refusal::findings(findings.sorted()))? {
            Some([old, new]) if old.differs(&new) => {
                let decisions = [old.decision, new.decision];
                let witness = Witness::from_history(rules.clone(), difference.history, decisions);
                let (kind, pairs) = (difference.kind, vec![rules]);
                groups.push(Group { kind, is_takeover, pairs, witness });
            }
            _ => unknown.push(Unknown::new(rules, NOT_REPLAYED)),
        }
    }
    let groups = groups.into_iter().map(|Group { kind, is_takeover, pairs, witness }| {
        DifferenceGroup::from_rules((kind, is_takeover), pairs, witness)
    });
    let no_rules = || RulePair { old: ComparedRule::default(), new: ComparedRule::default() };
    unknown.extend(comparison.undecided.into_iter().map(|it| Unknown::new(no_rules(), it)));
    let (kind, name) = (S::DESCRIPTION.manifest, versions[1].name.clone());
    Ok(ComparedItem::compared(kind, name, groups.collect(), unknown))
}
