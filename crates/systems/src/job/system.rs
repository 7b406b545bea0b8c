//! Jobs as a [`System`]: their description, reading, engine and conversions for commands.

use super::engine::pod::IndexFailures;
use super::engine::{JobEngine, JobManifest, JobUnit};
use super::report::fields::{COLUMNS, JobDecision};
use super::{Creator, FeatureGates, JOB, JobOptions, JobPolicy, PodFields, admit, read, trace};
use super::{compared, convert, coverage, layers, lint};
use crate::compare::Treatment;
use crate::convert::Conversion;
use crate::{
    Bounds, BudgetFailure, BudgetOptions, Conversions, CoverageTarget, Description,
    DisruptionMatchers, ExampleFailures, Identity, LayerBudget, Limit, ManifestSystem, Obstacle,
    Options, PolicyDocuments, System, Tried, UnsupportedRecord, Words, release,
};
use armada_retry::policy::{ForeignKind, RetryPolicy};
use document::diag::Findings;
use document::units::Time;
use document::{Document, KeyCase, Node, check, check_for_go};
use replay::history::{Member, Run};
use schemars::JsonSchema;
use serde_json::{Value, json};

/// The note that a Job's spec is valid in a JobSet without conversion.
const IN_JOBSET: &str =
    "copy the Job's spec into a JobSet unchanged, as spec.replicatedJobs[].template.spec";

impl System for JobEngine {
    const DESCRIPTION: &'static Description = &Description {
        id: "job",
        engines: &["job"],
        name: "Job",
        documents: PolicyDocuments::Manifests(&[ForeignKind {
            kind: "Job",
            versions: &["batch/v1"],
            shape: None,
        }]),
        manifest: "Job",
        placeholder_policy: Some(
            "\
            apiVersion: batch/v1\nkind: Job\nmetadata: {name: any}\nspec: {template: {spec: {restartPolicy: Never, \
            containers: [{name: main, image: any}]}}}\n",
        ),
        possessive: "a Job's",
        unit: "Job",
        title: "Job",
        members: "pods",
        has_rules: true,
        combines_policies: false,
        decision_fields: JobDecision::FIELDS,
        decision_schema: JobDecision::json_schema,
        columns: COLUMNS,
        keeps_empty_columns: false,
        disruptions: DisruptionMatchers::PodConditions,
        draft: None,
        substituted_ids: "",
        missing_facts: "",
        history_fields: &["podIndex", "podConditions", "podName", "restarts"],
        words: Words {
            retry: None,
            actions: &["FailJob", "FailIndex", "Ignore", "Count", "Retry"],
            decisions: &[
                "retry",
                "retry_ignored",
                "not_replaced",
                "fail_index",
                "fail_job",
                "fail_backoff_limit",
                "fail_deadline",
                "fail_max_failed_indexes",
                "fail_indexes",
            ],
            limit_sources: &["backoffLimit", "backoffLimitPerIndex", "maxFailedIndexes"],
        },
        conversions: Some(Conversions {
            target: "job",
            help: "A Kubernetes Job: `batch/v1`",
            from_v1beta1: "its rules match only failure categories, which pods do not have",
            to_v1beta1: "v1beta1 rules match only failure categories, which pods do not have",
            to_others: &[("jobset", Obstacle::Unneeded(IN_JOBSET))],
        }),
    };

    fn trace(&self, _: &JobUnit, member: &Member<PodFields>, run: &Run<PodFields>) -> Vec<Tried> {
        let Some(manifest) = self.manifests.get(self.manifest_of(&member.unit)) else {
            return Vec::new();
        };
        let pod = run.own.pod(run.time(), IndexFailures::default());
        trace(&manifest.name, manifest.policy.rules(), &pod)
    }
}

impl ManifestSystem for JobEngine {
    type Manifest = JobManifest;

    fn read(
        document: &Document,
        options: &Options,
        findings: &mut Findings,
    ) -> Option<JobManifest> {
        let mut own = Findings::new();
        let prepared = release::prepare(document, false, &options.releases, &mut own);
        let document = &*prepared;
        let root = &document.root;
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

    const LIMITS: &'static [Limit] = &[
        Limit::count("backoffLimit", &["spec/backoffLimit"]),
        Limit::count("backoffLimitPerIndex", &["spec/backoffLimitPerIndex"]),
        Limit::count("maxFailedIndexes", &["spec/maxFailedIndexes"]),
        Limit::whole_seconds("activeDeadlineSeconds", &["spec/activeDeadlineSeconds"]),
    ];

    const FUTILE_RETRIES_HELP: &'static str =
        "write a rule with `action: FailJob`, or lower `backoffLimit`";

    fn unit(manifest: &JobManifest) -> Identity<'_> {
        manifest.identity()
    }

    fn engine(manifests: Vec<JobManifest>, options: &Options) -> Self {
        let options = JobOptions { backoff_cap: options.pod_backoff_cap, ..JobOptions::default() };
        Self::new(manifests, options)
    }

    fn unsupported_record(&self, members: &[Member<PodFields>]) -> Option<UnsupportedRecord> {
        members.iter().find_map(|member| {
            let manifest = self.manifests.get(self.manifest_of(&member.unit))?;
            let index = member.runs.first()?.own.completion_index()?;
            let lacks = manifest.policy.lacks_index(index);
            lacks.then(|| no_index(&member.unit, &manifest.policy, index))
        })
    }

    fn with_retries_used(&self, unit: &mut JobUnit, _: &Run<PodFields>, retries: u32) {
        unit.job.presume_nothing();
        unit.job.add_earlier_failures(retries);
    }

    fn listed_values(&self, key: &str) -> Vec<String> {
        self.manifests.iter().flat_map(|manifest| manifest.policy.listed_values(key)).collect()
    }

    fn can_retry(manifest: &JobManifest) -> bool {
        manifest.policy.can_retry()
    }

    fn lint(document: &Document, manifest: &JobManifest, bounds: &Bounds) -> Findings {
        let mut findings = Findings::new();
        if let Some(spec) = document.root.get("spec") {
            let policy = &manifest.policy;
            let subject = lint::Subject { document, spec, policy, set: None };
            lint::lint(&subject, &mut findings);
            lint::budget::check(&subject, bounds, &mut findings);
            lint::worst_case::check(&subject, &manifest.name, bounds, &mut findings);
        }
        findings
    }

    fn budgets(
        manifest: &JobManifest,
        failure: Option<&BudgetFailure>,
        options: &BudgetOptions,
    ) -> Vec<LayerBudget> {
        layers::budgets(&manifest.policy, failure, options)
    }

    fn targets(document: &Document, manifest: &Self::Manifest) -> Vec<CoverageTarget> {
        coverage::targets(document, manifest)
    }

    fn examples(manifest: &Self::Manifest) -> Vec<ExampleFailures> {
        coverage::examples(manifest)
    }

    fn representatives(versions: [&Self; 2]) -> Result<Vec<Value>, String> {
        let [Some(old), Some(new)] = versions.map(Self::only_policy) else { return Ok(Vec::new()) };
        compared::representatives([old, new])
    }

    fn treatment(&self, run: &Run<PodFields>) -> Treatment {
        let policy = self.only_policy();
        policy.map_or_else(Treatment::default, |policy| compared::treatment(policy, &run.own))
    }

    fn parameters(&self) -> Value {
        let policy = self.only_policy().map(compared::parameters);
        json!({"job": policy, "waits": format!("{:?}", self.options)})
    }

    fn incomparable(versions: [&Self; 2]) -> Option<String> {
        let [old, new] = versions.map(Self::only_policy);
        compared::incomparable([old?, new?])
    }

    fn undecided(versions: [&Self; 2]) -> Option<String> {
        let [old, new] = versions.map(Self::only_policy);
        compared::undecided([old?, new?])
    }

    fn progress(&self, unit: &JobUnit, _: Time) -> Option<Vec<u64>> {
        Some(compared::progress(self.only_policy()?, &self.options, &unit.job).to_vec())
    }

    fn others_after(versions: [&Self; 2], code: &str) -> &'static str {
        let [Some(old), Some(new)] = versions.map(Self::only_policy) else { return "" };
        compared::others_after([old, new], code)
    }

    fn exits_in_place(manifest: &JobManifest) -> Vec<Value> {
        coverage::exits_in_place(&manifest.policy)
    }

    fn to_v1(document: &Document, manifest: &JobManifest) -> Option<Conversion<Vec<RetryPolicy>>> {
        convert::to_v1(&document.root, manifest).map(Conversion::into_list)
    }

    fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
        convert::from_v1(policy)
    }
}

/// Returns the error for a record whose index the Job does not have; the controller would not count the pod.
pub(crate) fn no_index(job: &str, policy: &JobPolicy, index: u32) -> UnsupportedRecord {
    let completions = policy.completions.unwrap_or_default();
    let message =
        format!("Job `{job}` has {completions} completions, and a record has podIndex {index}");
    let help = "podIndex counts from 0; or give the manifest that the records are of";
    UnsupportedRecord { message, help: help.to_owned() }
}
