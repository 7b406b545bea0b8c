//! Coverage of a workflow by tests, and failures that reach it.

use super::expression::Variable;
use super::manifest::{ArgoManifest, RetryStrategy, merged, strategy_nodes, workflow_spec};
use super::report::LIMIT;
use crate::{Gate, GateKind, Sample, place_of};
use document::{Document, Node};
use serde_json::{Value, json};

/// Returns each strategy as a whole, and its limit.
pub(super) fn gates(document: &Document, manifest: &ArgoManifest) -> Vec<Gate> {
    let spec = workflow_spec(document);
    let nodes = spec.and_then(|spec| spec.get("templates")).map(Node::items).unwrap_or_default();
    let mut gates = Vec::new();
    for (number, template) in manifest.templates.iter().enumerate() {
        let Some(strategy) = &template.strategy else { continue };
        let own = spec.zip(nodes.get(number)).map(|(spec, node)| strategy_nodes(spec, node));
        let own = own.unwrap_or_default();
        let place = |node: Option<&Node>| place_of(document, node.or(own.first().copied()));
        gates.push(Gate::new(&template.policy, None, GateKind::Whole, place(None)));
        if let Some(limit) = strategy.limit {
            let kind = GateKind::Limit { source: LIMIT, value: limit.into() };
            gates.push(Gate::new(&template.policy, None, kind, place(merged(&own, &["limit"]))));
        }
    }
    gates
}

/// Returns failures of each template with a strategy, in each phase.
pub(super) fn samples(manifest: &ArgoManifest) -> Vec<Sample> {
    let samples = manifest.strategies().map(|(template, strategy)| {
        let failures = failures_of(strategy).into_iter().map(|mut failure| {
            failure["template"] = json!(template.template);
            failure
        });
        Sample::of(failures)
    });
    samples.collect()
}

/// Returns failures that a strategy may retry: with the values that its expression compares.
fn failures_of(strategy: &RetryStrategy) -> Vec<Value> {
    let mut failures = vec![
        json!({"outcome": "Failed", "exitCode": 1}),
        json!({"outcome": "Error", "message": "pod deleted"}),
        json!({"outcome": "Error", "transient": true}),
    ];
    let Some(expression) = &strategy.expression else { return failures };
    for phase in ["Failed", "Error"] {
        for code in expression.literals(Variable::ExitCode) {
            let code = code.parse::<i32>().unwrap_or(1);
            failures.extend(
                [code, code.saturating_add(1), code.saturating_sub(1)]
                    .map(|code| json!({"outcome": phase, "exitCode": code})),
            );
        }
        let messages = expression.literals(Variable::Message);
        failures.extend(messages.iter().map(|text| json!({"outcome": phase, "message": text})));
    }
    failures
}
