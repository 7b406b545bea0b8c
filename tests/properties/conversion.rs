//! A policy in its other form retries the same failures, wherever no difference was named; and every
//! policy comes back from the wire as it went.
//!
//! Holds semantics.md 1.

use super::oracle;
use armada_retry::engine::{Bindings, Evaluator, V1, V1BETA1};
use armada_retry::policy::{self, Form, RetryPolicy, SchedulerSettings, convert, wire};
use document::diag::Source;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use replay::history::{GraceBounds, OnBadRecord};
use replay::simulate::{Options, Timelines, read_history, simulate};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;
use systems::armada::Armada;

const CATEGORIES: [&str; 4] = ["gpu", "network", "oom", "application"];
const SUBCATEGORIES: [&str; 3] = ["transient", "fatal", ""];

fn policy(document: &Value) -> RetryPolicy {
    let (documents, findings) = policy::read(&[Source::new("p.json", document.to_string())]);
    assert!(!findings.has_errors(), "{findings:?}\n{document}");
    (*documents.policies[0].policy).clone()
}

/// What becomes of each run of the jobs.
fn actions(policy: RetryPolicy, history: &Value) -> Vec<Value> {
    let profile = if policy.form == Form::V1 { &V1 } else { &V1BETA1 };
    let settings = SchedulerSettings::default();
    let bounds = Some(GraceBounds::from(&settings));
    let source = Source::new("history.json", history.to_string());
    let (history, findings) =
        read_history::<Armada>(bounds, OnBadRecord::Error, |stream| stream.text(&source));
    assert!(!findings.has_errors(), "{findings:?}");
    let forced = Some(vec![policy.name.to_string()]);
    let bindings = Bindings { forced, ..Bindings::default() };
    // The fleet's limit is the same for both, and low enough to be met.
    let settings = SchedulerSettings { global_max_retries: Some(6), ..settings };
    let evaluator = Evaluator::new(profile, vec![Arc::new(policy)], settings, &[]);
    let options = Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    let report = simulate(&Armada::new(evaluator, bindings), &history.members, options);
    let report = serde_json::to_value(report).expect("a report is JSON");
    let jobs = report["jobs"].as_array().expect("timelines").iter();
    let told = |decision: &Value| json!([decision["runIndex"], decision["action"]]);
    jobs.flat_map(|job| job["decisions"].as_array().expect("decisions").iter().map(told)).collect()
}

/// A rule by category: its action is `Retry` in one place at most.
fn rule() -> impl Strategy<Value = Value> {
    (subsequence(&CATEGORIES, 1..4), subsequence(&SUBCATEGORIES[..2], 0..3), any::<bool>())
        .prop_map(|(categories, subcategories, bump)| {
            let mut rule = json!({"action": "Fail", "onFailureCategory": categories});
            if !subcategories.is_empty() {
                rule["onFailureSubcategory"] = json!(subcategories);
            }
            if bump {
                rule["mutate"] = json!({"resources": {"memory": {"factor": 2}}});
            }
            rule
        })
}

prop_compose! {
    /// A `v1` policy that fits today's servers.
    fn fitting()(
        mut rules in prop::collection::vec(rule(), 0..5),
        retry in any::<prop::sample::Index>(),
        limit in 0_u32..5,
    ) -> Value {
        let by_default = rules.is_empty() || retry.index(4) == 0;
        if !by_default {
            let at = retry.index(rules.len());
            rules[at]["action"] = json!("Retry");
        }
        json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": "p"},
            "spec": {"retryLimit": limit, "rules": rules,
                "defaultAction": if by_default { "Retry" } else { "Fail" }}})
    }
}

/// Jobs whose runs all failed.
fn failures() -> impl Strategy<Value = Value> {
    let run = (select(&CATEGORIES[..]), select(&SUBCATEGORIES[..])).prop_map(
        |(category, subcategory)| json!({"outcome": "Failed", "category": category, "subcategory": subcategory}),
    );
    prop::collection::vec(prop::collection::vec(run, 1..9), 1..4).prop_map(|jobs| {
        let jobs = jobs.into_iter().enumerate();
        let jobs: Vec<Value> =
            jobs.map(|(id, runs)| json!({"jobId": id.to_string(), "queue": "q", "runs": runs})).collect();
        json!({"apiVersion": "armadaproject.io/v1", "kind": "FailureHistory", "spec": {"jobs": jobs}})
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_fits_todays_servers_retries_the_same(document in fitting(), history in failures()) {
        let sent = policy(&document);
        let conversion = convert::to_v1beta1(&sent);
        prop_assert_eq!(&conversion.differences, &[]);
        let same = actions(conversion.policy.clone(), &history);
        prop_assert_eq!(actions(sent, &history), same.clone());
        // And back: one way to a retry is counted alike in both forms.
        let back = convert::to_v1(&conversion.policy);
        let retries = back.policy.rules.iter().filter(|rule| rule.action == policy::Action::Retry);
        if retries.count() <= 1 {
            prop_assert_eq!(actions(back.policy, &history), same);
        }
    }
}

#[test]
fn every_policy_comes_back_from_the_wire_and_converts_to_a_valid_one() {
    let (mut fit, mut seen) = (0, 0);
    for seed in 0..super::evaluator::cases() / 4 {
        for document in &oracle::case(seed).policies {
            let policy = policy(document);
            let sent = wire::to_wire(&policy);
            let back = wire::from_wire(&sent).unwrap_or_else(|error| panic!("{error}\n{sent}"));
            assert_eq!(wire::to_wire(&back), sent, "seed {seed}");
            let to = if policy.form == Form::V1 { Form::V1beta1 } else { Form::V1 };
            let conversion = convert::convert(&policy, to);
            assert_eq!(conversion.policy.form, to);
            self::policy(&policy::to_value(&conversion.policy));
            fit += usize::from(conversion.differences.is_empty());
            seen += 1;
        }
    }
    assert!(fit > seen / 50 && fit < seen, "{fit} of {seen} fit");
}
