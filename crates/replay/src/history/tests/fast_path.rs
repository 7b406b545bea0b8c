//! The records of Armada's jobs on the fast path, the exact path and `serde_json`: where the fast path
//! reads a line, the others read the same record, and it reads all common lines.
//!
//! Holds semantics.md 10.

use super::line_texts;
use super::oracle::{self, Record};
use crate::history::line::{Header, KeyOrder, read};
use crate::history::lines::record_of_line;
use crate::history::{ArmadaRun, RunRecord, TimeNotation};
use document::diag::Source;
use proptest::prelude::*;
use std::borrow::Cow;
use std::fs;

/// The record of a line on the fast path. The run and the key order are those of another line before it, of
/// which nothing may be left.
fn read_fast(text: &str) -> Option<Record<'_>> {
    let (mut order, mut run) = (KeyOrder::default(), RunRecord::default());
    let mut read = |text| {
        let (mut notation, mut header) = (TimeNotation::for_lines(), Header::default());
        read(text, &mut notation, &mut order, &mut header, &mut run)?;
        Some((header, run.clone(), notation))
    };
    assert!(read(FULL).is_some());
    read(text)
}

fn read_exactly(text: &str) -> Option<Record<'static>> {
    let mut notation = TimeNotation::for_lines();
    let (header, run) =
        record_of_line::<ArmadaRun>(&Source::excerpt("", text, 0), &mut notation).ok()?;
    Some((header, run, notation))
}

/// Whether the fast path reads a line. `serde_json` then reads the same record. Where the fast path gives up,
/// the exact path decides: it reads the same record too, or refuses the line, as it reads YAML (a repeated
/// unknown key is an error there).
fn is_fast(text: &str) -> bool {
    let (fast, exact, expected) = (read_fast(text), read_exactly(text), oracle::read(text));
    if let Some(fast) = &fast {
        assert_eq!(Some(fast), expected.as_ref(), "{text}");
    }
    if let Some((exact, expected)) = exact.zip(expected) {
        assert_eq!(exact, expected, "{text}");
    }
    fast.is_some()
}

/// A line with every field.
const FULL: &str = r#" {"jobId":"a","outcome":"Failed","queue":"ml","jobSet":null,"runIndex":3,
"annotations":{"k":"v","n":null},"resources":{"cpu":2,"memory":"1Gi","nvidia.com/gpu":null},
"gang":{"id":"g","cardinality":2},"startedAt":"10s","finishedAt":"1m","node":"n","cluster":"c",
"conditions":["Evicted",""],"terminationGracePeriodSeconds":30,"terminationConfirmedAt":"2m",
"x":[-0.5e+3,{"y":[true,false,null,"\ud83d\ude00\/"]}],"category":"gpu","subcategory":"\u0078id",
"containers":[{"name":"main","init":false,"exitCode":-1,"reason":"Error","message":"é\n\"q\""}],
"debug":{"schemaVersion":1,"trigger":"podFailed","pod":{"reason":"Evicted","events":[{"message":"m"}]}},
"error":"Container main failed with exit code -1 because Error: x\n"}"#;

/// Characters that make or break JSON.
const SIGNIFICANT: &str = "{}[]\",:\\/0123456789-+.eEntfu \n\u{1}\u{7f}é";

#[test]
fn reads_common_lines() {
    assert!(is_fast(FULL));
    for text in [
        r#"{"outcome":"Failed","jobId":"a"}"#,
        r#"{"outcome":"Stopped","jobId":"\u0061","runIndex":4294967295,"x":1e999}"#,
        r#"{"job\u0049d":"a","outcome":"Failed","\ud83d\ude00":0}"#,
        r#"{"jobId":"a","outcome":"Failed","x":1,"x":2,"annotations":{"k":"v","k":null}}"#,
        r#"{"jobId":"a","outcome":"Failed","containers":[],"annotations":{},"resources":{}}"#,
        "{\"jobId\":\"\u{7f}é日😀\",\"outcome\":\"Failed\"}\r\n",
    ] {
        assert!(is_fast(text), "{text}");
    }
}

#[test]
fn exact_path_reads_all_fields_with_escaped_keys() {
    let expected = oracle::read(FULL);
    assert!(expected.is_some() && read_exactly(FULL) == expected);
    for (at, _) in FULL.match_indices("\":") {
        let (begin, rest) = FULL.split_at(FULL[..at].rfind('"').unwrap() + 1);
        let key = u32::from(rest.as_bytes()[0]);
        let text = format!("{begin}\\u{key:04x}{}", &rest[1..]);
        assert_eq!(read_exactly(&text), expected, "{text}");
        is_fast(&text);
    }
}

/// A text that is stored by name elsewhere is not copied out of the line, unless it has escapes.
#[test]
fn borrows_texts_without_escapes() {
    let plain = r#"{"jobId":"a","outcome":"Failed","queue":"q","node":"n","cluster":"c"}"#;
    let escaped = r#"{"jobId":"\u0061","outcome":"Failed","queue":"\u0071","node":"\u006e","cluster":"\u0063"}"#;
    for (text, is_borrowed) in [(plain, true), (escaped, false)] {
        let (Header { id, queue, node, cluster, .. }, _, _) = read_fast(text).unwrap();
        let texts = [id, queue.unwrap(), node.unwrap(), cluster.unwrap()];
        assert_eq!(texts.each_ref().map(|text| &**text), ["a", "q", "n", "c"]);
        for text in texts {
            assert_eq!(matches!(text, Cow::Borrowed(_)), is_borrowed, "{text}");
        }
    }
}

#[test]
fn finds_the_end_of_texts_of_any_length() {
    for length in 0..40 {
        let long = "x".repeat(length);
        for end in ["", "\\n", "\\\"", "é", "\\u00e9"] {
            let text = format!(
                "{{\"jobId\":\"a{long}{end}\",\"node\":\"{end}{long}\",\"outcome\":\"Failed\"}}"
            );
            assert!(is_fast(&text), "{text}");
        }
        for end in ["\u{1}", "\n", "\\x", "\\ud800", "\\udc00", "\\ud800\\u0041", "\\u00g0"] {
            let text = format!("{{\"jobId\":\"{long}{end}\",\"outcome\":\"Failed\"}}");
            assert!(!is_fast(&text), "{text}");
        }
    }
}

#[test]
fn checks_skipped_values() {
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
        assert!(!is_fast(&with(bad)), "{bad}");
        assert!(!is_fast(&with(&format!("[{bad}]"))) || bad.is_empty(), "[{bad}]");
    }
    for good in ["-0", "0", "-0.0E-0", "1E400", "18446744073709551616", "[[],{}]", " [ 1 , {\t} ] "]
    {
        assert!(is_fast(&with(good)), "{good}");
    }
    let nested = |depth: usize| with(&("[".repeat(depth) + &"]".repeat(depth)));
    assert!(is_fast(&nested(126)));
    assert!(!is_fast(&nested(127)) && !is_fast(&nested(100_000)));
}

#[test]
fn checks_types() {
    let odd = ["1.0", "1e0", "-0", "-1", "4294967296", "18446744073709551616", "01", "\"1\"", "[]"];
    for value in odd {
        for field in ["\"runIndex\":", "\"gang\":{\"id\":\"g\",\"cardinality\":"] {
            let close = if field.contains('{') { "}" } else { "" };
            let text = format!(r#"{{"jobId":"a","outcome":"Failed",{field}{value}{close}}}"#);
            assert!(!is_fast(&text), "{text}");
        }
    }
    for (value, read) in [
        ("-2147483648", true),
        ("2147483647", true),
        ("-2147483649", false),
        ("2147483648", false),
        ("-0", false),
        ("- 1", false),
        ("--1", false),
    ] {
        let text = format!(
            r#"{{"jobId":"a","outcome":"Failed","containers":[{{"name":"c","exitCode":{value}}}]}}"#
        );
        assert_eq!(is_fast(&text), read, "{text}");
    }
    for (value, read) in [("0", true), ("9000000000", true), ("9000000001", false), ("-1", false)] {
        let text = format!(
            r#"{{"jobId":"a","outcome":"Failed","terminationGracePeriodSeconds":{value}}}"#
        );
        assert_eq!(is_fast(&text), read, "{text}");
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
        assert!(!is_fast(text), "{text}");
    }
}

/// Every cut of a line, and every significant character at every place of it: inserted, and as a replacement.
#[test]
fn paths_agree_on_lines_with_one_fault() {
    for (at, was) in FULL.char_indices() {
        let (before, after) = FULL.split_at(at);
        assert!(!is_fast(before), "{before}");
        is_fast(&format!("{before}{}", &after[was.len_utf8()..]));
        for inserted in SIGNIFICANT.chars() {
            is_fast(&format!("{before}{inserted}{after}"));
            is_fast(&format!("{before}{inserted}{}", &after[was.len_utf8()..]));
        }
    }
}

/// The lines that fuzzing has found.
#[test]
fn paths_agree_on_corpus() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/line");
    let texts = fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
    let texts: Vec<String> = texts.filter_map(|bytes| String::from_utf8(bytes).ok()).collect();
    let fast = texts.iter().filter(|text| is_fast(text)).count();
    assert!(texts.len() >= 30 && fast >= 10, "{fast} of {}", texts.len());
}

proptest! {
    #[test]
    fn reads_any_common_line(text in line_texts::common()) {
        prop_assert!(is_fast(&text), "{}", text);
    }

    #[test]
    fn paths_agree_on_odd_lines(text in line_texts::odd()) {
        is_fast(&text);
    }

    #[test]
    fn paths_agree_on_broken_lines(
        text in prop_oneof![line_texts::common(), line_texts::odd()],
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
        // Bytes that are not UTF-8 never reach either path.
        is_fast(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_text_panics(text: String) {
        is_fast(&text);
        is_fast(&format!("{{\"jobId\":\"{text}\",\"outcome\":{text}}}"));
    }
}
