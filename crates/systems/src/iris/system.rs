//! Iris as a [`System`]: its description, reading, engine and conversions for commands.

use super::engine::task::{Budget, Counts};
use super::engine::{IrisEngine, IrisUnit};
use super::manifest::shape::{PROFILE, SYSTEM};
use super::manifest::{IrisProfile, read};
use super::record::IrisFields;
use super::report::fields::{COLUMNS, TaskDecision};
use super::{compared, convert, coverage, lint};
use crate::compare::Treatment;
use crate::convert::Conversion;
use crate::lint::Bounds;
use crate::{
    BudgetFailure, BudgetOptions, Conversions, CoverageTarget, Description, DisruptionMatchers,
    ExampleFailures, Identity, LayerBudget, Limit, ManifestSystem, Options, PolicyDocuments,
    System, Tried, UnsupportedRecord, Words, profile,
};
use armada_retry::policy::RetryPolicy;
use document::Document;
use document::diag::Findings;
use replay::history::{Member, Run};
use schemars::JsonSchema;
use serde_json::Value;

impl System for IrisEngine {
    const DESCRIPTION: &'static Description = &Description {
        id: "iris",
        engines: &["iris"],
        name: "Iris",
        documents: PolicyDocuments::Profiles(profile::Profile {
            system: SYSTEM,
            doc: "Iris, the job system of Marin: jobs of tasks with two budgets each.",
            shape: &PROFILE,
        }),
        manifest: "RetryProfile of iris",
        placeholder_policy: Some(
            "\
            apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {name: any}\n\
            spec: {system: iris, policy: {}}\n",
        ),
        possessive: "an Iris job's",
        unit: "Iris job",
        title: "Iris job",
        members: "tasks",
        has_rules: false,
        combines_policies: false,
        decision_fields: TaskDecision::FIELDS,
        decision_schema: TaskDecision::json_schema,
        columns: COLUMNS,
        keeps_empty_columns: false,
        disruptions: DisruptionMatchers::None,
        draft: None,
        substituted_ids: "",
        missing_facts: "",
        history_fields: &["task", "phase"],
        words: Words {
            retry: None,
            actions: &["requeue", "finish"],
            decisions: &[
                "retry_failure",
                "retry_preemption",
                "retry_assigned",
                "fail_max_retries_failure",
                "fail_max_retries_preemption",
                "fail_max_task_failures",
                "fail_timeout",
                "fail_unschedulable",
                "fail_killed",
                "fail_tasks_failed",
                "fail_tasks_lost",
                "succeeded",
                "cancelled",
                "ignored_job_terminal",
                "ignored_task_terminal",
                "ignored_no_task",
            ],
            limit_sources: &["max_retries_failure", "max_retries_preemption", "max_task_failures"],
        },
        conversions: Some(Conversions {
            target: "iris",
            help: "A RetryProfile of Iris, as its code has it",
            from_v1beta1: "its rules match only failure categories, which other systems do not have",
            to_v1beta1: "v1beta1 never waits and never retries preempted runs",
            to_others: &[],
        }),
    };

    fn trace(&self, unit: &IrisUnit, _: &Member<IrisFields>, run: &Run<IrisFields>) -> Vec<Tried> {
        let mut job = unit.job.clone();
        let decision = job.apply(self.rules(), run.own.event(), &mut Vec::new());
        let checks = self.rules().checks(run.own, decision.counts, decision.failures);
        let tried = |(matched, why)| Tried { rule: self.label(), matched, why };
        checks.into_iter().map(tried).collect()
    }
}

impl ManifestSystem for IrisEngine {
    type Manifest = IrisProfile;

    const LIMITS: &'static [Limit] = &[
        Limit::count("max_retries_failure", &["spec/policy/max_retries_failure"]),
        Limit::count("max_retries_preemption", &["spec/policy/max_retries_preemption"]),
        Limit::count("max_task_failures", &["spec/policy/max_task_failures"]),
    ];

    const FUTILE_RETRIES_HELP: &'static str =
        "lower `max_retries_failure`, or `max_retries_preemption` if the attempts were lost";

    fn read(document: &Document, _: &Options, findings: &mut Findings) -> Option<IrisProfile> {
        read(document, findings)
    }

    fn unit(_: &IrisProfile) -> Identity<'_> {
        Identity { namespace: "", name: "" }
    }

    fn engine(manifests: Vec<IrisProfile>, _: &Options) -> Self {
        Self::new(manifests.into_iter().next().unwrap_or_default())
    }

    fn unsupported_record(&self, members: &[Member<IrisFields>]) -> Option<UnsupportedRecord> {
        let replicas = self.rules().policy.replicas;
        let unknown = members.iter().find(|member| member.key >= replicas)?;
        let message = format!(
            "job `{}` has a record of task {}, and the profile's `replicas` is {replicas}",
            unknown.unit, unknown.key
        );
        let help = "tasks count from 0; or give the profile of the jobs that have as many tasks"
            .to_owned();
        Some(UnsupportedRecord { message, help })
    }

    /// Charges all retries to the budget that the run charges; the other stays unused.
    fn with_retries_used(&self, unit: &mut IrisUnit, run: &Run<IrisFields>, retries: u32) {
        let IrisFields { task, outcome, phase } = run.own;
        let profile = self.rules().profile;
        let started = phase.state().is_executing();
        let counts = match profile.charge(outcome.attempt_state(profile), started) {
            Some(Budget::Failure) => Counts { failure: retries, preemption: 0 },
            Some(Budget::Preemption) => Counts { failure: 0, preemption: retries },
            None => Counts::default(),
        };
        unit.job.charge_earlier(task, counts);
        unit.retries = retries;
    }

    fn can_retry(manifest: &IrisProfile) -> bool {
        manifest.rules.policy.can_retry()
    }

    fn lint(document: &Document, manifest: &IrisProfile, bounds: &Bounds) -> Findings {
        lint::lint(document, manifest, bounds)
    }

    fn budgets(
        manifest: &IrisProfile,
        _: Option<&BudgetFailure>,
        _: &BudgetOptions,
    ) -> Vec<LayerBudget> {
        let limit = format!("max_retries_failure {}", manifest.rules.policy.max_retries_failure);
        vec![LayerBudget::single(
            (&manifest.name, "Iris task"),
            limit,
            Some(lint::worst_case(&manifest.rules)),
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

    fn treatment(&self, run: &Run<IrisFields>) -> Treatment {
        compared::treatment(self.rules().profile, run.own)
    }

    fn parameters(&self) -> Value {
        compared::parameters(self.rules())
    }

    fn undecided(versions: [&Self; 2]) -> Option<String> {
        compared::undecided(versions.map(Self::rules))
    }

    fn to_v1(_: &Document, manifest: &IrisProfile) -> Option<Conversion<Vec<RetryPolicy>>> {
        convert::to_v1(manifest).map(Conversion::into_list)
    }

    fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
        convert::from_v1(policy)
    }
}
