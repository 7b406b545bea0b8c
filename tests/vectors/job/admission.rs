//! What the API server refuses, by the cases' own symbols.

use super::document;
use armadactl::diag::{Code, Diagnostic, Findings, Severity};
use armadactl::document::{KeyCase, check};
use armadactl::systems::job::{Creator, JOB_SPEC, admit};
use serde_json::{Value, json};

/// A symbol: the id of its finding, and a piece of the finding's message.
const SYMBOLS: &[(&str, Code, &str)] = &[
    ("requirement-both", Code::NotAdmitted, "at exit codes and at conditions"),
    ("requirement-none", Code::NotAdmitted, "looks at nothing"),
    ("values-unordered", Code::NotAdmitted, "ascending order"),
    ("values-duplicate", Code::NotAdmitted, "stands twice"),
    ("values-zero-with-in", Code::BadExitCode, "exit code 0"),
    ("values-empty", Code::EmptyList, "`values`"),
    ("values-too-many", Code::NotAdmitted, "exit codes, and at most"),
    ("container-unknown", Code::NotAdmitted, "has no container"),
    ("restart-policy-not-never", Code::NotAdmitted, "restartPolicy Never"),
    ("pod-replacement-policy", Code::NotAdmitted, "podReplacementPolicy Failed"),
    ("pod-replacement-policy-not-failed", Code::NotAdmitted, "podReplacementPolicy Failed"),
    ("operator-unknown", Code::NotAChoice, "unknown operator"),
    ("action-unknown", Code::NotAChoice, "unknown action"),
    ("status-unknown", Code::NotAChoice, "unknown status"),
    ("condition-type-invalid", Code::BadName, "condition's type"),
    ("fail-index-without-per-index-limit", Code::NotAdmitted, "FailIndex needs"),
    ("fail-index-without-backoff-limit-per-index", Code::NotAdmitted, "FailIndex needs"),
    (
        "max-failed-indexes-without-per-index-limit",
        Code::NotAdmitted,
        "needs `backoffLimitPerIndex`",
    ),
    ("backoff-limit-per-index-not-indexed", Code::NotAdmitted, "needs completionMode Indexed"),
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
    let symbols: Vec<&str> = symbols.iter().filter_map(Value::as_str).collect();
    let mut rest: Vec<&Diagnostic> = found.iter().collect();
    let mut unheard = 0;
    for symbol in symbols {
        let known = SYMBOLS.iter().find(|(name, ..)| *name == symbol);
        let Some((_, code, piece)) = known else {
            unheard += 1;
            continue;
        };
        let is = |finding: &&Diagnostic| finding.code == *code && finding.message.contains(piece);
        let place = rest.iter().position(is);
        let place = place.ok_or_else(|| format!("no finding is {symbol}: {rest:?}"))?;
        rest.remove(place);
    }
    // A symbol not heard of stands for one finding that no other explains.
    let met = rest.len() == unheard;
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
