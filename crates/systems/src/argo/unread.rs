//! Strategies that a workflow has and that are not read: those of templates in other documents, and of inline templates.

use super::manifest::{present, workflow_spec};
use document::diag::{Code, Diagnostic, Findings};
use document::{Document, Node};

/// Adds what is not read of a workflow, and so neither checked nor replayed.
pub(super) fn warn(document: &Document, findings: &mut Findings) {
    let Some(spec) = workflow_spec(document) else { return };
    findings.extend(other_document(document, spec));
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

/// Returns the finding that the templates of a workflow are in another document.
fn other_document(document: &Document, spec: &Node) -> Option<Diagnostic> {
    let reference = present(spec, "workflowTemplateRef")?;
    let name = reference.get("name").and_then(Node::text)?;
    let is_cluster = reference.get("clusterScope").and_then(Node::boolean) == Some(true);
    let kind = if is_cluster { "ClusterWorkflowTemplate" } else { "WorkflowTemplate" };
    let message = format!(
        "not checked here: the strategies of the templates of `{name}`, a {kind} that `workflowTemplateRef` names"
    );
    let place = document.place(reference.span.first_line(document.source.text()));
    let help =
        format!("give that document too: `kubectl get {} {name} -o yaml`", kind.to_lowercase());
    Some(Diagnostic::info(Code::Misleading, place, message).help(help))
}

/// Returns the inline templates of the steps or of the tasks of a template.
fn inline_templates(template: &Node) -> impl Iterator<Item = &Node> {
    let groups = template.get("steps").map(Node::items).unwrap_or_default();
    let steps = groups.iter().flat_map(Node::items);
    let tasks = template.at(&["dag", "tasks"]).map(Node::items).unwrap_or_default();
    steps.chain(tasks).filter_map(|step| present(step, "inline"))
}
