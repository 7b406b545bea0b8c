//! The failures that represent all failures of the Jobs of a set for a comparison of two sets, and how a set treats one.
//!
//! Each Job is compared by itself: one pod of it, and the failures of the Job that its pods cannot show alone.

use super::engine::JobSetEngine;
use super::engine::child::ChildStatus;
use super::engine::failure_policy::{FailedJob, mismatch};
use super::engine::state::SetState;
use super::manifest::{
    Action, FailurePolicy, JobSet, MessagePattern, ReplicatedJob, RestartStrategy, Rule,
};
use super::numbered::Numbered;
use super::record::SetFields;
use crate::compare::Treatment;
use crate::job::compared::{self as pods, Decided};
use crate::job::{
    FailureReason, IndexFailures, JobPolicy, PodAction, PodFields, PodOutcome, PodRule,
    first_match, message, pod_name,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The reasons of failed Jobs that are not those of a rule.
const REASONS: [FailureReason; 4] = [
    FailureReason::BackoffLimitExceeded,
    FailureReason::DeadlineExceeded,
    FailureReason::FailedIndexes,
    FailureReason::MaxFailedIndexesExceeded,
];

/// The reaction of a set to the failure of a Job: the index of the rule, and the action.
type Reaction = (Option<usize>, &'static str);

fn reaction(set: &JobSet, job: &str, reason: &str, message: &str) -> Reaction {
    let Some(policy) = &set.failure_policy else { return (None, "FailedJobs") };
    let failed = FailedJob {
        name: "",
        replicated_job: job,
        job_index: Some(0),
        reason,
        message,
        failed_at: 0,
    };
    let mut rules = policy.rules.iter().enumerate();
    let rule = rules.find(|(_, rule)| mismatch(rule, &failed).is_none());
    let action = rule.map_or(Action::RestartJobSet, |(_, rule)| rule.action);
    (rule.map(|(index, _)| index), action.as_str())
}

/// The reaction to a pod that a rule of its Job fails the Job for; the place of that rule, if one matches.
fn reaction_to_pod(
    set: &JobSet,
    job: &ReplicatedJob,
    pod: &PodFields,
) -> (Option<usize>, Option<Reaction>) {
    let shown = pod.pod(None, IndexFailures::default());
    let matched = first_match(job.job.rules(), &shown);
    let fails = matched.filter(|matched| matched.action == PodAction::FailJob);
    let reaction = fails.map(|matched| {
        let name = pod_name(pod, &job_name(set, job));
        let named = crate::job::Pod { name: &name, namespace: &set.namespace, ..shown };
        let message = message(matched, &named);
        reaction(set, &job.name, FailureReason::PodFailurePolicy.as_str(), &message)
    });
    (matched.map(|matched| matched.rule), reaction)
}

/// The name of the first Job of a replicated Job.
fn job_name(set: &JobSet, job: &ReplicatedJob) -> String {
    format!("{}-{}-0", set.name, job.name)
}

/// The Jobs that both versions have.
fn common(versions: [&JobSet; 2]) -> impl Iterator<Item = [&ReplicatedJob; 2]> {
    let [old, new] = versions;
    old.replicated_jobs.iter().filter_map(|job| {
        Some([job, new.replicated_jobs.iter().find(|other| other.name == job.name)?])
    })
}

fn policies(pair: [&ReplicatedJob; 2]) -> [&JobPolicy; 2] {
    pair.map(|job| &job.job)
}

/// Returns the failures of each Job: of its pods, and of the Job for other reasons.
pub(super) fn representatives(versions: [&JobSet; 2]) -> Result<Vec<Value>, String> {
    let reads_messages = versions
        .iter()
        .any(|set| set.failure_policy.as_ref().is_some_and(FailurePolicy::reads_messages));
    let mut records = Vec::new();
    for pair in common(versions) {
        let name = job_name(versions[0], pair[0]);
        // The controller adds five random characters.
        let pod = format!("{name}-0-x7k2p");
        let decide = |set: &JobSet, job: &ReplicatedJob, shown: &PodFields| -> Decided {
            let mut shown = shown.clone();
            // The name is part of the messages, which rules read.
            if reads_messages {
                shown.name = pod.as_str().into();
            }
            let (rule, reaction) = reaction_to_pod(set, job, &shown);
            (rule.unwrap_or(usize::MAX), reaction.map(|it| format!("{it:?}")).unwrap_or_default())
        };
        let [old, new] = versions;
        let both = |shown: &PodFields| [decide(old, pair[0], shown), decide(new, pair[1], shown)];
        let mut of_job = Vec::new();
        if !pods::lacks_pods(policies(pair)) {
            of_job = pods::failed_pods(policies(pair), reads_messages, &both)?;
            of_job.extend(pods::restarted_pods(policies(pair)));
        }
        for record in &mut of_job {
            if reads_messages {
                record["podName"] = json!(pod);
            }
        }
        of_job.extend(failed_jobs(policies(pair)));
        for mut record in of_job {
            record["jobName"] = json!(name);
            record["replicatedJob"] = json!(&*pair[0].name);
            record["jobIndex"] = json!(0);
            records.push(record);
        }
    }
    Ok(records)
}

/// Returns a record of a failed Job for each reason: a record needs no template by which the reason is possible. Those that the
/// templates of both versions make possible come first.
fn failed_jobs(versions: [&JobPolicy; 2]) -> impl Iterator<Item = Value> {
    use FailureReason::{
        DeadlineExceeded, FailedIndexes, MaxFailedIndexesExceeded, PodFailurePolicy,
    };
    let is_possible = |reason: FailureReason| {
        versions.into_iter().all(|policy| match reason {
            DeadlineExceeded => policy.active_deadline.is_some(),
            FailedIndexes => policy.backoff_limit_per_index.is_some(),
            MaxFailedIndexesExceeded => policy.max_failed_indexes.is_some(),
            PodFailurePolicy => policy.rules.is_some(),
            FailureReason::BackoffLimitExceeded => true,
        })
    };
    let mut reasons = FailureReason::ALL.to_vec();
    // Possible reasons first, since the first example that differs is shown.
    reasons.sort_by_key(|reason| !is_possible(*reason));
    let failed = PodOutcome::Failed.as_str();
    reasons
        .into_iter()
        .map(move |reason| json!({"outcome": failed, "failureReason": reason.as_str()}))
}

/// Returns how a set treats a failure of one of its Jobs.
pub(super) fn treatment(numbered: &Numbered, run: &SetFields) -> Treatment {
    let set = &numbered.set;
    let is_named = |job: &&ReplicatedJob| *job.name == *run.replicated_job;
    let Some(job) = set.replicated_jobs.iter().find(is_named) else { return Treatment::default() };
    let number = |rule: Option<usize>| rule.map(|rule| numbered.first + rule);
    if run.is_job_record() {
        let (rule, action) = reaction(set, &job.name, &run.failure_reason, run.message());
        return Treatment {
            rule: number(rule),
            action: format!("Job: {action}"),
            is_counted: true,
        };
    }
    let of_pod = pods::treatment(&job.job, &run.pod);
    let (_, of_set) = reaction_to_pod(set, job, &run.pod);
    let place = set.replicated_jobs.iter().position(|other| other.name == job.name);
    let first = place.and_then(|place| numbered.jobs.get(place)).copied().unwrap_or_default();
    let rule = match of_set {
        Some((rule, _)) => number(rule),
        None => of_pod.rule.map(|rule| first + rule),
    };
    let of_reason = |reason: FailureReason| {
        reaction(set, &job.name, reason.as_str(), reason.message().unwrap_or_default()).1
    };
    let reasons = REASONS.map(of_reason).join(", ");
    let action = format!("{} {}; {reasons}", of_pod.action, of_set.map_or("", |it| it.1));
    Treatment { rule, action, ..of_pod }
}

/// Returns the limits and what else determines decisions beside the rules.
pub(super) fn parameters(set: &JobSet) -> Value {
    let jobs: Vec<Value> = set
        .replicated_jobs
        .iter()
        .map(|job| json!({"name": &*job.name, "replicas": job.replicas, "job": pods::parameters(&job.job)}))
        .collect();
    json!({
        "maxRestarts": set.failure_policy.as_ref().map(|policy| policy.max_restarts),
        "others": differing_fields(set),
        "jobs": jobs,
        "rules": order_of_rules(set),
        "messages": rules_on_messages(set),
        "otherReasons": actions_for_other_reasons(set),
    })
}

/// Returns the order of rules, as far as decisions about several Jobs that fail in the same second depend on it: not the order
/// of rules with equal actions.
fn order_of_rules(set: &JobSet) -> Vec<(&'static str, BTreeSet<String>)> {
    let jobs: u64 = set.replicated_jobs.iter().map(|job| u64::from(job.replicas)).sum();
    let mut order: Vec<(&'static str, BTreeSet<String>)> = Vec::new();
    let policy = set.failure_policy.as_ref().filter(|_| jobs > 1);
    for rule in policy.into_iter().flat_map(|policy| &policy.rules) {
        let (action, text) = (rule.action, text_of(rule));
        match order.last_mut() {
            Some((last, texts)) if *last == action.as_str() && !action.restarts_one_job() => {
                texts.insert(text);
            }
            _ => order.push((action.as_str(), BTreeSet::from([text]))),
        }
    }
    order
}

/// Returns the rules, if rules of the set match on messages: a record of a failed Job may have any message. The rules for pods
/// are among them if they fail a Job, as their messages have the names of pods.
fn rules_on_messages(set: &JobSet) -> Option<String> {
    let policy = set.failure_policy.as_ref().filter(|policy| policy.reads_messages())?;
    let fails = |rule: &PodRule| rule.action == Some(PodAction::FailJob);
    let jobs: Vec<&[PodRule]> = set.replicated_jobs.iter().map(|job| job.job.rules()).collect();
    let jobs = jobs.iter().copied().flatten().any(fails).then_some(&jobs);
    let rules: Vec<String> = policy.rules.iter().map(text_of).collect();
    Some(format!("{rules:?} {jobs:?}"))
}

/// Returns the actions for Jobs that failed for a reason that no rule names, without a message.
fn actions_for_other_reasons(set: &JobSet) -> Vec<(&str, &'static str)> {
    let action = |job: &ReplicatedJob| reaction(set, &job.name, "", "").1;
    set.replicated_jobs.iter().map(|job| (&*job.name, action(job))).collect()
}

fn text_of(rule: &Rule) -> String {
    let Rule { action, reasons, patterns, targets, .. } = rule;
    let patterns: Vec<&str> = patterns.iter().map(MessagePattern::as_str).collect();
    format!("{action:?} {reasons:?} {patterns:?} {targets:?}")
}

fn differing_fields(set: &JobSet) -> [(&'static str, String); 3] {
    let strategy = set.failure_policy.as_ref().map(|policy| policy.restart_strategy);
    let jobs: Vec<(&str, u32)> =
        set.replicated_jobs.iter().map(|job| (&*job.name, job.replicas)).collect();
    [
        ("restartStrategy", format!("{:?}", strategy.unwrap_or_default())),
        ("successPolicy", format!("{:?}", set.success_policy)),
        ("replicatedJobs", format!("{jobs:?}")),
    ]
}

/// Returns the fields that differ, and show only in histories that are left out.
pub(super) fn incomparable(versions: [&JobSet; 2]) -> Option<String> {
    let [old, new] = versions.map(differing_fields);
    let fields = old.into_iter().zip(new).filter(|(old, new)| old != new);
    let fields: Vec<&str> = fields.map(|((field, _), _)| field).collect();
    let of_set = (!fields.is_empty())
        .then(|| format!("histories in which the difference in {} shows", fields.join(", ")));
    let of_jobs = common(versions).filter_map(|pair| {
        let what = pods::incomparable(policies(pair))?;
        Some(format!("{}: {what}", pair[0].name))
    });
    let all: Vec<String> = of_set.into_iter().chain(of_jobs).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Returns that failures of several Jobs or indexes may show a difference.
pub(super) fn undecided(versions: [&JobSet; 2]) -> Option<String> {
    let [old, new] = versions;
    let is_in_place = |set: &JobSet| {
        let strategy = set.failure_policy.as_ref().map(|policy| policy.restart_strategy);
        strategy == Some(RestartStrategy::InPlaceRestart)
    };
    let of_jobs = common(versions).find_map(|pair| {
        let what = pods::undecided(policies(pair))?;
        Some(format!("{}: {what}", pair[0].name))
    });
    if is_in_place(old) || is_in_place(new) {
        return Some("restarts in place of all pods of the set".to_owned());
    }
    if rules_on_messages(old) != rules_on_messages(new) {
        return Some("other messages of failed Jobs".to_owned());
    }
    if actions_for_other_reasons(old) != actions_for_other_reasons(new) {
        return Some("other reasons of failed Jobs".to_owned());
    }
    of_jobs.or_else(|| {
        let differs = order_of_rules(old) != order_of_rules(new);
        differs.then(|| "several Jobs that fail in the same second".to_owned())
    })
}

impl JobSetEngine {
    pub(super) fn only(&self) -> Option<&Numbered> {
        self.sets.first()
    }

    /// Returns what decisions about further failures of a set depend on.
    pub(super) fn progress_of(&self, state: &SetState) -> Option<Vec<u64>> {
        let set = &self.only()?.set;
        let limit = set.failure_policy.as_ref().map_or(0, |policy| policy.max_restarts);
        let restarts = state.counters.counted(self.gates.restart_job);
        // The largest limit is never reached.
        let is_unlimited = limit == i32::MAX;
        // Restarts beyond the limit fail the set, so that they need not be told apart.
        let restarts = restarts.min(u64::try_from(limit).unwrap_or(0));
        let mut progress = vec![if is_unlimited { 0 } else { restarts }];
        for child in &state.children {
            let policy = self.policy(set, child.replicated_job);
            progress.push(u64::from(child.status == ChildStatus::Running));
            match &child.job {
                Some(job) => progress.extend(pods::progress(policy, &self.options, job)),
                None => progress.extend([0; pods::COUNTS]),
            }
        }
        Some(progress)
    }
}

/// Returns what happens to the other pods of a set after a decision, if the set of one of the versions has others.
pub(super) fn others_after(versions: [&JobSet; 2], code: &str) -> &'static str {
    let jobs = |set: &JobSet| -> u64 {
        set.replicated_jobs.iter().map(|job| u64::from(job.replicas)).sum()
    };
    let mut replicated = versions.into_iter().flat_map(|set| &set.replicated_jobs);
    let has_several = replicated.any(|job| pods::has_other_pods(&job.job));
    match code {
        _ if !has_several && versions.into_iter().all(|set| jobs(set) <= 1) => "",
        "restart_jobset" | "restart_jobset_ignored" => "all Jobs of the set run again",
        "restart_job" | "restart_job_ignored" if has_several => {
            "the other pods of the Job run again"
        }
        "fail_rule" | "fail_max_restarts" | "fail_no_policy" | "fail_in_place_limit" => {
            "all Jobs of the set end"
        }
        _ => "",
    }
}
