//! What commands need of Iris.

use super::budget::{Budget, Counts};
use super::engine::{IrisEngine, IrisUnit};
use super::read::{IrisProfile, read};
use super::record::IrisFields;
use super::shape::SYSTEM;
use crate::diag::Findings;
use crate::document::Document;
use crate::history::{Member, MemberRun};
use crate::simulate::Units;
use crate::systems::{Identity, Options, System, Tried, Unjudged, Words, profile};

impl Units for IrisEngine {
    type Own = IrisFields;

    fn all_alone(&self) -> bool {
        self.rules().policy.replicas == 1
    }

    fn members(&self) -> Option<u32> {
        Some(self.rules().policy.replicas)
    }

    fn is_clear(&self, _: &str, _: &MemberRun<IrisFields>) -> bool {
        true
    }
}

impl System for IrisEngine {
    type Manifest = IrisProfile;

    const KIND: &'static str = profile::KIND;
    const PROFILE: Option<&'static str> = Some(SYSTEM);
    const WORDS: Words = Words {
        manifest: "RetryProfile of iris",
        whose: "an Iris job's",
        unit: "Iris job",
        members: "tasks",
    };

    fn read(document: &Document, _: &Options, findings: &mut Findings) -> Option<IrisProfile> {
        read(document, findings)
    }

    fn unit(_: &IrisProfile) -> Identity<'_> {
        Identity { namespace: "", name: "" }
    }

    fn over(manifests: Vec<IrisProfile>, _: &Options) -> Self {
        Self::new(manifests.into_iter().next().unwrap_or_default())
    }

    fn unjudged(&self, members: &[Member<IrisFields>]) -> Option<Unjudged> {
        let replicas = self.rules().policy.replicas;
        let stranger = members.iter().find(|member| member.key >= replicas)?;
        let message = format!(
            "job `{}` has a record of task {}, and the profile's `replicas` is {replicas}",
            stranger.unit, stranger.key
        );
        let help = "tasks count from 0; or give the profile of jobs with so many tasks".to_owned();
        Some(Unjudged { message, help })
    }

    /// The retries are of the budget that the run charges: of the other nothing is used.
    fn spend(&self, unit: &mut IrisUnit, run: &MemberRun<IrisFields>, retries: u32) {
        let IrisFields { task, outcome, phase } = run.own;
        let profile = self.rules().profile;
        let started = phase.state().is_executing();
        let counts = match profile.charge(outcome.attempt_state(profile), started) {
            Some(Budget::Failure) => Counts { failure: retries, preemption: 0 },
            Some(Budget::Preemption) => Counts { failure: 0, preemption: retries },
            None => Counts::default(),
        };
        unit.job.spend(task, counts);
        unit.retries = retries;
    }

    fn trace(
        &self,
        unit: &IrisUnit,
        _: &Member<IrisFields>,
        run: &MemberRun<IrisFields>,
    ) -> Vec<Tried> {
        let mut job = unit.job.clone();
        let decision = job.apply(self.rules(), run.own.event(), &mut Vec::new());
        let checks = self.rules().checks(run.own, decision.counts, decision.failures);
        let tried = |(matched, why)| Tried { rule: self.label(), matched, why };
        checks.into_iter().map(tried).collect()
    }
}
