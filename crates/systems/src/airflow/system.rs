//! Airflow as a [`System`]: its description, reading, engine and conversions for commands.

use super::engine::{AirflowEngine, AirflowManifest, TaskUnit};
use super::manifest::policy::CEILING;
use super::manifest::profile::Profile;
use super::manifest::retry_policy::TaskRetryPolicy;
use super::manifest::shape::{PROFILE, SYSTEM};
use super::manifest::{AirflowPolicy, read_profile};
use super::record::TryFields;
use super::report::fields::TryDecision;
use super::{compared, convert, coverage, lint};
use super::{read, validate};
use crate::compare::Treatment;
use crate::convert::Conversion;
use crate::lint::Bounds;
use crate::release::Releases;
use crate::{
    BudgetFailure, BudgetOptions, Conversions, CoverageTarget, Description, DisruptionMatchers,
    ExampleFailures, Identity, LayerBudget, Limit, ManifestSystem, Options, PolicyDocuments,
    System, Tried, UnsupportedRecord, Words, profile,
};
use armada_retry::policy::RetryPolicy;
use document::diag::{Code, Diagnostic, Findings};
use document::units::Time;
use document::{Document, KeyCase, check};
use replay::history::{Member, Run};
use schemars::JsonSchema;
use serde_json::Value;

/// The paths of a field of rules: those of the policies of a chain, then those of the only policy.
macro_rules! in_rules {
    ($field:literal) => {
        &[
            concat!("spec/policy/retry_policy/policies[]/rules[]/", $field),
            concat!("spec/policy/retry_policy/rules[]/", $field),
        ]
    };
}

const RULE_DELAY: &[&str] = in_rules!("retry_delay");
const RULE_RESCHEDULES: &[&str] = in_rules!("max_reschedules");
const RULE_TIMEOUT: &[&str] = in_rules!("reschedule_timeout");

/// Returns the profile whose rules apply: that of the document, or that of the release that an option names. Both are an
/// error if they differ, unless the release replaces the profile.
fn profile_under(document: &Document, releases: &Releases, findings: &mut Findings) -> Profile {
    let spec = document.root.get("spec");
    let own = spec.map(read_profile).unwrap_or_default();
    let Some(version) = releases.airflow else { return own };
    let profile = Profile::at(version);
    let node = spec.and_then(|spec| spec.get("profile"));
    // A comparison of releases replaces the profile on purpose.
    if let Some(node) = node.filter(|_| profile != own && !releases.replaces_profiles) {
        let message = format!(
            "`spec.profile` is {}, but the release is Airflow {version}, whose profile is {}",
            own.as_str(),
            profile.as_str()
        );
        let finding = Diagnostic::error(Code::ProfileLacks, document.place(node.span), message);
        findings.push(finding.help("leave out the profile, or the release"));
    }
    profile
}

impl System for AirflowEngine {
    const DESCRIPTION: &'static Description = &Description {
        id: "airflow",
        engines: &["airflow"],
        name: "Airflow",
        documents: PolicyDocuments::Profiles(profile::Profile {
            system: SYSTEM,
            doc: "Apache Airflow: task instances that are tried again.",
            shape: &PROFILE,
        }),
        manifest: "RetryProfile of airflow",
        placeholder_policy: Some(
            "\
            apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {name: any}\n\
            spec: {system: airflow, policy: {}}\n",
        ),
        possessive: "a task instance's",
        unit: "task instance",
        title: "Task",
        members: "tries",
        has_rules: false,
        combines_policies: false,
        decision_fields: TryDecision::FIELDS,
        decision_schema: TryDecision::json_schema,
        columns: &[],
        keeps_empty_columns: false,
        disruptions: DisruptionMatchers::None,
        draft: None,
        substituted_ids: "records have no `dagId` or no `taskId`, so the jitter was computed from an empty text or from the `jobId`",
        missing_facts: "records have no `exceptions`, or not all bases of an exception, so more rules of `retry_policy` may match than is assumed; list the classes of `__mro__`, or set `workerDied`",
        history_fields: &["dagId", "taskId", "logicalDate", "tryNumber", "exceptions"],
        words: Words {
            retry: None,
            actions: &["up_for_retry", "up_for_reschedule", "failed"],
            decisions: &[
                "retry",
                "retry_restarting",
                "reschedule",
                "fail_forced",
                "fail_policy",
                "fail_process_killed",
                "fail_no_retries",
                "fail_tries_used_up",
                "error_overflow",
            ],
            limit_sources: &["max_tries", "retries"],
        },
        conversions: Some(Conversions {
            target: "airflow",
            help: "A RetryProfile of Airflow, as its newest release has it",
            from_v1beta1: "its rules match only failure categories, which other systems do not have",
            to_v1beta1: "v1beta1 never waits and never retries preempted runs",
            to_others: &[],
        }),
    };

    fn trace(&self, unit: &TaskUnit, _: &Member<TryFields>, run: &Run<TryFields>) -> Vec<Tried> {
        self.checks(unit, run)
    }
}

impl ManifestSystem for AirflowEngine {
    type Manifest = AirflowManifest;

    const LIMITS: &'static [Limit] = &[
        Limit::count("retries", &["spec/policy/retries"]),
        Limit::seconds("retry_delay_seconds", &["spec/policy/retry_delay_seconds"]),
        Limit::factor("retry_exponential_backoff", &["spec/policy/retry_exponential_backoff"]),
        Limit::seconds("max_retry_delay_seconds", &["spec/policy/max_retry_delay_seconds"]),
        Limit::whole_seconds(CEILING, &["spec/policy/core.max_task_retry_delay"]),
        Limit::seconds("retry_delay", RULE_DELAY).per_rule(),
        Limit::count("max_reschedules", RULE_RESCHEDULES).per_rule(),
        Limit::seconds("reschedule_timeout", RULE_TIMEOUT).per_rule(),
    ];

    const FUTILE_RETRIES_HELP: &'static str =
        "write a rule of `retry_policy` with `action: fail` (since 3.3), or lower `retries`";

    fn read(
        document: &Document,
        options: &Options,
        findings: &mut Findings,
    ) -> Option<AirflowManifest> {
        let root = &document.root;
        let mut own = Findings::new();
        check(&document.source, root, &PROFILE, KeyCase::Exact, &mut own);
        let spec = root.get("spec");
        let settings = spec.and_then(|spec| spec.get("policy"));
        let profile = profile_under(document, &options.releases, &mut own);
        if let Some(settings) = settings {
            validate::check_policy(document, settings, profile, &mut own);
        }
        let policy = AirflowPolicy { profile, ..spec.map(read).unwrap_or_default() };
        let sound = !own.has_errors();
        // Warnings about settings that were refused would only repeat the errors.
        if let Some(settings) = settings.filter(|_| sound) {
            validate::warn(document, settings, &policy, &mut own);
        }
        findings.extend(own);
        sound.then(|| AirflowManifest { name: profile::name(document).to_owned(), policy })
    }

    /// Returns an identity without a name: a profile applies to every unit.
    fn unit(_: &AirflowManifest) -> Identity<'_> {
        Identity { namespace: "", name: "" }
    }

    fn engine(manifests: Vec<AirflowManifest>, _: &Options) -> Self {
        Self::new(manifests.into_iter().next().unwrap_or_default())
    }

    fn unsupported_record(&self, _: &[Member<TryFields>]) -> Option<UnsupportedRecord> {
        None
    }

    fn with_retries_used(&self, unit: &mut TaskUnit, _: &Run<TryFields>, retries: u32) {
        unit.counts.spend(retries);
    }

    fn listed_values(&self, key: &str) -> Vec<String> {
        let policy = self.manifest.policy.retry_policy.as_ref().filter(|_| key == "exception");
        let rules = policy.map(TaskRetryPolicy::rules).into_iter().flatten();
        rules.flat_map(|(_, rule)| &rule.exceptions).map(ToString::to_string).collect()
    }

    fn can_retry(manifest: &AirflowManifest) -> bool {
        let AirflowPolicy { retries, retry_policy, .. } = &manifest.policy;
        *retries > 0 || retry_policy.as_ref().is_some_and(TaskRetryPolicy::reschedules)
    }

    fn lint(document: &Document, manifest: &AirflowManifest, bounds: &Bounds) -> Findings {
        lint::lint(document, manifest, bounds)
    }

    fn budgets(
        manifest: &AirflowManifest,
        _: Option<&BudgetFailure>,
        _: &BudgetOptions,
    ) -> Vec<LayerBudget> {
        let policy = &manifest.policy;
        let worst = lint::worst_case(policy);
        let reschedules =
            if worst.attempts > u64::from(policy.retries) + 1 { " with reschedules" } else { "" };
        let limit = format!("retries {}{reschedules}", policy.retries);
        vec![LayerBudget::single((&manifest.name, "Airflow task"), limit, Some(worst))]
    }

    fn targets(document: &Document, manifest: &Self::Manifest) -> Vec<CoverageTarget> {
        coverage::targets(document, manifest)
    }

    fn examples(manifest: &Self::Manifest) -> Vec<ExampleFailures> {
        coverage::examples(manifest)
    }

    fn representatives(versions: [&Self; 2]) -> Result<Vec<Value>, String> {
        compared::representatives(versions)
    }

    fn treatment(&self, run: &Run<TryFields>) -> Treatment {
        compared::treatment(&self.manifest.policy, &run.own.failed)
    }

    fn parameters(&self) -> Value {
        compared::parameters(&self.manifest.policy)
    }

    fn progress(&self, unit: &TaskUnit, time: Time) -> Option<Vec<u64>> {
        Some(compared::progress(&self.manifest.policy, self.retry_policy(), &unit.counts, time))
    }

    fn undecided(versions: [&Self; 2]) -> Option<String> {
        compared::undecided(versions)
    }

    fn to_v1(_: &Document, manifest: &AirflowManifest) -> Option<Conversion<Vec<RetryPolicy>>> {
        convert::to_v1(manifest).map(Conversion::into_list)
    }

    fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
        convert::from_v1(policy)
    }
}
