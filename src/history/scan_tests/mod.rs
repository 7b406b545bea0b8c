//! The scanner against `serde_json`: what it reads is what is read there, and it reads what is
//! common.

mod texts;

use super::clock::Clock;
use super::json_record::{Record, parse};
use super::scan::scan;
use proptest::prelude::*;
use std::borrow::Cow;

/// Whether the scanner reads the text; then `serde_json` has to read the same. The record said
/// something else before, of which nothing may be left.
fn scanned(text: &str) -> bool {
    let clock = Clock::of_lines();
    let mut record = Record::default();
    assert!(scan(FULL, clock, &mut record).is_some());
    let Some(after) = scan(text, clock, &mut record) else { return false };
    match parse(text, clock) {
        Some(expected) => assert_eq!((record, after), expected, "{text}"),
        None => panic!("{text}"),
    }
    true
}

/// A line with every field, written as it comes.
const FULL: &str = r#" {"jobId":"a","outcome":"Failed","queue":"ml","jobSet":null,"runIndex":3,
"annotations":{"k":"v","n":null},"resources":{"cpu":2,"memory":"1Gi","nvidia.com/gpu":null},
"gang":{"id":"g","cardinality":2},"startedAt":"10s","finishedAt":"1m","node":"n","cluster":"c",
"conditions":["Evicted",""],"terminationGracePeriodSeconds":30,"terminationConfirmedAt":"2m",
"x":[-0.5e+3,{"y":[true,false,null,"\ud83d\ude00\/"]}],"category":"gpu","subcategory":"\u0078id",
"containers":[{"name":"main","init":false,"exitCode":-1,"reason":"Error","message":"é\n\"q\""}]}"#;

/// What makes or breaks JSON, byte by byte.
const TELLING: &str = "{}[]\",:\\/0123456789-+.eEntfu \n\u{1}\u{7f}é";

#[test]
fn the_common_lines_are_scanned() {
    assert!(scanned(FULL));
    for text in [
        r#"{"outcome":"Failed","jobId":"a"}"#,
        r#"{"outcome":"Stopped","jobId":"\u0061","runIndex":4294967295,"x":1e999}"#,
        r#"{"job\u0049d":"a","outcome":"Failed","\ud83d\ude00":0}"#,
        r#"{"jobId":"a","outcome":"Failed","x":1,"x":2,"annotations":{"k":"v","k":null}}"#,
        r#"{"jobId":"a","outcome":"Failed","containers":[],"annotations":{},"resources":{}}"#,
        "{\"jobId\":\"\u{7f}é日😀\",\"outcome\":\"Failed\"}\r\n",
    ] {
        assert!(scanned(text), "{text}");
    }
}

/// Both readers lend what stands in the line as it is, at every depth.
#[test]
fn texts_without_escapes_stay_in_the_line() {
    let text = r#"{"jobId":"a","outcome":"Failed","queue":"q","conditions":["Evicted"],
        "annotations":{"k":"v"},"gang":{"id":"g","cardinality":2},"resources":{"cpu":"1"},
        "containers":[{"name":"main","reason":"Error","message":"a\nb"}]}"#;
    let mut scanned = Record::default();
    assert!(scan(text, Clock::of_lines(), &mut scanned).is_some());
    let (parsed, _) = parse(text, Clock::of_lines()).unwrap();
    for Record { id, job, fields, .. } in [scanned, parsed] {
        let (key, value) = job.annotations.unwrap().into_iter().next().unwrap();
        let (gang, mut run) = (job.gang.unwrap(), fields.run);
        let container = run.containers.remove(0);
        let lent = [id, job.queue.unwrap(), run.conditions.remove(0), key, value, gang.id];
        let more = [container.name, container.reason.unwrap()];
        assert!(lent.iter().chain(&more).all(|text| matches!(text, Cow::Borrowed(_))));
        assert!(matches!(container.message.unwrap(), Cow::Owned(_)));
    }
}

#[test]
fn a_line_of_any_length_ends_where_it_ends() {
    for length in 0..40 {
        let long = "x".repeat(length);
        for end in ["", "\\n", "\\\"", "é", "\\u00e9"] {
            let text = format!(
                "{{\"jobId\":\"a{long}{end}\",\"node\":\"{end}{long}\",\"outcome\":\"Failed\"}}"
            );
            assert!(scanned(&text), "{text}");
        }
        for end in ["\u{1}", "\n", "\\x", "\\ud800", "\\udc00", "\\ud800\\u0041", "\\u00g0"] {
            let text = format!("{{\"jobId\":\"{long}{end}\",\"outcome\":\"Failed\"}}");
            assert!(!scanned(&text), "{text}");
        }
    }
}

#[test]
fn what_is_passed_is_checked() {
    let with = |value: &str| format!(r#"{{"jobId":"a","outcome":"Failed","x":{value}}}"#);
    for bad in [
        "01",
        "-",
        "-01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "1.e1",
        "0x1",
        "00",
        "-.5",
        "NaN",
        "nul",
        "nulll",
        "True",
        "[1,]",
        "[,]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\u{1f}\"",
        "\"",
        "[",
        "{",
        "[}",
        "{]",
        "[\"a\":1]",
        "'a'",
        "1,",
        "{1:2}",
        "/**/1",
        "\u{a0}1",
        "\u{b}1",
    ] {
        assert!(!scanned(&with(bad)), "{bad}");
        assert!(!scanned(&with(&format!("[{bad}]"))) || bad.is_empty(), "[{bad}]");
    }
    for good in ["-0", "0", "-0.0E-0", "1E400", "18446744073709551616", "[[],{}]", " [ 1 , {\t} ] "]
    {
        assert!(scanned(&with(good)), "{good}");
    }
    let nested = |depth: usize| with(&("[".repeat(depth) + &"]".repeat(depth)));
    assert!(scanned(&nested(64)));
    assert!(!scanned(&nested(65)) && !scanned(&nested(100_000)));
}

#[test]
fn types_are_those_of_the_fields() {
    let odd = ["1.0", "1e0", "-0", "-1", "4294967296", "18446744073709551616", "01", "\"1\"", "[]"];
    for value in odd {
        for field in ["\"runIndex\":", "\"gang\":{\"id\":\"g\",\"cardinality\":"] {
            let close = if field.contains('{') { "}" } else { "" };
            let text = format!(r#"{{"jobId":"a","outcome":"Failed",{field}{value}{close}}}"#);
            assert!(!scanned(&text), "{text}");
        }
    }
    for (value, read) in [
        ("-9223372036854775808", true),
        ("9223372036854775807", true),
        ("-9223372036854775809", false),
        ("9223372036854775808", false),
        ("-0", false),
        ("- 1", false),
        ("--1", false),
    ] {
        let text = format!(
            r#"{{"jobId":"a","outcome":"Failed","containers":[{{"name":"c","exitCode":{value}}}]}}"#
        );
        assert_eq!(scanned(&text), read, "{text}");
    }
    for (value, read) in [("0", true), ("9000000000", true), ("9000000001", false), ("-1", false)] {
        let text = format!(
            r#"{{"jobId":"a","outcome":"Failed","terminationGracePeriodSeconds":{value}}}"#
        );
        assert_eq!(scanned(&text), read, "{text}");
    }
    for text in [
        r#"{"jobId":"a"}"#,
        r#"{"jobId":null,"outcome":"Failed"}"#,
        r#"{"jobId":"","outcome":"Failed"}"#,
        r#"{"jobId":"a","outcome":"failed"}"#,
        r#"{"jobId":"a","outcome":"Failed","startedAt":"2s","finishedAt":"1s"}"#,
        r#"{"jobId":"a","outcome":"Failed","startedAt":"2026-10-01T00:00:00Z","finishedAt":"1s"}"#,
        r#"{"jobId":"a","outcome":"Failed","gang":{"id":"g","cardinality":0}}"#,
        r#"{"jobId":"a","outcome":"Failed","resources":{"cpu":0}}"#,
        r#"{"jobId":"a","outcome":"Failed","containers":[{"name":"c"},{"name":"c"}]}"#,
        r#"{"jobId":"a","outcome":"Failed","queue":null,"queue":"q"}"#,
        r#"{"jobId":"a","outcome":"Failed","conditions":[null]}"#,
        r#"{"jobId":"a","outcome":"Failed","containers":[{"init":true}]}"#,
        r#"{"jobId":"a","outcome":"Failed","gang":{"id":"g"}}"#,
        r#"{"jobId":"a","outcome":"Failed"} x"#,
        r#"{"jobId":"a","outcome":"Failed"}{}"#,
        "",
        " ",
        "null",
    ] {
        assert!(!scanned(text), "{text}");
    }
}

/// Every cut of a line, and every telling character in every place of it: put in, or put for
/// what was there.
#[test]
fn a_line_with_one_fault_is_read_as_ever_or_not_at_all() {
    for (at, was) in FULL.char_indices() {
        let (before, after) = FULL.split_at(at);
        assert!(!scanned(before), "{before}");
        scanned(&format!("{before}{}", &after[was.len_utf8()..]));
        for put in TELLING.chars() {
            scanned(&format!("{before}{put}{after}"));
            scanned(&format!("{before}{put}{}", &after[was.len_utf8()..]));
        }
    }
}

proptest! {
    #[test]
    fn any_common_line_is_scanned(text in texts::common()) {
        prop_assert!(scanned(&text), "{}", text);
    }

    #[test]
    fn an_odd_line_is_read_as_ever_or_not_at_all(text in texts::odd()) {
        scanned(&text);
    }

    #[test]
    fn a_broken_line_is_read_as_ever_or_not_at_all(
        text in prop_oneof![texts::common(), texts::odd()],
        faults in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = text.into_bytes();
        for (at, byte) in faults {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        // What is not UTF-8 is refused before it gets here.
        scanned(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_text_makes_it_panic(text: String) {
        scanned(&text);
        scanned(&format!("{{\"jobId\":\"{text}\",\"outcome\":{text}}}"));
    }
}
