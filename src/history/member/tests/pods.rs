//! Pods as `kubectl` prints them.

use super::*;
use crate::history::Program;

/// A pod in slot 1 of Job `j`: its status, and what its metadata says besides.
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
fn pods_end_when_the_job_controller_says() {
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
        r#"{"kind":"Pod","metadata":{"name":"other"},"status":{"phase":"Failed"}}"#.to_owned(),
    ];
    let text = format!(r#"{{"kind":"List","items":[{}]}}"#, pods.join(","));
    let mut reader = MemberReader::<SlotFields>::new(OnBadRecord::ErrorToTheEnd);
    reader.source(Program::Pods, "x", &mut text.as_bytes()).unwrap();
    let (history, findings) = reader.finish();
    let [member] = history.members.as_slice() else { panic!("{:?}", history.members) };
    assert_eq!((&*member.unit, member.key, member.alone), ("ns/j", 1, true));
    let runs = member.runs.iter().map(|run| {
        let time = run.finished_at.unwrap().to_string();
        format!("{}@{} {:?}", run.node.as_deref().unwrap(), &time[18..19], run.own.outcome)
    });
    let runs: Vec<_> = runs.collect();
    assert_eq!(runs, ["n3@0 Failed", "n4@5 Running", "n1@6 Failed", "n2@8 Failed", "n0@9 Failed"]);
    let passed: Vec<_> =
        history.passed_over.iter().map(|passed| (passed.count, passed.one)).collect();
    assert_eq!(passed, [(1, "pod of no job"), (1, "pod that has not ended")]);
    assert_eq!(
        findings.len(),
        2,
        "the pod that ends before it starts, and the one that starts at noon"
    );
}

#[test]
fn other_programs_tell_of_no_members() {
    let mut reader = MemberReader::<SlotFields>::new(OnBadRecord::Error);
    reader.source(Program::Sacct, "x", &mut &b"JobID|State\n1|FAILED\n"[..]).unwrap();
    let (history, findings) = reader.finish();
    assert!(history.members.is_empty() && findings.has_errors());
}
