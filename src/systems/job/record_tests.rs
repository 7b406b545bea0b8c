//! What records of a Job's pods are refused for, in lines and in documents.

use super::PodFields;
use crate::diag::{Code, Source};
use crate::history::{MemberReader, OnBadRecord};
use std::fmt::Write;

fn of_line(line: &str) -> Vec<Code> {
    let mut reader = MemberReader::<PodFields>::new(OnBadRecord::ErrorToTheEnd);
    reader.piece("x", true, line.as_bytes());
    codes(reader)
}

fn of_document(run: &str) -> Vec<Code> {
    let mut text = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n".to_owned();
    writeln!(text, "  jobs: [{{jobId: train, runs: [{run}]}}]").unwrap();
    let mut reader = MemberReader::<PodFields>::new(OnBadRecord::ErrorToTheEnd);
    reader.text(&Source::new("x", text));
    codes(reader)
}

fn codes(reader: MemberReader<PodFields>) -> Vec<Code> {
    let (history, findings) = reader.finish();
    assert_eq!(history.members.is_empty(), !findings.is_empty());
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn lines_may_say_more_of_a_pod_and_documents_may_not() {
    for more in [
        r#""containers": [{"name": "main", "exitcode": 1}]"#,
        r#""podConditions": [{"type": "DisruptionTarget", "reason": "x"}]"#,
    ] {
        let line = of_line(&format!(r#"{{"jobId": "train", "outcome": "Failed", {more}}}"#));
        assert_eq!(line, [], "{more}");
        let document = of_document(&format!(r#"{{"outcome": "Failed", {more}}}"#));
        assert_eq!(document, [Code::UnknownField], "{more}");
    }
}

/// Lines are read without their tree, which must not take what the shapes refuse.
#[test]
fn lines_are_refused_what_documents_are_refused() {
    for fields in [
        r#""outcome": {"Failed": null}"#,
        r#""outcome": "failed""#,
        r#""outcome": "Failed", "containers": [{"exitCode": 1}]"#,
        r#""outcome": "Failed", "containers": [{"name": ""}]"#,
        r#""outcome": "Failed", "containers": [["main", false, 1, "Error", "gone"]]"#,
        r#""outcome": "Failed", "podConditions": [{"type": ""}]"#,
        r#""outcome": "Failed", "podConditions": [["DisruptionTarget", "True"]]"#,
        r#""outcome": "Failed", "podConditions": [{"type": "Ready", "status": {"False": null}}]"#,
    ] {
        let line = of_line(&format!(r#"{{"jobId": "train", {fields}}}"#));
        assert_ne!(line, [], "{fields}");
        assert_eq!(line, of_document(&format!("{{{fields}}}")), "{fields}");
    }
}
