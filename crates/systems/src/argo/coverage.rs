//! Coverage of a workflow by tests, and failures that reach it.

use super::engine::decision::{Attempt, Chain, decide};
use super::expression::Variable;
use super::manifest::{ArgoManifest, RetryStrategy, merged, strategy_nodes, workflow_spec};
use super::record::AttemptOutcome;
use super::report::LIMIT;
use crate::{CoverageTarget, ExampleFailures, TargetKind, place_of};
use document::{Document, Node};
use serde_json::{Value, json};

/// Returns each strategy as a whole, and its limit.
pub(super) fn targets(document: &Document, manifest: &ArgoManifest) -> Vec<CoverageTarget> {
    let spec = workflow_spec(document);
    let nodes = spec.and_then(|spec| spec.get("templates")).map(Node::items).unwrap_or_default();
    let mut targets = Vec::new();
    for (number, template) in manifest.templates.iter().enumerate() {
        let Some(strategy) = &template.strategy else { continue };
        let own = spec.zip(nodes.get(number)).map(|(spec, node)| strategy_nodes(spec, node));
        let own = own.unwrap_or_default();
        let place = |node: Option<&Node>| place_of(document, node.or(own.first().copied()));
        targets.push(CoverageTarget::new(&template.policy, None, TargetKind::Whole, place(None)));
        if let Some(limit) = strategy.limit {
            let kind = TargetKind::Limit { source: LIMIT, value: limit.into() };
            targets.push(CoverageTarget::new(
                &template.policy,
                None,
                kind,
                place(merged(&own, &["limit"])),
            ));
        }
    }
    targets
}

/// Returns failures of each template with a strategy: those that are retried, which reach its limit, and the others.
pub(super) fn examples(manifest: &ArgoManifest) -> Vec<ExampleFailures> {
    let examples = manifest.strategies().flat_map(|(template, strategy)| {
        let failures = failures_of(strategy);
        let (retried, others): (Vec<Failure>, Vec<Failure>) =
            failures.into_iter().partition(|failure| failure.is_retried(strategy));
        [retried, others].map(|failures| {
            ExampleFailures::of(failures.iter().map(|failure| failure.record(&template.template)))
        })
    });
    examples.filter(|example| !example.alternatives.is_empty()).collect()
}

/// A failure of an attempt.
struct Failure {
    outcome: AttemptOutcome,
    exit_code: Option<i32>,
    message: Option<String>,
}

impl Failure {
    /// Returns whether a strategy retries it as the first of a node.
    fn is_retried(&self, strategy: &RetryStrategy) -> bool {
        let attempt = Attempt {
            outcome: self.outcome,
            exit_code: self.exit_code,
            message: self.message.as_deref(),
            transient: None,
            started: None,
            ended: None,
        };
        let chain = Chain { attempts: 1, ..Chain::default() };
        decide(Some(strategy), chain, &attempt).verdict.retries()
    }

    fn record(&self, template: &str) -> Value {
        let mut record = json!({"template": template, "outcome": self.outcome.as_str()});
        if let Some(code) = self.exit_code {
            record["exitCode"] = json!(code);
        }
        if let Some(message) = &self.message {
            record["message"] = json!(message);
        }
        record
    }
}

/// Returns failures in each phase, with the values that an expression compares.
fn failures_of(strategy: &RetryStrategy) -> Vec<Failure> {
    let expression = strategy.expression.as_ref();
    let literals = |variable| expression.map(|it| it.literals(variable)).unwrap_or_default();
    let listed = literals(Variable::ExitCode).into_iter().filter_map(|code| code.parse().ok());
    // The neighbours of a constant are on the other side of `<` and `>`.
    let near = |code: i32| [code, code.saturating_add(1), code.saturating_sub(1)];
    let codes: Vec<i32> = std::iter::once(1).chain(listed.flat_map(near)).collect();
    let messages = literals(Variable::Message);
    // A message of a lost pod, and a transient error: both are usual in clusters.
    let usual = ["pod deleted", "i/o timeout"].map(str::to_owned);
    let messages: Vec<String> = usual.into_iter().chain(messages).collect();
    let phase = |outcome| {
        let codes = codes.iter().map(move |code| Failure {
            outcome,
            exit_code: Some(*code),
            message: None,
        });
        let messages = messages.iter().map(move |text| Failure {
            outcome,
            exit_code: None,
            message: Some(text.clone()),
        });
        codes.chain(messages)
    };
    [AttemptOutcome::Failed, AttemptOutcome::Error].into_iter().flat_map(phase).collect()
}
