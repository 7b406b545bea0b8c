//! Findings about a workflow's strategies: what Argo refuses, what ends a node in the phase Error at its first failure, and
//! what only the controller knows.

use super::expression::Expression;
use super::manifest::values::{duration, has_parameter, int32};
use super::manifest::{merged, present, strategy_nodes, workflow_spec};
use document::diag::{Code, Diagnostic, Findings, Span};
use document::{Document, Node};
use std::collections::{HashMap, HashSet};

/// Reports what is wrong with the strategies of a workflow that fits its shape.
pub(super) fn check_strategies(document: &Document, findings: &mut Findings) {
    let Some(spec) = workflow_spec(document) else { return };
    let templates = spec.get("templates").map(Node::items).unwrap_or_default();
    let defaults = present(spec, "templateDefaults");
    let mut check = Check { document, findings };
    for owner in templates.iter().chain(defaults).chain([spec]) {
        if let Some(strategy) = present(owner, "retryStrategy") {
            check.strategy(strategy);
        }
    }
    check.durations(spec, templates);
    check.names(templates);
}

struct Check<'a> {
    document: &'a Document,
    findings: &'a mut Findings,
}

impl Check<'_> {
    fn refuse(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        let place = self.document.place(span.first_line(self.document.source.text()));
        self.findings.push(Diagnostic::error(code, place, message).help(help));
    }

    fn strategy(&mut self, strategy: &Node) {
        self.number(strategy, "limit", "limit: 3");
        if let Some(backoff) = present(strategy, "backoff") {
            self.number(backoff, "factor", "factor: 2");
            for field in ["duration", "cap", "maxDuration"] {
                self.duration(backoff, field);
            }
        }
        self.expression(strategy);
    }

    /// Reports a second template of one name (`validateWorkflowFieldNames`).
    fn names(&mut self, templates: &[Node]) {
        let mut seen: HashMap<&str, &Node> = HashMap::new();
        for node in templates.iter().filter_map(|template| template.get("name")) {
            let Some(name) = node.some_text() else { continue };
            let Some(first) = seen.get(name) else {
                seen.insert(name, node);
                continue;
            };
            let message = format!("template `{name}` is defined again");
            let finding =
                Diagnostic::error(Code::NotAdmitted, self.document.place(node.span), message);
            let finding = finding.also(self.document.place(first.span), "first");
            self.findings.push(finding.help("rename or remove one of them"));
        }
    }

    /// Reports a value that the controller replaces.
    fn is_parameter(&mut self, node: &Node, field: &str) -> bool {
        if !has_parameter(node) {
            return false;
        }
        let text = node.text().unwrap_or_default();
        let message =
            format!("`{field}`: `{text}` cannot be evaluated here: only Argo has its value");
        let help = "write the value that it has, in a copy of the workflow";
        self.refuse(Code::UnrenderedTemplate, node.span, message, help);
        true
    }

    /// Checks a whole number, which may be a text (`intstr.Int32`).
    fn number(&mut self, owner: &Node, field: &str, example: &str) {
        let Some(node) = present(owner, field).filter(|node| node.text() != Some("")) else {
            return;
        };
        if self.is_parameter(node, field) || int32(node).is_some() {
            return;
        }
        let (code, what) = if node.integer().is_some() {
            (Code::OutOfRange, "a number that is too large".to_owned())
        } else {
            (Code::WrongType, node.describe())
        };
        let message = format!("`{field}`: expected a whole number or a text of one, found {what}");
        self.refuse(code, node.span, message, &format!("write such as `{example}`"));
    }

    /// Checks a duration (`ParseStringToDuration`).
    fn duration(&mut self, backoff: &Node, field: &str) {
        let Some(node) = present(backoff, field).filter(|node| node.text() != Some("")) else {
            return;
        };
        if self.is_parameter(node, field) {
            return;
        }
        let Some(text) = node.text() else { return };
        match duration(node) {
            Ok(duration) if duration.is_negative() => {
                let message = format!("`{field}`: `{text}` is below 0");
                self.refuse(Code::BadDuration, node.span, message, "write 0 or more");
            }
            Ok(_) => {}
            Err(error) => {
                let message = format!("`{field}`: {error}");
                self.refuse(Code::BadDuration, node.span, message, &error.help());
            }
        }
    }

    fn expression(&mut self, strategy: &Node) {
        let node = present(strategy, "expression").filter(|node| node.text() != Some(""));
        let Some(node) = node else { return };
        if self.is_parameter(node, "expression") {
            return;
        }
        let Some(text) = node.text() else { return };
        if let Err(error) = Expression::parse(text) {
            let character = text[..error.offset].chars().count() + 1;
            let message = format!("`expression`: {}, at character {character}", error.message);
            let help = "compare lastRetry.exitCode, .status, .duration, .message or retries with literals, or \
                        leave the expression out of a copy to replay the rest";
            self.refuse(Code::ProfileLacks, node.span, message, help);
        }
    }

    /// Checks that each backoff has a duration, once it is merged: without one Argo ends a node at its first failure.
    fn durations(&mut self, spec: &Node, templates: &[Node]) {
        let mut seen = HashSet::new();
        for template in templates {
            let nodes = strategy_nodes(spec, template);
            let Some(backoff) = merged(&nodes, &["backoff"]) else { continue };
            // Templates may share the merged backoff: one finding is enough.
            if merged(&nodes, &["backoff", "duration"]).is_some()
                || !seen.insert(backoff.span.start)
            {
                continue;
            }
            let message = "`backoff` has no `duration`: Argo ends the node in the phase Error at its first failure";
            let help = "add `duration`, such as `duration: 10s`";
            self.refuse(Code::MissingField, backoff.span, message, help);
        }
    }
}
