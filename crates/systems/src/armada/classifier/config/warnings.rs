//! Values that an executor accepts at startup without the effect that its author probably meant.

use super::decode::UnusedKey;
use super::known_keys;
use super::model::{CategoryConfig, ErrorCategories, ExecutorConfig, RuleConfig, Text};
use crate::armada::classifier::internal::INTERNAL;
use document::diag::{Code, Diagnostic, Place, Source, did_you_mean};
use std::sync::Arc;

/// Warnings about keys that the executor ignores with a line in its log.
pub(super) fn warn_unused_keys(keys: &[UnusedKey]) -> Vec<Diagnostic> {
    keys.iter()
        .map(|unused| {
            let message = format!("the executor ignores the key `{}`", unused.written);
            Diagnostic::warning(Code::UnknownField, unused.place.clone(), message)
                .maybe_help(help_of_unused(unused))
        })
        .collect()
}

/// Returns the replacement of an unused key. Keys are in lower case.
fn help_of_unused(unused: &UnusedKey) -> Option<String> {
    if let Some(help) = known_keys::help(unused) {
        return Some(help);
    }
    let parent = unused.parent.rsplit('.').next().unwrap_or_default();
    let parent = parent.split('[').next().unwrap_or_default();
    let matches_all = "without it the rule matches every text that is not empty";
    let help = match (parent, unused.key.as_str()) {
        ("OnTerminationMessage" | "OnPodError", "regexp") => {
            format!("the field is `pattern`; {matches_all}")
        }
        ("OnPodEvents", "pattern") => format!("the field is `regexp`; {matches_all}"),
        ("Categories", "subcategory" | "hint") => "it is a field of rules".to_owned(),
        ("Rules", "action") => "it is a field of categories".to_owned(),
        ("FailedPodChecks", "podevents") => "the field is `events`".to_owned(),
        ("FailedPodChecks", "failedcontainerstatuses") => {
            "the field is `containerStatuses`".to_owned()
        }
        _ => {
            let fields: &[&str] = match parent {
                "ErrorCategories" => {
                    &["enabled", "defaultCategory", "defaultSubcategory", "categories"]
                }
                "Categories" => &["name", "rules", "action"],
                "Rules" => &[
                    "containerName",
                    "onExitCodes",
                    "onTerminationMessage",
                    "onPodError",
                    "onPodEvents",
                    "onConditions",
                    "subcategory",
                    "hint",
                ],
                "OnExitCodes" => &["operator", "values"],
                "OnTerminationMessage" | "OnPodError" => &["pattern"],
                "OnPodEvents" | "Events" => &["regexp", "reason", "type"],
                "FailedPodChecks" => &["events", "podStatuses", "containerStatuses"],
                _ => &[],
            };
            let word = unused.key.replace('_', "");
            let same = fields.iter().find(|field| field.eq_ignore_ascii_case(&word));
            let near = same.copied().or_else(|| did_you_mean(&unused.key, fields.iter().copied()));
            format!("did you mean `{}`?", near?)
        }
    };
    Some(help)
}

/// Warnings about lists of one file that a later file replaces. `sources` are the files of the operator: it is usual
/// that they replace lists of the executor's own configuration.
pub(super) fn warn_replaced_lists(
    lists: &[(Place, Place)],
    sources: &[Arc<Source>],
) -> Vec<Diagnostic> {
    let is_of_operator =
        |place: &Place| sources.iter().any(|source| Arc::ptr_eq(source, &place.source));
    lists
        .iter()
        .filter(|(first, _)| is_of_operator(first))
        .map(|(first, second)| {
            let message = "this list replaces that of an earlier file; lists are not merged";
            Diagnostic::warning(Code::Misleading, second.clone(), message)
                .also(first.clone(), "replaced")
                .help("write all of its items in one file")
        })
        .collect()
}

/// Warnings about values that are accepted.
pub(super) fn warn_values(config: &ExecutorConfig) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    warn_categories(&config.categories, &mut warnings);
    warnings
}

/// The warning about categories that are off. It is not among the findings of [`super::read()`], since a
/// conversion turns them on.
pub fn disabled_warning(config: &ErrorCategories) -> Option<Diagnostic> {
    if config.enabled {
        return None;
    }
    let message = "classification is off, so that no failure has a category";
    let warning = Diagnostic::warning(Code::Misleading, config.place.clone(), message);
    Some(warning.help("set `application.errorCategories.enabled: true`"))
}

fn warn_categories(config: &ErrorCategories, warnings: &mut Vec<Diagnostic>) {
    let mut warn = |place: &Place, message: String, help: &str| {
        let warning = Diagnostic::warning(Code::Misleading, place.clone(), message);
        warnings.push(warning.help(help));
    };
    if config.default_category.is_empty() && !config.default_subcategory.is_empty() {
        let message = "`defaultSubcategory` without `defaultCategory`: no policy rule matches it";
        warn(&config.default_subcategory.place, message.to_owned(), "set `defaultCategory` too");
    }
    let names = config.categories.iter().map(|category| &category.name);
    for name in names.chain([&config.default_category]).filter(|name| name.text == INTERNAL) {
        let message = "Armada reports its own failures in the category `internal`".to_owned();
        warn(&name.place, message, "choose another name, so that rules can tell them apart");
    }
    for category in &config.categories {
        warn_category(category, &mut warn);
    }
}

fn warn_category(category: &CategoryConfig, warn: &mut impl FnMut(&Place, String, &str)) {
    for rule in &category.rules {
        let patterns = [
            ("onTerminationMessage.pattern", rule.termination_message.as_ref()),
            ("onPodError.pattern", rule.pod_error.as_ref()),
            ("onPodEvents.regexp", rule.pod_events.as_ref().map(|events| &events.regexp)),
        ];
        for (name, pattern) in patterns {
            if pattern.is_some_and(Text::is_empty) {
                let message =
                    format!("`{name}` is empty, so that every text but an empty one matches");
                warn(&rule.place, message, "write `.*` if this is meant");
            }
        }
        warn_rule(rule, warn);
    }
}

fn warn_rule(rule: &RuleConfig, warn: &mut impl FnMut(&Place, String, &str)) {
    if let Some(codes) = &rule.exit_codes
        && codes.operator.text == "In"
        && !codes.values.is_empty()
        && codes.values.iter().all(|code| *code == 0)
    {
        let message = "the rule never matches: containers with exit code 0 did not fail".to_owned();
        warn(&codes.place, message, "name the codes of failures, or write `operator: NotIn`");
    }
    let is_of_pod = rule.pod_error.is_some() || rule.pod_events.is_some();
    if is_of_pod && !rule.container_name.is_empty() {
        let message =
            "`containerName` has no effect beside `onPodError` and `onPodEvents`".to_owned();
        warn(&rule.container_name.place, message, "remove it");
    }
}
