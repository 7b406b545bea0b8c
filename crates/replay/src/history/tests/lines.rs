//! Lines, their members, and the findings about them.
//!
//! Holds semantics.md 10.

use super::slots::{Outcome, findings_of, read_lines};
use crate::history::OnBadRecord;

#[test]
fn members_of_a_unit_are_together_in_the_order_of_their_records() {
    let text = r#"
{"jobId":"b","slot":7,"outcome":"Failed","queue":"q","node":"n1"}
{"jobId":"a","outcome":"Failed","queue":null,"node":"","x":{"y":[1]},"x":2}

{"jobId":"b","slot":3,"outcome":"Running","startedAt":"1s","finishedAt":"2s"}
{"jobId":"b","slot":7,"outcome":"Succeeded","code":0,"runIndex":5}
{"jobId":"b","slot":3,"outcome":"Failed","code":null}
{"outcome":"Failed","job\u0049d":"c"}"#;
    let history = read_lines(text, OnBadRecord::Error);
    assert!(history.findings.is_empty(), "{:?}", history.findings);
    let lines = history.lines();
    assert_eq!(lines, ["b@q 7: 0n1 5", "b@q 3: 0 1", "a@ 0 single: 0", "c@ 0 single: 0"]);
    let outcome = |member: usize, run: usize| history.members[member].runs[run].own.outcome;
    assert_eq!((outcome(1, 0), outcome(0, 1)), (Outcome::Running, Outcome::Succeeded));
    assert_eq!(history.members[1].runs[0].length().unwrap().to_string(), "1s");
}

#[test]
fn each_rule_has_a_finding_with_a_place() {
    const A: &str = r#"{"jobId":"a","outcome":"Failed""#;
    for (more, at, message) in [
        (
            [r#","finishedAt":"9s"}"#, r#","finishedAt":"8s"}"#],
            r#""8s""#,
            "time goes backwards: 1970-01-01T00:00:08Z comes after 1970-01-01T00:00:09Z of the run before",
        ),
        (
            ["}", r#","startedAt":"9s","finishedAt":"8s"}"#],
            r#""8s""#,
            "the run finishes at 1970-01-01T00:00:08Z, before it starts at 1970-01-01T00:00:09Z",
        ),
        (
            [r#","runIndex":4}"#, r#","runIndex":4}"#],
            "4}",
            "runIndex 4 does not increase: the run before has 4",
        ),
        (["}", r#","runIndex":0}"#], "0}", "runIndex 0 does not increase: the run before has 0"),
        (["}", r#","code":5}"#], "5}", "a slot has no code 5"),
        (
            [r#","queue":"p"}"#, r#","slot":1,"queue":"q"}"#],
            r#""q""#,
            "`queue` of job `a` differs from that of its first record, which is used",
        ),
        (
            [r#","startedAt":"9s"}"#, r#","startedAt":"2026-10-01T00:00:00Z"}"#],
            r#""2026"#,
            "dates are mixed with offsets, and the history has no start",
        ),
        (["}", r#","startedAt":"soon"}"#], r#""soon"#, "`startedAt`"),
        (["}", r#","slot":-1}"#], "-1", "`slot` is -1, not a number from 0 to 4294967295"),
        (["}", r#","slot":"1"}"#], r#""1""#, "`slot`"),
        (["}", r#","slot":1,"slot":1}"#], r#""slot":1}"#, ""),
        (["}", r#","jobId":"b"}"#], r#""jobId":"b""#, ""),
        (["}", ""], r#"""#, "the text ends in the middle of a value"),
    ] {
        let lines = more.map(|more| format!("{A}{more}"));
        let found = findings_of(lines.join("\n"));
        let column = lines[1].rfind(at).unwrap() + 1;
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert!(one.starts_with(&format!("x:2:{column}: ")) && one.contains(message), "{one}");
    }
    assert_eq!(findings_of(r#"{"outcome":"Odd","jobId":null}"#).len(), 2);
    assert_eq!(findings_of(r#"{"outcome":null,"jobId":"a"}"#).len(), 1);
    assert_eq!(findings_of("[]").len(), 1);
    assert_eq!(findings_of(b"{\"jobId\":\"\xff\"}"), ["x:1:11: RP003: the line is not UTF-8"]);
}

#[test]
fn bad_records_end_the_reading_or_are_counted() {
    let bad = "{}\n".repeat(30);
    assert_eq!(
        read_lines(&bad, OnBadRecord::Error).findings.len(),
        2 * 20,
        "two fields are missing"
    );
    assert_eq!(read_lines(&bad, OnBadRecord::ErrorToTheEnd).findings.len(), 2 * 30);
    let text = r#"{"jobId":"a","slot":1,"outcome":"Failed","finishedAt":"5s"}
{"jobId":"a","slot":1,"outcome":"Failed","finishedAt":"4s"}
{"jobId":"a","slot":1,"outcome":"Odd"}
{"jobId":"a","slot":1,"outcome":"Failed"}
{"jobId":"a","slot":2,"outcome":"Failed"}"#;
    let history = read_lines(text, OnBadRecord::Skip);
    assert_eq!((history.skipped, history.findings.len()), (2, 0));
    assert_eq!(history.lines(), ["a@ 1: 0 3", "a@ 2: 0"], "a bad record has a position too");
}
