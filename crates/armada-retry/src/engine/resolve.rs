//! The policies that apply to a job (semantics.md, section 3).

use super::evaluator::{Evaluator, Route};
use super::job::{JobFields, RETRY_POLICY};
use super::profile::QueuePolicies;
use std::collections::HashMap;
use std::sync::Arc;

/// The sources of a queue's list of policies, and how to handle missing policies.
#[derive(Debug, Clone, Default)]
pub struct Bindings {
    /// The list of every queue (`--queue-policies`); it replaces all other lists.
    pub forced: Option<Vec<String>>,
    /// The lists of the known queues.
    pub queues: HashMap<String, Vec<String>>,
    /// How to handle names without a policy.
    pub missing: MissingPolicy,
    /// Whether a queue without a list has no policies. Otherwise the only policy applies, if there is one.
    pub is_complete: bool,
}

/// How to handle names without a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingPolicy {
    /// Report them as errors.
    #[default]
    Error,
    /// Ignore them.
    Skip,
}

/// The policies that apply to a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effective {
    /// The numbers of the policies, in order of evaluation.
    pub policies: Vec<usize>,
    /// The names without a policy.
    pub missing: Vec<String>,
    /// Whether there are several policies and no list, annotation or default names those of the job.
    pub unbound: bool,
}

impl Bindings {
    /// The policies that apply to a job, by the steps of semantics.md, section 3.
    pub fn effective(&self, evaluator: &Evaluator, queue: &str, job: &JobFields) -> Effective {
        let listed = self.listed(evaluator, queue);
        let known = listed.is_some();
        let mut names = listed.unwrap_or_default();
        let first_only = evaluator.profile().policies == QueuePolicies::FirstOnly;
        // Step 1; in `v1beta1` only the first name counts, and the annotation is ignored.
        if first_only {
            names.truncate(1);
        } else {
            // Step 2.
            names.extend(annotated(job));
        }
        let default = evaluator.settings().base().default_policy.clone();
        // Step 4. Step 3, the removal of repeated names, is in `take`.
        if names.is_empty() {
            names.extend(default.clone());
        }
        let unbound = !known && names.is_empty() && evaluator.policies().len() > 1;
        let mut effective = Effective { unbound, ..Effective::default() };
        effective.take(evaluator, &names);
        // If `--missing-policy skip` leaves no policy, the default applies; in `v1beta1` the legacy path
        // does.
        let skipped_all = effective.policies.is_empty() && !effective.missing.is_empty();
        if skipped_all && self.missing == MissingPolicy::Skip && !first_only {
            effective.take(evaluator, default.as_slice());
        }
        effective
    }

    /// The route of a job. Names without a policy are left out.
    pub fn route(&self, evaluator: &Evaluator, queue: &str, job: &JobFields) -> Arc<Route> {
        evaluator.route(&self.effective(evaluator, queue, job).policies)
    }

    /// The list of a queue: `--queue-policies`, else the queue's own list, else the only policy unless the lists
    /// are complete. `None` if there are several policies and no list.
    pub fn listed(&self, evaluator: &Evaluator, queue: &str) -> Option<Vec<String>> {
        let found = self.forced.as_ref().or_else(|| self.queues.get(queue));
        let only = || match evaluator.policies() {
            _ if self.is_complete => Some(Vec::new()),
            [only] => Some(vec![only.name.as_str().to_owned()]),
            _ => None,
        };
        found.cloned().or_else(only)
    }
}

impl Effective {
    /// Adds the policies with these names. A repeated name keeps its first position.
    fn take(&mut self, evaluator: &Evaluator, names: &[String]) {
        for name in names {
            match evaluator.policy_number(name) {
                Some(number) if self.policies.contains(&number) => {}
                Some(number) => self.policies.push(number),
                None if self.missing.contains(name) => {}
                None => self.missing.push(name.clone()),
            }
        }
    }
}

/// The names in the job's annotation: separated by commas, blanks trimmed, empty pieces ignored.
fn annotated(job: &JobFields) -> impl Iterator<Item = String> {
    let text = job.annotation(RETRY_POLICY).unwrap_or_default();
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned)
}
