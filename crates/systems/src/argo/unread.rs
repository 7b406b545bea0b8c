//! Strategies that a workflow has and that are not read: those of templates in documents that are absent, and of inline templates.

use super::manifest::{present, workflow_spec};
use document::diag::{Code, Diagnostic, Findings};
use document::{Document, Node};

/// Adds what is not read of a workflow, and so neither checked nor replayed.
pub(super) fn warn(document: &Document, findings: &mut Findings) {
    let Some(spec) = workflow_spec(document) else { return };
    for template in spec.get("templates").map(Node::items).unwrap_or_default() {
        for inline in inline_templates(template) {
            let Some(strategy) = present(inline, "retryStrategy") else { continue };
            let name = template.get("name").and_then(Node::text).unwrap_or_default();
            let message = format!(
                "not read: the `retryStrategy` of an inline template of `{name}`, since its nodes have no `templateName` by \
                 which a record names it"
            );
            let place = document.place(strategy.span.first_line(document.source.text()));
            let finding = Diagnostic::warning(Code::Misleading, place, message);
            findings.push(
                finding.help(
                    "give the template a name under `templates`, and refer to it by `template`",
                ),
            );
        }
    }
}

/// Returns a finding for each workflow whose templates are in another document that is not among these.
pub(super) fn absent_documents(documents: &[&Document]) -> Findings {
    let mut findings = Findings::new();
    for document in documents {
        findings.extend(absent_document(document, documents));
    }
    findings
}

fn absent_document(document: &Document, documents: &[&Document]) -> Option<Diagnostic> {
    let reference = present(workflow_spec(document)?, "workflowTemplateRef")?;
    let name = reference.get("name").and_then(Node::text)?;
    let is_cluster = reference.get("clusterScope").and_then(Node::boolean) == Some(true);
    let kind = if is_cluster { "ClusterWorkflowTemplate" } else { "WorkflowTemplate" };
    let namespace = if is_cluster { None } else { metadata(document, "namespace") };
    let is_it = |other: &&Document| {
        let own = metadata(other, "namespace");
        other.root.get("kind").and_then(Node::text) == Some(kind)
            && metadata(other, "name") == Some(name)
            // A chart may leave out a namespace, so that an absent one fits any.
            && (namespace.is_none() || own.is_none() || namespace == own)
    };
    if documents.iter().any(is_it) {
        return None;
    }
    let message = format!(
        "not checked: the strategies of the templates of `{name}`, a {kind} that `workflowTemplateRef` names"
    );
    let place = document.place(reference.span.first_line(document.source.text()));
    let help =
        format!("give that document too: `kubectl get {} {name} -o yaml`", kind.to_lowercase());
    Some(Diagnostic::info(Code::Misleading, place, message).help(help))
}

fn metadata<'d>(document: &'d Document, key: &str) -> Option<&'d str> {
    document.root.at(&["metadata", key]).and_then(Node::text)
}

/// Returns the inline templates of the steps or of the tasks of a template.
fn inline_templates(template: &Node) -> impl Iterator<Item = &Node> {
    let groups = template.get("steps").map(Node::items).unwrap_or_default();
    let steps = groups.iter().flat_map(Node::items);
    let tasks = template.at(&["dag", "tasks"]).map(Node::items).unwrap_or_default();
    steps.chain(tasks).filter_map(|step| present(step, "inline"))
}
