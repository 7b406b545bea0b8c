//! The Job controller as an engine: units are Jobs, and members are their pods by index.

pub(super) mod decision;
mod interface;
pub(super) mod manage;
pub(super) mod pod;
pub(super) mod pool;
pub(super) mod replacement;
pub(super) mod rule_match;
pub(super) mod state;
pub(super) mod status;
pub(super) mod sync;

use super::manifest::JobPolicy;
use super::parts::PodValues;
use super::record::PodFields;
use crate::Identity;
use replacement::JobOptions;
use replay::simulate::PolicyNeeds;
use state::JobState;
use status::FailureReason;

/// A Job's manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobManifest {
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`; empty if absent.
    pub namespace: String,
    /// The fields that failures depend on.
    pub policy: JobPolicy,
}

impl JobManifest {
    /// Returns the namespace and name of the Job.
    pub fn identity(&self) -> Identity<'_> {
        Identity { namespace: &self.namespace, name: &self.name }
    }
}

/// The engine over some manifests.
#[derive(Debug, Clone)]
pub struct JobEngine {
    pub(super) manifests: Vec<JobManifest>,
    pub(super) options: JobOptions,
    /// The number of each manifest's first rule among all rules and defaults.
    pub(super) first_rules: Vec<usize>,
    needs: Vec<PolicyNeeds>,
    values: PodValues,
}

/// The state of a Job.
#[derive(Debug, Clone)]
pub struct JobUnit {
    /// The index of the manifest that applies.
    pub(super) manifest: usize,
    /// The state of the Job's pods.
    pub job: JobState,
    /// The reason of the Job's failure, if it has failed.
    pub(super) failure: Option<FailureReason>,
    /// The pod for which a rule failed the Job, if other pods failed in the same second.
    pub(super) causing_pod: Option<Box<PodFields>>,
}

impl JobEngine {
    /// Creates an engine over manifests. The manifest with the unit's name applies, else the first; without
    /// manifests no run is judged.
    pub fn new(manifests: Vec<JobManifest>, options: JobOptions) -> Self {
        let mut next = 0;
        let first_rules: Vec<usize> = manifests
            .iter()
            .map(|manifest| {
                let first = next;
                next += manifest.policy.rules().len() + 1;
                first
            })
            .collect();
        let mut values = PodValues::new(0);
        let rules = manifests.iter().map(|manifest| manifest.policy.rules()).zip(&first_rules);
        let needs = rules.map(|(rules, first)| values.needs(rules, *first).into_iter().collect());
        let needs = needs.collect();
        Self { manifests, options, first_rules, needs, values }
    }

    /// Returns the index of the manifest that applies to a unit.
    pub fn manifest_of(&self, unit: &str) -> usize {
        let known = self.manifests.iter().map(JobManifest::identity);
        Identity::from_unit(unit).among(known).unwrap_or_default()
    }
}
