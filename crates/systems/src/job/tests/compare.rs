//! Comparisons of two Jobs with all failures of a small alphabet, one after another.

use crate::compare::testing::check;
use crate::job::lint::tests::model::{FailedPod, possible_pods, spec};
use crate::job::{Creator, FeatureGates, JobEngine, JobManifest, JobOptions, PodContainer, read};
use document::diag::Source;
use document::{Limits, parse};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::collections::HashSet;

fn engine(spec: &Value) -> JobEngine {
    let (documents, findings) = parse(&Source::new("job.json", spec.to_string()), Limits::POLICY);
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

/// The records of pods that can fail in both versions, or be restarted in place.
fn failures(engines: [&JobEngine; 2], most: usize) -> Vec<Value> {
    let [old, new] = engines.map(|engine| {
        let pods = possible_pods(&engine.manifests[0].policy);
        pods.iter().map(record).collect::<Vec<Value>>()
    });
    let new: HashSet<String> = new.iter().map(ToString::to_string).collect();
    let mut all: Vec<Value> = old.into_iter().filter(|it| new.contains(&it.to_string())).collect();
    // Those with few facts come first.
    all.sort_by_key(|it| it.to_string().len());
    all.truncate(most);
    if engines.iter().all(|it| it.manifests[0].policy.rules.is_none()) {
        let restarts = [1, 2, 3, 7].map(|it| json!({"outcome": "Running", "restarts": it}));
        let is_on_failure = |engine: &&JobEngine| {
            engine.manifests[0].policy.restart_policy == crate::job::RestartPolicy::OnFailure
        };
        all.extend(restarts.into_iter().filter(|_| engines.iter().all(is_on_failure)));
    }
    all
}

/// The failures and the longest sequences: all of them, if more cases than usual are asked for.
pub(crate) fn sizes(full: (usize, usize), small: (usize, usize)) -> (usize, usize) {
    if std::env::var_os("PROPTEST_CASES").is_some() { full } else { small }
}

pub(crate) fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: cases.unwrap_or(64), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn differences_of_jobs_are_those_of_all_sequences(old in spec(), edit in edit(), other in proptest::option::weighted(0.2, spec())) {
        let mut new = other.unwrap_or_else(|| old.clone());
        edit.apply(&mut new);
        let engines = [engine(&old), engine(&new)];
        let engines = [&engines[0], &engines[1]];
        let (most, longest) = sizes((500, 4), (60, 3));
        check(engines, &failures(engines, most), longest)?;
    }
}
