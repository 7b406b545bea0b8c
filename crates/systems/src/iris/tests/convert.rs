//! Compares random ends of attempts in Iris's engine and in Armada's: without a `lost` note, both decide the
//! same.

use crate::armada::Armada;
use crate::convert::{Fidelity, Note};
use crate::iris::convert::{from_v1, to_v1};
use crate::iris::{IrisEngine, IrisProfile};
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

/// Every end of an attempt that a worker had begun with, except a cancel.
const ENDS: [&str; 7] = [
    "FAILED",
    "PREEMPTED",
    "WORKER_FAILED",
    "WORKER_REPORTED_KILLED",
    "TIMEOUT",
    "UNSCHEDULABLE",
    "SUCCEEDED",
];

/// The ends without a lost worker, whose cost differs in Armada.
const WITHOUT_LOST_WORKERS: [&str; 6] =
    ["FAILED", "PREEMPTED", "WORKER_REPORTED_KILLED", "TIMEOUT", "UNSCHEDULABLE", "SUCCEEDED"];

/// How a job ended, and for each end before its last the delay before another attempt, in seconds, or `None`
/// for the end.
type Verdicts = (String, Vec<Option<f64>>);

/// Makes the record of an Armada run that corresponds to this end of an Iris attempt.
fn run(end: &str) -> Value {
    let failed = |condition: &str| json!({"outcome": "Failed", "conditions": [condition]});
    match end {
        "PREEMPTED" => json!({"outcome": "Preempted"}),
        "WORKER_FAILED" => json!({"outcome": "LeaseExpired"}),
        "WORKER_REPORTED_KILLED" => failed("Evicted"),
        "TIMEOUT" => failed("DeadlineExceeded"),
        "UNSCHEDULABLE" => failed("Unschedulable"),
        "SUCCEEDED" => json!({"outcome": "Succeeded"}),
        _ => json!({"outcome": "Failed", "containers": [{"name": "main", "exitCode": 1}]}),
    }
}

/// Writes the records of one job; the pod of each run is deleted when it ends.
fn records(ends: &[&str], record: impl Fn(&str) -> Value, times: &[&str]) -> String {
    let line = |(number, end): (usize, &&str)| {
        let mut run = record(end);
        (run["jobId"], run["queue"]) = (json!("j"), json!("q"));
        for field in times {
            run[*field] = json!(format!("2026-01-01T00:{number:02}:00Z"));
        }
        run.to_string()
    };
    ends.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
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
    let decided = job.decisions.iter().filter(|decision| decision.decision != "succeeded");
    (job.outcome.clone(), decided.map(|decision| decision.delay_seconds).collect())
}

fn by_armada(policy: RetryPolicy, ends: &[&str]) -> Verdicts {
    let settings = SchedulerSettings::default();
    let records = records(ends, run, &["finishedAt", "terminationConfirmedAt"]);
    let (jobs, findings) = read_lines::<Armada>(&records);
    assert!(findings.is_empty(), "{findings:?}");
    let forced = Some(vec![policy.name.to_string()]);
    let bindings = Bindings { forced, ..Bindings::default() };
    let evaluator = Evaluator::new(&V1, vec![Arc::new(policy)], settings, &[]);
    verdicts(&Armada::new(evaluator, bindings), &jobs)
}

fn by_iris(profile: IrisProfile, ends: &[&str]) -> Verdicts {
    let records = records(ends, |end| json!({"outcome": end}), &["finishedAt"]);
    let (members, findings) = read_lines::<IrisEngine>(&records);
    assert!(findings.is_empty(), "{findings:?}");
    verdicts(&IrisEngine::new(profile), &members)
}

pub(super) fn profile(document: &Value) -> IrisProfile {
    let (documents, mut findings) =
        parse(&Source::new("p.json", document.to_string()), Limits::POLICY);
    let profile = IrisEngine::read(&documents[0], &Options::default(), &mut findings);
    assert!(!findings.has_errors(), "{findings:?}\n{document}");
    profile.unwrap()
}

/// Reads a policy's document.
pub(super) fn policy(document: &Value) -> RetryPolicy {
    let (documents, findings) = policy::read(&[Source::new("p.json", document.to_string())]);
    assert!(findings.is_empty(), "{findings:?}\n{document}");
    (*documents.policies[0].policy).clone()
}

pub(super) fn profile_of(text: &str, policy: &Value) -> Value {
    json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryProfile", "metadata": {"name": "p"},
        "spec": {"system": "iris", "profile": text, "policy": policy}})
}

pub(super) fn policy_of(spec: &Value) -> Value {
    json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": "p"}, "spec": spec})
}

fn is_exact(notes: &[Note]) -> bool {
    notes.iter().all(|note| note.fidelity == Fidelity::Carried)
}

/// Returns whether only the cost of an expired lease differs.
fn but_for_lost_workers(notes: &[Note]) -> bool {
    notes.iter().all(|note| {
        note.fidelity == Fidelity::Carried || note.what.contains("a lost worker is an expired")
    })
}

fn limits(defaults: Vec<i32>) -> impl Strategy<Value = Value> {
    select(defaults).prop_map(|limit| json!(limit))
}

prop_compose! {
    fn profiles()(
        text in select(&["seed", "upstream"][..]),
        failure in limits(vec![-1, 0, 1, 2, 5, 25]),
        preemption in limits(vec![-1, 0, 0, 0, 1, 4, 100]),
        failures in limits(vec![-1, 0, 0, 1, 3, 9]),
        replicas in limits(vec![1, 1, 1, 3]),
        coscheduled in any::<bool>(),
    ) -> Value {
        profile_of(text, &json!({
            "max_retries_failure": failure, "max_retries_preemption": preemption,
            "max_task_failures": failures, "replicas": replicas, "coscheduled": coscheduled,
        }))
    }
}

/// Generates rules on ends that Iris has; some match others too.
fn rules() -> impl Strategy<Value = Vec<Value>> {
    let matchers = vec![
        json!({"onConditions": ["Preempted"]}),
        json!({"onConditions": ["Preempted", "Evicted"]}),
        json!({"onConditions": ["DeadlineExceeded", "Unschedulable"]}),
        json!({"onConditions": ["Evicted", "Preempted", "Unschedulable", "DeadlineExceeded"]}),
        json!({"onFailureCategory": ["internal"], "onFailureSubcategory": ["lease-expired"]}),
        json!({"onConditions": ["OOMKilled", "Evicted"]}),
        json!({"onExitCodes": {"operator": "In", "values": [1]}}),
    ];
    let rule = (select(matchers), select(&["Fail", "Fail", "Retry"][..]), 0..4_u32);
    let rule = rule.prop_map(|(mut rule, action, limit)| {
        rule["action"] = json!(action);
        rule["retryLimit"] = json!(limit);
        rule
    });
    prop::collection::vec(rule, 0..4)
}

prop_compose! {
    fn policies()(
        limit in select(vec![json!(null), json!(0), json!(1), json!(3), json!(3), json!(30)]),
        action in select(&["Retry", "Fail", "Fail"][..]),
        initial in select(&["0s", "0s", "30s"][..]),
        rules in rules(),
    ) -> Value {
        let mut spec = json!({"defaultAction": action, "backoff": {"initialDelay": initial}, "rules": rules});
        if !limit.is_null() {
            spec["retryLimit"] = limit;
        }
        policy_of(&spec)
    }
}

fn ends(among: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(select(among), 1..14)
}

proptest! {
    // Cases with a loss are rejected. The limit of rejects makes the test fail if most cases have one.
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 8000, ..ProptestConfig::default() })]

    #[test]
    fn a_job_that_fits_armada_is_treated_alike(document in profiles(), ends in ends(&ENDS)) {
        let profile = profile(&document);
        let done = to_v1(&profile).unwrap();
        prop_assume!(is_exact(&done.notes));
        let policy = policy(&policy::to_value(&done.result));
        prop_assert_eq!(by_armada(policy, &ends), by_iris(profile, &ends), "{:?}", done.result);
    }

    /// Without lost workers, which have a rule of their own, both budgets are kept.
    #[test]
    fn both_budgets_are_kept_of_what_is_no_lost_worker(
        document in profiles(), ends in ends(&WITHOUT_LOST_WORKERS),
    ) {
        let profile = profile(&document);
        let done = to_v1(&profile).unwrap();
        prop_assume!(but_for_lost_workers(&done.notes) && !is_exact(&done.notes));
        let policy = policy(&policy::to_value(&done.result));
        prop_assert_eq!(by_armada(policy, &ends), by_iris(profile, &ends), "{:?}", done.result);
    }

    #[test]
    fn a_policy_that_fits_iris_is_treated_alike(document in policies(), ends in ends(&ENDS)) {
        let policy = policy(&document);
        let done = from_v1(&policy);
        let profile = profile(&done.result);
        prop_assume!(is_exact(&done.notes));
        prop_assert_eq!(by_iris(profile, &ends), by_armada(policy, &ends), "{}", done.result);
    }

    /// With a default action, a rule on preempted runs and a final rule for other losses, failures and
    /// preemptions are converted exactly.
    #[test]
    fn a_default_and_a_rule_on_preemptions_are_two_budgets(
        (action, failures) in (select(&["Fail", "Retry"][..]), 0..6_u32),
        (rule, losses) in (select(&["Fail", "Retry"][..]), 0..6_u32),
        ends in ends(&["FAILED", "PREEMPTED", "FAILED", "PREEMPTED", "SUCCEEDED"]),
    ) {
        let rule = json!({"action": rule, "retryLimit": losses, "onConditions": ["Preempted"]});
        let others = [
            json!({"action": "Fail", "onConditions": ["Evicted"]}),
            json!({"action": "Fail", "onFailureCategory": ["internal"], "onFailureSubcategory": ["lease-expired"]}),
        ];
        let rules = [rule, others[0].clone(), others[1].clone()];
        let document = policy_of(&json!({"defaultAction": action, "retryLimit": failures, "rules": rules}));
        let policy = policy(&document);
        let done = from_v1(&policy);
        let profile = profile(&done.result);
        prop_assert_eq!(by_iris(profile, &ends), by_armada(policy, &ends), "{}", done.result);
    }

    /// Every converted document is valid in the other system. A conversion without loss is exact on the way
    /// back, and once more in the first direction.
    #[test]
    fn what_comes_out_is_read(document in profiles(), other in policies()) {
        let there = to_v1(&profile(&document)).unwrap();
        let back = from_v1(&policy(&policy::to_value(&there.result)));
        let again = to_v1(&profile(&back.result)).unwrap();
        if is_exact(&there.notes) {
            prop_assert!(is_exact(&back.notes), "{:?}", back.notes);
            prop_assert_eq!(again.result.retry_limit, there.result.retry_limit);
            prop_assert_eq!(again.result.default_action, there.result.default_action);
        }
        profile(&from_v1(&policy(&other)).result);
    }
}
