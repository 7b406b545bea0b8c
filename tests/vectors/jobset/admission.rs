//! Admission: what the webhook would refuse, told by what is found and where.

use super::{document, gates};
use document::diag::{Code, Diagnostic, Findings, Severity};
use document::{Document, Node};
use serde_json::Value;
use std::collections::BTreeSet;
use systems::job::{Creator, admit};
use systems::jobset::{NameFault, name_faults, read};

/// The symbols that have to be found under their names; others stand for findings that none of
/// these explains.
const SYMBOLS: [&str; 10] = [
    "unknown-reason",
    "unknown-replicated-job",
    "rule-name-length",
    "rule-name-format",
    "rule-name-duplicate",
    "restart-job-gate-disabled",
    "in-place-gate-disabled",
    "unknown-action",
    "unknown-restart-strategy",
    "too-many-replicas",
];

/// What the webhook does not look at once a rule restarts single Jobs with the gate off; the command
/// tells all of it at once.
const MASKED: [&str; 5] = [
    "unknown-reason",
    "unknown-replicated-job",
    "rule-name-length",
    "rule-name-format",
    "rule-name-duplicate",
];

/// Reads the case's manifest as its server would.
pub fn run(case: &Value) -> Result<(), String> {
    let document = document(case)?;
    let mut findings = Findings::new();
    let read = read(&document, gates(&case["input"]), &mut findings);
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let errors: Vec<&Diagnostic> = errors.collect();
    if read.is_some() != errors.is_empty() {
        return Err(format!("read: {}, but errors: {errors:?}", read.is_some()));
    }
    let later = of_jobs(&document);
    let own = errors.into_iter().filter(|error| !later.contains(&error.message));
    let mut found: BTreeSet<String> = own.map(symbol).collect();
    found.extend(empty_names(&case["policy"]));
    if found.contains("restart-job-gate-disabled") {
        found.retain(|symbol| !MASKED.contains(&symbol.as_str()));
    }
    let expected = &case["expected"];
    if let Some(valid) = expected["valid"].as_bool()
        && valid != found.is_empty()
    {
        return Err(format!("valid is not {valid}: {found:?}"));
    }
    let Some(wanted) = expected["errors"].as_array() else { return Ok(()) };
    let wanted: BTreeSet<&str> = wanted.iter().filter_map(Value::as_str).collect();
    let mut others = 0;
    for symbol in wanted.iter().filter(|symbol| !found.remove(**symbol)) {
        if SYMBOLS.contains(symbol) {
            return Err(format!("no {symbol}, but {found:?}"));
        }
        others += 1;
    }
    let same = found.len() == others;
    same.then_some(()).ok_or_else(|| format!("{found:?} beyond what is known of {wanted:?}"))
}

/// What the API server refuses of the Jobs that the set creates: the webhook takes the set.
fn of_jobs(document: &Document) -> BTreeSet<String> {
    let mut findings = Findings::new();
    let jobs = document.root.at(&["spec", "replicatedJobs"]).map(Node::items).unwrap_or_default();
    for spec in jobs.iter().filter_map(|job| job.at(&["template", "spec"])) {
        admit(document, spec, Creator::JobSet, &mut findings);
    }
    findings.sorted().into_iter().map(|finding| finding.message).collect()
}

/// What validation says of a name that is written and empty. A server fills it in before, so that
/// only the rule itself can be asked.
fn empty_names(policy: &Value) -> Vec<String> {
    let rules = policy["rules"].as_array().into_iter().flatten();
    let faults = rules.filter_map(|rule| rule["name"].as_str()).filter(|name| name.is_empty());
    faults
        .flat_map(name_faults)
        .map(|fault| match fault {
            NameFault::Length => "rule-name-length".to_owned(),
            NameFault::Form => "rule-name-format".to_owned(),
        })
        .collect()
}

fn symbol(finding: &Diagnostic) -> String {
    let said = |words: &str| finding.message.contains(words);
    let known = match finding.code {
        Code::NotAChoice if said("onJobFailureReasons") => "unknown-reason",
        Code::NotAChoice if said("restartStrategy") => "unknown-restart-strategy",
        Code::NotAChoice | Code::NeverReleased => "unknown-action",
        Code::UnknownName => "unknown-replicated-job",
        Code::BadName if said("bytes") => "rule-name-length",
        Code::BadName if said("two rules") => "rule-name-duplicate",
        Code::BadName => "rule-name-format",
        Code::GateDisabled if said("InPlaceRestart") => "in-place-gate-disabled",
        Code::GateDisabled => "restart-job-gate-disabled",
        Code::MissingField if said("`action`") => "unknown-action",
        Code::OutOfRange if said("replicas") => "too-many-replicas",
        Code::NotAdmitted if said("needs `backoffLimit`") => "in-place-backoff-limit",
        Code::NotAdmitted if said("needs `podReplacementPolicy`") => {
            "in-place-pod-replacement-policy"
        }
        Code::NotAdmitted if said("equal to `parallelism`") => "in-place-completions-parallelism",
        _ => return format!("{:?}: {}", finding.code, finding.message),
    };
    known.to_owned()
}
