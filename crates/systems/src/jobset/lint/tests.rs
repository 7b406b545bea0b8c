//! Findings about random JobSets, compared with the decisions of the engine on all failures that their Jobs can have.

use super::worst_case::runs_in_set;
use crate::job::lint::tests::model::{self as job_model, FailedPod, MAX, chain, reachable, spec};
use crate::job::{FailureReason, PodAction, RestartPolicy, first_match, message};
use crate::jobset::engine::failure_policy::{
    Applied, FailedJob, Terminal, evaluate, mismatch, select as select_rule,
};
use crate::jobset::manifest::{Action, FailurePolicy, FeatureGates, JobSet};
use crate::jobset::{Counters, JobSetEngine};
use crate::{Bounds, ManifestSystem, Options};
use document::diag::{Code, Findings, Source};
use document::units::GoDuration;
use document::{Document, Limits, Node, parse};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use std::collections::HashSet;

const JOBS: [&str; 2] = ["driver", "workers"];
const REASONS: [&str; 5] = [
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
];
/// The last one cannot be compiled.
const PATTERNS: [&str; 8] = [
    "condition DisruptionTarget",
    "exit code (1|137) matching",
    "exit code 300$",
    "rule at index 1",
    "^Job has failed indexes$",
    "^Pod",
    "-workers-1-",
    "(",
];
/// Names of pods: of two Jobs of the set, and one that no pattern is about.
const NAMES: [&str; 3] = ["s-driver-0-0-x7k2p", "s-workers-1-1-x7k2p", "zzz"];

const BOUNDS: Bounds = Bounds {
    attempts: 6,
    wait: GoDuration::from_secs(600),
    memory_factor: 16.0,
    outage: GoDuration::from_secs(300),
};
const GATES: FeatureGates = FeatureGates { restart_job: true, in_place_restart: false };

fn rule() -> impl Strategy<Value = Value> {
    let some = |all: &'static [&'static str]| prop_oneof![2 => Just(Vec::new()), 3 => subsequence(all, 1..=2)];
    let patterns = prop_oneof![3 => Just(Vec::new()), 2 => subsequence(&PATTERNS[..], 1..=2)];
    let action = select(Action::ALL.to_vec());
    (action, some(&REASONS), patterns, some(&JOBS), weighted(0.1, 0..2_usize)).prop_map(
        |(action, reasons, patterns, targets, twice)| {
            let mut rule = json!({"action": action.as_str()});
            let lists = [
                ("onJobFailureReasons", reasons),
                ("onJobFailureMessagePatterns", patterns),
                ("targetReplicatedJobs", targets),
            ];
            for (key, mut list) in lists {
                if let Some(again) = twice.and_then(|index| list.get(index).copied()) {
                    list.push(again);
                }
                if !list.is_empty() {
                    rule[key] = json!(list);
                }
            }
            rule
        },
    )
}

fn jobset() -> impl Strategy<Value = Value> {
    let job = (1..=2_u32, spec());
    let limit = weighted(0.8, select(vec![-1, 0, 1, 2, 3, 1500, i32::MAX]));
    (vec(job, 2), limit, vec(rule(), 0..6)).prop_map(|(jobs, limit, rules)| {
        let job = |(name, (replicas, spec)): (&str, (u32, Value))| {
            json!({"name": name, "replicas": replicas, "template": {"spec": spec}})
        };
        let jobs: Vec<Value> = JOBS.into_iter().zip(jobs).map(job).collect();
        let mut policy = json!({"rules": rules});
        if let Some(limit) = limit {
            policy["maxRestarts"] = json!(limit);
        }
        json!({
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "s"},
            "spec": {"failurePolicy": policy, "replicatedJobs": jobs},
        })
    })
}

/// A failure of a Job, found by running it.
#[derive(Debug, Clone)]
struct Found {
    job: usize,
    index: u32,
    reason: FailureReason,
    message: String,
}

impl Found {
    fn failed_job(&self) -> FailedJob<'_> {
        FailedJob {
            name: "s-job-0",
            replicated_job: JOBS[self.job],
            job_index: Some(self.index),
            reason: self.reason.as_str(),
            message: &self.message,
            failed_at: 0,
        }
    }

    /// Whether the controller names a condition of a disruption as the cause.
    fn is_disruption(&self) -> bool {
        self.message.contains("has condition DisruptionTarget matching")
    }

    /// Whether the failure may be the Job's own.
    fn is_own(&self) -> bool {
        !self.is_disruption() && !self.message.contains("has condition ConfigIssue matching")
    }
}

/// All failures of the Jobs, with the pods of the first `names` names.
fn failures(set: &JobSet, names: usize) -> Vec<Found> {
    let pods = &*job_model::PODS;
    let mut found: Vec<Found> = Vec::new();
    for (job, replicated) in set.replicated_jobs.iter().enumerate() {
        let policy = &replicated.job;
        for reason in reachable(policy, pods).reasons {
            if let Some(message) = reason.message() {
                let message = message.to_owned();
                found.push(Found { job, index: 0, reason, message });
            }
        }
        // A limit of thousands is reached, but not followed.
        let has =
            |found: &[Found], reason| found.iter().any(|it| it.job == job && it.reason == reason);
        let is_far = policy.backoff_limit >= 20
            && u64::from(policy.backoff_limit_per_index.unwrap_or(MAX)) >= 20;
        let reason = FailureReason::BackoffLimitExceeded;
        if is_far && !has(&found, reason) {
            let message = reason.message().unwrap().to_owned();
            found.push(Found { job, index: 0, reason, message });
        }
        let mut seen = HashSet::new();
        for pod in pods {
            let matched = first_match(policy.rules(), &pod.pod("p"));
            let Some(matched) = matched.filter(|it| it.action == PodAction::FailJob) else {
                continue;
            };
            for name in &NAMES[..names] {
                let message = message(matched, &pod.pod(name));
                if seen.insert(message.clone()) {
                    let reason = FailureReason::PodFailurePolicy;
                    found.push(Found { job, index: 0, reason, message });
                }
            }
        }
    }
    found
}

/// A set with its findings.
struct Linted {
    document: Document,
    set: JobSet,
    findings: Findings,
    /// The failures with the usual name of a pod.
    failures: Vec<Found>,
    /// Those with each of [`NAMES`].
    all_failures: Vec<Found>,
}

impl Linted {
    fn new(value: &Value) -> Self {
        let (mut documents, parsed) =
            parse(&Source::new("set.json", value.to_string()), Limits::POLICY);
        assert!(parsed.is_empty(), "{value}");
        let document = documents.remove(0);
        let options = Options { restart_job: true, ..Options::default() };
        let mut errors = Findings::new();
        let set = JobSetEngine::read(&document, &options, &mut errors);
        let set = set.unwrap_or_else(|| panic!("{value}: {:?}", errors.sorted()));
        let findings = JobSetEngine::lint(&document, &set, &BOUNDS);
        let (usual, all) = (failures(&set, 1), failures(&set, NAMES.len()));
        Self { document, set, findings, failures: usual, all_failures: all }
    }

    fn policy(&self) -> &FailurePolicy {
        self.set.failure_policy.as_ref().expect("a policy")
    }

    fn has(&self, code: Code, path: &[&str]) -> bool {
        self.document.root.at(path).is_some_and(|node| self.has_in(code, node))
    }

    fn has_in(&self, code: Code, node: &Node) -> bool {
        self.findings.iter().filter(|finding| finding.code == code).any(|finding| {
            let at = finding.place.as_ref().expect("a place").span;
            node.span.start <= at.start && at.end <= node.span.end
        })
    }

    fn has_for_rule(&self, code: Code, number: usize) -> bool {
        let rules = self.document.root.at(&["spec", "failurePolicy", "rules"]).expect("rules");
        self.has_in(code, &rules.items()[number])
    }

    fn evaluate(&self, failed: &Found, counters: &mut Counters) -> (Option<usize>, Applied) {
        let jobs = &self.set.replicated_jobs;
        let one = std::iter::once(failed.failed_job());
        let evaluated = evaluate(self.set.failure_policy.as_ref(), jobs, GATES, one, counters);
        let evaluated = evaluated.expect("a failure");
        (evaluated.rule, evaluated.applied)
    }

    /// The restarts for one failure each time, at most 200, after some that counted.
    fn restarts(&self, failed: &Found, before: u32) -> u32 {
        let mut counters = Counters::default();
        counters.restarts_count_towards_max = before;
        let restarts = |_: &u32| {
            matches!(
                self.evaluate(failed, &mut counters).1,
                Applied::SetRestarted | Applied::JobRestarted
            )
        };
        u32::try_from((0..200).take_while(restarts).count()).unwrap()
    }
}

/// The actions on the failures of several Jobs.
fn action(policy: &FailurePolicy, failed: &[&Found]) -> Action {
    let choice = select_rule(&policy.rules, failed.iter().map(|it| it.failed_job()));
    let rule = choice.expect("a failure").rule;
    rule.map_or(Action::RestartJobSet, |rule| policy.rules[rule].action)
}

fn is_free(action: Action) -> bool {
    matches!(
        action,
        Action::RestartJobSetAndIgnoreMaxRestarts | Action::RestartJobAndIgnoreMaxRestarts
    )
}

proptest! {
    #[test]
    fn findings_agree_with_the_engine(value in jobset()) {
        let linted = Linted::new(&value);
        unlimited_restarts_never_end(&linted, &value)?;
        limits_are_found_if_they_grant_or_limit_nothing(&linted, &value)?;
        impossible_rules_match_no_failure(&linted, &value)?;
        redundant_rules_change_no_action(&linted, &value)?;
        worst_cases_are_those_of_pods_that_fail_each_time(&linted, &value)?;
        lists_have_each_value_once(&linted, &value)?;
    }
}

/// RP127 and RP128: 200 failures that are no disruptions all restart something.
fn unlimited_restarts_never_end(linted: &Linted, value: &Value) -> Result<(), TestCaseError> {
    let found = &linted.failures;
    for (number, rule) in linted.policy().rules.iter().enumerate() {
        let reaching: Vec<&Found> = found
            .iter()
            .filter(|failed| linted.evaluate(failed, &mut Counters::default()).0 == Some(number))
            .collect();
        let is_endless = |failed: &&&Found| linted.restarts(failed, MAX - 1) == 200;
        let own = reaching.iter().filter(|failed| failed.is_own());
        let is_unlimited = is_free(rule.action) && own.clone().any(|it| is_endless(&it));
        let has_both = reaching.iter().any(|it| it.is_disruption())
            && reaching.iter().any(|it| !it.is_disruption());
        let by_rule = reaching.iter().all(|it| it.reason == FailureReason::PodFailurePolicy);
        let differs = rule.action == Action::FailJobSet || is_free(rule.action);
        let is_broad = differs && has_both && by_rule && !rule.reasons.is_empty();
        let is_found = linted.has_for_rule(Code::UnlimitedRetries, number);
        prop_assert_eq!(is_found, is_unlimited && !is_broad, "rule {}: {}", number, value);
        prop_assert_eq!(
            linted.has_for_rule(Code::BroadRule, number),
            is_broad,
            "rule {}: {}",
            number,
            value
        );
    }
    // The largest limit leaves restarts after two thousand million of them.
    let counted = |failed: &Found| !is_free(action(linted.policy(), &[failed]));
    let is_unlimited = found.iter().any(|it| counted(it) && linted.restarts(it, MAX - 300) == 200);
    let path = ["spec", "failurePolicy", "maxRestarts"];
    prop_assert_eq!(linted.has(Code::UnlimitedRetries, &path), is_unlimited, "{}", value);
    Ok(())
}

/// RP107 and RP108.
fn limits_are_found_if_they_grant_or_limit_nothing(
    linted: &Linted,
    value: &Value,
) -> Result<(), TestCaseError> {
    let policy = linted.policy();
    let is_refused = linted.failures.iter().any(|failed| {
        let (rule, applied) = linted.evaluate(failed, &mut Counters::default());
        let reached = Applied::Failed(Terminal::ReachedMaxRestarts);
        rule.is_some() && applied == reached
    });
    let path = ["spec", "failurePolicy"];
    let root = linted.document.root.at(&path).unwrap();
    prop_assert_eq!(linted.has_in(Code::ZeroLimit, root), is_refused, "{}", value);
    let is_huge = (1000..i32::MAX).contains(&policy.max_restarts);
    prop_assert_eq!(linted.has_in(Code::HugeLimit, root), is_huge, "{}", value);
    Ok(())
}

/// RP133: no failure of any Job matches the rule, with any name of a pod.
fn impossible_rules_match_no_failure(linted: &Linted, value: &Value) -> Result<(), TestCaseError> {
    let found = &linted.all_failures;
    for (number, rule) in linted.policy().rules.iter().enumerate() {
        let matches = found.iter().any(|failed| mismatch(rule, &failed.failed_job()).is_none());
        // A pattern that cannot be compiled has a finding of its own.
        let has_valid =
            rule.patterns.is_empty() || rule.patterns.iter().any(|it| it.as_str() != "(");
        let is_covered = linted.has_for_rule(Code::ShadowedRule, number) || !has_valid;
        let is_found = linted.has_for_rule(Code::ImpossibleRule, number);
        prop_assert_eq!(is_found, !matches && !is_covered, "rule {}: {}", number, value);
    }
    Ok(())
}

/// RP116: without the rule the set does the same, for each failure and for each pair of them at one time.
fn redundant_rules_change_no_action(linted: &Linted, value: &Value) -> Result<(), TestCaseError> {
    let policy = linted.policy();
    let found = &linted.all_failures;
    for (number, rule) in policy.rules.iter().enumerate() {
        let mut without = policy.clone();
        without.rules.remove(number);
        let can_both = |one: &Found, other: &Found| {
            one.job != other.job || linted.set.replicated_jobs[one.job].replicas > 1
        };
        let decides = |failed: &[&Found]| {
            let choice = select_rule(&policy.rules, failed.iter().map(|it| it.failed_job()));
            choice.expect("a failure").rule == Some(number)
        };
        let is_same = |failed: &[&Found]| {
            !decides(failed) || action(policy, failed) == action(&without, failed)
        };
        let all_same = found.iter().all(|one| {
            is_same(&[one])
                && found.iter().filter(|it| can_both(one, it)).all(|it| is_same(&[one, it]))
        });
        let is_reached = found.iter().any(|one| decides(&[one]));
        let is_redundant = all_same && is_reached;
        let is_found = linted.has_for_rule(Code::RedundantRule, number);
        let has_patterns = policy.rules.iter().any(|rule| !rule.patterns.is_empty());
        let has_single = policy.rules.iter().any(|rule| rule.action.restarts_one_job());
        if rule.action.restarts_one_job() || has_patterns || has_single {
            prop_assert!(!is_found || is_redundant || !is_reached, "rule {}: {}", number, value);
        } else {
            prop_assert_eq!(is_found, is_redundant, "rule {}: {}", number, value);
        }
    }
    Ok(())
}

/// RP111: pods that fail each time, in a set that restarts as often as it can.
fn worst_cases_are_those_of_pods_that_fail_each_time(
    linted: &Linted,
    value: &Value,
) -> Result<(), TestCaseError> {
    let found = &linted.failures;
    let plain = FailedPod { containers: Vec::new(), conditions: Vec::new() };
    for (number, job) in linted.set.replicated_jobs.iter().enumerate() {
        if job.job.restart_policy != RestartPolicy::Never {
            continue;
        }
        let counted = |failed: &&Found| match action(linted.policy(), &[failed]) {
            Action::RestartJobSet => true,
            Action::RestartJob => failed.job == number,
            _ => false,
        };
        let restarts = found.iter().filter(counted).map(|it| linted.restarts(it, 0)).max();
        let restarts = u64::from(restarts.unwrap_or(0));
        let runs = chain(&job.job, &plain, 0, 999);
        let attempts = runs.pods * (restarts + 1);
        let is_more = attempts > BOUNDS.attempts
            || runs.wait * f64::from(u32::try_from(restarts + 1).unwrap())
                > BOUNDS.wait.as_secs_f64();
        let is_limited = runs.has_ended && restarts < 200 && runs_in_set(job, 0).is_some();
        let jobs = linted.document.root.at(&["spec", "replicatedJobs"]).unwrap();
        let is_found = linted.has_in(Code::WorstCase, &jobs.items()[number]);
        prop_assert_eq!(is_found, is_more && is_limited, "{}: {}", number, value);
    }
    Ok(())
}

/// RP118.
fn lists_have_each_value_once(linted: &Linted, value: &Value) -> Result<(), TestCaseError> {
    for number in 0..linted.policy().rules.len() {
        let rule = &value["spec"]["failurePolicy"]["rules"][number];
        let keys = ["onJobFailureReasons", "onJobFailureMessagePatterns", "targetReplicatedJobs"];
        let is_twice = keys.iter().any(|key| {
            let list = rule[key].as_array().cloned().unwrap_or_default();
            (1..list.len()).any(|index| list[..index].contains(&list[index]))
        });
        prop_assert_eq!(linted.has_for_rule(Code::DuplicateValue, number), is_twice, "{}", value);
    }
    Ok(())
}
