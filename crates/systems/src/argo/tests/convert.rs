//! Compares random failures in Argo's engine and in Armada's: without a `lost` note, both decide the same.

use super::{engine, read_document, replay, with_strategy};
use crate::ManifestSystem;
use crate::argo::ArgoEngine;
use crate::argo::convert::{from_v1, to_v1};
use crate::armada::Armada;
use crate::convert::{Fidelity, Note};
use armada_retry::engine::{Bindings, Evaluator, V1};
use armada_retry::policy::{self, RetryPolicy, SchedulerSettings};
use document::diag::Source;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use replay::simulate::simulate;
use replay::simulate::testing::read_lines;
use serde_json::{Value, json};
use std::sync::Arc;

/// The delay before the next attempt after each failure, in seconds, or `None` for the end.
type Delays = Vec<Option<f64>>;

fn records(failures: usize, field: (&str, &str)) -> Vec<Value> {
    let record = |run: usize| {
        let at = format!("2026-{:02}-{:02}T00:00:00Z", run / 14 + 1, run % 14 * 2 + 1);
        json!({"jobId": "j", "outcome": "Failed", "startedAt": at, "finishedAt": at, (field.0): field.1})
    };
    (0..failures).map(record).collect()
}

fn by_armada(policy: RetryPolicy, failures: usize) -> Delays {
    let lines: Vec<String> =
        records(failures, ("queue", "q")).iter().map(Value::to_string).collect();
    let (jobs, findings) = read_lines::<Armada>(&lines.join("\n"));
    assert!(findings.is_empty(), "{findings:?}");
    let forced = Some(vec![policy.name.to_string()]);
    let bindings = Bindings { forced, ..Bindings::default() };
    let settings = SchedulerSettings::default();
    let evaluator = Evaluator::new(&V1, vec![Arc::new(policy)], settings, &[]);
    let jobs = simulate(&Armada::new(evaluator, bindings), &jobs, super::OPTIONS).jobs.unwrap();
    jobs[0].decisions.iter().map(|decision| decision.delay_seconds).collect()
}

fn by_argo(engine: &ArgoEngine, failures: usize) -> Delays {
    let job = replay(engine, &records(failures, ("queue", "q")));
    job.decisions.iter().map(|decision| decision.delay_seconds).collect()
}

fn is_lost(notes: &[Note]) -> bool {
    notes.iter().any(|note| note.fidelity == Fidelity::Lost)
}

fn is_exact(notes: &[Note]) -> bool {
    notes.iter().all(|note| note.fidelity == Fidelity::Carried)
}

proptest! {
    #[test]
    fn a_strategy_decides_the_same_in_armada(
        limit in 0..8_i32,
        factor in option::of(0..4),
        cap in option::of(select(vec!["20s", "5m"])),
        duration in select(vec!["0", "10", "1m"]),
        has_backoff in any::<bool>(),
        failures in 1..10_usize,
    ) {
        let factor = factor.map(|it| format!(", factor: {it}")).unwrap_or_default();
        let cap = cap.map(|it| format!(", cap: {it}")).unwrap_or_default();
        let backoff = format!(", backoff: {{duration: '{duration}'{factor}{cap}}}");
        let backoff = if has_backoff { backoff } else { String::new() };
        let text = with_strategy(&format!("{{limit: {limit}, retryPolicy: Always{backoff}}}"));
        let (_, manifest, _) = read_document(&text);
        let mut conversion = to_v1(&manifest.unwrap()).unwrap();
        prop_assert!(!is_lost(&conversion.notes), "{:?}", conversion.notes);
        let theirs = by_argo(&engine(&text), failures);
        let ours = by_armada(conversion.result.remove(0), failures);
        prop_assert_eq!(theirs, ours, "{}", text);
    }

    #[test]
    fn a_policy_decides_the_same_in_argo(
        limit in 0..8_u32,
        action in select(vec!["Retry", "Fail"]),
        initial in select(vec!["10s", "1m"]),
        most in select(vec!["1m", "10m"]),
        multiplier in select(vec!["1", "2", "1.5", "3"]),
        failures in 1..10_usize,
    ) {
        let text = format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec:\n  retryLimit: {limit}\n  \
             defaultAction: {action}\n  backoff: {{initialDelay: {initial}, maxDelay: {most}, multiplier: {multiplier}}}\n  \
             rules: []\n"
        );
        let (documents, findings) = policy::read(&[Source::new("p.yaml", text.as_str())]);
        prop_assert!(!findings.has_errors(), "{:?}", findings);
        let policy = (*documents.policies[0].policy).clone();
        let conversion = from_v1(&policy);
        prop_assert!(!is_lost(&conversion.notes));
        if is_exact(&conversion.notes) {
            let argo = engine(&conversion.result.to_string());
            prop_assert_eq!(by_argo(&argo, failures), by_armada(policy, failures), "{}", text);
        }
    }
}

#[test]
fn several_strategies_become_several_policies() {
    let spec =
        "{templates: [{name: A, retryStrategy: {limit: 1}}, {name: b, retryStrategy: {limit: 2}}]}";
    let (document, manifest, _) = read_document(&super::workflow(spec));
    let conversion = ArgoEngine::to_v1(&document, &manifest.unwrap()).unwrap();
    let names: Vec<&str> = conversion.result.iter().map(|policy| policy.name.as_str()).collect();
    assert_eq!(names, ["train-a", "train-b"]);
    assert!(is_lost(&conversion.notes), "OnFailure has no counterpart");
}
