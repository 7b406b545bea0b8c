//! What commands need of Airflow.

use super::engine::{AirflowEngine, AirflowManifest, TaskUnit};
use super::record::TryFields;
use super::shape::PROFILE;
use super::{audit, read};
use crate::diag::Findings;
use crate::document::{Document, KeyCase, check};
use crate::history::{Member, MemberRun};
use crate::simulate::Units;
use crate::systems::{Identity, Options, System, Tried, Unjudged, Words, profile};

impl Units for AirflowEngine {
    type Own = TryFields;

    fn all_alone(&self) -> bool {
        true
    }

    fn is_clear(&self, _: &str, _: &MemberRun<TryFields>) -> bool {
        true
    }
}

impl System for AirflowEngine {
    type Manifest = AirflowManifest;

    const KIND: &'static str = profile::KIND;

    const PROFILE: Option<&'static str> = Some("airflow");

    const WORDS: Words = Words {
        manifest: "RetryProfile of airflow",
        whose: "a task instance's",
        unit: "task instance",
        members: "tries",
    };

    const GUESSED: &'static str = "a `dagId` or `taskId` that is not on record: nothing, or the `jobId`, is hashed in its place";

    fn read(document: &Document, _: &Options, findings: &mut Findings) -> Option<AirflowManifest> {
        let root = &document.root;
        let mut own = Findings::new();
        check(&document.source, root, &PROFILE, KeyCase::Exact, &mut own);
        let spec = root.get("spec");
        let settings = spec.and_then(|spec| spec.get("policy"));
        if let Some(settings) = settings {
            audit::refuse(document, settings, &mut own);
        }
        let policy = spec.map(read).unwrap_or_default();
        let sound = !own.has_errors();
        if let Some(settings) = settings.filter(|_| sound) {
            audit::warn(document, settings, &policy, &mut own);
        }
        findings.extend(own);
        sound.then(|| AirflowManifest { name: profile::name(document).to_owned(), policy })
    }

    /// A profile judges whatever is brought before it.
    fn unit(_: &AirflowManifest) -> Identity<'_> {
        Identity { namespace: "", name: "" }
    }

    fn over(manifests: Vec<AirflowManifest>, _: &Options) -> Self {
        Self::new(manifests.into_iter().next().unwrap_or_default())
    }

    fn unjudged(&self, _: &[Member<TryFields>]) -> Option<Unjudged> {
        None
    }

    fn spend(&self, unit: &mut TaskUnit, _: &MemberRun<TryFields>, retries: u32) {
        unit.counts.spend(retries);
    }

    fn trace(
        &self,
        unit: &TaskUnit,
        _: &Member<TryFields>,
        run: &MemberRun<TryFields>,
    ) -> Vec<Tried> {
        self.checks(unit, run)
    }
}
