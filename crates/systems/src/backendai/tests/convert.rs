//! Compares decisions before and after a conversion: if every note is exact, the same failures lead to
//! another attempt after the same delay, or to the end.

use crate::armada::Armada;
use crate::backendai::convert::{from_v1, to_v1};
use crate::backendai::{BackendAiEngine, Profile};
use crate::convert::Conversion;
use crate::{ManifestSystem, Options};
use armada_retry::engine::{Bindings, Evaluator, V1};
use armada_retry::policy::{self, RetryPolicy, SchedulerSettings};
use document::diag::{Findings, Source};
use document::{Document, Limits, parse};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use replay::history::Member;
use replay::simulate::testing::read_lines;
use replay::simulate::{self, Engine, Timelines, simulate};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;

const CAUSES: [&str; 6] = [
    "agent_transient",
    "scheduler_timeout",
    "image_pull_failure",
    "kernel_nonzero_exit",
    "oom_killed",
    "unknown",
];

/// For each failure the delay before another attempt, in seconds, or `None` for the end.
type Verdicts = Vec<Option<f64>>;

fn verdicts<E: Engine>(engine: &E, members: &[Member<E::Fields>]) -> Verdicts {
    let options = simulate::Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    let jobs = simulate(engine, members, options).jobs.unwrap();
    jobs[0].decisions.iter().map(|decision| decision.delay_seconds).collect()
}

/// Returns whether two systems decide the same, with delays equal to the microsecond.
fn alike(ones: &Verdicts, others: &Verdicts) -> bool {
    let near = |one: &Option<f64>, other: &Option<f64>| match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() < 1e-6,
        (one, other) => one.is_none() && other.is_none(),
    };
    ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| near(one, other))
}

/// Reads a profile: its document and its meaning.
fn profile(text: &Value) -> (Document, Profile) {
    let (documents, mut findings) = parse(&Source::new("p", text.to_string()), Limits::POLICY);
    let document = documents.into_iter().next().expect("a document");
    let profile = BackendAiEngine::read(&document, &Options::default(), &mut findings);
    let profile = profile.unwrap_or_else(|| panic!("{text}: {:?}", findings.sorted()));
    (document, profile)
}

pub(super) fn policy(text: &Value) -> RetryPolicy {
    let (documents, findings): (_, Findings) =
        policy::read(&[Source::new("p.json", text.to_string())]);
    assert!(!findings.has_errors(), "{text}: {:?}", findings.sorted());
    (*documents.policies[0].policy).clone()
}

fn by_draft(profile: Profile, causes: &[&str]) -> Verdicts {
    let line = |cause: &&str| json!({"jobId": "a", "outcome": "Failed", "cause": cause});
    let lines: Vec<String> = causes.iter().map(|cause| line(cause).to_string()).collect();
    let (members, findings) = read_lines::<BackendAiEngine>(&lines.join("\n"));
    assert!(findings.is_empty(), "{findings:?}");
    verdicts(&BackendAiEngine::new(Some(profile)), &members)
}

/// Makes the run of a job that fails with one of the draft's causes.
fn run(cause: &str) -> Value {
    let container =
        |code: i32, reason: &str| json!([{"name": "main", "exitCode": code, "reason": reason}]);
    match cause {
        "agent_transient" => json!({"outcome": "LeaseExpired"}),
        "scheduler_timeout" => json!({"outcome": "Failed", "conditions": ["Unschedulable"]}),
        "kernel_nonzero_exit" => json!({"outcome": "Failed", "containers": container(3, "Error")}),
        "oom_killed" => json!({"outcome": "Failed", "containers": container(137, "OOMKilled")}),
        _ => json!({"outcome": "Failed"}),
    }
}

fn by_armada(policy: RetryPolicy, causes: &[&str]) -> Verdicts {
    let settings = SchedulerSettings::default();
    let line = |cause: &&str| {
        let mut line = run(cause);
        line["jobId"] = json!("a");
        line.to_string()
    };
    let lines: Vec<String> = causes.iter().map(line).collect();
    let (jobs, findings) = read_lines::<Armada>(&lines.join("\n"));
    assert!(findings.is_empty(), "{findings:?}");
    let forced = Some(vec![policy.name.to_string()]);
    let bindings = Bindings { forced, ..Bindings::default() };
    let evaluator = Evaluator::new(&V1, vec![Arc::new(policy)], settings, &[]);
    verdicts(&Armada::new(evaluator, bindings), &jobs)
}

pub(super) fn converted(text: &Value) -> (Profile, Conversion<RetryPolicy>) {
    let (document, profile) = profile(text);
    let made = to_v1(&document.root, &profile).expect("a name");
    (profile, made)
}

/// Generates lists of causes: all, all but one, one, or any.
fn causes() -> impl Strategy<Value = Vec<&'static str>> {
    let all_but = |left: usize| CAUSES.into_iter().filter(|cause| *cause != CAUSES[left]).collect();
    prop_oneof![
        3 => Just(CAUSES.to_vec()),
        2 => (0..CAUSES.len()).prop_map(all_but),
        2 => select(CAUSES.to_vec()).prop_map(|only| vec![only]),
        1 => subsequence(CAUSES.to_vec(), 0..=6),
    ]
}

prop_compose! {
    /// Generates profiles, many of which convert exactly to `v1`.
    fn profiles()(
        max_retries in 0..6_u32,
        (delay, most) in (
            select(vec![0.5, 30.0, 60.0, 7200.0, 86_401.0]),
            select(vec![json!(null), json!(100), json!(3600.5), json!(200_000)]),
        ),
        (backoff, multiplier) in (select(vec!["fixed", "exponential"]), select(vec![0.5, 1.0, 1.7, 2.0, 3.0])),
        (jitter, ratio) in (select(vec!["none", "none", "none", "deterministic"]), select(vec![0.0, 0.25])),
        causes in causes(),
        (events, cap) in (select(vec![true, true, true, false]), select(vec!["hard", "literal"])),
    ) -> Value {
        let session = json!({
            "max_retries": max_retries, "retry_delay": delay, "max_retry_delay": most, "backoff": backoff,
            "backoff_multiplier": multiplier, "jitter": jitter, "jitter_ratio": ratio,
            "eligible_causes": causes, "emit_retry_events": events,
        });
        json!({
            "apiVersion": "armadaproject.io/v1", "kind": "RetryProfile", "metadata": {"name": "p"},
            "spec": {"system": "backendai", "layers": {"session": session}, "options": {"cap": cap}},
        })
    }
}

prop_compose! {
    /// Generates policies, many of which convert exactly to the draft.
    fn policies()(
        default in select(vec!["Fail", "Retry", "Retry"]),
        limit in proptest::option::weighted(0.9, 0..6_u32),
        backoff in select(vec![
            json!({"initialDelay": "30s"}),
            json!({"initialDelay": "10s", "maxDelay": "48h", "multiplier": 7}),
            json!({"initialDelay": "250ms", "maxDelay": "1s", "multiplier": 1}),
            json!({}),
        ]),
        rules in proptest::collection::vec(
            (
                select(vec!["Fail", "Retry"]),
                select(vec![
                    json!({"onConditions": ["OOMKilled"]}),
                    json!({"onExitCodes": {"operator": "NotIn", "values": [1000]}}),
                    json!({"onExitCodes": {"operator": "In", "values": [3]}}),
                    json!({"onConditions": ["Unschedulable", "OOMKilled"]}),
                    json!({"onTerminationMessage": {"pattern": "x"}}),
                ]),
            ),
            0..3,
        ),
    ) -> Value {
        let rules: Vec<Value> = rules
            .into_iter()
            .map(|(action, mut rule)| {
                rule["action"] = json!(action);
                rule
            })
            .collect();
        let mut spec = json!({"defaultAction": default, "rules": rules, "backoff": backoff});
        if let Some(limit) = limit {
            spec["retryLimit"] = json!(limit);
        }
        json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": "p"}, "spec": spec})
    }
}

fn histories() -> impl Strategy<Value = Vec<&'static str>> {
    proptest::collection::vec(select(CAUSES.to_vec()), 1..9)
}

proptest! {
    // Cases with a loss are rejected. The limit of rejects makes the test fail if most cases have one.
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 6000, ..ProptestConfig::default() })]

    #[test]
    fn a_profile_that_fits_armada_is_treated_alike(text in profiles(), causes in histories()) {
        let (profile, made) = converted(&text);
        // The policy is printed and read again, as a user would apply it.
        let policy = policy(&policy::to_value(&made.result));
        prop_assume!(made.is_exact());
        let (draft, armada) = (by_draft(profile, &causes), by_armada(policy, &causes));
        prop_assert!(alike(&draft, &armada), "{draft:?}, not {armada:?} of {:?}", made.result);
    }

    #[test]
    fn a_policy_that_fits_the_draft_is_treated_alike(text in policies(), causes in histories()) {
        let policy = policy(&text);
        let made = from_v1(&policy);
        let (_, profile) = profile(&made.result);
        prop_assume!(made.is_exact());
        let (draft, armada) = (by_draft(profile, &causes), by_armada(policy, &causes));
        prop_assert!(alike(&draft, &armada), "{draft:?}, not {armada:?} of {}", made.result);
    }

    /// A profile that converts exactly is equal after converting back.
    #[test]
    fn there_and_back(text in profiles(), causes in histories()) {
        let (profile_before, made) = converted(&text);
        prop_assume!(made.is_exact());
        let back = from_v1(&made.result);
        // A policy that retries nothing has no limit; nothing else can be lost.
        prop_assert!(back.is_exact(), "{:?}", back.notes);
        let (_, profile_after) = profile(&back.result);
        let (before, after) = (by_draft(profile_before, &causes), by_draft(profile_after, &causes));
        prop_assert!(alike(&before, &after), "{before:?}, not {after:?} of {}", back.result);
    }
}
