//! The retries on record by where and when they ran are the same from memory and from a stream.

use super::question::Question;
use super::ways::pieces;
use crate::oracle::Draw;
use replay::history::Piece;
use replay::simulate::{
    AnswerOptions, Batch, Names, RecordCounts, Retention, Stream, StreamOptions, answer_report,
    record_of_members,
};
use serde_json::Value;
use std::num::NonZeroUsize;

/// The record of a question, read on some threads, with these units in memory.
fn record(question: &Question, pieces: Vec<Piece>, threads: usize, keep: Retention) -> Value {
    let (names, engines) = (Names::default(), &question.engines[..1]);
    let options = StreamOptions {
        threads: NonZeroUsize::new(threads).expect("a thread"),
        batch: NonZeroUsize::new(3).expect("a piece"),
        on_bad: question.on_bad,
        hash_key: (threads as u64, 1),
        seed: 0,
        keep,
        has_alike: true,
        shard: None,
        is_unmatched: None,
    };
    let mut stream = Stream::new(engines, &names, Some(question.bounds), options);
    stream.count_groups();
    let mut pieces = pieces.into_iter();
    while stream.batch(|piece| pieces.next().map(|next| *piece = next).is_some()) == Batch::Full {}
    let outcome = stream.finish();
    let all = (outcome.history.members.as_slice(), &outcome.history.outcomes);
    let mut record: RecordCounts = outcome.record;
    record.merge(record_of_members(&engines[0], &names, all, None, true).counts);
    let answer = answer_report(&names, &record, &[], AnswerOptions::default());
    serde_json::to_value(answer).expect("JSON")
}

#[test]
fn the_retries_on_record_are_the_same_from_memory_and_from_a_stream() {
    let (mut compared, mut met) = (0, [0; 5]);
    for seed in 0..super::cases() {
        let mut draw = Draw::new(seed);
        let question = Question::draw(&mut draw, seed);
        let whole = record(&question, pieces(&question.streams, &mut draw), 1, Retention::All);
        for threads in [1, 4] {
            let pieces = pieces(&question.streams, &mut draw);
            let streamed = record(&question, pieces, threads, Retention::Necessary);
            // Reading stops at some bad record of a batch.
            if whole["runs"] == streamed["runs"] {
                assert_eq!(streamed, whole, "seed {seed}, {threads} threads\n{question}");
                compared += 1;
            }
        }
        let groups = &whole["recordedRetries"];
        let rows = ["byQueue", "byCategory", "byRetry", "byDay", "byNode"]
            .map(|name| groups[name].as_array().expect("rows"));
        let sums =
            rows.map(|rows| -> u64 { rows.iter().filter_map(|row| row["retries"].as_u64()).sum() });
        // A retry may lack a time before it, and a node.
        let [queues, categories, numbers, days, nodes] = sums;
        assert!(queues == categories && queues == numbers, "{groups}\n{question}");
        assert!(days <= queues && nodes <= queues, "{groups}\n{question}");
        met.iter_mut().zip(rows).for_each(|(met, rows)| *met += rows.len());
    }
    assert!(compared > 0 && met.iter().all(|rows| *rows > 0), "{compared} {met:?}");
}
