//! The layers of retries of a Job: its containers, which may restart in place, and the Job itself.

use super::engine::replacement::JobOptions;
use super::engine::status::FailureReason;
use super::lint::worst_case::{CRASH_LOOP, waits};
use super::manifest::containers::{Container, RestartedBy};
use super::{
    ConditionStatus, JobPolicy, Pod, PodAction, PodCondition, PodContainer, Requirement,
    RestartPolicy, first_match, message,
};
use crate::budget::{BudgetFailure, BudgetOptions, Layer, LayerBudget};
use document::units::GoDuration;
use replay::history::DISRUPTION_TARGET;
use std::collections::BTreeSet;

/// The most exit codes of a policy whose budgets are told apart.
const MAX_CODES: usize = 50;

/// The layers inside of a Job, and the failure that the layer outside of it decides about.
pub(crate) struct JobLayers {
    /// The layers, the innermost first.
    pub layers: Vec<Layer>,
    /// The reason and message of the Job's failure; absent if it never fails.
    pub failure: Option<(FailureReason, String)>,
}

/// Returns the failures that the rules of a Job decide differently: each exit code that they list, one that none lists,
/// and the conditions of pods.
fn distinct_failures(policy: &JobPolicy) -> Vec<BudgetFailure> {
    let requirements = || policy.rules().iter().map(|rule| &rule.requirement);
    let mut listed: BTreeSet<i32> = BTreeSet::new();
    let mut containers: BTreeSet<&str> = BTreeSet::new();
    let mut conditions: BTreeSet<&str> = BTreeSet::from([DISRUPTION_TARGET]);
    for requirement in requirements() {
        match requirement {
            Requirement::ExitCodes(codes) => {
                listed.extend(&codes.values);
                containers.extend(codes.container.as_deref());
            }
            Requirement::Conditions(patterns) => {
                let is_true = patterns.iter().filter(|it| it.status == ConditionStatus::True);
                conditions.extend(is_true.map(|pattern| &*pattern.kind));
            }
            Requirement::Nothing => {}
        }
    }
    for container in &policy.containers {
        listed.extend(container.restart_rules.iter().flat_map(|rule| &rule.values));
        if container.restart_policy.is_some() && !container.is_init {
            containers.insert(&container.name);
        }
    }
    let first = first_container(policy, None).map(|container| &*container.name);
    let names: Vec<Option<&str>> = match (containers.len(), first) {
        (0, _) | (_, None) => vec![None],
        (1, Some(first)) if containers.contains(first) => vec![None],
        (_, Some(first)) => {
            containers.insert(first);
            containers.into_iter().map(Some).collect()
        }
    };
    // A code that no rule lists stands for all others.
    let other = (1..=i32::MAX).find(|code| !listed.contains(code)).unwrap_or(1);
    let mut failures = Vec::new();
    for name in names {
        let codes = listed.iter().copied().filter(|code| *code != 0).take(MAX_CODES);
        failures.extend(codes.map(|code| BudgetFailure::with_code(name, code)));
        let other = BudgetFailure::with_code(name, other);
        failures.push(BudgetFailure { is_any_other: true, ..other });
    }
    failures.extend(conditions.into_iter().map(BudgetFailure::with_condition));
    failures
}

/// The container of a failure: that of a name, or the first.
fn first_container<'p>(policy: &'p JobPolicy, name: Option<&str>) -> Option<&'p Container> {
    policy.containers.iter().find(|container| name.is_none_or(|name| *container.name == *name))
}

/// Returns the budgets of a Job's pod for a failure, or for all that it decides differently.
pub(super) fn budgets(
    policy: &JobPolicy,
    failure: Option<&BudgetFailure>,
    options: &BudgetOptions,
) -> Vec<LayerBudget> {
    let failures = failures(policy, failure);
    LayerBudget::join(failures.iter().map(|failure| {
        let JobLayers { layers, .. } = layers(policy, failure, options, "");
        budget(policy, failure, layers)
    }))
}

/// Returns a failure if the pod has its container, or without one all that a Job decides differently.
pub(crate) fn failures(policy: &JobPolicy, failure: Option<&BudgetFailure>) -> Vec<BudgetFailure> {
    let Some(failure) = failure else { return distinct_failures(policy) };
    let container = failure.container.as_deref();
    let has_container = container.is_none() || first_container(policy, container).is_some();
    if has_container { vec![failure.clone()] } else { Vec::new() }
}

/// Creates the budget of a pod of a Job.
pub(crate) fn budget(
    policy: &JobPolicy,
    failure: &BudgetFailure,
    layers: Vec<Layer>,
) -> LayerBudget {
    let amount = |of: fn(&Container) -> f64| {
        policy.containers.iter().filter(|it| !it.is_init).map(of).sum::<f64>()
    };
    LayerBudget {
        part: None,
        failures: vec![failure.to_string()],
        layers,
        cores: amount(|container| container.cores.as_f64()),
        gpus: amount(|container| container.gpus.as_f64()),
    }
}

/// Returns the layers of a Job around one pod that fails in the same way at every attempt, while all others succeed.
pub(crate) fn layers(
    policy: &JobPolicy,
    failure: &BudgetFailure,
    options: &BudgetOptions,
    pod_name: &str,
) -> JobLayers {
    if let Some((container, by)) = restarted_in_place(policy, failure) {
        return in_place(policy, (container, by), options);
    }
    let code = failure.exit_code;
    let name = failure.container.as_deref();
    let name = name.or_else(|| first_container(policy, None).map(|it| &*it.name));
    let containers = code.map(|exit_code| PodContainer {
        name: name.unwrap_or("main").into(),
        exit_code: Some(exit_code),
        ..PodContainer::default()
    });
    let conditions = failure.condition.as_ref().map(|kind| PodCondition {
        kind: kind.as_str().into(),
        status: ConditionStatus::True,
        reason: None,
    });
    let pod = Pod {
        name: pod_name,
        containers: containers.as_slice(),
        conditions: conditions.as_slice(),
        ..Pod::default()
    };
    let matched = first_match(policy.rules(), &pod);
    let rule = matched.map(|matched| (matched.rule, matched.action));
    let text = matched.map(|matched| message(matched, &pod)).unwrap_or_default();
    replaced(policy, rule, text, options)
}

/// The container that a failure restarts in place, and the field that restarts it. A pod that is disrupted ends.
fn restarted_in_place<'p>(
    policy: &'p JobPolicy,
    failure: &BudgetFailure,
) -> Option<(Option<&'p Container>, RestartedBy)> {
    let code = failure.exit_code.filter(|_| failure.condition.is_none())?;
    match first_container(policy, failure.container.as_deref()) {
        Some(container) => {
            let by = container.restarted_by(policy.restart_policy, code.into())?;
            Some((Some(container), by))
        }
        // A template without containers is no valid one, and has the pod's policy.
        None => {
            (policy.restart_policy == RestartPolicy::OnFailure).then_some((None, RestartedBy::Pod))
        }
    }
}

/// The attempts that a limit allows, without a deadline.
struct Limit {
    layer: String,
    /// The attempts; absent without a limit.
    attempts: Option<u64>,
    /// The limit, or what retries without one.
    text: String,
    /// The reason with which the Job fails when the attempts are used up.
    reason: FailureReason,
}

/// The layer of a pod whose container restarts in place. The Job counts such restarts if the pod's own policy is `OnFailure`
/// (`pastBackoffLimitOnFailure`).
fn in_place(
    policy: &JobPolicy,
    (container, by): (Option<&Container>, RestartedBy),
    options: &BudgetOptions,
) -> JobLayers {
    let limit = policy.backoff_limit;
    let is_counted = policy.restart_policy == RestartPolicy::OnFailure && limit < NO_LIMIT;
    let name = container.map_or("", |container| &*container.name);
    let text = match by {
        _ if is_counted => format!("backoffLimit {limit} with restartPolicy OnFailure"),
        RestartedBy::Rule(rule) => format!("restartPolicyRules[{rule}]"),
        RestartedBy::Container => "restartPolicy of the container".to_owned(),
        RestartedBy::Pod => format!("backoffLimit {limit}"),
    };
    let limit = Limit {
        layer: if is_counted { "Job".to_owned() } else { format!("container {name}") },
        // A limit of 0 allows as many restarts as one of 1 (`pastBackoffLimitOnFailure`).
        attempts: is_counted.then(|| u64::from(limit.max(1))),
        text,
        reason: FailureReason::BackoffLimitExceeded,
    };
    let attempts = Attempts { delays: CRASH_LOOP, is_in_place: true, runtime: options.runtime };
    before_deadline(policy, limit, &attempts, String::new())
}

/// The value of `backoffLimit` that means no limit: its default beside `backoffLimitPerIndex`.
const NO_LIMIT: u32 = i32::MAX as u32;

/// The layer of a Job that replaces its failed pod. `rule` is the one that matches the pod.
fn replaced(
    policy: &JobPolicy,
    rule: Option<(usize, PodAction)>,
    message: String,
    options: &BudgetOptions,
) -> JobLayers {
    let index_failed = match policy.max_failed_indexes {
        // The first failed index is one too many.
        Some(0) => FailureReason::MaxFailedIndexesExceeded,
        _ => FailureReason::FailedIndexes,
    };
    let per_index = policy.backoff_limit_per_index.filter(|_| policy.is_indexed());
    let (attempts, reason) = match rule {
        Some((_, PodAction::FailJob)) => (Some(1), FailureReason::PodFailurePolicy),
        // The failure counts, and the Job compares `backoffLimit` before it looks at indexes.
        Some((_, PodAction::FailIndex)) if per_index.is_some() && policy.backoff_limit > 0 => {
            (Some(1), index_failed)
        }
        // An ignored failure reaches no limit, so that only a deadline ends the Job.
        Some((_, PodAction::Ignore)) => (None, FailureReason::DeadlineExceeded),
        _ => {
            let limit = counted_limit(policy, per_index, index_failed);
            return before_deadline(policy, limit, &replacements(options), message);
        }
    };
    let text = rule.map(|(number, action)| format!("rule {number} ({})", action.as_str()));
    let text = text.unwrap_or_default();
    let limit = Limit { layer: "Job".to_owned(), attempts, text, reason };
    before_deadline(policy, limit, &replacements(options), message)
}

/// The limit on failures that count: that of the Job or that of the index, whichever ends first.
fn counted_limit(policy: &JobPolicy, per_index: Option<u32>, index_failed: FailureReason) -> Limit {
    let limit = policy.backoff_limit;
    let (attempts, text, reason) = match per_index {
        // The Job compares `backoffLimit` before it looks at indexes.
        Some(own) if own < limit => {
            (Some(u64::from(own) + 1), format!("backoffLimitPerIndex {own}"), index_failed)
        }
        _ if limit >= NO_LIMIT => {
            (None, format!("backoffLimit {limit}"), FailureReason::DeadlineExceeded)
        }
        _ => {
            let reason = FailureReason::BackoffLimitExceeded;
            (Some(u64::from(limit) + 1), format!("backoffLimit {limit}"), reason)
        }
    };
    Limit { layer: "Job".to_owned(), attempts, text, reason }
}

/// Returns the layer of a limit, or of the deadline if that passes before the last attempt has ended.
fn before_deadline(
    policy: &JobPolicy,
    limit: Limit,
    attempts: &Attempts,
    message: String,
) -> JobLayers {
    let by_deadline = policy.active_deadline.and_then(|deadline| {
        let begun = attempts.until_deadline(deadline, limit.attempts)?;
        // The last attempt is cut off before it ends.
        Some((begun, (deadline.as_secs_f64() - attempts.end(begun)).max(0.0)))
    });
    let (limit, cut_off) = match by_deadline {
        Some((begun, cut_off)) => {
            let (layer, text) = ("Job".to_owned(), "activeDeadlineSeconds".to_owned());
            let reason = FailureReason::DeadlineExceeded;
            (Limit { layer, attempts: Some(begun), text, reason }, cut_off)
        }
        None => (limit, 0.0),
    };
    let Limit { layer, attempts: number, text, reason } = limit;
    let wait_seconds = number.map(|number| attempts.waits(number - 1) + cut_off);
    let deadline = policy.active_deadline.filter(|_| by_deadline.is_some());
    let layer = Layer {
        name: layer,
        attempts: number,
        limit: text,
        wait_seconds,
        run_seconds: deadline
            .zip(wait_seconds)
            .map(|(deadline, wait)| deadline.as_secs_f64() - wait),
        is_worst_case: false,
        end: number.map(|_| reason.as_str().to_owned()),
    };
    let message = reason.message().map_or(message, str::to_owned);
    JobLayers { layers: vec![layer], failure: number.map(|_| (reason, message)) }
}

/// The attempts of one pod, or of its container.
struct Attempts {
    /// The delays between them.
    delays: JobOptions,
    /// Whether the kubelet restarts the container, in place of the Job's controller the pod.
    is_in_place: bool,
    /// The time that each runs.
    runtime: GoDuration,
}

fn replacements(options: &BudgetOptions) -> Attempts {
    let backoff_cap = options.options.pod_backoff_cap;
    let delays = JobOptions { backoff_cap, ..JobOptions::default() };
    Attempts { delays, is_in_place: false, runtime: options.runtime }
}

/// The time after which the kubelet forgets the restarts of a container that ran so long: twice the longest delay
/// (`hasExpired` of client-go's `flowcontrol.Backoff`).
const FORGOTTEN_AFTER: GoDuration = GoDuration::from_secs(600);

impl Attempts {
    /// The waits after this number of failures in all, in seconds. The kubelet restarts a container at once that it does not
    /// remember (`doBackOff` of `kuberuntime_manager.go`).
    fn waits(&self, failures: u64) -> f64 {
        match self.is_in_place {
            true if self.runtime > FORGOTTEN_AFTER => 0.0,
            // The first restart has no wait.
            true => waits(&self.delays, failures.saturating_sub(1)),
            false => waits(&self.delays, failures),
        }
    }

    /// The time from the start of the Job to the end of an attempt, in seconds.
    fn end(&self, attempt: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a time in seconds")]
        let runs = attempt as f64 * self.runtime.as_secs_f64();
        self.waits(attempt - 1) + runs
    }

    /// The attempts that begin before a deadline, if it passes before the last one of `limit` has ended.
    fn until_deadline(&self, deadline: GoDuration, limit: Option<u64>) -> Option<u64> {
        let (deadline, runtime) = (deadline.as_secs_f64(), self.runtime.as_secs_f64());
        if limit.is_some_and(|limit| self.end(limit) <= deadline) {
            return None;
        }
        // Attempts begin later and later, so that the last one before the deadline is found by halving.
        // An attempt always begins: the first one at the start of the Job.
        let (mut low, mut high) = (1, limit.unwrap_or(u64::from(u32::MAX)).max(1));
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.end(middle) - runtime < deadline { low = middle } else { high = middle - 1 }
        }
        Some(low)
    }
}
