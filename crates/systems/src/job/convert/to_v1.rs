//! Converts a Job to a `v1` policy.

use super::steps::{Consequence, Step, StepList, Template};
use crate::convert::{Conversion, Notes, note_fleet_limit, policy_name};
use crate::job::{JobManifest, JobPolicy, PodAction, PodRule, RestartPolicy};
use armada_retry::policy::{Action, Backoff, Form, RetryPolicy};
use document::Node;
use document::units::GoDuration;

/// The delays of the Job controller before it replaces a pod (`pkg/controller/job/job_controller.go`).
pub(crate) const JOB_BACKOFF: Backoff = Backoff {
    initial_delay: Some(GoDuration::from_secs(10)),
    max_delay: Some(GoDuration::from_secs(600)),
    multiplier: Some(2.0),
};

/// Converts the Job of a checked manifest to a `v1` policy; `None` if its name cannot be made a policy's
/// name. `root` is the manifest's root.
pub fn to_v1(root: &Node, manifest: &JobManifest) -> Option<Conversion<RetryPolicy>> {
    let name = policy_name(&manifest.name)?;
    let job = &manifest.policy;
    let spec = root.get("spec")?;
    let mut notes = Notes::default();
    let template = Template::of(spec);
    let limit = limit(job, &mut notes);
    pods(job, &mut notes);
    note_unsupported(spec, "spec", job, &mut notes);
    let ladder = StepList {
        steps: job.rules().iter().enumerate().filter_map(step).collect(),
        default: Consequence::Counted,
        limit,
        template: &template,
        path: "spec.podFailurePolicy.rules".to_owned(),
    };
    actions(job, &mut notes);
    let rules = ladder.rules(&mut notes);
    let retries = limit > 0 || rules.iter().any(|rule| rule.action == Action::Retry);
    if retries {
        notes.carried(
            "spec",
            "a Job's waits, 10s and twice as long each time up to 10m, are `backoff`",
        );
    }
    let policy = RetryPolicy {
        name,
        form: Form::V1,
        retry_limit: (limit > 0).then_some(limit),
        default_action: Some(if limit > 0 { Action::Retry } else { Action::Fail }),
        backoff: if retries { JOB_BACKOFF } else { Backoff::default() },
        anti_affinity: None,
        rules,
    };
    Some(Conversion { result: policy, notes: notes.into_vec() })
}

/// Returns the number of failures that one pod, or one index, survives.
fn limit(job: &JobPolicy, notes: &mut Notes) -> u32 {
    let (field, limit) = match job.backoff_limit_per_index {
        // If containers are restarted in place, restarts count against the Job's own limit only.
        Some(_) if job.restart_policy == RestartPolicy::OnFailure => {
            ("spec.backoffLimit", job.backoff_limit)
        }
        // Several indexes could reach the Job's limit only together, which one job of `v1` cannot.
        Some(limit) if pods_of(job) > 1 => ("spec.backoffLimitPerIndex", limit),
        // With one index both limits count the same failures, and the lower is reached first.
        Some(limit) => ("spec.backoffLimitPerIndex", limit.min(job.backoff_limit)),
        None => ("spec.backoffLimit", job.backoff_limit),
    };
    let limit = match job.restart_policy {
        RestartPolicy::Never => limit,
        RestartPolicy::OnFailure => {
            // A limit of N allows N - 1 restarts, and 0 as many as 1 (`pastBackoffLimitOnFailure`).
            let restarts = limit.max(1) - 1;
            let what = format!(
                "containers are restarted in place, {restarts} times before the Job fails; in v1 each is a \
                 new run, with a Job's waits"
            );
            notes.approximated("spec.template.spec.restartPolicy", what);
            restarts
        }
    };
    match limit {
        0 => notes.carried(field, "as `defaultAction: Fail`"),
        _ => notes.carried(field, format!("as `retryLimit: {limit}` and `defaultAction: Retry`")),
    }
    note_fleet_limit(limit, field, notes);
    limit
}

/// Returns the number of pods that have to succeed.
fn pods_of(job: &JobPolicy) -> u32 {
    // A Job without completions runs its parallelism of pods at most.
    job.completions.unwrap_or(job.parallelism)
}

/// Notes the conversion of a Job of several pods.
fn pods(job: &JobPolicy, notes: &mut Notes) {
    let pods = pods_of(job);
    if pods == 0 || job.parallelism == 0 {
        let field = if pods == 0 { "spec.completions" } else { "spec.parallelism" };
        notes.lost(field, "no pod of the Job ever runs; an Armada job does");
    }
    if pods < 2 {
        return;
    }
    match job.backoff_limit_per_index {
        None => {
            let what = format!(
                "the Job's {pods} pods share this limit, and their waits grow together; in v1 each is a job \
                 with its own count"
            );
            notes.approximated("spec.backoffLimit", what).help(
                "limit each index instead: `completionMode: Indexed` and `backoffLimitPerIndex`",
            );
        }
        Some(limit) if !is_unreachable(job.backoff_limit, pods, limit) => {
            let what = format!(
                "the Job's {pods} indexes share this limit; in v1 their jobs are independent"
            );
            notes.approximated("spec.backoffLimit", what);
        }
        Some(_) => notes.carried("spec.completions", "as a job an index"),
    }
    if let Some(most) = job.max_failed_indexes.filter(|most| *most < pods) {
        let what = match most {
            1 => "no job ends because more than one other has failed".to_owned(),
            _ => format!("no job ends because more than {most} others have failed"),
        };
        notes.lost("spec.maxFailedIndexes", what);
    }
}

/// Returns whether all indexes fail before a Job can reach its limit.
fn is_unreachable(backoff_limit: u32, indexes: u32, per_index: u32) -> bool {
    u64::from(backoff_limit) >= u64::from(indexes) * (u64::from(per_index) + 1)
}

/// Notes fields that end a Job and have no equivalent in a policy.
pub(crate) fn note_unsupported(spec: &Node, path: &str, job: &JobPolicy, notes: &mut Notes) {
    if job.active_deadline.is_some() {
        let what = "Armada sets no time for all runs of a job together";
        notes
            .lost(format!("{path}.activeDeadlineSeconds"), what)
            .help("the pod's own `activeDeadlineSeconds` limits each run");
    }
    if spec.get("successPolicy").is_some() {
        notes.lost(format!("{path}.successPolicy"), "an Armada job succeeds when its pod does");
    }
}

/// Notes the conversion of the rules' actions.
fn actions(job: &JobPolicy, notes: &mut Notes) {
    for (index, rule) in job.rules().iter().enumerate() {
        let path = format!("spec.podFailurePolicy.rules[{index}].action");
        match rule.action {
            Some(PodAction::FailJob) if pods_of(job) > 1 => {
                let what = "FailJob ends all pods of the Job; in v1 Fail ends the one job";
                notes.approximated(path, what);
            }
            Some(action @ (PodAction::FailJob | PodAction::FailIndex)) => {
                notes.carried(path, format!("{} is Fail", action.as_str()));
            }
            _ => {}
        }
    }
}

fn step((number, rule): (usize, &PodRule)) -> Option<Step> {
    let consequence = match rule.action? {
        PodAction::FailJob | PodAction::FailIndex => Consequence::End,
        PodAction::Ignore => Consequence::Free,
        PodAction::Count => Consequence::Counted,
    };
    let requirement = rule.requirement.clone();
    Some(Step { rule: number, requirement, consequence, backoff: Backoff::default() })
}
