//! What must hold of any bytes that are taken for a history: nothing panics, every finding has a
//! place that exists, and what is read can be replayed.

use armada_retry::engine::{Bindings, Evaluator, V1};
use armada_retry::policy::{self, SchedulerSettings};
use armadactl::internals::findings;
use document::diag::{self, Findings, Source};
use replay::history::{ArmadaRun, GraceBounds, History, OnBadRecord, Piece};
use replay::simulate::{Options, Stream, Timelines, read_history, simulate};
use std::num::NonZeroUsize;
use std::sync::Arc;
use systems::armada::{Armada, incomplete_gangs};

/// A policy that tries everything: counts, waits, nodes, messages.
const POLICY: &str = "
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: fuzz}
spec:
  retryLimit: 3
  defaultAction: Retry
  backoff: {initialDelay: 1s, maxDelay: 1h, multiplier: 2.0}
  antiAffinity: {mode: node}
  rules:
  - {action: Fail, onFailureCategory: [fatal]}
  - {action: Retry, onConditions: [Preempted, OOMKilled], mutate: {resources: {memory: {factor: 1.5}}}}
  - {action: Retry, containerName: main, onExitCodes: {operator: NotIn, values: [1]}}
  - {action: Retry, onTerminationMessage: {pattern: '(?i)transient|time-?out'}}
";

/// Reads the bytes as a document and line by line, strictly and leniently, and replays the rest.
pub fn history(data: &[u8]) {
    for on_bad in [OnBadRecord::Error, OnBadRecord::Skip] {
        if let Ok(text) = std::str::from_utf8(data) {
            check(read(on_bad, |stream| stream.text(&Source::new("fuzz.yaml", text))));
        }
        check(read(on_bad, |stream| {
            let name = "fuzz.jsonl".into();
            let mut piece = Some(Piece { name, begins: true, bytes: data.to_vec() });
            stream.batch(|next| piece.take().map(|piece| *next = piece).is_some());
        }));
    }
}

fn read(
    on_bad: OnBadRecord,
    feed: impl FnOnce(&mut Stream<'_, Armada>),
) -> (History<ArmadaRun>, Findings) {
    let bounds = GraceBounds::from(&SchedulerSettings::default());
    let (history, mut findings) = read_history(Some(bounds), on_bad, feed);
    findings.extend(incomplete_gangs(&history.members));
    (history, findings)
}

fn check((history, findings): (History<ArmadaRun>, Findings)) {
    let findings = findings.sorted();
    for finding in &findings {
        assert!(!finding.message.is_empty(), "{finding:?}");
        if let Some(place) = &finding.place {
            assert!(place.start() <= place.end(), "{finding:?}");
        }
    }
    let shown =
        findings::human(&findings, findings::Style::Plain, Some(80)) + &diag::short(&findings);
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    replay(&history);
}

fn replay(history: &History<ArmadaRun>) {
    let (documents, _) = policy::read(&[Source::new("policy.yaml", POLICY)]);
    let policies = documents.policies.iter().map(|found| Arc::clone(&found.policy)).collect();
    let settings = SchedulerSettings::default();
    let evaluator = Evaluator::new(&V1, policies, settings, &history.reloads);
    let options = Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: history.skipped,
        seed: 0,
    };
    let engine = Armada::new(evaluator, Bindings::default());
    let report = simulate(&engine, &history.members, options);
    assert_eq!(
        report.summary.totals.jobs,
        history.members.len() as u64,
        "every job comes to something"
    );
    let outcomes: u64 = report.summary.outcomes.values().sum();
    assert_eq!(outcomes, report.summary.totals.jobs);
}
