//! Conversion of decisions about attempts to reports.

pub(super) mod fields;
pub(super) mod reason;

use super::engine::decision::{Decision, Verdict};
use super::engine::{ArgoEngine, RetryUnit};
use super::manifest::ArgoManifest;
use super::record::AttemptFields;
use fields::AttemptDecision;
use replay::history::Run;
use replay::simulate::{DecisionReport, RuleLabel, SystemFields};

/// The name of the limit in reports.
pub(super) const LIMIT: &str = "limit";

impl ArgoEngine {
    /// Returns the labels of all templates that have a strategy.
    pub(super) fn labels_of_templates(&self) -> Vec<RuleLabel> {
        let strategies = self.manifests.iter().flat_map(ArgoManifest::strategies);
        strategies.map(|(template, _)| RuleLabel::new(template.policy.clone(), None)).collect()
    }

    /// Returns a decision as reports show it.
    pub(super) fn decision_report(
        &self,
        unit: &RetryUnit,
        run: &Run<AttemptFields>,
        decision: &Decision,
    ) -> DecisionReport {
        let retries = decision.verdict.retries();
        let strategy = self.strategy(unit);
        // The verdicts that come after the comparison with the limit, or are that comparison.
        let is_compared = matches!(
            decision.verdict,
            Verdict::Retry | Verdict::Limit | Verdict::Expression | Verdict::ExpressionError(_)
        );
        let limit = strategy.and_then(|it| it.limit).filter(|_| is_compared);
        let wait = decision.wait.unwrap_or_default();
        let avoids = strategy.is_some_and(|it| it.avoids_nodes) && retries;
        DecisionReport {
            failure: failure_text(&run.own),
            action: decision.action().to_owned(),
            decision: decision.code().to_owned(),
            policy: self.template(unit).map(|template| template.policy.clone()),
            count: limit.map(|_| decision.retried),
            limit: limit.map(i64::from),
            limit_source: limit.map(|_| LIMIT.to_owned()),
            total_retries: decision.retried,
            delay_seconds: retries.then(|| wait.as_secs_f64()),
            retry_after: run.time().filter(|_| retries).map(|end| end.plus(wait).to_string()),
            avoid_nodes: if avoids { unit.failed_nodes.clone() } else { Vec::new() },
            reason: self.reason(unit, decision),
            system: self.system_fields(unit, run, decision),
            ..DecisionReport::for_run(run)
        }
    }

    fn system_fields(
        &self,
        unit: &RetryUnit,
        run: &Run<AttemptFields>,
        decision: &Decision,
    ) -> SystemFields {
        let own = || Some(run.own.message.as_ref()?.to_string());
        let message = match &decision.verdict {
            Verdict::Retry => None,
            Verdict::ExpressionError(error) => Some(error.0.clone()),
            _ => decision.message().map(str::to_owned).or_else(own),
        };
        SystemFields::of(&AttemptDecision {
            template: self.template(unit).map(|template| template.template.clone()),
            node_phase: Some(decision.phase()),
            node_message: message.filter(|message| !message.is_empty()),
            backoff_seconds: decision.wait.map(document::units::GoDuration::as_secs_f64),
        })
    }
}

impl Decision {
    /// Returns what becomes of the node: another attempt, or the phase that it ends in.
    fn action(&self) -> &'static str {
        if self.verdict.retries() { "Retry" } else { self.phase() }
    }
}

/// Describes the failure in a few words.
fn failure_text(fields: &AttemptFields) -> String {
    match fields.exit_code {
        Some(code) => format!("{}, exit code {code}", fields.outcome.as_str()),
        None => fields.outcome.as_str().to_owned(),
    }
}
