//! Converts a JobSet to `v1` policies: one for the jobs of each replicated Job.

use super::job_failure::{JobFailure, Restarts, SetResponse};
use super::outcomes::{Outcome, outcomes};
use super::set;
use crate::convert::{Conversion, Notes, policy_name};
use crate::job::convert::{
    Consequence, JOB_BACKOFF, Step, StepList, Template, UNLIMITED, note_unsupported,
};
use crate::job::{JobPolicy, PodAction, Requirement, RestartPolicy};
use crate::jobset::{JobSet, ReplicatedJob};
use armada_retry::policy::{Action, Backoff, Form, PolicyName, RetryPolicy};
use document::Node;
use document::units::GoDuration;

/// A set restarts without a delay.
// The delay is explicit, so that no fleet's `defaultBackoff` applies.
const AT_ONCE: Backoff =
    Backoff { initial_delay: Some(GoDuration::ZERO), max_delay: None, multiplier: None };

/// Converts the JobSet of a checked manifest to `v1` policies; `None` if its name cannot be made a policy's
/// name. `root` is the manifest's root.
pub fn to_v1(root: &Node, set: &JobSet) -> Option<Conversion<Vec<RetryPolicy>>> {
    let (mut of_set, mut notes) = (Notes::default(), Notes::default());
    let jobs = root.at(&["spec", "replicatedJobs"]).map(Node::items).unwrap_or_default();
    let specs = jobs.iter().map(|node| node.at(&["template", "spec"]));
    let mut policies = Vec::new();
    let (mut restarts, mut has_limit) = (Restarts::default(), false);
    for (index, (job, spec)) in set.replicated_jobs.iter().zip(specs).enumerate() {
        let name = match set.replicated_jobs.len() {
            // A set with one Job keeps its name, since the policy is that of the whole set.
            1 => set.name.to_string(),
            _ => format!("{}-{}", set.name, job.name),
        };
        let path = format!("spec.replicatedJobs[{index}].template.spec");
        let child = Child { set, job, template: spec.map(Template::of).unwrap_or_default(), path };
        if let Some(spec) = spec {
            note_unsupported(spec, &child.path, &job.job, &mut notes);
        }
        policies.push(child.policy(policy_name(&name)?, &mut notes));
        restarts = restarts.or(child.restarts());
        has_limit |= child.responses().any(|response| response.consequence == Consequence::Counted);
    }
    set::note_several_pods(set, restarts, &mut notes);
    set::note_set_fields(root, set, has_limit, &mut of_set);
    of_set.append(notes);
    Some(Conversion { result: policies, notes: of_set.into_vec() })
}

/// A replicated Job of a set.
struct Child<'s> {
    set: &'s JobSet,
    job: &'s ReplicatedJob,
    template: Template,
    /// The path of the Job's spec.
    path: String,
}

impl Child<'_> {
    fn policy(&self, name: PolicyName, notes: &mut Notes) -> RetryPolicy {
        let job = &self.job.job;
        let at_limit = JobFailure::by_limit(job).response(self.set, self.job);
        at_limit.note_doubts("the Job's limit", notes);
        let (default, limit) = self.default(&at_limit, notes);
        let steps = (0..job.rules().len()).flat_map(|index| self.steps(index, default, notes));
        let ladder = StepList {
            steps: steps.collect(),
            default,
            limit,
            template: &self.template,
            path: format!("{}.podFailurePolicy.rules", self.path),
        };
        let rules = ladder.rules(notes);
        let (default_action, retry_limit) = match default {
            Consequence::Counted if limit > 0 => (Action::Retry, Some(limit)),
            Consequence::Counted | Consequence::End => (Action::Fail, None),
            Consequence::Free => (Action::Retry, Some(UNLIMITED)),
        };
        let retries = default_action == Action::Retry
            || rules.iter().any(|rule| rule.action == Action::Retry);
        let backoff = if inner_retries(job) > 0 { JOB_BACKOFF } else { AT_ONCE };
        RetryPolicy {
            name,
            form: Form::V1,
            retry_limit,
            default_action: Some(default_action),
            backoff: if retries { backoff } else { Backoff::default() },
            anti_affinity: None,
            rules,
        }
    }

    /// Returns the Jobs that restart after any failure of the Job.
    fn restarts(&self) -> Restarts {
        self.responses().map(|response| response.restarts).fold(Restarts::default(), Restarts::or)
    }

    /// Returns the response of the set to each failure of the Job: by its limit, and by its rules.
    fn responses(&self) -> impl Iterator<Item = SetResponse> {
        let by_limit = JobFailure::by_limit(&self.job.job).response(self.set, self.job);
        let rules = self.job.job.rules().iter().enumerate();
        let failing = rules.filter(|(_, rule)| rule.action == Some(PodAction::FailJob));
        let outcomes = failing.flat_map(|(index, rule)| {
            outcomes(index, &rule.requirement, &self.template, self.set, self.job)
        });
        std::iter::once(by_limit).chain(outcomes.map(|outcome| outcome.response))
    }

    /// Returns the consequence of failures that no rule of the Job matches, and their limit.
    fn default(&self, at_limit: &SetResponse, notes: &mut Notes) -> (Consequence, u32) {
        let restarts = set::limit(self.set);
        if at_limit.consequence == Consequence::Free {
            note_unlimited(at_limit, notes);
        } else if let Some(rule) = at_limit.rules.first() {
            set::note_action(self.set, *rule, "as `defaultAction`", notes);
        }
        let inner = inner_retries(&self.job.job);
        if inner == 0 {
            return (at_limit.consequence, restarts);
        }
        let (consequence, limit) = match at_limit.consequence {
            Consequence::End => (Consequence::Counted, inner),
            Consequence::Free => (Consequence::Free, restarts),
            Consequence::Counted => {
                // Each restart of the set gives the Job all of its attempts again.
                let runs = (u64::from(inner) + 1) * (u64::from(restarts) + 1);
                (Consequence::Counted, u32::try_from(runs - 1).unwrap_or(UNLIMITED).min(UNLIMITED))
            }
        };
        let budget = match consequence {
            Consequence::Free => "have no limit".to_owned(),
            _ => format!("are one budget, {limit}"),
        };
        let what = format!(
            "the Job makes {inner} more attempts by itself each time, which wait 10s and longer; in v1 these and \
             the set's restarts {budget}, and all of them wait"
        );
        notes
            .approximated(format!("{}.backoffLimit", self.path), what)
            .help("`backoffLimit: 0` and `restartPolicy: Never` leave every attempt to the set");
        (consequence, limit)
    }

    /// Returns the steps of a rule of the Job's pod failure policy, one per code if their consequences
    /// differ.
    fn steps(&self, index: usize, default: Consequence, notes: &mut Notes) -> Vec<Step> {
        let Some(rule) = self.job.job.rules().get(index) else { return Vec::new() };
        let requirement = &rule.requirement;
        let step = |requirement: &Requirement, consequence| {
            let requirement = requirement.clone();
            Step { rule: index, requirement, consequence, backoff: Backoff::default() }
        };
        match rule.action {
            None => Vec::new(),
            Some(PodAction::Count) => vec![step(requirement, default)],
            Some(PodAction::Ignore) => {
                let path = format!("{}.podFailurePolicy.rules[{index}].action", self.path);
                let what = "the Job's waits start over with each restart of the set, Armada's grow with each \
                            failure";
                notes.approximated(path, what);
                vec![Step { backoff: JOB_BACKOFF, ..step(requirement, Consequence::Free) }]
            }
            Some(PodAction::FailIndex) => {
                let response = JobFailure::by_limit(&self.job.job).response(self.set, self.job);
                note_deciding_rules(
                    self.set,
                    &response,
                    &format!("rule {index} of `podFailurePolicy`"),
                    notes,
                );
                vec![step(requirement, response.consequence)]
            }
            Some(PodAction::FailJob) => {
                let outcomes = outcomes(index, requirement, &self.template, self.set, self.job);
                let part = if outcomes.len() > 1 { "exit codes of " } else { "" };
                for outcome in &outcomes {
                    let by = format!("{part}rule {index} of `podFailurePolicy`");
                    note_deciding_rules(self.set, &outcome.response, &by, notes);
                }
                let own =
                    |outcome: &Outcome| step(&outcome.requirement, outcome.response.consequence);
                outcomes.iter().map(own).collect()
            }
        }
    }
}

/// Notes the rules of the set that decide about these failures.
fn note_deciding_rules(set: &JobSet, response: &SetResponse, by: &str, notes: &mut Notes) {
    response.note_doubts(by, notes);
    for rule in &response.rules {
        set::note_action(set, *rule, &format!("as the action for {by}"), notes);
    }
}

/// Notes the difference of a default action without a limit.
fn note_unlimited(response: &SetResponse, notes: &mut Notes) {
    let path = match response.rules.first() {
        Some(rule) => format!("spec.failurePolicy.rules[{rule}].action"),
        None => "spec.failurePolicy".to_owned(),
    };
    let what = "restarts without a limit; in v1 the fleet's globalMaxRetries still ends the job";
    notes
        .approximated(path, what)
        .help("set the fleet's globalMaxRetries to the most retries that a job may have");
}

/// Returns the number of attempts after the first that a Job makes before it fails.
fn inner_retries(job: &JobPolicy) -> u32 {
    match job.restart_policy {
        RestartPolicy::Never => {
            job.backoff_limit_per_index.unwrap_or(job.backoff_limit).min(job.backoff_limit)
        }
        // A limit of N allows N - 1 restarts, and 0 as many as 1 (`pastBackoffLimitOnFailure`).
        RestartPolicy::OnFailure => job.backoff_limit.max(1) - 1,
    }
}
