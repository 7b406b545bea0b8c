//! The draft as a [`System`]: its description, reading, engine and conversions for commands.

use super::engine::{BackendAiEngine, RootSession};
use super::manifest::shape::{PROFILE, SYSTEM};
use super::manifest::{Profile, read};
use super::record::SessionFields;
use super::report::fields::SessionDecision;
use super::report::reason::trace;
use super::validate::check_profile;
use super::validate::warnings::add_warnings;
use super::{compared, convert, coverage, lint};
use crate::compare::Treatment;
use crate::convert::Conversion;
use crate::lint::Bounds;
use crate::{
    BudgetFailure, BudgetOptions, Conversions, CoverageTarget, Description, DisruptionMatchers,
    Draft, ExampleFailures, Identity, LayerBudget, Limit, ManifestSystem, Options, PolicyDocuments,
    System, Tried, UnsupportedRecord, Words, profile,
};
use armada_retry::policy::RetryPolicy;
use document::Document;
use document::diag::Findings;
use replay::history::{Member, Run};
use schemars::JsonSchema;
use serde_json::Value;

impl System for BackendAiEngine {
    const DESCRIPTION: &'static Description = &Description {
        id: "backendai",
        engines: &["backendai"],
        name: "the BEP-1053 draft",
        documents: PolicyDocuments::Profiles(profile::Profile {
            system: SYSTEM,
            doc: "The BEP-1053 draft of session retry for Backend.AI, which was not implemented.",
            shape: &PROFILE,
        }),
        manifest: "RetryProfile of backendai",
        placeholder_policy: Some(
            "\
            apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {name: any}\n\
            spec: {system: backendai, layers: {}}\n",
        ),
        possessive: "a session's",
        unit: "session",
        title: "Session",
        members: "sessions",
        has_rules: false,
        combines_policies: false,
        decision_fields: SessionDecision::FIELDS,
        decision_schema: SessionDecision::json_schema,
        columns: &[],
        keeps_empty_columns: false,
        disruptions: DisruptionMatchers::None,
        draft: Some(Draft {
            name: "BEP-1053 draft",
            sentence: "the BEP-1053 draft, which was never implemented",
        }),
        substituted_ids: "records have no `sessionId`, so the jitter was computed from the root's id",
        missing_facts: "",
        history_fields: &["sessionId", "retryCount", "cause"],
        words: Words {
            retry: None,
            actions: &["retry", "stop"],
            decisions: &["retry", "not_batch", "exhausted", "ineligible", "child_exists"],
            limit_sources: &["max_retries"],
        },
        conversions: Some(Conversions {
            target: "backendai",
            help: "A RetryProfile of the BEP-1053 draft for Backend.AI",
            from_v1beta1: "its rules match only failure categories, which other systems do not have",
            to_v1beta1: "v1beta1 never waits and never retries preempted runs",
            to_others: &[],
        }),
    };

    fn trace(
        &self,
        root: &RootSession,
        _: &Member<SessionFields>,
        run: &Run<SessionFields>,
    ) -> Vec<Tried> {
        let Some(profile) = self.profile() else { return Vec::new() };
        let failure = run.own.failure(root.id_of(&run.own));
        trace(profile, &root.chain.failed_session(&failure), run.own.id.is_some())
    }
}

impl ManifestSystem for BackendAiEngine {
    type Manifest = Profile;

    /// They are set in the layer of the session, which overrides the others.
    const LIMITS: &'static [Limit] = &[
        Limit::count("max_retries", &["spec/layers/session/max_retries"]),
        Limit::seconds("retry_delay", &["spec/layers/session/retry_delay"]),
        Limit::seconds("max_retry_delay", &["spec/layers/session/max_retry_delay"]),
        Limit::factor("backoff_multiplier", &["spec/layers/session/backoff_multiplier"]),
    ];

    const FUTILE_RETRIES_HELP: &'static str =
        "lower `max_retries`, or leave the causes of these failures out of `eligible_causes`";

    fn read(document: &Document, _: &Options, findings: &mut Findings) -> Option<Profile> {
        let mut own = check_profile(document);
        let sound = !own.has_errors();
        let profile = sound.then(|| read(document));
        if let Some(profile) = &profile {
            add_warnings(document, profile, &mut own);
        }
        findings.extend(own);
        profile
    }

    /// Returns an identity without a name: a profile applies to every unit.
    fn unit(_: &Profile) -> Identity<'_> {
        Identity { namespace: "", name: "" }
    }

    fn engine(manifests: Vec<Profile>, _: &Options) -> Self {
        Self::new(manifests.into_iter().next())
    }

    fn unsupported_record(&self, _: &[Member<SessionFields>]) -> Option<UnsupportedRecord> {
        None
    }

    fn with_retries_used(&self, root: &mut RootSession, _: &Run<SessionFields>, retries: u32) {
        root.chain.add_earlier_retries(retries);
    }

    fn can_retry(manifest: &Profile) -> bool {
        manifest.policy.can_retry()
    }

    fn lint(document: &Document, manifest: &Profile, bounds: &Bounds) -> Findings {
        lint::lint(document, manifest, bounds)
    }

    fn budgets(
        profile: &Profile,
        _: Option<&BudgetFailure>,
        _: &BudgetOptions,
    ) -> Vec<LayerBudget> {
        let limit = format!("max_retries {}", profile.policy.max_retries);
        vec![LayerBudget::single(
            (&profile.name, "Backend.AI session"),
            limit,
            Some(lint::worst_case(profile)),
        )]
    }

    fn targets(document: &Document, manifest: &Self::Manifest) -> Vec<CoverageTarget> {
        coverage::targets(document, manifest)
    }

    fn examples(manifest: &Self::Manifest) -> Vec<ExampleFailures> {
        coverage::examples(manifest)
    }

    fn representatives(_: [&Self; 2]) -> Result<Vec<Value>, String> {
        Ok(compared::representatives())
    }

    fn treatment(&self, run: &Run<SessionFields>) -> Treatment {
        compared::treatment(self.profile(), &run.own)
    }

    fn parameters(&self) -> Value {
        compared::parameters(self.profile())
    }

    fn undecided(versions: [&Self; 2]) -> Option<String> {
        compared::undecided(versions.map(Self::profile))
    }

    fn to_v1(document: &Document, manifest: &Profile) -> Option<Conversion<Vec<RetryPolicy>>> {
        convert::to_v1(&document.root, manifest).map(Conversion::into_list)
    }

    fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
        convert::from_v1(policy)
    }
}
