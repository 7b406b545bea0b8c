//! Definitions that are read, refused or warned of.

use super::read;
use crate::awsbatch::AwsBatchEngine;
use crate::{CoverageTarget, ManifestSystem, TargetKind};
use document::diag::{Code, Severity, Source};
use document::{Limits, parse};
use serde_json::json;

fn codes(text: &str, severity: Severity) -> Vec<(Code, String)> {
    let (definition, findings) = read(text);
    assert_eq!(definition.is_none(), findings.has_errors(), "{text}");
    let of = findings.sorted().into_iter().filter(|finding| finding.severity == severity);
    of.map(|finding| (finding.code, finding.message)).collect()
}

fn strategy(strategy: &str) -> String {
    format!(r#"{{"jobDefinitionName": "train", "type": "container", "retryStrategy": {strategy}}}"#)
}

#[test]
fn what_the_service_refuses_is_an_error() {
    let entries = r#"{"onReason": "a", "action": "RETRY"}, "#.repeat(6);
    let long = "a".repeat(513);
    for (text, code, part) in [
        (r#"{"attempts": 0}"#, Code::OutOfRange, "attempts"),
        (r#"{"attempts": 11}"#, Code::OutOfRange, "attempts"),
        (r#"{"evaluateOnExit": []}"#, Code::MissingField, "requires `attempts`"),
        (
            &format!(
                r#"{{"attempts": 2, "evaluateOnExit": [{}]}}"#,
                entries.trim_end_matches(", ")
            ),
            Code::NotAdmitted,
            "6 entries",
        ),
        (r#"{"attempts": 2, "evaluateOnExit": [{"onReason": "a"}]}"#, Code::MissingField, "action"),
        (
            r#"{"attempts": 2, "evaluateOnExit": [{"onReason": "a", "action": "FAIL"}]}"#,
            Code::NotAChoice,
            "FAIL",
        ),
        (
            r#"{"attempts": 2, "evaluateOnExit": [{"onReason": "a*b", "action": "EXIT"}]}"#,
            Code::NotAdmitted,
            "only at the end",
        ),
        (
            r#"{"attempts": 2, "evaluateOnExit": [{"onReason": "a-b", "action": "EXIT"}]}"#,
            Code::NotAdmitted,
            "contains `-`",
        ),
        (
            r#"{"attempts": 2, "evaluateOnExit": [{"onReason": "", "action": "EXIT"}]}"#,
            Code::EmptyText,
            "onReason",
        ),
        (
            &format!(
                r#"{{"attempts": 2, "evaluateOnExit": [{{"onReason": "{long}", "action": "EXIT"}}]}}"#
            ),
            Code::NotAdmitted,
            "513 characters",
        ),
        (
            r#"{"attempts": 2, "evaluateOnExit": [{"onExitCode": 1, "action": "EXIT"}]}"#,
            Code::WrongType,
            "onExitCode",
        ),
        (
            r#"{"attempts": 2, "evaluateOnExit": [{"onExitCode": "-1", "action": "EXIT"}]}"#,
            Code::NotAdmitted,
            "contains `-`",
        ),
        (
            r#"{"attempts": 2, "evaluateOnExit": [{"onExitCodes": "1", "action": "EXIT"}]}"#,
            Code::OtherForm,
            "onExitCodes",
        ),
        (r#"{"attempts": 2, "backoff": 1}"#, Code::OtherForm, "backoff"),
    ] {
        let errors = codes(&strategy(text), Severity::Error);
        assert!(
            errors.len() == 1 && errors[0].0 == code && errors[0].1.contains(part),
            "{text}: {errors:?}"
        );
    }
    let short = r#"{"jobDefinitionName": "a", "timeout": {"attemptDurationSeconds": 59}}"#;
    assert_eq!(codes(short, Severity::Error)[0].0, Code::OutOfRange);
}

#[test]
fn the_documented_examples_are_valid_without_a_warning() {
    for text in [
        strategy(r#"{"attempts": 3, "evaluateOnExit": [{"action": "RETRY", "onReason": "AGENT"}, {"action": "RETRY", "onStatusReason": "Task failed to start"}, {"action": "EXIT", "onReason": "*"}]}"#),
        strategy(r#"{"attempts": 5, "evaluateOnExit": [{"action": "exit", "onExitCode": "40*", "onReason": "CannotPullContainerError:*"}]}"#),
        r#"{"jobName": "a", "jobQueue": "q", "jobDefinition": "d:1", "retryStrategy": {"attempts": 10}, "tags": {"attempts": "1"}}"#.to_owned(),
    ] {
        let (definition, findings) = read(&text);
        assert!(definition.is_some() && findings.is_empty(), "{text}: {findings:?}");
    }
}

#[test]
fn an_entry_without_a_condition_and_a_submission_without_a_strategy_are_warned_of() {
    let text = strategy(r#"{"attempts": 2, "evaluateOnExit": [{"action": "EXIT"}]}"#);
    assert_eq!(codes(&text, Severity::Warning)[0].0, Code::Misleading);
    let text = r#"{"jobName": "a", "jobQueue": "q", "jobDefinition": "d:1"}"#;
    let warnings = codes(text, Severity::Warning);
    assert!(warnings[0].1.contains("`d:1`"), "{warnings:?}");
}

#[test]
fn gates_are_the_entries_the_default_and_the_attempts() {
    let text =
        strategy(r#"{"attempts": 3, "evaluateOnExit": [{"action": "EXIT", "onExitCode": "4*"}]}"#);
    let (documents, _) = parse(&Source::new("job.json", text.clone()), Limits::POLICY);
    let (definition, _) = read(&text);
    let definition = definition.unwrap();
    let targets: Vec<CoverageTarget> = AwsBatchEngine::targets(&documents[0], &definition);
    let kinds: Vec<TargetKind> = targets.iter().map(|target| target.kind).collect();
    let limit = TargetKind::Limit { source: "attempts", value: 3 };
    assert_eq!(kinds, [TargetKind::Rule, TargetKind::Default, limit]);
    let examples = AwsBatchEngine::examples(&definition);
    assert_eq!(examples[0].alternatives, [[json!({"exitCode": 4})]]);
    assert_eq!(examples[1].alternatives[0], [json!({"exitCode": 1})]);
}
