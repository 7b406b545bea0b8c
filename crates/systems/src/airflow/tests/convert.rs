//! Compares random failures in Airflow's engine and in Armada's: without a `lost` note, both decide the same.

use crate::airflow::convert::*;
use crate::airflow::{AirflowEngine, AirflowManifest};
use crate::armada::Armada;
use crate::convert::{Fidelity, Note};
use crate::{ManifestSystem, Options};
use armada_retry::engine::{Bindings, Evaluator, V1};
use armada_retry::policy::{self, RetryPolicy, SchedulerSettings};
use document::diag::Source;
use document::{Limits, parse};
use proptest::prelude::*;
use proptest::sample::select;
use replay::history::Member;
use replay::simulate::testing::read_lines;
use replay::simulate::{self, Engine, Timelines, simulate};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// How a unit ended, and for each of its failures the delay before another try, in seconds, or `None` for the
/// end.
type Verdicts = (String, Vec<Option<f64>>);

/// Makes runs of a unit: `failures` that failed, then one that succeeded if `succeeds`.
fn runs((failures, succeeds): (usize, bool)) -> Vec<Value> {
    let outcomes = std::iter::repeat_n("Failed", failures).chain(succeeds.then_some("Succeeded"));
    let run = |(run, outcome): (usize, &str)| {
        let finished = format!("2026-{:02}-{:02}T00:00:00Z", run / 14 + 1, run % 14 * 2 + 1);
        json!({"outcome": outcome, "finishedAt": finished})
    };
    outcomes.enumerate().map(run).collect()
}

/// Writes the runs as records of one unit, with this field in each.
fn lines(runs: &[Value], (field, value): (&str, &str)) -> String {
    let line = |run: &Value| {
        let mut run = run.clone();
        (run["jobId"], run[field]) = (json!("j"), json!(value));
        run.to_string()
    };
    runs.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn verdicts<E: Engine>(engine: &E, members: &[Member<E::Fields>]) -> Verdicts {
    let options = simulate::Options {
        seed: 0,
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
    };
    let jobs = simulate(engine, members, options).jobs.unwrap();
    let [job] = &jobs[..] else { panic!("one job") };
    (job.outcome.clone(), job.decisions.iter().map(|decision| decision.delay_seconds).collect())
}

fn by_armada(policy: RetryPolicy, runs: &[Value]) -> Verdicts {
    let settings = SchedulerSettings::default();
    let (jobs, findings) = read_lines::<Armada>(&lines(runs, ("queue", "q")));
    assert!(findings.is_empty(), "{findings:?}");
    let forced = Some(vec![policy.name.to_string()]);
    let bindings = Bindings { forced, ..Bindings::default() };
    let evaluator = Evaluator::new(&V1, vec![Arc::new(policy)], settings, &[]);
    verdicts(&Armada::new(evaluator, bindings), &jobs)
}

fn by_airflow(manifest: AirflowManifest, runs: &[Value]) -> Verdicts {
    let (members, findings) = read_lines::<AirflowEngine>(&lines(runs, ("dagId", "d")));
    assert!(findings.is_empty(), "{findings:?}");
    verdicts(&AirflowEngine::new(manifest), &members)
}

fn manifest(profile: &Value) -> AirflowManifest {
    let (documents, mut findings) =
        parse(&Source::new("p.json", profile.to_string()), Limits::POLICY);
    let manifest = AirflowEngine::read(&documents[0], &Options::default(), &mut findings);
    assert!(!findings.has_errors(), "{findings:?}\n{profile}");
    manifest.unwrap()
}

/// Reads a policy's document.
fn policy(document: &Value) -> RetryPolicy {
    let (documents, findings) = policy::read(&[Source::new("p.json", document.to_string())]);
    assert!(findings.is_empty(), "{findings:?}\n{document}");
    (*documents.policies[0].policy).clone()
}

/// Returns whether nothing is lost, except the retries of jobs that fail more often than `globalMaxRetries`
/// allows.
fn keeps(notes: &[Note]) -> bool {
    notes
        .iter()
        .all(|note| note.fidelity == Fidelity::Carried || note.what.contains("globalMaxRetries"))
}

fn profile_of(spec: &Value) -> Value {
    json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryProfile", "metadata": {"name": "p"}, "spec": spec})
}

prop_compose! {
    fn profiles()(
        retries in 0..8_u32,
        profile in select(&["3.4", "3.3", "3.0", "2.10", "2.9", "2.6"][..]),
        delay in select(vec![json!(null), json!(0), json!(0.003), json!(0.25), json!(30), json!(7200.5), json!(200_000)]),
        backoff in select(vec![json!(null), json!(false), json!(1), json!(0), json!(-2), json!(true), json!(0.5), json!(1.5), json!(1e300)]),
        cap in select(vec![json!(null), json!(0), json!(0.5), json!(60), json!(90_000)]),
        ceiling in select(vec![json!(null), json!(0), json!(60)]),
    ) -> Value {
        let policy = json!({
            "retries": retries, "retry_delay_seconds": delay, "retry_exponential_backoff": backoff,
            "max_retry_delay_seconds": cap, "core.max_task_retry_delay": ceiling,
        });
        profile_of(&json!({"system": "airflow", "profile": profile, "policy": policy}))
    }
}

prop_compose! {
    fn policies()(
        limit in select(vec![json!(null), json!(0), json!(1), json!(3), json!(7), json!(30)]),
        action in select(&["Retry", "Retry", "Fail"][..]),
        (initial, most) in select(vec![("0s", "10m"), ("30s", "30s"), ("30s", "1h"), ("1.000000001s", "1h"), ("48h", "48h")]),
        multiplier in select(vec![json!(null), json!(1), json!(1.5)]),
        rules in prop::collection::vec((select(&["Fail", "Fail", "Retry"][..]), 0..3_u32), 0..2),
    ) -> Value {
        let rule = |(action, limit)| json!({
            "action": action, "retryLimit": limit, "onExitCodes": {"operator": "In", "values": [3]},
        });
        let rules: Vec<Value> = rules.into_iter().map(rule).collect();
        let mut backoff = json!({"initialDelay": initial, "maxDelay": most});
        if !multiplier.is_null() {
            backoff["multiplier"] = multiplier;
        }
        let mut spec = json!({"defaultAction": action, "backoff": backoff, "rules": rules});
        if !limit.is_null() {
            spec["retryLimit"] = limit;
        }
        json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": "p"}, "spec": spec})
    }
}

proptest! {
    // Cases with a loss are rejected. The limit of rejects makes the test fail if most cases have one.
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 3000, ..ProptestConfig::default() })]

    #[test]
    fn a_task_that_fits_armada_is_treated_alike(profile in profiles(), course in (0..12_usize, any::<bool>())) {
        let (manifest, runs) = (manifest(&profile), runs(course));
        prop_assume!(!runs.is_empty());
        let done = to_v1(&manifest).unwrap();
        prop_assume!(keeps(&done.notes));
        let policy = policy(&policy::to_value(&done.result));
        prop_assert_eq!(by_armada(policy, &runs), by_airflow(manifest, &runs), "{:?}", done.result);
    }

    #[test]
    fn a_policy_that_fits_airflow_is_treated_alike(document in policies(), course in (0..12_usize, any::<bool>())) {
        let (policy, runs) = (policy(&document), runs(course));
        prop_assume!(!runs.is_empty());
        let done = from_v1(&policy);
        prop_assume!(keeps(&done.notes));
        let manifest = manifest(&done.result);
        prop_assert_eq!(by_airflow(manifest, &runs), by_armada(policy, &runs), "{}", done.result);
    }

    /// Every converted document is valid in the other system, and a conversion without loss is exact on the
    /// way back.
    #[test]
    fn what_comes_out_is_read(profile in profiles(), document in policies()) {
        let there = to_v1(&manifest(&profile)).unwrap();
        let back = from_v1(&policy(&policy::to_value(&there.result)));
        let again = to_v1(&manifest(&back.result)).unwrap();
        if keeps(&there.notes) {
            prop_assert!(keeps(&back.notes), "{:?}", back.notes);
            prop_assert_eq!(again.result, there.result);
        }
        manifest(&from_v1(&policy(&document)).result);
    }

    /// A delay with jitter is not shorter than the shortest one of Airflow, which is rounded up to a whole
    /// second, and less than twice as long.
    #[test]
    fn a_wait_that_grows_is_the_shortest(
        (retries, failures) in (1..9_u32, 1..9_usize),
        delay in prop_oneof![(1..4000_u32).prop_map(f64::from), (1..4000_u32).prop_map(|millis| f64::from(millis) / 1e3)],
        multiplier in select(&[1.1_f64, 1.5, 2.0, 3.0][..]),
    ) {
        let policy = json!({"retries": retries, "retry_delay_seconds": delay, "retry_exponential_backoff": multiplier});
        let manifest = manifest(&profile_of(&json!({"system": "airflow", "policy": policy})));
        let runs = runs((failures, false));
        let done = to_v1(&manifest).unwrap();
        let (ended, shortest) = by_armada(self::policy(&policy::to_value(&done.result)), &runs);
        let (outcome, waits) = by_airflow(manifest, &runs);
        prop_assert_eq!((ended, shortest.len()), (outcome, waits.len()));
        for (shortest, wait) in shortest.into_iter().zip(waits) {
            prop_assert_eq!(shortest.is_some(), wait.is_some());
            let (Some(shortest), Some(wait)) = (shortest, wait) else { continue };
            // The nanoseconds of `v1` delays are rounded.
            prop_assert!(wait >= shortest - 1e-8 && wait < 2.0 * (shortest + 1.0), "{shortest} {wait}");
            let whole = delay.fract() == 0.0 && multiplier.fract() == 0.0;
            prop_assert!(!whole || shortest.fract() == 0.0, "{shortest}");
        }
    }
}

#[test]
fn what_differs_is_noted_at_its_field() {
    let notes = |spec: Value| {
        let done =
            to_v1(&manifest(&profile_of(&json!({"system": "airflow", "policy": spec})))).unwrap();
        done.notes
            .into_iter()
            .filter(|note| note.fidelity != Fidelity::Carried)
            .map(|note| note.path)
            .collect::<Vec<_>>()
    };
    assert_eq!(notes(json!({"retries": 3, "max_retry_delay_seconds": 5})), [""; 0]);
    assert_eq!(notes(json!({"retries": 21})), ["spec.policy.retries"]);
    let growing = json!({"retries": 3, "retry_exponential_backoff": 2});
    assert_eq!(notes(growing), ["spec.policy.retry_exponential_backoff"]);
}

#[test]
fn a_rule_has_no_equivalent() {
    let rule = |action| json!({"action": action, "onConditions": ["OOMKilled"]});
    let notes = |action| {
        let spec = json!({"retryLimit": 3, "defaultAction": action, "rules": [rule("Fail"), rule("Retry")]});
        let document = json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy",
            "metadata": {"name": "p"}, "spec": spec});
        let notes = from_v1(&policy(&document)).notes;
        notes
            .into_iter()
            .filter(|note| note.fidelity == Fidelity::Lost)
            .map(|note| note.path)
            .collect::<Vec<_>>()
    };
    assert_eq!(notes("Retry"), ["spec.rules[0]", "spec.rules[1]"]);
    assert_eq!(notes("Fail"), ["spec.rules[0]", "spec.rules[1]", "spec.defaultAction"]);
}
