//! What the lints of systems with rules share.

use crate::diag::{Code, Diagnostic, Findings, plural};
use crate::document::{Document, Node};
use crate::policy::Coverage;

/// Limit of places in one finding.
const MAX_PLACES: usize = 4;

/// Reports each rule of a list that decides nothing because of earlier ones. `coverage` is that of the rule with this
/// number.
pub(super) fn report_shadowed(
    document: &Document,
    rules: &[Node],
    coverage: impl Fn(usize) -> Coverage,
    findings: &mut Findings,
) {
    for (number, node) in rules.iter().enumerate() {
        let Coverage::Covered(by) = coverage(number) else { continue };
        if by.is_empty() {
            continue;
        }
        let names: Vec<String> =
            by.iter().take(MAX_PLACES).map(|number| format!("rule {number}")).collect();
        let more = by.len().saturating_sub(MAX_PLACES);
        let subject = match (names.as_slice(), more) {
            ([one], 0) => format!("{one} matches"),
            ([first @ .., last], 0) => format!("{} and {last} together match", first.join(", ")),
            (names, more) => {
                let more = plural(more, "other rule", "other rules");
                format!("{} and {more} together match", names.join(", "))
            }
        };
        let message = format!("rule {number} decides nothing: {subject} all of its failures first");
        let mut finding =
            Diagnostic::warning(Code::ShadowedRule, document.place(node.span), message)
                .labelled("decides nothing");
        for node in by.iter().take(MAX_PLACES).filter_map(|&number| rules.get(number)) {
            finding = finding.also(document.place(node.span), "matches first");
        }
        findings.push(
            finding.help("move the rule up if its failures need another decision, else remove it"),
        );
    }
}
