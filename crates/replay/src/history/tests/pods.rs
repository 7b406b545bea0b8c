//! Pods as `kubectl` prints them, read as runs of slots.
//!
//! Holds semantics.md 10.

use super::slots::read_source;

/// A pod in slot 1 of Job `j` with this status, and `more` of its metadata.
fn pod(number: u32, status: &str, more: &str) -> String {
    format!(
        r#"{{"kind":"Pod","metadata":{{"name":"j-{number}","namespace":"ns",
"annotations":{{"batch.kubernetes.io/job-completion-index":"1"}},
"ownerReferences":[{{"kind":"Job","name":"j","controller":true}}],
"creationTimestamp":"2026-10-01T00:00:00Z"{more}}},
"spec":{{"nodeName":"n{number}"}},"status":{status}}}"#
    )
}

#[test]
fn pods_end_as_the_job_controller_counts() {
    const ENDED: &str =
        r#"{"name":"a","state":{"terminated":{"finishedAt":"2026-10-01T00:00:09Z"}}}"#;
    let both = ENDED.replace("09Z", "07Z");
    let on = r#"{"name":"b","restartCount":2,"state":{"running":{}},"lastState":{"terminated":{"exitCode":3,"finishedAt":"2026-10-01T00:00:05Z"}}}"#;
    let unready = r#""conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-10-01T00:00:06Z"}]"#;
    let deleted = r#","deletionTimestamp":"2026-10-01T00:00:38Z","deletionGracePeriodSeconds":30"#;
    let pods = [
        pod(
            0,
            &format!(r#"{{"phase":"Failed","containerStatuses":[{ENDED},{both}],{unready}}}"#),
            deleted,
        ),
        pod(
            1,
            &format!(r#"{{"phase":"Failed","containerStatuses":[{ENDED},{on}],{unready}}}"#),
            deleted,
        ),
        pod(2, r#"{"phase":"Failed"}"#, deleted),
        pod(3, r#"{"phase":"Failed"}"#, ""),
        pod(4, &format!(r#"{{"phase":"Running","containerStatuses":[{on}]}}"#), ""),
        pod(5, r#"{"phase":"Running"}"#, ""),
        pod(6, r#"{"phase":"Failed","startTime":"2026-10-01T00:00:01Z"}"#, ""),
        pod(7, r#"{"phase":"Failed","startTime":"noon"}"#, ""),
        pod(
            8,
            r#"{"phase":"Failed","startTime":"2026-10-01T00:00:03Z",
"containerStatuses":[{"name":"a","state":{"terminated":{"finishedAt":"2026-10-01T00:00:02Z"}}}]}"#,
            "",
        ),
        r#"{"kind":"Pod","metadata":{"name":"other"},"status":{"phase":"Failed"}}"#.to_owned(),
    ];
    let text = format!(r#"{{"kind":"List","items":[{}]}}"#, pods.join(","));
    let history = read_source("pods", text.as_bytes());
    let [member] = history.members.as_slice() else { panic!("{:?}", history.members) };
    assert_eq!((&*member.unit, member.key, member.is_single), ("ns/j", 1, true));
    let runs = member.runs.iter().map(|run| {
        let time = run.finished_at.unwrap().to_string();
        format!("{}@{} {:?}", run.node.as_deref().unwrap(), &time[18..19], run.own.outcome)
    });
    let runs: Vec<_> = runs.collect();
    assert_eq!(
        runs,
        ["n3@0 Failed", "n6@1 Failed", "n4@5 Running", "n1@6 Failed", "n2@8 Failed", "n0@9 Failed"]
    );
    let expected = ["pod without a job", "pod that has not ended"].map(|one| (1, one.to_owned()));
    assert_eq!(history.skipped_entries, expected);
    let message = |finding: &String| finding.splitn(3, ": ").nth(2).unwrap().to_owned();
    let messages: Vec<String> = history.findings.iter().map(message).collect();
    assert_eq!(
        messages,
        [
            "pod `ns/j-7`: `startTime`: invalid RFC 3339 time `noon`",
            "pod `ns/j-8`: the run finishes at 2026-10-01T00:00:02Z, before it starts at 2026-10-01T00:00:03Z",
        ]
    );
}

/// A pod that the kubelet evicted or never admitted has no container statuses, and mostly no
/// conditions.
#[test]
fn a_pod_without_containers_never_ends_before_it_starts() {
    let condition = |kind, status, second| {
        format!(
            r#"{{"type":"{kind}","status":"{status}","lastTransitionTime":"2026-10-01T00:00:0{second}Z"}}"#
        )
    };
    let (ready, target) =
        (|at| condition("Ready", "False", at), |at| condition("DisruptionTarget", "True", at));
    let deleted = r#","deletionTimestamp":"2026-10-01T00:00:39Z","deletionGracePeriodSeconds":30"#;
    let early = deleted.replace(":39Z", ":31Z");
    let partly = r#","containerStatuses":[{"name":"a","state":{"terminated":{"finishedAt":"2026-10-01T00:00:08Z"}}},{"name":"b","state":{"waiting":{}}}]"#;
    for (second, conditions, more, metadata) in [
        (4, String::new(), "", ""),
        (6, ready(6), "", deleted),
        (6, format!("{},{}", target(5), ready(6)), "", deleted),
        (5, target(5), "", deleted),
        (5, format!("{},{}", target(5), ready(2)), "", ""),
        (9, format!("{},{}", target(2), ready(2)), "", deleted),
        (4, format!("{},{}", target(2), ready(2)), "", &*early),
        (8, String::new(), partly, ""),
        (7, ready(7), partly, ""),
        (9, condition("Ready", "True", 6), "", deleted),
    ] {
        let status = format!(
            r#"{{"phase":"Failed","reason":"Evicted","startTime":"2026-10-01T00:00:04Z","conditions":[{conditions}]{more}}}"#
        );
        let text = pod(0, &status, metadata);
        let history = read_source("pods", text.as_bytes());
        assert!(history.findings.is_empty(), "{text}");
        let end = history.members[0].runs[0].finished_at.unwrap().to_string();
        assert_eq!(end, format!("2026-10-01T00:00:0{second}Z"), "{text}");
    }
}

#[test]
fn other_programs_have_no_members() {
    let history = read_source("sacct", b"JobID|State\n1|FAILED\n");
    assert!(history.members.is_empty() && !history.findings.is_empty());
}
