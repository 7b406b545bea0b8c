//! Findings whose texts are the same for several systems: about limits, OOM kills and defaults.

use super::NamedRule;
use document::diag::{Code, Diagnostic, Place};

/// The limit of retries from which it ends nothing in practice: a unit that fails every minute reaches it after 16 hours.
pub const HUGE_LIMIT: u64 = 1000;

/// Returns the finding that a limit of retries ends nothing. `end` is what ends the unit instead, or when the limit
/// would.
pub fn huge_limit(place: Place, limit: u64, end: &str) -> Diagnostic {
    let message = format!("a limit of {limit} retries limits nothing: {end}");
    Diagnostic::warning(Code::HugeLimit, place, message)
        .help("write the number of retries that may succeed")
}

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

/// The finding that a field which is absent has a default with a surprising effect. `place` is that of the field which
/// suggests another value.
pub fn surprising_default(
    place: Place,
    (field, default): (&str, &str),
    effect: &str,
    remedy: &str,
) -> Diagnostic {
    let message = format!("`{field}` is {default} by default: {effect}");
    Diagnostic::warning(Code::SurprisingDefault, place, message).help(remedy)
}

/// Returns the finding that no limit ends restarts. `restarted` is what is restarted after which failures: `a pod that
/// ends with exit code 42 is replaced`; `times` is the time between two: `, with waits of at most 10m0s`.
pub(crate) fn unlimited_retries(place: Place, restarted: &str, times: &str) -> Diagnostic {
    let message = format!("{restarted} without a limit{times}");
    Diagnostic::warning(Code::UnlimitedRetries, place, message)
}
