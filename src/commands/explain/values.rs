//! Values of `--failure` that no rule can match, checked as its keys are: the decision stands, with a warning.

use crate::diag::did_you_mean;
use crate::engine::Evaluator;
use crate::history::{Outcome, RunRecord, UnreadKind, UnreadWord, UnreadWords};
use crate::policy::{Condition, Rule};
use crate::report::ExplanationNote;
use crate::systems::armada::classifier::Executors;
use crate::systems::job::FailureReason;

/// The category that Armada gives expired leases.
const INTERNAL: (&str, &str) = ("internal", "lease-expired");

/// Reasons of containers that Kubernetes and its runtimes give, of which a rule compares `OOMKilled`.
const REASONS: [&str; 7] = [
    "OOMKilled",
    "Error",
    "Completed",
    "ContainerCannotRun",
    "ContainerStatusUnknown",
    "StartError",
    "Unknown",
];

/// The note that no part of the failure is given; none if one is.
pub(super) fn of_nothing(pairs: &[(String, String)]) -> Option<ExplanationNote> {
    let message = "no --failure is given: a failure of which nothing is known is decided about; write --failure KEY=VALUE";
    pairs.is_empty().then(|| ExplanationNote::warning(message.to_owned()))
}

/// The warnings on conditions that no rule can match, of every system.
pub(super) fn of_words(words: &UnreadWords) -> Vec<ExplanationNote> {
    // Reasons are looked at by themselves.
    let words = words.words().into_iter().filter(|word| word.kind != UnreadKind::Reason);
    words.map(of_word).collect()
}

fn of_word(word: &UnreadWord) -> ExplanationNote {
    let text = &word.text;
    let instead = match word.kind {
        UnreadKind::Condition => belongs(text, "condition").or_else(|| word.hint()),
        _ => word.hint(),
    };
    warning("condition", text, instead)
}

/// The warnings on a failure of Armada's, apart from its conditions. `executors` are those of the command line.
pub(super) fn of_run(
    run: &RunRecord,
    evaluator: &Evaluator,
    executors: Option<&Executors>,
) -> Vec<ExplanationNote> {
    let own = &run.own;
    let reasons = own.containers.iter().filter_map(|container| of_reason(&container.reason));
    let rules = || evaluator.rule_ids().filter_map(|id| evaluator.rule_body(id));
    let assigned = executors.map(Executors::names).unwrap_or_default();
    let (categories, subcategories): (Vec<&str>, Vec<&str>) =
        assigned.into_iter().chain([INTERNAL]).unzip();
    let list = |of: fn(&Rule) -> &[String], more: Vec<&'_ str>| -> Vec<String> {
        let names = rules().flat_map(of).cloned();
        names.chain(more.into_iter().map(str::to_owned)).collect()
    };
    let fields = [
        ("category", &own.category, list(|rule| &rule.categories, categories)),
        ("subcategory", &own.subcategory, list(|rule| &rule.subcategories, subcategories)),
    ];
    let listed = fields.into_iter().filter_map(|(key, value, known)| of_listed(key, value, &known));
    reasons.chain(listed).collect()
}

/// The warning on the reason of a container. Programs may give any: only those that are like a known word are probably
/// meant to be that.
fn of_reason(reason: &str) -> Option<ExplanationNote> {
    if reason.is_empty() || REASONS.contains(&reason) {
        return None;
    }
    let instead = belongs(reason, "reason").or_else(|| {
        let conditions = Condition::ALL.map(Condition::as_str);
        did_you_mean(reason, REASONS.into_iter().chain(conditions)).map(suggestion)
    });
    Some(warning("reason", reason, instead))
}

/// The warning on a category or subcategory that neither the policies nor the executors name.
fn of_listed(key: &str, value: &str, known: &[String]) -> Option<ExplanationNote> {
    if value.is_empty() || known.iter().any(|name| name == value) {
        return None;
    }
    let known = known.iter().map(String::as_str);
    let instead = belongs(value, key).or_else(|| did_you_mean(value, known).map(suggestion));
    Some(warning(key, value, instead))
}

/// The warning on the reason of a JobSet's failed Job that neither Kubernetes nor the rules have.
pub(super) fn of_failure_reason(
    pairs: &[(String, String)],
    listed: &[String],
) -> Option<ExplanationNote> {
    let (_, value) = pairs.iter().find(|(key, _)| key == "failureReason")?;
    let known = FailureReason::ALL.map(FailureReason::as_str);
    let mut all = listed.iter().map(String::as_str).chain(known);
    if all.clone().any(|name| name == value) {
        return None;
    }
    let near = did_you_mean(value, &mut all).map(suggestion);
    let instead = near.map(|near| format!("; {near}")).unwrap_or_default();
    // A rule without reasons matches any.
    Some(ExplanationNote::warning(format!("no Job fails with the reason `{value}`{instead}")))
}

/// The key that a value of another key is one of.
fn belongs(value: &str, key: &str) -> Option<String> {
    let (what, other) = if Condition::from_name(value).is_some() {
        ("a condition", "condition")
    } else if REASONS.contains(&value) {
        ("the reason of a container", "reason")
    } else if Outcome::from_name(value).is_some() {
        ("an outcome", "outcome")
    } else {
        return None;
    };
    (other != key).then(|| format!("`{value}` is {what}: write {other}={value}"))
}

fn suggestion(near: &str) -> String {
    format!("did you mean `{near}`?")
}

fn warning(key: &str, value: &str, instead: Option<String>) -> ExplanationNote {
    let instead = instead.map(|instead| format!("; {instead}")).unwrap_or_default();
    ExplanationNote::warning(format!("no rule can match the {key} `{value}`{instead}"))
}
