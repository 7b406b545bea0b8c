//! The evaluator and the replay against a naive evaluator that was written from semantics.md alone.
//!
//! Holds semantics.md 1, 2, 3, 4, 5, 6, 7, 8, 9, 10.

use super::oracle::{self, Input};
use armada_retry::engine::{Bindings, Evaluator, MissingPolicy, V1, V1BETA1};
use armada_retry::policy::{self, SchedulerSettings};
use document::diag::{Diagnostic, Findings, Source};
use replay::history::{GraceBounds, OnBadRecord};
use replay::simulate::{Options, Timelines, read_history, simulate};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::Arc;
use systems::armada::Armada;

/// What the library says to the question, which has to be a valid one.
fn library(input: &Input, threads: usize) -> Value {
    answer(input, threads).unwrap_or_else(|findings| panic!("{findings:?}\n{input}"))
}

fn answer(input: &Input, threads: usize) -> Result<Value, Vec<Diagnostic>> {
    let texts = input.policies.iter().enumerate();
    let sources: Vec<_> =
        texts.map(|(n, policy)| Source::new(format!("{n}.json"), policy.to_string())).collect();
    let (documents, findings) = policy::read(&sources);
    valid(findings)?;
    let settings = input.scheduler.as_ref().map_or_else(SchedulerSettings::default, |config| {
        let (settings, findings) =
            policy::read_scheduler_config(&Source::new("config.json", config.to_string()));
        settings.unwrap_or_else(|| panic!("{:?}", findings.sorted()))
    });
    let bounds = Some(GraceBounds::from(&settings));
    let source = Source::new("history.json", input.history.to_string());
    let (history, findings) =
        read_history::<Armada>(bounds, OnBadRecord::Error, |stream| stream.text(&source));
    valid(findings)?;
    let profile = if input.engine == oracle::Engine::V1 { &V1 } else { &V1BETA1 };
    let policies = documents.policies.iter().map(|found| Arc::clone(&found.policy)).collect();
    let queues = history.queues.iter();
    let bindings = Bindings {
        forced: input.queue_policies.clone(),
        queues: queues.map(|queue| (queue.name.clone(), queue.retry_policies.clone())).collect(),
        missing: if input.missing_policy_skip { MissingPolicy::Skip } else { MissingPolicy::Error },
        is_complete: false,
    };
    let evaluator = Evaluator::new(profile, policies, settings, &history.reloads);
    let options = Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::new(threads).expect("a thread"),
        skipped_records: history.skipped,
        seed: 0,
    };
    let report = simulate(&Armada::new(evaluator, bindings), &history.members, options);
    Ok(serde_json::to_value(report).expect("a report is JSON"))
}

fn valid(findings: Findings) -> Result<(), Vec<Diagnostic>> {
    if findings.has_errors() { Err(findings.sorted()) } else { Ok(()) }
}

fn differ(input: &Input) -> bool {
    answer(input, 1)
        .is_ok_and(|actual| !oracle::differences(&oracle::simulate(input), &actual).is_empty())
}

/// Cases in one test run; `PROPERTY_CASES` asks for more.
pub fn cases() -> u64 {
    std::env::var("PROPERTY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(4_000)
}

#[test]
fn the_oracle_agrees_with_hand_worked_cases() {
    oracle::self_check();
}

#[test]
fn evaluator_and_oracle_agree() {
    let mut coverage = oracle::Coverage::default();
    let mut fields = oracle::Fields::default();
    for seed in 0..cases() {
        let input = oracle::case(seed);
        assert!(oracle::problems(&input).is_empty(), "seed {seed} is no valid question");
        let expected = oracle::simulate(&input);
        let actual = library(&input, 1);
        if !oracle::differences(&expected, &actual).is_empty() {
            let small = oracle::shrink(&input, &differ);
            let found = oracle::differences(&oracle::simulate(&small), &library(&small, 1));
            panic!("seed {seed}: {}\n{small}", found.join("\n"));
        }
        coverage.add(&input, &expected);
        if seed % 20 == 0 {
            fields.add(&input, &expected);
        }
    }
    assert!(coverage.missing().is_empty(), "never met: {:?}", coverage.missing());
    if cases() >= 4_000 {
        assert!(fields.missing().is_empty(), "changed no answer: {:?}", fields.missing());
    }
    println!("{coverage}\n{fields}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for seed in 0..cases() / 20 {
        let input = oracle::case(seed);
        assert_eq!(library(&input, 1), library(&input, 3), "seed {seed}");
    }
}
