//! Schemas and validator hold each other: what one refuses the other refuses, save for what no
//! schema can say.
//!
//! Holds cli.md Output.

use armada_retry::policy::{self, SchedulerSettings};
use armadactl::internals::report::schemas;
use cluster::read::{InputKind, check_inputs};
use document::diag::{Code, Findings, Source};
use replay::history::{GraceBounds, OnBadRecord};
use replay::simulate::read_history;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use systems::armada::{Armada, incomplete_gangs};

/// Findings that take more than one value, a second document or a dialect to make: no schema says
/// them. A schema also says nothing of texts that are no document at all.
const BEYOND_A_SCHEMA: [Code; 18] = [
    Code::Syntax,
    Code::TooMuch,
    Code::NotUtf8,
    Code::DuplicateKey,
    Code::DuplicateDocument,
    Code::BadPattern,
    Code::BadBackoff,
    Code::NoDocument,
    Code::UnknownAlias,
    Code::BadRecord,
    Code::DifferentRecord,
    Code::SmallGang,
    Code::ProfileLacks,
    Code::MixedForms,
    Code::UnknownName,
    Code::Misleading,
    Code::UndefinedName,
    Code::DependencyCircle,
];

/// Fixtures on which the two may differ.
const EXCEPTIONS: [&str; 11] = [
    // A text's pattern knows no magnitude.
    "RP010/too-long.bad.yaml",
    "RP011/too-large.bad.yaml",
    // JSON Schema holds 3.0 for an integer.
    "RP008/point-in-a-whole-number.bad.yaml",
    "RP024/whole-number-as-a-float.bad.yaml",
    "RP024/whole-number-with-an-exponent.bad.yaml",
    // A schema sees values, and not how they are written.
    "RP008/binary.bad.yaml",
    "RP008/v1beta1-texts-that-go-reads-otherwise.bad.yaml",
    "RP008/warned-v1beta1-quantity-as-number.bad.yaml",
    // Times that are wrong only next to others, and a pattern knows no calendar.
    "rp027-dates-and-offsets.bad.yaml",
    "rp027-event-mixes-notations.bad.yaml",
    "rp027-no-such-day.bad.yaml",
];

fn validators() -> HashMap<&'static str, jsonschema::Validator> {
    schemas::all()
        .into_iter()
        .map(|(name, schema)| (name, jsonschema::validator_for(&schema).expect("a schema")))
        .collect()
}

fn schema_of(text: &str, document: &Value) -> Option<&'static str> {
    if let Some(kind) = InputKind::of_source(&Source::new("x", text)) {
        return Some(match kind {
            InputKind::Cluster => "cluster-file.json",
            InputKind::Workload => "workload-file.json",
            InputKind::Scheduler if document.get("scheduling").is_some() => "scheduler-config.json",
            InputKind::Scheduler => "scheduling.json",
            InputKind::State => "state-file.json",
        });
    }
    match (document["kind"].as_str()?, document["apiVersion"].as_str()?) {
        ("RetryPolicy", "armadaproject.io/v1") => Some("retrypolicy-v1.json"),
        ("RetryPolicy", "armadaproject.io/v1beta1") => Some("retrypolicy-v1beta1.json"),
        ("RetryProfile", "armadaproject.io/v1") => Some("retryprofile-v1.json"),
        ("Queue", "armadaproject.io/v1") => Some("queue-v1.json"),
        ("Queue", "armadaproject.io/v1beta1") => Some("queue-v1beta1.json"),
        ("FailureHistory", "armadaproject.io/v1") => Some("failurehistory-v1.json"),
        _ => None,
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "yaml" || ending == "json") {
            found.push(path);
        }
    }
}

/// A document with its merge keys applied, as data.
fn as_json(text: &str) -> Option<Value> {
    let mut document: serde_yaml::Value = serde_yaml::from_str(text).ok()?;
    document.apply_merge().ok()?;
    serde_json::to_value(document).ok()
}

fn findings(text: &str) -> Findings {
    let source = Source::new("x", text);
    if let Some(kind) = InputKind::of_source(&source) {
        return check_inputs(&[(kind, source)]);
    }
    if text.contains("kind: RetryProfile") {
        let mut findings = Findings::new();
        for finding in crate::diagnostics::findings("x", text) {
            findings.push(finding);
        }
        return findings;
    }
    let (documents, mut findings) = policy::read(&[source]);
    for other in &documents.others {
        let bounds = GraceBounds::from(&SchedulerSettings::default());
        let (history, of_history) =
            read_history::<Armada>(Some(bounds), OnBadRecord::Error, |stream| {
                stream.document(&other.document);
            });
        findings.extend(of_history);
        findings.extend(incomplete_gangs(&history.members));
    }
    findings
}

#[test]
fn schema_and_validator_agree_on_every_fixture() {
    let validators = validators();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["examples", "testdata/diagnostics", "testdata/history", "testdata/cluster"] {
        files(&root.join(folder), &mut paths);
    }
    let (mut compared, mut differences) = (0, Vec::new());
    for path in paths {
        if EXCEPTIONS.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        // One document a file: a schema judges documents.
        let Some(document) = as_json(&text) else { continue };
        let Some(schema) = schema_of(&text, &document) else { continue };
        let findings = findings(&text);
        if findings.iter().any(|finding| BEYOND_A_SCHEMA.contains(&finding.code)) {
            continue;
        }
        // An odd spelling is taken with a warning; a schema for editors refuses it.
        let refused = !findings.is_empty();
        if refused == validators[schema].is_valid(&document) {
            let verdict = if refused { "refuses" } else { "takes" };
            differences.push(format!("{}: only the validator {verdict} it", path.display()));
        }
        compared += 1;
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(compared >= 300, "only {compared} documents were compared");
}

/// What a value of each text is replaced by, so that the shape alone refuses it.
const MISTAKES: [(&str, &[(&str, &str)]); 4] = [
    (
        "tinyCluster.yaml",
        &[
            ("clusters:", "cluster:"),
            ("pool: \"gpu\"", "pool: \"\""),
            ("number: 1", "number: 0"),
            ("totalResources", "totalResource"),
            ("cpu: \"128\"", "cpu: -1"),
        ],
    ),
    (
        "basicWorkload.yaml",
        &[
            ("weight: 1", "weight: 0"),
            ("weight: 1", "weihgt: 1"),
            ("requirements:", "requirement:"),
            ("number: ", "number: -"),
            ("minimum: \"5m\"", "minimum: {minutes: 5}"),
        ],
    ),
    (
        "basicSchedulingConfig.yaml",
        &[
            ("\"+inf\"", "fast"),
            ("cpu: 0.025", "cpu: -1"),
            ("preemptible: false", "preemptible: 3"),
            ("priority: 30000", "priority: -1"),
        ],
    ),
    ("defaultSchedulingConfig.yaml", &[("maxQueueLookback: 50000", "maxQueueLookback: x")]),
];

#[test]
fn armadas_own_inputs_fit_their_schemas_and_mistakes_in_them_do_not() {
    let validators = validators();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cluster");
    for (file, mistakes) in MISTAKES {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let document = as_json(&text).unwrap();
        let schema = schema_of(&text, &document).unwrap();
        assert!(validators[schema].is_valid(&document), "{file}");
        for (part, wrong) in mistakes {
            assert!(text.contains(part), "{file}: {part}");
            let text = text.replacen(part, wrong, 1);
            assert!(!validators[schema].is_valid(&as_json(&text).unwrap()), "{file}: {wrong}");
            let source = Source::new("x", text);
            let kind = InputKind::of_source(&source).unwrap_or(InputKind::Cluster);
            assert!(check_inputs(&[(kind, source)]).has_errors(), "{file}: {wrong}");
        }
    }
}
