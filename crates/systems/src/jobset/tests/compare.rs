//! Comparisons of two sets with all failures of a small alphabet, one after another.

use crate::compare::testing::{check_members, confirmed_kinds, longest, scaled};
use crate::job::lint::tests::model::FailedPod;
use crate::job::tests::compare::{Edit, distinct_pods, edit, restarted_pods};
use crate::job::{FailureReason, JobOptions, PodAction, first_match, message};
use crate::jobset::engine::failure_policy::{Choice, FailedJob, select as select_rule};
use crate::jobset::lint::tests::jobset;
use crate::jobset::manifest::{Action, JobSet, ReplicatedJob};
use crate::jobset::{FeatureGates, JobSetEngine, meaning};
use document::diag::Source;
use document::{Limits, parse};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

const GATES: FeatureGates = FeatureGates { restart_job: true, in_place_restart: false };

fn engine(set: &Value) -> JobSetEngine {
    // Sequences of thousands of failures are followed, but not by tests.
    let text = set.to_string().replace("1500", "4");
    let (documents, findings) = parse(&Source::new("set.json", text), Limits::POLICY);
    assert!(findings.is_empty());
    let set = meaning(&documents[0].root).expect("a complete set");
    JobSetEngine::new(vec![set], GATES, JobOptions::default())
}

/// A change of one field of a set.
#[derive(Debug, Clone)]
struct SetEdit {
    kind: usize,
    at: usize,
    limit: i32,
    action: Action,
    reason: FailureReason,
    target: &'static str,
    job: Edit,
}

fn set_edit() -> impl Strategy<Value = SetEdit> {
    let limit = select(vec![-1, 0, 1, 2, 3, i32::MAX]);
    let target = select(vec!["driver", "workers"]);
    let reason = select(FailureReason::ALL.to_vec());
    let action = select(Action::ALL.to_vec());
    (0..10_usize, 0..6_usize, limit, action, reason, target, edit()).prop_map(
        |(kind, at, limit, action, reason, target, job)| SetEdit {
            kind,
            at,
            limit,
            action,
            reason,
            target,
            job,
        },
    )
}

impl SetEdit {
    fn apply(&self, set: &mut Value) {
        if self.kind >= 6 {
            let job = format!("/spec/replicatedJobs/{}/template/spec", self.at % 2);
            return self.job.apply(set.pointer_mut(&job).expect("two Jobs"));
        }
        let policy = set.pointer_mut("/spec/failurePolicy").expect("a policy");
        if self.kind == 0 {
            policy["maxRestarts"] = json!(self.limit);
            return;
        }
        let rules = policy["rules"].as_array_mut().expect("rules");
        if rules.is_empty() {
            return;
        }
        let at = self.at % rules.len();
        match self.kind {
            1 => rules.swap(0, at),
            2 => rules[at]["action"] = json!(self.action.as_str()),
            3 => rules[at]["onJobFailureReasons"] = json!([self.reason.as_str()]),
            4 => rules[at]["targetReplicatedJobs"] = json!([self.target]),
            _ => rules[at]["onJobFailureMessagePatterns"] = json!(["exit code (1|2) matching"]),
        }
    }
}

/// The rule of the Job that is first to match a pod, and the rule of the set if that fails the Job.
fn decide(set: &JobSet, job: &ReplicatedJob, pod: &FailedPod) -> (Option<usize>, Option<Choice>) {
    let name = format!("s-{}-0-0-x7k2p", job.name);
    let pod = pod.pod(&name);
    let matched = first_match(job.job.rules(), &pod);
    let fails = matched.filter(|matched| matched.action == PodAction::FailJob);
    let of_set = fails.map(|matched| {
        let message = message(matched, &pod);
        let failed = FailedJob {
            name: "",
            replicated_job: &job.name,
            job_index: Some(0),
            reason: "PodFailurePolicy",
            message: &message,
            failed_at: 0,
        };
        let rules = set.failure_policy.as_ref().map_or(&[][..], |policy| &policy.rules);
        select_rule(rules, std::iter::once(failed)).expect("a Job has failed")
    });
    (matched.map(|matched| matched.rule), of_set)
}

/// The failures of the first Job of a replicated Job: those of its pods, then those of the Job.
fn failures(sets: [&JobSet; 2], place: usize) -> Vec<Value> {
    let jobs = sets.map(|set| &set.replicated_jobs[place]);
    let policies = jobs.map(|job| &job.job);
    let both = |pod: &FailedPod| [0, 1].map(|side| decide(sets[side], jobs[side], pod));
    let mut failures = distinct_pods(policies, both);
    failures.extend(restarted_pods(policies));
    let name = format!("s-{}-0", jobs[0].name);
    for failure in &mut failures {
        failure["podName"] = json!(format!("{name}-0-x7k2p"));
    }
    let reasons = FailureReason::ALL.iter().map(|reason| reason.as_str());
    failures.extend(reasons.map(|reason| json!({"outcome": "Failed", "failureReason": reason})));
    for failure in &mut failures {
        failure["jobName"] = json!(name);
        failure["replicatedJob"] = json!(&*jobs[0].name);
        failure["jobIndex"] = json!(0);
    }
    failures
}

/// A set of two Jobs with these rules.
fn set(rules: &Value) -> Value {
    let job = |name: &str| {
        let containers = json!([{"name": "main", "image": "i"}]);
        let template = json!({"spec": {"restartPolicy": "Never", "containers": containers}});
        let rule = json!({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}});
        let spec =
            json!({"backoffLimit": 1, "podFailurePolicy": {"rules": [rule]}, "template": template});
        json!({"name": name, "template": {"spec": spec}})
    };
    json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "s"},
        "spec": {
            "failurePolicy": {"maxRestarts": 2, "rules": rules},
            "replicatedJobs": [job("driver"), job("workers")],
        },
    })
}

fn kinds(old: &Value, new: &Value) -> (Vec<&'static str>, Vec<String>) {
    let engines = [engine(old), engine(new)];
    confirmed_kinds([&engines[0], &engines[1]])
}

#[test]
fn the_restart_of_one_job_differs_for_the_others() {
    let rule =
        |action: &str| set(&json!([{"action": action, "targetReplicatedJobs": ["workers"]}]));
    let (kinds, undecided) = kinds(&rule("RestartJobSet"), &rule("RestartJob"));
    assert_eq!((kinds[0], undecided), ("members", vec!["other reasons of failed Jobs".to_owned()]));
}

#[test]
fn the_order_of_rules_shows_when_several_jobs_fail() {
    let target =
        |action: &str, name: &str| json!({"action": action, "targetReplicatedJobs": [name]});
    let (one, two) = (target("FailJobSet", "driver"), target("RestartJobSet", "workers"));
    let other = target("RestartJobSet", "driver");
    let [old, new] = [json!([one, two]), json!([two, one])].map(|rules| set(&rules));
    let (differences, undecided) = kinds(&old, &new);
    assert_eq!(differences.len(), 0);
    assert_eq!(undecided, ["several Jobs that fail in the same second"]);
    let [old, new] = [json!([other, two]), json!([two, other])].map(|rules| set(&rules));
    assert_eq!(kinds(&old, &new), (Vec::new(), Vec::new()));
}

#[test]
fn patterns_may_distinguish_names() {
    let rule = |pattern: &str| {
        set(&json!([{"action": "FailJobSet", "onJobFailureMessagePatterns": [pattern]}]))
    };
    assert_eq!(kinds(&rule("exit code 42"), &rule("exit code 42")), (Vec::new(), Vec::new()));
    let (differences, undecided) = kinds(&rule("exit code 42"), &rule("code 42"));
    assert_eq!((differences.len(), undecided.len()), (0, 1));
    let (differences, _) = kinds(&rule("exit code 42"), &rule("exit code 43"));
    assert_eq!(differences[0], "now_retried");
}

/// A set of one Job, with this failure policy.
fn small(replicas: u32, policy: &Value, fields: &Value) -> Value {
    let containers = json!([{"name": "main", "image": "i"}]);
    let mut spec = json!({
        "parallelism": 1, "completions": 1, "backoffLimit": 0,
        "template": {"spec": {"restartPolicy": "Never", "containers": containers}},
    });
    for (field, value) in fields.as_object().expect("fields") {
        spec[field] = value.clone();
    }
    let job = json!({"name": "w", "replicas": replicas, "template": {"spec": spec}});
    json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "s"},
        "spec": {"failurePolicy": policy, "replicatedJobs": [job]},
    })
}

#[test]
fn jobs_without_running_pods_are_compared() {
    let policy = json!({"maxRestarts": 3});
    for fields in [json!({"parallelism": 0}), json!({"parallelism": 0, "completions": 3})] {
        for mode in ["NonIndexed", "Indexed"] {
            let [old, new] = [0, 5].map(|limit| {
                let mut fields = fields.clone();
                fields["backoffLimit"] = json!(limit);
                fields["completionMode"] = json!(mode);
                small(1, &policy, &fields)
            });
            assert_ne!(kinds(&old, &new), (Vec::new(), Vec::new()), "{fields} {mode}");
            assert_ne!(kinds(&new, &old), (Vec::new(), Vec::new()), "{fields} {mode}");
            assert_eq!(kinds(&old, &old), (Vec::new(), Vec::new()));
        }
    }
    let indexed = |limit: u32| {
        let fields = json!({"completionMode": "Indexed", "completions": 0, "backoffLimit": limit});
        small(1, &policy, &fields)
    };
    let without_indexes = "w: histories in which the difference in the rules and limits of a Job without indexes shows";
    let expected = (Vec::new(), vec![without_indexes.to_owned()]);
    assert_eq!(kinds(&indexed(0), &indexed(5)), expected);
    assert_eq!(kinds(&indexed(5), &indexed(0)), expected);
}

#[test]
fn jobs_without_replicas_are_compared() {
    let [old, new] = [3, 5].map(|most| small(0, &json!({"maxRestarts": most}), &json!({})));
    assert_eq!(kinds(&old, &new), (vec!["more_retries"], Vec::new()));
    assert_eq!(kinds(&new, &old), (vec!["fewer_retries"], Vec::new()));
}

#[test]
fn reasons_that_templates_do_not_have_are_compared() {
    let with = |action: &str, reasons: &Value| {
        let rule = json!({"action": action, "onJobFailureReasons": reasons});
        small(1, &json!({"maxRestarts": 2, "rules": [rule]}), &json!({}))
    };
    for reason in FailureReason::ALL {
        let reasons = json!([reason.as_str()]);
        let [old, new] = ["FailJobSet", "RestartJobSet"].map(|action| with(action, &reasons));
        assert_eq!(kinds(&old, &new).0[0], "now_retried", "{reason:?}");
        assert_eq!(kinds(&new, &old).0[0], "no_longer_retried", "{reason:?}");
    }
    let all: Vec<&str> = FailureReason::ALL.iter().map(|reason| reason.as_str()).collect();
    let [old, new] = [json!(all), json!([])].map(|reasons| with("FailJobSet", &reasons));
    let expected = (Vec::new(), vec!["other reasons of failed Jobs".to_owned()]);
    assert_eq!(kinds(&old, &new), expected);
    assert_eq!(kinds(&new, &old), expected);
}

#[test]
fn patterns_of_messages_that_no_template_has_are_undecided() {
    let [old, new] = ["foo", "bar"].map(|pattern| {
        let rule = json!({"action": "FailJobSet", "onJobFailureMessagePatterns": [pattern]});
        small(1, &json!({"maxRestarts": 2, "rules": [rule]}), &json!({}))
    });
    let expected = (Vec::new(), vec!["other messages of failed Jobs".to_owned()]);
    assert_eq!(kinds(&old, &new), expected);
    assert_eq!(kinds(&new, &old), expected);
    assert_eq!(kinds(&old, &old), (Vec::new(), Vec::new()));
}

#[test]
fn a_number_of_replicas_changes_no_decision() {
    let [old, new] = [2, 1].map(|it| small(it, &json!({"maxRestarts": 3}), &json!({})));
    let shows = "histories in which the difference in replicatedJobs shows".to_owned();
    assert_eq!(kinds(&old, &new), (Vec::new(), vec![shows.clone()]));
    assert_eq!(kinds(&new, &old), (Vec::new(), vec![shows]));
}

proptest! {
    #![proptest_config(scaled(64))]

    #[test]
    fn differences_of_sets_are_those_of_all_sequences(old in jobset(), edit in set_edit(), other in proptest::option::weighted(0.2, jobset())) {
        let mut new = other.unwrap_or_else(|| old.clone());
        edit.apply(&mut new);
        let engines = [engine(&old), engine(&new)];
        let sets = engines.each_ref().map(|engine| &engine.sets[0].set);
        let failures = [failures(sets, 0), failures(sets, 1)];
        let longest = longest(failures[0].len().max(failures[1].len()));
        check_members([&engines[0], &engines[1]], &[&failures[0], &failures[1]], longest)?;
    }
}
