//! Findings about rules of a `failurePolicy`, and of the Jobs' `podFailurePolicy`, that are valid and probably not what
//! their author intended.

use super::manifest::{Action, JobSet, MessagePattern, Rule};
use crate::diag::Findings;
use crate::document::{Document, Node};
use crate::pattern::{Matched, Pattern};
use crate::policy::{Coverage, coverage};
use crate::systems::job::{self, FailedJob};
use crate::systems::lint::report_shadowed;
use std::collections::BTreeSet;

/// The reason of a Job that a rule of its `podFailurePolicy` fails.
const POD_FAILURE_POLICY: &str = "PodFailurePolicy";

/// Adds the findings about a JobSet.
pub(super) fn lint(document: &Document, set: &JobSet, findings: &mut Findings) {
    let root = &document.root;
    let rules = root.at(&["spec", "failurePolicy", "rules"]).map(Node::items).unwrap_or_default();
    report_shadowed(document, rules, |number| covered(set, number), findings);
    let templates = root.at(&["spec", "replicatedJobs"]).map(Node::items).unwrap_or_default();
    for (job, node) in set.replicated_jobs.iter().zip(templates) {
        if let Some(spec) = node.at(&["template", "spec"]) {
            job::lint(document, spec, (&job.job, effect(set, &job.name)), findings);
        }
    }
}

/// The effect on the set of a Job that a rule of its `podFailurePolicy` fails.
fn effect(set: &JobSet, replicated_job: &str) -> FailedJob {
    let accepts = |list: &[Box<str>], name: &str| {
        list.is_empty() || list.iter().any(|listed| **listed == *name)
    };
    let Some(policy) = &set.failure_policy else { return FailedJob::Fails };
    let mut rules = policy.rules.iter().filter(|rule| {
        accepts(&rule.reasons, POD_FAILURE_POLICY) && accepts(&rule.targets, replicated_job)
    });
    match rules.next() {
        Some(rule) if rule.action == Action::FailJobSet => FailedJob::Fails,
        _ => FailedJob::Restarts,
    }
}

/// Whether earlier rules apply to every failed Job that a rule applies to.
fn covered(set: &JobSet, number: usize) -> Coverage {
    let rules = set.failure_policy.as_ref().map_or(&[][..], |policy| &policy.rules);
    let Some(rule) = rules.get(number) else { return Coverage::Reached };
    let earlier = &rules[..number];
    let reasons = names(&rule.reasons, earlier.iter().map(|rule| &rule.reasons));
    let targets: Vec<&str> = match rule.targets.as_slice() {
        [] => set.replicated_jobs.iter().map(|job| &*job.name).collect(),
        own => own.iter().map(AsRef::as_ref).collect(),
    };
    let patterns = patterns(rule);
    let of_earlier: Vec<Vec<(&str, Matched)>> =
        earlier.iter().map(|rule| patterns_of(&rule.patterns)).collect();
    let sizes = [reasons.len(), targets.len(), patterns.len()];
    let accepts = |list: &[Box<str>], name: Option<&str>| {
        list.is_empty() || name.is_some_and(|name| list.iter().any(|it| **it == *name))
    };
    coverage(&sizes, (0..number).collect(), |rule, dimension, choice| match dimension {
        0 => accepts(&earlier[rule].reasons, reasons[choice]),
        1 => accepts(&earlier[rule].targets, Some(targets[choice])),
        _ => {
            let own = &of_earlier[rule];
            earlier[rule].patterns.is_empty()
                || own.iter().any(|pattern| covers(pattern, patterns[choice].as_ref()))
        }
    })
}

/// The names of a rule's list; without one, a name that no rule lists and those that others list.
fn names<'r>(
    own: &'r [Box<str>],
    others: impl Iterator<Item = &'r Vec<Box<str>>>,
) -> Vec<Option<&'r str>> {
    if !own.is_empty() {
        return own.iter().map(|name| Some(&**name)).collect();
    }
    let listed: BTreeSet<&str> = others.flatten().map(AsRef::as_ref).collect();
    std::iter::once(None).chain(listed.into_iter().map(Some)).collect()
}

/// The patterns of which a rule needs one; a single `None` if it reads no message.
fn patterns(rule: &Rule) -> Vec<Option<(&str, Matched)>> {
    match rule.patterns.as_slice() {
        [] => vec![None],
        own => patterns_of(own).into_iter().map(Some).collect(),
    }
}

/// Patterns with what they match. One that Go cannot compile matches nothing, and is left out.
fn patterns_of(patterns: &[MessagePattern]) -> Vec<(&str, Matched)> {
    let matched = |text: &str| Pattern::parse(text).ok().map(|pattern| pattern.matched());
    patterns.iter().filter_map(|it| Some((it.as_str(), matched(it.as_str())?))).collect()
}

/// Whether a pattern is found in every message with another; `None` is any message.
fn covers((text, matched): &(&str, Matched), other: Option<&(&str, Matched)>) -> bool {
    match (matched, other) {
        (Matched::All, _) => true,
        (Matched::Containing(own), Some((_, Matched::Containing(other)))) => other.contains(own),
        (_, other) => other.is_some_and(|(other, _)| other == text),
    }
}
