//! Findings about a profile: errors of its shape, and values that the draft's schema refuses.
//!
//! Owns the order of the findings: errors of the shape first.

pub(super) mod warnings;

use super::manifest::cause::Cause;
use super::manifest::layer::{DelayLimit, Layer};
use super::manifest::shape::PROFILE;
use super::manifest::{LAYERS, layer_node};
use document::diag::{Code, Diagnostic, Findings, Span};
use document::{Document, FieldValue, KeyCase, Node, check};

/// The reason why a value of a layer is refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// A time or a factor that is 0 or less.
    #[error("`{field}` is {value}; it must be above 0")]
    NotPositive {
        /// The field.
        field: &'static str,
        /// The field's value.
        value: f64,
    },
    /// A time or a factor that is not a finite number.
    #[error("`{field}` is {value}; it must be a finite number above 0")]
    NotFinite {
        /// The field.
        field: &'static str,
        /// The field's value.
        value: f64,
    },
    /// A ratio outside 0 to 1.
    #[error("`jitter_ratio` is {0}; it must be from 0 to 1")]
    NoRatio(f64),
    /// A cause that no policy can make eligible: it is not a member of the draft's enumeration.
    #[error("`{}` is never retried, and cannot be eligible", .0.as_str())]
    NeverRetried(Cause),
}

impl Refusal {
    /// Returns the field whose value is refused.
    pub fn field(&self) -> &'static str {
        match self {
            Self::NotPositive { field, .. } | Self::NotFinite { field, .. } => field,
            Self::NoRatio(_) => "jitter_ratio",
            Self::NeverRetried(_) => "eligible_causes",
        }
    }
}

impl Layer {
    /// Returns everything in the layer that the schema refuses. Infinities are refused, although Pydantic's
    /// `PositiveFloat` accepts them: JSON cannot write them.
    pub fn refusals(&self) -> impl Iterator<Item = Refusal> + use<> {
        let positive = [
            ("retry_delay", self.retry_delay),
            ("backoff_multiplier", self.backoff_multiplier),
            ("max_retry_delay", self.max_retry_delay.and_then(DelayLimit::seconds)),
        ];
        let not_positive = positive.into_iter().filter_map(|(field, value)| match value? {
            value if !value.is_finite() => Some(Refusal::NotFinite { field, value }),
            value => (value <= 0.0).then_some(Refusal::NotPositive { field, value }),
        });
        let ratio = self.jitter_ratio.filter(|ratio| !(0.0..=1.0).contains(ratio));
        let causes = self.eligible_causes.unwrap_or_default();
        let never = causes.iter().filter(|cause| cause.is_never_retried());
        not_positive.chain(ratio.map(Refusal::NoRatio)).chain(never.map(Refusal::NeverRetried))
    }
}

/// Reports errors of a profile's shape, and values that the schema refuses beyond it. If both
/// report one value, the schema's finding is kept, since it is more precise.
pub(super) fn check_profile(document: &Document) -> Findings {
    let refusals: Vec<(Span, Diagnostic)> = LAYERS
        .into_iter()
        .filter_map(|name| layer_node(&document.root, name))
        .flat_map(|node| {
            Layer::read(node).refusals().flat_map(|refusal| refused_values(node, &refusal))
        })
        .map(|(node, refusal)| (node.span, diagnostic(document, node, &refusal)))
        .collect();
    let mut shape = Findings::new();
    check(&document.source, &document.root, &PROFILE, KeyCase::Exact, &mut shape);
    let has_refusal = |finding: &Diagnostic| {
        let place = finding.place.as_ref();
        place.is_some_and(|place| refusals.iter().any(|(span, _)| *span == place.span))
    };
    let mut findings = Findings::new();
    findings.extend(shape.into_iter().filter(|finding| !has_refusal(finding)));
    findings.extend(refusals.into_iter().map(|(_, diagnostic)| diagnostic));
    findings
}

/// Returns the values that a refusal concerns.
fn refused_values<'d>(layer: &'d Node, refusal: &Refusal) -> Vec<(&'d Node, Refusal)> {
    let Some(node) = layer.get(refusal.field()) else { return Vec::new() };
    let nodes = match refusal {
        Refusal::NotPositive { .. } | Refusal::NotFinite { .. } | Refusal::NoRatio(_) => vec![node],
        Refusal::NeverRetried(never) => {
            node.items().iter().filter(|item| Cause::from_node(item) == Some(*never)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_refused_is_named() {
        let causes = [Cause::OomKilled, Cause::UserCancelled].into_iter().collect();
        let layer = Layer {
            retry_delay: Some(0.0),
            backoff_multiplier: Some(f64::NAN),
            max_retry_delay: Some(DelayLimit::Seconds(-1.5)),
            jitter_ratio: Some(1.1),
            eligible_causes: Some(causes),
            ..Layer::default()
        };
        let texts: Vec<String> = layer.refusals().map(|refusal| refusal.to_string()).collect();
        assert_eq!(
            texts,
            [
                "`retry_delay` is 0; it must be above 0",
                "`backoff_multiplier` is NaN; it must be a finite number above 0",
                "`max_retry_delay` is -1.5; it must be above 0",
                "`jitter_ratio` is 1.1; it must be from 0 to 1",
                "`user_cancelled` is never retried, and cannot be eligible",
            ]
        );
    }

    proptest! {
        /// Numbers are refused exactly if they are outside their range; null is in range.
        #[test]
        fn ranges_are_those_of_the_schema(delay: f64, limit: f64, ratio in -1.0..2.0_f64) {
            let layer = Layer {
                retry_delay: Some(delay),
                max_retry_delay: Some(DelayLimit::Seconds(limit)),
                jitter_ratio: Some(ratio),
                ..Layer::default()
            };
            let fields: Vec<&str> = layer.refusals().map(|refusal| refusal.field()).collect();
            let expected = [
                ("retry_delay", delay <= 0.0 || delay.is_nan() || delay.is_infinite()),
                ("max_retry_delay", limit <= 0.0 || limit.is_nan() || limit.is_infinite()),
                ("jitter_ratio", !matches!(ratio, 0.0..=1.0)),
            ];
            let expected = expected.into_iter().filter(|(_, bad)| *bad).map(|(field, _)| field);
            prop_assert!(fields.into_iter().eq(expected));
            let null = Layer { max_retry_delay: Some(DelayLimit::Null), ..Layer::default() };
            prop_assert_eq!(null.refusals().count(), 0);
        }
    }
}
