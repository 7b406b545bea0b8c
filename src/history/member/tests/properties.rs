//! What holds for all histories, however they are cut and read.

use super::*;
use crate::history::Piece;
use proptest::prelude::*;
use std::num::NonZeroUsize;

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

/// The lines in pieces that are cut behind these lines.
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
    /// Neither the number of threads nor where a stream is cut changes anything.
    #[test]
    fn threads_and_cuts_change_nothing(
        streams in prop::collection::vec(prop::collection::vec(line(), 0..40), 1..4),
        cuts in prop::collection::vec(0..40usize, 0..12),
        on_bad in prop::sample::select(vec![
            OnBadRecord::Error, OnBadRecord::ErrorToTheEnd, OnBadRecord::Skip,
        ]),
    ) {
        let mut whole = MemberReader::new(on_bad);
        for (number, lines) in streams.iter().enumerate() {
            let text = lines.join("\n") + "\n";
            if !whole.is_full() {
                whole.piece(&format!("s{number}"), true, text.as_bytes());
            }
        }
        let whole = made(whole);
        for threads in 1..4 {
            let mut reader = MemberReader::new(on_bad);
            let pieces = streams.iter().enumerate();
            let pieces = pieces.flat_map(|(number, lines)| cut(lines, &cuts, &format!("s{number}")));
            reader.pieces(pieces, NonZeroUsize::new(threads).unwrap());
            prop_assert_eq!(&made(reader), &whole, "{} threads", threads);
        }
    }

    /// A document says what its runs say as lines.
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
        let mut document = MemberReader::new(OnBadRecord::Skip);
        document.text(&Source::new("x", text));
        let mut by_unit = lines.clone();
        let first = |line: &String| lines.iter().position(|other| other[..12] == line[..12]);
        by_unit.sort_by_key(first);
        let document = made(document);
        let lines = of_lines(by_unit.join("\n"), OnBadRecord::Skip);
        prop_assert_eq!(&document.members, &lines.members);
        prop_assert_eq!(document.skipped, lines.skipped);
    }

    /// No bytes make the reader panic.
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), begins in any::<bool>()) {
        let mut reader = MemberReader::<SlotFields>::new(OnBadRecord::ErrorToTheEnd);
        reader.piece("x", begins, &bytes);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            reader.text(&Source::new("x", text));
        }
        reader.finish();
    }
}
