//! The field table of the run records of attempts.

use compact_str::{CompactString, ToCompactString};
use document::diag::Code;
use document::{FieldValue, Kind, choices, optional, required};
use replay::disruption::Evidence;
use replay::history::run_fields;
use replay::history::{Field, FieldFault, RecordFields, ValueReader};

choices! {
    /// How an attempt ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum AttemptOutcome = "outcome" (elsewhere: &[
        ("CANCELLED", "write `TERMINATED`"),
        ("TIMEOUT", "write `TIMED_OUT`"),
    ]) {
        /// The job's work is done.
        Succeeded = "SUCCEEDED",
        /// The attempt failed: evaluateOnExit decides.
        #[default]
        Failed = "FAILED",
        /// It ran longer than attemptDurationSeconds; the job is not retried.
        TimedOut = "TIMED_OUT",
        /// The job was cancelled or terminated; it is not retried.
        Terminated = "TERMINATED",
        /// The job definition is invalid; the job is not retried.
        Invalid = "INVALID",
    }
}

pub(super) const NAME: &str = "awsbatch";

/// The fields of an attempt's record beyond those of all records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttemptFields {
    /// How the attempt ended.
    pub outcome: AttemptOutcome,
    /// `statusReason` of the attempt; empty if absent.
    pub status_reason: CompactString,
    /// `reason` of its container; empty if absent.
    pub reason: CompactString,
    /// `exitCode` of its container.
    pub exit_code: Option<i32>,
}

impl AttemptFields {
    /// Returns the exit code as patterns compare it: in decimal, and empty if absent.
    pub fn exit_code_text(&self) -> CompactString {
        self.exit_code.map(|code| code.to_compact_string()).unwrap_or_default()
    }
}

impl Evidence for AttemptFields {
    fn text(&self, name: &str) -> Option<&str> {
        (name == "statusReason").then_some(&*self.status_reason)
    }
}

impl RecordFields for AttemptFields {
    /// A job is the only member of its unit.
    type Key = ();
    type Unit = ();
    type Limits = ();

    const SOURCE_ENGINE: &'static str = NAME;
    const DOC: &'static str =
        "One attempt of a job of AWS Batch, as one line of a JSON Lines history.";

    const FIELDS: &'static [Field<Self>] = &[
        Field::id("The job: its id, with the index of a child of an array job, `ID:3`."),
        Field::queue(run_fields::QUEUE),
        Field::run_index(run_fields::RUN_INDEX),
        Field::started_at(run_fields::STARTED),
        Field::finished_at(run_fields::FINISHED),
        Field::node(run_fields::NODE),
        Field::cluster(run_fields::CLUSTER),
        Field::own(
            required("outcome", AttemptOutcome::KIND, "How the attempt ended."),
            |run, value| {
                run.outcome = value.text(AttemptOutcome::from_name)??;
                Some(())
            },
        ),
        Field::own(
            optional(
                "statusReason",
                Kind::Text,
                "statusReason of the attempt, which onStatusReason matches; absent means an empty one.",
            ),
            |run, value| value.some_text(|text| run.status_reason.push_str(text)),
        ),
        Field::own(
            optional(
                "reason",
                Kind::Text,
                "reason of the attempt's container, which onReason matches; absent means an empty one.",
            ),
            |run, value| value.some_text(|text| run.reason.push_str(text)),
        ),
        Field::own(
            optional(
                "exitCode",
                Kind::Whole {
                    min: i32::MIN as i128,
                    max: i32::MAX as i128,
                    code: Code::OutOfRange,
                },
                "exitCode of the attempt's container; absent if it never ran or its host was lost.",
            ),
            |run, value| {
                run.exit_code = value.optional(ValueReader::i32)?;
                Some(())
            },
        ),
    ];

    fn fault(&self) -> Option<FieldFault> {
        None
    }

    fn key(&self) {}
}
