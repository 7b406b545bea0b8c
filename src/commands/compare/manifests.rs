//! Two versions of the manifests of other systems than Armada.

use super::pairs_by_name;
use crate::cli::Refusal;
use crate::report::{
    ComparedItem, ComparedRule, DifferenceGroup, ItemStatus, RulePair, Unknown, Witness,
};
use anyhow::Result;
use armada_retry::engine::compare::DifferenceKind;
use armada_retry::policy::Documents;
use document::diag::Findings;
use document::{Document, Node};
use systems::compare::{compare, replay};
use systems::{GateKind, ManifestSystem, Options};

/// A manifest of one version.
struct Manifest<S: ManifestSystem> {
    name: String,
    document: Document,
    manifest: S::Manifest,
}

impl<S: ManifestSystem> Manifest<S> {
    fn read_all(documents: &Documents, findings: &mut Findings) -> Vec<Self> {
        let own = documents.others.iter().filter(|other| S::DESCRIPTION.has_document(other));
        own.filter_map(|other| Self::read(&other.document, findings)).collect()
    }

    fn read(document: &Document, findings: &mut Findings) -> Option<Self> {
        let manifest = S::read(document, &options(), findings)?;
        let name = S::DESCRIPTION.name_node(document).and_then(Node::text).unwrap_or_default();
        Some(Self { name: name.to_owned(), document: document.clone(), manifest })
    }

    fn engine(&self) -> S {
        S::engine(vec![self.manifest.clone()], &options())
    }

    /// A rule or default, with its place.
    fn rule(&self, engine: &S, index: Option<usize>) -> ComparedRule {
        let is_own = |kind: GateKind| match kind {
            GateKind::Rule => index.is_some(),
            GateKind::Default | GateKind::Whole => index.is_none(),
            GateKind::Limit { .. } => false,
        };
        let gates = S::gates(&self.document, &self.manifest);
        let own = gates.into_iter().find(|gate| gate.rule_index == index && is_own(gate.kind));
        let label = engine.rules().into_iter().find(|label| label.index == index);
        let description = label.map(|label| label.description).filter(|text| !text.is_empty());
        ComparedRule {
            policy: Some(self.name.clone()),
            rule_index: index,
            description,
            place: own.map(|gate| gate.place.to_string()),
        }
    }
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

fn compare_versions<S: ManifestSystem>(versions: [&Manifest<S>; 2]) -> Result<ComparedItem> {
    let engines = versions.map(Manifest::engine);
    let engines = [&engines[0], &engines[1]];
    let comparison = compare(engines);
    let pair = |[old, new]: [Option<usize>; 2]| RulePair {
        old: versions[0].rule(engines[0], old),
        new: versions[1].rule(engines[1], new),
    };
    let mut groups: Vec<(DifferenceKind, bool, Vec<RulePair>, Witness)> = Vec::new();
    let mut unknown = Vec::new();
    for difference in comparison.differences {
        let (kind, [old, new]) = (difference.kind, difference.rules);
        let is_takeover = old != new;
        let rules = pair([old, new]);
        let is_known = |it: &&mut (DifferenceKind, bool, Vec<RulePair>, Witness)| {
            let same_rule = !is_takeover || it.2.iter().any(|other| other.new == rules.new);
            it.0 == kind && it.1 == is_takeover && same_rule
        };
        if let Some((.., pairs, _)) = groups.iter_mut().find(is_known) {
            pairs.push(rules);
            continue;
        }
        let replayed = replay(engines, &difference.history);
        match replayed.map_err(|findings| Refusal::findings(findings.sorted()))? {
            Some([old, new]) if old.differs(&new) => {
                let decisions = [old.decision, new.decision];
                let witness = Witness::of_history(rules.clone(), difference.history, decisions);
                groups.push((kind, is_takeover, vec![rules], witness));
            }
            _ => unknown.push(Unknown::new(rules, super::NOT_REPLAYED)),
        }
    }
    let groups = groups
        .into_iter()
        .map(|(kind, _, pairs, witness)| DifferenceGroup::of_rules(kind, pairs, witness));
    let no_rules = || RulePair { old: ComparedRule::default(), new: ComparedRule::default() };
    unknown.extend(comparison.undecided.into_iter().map(|it| Unknown::new(no_rules(), it)));
    let (kind, name) = (S::DESCRIPTION.manifest, versions[1].name.clone());
    Ok(ComparedItem::compared(kind, name, groups.collect(), unknown))
}
