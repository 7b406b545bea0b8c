//! What must hold of any text that is taken for a line: what is read, mostly on the fast path, is what the
//! exact path reads, and a replay of such lines gives the same report whether their runs have signatures or not.

use armada_retry::engine::{Bindings, Evaluator, MissingPolicy, V1};
use armada_retry::policy::{self, SchedulerSettings};
use document::diag::Source;
use replay::history::{Job, OnBadRecord, Piece};
use replay::simulate::{
    self, Names, Options, Retention, Stream, StreamOptions, Timelines, read_history,
};
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};
use systems::armada::Armada;

/// Reads the text as a line, and as a JSON value, which takes the exact path. Returns whether the line is a
/// record.
pub fn line(text: &str) -> bool {
    // Between tokens any space will do; in a text a line end is an error, and a space only another text.
    let text = text.replace(['\n', '\r'], " ");
    assert_eq!(report(&text, true), report(&text, false), "{text}");
    let Some(job) = read(|stream| stream.whole_lines("line", &text)) else { return false };
    let exact = read(|stream| {
        let read = stream.json_values("value", &mut text.as_bytes());
        assert!(read.is_ok(), "{text}");
    });
    // The exact path may refuse what the fast path reads: it takes the line for YAML too.
    assert!(exact.is_none_or(|exact| exact == job), "{text}");
    true
}

/// The job of the only record, if nothing is wrong with it.
fn read(feed: impl FnOnce(&mut Stream<'_, Armada>)) -> Option<Job> {
    let (mut history, findings) = read_history(None, OnBadRecord::Error, feed);
    if !findings.is_empty() {
        return None;
    }
    assert!(history.members.len() <= 1);
    history.members.pop()
}

/// Two policies, with a rule for each kind of matcher and different defaults.
const POLICIES: &str = "
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: infra}
spec:
  rules:
  - {action: Fail, onFailureCategory: [fatal]}
  - {action: Retry, onConditions: [Preempted, OOMKilled], retryLimit: 1}
  - {action: Retry, containerName: main, onExitCodes: {operator: NotIn, values: [1]}}
  - {action: Retry, onTerminationMessage: {pattern: '(?i)transient|time-?out'}}
  defaultAction: Retry
---
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: ml-training}
spec: {rules: [{action: Retry, onConditions: [Evicted]}], defaultAction: Fail}
";

static ENGINES: LazyLock<[Armada; 1]> = LazyLock::new(|| {
    let (documents, findings) = policy::read(&[Source::new("policies.yaml", POLICIES)]);
    assert!(!findings.has_errors() && documents.policies.len() == 2);
    let policies = documents.policies.iter().map(|found| Arc::clone(&found.policy)).collect();
    let evaluator = Evaluator::new(&V1, policies, SchedulerSettings::default(), &[]);
    let bindings = Bindings {
        forced: Some(vec!["infra".to_owned(), "ml-training".to_owned()]),
        missing: MissingPolicy::Skip,
        ..Bindings::default()
    };
    [Armada::new(evaluator, bindings)]
});

/// The report about the line and three like it: one of the same job, two of another.
fn report(text: &str, has_alike: bool) -> String {
    let other = text.replacen("\"jobId\":\"", "\"jobId\":\"x", 1);
    let bytes = [text, &other, text, &other].join("\n").into_bytes();
    let mut piece = Some(Piece { name: "line".into(), begins: true, bytes });
    let (engines, names) = (&*ENGINES, Names::default());
    let options = StreamOptions {
        threads: NonZeroUsize::MIN,
        batch: NonZeroUsize::MIN,
        on_bad: OnBadRecord::Skip,
        hash_key: (0, 0),
        seed: 0,
        keep: Retention::Necessary,
        has_alike,
        shard: None,
        is_unmatched: None,
    };
    let mut stream = Stream::new(engines, &names, None, options);
    stream.batch(|next| piece.take().map(|piece| *next = piece).is_some());
    let outcome = stream.finish();
    let options = Options {
        timelines: Timelines::None,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: outcome.history.skipped,
        seed: 0,
    };
    let reports = engines.iter().zip(outcome.summaries).map(|(engine, streamed)| {
        let members = &outcome.history.members;
        let replayed = simulate::replay(engine, &names, members, options, streamed);
        simulate::report(engine, &names, replayed, options)
    });
    let reports: Vec<_> = reports.collect();
    let unread = outcome.history.unread.words();
    format!("{} {unread:?}", serde_json::to_string(&reports).expect("JSON"))
}
