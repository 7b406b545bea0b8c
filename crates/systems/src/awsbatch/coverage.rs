//! The rules, the default and the limit of a job definition, which tests cover, and failures that reach them.

use super::cells::Cells;
use super::manifest::shape::entries;
use super::manifest::{EvaluateOnExit, JobDefinition, RetryStrategy};
use super::report::ATTEMPTS;
use crate::{CoverageTarget, ExampleFailures, TargetKind, place_of};
use document::Document;
use serde_json::{Map, Value, json};

/// Returns the entries of `evaluateOnExit`, the retry without a match, and the limit.
pub(super) fn targets(document: &Document, definition: &JobDefinition) -> Vec<CoverageTarget> {
    let name = &definition.name;
    let strategy = document.root.get("retryStrategy");
    let nodes = entries(&document.root);
    let cells = Cells::of(&definition.strategy);
    let entry = |index: usize| {
        let shadowed = cells.covered(&definition.strategy, index).is_covered();
        CoverageTarget::new(
            name,
            Some(index),
            TargetKind::Rule,
            place_of(document, nodes.get(index)),
        )
        .unreachable_if(shadowed.then(|| "earlier rules match all of its failures".to_owned()))
    };
    let mut targets: Vec<CoverageTarget> =
        (0..definition.strategy.evaluate_on_exit.len()).map(entry).collect();
    let matched = !cells.has_unmatched(&definition.strategy);
    targets.push(
        CoverageTarget::new(name, None, TargetKind::Default, place_of(document, strategy))
            .unreachable_if(matched.then(|| "the rules match every failure".to_owned())),
    );
    let attempts = strategy.and_then(|strategy| strategy.get(ATTEMPTS));
    let value = i64::from(definition.strategy.attempts);
    let kind = TargetKind::Limit { source: ATTEMPTS, value };
    targets.push(CoverageTarget::new(name, None, kind, place_of(document, attempts.or(strategy))));
    targets
}

/// Returns failures of each entry, and one that no entry matches.
pub(super) fn examples(definition: &JobDefinition) -> Vec<ExampleFailures> {
    let strategy = &definition.strategy;
    let of_entries =
        strategy.evaluate_on_exit.iter().map(|entry| ExampleFailures::of([failure(entry)]));
    of_entries.chain([ExampleFailures::of(others(strategy))]).collect()
}

/// A failure that an entry matches: each text is the start of the pattern.
fn failure(entry: &EvaluateOnExit) -> Value {
    let mut fields = Map::new();
    let [(_, status_reason), (_, reason), (_, exit_code)] = entry.patterns();
    for (key, pattern) in [("statusReason", status_reason), ("reason", reason)] {
        if let Some(pattern) = pattern.filter(|pattern| !pattern.start.is_empty()) {
            fields.insert(key.to_owned(), json!(pattern.start));
        }
    }
    let code = exit_code.map(|pattern| if pattern.matches_all() { "1" } else { &pattern.start });
    if let Some(code) = code.and_then(|code| code.parse::<i32>().ok()) {
        fields.insert("exitCode".to_owned(), json!(code));
    }
    Value::Object(fields)
}

/// Failures of which one is likely to be matched by no entry.
fn others(strategy: &RetryStrategy) -> Vec<Value> {
    let codes = strategy.evaluate_on_exit.iter().filter_map(|entry| entry.on_exit_code.as_ref());
    let codes: Vec<_> = codes.collect();
    let free = (1..=255).find(|code: &i32| !codes.iter().any(|it| it.matches(&code.to_string())));
    free.map(|code| json!({"exitCode": code})).into_iter().chain([json!({})]).collect()
}
