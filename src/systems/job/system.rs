//! What commands need of Jobs.

use super::engine::{JobEngine, JobManifest, JobUnit};
use super::pod::IndexFailures;
use super::{Creator, FeatureGates, JOB, JobOptions, JobPolicy, PodFields, admit, read, trace};
use crate::diag::Findings;
use crate::document::{Document, KeyCase, Node, check, check_for_go};
use crate::history::{Member, MemberRun};
use crate::simulate::Units;
use crate::systems::{Identity, Options, System, Tried, Unjudged, Words};

impl Units for JobEngine {
    type Own = PodFields;

    fn all_alone(&self) -> bool {
        self.manifests.iter().all(|manifest| manifest.policy.is_of_one_pod())
    }

    fn is_clear(&self, unit: &str, run: &MemberRun<PodFields>) -> bool {
        let manifest = self.manifests.get(self.manifest_of(unit));
        manifest.is_some_and(|manifest| !manifest.policy.lacks(run.own.index))
    }
}

impl System for JobEngine {
    type Manifest = JobManifest;

    const KIND: &'static str = "Job";
    const WORDS: Words = Words { manifest: "Job", whose: "a Job's", unit: "Job", members: "pods" };

    fn read(document: &Document, _: &Options, findings: &mut Findings) -> Option<JobManifest> {
        let root = &document.root;
        let mut own = Findings::new();
        check(&document.source, root, &JOB, KeyCase::Exact, &mut own);
        check_for_go(&document.source, root, &JOB, &mut own);
        let spec = root.get("spec");
        if let Some(spec) = spec {
            admit(document, spec, Creator::Manifest, &mut own);
        }
        let sound = !own.has_errors();
        findings.extend(own);
        let mut keys = ["name", "generateName"].into_iter();
        let name = keys.find_map(|key| root.at(&["metadata", key]).and_then(Node::text));
        let policy = read(spec?, Creator::Manifest, FeatureGates::default());
        let namespace = root.at(&["metadata", "namespace"]).and_then(Node::text);
        sound.then(|| JobManifest {
            name: name.unwrap_or_default().to_owned(),
            namespace: namespace.unwrap_or_default().to_owned(),
            policy,
        })
    }

    fn unit(manifest: &JobManifest) -> Identity<'_> {
        manifest.identity()
    }

    fn over(manifests: Vec<JobManifest>, options: &Options) -> Self {
        let options = JobOptions { backoff_cap: options.pod_backoff_cap, ..JobOptions::default() };
        Self::new(manifests, options)
    }

    fn unjudged(&self, members: &[Member<PodFields>]) -> Option<Unjudged> {
        members.iter().find_map(|member| {
            let manifest = self.manifests.get(self.manifest_of(&member.unit))?;
            let index = member.runs.first()?.own.completion_index()?;
            let lacks = manifest.policy.lacks(index);
            lacks.then(|| no_index(&member.unit, &manifest.policy, index))
        })
    }

    fn spend(&self, unit: &mut JobUnit, _: &MemberRun<PodFields>, retries: u32) {
        unit.job.presume_nothing();
        unit.job.spend(retries);
    }

    fn trace(
        &self,
        _: &JobUnit,
        member: &Member<PodFields>,
        run: &MemberRun<PodFields>,
    ) -> Vec<Tried> {
        let Some(manifest) = self.manifests.get(self.manifest_of(&member.unit)) else {
            return Vec::new();
        };
        let pod = run.own.pod(run.time(), IndexFailures::default());
        trace(&manifest.name, manifest.policy.rules(), &pod)
    }
}

/// The Job has no such index; its controller would not count the pod.
pub(in crate::systems) fn no_index(job: &str, policy: &JobPolicy, index: u32) -> Unjudged {
    let completions = policy.completions.unwrap_or_default();
    let message =
        format!("Job `{job}` has {completions} completions, and a record has podIndex {index}");
    let help = "podIndex counts from 0; or give the manifest that the records are of";
    Unjudged { message, help: help.to_owned() }
}
