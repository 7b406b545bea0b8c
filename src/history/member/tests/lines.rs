//! Lines: how they become members, and what is wrong with them.

use super::*;

#[test]
fn members_of_a_unit_stand_together_in_the_order_they_are_met() {
    let text = r#"
{"jobId":"b","slot":7,"outcome":"Failed","queue":"q","node":"n1"}
{"jobId":"a","outcome":"Failed","queue":null,"node":"","x":{"y":[1]},"x":2}

{"jobId":"b","slot":3,"outcome":"Running","startedAt":"1s","finishedAt":"2s"}
{"jobId":"b","slot":7,"outcome":"Succeeded","code":0,"runIndex":5}
{"jobId":"b","slot":3,"outcome":"Failed","code":null}
{"outcome":"Failed","job\u0049d":"c"}"#;
    let made = of_lines(text, OnBadRecord::Error);
    assert!(made.findings.is_empty(), "{:?}", made.findings);
    assert_eq!(made.shown(), ["b@q 7: 0n1 5", "b@q 3: 0 1", "a@ 0 alone: 0", "c@ 0 alone: 0"]);
    assert!(made.members[1].runs[0].own.goes_on() && made.members[0].runs[1].own.succeeded());
    assert_eq!(made.members[1].runs[0].length().unwrap().to_string(), "1s");
}

#[test]
fn each_rule_has_its_finding_in_its_place() {
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
            "runIndex 4 does not grow: the run before has 4",
        ),
        (["}", r#","runIndex":0}"#], "0}", "runIndex 0 does not grow: the run before has 0"),
        (["}", r#","code":5}"#], "5}", "a slot has no code 5"),
        (
            [r#","queue":"p"}"#, r#","slot":1,"queue":"q"}"#],
            r#""q""#,
            "`queue` of job `a` differs from its first record, which counts",
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
        (["}", ""], r#"""#, "no JSON: EOF while parsing an object"),
    ] {
        let lines = more.map(|more| format!("{A}{more}"));
        let found = findings(lines.join("\n"));
        let column = lines[1].rfind(at).unwrap() + 1;
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert!(one.starts_with(&format!("x:2:{column}: ")) && one.contains(message), "{one}");
    }
    assert_eq!(findings(r#"{"outcome":"Odd","jobId":null}"#).len(), 2);
    assert_eq!(findings(r#"{"outcome":null,"jobId":"a"}"#).len(), 1);
    assert_eq!(findings("[]").len(), 1);
    assert_eq!(findings(b"{\"jobId\":\"\xff\"}"), ["x:1:11: RP003: the line is not UTF-8"]);
}

#[test]
fn bad_records_stop_the_reading_or_are_counted() {
    let bad = "{}\n".repeat(30);
    assert_eq!(of_lines(&bad, OnBadRecord::Error).findings.len(), 2 * 20, "two fields are missing");
    assert_eq!(of_lines(&bad, OnBadRecord::ErrorToTheEnd).findings.len(), 2 * 30);
    let text = r#"{"jobId":"a","slot":1,"outcome":"Failed","finishedAt":"5s"}
{"jobId":"a","slot":1,"outcome":"Failed","finishedAt":"4s"}
{"jobId":"a","slot":1,"outcome":"Odd"}
{"jobId":"a","slot":1,"outcome":"Failed"}
{"jobId":"a","slot":2,"outcome":"Failed"}"#;
    let made = of_lines(text, OnBadRecord::Skip);
    assert_eq!((made.skipped, made.findings.len()), (2, 0));
    assert_eq!(made.shown(), ["a@ 1: 0 3", "a@ 2: 0"], "a bad record has a position all the same");
}
