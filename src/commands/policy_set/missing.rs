//! Names of policies that a queue or a flag has, and that no policy has.

use super::{PolicySet, list_of};
use crate::cli::Refusal;
use anyhow::Result;
use armada_retry::engine::{Evaluator, MissingPolicy};
use armada_retry::policy::QueueDocument;
use document::diag::{Code, Diagnostic, Severity, nearest};
use std::collections::BTreeSet;

impl PolicySet {
    /// Names that no policy has: an error, or warnings that they are ignored. `variant` is the name of this set if
    /// there are several; the error begins with it.
    pub(in crate::commands) fn missing_findings(
        &self,
        evaluator: &Evaluator,
        missing: &BTreeSet<String>,
        variant: Option<&str>,
    ) -> Result<Vec<Diagnostic>> {
        let findings = missing.iter().map(|name| self.unknown_policy(name, evaluator));
        if self.bindings.missing == MissingPolicy::Skip || missing.is_empty() {
            return Ok(findings.collect());
        }
        let begin = variant.map(|variant| format!("variant `{variant}`: ")).unwrap_or_default();
        let named = findings.map(|finding| {
            let message = format!("{begin}{}", finding.message);
            Diagnostic { message, ..finding }
        });
        Err(Refusal::findings(named.collect()).into())
    }

    /// The finding that there is no policy of this name, at the queue that names it if one does.
    fn unknown_policy(&self, name: &str, evaluator: &Evaluator) -> Diagnostic {
        let named = |queue: &QueueDocument| {
            let item = list_of(queue)?.items().iter().find(|item| item.text() == Some(name))?;
            Some(queue.document.place(item.span))
        };
        let skip = self.bindings.missing == MissingPolicy::Skip;
        let consequence = if skip { "; it is skipped" } else { "" };
        let unreadable = self.live.as_ref().and_then(|live| live.server.unreadable.get(name));
        let message = match unreadable {
            Some(why) => {
                format!("the policy `{name}` of the server cannot be read: {why}{consequence}")
            }
            None => {
                format!("the policy `{name}` does not exist{consequence}{}", self.user_of(name))
            }
        };
        let mut finding = Diagnostic::without_place(Code::UnknownName, message);
        finding.place = self.documents.queues.iter().find_map(named);
        if skip {
            finding.severity = Severity::Warning;
            return finding;
        }
        let known: Vec<&str> =
            evaluator.policies().iter().map(|policy| policy.name.as_str()).collect();
        if known.is_empty() && self.live.is_some() {
            return finding.help("the server has no policy");
        }
        let (help, is_near) = known_names(name, &known);
        let way_out = "; use --missing-policy skip to ignore others";
        finding.help(if is_near || known.is_empty() { help } else { help + way_out })
    }
}

/// The errors about names of `--queue-policies` that no policy has.
pub(in crate::commands) fn unknown_policies(names: &[String], known: &[&str]) -> Vec<Diagnostic> {
    let names = names.iter().map(|name| name.trim());
    let unknown = names.filter(|name| !name.is_empty() && !known.contains(name));
    let finding = |name: &str| {
        let message = format!("the policy `{name}` does not exist");
        Diagnostic::without_place(Code::UnknownName, message).help(known_names(name, known).0)
    };
    unknown.map(finding).collect()
}

/// The help on a name that no policy has, and whether it suggests names that are similar.
fn known_names(name: &str, known: &[&str]) -> (String, bool) {
    let listed = |names: &[&str]| {
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    match nearest(name, known.iter().copied(), 3).as_slice() {
        [] if known.is_empty() => ("the files contain no policy".to_owned(), false),
        [] => (format!("the policies are {}", listed(&known[..known.len().min(8)])), false),
        near => (format!("did you mean {}?", listed(near)), true),
    }
}
