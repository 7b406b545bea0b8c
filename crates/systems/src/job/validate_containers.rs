//! The API server's checks of the restart policies of containers
//! (`pkg/apis/core/validation/validation.go` of Kubernetes v1.36.0, `validateContainerRestartPolicy` and
//! `validateInitContainerRestartPolicy`, with the gates `ContainerRestartRules` and
//! `RestartAllContainersOnContainerExits`, which are on by default in 1.36).

use document::diag::{Code, Diagnostic, Findings, Span};
use document::{Document, Node};

/// The maximum number of rules of a container.
const MAX_RULES: usize = 20;
/// The maximum number of exit codes in a rule.
const MAX_VALUES: usize = 255;

/// Reports what the API server would refuse in the containers of a Job's `spec` that fits its shape.
pub(super) fn admit_containers(document: &Document, spec: &Node, findings: &mut Findings) {
    let mut refuse = |span: Span, message: String, help: &str| {
        let place = document.place(span.first_line(document.source.text()));
        findings.push(Diagnostic::error(Code::NotAdmitted, place, message).help(help));
    };
    let lists = ["containers", "initContainers"];
    let lists = lists.map(|list| spec.at(&["template", "spec", list]).map(Node::items));
    for container in lists.into_iter().flatten().flatten() {
        let Some(entry) = container.entry("restartPolicyRules") else { continue };
        let rules = entry.value.items();
        if !rules.is_empty() && container.get("restartPolicy").is_none() {
            let message = "`restartPolicyRules` need `restartPolicy` in the container".to_owned();
            let help = "add `restartPolicy: Never`, even if the pod has it";
            refuse(entry.key_span, message, help);
        }
        if rules.len() > MAX_RULES {
            let message = format!("{} rules, and at most {MAX_RULES} are taken", rules.len());
            refuse(entry.key_span, message, "join rules of the same action");
        }
        for values in rules.iter().filter_map(|rule| rule.at(&["exitCodes", "values"])) {
            let count = values.items().len();
            if count > MAX_VALUES {
                let message = format!("{count} exit codes, and at most {MAX_VALUES} are taken");
                refuse(values.span, message, "use NotIn, or a second rule");
            }
        }
    }
}
