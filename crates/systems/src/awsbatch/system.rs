//! AWS Batch as a [`System`]: its description, reading, engine and conversions for commands.

use super::engine::{AwsBatchEngine, JobState};
use super::manifest::{self, JobDefinition};
use super::record::AttemptFields;
use super::report::ATTEMPTS;
use super::report::fields::AttemptDecision;
use super::{compared, convert, coverage, lint, revisions};
use crate::compare::Treatment;
use crate::convert::Conversion;
use crate::{
    Bounds, BudgetFailure, BudgetOptions, Conversions, CoverageTarget, Description,
    DisruptionMatchers, ExampleFailures, Identity, LayerBudget, Limit, ManifestSystem, Options,
    PolicyDocuments, System, Tried, UnsupportedRecord, Words,
};
use armada_retry::policy::{ForeignKind, ForeignShape, RetryPolicy};
use document::diag::Findings;
use document::{Document, Node};
use replay::history::{Member, Run};
use schemars::JsonSchema;
use serde_json::Value;

impl System for AwsBatchEngine {
    const DESCRIPTION: &'static Description = &Description {
        id: "awsbatch",
        engines: &["awsbatch"],
        name: "AWS Batch",
        documents: PolicyDocuments::Definitions(&[ForeignKind {
            kind: "JobDefinition",
            versions: &[],
            shape: Some(&SHAPE),
        }]),
        manifest: "job definition of AWS Batch",
        placeholder_policy: Some("jobDefinitionName: any\n"),
        possessive: "an AWS Batch job's",
        unit: "AWS Batch job",
        title: "AWS Batch job",
        members: "attempts",
        has_rules: true,
        combines_policies: false,
        decision_fields: AttemptDecision::FIELDS,
        decision_schema: AttemptDecision::json_schema,
        columns: &[],
        keeps_empty_columns: false,
        disruptions: DisruptionMatchers::None,
        draft: None,
        substituted_ids: "",
        missing_facts: "",
        history_fields: &["statusReason"],
        words: Words {
            retry: Some("RUNNABLE"),
            actions: &["RUNNABLE", "FAILED"],
            decisions: &["retry", "fail_exit", "fail_attempts", "fail_timeout", "fail_invalid"],
            limit_sources: &[ATTEMPTS],
        },
        conversions: Some(Conversions {
            target: "awsbatch",
            help: "A job definition of AWS Batch, with its retryStrategy",
            from_v1beta1: "its rules match only failure categories, which other systems do not have",
            to_v1beta1: "v1beta1 never retries preempted runs, and its rules match only failure categories",
            to_others: &[],
        }),
    };

    fn trace(
        &self,
        state: &JobState,
        _: &Member<AttemptFields>,
        run: &Run<AttemptFields>,
    ) -> Vec<Tried> {
        self.checks(*state, &run.own)
    }
}

/// The fields of a job definition, of a submission, and of the list that `describe-job-definitions` prints.
static SHAPE: ForeignShape = ForeignShape {
    fields: &[&["jobDefinitionName"], &["jobName", "jobQueue"]],
    name: &["jobDefinitionName", "jobName"],
    list: "jobDefinitions",
    select: revisions::select,
    refusal,
};

/// The message and the help about documents of AWS Batch that are not read.
fn refusal(root: &Node) -> Option<[&'static str; 2]> {
    if root.get("serviceJobType").is_some() {
        return Some([
            "a service job of AWS Batch has another retry strategy, which is not read",
            "give the input of `register-job-definition` or `submit-job`",
        ]);
    }
    let resources = root.get("Resources").map(Node::entries).unwrap_or_default();
    let kinds = resources.iter().map(|entry| entry.value.get("Type")).chain([root.get("Type")]);
    let is_definition =
        |node: Option<&Node>| node.and_then(Node::text) == Some("AWS::Batch::JobDefinition");
    kinds.into_iter().any(is_definition).then_some([
        "a CloudFormation template is not read",
        "give the job definition that it makes: `aws batch describe-job-definitions --job-definition-name NAME --status \
         ACTIVE --query 'max_by(jobDefinitions, &revision)'`",
    ])
}

impl ManifestSystem for AwsBatchEngine {
    const LIMITS: &'static [Limit] = &[Limit::count("attempts", &["retryStrategy/attempts"])];

    const FUTILE_RETRIES_HELP: &'static str =
        "write an entry with `action: EXIT` for these failures, or lower `attempts`";

    type Manifest = JobDefinition;

    fn read(document: &Document, _: &Options, findings: &mut Findings) -> Option<JobDefinition> {
        manifest::read(document, findings)
    }

    /// Returns an identity without a name: a definition applies to every job on record.
    fn unit(_: &JobDefinition) -> Identity<'_> {
        Identity { namespace: "", name: "" }
    }

    fn engine(manifests: Vec<JobDefinition>, _: &Options) -> Self {
        Self::new(manifests.into_iter().next().unwrap_or_default())
    }

    fn unsupported_record(&self, _: &[Member<AttemptFields>]) -> Option<UnsupportedRecord> {
        None
    }

    fn with_retries_used(&self, state: &mut JobState, _: &Run<AttemptFields>, retries: u32) {
        state.attempts = retries;
    }

    fn can_retry(definition: &JobDefinition) -> bool {
        definition.strategy.can_retry()
    }

    fn lint(document: &Document, definition: &JobDefinition, bounds: &Bounds) -> Findings {
        lint::lint(document, definition, bounds)
    }

    fn budgets(
        definition: &JobDefinition,
        _: Option<&BudgetFailure>,
        _: &BudgetOptions,
    ) -> Vec<LayerBudget> {
        let limit = format!("attempts {}", definition.strategy.attempts);
        vec![LayerBudget::single(
            (&definition.name, "AWS Batch job"),
            limit,
            Some(lint::worst_case(definition)),
        )]
    }

    fn targets(document: &Document, definition: &JobDefinition) -> Vec<CoverageTarget> {
        coverage::targets(document, definition)
    }

    fn examples(definition: &JobDefinition) -> Vec<ExampleFailures> {
        coverage::examples(definition)
    }

    fn representatives(versions: [&Self; 2]) -> Result<Vec<Value>, String> {
        Ok(compared::representatives(versions.map(|it| &it.definition.strategy)))
    }

    fn treatment(&self, run: &Run<AttemptFields>) -> Treatment {
        compared::treatment(&self.definition.strategy, &run.own)
    }

    fn parameters(&self) -> Value {
        self.definition.strategy.attempts.into()
    }

    fn to_v1(_: &Document, definition: &JobDefinition) -> Option<Conversion<Vec<RetryPolicy>>> {
        convert::to_v1(definition).map(Conversion::into_list)
    }

    fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
        convert::from_v1(policy)
    }
}
