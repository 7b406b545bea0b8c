//! Armada as a [`System`]: its description, and checks of its histories.

use super::engine::{Armada, UnitState, incomplete_gangs};
use super::report::fields::{COLUMNS, ClassifiedDecision};
use crate::{Description, DisruptionMatchers, PolicyDocuments, System, Tried, Words};
use armada_retry::policy::SchedulerSettings;
use document::diag::Findings;
use replay::history::{GraceBounds, Job, RunRecord};
use replay::simulate::RuleLabel;
use schemars::JsonSchema;

impl System for Armada {
    const DESCRIPTION: &'static Description = &Description {
        id: "armada",
        engines: &["v1", "v1beta1"],
        name: "v1",
        documents: PolicyDocuments::Policies,
        manifest: "RetryPolicy",
        placeholder_policy: None,
        possessive: "Armada's",
        unit: "job",
        title: "Job",
        members: "jobs",
        has_rules: true,
        combines_policies: true,
        decision_fields: ClassifiedDecision::FIELDS,
        decision_schema: ClassifiedDecision::json_schema,
        columns: COLUMNS,
        keeps_empty_columns: true,
        disruptions: DisruptionMatchers::Conditions,
        draft: None,
        substituted_ids: "",
        missing_facts: "",
        history_fields: &[],
        words: Words {
            retry: Some("Retry"),
            actions: &["Retry", "Fail"],
            decisions: &[
                "retry",
                "fail_rule",
                "fail_default",
                "fail_rule_limit",
                "fail_policy_limit",
                "fail_global_limit",
                "fail_fast",
                "retry_unschedulable",
                "fail_gang",
                "gang_rerun",
                "legacy_retry",
                "legacy_fail",
                "no_error",
            ],
            limit_sources: &["rule", "policy", "global"],
        },
        conversions: None,
    };

    /// Returns the bounds of a scheduler with Armada's defaults.
    fn default_limits() -> Option<GraceBounds> {
        Some(GraceBounds::from(&SchedulerSettings::default()))
    }

    /// Warns of gangs with missing jobs.
    fn check_members(jobs: &[Job]) -> Findings {
        incomplete_gangs(jobs)
    }

    fn trace(&self, _: &UnitState, job: &Job, run: &RunRecord) -> Vec<Tried> {
        let evaluator = self.evaluator();
        let route = self.bindings().route(evaluator, &job.queue, &job.unit_fields);
        let tried = evaluator.trace(&route, run.ended()).into_iter().map(|tried| {
            let name = evaluator.rule(tried.rule);
            let rule = RuleLabel::new(name.policy, name.index);
            Tried { rule, matched: tried.matched, why: tried.why }
        });
        tried.collect()
    }
}
