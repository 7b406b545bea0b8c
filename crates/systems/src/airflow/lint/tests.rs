//! The findings against the engine, over random policies and all their failures.

use super::cost::worst_case;
use super::rules::{covering_rules, is_redundant};
use crate::airflow::engine::decision::TryCounts;
use crate::airflow::engine::delay::delay_range;
use crate::airflow::engine::failed_try::FailedTry;
use crate::airflow::manifest::AirflowPolicy;
use crate::airflow::manifest::backoff::Backoff;
use crate::airflow::manifest::exceptions::{canonical, complete};
use crate::airflow::manifest::profile::Profile;
use crate::airflow::manifest::python_time::TimeDelta;
use crate::airflow::manifest::retry_policy::{
    ExceptionRetryPolicy, RetryAction, RetryRule, RulePlace, TaskRetryPolicy,
};
use crate::airflow::{AirflowEngine, LogicalDate, TaskInstance};
use crate::{Bounds, ManifestSystem, Options};
use compact_str::CompactString;
use document::diag::{Code, Findings, Source};
use document::{Limits, parse};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Classes of Python, one a base of others, and two of a package.
pub(in crate::airflow) const CLASSES: [&str; 7] = [
    "builtins.BaseException",
    "builtins.OSError",
    "builtins.ConnectionError",
    "builtins.ConnectionResetError",
    "builtins.ValueError",
    "shop.Busy",
    "shop.Closed",
];

const TASK: TaskInstance<'static> =
    TaskInstance { dag_id: "shop", task_id: "sync", logical_date: LogicalDate::Absent };

fn rules(actions: &'static [RetryAction]) -> impl Strategy<Value = Vec<RetryRule>> {
    let seconds = || of((0..5_u64).prop_map(|units| TimeDelta::from_whole_seconds(units * 100)));
    let rule =
        (subsequence(&CLASSES[..], 1..=2), select(actions), seconds(), any::<bool>(), 1..3_u32);
    vec(
        rule.prop_map(|(classes, action, retry_delay, match_subclasses, most)| RetryRule {
            exceptions: classes.into_iter().map(canonical).collect(),
            action,
            retry_delay,
            reason: None,
            match_subclasses,
            max_reschedules: (action == RetryAction::Reschedule).then_some(most),
            reschedule_timeout: None,
        }),
        0..5,
    )
}

fn chains(actions: &'static [RetryAction]) -> impl Strategy<Value = TaskRetryPolicy> {
    let policy = move || {
        let defaults = select(NO_RESCHEDULE);
        (rules(actions), defaults)
            .prop_map(|(rules, default)| ExceptionRetryPolicy { rules, default })
    };
    prop_oneof![
        3 => policy().prop_map(|one| TaskRetryPolicy { policies: vec![one], is_chain: false }),
        2 => vec(policy(), 1..4).prop_map(|policies| TaskRetryPolicy { policies, is_chain: true }),
    ]
}

const NO_RESCHEDULE: &[RetryAction] =
    &[RetryAction::Retry, RetryAction::Fail, RetryAction::Default];

/// Lists of classes: an exception of each class, one of a class that derives from it, and one of no listed class.
fn exceptions() -> Vec<Vec<CompactString>> {
    let list = |classes: &[&str]| {
        let mut all: Vec<CompactString> = classes.iter().copied().map(canonical).collect();
        complete(&mut all);
        all
    };
    let of_class = |class: &&str| [list(&[class]), list(&["derived.Exception", class])];
    let mut all: Vec<_> = CLASSES.iter().flat_map(of_class).collect();
    all.push(list(&["derived.Both", "shop.Busy", "builtins.OSError"]));
    all.push(list(&["builtins.KeyError"]));
    all
}

/// The rules that an exception matches where a policy is consulted, one a policy.
fn matched(chain: &TaskRetryPolicy, classes: &[CompactString]) -> Vec<RulePlace> {
    let mut all = Vec::new();
    for (policy, exceptions) in chain.policies.iter().enumerate() {
        let first = exceptions.rules.iter().position(|rule| rule.matches(classes));
        all.extend(first.map(|rule| RulePlace { policy, rule }));
        if first.map_or(exceptions.default, |rule| exceptions.rules[rule].action)
            != RetryAction::Default
        {
            break;
        }
    }
    all
}

/// The decision about the first failure of a task, without what only names the rule.
fn outcome(
    chain: &TaskRetryPolicy,
    classes: &[CompactString],
) -> (&'static str, Option<TimeDelta>) {
    let policy = AirflowPolicy {
        profile: Profile::V3_4,
        retries: 1,
        retry_policy: Some(chain.clone()),
        ..AirflowPolicy::default()
    };
    let failed = FailedTry { exceptions: classes.to_vec(), ..FailedTry::default() };
    let decision = TryCounts::new(&policy).decide(&policy, TASK, &failed, None);
    (decision.code(), decision.delay.map(|delay| delay.wait))
}

/// The most runs and the longest wait in all from a state on, by the engine.
fn cost(
    policy: &AirflowPolicy,
    counts: TryCounts,
    known: &mut HashMap<(i32, u32, bool), (u64, f64)>,
) -> (u64, f64) {
    let key = (counts.try_number, counts.reschedules.count, counts.reschedules.is_open);
    if let Some(cost) = known.get(&key) {
        return *cost;
    }
    let mut failures: Vec<FailedTry> = exceptions()
        .into_iter()
        // The worst case is of exceptions of one class of the rules, or of a class that derives from one.
        .filter(|exceptions| exceptions.first().is_none_or(|class| class != "derived.Both"))
        .map(|exceptions| FailedTry { exceptions, ..FailedTry::default() })
        .collect();
    failures.push(FailedTry { worker_died: true, ..FailedTry::default() });
    let (mut runs, mut wait) = (1, 0.0);
    for failed in failures {
        let mut next = counts;
        let decision = next.decide(policy, TASK, &failed, None);
        if let Some(delay) = decision.delay {
            let after = cost(policy, next, known);
            runs = u64::max(runs, 1 + after.0);
            wait = f64::max(wait, delay.wait.total_seconds() + after.1);
        }
    }
    known.insert(key, (runs, wait));
    (runs, wait)
}

pub(in crate::airflow) fn policies() -> impl Strategy<Value = AirflowPolicy> {
    let backoff = prop_oneof![
        2 => Just(Backoff::Flag(false)),
        1 => Just(Backoff::Flag(true)),
        1 => (1.5..4.0_f64).prop_map(Backoff::Number),
    ];
    let profile = select(Profile::ALL.to_vec());
    let cap = of((0..900_u64).prop_map(TimeDelta::from_whole_seconds));
    let delay = (0..400_u64).prop_map(TimeDelta::from_whole_seconds);
    let own = of(chains(&[
        RetryAction::Retry,
        RetryAction::Fail,
        RetryAction::Default,
        RetryAction::Reschedule,
    ]));
    (0..4_u32, delay, backoff, profile, cap, own).prop_map(
        |(retries, retry_delay, backoff, profile, max_retry_delay, retry_policy)| AirflowPolicy {
            retries,
            retry_delay,
            backoff,
            max_retry_delay,
            retry_policy,
            profile,
            ..AirflowPolicy::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// A covered rule matches no exception where its policy is consulted. In a policy alone, every rule that matches none
    /// is covered.
    #[test]
    fn rules_are_covered_if_no_exception_reaches_them(chain in chains(NO_RESCHEDULE)) {
        let reached: Vec<RulePlace> =
            exceptions().iter().flat_map(|classes| matched(&chain, classes)).collect();
        for (place, _) in chain.rules() {
            let (is_covered, is_reached) =
                (!covering_rules(&chain, place).is_empty(), reached.contains(&place));
            prop_assert!(!(is_covered && is_reached), "{:?}: {:?}", place, chain);
            if chain.policies.len() == 1 {
                prop_assert_eq!(is_covered, !is_reached, "{:?}: {:?}", place, chain);
            }
        }
    }

    /// Without a redundant or a covered rule, every exception is decided as before.
    #[test]
    fn rules_without_effect_can_be_removed(chain in chains(NO_RESCHEDULE)) {
        for (place, _) in chain.rules() {
            if !is_redundant(&chain, place) && covering_rules(&chain, place).is_empty() {
                continue;
            }
            let mut without = chain.clone();
            without.policies[place.policy].rules.remove(place.rule);
            for classes in exceptions() {
                prop_assert_eq!(
                    outcome(&chain, &classes), outcome(&without, &classes),
                    "{:?} of {:?}: {:?}", place, chain, classes
                );
            }
        }
    }

    /// The runs are the most over all failures; the waits are the longest, between their shortest and longest jitter.
    #[test]
    fn costs_are_the_most_of_all_failures(policy in policies()) {
        let worst = worst_case(&policy);
        let (runs, wait) = cost(&policy, TryCounts::new(&policy), &mut HashMap::new());
        prop_assert_eq!(worst.attempts, runs, "{:?}", policy);
        prop_assert!(wait <= worst.wait + 1e-6, "{} > {}: {:?}", wait, worst.wait, policy);
        let grows = policy.profile.multiplier(policy.backoff).is_some();
        if !grows {
            prop_assert!((wait - worst.wait).abs() < 1e-6, "{} {}: {:?}", wait, worst.wait, policy);
        }
    }

    /// A task whose worker dies each time waits between the shortest and the longest sum.
    #[test]
    fn the_budget_lasts_as_long_as_the_engine_waits(policy in policies()) {
        let (mut counts, mut sum, mut bounds) = (TryCounts::new(&policy), 0.0, (0.0, 0.0));
        let failed = FailedTry { worker_died: true, ..FailedTry::default() };
        for number in 1.. {
            let decision = counts.decide(&policy, TASK, &failed, None);
            let Some(delay) = decision.delay else { break };
            let (least, most) = delay_range(&policy, number).unwrap();
            sum += delay.wait.total_seconds();
            bounds = (bounds.0 + least.total_seconds(), bounds.1 + most.total_seconds());
        }
        prop_assert!(bounds.0 <= sum && sum <= bounds.1, "{} {:?} {:?}", sum, bounds, policy);
    }

    /// RP130: a larger limit that the help names has no other finding, and so have longer delays.
    #[test]
    fn remedies_of_short_budgets_are_admitted(
        profile in select(Profile::ALL.to_vec()),
        (retries, delay) in (0..8_u32, of(select(vec![1, 10, 60, 400]))),
        backoff in of(select(vec![1.5, 2.0, 3.0])),
        cap in of(select(vec![5, 60, 200, 900])),
    ) {
        let mut policy = json!({"retries": retries});
        let mut set = |field: &str, value: Option<Value>| {
            if let Some(value) = value {
                policy[field] = value;
            }
        };
        set("retry_delay_seconds", delay.map(Value::from));
        // Older releases take a flag.
        let is_number = profile.multiplier(Backoff::Number(3.0)) == Some(3.0);
        let backoff = backoff.map(|it| if is_number { json!(it) } else { json!(true) });
        set("retry_exponential_backoff", backoff);
        set("max_retry_delay_seconds", cap.map(Value::from));
        let (findings, waits) = linted(profile, &policy);
        let is_short = (1..50).contains(&retries) && waits < 300.0;
        let found = findings.iter().find(|it| it.code == Code::ShortBudget);
        prop_assert_eq!(found.is_some(), is_short, "{:?} {}", profile, &policy);
        let Some(help) = found.and_then(|it| it.help.clone()) else { return Ok(()) };
        let mut longer = policy.clone();
        for field in ["retry_delay_seconds", "max_retry_delay_seconds"] {
            if let Some((_, rest)) = help.split_once(&format!("`{field}: ")) {
                let (seconds, _) = rest.split_once('`').unwrap();
                longer[field] = json!(seconds.parse::<u32>().unwrap());
            }
        }
        let mut remedies = vec![longer];
        if let Some((number, _)) = help.split_once(" retries would last") {
            policy["retries"] = json!(number.parse::<u32>().unwrap());
            remedies.push(policy);
        }
        let count = |findings: &Findings, code| findings.iter().filter(|it| it.code == code).count();
        for remedy in remedies {
            let (after, _) = linted(profile, &remedy);
            for code in [Code::ShortBudget, Code::Misleading, Code::WorstCase] {
                let is_more = count(&after, code) > count(&findings, code);
                prop_assert!(!is_more, "{}: {:?} {}", code.id(), profile, &remedy);
            }
            prop_assert_eq!(count(&after, Code::ShortBudget), 0, "{:?} {}", profile, &remedy);
        }
    }
}

/// The findings about a valid policy, those on reading included, and the longest waits in all.
fn linted(profile: Profile, policy: &Value) -> (Findings, f64) {
    let spec = json!({"system": "airflow", "profile": profile.as_str(), "policy": policy});
    let document = json!({
        "apiVersion": "armadaproject.io/v1",
        "kind": "RetryProfile",
        "metadata": {"name": "p"},
        "spec": spec,
    });
    let (documents, mut findings) =
        parse(&Source::new("p.json", document.to_string()), Limits::POLICY);
    let manifest = AirflowEngine::read(&documents[0], &Options::default(), &mut findings);
    let manifest = manifest.unwrap_or_else(|| panic!("{document}: {:?}", findings.iter().next()));
    findings.extend(super::lint(&documents[0], &manifest, &Bounds::default()));
    let longest = |number: u32| {
        let number = i32::try_from(number).unwrap();
        delay_range(&manifest.policy, number).map_or(f64::INFINITY, |it| it.1.total_seconds())
    };
    (findings, (1..=manifest.policy.retries).map(longest).sum())
}
