//! The Job controller behind the engines' one interface: units are Jobs, members their pods by
//! index.

use super::backoff::JobOptions;
use super::decision::Decision;
use super::end::PodEnd;
use super::look::{Look, end};
use super::model::JobPolicy;
use super::record::PodFields;
use super::state::{JobState, KnownMember};
use super::status::{FailureReason, Ruling};
use crate::engine::{Engine, Evaluation, FactKind, Moment, Together};
use crate::history::{Member, MemberRun};
use crate::systems::Identity;
use crate::units::Time;

/// A Job's manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobManifest {
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`; empty if it is not said.
    pub namespace: String,
    /// What it means.
    pub policy: JobPolicy,
}

impl JobManifest {
    /// What the Job is called.
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
}

/// What is remembered of a Job.
#[derive(Debug, Clone)]
pub struct JobUnit {
    /// The manifest that it is judged by.
    pub(super) manifest: usize,
    /// The Job.
    pub job: JobState,
    /// Why it failed, once it has.
    pub(super) failure: Option<FailureReason>,
    /// The pod that a rule failed it for, where others failed in the same second.
    pub(super) culprit: Option<Box<PodFields>>,
}

impl JobEngine {
    /// An engine over manifests. A unit is judged by the manifest of its name, else by the first;
    /// with none, nothing is judged.
    pub fn new(manifests: Vec<JobManifest>, options: JobOptions) -> Self {
        let mut next = 0;
        let first_rules = manifests
            .iter()
            .map(|manifest| {
                let first = next;
                next += manifest.policy.rules().len() + 1;
                first
            })
            .collect();
        Self { manifests, options, first_rules }
    }

    /// The manifests.
    pub fn manifests(&self) -> &[JobManifest] {
        &self.manifests
    }

    /// The number of the manifest that a unit is judged by.
    pub fn manifest_of(&self, unit: &str) -> usize {
        let known = self.manifests.iter().map(JobManifest::identity);
        Identity::of_unit(unit).among(known).unwrap_or_default()
    }
}

impl Engine for JobEngine {
    type Record = MemberRun<PodFields>;
    type Member = Member<PodFields>;
    type State = JobUnit;
    type Decision = Decision;
    type Memory = Vec<Ruling>;

    const TOGETHER: Together = Together::Second;
    const DRAWS: bool = false;

    fn runs<'m>(&self, member: &'m Self::Member) -> &'m [Self::Record] {
        &member.runs
    }

    fn unit_key(&self, member: &Self::Member) -> Option<String> {
        (!member.alone).then(|| member.unit.to_string())
    }

    fn begin(&self, members: &[&Self::Member]) -> JobUnit {
        let manifest = self.manifest_of(members.first().map_or("", |member| &member.unit));
        let known = members.iter().map(|member| {
            let first = member.runs.first();
            first.map(|run| KnownMember::of_first(&run.own, run.started_at)).unwrap_or_default()
        });
        let job = match self.manifests.get(manifest) {
            Some(manifest) => JobState::new(&manifest.policy, known),
            None => JobState::unjudged(),
        };
        JobUnit { manifest, job, failure: None, culprit: None }
    }

    fn wake(&self, unit: &JobUnit) -> Option<Time> {
        unit.job.deadline(&self.manifests.get(unit.manifest)?.policy)
    }

    fn evaluate(
        &self,
        unit: &mut JobUnit,
        rulings: &mut Vec<Ruling>,
        moment: &Moment<'_, Self::Record>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        let Some(manifest) = self.manifests.get(unit.manifest) else { return };
        let mut look = Look { engine: self, policy: &manifest.policy, unit, rulings, answer };
        if look.set_aside(moment) {
            return;
        }
        let due = moment.facts.iter().any(|fact| matches!(fact.kind, FactKind::Timer));
        let mut ends = moment.facts.iter().filter_map(end);
        // Nearly always one pod ends at a time, which then takes no list.
        match (ends.next(), ends.next()) {
            (None, _) if due => look.expire(moment),
            (None, _) => {}
            (Some(one), None) => look.at(&[one], moment),
            (Some(one), Some(two)) => {
                let all: Vec<PodEnd<'_>> = [one, two].into_iter().chain(ends).collect();
                look.at(&all, moment);
            }
        }
        if answer.fate.is_none() {
            answer.next = unit.job.deadline(&manifest.policy);
        }
    }

    fn avoided<'s>(&self, _: &'s JobUnit, _: usize, _: &Decision) -> &'s [String] {
        &[]
    }
}
