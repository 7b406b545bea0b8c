//! The figures of a replay that are plain counts, and the facts of a decision that they are counted from.
//!
//! A row of `figures!` names a count once: the field that threads count into, its sum over threads, the field of the
//! report with documentation and schema, and its name in `--assert` follow. A count of decisions needs no further
//! line: `Summary::count_decision` counts all rows of a group at once.

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::Serialize;

/// How a run ended, as far as summaries distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// It succeeded.
    Succeeded,
    /// It failed, or it was lost.
    Failed,
    /// It was preempted, or stopped with other runs.
    Interrupted,
    /// It was cancelled for good.
    Cancelled,
    /// It did not run, or has not ended: its lease was returned, or the record reports a part of it.
    Open,
}

/// How the index of a record does not fit its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexMismatch {
    /// It has one, and the unit has no indexes.
    Ignored,
    /// It has none, and each run of the unit has one.
    Missing,
}

/// A rule as reports name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleLabel {
    /// The policy's name.
    pub policy: String,
    /// The rule's index; none for the default action.
    pub index: Option<usize>,
    /// Its matchers, action and limit in a few words; empty for systems whose rules have no such words.
    pub description: String,
}

impl RuleLabel {
    /// A rule without a description.
    pub fn new(policy: impl Into<String>, index: Option<usize>) -> Self {
        Self { policy: policy.into(), index, description: String::new() }
    }
}

/// The facts of a decision that summaries count. The engine reports them once a decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each counted by itself")]
pub struct DecisionFacts {
    /// The short code.
    pub code: &'static str,
    /// The rule that decided, by its number among `Engine::rules`.
    pub rule: Option<usize>,
    /// Whether it is a failure: a failed run that was decided, and not a returned lease.
    pub failure: bool,
    /// Whether a retry was granted, on the engine's or the legacy path.
    pub retry: bool,
    /// Whether a limit stopped it.
    pub exhausted: bool,
    /// Whether no rule matched and a default action decided.
    pub by_default: bool,
    /// Whether no limit counts the retry that it grants.
    pub unlimited: bool,
    /// Whether it grants a retry whose wait was computed from another id, since the record lacks the one that the
    /// system uses.
    pub guessed_wait: bool,
    /// Whether the decision might differ if the record held more of the failure.
    pub lacks_facts: bool,
    /// Whether it is a failure that the engine leaves to the legacy path because the unit is in a gang.
    pub legacy_gang: bool,
}

/// Declares a group of counts: a struct that is summed up during a replay and flattened into the report.
///
/// A row is the documentation and the name of a count. With `if`, it counts the decisions that have this fact of
/// [`DecisionFacts`]; without, the code that sees the event adds to it. The rows after `absent if 0` are left out of
/// the report if they are 0.
macro_rules! figures {
    (
        $(#[$about:meta])*
        pub struct $group:ident { $($(#[$doc:meta])* $count:ident $(if $fact:ident)?;)* }
        $(absent if 0 { $($(#[$rare_doc:meta])* $rare:ident $(if $rare_fact:ident)?;)* })?
    ) => {
        $(#[$about])*
        #[derive(
            Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
        )]
        #[serde(rename_all = "camelCase")]
        pub struct $group {
            $($(#[$doc])* pub $count: u64,)*
            $($(
                $(#[$rare_doc])*
                #[serde(skip_serializing_if = "is_zero")]
                #[schemars(with = "Option<u64>")]
                pub $rare: u64,
            )*)?
        }

        impl CountDecisions for $group {
            fn count(&mut self, _facts: &DecisionFacts) {
                $($(self.$count += u64::from(_facts.$fact);)?)*
                $($($(self.$rare += u64::from(_facts.$rare_fact);)?)*)?
            }
        }

        impl $group {
            /// Adds the counts of another part of the history.
            pub(crate) fn merge(&mut self, other: Self) {
                $(self.$count += other.$count;)*
                $($(self.$rare += other.$rare;)*)?
            }
        }
    };
}

/// Counts that decisions add to.
pub(super) trait CountDecisions {
    /// Adds 1 to each count whose fact a decision has.
    fn count(&mut self, facts: &DecisionFacts);
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

figures! {
    /// The counts with which a summary begins.
    pub struct Totals {
        /// Jobs.
        jobs;
        /// Failed runs that were decided; returned leases are none.
        failures if failure;
        /// Retries granted, on the engine's and the legacy path.
        retries if retry;
    }
    absent if 0 {
        /// Those of them whose wait is made of an id that no record gives, for which another stands;
        /// absent where there are none.
        guessed_waits if guessed_wait;
        /// Failures whose decision might differ if their records held more of them: for Airflow, exceptions that
        /// are not on record; absent where there are none.
        missing_facts if lacks_facts;
        /// Records whose `podIndex` was ignored, since their Job is not Indexed; absent where there are none.
        ignored_indexes;
        /// Records of pods without a completion index, which their Indexed Job does not count; absent where there are
        /// none.
        missing_indexes;
    }
}

figures! {
    /// Counts of recorded runs that no decision is about.
    pub struct RunFigures {}
    absent if 0 {
        /// Recorded runs that began and would have been cut off before they ended as recorded; absent
        /// where none would.
        cut_off;
        /// Runs that succeeded although a container of them exceeded its memory; absent where none did.
        survived_memory;
    }
}

figures! {
    /// The counts of one queue.
    pub struct QueueFigures {
        /// Failed runs decided.
        failures if failure;
        /// Retries granted.
        retries if retry;
        /// Jobs that failed permanently.
        failed_jobs;
    }
    absent if 0 {
        /// Failures of gangs, which the engine leaves to the legacy path; absent where there are none.
        gang_failures if legacy_gang;
    }
}

figures! {
    /// The jobs of a queue, or those whose last decided run is of a category or a day.
    pub struct JobFigures {
        /// Jobs.
        jobs;
        /// Those that succeeded after a retry.
        recovered;
        /// Those whose granted retry is not on record.
        unresolved;
    }
}

figures! {
    /// The counts of a category or a day.
    pub struct FailureFigures {
        /// Failed runs decided.
        failures if failure;
        /// Retries granted.
        retries if retry;
    }
}

figures! {
    /// The decisions of one rule or default.
    pub struct RuleFigures {
        /// Decisions attributed to it, whatever they were.
        matched;
        /// Retries it granted.
        retried if retry;
        /// Retries it would have granted but for a limit.
        exhausted if exhausted;
    }
}

figures! {
    /// The recorded retries that ran on one node.
    pub struct NodeFigures {
        /// Recorded retries that ran on it.
        retries;
        /// Those that failed.
        failed;
        /// Those that failed after a failure on the same node.
        failed_again;
    }
}

figures! {
    /// The recorded runs that came next after failures of a kind, whether the policies granted them or not.
    pub struct FollowingRuns {
        /// Runs.
        recorded;
        /// Those that succeeded.
        succeeded;
        /// Those that failed, or whose lease expired.
        failed;
    }
}
