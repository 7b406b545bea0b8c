//! The layers of a policy and how they merge (seed, "Defaults precedence").
//!
//! Layers merge as written, and defaults are filled in last: a value in a layer takes effect even if it
//! equals the default.

use super::cause::Causes;
use super::policy::{BackoffStrategy, JitterMode, RetryPolicy};
use document::diag::Code;
use document::{FieldValue, Kind, Node, document};

/// Seconds, or a factor, above 0.
const ABOVE_ZERO: Kind = Kind::Number { min: 0.0, above: true, code: Code::OutOfRange };

// The fields are those of the draft's `RetryPolicy` (seed, "`RetryPolicy` schema"), with units as in [`RetryPolicy`].
document! {
    /// The fields of the policy that one layer sets. A field that no layer sets has its default.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Layer = "layer" (elsewhere: &[
        ("max_retry", "write `max_retries`"),
        ("retries", "that is a field of Airflow; here it is `max_retries`"),
        ("retry_exponential_backoff", "write `backoff: exponential` and `backoff_multiplier`"),
        ("retryLimit", "that is a field of Armada; here it is `max_retries`"),
        ("backoffLimit", "that is a field of a Job; here it is `max_retries`"),
        ("retry_delay_seconds", "write `retry_delay`, in seconds"),
    ]) {
        /// Retries of a session; attempts are one more. Default 0.
        /// With 0 nothing is retried, and every batch session that fails is reported as exhausted.
        pub max_retries: Option<u32> => Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange },
        /// Seconds before a retry, or before the first one. Default 60.
        pub retry_delay: Option<f64> => ABOVE_ZERO,
        /// How waits grow. Default fixed.
        pub backoff: Option<BackoffStrategy>,
        #[doc = "What each wait is multiplied by to get the next, with backoff exponential. Default 2."]
        /// Below 1, which the draft admits, waits shrink.
        pub backoff_multiplier: Option<f64> => ABOVE_ZERO,
        /// Seconds that no wait is longer than, jitter included. Default 3600.
        /// null means 24 hours, and overrides the value of a lower layer; above 24 hours it depends on
        /// options.cap.
        pub max_retry_delay: Option<DelayLimit>,
        #[doc = "What is added to a wait. Default deterministic."]
        pub jitter: Option<JitterMode>,
        /// How much is added at the most, as a part of the wait: from 0 to 1. Default 0.25.
        pub jitter_ratio: Option<f64> => Kind::Number { min: 0.0, above: false, code: Code::OutOfRange },
        /// The causes that are retried. Default all six.
        /// It replaces the list of a lower layer. It is read only while there are retries left.
        pub eligible_causes: Option<Causes>,
        /// Whether session.retry_scheduled and session.retry_exhausted are emitted. Default true.
        /// A cause that is not eligible has no event either way.
        pub emit_retry_events: Option<bool>,
    }
}

/// A `max_retry_delay` that a layer sets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DelayLimit {
    /// A number of seconds.
    Seconds(f64),
    /// An explicit null: only the limit of 24 hours.
    Null,
}

impl DelayLimit {
    /// Returns the limit in seconds, if there is one.
    pub fn seconds(self) -> Option<f64> {
        match self {
            Self::Seconds(seconds) => Some(seconds),
            Self::Null => None,
        }
    }
}

/// `max_retry_delay` is the one field that may be null.
impl FieldValue for DelayLimit {
    const KIND: Kind = ABOVE_ZERO;

    fn from_node(node: &Node) -> Option<Self> {
        if node.is_null() { Some(Self::Null) } else { node.number().map(Self::Seconds) }
    }

    fn from_field(mapping: &Node, key: &str) -> Option<Self> {
        mapping.entry(key).and_then(|entry| Self::from_node(&entry.value))
    }
}

impl Layer {
    /// Merges this layer with the one below it: this layer's values take precedence, field by field. A set of
    /// causes replaces that of the layer below, and so does an explicit null.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Self {
            max_retries: self.max_retries.or(below.max_retries),
            retry_delay: self.retry_delay.or(below.retry_delay),
            backoff: self.backoff.or(below.backoff),
            backoff_multiplier: self.backoff_multiplier.or(below.backoff_multiplier),
            max_retry_delay: self.max_retry_delay.or(below.max_retry_delay),
            jitter: self.jitter.or(below.jitter),
            jitter_ratio: self.jitter_ratio.or(below.jitter_ratio),
            eligible_causes: self.eligible_causes.or(below.eligible_causes),
            emit_retry_events: self.emit_retry_events.or(below.emit_retry_events),
        }
    }

    /// Returns the policy of this layer: absent fields have the defaults.
    pub fn policy(self) -> RetryPolicy {
        let defaults = RetryPolicy::default();
        let limit = self.max_retry_delay.map(DelayLimit::seconds);
        RetryPolicy {
            max_retries: self.max_retries.unwrap_or(defaults.max_retries),
            retry_delay: self.retry_delay.unwrap_or(defaults.retry_delay),
            backoff: self.backoff.unwrap_or(defaults.backoff),
            backoff_multiplier: self.backoff_multiplier.unwrap_or(defaults.backoff_multiplier),
            max_retry_delay: limit.unwrap_or(defaults.max_retry_delay),
            jitter: self.jitter.unwrap_or(defaults.jitter),
            jitter_ratio: self.jitter_ratio.unwrap_or(defaults.jitter_ratio),
            eligible_causes: self.eligible_causes.unwrap_or(defaults.eligible_causes),
            emit_retry_events: self.emit_retry_events.unwrap_or(defaults.emit_retry_events),
        }
    }
}

document! {
    /// The layers of a session's policy. Field by field the session's value is used, else the project's, else the cluster's.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Layers = "layers" (elsewhere: &[
        ("domain", "the draft has one layer for projects and domains: `project`"),
    ]) {
        /// The cluster's default, in etcd; absent sets nothing.
        pub cluster: Layer = Layer::default(),
        /// The default of a project or domain; absent sets nothing.
        pub project: Layer = Layer::default(),
        /// The session's request; absent sets nothing.
        pub session: Layer = Layer::default(),
    }
}

impl Layers {
    /// Merges all layers. The session's values take precedence, then the project's.
    pub fn merged(&self) -> Layer {
        self.session.over(self.project).over(self.cluster)
    }

    /// Returns the session's policy.
    pub fn policy(&self) -> RetryPolicy {
        self.merged().policy()
    }
}

#[cfg(test)]
mod tests {
    use super::super::cause::Cause;
    use super::*;
    use proptest::option::of;
    use proptest::prelude::*;

    fn limits() -> impl Strategy<Value = Option<DelayLimit>> {
        of(of(1.0..9.0_f64).prop_map(|limit| limit.map_or(DelayLimit::Null, DelayLimit::Seconds)))
    }

    fn layers() -> impl Strategy<Value = Layer> {
        let eligible: Vec<Cause> = Causes::eligible().iter().collect();
        let causes = of(proptest::sample::subsequence(eligible, 0..=6))
            .prop_map(|causes| causes.map(|causes| causes.into_iter().collect::<Causes>()));
        let backoff = of(proptest::sample::select(BackoffStrategy::ALL.to_vec()));
        let jitter = of(proptest::sample::select(JitterMode::ALL.to_vec()));
        let ratios = (of(0.5..3.0_f64), of(0.0..1.0_f64));
        (
            of(0..4_u32),
            of(1.0..9.0_f64),
            backoff,
            ratios,
            limits(),
            jitter,
            causes,
            any::<Option<bool>>(),
        )
            .prop_map(
                |(retries, delay, backoff, ratios, limit, jitter, causes, events)| Layer {
                    max_retries: retries,
                    retry_delay: delay,
                    backoff,
                    backoff_multiplier: ratios.0,
                    max_retry_delay: limit,
                    jitter,
                    jitter_ratio: ratios.1,
                    eligible_causes: causes,
                    emit_retry_events: events,
                },
            )
    }

    /// Returns the first value from the top layer down, or the default.
    fn first<T: Copy>(values: [Option<T>; 3], defaults: T) -> T {
        values.into_iter().flatten().next().unwrap_or(defaults)
    }

    proptest! {
        /// Every field is that of the topmost layer which sets it, else the default.
        #[test]
        fn the_topmost_word_counts(cluster in layers(), project in layers(), session in layers()) {
            let policy = Layers { cluster, project, session }.policy();
            let (all, defaults) = ([session, project, cluster], RetryPolicy::default());
            let limit = all.map(|layer| layer.max_retry_delay.map(DelayLimit::seconds));
            let expected = RetryPolicy {
                max_retries: first(all.map(|layer| layer.max_retries), 0),
                retry_delay: first(all.map(|layer| layer.retry_delay), 60.0),
                backoff: first(all.map(|layer| layer.backoff), defaults.backoff),
                backoff_multiplier: first(all.map(|layer| layer.backoff_multiplier), 2.0),
                max_retry_delay: first(limit, Some(3600.0)),
                jitter: first(all.map(|layer| layer.jitter), defaults.jitter),
                jitter_ratio: first(all.map(|layer| layer.jitter_ratio), 0.25),
                eligible_causes: first(all.map(|layer| layer.eligible_causes), Causes::eligible()),
                emit_retry_events: first(all.map(|layer| layer.emit_retry_events), true),
            };
            prop_assert_eq!(policy, expected);
        }

        /// Merging is associative: the order of the two merges does not matter.
        #[test]
        fn merging_is_associative(a in layers(), b in layers(), c in layers()) {
            prop_assert_eq!(a.over(b).over(c), a.over(b.over(c)));
            prop_assert_eq!(a.over(Layer::default()), a);
            prop_assert_eq!(Layer::default().over(a), a);
        }
    }

    #[test]
    fn sets_replace_and_null_overrides() {
        let none = Layer { eligible_causes: Some(Causes::default()), ..Layer::default() };
        let one = [Cause::OomKilled].into_iter().collect();
        let one = Layer { eligible_causes: Some(one), ..Layer::default() };
        assert_eq!(none.over(one).policy().eligible_causes.iter().count(), 0);
        let null = Layer { max_retry_delay: Some(DelayLimit::Null), ..Layer::default() };
        let some = Layer { max_retry_delay: Some(DelayLimit::Seconds(600.0)), ..Layer::default() };
        assert_eq!(null.over(some).policy().max_retry_delay, None);
        assert_eq!(some.over(null).policy().max_retry_delay, Some(600.0));
    }
}
