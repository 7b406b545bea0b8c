//! The layers of retries of a JobSet: those of the Job of a pod, and the set around it.

use super::engine::failure_policy::{FailedJob, Terminal, select};
use super::manifest::{Action, JobSet, ReplicatedJob};
use crate::budget::{BudgetFailure, BudgetOptions, Layer, LayerBudget};
use crate::job::FailureReason;
use crate::job::layers::{JobLayers, budget, failures, layers};

/// Returns the budgets of the pods of a set for a failure, or for all that it decides differently.
pub(super) fn budgets(
    set: &JobSet,
    failure: Option<&BudgetFailure>,
    options: &BudgetOptions,
) -> Vec<LayerBudget> {
    let of_job = |job: &ReplicatedJob| {
        let failures = failures(&job.job, failure);
        let all = failures.iter().map(|failure| {
            let pod_name = format!("{}-{}-0-0-x", set.name, job.name);
            let JobLayers { layers, failure: job_failure } =
                layers(&job.job, failure, options, &pod_name);
            let mut budget = budget(&job.job, failure, layers);
            budget.part = Some(job.name.to_string());
            if let Some((reason, message)) = job_failure {
                budget.push(layer(set, job, (reason, &message), options));
            }
            budget
        });
        LayerBudget::join(all)
    };
    set.replicated_jobs.iter().filter(|job| job.replicas > 0).flat_map(of_job).collect()
}

/// The layer of the set around a Job that fails in the same way each time.
fn layer(
    set: &JobSet,
    job: &ReplicatedJob,
    (reason, message): (FailureReason, &str),
    options: &BudgetOptions,
) -> Layer {
    const NAME: &str = "JobSet";
    let Some(policy) = &set.failure_policy else {
        return Layer::once(NAME, "no failurePolicy", Terminal::FailedJobs.as_str());
    };
    let name = format!("{}-{}-0", set.name, job.name);
    let failed = FailedJob {
        name: &name,
        replicated_job: &job.name,
        job_index: Some(0),
        reason: reason.as_str(),
        message,
        failed_at: 0,
    };
    let rule = select(&policy.rules, std::iter::once(failed)).and_then(|choice| choice.rule);
    let rule = rule.and_then(|rule| policy.rules.get(rule));
    let action = rule.map_or(Action::RestartJobSet, |rule| rule.action);
    let of_rule = rule.map(|rule| format!("rule {} ({})", rule.name, action.as_str()));
    let unlimited = Layer {
        name: NAME.to_owned(),
        attempts: None,
        limit: of_rule.unwrap_or_default(),
        wait_seconds: Some(0.0),
        run_seconds: None,
        is_worst_case: false,
        end: None,
    };
    match action {
        Action::FailJobSet => {
            Layer::once(NAME, unlimited.limit, Terminal::FailJobSetFailurePolicyAction.as_str())
        }
        _ if action.restarts_one_job() && !options.options.restart_job => {
            Layer::once(NAME, unlimited.limit, "the feature gate RestartJob is off")
        }
        Action::RestartJobSet | Action::RestartJob => Layer {
            // The first run of the set is no restart.
            attempts: Some(u64::try_from(policy.max_restarts).unwrap_or(0) + 1),
            limit: format!("maxRestarts {}", policy.max_restarts.max(0)),
            end: Some(Terminal::ReachedMaxRestarts.as_str().to_owned()),
            ..unlimited
        },
        Action::RestartJobSetAndIgnoreMaxRestarts | Action::RestartJobAndIgnoreMaxRestarts => {
            unlimited
        }
    }
}
