//! What the webhook asks of Jobs whose containers are to be restarted in place: they must never
//! fail by themselves, and all their pods must run at once.

use crate::diag::{Code, Diagnostic, Findings};
use crate::document::{Document, Node};

/// Reports what keeps the Jobs from being restarted in place.
pub(super) fn check(document: &Document, jobs: &[Node], findings: &mut Findings) {
    for job in jobs {
        let spec = job.at(&["template", "spec"]);
        let field = |key: &str| spec.and_then(|spec| spec.get(key));
        let mut refuse = |at: Option<&Node>, what: &str, help: &str| {
            let name = job.get("name").and_then(Node::text).unwrap_or_default();
            let node = at.or_else(|| job.get("name")).unwrap_or(job);
            let span = node.span.first_line(document.source.text());
            let message = format!("`InPlaceRestart` needs {what} in replicatedJob `{name}`");
            let finding = Diagnostic::error(Code::NotAdmitted, document.place(span), message);
            findings.push(finding.help(help));
        };
        let backoff = field("backoffLimit");
        if backoff.and_then(Node::integer) != Some(i128::from(i32::MAX)) {
            let help = "write `backoffLimit: 2147483647`, so that a Job never fails of its pods";
            refuse(backoff, "`backoffLimit` 2147483647", help);
        }
        let replacement = field("podReplacementPolicy");
        if replacement.and_then(Node::text) != Some("Failed") {
            let help = "write `podReplacementPolicy: Failed`";
            refuse(replacement, "`podReplacementPolicy` Failed", help);
        }
        let (completions, parallelism) = (field("completions"), field("parallelism"));
        let both = completions.and_then(Node::integer).zip(parallelism.and_then(Node::integer));
        if both.is_none_or(|(completions, parallelism)| completions != parallelism) {
            let help = "set both to the number of pods";
            refuse(completions.or(parallelism), "`completions` equal to `parallelism`", help);
        }
    }
}
