//! Argo Workflows as a [`System`]: its description, reading, engine and conversions for commands.

use super::engine::{ArgoEngine, RetryUnit, workflow_of};
use super::expression::Variable;
use super::manifest::shape::{CRON_WORKFLOW, KINDS, VERSION, WORKFLOW};
use super::manifest::{ArgoManifest, RetryStrategy, read};
use super::record::AttemptFields;
use super::report::LIMIT;
use super::report::fields::{AttemptDecision, COLUMNS};
use super::validate::check_strategies;
use super::{compared, convert, coverage, lint, unread};
use crate::compare::Treatment;
use crate::convert::Conversion;
use crate::{
    Bounds, BudgetFailure, BudgetOptions, Conversions, CoverageTarget, Description,
    DisruptionMatchers, ExampleFailures, Identity, LayerBudget, Limit, ManifestSystem, Options,
    PolicyDocuments, System, Tried, UnsupportedRecord, Words,
};
use armada_retry::policy::{ForeignKind, RetryPolicy};
use document::diag::Findings;
use document::units::Time;
use document::{Document, KeyCase, Node, check};
use replay::history::{Member, Run};
use schemars::JsonSchema;
use serde_json::Value;

const VERSIONS: &[&str] = &[VERSION];

static DOCUMENTS: [ForeignKind; KINDS.len()] = [
    ForeignKind { kind: KINDS[0], versions: VERSIONS, shape: None },
    ForeignKind { kind: KINDS[1], versions: VERSIONS, shape: None },
    ForeignKind { kind: KINDS[2], versions: VERSIONS, shape: None },
    ForeignKind { kind: KINDS[3], versions: VERSIONS, shape: None },
];

/// Returns the paths of a field of strategies: of templates, of their defaults and of the workflow, in a workflow and in
/// that of a schedule.
macro_rules! strategy_paths {
    ($field:literal) => {
        &[
            concat!("spec/templates[]/retryStrategy/", $field),
            concat!("spec/templateDefaults/retryStrategy/", $field),
            concat!("spec/retryStrategy/", $field),
            concat!("spec/workflowSpec/templates[]/retryStrategy/", $field),
            concat!("spec/workflowSpec/templateDefaults/retryStrategy/", $field),
            concat!("spec/workflowSpec/retryStrategy/", $field),
        ]
    };
}

impl System for ArgoEngine {
    const DESCRIPTION: &'static Description = &Description {
        id: "argo",
        engines: &["argo"],
        name: "Argo",
        documents: PolicyDocuments::Manifests(&DOCUMENTS),
        manifest: "Workflow",
        placeholder_policy: Some(
            "\
            apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: any}\n\
            spec: {templates: [{name: any, retryStrategy: {limit: 0}}]}\n",
        ),
        possessive: "an Argo workflow's",
        unit: "retry node",
        title: "Node",
        members: "attempts",
        has_rules: false,
        combines_policies: false,
        decision_fields: AttemptDecision::FIELDS,
        decision_schema: AttemptDecision::json_schema,
        columns: COLUMNS,
        keeps_empty_columns: false,
        disruptions: DisruptionMatchers::None,
        draft: None,
        substituted_ids: "",
        missing_facts: "records have no `message`, or no times, so `expression`, `retryPolicy: OnTransientError` or `maxDuration` may decide otherwise than is assumed",
        history_fields: &["template", "transient"],
        words: Words {
            retry: Some("Retry"),
            actions: &["Retry", "Failed", "Error"],
            decisions: &[
                "retry",
                "fail_no_strategy",
                "fail_max_duration",
                "fail_backoff",
                "fail_policy",
                "fail_limit",
                "fail_expression",
                "error_expression",
            ],
            limit_sources: &[LIMIT],
        },
        conversions: Some(Conversions {
            target: "argo",
            help: "A WorkflowTemplate of Argo: `argoproj.io/v1alpha1`",
            from_v1beta1: "its rules match only failure categories, which other systems do not have",
            to_v1beta1: "v1beta1 never waits and never retries preempted runs",
            to_others: &[],
        }),
    };

    fn trace(
        &self,
        unit: &RetryUnit,
        _: &Member<AttemptFields>,
        run: &Run<AttemptFields>,
    ) -> Vec<Tried> {
        self.checks(unit, run)
    }
}

impl ManifestSystem for ArgoEngine {
    type Manifest = ArgoManifest;

    const LIMITS: &'static [Limit] = &[
        Limit::count("limit", strategy_paths!("limit")).per_rule(),
        Limit::duration("backoff.duration", strategy_paths!("backoff/duration")).per_rule(),
        Limit::count("backoff.factor", strategy_paths!("backoff/factor")).per_rule(),
        Limit::duration("backoff.cap", strategy_paths!("backoff/cap")).per_rule(),
        Limit::duration("backoff.maxDuration", strategy_paths!("backoff/maxDuration")).per_rule(),
    ];

    const FUTILE_RETRIES_HELP: &'static str =
        "lower `limit`, or exclude the failures with an `expression`";

    fn read(document: &Document, _: &Options, findings: &mut Findings) -> Option<ArgoManifest> {
        let root = &document.root;
        let is_scheduled = root.get("kind").and_then(Node::text) == Some("CronWorkflow");
        let shape = if is_scheduled { &CRON_WORKFLOW } else { &WORKFLOW };
        let mut own = Findings::new();
        check(&document.source, root, shape, KeyCase::Exact, &mut own);
        check_strategies(document, &mut own);
        let manifest = (!own.has_errors()).then(|| read(document));
        if let Some(manifest) = &manifest {
            lint::warn(document, manifest, &mut own);
            unread::warn(document, &mut own);
        }
        findings.extend(own);
        manifest
    }

    fn absent_documents(documents: &[&Document]) -> Findings {
        unread::absent_documents(documents)
    }

    fn unit(manifest: &ArgoManifest) -> Identity<'_> {
        manifest.identity()
    }

    fn identity_of_unit(unit: &str) -> Identity<'_> {
        workflow_of(unit)
    }

    fn engine(manifests: Vec<ArgoManifest>, _: &Options) -> Self {
        Self::new(manifests)
    }

    fn unsupported_record(&self, members: &[Member<AttemptFields>]) -> Option<UnsupportedRecord> {
        members.iter().find_map(|member| {
            let run = member.runs.first()?;
            let is_known = self.template_of(&member.unit, &run.own).is_some();
            (!is_known).then(|| self.no_template(&member.unit, &run.own))
        })
    }

    fn with_retries_used(&self, unit: &mut RetryUnit, run: &Run<AttemptFields>, retries: u32) {
        unit.chain.attempts = retries;
        unit.chain.retried = retries;
        unit.chain.first_start = run.started_at;
    }

    fn listed_values(&self, key: &str) -> Vec<String> {
        let strategies = self.manifests.iter().flat_map(ArgoManifest::strategies);
        match key {
            "template" => strategies.map(|(template, _)| template.template.clone()).collect(),
            "exitCode" => {
                let expressions =
                    strategies.filter_map(|(_, strategy)| strategy.expression.as_ref());
                expressions.flat_map(|it| it.literals(Variable::ExitCode)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn can_retry(manifest: &ArgoManifest) -> bool {
        manifest.strategies().any(|(_, strategy)| RetryStrategy::can_retry(strategy))
    }

    fn lint(document: &Document, manifest: &ArgoManifest, bounds: &Bounds) -> Findings {
        lint::lint(document, manifest, bounds)
    }

    fn budgets(
        manifest: &ArgoManifest,
        _: Option<&BudgetFailure>,
        _: &BudgetOptions,
    ) -> Vec<LayerBudget> {
        let budgets = manifest.strategies().map(|(template, strategy)| {
            let worst = lint::worst_case(strategy);
            let limit = match strategy.limit {
                Some(limit) => format!("limit {limit}"),
                None => "retryStrategy without a limit".to_owned(),
            };
            let layer = format!("Argo template {}", template.template);
            LayerBudget::single((&template.template, &layer), limit, worst)
        });
        budgets.collect()
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

    fn treatment(&self, run: &Run<AttemptFields>) -> Treatment {
        compared::treatment(self, run)
    }

    fn parameters(&self) -> Value {
        compared::parameters(self)
    }

    fn part_of(representative: &Value) -> String {
        representative["template"].as_str().unwrap_or_default().to_owned()
    }

    fn progress(&self, unit: &RetryUnit, time: Time) -> Option<Vec<u64>> {
        Some(compared::progress(self, unit, time))
    }

    fn undecided(versions: [&Self; 2]) -> Option<String> {
        compared::undecided(versions)
    }

    fn to_v1(_: &Document, manifest: &ArgoManifest) -> Option<Conversion<Vec<RetryPolicy>>> {
        convert::to_v1(manifest)
    }

    fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
        convert::from_v1(policy)
    }
}

impl ArgoEngine {
    /// Returns the error for a record that does not determine a template.
    fn no_template(&self, unit: &str, run: &AttemptFields) -> UnsupportedRecord {
        let names = self.manifests.iter().flat_map(|manifest| &manifest.templates);
        // A few names fit on a line of a terminal.
        let names: Vec<String> = names.map(|it| format!("`{}`", it.template)).take(8).collect();
        let message = match &run.template {
            Some(template) => {
                format!(
                    "retry node `{unit}` has a record of template `{template}`, which the workflow does not have"
                )
            }
            None => format!(
                "retry node `{unit}` has a record without `template`, and the workflow has {} retry strategies",
                self.labels_of_templates().len()
            ),
        };
        let help = if names.is_empty() {
            "give the workflow with the templates of the records".to_owned()
        } else {
            format!("its templates are {}; or give the workflow of the records", names.join(", "))
        };
        UnsupportedRecord { message, help }
    }
}
