//! The findings of the audit: what executors report beside what policies match.

use super::assigned::{Assigned, NeverSeen};
use super::names::{AcceptingRules, Known, MAX_SIMILAR, Names};
use super::reach::Certainty;
use crate::armada::classifier::internal::INTERNAL;
use armada_retry::policy::{Action, Form, PolicyDocument, Rule};
use document::Node;
use document::diag::{Code, Diagnostic, Place};
use std::collections::BTreeMap;

/// Limit of places in one finding.
const MAX_PLACES: usize = 3;

/// Warnings about rules of configurations that name no failure that a policy decides.
pub(super) fn check_rules(assigned: &[Assigned<'_>]) -> Vec<Diagnostic> {
    assigned.iter().filter_map(check_rule).collect()
}

fn check_rule(assigned: &Assigned<'_>) -> Option<Diagnostic> {
    let (why, place) = (assigned.never?, assigned.place?.clone());
    let name = pair(assigned.category, assigned.subcategory);
    let message = format!("no policy sees a failure with {name} from this rule");
    let finding = Diagnostic::warning(Code::NeverReported, place, message);
    Some(match why {
        NeverSeen::MatchesNothing => {
            finding.help("it matches no failure; correct its matcher, or remove it")
        }
        NeverSeen::Unread => finding.help(
            "only the pass that deletes pods reads this; set `action: Delete` on the category",
        ),
        NeverSeen::CoveredBy(earlier) => finding
            .also(earlier.clone(), "this rule matches all its failures first")
            .help("move the rule up, or remove it"),
        NeverSeen::CoveredByAll => finding.help(
            "`failedPodChecks` or earlier rules together match all its failures first; move the rule up, or remove it",
        ),
    })
}

/// Warnings about policies beside what executors report.
pub(super) fn check_policies(
    assigned: &[Assigned<'_>],
    policies: &[PolicyDocument],
) -> Vec<Diagnostic> {
    let names = Names::new(assigned);
    let mut findings: Vec<Diagnostic> =
        policies.iter().flat_map(|policy| unreported(&names, policy)).collect();
    findings.extend(unhandled(assigned, policies));
    findings.extend(policies.iter().flat_map(|policy| kept_pods(assigned, policy)));
    findings
}

/// A category and subcategory, as text.
fn pair(category: &str, subcategory: &str) -> String {
    match (category, subcategory) {
        ("", _) => "no category".to_owned(),
        (_, "") => format!("category `{category}`"),
        _ => format!("category `{category}`, subcategory `{subcategory}`"),
    }
}

/// The rules of a policy, with their nodes.
fn rules(policy: &PolicyDocument) -> impl Iterator<Item = (&Rule, &Node)> {
    let root = &policy.document.root;
    let nodes = root.at(&["spec", "rules"]).or_else(|| root.get("rules"));
    policy.policy.rules.iter().zip(nodes.map(Node::items).unwrap_or_default())
}

/// The values of a rule's list of categories or subcategories, with their places.
fn values<'p>(
    policy: &'p PolicyDocument,
    node: &'p Node,
    fields: [&str; 2],
) -> impl Iterator<Item = (&'p str, Place)> {
    let field = fields.into_iter().find_map(|field| node.get(field));
    let items = field.into_iter().flat_map(|field| match field.items() {
        [] => std::slice::from_ref(field),
        items => items,
    });
    items.filter_map(|item| Some((item.text()?, policy.document.place(item.span))))
}

/// Warnings about subcategories of `internal` of a policy's rules that nothing reports to policies.
pub(super) fn unreported_internal(
    assigned: &[Assigned<'_>],
    policy: &PolicyDocument,
) -> Vec<Diagnostic> {
    let names = Names::new(assigned);
    let mut findings = Vec::new();
    for (rule, node) in rules(policy).filter(|(rule, _)| rule.categories == [INTERNAL]) {
        for (name, place) in values(policy, node, ["onSubcategory", "onFailureSubcategory"]) {
            let is_reported = assigned.iter().any(|it| it.subcategory == name);
            if !is_reported && !rule.subcategories.is_empty() {
                findings.push(no_subcategory(&names, &[INTERNAL], name, place));
            }
        }
    }
    findings
}

/// Warnings about categories of a policy's rules that no executor reports.
fn unreported(names: &Names<'_>, policy: &PolicyDocument) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (rule, node) in rules(policy) {
        let (reported, others): (Vec<_>, Vec<_>) =
            values(policy, node, ["onCategory", "onFailureCategory"])
                .partition(|(category, _)| names.are_reported(category, None));
        findings.extend(
            others.into_iter().map(|(category, place)| no_category(names, category, place)),
        );
        if reported.is_empty() || rule.subcategories.is_empty() {
            continue;
        }
        for (subcategory, place) in values(policy, node, ["onSubcategory", "onFailureSubcategory"])
        {
            let mut categories = reported.iter().map(|(category, _)| *category);
            if !categories.clone().any(|it| names.are_reported(it, Some(subcategory))) {
                let categories: Vec<&str> = categories.by_ref().collect();
                findings.push(no_subcategory(names, &categories, subcategory, place));
            }
        }
    }
    findings
}

fn no_category(names: &Names<'_>, category: &str, place: Place) -> Diagnostic {
    let message = format!("no executor reports category `{category}`");
    let finding = Diagnostic::warning(Code::NeverReported, place, message);
    let finding = with_assigning_places(finding, names.assigned_to(category).iter().copied());
    finding.maybe_help(names.categories.near(category))
}

fn no_subcategory(
    names: &Names<'_>,
    categories: &[&str],
    subcategory: &str,
    place: Place,
) -> Diagnostic {
    let category = categories.join("`, `");
    let subject = if categories == [INTERNAL] { "policy sees" } else { "executor reports" };
    let message = format!("no {subject} subcategory `{subcategory}` of `{category}`");
    let finding = Diagnostic::warning(Code::NeverReported, place, message);
    // The first category is enough of an example.
    let of_category = || categories.iter().flat_map(|it| names.assigned_to(it)).take(MAX_SIMILAR);
    let same = of_category().copied().filter(|it| it.subcategory == subcategory);
    let finding = with_assigning_places(finding, same);
    let known = of_category().map(|it| it.subcategory).filter(|name| !name.is_empty());
    let of_internal = match subcategory {
        _ if !categories.contains(&INTERNAL) => None,
        "max-runs-exceeded" | "job-rejected" => {
            Some("Armada assigns it after the decision of the policies")
        }
        "node-failure" => Some(
            "nothing assigns it; a lost node ends in `lease-expired`, `pod-missing` or `stuck-terminating`",
        ),
        _ => None,
    };
    finding
        .maybe_help(of_internal.map(str::to_owned).or_else(|| Known::new(known).near(subcategory)))
}

/// Labels the rules that assign a name which is never reported.
fn with_assigning_places<'a>(
    mut finding: Diagnostic,
    assigned: impl Iterator<Item = &'a Assigned<'a>>,
) -> Diagnostic {
    for place in assigned.filter_map(|it| it.place).take(MAX_PLACES) {
        finding = finding.also(place.clone(), "no failure that policies decide is named by this");
    }
    finding
}

/// Warnings about reported categories that no rule of a policy handles.
fn unhandled(assigned: &[Assigned<'_>], policies: &[PolicyDocument]) -> Vec<Diagnostic> {
    let Some(first) = policies.first() else { return Vec::new() };
    let rules = policies.iter().flat_map(|policy| &policy.policy.rules);
    let rules = AcceptingRules::new(rules);
    let is_handled = |it: &Assigned<'_>| rules.first(it).is_some();
    let mut by_category: BTreeMap<&str, Vec<&Assigned<'_>>> = BTreeMap::new();
    for it in assigned {
        let is_reported = it.reached.any() == Certainty::Exists;
        if is_reported && !it.category.is_empty() && !is_handled(it) {
            by_category.entry(it.category).or_default().push(it);
        }
    }
    let finding = |(category, all): (&&str, &Vec<&Assigned<'_>>)| {
        let place = all.iter().find_map(|it| it.place).cloned();
        let of_policy = default_place(first);
        let mut names: Vec<&str> = all.iter().map(|it| it.subcategory).collect();
        names.sort_unstable();
        names.dedup();
        let names: Vec<String> = names
            .iter()
            .map(|name| match *name {
                "" => "no subcategory".to_owned(),
                name => format!("`{name}`"),
            })
            .collect();
        let is_plain = names == ["no subcategory"];
        let with = if is_plain { String::new() } else { format!(" with {}", names.join(", ")) };
        let by = if place.is_none() { "Armada reports" } else { "failures get" };
        let message =
            format!("{by} category `{category}`{with}, and no rule of a policy matches it");
        let has_place = place.is_some();
        let place = place.unwrap_or_else(|| of_policy.clone());
        let mut finding = Diagnostic::warning(Code::NotHandled, place, message);
        if has_place {
            finding = finding.also(of_policy, "the default action decides");
        }
        finding.help("add a rule for it, so that the decision is explicit")
    };
    by_category.iter().map(finding).collect()
}

/// The place of a policy's default action, or of its document.
fn default_place(policy: &PolicyDocument) -> Place {
    let root = &policy.document.root;
    let field = root.at(&["spec", "defaultAction"]).or_else(|| root.get("defaultAction"));
    let name = || root.at(&["metadata", "name"]).or_else(|| root.get("name"));
    policy.document.place(field.or_else(name).unwrap_or(root).span)
}

/// Warnings about retries of pods that stay. Only `v1beta1` gives the pods of all runs of a job one name (semantics.md,
/// section 1).
fn kept_pods(assigned: &[Assigned<'_>], policy: &PolicyDocument) -> Vec<Diagnostic> {
    if policy.policy.form != Form::V1beta1 {
        return Vec::new();
    }
    let limit = policy.policy.limit();
    let grants = |action, own: Option<u32>| action == Action::Retry && own.or(limit) != Some(0);
    let is_kept = |it: &&Assigned<'_>| it.reached.kept == Certainty::Exists;
    let mut findings = Vec::new();
    let all: Vec<(&Rule, &Node)> = rules(policy).collect();
    let accepting = AcceptingRules::new(all.iter().map(|(rule, _)| *rule));
    // The failures of each rule, and last those that none accepts.
    let mut by_rule: Vec<Vec<&Assigned<'_>>> = vec![Vec::new(); all.len() + 1];
    for it in assigned.iter().filter(is_kept) {
        by_rule[accepting.first(it).unwrap_or(all.len())].push(it);
    }
    for ((rule, node), kept) in all.iter().zip(&by_rule) {
        if grants(rule.action, rule.retry_limit) {
            let place = policy.document.place(node.get("action").unwrap_or(node).span);
            findings.extend(kept_pod(place, kept));
        }
    }
    if let Some(kept) = by_rule.last()
        && grants(policy.policy.default_action(), None)
    {
        findings.extend(kept_pod(default_place(policy), kept));
    }
    findings
}

/// A warning about a retry for which the pods of these failures stay; `None` if there are none.
fn kept_pod(place: Place, kept: &[&Assigned<'_>]) -> Option<Diagnostic> {
    let first = kept.first()?;
    let name = pair(first.category, first.subcategory);
    let message = match kept.len() {
        1 => format!("the pod of a failure with {name} stays, and a retry has the same pod name"),
        more => {
            let more = more - 1;
            format!(
                "the pods of failures with {name}, and of {more} more, stay, and a retry has the same pod name"
            )
        }
    };
    let mut finding = Diagnostic::warning(Code::RetryOfKeptPod, place, message);
    for it in kept.iter().take(MAX_PLACES) {
        let Some(place) = it.place else { continue };
        let text = match (it.config, it.kept_by) {
            (None, _) => "the default never deletes the pod",
            (Some(_), Some(_)) => "reported by the second pass, which keeps the pod",
            (Some(_), None) => "this category keeps the pod",
        };
        finding = finding.also(place.clone(), label(text, it.cluster));
        if let Some(kept_by) = it.kept_by {
            finding =
                finding.also(kept_by.clone(), "this rule ends the first pass, which deletes pods");
        }
    }
    Some(finding.help(if kept.iter().any(|it| it.config.is_none()) {
        "add a category with `action: Delete` for failures that are retried"
    } else if kept.iter().any(|it| it.kept_by.is_none()) {
        "set `action: Delete` on the category"
    } else {
        "move the rule of the category that keeps pods behind this one, or remove it"
    }))
}

/// A label, with the cluster if it has a name.
fn label(text: &str, cluster: Option<&str>) -> String {
    match cluster {
        Some(cluster) => format!("in cluster {cluster}: {text}"),
        None => text.to_owned(),
    }
}
