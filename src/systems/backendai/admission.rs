//! What the draft's schema refuses of values that are of the right type.

use super::cause::Cause;
use super::layer::{DelayLimit, Layer};

/// Why a value of a layer is refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// A time or a factor that is 0 or less.
    #[error("`{field}` is {value}, and has to be above 0")]
    NotPositive {
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// A time or a factor that is no finite number.
    #[error("`{field}` is {value}, and has to be a finite number above 0")]
    NotFinite {
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// A ratio that is no part of a whole.
    #[error("`jitter_ratio` is {0}, and has to be from 0 to 1")]
    NoRatio(f64),
    /// A cause that no policy can make eligible: it is no member of the draft's enumeration.
    #[error("`{}` is never retried, and cannot be eligible", .0.as_str())]
    NeverRetried(Cause),
}

impl Refusal {
    /// The field whose value is refused.
    pub fn field(&self) -> &'static str {
        match self {
            Self::NotPositive { field, .. } | Self::NotFinite { field, .. } => field,
            Self::NoRatio(_) => "jitter_ratio",
            Self::NeverRetried(_) => "eligible_causes",
        }
    }
}

impl Layer {
    /// Everything in it that the schema refuses. Infinities are refused, which Pydantic's
    /// `PositiveFloat` would let pass: no JSON can write one.
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
                "`retry_delay` is 0, and has to be above 0",
                "`backoff_multiplier` is NaN, and has to be a finite number above 0",
                "`max_retry_delay` is -1.5, and has to be above 0",
                "`jitter_ratio` is 1.1, and has to be from 0 to 1",
                "`user_cancelled` is never retried, and cannot be eligible",
            ]
        );
    }

    proptest! {
        /// Numbers are refused exactly where they are outside their range; null is in range.
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
