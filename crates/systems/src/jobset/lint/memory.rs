//! Rules that restart for OOM kills without counting, as if they were disruptions.

use super::failures::Failures;
use super::kinds::{free_restart, kills};
use super::subject::Subject;
use super::unlimited::counted_help;
use crate::lint::{NamedRule, oom_as_disruption};
use document::diag::Findings;

/// Adds a finding for each such rule.
pub(super) fn check(subject: &Subject<'_>, failures: &Failures<'_>, findings: &mut Findings) {
    for (number, rule, node) in subject.rules() {
        let Some(restarted) = free_restart(rule.action) else { continue };
        let Some(kills) = kills(failures, number, rule) else { continue };
        let place = subject.place(node.get("action").unwrap_or(node));
        let effect = format!(
            "restarts {restarted} for OOM kills as if they were disruptions: {} counts towards no limit",
            failures.describe(&kills)
        );
        let name = NamedRule { name: format!("rule {number}"), place };
        findings.push(oom_as_disruption(name, &effect, &counted_help(rule.action)));
    }
}
