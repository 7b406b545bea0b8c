//! Rules that a history never matched.

use super::context::Context;
use super::definition::Lint;
use super::target_name::target_name;
use document::diag::{Code, Diagnostic, Findings, Place};
use replay::simulate::SummaryReport;
use systems::{CoverageTarget, TargetKind};

pub(super) const LINT: Lint = Lint { code: Code::UnmatchedRule, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(summary) = context.input.history else { return };
    if summary.totals.failures == 0 {
        return;
    }
    for row in summary.by_rule.iter().filter(|row| row.figures.matched == 0) {
        let (Some(number), Some(policy)) = (row.rule_index, context.policy(&row.policy)) else {
            continue;
        };
        // A rule that can never match has a finding of its own.
        if policy.coverage.get(number).is_none_or(armada_retry::policy::Coverage::is_covered) {
            continue;
        }
        findings.push(finding(&policy.rule_name(number), policy.rule_place(number), summary));
    }
}

fn finding(rule: &str, place: Place, summary: &SummaryReport) -> Diagnostic {
    let message = match summary.totals.failures {
        1 => format!("{rule} did not match the only failure of the history"),
        failures => format!("{rule} matched none of the {failures} failures of the history"),
    };
    Diagnostic::info(Code::UnmatchedRule, place, message)
        .help("check its matchers against the failures that it is for")
}

/// The findings about the rules of another system. `known` are the findings of its own lints: a rule that can never match
/// has one there.
pub(super) fn check_targets(
    targets: &[CoverageTarget],
    summary: &SummaryReport,
    known: &Findings,
) -> Findings {
    let mut findings = Findings::new();
    let is_shadowed = |target: &CoverageTarget| {
        let is_at = |place: &Place| {
            place.source.name() == target.place.source.name()
                && place.start() == target.place.start()
        };
        let mut shadowed = known.iter().filter(|it| it.code == Code::ShadowedRule);
        shadowed.any(|it| it.place.as_ref().is_some_and(is_at))
    };
    for row in summary.by_rule.iter().filter(|row| row.figures.matched == 0) {
        let is_own = |target: &&CoverageTarget| {
            target.kind == TargetKind::Rule
                && target.policy == row.policy
                && target.rule_index == row.rule_index
        };
        let target = targets.iter().find(is_own).filter(|target| !is_shadowed(target));
        if let (Some(target), true) = (target, summary.totals.failures > 0) {
            findings.push(finding(&target_name(target), target.place.clone(), summary));
        }
    }
    findings
}
