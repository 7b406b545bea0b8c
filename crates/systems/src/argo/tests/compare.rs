//! Comparisons of two strategies with all sequences of attempts of a small alphabet.

use super::{engine, with_strategy};
use crate::argo::ArgoEngine;
use crate::compare::testing::{check, check_kinds, scaled};
use crate::compare::{Comparison, compare};
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Parts of expressions that the attempts of [`attempts`] tell apart.
const PARTS: [&str; 9] = [
    "asInt(lastRetry.exitCode) > 1",
    "lastRetry.exitCode == '2'",
    "asInt(lastRetry.exitCode) in [1, 2]",
    "asFloat(lastRetry.exitCode) < 2.5",
    "lastRetry.status == 'Error'",
    "lastRetry.message contains 'b'",
    "lastRetry.message startsWith 'a'",
    "lastRetry.message matches '^a'",
    "!(lastRetry.message contains 'b')",
];

/// Parts of expressions of whose attempts the order matters.
const COUNTING: [&str; 7] = [
    "asInt(lastRetry.exitCode) > 1",
    "lastRetry.exitCode == '2'",
    "lastRetry.status == 'Error'",
    "asInt(retries) < 1",
    "asFloat(retries) >= 1.5",
    "retries == '1'",
    "retries in ['0', '2']",
];

fn expressions(parts: &'static [&'static str]) -> impl Strategy<Value = String> {
    (vec(select(parts), 1..=3), vec(select(vec![" && ", " || "]), 3)).prop_map(|(parts, joints)| {
        parts.iter().enumerate().fold(String::new(), |text, (place, part)| {
            if place == 0 { (*part).to_owned() } else { text + joints[place] + part }
        })
    })
}

/// The fields of a strategy.
type Fields = [Option<String>; 5];

const POLICIES: [&str; 4] = ["Always", "OnFailure", "OnError", "OnTransientError"];

fn strategies(
    parts: &'static [&'static str],
    policies: &'static [&'static str],
) -> impl Strategy<Value = Fields> {
    let limit = weighted(0.9, (0..4).prop_map(|limit| format!("limit: {limit}")));
    let policy = of(select(policies).prop_map(|policy| format!("retryPolicy: {policy}")));
    let backoff = (
        select(vec!["0", "10s"]),
        of(select(vec![0, 1, 2])),
        of(select(vec!["15s", "1h"])),
        weighted(0.2, select(vec!["25s", "1h"])),
    );
    let backoff = weighted(
        0.6,
        backoff.prop_map(|(duration, factor, cap, most)| {
            let factor = factor.map(|it| format!(", factor: {it}")).unwrap_or_default();
            let cap = cap.map(|it| format!(", cap: '{it}'")).unwrap_or_default();
            let most = most.map(|it| format!(", maxDuration: '{it}'")).unwrap_or_default();
            format!("backoff: {{duration: '{duration}'{factor}{cap}{most}}}")
        }),
    );
    let expression =
        weighted(0.8, expressions(parts).prop_map(|it| format!("expression: \"{it}\"")));
    let affinity = weighted(0.1, Just("affinity: {nodeAntiAffinity: {}}".to_owned()));
    (limit, policy, backoff, expression, affinity).prop_map(
        |(limit, policy, backoff, expression, affinity)| {
            [limit, policy, backoff, expression, affinity]
        },
    )
}

fn engine_of(fields: &Fields) -> ArgoEngine {
    let fields: Vec<&str> = fields.iter().flatten().map(String::as_str).collect();
    engine(&with_strategy(&format!("{{{}}}", fields.join(", "))))
}

/// Returns the engines of a strategy, and of the same with a field of another one, or of the other one.
fn versions(old: &Fields, other: &Fields, field: usize) -> [ArgoEngine; 2] {
    let mut new = old.clone();
    match new.get_mut(field) {
        Some(edited) => edited.clone_from(&other[field]),
        None => new.clone_from(other),
    }
    [old, &new].map(engine_of)
}

fn attempts(messages: &[&str]) -> Vec<Value> {
    let mut all = Vec::new();
    for outcome in ["Failed", "Error"] {
        for message in messages {
            for code in [None, Some(1), Some(2), Some(3)] {
                let code = code.map_or(Value::Null, |code| json!(code));
                all.push(json!({
                    "template": "main",
                    "outcome": outcome,
                    "exitCode": code,
                    "message": message,
                }));
            }
        }
    }
    all
}

fn engines(versions: &[ArgoEngine; 2]) -> [&ArgoEngine; 2] {
    [&versions[0], &versions[1]]
}

proptest! {
    #![proptest_config(scaled(48))]

    #[test]
    fn differences_are_those_of_all_sequences(old in strategies(&PARTS, &POLICIES), other in strategies(&PARTS, &POLICIES), field in 0..6_usize) {
        let versions = versions(&old, &other, field);
        let timeout = "i/o timeout";
        let messages = ["", "a", "b", "ab", "c", timeout, "b i/o timeout", "a i/o timeout", "ab i/o timeout"];
        let comparison = check(engines(&versions), &attempts(&messages), 3)?;
        let is_compared_by_time = old.iter().chain(&other).flatten().any(|it| it.contains("maxDuration"));
        let is_decided = !is_compared_by_time && old[4] == other[4];
        prop_assert!(!is_decided || comparison.undecided.is_empty(), "{:?}", comparison);
    }

    #[test]
    fn retries_in_expressions_are_counted(old in strategies(&COUNTING, &POLICIES[..3]), other in strategies(&COUNTING, &POLICIES[..3]), field in 0..6_usize) {
        let versions = versions(&old, &other, field);
        check_kinds(engines(&versions), &attempts(&[""]), 3, Value::to_string)?;
    }
}

/// Compares two workflows with these specs.
fn compared(old: &str, new: &str) -> Comparison {
    let versions = [old, new].map(|spec| engine(&super::workflow(spec)));
    compare(engines(&versions))
}

#[test]
fn templates_are_compared_by_name() {
    let spec = |first: u32, second: u32| {
        format!(
            "{{templates: [{{name: a, retryStrategy: {{limit: {first}}}}}, {{name: b, retryStrategy: {{limit: {second}}}}}]}}"
        )
    };
    let reordered =
        "{templates: [{name: b, retryStrategy: {limit: 2}}, {name: a, retryStrategy: {limit: 1}}]}";
    assert!(compared(&spec(1, 2), reordered).is_same());
    let comparison = compared(&spec(1, 2), &spec(1, 3));
    let [difference] = comparison.differences.as_slice() else { panic!("{comparison:?}") };
    assert_eq!(difference.history["spec"]["jobs"][0]["runs"][0]["template"], "b");
    assert_eq!((difference.rules, comparison.undecided.len()), ([Some(1); 2], 0));
    let one = "{templates: [{name: a, retryStrategy: {limit: 1}}]}";
    let comparison = compared(&spec(1, 2), one);
    assert_eq!(comparison.undecided, ["template `b`, which is in one version only"]);
}

#[test]
fn what_no_attempt_represents_is_undecided_unless_it_is_equal() {
    let by = |expression: &str, limit: u32| {
        format!(
            "{{templates: [{{name: a, retryStrategy: {{limit: {limit}, expression: \"{expression}\"}}}}]}}"
        )
    };
    for (old, new, reason) in [
        (
            "asInt(lastRetry.duration) < 60",
            "asInt(lastRetry.duration) < 70",
            "`lastRetry.duration`",
        ),
        ("lastRetry.message < 'x'", "lastRetry.message < 'y'", "the order of messages"),
        (
            "lastRetry.exitCode matches '^1'",
            "lastRetry.exitCode matches '^1|^1'",
            "a pattern of a number",
        ),
    ] {
        assert!(compared(&by(old, 2), &by(old, 2)).is_same(), "{old}");
        let comparison = compared(&by(old, 2), &by(new, 2));
        let expected = format!("template `a`: its `expression` compares {reason}");
        assert_eq!(
            (comparison.differences.len(), comparison.undecided),
            (0, vec![expected]),
            "{old}"
        );
    }
    assert_eq!(
        compared(&by("lastRetry.message < 'x'", 2), &by("lastRetry.message < 'x'", 3))
            .differences
            .len(),
        1
    );
    // Other texts of one condition.
    let (old, new) = ("asInt(lastRetry.exitCode) > 1", "!(asInt(lastRetry.exitCode) <= 1)");
    assert!(compared(&by(old, 2), &by(new, 2)).is_same());
    let (old, new) = (
        "lastRetry.message matches '^a|b'",
        "lastRetry.message contains 'b' || lastRetry.message startsWith 'a'",
    );
    assert!(compared(&by(old, 2), &by(new, 2)).is_same());
}
