//! Findings about a profile that is valid, and probably not what its author intended.

use super::manifest::{IrisProfile, Policy};
use crate::lint::{Bounds, surprising_default};
use document::diag::{Diagnostic, Findings, Severity};
use document::{Document, Entry};

/// Returns the findings about a profile.
pub(super) fn lint(document: &Document, profile: &IrisProfile, _bounds: &Bounds) -> Findings {
    let mut findings = Findings::new();
    findings.extend(only_preemptions(document, &profile.rules.policy));
    findings
}

/// The entry of a field of the policy that is present and not null.
fn entry<'d>(document: &'d Document, field: &str) -> Option<&'d Entry> {
    let policy = document.root.at(&["spec", "policy"])?;
    policy.entry(field).filter(|entry| !entry.value.is_null())
}

/// The information that failures are final where a profile sets only the budget of lost attempts.
fn only_preemptions(document: &Document, policy: &Policy) -> Option<Diagnostic> {
    let lost = entry(document, "max_retries_preemption");
    let lost = lost.filter(|_| policy.max_retries_preemption > 0)?;
    if entry(document, "max_retries_failure").is_some() {
        return None;
    }
    let place = document.place(lost.key_span);
    let effect = "a failed attempt is final, and only lost ones are retried";
    let help =
        "write `max_retries_failure: 0` if failures are to be final, else the number of retries";
    let found = surprising_default(place, ("max_retries_failure", "0"), effect, help);
    Some(Diagnostic { severity: Severity::Info, ..found })
}
