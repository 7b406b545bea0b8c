//! Documents hold what lines hold of the same runs.
//!
//! Holds semantics.md 10.

use super::slots::read_text;
use crate::history::OnBadRecord;

#[test]
fn reads_a_document_like_its_lines() {
    let history = read_text(
        "
apiVersion: armadaproject.io/v1
kind: FailureHistory
spec:
  start: 2026-10-01T00:00:00Z
  jobs:
  - jobId: a
    queue: q
    slot: 2
    runs:
    - {outcome: Failed, finishedAt: 10s, node: n1}
    - {outcome: Failed, slot: 1, finishedAt: 2026-10-01T00:01:00Z}
    - {outcome: Succeeded, slot: null}
",
        OnBadRecord::ErrorToTheEnd,
    );
    assert!(history.findings.is_empty(), "{:?}", history.findings);
    assert_eq!(history.lines(), ["a@q 2: 0n1 1", "a@q 1: 0"]);
    let finished = history.members[0].runs[0].finished_at.unwrap();
    assert_eq!(finished.to_string(), "2026-10-01T00:00:10Z");
}

#[test]
fn findings_about_documents_have_places() {
    let history = read_text(
        "
apiVersion: armadaproject.io/v1
kind: FailureHistory
spec:
  queues: [{name: q}]
  events: [{at: 1s, reload: {enabled: false}}]
  jobs:
  - {jobId: a, runs: []}
  - {jobId: b, startedAt: 1s, runs: [{outcome: Failed}]}
  - {jobId: c, queue: p, runs: [{outcome: Failed, colour: red}, {outcome: Failed, queue: q}]}
  - {jobId: c, runs: [{outcome: Failed}]}
  - {jobId: d, code: 5, runs: [{outcome: Failed}, {outcome: Succeeded, code: 0}, {slot: 3, code: 1}]}
",
        OnBadRecord::ErrorToTheEnd,
    );
    let places: Vec<_> =
        history.findings.iter().map(|finding| finding.split(": RP").next().unwrap()).collect();
    assert_eq!(
        places,
        ["x:6:12", "x:8:5", "x:9:16", "x:10:51", "x:10:90", "x:11:13", "x:12:22", "x:12:82"],
        "{:#?}",
        history.findings
    );
    assert_eq!(history.lines(), ["c@p 0 single: 1", "d@ 0 single: 1"]);
}
