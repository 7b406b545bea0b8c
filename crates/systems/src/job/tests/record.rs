//! Errors in records of a Job's pods, in lines and in documents.

use crate::job::index_source::IndexSource;
use crate::job::{JobEngine, PodCondition, PodContainer, PodFields, PodOutcome};
use document::diag::{Code, Diagnostic};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use replay::history::{Member, RecordFields};
use replay::simulate::testing::{read_document, read_lines};
use std::fmt::Write;

type Read = (Vec<Member<PodFields>>, Vec<Diagnostic>);

fn line_codes(line: &str) -> Vec<Code> {
    codes(&read_lines::<JobEngine>(line))
}

fn document_codes(run: &str) -> Vec<Code> {
    let mut text = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n".to_owned();
    writeln!(text, "  jobs: [{{jobId: train, runs: [{run}]}}]").unwrap();
    codes(&read_document::<JobEngine>(&text))
}

fn codes((members, findings): &Read) -> Vec<Code> {
    assert_eq!(members.is_empty(), !findings.is_empty());
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn a_cleared_record_is_empty() {
    let mut fields = PodFields {
        index_source: IndexSource::Recorded,
        index: 1,
        outcome: PodOutcome::Succeeded,
        restarts: 2,
        containers: [PodContainer::default(), PodContainer::default()].into_iter().collect(),
        conditions: vec![PodCondition { kind: "Ready".into(), ..PodCondition::default() }],
        name: "default/train-0".into(),
        reason: "Evicted".into(),
        index_failures: Some(3),
        index_ignored_failures: Some(4),
        resources: Some(Box::default()),
    };
    fields.clear();
    assert_eq!(fields, PodFields::default());
}

#[test]
fn lines_may_say_more_of_a_pod_and_documents_may_not() {
    for more in [
        r#""containers": [{"name": "main", "exitcode": 1}]"#,
        r#""podConditions": [{"type": "DisruptionTarget", "observed": "x"}]"#,
    ] {
        let line = line_codes(&format!(r#"{{"jobId": "train", "outcome": "Failed", {more}}}"#));
        assert_eq!(line, [], "{more}");
        let document = document_codes(&format!(r#"{{"outcome": "Failed", {more}}}"#));
        assert_eq!(document, [Code::UnknownField], "{more}");
    }
}

/// The fast path must not accept what the shapes reject.
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
        let line = line_codes(&format!(r#"{{"jobId": "train", {fields}}}"#));
        assert_ne!(line, [], "{fields}");
        assert_eq!(line, document_codes(&format!("{{{fields}}}")), "{fields}");
    }
}

fn read(line: &str) -> (Vec<Member<PodFields>>, Vec<Code>) {
    let (members, findings) = read_lines::<JobEngine>(line);
    (members, findings.iter().map(|finding| finding.code).collect())
}

/// Generates objects with some of these entries; sometimes with a duplicate key, or empty.
fn object(entries: Vec<&'static str>) -> impl Strategy<Value = String> {
    let all = entries.len();
    let some = (subsequence(entries, 0..=all.min(4)), any::<prop::sample::Index>());
    some.prop_map(|(mut entries, first)| {
        let first = first.index(entries.len().max(1));
        let first = first.min(entries.len());
        entries.rotate_left(first);
        format!("{{{}}}", entries.join(","))
    })
}

fn container() -> impl Strategy<Value = String> {
    let odd = object(vec![
        r#""name":"main""#,
        r#""name":"a\tb""#,
        r#""name":null"#,
        r#""name" : "side""#,
        r#""init":true"#,
        r#""init":"true""#,
        r#""exitCode":-1"#,
        r#""exitCode":3000000000"#,
        r#""exitCode":null"#,
        r#""exitCode":1.5"#,
        r#""reason":"""#,
        r#""reason":7"#,
        r#""restarts":-1"#,
        r#""message":["x"]"#,
        r#""Message":{"a":[1,null]}"#,
    ]);
    let good = object(vec![
        r#""exitCode":137"#,
        r#""reason":"OOM\u004billed""#,
        r#""message":"\u00e9\n","init":null"#,
        r#""restarts":2"#,
    ]);
    let good = (good, select(vec!["main", "side", "log"])).prop_map(|(rest, name)| {
        let rest = rest.trim_matches(['{', '}']).to_owned();
        let comma = if rest.is_empty() { "" } else { "," };
        format!(r#"{{{rest}{comma}"name":"{name}"}}"#)
    });
    prop_oneof![1 => odd, 3 => good]
}

proptest! {
    /// An escaped key forces the exact path.
    #[test]
    fn both_paths_read_the_same(
        containers in prop::option::of(vec(container(), 0..3)),
        status in object(vec![
            r#""status":"Unknown""#, r#""status":null"#, r#""status":"odd""#, r#""z":[{}]"#,
            r#""reason":"Evict\u0069on""#, r#""reason":"""#, r#""reason":null"#, r#""reason":7"#,
        ]),
        outcome in select(vec![r#""Failed""#, r#""Running""#, r#""Odd""#, "null", "1"]),
        more in select(vec![
            "", r#","podIndex":3"#, r#","podIndex":null"#, r#","podIndex":-1"#, r#","restarts":"1""#,
            r#","podReason":"Evicted""#, r#","podReason":null"#, r#","podReason":3"#,
            r#","indexFailureCount":2"#, r#","indexFailureCount":null"#, r#","indexFailureCount":-1"#,
            r#","indexIgnoredFailureCount":4"#, r#","indexIgnoredFailureCount":"4""#,
            r#","podName":"a\/b""#, r#","podName":"""#, r#","podName":[]"#, r#","restarts":4"#,
        ]),
    ) {
        let containers = containers.map(|all| format!(r#","containers":[{}]"#, all.join(",")));
        let containers = containers.unwrap_or_default();
        let rest = status.trim_matches(['{', '}']);
        let comma = if rest.is_empty() { "" } else { "," };
        let line = |key: &str| format!(
            r#"{{"jobId":"u","outcome":{outcome}{more},"podConditions":[{{"{key}":"T"{comma}{rest}}}]{containers}}}"#
        );
        prop_assert_eq!(read(&line("type")), read(&line(r"ty\u0070e")));
    }
}
