//! Rules that a history never matched.

use super::context::Context;
use super::definition::Lint;
use super::gate_name::gate_name;
use document::diag::{Code, Diagnostic, Findings, Place};
use replay::simulate::SummaryReport;
use systems::{Gate, GateKind};

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
pub(super) fn check_gates(gates: &[Gate], summary: &SummaryReport, known: &Findings) -> Findings {
    let mut findings = Findings::new();
    let is_shadowed = |gate: &Gate| {
        let is_at = |place: &Place| {
            place.source.name() == gate.place.source.name() && place.start() == gate.place.start()
        };
        let mut shadowed = known.iter().filter(|it| it.code == Code::ShadowedRule);
        shadowed.any(|it| it.place.as_ref().is_some_and(is_at))
    };
    for row in summary.by_rule.iter().filter(|row| row.figures.matched == 0) {
        let is_own = |gate: &&Gate| {
            gate.kind == GateKind::Rule
                && gate.policy == row.policy
                && gate.rule_index == row.rule_index
        };
        let gate = gates.iter().find(is_own).filter(|gate| !is_shadowed(gate));
        if let (Some(gate), true) = (gate, summary.totals.failures > 0) {
            findings.push(finding(&gate_name(gate), gate.place.clone(), summary));
        }
    }
    findings
}
