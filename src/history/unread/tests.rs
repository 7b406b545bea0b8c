use super::*;
use proptest::prelude::*;

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
    for (at, line) in super::super::lines(text.as_bytes(), true) {
        piece.line(std::str::from_utf8(line).unwrap(), &RECORD, at);
    }
    piece
}

#[test]
fn words_are_counted_by_record_with_what_was_meant() {
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

#[test]
fn the_first_place_is_that_of_the_word() {
    let text = "{\"jobId\":\"a\"}\n\n{\"node\":\"exitcode\",\"exitcode\" : 1}\n{\"exitcode\":1}\n";
    let mut all = UnreadWords::default();
    all.piece(piece(text), "h.jsonl", text.as_bytes(), 10);
    let place = &all.words()[0].first;
    assert_eq!(place.to_string(), "h.jsonl:13:21");
}

proptest! {
    /// However lines are shared out and however many words there are, the counts are the same, and
    /// as many words are kept as may be.
    #[test]
    fn counts_do_not_depend_on_who_reads_which_line(
        words in prop::collection::vec((0_u16..400, 0_usize..3), 1..600),
        cut in 1_usize..60,
    ) {
        let lines: Vec<String> =
            words.iter().map(|(word, _)| format!("{{\"key-{word}\":1,\"every\":2}}\n")).collect();
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
                parts[*share].line(line, &RECORD, at);
                at += line.len();
            }
            let mut all = PieceUnread::default();
            parts.into_iter().rev().for_each(|part| all.merge(part));
            shared.piece(all, "h", text.as_bytes(), before);
            before += lines.len();
        }
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
