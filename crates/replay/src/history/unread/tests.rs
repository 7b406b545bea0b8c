use super::words::KEPT;
use super::*;
use crate::history::piece::lines;
use crate::history::{
    ArmadaRun, Header, KeyOrder, Run, Table, TimeNotation, count_unread, read_line,
};
use armada_retry::policy::Condition;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The words of some lines: kind, text, records and the hint.
fn words(lines: &[&str]) -> Vec<(UnreadKind, String, u64, Option<String>)> {
    let text = lines.join("\n");
    let mut all = UnreadWords::default();
    all.piece(piece(&text), "h.jsonl", text.as_bytes(), 0);
    let word = |word: &UnreadWord| (word.kind, word.text.clone(), word.records, word.hint());
    all.words().into_iter().map(word).collect()
}

fn piece(text: &str) -> PieceUnread {
    let mut piece = PieceUnread::default();
    for (at, line) in lines(text.as_bytes(), true) {
        piece.line(std::str::from_utf8(line).unwrap(), Table::<ArmadaRun>::RECORD, at);
    }
    piece
}

#[test]
fn words_are_counted_by_record_with_a_hint() {
    let found = words(&[
        r#"{"jobId":"a","outcome":"Failed","catgory":"x","containers":[{"name":"m","exitcode":1},{"name":"n","exitcode":2}]}"#,
        r#"{"jobId":"b","outcome":"Failed","conditions":["OOMKiled","Evicted",""],"exitCode":3,"zone":"eu"}"#,
        r#"{"jobId":"c","outcome":"Failed","zone":{"catgory":1},"annotations":{"anything":"x"}}"#,
        r#"{"jobId":"d","outcome":"Failed","resources":{"gpu":1},"gang":"none","containers":7}"#,
        "[1, 2] no object",
    ]);
    let key = |text: &str, records, meant: Option<&str>| {
        (UnreadKind::Key, text.to_owned(), records, meant.map(str::to_owned))
    };
    let wanted = vec![
        key("zone", 2, None),
        (
            UnreadKind::Condition,
            "OOMKiled".to_owned(),
            1,
            Some("did you mean `OOMKilled`?".to_owned()),
        ),
        key("catgory", 1, Some("did you mean `category`?")),
        key("exitCode", 1, Some("did you mean `containers[].exitCode`?")),
        key("exitcode", 1, Some("did you mean `exitCode`?")),
        key("gpu", 1, Some("write `nvidia.com/gpu`")),
    ];
    assert_eq!(found, wanted);
}

/// A reason that the record names as a condition too is read, on the slow walk and from a run.
#[test]
fn a_reason_that_is_a_condition_of_the_record_is_read() {
    let line = |conditions: &str| {
        format!(
            r#"{{"jobId":"a","outcome":"Failed","containers":[{{"name":"m","reason":"DeadlineExceeded"}}],"conditions":[{conditions}]}}"#
        )
    };
    let (named, other) = (line(r#""DeadlineExceeded""#), line(r#""Evicted""#));
    assert_eq!(words(&[&named]), []);
    let unread = words(&[&other]);
    assert_eq!(unread.len(), 1);
    assert_eq!((unread[0].0, &*unread[0].1), (UnreadKind::Reason, "DeadlineExceeded"));
    for (text, is_unread) in [(named, false), (other, true)] {
        let (mut notation, mut order) = (TimeNotation::for_lines(), KeyOrder::default());
        let (mut header, mut run) = (Header::default(), Run::<ArmadaRun>::default());
        read_line(&text, &mut notation, &mut order, &mut header, &mut run).expect("a record");
        assert_eq!(run.own.has_unread(), is_unread, "{text}");
    }
}

#[test]
fn the_first_place_is_that_of_the_word() {
    let text = "{\"jobId\":\"a\"}\n\n{\"node\":\"exitcode\",\"exitcode\" : 1}\n{\"exitcode\":1}\n";
    let mut all = UnreadWords::default();
    all.piece(piece(text), "h.jsonl", text.as_bytes(), 10);
    let place = &all.words()[0].first;
    assert_eq!(place.to_string(), "h.jsonl:13:21");
}

#[test]
fn words_that_are_not_kept_are_counted_by_kind() {
    let key = |number: usize| format!("{{\"a{number:03}\":1}}");
    let mut lines: Vec<String> = (0..KEPT).map(key).collect();
    let counts = |lines: &[String]| {
        let text = lines.join("\n");
        let mut all = UnreadWords::default();
        all.piece(piece(&text), "h", text.as_bytes(), 0);
        let keys = all.words().iter().filter(|word| !word.kind.is_condition()).count();
        (keys, all.has_other_keys(), all.has_other_conditions(), all.others())
    };
    assert_eq!(counts(&lines), (100, false, false, 0));
    lines.push(r#"{"conditions":["zzz"]}"#.to_owned());
    assert_eq!(counts(&lines), (100, false, true, 1));
    lines.push(key(500));
    assert_eq!(counts(&lines), (100, true, true, 2));
    lines.push(r#"{"conditions":["OOMKiled"]}"#.to_owned());
    assert_eq!(counts(&lines), (99, true, true, 3));
}

#[test]
fn types_of_pod_conditions_are_misspelt_one_slip_away() {
    for kind in ["DisruptionTarge", "DisruptionTargets", "disruptionTarget", "Disruption_Target"] {
        assert!(is_misspelt_pod_condition(kind), "{kind}");
    }
    for kind in [
        "DisruptionTarget",
        "Ready",
        "PodScheduled",
        "ContainersReady",
        "Initialized",
        "PodReadyToStartContainers",
        "PodResizeInProgress",
        "PreemptionTarget",
        "example.com/DisruptionTarget",
        "",
    ] {
        assert!(!is_misspelt_pod_condition(kind), "{kind}");
    }
}

proptest! {
    /// However lines are shared out and however many words there are, the counts are the same, and
    /// as many words are kept as may be.
    #[test]
    fn counts_do_not_depend_on_the_threads(
        words in prop::collection::vec((0_u16..400, 0_usize..3), 1..600),
        cut in 1_usize..60,
    ) {
        // Each third word is near `category`.
        let name = |word: u16| match word % 3 {
            0 => format!("category{word}"),
            _ => format!("a-{word}"),
        };
        let line = |(word, _): &(u16, usize)| format!("{{\"{}\":1,\"every\":2}}\n", name(*word));
        let lines: Vec<String> = words.iter().map(line).collect();
        let text = lines.concat();
        let mut at_once = UnreadWords::default();
        at_once.piece(piece(&text), "h", text.as_bytes(), 0);
        let mut shared = UnreadWords::default();
        let mut before = 0;
        for (lines, shares) in lines.chunks(cut).zip(words.chunks(cut)) {
            let text = lines.concat();
            let mut parts = [PieceUnread::default(), PieceUnread::default(), PieceUnread::default()];
            let mut at = 0;
            for (line, (_, share)) in lines.iter().zip(shares) {
                parts[*share].line(line, Table::<ArmadaRun>::RECORD, at);
                at += line.len();
            }
            let mut all = PieceUnread::default();
            parts.into_iter().rev().for_each(|part| all.merge(part));
            shared.piece(all, "h", text.as_bytes(), before);
            before += lines.len();
        }
        let near: BTreeSet<u16> = words.iter().map(|(word, _)| *word).filter(|it| it % 3 == 0).collect();
        let kept = at_once.words().into_iter().filter(|word| word.hint().is_some()).count();
        prop_assert_eq!(kept, near.len().min(KEPT));
        let told = |all: &UnreadWords| {
            let word = |word: &UnreadWord| (word.text.clone(), word.records, word.first.to_string());
            (all.words().into_iter().map(word).collect::<Vec<_>>(), all.others())
        };
        prop_assert_eq!(told(&at_once), told(&shared));
        prop_assert!(at_once.words().len() <= KEPT);
        let counted: u64 = at_once.words().iter().map(|word| word.records).sum();
        prop_assert_eq!(counted + at_once.others(), 2 * words.len() as u64);
    }
}

/// A part of a record: keys that are read or not, at every depth, some with escapes or twice.
fn part() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        r#""zone":"eu""#,
        r#""catgory":{"zone":1}"#,
        r#""zo\u006ee":[{"reason":"Evicted"}]"#,
        r#""node":"n""#,
        r#""conditions":["OOMKiled","Evicted",""]"#,
        r#""containers":[{"name":"m","reason":"Evicted"}]"#,
        r#""containers":[{"name":"m","exitcode":1,"reason":"DeadlineExceeded"}]"#,
        r#""gang":{"id":"g","size":2}"#,
    ])
}

proptest! {
    /// Words that are known once a line is read are those that a walk through it finds.
    #[test]
    fn reading_a_line_finds_what_a_walk_finds(parts in prop::collection::vec(part(), 0..5)) {
        let mut parts = parts;
        parts.push(r#""runIndex":0"#);
        let text = format!(r#"{{"jobId":"a","outcome":"Failed",{}}}"#, parts.join(","));
        let (mut notation, mut order) = (TimeNotation::for_lines(), KeyOrder::default());
        let (mut header, mut run) = (Header::default(), Run::<ArmadaRun>::default());
        let read = read_line(&text, &mut notation, &mut order, &mut header, &mut run);
        prop_assume!(read.is_ok());
        let (mut of_read, mut walked) = (PieceUnread::default(), PieceUnread::default());
        count_unread(&mut of_read, &read.unwrap(), (&text, &run.own), 0);
        walked.line(&text, Table::<ArmadaRun>::RECORD, 0);
        let words = |piece: PieceUnread| {
            let mut all = UnreadWords::default();
            all.piece(piece, "h", text.as_bytes(), 0);
            let word = |word: &UnreadWord| (word.kind, word.text.clone(), word.records);
            all.words().into_iter().map(word).collect::<Vec<_>>()
        };
        prop_assert_eq!(words(of_read), words(walked));
    }
}

#[test]
fn no_typo_of_a_condition_is_passed_over_by_its_ends() {
    let edits = |name: &str| {
        let letters: Vec<char> = name.chars().collect();
        let mut all = vec![name.to_lowercase(), name.replace('E', "_e")];
        for at in 0..letters.len() {
            let with = |new: &[char], skipped: usize| -> String {
                letters[..at].iter().chain(new).chain(&letters[at + skipped..]).collect()
            };
            all.extend([with(&[], 1), with(&['x'], 1), with(&['é'], 1), with(&['x'], 0)]);
            if at + 1 < letters.len() {
                all.push(with(&[letters[at + 1], letters[at]], 2));
            }
        }
        all
    };
    for condition in Condition::ALL.map(Condition::as_str) {
        for edited in edits(condition) {
            let is_known = edited == Condition::OomKilled.as_str();
            assert!(is_known || is_misplaced_reason(&edited), "{edited}");
        }
    }
    for other in ["StartError", "ContainerCannotRun", "Unknown", "NodeAffinity"] {
        assert!(!is_misplaced_reason(other), "{other}");
    }
}
