//! The causes of failures, as the draft classifies them (seed, "Failure classification").
//!
//! Owns the lists of causes that documents and records may name.

use document::{Choices, FieldValue, Kind, Node, choices};

choices! {
    /// The cause of a session's failure: a member of the draft's `RetryEligibleCause`, or one of the three other
    /// causes, which no policy can make eligible and which stand last.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum Cause = "cause" {
        /// The agent was lost or restarted while the session ran.
        AgentTransient = "agent_transient",
        /// Kernels were not created in time.
        SchedulerTimeout = "scheduler_timeout",
        /// An image could not be pulled.
        ImagePullFailure = "image_pull_failure",
        /// A kernel ended with an exit code other than 0.
        KernelNonzeroExit = "kernel_nonzero_exit",
        /// A kernel ran out of memory.
        OomKilled = "oom_killed",
        /// None of the others.
        #[default]
        Unknown = "unknown",
        /// It was cancelled; never retried.
        UserCancelled = "user_cancelled",
        /// Its request was not valid; never retried.
        ValidationError = "validation_error",
        /// It exceeded a quota; never retried.
        QuotaExceeded = "quota_exceeded",
    }
}

impl Cause {
    /// Returns whether no policy can make the cause eligible.
    pub const fn is_never_retried(self) -> bool {
        matches!(self, Self::UserCancelled | Self::ValidationError | Self::QuotaExceeded)
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// A set of causes. It may contain causes that are never retried, since a policy that was not validated may
/// list them; that does not make them eligible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Causes(u16);

impl Causes {
    /// Returns whether a policy with these `eligible_causes` retries failures with this cause.
    pub fn admit(self, cause: Cause) -> bool {
        !cause.is_never_retried() && self.contains(cause)
    }

    /// Returns whether the cause is in the set.
    pub fn contains(self, cause: Cause) -> bool {
        self.0 & cause.bit() != 0
    }

    /// Returns the causes in the set, in the order of [`Cause::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Cause> {
        Cause::ALL.into_iter().filter(move |cause| self.contains(*cause))
    }

    /// Returns all six causes that may be eligible: `RetryEligibleCause.defaults()`.
    pub fn eligible() -> Self {
        Cause::ALL.into_iter().filter(|cause| !cause.is_never_retried()).collect()
    }
}

impl FromIterator<Cause> for Causes {
    fn from_iter<I: IntoIterator<Item = Cause>>(causes: I) -> Self {
        Self(causes.into_iter().fold(0, |set, cause| set | cause.bit()))
    }
}

/// The number of causes that a policy may make eligible.
const MAY_BE_ELIGIBLE: usize = 6;

/// The causes that a policy may make eligible.
pub static ELIGIBLE: Choices = Choices {
    values: Cause::CHOICES.values.split_at(MAY_BE_ELIGIBLE).0,
    ..Choices::new("eligible cause")
};

impl FieldValue for Causes {
    const KIND: Kind = Kind::List { item: &Kind::OneOf(&ELIGIBLE), min: 0 };

    fn from_node(node: &Node) -> Option<Self> {
        Some(node.items().iter().filter_map(Cause::from_node).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn six_are_eligible_and_every_name_reads_back() {
        assert_eq!(Causes::eligible().iter().count(), 6);
        for cause in Cause::ALL {
            assert_eq!(Cause::from_name(cause.as_str()), Some(cause));
        }
        assert_eq!(Cause::from_name("OOM_KILLED"), None);
    }

    proptest! {
        /// The bit set equals a `BTreeSet`, and never admits a cause that is never retried.
        #[test]
        fn is_a_set(places in proptest::collection::vec(0_usize..9, 0..12)) {
            let listed: Vec<Cause> = places.iter().map(|place| Cause::ALL[*place]).collect();
            let causes: Causes = listed.iter().copied().collect();
            let set: BTreeSet<Cause> = listed.into_iter().collect();
            prop_assert!(causes.iter().eq(set.iter().copied()));
            for cause in Cause::ALL {
                let last_three = Cause::ALL[6..].contains(&cause);
                prop_assert_eq!(causes.admit(cause), set.contains(&cause) && !last_three);
            }
        }
    }

    #[test]
    fn every_cause_is_listed_and_those_never_retried_are_not_eligible() {
        let listed = |choices: &Choices| -> Vec<&str> {
            choices.values.iter().map(|choice| choice.value).collect()
        };
        assert_eq!(listed(Cause::CHOICES), Cause::ALL.map(Cause::as_str));
        let eligible = Cause::ALL.into_iter().filter(|cause| !cause.is_never_retried());
        assert_eq!(listed(&ELIGIBLE), eligible.map(Cause::as_str).collect::<Vec<_>>());
    }
}
