//! Properties of all histories, however they are cut and read.
//!
//! Holds semantics.md 10.

use super::slots::{SlotHistory, read_lines, read_pieces, read_text, stream};
use crate::history::{OnBadRecord, Piece};
use document::diag::Source;
use proptest::prelude::*;

/// A line of a stream: mostly a record, now and then something else.
fn line() -> impl Strategy<Value = String> {
    let record = (0..6u32, 0..4u32, 0..3u32, 0..50u32, any::<bool>()).prop_map(
        |(unit, slot, node, time, dated)| {
            let time = if dated { format!("1970-01-01T00:00:{time:02}Z") } else { format!("{time}s") };
            format!(
                r#"{{"jobId":"u{unit}","slot":{slot},"outcome":"Failed","node":"n{node}","finishedAt":"{time}"}}"#
            )
        },
    );
    let timed = (0..6u32, 0..4u32, 0..50u32).prop_map(|(unit, slot, time)| {
        format!(r#"{{"jobId":"u{unit}","slot":{slot},"outcome":"Running","finishedAt":"{time}s"}}"#)
    });
    let untimed = (0..6u32, 0..3u32).prop_map(|(unit, queue)| {
        format!(r#"{{"jobId":"u{unit}","queue":"q{queue}","outcome":"Succeeded"}}"#)
    });
    let spoiled = prop::sample::select(vec![
        "",
        "  \r",
        "nonsense",
        "[]",
        r#"{"jobId":"u1","slot":"2","outcome":"Failed"}"#,
        r#"{"jobId":"u1","slot":2,"outcome":"Odd"}"#,
        r#"{"jobId":"u2","outcome":"Failed","runIndex":0}"#,
        r#"{"jobId":"u2","outcome":"Failed","startedAt":"9s","finishedAt":"8s"}"#,
    ]);
    prop_oneof![1 => record, 4 => timed, 4 => untimed, 1 => spoiled.prop_map(str::to_owned)]
}

/// The lines in pieces that are cut before these lines.
fn cut(lines: &[String], cuts: &[usize], name: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece { name: name.into(), begins: true, bytes: Vec::new() }];
    for (number, line) in lines.iter().enumerate() {
        if cuts.contains(&number) {
            pieces.push(Piece { name: name.into(), begins: false, bytes: Vec::new() });
        }
        let bytes = &mut pieces.last_mut().unwrap().bytes;
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    pieces
}

proptest! {
    /// The result depends neither on the number of threads nor on the cuts.
    #[test]
    fn threads_and_cuts_change_nothing(
        streams in prop::collection::vec(prop::collection::vec(line(), 0..40), 1..4),
        cuts in prop::collection::vec(0..40usize, 0..12),
        on_bad in prop::sample::select(vec![
            OnBadRecord::Error, OnBadRecord::ErrorToTheEnd, OnBadRecord::Skip,
        ]),
    ) {
        let pieces = |cuts: &[usize]| -> Vec<Piece> {
            let streams = streams.iter().enumerate();
            streams.flat_map(|(number, lines)| cut(lines, cuts, &format!("s{number}"))).collect()
        };
        let read = |cuts: &[usize], threads| {
            let mut stream = stream(on_bad, threads);
            read_pieces(&mut stream, pieces(cuts));
            SlotHistory::from(stream)
        };
        let whole = read(&[], 1);
        // After the last bad record that is reported, how much more is read depends on the cuts.
        let is_full = on_bad == OnBadRecord::Error && whole.findings.len() >= 20;
        for threads in 1..4 {
            let mut cut = read(&cuts, threads);
            if is_full {
                cut.members.clone_from(&whole.members);
            }
            prop_assert_eq!(&cut, &whole, "{} threads", threads);
        }
    }

    /// A document holds what its runs hold as lines.
    #[test]
    fn documents_and_lines_agree(
        lines in prop::collection::vec(line(), 1..40)
            .prop_map(|lines| lines.into_iter().filter(|line| line.starts_with("{\"")).collect::<Vec<_>>()),
    ) {
        let mut jobs: Vec<(String, Vec<String>)> = Vec::new();
        for line in &lines {
            let (id, rest) = line[10..].split_once("\",").unwrap();
            let run = format!("{{{rest}");
            match jobs.iter_mut().find(|(known, _)| known == id) {
                Some((_, runs)) => runs.push(run),
                None => jobs.push((id.to_owned(), vec![run])),
            }
        }
        let jobs = jobs.iter().map(|(id, runs)| format!(r#"{{"jobId":"{id}","runs":[{}]}}"#, runs.join(",")));
        let text = format!(
            r#"{{"apiVersion":"armadaproject.io/v1","kind":"FailureHistory","spec":{{"jobs":[{}]}}}}"#,
            jobs.collect::<Vec<_>>().join(",")
        );
        let mut by_unit = lines.clone();
        let first = |line: &String| lines.iter().position(|other| other[..12] == line[..12]);
        by_unit.sort_by_key(first);
        let document = read_text(&text, OnBadRecord::Skip);
        let lines = read_lines(by_unit.join("\n"), OnBadRecord::Skip);
        prop_assert_eq!(&document.members, &lines.members);
        prop_assert_eq!(document.skipped, lines.skipped);
    }

    /// No bytes make the stream panic.
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), begins in any::<bool>()) {
        let mut stream = stream(OnBadRecord::ErrorToTheEnd, 1);
        let piece = Piece { name: "x".into(), begins, bytes: bytes.clone() };
        read_pieces(&mut stream, [piece]);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            stream.text(&Source::new("x", text));
        }
        stream.finish();
    }
}
