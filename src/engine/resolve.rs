//! Which policies apply to a job (semantics.md, section 3).

use super::evaluator::{Evaluator, Route};
use super::profile::QueuePolicies;
use crate::history::{Job, RETRY_POLICY};
use std::collections::HashMap;
use std::sync::Arc;

/// Where a queue's list of policies comes from, and what a missing policy means.
#[derive(Debug, Clone, Default)]
pub struct Bindings {
    /// The list of every queue, whatever else is said (`--queue-policies`).
    pub forced: Option<Vec<String>>,
    /// The lists of the queues that are known.
    pub queues: HashMap<String, Vec<String>>,
    /// What becomes of names that no policy has.
    pub missing: MissingPolicy,
}

/// What becomes of names that no policy has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingPolicy {
    /// They are errors.
    #[default]
    Error,
    /// They are dropped.
    Skip,
}

/// The policies that apply to a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effective {
    /// Their numbers, in order.
    pub policies: Vec<usize>,
    /// Names that no policy has.
    pub missing: Vec<String>,
    /// Whether there are several policies and nothing says which of them apply.
    pub unbound: bool,
}

impl Bindings {
    /// The policies that apply to a job.
    pub fn effective(&self, evaluator: &Evaluator, job: &Job) -> Effective {
        let listed = self.listed(evaluator, &job.queue);
        let known = listed.is_some();
        let mut names = listed.unwrap_or_default();
        let first_only = evaluator.profile().policies == QueuePolicies::FirstOnly;
        if first_only {
            names.truncate(1);
        } else {
            names.extend(annotated(job));
        }
        let default = evaluator.settings().base().default_policy.clone();
        if names.is_empty() {
            names.extend(default.clone());
        }
        let unbound = !known && names.is_empty() && evaluator.policies().len() > 1;
        let mut effective = Effective { unbound, ..Effective::default() };
        effective.take(evaluator, &names);
        let skipped_all = effective.policies.is_empty() && !effective.missing.is_empty();
        if skipped_all && self.missing == MissingPolicy::Skip && !first_only {
            effective.take(evaluator, default.as_slice());
        }
        effective
    }

    /// The route of a job. Names that no policy has are left out.
    pub fn route(&self, evaluator: &Evaluator, job: &Job) -> Arc<Route> {
        evaluator.route(&self.effective(evaluator, job).policies)
    }

    fn listed(&self, evaluator: &Evaluator, queue: &str) -> Option<Vec<String>> {
        let found = self.forced.as_ref().or_else(|| self.queues.get(queue));
        let only = || match evaluator.policies() {
            [only] => Some(vec![only.name.as_str().to_owned()]),
            _ => None,
        };
        found.cloned().or_else(only)
    }
}

impl Effective {
    /// Adds the policies of these names; of a name that stands twice the first place counts.
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
fn annotated(job: &Job) -> impl Iterator<Item = String> {
    let text = job.unit_fields.annotation(RETRY_POLICY).unwrap_or_default();
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned)
}
