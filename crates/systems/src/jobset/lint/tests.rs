//! Findings about random JobSets, compared with the decisions of the engine on all failures that their Jobs can have.

use super::worst_case::runs_in_set;
use crate::job::lint::tests::model::{
    Chain, FailedPod, MAX, chain, possible_pods, reachable, spec,
};
use crate::job::{
    ConditionStatus, FailureReason, MatchSource, Operator, PodAction, PodCondition, Requirement,
    RestartPolicy, first_match, message,
};
use crate::jobset::engine::failure_policy::{
    Applied, FailedJob, Terminal, evaluate, mismatch, select as select_rule,
};
use crate::jobset::manifest::{Action, FailurePolicy, FeatureGates, JobSet};
use crate::jobset::{Counters, JobSetEngine};
use crate::{Bounds, ManifestSystem, Options};
use document::diag::{Code, Diagnostic, Findings, Severity, Source};
use document::units::GoDuration;
use document::{Document, Limits, Node, apply_fixes, parse};
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

pub(in crate::jobset) fn jobset() -> impl Strategy<Value = Value> {
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
    /// The exit code that a rule of the Job matches.
    code: Option<i32>,
    /// Whether that rule lists the exit code of OOM kills.
    lists_kill: bool,
}

impl Found {
    /// A failure of one of the first Jobs, without a rule.
    fn new(job: usize, reason: FailureReason) -> Self {
        let message = reason.message().unwrap_or_default().to_owned();
        Self { job, index: 0, reason, message, code: None, lists_kill: false }
    }

    /// Whether a signal ended a container.
    fn is_of_signal(&self) -> bool {
        self.code.is_some_and(|code| [137, 143].contains(&code))
    }

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

/// All failures of the Jobs, with the usual name of a pod, and with each of [`NAMES`].
fn failures(set: &JobSet) -> (Vec<Found>, Vec<Found>) {
    let mut found: Vec<Found> = Vec::new();
    for (job, replicated) in set.replicated_jobs.iter().enumerate() {
        let policy = &replicated.job;
        let pods = possible_pods(policy);
        let reasons = reachable(policy, &pods).reasons.into_iter();
        let reasons = reasons.filter(|reason| reason.message().is_some());
        found.extend(reasons.map(|reason| Found::new(job, reason)));
        // A limit of thousands is reached, but not followed.
        let has =
            |found: &[Found], reason| found.iter().any(|it| it.job == job && it.reason == reason);
        let is_far = policy.backoff_limit >= 20
            && u64::from(policy.backoff_limit_per_index.unwrap_or(MAX)) >= 20;
        let reason = FailureReason::BackoffLimitExceeded;
        if is_far && !has(&found, reason) {
            found.push(Found::new(job, reason));
        }
        let mut seen = HashSet::new();
        for pod in &pods {
            let matched = first_match(policy.rules(), &pod.pod("p"));
            let Some(matched) = matched.filter(|it| it.action == PodAction::FailJob) else {
                continue;
            };
            for name in &NAMES {
                let message = message(matched, &pod.pod(name));
                if seen.insert(message.clone()) {
                    let reason = FailureReason::PodFailurePolicy;
                    let code = match matched.by {
                        MatchSource::Container(index) => pod.containers[index].exit_code,
                        MatchSource::Condition(_) => None,
                    };
                    let lists_kill = matches!(&policy.rules()[matched.rule].requirement,
                        Requirement::ExitCodes(codes) if codes.operator == Some(Operator::In)
                            && codes.values.contains(&137));
                    found.push(Found { message, code, lists_kill, ..Found::new(job, reason) });
                }
            }
        }
    }
    let is_usual = |it: &&Found| NAMES[1..].iter().all(|name| !it.message.contains(name));
    (found.iter().filter(is_usual).cloned().collect(), found)
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
        Self::read(&value.to_string())
    }

    /// Lints a manifest, which is valid. Its failures take longer, and few need them.
    fn read(value: &str) -> Self {
        let (mut documents, parsed) = parse(&Source::new("set.json", value), Limits::POLICY);
        assert!(parsed.is_empty(), "{value}");
        let document = documents.remove(0);
        let options = Options { restart_job: true, ..Options::default() };
        let mut errors = Findings::new();
        let set = JobSetEngine::read(&document, &options, &mut errors);
        assert!(!errors.has_errors(), "{value}: {:?}", errors.sorted());
        let set = set.unwrap_or_else(|| panic!("{value} is refused without an error"));
        let findings = JobSetEngine::lint(&document, &set, &BOUNDS);
        Self { document, set, findings, failures: Vec::new(), all_failures: Vec::new() }
    }

    fn policy(&self) -> &FailurePolicy {
        self.set.failure_policy.as_ref().expect("a policy")
    }

    fn has(&self, code: Code, path: &[&str]) -> bool {
        self.document.root.at(path).is_some_and(|node| self.has_in(code, node))
    }

    fn has_in(&self, code: Code, node: &Node) -> bool {
        self.find_in(code, node).is_some()
    }

    fn find_in(&self, code: Code, node: &Node) -> Option<&Diagnostic> {
        self.findings.iter().filter(|finding| finding.code == code).find(|finding| {
            let at = finding.place.as_ref().expect("a place").span;
            node.span.start <= at.start && at.end <= node.span.end
        })
    }

    fn has_for_rule(&self, code: Code, number: usize) -> bool {
        self.find_for_rule(code, number).is_some()
    }

    fn find_for_rule(&self, code: Code, number: usize) -> Option<&Diagnostic> {
        let rules = self.document.root.at(&["spec", "failurePolicy", "rules"]).expect("rules");
        self.find_in(code, &rules.items()[number])
    }

    fn count(&self, code: Code) -> usize {
        self.findings.iter().filter(|finding| finding.code == code).count()
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
        let mut linted = Linted::new(&value);
        (linted.failures, linted.all_failures) = failures(&linted.set);
        unlimited_restarts_never_end(&linted, &value)?;
        limits_are_found_if_they_grant_or_limit_nothing(&linted, &value)?;
        impossible_rules_match_no_failure(&linted, &value)?;
        redundant_rules_change_no_action(&linted, &value)?;
        worst_cases_are_those_of_pods_that_fail_each_time(&linted, &value)?;
        lists_have_each_value_once(&linted, &value)?;
        defaults_are_found_if_they_replace_pods(&linted, &value)?;
        short_budgets_end_before_an_outage(&linted, &value)?;
        remedies_of_broad_rules_are_admitted(&linted, &value)?;
        remedies_of_short_budgets_are_admitted(&linted, &value)?;
        corrections_remove_their_findings(&linted)?;
    }
}

/// RP127, RP128 and RP131: 200 failures that are no disruptions all restart something.
fn unlimited_restarts_never_end(linted: &Linted, value: &Value) -> Result<(), TestCaseError> {
    let found = &linted.failures;
    for (number, rule) in linted.policy().rules.iter().enumerate() {
        let reaching: Vec<&Found> = found
            .iter()
            .filter(|failed| linted.evaluate(failed, &mut Counters::default()).0 == Some(number))
            .collect();
        let is_endless = |failed: &&&Found| linted.restarts(failed, MAX - 1) == 200;
        let has_both = reaching.iter().any(|it| it.is_disruption())
            && reaching.iter().any(|it| !it.is_disruption());
        let by_rule = reaching.iter().all(|it| it.reason == FailureReason::PodFailurePolicy);
        let differs = rule.action == Action::FailJobSet || is_free(rule.action);
        let for_both = differs && has_both && by_rule && !rule.reasons.is_empty();
        let mut own = reaching.clone();
        own.retain(|it| if for_both { !it.is_disruption() } else { it.is_own() });
        // Without the exit code of OOM kills none of them is one.
        let is_kill = |it: &&Found| it.is_of_signal() && it.lists_kill;
        let has_oom = own.iter().any(|it| is_kill(it) && it.code == Some(137));
        let (kills, others): (Vec<&Found>, Vec<&Found>) =
            own.iter().partition(|it| has_oom && is_kill(it));
        let is_oom = is_free(rule.action)
            && kills.iter().any(|it| is_endless(&it))
            && (others.is_empty() || !for_both);
        let is_broad = for_both && !is_oom;
        let is_unlimited =
            is_free(rule.action) && !for_both && others.iter().any(|it| is_endless(&it));
        for (code, expected) in [
            (Code::UnlimitedRetries, is_unlimited),
            (Code::BroadRule, is_broad),
            (Code::OomAsDisruption, is_oom),
        ] {
            let found = linted.has_for_rule(code, number);
            prop_assert_eq!(found, expected, "{:?} of rule {}: {}", code, number, value);
        }
        if let Some(found) = linted.find_for_rule(Code::UnlimitedRetries, number) {
            let is_info = others.iter().all(|it| it.is_of_signal());
            let severity = if is_info { Severity::Info } else { Severity::Warning };
            prop_assert_eq!(found.severity, severity, "rule {}: {}", number, value);
        }
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

/// RP129: with the default limit, pods that fail each time are replaced before the set sees a failure.
fn defaults_are_found_if_they_replace_pods(
    linted: &Linted,
    value: &Value,
) -> Result<(), TestCaseError> {
    let policy = linted.policy();
    let sees_failures = policy.can_restart() || !policy.rules.is_empty();
    let plain = FailedPod { containers: Vec::new(), conditions: Vec::new() };
    for (number, job) in linted.set.replicated_jobs.iter().enumerate() {
        let spec = &value["spec"]["replicatedJobs"][number]["template"]["spec"];
        let is_default = spec["backoffLimit"].is_null() && spec["backoffLimitPerIndex"].is_null();
        let replaced = chain(&job.job, &plain, 0, 99).pods - 1;
        let jobs = linted.document.root.at(&["spec", "replicatedJobs"]).unwrap();
        let found = linted.find_in(Code::SurprisingDefault, &jobs.items()[number]);
        let found = found.filter(|it| it.message.contains("by default"));
        if job.job.restart_policy == RestartPolicy::Never {
            let expected = sees_failures && is_default && replaced > 0;
            prop_assert_eq!(found.is_some(), expected, "{}: {}", number, value);
            let text = format!(" replaces {replaced} failed pod");
            prop_assert!(found.is_none_or(|it| it.message.contains(&text)), "{}", value);
        } else {
            prop_assert!(found.is_none() || sees_failures && is_default, "{}: {}", number, value);
        }
    }
    Ok(())
}

/// A pod that is disrupted.
fn disrupted() -> FailedPod {
    let status = ConditionStatus::True;
    let condition = PodCondition { kind: "DisruptionTarget".into(), status, reason: None };
    FailedPod { containers: Vec::new(), conditions: vec![condition] }
}

/// RP130: pods of the Job that ends first are disrupted one after the other, in each restart of the set.
fn short_budgets_end_before_an_outage(linted: &Linted, value: &Value) -> Result<(), TestCaseError> {
    let policy = linted.policy();
    let mut first: Option<(u64, f64)> = None;
    for (number, job) in linted.set.replicated_jobs.iter().enumerate() {
        let pod = disrupted();
        let Chain { pods, wait, has_ended, reason } = chain(&job.job, &pod, 0, 99);
        if !has_ended {
            continue;
        }
        // Of several indexes the others go on, so that the Job may fail for more than one reason.
        let Some(reason) = reason.filter(|_| job.job.backoff_limit_per_index.is_none()) else {
            return Ok(());
        };
        let matched = first_match(job.job.rules(), &pod.pod("p"));
        let failed = match matched.filter(|it| it.action == PodAction::FailJob) {
            Some(matched) => {
                let message = message(matched, &pod.pod(NAMES[0]));
                Found { message, ..Found::new(number, reason) }
            }
            None => Found::new(number, reason),
        };
        let is_counted =
            matches!(action(policy, &[&failed]), Action::RestartJobSet | Action::RestartJob);
        let rest = match job.job.active_deadline {
            Some(deadline) if reason == FailureReason::DeadlineExceeded => {
                deadline.as_secs_f64() - wait
            }
            _ => 0.0,
        };
        let is_earlier = first.is_none_or(|(fewest, _)| pods < fewest);
        if is_counted && is_earlier && pods <= BOUNDS.attempts {
            let restarts = f64::from(policy.max_restarts.max(0));
            first = Some((pods, (restarts + 1.0) * wait + restarts * rest));
        }
    }
    let restarts = u64::try_from(policy.max_restarts).unwrap_or(0);
    let is_written = !value["spec"]["failurePolicy"]["maxRestarts"].is_null();
    let is_short = first.is_some_and(|(pods, time)| {
        let retries = (restarts + 1) * pods - 1;
        restarts > 0
            && (1..BOUNDS.attempts).contains(&retries)
            && time < BOUNDS.outage.as_secs_f64()
    });
    let is_found = linted.count(Code::ShortBudget) > 0;
    prop_assert_eq!(is_found, is_written && is_short, "{:?}: {}", first, value);
    Ok(())
}

/// The text between two others.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after)?.0)
}

/// The manifest of a set with other texts of its rules.
fn with_rules(value: &Value, rules: &[String]) -> String {
    let mut changed = value.clone();
    changed["spec"]["failurePolicy"]["rules"] = json!("RULES");
    changed.to_string().replace("\"RULES\"", &format!("[{}]", rules.join(", ")))
}

/// RP128: each of the remedies is admitted, and the finding is gone.
fn remedies_of_broad_rules_are_admitted(
    linted: &Linted,
    value: &Value,
) -> Result<(), TestCaseError> {
    let rules = value["spec"]["failurePolicy"]["rules"].as_array().cloned().unwrap_or_default();
    let texts: Vec<String> = rules.iter().map(Value::to_string).collect();
    for number in 0..rules.len() {
        let Some(found) = linted.find_for_rule(Code::BroadRule, number) else { continue };
        let help = found.help.as_deref().expect("a remedy");
        if let Some(patterns) = between(help, "write `", "`") {
            let mut rule = rules[number].clone();
            rule.as_object_mut().unwrap().remove("onJobFailureMessagePatterns");
            let mut texts = texts.clone();
            texts[number] = rule.to_string().trim_end_matches('}').to_owned();
            texts[number] += &format!(", {patterns}}}");
            let after = Linted::read(&with_rules(value, &texts));
            prop_assert!(!after.has_for_rule(Code::BroadRule, number), "{}: {}", help, value);
            prop_assert!(!after.has_for_rule(Code::ImpossibleRule, number), "{}: {}", help, value);
        }
        if let Some(rule) = between(help, "put a rule before it: `", "`") {
            let mut texts = texts.clone();
            texts.insert(number, rule.to_owned());
            let after = Linted::read(&with_rules(value, &texts));
            prop_assert!(!after.has_for_rule(Code::BroadRule, number), "{}: {}", help, value);
            prop_assert!(!after.has_for_rule(Code::BroadRule, number + 1), "{}: {}", help, value);
        }
    }
    Ok(())
}

/// RP130: the limit, and the rules, that the help names are admitted, and the finding is gone.
fn remedies_of_short_budgets_are_admitted(
    linted: &Linted,
    value: &Value,
) -> Result<(), TestCaseError> {
    let root = linted.document.root.at(&["spec", "failurePolicy"]).unwrap();
    let Some(found) = linted.find_in(Code::ShortBudget, root) else { return Ok(()) };
    let help = found.help.as_deref().expect("a remedy");
    if let Some(restarts) = between(help, "`maxRestarts: ", "` would last") {
        let mut changed = value.clone();
        changed["spec"]["failurePolicy"]["maxRestarts"] = json!(restarts.parse::<u32>().unwrap());
        let after = Linted::new(&changed);
        prop_assert_eq!(after.count(Code::ShortBudget), 0, "{}: {}", help, value);
    }
    let name = between(help, "first rule of `", "`").expect("a Job");
    let number = JOBS.iter().position(|it| *it == name).unwrap();
    let mut changed = value.clone();
    let spec = &mut changed["spec"]["replicatedJobs"][number]["template"]["spec"];
    if help.contains("`restartPolicy: Never`") {
        spec["template"]["spec"]["restartPolicy"] = json!("Never");
    }
    if help.contains("`podReplacementPolicy: Failed`") {
        spec["podReplacementPolicy"] = json!("Failed");
    }
    let fail = json!({"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget"}]});
    let mut of_job = spec["podFailurePolicy"]["rules"].as_array().cloned().unwrap_or_default();
    of_job.insert(0, fail);
    spec["podFailurePolicy"] = json!({"rules": of_job});
    let rules = value["spec"]["failurePolicy"]["rules"].as_array().cloned().unwrap_or_default();
    let mut texts: Vec<String> = rules.iter().map(Value::to_string).collect();
    texts.insert(0, between(help, "first of the set `", "`").expect("a rule").to_owned());
    let after = Linted::read(&with_rules(&changed, &texts));
    let of_job = format!(" of `{name}`, in all restarts");
    let mut short = after.findings.iter().filter(|it| it.code == Code::ShortBudget);
    prop_assert!(short.all(|it| !it.message.contains(&of_job)), "{}: {}", help, value);
    Ok(())
}

/// A correction leaves a manifest that is admitted and does not have the finding.
fn corrections_remove_their_findings(linted: &Linted) -> Result<(), TestCaseError> {
    for finding in &linted.findings {
        let Some(fix) = &finding.fix else { continue };
        let applied = apply_fixes(linted.document.source.text(), [fix]);
        let after = Linted::read(&applied.text);
        let is_fewer = after.count(finding.code) < linted.count(finding.code);
        prop_assert!(is_fewer, "{}: {}", &finding.message, applied.text);
    }
    Ok(())
}
