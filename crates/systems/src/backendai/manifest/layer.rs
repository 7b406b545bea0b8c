//! The layers of a policy and how they merge (seed, "Defaults precedence").
//!
//! Layers merge as written, and defaults are filled in last: a value in a layer takes effect even if it
//! equals the default.

use super::cause::Causes;
use super::policy::{BackoffStrategy, JitterMode, RetryPolicy};

/// One layer: the fields that it sets, with units as in [`RetryPolicy`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Layer {
    /// `max_retries`.
    pub max_retries: Option<u32>,
    /// `retry_delay`, in seconds.
    pub retry_delay: Option<f64>,
    /// `backoff`.
    pub backoff: Option<BackoffStrategy>,
    /// `backoff_multiplier`.
    pub backoff_multiplier: Option<f64>,
    /// `max_retry_delay`, which may be null.
    pub max_retry_delay: Option<DelayLimit>,
    /// `jitter`.
    pub jitter: Option<JitterMode>,
    /// `jitter_ratio`.
    pub jitter_ratio: Option<f64>,
    /// `eligible_causes`.
    pub eligible_causes: Option<Causes>,
    /// `emit_retry_events`.
    pub emit_retry_events: Option<bool>,
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

/// The three layers of a session's policy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Layers {
    /// The cluster's default, in etcd.
    pub cluster: Layer,
    /// The default of the project or domain.
    pub project: Layer,
    /// The fields of the session's request.
    pub session: Layer,
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
