//! Tests of failures that two versions of policies decide otherwise.

use super::run::CheckedDecision;
use super::scaffold::{ReadCase, ScaffoldedTest, Scaffolding, decide, expectation, grouped, whole};
use serde_json::{Map, Value};
use std::collections::HashMap;
use systems::System;

/// Failures of one unit, of which two versions decide the last one otherwise.
#[derive(Debug)]
pub struct PinnedFailures {
    /// The difference, as the name of a test.
    pub name: String,
    /// Lines of comment above the test.
    pub comments: Vec<String>,
    /// The failures, as fields of the test document.
    pub failures: Vec<Value>,
}

/// The fields of a decision that have a consequence for the unit.
const EFFECTS: [&str; 5] = ["action", "delaySeconds", "avoidNodes", "memoryBytes", "nextPodName"];

/// The fields that name the consequence for the unit where the action of a rule is the same.
const CODES: [&str; 3] = ["decision", "level", "retryAfter"];

/// Makes tests that hold under the second of two engines, and of which each fails under the first: they expect the last
/// decision about their failures, and the one before it. Failures that the engines decide alike have no test.
pub fn pinned_tests<S: System>(
    engines: [&S; 2],
    read: &ReadCase<'_, S::Fields>,
    all: impl IntoIterator<Item = PinnedFailures>,
) -> Scaffolding {
    let tests = all.into_iter().filter_map(|it| pinned_test(engines, read, it));
    let mut scaffolding = Scaffolding { tests: tests.collect(), ..Scaffolding::default() };
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for test in &mut scaffolding.tests {
        let number = numbers.entry(test.name.clone()).or_default();
        *number += 1;
        if *number > 1 {
            test.name = format!("{} ({number})", test.name);
        }
    }
    scaffolding
}

fn pinned_test<S: System>(
    engines: [&S; 2],
    read: &ReadCase<'_, S::Fields>,
    PinnedFailures { name, comments, mut failures }: PinnedFailures,
) -> Option<ScaffoldedTest> {
    let (mut decided, mut pinned) = pin(engines, read, &failures)?;
    for simplify in SIMPLIFICATIONS {
        let simple: Vec<Value> = failures.iter().map(simplify).collect();
        if simple == failures {
            continue;
        }
        if let Some((others, same)) = pin(engines, read, &simple).filter(|(_, it)| *it == pinned) {
            (failures, decided, pinned) = (simple, others, same);
        }
    }
    let last_two = &decided[decided.len().saturating_sub(2)..];
    let mut expectations: Vec<Map<String, Value>> = last_two.iter().map(expectation).collect();
    expectations.last_mut()?.extend(pinned.into_iter().map(|(field, [_, new])| (field, new)));
    Some(ScaffoldedTest {
        name,
        failures: grouped(&failures.iter().collect::<Vec<_>>()),
        expectations: expectations.into_iter().map(Value::Object).collect(),
        job: Value::Null,
        comments,
    })
}

/// The effects of the last decisions that differ, each with both values.
type Pinned = Vec<(String, [Value; 2])>;

/// The decisions of the second engine, and the difference of the last one from that of the first; `None` if there is none, or
/// if the second engine does not decide about the last failure. The first one need not: then the run goes on.
fn pin<S: System>(
    engines: [&S; 2],
    read: &ReadCase<'_, S::Fields>,
    failures: &[Value],
) -> Option<(Vec<CheckedDecision>, Pinned)> {
    let [old, new] = engines.map(|engine| decide(engine, read, failures));
    let last = |decided: &[CheckedDecision]| {
        let last = decided.last().filter(|it| it.attempt == failures.len())?;
        serde_json::to_value(&last.report).ok()
    };
    let (before, after) = (last(&old).unwrap_or_default(), last(&new)?);
    let both = |field: &&str| ((*field).to_owned(), [&before, &after].map(|it| whole(&it[*field])));
    let differing = |fields: &[&str]| -> Pinned {
        fields.iter().map(both).filter(|(_, [old, new])| old != new).collect()
    };
    let mut pinned = differing(&EFFECTS);
    // The other effects follow from the action.
    if before["action"] != after["action"] {
        pinned.truncate(1);
    }
    if pinned.is_empty() {
        pinned = differing(&CODES);
    }
    (!pinned.is_empty()).then_some((new, pinned))
}

/// The changes that shorten a failure. Each is applied if the decisions still differ as before.
const SIMPLIFICATIONS: [fn(&Value) -> Value; 7] = [
    without_times,
    without_unit,
    without_job,
    without_node,
    without_resources,
    without_default_outcome,
    with_main_in_short,
];

/// The failure without its times, unless a wait is counted from its end.
fn without_times(failure: &Value) -> Value {
    if failure.get("terminationConfirmedAt").is_some() {
        return failure.clone();
    }
    without(failure, &["startedAt", "finishedAt"])
}

fn without_unit(failure: &Value) -> Value {
    without(failure, &["jobId"])
}

/// The failure without the Job of its set: tests take the only one.
fn without_job(failure: &Value) -> Value {
    without(failure, &["jobName", "replicatedJob", "jobIndex"])
}

fn without_node(failure: &Value) -> Value {
    without(failure, &["node"])
}

fn without_resources(failure: &Value) -> Value {
    without(failure, &["resources"])
}

fn without_default_outcome(failure: &Value) -> Value {
    if failure["outcome"] == "Failed" { without(failure, &["outcome"]) } else { failure.clone() }
}

fn without(failure: &Value, fields: &[&str]) -> Value {
    let mut failure = failure.clone();
    if let Value::Object(own) = &mut failure {
        for field in fields {
            own.remove(*field);
        }
    }
    failure
}

/// The fields of a container that a failure has without one.
const SHORT: [&str; 3] = ["exitCode", "reason", "message"];

/// The failure with the fields of its only container, if that is `main`, in place of the container.
fn with_main_in_short(failure: &Value) -> Value {
    let main = match failure["containers"].as_array().map(Vec::as_slice) {
        Some([Value::Object(main)]) if main.get("name").is_some_and(|name| name == "main") => main,
        _ => return failure.clone(),
    };
    let mut short = without(failure, &["containers"]);
    let is_default = |(key, value): &(&String, &Value)| *key == "reason" && *value == "Error";
    let fields =
        main.iter().filter(|field| SHORT.contains(&field.0.as_str()) && !is_default(field));
    if let Value::Object(own) = &mut short {
        own.extend(fields.map(|(key, value)| (key.clone(), value.clone())));
    }
    short
}
