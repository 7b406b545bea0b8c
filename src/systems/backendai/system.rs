//! What commands need of the draft.

use super::engine::{BackendAiEngine, RootSession};
use super::misleading::warn;
use super::read::{Profile, read};
use super::record::SessionFields;
use super::refuse::refuse;
use super::trace::trace;
use crate::diag::Findings;
use crate::document::Document;
use crate::history::{Member, MemberRun};
use crate::simulate::Units;
use crate::systems::{Identity, Options, System, Tried, Unjudged, Words, profile};

impl Units for BackendAiEngine {
    type Own = SessionFields;

    fn all_alone(&self) -> bool {
        true
    }

    fn is_clear(&self, _: &str, _: &MemberRun<SessionFields>) -> bool {
        true
    }
}

impl System for BackendAiEngine {
    type Manifest = Profile;

    const KIND: &'static str = profile::KIND;

    const PROFILE: Option<&'static str> = Some("backendai");

    const WORDS: Words = Words {
        manifest: "RetryProfile of backendai",
        whose: "a session's",
        unit: "session",
        members: "sessions",
    };

    const GUESSED: &'static str =
        "a `sessionId` that is not on record: the root's id is hashed in its place";

    fn read(document: &Document, _: &Options, findings: &mut Findings) -> Option<Profile> {
        let mut own = refuse(document);
        let sound = !own.has_errors();
        let profile = sound.then(|| read(document));
        if let Some(profile) = &profile {
            warn(document, profile, &mut own);
        }
        findings.extend(own);
        profile
    }

    /// A profile is no unit's own: it judges every one.
    fn unit(_: &Profile) -> Identity<'_> {
        Identity { namespace: "", name: "" }
    }

    fn over(manifests: Vec<Profile>, _: &Options) -> Self {
        Self::new(manifests.into_iter().next())
    }

    fn unjudged(&self, _: &[Member<SessionFields>]) -> Option<Unjudged> {
        None
    }

    fn spend(&self, root: &mut RootSession, _: &MemberRun<SessionFields>, retries: u32) {
        root.chain.spend(retries);
    }

    fn trace(
        &self,
        root: &RootSession,
        _: &Member<SessionFields>,
        run: &MemberRun<SessionFields>,
    ) -> Vec<Tried> {
        let Some(profile) = self.profile() else { return Vec::new() };
        let failure = run.own.failure(root.id_of(&run.own));
        trace(profile, &root.chain.failed(&failure), run.own.id.is_some())
    }
}
