//! Comparisons of two Jobs with all failures of a small alphabet, one after another.

use crate::compare::testing::{check, confirmed_kinds, longest, scaled};
use crate::job::lint::tests::model::{FailedPod, possible_pods, spec};
use crate::job::{
    Creator, FeatureGates, JobEngine, JobManifest, JobOptions, JobPolicy, PodContainer,
    RestartPolicy, first_match, read,
};
use document::diag::Source;
use document::{Limits, parse};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::hash::Hash;

fn engine(spec: &Value) -> JobEngine {
    // Sequences of thousands of failures are followed, but not by tests.
    let text = spec.to_string().replace("1500", "4");
    let (documents, findings) = parse(&Source::new("job.json", text), Limits::POLICY);
    assert!(findings.is_empty());
    let policy = read(&documents[0].root, Creator::Manifest, FeatureGates::default());
    let manifest = JobManifest { name: "train".into(), namespace: String::new(), policy };
    JobEngine::new(vec![manifest], JobOptions::default())
}

/// A change of one field of a Job's spec.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    kind: usize,
    rule: usize,
    limit: u32,
    codes: Vec<i32>,
    action: &'static str,
    condition: (&'static str, &'static str),
}

pub(crate) fn edit() -> impl Strategy<Value = Edit> {
    let actions = select(vec!["FailJob", "Ignore", "Count"]);
    let codes = proptest::sample::subsequence(vec![1, 137, 143, 300], 1..=3);
    let conditions = select(vec![("Ready", "False"), ("ConfigIssue", "False"), ("Other", "True")]);
    let limit = select(vec![0, 1, 2, 3, 7, i32::MAX as u32]);
    (0..8_usize, 0..5_usize, limit, codes, actions, conditions).prop_map(
        |(kind, rule, limit, codes, action, condition)| Edit {
            kind,
            rule,
            limit,
            codes,
            action,
            condition,
        },
    )
}

impl Edit {
    /// Changes a Job's spec, unless the spec has nothing to change.
    pub(crate) fn apply(&self, spec: &mut Value) {
        let set = |spec: &mut Value, field: &str| {
            if let Some(limit) = spec.get_mut(field) {
                *limit = json!(self.limit);
            }
        };
        match self.kind {
            0 => spec["backoffLimit"] = json!(self.limit),
            1 => set(spec, "backoffLimitPerIndex"),
            2 => set(spec, "maxFailedIndexes"),
            _ => {
                let rules = spec.pointer_mut("/podFailurePolicy/rules");
                if let Some(rules) = rules.and_then(Value::as_array_mut) {
                    let at = self.rule % rules.len();
                    self.apply_to_rule(rules, at);
                }
            }
        }
    }

    fn apply_to_rule(&self, rules: &mut [Value], at: usize) {
        match self.kind {
            3 => rules.swap(0, at),
            4 => rules[at]["action"] = json!(self.action),
            5 => {
                if let Some(operator) = rules[at].pointer_mut("/onExitCodes/operator") {
                    *operator = json!(if *operator == "In" { "NotIn" } else { "In" });
                }
            }
            6 => {
                if let Some(values) = rules[at].pointer_mut("/onExitCodes/values") {
                    *values = json!(self.codes);
                }
            }
            _ => {
                if let Some(pattern) = rules[at].pointer_mut("/onPodConditions/0") {
                    let (kind, status) = self.condition;
                    *pattern = json!({"type": kind, "status": status});
                }
            }
        }
    }
}

/// The record of a failed pod.
pub(crate) fn record(pod: &FailedPod) -> Value {
    let container = |container: &PodContainer| json!({"name": &*container.name, "exitCode": container.exit_code});
    let containers: Vec<Value> =
        pod.containers.iter().filter(|it| it.exit_code.is_some()).map(container).collect();
    let conditions: Vec<Value> = pod
        .conditions
        .iter()
        .map(|it| json!({"type": &*it.kind, "status": it.status.as_str()}))
        .collect();
    json!({"outcome": "Failed", "containers": containers, "podConditions": conditions})
}

/// The pods that can fail in both versions, with few facts first: one for each pair of values that `decide` has.
pub(crate) fn distinct_pods<T: Hash + Eq>(
    policies: [&JobPolicy; 2],
    decide: impl Fn(&FailedPod) -> [T; 2],
) -> Vec<Value> {
    let [old, new] = policies.map(possible_pods);
    let new: HashSet<String> = new.iter().map(|pod| record(pod).to_string()).collect();
    let mut pods: Vec<(Value, [T; 2])> = old.iter().map(|pod| (record(pod), decide(pod))).collect();
    pods.retain(|(record, _)| new.contains(&record.to_string()));
    pods.sort_by_key(|(record, _)| record.to_string().len());
    let mut seen = HashSet::new();
    let distinct =
        pods.into_iter().filter_map(|(record, decided)| seen.insert(decided).then_some(record));
    distinct.collect()
}

/// Pods whose containers were restarted in place, if both versions restart them.
pub(crate) fn restarted_pods(policies: [&JobPolicy; 2]) -> Vec<Value> {
    let are_restarted = policies.iter().all(|it| it.restart_policy == RestartPolicy::OnFailure);
    let restarts = (1..=8).map(|it| json!({"outcome": "Running", "restarts": it}));
    restarts.filter(|_| are_restarted).collect()
}

fn failures(engines: [&JobEngine; 2]) -> Vec<Value> {
    let policies = engines.map(|engine| &engine.manifests[0].policy);
    let first = |policy: &JobPolicy, pod: &FailedPod| {
        first_match(policy.rules(), &pod.pod("p")).map(|matched| matched.rule)
    };
    let mut failures = distinct_pods(policies, |pod| policies.map(|policy| first(policy, pod)));
    failures.extend(restarted_pods(policies));
    failures
}

fn kinds(old: &Value, new: &Value) -> (Vec<&'static str>, Vec<String>) {
    let engines = [engine(old), engine(new)];
    confirmed_kinds([&engines[0], &engines[1]])
}

/// A Job of several indexes with a rule for one exit code.
fn indexed(action: &str) -> Value {
    let rule = json!({"action": action, "onExitCodes": {"operator": "In", "values": [42]}});
    json!({
        "completionMode": "Indexed", "completions": 3, "parallelism": 3, "backoffLimitPerIndex": 1,
        "podFailurePolicy": {"rules": [rule]},
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i"}]}},
    })
}

#[test]
fn the_order_of_rules_shows_for_a_pod_that_both_match() {
    let code = json!({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}});
    let condition = json!({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]});
    let [old, new] = [[&code, &condition], [&condition, &code]].map(|rules| {
        let mut spec = indexed("Count");
        spec["podFailurePolicy"] = json!({"rules": rules});
        spec
    });
    assert_eq!(kinds(&old, &new), (vec!["now_retried"], Vec::new()));
    assert_eq!(kinds(&new, &old), (vec!["no_longer_retried"], Vec::new()));
}

#[test]
fn the_failure_of_an_index_differs_for_the_others() {
    let none = Vec::<String>::new();
    let found = kinds(&indexed("FailJob"), &indexed("FailIndex"));
    assert_eq!(found, (vec!["members"], none.clone()));
    assert_eq!(kinds(&indexed("Count"), &indexed("Count")), (Vec::new(), none));
}

#[test]
fn limits_of_several_indexes_are_undecided() {
    let with = |field: &str, value: u32| {
        let mut spec = indexed("FailJob");
        spec[field] = json!(value);
        spec
    };
    let several = (Vec::new(), vec!["failures of several indexes".to_owned()]);
    assert_eq!(kinds(&with("backoffLimit", 3), &with("backoffLimit", 4)), several);
    assert_eq!(kinds(&with("maxFailedIndexes", 1), &with("maxFailedIndexes", 2)), several);
    let (differences, undecided) = kinds(&with("parallelism", 2), &with("parallelism", 3));
    assert_eq!((differences.len(), undecided.len()), (0, 1));
}

/// A Job of one pod with a rule that fails it for an exit code.
fn small(code: i32, fields: &Value) -> Value {
    let rule = json!({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [code]}});
    let mut spec = json!({
        "completions": 1, "parallelism": 1, "backoffLimit": 3,
        "podFailurePolicy": {"rules": [rule]},
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i"}]}},
    });
    for (field, value) in fields.as_object().expect("fields") {
        spec[field] = value.clone();
    }
    spec
}

#[test]
fn paused_jobs_are_compared() {
    for fields in [
        json!({"parallelism": 0}),
        json!({"completions": 0}),
        json!({"parallelism": 0, "completions": 3}),
    ] {
        let [old, new] = [42, 43].map(|code| small(code, &fields));
        let several = vec!["failures of several pods".to_owned()];
        for (old, new) in [(&old, &new), (&new, &old)] {
            let expected = (vec!["members", "members"], several.clone());
            assert_eq!(kinds(old, new), expected, "{fields}");
        }
        assert_eq!(kinds(&old, &old), (Vec::new(), Vec::new()));
        let mut limited = old.clone();
        limited["backoffLimit"] = json!(4);
        let several = (Vec::new(), several);
        assert_eq!(kinds(&old, &limited), several, "{fields}");
        assert_eq!(kinds(&limited, &old), several, "{fields}");
    }
}

#[test]
fn an_indexed_job_without_indexes_has_no_records() {
    let fields = json!({"completionMode": "Indexed", "completions": 0});
    let [old, new] = [42, 43].map(|code| small(code, &fields));
    assert_eq!(kinds(&old, &old), (Vec::new(), Vec::new()));
    for (old, new) in [(&old, &new), (&new, &old)] {
        let (differences, undecided) = kinds(old, new);
        assert_eq!((differences.len(), undecided.len()), (0, 1));
    }
}

#[test]
fn a_number_of_completions_changes_no_decision() {
    let [old, new] = [3, 1].map(|it| small(42, &json!({"completions": it})));
    let shows = "histories in which the difference in completions shows".to_owned();
    assert_eq!(kinds(&old, &new), (Vec::new(), vec![shows.clone()]));
    assert_eq!(kinds(&new, &old), (Vec::new(), vec![shows]));
}

/// A Job with 20 rules, each for several codes, and the largest limit.
fn large(last: &str) -> Value {
    let rule = |number: usize| {
        let values: Vec<usize> = (0..50).map(|code| number * 10 + code + 1).collect();
        let action = ["Ignore", "Count", "FailJob"][number % 3];
        json!({"action": action, "onExitCodes": {"operator": "In", "values": values}})
    };
    let mut rules: Vec<Value> = (0..19).map(rule).collect();
    rules.push(json!({"action": last, "onPodConditions": [{"type": "DisruptionTarget"}]}));
    json!({
        "backoffLimit": i32::MAX,
        "podFailurePolicy": {"rules": rules},
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "i"}]}},
    })
}

#[test]
fn many_rules_and_the_largest_limit_are_compared() {
    let (old, new) = (large("Ignore"), large("FailJob"));
    assert_eq!(kinds(&old, &old), (Vec::new(), Vec::new()));
    let (differences, undecided) = kinds(&old, &new);
    assert_eq!((differences[0], undecided.len()), ("no_longer_retried", 0));
    // The limit is never reached, so that it does not matter whether a failure counts.
    let [old, new] = [large("Ignore"), large("Count")];
    assert_eq!(kinds(&old, &new), (Vec::new(), Vec::new()));
    let mut limited = old.clone();
    limited["backoffLimit"] = json!(6);
    let (differences, undecided) = kinds(&old, &limited);
    assert_eq!((differences[0], undecided.len()), ("fewer_retries", 0));
}

proptest! {
    #![proptest_config(scaled(64))]

    #[test]
    fn differences_of_jobs_are_those_of_all_sequences(old in spec(), edit in edit(), other in proptest::option::weighted(0.2, spec())) {
        let mut new = other.unwrap_or_else(|| old.clone());
        edit.apply(&mut new);
        let engines = [engine(&old), engine(&new)];
        let engines = [&engines[0], &engines[1]];
        let failures = failures(engines);
        check(engines, &failures, longest(failures.len()))?;
    }
}
