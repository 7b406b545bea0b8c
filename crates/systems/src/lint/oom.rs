//! Findings about OOM kills: counted as disruptions, and retried with the same memory.

use super::NamedRule;
use document::diag::{Code, Diagnostic, Place};

/// The finding that OOM kills are taken for disruptions. `effect` is that of the rule on them: ``counts OOM kills like disruptions
/// (`Evicted`): its limit is for failures that the job does not cause``. `remedy` is the help.
pub fn oom_as_disruption(rule: NamedRule, effect: &str, remedy: &str) -> Diagnostic {
    let message = format!("{} {effect}", rule.name);
    Diagnostic::warning(Code::OomAsDisruption, rule.place, message).help(remedy)
}

/// The finding that a retry after an OOM kill has as little memory as the attempt before. It is information: what a program
/// needs may differ from attempt to attempt. `subject` is what retries:
/// `` `p[0]` retries OOM kills``.
pub fn same_memory(place: Place, subject: &str, remedy: &str) -> Diagnostic {
    let message =
        format!("{subject} with the same memory: a program that needs more is killed again");
    Diagnostic::info(Code::SameMemory, place, message).help(remedy)
}
