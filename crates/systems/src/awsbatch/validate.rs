//! Findings about a job definition: what the service refuses, and fields whose effect differs from what a reader expects.

use super::manifest::pattern::{MAX_LENGTH, invalid_in_code, invalid_in_reason};
use super::manifest::shape::{ENTRIES, entries};
use super::manifest::{JobDefinition, MAX_ENTRIES, RetryAction};
use document::diag::{Code, Diagnostic, Findings, did_you_mean};
use document::{Document, Node};

/// Adds errors about the entries of `evaluateOnExit` that their shape does not find.
pub(super) fn check_entries(document: &Document, findings: &mut Findings) {
    let nodes = entries(&document.root);
    if let (Some(sixth), Some(list)) = (nodes.get(MAX_ENTRIES), document.root.at(&ENTRIES)) {
        let message =
            format!("`evaluateOnExit` has {} entries, but at most {MAX_ENTRIES}", nodes.len());
        // The last of them is where an author removes or joins entries.
        let place = document.place(list.items().last().unwrap_or(sixth).span);
        let help = "join entries of one action by a pattern that ends with `*`, or leave out those that retry last: \
                    a failure without a match is retried";
        findings.push(Diagnostic::error(Code::NotAdmitted, place, message).help(help));
    }
    for node in nodes {
        check_action(document, node, findings);
        for (field, kind) in [
            ("onStatusReason", PatternKind::Reason),
            ("onReason", PatternKind::Reason),
            ("onExitCode", PatternKind::ExitCode),
        ] {
            if let Some((node, text)) = node.get(field).and_then(|node| Some((node, node.text()?)))
            {
                findings.extend(pattern_error(document, (field, node), text, kind));
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternKind {
    Reason,
    ExitCode,
}

fn check_action(document: &Document, node: &Node, findings: &mut Findings) {
    let Some((node, text)) = node.get("action").and_then(|node| Some((node, node.text()?))) else {
        return;
    };
    if text.is_empty() || RetryAction::in_any_case(text).is_some() {
        return;
    }
    let names = RetryAction::ALL.map(RetryAction::as_str);
    let help = match did_you_mean(&text.to_ascii_uppercase(), names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "write `RETRY` or `EXIT`".to_owned(),
    };
    let message = format!("`action`: unknown action `{text}`");
    let place = document.place(node.span);
    findings.push(Diagnostic::error(Code::NotAChoice, place, message).help(help));
}

/// The error about a pattern that has other characters than the documented ones, or too many.
fn pattern_error(
    document: &Document,
    (field, node): (&str, &Node),
    text: &str,
    kind: PatternKind,
) -> Option<Diagnostic> {
    let length = text.chars().count();
    let error = |message: String, help: &str| {
        Some(Diagnostic::error(Code::NotAdmitted, document.place(node.span), message).help(help))
    };
    if length > MAX_LENGTH {
        let message = format!("`{field}` has {length} characters, but at most {MAX_LENGTH}");
        return error(message, "write the start of the text and `*`");
    }
    let (invalid, allowed) = match kind {
        PatternKind::Reason => {
            (invalid_in_reason(text), "letters, digits, periods, colons and white space")
        }
        PatternKind::ExitCode => (invalid_in_code(text), "digits"),
    };
    let help = format!("write {allowed}, and `*` at the end for any continuation");
    match invalid? {
        '*' => error(format!("`{field}`: `*` is allowed only at the end"), &help),
        c => error(format!("`{field}` contains `{}`", c.escape_debug()), &help),
    }
}

/// Warns of fields whose effect differs from what their names suggest.
pub(super) fn warn(document: &Document, definition: &JobDefinition, findings: &mut Findings) {
    let misleading = |node: &Node, message: String, help: &str| {
        Diagnostic::warning(Code::Misleading, document.place(node.span), message).help(help)
    };
    let root = &document.root;
    for (node, entry) in entries(root).iter().zip(&definition.strategy.evaluate_on_exit) {
        if entry.patterns().iter().all(|(_, pattern)| pattern.is_none()) {
            let action = entry.action.as_str();
            let message = format!(
                "the entry has no condition, so that its {action} decides about every failure"
            );
            let help = "write `onReason: \"*\"` if that is intended, as AWS documents it";
            findings.push(misleading(node, message, help));
        }
    }
    let submission = root.get("jobDefinition").filter(|_| root.get("jobName").is_some());
    if let (Some(node), None) = (submission, root.get("retryStrategy")) {
        let name = node.text().unwrap_or_default();
        let message = format!(
            "the submission has no `retryStrategy`: that of the job definition `{name}` applies, which is not read; one \
             attempt is assumed"
        );
        let help = "give the definition: `aws batch describe-job-definitions --job-definition-name NAME --status ACTIVE`";
        findings.push(misleading(node, message, help));
    }
}
