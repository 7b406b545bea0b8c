//! What the API server refuses, by the cases' own symbols.

use super::document;
use document::diag::{Code, Diagnostic, Findings, Severity};
use document::{KeyCase, check};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use systems::job::{Creator, JOB_SPEC, admit};

/// A symbol, the id of its findings, and a piece of their messages; one has several lines where
/// what is absent or empty is told apart.
const SYMBOLS: &[(&str, Code, &str)] = &[
    ("requirement-both", Code::NotAdmitted, "both exit codes and conditions"),
    ("requirement-none", Code::NotAdmitted, "has no requirement"),
    ("values-unordered", Code::NotAdmitted, "ascending order"),
    ("values-duplicate", Code::NotAdmitted, "duplicate exit code"),
    ("values-zero-with-in", Code::BadExitCode, "exit code 0"),
    ("values-empty", Code::EmptyList, "`values`"),
    ("values-too-many", Code::NotAdmitted, "exit codes, and at most"),
    ("container-unknown", Code::NotAdmitted, "has no container"),
    ("restart-policy-not-never", Code::NotAdmitted, "restartPolicy Never"),
    ("restart-policy-not-never", Code::NotAdmitted, "has no `restartPolicy`"),
    ("restart-policy-not-never", Code::NotAChoice, "`restartPolicy`"),
    ("pod-replacement-policy", Code::NotAdmitted, "podReplacementPolicy Failed"),
    ("pod-replacement-policy-not-failed", Code::NotAdmitted, "podReplacementPolicy Failed"),
    ("operator-unknown", Code::NotAChoice, "`operator`"),
    ("action-unknown", Code::NotAChoice, "`action`"),
    ("status-unknown", Code::NotAChoice, "`status`"),
    ("condition-type-invalid", Code::BadName, "invalid condition type"),
    ("condition-type-invalid", Code::EmptyText, "`type`"),
    ("fail-index-without-per-index-limit", Code::NotAdmitted, "FailIndex needs"),
    ("fail-index-without-backoff-limit-per-index", Code::NotAdmitted, "FailIndex needs"),
    (
        "max-failed-indexes-without-per-index-limit",
        Code::NotAdmitted,
        "needs `backoffLimitPerIndex`",
    ),
    (
        "backoff-limit-per-index-not-indexed",
        Code::NotAdmitted,
        "`backoffLimitPerIndex` needs completionMode",
    ),
    (
        "max-failed-indexes-not-indexed",
        Code::NotAdmitted,
        "`maxFailedIndexes` needs completionMode",
    ),
    ("rules-too-many", Code::NotAdmitted, "rules, and at most"),
    ("conditions-too-many", Code::NotAdmitted, "conditions, and at most"),
];

pub fn run(case: &Value) -> Result<(), String> {
    let found = findings(case);
    let valid = found.is_empty();
    if case["expected"]["valid"] != json!(valid) {
        return Err(format!("valid is {valid}: {found:?}"));
    }
    let symbols = case["expected"]["errors"].as_array().cloned().unwrap_or_default();
    let symbols: BTreeSet<&str> = symbols.iter().filter_map(Value::as_str).collect();
    let mut rest: Vec<&Diagnostic> = found.iter().collect();
    let mut unheard = 0;
    for symbol in symbols {
        let mut lines = SYMBOLS.iter().filter(|(name, ..)| *name == symbol).peekable();
        if lines.peek().is_none() {
            unheard += 1;
            continue;
        }
        let lines: Vec<_> = lines.collect();
        let is = |finding: &Diagnostic| {
            let said = |piece: &str| finding.message.contains(piece);
            lines.iter().any(|(_, code, piece)| finding.code == *code && said(piece))
        };
        if !found.iter().any(is) {
            return Err(format!("no finding is {symbol}: {found:?}"));
        }
        // A case says once what may be found at several places.
        rest.retain(|finding| !is(finding));
    }
    // A symbol not heard of stands for a finding that no other explains.
    let met = if unheard == 0 { rest.is_empty() } else { rest.len() >= unheard };
    met.then_some(()).ok_or_else(|| format!("unexplained: {rest:?}"))
}

/// The errors of the Job that a case's policy stands for, with the template of its input.
fn findings(case: &Value) -> Vec<Diagnostic> {
    let input = &case["input"];
    let named = |key: &str| {
        let names = input[key].as_array().cloned().unwrap_or_default();
        names.into_iter().map(|name| json!({"name": name})).collect::<Vec<_>>()
    };
    let mut spec = case["policy"].clone();
    fill(&mut spec);
    spec["template"] = json!({"spec": {
        "restartPolicy": input["restartPolicy"],
        "containers": named("containers"),
        "initContainers": named("initContainers"),
    }});
    let document = document(&spec);
    let mut findings = Findings::new();
    check(&document.source, &document.root, &JOB_SPEC, KeyCase::Exact, &mut findings);
    admit(&document, &document.root, Creator::Manifest, &mut findings);
    let all = findings.sorted().into_iter();
    all.filter(|finding| finding.severity == Severity::Error).collect()
}

/// Writes down what fields of a policy are where a case has none: as the API server sees what
/// nobody set. A condition's status it sets to True before it looks.
fn fill(spec: &mut Value) {
    let Some(policy) = spec.get_mut("podFailurePolicy").filter(|policy| policy.is_object()) else {
        return;
    };
    zero(policy, "rules", json!([]));
    for rule in policy["rules"].as_array_mut().into_iter().flatten() {
        zero(rule, "action", json!(""));
        if let Some(codes) = rule.get_mut("onExitCodes").filter(|codes| codes.is_object()) {
            zero(codes, "operator", json!(""));
            zero(codes, "values", json!([]));
        }
        let patterns = rule.get_mut("onPodConditions").and_then(Value::as_array_mut);
        for pattern in patterns.into_iter().flatten() {
            zero(pattern, "type", json!(""));
        }
    }
}

fn zero(object: &mut Value, field: &str, zero: Value) {
    if object[field].is_null() {
        object[field] = zero;
    }
}
