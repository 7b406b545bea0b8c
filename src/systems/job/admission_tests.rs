//! Manifests that the API server takes, and others.

use super::{Creator, JOB, admit};
use crate::diag::{Code, Findings, Source};
use crate::document::{KeyCase, Limits, check, parse};

/// The findings about a Job with such a spec: their ids, and what they say.
fn found(spec: &str) -> Vec<(Code, String)> {
    let text = format!("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec: {spec}\n");
    let (documents, findings) = parse(&Source::new("job.yaml", text), Limits::POLICY);
    assert!(findings.is_empty(), "{spec}");
    let document = &documents[0];
    let mut findings = Findings::new();
    check(&document.source, &document.root, &JOB, KeyCase::Exact, &mut findings);
    let spec = document.root.get("spec").expect("a spec");
    admit(document, spec, Creator::Manifest, &mut findings);
    findings.sorted().into_iter().map(|finding| (finding.code, finding.message)).collect()
}

/// A spec of one rule, with a template of one container `main`.
fn rule(rule: &str) -> String {
    format!(
        "{{podFailurePolicy: {{rules: [{rule}]}}, template: {{spec: {{restartPolicy: Never, containers: [{{name: main}}]}}}}}}"
    )
}

#[test]
fn rules_that_are_refused() {
    for (body, code) in [
        ("{action: FailJob}", Code::NotAdmitted),
        ("{action: FailJob, onPodConditions: []}", Code::NotAdmitted),
        ("{action: Fail, onPodConditions: [{type: Ready}]}", Code::NotAChoice),
        (
            "{action: FailJob, onPodCondition: [{type: Ready}], onExitCodes: {operator: In, values: [1]}}",
            Code::UnknownField,
        ),
        ("{action: FailJob, onExitCodes: {operator: Within, values: [1]}}", Code::NotAChoice),
        ("{action: FailJob, onExitCodes: {operator: In, values: []}}", Code::EmptyList),
        ("{action: FailJob, onExitCodes: {operator: In, values: [0]}}", Code::BadExitCode),
        ("{action: FailJob, onExitCodes: {operator: In, values: [1, 1]}}", Code::NotAdmitted),
        ("{action: FailJob, onExitCodes: {operator: In, values: [2, 1]}}", Code::NotAdmitted),
        ("{action: FailIndex, onExitCodes: {operator: In, values: [1]}}", Code::NotAdmitted),
        (
            "{action: FailJob, onExitCodes: {containerName: x, operator: In, values: [1]}}",
            Code::NotAdmitted,
        ),
        ("{action: FailJob, onPodConditions: [{type: a b}]}", Code::BadName),
        ("{action: FailJob, onPodConditions: [{type: Ready, status: true}]}", Code::NotAChoice),
    ] {
        let found = found(&rule(body));
        assert!(matches!(found.as_slice(), [(one, _)] if *one == code), "{body}: {found:?}");
    }
}

#[test]
fn rules_that_are_taken() {
    for body in [
        "",
        "{action: Count, onExitCodes: {operator: NotIn, values: [0]}}",
        "{action: Ignore, onExitCodes: {operator: In, values: [-1073741676, 1, 300]}}",
        "{action: Ignore, onPodConditions: [{type: example.com/Ready_1, status: Unknown}]}",
    ] {
        assert_eq!(found(&rule(body)), [], "{body}");
    }
    let many = vec!["{action: Count, onPodConditions: [{type: Ready}]}"; 21].join(",");
    assert_eq!(found(&rule(&many)).len(), 1);
}

#[test]
fn fields_that_need_others() {
    let never = "template: {spec: {restartPolicy: Never}}";
    for (fields, refused) in [
        ("backoffLimitPerIndex: 1", 1),
        ("completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1", 0),
        ("completionMode: Indexed, parallelism: 3", 1),
        ("completionMode: Indexed, completions: 3, maxFailedIndexes: 1", 1),
        (
            "completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 4",
            1,
        ),
        ("completionMode: Indexed, completions: 200000, backoffLimitPerIndex: 1", 1),
        ("podFailurePolicy: {rules: []}, podReplacementPolicy: TerminatingOrFailed", 1),
        ("podReplacementPolicy: TerminatingOrFailed", 0),
        ("backoffLimit: -1", 1),
    ] {
        let found = found(&format!("{{{fields}, {never}}}"));
        assert_eq!(found.len(), refused, "{fields}: {found:?}");
    }
    assert_eq!(found("{}").len(), 1, "no restartPolicy");
}
