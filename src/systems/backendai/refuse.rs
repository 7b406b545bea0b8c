//! Reports what the draft's schema refuses, where it stands.

use super::admission::Refusal;
use super::read::{LAYERS, cause, layer, layer_of};
use super::shape::PROFILE;
use crate::diag::{Code, Diagnostic, Findings, Span};
use crate::document::{Document, KeyCase, Node, check};

/// Reports what of a profile does not fit its shape, and what the schema refuses beyond it. Of a
/// value of which both speak the schema's word counts, which tells more.
pub(super) fn refuse(document: &Document) -> Findings {
    let refusals: Vec<(Span, Diagnostic)> = LAYERS
        .into_iter()
        .filter_map(|name| layer_of(&document.root, name))
        .flat_map(|node| layer(node).refusals().flat_map(|refusal| places(node, &refusal)))
        .map(|(node, refusal)| (node.span, diagnostic(document, node, &refusal)))
        .collect();
    let mut shape = Findings::new();
    check(&document.source, &document.root, &PROFILE, KeyCase::Exact, &mut shape);
    let spoken = |finding: &Diagnostic| {
        let place = finding.place.as_ref();
        place.is_some_and(|place| refusals.iter().any(|(span, _)| *span == place.span))
    };
    let mut findings = Findings::new();
    findings.extend(shape.into_iter().filter(|finding| !spoken(finding)));
    findings.extend(refusals.into_iter().map(|(_, diagnostic)| diagnostic));
    findings
}

/// The values that a refusal is of.
fn places<'d>(layer: &'d Node, refusal: &Refusal) -> Vec<(&'d Node, Refusal)> {
    let Some(node) = layer.get(refusal.field()) else { return Vec::new() };
    let nodes = match refusal {
        Refusal::NotPositive { .. } | Refusal::NotFinite { .. } | Refusal::NoRatio(_) => vec![node],
        Refusal::NeverRetried(never) => {
            node.items().iter().filter(|item| cause(item) == Some(*never)).collect()
        }
    };
    nodes.into_iter().map(|node| (node, *refusal)).collect()
}

fn diagnostic(document: &Document, node: &Node, refusal: &Refusal) -> Diagnostic {
    let help = match (refusal, refusal.field()) {
        (Refusal::NeverRetried(_), _) => "leave it out: no policy can retry it",
        (Refusal::NoRatio(_), _) => "0.25 adds up to a quarter of the wait",
        (_, "max_retry_delay") => "write seconds, or null for 24 hours",
        (_, "backoff_multiplier") => "2 doubles the wait each time, 1 keeps it",
        _ => "write seconds, as few as 0.001",
    };
    let code = match refusal {
        Refusal::NeverRetried(_) => Code::NotAChoice,
        _ => Code::OutOfRange,
    };
    let place = document.place(node.span.first_line(document.source.text()));
    Diagnostic::error(code, place, refusal.to_string()).help(help)
}
