//! The findings themselves.

use super::model::{Chain, FailedPod, MAX, chain, possible_pods, reachable, reaching, spec};
use crate::job::engine::status::{Ruling, exceeds_backoff_limit};
use crate::job::lint::failures::possible_failures;
use crate::job::lint::pod_facts::{Cause, PodFacts};
use crate::job::{
    ConditionStatus, FailureReason, IndexFailures, JobEngine, JobManifest, JobPolicy, MatchSource,
    Operator, Pod, PodAction, PodCondition, PodRule, Requirement, RestartPolicy, RuleMatch,
    first_match,
};
use crate::{Bounds, ManifestSystem, Options};
use document::diag::{Code, Diagnostic, Findings, Severity, Source};
use document::units::GoDuration;
use document::{Document, Limits, Node, apply_fixes, parse};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Few enough that random Jobs are beyond them.
const BOUNDS: Bounds = Bounds {
    attempts: 7,
    wait: GoDuration::from_secs(60),
    memory_factor: 16.0,
    outage: GoDuration::from_secs(300),
};

/// A Job with its findings.
struct Linted {
    document: Document,
    manifest: JobManifest,
    findings: Findings,
    /// The pods that may fail.
    pods: Vec<FailedPod>,
}

impl Linted {
    fn new(spec: &Value) -> Self {
        let metadata = json!({"name": "j"});
        let job =
            json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec});
        Self::read(&job.to_string())
    }

    /// Lints a manifest, which is valid.
    fn read(job: &str) -> Self {
        let (mut documents, parsed) = parse(&Source::new("job.json", job), Limits::POLICY);
        assert!(parsed.is_empty(), "{job}");
        let document = documents.remove(0);
        let mut errors = Findings::new();
        let manifest = JobEngine::read(&document, &Options::default(), &mut errors);
        assert!(!errors.has_errors(), "{job}: {:?}", errors.sorted());
        let manifest = manifest.unwrap_or_else(|| panic!("{job} is refused without an error"));
        let findings = JobEngine::lint(&document, &manifest, &BOUNDS);
        let pods = possible_pods(&manifest.policy);
        Self { document, manifest, findings, pods }
    }

    fn policy(&self) -> &JobPolicy {
        &self.manifest.policy
    }

    /// Whether there is such a finding inside of a value.
    fn has(&self, code: Code, node: Option<&Node>) -> bool {
        self.find(code, node).is_some()
    }

    fn find(&self, code: Code, node: Option<&Node>) -> Option<&Diagnostic> {
        let node = node?;
        self.findings.iter().filter(|finding| finding.code == code).find(|finding| {
            let at = finding.place.as_ref().expect("a place").span;
            node.span.start <= at.start && at.end <= node.span.end
        })
    }

    fn count(&self, code: Code) -> usize {
        self.findings.iter().filter(|finding| finding.code == code).count()
    }

    fn field(&self, field: &str) -> Option<&Node> {
        self.document.root.at(&["spec", field])
    }

    fn rule(&self, number: usize) -> Option<&Node> {
        self.field("podFailurePolicy")?.get("rules")?.items().get(number)
    }
}

/// The controller's ruling on a pod, without the number of the rule.
fn ruling(policy: &JobPolicy, pod: &FailedPod, counted: u32) -> (bool, bool, bool) {
    let earlier = IndexFailures { counted, ignored: 0 };
    let ruling = Ruling::on(policy, &Pod { earlier, ..pod.pod("p") }, policy.indexes());
    let fails_job = ruling.matched.is_some_and(|it| it.action == PodAction::FailJob);
    (fails_job, ruling.counted, ruling.index_failed)
}

fn without_rule(policy: &JobPolicy, number: usize) -> JobPolicy {
    let mut policy = policy.clone();
    policy.rules.as_mut().expect("a rule").remove(number);
    policy
}

/// A pod whose failure no rule can match.
fn plain() -> FailedPod {
    FailedPod { containers: Vec::new(), conditions: Vec::new() }
}

proptest! {
    #[test]
    fn findings_agree_with_the_engine(spec in spec()) {
        let linted = Linted::new(&spec);
        unlimited_retries_never_end(&linted, &spec)?;
        redundant_rules_change_no_ruling(&linted, &spec)?;
        charged_disruptions_are_matched_by_their_exit_code(&linted, &spec)?;
        limits_are_found_if_they_grant_or_limit_nothing(&linted, &spec)?;
        worst_cases_are_those_of_pods_that_fail_each_time(&linted, &spec)?;
        lists_are_compared_with_what_occurs(&linted, &spec)?;
        short_budgets_end_before_an_outage(&linted, &spec)?;
        killed_containers_are_matched(&linted, &spec)?;
        possible_failures_are_those_that_the_controller_can_reach(&linted, &spec)?;
        remedies_of_short_budgets_are_admitted(&linted, &spec)?;
        corrections_remove_their_findings(&linted)?;
    }
}

/// The exit code that a rule matches.
fn code(pod: &FailedPod, matched: &RuleMatch) -> Option<i32> {
    match matched.by {
        MatchSource::Container(index) => pod.containers[index].exit_code,
        MatchSource::Condition(_) => None,
    }
}

/// Whether a rule lists an exit code.
fn listed(rule: &PodRule, code: i32) -> bool {
    matches!(&rule.requirement, Requirement::ExitCodes(codes)
        if codes.operator == Some(Operator::In) && codes.values.contains(&code))
}

/// RP127: 200 pods that fail alike are all replaced, also after two thousand million others.
fn unlimited_retries_never_end(linted: &Linted, spec: &Value) -> Result<(), TestCaseError> {
    let (policy, pods) = (linted.policy(), &linted.pods);
    let is_endless = |pod: &FailedPod, before| {
        let Chain { has_ended, .. } = chain(policy, pod, before, 200);
        !has_ended
    };
    for (number, rule) in policy.rules().iter().enumerate() {
        let mut own = reaching(policy, pods, number);
        own.retain(|(pod, _)| pod.is_own());
        let is_signal = |code: Option<i32>| code.is_some_and(|code| [137, 143].contains(&code));
        // OOM kills have RP131, with the other code of a kill that is listed beside theirs.
        if listed(rule, 137) && own.iter().any(|(pod, by)| code(pod, by) == Some(137)) {
            own.retain(|(pod, by)| !is_signal(code(pod, by)));
        }
        own.retain(|(pod, _)| is_endless(pod, 0));
        let is_ignored = rule.action == Some(PodAction::Ignore);
        let never_ends = is_ignored && !own.is_empty();
        let node = linted.rule(number);
        let is_found = linted.has(Code::UnlimitedRetries, node);
        prop_assert_eq!(is_found, never_ends, "rule {}: {}", number, spec);
        let is_info = own.iter().all(|(pod, by)| is_signal(code(pod, by)));
        let found = linted.find(Code::UnlimitedRetries, node);
        let severity = if is_info { Severity::Info } else { Severity::Warning };
        prop_assert!(found.is_none_or(|it| it.severity == severity), "{}: {}", number, spec);
    }
    let fields = ["backoffLimit", "backoffLimitPerIndex"];
    let is_found = fields.iter().any(|it| linted.has(Code::UnlimitedRetries, linted.field(it)));
    prop_assert_eq!(is_found, is_endless(&plain(), MAX - 300), "{}", spec);
    Ok(())
}

/// RP116: without the rule the controller rules the same on every pod, and with it on some.
fn redundant_rules_change_no_ruling(linted: &Linted, spec: &Value) -> Result<(), TestCaseError> {
    let (policy, pods) = (linted.policy(), &linted.pods);
    for number in 0..policy.rules().len() {
        let decided = reaching(policy, pods, number);
        let without = without_rule(policy, number);
        let is_same = decided.iter().all(|(pod, _)| {
            (0..=2).all(|count| ruling(policy, pod, count) == ruling(&without, pod, count))
        });
        let is_found = linted.has(Code::RedundantRule, linted.rule(number));
        prop_assert_eq!(is_found, is_same && !decided.is_empty(), "rule {}: {}", number, spec);
    }
    Ok(())
}

/// RP114: the rule ends the Job or the index for a pod that has the condition of a disruption.
fn charged_disruptions_are_matched_by_their_exit_code(
    linted: &Linted,
    spec: &Value,
) -> Result<(), TestCaseError> {
    let (policy, pods) = (linted.policy(), &linted.pods);
    for (number, rule) in policy.rules().iter().enumerate() {
        let is_killed = |pod: &FailedPod| {
            let codes = || pod.containers.iter().filter_map(|it| it.exit_code);
            codes().all(|code| [137, 143].contains(&code)) && codes().next().is_some()
        };
        let ends = [Some(PodAction::FailJob), Some(PodAction::FailIndex)].contains(&rule.action);
        let by_code = matches!(rule.requirement, Requirement::ExitCodes(_));
        let charged = reaching(policy, pods, number).into_iter().any(|(pod, _)| {
            pod.has("DisruptionTarget") && pod.conditions.len() == 1 && is_killed(pod)
        });
        let is_found = linted.has(Code::ChargedDisruptions, linted.rule(number));
        prop_assert_eq!(is_found, ends && by_code && charged, "rule {}: {}", number, spec);
    }
    Ok(())
}

/// RP107 and RP108.
fn limits_are_found_if_they_grant_or_limit_nothing(
    linted: &Linted,
    spec: &Value,
) -> Result<(), TestCaseError> {
    let (policy, pods) = (linted.policy(), &linted.pods);
    let has = |code, field| linted.has(code, linted.field(field));
    let has_limit = linted.field("backoffLimit").is_some() && policy.backoff_limit > 0;
    let first_restart_ends = exceeds_backoff_limit(policy, 0, 1);
    prop_assert_eq!(
        has(Code::ZeroLimit, "backoffLimit"),
        has_limit && first_restart_ends,
        "{}",
        spec
    );

    let unlimited = JobPolicy { backoff_limit: MAX, active_deadline: None, ..policy.clone() };
    let reason = FailureReason::MaxFailedIndexesExceeded;
    let is_reached = reachable(&unlimited, pods).reasons.contains(&reason);
    // With a limit as large, no index of these Jobs fails.
    let can_fail = policy.backoff_limit_per_index.is_some_and(|it| it < 20)
        || (0..policy.rules().len()).any(|number| {
            let is_index = policy.rules()[number].action == Some(PodAction::FailIndex);
            is_index && !reaching(policy, pods, number).is_empty()
        });
    let is_useless = policy.max_failed_indexes.is_some() && !is_reached;
    if can_fail {
        prop_assert_eq!(has(Code::HugeLimit, "maxFailedIndexes"), is_useless, "{}", spec);
    }

    let has_both = ["backoffLimit", "backoffLimitPerIndex"].map(|it| linted.field(it).is_some());
    let has_action = policy.rules().iter().any(|it| it.action == Some(PodAction::FailIndex));
    if has_both == [true, true] && !has_action && policy.backoff_limit < 20 {
        let without_deadline = JobPolicy { active_deadline: None, ..policy.clone() };
        let found = reachable(&without_deadline, pods);
        let by_index = [FailureReason::FailedIndexes, FailureReason::MaxFailedIndexesExceeded];
        let is_reached =
            found.has_failed_index || by_index.iter().any(|it| found.reasons.contains(it));
        prop_assert_eq!(has(Code::HugeLimit, "backoffLimitPerIndex"), !is_reached, "{}", spec);
    }
    // 1500 failed pods take days.
    let Chain { wait, .. } = chain(policy, &plain(), 0, 2000);
    let is_huge = policy.restart_policy == RestartPolicy::Never
        && policy.backoff_limit == 1500
        && wait > 7.0 * 24.0 * 3600.0;
    if policy.restart_policy == RestartPolicy::Never {
        prop_assert_eq!(has(Code::HugeLimit, "backoffLimit"), is_huge, "{}", spec);
    }
    Ok(())
}

/// RP111: pods that fail each time, until one is not replaced.
fn worst_cases_are_those_of_pods_that_fail_each_time(
    linted: &Linted,
    spec: &Value,
) -> Result<(), TestCaseError> {
    let policy = linted.policy();
    let chain = chain(policy, &plain(), 0, 999);
    let is_found = linted.findings.iter().any(|it| it.code == Code::WorstCase);
    let is_worse = chain.pods > BOUNDS.attempts || chain.wait > BOUNDS.wait.as_secs_f64();
    // Where containers restart, the engine has the restarts of a record.
    if policy.restart_policy == RestartPolicy::Never {
        let limit = policy.backoff_limit_per_index.unwrap_or(MAX).min(policy.backoff_limit);
        prop_assert_eq!(is_found, is_worse && limit < 1000, "{:?}: {}", chain, spec);
    } else {
        let end = (0..2000).find(|restarts| exceeds_backoff_limit(policy, 0, *restarts));
        let is_more = end.is_some_and(|runs| u64::from(runs) > BOUNDS.attempts && runs < 1000);
        prop_assert!(!is_found || is_more || is_worse, "{}", spec);
    }
    Ok(())
}

/// RP103 and RP118.
fn lists_are_compared_with_what_occurs(linted: &Linted, spec: &Value) -> Result<(), TestCaseError> {
    let is_linux = spec["template"]["spec"]["os"]["name"] == "linux";
    for number in 0..linted.policy().rules().len() {
        let rule = &spec["podFailurePolicy"]["rules"][number];
        let values = rule["onExitCodes"]["values"].as_array().cloned().unwrap_or_default();
        let is_beyond = is_linux && values.contains(&json!(300));
        let node = linted.rule(number);
        prop_assert_eq!(linted.has(Code::ExitCodeRange, node), is_beyond, "{}", spec);
        let conditions = rule["onPodConditions"].as_array().cloned().unwrap_or_default();
        let different: BTreeSet<String> = conditions.iter().map(Value::to_string).collect();
        let is_twice = different.len() < conditions.len();
        prop_assert_eq!(linted.has(Code::DuplicateValue, node), is_twice, "{}", spec);
    }
    Ok(())
}

/// The failures that rules of a JobSet can match.
fn possible_failures_are_those_that_the_controller_can_reach(
    linted: &Linted,
    spec: &Value,
) -> Result<(), TestCaseError> {
    let (policy, pods) = (linted.policy(), &linted.pods);
    let facts = PodFacts::for_job(policy, &["a", "b"]).expect("few rules");
    let possible = possible_failures(policy, &facts);
    let found = reachable(policy, pods).reasons;
    for reason in FailureReason::ALL {
        let is_possible = possible.iter().any(|failure| failure.reason == reason);
        // Larger limits are reached after more failures than are followed here.
        let is_followed = policy.backoff_limit < 20
            || reason != FailureReason::BackoffLimitExceeded
                && policy.backoff_limit_per_index != Some(MAX);
        if is_followed || found.contains(&reason) {
            prop_assert_eq!(is_possible, found.contains(&reason), "{:?}: {}", reason, spec);
        }
    }
    let mut messages = BTreeSet::new();
    let lists_300 = spec.to_string().contains("300");
    for pod in pods {
        // Of the codes beyond 255 only those that a rule lists are examined.
        let is_beyond = pod.containers.iter().any(|it| it.exit_code == Some(300));
        if is_beyond && !lists_300 {
            continue;
        }
        let pod = pod.pod("p");
        if let Some(matched) = first_match(policy.rules(), &pod)
            && matched.action == PodAction::FailJob
        {
            messages.insert(crate::job::message(matched, &pod));
        }
    }
    let mut described = BTreeSet::new();
    for failure in &possible {
        let Some((rule, cause)) = &failure.cause else { continue };
        let end = format!(" matching FailJob rule at index {rule}");
        match cause {
            Cause::ExitCodes { container, codes, .. } => {
                let known = codes.iter().filter(|code| [1, 2, 137, 143, 300].contains(*code));
                described.extend(known.map(|code| {
                    format!(
                        "Container {container} for pod default/p failed with exit code {code}{end}"
                    )
                }));
            }
            Cause::Condition { kind, .. } => {
                described.insert(format!("Pod default/p has condition {kind}{end}"));
            }
        }
    }
    prop_assert_eq!(described, messages, "{}", spec);
    Ok(())
}

/// RP130: pods that are disrupted one after the other, until one is not replaced.
fn short_budgets_end_before_an_outage(linted: &Linted, spec: &Value) -> Result<(), TestCaseError> {
    let policy = JobPolicy { active_deadline: None, ..linted.policy().clone() };
    let status = ConditionStatus::True;
    let condition = PodCondition { kind: "DisruptionTarget".into(), status, reason: None };
    let disrupted = FailedPod { containers: Vec::new(), conditions: vec![condition] };
    let chain = chain(&policy, &disrupted, 0, 100);
    let is_written =
        ["backoffLimit", "backoffLimitPerIndex"].iter().any(|it| linted.field(it).is_some());
    let is_short = chain.has_ended
        && (1..BOUNDS.attempts).contains(&(chain.pods - 1))
        && chain.wait < BOUNDS.outage.as_secs_f64()
        && linted.policy().active_deadline.is_none_or(|it| it >= BOUNDS.outage);
    let is_found = linted.findings.iter().any(|it| it.code == Code::ShortBudget);
    prop_assert_eq!(is_found, is_written && is_short, "{:?}: {}", chain, spec);
    Ok(())
}

/// RP131 and RP132.
fn killed_containers_are_matched(linted: &Linted, spec: &Value) -> Result<(), TestCaseError> {
    let policy = linted.policy();
    for (number, rule) in policy.rules().iter().enumerate() {
        let Requirement::ExitCodes(codes) = &rule.requirement else { continue };
        let is_killed = |pod: &FailedPod| {
            let mut codes = pod.containers.iter().filter_map(|it| it.exit_code);
            pod.conditions.is_empty() && codes.all(|code| code == 137)
        };
        let decides = reaching(policy, &linted.pods, number).iter().any(|(pod, _)| is_killed(pod));
        let is_listed = decides && codes.values.contains(&137);
        let is_alone = codes.values.iter().all(|code| [137, 143].contains(code));
        let node = linted.rule(number);
        let is_ignored = is_listed && rule.action == Some(PodAction::Ignore);
        prop_assert_eq!(linted.has(Code::OomAsDisruption, node), is_ignored, "{}", spec);
        let is_counted = is_listed && is_alone && rule.action == Some(PodAction::Count);
        prop_assert_eq!(linted.has(Code::SameMemory, node), is_counted, "{}", spec);
    }
    Ok(())
}

/// RP130: the limit or the rule that the help names is admitted, and the finding is gone.
fn remedies_of_short_budgets_are_admitted(
    linted: &Linted,
    spec: &Value,
) -> Result<(), TestCaseError> {
    let Some(found) = linted.findings.iter().find(|it| it.code == Code::ShortBudget) else {
        return Ok(());
    };
    let help = found.help.as_deref().expect("a remedy");
    if let Some((number, _)) = help.split_once(" retries would last") {
        let (_, field) = found.message.split_once(" of `").expect("a field");
        let (field, _) = field.split_once('`').expect("a field");
        let mut changed = spec.clone();
        changed[field] = json!(number.parse::<u32>().expect("a number"));
        let after = Linted::new(&changed);
        prop_assert_eq!(after.count(Code::ShortBudget), 0, "{}: {}", spec, help);
        let is_more = after.count(Code::HugeLimit) > linted.count(Code::HugeLimit);
        prop_assert!(!is_more, "{}: {}", spec, help);
    }
    let mut changed = spec.clone();
    if help.contains("`restartPolicy: Never`") {
        changed["template"]["spec"]["restartPolicy"] = json!("Never");
    }
    if help.contains("`podReplacementPolicy: Failed`") {
        changed["podReplacementPolicy"] = json!("Failed");
    }
    let ignore = json!({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]});
    let mut rules = spec["podFailurePolicy"]["rules"].as_array().cloned().unwrap_or_default();
    rules.insert(0, ignore);
    changed["podFailurePolicy"] = json!({"rules": rules});
    prop_assert_eq!(Linted::new(&changed).count(Code::ShortBudget), 0, "{}: {}", spec, help);
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
