//! Values of `--failure` that no rule can match, checked as its keys are: the decision stands, with a warning.

use crate::report::ExplanationNote;
use armada_retry::engine::{ANNOTATIONS, FAIL_FAST, Outcome};
use armada_retry::engine::{Evaluator, OF_EXPIRED_LEASES};
use armada_retry::policy::{Condition, Rule};
use document::diag::{did_you_mean, misspelling_of, typo_of};
use replay::disruption::{DISRUPTION_CONDITIONS, conditions_of_pod};
use replay::history::{RunRecord, UnreadKind, UnreadWord, UnreadWords};
use systems::armada::classifier::Executors;
use systems::job::FailureReason;

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
pub(super) fn no_fields_note(pairs: &[(String, String)]) -> Option<ExplanationNote> {
    let message = "no --failure is given: a failure of which nothing is known is decided about; write --failure KEY=VALUE";
    pairs.is_empty().then(|| ExplanationNote::warning(message.to_owned()))
}

/// The warnings on annotations that are near to one that is read, and on a `failFast` that is neither true nor false.
pub(super) fn annotation_warnings(pairs: &[(String, String)]) -> Vec<ExplanationNote> {
    let last = |name: &'static str| name.rsplit('/').next().unwrap_or(name);
    let of_pair = |(key, value): &(String, String)| {
        if ANNOTATIONS.contains(&key.as_str()) {
            let is_odd = key == FAIL_FAST && !["true", "false"].contains(&value.as_str());
            return is_odd.then(|| {
                format!("the value `{value}` of `{key}` counts as false; write `{key}=true` or `{key}=false`")
            });
        }
        let word = key.rsplit('/').next()?;
        let near = misspelling_of(word, ANNOTATIONS.map(last))?;
        let near = ANNOTATIONS.into_iter().find(|name| last(name) == near)?;
        Some(format!("annotation `{key}` is not read; did you mean `{near}`?"))
    };
    pairs.iter().filter_map(of_pair).map(ExplanationNote::warning).collect()
}

/// The warnings on conditions that no rule can match, of every system.
pub(super) fn unread_word_notes(words: &UnreadWords) -> Vec<ExplanationNote> {
    // Reasons are looked at by themselves.
    let words = words.words().into_iter().filter(|word| word.kind != UnreadKind::Reason);
    words.map(unread_word_note).collect()
}

fn unread_word_note(word: &UnreadWord) -> ExplanationNote {
    let text = &word.text;
    let instead = match word.kind {
        UnreadKind::Condition => {
            belongs(text, "condition").or_else(|| pod_condition_hint(text)).or_else(|| word.hint())
        }
        _ => word.hint(),
    };
    warning("condition", text, instead)
}

/// The warnings on a failure of Armada's, apart from its conditions. `executors` are those of the command line.
pub(super) fn run_notes(
    run: &RunRecord,
    evaluator: &Evaluator,
    executors: Option<&Executors>,
) -> Vec<ExplanationNote> {
    let own = &run.own;
    let reasons = own.containers.iter().filter_map(|container| reason_note(&container.reason));
    let rules = || evaluator.rule_ids().filter_map(|id| evaluator.rule_body(id));
    let assigned = executors.map(Executors::names).unwrap_or_default();
    let (categories, subcategories): (Vec<&str>, Vec<&str>) =
        assigned.into_iter().chain([OF_EXPIRED_LEASES]).unzip();
    let list = |of: fn(&Rule) -> &[String], more: Vec<&'_ str>| -> Vec<String> {
        let names = rules().flat_map(of).cloned();
        names.chain(more.into_iter().map(str::to_owned)).collect()
    };
    let fields = [
        ("category", &own.category, list(|rule| &rule.categories, categories)),
        ("subcategory", &own.subcategory, list(|rule| &rule.subcategories, subcategories)),
    ];
    let listed = fields
        .into_iter()
        .filter_map(|(key, value, known)| unlisted_value_note(key, value, &known));
    reasons.chain(listed).collect()
}

/// The warning on the reason of a container. Programs may give any: only those that are like a known word are probably
/// meant to be that.
fn reason_note(reason: &str) -> Option<ExplanationNote> {
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
fn unlisted_value_note(key: &str, value: &str, known: &[String]) -> Option<ExplanationNote> {
    if value.is_empty() || known.iter().any(|name| name == value) {
        return None;
    }
    let known = known.iter().map(String::as_str);
    let instead = belongs(value, key).or_else(|| did_you_mean(value, known).map(suggestion));
    Some(with_hint(format!("no rule names the {key} `{value}`"), instead))
}

/// The warnings on values of other systems: on a reason with which no Job fails, on values that are one edit away from one
/// that a rule names, and on reasons of containers that a Job knows as a condition of the pod. `listed` are the values
/// that rules name, by key.
pub(super) fn unlisted_value_notes(
    pairs: &[(String, String)],
    listed: impl Fn(&str) -> Vec<String>,
) -> Vec<ExplanationNote> {
    let note = |(key, value): &(String, String)| {
        // The names of lists are keys too.
        let key = match key.as_str() {
            "podConditions" => "podCondition",
            "exceptions" => "exception",
            key => key,
        };
        let value = value.split_once('=').map_or(value.as_str(), |(name, _)| name);
        let known = listed(key);
        match key {
            "failureReason" => failure_reason_note(value, &known),
            "reason" if DISRUPTION_CONDITIONS.iter().any(|one| one.as_str() == value) => {
                let message =
                    "the rules of a Job compare no reasons; write podCondition=DisruptionTarget";
                Some(ExplanationNote::warning(message.to_owned()))
            }
            _ if known.iter().any(|name| name == value) => None,
            _ => typo_of(value, known.iter().map(String::as_str)).map(|near| {
                let message = format!("no rule names the {key} `{value}`; did you mean `{near}`?");
                ExplanationNote::warning(message)
            }),
        }
    };
    pairs.iter().filter_map(note).collect()
}

/// The warning on an exit code that no rule matches, of every system with containers. Beside a container that failed, one
/// that succeeded is usual.
pub(super) fn exit_code_note(pairs: &[(String, String)]) -> Option<ExplanationNote> {
    let mut codes = pairs.iter().filter(|(key, _)| key == "exitCode").peekable();
    codes.peek()?;
    let is_success = codes.all(|(_, code)| code.parse() == Ok(0));
    let message = "exit code 0 is a success; no rule matches it";
    is_success.then(|| ExplanationNote::warning(message.to_owned()))
}

/// The warning that the failure lacks the category that every rule compares.
pub(super) fn no_category_note(run: &RunRecord, evaluator: &Evaluator) -> Option<ExplanationNote> {
    let mut rules = evaluator.rule_ids().filter_map(|id| evaluator.rule_body(id)).peekable();
    rules.peek()?;
    // An expired lease has a category of its own.
    let is_without = run.own.category.is_empty() && run.own.outcome != Outcome::LeaseExpired;
    (is_without && rules.all(|rule| !rule.categories.is_empty())).then(|| {
        let message = "every rule compares the category, and the failure has none, so that no rule can match; \
                       write category=NAME, or give --executor-config";
        ExplanationNote::warning(message.to_owned())
    })
}

/// The warning on the reason of a JobSet's failed Job that neither Kubernetes nor the rules have.
fn failure_reason_note(value: &str, listed: &[String]) -> Option<ExplanationNote> {
    let known = FailureReason::ALL.map(FailureReason::as_str);
    let mut all = listed.iter().map(String::as_str).chain(known);
    if all.clone().any(|name| name == value) {
        return None;
    }
    let near = did_you_mean(value, &mut all).map(suggestion);
    // A rule without reasons matches any.
    Some(with_hint(format!("no Job fails with the reason `{value}`"), near))
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

/// The conditions of runs whose pod has this condition.
fn pod_condition_hint(condition: &str) -> Option<String> {
    let names: Vec<&str> = conditions_of_pod(condition).iter().map(|one| one.as_str()).collect();
    let is_of_pod = !names.is_empty();
    is_of_pod.then(|| {
        let names = names.join(" or ");
        format!("runs whose pod has it have the condition {names}, as its reason determines")
    })
}

fn suggestion(near: &str) -> String {
    format!("did you mean `{near}`?")
}

fn warning(key: &str, value: &str, instead: Option<String>) -> ExplanationNote {
    with_hint(format!("no rule can match the {key} `{value}`"), instead)
}

/// A warning with what to write instead, if that is known.
fn with_hint(message: String, instead: Option<String>) -> ExplanationNote {
    let instead = instead.map(|instead| format!("; {instead}")).unwrap_or_default();
    ExplanationNote::warning(message + &instead)
}
