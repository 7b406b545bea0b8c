//! The differences of a manifest in groups of one cause.

use super::manifests::Manifest;
use super::witness::NOT_REPLAYED;
use crate::cli::Refusal;
use crate::report::{ComparedItem, ComparedRule, DifferenceGroup, RulePair, Unknown, Witness};
use anyhow::Result;
use armada_retry::engine::compare::DifferenceKind;
use document::json_of_any;
use systems::ManifestSystem;
use systems::compare::{changed_limits, compare, replay};

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

/// Compares two versions of a manifest. Each difference is replayed.
pub(super) fn compare_versions<S: ManifestSystem>(
    versions: [&Manifest<S>; 2],
) -> Result<ComparedItem> {
    let (kind, name) = (S::DESCRIPTION.manifest, versions[1].name.clone());
    let [before, after] = versions.map(|version| json_of_any(&version.document().root));
    if before == after {
        return Ok(ComparedItem::compared(kind, name, Vec::new(), Vec::new()));
    }
    let engines = versions.map(Manifest::engine);
    let engines = [&engines[0], &engines[1]];
    let comparison = compare(engines);
    let changed = changed_limits(engines);
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
        // By another limit a set decides where its Job did before.
        let [one, other] = [&old, &new].map(|it| it.decision.system.text("level"));
        let is_of_limits = one != other && !changed.is_empty();
        let is_takeover = !is_of_limits
            && versions[0].matchers(&old.decision) != versions[1].matchers(&new.decision);
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
    let groups = groups.into_iter().map(|Group { cause, pairs, witness }| {
        DifferenceGroup::from_rules(cause, pairs, witness, &changed)
    });
    unknown.extend(comparison.undecided.into_iter().map(|it| Unknown::new(no_rules(), it)));
    Ok(ComparedItem::compared(kind, name, groups.collect(), unknown))
}
