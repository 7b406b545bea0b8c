//! Lints compared with the engine, on random strategies.

use super::{read_document, with_strategy};
use crate::argo::engine::decision::{Attempt, Chain, Verdict, decide};
use crate::argo::{ArgoEngine, AttemptOutcome, RetryStrategy};
use crate::{Bounds, ManifestSystem};
use document::diag::{Code, Findings};
use document::units::{GoDuration, Time};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Makes the text of a strategy.
fn strategy() -> impl Strategy<Value = String> {
    let limit = option::weighted(0.9, select(vec![-1, 0, 1, 2, 3, 30, 60, 999, 1000, 2000]));
    let policy = option::of(select(vec!["Always", "OnFailure", "OnError", "OnTransientError"]));
    let duration = select(vec!["0", "1", "30s", "10m", "3h"]);
    let factor = option::of(select(vec![-1, 0, 1, 2, 5]));
    let cap = option::of(select(vec!["0", "20s", "1h", "9h"]));
    let most = option::of(select(vec!["0", "10s", "45m", "20h", "1000h"]));
    let backoff =
        option::of((duration, factor, cap, most).prop_map(|(duration, factor, cap, most)| {
            let factor = factor.map(|it| format!(", factor: {it}")).unwrap_or_default();
            let cap = cap.map(|it| format!(", cap: '{it}'")).unwrap_or_default();
            let most = most.map(|it| format!(", maxDuration: '{it}'")).unwrap_or_default();
            format!("backoff: {{duration: '{duration}'{factor}{cap}{most}}}")
        }));
    (limit, policy, backoff).prop_map(|(limit, policy, backoff)| {
        let limit = limit.map(|it| format!("limit: {it}"));
        let policy = policy.map(|it| format!("retryPolicy: {it}"));
        let parts: Vec<String> = [limit, policy, backoff].into_iter().flatten().collect();
        format!("{{{}}}", parts.join(", "))
    })
}

/// The attempts and waits in seconds of a node whose attempts take no time and all fail in this way.
fn run(strategy: &RetryStrategy, outcome: AttemptOutcome, message: &str) -> (u64, f64) {
    let start = Time::from_epoch_seconds(0);
    let (mut now, mut chain) = (start, Chain { first_start: Some(start), ..Chain::default() });
    let mut waited = 0.0;
    loop {
        chain.attempts += 1;
        let (message, times) = (Some(message), Some(now));
        let attempt = Attempt {
            outcome,
            exit_code: Some(1),
            message,
            transient: None,
            started: times,
            ended: times,
        };
        let decision = decide(Some(strategy), chain, &attempt);
        if decision.verdict != Verdict::Retry || chain.attempts == 2100 {
            return (chain.attempts.into(), waited);
        }
        let wait = decision.wait.unwrap_or_default();
        waited += wait.as_secs_f64();
        now = now.plus(wait);
    }
}

fn lint(text: &str) -> (RetryStrategy, Findings, Findings) {
    let (document, manifest, findings) = read_document(&with_strategy(text));
    let manifest = manifest.unwrap_or_else(|| panic!("{findings:?}\n{text}"));
    let strategy = manifest.templates[0].strategy.clone().unwrap();
    (strategy, ArgoEngine::lint(&document, &manifest, &Bounds::default()), findings)
}

const FAILURES: [(AttemptOutcome, &str); 3] = [
    (AttemptOutcome::Failed, "i/o timeout"),
    (AttemptOutcome::Error, "i/o timeout"),
    (AttemptOutcome::Failed, "The node was low on resource: memory."),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn findings_are_what_the_engine_does(text in strategy()) {
        let (strategy, findings, warnings) = lint(&text);
        let has = |code| findings.iter().any(|finding| finding.code == code);
        let runs = FAILURES.map(|(outcome, message)| run(&strategy, outcome, message));
        let (attempts, wait) = runs.into_iter().fold((0, 0.0), |(most, longest), (attempts, wait)| {
            (most.max(attempts), f64::max(longest, wait))
        });
        prop_assert_eq!(has(Code::ZeroLimit), attempts == 1, "{} attempts", attempts);
        let bounds = Bounds::default();
        let is_beyond = attempts > bounds.attempts || wait > bounds.wait.as_secs_f64();
        prop_assert_eq!(has(Code::WorstCase), is_beyond && strategy.limit.is_some(), "{} {}", attempts, wait);
        prop_assert_eq!(has(Code::HugeLimit), strategy.limit.is_some_and(|limit| limit >= 1000));
        // A phase of disruptions that is not retried, although the other one is.
        let retries = |outcome, message| run(&strategy, outcome, message).0 > 1;
        let evicted = retries(AttemptOutcome::Failed, "The node was low on resource: memory.");
        let deleted = retries(AttemptOutcome::Error, "pod deleted");
        if evicted != deleted {
            prop_assert!(has(Code::ChargedDisruptions));
        }
        if evicted && deleted {
            prop_assert!(!has(Code::ChargedDisruptions));
        }
        // A backoff that is written and never waited for, or never as written.
        let misleading = warnings.iter().filter(|it| it.code == Code::Misleading).count();
        let expected = strategy.backoff.map_or(0, |backoff| {
            let unlimited = strategy.limit.is_none() && backoff.duration > GoDuration::ZERO;
            let capped = backoff.cap.is_some_and(|cap| cap < backoff.duration);
            let negative = backoff.factor.is_some_and(|factor| factor < 0);
            usize::from(unlimited) + usize::from(capped) + usize::from(negative)
        });
        prop_assert_eq!(misleading, expected);
    }
}

#[test]
fn a_shared_strategy_is_reported_once() {
    let spec = "{retryStrategy: {limit: 0}, templates: [{name: a}, {name: b}]}";
    let (document, manifest, _) = read_document(&super::workflow(spec));
    let findings = ArgoEngine::lint(&document, &manifest.unwrap(), &Bounds::default());
    assert_eq!(findings.len(), 1);
}
